//! Values that a written type suggests.
//!
//! No operator; `bodies` returns them. A name that is not known is asked for its default, and
//! the compiler refuses what has none.

use crate::constants::{MAX_ARMS, OTHER_TEXT};
use syn::{GenericArgument, PathArguments, Type, TypePath};

const DEFAULT: &str = "core::default::Default::default()";

/// Values of a type, the plainest first; none for what cannot be returned.
pub(super) fn of(ty: &Type) -> Vec<String> {
    let values = match ty {
        Type::Never(_) | Type::ImplTrait(_) | Type::Ptr(_) | Type::Infer(_) => vec![],
        Type::Paren(inner) => of(&inner.elem),
        Type::Tuple(tuple) => {
            let parts: Option<Vec<String>> =
                tuple.elems.iter().map(|part| of(part).into_iter().next()).collect();
            let comma = if tuple.elems.len() == 1 { "," } else { "" };
            parts.map_or(vec![], |parts| vec![format!("({}{comma})", parts.join(", "))])
        }
        Type::Reference(reference) => referred(&reference.elem, reference.mutability.is_some()),
        Type::Array(array) => {
            let each = of(&array.elem).into_iter().next();
            each.map_or(vec![], |each| vec![format!("[{each}; _]")])
        }
        Type::Path(path) => named(path),
        _ => vec![],
    };
    values.into_iter().take(MAX_ARMS).collect()
}

fn referred(inner: &Type, mutable: bool) -> Vec<String> {
    let is_str = matches!(inner, Type::Path(path) if path.path.is_ident("str"));
    match inner {
        _ if mutable => vec![],
        _ if is_str => vec!["\"\"".to_owned(), OTHER_TEXT.to_owned()],
        Type::Slice(_) => vec!["&[]".to_owned()],
        _ => vec![],
    }
}

fn named(path: &TypePath) -> Vec<String> {
    let Some(last) = path.path.segments.last() else { return vec![] };
    let argument = || match &last.arguments {
        PathArguments::AngleBracketed(list) => list.args.iter().find_map(|one| match one {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        _ => None,
    };
    let inner = || argument().map_or(vec![], of);
    let wrap = |with: &str| inner().iter().map(|value| format!("{with}({value})")).collect();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    match last.ident.to_string().as_str() {
        "bool" => words(&["true", "false"]),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => words(&["0", "1"]),
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => words(&["0", "1", "-1"]),
        "f32" | "f64" => words(&["0.0", "1.0", "-1.0"]),
        "char" => words(&["'\\0'", "'x'"]),
        "String" => vec![DEFAULT.to_owned(), format!("{OTHER_TEXT}.into()")],
        "Option" => {
            let mut values = vec!["core::option::Option::None".to_owned()];
            values.extend::<Vec<String>>(wrap("core::option::Option::Some"));
            values
        }
        "Result" => wrap("core::result::Result::Ok"),
        "Ordering" => words(&[
            "core::cmp::Ordering::Less",
            "core::cmp::Ordering::Equal",
            "core::cmp::Ordering::Greater",
        ]),
        _ => vec![DEFAULT.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ty: &str, wanted: &[&str]) {
        let values = of(&syn::parse_str(ty).unwrap());
        let short: Vec<String> = values
            .iter()
            .map(|value| {
                let value = value.replace(DEFAULT, "D").replace("core::option::Option::", "");
                value.replace("core::result::Result::", "")
            })
            .collect();
        assert_eq!(short, wanted, "{ty}");
    }

    #[test]
    fn values_follow_the_written_type() {
        check("bool", &["true", "false"]);
        check("i8", &["0", "1", "-1"]);
        check("&'static str", &["\"\"", "\"xyzzy\""]);
        check("&mut u8", &[]);
        check("Vec<u8>", &["D"]);
        check("Option<usize>", &["None", "Some(0)", "Some(1)"]);
        check("io::Result<bool>", &["Ok(true)", "Ok(false)"]);
        check("Result<(), Error>", &["Ok(())"]);
        check("(u8, Option<String>)", &["(0, None)"]);
        check("!", &[]);
        check("impl Iterator<Item = u8>", &[]);
    }
}
