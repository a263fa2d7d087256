//! `cargo testsmith infer`: what each function needs and promises, as far as it was seen.

use crate::Exit;
use crate::args::{Infer, InferFormat};
use crate::console::Console;
use crate::finding::Findings;
use crate::keep::Keeper;
use crate::pipeline::Session;
use crate::selection::Selection;
use crate::stateful::{Fate, Learned, Stateful, Tried, contracts, seen};
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use testsmith_infer::{Contract, Kind};
use testsmith_lab::{Profile, Supervisor, WorkerLimits};
use testsmith_model::message::{Walk, Walked};
use testsmith_model::observation::{Subject, Unfit};
use testsmith_model::{Callee, Heuristics, OpId, Plan};

/// Stateful testing gets a third of all calls: here it is what was asked for.
const SHARE: u64 = 3;
/// Calls between two looks at the clock.
const PIECE: u64 = 50_000;
/// Where time is counted, stateful testing ends when that is over.
const MOST_CALLS: u64 = 5_000_000;

pub(crate) fn run(options: &Infer, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let format = match options.format {
        InferFormat::Json => crate::args::Format::Json,
        InferFormat::Text | InferFormat::Rust => crate::args::Format::Text,
    };
    let console = Console::new(options.target.quiet || format == crate::args::Format::Json, format);
    let mut session = Session::open_on(console, &options.target, interrupt)?;
    let harness = session.build(Profile::Unoptimised)?;
    let mut supervisor = session.supervise(&harness, WorkerLimits::default())?;
    let plan = Arc::clone(&session.plan);
    session.console.say("calling everything at random");
    let walked = walk(options, &plan, &mut supervisor)?;
    session.console.say("inferring contracts, and making calls that would break them");
    let fit = |op: OpId| walked.completed[op.index()] > 0 && walked.panicked[op.index()] == 0;
    let stateful = Stateful {
        plan: &plan,
        seed: options.seed ^ (1 << 50),
        heuristics: Heuristics::default(),
        avoid: vec![],
        calls: options.calls.map_or(MOST_CALLS, |calls| calls / SHARE),
        fit: &fit,
        earlier: vec![],
    };
    supervisor.until = options.calls.is_none().then(|| Instant::now() + options.budget / 2);
    let mut findings = Findings::new(&session.package.root, Selection::default());
    let learned = stateful.run(&mut supervisor, &mut |sequence, outcome| {
        findings.take(&plan, sequence, outcome);
    })?;
    let mut keeper = Keeper::open(&session);
    keeper.put_learned(&seen(&plan, &learned), &contracts(&plan, &learned));
    let told = Told::new(&plan, &learned, options.path.as_deref());
    session.console.clear();
    match options.format {
        InferFormat::Text => print!("{}", told.text(&learned, findings.classes())),
        InferFormat::Json => told.print_events(),
        InferFormat::Rust => print!("{}", told.rust()),
    }
    Ok(Exit::Clean)
}

/// The random walk that comes first; it has two thirds of the calls, or half of the time.
fn walk(options: &Infer, plan: &Plan, supervisor: &mut Supervisor) -> Result<Walked> {
    let mut left = options.calls.map_or(u64::MAX, |calls| calls - calls / SHARE);
    supervisor.until = options.calls.is_none().then(|| Instant::now() + options.budget / 2);
    let empty = vec![0; plan.operations.len()];
    let mut all = Walked { completed: empty.clone(), panicked: empty, ..Walked::default() };
    let mut seed = options.seed;
    while left > 0 && !supervisor.is_late() {
        let walk = Walk {
            seed,
            max_sequences: u64::MAX,
            max_calls: PIECE.min(left),
            max_length: 20,
            ..Walk::default()
        };
        let walked = supervisor.walk(&walk, &mut |_, _| ())?;
        left = left.saturating_sub(walked.calls.max(1));
        for (sum, n) in all.completed.iter_mut().zip(&walked.completed) {
            *sum = sum.saturating_add(*n);
        }
        for (sum, n) in all.panicked.iter_mut().zip(&walked.panicked) {
            *sum = sum.saturating_add(*n);
        }
        seed = seed.wrapping_add(1);
    }
    Ok(all)
}

/// A clause as it is told.
#[derive(Serialize)]
struct ToldClause {
    kind: &'static str,
    clause: String,
    /// Calls in which it was seen to hold.
    support: u64,
    /// Calls that were made against it, and what came of them.
    tried: u64,
    refused: u64,
    fate: &'static str,
}

/// All clauses by type, and there by function; the invariants of the type have no function.
struct Told {
    types: BTreeMap<String, BTreeMap<String, Vec<ToldClause>>>,
    unfit: Vec<(String, Unfit)>,
}

impl Told {
    fn new(plan: &Plan, learned: &Learned, path: Option<&str>) -> Told {
        let mut types: BTreeMap<String, BTreeMap<String, Vec<ToldClause>>> = BTreeMap::new();
        let chosen = chosen(plan, learned);
        for (contract, tried, fate) in &learned.contracts {
            let (of, function) = match learned.data.subject(contract) {
                Subject::Call { op } if chosen.values().any(|one| one == op) => {
                    let callee = &plan.operation(*op).callee;
                    (owner(callee), callee.name().to_owned())
                }
                // Another instance of the same function was seen more often.
                Subject::Call { .. } => continue,
                Subject::Values { types } if types.len() == 1 => {
                    (plan.ty(types[0]).ty.to_string(), String::new())
                }
                Subject::Values { .. } => continue,
            };
            if path.is_some_and(|path| !format!("{of}::{function}").contains(path)) {
                continue;
            }
            let functions = types.entry(of).or_default();
            functions.entry(function).or_default().push(told(learned, contract, *tried, *fate));
        }
        let unfit = learned.data.unfit.iter();
        let unfit = unfit.map(|(op, why)| (plan.operation(*op).path(), *why)).collect();
        Told { types, unfit }
    }

