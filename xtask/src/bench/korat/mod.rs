//! `cargo xtask bench korat`: how fast structures are found.
//!
//! Every row has the domains of the Java tool's row, and must find as many
//! structures. Each structure is visited, none is only counted. Time is CPU
//! time of the searching threads; the Java column was measured once on this
//! kind of machine and is part of the table below. With `--against XTASK` the
//! rows are also run by another version, one after the other.
//!
//! `differential` and `enumerators` are benches of their own.

mod against;
mod differential;
mod enumerators;
mod setup;
mod shapes;

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

use cpu_time::ThreadTime;
use subject_containers::{
    AvTree, BinomialHeap, DisjSet, FibonacciHeap, HashSet, HeapArray, LinkedList, SearchTree,
    SortedList, TreeMap,
};
use testsmith::Korat;
use testsmith::korat::{Finitization, Search, Stats};

use against::Against;
use shapes::{BinaryTree, Dag, DoublyLinkedList, SinglyLinkedList};

/// How often a thread looks at its clock, in structures.
const SAMPLE_EVERY: u64 = 512;

/// Searches of fewer seconds are over before a second thread has its part.
const WORTH_SHARING: f64 = 0.02;

/// Short searches are repeated until this much time is spent on them.
const REPEAT_SECONDS: f64 = 0.5;

/// What the Java tool found, and in how many CPU seconds.
struct Row {
    name: &'static str,
    scope: usize,
    valid: u64,
    java_candidates: u64,
    java_seconds: f64,
    /// How many times faster we want to be.
    goal: f64,
    measure: fn(&Row, &Options) -> anyhow::Result<()>,
}

struct Options {
    /// Also the rows without generators that take long.
    all: bool,
    only: Option<String>,
    against: Option<RefCell<Against>>,
}

