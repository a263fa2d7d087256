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

use literals::simpler_literals;
use makers::Makers;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use testsmith_model::message::Component;
use testsmith_model::operation::Input;
use testsmith_model::sequence::{Builder, Literal};
use testsmith_model::{Mode, OpId, Plan, Sequence, Step, TypeId};

/// A step with its arguments as slots.
#[derive(Clone)]
enum Flat {
    Literal(TypeId, Literal),
    Call(OpId, Vec<u32>),
}

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
    let mut steps = flatten(sequence);
    steps.truncate(failing_step + 1);
    match build(plan, &steps) {
        Some(best) if fails(&best) => {
            let (tried, tries) = (HashSet::new(), MAX_TRIES);
            let shortest = shortest(plan, components);
            let makers = Makers::new(plan);
            Shrinking { plan, shortest, makers, fails, steps, best, tried, tries }.run()
        }
        _ => sequence.clone(),
    }
}

struct Shrinking<'s> {
    plan: &'s Plan,
    /// Per type, the components with the fewest steps.
    shortest: HashMap<TypeId, Vec<&'s Component>>,
    makers: Makers,
    fails: &'s mut dyn FnMut(&Sequence) -> bool,
    steps: Vec<Flat>,
    best: Sequence,
    /// What was tried before is not tried again.
    tried: HashSet<Sequence>,
    tries: usize,
}

impl Shrinking<'_> {
    fn run(mut self) -> Sequence {
        self.attempt(needed(self.plan, &self.steps));
        let mut size = self.steps.len() / 2;
        while size > 1 {
            self.remove_pieces(size);
            size /= 2;
        }
        // Each round may make room for the next; a handful settles it.
        for _ in 0..MAX_ROUNDS {
            let before = self.best.clone();
            self.remove_pieces(1);
            let mut others = redirections(self.plan, &self.steps);
            others.extend(self.replacements());
            others.extend(self.makers.others(self.plan, &self.steps));
            // Those that are no simpler would only go back and forth.
            others.retain(|candidate| cost(candidate) < cost(&self.steps));
            others.sort_by_key(|candidate| cost(candidate));
            let _ = others.into_iter().any(|candidate| self.attempt(candidate));
            self.simplify_literals();
            if self.best == before {
                break;
            }
        }
        self.best
    }

    /// Takes a candidate if it fails in the same way.
    fn attempt(&mut self, candidate: Vec<Flat>) -> bool {
        if self.tries == 0 {
            return false;
        }
        let Some(sequence) = build(self.plan, &candidate) else { return false };
        if !self.tried.insert(sequence.clone()) {
            return false;
        }
        self.tries -= 1;
        let smaller = (self.fails)(&sequence);
        if smaller {
            self.steps = candidate;
            self.best = sequence;
        }
        smaller
    }

    /// Removes pieces of this many steps, from the last to the first.
    fn remove_pieces(&mut self, size: usize) {
        let mut end = self.steps.len() - 1;
        while end > 0 {
            let piece = end.saturating_sub(size)..end;
            end = piece.start;
            if let Some(without) = remove(&self.steps, piece) {
                self.attempt(without);
            }
            end = end.min(self.steps.len() - 1);
        }
    }

    /// The same steps with one argument replaced by a component, without what
    /// is not needed any more.
    fn replacements(&self) -> Vec<Vec<Flat>> {
        let mut candidates = vec![];
        for (here, step) in self.steps.iter().enumerate() {
            let Flat::Call(_, args) = step else { continue };
            for (n, arg) in args.iter().enumerate() {
                let ty = type_of(self.plan, &self.steps[*arg as usize]);
                for component in self.shortest.get(&ty).into_iter().flatten() {
                    let mut candidate = flatten(&component.sequence);
                    let base = candidate.len() as u32;
                    candidate.extend(self.steps.iter().map(|step| match step {
                        Flat::Call(op, args) => {
                            Flat::Call(*op, args.iter().map(|arg| base + arg).collect())
                        }
                        literal => literal.clone(),
                    }));
                    if let Flat::Call(_, args) = &mut candidate[base as usize + here] {
                        args[n] = component.value;
                    }
                    candidates.push(needed(self.plan, &candidate));
                }
            }
        }
        candidates
    }

    fn simplify_literals(&mut self) {
        for at in 0..self.steps.len() {
            while self.simplify_literal(at) {}
        }
    }

    /// Makes one literal simpler by one change.
    fn simplify_literal(&mut self, at: usize) -> bool {
        simpler_literals(&self.steps[at]).into_iter().any(|simpler| {
            let mut candidate = self.steps.clone();
            candidate[at] = simpler;
            self.attempt(candidate)
        })
    }
}

