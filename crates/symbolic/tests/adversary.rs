//! Programs that try to make the interpreter lie.
//!
//! A wrong "holds" is the worst there is: what holds must hold, what fails must
//! be found however few its inputs are, and whatever cannot be known for sure
//! must be left undecided, with the reason.

mod support;

use std::sync::LazyLock;

use support::{Compiled, bytes, compile};
use testsmith_symbolic::explore::{Conclusion, Exploration};

static ADVERSARY: LazyLock<Compiled> = LazyLock::new(|| compile("adversary"));

fn voids(exploration: &Exploration) -> Vec<String> {
    exploration.ledger.voids().map(|(why, _)| why.to_owned()).collect()
}

fn check(expected: Conclusion, list: &[(&str, usize)]) {
    for (function, len) in list {
        let exploration = ADVERSARY.explore_and_replay(function, &bytes(*len));
        let found = (exploration.conclusion(), voids(&exploration));
        assert_eq!(found.0, expected, "{function}: {:?}", found.1);
    }
}

fn undecided(list: &[(&str, usize, &str)]) {
    for (function, len, reason) in list {
        let exploration = ADVERSARY.explore(function, &bytes(*len));
        let voids = voids(&exploration);
        assert_eq!(exploration.conclusion(), Conclusion::Undecided, "{function}: {voids:?}");
        assert!(voids.iter().any(|why| why.contains(reason)), "{function}: {voids:?}");
    }
}

#[test]
fn memory_that_is_special_is_memory_all_the_same() {
    check(
        Conclusion::Fails,
        &[
            ("volatile", 4),
            ("atomics", 4),
            ("locals_of_the_thread", 4),
            ("mutable_table", 6),
            ("partly_written", 5),
            ("padding", 5),
        ],
    );
    check(Conclusion::Holds, &[("atomic_sums", 8)]);
}

#[test]
fn every_path_starts_as_a_fresh_process_does() {
    let exploration = ADVERSARY.explore("set_once", &bytes(4));
    assert_eq!(exploration.conclusion(), Conclusion::Holds, "{:?}", voids(&exploration));
}

#[test]
fn what_depends_on_addresses_is_not_claimed() {
    undecided(&[
        ("address_of_heap", 4, "where memory lies"),
        ("order_of_addresses", 1, "where memory lies"),
        ("order_of_the_stack", 1, "where memory lies"),
        ("alignment", 1, "where memory lies"),
    ]);
    let exploration = ADVERSARY.explore("address_and_input", &bytes(8));
    assert_ne!(exploration.conclusion(), Conclusion::Holds);
    check(Conclusion::Holds, &[("alignment_that_is_owed", 8)]);
}

#[test]
fn wide_numbers_shifts_and_the_least_integer_are_exact() {
    check(
        Conclusion::Fails,
        &[
            ("wide_multiply", 8),
            ("wide_divide", 4),
            ("shift_too_far", 5),
            ("least_by_minus_one", 8),
        ],
    );
    check(Conclusion::Holds, &[("shifts", 5), ("least_by_minus_one_wrapping", 4)]);
    undecided(&[("wide_overflow", 16, "128 bits")]);
}

#[test]
fn lengths_orders_and_calls_that_depend_on_the_input_are_all_visited() {
    check(
        Conclusion::Fails,
        &[
            ("compared_with_lengths", 6),
            ("text_of_any_length", 9),
            ("moved_within", 8),
            ("actions", 5),
            ("dropped", 1),
        ],
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn vectors_are_exact_or_not_supported() {
    check(Conclusion::Fails, &[("vectors", 16)]);
    undecided(&[("vectors_unknown", 16, "unsupported"), ("assembly", 8, "inline assembly")]);
}

#[test]
fn what_hashing_leaves_open_is_not_claimed() {
    for function in ["hash_retained", "hash_popped"] {
        let exploration = ADVERSARY.explore(function, &bytes(2));
        assert_ne!(exploration.conclusion(), Conclusion::Holds, "{function}");
    }
    undecided(&[
        ("hash_as_number", 4, "a hash is used as a number"),
        ("hash_by_state", 4, "a hash is used as a number"),
    ]);
}

#[test]
fn a_process_that_is_left_has_not_returned() {
    let exploration = ADVERSARY.explore("leaves_the_process", &bytes(1));
    let failing: Vec<_> = exploration.failures().map(|case| case.input.clone()).collect();
    assert_eq!(failing, [[9]], "{:?}", voids(&exploration));
}

#[test]
fn floats_are_exact() {
    check(
        Conclusion::Fails,
        &[
            ("through_a_float_everywhere", 8),
            ("float_absorbed", 8),
            ("float_halved", 8),
            ("float_one_value", 4),
            ("float_whole", 4),
        ],
    );
    check(
        Conclusion::Holds,
        &[
            ("through_a_float", 8),
            ("through_a_single", 4),
            ("float_of_itself", 4),
            ("float_counted", 8),
            ("float_halved_normally", 8),
        ],
    );
    undecided(&[("float_zeros", 8, "which of two zeros"), ("float_root", 4, "on one value only")]);
}
