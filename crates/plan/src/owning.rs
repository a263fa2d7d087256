//! One more instance of generic types, of texts.
//!
//! An element that owns nothing can be dropped twice, or never, and nobody
//! sees it. So the methods of generic types are also called with elements that
//! own memory.

use crate::Planner;
use crate::draft::Draft;
use std::collections::{BTreeMap, BTreeSet};
use testsmith_model::api::CallableKind;
use testsmith_model::ty::{Substitution, Ty};

/// So many callables get one more instance, those of the types with the fewest first: each
/// costs time to compile and calls that others do not get.
const MAX_OWNING: usize = 64;
/// The menu of texts.
const TEXTS: usize = 1;

impl Planner {
    /// The methods of generic types once more, with texts for elements.
    pub(crate) fn owning(&mut self) -> Vec<Draft> {
        if std::mem::replace(&mut self.owned, true) {
            return vec![];
        }
        let mut by_type: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for draft in &self.accepted {
            let Some(number) = draft.callable else { continue };
            let callable = &self.api.callables[number as usize];
            let Some(of) = callable.callee.of().filter(|of| is_generic(of)) else { continue };
            let inherent = callable.kind == CallableKind::Inherent;
            if let Some(path) =
                of.path().filter(|path| inherent && self.api.types.contains_key(*path))
            {
                by_type.entry(path).or_default().insert(number);
            }
        }
        let mut types: Vec<BTreeSet<u32>> = by_type.into_values().collect();
        types.sort_by_key(BTreeSet::len);
        let mut left = MAX_OWNING;
        let mut drafts = vec![];
        for numbers in types {
            // Half of a type is of little use: what makes its values may be missing.
            if numbers.len() > left {
                break;
            }
            left -= numbers.len();
            for number in numbers {
                let found = self.drafts_of(number, &self.menus[TEXTS], &Substitution::new());
                let same = |draft: &Draft| {
                    self.accepted.iter().any(|known| {
                        known.callable == draft.callable && known.inputs == draft.inputs
                    })
                };
                drafts.extend(found.into_iter().flatten().filter(|draft| !same(draft)));
            }
        }
        drafts
    }
}

/// Whether a type has parameters that are types.
fn is_generic(ty: &Ty) -> bool {
    ty.type_arg(0).is_some()
}
