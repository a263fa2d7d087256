//! Shrinks a failing sequence.
//!
//! Proposes smaller sequences and is told whether they still fail in the same
//! way; runs nothing itself. Steps are removed first, in halves, quarters and
//! so on; then what makes a value is replaced by an earlier value, by a
//! component that takes fewer steps, by a literal or by an operation that needs
//! less; then literals become simpler, because a shorter test is easier to read
//! than one with smaller numbers.

mod literals;
mod makers;

use literals::{shorter_together, simpler_literals};
use makers::{Makers, is_sized};
use std::collections::{HashMap, HashSet};
use testsmith_model::message::Component;
use testsmith_model::operation::SIZE;
use testsmith_model::sequence::Literal;
use testsmith_model::{Edit, EditStep, OpId, Plan, Sequence, Step, TypeId};

/// No finding is worth more tries than this.
const MAX_TRIES: usize = 1200;
const MAX_ROUNDS: usize = 40;
/// Components of a type that are tried, the shortest first.
const MAX_COMPONENTS: usize = 3;

/// The smallest sequence found. `fails` runs a candidate and says whether it
/// fails in the same way; the last step is always the failing one. Components
/// may stand for what makes a value.
pub fn shrink(
    plan: &Plan,
    sequence: &Sequence,
    failing_step: usize,
    components: &[Component],
    fails: &mut dyn FnMut(&Sequence) -> bool,
) -> Sequence {
    let mut edit = Edit::of(sequence);
    edit.steps.truncate(failing_step + 1);
    match edit.build(plan) {
        Ok(best) if fails(&best) => {
            let (tried, tries) = (HashSet::new(), MAX_TRIES);
            let shortest = shortest(plan, components);
            let makers = Makers::new(plan);
            Shrinking { plan, shortest, makers, fails, edit, best, tried, tries }.run()
        }
        _ => sequence.clone(),
    }
}

/// The same sequence with what one step makes made in another way, without the operation of
/// that step: by a component, a literal, or another operation.
pub fn made_otherwise(
    plan: &Plan,
    sequence: &Sequence,
    step: usize,
    components: &[Component],
) -> Vec<Sequence> {
    let edit = Edit::of(sequence);
    let EditStep::Call(unwanted, _) = edit.steps[step] else { return vec![] };
    let is_another = |op: OpId| op != unwanted;
    let mut candidates: Vec<Edit> =
        Makers::new(plan).instead(plan, &edit, step, &is_another).collect();
    let shortest = shortest(plan, components);
    for component in shortest.get(&edit.steps[step].ty(plan)).into_iter().flatten() {
        let other = Edit::of(&component.sequence);
        let old = (other.len() + step) as u32;
        let candidate = edit.after(other).replace_value(old, component.value);
        candidates.extend(candidate.without(old as usize..old as usize + 1));
    }
    candidates.retain(|candidate| {
        !candidate.steps.iter().any(|step| matches!(step, EditStep::Call(op, _) if *op == unwanted))
    });
    candidates.sort_by_key(|candidate| cost(plan, candidate));
    let needed = |candidate: &Edit| candidate.needed(plan, candidate.len() - 1).build(plan).ok();
    candidates.iter().filter_map(needed).collect()
}

struct Shrinking<'s> {
    plan: &'s Plan,
    /// Per type, the components with the fewest steps.
    shortest: HashMap<TypeId, Vec<&'s Component>>,
    makers: Makers,
    fails: &'s mut dyn FnMut(&Sequence) -> bool,
    edit: Edit,
    best: Sequence,
    /// What was tried before is not tried again.
    tried: HashSet<Sequence>,
    tries: usize,
}

