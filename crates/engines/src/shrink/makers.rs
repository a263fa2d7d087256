//! Other ways to make a value: a literal, or an operation that needs less.

use std::collections::HashMap;
use testsmith_model::operation::{Input, OperationKind, SIZE};
use testsmith_model::sequence::Literal;
use testsmith_model::{Edit, EditStep, OpId, Plan, TypeId};

/// Operations that are tried for one value, and literals.
const MAX_MAKERS: usize = 8;
const MAX_LITERALS: usize = 3;

/// What makes the values of each type.
pub(super) struct Makers {
    /// Those with the fewest inputs first.
    operations: HashMap<TypeId, Vec<OpId>>,
    literals: HashMap<TypeId, Vec<Literal>>,
}

impl Makers {
    pub(super) fn new(plan: &Plan) -> Makers {
        let mut operations: HashMap<TypeId, Vec<OpId>> = HashMap::new();
        for op in plan.op_ids() {
            let operation = plan.operation(op);
            if operation.kind != OperationKind::Law {
                operations.entry(operation.output).or_default().push(op);
            }
        }
        for makers in operations.values_mut() {
            makers.sort_by_key(|op| plan.operation(*op).inputs.len());
        }
        let literals = plan.literals.iter().cloned().collect();
        Makers { operations, literals }
    }

    /// The same steps with one call replaced by another way to make its value,
    /// without what is not used any more.
    pub(super) fn others(&self, plan: &Plan, edit: &Edit) -> Vec<Edit> {
        let mut candidates = vec![];
        for here in 0..edit.len() - 1 {
            let EditStep::Call(op, args) = &edit.steps[here] else { continue };
            // A list that need not be large is better written out.
            let sized = is_sized(plan, *op);
            let least = args.len() + usize::from(sized);
            let fewer = |other: OpId| plan.operation(other).inputs.len() < least;
            candidates.extend(self.instead(plan, edit, here, &fewer));
        }
        candidates
    }

    /// The same steps with one call replaced by a literal, or by one of the operations that
    /// will do.
    pub(super) fn instead<'m>(
        &'m self,
        plan: &'m Plan,
        edit: &'m Edit,
        here: usize,
        will_do: &'m dyn Fn(OpId) -> bool,
    ) -> impl Iterator<Item = Edit> + 'm {
        let ty = edit.steps[here].ty(plan);
        let literals = self.literals_for(ty, edit).into_iter();
        let written = literals.map(move |it| edit.replace(here, EditStep::Literal(ty, it)));
        let makers = self.operations.get(&ty).into_iter().flatten().copied();
        let makers = makers.filter(move |op| will_do(*op) && !is_sized(plan, *op)).take(MAX_MAKERS);
        let called = makers.filter_map(move |op| self.call_instead(plan, edit, here, op));
        written.chain(called).map(|candidate| candidate.without_unused(plan))
    }

    /// Literals of the type; texts of the sequence come first.
    fn literals_for(&self, ty: TypeId, edit: &Edit) -> Vec<Literal> {
        let Some(pool) = self.literals.get(&ty) else { return vec![] };
        let mut found = vec![];
        if matches!(pool.first(), Some(Literal::Str(_))) {
            found.extend(edit.steps.iter().filter_map(|step| match step {
                EditStep::Literal(_, text @ Literal::Str(_)) => Some(text.clone()),
                _ => None,
            }));
        }
        found.extend(pool.iter().take(MAX_LITERALS).cloned());
        found
    }

    /// The steps with a call of `other` in one place: on what the call there was
    /// given, on earlier values, or on literals.
    fn call_instead(&self, plan: &Plan, edit: &Edit, here: usize, other: OpId) -> Option<Edit> {
        let mut fresh = Edit::default();
        let mut chosen = vec![];
        let mut own = edit.steps[here].args().to_vec();
        for input in &plan.operation(other).inputs {
            let suits = |slot: &u32| plan.accepts(input, edit.steps[*slot as usize].ty(plan));
            if let Some(n) = own.iter().position(suits) {
                chosen.push(Argument::Slot(own.remove(n)));
            } else if let Some(slot) = (0..here as u32).rev().find(suits) {
                chosen.push(Argument::Slot(slot));
            } else {
                chosen.push(Argument::Fresh(fresh.len() as u32));
                fresh.steps.push(self.literal(input)?);
            }
        }
        let base = fresh.len() as u32;
        let number = |argument: Argument| match argument {
            Argument::Slot(slot) => base + slot,
            Argument::Fresh(slot) => slot,
        };
        let call = EditStep::Call(other, chosen.into_iter().map(number).collect());
        Some(edit.after(fresh).replace(base as usize + here, call))
    }

    fn literal(&self, input: &Input) -> Option<EditStep> {
        let literal = self.literals.get(&input.ty)?.first()?;
        Some(EditStep::Literal(input.ty, literal.clone()))
    }
}

/// Whether an operation makes a list of a given size.
pub(super) fn is_sized(plan: &Plan, op: OpId) -> bool {
    let operation = plan.operation(op);
    operation.kind == OperationKind::Builder
        && operation.inputs.iter().any(|input| input.name == SIZE)
}

enum Argument {
    /// A slot of the sequence.
    Slot(u32),
    /// A literal that is new.
    Fresh(u32),
}
