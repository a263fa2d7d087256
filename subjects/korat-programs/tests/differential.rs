//! Hundreds of random programs: with generators, without, and by brute force.

use subject_korat_programs::flat::Flat;
use subject_korat_programs::graph::{Arena, Boxed, Raw, Shared, WithWeak};
use subject_korat_programs::{Subject, explore};

fn check<T: Subject>(scope: usize, seed: u64, count: u64) {
    let tally = explore::<T>(scope, seed, count);
    assert!(tally.mismatches.is_empty(), "{}", tally.mismatches.join("\n\n"));
    assert!(tally.telling * 2 > tally.programs, "most programs tell structures apart: {tally:?}");
}

#[test]
fn programs_over_arrays_and_nested_types_find_what_brute_force_finds() {
    check::<Flat>(2, 1, 100);
}

#[test]
fn programs_over_shared_pointers_find_what_brute_force_finds() {
    check::<Shared>(2, 1, 100);
}

#[test]
fn programs_over_weak_pointers_find_what_brute_force_finds() {
    check::<WithWeak>(2, 1, 60);
}

#[test]
fn programs_over_raw_pointers_find_what_brute_force_finds() {
    check::<Raw>(2, 1, 60);
}

#[test]
fn programs_over_boxes_find_what_brute_force_finds() {
    check::<Boxed>(2, 1, 60);
}

#[test]
fn programs_over_arenas_find_what_brute_force_finds() {
    check::<Arena>(2, 1, 100);
}
