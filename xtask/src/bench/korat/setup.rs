//! How long it takes to set a search up, before its first candidate: it should
//! grow as the scope does. Nothing is searched here.

use std::time::Instant;

use subject_containers::SearchTree;
use testsmith::korat::{Finitization, Search};

/// The scopes, each four times the one before.
const SCOPES: [usize; 5] = [250, 1_000, 4_000, 16_000, 64_000];
/// How often each is set up; the fastest counts.
const TIMES: usize = 5;
/// How much more than four times as long a step may take. Quadratic growth
/// would be sixteen.
const MOST: f64 = 8.0;

pub fn run() -> anyhow::Result<()> {
    println!("{:<22} {:>11} {:>14} {:>8}", "set-up of SearchTree", "ms", "ns per object", "growth");
    let mut before: Option<f64> = None;
    for scope in SCOPES {
        let seconds = (0..TIMES).map(|_| set_up(scope)).fold(f64::INFINITY, f64::min);
        let growth = before.map(|before| seconds / before);
        println!(
            "{scope:<22} {:>11.3} {:>14.1} {:>8}",
            seconds * 1e3,
            seconds * 1e9 / scope as f64,
            growth.map_or("-".to_owned(), |growth| format!("{growth:.1}"))
        );
        anyhow::ensure!(
            growth.is_none_or(|growth| growth < MOST),
            "four times the scope takes {growth:?} times as long to set up"
        );
        before = Some(seconds);
    }
    Ok(())
}

fn set_up(scope: usize) -> f64 {
    let finitization = Finitization::new(scope);
    let started = Instant::now();
    let run = Search::<SearchTree>::within(finitization).try_run();
    let seconds = started.elapsed().as_secs_f64();
    assert!(run.is_ok(), "a space of scope {scope}");
    seconds
}
