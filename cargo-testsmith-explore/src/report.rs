//! What the user reads.

use crate::put::{Explored, Path, Settled};
use testsmith_solver::Share;
use testsmith_symbolic::machine::{Assumption, Place};

/// The account of one put.
pub fn put(put: &Explored, explain: bool) {
    let seconds = put.time.as_secs_f64();
    let share = if seconds > 0.0 { 100.0 * put.queries.time.as_secs_f64() / seconds } else { 0.0 };
    println!("{} ({}:{})", put.module, put.description.file, put.description.line);
    println!("  {}", verdict(put));
    let (taken, all) = put.branches;
    let reachable = match put.voids.is_empty() {
        true => "; the others cannot be reached",
        false => "",
    };
    println!(
        "  {} paths, {} refused, {} cut short; {taken} of {all} branch sides taken{reachable}",
        put.paths.len(),
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
    if explain {
        for path in &put.paths {
            println!("  {}", path.call);
            for line in &path.explanation {
                println!("    {line}");
            }
        }
    }
}

/// The shortest failing call of each place, with the number of others.
fn failures(put: &Explored) -> Vec<(&Path, usize)> {
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

/// The claim in one sentence, with what it rests on.
pub fn verdict(put: &Explored) -> String {
    let bounds = format!(
        "within its bounds ({}at most {} bytes)",
        if put.description.bounds.is_empty() {
            String::new()
        } else {
            format!("{}; ", put.description.bounds)
        },
        put.description.max_bytes
    );
    let models: Vec<String> = put.assumptions.iter().map(assumption).collect();
    let models = match models.is_empty() {
        true => String::new(),
        false => format!(", assuming [{}]", models.join("; ")),
    };
    let models = models + &trusted(put);
    match put.settled {
        Settled::Holds if put.paths.is_empty() => {
            format!("holds vacuously: no input {bounds} meets its assumptions{models}")
        }
        Settled::Holds => format!("holds for all inputs {bounds}{models}"),
        Settled::Fails => {
            let failing = put.paths.iter().filter(|path| !path.passes).count();
            format!("FAILS on {failing} of {} paths", put.paths.len())
        }
        Settled::Undecided => {
            let reasons: Vec<String> = put
                .voids
                .iter()
                .map(|(why, count)| match count {
                    1 => why.clone(),
                    _ => format!("{why} ({count} times)"),
                })
                .collect();
            format!("not decided, because: {}", reasons.join("; "))
        }
    }
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

/// The last line.
pub fn summary(explored: &[Explored]) {
    let count = |settled: Settled| explored.iter().filter(|put| put.settled == settled).count();
    let paths: usize = explored.iter().map(|put| put.paths.len()).sum();
    let mismatches: usize = explored.iter().map(|put| put.mismatches).sum();
    println!(
        "{} puts: {} hold, {} fail, {} not decided; {paths} inputs replayed natively, \
         {mismatches} with another outcome",
        explored.len(),
        count(Settled::Holds),
        count(Settled::Fails),
        count(Settled::Undecided),
    );
}
