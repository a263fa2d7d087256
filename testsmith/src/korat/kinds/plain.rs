//! Plain values: integers, floats, bool, char, unit and tuples of fields.
//!
//! A plain value is its own twin. An integer may also be an index into an
//! arena; then it is a pointer in disguise and its values are interchangeable.

use std::marker::PhantomData;

use crate::korat::cell::{Lazy, TwinType};
use crate::korat::finitize::{FinitizeError, MAX_DOMAIN, Plain};
use crate::korat::memory::refuse;
use crate::korat::reach::Reach;
use crate::korat::show::{Shower, Shown};
use crate::korat::space::{Builder, Choices};
use crate::korat::{Deep, Korat, Realizer, Types};

/// The parts of `TwinType` and `Korat` that plain values have in common.
macro_rules! plain_twin {
    ($type:ty) => {
        impl TwinType for $type {
            const INLINE: bool = false;

            fn share(&self) -> Self {
                self.clone()
            }

            fn reach(&self, _: &mut Reach) {}

            fn show(&self, _: &mut Shower) -> Shown {
                Shown::atom(self)
            }
        }
    };
}

macro_rules! plain_korat {
    ($type:ty) => {
        type Twin = Self;

        fn class_name() -> String {
            stringify!($type).to_owned()
        }

        fn realize(twin: &Self, _: &mut Realizer) -> Self {
            twin.clone()
        }

        fn twin_rep_ok(_: &Self) -> bool {
            true
        }

        fn real_rep_ok(&self) -> bool {
            true
        }

        fn show_real(&self, shower: &mut Shower) -> Shown {
            TwinType::show(self, shower)
        }
    };
}

macro_rules! ints {
    ($($int:ident)*) => {$(
        plain_twin!($int);
        impl Korat for $int {
            plain_korat!($int);

            fn choices(builder: &mut Builder) -> Choices<Self> {
                if let Some((class, count)) = builder.index_target() {
                    let values = (0..count).map(|i| i as $int).collect();
                    return Choices { class, ..Choices::plain(values) };
                }
                let most = i128::try_from(<$int>::MAX).unwrap_or(i128::MAX);
                let scope = i128::from(builder.scope()).min(most);
                let all = usize::try_from(scope).unwrap_or(usize::MAX);
                if all > MAX_DOMAIN && builder.given().is_none() {
                    let field = builder.name();
                    refuse(FinitizeError::HugeDomain { field, size: all });
                }
                let default = || (0..=scope).map(Plain::Int).collect();
                let values = builder.given().unwrap_or_else(default);
                let expected = concat!("a value of type ", stringify!($int));
                convert(builder, values, expected, |value| match value {
                    Plain::Int(i) => <$int>::try_from(*i).ok(),
                    _ => None,
                })
            }
        }
    )*};
}
ints!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

pub(super) fn convert<T>(
    builder: &mut Builder,
    values: Vec<Plain>,
    expected: &'static str,
    as_value: impl Fn(&Plain) -> Option<T>,
) -> Choices<T> {
    builder.note_values(std::any::type_name::<T>(), &values);
    let mut converted = Vec::with_capacity(values.len());
    for value in &values {
        match as_value(value) {
            Some(value) => converted.push(value),
            None => {
                let (field, value) = (builder.name(), value.to_string());
                builder.fail(FinitizeError::WrongValue { field, value, expected });
            }
        }
    }
    Choices::plain(converted)
}

plain_twin!(bool);
impl Korat for bool {
    plain_korat!(bool);

    fn choices(builder: &mut Builder) -> Choices<Self> {
        let values = builder.given().unwrap_or_else(|| vec![false.into(), true.into()]);
        convert(builder, values, "true or false", |value| match value {
            Plain::Bool(b) => Some(*b),
            _ => None,
        })
    }
}

plain_twin!(char);
impl Korat for char {
    plain_korat!(char);

    /// By default the first `scope` letters, at least one.
    fn choices(builder: &mut Builder) -> Choices<Self> {
        let letters = ('a'..='z').take(builder.scope().max(1) as usize).map(Plain::Char);
        let values = builder.given().unwrap_or_else(|| letters.collect());
        convert(builder, values, "a char", |value| match value {
            Plain::Char(c) => Some(*c),
            _ => None,
        })
    }
}

impl TwinType for () {
    const INLINE: bool = false;

    fn share(&self) {}

    fn reach(&self, _: &mut Reach) {}

    fn show(&self, _: &mut Shower) -> Shown {
        Shown::atom(self)
    }
}

impl Korat for () {
    type Twin = ();

    fn class_name() -> String {
        "()".to_owned()
    }

    fn choices(_: &mut Builder) -> Choices<Self> {
        Choices::plain(vec![()])
    }

    fn realize(_: &(), _: &mut Realizer) {}

