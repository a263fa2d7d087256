//! What is read of an exploration, by people and by programs.

use crate::Exit;
use crate::args::Format;
use crate::console::{Console, event};
use crate::explore::put::{CutShort, Explored, Path, Settled};
use serde::Serialize;
use testsmith_solver::Share;
use testsmith_symbolic::machine::{Assumption, Place};

/// More inputs that were cut short are only counted.
const MAX_CUT_SHOWN: usize = 3;

/// The account of one put.
pub fn put(console: &Console, put: &Explored, explain: bool) {
    console.clear();
    if console.format() == Format::Json {
        return event("put", &PutEvent::new(put));
    }
    let seconds = put.time.as_secs_f64();
    let share = if seconds > 0.0 { 100.0 * put.queries.time.as_secs_f64() / seconds } else { 0.0 };
    println!("{}", title(put));
    println!("  {}", verdict(put));
    if put.settled == Settled::Fails && !put.voids.is_empty() {
        println!("  of the rest nothing is claimed, because: {}", reasons(put));
    }
    let (taken, all) = put.branches;
    let reachable = match put.voids.is_empty() && put.sides_are_clear && taken < all {
        true => "; the others cannot be reached",
        false => "",
    };
    let inside = put.function.as_ref().map_or(String::new(), |f| format!(" of {}", f.path));
    println!(
        "  {} paths, {} refused, {} cut short; {taken} of {all} branch sides{inside} taken{reachable}",
        put.path_count(),
        put.rejected,
        put.cut,
    );
    println!(
        "  {seconds:.2} s, solver {share:.0}% in {} queries{}, {} steps",
        put.queries.queries,
        handed_over(put),
        put.steps
    );
    for (path, others) in failures(put) {
        println!("  fails: {}", path.call);
        println!("    {}{}", path.message.replace('\n', "\n    "), at(&path.place));
        if others > 0 {
            println!("    ({others} more paths fail at this place)");
        }
    }
    for cut in put.cut_short.iter().take(MAX_CUT_SHOWN) {
        println!("  cut short: {} ({}); natively: {}", cut.call, cut.why, cut.natively);
    }
    if put.cut_short.len() > MAX_CUT_SHOWN {
        println!("  ({} more were cut short)", put.cut - MAX_CUT_SHOWN);
    }
    if explain {
        for path in &put.paths {
            println!("  {}", path.call);
            for line in &path.explanation {
                println!("    {line}");
            }
        }
    }
}

fn title(put: &Explored) -> String {
    match &put.function {
        None => format!("{} ({}:{})", put.module, put.description.file, put.description.line),
        Some(about) if about.receivers.is_empty() => about.path.clone(),
        Some(about) => format!("{}, {}", about.path, about.receivers),
    }
}

/// The shortest failing call of each place, with the number of others.
pub fn failures(put: &Explored) -> Vec<(&Path, usize)> {
    let mut found: Vec<(&Path, usize)> = vec![];
    let mut failing: Vec<&Path> = put.paths.iter().filter(|path| !path.passes).collect();
    failing.sort_by_key(|path| path.call.len());
    for path in failing {
        match found.iter_mut().find(|(first, _)| first.place == path.place) {
            Some((_, others)) => *others += 1,
            None => found.push((path, 0)),
        }
    }
    found
}

/// What external solvers were asked, and what of it they left open.
fn handed_over(put: &Explored) -> String {
    let external = put.queries.shares.iter().filter(|(_, share)| share.external);
    let part = |(name, share): (&String, &Share)| {
        let seconds = share.time.as_secs_f64();
        let open = match share.unknown {
            0 => String::new(),
            count => format!(", {count} left open"),
        };
        format!(" ({} by {name} in {seconds:.2} s{open})", share.queries)
    };
    external.map(part).collect()
}

fn at(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(" ({place})") }
}

