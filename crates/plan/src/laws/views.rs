//! Where the items of a value are seen.
//!
//! Laws about items are written with `iter`. A type without it may show its items by the
//! loop over a reference to it, or as a slice; the law is about the same items then.

use super::Law;
use super::members::{method, shows_items_by_reference};
use testsmith_model::api::Api;
use testsmith_model::ty::Ty;

/// The method that laws are written with.
const VIEW: &str = "iter";

impl Law {
    /// The law by the view that a type has.
    pub(super) fn by_its_view(&self, api: &Api, ty: &Ty) -> Law {
        if !self.holds.contains("a.iter()") || method(api, ty, VIEW).is_some() {
            return self.clone();
        }
        let view = if shows_items_by_reference(api, ty) {
            "(&{it}).into_iter()"
        } else if method(api, ty, "as_slice") == Some(1) {
            "{it}.as_slice().iter()"
        } else {
            return self.clone();
        };
        let puts =
            ["a", "b", "{.0}", "{.1}"].map(|it| (format!("{it}.iter()"), view.replace("{it}", it)));
        let texts = puts.each_ref().map(|(one, other)| (one.as_str(), other.as_str()));
        let mut law = self.with(&texts);
        law.methods.retain(|name| name != VIEW);
        law
    }
}

#[cfg(test)]
mod tests {
    use super::super::law;
    use super::*;
    use testsmith_model::api::Impl;
    use testsmith_model::ty::TraitRef;

    #[test]
    fn a_law_about_items_looks_where_the_type_shows_them() {
        let ring = Ty::adt("a::Ring", vec![]);
        let first = law("the_first_is_what_iter_yields_first").unwrap();
        let mut api = Api::default();
        assert_eq!(first.by_its_view(&api, &ring).holds, first.holds, "no view is known");
        let path = "std::iter::IntoIterator".to_owned();
        let known = |for_: Ty| Impl {
            trait_: TraitRef::new(&path, vec![]),
            for_,
            generics: Default::default(),
            assoc: vec![],
        };
        api.impls.insert(path.clone(), vec![known(ring.clone())]);
        assert_eq!(first.by_its_view(&api, &ring).holds, first.holds, "that would take it");
        api.impls.insert(path.clone(), vec![known(Ty::shared(ring.clone()))]);
        let seen = first.by_its_view(&api, &ring);
        assert!(seen.holds.contains("(&a).into_iter().next()"), "{}", seen.holds);
        assert!(seen.show.contains("(&{.0}).into_iter().next()"), "{}", seen.show);
        assert!(seen.methods.is_empty());
        let other = Ty::adt("a::Other", vec![]);
        assert_eq!(first.by_its_view(&api, &other).holds, first.holds, "another type");
    }
}
