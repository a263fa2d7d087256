//! Further instances of types whose room is part of the type: with room for one.
//!
//! The first instances have room for a few, so what takes for granted that there is room for two
//! never goes wrong. Room for nothing is left out: nobody makes that. Says which instances are
//! worth asking about; the compiler says which there are.

use crate::Planner;
use crate::draft::Draft;
use std::collections::BTreeMap;
use testsmith_model::api::CallableKind;
use testsmith_model::call::Form;
use testsmith_model::ty::{Arg, Substitution, Ty, unify};

/// So many callables get one more instance, those of the types with the fewest first.
const MAX_TIGHT: usize = 64;

impl Planner {
    /// The functions and methods of types with a room once more, with room for one.
    pub(crate) fn tight(&self) -> Vec<Draft> {
        let mut by_owner: BTreeMap<&str, BTreeMap<u32, Substitution>> = BTreeMap::new();
        for draft in &self.accepted {
            if let Some((owner, number, with)) = self.with_less_room(draft) {
                by_owner.entry(owner).or_default().entry(number).or_insert(with);
            }
        }
        let mut owners: Vec<BTreeMap<u32, Substitution>> = by_owner.into_values().collect();
        owners.sort_by_key(BTreeMap::len);
        let mut drafts: Vec<Draft> = vec![];
        let mut count = 0;
        // Half of a type is of little use: what makes its values may be missing.
        for callables in owners {
            count += callables.len();
            if count > MAX_TIGHT {
                break;
            }
            let each = |(number, with)| self.drafts_of(number, &self.menus[0], &with);
            drafts.extend(callables.into_iter().flat_map(each).flatten());
        }
        drafts.iter_mut().for_each(|draft| draft.core = false);
        drafts
    }

    /// The type that a draft belongs to, its callable, and what its parameters are with room for
    /// one; nothing if they say nothing of room, or of no more.
    fn with_less_room(&self, draft: &Draft) -> Option<(&str, u32, Substitution)> {
        let number = draft.callable?;
        let callable = &self.api.callables[number as usize];
        let Form::Member { of, .. } = &draft.call.form else { return None };
        let owner = of.path().and_then(|path| self.api.types.get(path))?;
        let mut with = Substitution::new();
        let of_parameters = callable.self_ty.as_ref()?;
        if callable.kind != CallableKind::Inherent || !unify(of_parameters, of, &mut with) {
            return None;
        }
        with.retain(|_, arg| !matches!(arg, Arg::Lifetime(_)));
        let tight: Substitution =
            with.iter().map(|(name, arg)| (name.clone(), with_room_for_one(arg))).collect();
        (tight != with).then_some((owner.path.as_str(), number, tight))
    }
}

/// A number as a parameter becomes one, and so does that at the end of the name of a type that
/// stands for one.
fn with_room_for_one(arg: &Arg) -> Arg {
    let is_more = |digits: &str| digits.parse::<u32>().is_ok_and(|number| number > 1);
    match arg {
        Arg::Const(number) if is_more(number) => Arg::Const("1".to_owned()),
        Arg::Type(Ty::Adt { path, args }) if args.is_empty() => {
            let name = path.trim_end_matches(|c: char| c.is_ascii_digit());
            match is_more(&path[name.len()..]) {
                true => Arg::Type(Ty::adt(&format!("{name}1"), vec![])),
                false => arg.clone(),
            }
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_one_whether_they_are_constants_or_types() {
        let types = |path: &str| Arg::Type(Ty::adt(path, vec![]));
        let constant = |text: &str| Arg::Const(text.to_owned());
        let rooms = [
            (constant("4"), constant("1")),
            (constant("true"), constant("true")),
            (constant("0"), constant("0")),
            (types("numbers::U64"), types("numbers::U1")),
            (types("std::string::String"), types("std::string::String")),
            (Arg::Type(Ty::prim("u64")), Arg::Type(Ty::prim("u64"))),
        ];
        for (room, tight) in rooms {
            assert_eq!(with_room_for_one(&room), tight);
        }
    }
}
