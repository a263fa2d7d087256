//! Literals as a person would write them.

use testsmith_model::sequence::Literal;
use testsmith_model::ty::Ty;

/// The literal as an expression of the type.
pub fn literal(ty: &Ty, literal: &Literal) -> String {
    let name = match ty {
        Ty::Prim(name) => name.as_str(),
        _ => "",
    };
    match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Char(value) => format!("{value:?}"),
        Literal::Float(bits) => float(f64::from_bits(*bits), name),
        Literal::Str(text) if ty.path().is_some() => format!("String::from({:?})", &**text),
        Literal::Str(text) => format!("{:?}", &**text),
        Literal::Int(value) => int(*value, name),
    }
}

/// A number that says its type, `7u8`; anything else as it is.
pub(crate) fn with_type(text: String, ty: &Ty) -> String {
    let digits = text.strip_prefix('-').unwrap_or(&text);
    match ty {
        Ty::Prim(name) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("{text}{name}")
        }
        _ => text,
    }
}

pub(crate) fn int(value: i128, name: &str) -> String {
    let extreme = |text: &str, at: i128| (value == at).then(|| format!("{name}::{text}"));
    let ends: Option<(i128, i128)> = match name {
        "i8" => Some((i8::MIN.into(), i8::MAX.into())),
        "i16" => Some((i16::MIN.into(), i16::MAX.into())),
        "i32" => Some((i32::MIN.into(), i32::MAX.into())),
        "i64" | "isize" => Some((i64::MIN.into(), i64::MAX.into())),
        "i128" => Some((i128::MIN, i128::MAX)),
        "u8" => Some((-1, u8::MAX.into())),
        "u16" => Some((-1, u16::MAX.into())),
        "u32" => Some((-1, u32::MAX.into())),
        "u64" | "usize" => Some((-1, u64::MAX.into())),
        _ => None,
    };
    let named = ends
        .and_then(|(least, greatest)| extreme("MIN", least).or_else(|| extreme("MAX", greatest)));
    match (named, name) {
        (Some(text), _) => text,
        (None, "u128") => (value as u128).to_string(),
        _ => value.to_string(),
    }
}

/// Whether the literal is of a type that is smaller on other machines, and too large there.
pub(crate) fn is_wide(ty: &Ty, literal: &Literal) -> bool {
    match (ty, literal) {
        (Ty::Prim(name), Literal::Int(value)) => match name.as_str() {
            "usize" => *value > u32::MAX.into() && *value != u64::MAX.into(),
            "isize" => {
                let fits = i32::try_from(*value).is_ok();
                !fits && *value != i64::MAX.into() && *value != i64::MIN.into()
            }
            _ => false,
        },
        _ => false,
    }
}

fn float(value: f64, name: &str) -> String {
    // What a narrower type holds is what the worker saw.
    let value = if name == "f32" { f64::from(value as f32) } else { value };
    if value.is_nan() {
        format!("{name}::NAN")
    } else if value == f64::INFINITY {
        format!("{name}::INFINITY")
    } else if value == f64::NEG_INFINITY {
        format!("{name}::NEG_INFINITY")
    } else if value == f64::MAX {
        format!("{name}::MAX")
    } else if name == "f32" {
        format!("{:?}", value as f32)
    } else {
        format!("{value:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ty: &str, value: Literal, expected: &str) {
        assert_eq!(literal(&Ty::prim(ty), &value), expected);
    }

    #[test]
    fn numbers_say_their_type_once() {
        let typed = |text: &str, ty: &str| with_type(text.to_owned(), &Ty::prim(ty));
        assert_eq!(typed("-7", "i8"), "-7i8");
        assert_eq!(typed("1.5", "f32"), "1.5f32");
        assert_eq!(typed("u8::MAX", "u8"), "u8::MAX");
        assert_eq!(typed("true", "bool"), "true");
    }

    #[test]
    fn extreme_values_have_names() {
        check("i32", Literal::Int(i32::MIN.into()), "i32::MIN");
        check("usize", Literal::Int(u64::MAX.into()), "usize::MAX");
        check("u8", Literal::Int(7), "7");
        check("f64", Literal::Float(f64::NAN.to_bits()), "f64::NAN");
        check("f64", Literal::Float(1f64.to_bits()), "1.0");
    }

    #[test]
    fn text_is_quoted_and_owned_where_asked() {
        let string = Ty::adt("std::string::String", vec![]);
        assert_eq!(literal(&string, &Literal::Str("a\"b".into())), "String::from(\"a\\\"b\")");
        assert_eq!(literal(&Ty::shared(Ty::prim("str")), &Literal::Str("x".into())), "\"x\"");
    }
    #[test]
    fn what_does_not_fit_other_machines_is_known() {
        let wide = |name: &str, value: i128| is_wide(&Ty::prim(name), &Literal::Int(value));
        assert!(wide("usize", 1 << 40) && wide("isize", -(1 << 40)));
        assert!(!wide("u64", 1 << 40) && !wide("usize", u64::MAX.into()) && !wide("usize", 7));
    }
}
