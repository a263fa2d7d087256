//! The regression suite: few legal sequences that reach much, with what was
//! observed of them, named and told apart.
//!
//! Decides what is worth keeping. Confirming and shrinking is the work of
//! `candidate`, writing it down and compiling it that of `emit`.

mod choose;
mod gather;
mod observe;
mod points;
mod words;

pub use gather::{is_documented_panic, is_worth_showing};
pub use observe::{Observed, all_queries, assertable_text, first_look, observe_steadily, takers};
pub use points::Points;
pub use words::{regression, tell_apart, text_of};

use crate::budget::{Budget, Ends};
use crate::candidate::{Confirmed, Confirmer, Workers};
use crate::emit::{Emitted, Expected};
use crate::pipeline::Session;
use anyhow::Result;
use choose::{Choice, without_redundant};
use gather::Gatherer;
use observe::{observe_all, with_queries};
use points::Derived;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use testsmith_lab::Supervisor;
use testsmith_model::outcome::Ending;
use testsmith_model::{OpId, Sequence};
use testsmith_render::{Style, Test, TestEnding, test_function};

/// Where a regression test belongs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Filed {
    /// The module: one for each type that tests are about.
    pub module: String,
    /// That type; none for free functions.
    pub owner: Option<String>,
}

/// A test of what the crate does now.
#[derive(Clone)]
pub struct Regression {
    pub name: String,
    pub filed: Filed,
    pub comment: String,
    pub sequence: Sequence,
    pub seen: Vec<Option<String>>,
    pub ending: TestEnding,
    pub style: Style,
}

impl Emitted for Regression {
    fn test(&self) -> Test<'_> {
        Test {
            name: self.name.clone(),
            comment: vec![self.comment.clone()],
            sequence: &self.sequence,
            ending: self.ending.clone(),
            seen: &self.seen,
            style: self.style,
        }
    }

    fn set_style(&mut self, style: Style) {
        self.style = style;
    }

    fn expected(&self) -> Expected {
        Expected::Passes
    }
}

/// A suite before it was compiled.
#[derive(Default)]
pub struct Suite {
    pub tests: Vec<Regression>,
    /// Sequences that did not always end in the same way.
    pub unsteady: usize,
    /// Lines of the crate that the chosen sequences cover.
    pub lines: usize,
}

/// What suite is wanted.
pub struct SuiteRequest<'w> {
    pub seed: u64,
    /// At most so many tests.
    pub most: usize,
    pub excluded: &'w [OpId],
    pub budget: Budget,
    pub ends: Ends,
}

/// Chooses sequences and observes them.
pub fn make(
    session: &Session,
    harness: &Path,
    mut supervisor: Supervisor,
    wanted: &SuiteRequest,
) -> Result<Suite> {
    let plan = &*session.plan;
    let derived = Derived::new(plan);
    let sources = &session.package.sources;
    let points = Points::read(&mut supervisor, harness, sources, &derived)?;
    let mut gatherer = Gatherer {
        workers: workers(&mut supervisor, &points, wanted),
        plan,
        derived: &derived,
        wanted,
    };
    let gathered = gatherer.gather()?;
    let mut confirmer = Confirmer {
        workers: workers(&mut supervisor, &points, wanted),
        plan,
        root: &session.package.root,
        components: &[],
        until: wanted.ends.choosing,
    };
    let mut choice = Choice::new(&gathered, wanted.most);
    let chosen = without_redundant(confirmer.confirm_all(&mut choice)?);
    let reached: HashSet<u32> =
        chosen.iter().flat_map(|confirmed| confirmed.points.iter().copied()).collect();
    let mut sequences = vec![];
    for Confirmed { sequence, outcome, .. } in &chosen {
        let about = sequence.len() - 1;
        let longer = match outcome.ending {
            Ending::Completed => with_queries(&mut supervisor, plan, sequence)?,
            _ => sequence.clone(),
        };
        sequences.push((longer, about));
    }
    let observed = observe_all(&mut supervisor, plan, &sequences)?;
    let all = observed.len();
    let sources = text_of(&session.package.sources);
    let mut tests: Vec<Regression> = observed
        .into_iter()
        .flatten()
        .map(|observed| regression(plan, observed, &sources))
        .collect();
    let unsteady = all - tests.len();
    // Without an assertion a test says no more than that nothing panics.
    tests.retain(|test| {
        test.ending != TestEnding::Open || test_function(plan, &test.test()).contains("assert")
    });
    tell_apart(&mut tests, plan, BTreeSet::new());
    tests.sort_by(|a, b| (&a.filed.module, &a.name).cmp(&(&b.filed.module, &b.name)));
    Ok(Suite { tests, unsteady, lines: points.lines(&reached) })
}

fn workers<'w>(
    supervisor: &'w mut Supervisor,
    points: &'w Points,
    wanted: &SuiteRequest,
) -> Workers<'w> {
    Workers {
        checked: supervisor,
        released: None,
        points: Some(points),
        only_fast: !wanted.budget.is_counted(),
    }
}