pub fn run(args: &[String]) -> anyhow::Result<()> {
    match args.first().map(String::as_str) {
        Some("differential") => return differential::run(&args[1..]),
        Some("enumerators") => return enumerators::run(),
        _ => {}
    }
    let other = args.iter().position(|arg| arg == "--against");
    let path = other.and_then(|at| args.get(at + 1));
    let options = Options {
        all: args.iter().any(|arg| arg == "--all"),
        only: args.iter().find(|arg| !arg.starts_with("--") && Some(*arg) != path).cloned(),
        against: path.map(|path| RefCell::new(Against::new(path.into()))),
    };
    println!(
        "{:<22} {:>11} | {:>11} {:>8} {:>7} {:>6} {:>6} {:>6} {:>5} | {:>8} {:>5} | {:>11} {:>8} \
         {:>7} {:>6} {:>6} {:>5}",
        "structure, scope",
        "valid",
        "candidates",
        "cpu s",
        "Mcand/s",
        "x Java",
        "resume",
        "before",
        "again",
        "2 thr s",
        "speed",
        "plain cand",
        "cpu s",
        "x Java",
        "resume",
        "before",
        "again"
    );
    for row in rows() {
        let wanted = options.only.as_ref().is_none_or(|only| row.name.contains(only.as_str()));
        if wanted {
            (row.measure)(&row, &options)?;
        }
    }
    match &options.only {
        Some(only) if only != "setup" => Ok(()),
        _ => setup::run(),
    }
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |name, goal, measure, figures: &[(usize, u64, u64, f64)]| {
        for &(scope, valid, java_candidates, java_seconds) in figures {
            rows.push(Row { name, scope, valid, java_candidates, java_seconds, goal, measure });
        }
    };
    add(
        "SearchTree",
        50.0,
        |row, options| exactly::<SearchTree>("SearchTree.size", row, options),
        &[
            (7, 429, 340_990, 0.38),
            (8, 1_430, 2_606_968, 1.19),
            (9, 4_862, 20_086_300, 6.90),
            (10, 16_796, 155_455_872, 56.4),
        ],
    );
    add("SearchTree 0..n", 50.0, scoped::<SearchTree>, &[(7, 2_950, 471_708, 0.45)]);
    add(
        "DisjSet",
        10.0,
        scoped::<DisjSet>,
        &[(4, 914, 7_915, 0.17), (5, 41_546, 413_855, 0.77), (6, 2_967_087, 33_436_639, 8.86)],
    );
    add(
        "HeapArray",
        10.0,
        scoped::<HeapArray>,
        &[
            (7, 117_562, 519_968, 0.30),
            (8, 1_005_075, 5_231_385, 0.69),
            (9, 10_391_382, 51_460_480, 5.18),
            (10, 111_511_015, 583_317_405, 57.6),
        ],
    );
    add(
        "BinomialHeap",
        50.0,
        scoped::<BinomialHeap>,
        &[
            (7, 107_416, 261_788, 0.42),
            (8, 603_744, 1_323_194, 0.94),
            (9, 8_746_120, 11_778_107, 7.6),
        ],
    );
    add(
        "FibonacciHeap",
        10.0,
        scoped::<FibonacciHeap>,
        &[
            (5, 52_281, 164_365, 0.42),
            (6, 1_474_186, 4_809_294, 2.44),
            (7, 49_698_272, 175_980_937, 79.3),
        ],
    );
    add(
        "SinglyLinkedList",
        50.0,
        scoped::<SinglyLinkedList>,
        &[
            (7, 877, 10_290, 0.16),
            (11, 678_570, 10_639_556, 3.75),
            (12, 4_213_597, 70_308_484, 27.0),
        ],
    );
    add(
        "DoublyLinkedList",
        50.0,
        scoped::<DoublyLinkedList>,
        &[
            (7, 3_263, 3_392, 0.17),
            (11, 3_535_027, 3_535_294, 3.15),
            (12, 23_430_840, 23_431_149, 21.0),
        ],
    );
    add("SortedList 0..n", 50.0, scoped::<SortedList>, &[(7, 3_432, 21_213, 0.18)]);
    add(
        "SortedList",
        50.0,
        |row, options| exactly::<SortedList>("SortedList.size", row, options),
        &[(11, 352_716, 3_880_154, 1.93), (13, 5_200_300, 67_604_267, 34.6)],
    );
    add(
        "RedBlackTree",
        50.0,
        |row, options| exactly::<TreeMap>("TreeMap.size", row, options),
        &[
            (7, 35, 71_704, 0.34),
            (9, 122, 1_510_006, 1.35),
            (10, 260, 7_530_712, 4.62),
            (11, 586, 39_089_158, 24.6),
        ],
    );
    add(
        "BinaryTree",
        50.0,
        scoped::<BinaryTree>,
        &[
            (8, 1_430, 54_418, 0.20),
            (12, 208_012, 12_284_830, 4.79),
            (13, 742_900, 47_795_450, 21.4),
        ],
    );
    add(
        "DAG",
        10.0,
        scoped::<Dag>,
        &[(6, 19_696, 204_893, 0.53), (7, 1_410_723, 20_128_126, 21.4)],
    );
    // The rest of the paper's table 2; the Java tool's distribution has no
    // structure with the same domains.
    add("LinkedList", 10.0, scoped::<LinkedList>, &[(6, 0, 0, 0.0), (7, 0, 0, 0.0)]);
    add("HashSet", 10.0, scoped::<HashSet>, &[(6, 0, 0, 0.0), (7, 0, 0, 0.0)]);
    add("AVTree", 10.0, scoped::<AvTree>, &[(4, 0, 0, 0.0), (5, 0, 0, 0.0)]);
    rows
}

fn scoped<T: Korat>(row: &Row, options: &Options) -> anyhow::Result<()> {
    measure::<T>(row, options, Finitization::new(row.scope))
}

/// Only structures of the full size, which is this field.
fn exactly<T: Korat>(size: &str, row: &Row, options: &Options) -> anyhow::Result<()> {
    measure::<T>(row, options, Finitization::new(row.scope).field(size, [row.scope]))
}

/// Visits every structure and returns the CPU seconds it took.
fn visit<T: Korat>(search: &Search<T>) -> anyhow::Result<(f64, Stats)> {
    let start = ThreadTime::now();
    let mut run = search.try_run()?;
    let mut visited = 0u64;
    while run.advance() {
        visited += 1;
        std::hint::black_box(run.current().twin());
    }
    let seconds = start.elapsed().as_secs_f64();
    anyhow::ensure!(visited == run.stats().valid, "the count is what was visited");
    Ok((seconds, run.stats().clone()))
}

