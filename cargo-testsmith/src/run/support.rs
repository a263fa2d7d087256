//! How far a type keeps a convention that was found broken: the claim is asked again, of
//! other values.
//!
//! The values are the components that the search has kept, which differ from each other,
//! and literals. What borrows has no components; its owner has.

use crate::finding::Finding;
use std::collections::{BTreeSet, HashMap, HashSet};
use testsmith_judge::{Asked, Support};
use testsmith_lab::{Error, Supervisor};
use testsmith_model::message::Component;
use testsmith_model::outcome::Ending;
use testsmith_model::sequence::Literal;
use testsmith_model::{Edit, EditStep, Plan, Sequence, Step, TypeId};

/// How many different values a claim is asked of.
const MAX_VALUES: usize = 64;
/// And in how many tries they have to be found.
const MAX_TRIES: usize = 256;
/// How far the arguments of one call are apart in what they are chosen from, so that
/// they are not always the same beside each other.
const APART: usize = 7;

/// What the values of each type can be made of.
pub(super) struct Values<'v> {
    plan: &'v Plan,
    /// Those first that took the most calls: in what is small most claims hold.
    components: HashMap<TypeId, Vec<&'v Component>>,
    literals: HashMap<TypeId, &'v [Literal]>,
}

impl<'v> Values<'v> {
    pub(super) fn new(plan: &'v Plan, all: &'v [Component]) -> Values<'v> {
        let mut components: HashMap<TypeId, Vec<&Component>> = HashMap::new();
        for component in all.iter().rev() {
            let made = component.sequence.steps().nth(component.value as usize);
            if let Some(ty) = made.map(|step| step.ty(plan)) {
                components.entry(ty).or_default().push(component);
            }
        }
        for all in components.values_mut() {
            all.sort_by_key(|component| std::cmp::Reverse(component.sequence.calls()));
        }
        let literals = plan.literals.iter().map(|(ty, all)| (*ty, all.as_slice())).collect();
        Values { plan, components, literals }
    }

    /// Asks the claim that a finding is about of other values.
    pub(super) fn support(
        &self,
        supervisor: &mut Supervisor,
        finding: &Finding,
    ) -> Result<(Support, Vec<String>), Error> {
        let edit = Edit::of(&finding.sequence);
        let mut asked: Vec<Asked> = vec![];
        let mut seen: HashSet<Vec<String>> = HashSet::new();
        for n in 0..MAX_TRIES {
            if asked.len() == MAX_VALUES {
                break;
            }
            let Some((sequence, args)) = self.other(&edit, n) else { continue };
            let outcome = match supervisor.run(&sequence, true) {
                // The rules of borrowing refuse it.
                Err(Error::Worker(_)) => continue,
                outcome => outcome?,
            };
            let text = |arg: &u32| outcome.values.get(*arg as usize)?.text.clone();
            let shown: Option<Vec<String>> = args.iter().map(text).collect();
            // What cannot be shown is told apart by how it was made.
            if !seen.insert(shown.unwrap_or_else(|| vec![format!("{sequence:?}")])) {
                continue;
            }
            if matches!(outcome.ending, Ending::Completed | Ending::Broken) {
                let held = outcome.ending == Ending::Completed;
                let (calls, size) = self.made_by(&sequence);
                asked.push(Asked { held, calls, size });
            }
        }
        Ok(Support::of(&asked, &self.made_by(&finding.sequence).0))
    }

    /// The names of the calls that made what a claim, the last step, was asked of, and how many
    /// they are.
    fn made_by(&self, sequence: &Sequence) -> (BTreeSet<String>, usize) {
        let making = sequence.steps().take(sequence.len().saturating_sub(1));
        let calls = making.filter_map(|step| match step {
            Step::Call(op, _) => Some(self.plan.operation(*op).callee.name().to_owned()),
            Step::Literal(..) => None,
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
