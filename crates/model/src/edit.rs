//! A sequence opened for editing: the one place where steps are left out,
//! replaced and numbered anew.
//!
//! Arguments are the numbers of earlier steps here, not distances. Nothing is
//! checked while it is edited; `build` is where the rules of types and borrows
//! refuse what has become of it.

use crate::operation::{Input, Mode, OpId, Plan, TypeId};
use crate::sequence::{Builder, Literal, Refusal, Sequence, Step};
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditStep {
    Literal(TypeId, Literal),
    /// Each argument is the number of the step that made it.
    Call(OpId, Vec<u32>),
}

impl EditStep {
    pub fn args(&self) -> &[u32] {
        match self {
            EditStep::Literal(..) => &[],
            EditStep::Call(_, args) => args,
        }
    }

    /// The type of the value that it makes.
    pub fn ty(&self, plan: &Plan) -> TypeId {
        match self {
            EditStep::Literal(ty, _) => *ty,
            EditStep::Call(op, _) => plan.operation(*op).output,
        }
    }

    /// The arguments that it may change.
    fn changed<'s>(&'s self, plan: &'s Plan) -> impl Iterator<Item = usize> + 's {
        let inputs: &[Input] = match self {
            EditStep::Literal(..) => &[],
            EditStep::Call(op, _) => &plan.operation(*op).inputs,
        };
        let changes = |input: &Input| matches!(input.mode, Mode::Exclusive | Mode::Reborrow);
        let args = self.args().iter().zip(inputs);
        args.filter(move |(_, input)| changes(input)).map(|(arg, _)| *arg as usize)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    pub steps: Vec<EditStep>,
}

impl Edit {
    pub fn of(sequence: &Sequence) -> Edit {
        let open = |(here, step): (usize, &Step)| match step {
            Step::Literal(ty, literal) => EditStep::Literal(*ty, literal.clone()),
            Step::Call(op, _) => EditStep::Call(*op, step.args(here).map(|n| n as u32).collect()),
        };
        Edit { steps: sequence.steps().enumerate().map(open).collect() }
    }

