//! How far a type keeps a convention that was found broken: the claim is asked again, of
//! other values.
//!
//! The values are the components that the search has kept, which differ from each other,
//! and literals. What borrows has no components; its owner has. If the claim does not hold for
//! nearly all of them, values are made of few calls, and then without those calls that would
//! explain where it does not hold.

use crate::finding::Finding;
use std::collections::{BTreeSet, HashMap, HashSet};
use testsmith_judge::{Asked, Support};
use testsmith_lab::{Error, Supervisor};
use testsmith_model::message::{Component, Walk};
use testsmith_model::operation::{Operation, OperationKind};
use testsmith_model::outcome::Ending;
use testsmith_model::sequence::Literal;
use testsmith_model::{
    Edit, EditStep, Heuristic, Heuristics, Mode, OpId, Plan, Sequence, Step, TypeId,
};

/// How many different values a claim is asked of.
const MAX_VALUES: usize = 64;
/// And in how many tries they have to be found.
const MAX_TRIES: usize = 512;
/// How many explanations are tried by making values without a call, and with how many calls.
const MAX_SUSPECTS: usize = 3;
const CALLS_WITHOUT: u64 = 20_000;
const SEQUENCES_WITHOUT: u32 = 1000;
const MAX_LENGTH: u32 = 10;
/// How far the arguments of one call are apart in what they are chosen from, so that
/// they are not always the same beside each other.
const APART: usize = 7;

/// The values that a claim was asked of.
#[derive(Default)]
struct Asking {
    values: Vec<Asked>,
    /// What they show, so that none is asked twice.
    seen: HashSet<Vec<String>>,
}

/// What the values of each type can be made of.
pub(super) struct Values<'v> {
    plan: &'v Plan,
    /// Those first that took the most calls: in what is small most claims hold.
    components: HashMap<TypeId, Vec<&'v Component>>,
    literals: HashMap<TypeId, &'v [Literal]>,
    /// What clones a value of a type.
    clones: HashMap<TypeId, OpId>,
}

