//! What changed since another version, in words: clauses that one side keeps and the
//! other breaks, each with a call that behaves differently.
//!
//! Both sides are searched with the same seed and as many calls. A clause that only one
//! side has says nothing: it may not have been seen. So it is looked up in what was seen on
//! the other side, and the call that breaks it there is made on both.

use super::choose::{MOST_COST, cost, instances, is_supported, types};
use super::other::{Other, find};
use super::phrase::Phrase;
use super::search::{Opened, learn, walk};
use super::{against_report, console};
use crate::Exit;
use crate::args::Infer;
use crate::pipeline::{out_dir, subject};
use crate::stateful::{Fate, Learned};
use crate::stored::{Names, Stored};
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use testsmith_infer::{Call, Contract, Kind, LEAST_SUPPORT};
use testsmith_lab::{Subject, Supervisor};
use testsmith_model::message::Walk;
use testsmith_model::observation::{self, Row, Watching};
use testsmith_model::outcome::Ending;
use testsmith_model::{Edit, EditStep, Mode, OperationKind, Plan, Sequence};
use testsmith_render::{Style, Test, TestEnding, test_function};

/// Calls on each side, where nothing is said.
const CALLS: u64 = 300_000;
/// Calls that break a clause which are made on both sides, until one of them differs.
const MOST_TRIES: usize = 12;

/// Compares, and tells what changed.
pub(super) fn run(options: &Infer, asked: &str, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let options = Infer { calls: Some(options.calls.unwrap_or(CALLS)), ..options.clone() };
    // What makes no sense is told before anything is built.
    let subject = subject(&options.target)?;
    let folder = match &subject {
        Subject::Path { manifest, .. } => manifest.parent().map(Path::to_owned),
        Subject::Published { .. } => None,
    };
    let (folder, out) = (folder.unwrap_or_default(), out_dir(&options.target, &subject)?);
    let other = find(asked, &options.target, subject.name(), &folder, &out)?;
    // The other first: it may not exist.
    let mut then = Opened::new(console(&options), &other.target, Arc::clone(&interrupt))
        .with_context(|| format!("cannot compare with {asked}"))?;
    let mut now = Opened::new(console(&options), &options.target, interrupt)?;
    let plans = [Arc::clone(&then.plan), Arc::clone(&now.plan)];
    let walked = [walk(&options, &mut then)?, walk(&options, &mut now)?];
    let (fit_then, fit_now) = (|op| walked[0].is_fit(op), |op| walked[1].is_fit(op));
    let (learned_then, _) = learn(&options, &mut then, &plans[0], &fit_then)?;
    let (learned_now, _) = learn(&options, &mut now, &plans[1], &fit_now)?;
    then.session.console.say("making calls that differ on both sides");
    let mut sides = [
        Side::new(&plans[0], &learned_then, &mut then.supervisor),
        Side::new(&plans[1], &learned_now, &mut now.supervisor),
    ];
    let mut changes = vec![];
    for direction in [Direction::Gone, Direction::New] {
        changes.extend(compare(&options, &mut sides, direction)?);
    }
    let compared = Compared::new(&sides, &other, changes);
    now.session.console.clear();
    Ok(against_report::print(&options, &compared))
}

/// Which side keeps a clause that the other one breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// It held then, and does not now.
    Gone,
    /// It holds now, and did not then.
    New,
}

/// One of the two crates with what was learned of it.
struct Side<'s> {
    plan: &'s Plan,
    learned: &'s Learned<'s>,
    supervisor: &'s mut Supervisor,
    names: Names,
    /// Watches by what they watch.
    watches: BTreeMap<String, usize>,
}

