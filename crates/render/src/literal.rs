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
        Literal::Str(text) => match (long_text(text), ty.path().is_some()) {
            (Some(owned), true) => owned,
            (Some(owned), false) => format!("&{owned}"),
            (None, true) => format!("String::from({:?})", &**text),
            (None, false) => format!("{:?}", &**text),
        },
        Literal::Int(value) => int(*value, name),
    }
}

/// Whether a literal is made by a call, so that what borrows it needs it to stay.
pub(crate) fn is_made(literal: &Literal) -> bool {
    matches!(literal, Literal::Str(text) if long_text(text).is_some())
}

/// Texts up to this many bytes are written as they are.
const MAX_WRITTEN: usize = 200;
/// What is repeated is at most so long, and saves at least so much.
const MAX_PIECE: usize = 128;
const LEAST_SAVED: usize = 40;

/// A text that says the same again and again, as an expression of its parts:
/// `"[".repeat(10_000)`.
fn long_text(text: &str) -> Option<String> {
    if text.len() <= MAX_WRITTEN {
        return None;
    }
    let (mut parts, mut plain, mut rest) = (vec![], String::new(), text);
    while let Some(c) = rest.chars().next() {
        match repeated(rest) {
            Some((piece, times)) => {
                if !plain.is_empty() {
                    parts.push(format!("{:?}", std::mem::take(&mut plain)));
                }
                parts.push(format!("{piece:?}.repeat({})", grouped(times)));
                rest = &rest[piece.len() * times..];
            }
            None => {
                plain.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    match parts.as_slice() {
        [] => None,
        [one] if plain.is_empty() => Some(one.clone()),
        _ => {
            if !plain.is_empty() {
                parts.push(format!("{plain:?}"));
            }
            let borrowed = |part: &String| match part.ends_with(')') {
                true => format!("&{part}"),
                false => part.clone(),
            };
            let all: Vec<String> = parts.iter().map(borrowed).collect();
            Some(format!("[{}].concat()", all.join(", ")))
        }
    }
}

/// The shortest piece that a text begins with and that is worth writing once.
fn repeated(text: &str) -> Option<(&str, usize)> {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    ends.take_while(|end| *end <= MAX_PIECE).find_map(|end| {
        let piece = &text[..end];
        let times = text.as_bytes().chunks(end).take_while(|chunk| *chunk == piece.as_bytes());
        let times = times.count();
        (end * (times - 1) >= LEAST_SAVED.max(end)).then_some((piece, times))
    })
}

/// A number with a mark between thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    if digits.len() <= 4 {
        return digits;
    }
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    let text = |group: &&[u8]| String::from_utf8_lossy(group).into_owned();
    groups.iter().map(text).collect::<Vec<_>>().join("_")
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
    fn a_long_text_is_made_of_its_pieces() {
        let string = Ty::adt("std::string::String", vec![]);
        let shown = |text: String| literal(&string, &Literal::Str(text.into()));
        assert_eq!(shown("[".repeat(10_000)), "\"[\".repeat(10_000)");
        assert_eq!(shown("aé".repeat(2048)), "\"aé\".repeat(2048)");
        let mixed = format!("k: {}é{}", "[".repeat(300), "a\n".repeat(50));
        let expected = r#"["k: ", &"[".repeat(300), "é", &"a\n".repeat(50)].concat()"#;
        assert_eq!(shown(mixed.clone()), expected);
        let text = Literal::Str(mixed.into());
        assert!(is_made(&text));
        assert!(literal(&Ty::shared(Ty::prim("str")), &text).starts_with("&[\"k: \""));
        // What is short, or says something new all the time, is written as it is.
        assert!(!is_made(&Literal::Str("[".repeat(20).into())));
        let numbers: String = (0..200).map(|n| format!("{n} ")).collect();
        assert!(!is_made(&Literal::Str(numbers.into())));
    }

    #[test]
    fn what_does_not_fit_other_machines_is_known() {
        let wide = |name: &str, value: i128| is_wide(&Ty::prim(name), &Literal::Int(value));
        assert!(wide("usize", 1 << 40) && wide("isize", -(1 << 40)));
        assert!(!wide("u64", 1 << 40) && !wide("usize", u64::MAX.into()) && !wide("usize", 7));
    }
}
