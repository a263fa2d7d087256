//! Explorations of compiled programs, checked against native runs.

mod support;

use std::sync::LazyLock;

use support::{Compiled, bytes, compile};
use testsmith_solver::{Blaster, Solver};
use testsmith_symbolic::explore::{Conclusion, Exploration, Settings, Strategy, explore};
use testsmith_symbolic::machine::{Bounds, End, Layout, RunRequest};

static LIBRARY: LazyLock<Compiled> = LazyLock::new(|| compile("library"));

fn voids(exploration: &Exploration) -> Vec<String> {
    exploration.ledger.voids().map(|(why, _)| why.to_owned()).collect()
}

/// Every path visited and nothing failed.
fn holds(function: &str, len: usize) -> Exploration {
    let exploration = LIBRARY.explore_and_replay(function, &bytes(len));
    let failures: Vec<_> = exploration.failures().map(|case| (&case.input, &case.end)).collect();
    assert_eq!(voids(&exploration), Vec::<String>::new(), "{function}; {failures:?}");
    assert_eq!(exploration.conclusion(), Conclusion::Holds, "{function}: {failures:?}");
    exploration
}

/// Some input makes it fail, natively too.
fn fails(function: &str, len: usize) -> Exploration {
    let exploration = LIBRARY.explore_and_replay(function, &bytes(len));
    assert_eq!(
        exploration.conclusion(),
        Conclusion::Fails,
        "{function}: {:?}",
        voids(&exploration)
    );
    exploration
}

#[test]
fn four_insertions_into_a_btree_map_take_seventy_five_paths() {
    assert_eq!(holds("btree_four", 16).paths(), 75);
}

#[test]
fn the_triangle_has_a_path_for_every_way_through_its_conditions() {
    let apart = LIBRARY.explore_and_replay("triangle", &apart(12));
    assert_eq!(apart.conclusion(), Conclusion::Holds, "{:?}", voids(&apart));
    assert!(apart.paths() >= 14, "{}", apart.paths());
}

/// Every way of every branch is a path of its own.
fn apart(len: usize) -> Settings {
    let mut settings = bytes(len);
    settings.bounds.merging = false;
    settings
}

#[test]
fn ways_that_meet_again_are_one_path_with_an_input_for_every_side() {
    for (function, len) in [("triangle", 12), ("collatz", 1), ("checksum", 1), ("euclid", 2)] {
        let (mut interpreter, entry) = LIBRARY.interpreter(function);
        let solver = || vec![Box::new(Blaster::default()) as Box<dyn Solver>];
        let apart = explore(&mut interpreter, entry, &apart(len), solver());
        interpreter.forget_terms();
        let joined = explore(&mut interpreter, entry, &bytes(len), solver());
        assert_eq!(joined.conclusion(), apart.conclusion(), "{function}");
        assert!(joined.paths() < apart.paths(), "{function}: {}", joined.paths());
        assert!(joined.sides_are_clear(), "{function}");
        assert_eq!(joined.covered, apart.covered, "{function}");
    }
}

#[test]
fn a_hash_map_is_explored_under_a_named_model() {
    let exploration = holds("hash_two", 12);
    assert_eq!(exploration.paths(), 5, "the partitions of three keys");
    let models: Vec<_> =
        exploration.ledger.assumptions().map(|(assumption, _)| assumption.name()).collect();
    assert_eq!(models, ["hashing", "allocation"]);
}

#[test]
fn sorting_and_parsing_are_explored_completely() {
    holds("sort_dedup", 4);
    holds("parse_number", 4);
    holds("deque", 12);
    holds("heap", 12);
    holds("format_number", 1);
    holds("dynamic", 12);
    holds("float_multiply", 4);
}

#[test]
fn panics_are_found_with_their_places() {
    let exploration = fails("panics", 5);
    let mut places: Vec<(u32, u32)> = exploration
        .failures()
        .filter_map(|case| match &case.end {
            End::Panicked { place, .. } => Some((place.line, place.column)),
            _ => None,
        })
        .collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 5, "two overflows, index, unwrap, division: {places:?}");
    assert!(exploration.ledger.is_complete(), "{:?}", voids(&exploration));
}

#[test]
fn one_bad_input_among_billions_is_found() {
    for (function, len) in [
        ("one_in_four_billion", 4),
        ("one_of_all_words", 8),
        ("multiply_short", 4),
        ("divide", 8),
        ("table", 2),
        ("compare_text", 5),
        ("add_overflow", 4),
        ("niche", 1),
        ("chosen_reference", 1),
        ("slice_index", 8),
        ("float_compare", 8),
        ("float_small", 1),
    ] {
        fails(function, len);
    }
}

#[test]
fn a_value_that_no_input_gives_is_proved_absent() {
    // A dynamic program over the bits, apart from any solver, finds no input either.
    holds("none_of_all_words", 8);
}

#[test]
fn a_hash_that_disagrees_with_equality_is_not_hidden_by_the_model() {
    // Not replayed: one time in 128 the two hashes have the same tag, and it is found.
    let exploration = LIBRARY.explore("wrong_hash", &bytes(2));
    assert_eq!(exploration.conclusion(), Conclusion::Fails, "{:?}", voids(&exploration));
}

