//! What the deaths of workers teach: calls and numbers that are better left
//! alone, and the components that a new worker starts from.

use crate::worker::Death;
use std::collections::HashMap;
use testsmith_model::message::{ArgumentLimit, Component};
use testsmith_model::operation::SIZE;
use testsmith_model::outcome::{Ending, Outcome, Phase, STACK_OVERFLOW};
use testsmith_model::sequence::{Literal, Step};
use testsmith_model::{Callee, OpId, Plan, Sequence};

/// An operation that ended this many workers is not called again.
const DEATHS_BEFORE_AVOIDED: u32 = 2;
/// When so many instances of a function did not return, none is called again.
const HUNG_BEFORE_ALL_AVOIDED: usize = 3;
/// A list or a text of fewer elements is not to blame.
const LEAST_THING: i128 = 250;
/// Components kept for workers to come; the oldest make way.
const MAX_COMPONENTS: usize = 4096;

/// What outlives a worker.
#[derive(Clone, Default)]
pub struct Lessons {
    /// How many workers each operation has ended.
    deaths: HashMap<OpId, u32>,
    /// Operations that ended too many.
    pub(crate) avoid: Vec<OpId>,
    /// Those of them that did not return.
    hung: Vec<OpId>,
    pub(crate) limits: Vec<ArgumentLimit>,
    pub components: Vec<Component>,
}

impl Lessons {
    /// Nothing but components of an earlier run.
    pub fn from_components(components: Vec<Component>) -> Lessons {
        Lessons { components, ..Lessons::default() }
    }

    /// What deaths have taught, without the components.
    pub fn of_deaths(&self) -> Lessons {
        Lessons {
            deaths: self.deaths.clone(),
            avoid: self.avoid.clone(),
            hung: self.hung.clone(),
            limits: self.limits.clone(),
            components: vec![],
        }
    }

    pub(crate) fn add(&mut self, components: Vec<Component>) {
        self.components.extend(components);
        let surplus = self.components.len().saturating_sub(MAX_COMPONENTS);
        self.components.drain(..surplus);
    }

    /// Learns from a death: the number that was too large, or else the operation.
    pub(crate) fn learn(&mut self, plan: &Plan, death: &Death, limits: bool) {
        // A component that ends the worker would end the next one too.
        let steps: Vec<&Step> = death.sequence.steps().collect();
        self.components.retain(|component| {
            !component.sequence.steps().zip(&steps).all(|(ours, theirs)| ours == *theirs)
                || component.sequence.len() < steps.len()
        });
        // Who is to blame is found out first.
        if death.at_rest {
            return;
        }
        let Some(op) = operation_at(&death.sequence, death.outcome.step) else { return };
        let calling = death.outcome.phase == Phase::Calling;
        let costly =
            matches!(death.outcome.ending, Ending::TimedOut { .. } | Ending::OutOfMemory { .. });
        // What is too large for the stack is so when it is dropped, too.
        let deep = matches!(&death.outcome.ending, Ending::Signal { note, .. }
            if note == STACK_OVERFLOW);
        if limits
            && (calling && costly || deep)
            && let Some(limit) = largest_thing(plan, &death.sequence, death.outcome.step)
                .or_else(|| largest_number(&death.sequence, death.outcome.step))
        {
            for op in instances(plan, limit.op) {
                let limit = ArgumentLimit { op, costly, ..limit };
                self.components.retain(|component| !exceeds(&component.sequence, &limit));
                self.limits.push(limit);
            }
            return;
        }
        self.count(plan, op, &death.outcome);
    }

    /// Learns that a sequence, run again, was seen to end its worker.
    pub(crate) fn blame(&mut self, plan: &Plan, sequence: &Sequence, outcome: &Outcome) {
        if let Some(op) = operation_at(sequence, outcome.step) {
            self.count(plan, op, outcome);
        }
    }

    fn count(&mut self, plan: &Plan, op: OpId, outcome: &Outcome) {
        let deaths = self.deaths.entry(op).or_default();
        // Waiting for a call that does not return costs as much as many deaths.
        let hung = matches!(outcome.ending, Ending::TimedOut { .. });
        *deaths += if hung { DEATHS_BEFORE_AVOIDED } else { 1 };
        if *deaths < DEATHS_BEFORE_AVOIDED || self.avoid.contains(&op) {
            return;
        }
        self.leave_alone(&[op]);
        if hung {
            self.hung.push(op);
            let same = instances(plan, op);
            if self.hung.iter().filter(|hung| same.contains(hung)).count()
                == HUNG_BEFORE_ALL_AVOIDED
            {
                self.leave_alone(&same);
            }
        }
    }