    fn twin_rep_ok(_: &()) -> bool {
        true
    }

    fn real_rep_ok(&self) -> bool {
        true
    }

    fn show_real(&self, shower: &mut Shower) -> Shown {
        TwinType::show(self, shower)
    }
}

/// Floats have no order in which a scope could take the first few.
macro_rules! floats {
    ($($float:ident $nan:literal $infinity:literal)*) => {$(
        impl TwinType for $float {
            const INLINE: bool = false;

            fn share(&self) -> Self {
                *self
            }

            fn reach(&self, _: &mut Reach) {}

            fn show(&self, _: &mut Shower) -> Shown {
                match *self {
                    value if value.is_nan() => Shown::Atom($nan.to_owned()),
                    value if value.is_finite() => Shown::atom(&value),
                    value if value > 0.0 => Shown::Atom($infinity.to_owned()),
                    _ => Shown::Atom(concat!("-", $infinity).to_owned()),
                }
            }
        }

        impl Korat for $float {
            plain_korat!($float);

            fn choices(builder: &mut Builder) -> Choices<Self> {
                let Some(values) = builder.given() else {
                    let (field, what) = (builder.name(), "a float");
                    builder.fail(FinitizeError::NoDefault { field, what });
                    return Choices::plain(vec![0.0]);
                };
                convert(builder, values, "a float", |value| match value {
                    Plain::Float(bits) => Some(f64::from_bits(*bits) as $float),
                    Plain::Int(i) => Some(*i as $float),
                    _ => None,
                })
            }
        }
    )*};
}
floats!(f32 "f32::NAN" "f32::INFINITY" f64 "f64::NAN" "f64::INFINITY");

impl<T: ?Sized + 'static> TwinType for PhantomData<T> {
    const INLINE: bool = false;

    fn share(&self) -> Self {
        PhantomData
    }

    fn reach(&self, _: &mut Reach) {}

    fn show(&self, _: &mut Shower) -> Shown {
        Shown::Atom("std::marker::PhantomData".to_owned())
    }
}

impl<T: ?Sized + 'static> Korat for PhantomData<T> {
    type Twin = Self;

    fn class_name() -> String {
        "PhantomData".to_owned()
    }

    fn choices(_: &mut Builder) -> Choices<Self> {
        Choices::plain(vec![PhantomData])
    }

    fn realize(_: &Self, _: &mut Realizer) -> Self {
        PhantomData
    }

    fn twin_rep_ok(_: &Self) -> bool {
        true
    }

    fn real_rep_ok(&self) -> bool {
        true
    }

    fn show_real(&self, shower: &mut Shower) -> Shown {
        TwinType::show(self, shower)
    }
}

macro_rules! tuples {
    ($(($($part:ident $at:tt),+))*) => {$(
        impl<$($part: TwinType),+> TwinType for ($(Lazy<$part>,)+) {
            const INLINE: bool = true;

            fn share(&self) -> Self {
                ($(self.$at.alias(),)+)
            }

            fn duplicate(&self) -> Self {
                ($(self.$at.duplicate(),)+)
            }

            fn reach(&self, reach: &mut Reach) {
                $(reach.cell(&self.$at);)+
            }

            fn show(&self, shower: &mut Shower) -> Shown {
                Shown::Tuple(vec![$(self.$at.show(shower)),+])
            }
        }

        impl<$($part: Korat),+> Korat for ($($part,)+) {
            type Twin = ($(Lazy<$part::Twin>,)+);

            fn class_name() -> String {
                let parts = [$($part::class_name()),+];
                format!("({})", parts.join(", "))
            }

            fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
                Choices::inline(($(part::<$part>(builder, $at),)+))
            }

            fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
                ($(realizer.field::<$part>(&twin.$at),)+)
            }

            fn twin_rep_ok(twin: &Self::Twin) -> bool {
                $($part::twin_rep_ok(&twin.$at))&&+
            }

            fn twin_deep_ok(twin: &Self::Twin, deep: &mut Deep) -> bool {
                $(deep.field::<$part>(&twin.$at))&&+
            }

            fn types(types: &mut Types) {
                $(types.field::<$part>();)+
            }

            fn real_rep_ok(&self) -> bool {
                $(self.$at.real_rep_ok())&&+
            }

            fn show_real(&self, shower: &mut Shower) -> Shown {
                Shown::Tuple(vec![$(self.$at.show_real(shower)),+])
            }
        }
    )*};
}
tuples!((A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5));

/// A part of a tuple: its domain is the tuple's, unless `field.0` has its own.
fn part<T: Korat>(builder: &mut Builder, at: usize) -> Lazy<T::Twin> {
    let name = format!("{}.{at}", builder.name());
    let inherited = builder.given();
    builder.input(at, |builder| builder.inherit(name, inherited, |builder| builder.cell::<T>()))
}
