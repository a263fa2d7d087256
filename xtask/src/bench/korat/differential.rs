//! `cargo xtask bench korat differential [programs]`: random predicates by the
//! search with generators, without them, with and without checkpoints, in
//! pieces, and by a brute force that shares no code with it.

use std::time::Instant;

use subject_korat_programs::flat::Flat;
use subject_korat_programs::graph::{Arena, Boxed, Raw, Shared, WithWeak};
use subject_korat_programs::{Subject, explore};

/// Programs for each kind of structure, unless said otherwise.
const PROGRAMS: u64 = 1_000;

/// Far from the seeds of the tests.
const FIRST_SEED: u64 = 1_000_000;

/// One program in so many is also run on three nodes.
const LARGER: u64 = 20;

pub fn run(args: &[String]) -> anyhow::Result<()> {
    let programs = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(PROGRAMS);
    println!(
        "{:<10} {:>5} {:>9} {:>8} {:>12} {:>10} {:>7}",
        "structure", "scope", "programs", "telling", "structures", "mismatches", "wall s"
    );
    let mut mismatches = 0;
    mismatches += row::<Flat>(2, programs);
    mismatches += both::<Shared>(programs);
    mismatches += both::<WithWeak>(programs);
    mismatches += both::<Raw>(programs);
    mismatches += both::<Boxed>(programs);
    mismatches += both::<Arena>(programs);
    anyhow::ensure!(mismatches == 0, "{mismatches} programs differ");
    Ok(())
}

fn both<T: Subject>(programs: u64) -> usize {
    row::<T>(2, programs) + row::<T>(3, programs / LARGER)
}

fn row<T: Subject>(scope: usize, programs: u64) -> usize {
    let start = Instant::now();
    let tally = explore::<T>(scope, FIRST_SEED, programs);
    println!(
        "{:<10} {scope:>5} {:>9} {:>8} {:>12} {:>10} {:>7.1}",
        T::NAME,
        tally.programs,
        tally.telling,
        tally.structures,
        tally.mismatches.len(),
        start.elapsed().as_secs_f64()
    );
    for text in &tally.mismatches {
        println!("{text}");
    }
    tally.mismatches.len()
}
