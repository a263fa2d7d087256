//! What fakes can be given and can answer.

use super::describe::Sorts;
use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use testsmith_reach::{Concrete, Sort};

/// A value that a fake can be given and can answer.
///
/// Booleans, numbers, `char`, `String`, `&str`, `Vec`, slices, `Option`, `Result` and tuples of
/// such, and enums that derive it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that a fake can be given or answer",
    label = "not a value of fakes",
    note = "an enum becomes one by `#[derive(testsmith::FakeValue)]`; a method with a default \
            body may take and give anything"
)]
pub trait FakeValue: Sized {
    /// What the solver knows of the type.
    fn sort(sorts: &mut Sorts) -> Sort;
    /// The value as the solver has it.
    fn to_concrete(&self) -> Concrete;
    /// The value that the solver found; none if it is one of another type.
    fn from_concrete(concrete: &Concrete) -> Option<Self>;
}

macro_rules! integers {
    ($($name:ident)*) => {$(
        impl FakeValue for $name {
            fn sort(_: &mut Sorts) -> Sort {
                Sort::Int { width: $name::BITS, signed: $name::MIN != 0 }
            }

            fn to_concrete(&self) -> Concrete {
                Concrete::Int(*self as i128)
            }

            fn from_concrete(concrete: &Concrete) -> Option<$name> {
                match concrete {
                    Concrete::Int(number) => Some(*number as $name),
                    _ => None,
                }
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! floats {
    ($($name:ident $width:literal)*) => {$(
        impl FakeValue for $name {
            fn sort(_: &mut Sorts) -> Sort {
                Sort::Float { width: $width }
            }

            fn to_concrete(&self) -> Concrete {
                Concrete::Float { bits: f64::from(*self).to_bits(), width: $width }
            }

            fn from_concrete(concrete: &Concrete) -> Option<$name> {
                match concrete {
                    // It was widened from this type, so nothing is lost.
                    Concrete::Float { bits, .. } => Some(f64::from_bits(*bits) as $name),
                    _ => None,
                }
            }
        }
    )*};
}

floats!(f32 32 f64 64);

/// Types of which a value is one part of a [`Concrete`].
macro_rules! plain {
    ($($name:ty, $sort:ident, $variant:ident;)*) => {$(
        impl FakeValue for $name {
            fn sort(_: &mut Sorts) -> Sort {
                Sort::$sort
            }

            fn to_concrete(&self) -> Concrete {
                Concrete::$variant(self.clone())
            }

            fn from_concrete(concrete: &Concrete) -> Option<$name> {
                match concrete {
                    Concrete::$variant(value) => Some(value.clone()),
                    _ => None,
                }
            }
        }
    )*};
}

plain! {
    bool, Bool, Bool;
    char, Char, Char;
    String, Text, Text;
}

impl FakeValue for &str {
    fn sort(_: &mut Sorts) -> Sort {
        Sort::Text
    }

    fn to_concrete(&self) -> Concrete {
        Concrete::Text((*self).to_owned())
    }

    fn from_concrete(concrete: &Concrete) -> Option<Self> {
        match concrete {
            Concrete::Text(text) => Some(kept(text)),
            _ => None,
        }
    }
}

/// A text that outlives every fake. Each is kept once, so that what is never freed is no
/// more than there are different answers.
fn kept(text: &str) -> &'static str {
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(text) {
        return known;
    }
    let text: &'static str = String::from(text).leak();
    all.insert(text);
    text
}

impl<T: FakeValue> FakeValue for Vec<T> {
    fn sort(sorts: &mut Sorts) -> Sort {
        Sort::Seq(Box::new(T::sort(sorts)))
    }

    fn to_concrete(&self) -> Concrete {
        Concrete::Seq(self.iter().map(T::to_concrete).collect())
    }

    fn from_concrete(concrete: &Concrete) -> Option<Vec<T>> {
        match concrete {
            Concrete::Seq(items) => items.iter().map(T::from_concrete).collect(),
            _ => None,
        }
    }
}

impl<T: FakeValue + Sync + 'static> FakeValue for &[T] {
    fn sort(sorts: &mut Sorts) -> Sort {
        Vec::<T>::sort(sorts)
    }

    fn to_concrete(&self) -> Concrete {
        Concrete::Seq(self.iter().map(T::to_concrete).collect())
    }

    fn from_concrete(concrete: &Concrete) -> Option<Self> {
        kept_list(concrete)
    }
}

/// The same for lists as for texts.
fn kept_list<T: FakeValue + Sync + 'static>(concrete: &Concrete) -> Option<&'static [T]> {
    type Kept = BTreeMap<(TypeId, Concrete), Box<dyn Any + Send>>;
    static KEPT: Mutex<Kept> = Mutex::new(BTreeMap::new());
    let mut all = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (TypeId::of::<T>(), concrete.clone());
    if let Some(known) = all.get(&key) {
        return known.downcast_ref::<&'static [T]>().copied();
    }
    let list: &'static [T] = Vec::<T>::from_concrete(concrete)?.leak();
    all.insert(key, Box::new(list));
    Some(list)
}

impl FakeValue for () {
    fn sort(_: &mut Sorts) -> Sort {
        Sort::Unit
    }

    fn to_concrete(&self) -> Concrete {
        Concrete::Unit
    }

    fn from_concrete(concrete: &Concrete) -> Option<()> {
        (*concrete == Concrete::Unit).then_some(())
    }
}

impl<T: FakeValue> FakeValue for Option<T> {
    fn sort(sorts: &mut Sorts) -> Sort {
        Sort::Option(Box::new(T::sort(sorts)))
    }

    fn to_concrete(&self) -> Concrete {
        Concrete::Option(self.as_ref().map(|value| Box::new(value.to_concrete())))
    }

    fn from_concrete(concrete: &Concrete) -> Option<Option<T>> {
        match concrete {
            Concrete::Option(None) => Some(None),
            Concrete::Option(Some(value)) => T::from_concrete(value).map(Some),
            _ => None,
        }
    }
}

impl<T: FakeValue, E: FakeValue> FakeValue for Result<T, E> {
    fn sort(sorts: &mut Sorts) -> Sort {
        Sort::Result(Box::new(T::sort(sorts)), Box::new(E::sort(sorts)))
    }

    fn to_concrete(&self) -> Concrete {
        Concrete::Result(match self {
            Ok(value) => Ok(Box::new(value.to_concrete())),
            Err(error) => Err(Box::new(error.to_concrete())),
        })
    }

    fn from_concrete(concrete: &Concrete) -> Option<Result<T, E>> {
        match concrete {
            Concrete::Result(Ok(value)) => T::from_concrete(value).map(Ok),
            Concrete::Result(Err(error)) => E::from_concrete(error).map(Err),
            _ => None,
        }
    }
}

macro_rules! tuples {
    ($($($name:ident $index:tt),+;)*) => {$(
        impl<$($name: FakeValue),+> FakeValue for ($($name,)+) {
            fn sort(sorts: &mut Sorts) -> Sort {
                Sort::Tuple(vec![$($name::sort(sorts)),+])
            }

            fn to_concrete(&self) -> Concrete {
                Concrete::Tuple(vec![$(self.$index.to_concrete()),+])
            }

            fn from_concrete(concrete: &Concrete) -> Option<Self> {
                match concrete {
                    Concrete::Tuple(parts) => {
                        Some(($($name::from_concrete(parts.get($index)?)?,)+))
                    }
                    _ => None,
                }
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
}

/// A variant of an enum, for what derives [`FakeValue`].
pub fn variant(number: usize, name: &str, fields: Vec<(&str, Concrete)>) -> Concrete {
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    // Which number the type has is known where the value is used.
    Concrete::Enum { ty: 0, number, variant: name.to_owned(), fields }
}

/// The number of a variant and what it holds.
pub fn fields_of(concrete: &Concrete) -> Option<(usize, Vec<&Concrete>)> {
    match concrete {
        Concrete::Enum { number, fields, .. } => {
            Some((*number, fields.iter().map(|(_, field)| field).collect()))
        }
        _ => None,
    }
}