    fn leave_alone(&mut self, ops: &[OpId]) {
        for op in ops {
            if !self.avoid.contains(op) {
                self.avoid.push(*op);
            }
        }
        let calls = |step: &Step| matches!(step, Step::Call(called, _) if ops.contains(called));
        self.components.retain(|component| !component.sequence.steps().any(calls));
    }
}

/// The operation and all other instances of its function: what is too much for one is for the
/// next. Another function of that name says nothing about it.
fn instances(plan: &Plan, op: OpId) -> Vec<OpId> {
    let function = |op: OpId| plan.operations.get(op.index()).and_then(|it| function(&it.callee));
    match function(op) {
        None => vec![op],
        wanted => plan.op_ids().filter(|other| function(*other) == wanted).collect(),
    }
}

/// What a function is known by, whatever its types are instantiated with: the module or the
/// trait, the type, its name. Claims and builders stand alone.
fn function(callee: &Callee) -> Option<(Option<&str>, Option<&str>, &str)> {
    match callee {
        Callee::Item { module, name } => Some((Some(module), None, name)),
        Callee::Member { of, name } => Some((None, of.behind_references().path(), name)),
        Callee::TraitMember { of, trait_, name } => {
            Some((Some(&trait_.path), of.behind_references().path(), name))
        }
        Callee::Claim { .. } | Callee::Builder { .. } => None,
    }
}

/// Whether a call of the sequence was given a number that it must not have.
fn exceeds(sequence: &Sequence, limit: &ArgumentLimit) -> bool {
    let steps: Vec<&Step> = sequence.steps().collect();
    steps.iter().enumerate().any(|(at, step)| {
        let limited = matches!(step, Step::Call(op, _) if *op == limit.op);
        let given = step.args(at).nth(limit.input as usize).filter(|_| limited);
        matches!(given.map(|arg| steps[arg]), Some(Step::Literal(_, Literal::Int(number)))
            if number.unsigned_abs() >= limit.number.unsigned_abs())
    })
}

fn operation_at(sequence: &Sequence, step: u32) -> Option<OpId> {
    match sequence.steps().nth(step as usize) {
        Some(Step::Call(op, _)) => Some(*op),
        _ => None,
    }
}

/// The most elements that a list or a text was made of at once which went into a step, and
/// into which of its arguments. Too many for one operation are not too many for the next.
fn largest_thing(plan: &Plan, sequence: &Sequence, step: u32) -> Option<ArgumentLimit> {
    let steps: Vec<&Step> = sequence.steps().collect();
    let Step::Call(op, _) = steps.get(step as usize)? else { return None };
    // Per step: the most elements in what it gives.
    let mut most = vec![0i128; step as usize];
    for (at, here) in steps.iter().take(step as usize).enumerate() {
        most[at] = match here {
            Step::Literal(_, Literal::Str(text)) => text.chars().count() as i128,
            Step::Literal(..) => 0,
            Step::Call(op, _) => {
                let inputs = plan.operations.get(op.index()).map(|op| op.inputs.as_slice());
                let given = here.args(at).zip(inputs.unwrap_or_default());
                let sizes = given.map(|(arg, input)| match steps[arg] {
                    Step::Literal(_, Literal::Int(number)) if input.name == SIZE => *number,
                    _ => most[arg],
                });
                sizes.max().unwrap_or(0)
            }
        };
    }
    let inputs = steps[step as usize].args(step as usize).enumerate();
    let limits = inputs.map(|(n, arg)| ArgumentLimit {
        op: *op,
        input: n as u32,
        number: most[arg],
        costly: true,
    });
    // What a value is dropped with, it was made of.
    limits.max_by_key(|limit| limit.number).filter(|limit| limit.number >= LEAST_THING)
}

