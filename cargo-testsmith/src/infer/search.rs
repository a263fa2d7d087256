//! The search behind an inference: a random walk, then calls that would break what was
//! inferred from it.

use crate::args::{Infer, Target};
use crate::console::Console;
use crate::finding::Findings;
use crate::pipeline::Session;
use crate::selection::Selection;
use crate::stateful::{Fate, Learned, Stateful};
use anyhow::Result;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use testsmith_infer::{Data, Kind, LEAST_SUPPORT};
use testsmith_lab::{Profile, Supervisor, WorkerLimits};
use testsmith_model::message::{self, Walked};
use testsmith_model::observation::Watching;
use testsmith_model::{Heuristics, OpId, Plan};

/// Stateful testing gets a third of all calls: here it is what was asked for.
const SHARE: u64 = 3;
/// Calls between two looks at the clock.
const PIECE: u64 = 50_000;
/// Where time is counted, stateful testing ends when that is over.
const MOST_CALLS: u64 = 5_000_000;

/// A crate that can be called.
pub(super) struct Opened {
    pub(super) session: Session,
    pub(super) supervisor: Supervisor,
    pub(super) plan: Arc<Plan>,
    harness: PathBuf,
}

impl Opened {
    pub(super) fn new(
        console: Console,
        target: &Target,
        interrupt: Arc<AtomicBool>,
    ) -> Result<Opened> {
        let mut session = Session::open_on(console, target, interrupt)?;
        let harness = session.build(Profile::Unoptimised)?;
        let supervisor = session.supervise(&harness, WorkerLimits::default())?;
        let plan = Arc::clone(&session.plan);
        Ok(Opened { session, supervisor, plan, harness })
    }
}

/// What a walk has shown of each operation.
pub(super) struct Walk {
    walked: Walked,
}

impl Walk {
    /// Whether an operation was called and never panicked.
    pub(super) fn is_fit(&self, op: OpId) -> bool {
        self.walked.completed[op.index()] > 0 && self.walked.panicked[op.index()] == 0
    }
}

/// Infers contracts, and tries what was inferred; with the number of failures that were
/// seen on the way.
pub(super) fn learn<'p>(
    options: &Infer,
    opened: &mut Opened,
    plan: &'p Plan,
    fit: &'p dyn Fn(OpId) -> bool,
) -> Result<(Learned<'p>, usize)> {
    let Opened { session, supervisor, .. } = opened;
    session.console.say("inferring contracts, and making calls that would break them");
    let calls = options.calls.map_or(MOST_CALLS, |calls| calls / SHARE);
    let stateful = stateful(plan, fit, options.seed ^ (1 << 50), calls);
    supervisor.until = options.calls.is_none().then(|| Instant::now() + options.budget / 2);
    let mut findings = Findings::new(&session.package.root, Selection::default());
    let learned = stateful.run(supervisor, &mut |sequence, outcome| {
        findings.take(plan, sequence, outcome);
    })?;
    supervisor.until = None;
    Ok((learned, findings.classes()))
}

fn stateful<'p>(
    plan: &'p Plan,
    fit: &'p dyn Fn(OpId) -> bool,
    seed: u64,
    calls: u64,
) -> Stateful<'p> {
    let heuristics = Heuristics::default();
    Stateful {
        plan,
        seed,
        heuristics,
        avoid: vec![],
        calls,
        fit,
        earlier: vec![],
        look_up: &|_| vec![],
    }
}

/// What an independent search sees, if one was asked for: nothing but the questions is the
/// same.
pub(super) fn check<'p>(
    options: &Infer,
    opened: &Opened,
    plan: &'p Plan,
    fit: &'p dyn Fn(OpId) -> bool,
) -> Result<Option<Data<'p>>> {
    let Some(calls) = options.check_calls else { return Ok(None) };
    let mut other = opened.session.another(&opened.harness, WorkerLimits::default())?;
    let seed = (options.seed ^ (1 << 50)).wrapping_add(1 << 40);
    Ok(Some(stateful(plan, fit, seed, calls).run(&mut other, &mut |_, _| ())?.data))
}

/// The random walk that comes first; it has two thirds of the calls, or half of the time.
pub(super) fn walk(options: &Infer, opened: &mut Opened) -> Result<Walk> {
    let Opened { session, supervisor, plan, .. } = opened;
    session.console.say("calling everything at random");
    let mut left = options.calls.map_or(u64::MAX, |calls| calls - calls / SHARE);
    supervisor.until = options.calls.is_none().then(|| Instant::now() + options.budget / 2);
    let empty = vec![0; plan.operations.len()];
    let mut all = Walked { completed: empty.clone(), panicked: empty, ..Walked::default() };
    let mut seed = options.seed;
    while left > 0 && !supervisor.is_late() {
        let walk = message::Walk {
            seed,
            max_sequences: u64::MAX,
            max_calls: PIECE.min(left),
            max_length: 20,
            ..message::Walk::default()
        };
        let walked = supervisor.walk(&walk, &mut |_, _| ())?;
        if walked.calls == 0 {
            break;
        }
        left = left.saturating_sub(walked.calls);
        for (sum, n) in all.completed.iter_mut().zip(&walked.completed) {
            *sum = sum.saturating_add(*n);
        }
        for (sum, n) in all.panicked.iter_mut().zip(&walked.panicked) {
            *sum = sum.saturating_add(*n);
        }
        seed = seed.wrapping_add(1);
    }
    Ok(Walk { walked: all })
}

/// Different answers kept for each operation.
const ROWS_EACH: u32 = 2000;

/// Walks once more, by another seed, and sees which clauses hold there, too: what was
/// inferred from one search and kept by another is no longer untried.
pub(super) fn try_again(options: &Infer, opened: &mut Opened, learned: &mut Learned) -> Result<()> {
    let Opened { session, supervisor, .. } = opened;
    session.console.say("making other calls, to see what they keep");
    let watching = Watching { watches: learned.data.watches.clone(), rows_each: ROWS_EACH };
    let counts = |learned: &Learned| -> Vec<u64> {
        let all = learned.contracts.iter();
        all.map(|(contract, ..)| learned.data.counts(contract).0).collect()
    };
    let before = counts(learned);
    supervisor.until = options.calls.is_none().then(|| Instant::now() + options.budget / 4);
    let mut left = options.calls.map_or(MOST_CALLS, |calls| calls / SHARE);
    let mut seed = options.seed ^ (1 << 51);
    while left > 0 && !supervisor.is_late() {
        let walk = message::Walk {
            seed,
            max_sequences: u64::MAX,
            max_calls: PIECE.min(left),
            max_length: 20,
            heuristics: Heuristics::default(),
            ..message::Walk::default()
        };
        let (observed, walked) = supervisor.observe(&watching, &walk, &[], &mut |_, _| ())?;
        let calls = walked.calls + observed.calls;
        left = left.saturating_sub(calls);
        learned.data.add(observed);
        if calls == 0 {
            break;
        }
        seed = seed.wrapping_add(1);
    }
    supervisor.until = None;
    let after = counts(learned);
    for (n, (contract, _, fate)) in learned.contracts.iter_mut().enumerate() {
        let more = after[n].saturating_sub(before[n]);
        match *fate {
            _ if learned.data.refutes(contract) => *fate = Fate::Refuted,
            // What is needed has to be seen to be needed.
            Fate::Untried if contract.clause.kind != Kind::Requires && more >= LEAST_SUPPORT => {
                *fate = Fate::Holds;
            }
            _ => {}
        }
    }
    Ok(())
}
