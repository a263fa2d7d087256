//! Keys, cursors and the like that are used with another value than the one
//! they were made for.
//!
//! A cursor over one graph that is asked to go on in another, or a key of one
//! arena that is looked up in another, may well panic: no type can keep them
//! apart. A clone is another, and so is what was split off or mapped from it;
//! what a value becomes when it is moved through a call is the same one. An
//! iterator over one list that extends another is no such thing.
//!
//! The same goes for what was computed for one number and is used with another: a
//! function that takes `d` and a value that was made of `d` means the same one.

use crate::arguments::number;
use testsmith_model::operation::{Input, Mode, Operation};
use testsmith_model::outcome::Value;
use testsmith_model::sequence::Literal;
use testsmith_model::ty::Ty;
use testsmith_model::{Edit, Plan, Sequence, Step};

/// Whether the step `here`, or a call that it depends on, was given a value together with what
/// was made for another value of its type.
pub(crate) fn made_for_another(plan: &Plan, sequence: &Sequence, here: usize) -> bool {
    let edit = Edit::of(sequence);
    if here >= edit.len() || !has_made_for_another(plan, sequence) {
        return false;
    }
    // What cannot stand alone is looked at as it stands.
    let needed = edit.needed(plan, here).build(plan);
    needed.map_or(true, |needed| has_made_for_another(plan, &needed))
}

fn has_made_for_another(plan: &Plan, sequence: &Sequence) -> bool {
    let steps: Vec<&Step> = sequence.steps().collect();
    let history = History { plan, steps: &steps };
    (0..steps.len()).any(|at| history.is_made_for_another(at))
}

/// Whether the step `here` was given a value that was made of an argument, together with an
/// argument of that name and type which is another: a divisor, and what was computed for one that
/// is not this. `seen` are the values of the steps, as far as they are known.
pub(crate) fn made_of_another(
    plan: &Plan,
    sequence: &Sequence,
    here: usize,
    seen: &[Value],
) -> bool {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    here < steps.len() && History { plan, steps: &steps }.is_made_of_another(here, seen)
}

/// Whether the step `here` brings two values of one type together that borrow from different
/// values of another type, residues of two moduli, or from different texts.
pub(crate) fn of_two_owners(plan: &Plan, sequence: &Sequence, here: usize) -> bool {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    if here >= steps.len() {
        return false;
    }
    let history = History { plan, steps: &steps };
    let ty = |slot: usize| steps[slot].ty(plan);
    let args: Vec<usize> =
        history.args(here).filter(|arg| plan.ty(ty(*arg)).may_borrow()).collect();
    let owner = |slot: usize| {
        let holds = |slot: usize| {
            let info = plan.ty(ty(slot));
            let is_text = matches!(steps[slot], Step::Literal(_, Literal::Str(_)));
            is_text || (!info.abilities.copy && !info.may_borrow() && info.ty.path().is_some())
        };
        history.nearest(slot, &holds)
    };
    let differ = |one: usize, other: usize| {
        let (first, second) = (owner(one), owner(other));
        let mut pairs = first.iter().flat_map(|one| second.iter().map(move |other| (one, other)));
        // Of what was taken out of a pair nobody knows which half it borrows from.
        ty(one) == ty(other) && pairs.any(|(one, other)| one != other && ty(*one) == ty(*other))
    };
    args.iter().enumerate().any(|(n, one)| args[..n].iter().any(|other| differ(*one, *other)))
}

struct History<'h> {
    plan: &'h Plan,
    steps: &'h [&'h Step],
}