impl<'s> Side<'s> {
    fn new(plan: &'s Plan, learned: &'s Learned<'s>, supervisor: &'s mut Supervisor) -> Side<'s> {
        let watches = learned.data.watches.iter().enumerate();
        let watches = watches.map(|(n, watch)| (called(plan, &watch.occasion), n)).collect();
        Side { plan, learned, supervisor, names: Names::new(plan), watches }
    }

    /// Makes the calls of a sequence, and says how it ended and what was answered around
    /// the last call, or about the value of a step in the end.
    fn answers(&mut self, watch: usize, witness: &Witness) -> Result<Option<Answers>> {
        let Witness { sequence, value } = witness;
        let watching =
            Watching { watches: vec![self.learned.data.watches[watch].clone()], rows_each: 2000 };
        let still =
            Walk { max_calls: 0, max_sequences: u64::MAX, max_length: 20, ..Walk::default() };
        let one = std::slice::from_ref(sequence);
        let (observed, _) = self.supervisor.observe(&watching, &still, one, &mut |_, _| ())?;
        let Some(attempt) = observed.attempts.into_iter().next() else { return Ok(None) };
        let Some(outcome) = attempt.outcome else { return Ok(None) };
        let last = sequence.len() - 1;
        let of_last = |row: &&Row| match value {
            None => row.step as usize == last,
            Some(slot) => row.slots == [*slot] && row.step as usize == sequence.len(),
        };
        let found = observed.rows.iter().find(of_last);
        // The same answers may have been given before.
        let again = |row: &&Row| value.is_none() && row.before == attempt.before;
        let found = found.or_else(|| observed.rows.iter().find(again));
        let row = found.map(|row| [row.before.clone(), row.after.clone()].concat());
        let at_last = outcome.step as usize == last;
        let completed = outcome.ending == Ending::Completed;
        let failed = at_last && !completed && outcome.ending != Ending::Inapplicable;
        Ok(Some(Answers { completed, failed, before: attempt.before, row }))
    }
}

/// What is watched, by names that both sides have.
fn called(plan: &Plan, occasion: &observation::Occasion) -> String {
    match occasion {
        observation::Occasion::Call { op } => plan.operation(*op).call.full(),
        observation::Occasion::Pair { first, second } => {
            let call = |op| plan.operation(op).call.full();
            format!("{}, then {}", call(*first), call(*second))
        }
        observation::Occasion::Values { types } => {
            let names: Vec<String> = types.iter().map(|ty| plan.ty(*ty).ty.to_string()).collect();
            names.join(", ")
        }
    }
}

/// Calls that show a change: in the last one, or in the value that a step has made.
struct Witness {
    sequence: Sequence,
    value: Option<u32>,
}

impl Witness {
    /// What is needed of a sequence in which a clause was seen to be broken.
    fn of(plan: &Plan, seen: &Call, of_values: bool) -> Option<Witness> {
        let edit = Edit::of(seen.sequence);
        if !of_values {
            let sequence = edit.needed(plan, seen.step).build(plan).ok()?;
            return Some(Witness { sequence, value: None });
        }
        let [slot] = *seen.slots else { return None };
        // The last step that changed the value, or the one that made it.
        let place = |n: usize| match &edit.steps[n] {
            EditStep::Call(op, args) => {
                let inputs = &plan.operation(*op).inputs;
                let changes = |at: &usize| args[*at] == slot && inputs[*at].mode == Mode::Exclusive;
                (0..args.len()).find(changes).map(|at| (n, at))
            }
            EditStep::Literal(..) => None,
        };
        let changed = (0..edit.len()).rev().find_map(place);
        let (last, at) = changed.map_or((slot as usize, None), |(n, at)| (n, Some(at)));
        let edit = edit.needed(plan, last);
        let end = edit.len() as u32 - 1;
        let value = at.map_or(end, |at| edit.steps[end as usize].args()[at]);
        Some(Witness { sequence: edit.build(plan).ok()?, value: Some(value) })
    }
}

/// What one side said to a sequence.
struct Answers {
    completed: bool,
    /// Whether the last call was made and did not return.
    failed: bool,
    before: Vec<i64>,
    row: Option<Vec<i64>>,
}

/// A clause that one side keeps and the other does not.
pub(super) struct Change {
    pub(super) direction: Direction,
    pub(super) function: String,
    pub(super) kind: Kind,
    pub(super) clause: String,
    phrase: Phrase,
    /// Calls that the clause speaks of on the side that keeps it, then on the other one,
    /// and how many of these break it.
    pub(super) kept: u64,
    pub(super) seen: u64,
    pub(super) broken: u64,
    /// The calls that show it, as Rust.
    pub(super) witness: Vec<String>,
    /// What is answered after them: the question, then and now.
    pub(super) answers: Vec<(String, String, String)>,
    pub(super) sequence: Stored,
    cost: usize,
}

impl Change {
    /// What changed, in a sentence without its subject.
    pub(super) fn sentence(&self) -> String {
        let (phrase, clause) = (self.phrase.infinitive(), &self.clause);
        match (self.kind, self.direction) {
            (Kind::Requires, Direction::Gone) => {
                format!("used to need `{clause}`; now it does not")
            }
            (Kind::Requires, Direction::New) => format!("now needs `{clause}`; it did not use to"),
            (Kind::Invariant, Direction::Gone) => {
                format!("used to be `{clause}` always; now it is not")
            }
            (Kind::Invariant, Direction::New) => {
                format!("was not always `{clause}`; now it is")
            }
            (_, Direction::Gone) => format!("used to {phrase}; now it does not"),
            (_, Direction::New) => format!("did not use to {phrase}; now it does"),
        }
    }
}

