//! What a claim rests on stands with it, and what cannot be stated voids it.

mod support;

use std::sync::LazyLock;

use support::{Compiled, bytes, compile};
use testsmith_symbolic::explore::{Conclusion, Exploration};

static CLAIMS: LazyLock<Compiled> = LazyLock::new(|| compile("claims"));

fn voids(exploration: &Exploration) -> Vec<&str> {
    exploration.ledger.voids().map(|(why, _)| why).collect()
}

fn not_claimed(functions: &[&str], len: usize) {
    for function in functions {
        let exploration = CLAIMS.explore(function, &bytes(len));
        assert_ne!(exploration.conclusion(), Conclusion::Holds, "{function}");
    }
}

fn holds(function: &str, len: usize) -> Exploration {
    let exploration = CLAIMS.explore_and_replay(function, &bytes(len));
    let found = (exploration.conclusion(), voids(&exploration));
    assert_eq!(found, (Conclusion::Holds, vec![]), "{function}");
    exploration
}

fn assumed(exploration: &Exploration) -> Vec<&'static str> {
    exploration.ledger.assumptions().map(|(assumption, _)| assumption.name()).collect()
}

#[test]
fn a_hash_is_no_number_even_in_code_that_a_table_calls() {
    not_claimed(&["equal_by_hash"], 2);
    not_claimed(&["hash_picks"], 1);
    let exploration = CLAIMS.explore("hash_picks", &bytes(1));
    let named =
        |why: &&str| why.contains("a hash is used as a number") && why.contains("claims.rs");
    assert!(voids(&exploration).iter().any(named), "{:?}", voids(&exploration));
}

#[test]
fn every_way_to_see_the_order_of_a_table_is_noticed() {
    let ways = ["drop_order", "clear_order", "clone_order", "rehash_order"];
    not_claimed(&ways, 1);
    not_claimed(&["orders_of_two", "order_after_growth"], 1);
}

#[test]
fn what_is_the_same_in_every_order_holds() {
    for function in ["same_order_twice", "set_algebra"] {
        let exploration = holds(function, 2);
        assert_eq!(assumed(&exploration), ["hashing", "allocation"], "{function}");
    }
    holds("order_free", 3);
    holds("owned_text_dropped", 1);
    // No model of hashing is used where the program hashes itself.
    assert_eq!(assumed(&holds("order_of_its_own", 1)), ["allocation"]);
}

#[test]
fn an_address_is_no_number() {
    not_claimed(&["masked_address", "distance_between", "moved_by_growth", "shown_address"], 1);
}

#[test]
fn what_every_layout_has_in_common_holds() {
    for function in ["place_in_a_list", "tagged_pointer", "apart"] {
        holds(function, 1);
    }
}

#[test]
fn statics_that_outlive_a_run_are_an_assumption_with_their_name() {
    for (function, name) in [("counted", "COUNT"), ("switched", "SWITCH")] {
        let exploration = holds(function, 1);
        let (assumption, places) = exploration.ledger.assumptions().next().expect("one is used");
        assert_eq!(assumption.name(), "fresh-process", "{function}");
        assert!(places.iter().any(|place| place.file.ends_with(name)), "{places:?}");
    }
    assert_eq!(assumed(&holds("scratched", 1)), [""; 0]);
}

#[test]
fn the_arguments_of_the_process_are_not_known() {
    not_claimed(&["arguments"], 1);
}

#[test]
fn nothing_is_assumed_that_is_not_used() {
    assert_eq!(assumed(&holds("sum", 1)), [""; 0]);
}
