//! Keys, cursors and the like that are used with another value than the one
//! they were made for.
//!
//! A cursor over one graph that is asked to go on in another, or a key of one
//! arena that is looked up in another, may well panic: no type can keep them
//! apart. An iterator over one list that extends another is no such thing.

use testsmith_model::operation::{Input, Mode, Operation};
use testsmith_model::{Plan, Sequence, Step, TypeId};

/// Whether a call up to the step `here` was given a value together with what
/// was made for another value of its type.
pub(crate) fn made_for_another(plan: &Plan, sequence: &Sequence, here: usize) -> bool {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let mut made_from: Vec<Vec<usize>> = vec![];
    for (at, step) in steps.iter().enumerate() {
        let args: Vec<usize> = step.args(at).collect();
        if let Step::Call(op, _) = step
            && made_for_another_here(plan, &steps, &made_from, plan.operation(*op), &args)
        {
            return true;
        }
        let mut from: Vec<usize> = args.iter().flat_map(|arg| made_from[*arg].clone()).collect();
        from.extend(args);
        from.sort_unstable();
        from.dedup();
        made_from.push(from);
    }
    false
}

fn made_for_another_here(
    plan: &Plan,
    steps: &[&Step],
    made_from: &[Vec<usize>],
    operation: &Operation,
    args: &[usize],
) -> bool {
    let ty = |slot: usize| type_at(plan, steps[slot]);
    let inputs = || args.iter().zip(&operation.inputs).enumerate();
    inputs().any(|(n, (&made, input))| {
        let key = plan.ty(input.ty).abilities.copy;
        let cursor = n == 0 && matches!(input.mode, Mode::Exclusive | Mode::Own);
        let others = inputs().filter(|(other, _)| *other != n);
        (key || cursor)
            && others.into_iter().any(|(_, (&whole, passed))| {
                let another = |from: &usize| *from != whole && ty(*from) == ty(whole);
                holds_others(plan, passed, cursor)
                    && ty(made) != ty(whole)
                    && !made_from[made].contains(&whole)
                    && made_from[made].iter().any(another)
            })
    })
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

fn type_at(plan: &Plan, step: &Step) -> TypeId {
    match step {
        Step::Literal(ty, _) => *ty,
        Step::Call(op, _) => plan.operation(*op).output,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::OpId;
    use testsmith_model::operation::{Abilities, TypeInfo};
    use testsmith_model::ty::Ty;

    const MAP: TypeId = TypeId(0);
    const KEY: TypeId = TypeId(1);
    const ITER: TypeId = TypeId(2);

    /// `new() -> Map`, `insert(&mut Map) -> Key`, `get(&Map, Key)`, `iter(&Map)
    /// -> Iter`, `extend(&mut Map, Iter)`, `go_on(&mut Iter, &Map)`.
    fn plan() -> Plan {
        let info = |name: &str, copy| {
            TypeInfo::owned(Ty::prim(name), Abilities { copy, ..Default::default() })
        };
        let operation = Operation::of_types;
        Plan {
            types: vec![info("map", false), info("key", true), info("iter", false)],
            operations: vec![
                operation(&[], MAP),
                operation(&[(MAP, Mode::Exclusive)], KEY),
                operation(&[(MAP, Mode::Shared), (KEY, Mode::Own)], KEY),
                operation(&[(MAP, Mode::Shared)], ITER),
                operation(&[(MAP, Mode::Exclusive), (ITER, Mode::Own)], KEY),
                operation(&[(ITER, Mode::Exclusive), (MAP, Mode::Shared)], KEY),
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

    #[test]
    fn a_cursor_goes_on_where_it_began_but_an_iterator_may_extend_another() {
        assert!(after(3, 5, &[1, 2]), "the cursor of the first in the second");
        assert!(!after(3, 5, &[1, 3]), "the cursor of the first in the first");
        assert!(!after(3, 4, &[2, 1]), "the second extended by the first");
    }
}