/// The clauses of one side that the other one breaks, the plainest of each function first.
fn compare(options: &Infer, sides: &mut [Side; 2], direction: Direction) -> Result<Vec<Change>> {
    let (keeper, breaker) = match direction {
        Direction::Gone => (0, 1),
        Direction::New => (1, 0),
    };
    let (plan, learned) = (sides[keeper].plan, sides[keeper].learned);
    let (instances, types) = (instances(plan, learned), types(plan, learned));
    let mut changes = vec![];
    for (contract, _, fate) in &learned.contracts {
        let (path, usual) = match learned.data.occasion(contract) {
            observation::Occasion::Call { op } => {
                let path = plan.operation(*op).path();
                let usual = instances.get(&path) == Some(op);
                (path, usual)
            }
            observation::Occasion::Values { types: of } if of.len() == 1 => {
                (plan.ty(of[0]).ty.path().unwrap_or_default().to_owned(), types.contains(&of[0]))
            }
            _ => continue,
        };
        let meant = options.path.as_ref().is_none_or(|wanted| path.contains(wanted.as_str()));
        let needed = contract.clause.kind != Kind::Requires || *fate == Fate::Needed;
        if *fate == Fate::Refuted || !needed || !meant || !usual {
            continue;
        }
        if cost(learned, contract) > MOST_COST || !is_supported(plan, learned, contract) {
            continue;
        }
        changes.extend(changed(sides, keeper, breaker, contract, &path)?);
    }
    changes.sort_by(|a, b| (&a.function, a.cost).cmp(&(&b.function, b.cost)));
    Ok(changes)
}

/// How a clause of the one side fares on the other, if it is broken there by a call that
/// keeps it here.
fn changed(
    sides: &mut [Side; 2],
    keeper: usize,
    breaker: usize,
    contract: &Contract,
    path: &str,
) -> Result<Option<Change>> {
    let (plan, learned) = (sides[keeper].plan, sides[keeper].learned);
    let there = sides[breaker].learned;
    let occasion = learned.data.occasion(contract);
    let Some(watch) = sides[breaker].watches.get(&called(plan, occasion)) else { return Ok(None) };
    let Some(mapped) = there.data.translated(&learned.data, contract, *watch) else {
        return Ok(None);
    };
    let (seen, broken) = there.data.counts(&mapped);
    if broken == 0 || seen < LEAST_SUPPORT {
        return Ok(None);
    }
    let calls = there.data.calls(mapped.watch);
    let breaks = calls.iter().filter(|call| there.data.keeps(&mapped, call.row) == Some(false));
    for call in breaks.take(MOST_TRIES) {
        let of_values = contract.clause.kind == Kind::Invariant;
        let Some(witness) = Witness::of(sides[breaker].plan, call, of_values) else { continue };
        let stored = Stored::new(sides[breaker].plan, &witness.sequence);
        let here = stored.sequence_by(plan, &sides[keeper].names);
        let Ok(sequence) = here else { continue };
        let here = Witness { sequence, value: witness.value };
        let Some(kept) = sides[keeper].answers(contract.watch, &here)? else { continue };
        let Some(lost) = sides[breaker].answers(mapped.watch, &witness)? else { continue };
        if !differs(contract, &kept, &mapped, &lost) {
            continue;
        }
        // Once more in fresh processes, since it may have been a chance.
        sides.iter_mut().for_each(|side| side.supervisor.renew());
        let again = sides[keeper].answers(contract.watch, &here)?;
        let Some((kept, lost)) = again.zip(sides[breaker].answers(mapped.watch, &witness)?) else {
            continue;
        };
        if !differs(contract, &kept, &mapped, &lost) {
            continue;
        }
        let phrase = Phrase::of(&learned.data, contract);
        let answers = shown(learned, contract, &mapped, &kept, &lost, keeper == 1);
        return Ok(Some(Change {
            direction: if keeper == 0 { Direction::Gone } else { Direction::New },
            function: path.to_owned(),
            kind: contract.clause.kind,
            clause: learned.data.words(contract),
            phrase,
            kept: learned.data.counts(contract).0,
            seen,
            broken,
            witness: statements(sides[breaker].plan, &witness.sequence),
            answers,
            sequence: stored,
            cost: cost(learned, contract),
        }));
    }
    Ok(None)
}

