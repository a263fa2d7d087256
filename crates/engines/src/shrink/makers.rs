//! Other ways to make a value: a literal, or an operation that needs less.

use super::{Flat, type_of, used};
use std::collections::HashMap;
use testsmith_model::operation::{Input, OperationKind};
use testsmith_model::sequence::Literal;
use testsmith_model::{OpId, Plan, TypeId};

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
    pub(super) fn others(&self, plan: &Plan, steps: &[Flat]) -> Vec<Vec<Flat>> {
        let mut candidates = vec![];
        for here in 0..steps.len() - 1 {
            let Flat::Call(op, args) = &steps[here] else { continue };
            let ty = plan.operation(*op).output;
            for literal in self.literals_for(ty, steps) {
                let mut candidate = steps.to_vec();
                candidate[here] = Flat::Literal(ty, literal);
                candidates.push(used(plan, candidate));
            }
            let makers = self.operations.get(&ty).into_iter().flatten();
            let fewer = makers.filter(|other| plan.operation(**other).inputs.len() < args.len());
            for other in fewer.take(MAX_MAKERS) {
                let with = self.call_instead(plan, steps, here, *other);
                candidates.extend(with.map(|candidate| used(plan, candidate)));
            }
        }
        candidates
    }

    /// Literals of the type; texts of the sequence come first.
    fn literals_for(&self, ty: TypeId, steps: &[Flat]) -> Vec<Literal> {
        let Some(pool) = self.literals.get(&ty) else { return vec![] };
        let mut found = vec![];
        if matches!(pool.first(), Some(Literal::Str(_))) {
            found.extend(steps.iter().filter_map(|step| match step {
                Flat::Literal(_, text @ Literal::Str(_)) => Some(text.clone()),
                _ => None,
            }));
        }
        found.extend(pool.iter().take(MAX_LITERALS).cloned());
        found
    }

    /// The steps with a call of `other` in one place: on what the call there was
    /// given, on earlier values, or on literals.
    fn call_instead(
        &self,
        plan: &Plan,
        steps: &[Flat],
        here: usize,
        other: OpId,
    ) -> Option<Vec<Flat>> {
        let Flat::Call(_, args) = &steps[here] else { return None };
        let mut fresh = vec![];
        let mut chosen = vec![];
        let mut own = args.clone();
        for input in &plan.operation(other).inputs {
            let suits = |slot: &u32| plan.accepts(input, type_of(plan, &steps[*slot as usize]));
            if let Some(n) = own.iter().position(suits) {
                chosen.push(Argument::Slot(own.remove(n)));
            } else if let Some(slot) = (0..here as u32).rev().find(suits) {
                chosen.push(Argument::Slot(slot));
            } else {
                chosen.push(Argument::Fresh(fresh.len() as u32));
                fresh.push(self.literal(input)?);
            }
        }
        let base = fresh.len() as u32;
        let mut candidate = fresh;
        candidate.extend(steps.iter().map(|step| match step {
            Flat::Call(op, args) => Flat::Call(*op, args.iter().map(|arg| base + arg).collect()),
            literal => literal.clone(),
        }));
        let number = |argument: Argument| match argument {
            Argument::Slot(slot) => base + slot,
            Argument::Fresh(slot) => slot,
        };
        candidate[base as usize + here] =
            Flat::Call(other, chosen.into_iter().map(number).collect());
        Some(candidate)
    }

    fn literal(&self, input: &Input) -> Option<Flat> {
        let literal = self.literals.get(&input.ty)?.first()?;
        Some(Flat::Literal(input.ty, literal.clone()))
    }
}

enum Argument {
    /// A slot of the sequence.
    Slot(u32),
    /// A literal that is new.
    Fresh(u32),
}
