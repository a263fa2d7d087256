//! Puts literals into the arena.

use crate::arena::Frame;
use testsmith_model::sequence::Literal;

/// How a literal of a type is made, known from the text of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Char,
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
    F32,
    F64,
    Str,
    /// A `&'static str`.
    StaticStr,
    String,
}

impl Kind {
    pub fn of(ty: &str) -> Option<Kind> {
        Some(match ty {
            "bool" => Kind::Bool,
            "char" => Kind::Char,
            "i8" => Kind::I8,
            "i16" => Kind::I16,
            "i32" => Kind::I32,
            "i64" => Kind::I64,
            "i128" => Kind::I128,
            "isize" => Kind::Isize,
            "u8" => Kind::U8,
            "u16" => Kind::U16,
            "u32" => Kind::U32,
            "u64" => Kind::U64,
            "u128" => Kind::U128,
            "usize" => Kind::Usize,
            "f32" => Kind::F32,
            "f64" => Kind::F64,
            "&str" => Kind::Str,
            "&'static str" => Kind::StaticStr,
            "std::string::String" => Kind::String,
            _ => return None,
        })
    }
}

/// A literal made ready to be put again and again.
#[derive(Clone, Debug)]
pub enum Ready {
    /// The bytes of a number, a `bool` or a `char`, as they lie in memory. Its
    /// size is also its alignment.
    Plain {
        bytes: [u8; 16],
        size: usize,
    },
    /// Literals in a program are static, so this text never goes away.
    Text(&'static str),
    Owned(std::sync::Arc<str>),
}

impl Ready {
    /// `None` if the literal is not of the kind.
    pub fn new(kind: Kind, literal: &Literal) -> Option<Ready> {
        Some(match (kind, literal) {
            (Kind::Bool, Literal::Bool(value)) => plain([u8::from(*value)]),
            (Kind::Char, Literal::Char(value)) => plain(u32::from(*value).to_ne_bytes()),
            (Kind::F32, Literal::Float(bits)) => {
                plain((f64::from_bits(*bits) as f32).to_ne_bytes())
            }
            (Kind::F64, Literal::Float(bits)) => plain(bits.to_ne_bytes()),
            (Kind::String, Literal::Str(text)) => Ready::Owned(text.clone()),
            (Kind::Str | Kind::StaticStr, Literal::Str(text)) => Ready::Text(interned(text)),
            (kind, Literal::Int(value)) => return int(kind, *value),
            _ => return None,
        })
    }

    #[inline]
    pub fn put(&self, frame: &mut Frame) {
        match self {
            Ready::Plain { bytes, size } => frame.put_plain(bytes, *size),
            Ready::Text(text) => frame.put(*text),
            Ready::Owned(text) => frame.put(String::from(&**text)),
        }
    }
}

fn plain<const N: usize>(value: [u8; N]) -> Ready {
    let mut bytes = [0; 16];
    bytes[..N].copy_from_slice(&value);
    Ready::Plain { bytes, size: N }
}

fn int(kind: Kind, value: i128) -> Option<Ready> {
    Some(match kind {
        Kind::I8 | Kind::U8 => plain((value as u8).to_ne_bytes()),
        Kind::I16 | Kind::U16 => plain((value as u16).to_ne_bytes()),
        Kind::I32 | Kind::U32 => plain((value as u32).to_ne_bytes()),
        Kind::I64 | Kind::U64 => plain((value as u64).to_ne_bytes()),
        Kind::I128 | Kind::U128 => plain((value as u128).to_ne_bytes()),
        Kind::Isize | Kind::Usize => plain((value as usize).to_ne_bytes()),
        _ => return None,
    })
}

fn interned(text: &std::sync::Arc<str>) -> &'static str {
    use std::cell::RefCell;
    use std::collections::HashMap;
    thread_local! {
        static TEXTS: RefCell<HashMap<std::sync::Arc<str>, &'static str>> = RefCell::default();
    }
    TEXTS.with(|texts| {
        let mut texts = texts.borrow_mut();
        match texts.get(text) {
            Some(known) => known,
            None => {
                let leaked: &'static str = Box::leak(text.to_string().into_boxed_str());
                texts.insert(text.clone(), leaked);
                leaked
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: PartialEq + std::fmt::Debug + 'static>(kind: Kind, literal: Literal, value: T) {
        let mut frame = Frame::new();
        // Something before it, so that the place has to be aligned.
        frame.put(1u8);
        Ready::new(kind, &literal).expect("it is of the kind").put(&mut frame);
        let place = frame.result.cast::<T>();
        assert!(place.is_aligned());
        // SAFETY: a value of this type was just put there.
        assert_eq!(unsafe { place.read() }, value);
    }

    #[test]
    fn literals_lie_in_memory_as_values_of_their_type() {
        check(Kind::Bool, Literal::Bool(true), true);
        check(Kind::Char, Literal::Char('ß'), 'ß');
        check(Kind::I8, Literal::Int(-1), -1i8);
        check(Kind::U16, Literal::Int(65_535), u16::MAX);
        check(Kind::I32, Literal::Int(i128::from(i32::MIN)), i32::MIN);
        check(Kind::U64, Literal::Int(i128::from(u64::MAX)), u64::MAX);
        check(Kind::I128, Literal::Int(i128::MIN), i128::MIN);
        check(Kind::U128, Literal::Int(-1), u128::MAX);
        check(Kind::Isize, Literal::Int(-7), -7isize);
        check(Kind::F32, Literal::Float(1.5f64.to_bits()), 1.5f32);
        check(Kind::F64, Literal::Float(0.1f64.to_bits()), 0.1f64);
        check(Kind::Str, Literal::Str("text".into()), "text");
        check(Kind::String, Literal::Str("text".into()), String::from("text"));
    }

    #[test]
    fn a_literal_of_another_kind_is_refused() {
        assert!(Ready::new(Kind::Bool, &Literal::Int(1)).is_none());
        assert!(Ready::new(Kind::I32, &Literal::Str("1".into())).is_none());
        assert!(Ready::new(Kind::Str, &Literal::Int(1)).is_none());
    }
}
