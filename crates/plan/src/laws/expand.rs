//! From a law to what it says of one type: once, or once for each method, pair of methods,
//! operator or form that it speaks of.

use super::Law;
use super::members::{fits, implements, is_member, makes_from, method, receives};
use crate::draft::Draft;
use std::collections::BTreeSet;
use testsmith_model::api::Api;
use testsmith_model::operation::{Mode, OperationKind};
use testsmith_model::ty::Ty;

impl Law {
    pub(super) fn expanded(&self, api: &Api, ty: &Ty, accepted: &[Draft]) -> Vec<Law> {
        let laws: Vec<Law> = if !self.any.is_empty() {
            let there = self.any.iter().filter(|name| method(api, ty, name).is_some());
            there.map(|name| self.named(name)).collect()
        } else if !self.pairs.is_empty() {
            let pairs = self.pairs_of(api, ty, accepted);
            pairs.iter().map(|(one, other)| self.paired(api, ty, one, other)).collect()
        } else if !self.operators.is_empty() {
            let there = self.operators.iter().filter(|[path, _]| implements(api, ty, path));
            there.map(|[path, sign]| self.with(&[("{trait}", path), ("{sign}", sign)])).collect()
        } else if self.changes {
            changes(ty, accepted).iter().map(|name| self.named(name)).collect()
        } else {
            vec![self.clone()]
        };
        let laws = laws.iter().flat_map(Law::in_each_form);
        laws.map(|law| law.by_its_view(api, ty)).collect()
    }

    /// The same law with texts in the place of others.
    pub(super) fn with(&self, texts: &[(&str, &str)]) -> Law {
        let put = |text: &String| {
            texts.iter().fold(text.clone(), |text, (place, by)| text.replace(place, by))
        };
        Law {
            name: put(&self.name),
            arguments_of: self.arguments_of.as_ref().map(put),
            forms: self.forms.iter().map(put).collect(),
            holds: put(&self.holds),
            show: put(&self.show),
            ..self.clone()
        }
    }

    /// The same law with one of its names in place.
    pub(super) fn named(&self, name: &str) -> Law {
        self.with(&[("{name}", name)])
    }

    fn in_each_form(&self) -> Vec<Law> {
        match self.forms.as_slice() {
            [] => vec![self.clone()],
            forms => forms.iter().map(|form| self.with(&[("{form}", form)])).collect(),
        }
    }

    /// The same law about these two methods.
    fn paired(&self, api: &Api, ty: &Ty, one: &str, other: &str) -> Law {
        let arguments_of = if self.taking { Some(one.to_owned()) } else { None };
        let taken = if self.parts { makes_from(api, ty, other).unwrap_or(0) } else { 0 };
        let parts = super::listed(0..taken, |n| format!("parts.{n}"));
        let law = self.with(&[("{one}", one), ("{other}", other), ("{parts}", &parts)]);
        Law { arguments_of: arguments_of.or(law.arguments_of), ..law }
    }

    /// The methods of a type that its pairs speak of.
    fn pairs_of(&self, api: &Api, ty: &Ty, accepted: &[Draft]) -> BTreeSet<(String, String)> {
        let mut found = BTreeSet::new();
        for callable in &api.callables {
            let name = callable.callee.name();
            if !is_member(&callable.callee, ty, name) {
                continue;
            }
            let takes = method(api, ty, name);
            for [one, other] in &self.pairs {
                let Some(x) = fits(name, one) else { continue };
                let other = other.replace("{x}", x);
                let is_there = match (self.taking, self.free) {
                    // What changes its value to find something may find something else then.
                    (true, _) => {
                        takes > Some(1)
                            && method(api, ty, &other) == takes
                            && receives(ty, name, accepted) == Some(Mode::Shared)
                            && receives(ty, &other, accepted) == Some(Mode::Exclusive)
                    }
                    (false, true) => {
                        let made = makes_from(api, ty, &other);
                        takes == Some(1)
                            && made.is_some_and(|taken| (taken > 1) == self.parts && taken > 0)
                    }
                    (false, false) => takes == Some(1) && method(api, ty, &other) == Some(1),
                };
                if is_there {
                    found.insert((name.to_owned(), other));
                }
            }
        }
        found
    }
}

/// One change shows as well as another what two values share, so few are enough.
const MAX_CHANGES: usize = 3;

/// The methods of a type that change a value and take nothing else.
fn changes(ty: &Ty, accepted: &[Draft]) -> BTreeSet<String> {
    let is_one = |draft: &&Draft| {
        let alone = matches!(draft.inputs.as_slice(),
            [it] if it.name == "self" && it.ty == *ty && it.mode == Mode::Exclusive);
        alone && draft.kind == OperationKind::Inherent && !draft.docs.hidden
    };
    let named = accepted.iter().filter(is_one).filter(|draft| {
        let name = draft.callee.name();
        is_member(&draft.callee, ty, name) && !draft.panics_by_design
    });
    let all: BTreeSet<String> = named.map(|draft| draft.callee.name().to_owned()).collect();
    all.into_iter().take(MAX_CHANGES).collect()
}

#[cfg(test)]
mod tests {
    use super::super::law;
    use super::*;
    use testsmith_model::api::Impl;
    use testsmith_model::ty::TraitRef;

    #[test]
    fn an_operator_is_asked_about_where_it_is_implemented() {
        let number = Ty::adt("a::Number", vec![]);
        let mut api = Api::default();
        let add = Impl {
            trait_: TraitRef::new("std::ops::Add", vec![]),
            for_: Ty::shared(number.clone()),
            generics: Default::default(),
            assoc: vec![],
        };
        api.impls.insert("std::ops::Add".to_owned(), vec![add]);
        let assigning = law("assigning_operators_agree_with_plain_ones").unwrap();
        let laws = assigning.expanded(&api, &number, &[]);
        let names: Vec<&str> = laws.iter().map(|law| law.name.as_str()).collect();
        assert_eq!(names, ["+= leaves what + gives"]);
        assert!(assigning.expanded(&api, &Ty::adt("a::Other", vec![]), &[]).is_empty());
        let borrowed = law("operators_on_references_agree_with_plain_ones").unwrap();
        assert_eq!(borrowed.expanded(&api, &number, &[]).len(), 3);
        // Whether an operator agrees with itself is no matter of support.
        assert!(!assigning.is_a_convention());
    }
}