/// The literal number furthest from zero that went into a step, and where it
/// was an argument: of the step itself, or else of what made its arguments.
fn largest_number(sequence: &Sequence, step: u32) -> Option<ArgumentLimit> {
    let steps: Vec<&Step> = sequence.steps().collect();
    let mut makers = vec![step];
    while !makers.is_empty() {
        let mut numbers = vec![];
        let mut further = vec![];
        for at in makers {
            let Some(Step::Call(op, back)) = steps.get(at as usize) else { continue };
            for (input, distance) in back.iter().enumerate() {
                let from = at.saturating_sub(*distance);
                match steps.get(from as usize) {
                    Some(Step::Literal(_, Literal::Int(number))) => {
                        numbers.push(ArgumentLimit {
                            op: *op,
                            input: input as u32,
                            number: *number,
                            costly: true,
                        });
                    }
                    _ => further.push(from),
                }
            }
        }
        let size = |limit: &ArgumentLimit| limit.number.unsigned_abs();
        let large = numbers.into_iter().filter(|limit| size(limit) >= ArgumentLimit::LEAST);
        if let Some(limit) = large.max_by_key(size) {
            return Some(limit);
        }
        further.sort_unstable();
        further.dedup();
        makers = further;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::{Mode, Operation, TypeId};

    fn list_of(number: i128) -> Sequence {
        let literal = Step::Literal(TypeId(0), Literal::Int(number));
        Sequence::from_steps(vec![literal, Step::Call(OpId(0), Box::new([1]))])
    }

    #[test]
    fn a_number_that_was_too_large_takes_the_components_made_of_it_along() {
        let component = |number| Component { sequence: list_of(number), value: 1 };
        let mut lessons = Lessons::from_components(vec![component(7), component(1 << 40)]);
        let mut sequence: Vec<Step> = list_of(1 << 39).steps().cloned().collect();
        sequence.push(Step::Call(OpId(1), Box::new([1])));
        let death = Death {
            sequence: Sequence::from_steps(sequence),
            outcome: Outcome {
                ending: Ending::OutOfMemory { requested: 1 << 39 },
                step: 2,
                phase: Phase::Calling,
                values: vec![],
                new_edges: 0,
            },
            at_rest: false,
            recent: vec![],
            sequences: 1,
            calls: 2,
            mutant: 0,
        };
        lessons.learn(&Plan::default(), &death, true);
        assert_eq!(lessons.components, [component(7)]);
        assert_eq!(lessons.limits.len(), 1);
        assert!(lessons.avoid.is_empty(), "the operation is not at fault");
    }

    #[test]
    fn a_list_that_is_too_large_is_too_large_for_the_operation_that_hung() {
        let mut make = Operation::of_types(&[(TypeId(0), Mode::Own)], TypeId(1));
        make.inputs[0].name = SIZE.to_owned();
        let take = Operation::of_types(&[(TypeId(1), Mode::Own)], TypeId(0));
        let plan = Plan { operations: vec![make, take], ..Plan::default() };
        let of = |size: i128| {
            let mut steps: Vec<Step> = list_of(size).steps().cloned().collect();
            steps.push(Step::Call(OpId(1), Box::new([1])));
            largest_thing(&plan, &Sequence::from_steps(steps), 2)
        };
        assert_eq!(
            of(4096),
            Some(ArgumentLimit { op: OpId(1), input: 0, number: 4096, costly: true })
        );
        assert_eq!(of(16), None);
    }

    #[test]
    fn what_takes_three_instances_too_long_is_not_asked_of_the_fourth() {
        let operation = |name: &str| Operation {
            callee: Callee::item(name),
            ..Operation::of_types(&[], TypeId(0))
        };
        let operations = ["pow", "pow", "pow", "pow", "other::pow"].map(operation).to_vec();
        let plan = Plan { operations, ..Plan::default() };
        let mut lessons = Lessons::default();
        for op in 0..3 {
            let call = Step::Call(OpId(op), Box::new([]));
            let outcome = Outcome {
                ending: Ending::TimedOut { after_ms: 500, waits: false },
                step: 0,
                phase: Phase::Calling,
                values: vec![],
                new_edges: 0,
            };
            lessons.blame(&plan, &Sequence::from_steps(vec![call]), &outcome);
        }
        assert_eq!(lessons.avoid, [OpId(0), OpId(1), OpId(2), OpId(3)]);
    }
}