impl Shrinking<'_> {
    fn run(mut self) -> Sequence {
        self.attempt(self.edit.needed(self.plan, self.edit.len() - 1));
        let mut size = self.edit.len() / 2;
        while size > 1 {
            self.remove_pieces(size);
            size /= 2;
        }
        // Each round may make room for the next; a handful settles it.
        for _ in 0..MAX_ROUNDS {
            let before = self.best.clone();
            self.remove_pieces(1);
            let mut others = redirections(self.plan, &self.edit);
            others.extend(self.replacements());
            others.extend(self.makers.others(self.plan, &self.edit));
            // Those that are no simpler would only go back and forth.
            let plan = self.plan;
            others.retain(|candidate| cost(plan, candidate) < cost(plan, &self.edit));
            others.sort_by_key(|candidate| cost(plan, candidate));
            let _ = others.into_iter().any(|candidate| self.attempt(candidate));
            self.simplify_literals();
            if self.best == before {
                break;
            }
        }
        self.best
    }

    /// Takes a candidate if it fails in the same way.
    fn attempt(&mut self, candidate: Edit) -> bool {
        if self.tries == 0 {
            return false;
        }
        let Ok(sequence) = candidate.build(self.plan) else { return false };
        if !self.tried.insert(sequence.clone()) {
            return false;
        }
        self.tries -= 1;
        let smaller = (self.fails)(&sequence);
        if smaller {
            self.edit = candidate;
            self.best = sequence;
        }
        smaller
    }

    /// Removes pieces of this many steps, from the last to the first.
    fn remove_pieces(&mut self, size: usize) {
        let mut end = self.edit.len() - 1;
        while end > 0 {
            let piece = end.saturating_sub(size)..end;
            end = piece.start;
            if let Some(without) = self.edit.without(piece) {
                self.attempt(without);
            }
            end = end.min(self.edit.len() - 1);
        }
    }

    /// The same steps with one argument replaced by a component, without what
    /// is not needed any more.
    fn replacements(&self) -> Vec<Edit> {
        let mut candidates = vec![];
        for (here, step) in self.edit.steps.iter().enumerate() {
            for (n, arg) in step.args().iter().enumerate() {
                let ty = self.edit.steps[*arg as usize].ty(self.plan);
                for component in self.shortest.get(&ty).into_iter().flatten() {
                    let candidate = self.edit.after(Edit::of(&component.sequence));
                    let here = candidate.len() - self.edit.len() + here;
                    let candidate = candidate.replace_argument(here, n, component.value);
                    candidates.push(candidate.needed(self.plan, candidate.len() - 1));
                }
            }
        }
        candidates
    }

    fn simplify_literals(&mut self) {
        for at in 0..self.edit.len() {
            while self.simplify_literal(at) {}
        }
        // What two texts have in common may have to stay common.
        for one in 0..self.edit.len() {
            for other in one + 1..self.edit.len() {
                let steps = (&self.edit.steps[one], &self.edit.steps[other]);
                for (first, second) in shorter_together(steps.0, steps.1) {
                    self.attempt(self.edit.replace(one, first).replace(other, second));
                }
            }
        }
    }

    /// Whether a step is nothing but the number of elements of something that is made at once.
    fn is_size(&self, at: usize) -> bool {
        self.edit.steps.iter().any(|step| match step {
            EditStep::Call(op, args) if is_sized(self.plan, *op) => {
                let inputs = &self.plan.operation(*op).inputs;
                args.iter().zip(inputs).any(|(arg, it)| *arg as usize == at && it.name == SIZE)
            }
            _ => false,
        })
    }

    /// Makes one literal simpler by one change. How many elements there are goes by halves: at the
    /// least that overflows a stack, or takes too long, it does so only now and then.
    fn simplify_literal(&mut self, at: usize) -> bool {
        let step = &self.edit.steps[at];
        let is_size = self.is_size(at);
        let halved = |simpler: &EditStep| match (step, simpler) {
            (EditStep::Literal(_, Literal::Int(n)), EditStep::Literal(_, Literal::Int(less))) => {
                less.unsigned_abs() <= n.unsigned_abs() / 2
            }
            _ => true,
        };
        let simpler: Vec<EditStep> =
            simpler_literals(step).into_iter().filter(|it| !is_size || halved(it)).collect();
        simpler.into_iter().any(|simpler| self.attempt(self.edit.replace(at, simpler)))
    }
}

/// What a reader has to take in: a call is more than a literal, and something large more than
/// something small.
fn cost(plan: &Plan, edit: &Edit) -> usize {
    let of = |step: &EditStep| match step {
        EditStep::Literal(..) => 1,
        EditStep::Call(op, _) if is_sized(plan, *op) => 3,
        EditStep::Call(..) => 2,
    };
    edit.steps.iter().map(of).sum()
}

/// Per type, the components with the fewest steps.
fn shortest<'c>(plan: &Plan, components: &'c [Component]) -> HashMap<TypeId, Vec<&'c Component>> {
    let mut by_type: HashMap<TypeId, Vec<&Component>> = HashMap::new();
    for component in components {
        let ty = match component.sequence.steps().nth(component.value as usize) {
            Some(Step::Call(op, _)) => plan.operation(*op).output,
            Some(Step::Literal(ty, _)) => *ty,
            None => continue,
        };
        by_type.entry(ty).or_default().push(component);
    }
    for all in by_type.values_mut() {
        all.sort_by_key(|component| component.sequence.len());
        all.dedup();
        all.truncate(MAX_COMPONENTS);
    }
    by_type
}

/// The same steps with an earlier value of the same type in the place of a
/// value, for one use of it or for all, so that what made it can go.
fn redirections(plan: &Plan, edit: &Edit) -> Vec<Edit> {
    let ty = |step: usize| edit.steps[step].ty(plan);
    let earlier = |step: usize| (0..step).filter(move |other| ty(*other) == ty(step));
    let mut candidates = vec![];
    for (here, step) in edit.steps.iter().enumerate() {
        if matches!(step, EditStep::Literal(..)) {
            continue;
        }
        for (n, arg) in step.args().iter().enumerate() {
            let arg = *arg as usize;
            for other in earlier(arg) {
                let candidate = edit.replace_argument(here, n, other as u32);
                // Only worth it if something can go afterwards.
                let rest = candidate.without(arg..arg + 1);
                candidates.extend(rest.map(|rest| rest.without_unused(plan)));
                candidates.push(candidate.needed(plan, candidate.len() - 1));
            }
        }
        for other in earlier(here) {
            let rest = edit.replace_value(here as u32, other as u32).without(here..here + 1);
            candidates.extend(rest.map(|rest| rest.without_unused(plan)));
        }
    }
    candidates
}

#[cfg(test)]
mod tests;
