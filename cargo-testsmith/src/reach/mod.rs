//! `cargo testsmith reach`: which calls bring objects into a state.
//!
//! Contracts become a system (`describe`), a search over it gives calls (`crates/reach`),
//! these become a sequence (`realise`), which is run (`native`); what queries answer is
//! compared with what the contracts say, and learnt from (`answer`).

mod answer;
mod components;
mod describe;
mod in_run;
mod lists;
mod native;
mod realise;
mod report;
mod rounds;
mod source;
mod write;

pub(crate) use in_run::help;

use crate::Exit;
use crate::args::{Format, Reach};
use crate::console::{Console, print_json};
use crate::exit::Usage;
use crate::pipeline::Session;
use crate::selection::close_to;
use answer::Limits;
use anyhow::Result;
use describe::Description;
use native::Native;
use report::Report;
use rounds::{Done, Rounds};
use source::Definitions;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use testsmith_lab::{Profile, Supervisor, WorkerLimits};
use testsmith_model::Plan;
use testsmith_reach::{FnId, Goal, Search};
use write::{Made, Witnesses};

/// Calls that are looked at first, if nobody says how many.
const BOUND: usize = 6;
/// Sequences that are run for one state before it is given up.
const MAX_TRIES: usize = 20;

pub(crate) fn run(options: &Reach, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let console = Console::new(options.target.quiet, options.format);
    let mut session = Session::open_on(console, &options.target, Arc::clone(&interrupt))?;
    let definitions = Definitions::read(&session.package.sources);
    // What is wrong with the goals is told before anything is built.
    let description = Description::new(&session.plan, &definitions);
    goals(options, &description)?;
    lists::extend(Arc::make_mut(&mut session.plan));
    let harness = session.build(Profile::Unoptimised)?;
    session.save_plan_without(&lists::is_added)?;
    let mut supervisor = session.supervise(&harness, WorkerLimits::default())?;
    let plan = Arc::clone(&session.plan);
    let description = Description::new(&plan, &definitions);
    let goals = goals(options, &description)?;
    // They are told in the order in which they stand, whenever they are searched for.
    let places: BTreeMap<String, usize> =
        goals.iter().enumerate().rev().map(|(n, (goal, _))| (goal.of.clone(), n)).collect();
    let around = Around { options, plan: &plan, description: &description, session: &session };
    let (mut reports, witnesses) = around.searched(&mut supervisor, goals, &interrupt)?;
    reports.sort_by_key(|report| places.get(&report.goal).copied());
    if options.all {
        reports.extend(skipped(&plan, &description));
    }
    let made = match options.write {
        true => witnesses.write(options, &session)?,
        false => Made::default(),
    };
    session.console.clear();
    print(options, &reports);
    // Standard output may be for programs.
    made.lines().iter().for_each(|line| eprintln!("{line}"));
    let well = reports.iter().all(Report::is_well);
    let whole = !interrupt.load(Ordering::Acquire);
    Ok(match (whole, well) {
        (false, _) => Exit::Incomplete,
        (true, true) => Exit::Clean,
        (true, false) => Exit::Found,
    })
}

/// What all goals of a command are searched for with.
struct Around<'a> {
    options: &'a Reach,
    plan: &'a Plan,
    description: &'a Description,
    session: &'a Session,
}

impl Around<'_> {
    /// Searches for one goal after the other.
    fn searched(
        &self,
        supervisor: &mut Supervisor,
        goals: Vec<(Goal, Option<FnId>)>,
        interrupt: &AtomicBool,
    ) -> Result<(Vec<Report>, Witnesses)> {
        let Around { options, plan, description, session } = self;
        let limits = Limits {
            bound: options.bound.unwrap_or(BOUND),
            further: options.bound.is_none(),
            tries: MAX_TRIES,
            count: options.count,
            time: options.time,
            allowance: None,
        };
        let mut rounds = Rounds {
            plan,
            description,
            supervisor: &mut *supervisor,
            limits,
            console: &session.console,
            interrupt,
            on_the_way: BTreeMap::new(),
        };
        let done = rounds.searched(goals, !options.all)?;
        let mut witnesses = Witnesses::default();
        let mut reports: Vec<Report> = vec![];
        for Done { answer, order } in done {
            if options.write {
                let mut native = Native { plan, description, supervisor: &mut *supervisor };
                for state in &answer.states {
                    witnesses.add(&mut native, (&answer.goal, answer.function), state)?;
                }
            }
            let report = Report { order, ..Report::new(description, &answer) };
            if answer.function.is_some() && report.is_well() {
                reports.retain(|earlier| earlier.goal != report.goal);
            }
            let again =
                answer.function.is_some() && reports.iter().any(|it| it.goal == report.goal);
            if !again {
                reports.push(report);
            }
        }
        Ok((reports, witnesses))
    }
}