impl History<'_> {
    fn operation(&self, at: usize) -> Option<&Operation> {
        match self.steps[at] {
            Step::Call(op, _) => Some(self.plan.operation(*op)),
            Step::Literal(..) => None,
        }
    }

    fn args(&self, at: usize) -> impl Iterator<Item = usize> {
        self.steps[at].args(at)
    }

    fn is_made_for_another(&self, at: usize) -> bool {
        let Some(operation) = self.operation(at) else { return false };
        let inputs: Vec<(usize, &Input)> = self.args(at).zip(&operation.inputs).collect();
        inputs.iter().enumerate().any(|(n, (made, input))| {
            let named = operation.docs.ids.contains(&input.name);
            let key = named || self.plan.ty(input.ty).abilities.copy;
            let cursor = n == 0 && matches!(input.mode, Mode::Exclusive | Mode::Own);
            let mut others = inputs.iter().enumerate().filter(|(other, _)| *other != n);
            (key || cursor)
                && others.any(|(_, (whole, passed))| {
                    holds_others(self.plan, passed, cursor) && self.is_another(*made, *whole, key)
                })
        })
    }

    fn is_made_of_another(&self, at: usize, seen: &[Value]) -> bool {
        let given = self.named_args(at);
        given.iter().any(|(made, input)| {
            let is_own = self.plan.ty(input.ty).ty.path().is_some();
            // What was made of its like, as a sum is, was computed for nothing.
            let parts = self.named_args(*made).into_iter();
            let mut numbers = parts.filter(|(_, of)| matches!(self.plan.ty(of.ty).ty, Ty::Prim(_)));
            is_own
                && numbers.any(|(part, of)| {
                    let same =
                        |(_, input): &&(usize, &Input)| input.name == of.name && input.ty == of.ty;
                    given.iter().find(same).is_some_and(|(arg, _)| self.differ(part, *arg, seen))
                })
        })
    }

    /// The arguments of a call that have a name of their own.
    fn named_args(&self, at: usize) -> Vec<(usize, &Input)> {
        let inputs = self.operation(at).map(|operation| operation.inputs.as_slice());
        self.args(at)
            .zip(inputs.unwrap_or_default())
            .filter(|(_, input)| !input.name.is_empty() && input.name != "self")
            .collect()
    }

    /// Whether two slots hold different values, as far as is known: two numbers may be the same.
    fn differ(&self, one: usize, other: usize, seen: &[Value]) -> bool {
        let number = |slot: usize| number(self.steps[slot], seen.get(slot));
        one != other && number(one).zip(number(other)).is_none_or(|(one, other)| one != other)
    }

    /// Whether a part was made for another value than this whole.
    fn is_another(&self, made: usize, whole: usize, key: bool) -> bool {
        let ty = |slot: usize| self.steps[slot].ty(self.plan);
        if ty(made) == ty(whole) {
            return false;
        }
        let same = self.same_as(whole);
        let mut owners = self.nearest(made, &|slot| ty(slot) == ty(whole));
        if owners.is_empty() && key {
            // The whole may have been made from what the key belongs to.
            let holds = |slot: usize| {
                let info = self.plan.ty(ty(slot));
                !info.abilities.copy && !info.may_borrow() && info.ty.path().is_some()
            };
            owners = self.nearest(made, &holds);
            owners.retain(|owner| !self.nearest(whole, &|slot| slot == *owner).is_empty());
        }
        !owners.is_empty() && !owners.iter().any(|owner| same.contains(owner))
    }

    /// The values of a kind that a slot was made from, the nearest on each path back.
    fn nearest(&self, slot: usize, is_it: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let mut seen = vec![false; slot + 1];
        let mut found = vec![];
        let mut left: Vec<usize> = self.args(slot).collect();
        while let Some(at) = left.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if is_it(at) {
                found.push(at);
            } else {
                left.extend(self.args(at));
            }
        }
        found
    }

    /// The slots in which a value has been: calls that take it and give back its type pass it on.
    fn same_as(&self, mut slot: usize) -> Vec<usize> {
        let mut same = vec![slot];
        loop {
            let ty = self.steps[slot].ty(self.plan);
            let inputs = self.operation(slot).map(|operation| operation.inputs.as_slice());
            let mut taken = self.args(slot).zip(inputs.unwrap_or_default());
            match taken.find(|(_, input)| input.mode == Mode::Own && input.ty == ty) {
                Some((before, _)) => {
                    same.push(before);
                    slot = before;
                }
                None => return same,
            }
        }
    }
}