/// The bounds in the words of the parameters.
fn bounds(put: &Explored) -> String {
    match (put.description.max_bytes, put.description.bounds.as_str()) {
        (0, _) => "without parameters".to_owned(),
        (bytes, "") => format!("within its bounds (at most {bytes} bytes)"),
        (bytes, bounds) => format!("within its bounds ({bounds}; at most {bytes} bytes)"),
    }
}

/// The claim in one sentence, with what it rests on.
pub fn verdict(put: &Explored) -> String {
    let bounds = bounds(put);
    let assumptions: Vec<String> = put.assumptions.iter().map(assumption).collect();
    let assumptions = match assumptions.is_empty() {
        true => String::new(),
        false => format!(", assuming [{}]", assumptions.join("; ")),
    };
    let all_run = put
        .all_run
        .map_or(String::new(), |inputs| format!("; all {inputs} inputs were also run natively"));
    let beyond = put.function.as_ref().and_then(|about| about.beyond.as_ref());
    let beyond = beyond.map_or(String::new(), |why| format!("; beyond that not decided: {why}"));
    let rests = assumptions + &trusted(put) + &all_run + &beyond;
    match put.settled {
        Settled::Holds if put.paths.is_empty() => {
            format!("holds vacuously: no input {bounds} meets its assumptions{rests}")
        }
        Settled::Holds => format!("holds for all inputs {bounds}{rests}"),
        Settled::Fails => {
            let failing = put.paths.iter().filter(|path| !path.passes && !path.further).count();
            let documented = put.function.as_ref().is_some_and(|about| about.documented);
            let documented = if documented { ", as its documentation says" } else { "" };
            format!("FAILS on {failing} of {} paths{documented}", put.path_count())
        }
        Settled::Undecided => format!("not decided, because: {}{all_run}", reasons(put)),
    }
}

pub fn reasons(put: &Explored) -> String {
    let reason = |(why, count): &(String, usize)| match count {
        1 => why.clone(),
        _ => format!("{why} ({count} times)"),
    };
    put.voids.iter().map(reason).collect::<Vec<_>>().join("; ")
}

/// An assumption with the first place that made use of it.
fn assumption((assumption, places): &(Assumption, Vec<Place>)) -> String {
    let site = match places.iter().find(|place| place.line > 0) {
        Some(place) => format!(" (used at {}:{})", place.file, place.line),
        None => String::new(),
    };
    format!("{}: {}{site}", assumption.name(), assumption.why())
}

/// Whose word a claim rests on beside ours: that no input exists cannot be checked.
fn trusted(put: &Explored) -> String {
    let shares = put.queries.shares.iter().filter(|(_, s)| s.external && s.unsatisfiable > 0);
    let part = |(name, share): (&String, &Share)| {
        format!(", trusting {name} that {} of the questions have no answer", share.unsatisfiable)
    };
    shares.map(part).collect()
}

/// The table of functions, for people.
pub fn table(console: &Console, explored: &[Explored], left: &[(String, String)]) {
    console.clear();
    if console.format() == Format::Json {
        for (path, why) in left {
            event("left_out", &LeftOut { path, why });
        }
        return;
    }
    for put in explored {
        let word = match put.settled {
            Settled::Holds => "holds",
            Settled::Fails if put.function.as_ref().is_some_and(|f| f.documented) => "documented",
            Settled::Fails => "FAILS",
            Settled::Undecided => "undecided",
        };
        let len = put.function.as_ref().and_then(|about| about.len);
        let len = len.map_or(String::new(), |len| format!("up to {len}"));
        let seconds = put.time.as_secs_f64();
        println!("{word:<10} {len:<9} {seconds:>7.2} s  {}", title(put));
    }
    for (path, why) in left {
        println!("not tried                      {path}: {why}");
    }
}