    fn text(&self, learned: &Learned, failures: usize) -> String {
        let mut text = String::new();
        for (of, functions) in &self.types {
            let _ = writeln!(text, "{of}");
            for (function, clauses) in functions {
                if !function.is_empty() {
                    let _ = writeln!(text, "  {function}");
                }
                let (gone, kept): (Vec<_>, Vec<_>) =
                    clauses.iter().partition(|clause| clause.fate == Fate::Refuted.word());
                let (plain, conditional): (Vec<_>, Vec<_>) =
                    kept.into_iter().partition(|clause| !clause.clause.contains(" ==> "));
                for clause in plain.iter().chain(conditional.iter().take(MOST_CONDITIONAL)) {
                    let _ = writeln!(text, "    {}", clause.line());
                }
                if let Some(more) =
                    conditional.len().checked_sub(MOST_CONDITIONAL).filter(|n| *n > 0)
                {
                    let _ = writeln!(
                        text,
                        "    and {more} promises under a condition; --format json has all"
                    );
                }
                if !gone.is_empty() {
                    let clauses: Vec<&str> = gone
                        .iter()
                        .take(MOST_REFUTED)
                        .map(|clause| clause.clause.as_str())
                        .collect();
                    let more = gone.len() - clauses.len();
                    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                    let _ = writeln!(text, "    refuted   {}{more}", clauses.join("; "));
                }
            }
            text.push('\n');
        }
        for (path, why) in &self.unfit {
            let why = match why {
                Unfit::Panics => "it panics",
                Unfit::Wavers => "it does not answer the same twice",
                Unfit::Changes => "it changes its value",
            };
            let _ = writeln!(text, "not asked: {path}, because {why}");
        }
        let refuted = learned.contracts.iter().filter(|(.., fate)| *fate == Fate::Refuted).count();
        let (rows, calls) = learned.data.size();
        let _ = writeln!(
            text,
            "{} clauses from {calls} observations ({rows} different), {refuted} refuted in {} rounds; \
             {failures} failures seen on the way, which `cargo testsmith` reports",
            learned.contracts.len(),
            learned.rounds,
        );
        if learned.data.unkept > 0 {
            let _ = writeln!(text, "{} different answers had no room", learned.data.unkept);
        }
        text
    }

    fn print_events(&self) {
        for (of, functions) in &self.types {
            for (function, clauses) in functions {
                for clause in clauses {
                    let event = serde_json::json!({
                        "event": "clause", "type": of, "function": function, "clause": clause,
                    });
                    println!("{event}");
                }
            }
        }
    }

    /// Attributes, each above the name of its function.
    fn rust(&self) -> String {
        let mut text = String::new();
        for (of, functions) in &self.types {
            let _ = writeln!(text, "// {of}");
            for (function, clauses) in functions {
                let kept = clauses.iter().filter(|clause| {
                    clause.fate != Fate::Refuted.word() && clause.fate != Fate::Untried.word()
                });
                let lines: Vec<String> =
                    kept.map(|clause| format!("#[{}({})]", clause.kind, clause.clause)).collect();
                if lines.is_empty() {
                    continue;
                }
                let head = if function.is_empty() { "the type" } else { function.as_str() };
                let _ = writeln!(text, "// {head}\n{}", lines.join("\n"));
            }
            text.push('\n');
        }
        text
    }
}

/// Promises under a condition that are shown for one function.
const MOST_CONDITIONAL: usize = 6;
/// Refuted clauses that are shown for one function.
const MOST_REFUTED: usize = 4;

impl ToldClause {
    fn line(&self) -> String {
        let ToldClause { kind, clause, support, tried, refused, fate } = self;
        let word = match *kind {
            "requires" => "needs",
            "ensures" => "promises",
            _ => "always",
        };
        let tries = match *fate {
            "needed" if refused == tried => format!(", refused in {tried} calls without it"),
            "needed" => format!(", failed in {tried} calls without it"),
            "untried" if *kind == "requires" => ", no values found to try without it".to_owned(),
            _ if *tried > 0 => format!(", {tried} calls against it"),
            _ => String::new(),
        };
        format!("{word:<9} {clause}  (seen {support} times{tries})")
    }
}

fn told(learned: &Learned, contract: &Contract, tried: Tried, fate: Fate) -> ToldClause {
    ToldClause {
        kind: match contract.clause.kind {
            Kind::Requires => "requires",
            Kind::Ensures => "ensures",
            Kind::Invariant => "invariant",
        },
        clause: learned.data.words(contract),
        support: contract.support,
        tried: tried.calls,
        refused: tried.refused,
        fate: fate.word(),
    }
}

/// Of the instances of each function, the one that was seen the most.
fn chosen(plan: &Plan, learned: &Learned) -> BTreeMap<String, OpId> {
    let mut best: BTreeMap<String, (u64, OpId)> = BTreeMap::new();
    for (contract, ..) in &learned.contracts {
        if let Subject::Call { op } = learned.data.subject(contract) {
            let path = plan.operation(*op).path();
            let one = best.entry(path).or_insert((contract.support, *op));
            if contract.support > one.0 {
                *one = (contract.support, *op);
            }
        }
    }
    best.into_iter().map(|(path, (_, op))| (path, op)).collect()
}

/// The type or module that a function belongs to.
fn owner(callee: &Callee) -> String {
    match callee {
        Callee::Item { module, .. } => module.clone(),
        _ => callee.of().map(ToString::to_string).unwrap_or_default(),
    }
}