/// Whether an argument may be what a key or a cursor belongs to: it is passed by
/// reference and is no plain data. A cursor only looks.
fn holds_others(plan: &Plan, passed: &Input, cursor: bool) -> bool {
    let by_reference = match passed.mode {
        Mode::Shared => true,
        Mode::Exclusive | Mode::Reborrow => !cursor,
        Mode::Own => plan.ty(passed.ty).is_reference,
    };
    let info = plan.ty(passed.ty);
    by_reference && (info.is_reference || !info.abilities.copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::operation::{Abilities, TypeInfo};
    use testsmith_model::{OpId, TypeId};

    const MAP: TypeId = TypeId(0);
    const KEY: TypeId = TypeId(1);
    const ITER: TypeId = TypeId(2);
    const VIEW: TypeId = TypeId(3);

    /// `new() -> Map`, `insert(&mut Map) -> Key`, `get(&Map, Key)`, `iter(&Map)
    /// -> Iter`, `extend(&mut Map, Iter)`, `go_on(&mut Iter, &Map)`, `split(&mut Map) -> Map`,
    /// `with(Map) -> Map`, `mapped(&Map) -> View`, `look(&View, Key)`.
    fn plan() -> Plan {
        let info = |name: &str, copy| {
            TypeInfo::owned(Ty::prim(name), Abilities { copy, ..Default::default() })
        };
        let operation = Operation::of_types;
        Plan {
            types: vec![
                TypeInfo::owned(Ty::adt("a::Map", vec![]), Abilities::default()),
                info("key", true),
                info("iter", false),
                TypeInfo::owned(Ty::adt("a::View", vec![]), Abilities::default()),
            ],
            operations: vec![
                operation(&[], MAP),
                operation(&[(MAP, Mode::Exclusive)], KEY),
                operation(&[(MAP, Mode::Shared), (KEY, Mode::Own)], KEY),
                operation(&[(MAP, Mode::Shared)], ITER),
                operation(&[(MAP, Mode::Exclusive), (ITER, Mode::Own)], KEY),
                operation(&[(ITER, Mode::Exclusive), (MAP, Mode::Shared)], KEY),
                operation(&[(MAP, Mode::Exclusive)], MAP),
                operation(&[(MAP, Mode::Own)], MAP),
                operation(&[(MAP, Mode::Shared)], VIEW),
                operation(&[(VIEW, Mode::Shared), (KEY, Mode::Own)], KEY),
            ],
            ..Plan::default()
        }
    }

    /// Two maps, something made of the first, and a call on what the arguments say.
    fn after(make: u32, call: u32, back: &[u32]) -> bool {
        let step = |op: u32, back: &[u32]| Step::Call(OpId(op), back.into());
        let steps = vec![step(0, &[]), step(0, &[]), step(make, &[2]), step(call, back)];
        made_for_another(&plan(), &Sequence::from_steps(steps), 3)
    }

    #[test]
    fn a_key_belongs_to_the_map_that_gave_it() {
        assert!(after(1, 2, &[2, 1]), "the key of the first in the second");
        assert!(!after(1, 2, &[3, 1]), "the key of the first in the first");
    }

    /// A map, a key of it, something made of the map, and a call on that with the key.
    fn with_old_key(make: u32, call: u32) -> bool {
        let step = |op: u32, back: &[u32]| Step::Call(OpId(op), back.into());
        let steps = vec![step(0, &[]), step(1, &[1]), step(make, &[2]), step(call, &[1, 2])];
        made_for_another(&plan(), &Sequence::from_steps(steps), 3)
    }

    #[test]
    fn what_was_split_off_or_mapped_is_another_and_what_was_moved_is_the_same() {
        assert!(with_old_key(6, 2), "the old key in what was split off");
        assert!(!with_old_key(7, 2), "the old key in what was moved through a call");
        assert!(with_old_key(8, 9), "the old key in what was mapped");
        // A key of what was split off, in what it was split off from.
        let step = |op: u32, back: &[u32]| Step::Call(OpId(op), back.into());
        let steps = vec![step(0, &[]), step(6, &[1]), step(1, &[1]), step(2, &[3, 1])];
        assert!(made_for_another(&plan(), &Sequence::from_steps(steps), 3));
    }

    #[test]
    fn what_a_call_does_not_depend_on_is_none_of_its_business() {
        let step = |op: u32, back: &[u32]| Step::Call(OpId(op), back.into());
        // Two maps, a key of the first that is looked up in the second, and a new map.
        let steps = vec![step(0, &[]), step(0, &[]), step(1, &[2]), step(2, &[2, 1]), step(0, &[])];
        let sequence = Sequence::from_steps(steps);
        assert!(made_for_another(&plan(), &sequence, 3));
        assert!(!made_for_another(&plan(), &sequence, 4));
    }

    #[test]
    fn a_cursor_goes_on_where_it_began_but_an_iterator_may_extend_another() {
        assert!(after(3, 5, &[1, 2]), "the cursor of the first in the second");
        assert!(!after(3, 5, &[1, 3]), "the cursor of the first in the first");
        assert!(!after(3, 4, &[2, 1]), "the second extended by the first");
    }

    #[test]
    fn what_was_computed_for_one_number_is_used_with_that_number() {
        let named = |name: &str, input: &Input| Input { name: name.into(), ..input.clone() };
        let mut plan = plan();
        let mut inverse = Operation::of_types(&[(KEY, Mode::Own)], MAP);
        inverse.inputs = vec![named("d", &inverse.inputs[0])];
        let mut divide = Operation::of_types(&[(KEY, Mode::Own), (MAP, Mode::Shared)], KEY);
        divide.inputs = vec![named("d", &divide.inputs[0]), named("inverse", &divide.inputs[1])];
        plan.operations = vec![inverse, divide];
        // A number, what is computed for it, another number, and a call on the two given.
        let after = |second: i128, back: &[u32]| {
            let int = |number| Step::Literal(KEY, Literal::Int(number));
            let call = |op: u32, back: &[u32]| Step::Call(OpId(op), back.into());
            let steps = vec![int(7), call(0, &[1]), int(second), call(1, back)];
            made_of_another(&plan, &Sequence::from_steps(steps), 3, &[])
        };
        assert!(after(8, &[1, 2]), "another number");
        assert!(!after(7, &[1, 2]), "the same number once more");
        assert!(!after(8, &[3, 2]), "the very same");
        // A sum of two is no number that was computed for one of them.
        let mut add = Operation::of_types(&[(MAP, Mode::Shared), (MAP, Mode::Shared)], MAP);
        add.inputs = vec![named("self", &add.inputs[0]), named("rhs", &add.inputs[1])];
        let mut plan = self::plan();
        plan.operations = vec![Operation::of_types(&[], MAP), add];
        let call = |op: u32, back: &[u32]| Step::Call(OpId(op), back.into());
        let steps = vec![call(0, &[]), call(1, &[1, 1]), call(1, &[1, 1])];
        assert!(!made_of_another(&plan, &Sequence::from_steps(steps), 2, &[]));
    }
}
