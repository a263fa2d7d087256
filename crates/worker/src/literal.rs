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
            "&str" | "&'static str" => Kind::Str,
            "std::string::String" => Kind::String,
            _ => return None,
        })
    }
}

/// Whether the literal was of the kind; if not, nothing was put.
pub fn put(kind: Kind, literal: &Literal, frame: &mut Frame) -> bool {
    match (kind, literal) {
        (Kind::Bool, Literal::Bool(value)) => frame.put(*value),
        (Kind::Char, Literal::Char(value)) => frame.put(*value),
        (Kind::F32, Literal::Float(bits)) => frame.put(f64::from_bits(*bits) as f32),
        (Kind::F64, Literal::Float(bits)) => frame.put(f64::from_bits(*bits)),
        (Kind::String, Literal::Str(text)) => frame.put(String::from(&**text)),
        // Literals in a program are static, so this text must never go away.
        (Kind::Str, Literal::Str(text)) => frame.put(interned(text)),
        (kind, Literal::Int(value)) => return put_int(kind, *value, frame),
        _ => return false,
    }
    true
}

fn put_int(kind: Kind, value: i128, frame: &mut Frame) -> bool {
    match kind {
        Kind::I8 => frame.put(value as i8),
        Kind::I16 => frame.put(value as i16),
        Kind::I32 => frame.put(value as i32),
        Kind::I64 => frame.put(value as i64),
        Kind::I128 => frame.put(value),
        Kind::Isize => frame.put(value as isize),
        Kind::U8 => frame.put(value as u8),
        Kind::U16 => frame.put(value as u16),
        Kind::U32 => frame.put(value as u32),
        Kind::U64 => frame.put(value as u64),
        Kind::U128 => frame.put(value as u128),
        Kind::Usize => frame.put(value as usize),
        _ => return false,
    }
    true
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
