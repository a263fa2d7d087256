//! What each type of the plan can do, asked of the compiler.
//!
//! The harness says `type_table!(T)` for every type. Method resolution prefers
//! an impl for `Probe<T>` over one for `&Probe<T>`, so a bound that holds wins
//! over the fallback without any specialisation. This works because `T` is
//! concrete there.

use std::marker::PhantomData;
use testsmith_model::operation::Abilities;
use testsmith_model::outcome::MemoryError;

pub struct TypeTable {
    pub size: usize,
    pub align: usize,
    pub copy: bool,
    pub needs_drop: bool,
    pub drop: unsafe fn(*mut u8),
    pub clone: Option<unsafe fn(*const u8, &mut crate::arena::Frame)>,
    pub debug: Option<unsafe fn(*const u8, &mut dyn std::fmt::Write) -> std::fmt::Result>,
    pub partial_eq: Option<unsafe fn(*const u8, *const u8) -> bool>,
    pub eq: bool,
    pub hash: Option<unsafe fn(*const u8) -> u64>,
    /// The value as one number.
    pub scalar: Option<unsafe fn(*const u8) -> i64>,
    /// What is inside of it as one number.
    pub inside: Option<unsafe fn(*const u8) -> i64>,
    /// What is wrong with a value of the language.
    pub fault: Option<unsafe fn(*const u8) -> Option<MemoryError>>,
}

impl TypeTable {
    pub fn abilities(&self) -> Abilities {
        Abilities {
            copy: self.copy,
            clone: self.clone.is_some(),
            debug: self.debug.is_some(),
            partial_eq: self.partial_eq.is_some(),
            eq: self.eq,
            hash: self.hash.is_some(),
            needs_drop: self.needs_drop,
        }
    }
}

/// Stands for a type whose abilities are asked for.
pub struct Probe<T>(pub PhantomData<T>);

/// # Safety
/// `value` must be a live `T` that nobody uses afterwards.
pub unsafe fn drop_value<T>(value: *mut u8) {
    // SAFETY: upheld by the caller.
    unsafe { value.cast::<T>().drop_in_place() }
}

/// Two traits a question: one for types that can, one for all others. The
/// answers are functions on pointers to live values of the type.
macro_rules! question {
    ($yes:ident, $no:ident, $method:ident, [$($bound:tt)+], $answer:ty, $some:expr, $none:expr) => {
        pub trait $yes {
            fn $method(&self) -> $answer;
        }
        impl<T: $($bound)+> $yes for Probe<T> {
            fn $method(&self) -> $answer {
                $some
            }
        }
        pub trait $no {
            fn $method(&self) -> $answer;
        }
        impl<T> $no for &Probe<T> {
            fn $method(&self) -> $answer {
                $none
            }
        }
    };
}

question!(CopyYes, CopyNo, copy, [Copy], bool, true, false);
question!(EqYes, EqNo, eq, [Eq], bool, true, false);
question!(
    CloneYes,
    CloneNo,
    clone_fn,
    [Clone],
    Option<unsafe fn(*const u8, &mut crate::arena::Frame)>,
    Some(clone_value::<T>),
    None
);
question!(
    DebugYes,
    DebugNo,
    debug,
    [std::fmt::Debug],
    Option<unsafe fn(*const u8, &mut dyn std::fmt::Write) -> std::fmt::Result>,
    Some(debug_value::<T>),
    None
);
question!(
    PartialEqYes,
    PartialEqNo,
    partial_eq,
    [PartialEq],
    Option<unsafe fn(*const u8, *const u8) -> bool>,
    Some(eq_values::<T>),
    None
);
question!(
    HashYes,
    HashNo,
    hash,
    [std::hash::Hash],
    Option<unsafe fn(*const u8) -> u64>,
    Some(hash_value::<T>),
    None
);
question!(
    ScalarYes,
    ScalarNo,
    scalar,
    [crate::scalar::Scalar],
    Option<unsafe fn(*const u8) -> i64>,
    Some(scalar_of::<T>),
    None
);

question!(
    InsideYes,
    InsideNo,
    inside,
    [crate::scalar::Inside],
    Option<unsafe fn(*const u8) -> i64>,
    Some(inside_of::<T>),
    None
);

question!(
    ValidYes,
    ValidNo,
    fault,
    [crate::valid::Valid],
    Option<unsafe fn(*const u8) -> Option<MemoryError>>,
    Some(fault_of::<T>),
    None
);

unsafe fn clone_value<T: Clone>(value: *const u8, frame: &mut crate::arena::Frame) {
    // SAFETY: the caller hands a live `T`.
    frame.put(unsafe { &*value.cast::<T>() }.clone());
}

unsafe fn debug_value<T: std::fmt::Debug>(
    value: *const u8,
    out: &mut dyn std::fmt::Write,
) -> std::fmt::Result {
    // SAFETY: the caller hands a live `T`.
    write!(out, "{:?}", unsafe { &*value.cast::<T>() })
}

unsafe fn eq_values<T: PartialEq>(a: *const u8, b: *const u8) -> bool {
    // SAFETY: the caller hands two live `T`.
    unsafe { *a.cast::<T>() == *b.cast::<T>() }
}

unsafe fn hash_value<T: std::hash::Hash>(value: *const u8) -> u64 {
    use std::hash::Hasher;
    let mut hasher = testsmith_engines::hash::Mixer::default();
    // SAFETY: the caller hands a live `T`.
    unsafe { &*value.cast::<T>() }.hash(&mut hasher);
    hasher.finish()
}

unsafe fn scalar_of<T: crate::scalar::Scalar>(value: *const u8) -> i64 {
    // SAFETY: the caller hands a live `T`.
    unsafe { &*value.cast::<T>() }.scalar()
}

unsafe fn inside_of<T: crate::scalar::Inside>(value: *const u8) -> i64 {
    // SAFETY: the caller hands a live `T`.
    unsafe { &*value.cast::<T>() }.inside()
}

unsafe fn fault_of<T: crate::valid::Valid>(value: *const u8) -> Option<MemoryError> {
    // SAFETY: the caller hands a live `T`, or what its maker says is one.
    unsafe { &*value.cast::<T>() }.fault()
}

/// The table of one concrete type.
#[macro_export]
macro_rules! type_table {
    ($ty:ty) => {{
        #[allow(unused_imports)]
        use $crate::table::*;
        let probe = Probe::<$ty>(std::marker::PhantomData);
        TypeTable {
            size: size_of::<$ty>(),
            align: align_of::<$ty>(),
            copy: (&probe).copy(),
            needs_drop: std::mem::needs_drop::<$ty>(),
            drop: drop_value::<$ty>,
            clone: (&probe).clone_fn(),
            debug: (&probe).debug(),
            partial_eq: (&probe).partial_eq(),
            eq: (&probe).eq(),
            hash: (&probe).hash(),
            scalar: (&probe).scalar(),
            inside: (&probe).inside(),
            fault: (&probe).fault(),
        }
    }};
}

#[cfg(test)]
mod tests {
    #[test]
    fn abilities_are_those_of_the_type() {
        let number = crate::type_table!(i32).abilities();
        assert!(number.copy && number.clone && number.eq && number.hash && number.debug);
        assert!(!number.needs_drop);
        let float = crate::type_table!(f64).abilities();
        assert!(float.partial_eq && !float.eq && !float.hash);
        let list = crate::type_table!(Vec<String>).abilities();
        assert!(list.clone && list.needs_drop && !list.copy);
        let reference = crate::type_table!(&'static mut i32).abilities();
        assert!(!reference.clone && reference.debug);
    }
}
