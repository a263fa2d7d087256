//! Calls per second through the whole worker against a bare loop.
//!
//! The worker's own loop generates, checks loans, writes the journal, catches
//! panics and reads the counters; the bare loop calls the same thunks with the
//! same arguments and does nothing else. Both in one process, one after the
//! other, several times.

use super::session;
use anyhow::Result;
use testsmith_lab::{Limits, Profile};
use testsmith_model::message::Walk;

const ROUNDS: u64 = 5;

pub fn run(args: &[String]) -> Result<()> {
    let krate = args.first().map_or("indexmap@2.14.2", String::as_str);
    let mut session = session(krate)?;
    println!("{krate}: calls per second, median of {ROUNDS} rounds, one core");
    println!(
        "{:<12} {:>10} {:>10} {:>10} {:>12} {:>12}",
        "build", "walk", "replay", "bare", "walk/bare", "replay/bare"
    );
    for (name, profile) in
        [("unoptimised", Profile::Unoptimised), ("optimised", Profile::Optimised)]
    {
        let harness = session.build(profile)?;
        let mut rows = vec![];
        for round in 0..ROUNDS {
            let mut supervisor = session.supervise(&harness, Limits::default())?;
            let walk = Walk {
                seed: 42 + round,
                max_sequences: 3000,
                max_calls: 200_000,
                max_length: 20,
                avoid: deadly(&mut supervisor)?,
                ..Walk::default()
            };
            let timing = supervisor.time(&walk)?;
            let rate = |ns: u64| timing.calls as f64 * 1e9 / ns.max(1) as f64;
            rows.push([rate(timing.walk_ns), rate(timing.replay_ns), rate(timing.bare_ns)]);
        }
        let median = |n: usize| {
            let mut column: Vec<f64> = rows.iter().map(|row| row[n]).collect();
            column.sort_by(f64::total_cmp);
            column[column.len() / 2]
        };
        let (walk, replay, bare) = (median(0), median(1), median(2));
        println!(
            "{name:<12} {:>9.2}M {:>9.2}M {:>9.2}M {:>12.2} {:>12.2}",
            walk / 1e6,
            replay / 1e6,
            bare / 1e6,
            walk / bare,
            replay / bare
        );
    }
    Ok(())
}

/// Operations that end the process cannot be timed in one.
fn deadly(supervisor: &mut testsmith_lab::Supervisor) -> Result<Vec<testsmith_model::OpId>> {
    let walk = Walk {
        seed: 7,
        max_sequences: 20_000,
        max_calls: 400_000,
        max_length: 20,
        ..Walk::default()
    };
    let mut deadly = vec![];
    supervisor.walk(&walk, &mut |sequence, outcome| {
        if outcome.ending.is_fatal()
            && let Some(testsmith_model::Step::Call(op, _)) =
                sequence.steps().nth(outcome.step as usize)
        {
            deadly.push(*op);
        }
    })?;
    deadly.sort();
    deadly.dedup();
    Ok(deadly)
}