/// Nothing failed, and yet no claim is made, for this reason.
fn undecided(function: &str, settings: &Settings, reason: &str) {
    let exploration = LIBRARY.explore_and_replay(function, settings);
    assert_eq!(exploration.conclusion(), Conclusion::Undecided, "{function}");
    let voids = voids(&exploration);
    assert!(voids.iter().any(|why| why.contains(reason)), "{function}: {voids:?}");
}

#[test]
fn what_is_unsupported_voids_the_claim_and_says_so() {
    undecided("thread", &bytes(1), "outside the program");
    undecided("file", &bytes(1), "outside the program");
    undecided("environment", &bytes(1), "the model empty-environment");
    undecided("clock", &bytes(1), "the model clock");
}

#[test]
fn every_bound_voids_the_claim_and_says_so() {
    let bounded = |len: usize, change: &dyn Fn(&mut Bounds)| {
        let mut settings = bytes(len);
        change(&mut settings.bounds);
        settings
    };
    undecided("endless", &bounded(1, &|b| b.steps = 100_000), "100000 steps");
    undecided("recursion", &Settings { max_paths: 40, ..bytes(8) }, "bound of 40 paths");
    undecided("recursion", &bounded(8, &|b| (b.depth, b.unrollings) = (30, 50)), "30 nested calls");
    undecided("loop_bound", &bounded(4, &|b| b.unrollings = 20), "20 decisions at one branch");
    undecided("loop_bound", &bounded(4, &|b| b.decisions = 20), "20 decisions on one path");
    undecided("hash_two", &bounded(12, &|b| b.memory_bytes = 64), "memory bound of 64 bytes");
    undecided("much_stack", &bytes(2), "1048576 bytes of stack");
    let instant = Settings { max_time: std::time::Duration::ZERO, ..bytes(16) };
    undecided("btree_four", &instant, "time bound");
    let first = Settings { max_paths: 1, ..bytes(16) };
    undecided("btree_four", &first, "bound of 1 paths");
}

#[test]
fn a_question_the_solver_cannot_answer_voids_the_claim() {
    for (function, len) in [("wide_product", 16), ("multiply", 8)] {
        let (mut interpreter, entry) = LIBRARY.interpreter(function);
        let solvers = vec![Box::new(Blaster::new(200)) as Box<dyn Solver>];
        let exploration = explore(&mut interpreter, entry, &bytes(len), solvers);
        assert_eq!(exploration.conclusion(), Conclusion::Undecided, "{function}");
        assert!(voids(&exploration).iter().any(|why| why.contains("gave up")), "{function}");
    }
}

#[test]
fn output_is_swallowed_under_a_named_model() {
    let exploration = holds("print", 1);
    assert!(exploration.ledger.assumptions().any(|(assumption, _)| assumption.name() == "output"));
}

#[test]
fn every_strategy_visits_the_same_paths() {
    let paths = |strategy| {
        let settings = Settings { strategy, ..bytes(12) };
        let exploration = LIBRARY.explore_and_replay("heap", &settings);
        assert_eq!(exploration.conclusion(), Conclusion::Holds);
        exploration.paths()
    };
    let depth = paths(Strategy::DepthFirst);
    assert_eq!(paths(Strategy::BreadthFirst), depth);
    assert_eq!(paths(Strategy::CoverageFirst), depth);
}

#[test]
fn a_concrete_run_computes_what_the_machine_computes() {
    let (mut interpreter, entry) = LIBRARY.interpreter("work");
    let run = interpreter.run(&RunRequest {
        entry,
        input: &[42],
        script: &[],
        bounds: &Bounds::default(),
        text_check: None,
        symbolic: false,
        layout: Layout::Ordered,
        unwind: false,
        hash_order: &[],
    });
    assert_eq!(run.end, End::Returned);
    assert_eq!(run.returned[0].bits as u64 as i64, LIBRARY.call("work", &[42]));
}

#[test]
fn whether_bytes_are_a_text_is_one_decision_and_each_way_of_failing_another() {
    let exploration = holds("judged_text", 12);
    // With 1, 2, 3 and from 4 to 12 bytes left there are 2, 2, 3 and 3 ways of being wrong.
    assert_eq!(exploration.paths(), 1 + 2 + 2 + 3 + 9 * 3);
    let native = LIBRARY.native("judged_text");
    for case in &exploration.cases {
        assert_eq!(case.returned[0].bits as u64 as i64, native(&case.input), "{:?}", case.input);
    }
}

#[test]
fn a_processor_without_extensions_is_an_assumption_with_a_name() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let exploration = holds("detected", 2);
    let assumed: Vec<_> = exploration.ledger.assumptions().map(|(what, _)| what.name()).collect();
    assert_eq!(assumed, ["plain-cpu"]);
}

#[test]
fn loops_on_the_input_are_explored_completely() {
    holds("collatz", 1);
    holds("euclid", 2);
    assert_eq!(holds("checksum", 1).paths(), 1, "all ways meet");
    let paths = |function| LIBRARY.explore(function, &apart(1)).paths();
    assert_eq!(paths("collatz"), 255, "a path for each start, and one for 0 and 1");
    assert_eq!(paths("checksum"), 256, "the branches tell all bytes apart");
}

#[test]
fn a_quotient_and_its_remainder_make_the_number_again() {
    holds("divided", 16);
    holds("divided_signed", 8);
    assert_eq!(holds("written_and_read", 4).paths(), 10, "one to ten digits");
}