fn print(options: &Reach, reports: &[Report]) {
    let mut out = std::io::stdout().lock();
    // A closed pipe, as with `| head`, is no failure.
    let _ = match options.format {
        Format::Json => print_json(&mut out, &reports),
        Format::Text => {
            use std::io::Write;
            let all: String = reports.iter().map(|report| report.text(options.all)).collect();
            out.write_all(all.as_bytes()).and_then(|()| match options.all {
                true => writeln!(out, "{}", summary(reports)),
                false => Ok(()),
            })
        }
    };
}

/// Functions with a precondition that are no operation of the plan, with the reason.
fn skipped(plan: &Plan, description: &Description) -> Vec<Report> {
    let mut found = vec![];
    for contract in plan.contracts.iter().filter(|contract| contract.item == "fn") {
        let requires = contract.clauses.iter().filter(|clause| clause.kind == "requires");
        let clauses: Vec<String> = requires.map(|clause| clause.text.clone()).collect();
        let path = match contract.of.as_str() {
            "" => contract.name.clone(),
            of => format!("{of}::{}", contract.name),
        };
        let skip = plan.skips.iter().find(|skip| skip.path.ends_with(&format!("::{path}")));
        if let (false, true, Some(skip)) =
            (clauses.is_empty(), description.named(&path).is_empty(), skip)
        {
            let why = format!("it cannot be called: {} {}", skip.reason.text(), skip.detail);
            found.push(Report::skipped(path, clauses, why.trim_end().to_owned()));
        }
    }
    found
}

fn summary(reports: &[Report]) -> String {
    let count = |verdict: &str| reports.iter().filter(|it| it.verdict == verdict).count();
    let first = |report: &&Report| report.states.first().is_some_and(|state| state.tries == 1);
    let mut text = format!(
        "{} of {} preconditions are met, {} of them at the first try",
        count("reached"),
        reports.len(),
        reports.iter().filter(first).count()
    );
    for verdict in ["contradictory", "unreached", "disagrees", "unmade", "unknown"] {
        if count(verdict) > 0 {
            text.push_str(&format!("; {} {verdict}", count(verdict)));
        }
    }
    text
}

/// What is to be reached, with the function if it is a precondition.
fn goals(options: &Reach, description: &Description) -> Result<Vec<(Goal, Option<FnId>)>> {
    let system = &description.system;
    let mut goals = vec![];
    if options.all {
        let conditional = |id: &FnId| !system.functions[*id].requires.is_empty();
        for id in (0..system.functions.len()).filter(conditional) {
            goals.push((Goal::precondition(system, id), Some(id)));
        }
        if goals.is_empty() {
            return Err(Usage("no public function of this crate has a precondition".into()).into());
        }
    }
    for path in &options.methods {
        let found = description.named(path);
        if found.is_empty() {
            let known: Vec<String> = system.functions.iter().map(|it| it.path(system)).collect();
            let hint = match close_to(path, &known).as_slice() {
                [] => "`cargo testsmith list --contracts` shows what has one".to_owned(),
                close => format!("did you mean {}?", close.join(" or ")),
            };
            let why = format!("{path}: no public function with a contract is called so; {hint}");
            return Err(Usage(why).into());
        }
        goals.extend(found.into_iter().map(|id| (Goal::precondition(system, id), Some(id))));
    }
    for text in &options.state {
        let goal = Goal::state(system, text).map_err(|why| Usage(why.to_string()))?;
        if let Err(why) = Search::check_goal(system, &goal) {
            return Err(Usage(format!("{why}; {SUPPORTED}")).into());
        }
        goals.push((goal, None));
    }
    if goals.is_empty() {
        let why = "what is to be reached? Give a method (Type::method), --state or --all";
        return Err(Usage(why.to_owned()).into());
    }
    Ok(goals)
}

const SUPPORTED: &str = "a condition may ask pure methods and public fields, compare and \
    compute with numbers, truth values, chars, texts, tuples, options, results, enums and \
    sequences; see docs/reach.md";
