//! Random predicates over structures that alias, nest and repeat: what the
//! structure search finds, with generators and without, is compared with a
//! brute force over models that shares no code with it.
//!
//! Nothing here is a test by itself; the tests of this crate run hundreds of
//! programs, `cargo xtask bench korat differential` thousands.

mod evaluate;
pub mod flat;
mod forms;
pub mod graph;
pub mod program;

use std::collections::BTreeSet;
use std::fmt::Debug;

use program::{Clause, Grammar, Random, random_program};
use testsmith::Korat;
use testsmith::korat::{Finitization, Outcome, Search};

/// A structure whose `rep_ok` interprets programs.
pub trait Subject: Korat {
    /// A structure as plain data, the same for isomorphic ones.
    type Model: Ord + Clone + Debug;

    const NAME: &'static str;

    fn grammar() -> Grammar;

    /// The plain data of a found structure.
    fn model(&self) -> Self::Model;

    /// Every structure of a scope, valid or not, each once.
    fn all_models(scope: usize) -> Vec<Self::Model>;

    /// Whether a structure satisfies a program.
    fn valid(model: &Self::Model, program: &[Clause]) -> bool;

    /// Makes a program the one that `rep_ok` interprets on this thread.
    fn start(program: &[Clause]);
}

/// What is done with one program.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub programs: u64,
    /// Structures found, all programs together.
    pub structures: u64,
    /// Programs that some structures satisfy and others do not.
    pub telling: u64,
    pub mismatches: Vec<String>,
}

/// Runs `count` programs on one kind of structure.
pub fn explore<T: Subject>(scope: usize, first_seed: u64, count: u64) -> Tally {
    let all = T::all_models(scope);
    let mut tally = Tally::default();
    for seed in first_seed..first_seed + count {
        let mut random = Random(seed);
        let program = random_program(&mut random, &T::grammar());
        tally.programs += 1;
        match compare::<T>(scope, &all, &program) {
            Ok(found) => {
                tally.structures += found as u64;
                tally.telling += u64::from(found > 0 && found < all.len());
            }
            Err(text) => {
                let program = shrink::<T>(scope, &all, program);
                let text = compare::<T>(scope, &all, &program).err().unwrap_or(text);
                tally.mismatches.push(format!("{} seed {seed}: {text}\n{program:#?}", T::NAME));
            }
        }
    }
    tally
}

/// The number of structures that satisfy the program, or how the ways to find
/// them differ.
pub fn compare<T: Subject>(
    scope: usize,
    all: &[T::Model],
    program: &[Clause],
) -> Result<usize, String> {
    let expected: BTreeSet<T::Model> =
        all.iter().filter(|model| T::valid(model, program)).cloned().collect();
    T::start(program);
    for generators in [true, false] {
        for reuse in [true, false] {
            let search = Search::<T>::within(Finitization::new(scope));
            let search = search.generators(generators).reuse(reuse).checkpoints(true);
            let how = format!("generators {generators}, reuse {reuse}");
            let (found, candidates) = all_found(&search);
            same(&how, &expected, &found)?;
            let again = search.clone().checkpoints(false);
            if reuse && all_found(&again) != (found, candidates) {
                return Err(format!("{how}: checkpoints change the order or the candidates"));
            }
            if reuse && expected.len() < PIECES * PIECE as usize {
                same(&format!("{how}, in pieces"), &expected, &in_pieces(&search))?;
            }
        }
    }
    Ok(expected.len())
}

fn same<M: Ord + Clone + Debug>(
    how: &str,
    expected: &BTreeSet<M>,
    found: &[M],
) -> Result<(), String> {
    let set: BTreeSet<M> = found.iter().cloned().collect();
    if let Some(missing) = expected.difference(&set).next() {
        let (few, many) = (set.len(), expected.len());
        return Err(format!("{how}: {few} of {many}; missing {missing:?}"));
    }
    if let Some(wrong) = set.difference(expected).next() {
        return Err(format!("{how}: not valid: {wrong:?}"));
    }
    if found.len() > set.len() {
        return Err(format!("{how}: {} found, {} different", found.len(), set.len()));
    }
    Ok(())
}

/// The structures in the order in which they are found, and how many candidates
/// were tried for them.
fn all_found<T: Subject>(search: &Search<T>) -> (Vec<T::Model>, u64) {
    let mut run = search.run();
    let found = run.by_ref().map(|structure| structure.model()).collect();
    (found, run.stats().candidates)
}

/// How many structures a search finds before it stops and goes on elsewhere.
const PIECE: u64 = 3;

/// Longer searches are not made in pieces.
const PIECES: usize = 20;

/// Stops again and again, and goes on from what was printed.
fn in_pieces<T: Subject>(search: &Search<T>) -> Vec<T::Model> {
    let mut found = Vec::new();
    let mut next = search.clone();
    loop {
        let mut run = next.max_valid(PIECE).run();
        found.extend(run.by_ref().map(|structure| structure.model()));
        if run.outcome() == Outcome::Complete {
            return found;
        }
        let printed = run.state().to_string();
        next = search.clone().resume(printed.parse().expect("a printed state"));
    }
}

/// Leaves clauses out as long as the ways still differ.
fn shrink<T: Subject>(scope: usize, all: &[T::Model], mut program: Vec<Clause>) -> Vec<Clause> {
    'again: loop {
        for smaller in smaller_programs(&program) {
            if compare::<T>(scope, all, &smaller).is_err() {
                program = smaller;
                continue 'again;
            }
        }
        return program;
    }
}

fn smaller_programs(program: &[Clause]) -> Vec<Vec<Clause>> {
    let mut smaller = Vec::new();
    for at in 0..program.len() {
        let mut without = program.to_vec();
        let clause = without.remove(at);
        smaller.push(without);
        for inner in [&clause.then, &clause.otherwise] {
            if !inner.is_empty() {
                let mut unwrapped = program.to_vec();
                unwrapped.splice(at..=at, inner.iter().cloned());
                smaller.push(unwrapped);
            }
        }
        for path in 0..clause.paths.len() {
            if clause.word == "chain" && clause.paths.len() > 1 {
                let mut shorter = program.to_vec();
                shorter[at].paths.remove(path);
                smaller.push(shorter);
            }
        }
    }
    smaller
}