/// What a reader has to take in: a call is more than a literal.
fn cost(steps: &[Flat]) -> usize {
    let calls = steps.iter().filter(|step| matches!(step, Flat::Call(..))).count();
    steps.len() + calls
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

fn type_of(plan: &Plan, step: &Flat) -> TypeId {
    match step {
        Flat::Literal(ty, _) => *ty,
        Flat::Call(op, _) => plan.operation(*op).output,
    }
}

/// The steps that the failing one depends on: what made its arguments, and
/// what changed those in between. A change through a borrow is not seen; then
/// the candidate does not fail.
fn needed(plan: &Plan, steps: &[Flat]) -> Vec<Flat> {
    let mut needed = vec![false; steps.len()];
    needed[steps.len() - 1] = true;
    for (here, step) in steps.iter().enumerate().rev() {
        let Flat::Call(op, args) = step else { continue };
        let changes = |(arg, input): (&u32, &Input)| {
            needed[*arg as usize] && matches!(input.mode, Mode::Exclusive | Mode::Reborrow)
        };
        if needed[here] || args.iter().zip(&plan.operation(*op).inputs).any(changes) {
            needed[here] = true;
            args.iter().for_each(|arg| needed[*arg as usize] = true);
        }
    }
    keep(steps, &needed)
}

/// The steps without those whose values nobody uses and that change nothing.
fn used(plan: &Plan, mut steps: Vec<Flat>) -> Vec<Flat> {
    loop {
        let mut wanted = vec![false; steps.len()];
        wanted[steps.len() - 1] = true;
        for step in &steps {
            let Flat::Call(_, args) = step else { continue };
            args.iter().for_each(|arg| wanted[*arg as usize] = true);
        }
        for (wanted, step) in wanted.iter_mut().zip(&steps) {
            let Flat::Call(op, _) = step else { continue };
            let changes = |input: &Input| matches!(input.mode, Mode::Exclusive | Mode::Reborrow);
            *wanted |= plan.operation(*op).inputs.iter().any(changes);
        }
        if wanted.iter().all(|wanted| *wanted) {
            return steps;
        }
        steps = keep(&steps, &wanted);
    }
}

fn flatten(sequence: &Sequence) -> Vec<Flat> {
    let flat = |(here, step): (usize, &Step)| match step {
        Step::Literal(ty, literal) => Flat::Literal(*ty, literal.clone()),
        Step::Call(op, back) => {
            Flat::Call(*op, back.iter().map(|distance| here as u32 - distance).collect())
        }
    };
    sequence.steps().enumerate().map(flat).collect()
}

fn build(plan: &Plan, steps: &[Flat]) -> Option<Sequence> {
    let mut builder = Builder::new(plan);
    for step in steps {
        match step {
            Flat::Literal(ty, literal) => builder.literal(*ty, literal.clone()).ok()?,
            Flat::Call(op, args) => builder.call(*op, args).ok()?,
        };
    }
    Some(builder.finish())
}

/// The steps without some of them and without all that depends on those;
/// nothing if the failing step depends on them too.
fn remove(steps: &[Flat], piece: Range<usize>) -> Option<Vec<Flat>> {
    let mut kept = vec![true; steps.len()];
    kept[piece].fill(false);
    for (here, step) in steps.iter().enumerate() {
        if let Flat::Call(_, args) = step {
            kept[here] &= args.iter().all(|arg| kept[*arg as usize]);
        }
    }
    kept[steps.len() - 1].then(|| keep(steps, &kept))
}

/// Those of the steps that are marked, numbered anew.
fn keep(steps: &[Flat], marked: &[bool]) -> Vec<Flat> {
    let mut number = vec![0u32; steps.len()];
    let mut kept = vec![];
    for (here, step) in steps.iter().enumerate().filter(|(here, _)| marked[*here]) {
        number[here] = kept.len() as u32;
        kept.push(match step {
            Flat::Literal(ty, literal) => Flat::Literal(*ty, literal.clone()),
            Flat::Call(op, args) => {
                Flat::Call(*op, args.iter().map(|arg| number[*arg as usize]).collect())
            }
        });
    }
    kept
}

/// The same steps with an earlier value of the same type in the place of a
/// value, for one use of it or for all, so that what made it can go.
fn redirections(plan: &Plan, steps: &[Flat]) -> Vec<Vec<Flat>> {
    let ty = |slot: usize| type_of(plan, &steps[slot]);
    let earlier = |slot: usize| (0..slot).filter(move |other| ty(*other) == ty(slot));
    let mut candidates = vec![];
    for (here, step) in steps.iter().enumerate() {
        let Flat::Call(op, args) = step else { continue };
        for (n, arg) in args.iter().enumerate() {
            for slot in earlier(*arg as usize) {
                let mut changed = args.clone();
                changed[n] = slot as u32;
                let mut candidate = steps.to_vec();
                candidate[here] = Flat::Call(*op, changed);
                // Only worth it if something can go afterwards.
                let arg = *arg as usize;
                let rest = remove(&candidate, arg..arg + 1);
                candidates.extend(rest.map(|rest| used(plan, rest)));
                candidates.push(needed(plan, &candidate));
            }
        }
        for slot in earlier(here) {
            let mut candidate = steps.to_vec();
            for step in &mut candidate[here + 1..] {
                if let Flat::Call(_, args) = step {
                    let uses = args.iter_mut().filter(|arg| **arg == here as u32);
                    uses.for_each(|arg| *arg = slot as u32);
                }
            }
            candidates.extend(remove(&candidate, here..here + 1).map(|rest| used(plan, rest)));
        }
    }
    candidates
}

#[cfg(test)]
mod tests;