impl<'v> Values<'v> {
    pub(super) fn new(plan: &'v Plan, all: &'v [Component]) -> Values<'v> {
        let mut components: HashMap<TypeId, Vec<&Component>> = HashMap::new();
        // A law that changes the value it is asked of has called whatever it names.
        let is_law = |step: &Step| matches!(step, Step::Call(op, _) if plan.operation(*op).kind == OperationKind::Law);
        let plain = |component: &&Component| !component.sequence.steps().any(is_law);
        for component in all.iter().rev().filter(plain) {
            let made = component.sequence.steps().nth(component.value as usize);
            if let Some(ty) = made.map(|step| step.ty(plan)) {
                components.entry(ty).or_default().push(component);
            }
        }
        for all in components.values_mut() {
            all.sort_by_key(|component| std::cmp::Reverse(component.sequence.calls()));
        }
        let literals = plan.literals.iter().map(|(ty, all)| (*ty, all.as_slice())).collect();
        let is_clone = |op: &OpId| {
            let Operation { callee, inputs, output, .. } = plan.operation(*op);
            let of_itself = inputs.len() == 1 && inputs[0].ty == *output;
            callee.name() == "clone" && of_itself && inputs[0].mode == Mode::Shared
        };
        let clones = plan.op_ids().filter(is_clone);
        let clones = clones.map(|op| (plan.operation(op).output, op)).collect();
        Values { plan, components, literals, clones }
    }

    /// Asks the claim that a finding is about of other values.
    pub(super) fn support(
        &self,
        supervisor: &mut Supervisor,
        finding: &Finding,
    ) -> Result<(Support, Vec<String>), Error> {
        let edit = Edit::of(&finding.sequence);
        let takes = self.made_by(&finding.sequence).0;
        let mut asked = Asking::default();
        self.ask(supervisor, &edit, &mut asked)?;
        // Small values first: what they were made with is little.
        let mut suspects = vec![vec![]];
        for _ in 0..=MAX_SUSPECTS {
            let is_earned = Support::of(&asked.values, &takes).0.is_earned();
            let Some(calls) = suspects.pop().filter(|_| !is_earned) else { break };
            let components = self.made_without(supervisor, &calls)?;
            Values::new(self.plan, &components).ask(supervisor, &edit, &mut asked)?;
            if calls.is_empty() {
                suspects = Support::suspects(&asked.values, &takes);
                suspects.reverse();
            }
        }
        Ok(Support::of(&asked.values, &takes))
    }

    /// Values that were made with few calls, and without any of these names.
    fn made_without(
        &self,
        supervisor: &mut Supervisor,
        names: &[String],
    ) -> Result<Vec<Component>, Error> {
        let is_one = |op: &OpId| names.iter().any(|n| n == self.plan.operation(*op).callee.name());
        let walk = Walk {
            seed: names.len() as u64,
            max_sequences: u64::MAX,
            max_calls: CALLS_WITHOUT,
            max_length: MAX_LENGTH,
            keep: SEQUENCES_WITHOUT,
            avoid: self.plan.op_ids().filter(is_one).collect(),
            heuristics: Heuristics::ALL.without(Heuristic::Laws),
            ..Walk::default()
        };
        let mut made = vec![];
        supervisor.walk_afresh(&walk, &mut |sequence, outcome| {
            if outcome.ending == Ending::Completed {
                made.extend(self.made_in(&sequence));
            }
        })?;
        Ok(made)
    }

    /// The values that a sequence makes, each as it is before it is given away.
    fn made_in(&self, sequence: &Sequence) -> Vec<Component> {
        let steps: Vec<&Step> = sequence.steps().collect();
        let gives_away = |made: usize, at: usize| match steps[at] {
            Step::Call(op, _) => {
                let mut given = steps[at].args(at).zip(&self.plan.operation(*op).inputs);
                given.any(|(arg, input)| arg == made && input.mode == Mode::Own)
            }
            Step::Literal(..) => false,
        };
        let component = |made: usize| {
            let end = (made + 1..steps.len()).find(|at| gives_away(made, *at));
            let before = steps[..end.unwrap_or(steps.len())].iter().map(|step| (*step).clone());
            Component { sequence: Sequence::from_steps(before.collect()), value: made as u32 }
        };
        (0..steps.len()).map(component).collect()
    }

    /// Asks the claim, which is the last step, of as many different values as there are.
    fn ask(
        &self,
        supervisor: &mut Supervisor,
        edit: &Edit,
        asked: &mut Asking,
    ) -> Result<(), Error> {
        let enough = asked.values.len() + MAX_VALUES;
        for n in 0..MAX_TRIES {
            if asked.values.len() == enough {
                break;
            }
            let Some((sequence, args)) = self.other(edit, n) else { continue };
            let outcome = match supervisor.run(&sequence, true) {
                // The rules of borrowing refuse it.
                Err(Error::Worker(_)) => continue,
                outcome => outcome?,
            };
            let shown = self.shown(supervisor, &sequence, &args)?;
            let length = shown.iter().flatten().map(String::len).sum();
            // What cannot be shown is told apart by how it was made.
            if !asked.seen.insert(shown.unwrap_or_else(|| vec![format!("{sequence:?}")])) {
                continue;
            }
            if matches!(outcome.ending, Ending::Completed | Ending::Broken) {
                let held = outcome.ending == Ending::Completed;
                let (calls, size) = self.made_by(&sequence);
                asked.values.push(Asked { held, calls, size, shown: length });
            }
        }
        Ok(())
    }

    /// What the arguments of the last step show before it, which is not what they showed when they
    /// were made: clones do that, where there are some.
    fn shown(
        &self,
        supervisor: &mut Supervisor,
        sequence: &Sequence,
        args: &[u32],
    ) -> Result<Option<Vec<String>>, Error> {
        let mut edit = Edit::of(sequence);
        edit.steps.pop();
        let mut shows = vec![];
        for arg in args {
            let clone = self.clones.get(&edit.steps[*arg as usize].ty(self.plan));
            shows.push(clone.map_or(*arg, |_| edit.len() as u32));
            edit.steps.extend(clone.map(|clone| EditStep::Call(*clone, vec![*arg])));
        }
        let Ok(sequence) = edit.build(self.plan) else { return Ok(None) };
        let outcome = match supervisor.run(&sequence, true) {
            Err(Error::Worker(_)) => return Ok(None),
            outcome => outcome?,
        };
        let text = |at: &u32| outcome.values.get(*at as usize)?.text.clone();
        Ok(shows.iter().map(text).collect())
    }

    /// The names of the calls that made what a claim, the last step, was asked of, and how many
    /// they are.
    fn made_by(&self, sequence: &Sequence) -> (BTreeSet<String>, usize) {
        let mut making = Edit::of(sequence);
        making = making.needed(self.plan, making.len().saturating_sub(1));
        making.steps.pop();
        let calls = making.steps.iter().filter_map(|step| match step {
            EditStep::Call(op, _) => Some(self.plan.operation(*op).callee.name().to_owned()),
            EditStep::Literal(..) => None,
        });
        // What only puts values together has no name.
        let calls: Vec<String> = calls.filter(|name| !name.is_empty()).collect();
        let size = calls.len();
        (calls.into_iter().collect(), size)
    }

    /// The last call of the steps with the n-th other values for its arguments.
    fn other(&self, edit: &Edit, n: usize) -> Option<(Sequence, Vec<u32>)> {
        let EditStep::Call(op, args) = edit.steps.last()? else { return None };
        let mut making =
            Making { values: self, edit, steps: Edit::default(), made: HashMap::new() };
        let args: Vec<u32> =
            args.iter().enumerate().map(|(at, arg)| making.make(*arg, n + at * APART)).collect();
        making.steps.steps.push(EditStep::Call(*op, args.clone()));
        Some((making.steps.build(self.plan).ok()?, args))
    }
}

/// Other steps in the place of those of a sequence.
struct Making<'m> {
    values: &'m Values<'m>,
    edit: &'m Edit,
    steps: Edit,
    /// What stands for which step.
    made: HashMap<u32, u32>,
}

impl Making<'_> {
    /// Makes another value of the type of a step: from a component while there are some, then
    /// as that step does, of other values.
    fn make(&mut self, here: u32, n: usize) -> u32 {
        if let Some(made) = self.made.get(&here) {
            return *made;
        }
        let (step, values) = (&self.edit.steps[here as usize], self.values);
        let ty = step.ty(values.plan);
        let components = values.components.get(&ty).map_or(&[][..], Vec::as_slice);
        let literals = values.literals.get(&ty).copied().unwrap_or_default();
        let made = match (components.get(n), step) {
            (Some(component), _) => {
                let base = self.steps.len() as u32;
                self.steps = Edit::of(&component.sequence).after(std::mem::take(&mut self.steps));
                base + component.value
            }
            (None, EditStep::Call(op, args)) if literals.is_empty() => {
                let other = |(at, arg): (usize, &u32)| self.make(*arg, n + at * APART);
                let args = args.iter().enumerate().map(other).collect();
                self.push(EditStep::Call(*op, args))
            }
            (None, _) if !literals.is_empty() => {
                self.push(EditStep::Literal(ty, literals[n % literals.len()].clone()))
            }
            (None, step) => self.push(step.clone()),
        };
        self.made.insert(here, made);
        made
    }

    fn push(&mut self, step: EditStep) -> u32 {
        self.steps.steps.push(step);
        self.steps.len() as u32 - 1
    }
}
