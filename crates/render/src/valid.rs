//! That a value of the language is one, as an assertion.
//!
//! In safe Rust it always is, so a person asks only where a crate may have lied to the
//! compiler.

use testsmith_model::ty::Ty;

/// A condition on an expression of the type; none where the language has nothing to say.
pub(crate) fn claim(ty: &Ty, value: &str, by_reference: bool) -> Option<String> {
    let read = if by_reference { format!("*{value}") } else { value.to_owned() };
    match ty {
        Ty::Ref { inner, .. } => claim(inner, value, true),
        Ty::Prim(name) => match name.as_str() {
            "str" => Some(text(value)),
            "char" => Some(format!("char::from_u32({read} as u32).is_some()")),
            "bool" => Some(format!("({read} as u8) < 2")),
            _ => None,
        },
        Ty::Adt { path, .. } => match path.as_str() {
            "std::string::String" => Some(text(value)),
            "std::boxed::Box" | "std::rc::Rc" | "std::sync::Arc" | "std::borrow::Cow" => {
                let inner = ty.type_arg(0)?;
                let is_text =
                    inner.path() == Some("std::string::String") || *inner == Ty::prim("str");
                is_text.then(|| text(value))
            }
            "std::option::Option" | "std::result::Result" | "std::vec::Vec" => {
                let each = claim(ty.type_arg(0)?, "each", true)?;
                Some(format!("{value}.iter().all(|each| {each})"))
            }
            _ => None,
        },
        _ => None,
    }
}

fn text(value: &str) -> String {
    format!("std::str::from_utf8({value}.as_bytes()).is_ok()")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_asked_for_its_bytes_wherever_it_is() {
        let string = || Ty::adt("std::string::String", vec![]);
        let shown = |ty: Ty| claim(&ty, "value", false).unwrap_or_default();
        assert_eq!(shown(string()), "std::str::from_utf8(value.as_bytes()).is_ok()");
        assert_eq!(shown(Ty::shared(Ty::prim("str"))), shown(string()));
        assert_eq!(
            shown(Ty::adt("std::option::Option", vec![string()])),
            "value.iter().all(|each| std::str::from_utf8(each.as_bytes()).is_ok())"
        );
        let chars = Ty::adt("std::vec::Vec", vec![Ty::prim("char")]);
        assert_eq!(shown(chars), "value.iter().all(|each| char::from_u32(*each as u32).is_some())");
        assert_eq!(shown(Ty::prim("i32")), "");
    }
}
