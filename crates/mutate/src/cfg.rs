//! What is compiled: `cfg` attributes, given what the compiler and cargo said.
//!
//! A flag that nobody named is off, as it is for the compiler.

use crate::Reason;
use std::collections::BTreeSet;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Token};

/// The flags that are on, as `rustc --print cfg` writes them: `unix`, `feature="std"`.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    on: BTreeSet<String>,
}

impl Cfg {
    pub fn new(lines: impl IntoIterator<Item = String>) -> Cfg {
        Cfg { on: lines.into_iter().map(|line| line.replace(' ', "")).collect() }
    }

    /// Why an item with these attributes has no mutants; none if it may.
    pub(crate) fn left_out(&self, attributes: &[Attribute]) -> Option<Reason> {
        attributes.iter().find_map(|attribute| self.left_out_by(&attribute.meta))
    }

    fn left_out_by(&self, meta: &Meta) -> Option<Reason> {
        let path = meta.path();
        let last = path.segments.last()?.ident.to_string();
        let is_alone = path.segments.len() == 1;
        if last == "test" || (last == "bench" && is_alone) {
            return Some(Reason::Test);
        }
        if last == "skip" && path.segments[0].ident == "mutants" {
            return Some(Reason::Asked);
        }
        let Meta::List(list) = meta else { return None };
        let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
        if path.is_ident("cfg") {
            let condition: Meta = list.parse_args().ok()?;
            if self.holds(&condition, false) {
                return None;
            }
            let for_tests = self.holds(&condition, true);
            return Some(if for_tests { Reason::Test } else { Reason::Cfg });
        }
        if path.is_ident("cfg_attr") {
            let parts = list.parse_args_with(parse).ok()?;
            let attributes = parts.iter().skip(1);
            // Whoever asks under a condition for us to skip it has us in mind.
            let mut reasons = attributes.filter_map(|meta| self.left_out_by(meta));
            let condition = parts.first().is_some_and(|condition| self.holds(condition, true));
            return reasons.find(|reason| condition || *reason == Reason::Asked);
        }
        None
    }

    fn holds(&self, condition: &Meta, test: bool) -> bool {
        let parts = |list: &syn::MetaList| {
            list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .unwrap_or_default()
        };
        match condition {
            Meta::Path(path) if path.is_ident("test") => test,
            Meta::Path(path) if path.is_ident("true") => true,
            Meta::Path(path) => {
                path.get_ident().is_some_and(|name| self.on.contains(&name.to_string()))
            }
            Meta::NameValue(pair) => match (&pair.value, pair.path.get_ident()) {
                (Expr::Lit(ExprLit { lit: Lit::Str(value), .. }), Some(name)) => {
                    self.on.contains(&format!("{name}={:?}", value.value()))
                }
                _ => false,
            },
            Meta::List(list) if list.path.is_ident("all") => {
                parts(list).iter().all(|part| self.holds(part, test))
            }
            Meta::List(list) if list.path.is_ident("any") => {
                parts(list).iter().any(|part| self.holds(part, test))
            }
            Meta::List(list) if list.path.is_ident("not") => {
                !parts(list).iter().any(|part| self.holds(part, test))
            }
            Meta::List(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(attribute: &str, wanted: Option<Reason>) {
        let cfg = Cfg::new(["unix".to_owned(), "feature = \"std\"".to_owned()]);
        let item: syn::ItemFn = syn::parse_str(&format!("{attribute} fn f() {{}}")).unwrap();
        assert_eq!(cfg.left_out(&item.attrs), wanted, "{attribute}");
    }

    #[test]
    fn what_is_not_compiled_or_only_for_tests_is_left_out() {
        check("#[cfg(unix)]", None);
        check("#[cfg(windows)]", Some(Reason::Cfg));
        check("#[cfg(feature = \"std\")]", None);
        check("#[cfg(feature = \"nope\")]", Some(Reason::Cfg));
        check("#[cfg(all(unix, not(feature = \"std\")))]", Some(Reason::Cfg));
        check("#[cfg(any(windows, feature = \"std\"))]", None);
        check("#[cfg(test)]", Some(Reason::Test));
        check("#[cfg(not(test))]", None);
        check("#[cfg(any(test, windows))]", Some(Reason::Test));
        check("#[test]", Some(Reason::Test));
        check("#[tokio::test]", Some(Reason::Test));
        check("#[mutants::skip]", Some(Reason::Asked));
        check("#[cfg_attr(mutants_run, mutants::skip)]", Some(Reason::Asked));
        check("#[cfg_attr(unix, inline)]", None);
    }
}