    pub fn build(&self, plan: &Plan) -> Result<Sequence, Refusal> {
        let mut builder = Builder::new(plan);
        for step in &self.steps {
            match step {
                EditStep::Literal(ty, literal) => builder.literal(*ty, literal.clone())?,
                EditStep::Call(op, args) => builder.call(*op, args)?,
            };
        }
        Ok(builder.finish())
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Those of the steps that are marked, numbered anew. What they take has to
    /// be marked as well.
    pub fn keep(&self, marked: &[bool]) -> Edit {
        let mut number = vec![0u32; self.len()];
        let mut steps = vec![];
        for (here, step) in self.steps.iter().enumerate().filter(|(here, _)| marked[*here]) {
            number[here] = steps.len() as u32;
            steps.push(match step {
                EditStep::Call(op, args) => {
                    EditStep::Call(*op, args.iter().map(|arg| number[*arg as usize]).collect())
                }
                literal => literal.clone(),
            });
        }
        Edit { steps }
    }

    /// One step, what it needs, and all that changed that before.
    pub fn needed(&self, plan: &Plan, last: usize) -> Edit {
        self.keep(&self.needs(plan, last))
    }

    /// Per step: whether one needs it, or it changed before what that needs.
    pub fn needs(&self, plan: &Plan, last: usize) -> Vec<bool> {
        let mut needed = vec![false; self.len()];
        needed[last] = true;
        // A change may be made through a borrow that is found to be needed only
        // later. Each round adds a step or is the last.
        loop {
            let before = count(&needed);
            for here in (0..=last).rev() {
                let step = &self.steps[here];
                needed[here] |= step.changed(plan).any(|arg| needed[arg]);
                if needed[here] {
                    step.args().iter().for_each(|arg| needed[*arg as usize] = true);
                }
            }
            if count(&needed) == before {
                return needed;
            }
        }
    }

    /// Without these steps and without all that depends on them; nothing if the
    /// last step depends on them too.
    pub fn without(&self, piece: Range<usize>) -> Option<Edit> {
        let mut kept = vec![true; self.len()];
        kept[piece].fill(false);
        for (here, step) in self.steps.iter().enumerate() {
            kept[here] &= step.args().iter().all(|arg| kept[*arg as usize]);
        }
        kept.last()?.then(|| self.keep(&kept))
    }

    /// Without the steps whose values nobody uses and that change nothing.
    pub fn without_unused(mut self, plan: &Plan) -> Edit {
        loop {
            let changes = |step: &EditStep| step.changed(plan).next().is_some();
            let mut wanted: Vec<bool> = self.steps.iter().map(changes).collect();
            if let Some(last) = wanted.last_mut() {
                *last = true;
            }
            for arg in self.steps.iter().flat_map(EditStep::args) {
                wanted[*arg as usize] = true;
            }
            if count(&wanted) == self.len() {
                return self;
            }
            self = self.keep(&wanted);
        }
    }

    /// The same steps after some others.
    pub fn after(&self, first: Edit) -> Edit {
        let base = first.len() as u32;
        let mut steps = first.steps;
        steps.extend(self.steps.iter().map(|step| match step {
            EditStep::Call(op, args) => {
                EditStep::Call(*op, args.iter().map(|arg| base + arg).collect())
            }
            literal => literal.clone(),
        }));
        Edit { steps }
    }

    /// The same steps with another one in the place of one.
    pub fn replace(&self, here: usize, step: EditStep) -> Edit {
        let mut edit = self.clone();
        edit.steps[here] = step;
        edit
    }

    /// The same steps, one of which takes another value as its n-th argument.
    pub fn replace_argument(&self, here: usize, n: usize, value: u32) -> Edit {
        let mut edit = self.clone();
        if let EditStep::Call(_, args) = &mut edit.steps[here] {
            args[n] = value;
        }
        edit
    }

    /// The same steps with one value in the place of another, wherever it is used.
    pub fn replace_value(&self, old: u32, new: u32) -> Edit {
        let mut edit = self.clone();
        for step in &mut edit.steps {
            if let EditStep::Call(_, args) = step {
                args.iter_mut().filter(|arg| **arg == old).for_each(|arg| *arg = new);
            }
        }
        edit
    }
}

fn count(marked: &[bool]) -> usize {
    marked.iter().filter(|marked| **marked).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;
    use crate::operation::{Abilities, TypeInfo};
    use crate::ty::Ty;

    const NUMBER: TypeId = TypeId(0);
    const LIST: TypeId = TypeId(1);
    const NEW: OpId = OpId(0);
    const PUSH: OpId = OpId(1);
    const LEN: OpId = OpId(2);

    /// `new() -> List`, `push(&mut List, Number)`, `len(&List) -> Number`.
    fn plan() -> Plan {
        let info = |name: &str, copy| {
            TypeInfo::owned(Ty::prim(name), Abilities { copy, ..Default::default() })
        };
        Plan {
            types: vec![info("number", true), info("list", false)],
            operations: vec![
                Operation::of_types(&[], LIST),
                Operation::of_types(&[(LIST, Mode::Exclusive), (NUMBER, Mode::Own)], NUMBER),
                Operation::of_types(&[(LIST, Mode::Shared)], NUMBER),
            ],
            ..Plan::default()
        }
    }

    fn call(op: OpId, args: &[u32]) -> EditStep {
        EditStep::Call(op, args.to_vec())
    }

    /// Two lists, a number that is pushed to the first, and its length.
    fn edit() -> Edit {
        let one = EditStep::Literal(NUMBER, Literal::Int(1));
        let steps = [call(NEW, &[]), call(NEW, &[]), one, call(PUSH, &[0, 2]), call(LEN, &[0])];
        Edit { steps: steps.to_vec() }
    }

    #[test]
    fn opening_and_building_gives_the_same_sequence() {
        let plan = plan();
        let sequence = edit().build(&plan).unwrap();
        assert_eq!(Edit::of(&sequence), edit());
        assert_eq!(Edit::of(&sequence).build(&plan), Ok(sequence));
    }

    #[test]
    fn what_is_needed_are_makers_and_changes_and_nothing_else() {
        let needed = edit().needed(&plan(), 4);
        let one = EditStep::Literal(NUMBER, Literal::Int(1));
        assert_eq!(needed.steps, [call(NEW, &[]), one, call(PUSH, &[0, 1]), call(LEN, &[0])]);
        assert_eq!(edit().needed(&plan(), 1).steps, [call(NEW, &[])]);
    }

    #[test]
    fn what_depends_on_a_step_goes_with_it() {
        let without = edit().without(2..3).unwrap();
        assert_eq!(without.steps, [call(NEW, &[]), call(NEW, &[]), call(LEN, &[0])]);
        assert_eq!(without.without_unused(&plan()).steps, [call(NEW, &[]), call(LEN, &[0])]);
        assert_eq!(edit().without(0..1), None, "the last step takes it");
    }

    #[test]
    fn a_value_is_replaced_in_one_place_or_in_all() {
        assert_eq!(edit().replace_value(0, 1).steps[3..], [call(PUSH, &[1, 2]), call(LEN, &[1])]);
        let one = edit().replace_argument(4, 0, 1);
        assert_eq!(one.steps[3..], [call(PUSH, &[0, 2]), call(LEN, &[1])]);
        let after = edit().after(Edit { steps: vec![call(NEW, &[])] });
        assert_eq!((after.len(), &after.steps[5]), (6, &call(LEN, &[1])));
        assert_eq!(edit().replace(4, call(NEW, &[])).steps[4], call(NEW, &[]));
    }

    #[test]
    fn what_breaks_the_rules_is_refused_when_it_is_built() {
        let broken = edit().replace_argument(4, 0, 2);
        assert_eq!(broken.build(&plan()), Err(Refusal::IllTyped { argument: 0 }));
    }
}