fn measure<T: Korat>(
    row: &Row,
    options: &Options,
    finitization: Finitization,
) -> anyhow::Result<()> {
    let search = Search::<T>::within(finitization);
    let (name, scope) = (row.name, row.scope);
    let before = match &options.against {
        Some(against) => against.borrow_mut().times(name, scope, row.java_seconds)?,
        None => None,
    };
    let before = before.unwrap_or_default();
    let Measured { seconds, stats, resumed, again } = alone(&search)?;
    anyhow::ensure!(
        row.valid == 0 || stats.valid == row.valid,
        "{name} {scope}: {} structures, the Java tool finds {}",
        stats.valid,
        row.valid
    );
    let row = &Row { valid: stats.valid, ..*row };
    let (busiest, speedup) = threads(&search, row)?;
    let speedup = if seconds < WORTH_SHARING { "-".to_owned() } else { format!("{speedup:.2}") };
    let ratio = row.java_seconds / seconds;
    let missed = if row.java_seconds > 1.0 && ratio < row.goal { " (below the goal)" } else { "" };
    print!(
        "{:<22} {:>11} | {:>11} {:>8.6} {:>7.1} {:>6.0} {:>6.2} {:>6} {again:>5.1} | {:>8.3} \
         {:>5} | ",
        format!("{name} {scope}"),
        stats.valid,
        stats.candidates,
        seconds,
        stats.candidates as f64 / seconds / 1e6,
        ratio,
        resumed,
        times_faster(before.directed, seconds),
        busiest,
        speedup,
    );
    if options.all || row.java_candidates < 100_000_000 {
        let Measured { seconds, stats, resumed, again } = alone(&search.clone().generators(false))?;
        anyhow::ensure!(stats.valid == row.valid, "{name} {scope}: generators change the result");
        let ratio = row.java_seconds / seconds;
        let before = times_faster(before.plain.unwrap_or_default(), seconds);
        let candidates = stats.candidates;
        println!(
            "{candidates:>11} {seconds:>8.6} {ratio:>7.1} {resumed:>6.2} {before:>6} \
             {again:>5.1}{missed}"
        );
    } else {
        println!("{:>11} {:>8} {:>7} {:>6} {:>6} {:>5}{missed}", "-", "-", "-", "-", "-", "-");
    }
    Ok(())
}

/// A search on one thread.
struct Measured {
    seconds: f64,
    stats: Stats,
    /// How many times longer it takes when every candidate runs the predicate
    /// from its start.
    resumed: f64,
    /// How many in a hundred of the fields that runs from the start read come
    /// before the first that has changed: what a search would save that never
    /// read them again.
    again: f64,
}

/// How many times less `now` is than `before`, if that is known.
fn times_faster(before: f64, now: f64) -> String {
    if before > 0.0 { format!("{:.2}", before / now) } else { "-".to_owned() }
}

/// Measures a search several times, if it is short, and keeps the least: the
/// machine has other users.
fn alone<T: Korat>(search: &Search<T>) -> anyhow::Result<Measured> {
    let again = search.clone().checkpoints(false);
    let (mut seconds, stats) = visit(search)?;
    let (mut whole, other) = visit(&again)?;
    anyhow::ensure!(
        (stats.valid, stats.candidates) == (other.valid, other.candidates),
        "checkpoints change the candidates"
    );
    let mut spent = seconds + whole;
    while spent < REPEAT_SECONDS {
        let (one, _) = visit(search)?;
        let (two, _) = visit(&again)?;
        spent += one + two;
        (seconds, whole) = (seconds.min(one), whole.min(two));
    }
    let mut counted = search.clone().count_reads().try_run()?;
    counted.count_valid();
    let reads = counted.reads();
    let again = 100.0 * reads.made_again as f64 / reads.made as f64;
    Ok(Measured { seconds, stats, resumed: whole / seconds, again })
}

/// CPU seconds of the busiest of two threads, and how much less that is than
/// the CPU seconds of one thread alone: the speed-up on two idle cores. Wall
/// time would measure the other users of the machine.
fn threads<T: Korat>(search: &Search<T>, row: &Row) -> anyhow::Result<(f64, f64)> {
    thread_local! {
        static VISITED: Cell<u64> = const { Cell::new(0) };
    }
    let time = |threads: usize| -> anyhow::Result<f64> {
        let busiest = AtomicU64::new(0);
        let (stats, _) = search.par_for_each(threads, |candidate| {
            std::hint::black_box(candidate.twin());
            VISITED.set(VISITED.get() + 1);
            if VISITED.get().is_multiple_of(SAMPLE_EVERY) {
                let spent = ThreadTime::now().as_duration().as_nanos() as u64;
                busiest.fetch_max(spent, Ordering::Relaxed);
            }
        })?;
        anyhow::ensure!(stats.valid == row.valid, "{} on {threads} threads", row.name);
        Ok(busiest.into_inner() as f64 / 1e9)
    };
    let (one, two) = (time(1)?, time(2)?);
    Ok((two, one / two))
}
