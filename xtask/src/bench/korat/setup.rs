//! How long it takes to set a search up, before its first candidate: it should
//! grow as the scope does. Nothing is searched here.

use cpu_time::ThreadTime;
use subject_containers::SearchTree;
use testsmith::korat::{Finitization, Search};

/// The scopes, each four times the one before.
const SCOPES: [usize; 5] = [250, 1_000, 4_000, 16_000, 64_000];
/// How often each is set up; the fastest counts.
const TIMES: usize = 5;
/// How much more one object of the largest scope may take than one of the
/// smallest: what no longer fits into a cache takes a few times as long. With
/// quadratic growth it would be 256 times.
const MOST: f64 = 16.0;

pub fn run() -> anyhow::Result<()> {
    println!("{:<22} {:>11} {:>14} {:>8}", "set-up of SearchTree", "ms", "ns per object", "growth");
    let mut before: Option<f64> = None;
    let mut each = Vec::new();
    for scope in SCOPES {
        let seconds = (0..TIMES).map(|_| set_up(scope)).fold(f64::INFINITY, f64::min);
        let growth = before.map(|before| seconds / before);
        println!(
            "{scope:<22} {:>11.3} {:>14.1} {:>8}",
            seconds * 1e3,
            seconds * 1e9 / scope as f64,
            growth.map_or("-".to_owned(), |growth| format!("{growth:.1}"))
        );
        each.push(seconds / scope as f64);
        before = Some(seconds);
    }
    let growth = each[each.len() - 1] / each[0];
    anyhow::ensure!(
        growth < MOST,
        "an object of the largest scope takes {growth:.1} times as long"
    );
    Ok(())
}

fn set_up(scope: usize) -> f64 {
    let finitization = Finitization::new(scope);
    let started = ThreadTime::now();
    let run = Search::<SearchTree>::within(finitization).try_run();
    let seconds = started.elapsed().as_secs_f64();
    assert!(run.is_ok(), "a space of scope {scope}");
    seconds
}
