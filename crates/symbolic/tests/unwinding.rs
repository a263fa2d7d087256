//! Clean-up code is code: what a panic runs on its way up decides as well.

mod support;

use std::sync::LazyLock;

use support::{Compiled, bytes, compile};
use testsmith_symbolic::explore::{Conclusion, Expectation, Exploration, Settings};
use testsmith_symbolic::machine::End;

static UNWINDING: LazyLock<Compiled> = LazyLock::new(|| compile("unwinding"));

fn should_panic(function: &str) -> Exploration {
    let mut settings = Settings { expectation: Expectation::Panics, ..bytes(1) };
    settings.bounds.steps = 1_000_000;
    UNWINDING.explore(function, &settings)
}

fn failing(exploration: &Exploration) -> Vec<u8> {
    exploration.failures().map(|case| case.input[0]).collect()
}

fn voids(exploration: &Exploration) -> Vec<&str> {
    exploration.ledger.voids().map(|(why, _)| why).collect()
}

#[test]
fn a_panic_is_not_the_expected_one_if_a_destructor_panics_again() {
    let exploration = should_panic("panics_again");
    assert_eq!((failing(&exploration), voids(&exploration)), (vec![77], vec![]));
    assert!(matches!(exploration.failures().next().map(|case| &case.end), Some(End::Crashed(_))));
}

#[test]
fn a_panic_is_not_the_expected_one_if_a_destructor_leaves_the_process() {
    let exploration = should_panic("exits");
    assert_eq!((failing(&exploration), voids(&exploration)), (vec![78], vec![]));
}

#[test]
fn a_destructor_that_loops_is_cut_short_and_its_input_is_kept() {
    let exploration = should_panic("loops");
    assert_eq!(exploration.conclusion(), Conclusion::Undecided);
    let inputs: Vec<_> = exploration.cut.iter().map(|cut| cut.input.clone()).collect();
    assert_eq!(inputs, [[79]], "{:?}", exploration.cut);
}

#[test]
fn clean_up_that_does_no_harm_leaves_the_panic_the_expected_one() {
    let exploration = should_panic("cleans_up");
    assert_eq!((exploration.conclusion(), voids(&exploration)), (Conclusion::Holds, vec![]));
    // What is formatted for nobody makes no paths.
    assert_eq!(exploration.paths(), 1);
}

#[test]
fn the_message_of_a_panic_is_made_by_code_that_may_panic() {
    assert_eq!(failing(&should_panic("message_panics")), [7]);
}

#[test]
fn what_is_caught_goes_on_as_it_does_natively() {
    for function in ["caught", "caught_payload", "caught_inside", "poisoned", "rest_is_dropped"] {
        let exploration = UNWINDING.explore_and_replay(function, &bytes(1));
        let found = (exploration.conclusion(), voids(&exploration));
        assert_eq!(found, (Conclusion::Holds, vec![]), "{function}");
    }
    let exploration = UNWINDING.explore_and_replay("caught_text", &bytes(1));
    let failing: Vec<u8> = failing(&exploration).iter().map(|byte| byte & 15).collect();
    assert_eq!(failing, [11], "{:?}", voids(&exploration));
}