/// Whether one call keeps the clause on one side and breaks it on the other, from the same
/// state.
fn differs(contract: &Contract, kept: &Answers, mapped: &Contract, lost: &Answers) -> bool {
    let holds = |contract: &Contract, answers: &Answers| {
        let row = answers.row.as_ref()?;
        contract.clause.holds(|column| row.get(column).copied().unwrap_or(i64::MIN))
    };
    if contract.clause.kind == Kind::Requires {
        return lost.completed && kept.failed && holds(mapped, lost) == Some(false);
    }
    let differ = holds(contract, kept) == Some(true) && holds(mapped, lost) == Some(false);
    if contract.clause.kind == Kind::Invariant {
        return kept.completed && lost.completed && differ;
    }
    let before = |contract: &Contract, answers: &Answers| -> Vec<Option<i64>> {
        let when = contract.clause.when.into_iter().flat_map(|when| [when.a, when.b]);
        let atom = [contract.clause.atom.a, contract.clause.atom.b];
        let columns = when.chain(atom);
        columns.map(|column| answers.before.get(usize::from(column)).copied()).collect()
    };
    kept.completed && lost.completed && differ && before(contract, kept) == before(mapped, lost)
}

/// What the answers that the clause speaks of are after the call: then and now.
fn shown(
    learned: &Learned,
    contract: &Contract,
    mapped: &Contract,
    kept: &Answers,
    lost: &Answers,
    swapped: bool,
) -> Vec<(String, String, String)> {
    if contract.clause.kind == Kind::Requires {
        let (failed, done) = ("fails".to_owned(), "succeeds".to_owned());
        let (then, now) = if swapped { (done, failed) } else { (failed, done) };
        return vec![("the call".to_owned(), then, now)];
    }
    let before = match contract.clause.kind {
        Kind::Invariant => 0,
        _ => learned.data.watches[contract.watch].before.len(),
    };
    let columns = contract.clause.atom.variables().zip(mapped.clause.atom.variables());
    let mut shown = vec![];
    for (here, there) in columns.filter(|(here, _)| *here >= before) {
        let value = |answers: &Answers, column: usize| {
            let answer = answers.row.as_ref().and_then(|row| row.get(column));
            let answer = answer.copied().unwrap_or_default();
            learned.data.answer_words(contract.watch, here, answer)
        };
        let (one, other) = (value(kept, here), value(lost, there));
        let (then, now) = if swapped { (other, one) } else { (one, other) };
        shown.push((learned.data.column(contract.watch, here), then, now));
    }
    shown
}

/// The calls of a sequence as Rust, one a line.
fn statements(plan: &Plan, sequence: &Sequence) -> Vec<String> {
    let test = Test {
        name: "it".to_owned(),
        comment: vec![],
        sequence,
        ending: TestEnding::Open,
        seen: &[],
        style: Style::Plain,
    };
    let text = test_function(plan, &test);
    let body = text.lines().skip_while(|line| !line.starts_with("fn it()")).skip(1);
    body.take_while(|line| *line != "}").map(|line| line.trim_start().to_owned()).collect()
}

/// All that a comparison has to tell.
pub(super) struct Compared {
    pub(super) krate: String,
    pub(super) then: String,
    pub(super) now: String,
    pub(super) changes: Vec<Change>,
    /// Functions that both sides have.
    pub(super) functions: usize,
    pub(super) only_then: Vec<String>,
    pub(super) only_now: Vec<String>,
}

impl Compared {
    fn new(sides: &[Side; 2], other: &Other, changes: Vec<Change>) -> Compared {
        let functions = |side: &Side| -> BTreeSet<String> {
            let own = side.plan.operations.iter().filter(|operation| {
                let kind = operation.kind;
                operation.core
                    && !operation.derived
                    && matches!(kind, OperationKind::Free | OperationKind::Inherent)
            });
            own.map(testsmith_model::Operation::path).collect()
        };
        let [before, after] = [functions(&sides[0]), functions(&sides[1])];
        Compared {
            krate: sides[1].plan.krate.clone(),
            then: other.name.clone(),
            now: match other.target.krate {
                Some(_) => sides[1].plan.version.clone(),
                None => "the working tree".to_owned(),
            },
            changes,
            functions: before.intersection(&after).count(),
            only_then: before.difference(&after).cloned().collect(),
            only_now: after.difference(&before).cloned().collect(),
        }
    }
}