/// The last line.
pub fn summary(console: &Console, explored: &[Explored], exit: Exit) {
    let count = |settled: Settled| explored.iter().filter(|put| put.settled == settled).count();
    let mismatches: usize = explored.iter().map(|put| put.mismatches).sum();
    let summary = Summary {
        schema: 1,
        exit_code: exit.code(),
        puts: explored.len(),
        hold: count(Settled::Holds),
        fail: count(Settled::Fails),
        undecided: count(Settled::Undecided),
        inputs: explored.iter().map(|put| put.paths.len() + put.all_run.unwrap_or(0)).sum(),
        disagreements: mismatches,
    };
    if console.format() == Format::Json {
        return event("explored", &summary);
    }
    println!(
        "{} {}: {} hold, {} fail, {} not decided; {} inputs run natively, \
         {mismatches} with another outcome",
        summary.puts,
        if explored.iter().any(|put| put.function.is_some()) { "explorations" } else { "puts" },
        summary.hold,
        summary.fail,
        summary.undecided,
        summary.inputs,
    );
    if mismatches > 0 {
        eprintln!("testsmith and the native runs disagree: this is a failure of testsmith");
    }
}

#[derive(Serialize)]
struct LeftOut<'e> {
    path: &'e str,
    why: &'e str,
}

#[derive(Serialize)]
struct Summary {
    schema: u32,
    exit_code: u8,
    puts: usize,
    hold: usize,
    fail: usize,
    undecided: usize,
    inputs: usize,
    disagreements: usize,
}

#[derive(Serialize)]
struct PutEvent<'e> {
    put: &'e str,
    file: &'e str,
    line: u32,
    function: Option<&'e str>,
    receivers: Option<&'e str>,
    verdict: Settled,
    sentence: String,
    max_bytes: usize,
    bounds: &'e str,
    paths: usize,
    refused: usize,
    cut: usize,
    cut_short: &'e [CutShort],
    all_run: Option<usize>,
    disagreements: usize,
    branches: Branches,
    failures: Vec<FailureEvent<'e>>,
    reasons: Vec<ReasonEvent<'e>>,
    assumptions: Vec<AssumptionEvent>,
    beyond: Option<&'e str>,
    documented: bool,
    seconds: f64,
}

#[derive(Serialize)]
struct Branches {
    taken: usize,
    all: usize,
}

#[derive(Serialize)]
struct FailureEvent<'e> {
    call: &'e str,
    message: &'e str,
    place: &'e str,
    ends_process: bool,
    others: usize,
}

#[derive(Serialize)]
struct ReasonEvent<'e> {
    why: &'e str,
    count: usize,
}

#[derive(Serialize)]
struct AssumptionEvent {
    name: &'static str,
    meaning: &'static str,
    places: Vec<String>,
}

impl<'e> PutEvent<'e> {
    fn new(put: &'e Explored) -> PutEvent<'e> {
        let about = put.function.as_ref();
        let failure = |(path, others): (&'e Path, usize)| FailureEvent {
            call: &path.call,
            message: &path.message,
            place: &path.place,
            ends_process: path.kills,
            others,
        };
        let assumption = |(assumption, places): &(Assumption, Vec<Place>)| AssumptionEvent {
            name: assumption.name(),
            meaning: assumption.why(),
            places: places.iter().map(|place| format!("{}:{}", place.file, place.line)).collect(),
        };
        PutEvent {
            put: &put.module,
            file: &put.description.file,
            line: put.description.line,
            function: about.map(|about| about.path.as_str()),
            receivers: about.map(|about| about.receivers.as_str()),
            verdict: put.settled,
            sentence: verdict(put),
            max_bytes: put.description.max_bytes,
            bounds: &put.description.bounds,
            paths: put.path_count(),
            refused: put.rejected,
            cut: put.cut,
            cut_short: &put.cut_short,
            all_run: put.all_run,
            disagreements: put.mismatches,
            branches: Branches { taken: put.branches.0, all: put.branches.1 },
            failures: failures(put).into_iter().map(failure).collect(),
            reasons: put.voids.iter().map(|(why, n)| ReasonEvent { why, count: *n }).collect(),
            assumptions: put.assumptions.iter().map(assumption).collect(),
            beyond: about.and_then(|about| about.beyond.as_deref()),
            documented: about.is_some_and(|about| about.documented),
            seconds: put.time.as_secs_f64(),
        }
    }
}
