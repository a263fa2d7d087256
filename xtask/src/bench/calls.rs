//! Calls per second through the whole worker against a bare loop.
//!
//! The walk generates, checks loans, writes the journal, catches panics and
//! reads the counters; the replay does the same with calls known beforehand;
//! the bare loop calls the same thunks with the same arguments and does nothing
//! else. All in one process, in turns, several times. A panic costs as much as
//! dozens of calls, so the walk is shown with and without its panics.

use super::session;
use anyhow::Result;
use testsmith_lab::{Profile, WorkerLimits};
use testsmith_model::message::{Timing, Walk};

const ROUNDS: u64 = 5;

pub fn run(args: &[String]) -> Result<()> {
    let krate = args.first().map_or("indexmap@2.14.2", String::as_str);
    let mut session = session(krate)?;
    println!("{krate}: processor time a call in ns, median of {ROUNDS} rounds, one core");
    println!("walk: a random walk; legal: its sequences without a panic; generating: legal over");
    println!("replay; replay: known calls through the whole worker; bare: the thunks alone");
    let titles = ["walk", "legal", "generating", "replay", "bare", "panics/call", "us/panic"];
    print!("{:<12}", "build");
    titles.iter().for_each(|title| print!(" {title:>11}"));
    println!(" {:>10} {:>11} {:>12}", "walk/bare", "legal/bare", "replay/bare");
    for (name, profile) in
        [("unoptimised", Profile::Unoptimised), ("optimised", Profile::Optimised)]
    {
        let harness = session.build(profile)?;
        let mut rows = vec![];
        for round in 0..ROUNDS {
            let mut supervisor = session.supervise(&harness, WorkerLimits::default())?;
            let walk = Walk {
                seed: 42 + round,
                max_sequences: 3000,
                max_calls: 200_000,
                max_length: 20,
                ..Walk::default()
            };
            rows.push(row(&supervisor.time(&walk)?));
        }
        let median = |n: usize| {
            let mut column: Vec<f64> = rows.iter().map(|row| row[n]).collect();
            column.sort_by(f64::total_cmp);
            column[column.len() / 2]
        };
        print!("{name:<12}");
        (0..5).for_each(|n| print!(" {:>11.1}", median(n)));
        print!(" {:>10.2}% {:>11.1}", 100.0 * median(5), median(6));
        println!(" {:>10.2} {:>11.2} {:>12.2}", median(7), median(8), median(9));
    }
    Ok(())
}

/// What one round says: nanoseconds a call, panics, and the rates against bare.
fn row(timing: &Timing) -> [f64; 10] {
    let each = |ns: u64, calls: u64| ns as f64 / calls.max(1) as f64;
    let walk = each(timing.walk_ns, timing.walk_calls);
    let legal = each(timing.legal_ns, timing.legal_calls);
    let replay = each(timing.replay_ns, timing.calls);
    let bare = each(timing.bare_ns, timing.calls);
    // What a sequence with a panic takes beyond its calls at the legal rate.
    let others = timing.walk_calls - timing.legal_calls;
    let beyond = (timing.walk_ns - timing.legal_ns) as f64 - legal * others as f64;
    let panics = each(timing.panics, timing.walk_calls);
    let panic_us = beyond / timing.panics.max(1) as f64 / 1e3;
    let generating = legal - replay;
    let rates = [bare / walk, bare / legal, bare / replay];
    [walk, legal, generating, replay, bare, panics, panic_us, rates[0], rates[1], rates[2]]
}
