//! Inputs of std's types.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

use super::{Input, Limits, Source, is_text, reject};

macro_rules! numbers {
    ($read:ident: $($ty:ty)*) => { $(
        impl Input for $ty {
            fn decode(source: &mut Source<'_>) -> $ty {
                <$ty>::from_le_bytes(source.$read())
            }
            fn max_bytes(_: Limits) -> usize {
                size_of::<$ty>()
            }
            fn expression(&self) -> String {
                format!("{self}")
            }
        }
    )* };
}

numbers!(number: u8 u16 u32 u64 u128 usize);
numbers!(signed_number: i8 i16 i32 i64 i128 isize);

macro_rules! floats {
    ($($ty:ty)*) => { $(
        impl Input for $ty {
            fn decode(source: &mut Source<'_>) -> $ty {
                <$ty>::from_le_bytes(source.number())
            }
            fn max_bytes(_: Limits) -> usize {
                size_of::<$ty>()
            }
            fn expression(&self) -> String {
                if self.is_finite() {
                    format!("{self:?}")
                } else {
                    format!("{}::from_bits({:#x})", stringify!($ty), self.to_bits())
                }
            }
        }
    )* };
}

floats!(f32 f64);

impl Input for bool {
    fn decode(source: &mut Source<'_>) -> bool {
        source.flag()
    }

    fn max_bytes(_: Limits) -> usize {
        1
    }

    fn expression(&self) -> String {
        self.to_string()
    }
}

impl Input for char {
    fn decode(source: &mut Source<'_>) -> char {
        match char::from_u32(u32::decode(source)) {
            Some(found) => found,
            None => reject(),
        }
    }

    fn max_bytes(_: Limits) -> usize {
        4
    }

    fn expression(&self) -> String {
        format!("{self:?}")
    }
}

impl Input for () {
    fn decode(_: &mut Source<'_>) {}

    fn max_bytes(_: Limits) -> usize {
        0
    }

    fn expression(&self) -> String {
        "()".to_owned()
    }
}

impl Input for String {
    fn decode(source: &mut Source<'_>) -> String {
        let bytes = source.list(u8::decode);
        if !is_text(&bytes) {
            reject()
        }
        String::from_utf8(bytes).expect("the bytes are a text")
    }

    fn max_bytes(limits: Limits) -> usize {
        1 + limits.len
    }

    fn expression(&self) -> String {
        format!("String::from({self:?})")
    }
}

impl<T: Input> Input for Option<T> {
    fn decode(source: &mut Source<'_>) -> Option<T> {
        match source.choice(2) {
            0 => None,
            _ => Some(T::decode(source)),
        }
    }

    fn max_bytes(limits: Limits) -> usize {
        1 + T::max_bytes(limits)
    }

    fn expression(&self) -> String {
        match self {
            None => "None".to_owned(),
            Some(value) => format!("Some({})", value.expression()),
        }
    }
}

impl<T: Input, E: Input> Input for Result<T, E> {
    fn decode(source: &mut Source<'_>) -> Result<T, E> {
        match source.choice(2) {
            0 => Ok(T::decode(source)),
            _ => Err(E::decode(source)),
        }
    }

    fn max_bytes(limits: Limits) -> usize {
        1 + T::max_bytes(limits).max(E::max_bytes(limits))
    }

    fn expression(&self) -> String {
        match self {
            Ok(value) => format!("Ok({})", value.expression()),
            Err(value) => format!("Err({})", value.expression()),
        }
    }
}

macro_rules! pointers {
    ($($pointer:ident $path:literal),*) => { $(
        impl<T: Input> Input for $pointer<T> {
            fn decode(source: &mut Source<'_>) -> $pointer<T> {
                $pointer::new(T::decode(source))
            }
            fn max_bytes(limits: Limits) -> usize {
                T::max_bytes(limits)
            }
            fn expression(&self) -> String {
                format!("{}::new({})", $path, (**self).expression())
            }
        }
    )* };
}

// Written so that it can be pasted anywhere, whatever is imported there.
pointers!(Box "Box", Rc "std::rc::Rc", Arc "std::sync::Arc");

impl<T: Input, const N: usize> Input for [T; N] {
    fn decode(source: &mut Source<'_>) -> [T; N] {
        std::array::from_fn(|index| source.element(index, T::decode))
    }

    fn max_bytes(limits: Limits) -> usize {
        N * T::max_bytes(limits)
    }

    fn expression(&self) -> String {
        format!("[{}]", join(self.iter()))
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),*))*) => { $(
        impl<$($name: Input),*> Input for ($($name,)*) {
            fn decode(source: &mut Source<'_>) -> Self {
                ($(source.part(concat!(".", $index), $name::decode),)*)
            }
            fn max_bytes(limits: Limits) -> usize {
                0 $(+ $name::max_bytes(limits))*
            }
            fn expression(&self) -> String {
                // The comma after the last one is needed by a tuple of one and harms no other.
                let mut parts = String::new();
                $(parts.push_str(&self.$index.expression()); parts.push_str(", ");)*
                format!("({})", parts.trim_end())
            }
        }
    )* };
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
}

fn join<'a, T: Input + 'a>(list: impl Iterator<Item = &'a T>) -> String {
    list.map(Input::expression).collect::<Vec<_>>().join(", ")
}

macro_rules! collections {
    ($($name:ident [$($bound:path),*] $make:literal;)*) => { $(
        impl<T: Input $(+ $bound)*> Input for $name<T> {
            fn decode(source: &mut Source<'_>) -> $name<T> {
                source.list(T::decode).into_iter().collect()
            }
            fn max_bytes(limits: Limits) -> usize {
                1 + limits.len * T::max_bytes(limits)
            }
            fn expression(&self) -> String {
                format!($make, join(self.iter()))
            }
        }
    )* };
}

collections! {
    VecDeque [] "std::collections::VecDeque::from([{}])";
    BTreeSet [Ord] "std::collections::BTreeSet::from([{}])";
    HashSet [Eq, Hash] "std::collections::HashSet::from([{}])";
}

impl<T: Input> Input for Vec<T> {
    fn decode(source: &mut Source<'_>) -> Vec<T> {
        source.list(T::decode)
    }

    fn max_bytes(limits: Limits) -> usize {
        1 + limits.len * T::max_bytes(limits)
    }

    fn expression(&self) -> String {
        format!("vec![{}]", join(self.iter()))
    }
}

macro_rules! maps {
    ($($name:ident [$($bound:path),*])*) => { $(
        impl<K: Input $(+ $bound)*, V: Input> Input for $name<K, V> {
            fn decode(source: &mut Source<'_>) -> $name<K, V> {
                source.list(<(K, V)>::decode).into_iter().collect()
            }
            fn max_bytes(limits: Limits) -> usize {
                1 + limits.len * <(K, V)>::max_bytes(limits)
            }
            fn expression(&self) -> String {
                let entry = |(key, value): (&K, &V)| {
                    format!("({}, {})", key.expression(), value.expression())
                };
                let entries: Vec<String> = self.iter().map(entry).collect();
                format!("std::collections::{}::from([{}])", stringify!($name), entries.join(", "))
            }
        }
    )* };
}

maps! {
    BTreeMap [Ord]
    HashMap [Eq, Hash]
}
