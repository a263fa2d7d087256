//! Which objects a search follows.

use crate::goal::Goal;
use crate::system::{FnId, Mode, Sort, System, TypeId};
use std::collections::BTreeSet;

/// Objects that are followed at once.
const MAX_OBJECTS: usize = 5;

/// The objects of the parameters.
pub(crate) fn objects_of(goal: &Goal) -> impl Iterator<Item = TypeId> + '_ {
    goal.params.iter().filter_map(|param| match param.sort {
        Sort::Object(ty) => Some(ty),
        _ => None,
    })
}

/// The objects that matter (definition 8): those of the goal, then one of each type that
/// making or changing them takes. Where a type can be made of values alone, what else makes
/// it is no reason for more objects; nor is, where calls have made one before, what takes
/// several.
pub(crate) fn objects(system: &System, goal: &Goal) -> Vec<TypeId> {
    let mut objects: Vec<TypeId> = objects_of(goal).collect();
    let own = objects.len();
    let most = own.max(MAX_OBJECTS);
    let mut n = 0;
    while n < objects.len() {
        let ty = objects[n];
        n += 1;
        let mut all = needed_to_make(system, ty);
        if !goal.few {
            all.extend(needed_to_change(system, ty));
        }
        for needed in all {
            if !objects[own..].contains(&needed) && objects.len() < most {
                objects.push(needed);
            }
        }
    }
    objects
}

/// The types of the objects that a function takes.
fn taken(system: &System, function: FnId) -> impl Iterator<Item = TypeId> + '_ {
    let sorts = system.functions[function].params.iter().map(|param| &param.sort);
    sorts.filter_map(|sort| match sort {
        Sort::Object(ty) => Some(*ty),
        _ => None,
    })
}

/// The types of objects that functions take which make one of this type. Where there are
/// objects to begin with, only what takes one object is worth making anew.
fn needed_to_make(system: &System, ty: TypeId) -> BTreeSet<TypeId> {
    let makers = system.makers(ty);
    let (seen, real): (Vec<FnId>, Vec<FnId>) =
        makers.into_iter().partition(|id| system.seen.contains_key(id));
    let is_plain =
        |id: &FnId| system.functions[*id].params.iter().all(|param| param.sort.is_plain(system));
    if real.iter().any(is_plain) {
        return BTreeSet::new();
    }
    let most = if seen.is_empty() { usize::MAX } else { 1 };
    let worth = real.into_iter().filter(|id| taken(system, *id).count() <= most);
    worth.flat_map(|id| taken(system, id)).collect()
}

/// The types of objects that its methods take which change one of this type.
fn needed_to_change(system: &System, ty: TypeId) -> BTreeSet<TypeId> {
    let mut needed = BTreeSet::new();
    for changer in system.changers(ty) {
        let function = &system.functions[changer];
        let is_own = function.is_method()
            && function.params[0].sort == Sort::Object(ty)
            && function.params[0].mode == Mode::Exclusive;
        if is_own {
            needed.extend(taken(system, changer).skip(1));
        }
    }
    needed
}
