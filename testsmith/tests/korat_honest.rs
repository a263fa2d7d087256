//! Tests that cannot pass on nothing: what `#[korat_test]` says when a test
//! shows less than it seems to.

use std::process::Command;

use testsmith::korat::Search;
use testsmith::{Korat, korat, korat_test};

#[derive(Korat, Debug)]
struct Never {
    low: u8,
    high: u8,
}

#[korat]
impl Never {
    fn rep_ok(&self) -> bool {
        self.low < self.high && self.high < self.low
    }
}

#[korat_test(scope = 2)]
#[should_panic(expected = "no structure of scope 2 satisfies `rep_ok`, so nothing was tested")]
fn a_test_without_structures_fails(never: Never) {
    assert!(never.low < never.high);
}

#[korat_test(scope = 2, white_box)]
#[should_panic(expected = "no structure of scope 2 satisfies `rep_ok`, so nothing was tested")]
fn a_white_box_test_without_structures_fails(never: Never) {
    assert!(never.low < never.high);
}

#[korat_test(scope = 2, allow_empty)]
fn unless_the_author_says_that_there_may_be_none(never: Never) {
    assert!(never.low < never.high);
}

#[derive(Korat, Debug)]
struct Pair {
    low: u8,
    high: u8,
}

#[korat]
impl Pair {
    fn rep_ok(&self) -> bool {
        self.low <= self.high
    }
}

#[korat_test(scope = 2)]
#[should_panic(expected = "what happened: it returned Err(\"low is 1\")")]
fn a_test_that_returns_an_error_fails(pair: Pair) -> Result<(), String> {
    if pair.low == 1 { Err("low is 1".to_owned()) } else { Ok(()) }
}

#[korat_test(scope = 2, white_box)]
#[should_panic(expected = "what happened: on the twin, it returned Err(\"low is 1\")")]
fn a_white_box_test_that_returns_an_error_fails(pair: Pair) -> Result<(), String> {
    if pair.low == 1 {
        return Err("low is 1".to_owned());
    }
    Ok(())
}

#[korat_test(scope = 2)]
fn a_test_may_use_the_question_mark(pair: Pair) -> Result<(), std::num::TryFromIntError> {
    let difference = i8::try_from(pair.high)? - i8::try_from(pair.low)?;
    assert!(difference >= 0);
    Ok(())
}

/// The predicate divides by a field that may be zero.
#[derive(Korat, Debug)]
struct Ratio {
    over: u8,
    under: u8,
}

#[korat]
impl Ratio {
    fn rep_ok(&self) -> bool {
        self.over / self.under <= 1
    }
}

#[korat_test(scope = 2)]
#[should_panic(expected = "let ratio: Ratio = Ratio { over: 0, under: 0 };\nmake `rep_ok` \
                           return false there, or say `panics = \"invalid\"`")]
fn a_predicate_that_panics_fails_the_test(ratio: Ratio) {
    assert!(ratio.under > 0);
}

#[korat_test(scope = 2)]
#[should_panic(expected = "tests/korat_honest.rs:84: attempt to divide by zero")]
fn and_the_line_of_its_panic_is_named(ratio: Ratio) {
    assert!(ratio.under > 0);
}

#[korat_test(scope = 2, panics = "invalid")]
fn unless_the_author_says_that_a_panic_means_invalid(ratio: Ratio) {
    assert!(ratio.under > 0);
}

#[korat_test(scope = 2)]
#[should_panic(expected = "what happened: it panicked at testsmith/tests/korat_honest.rs:109: low")]
fn the_line_of_the_users_own_panic_is_named(pair: Pair) {
    assert!(pair.low != 1, "low");
}

/// The predicate looks at an element that may not be there.
#[derive(Korat, Debug)]
struct Headed {
    items: Vec<u8>,
}

#[korat]
impl Headed {
    fn rep_ok(&self) -> bool {
        self.items[0] <= 1
    }
}

#[korat_test(scope = 2)]
#[should_panic(expected = "tests/korat_honest.rs:121: index out of bounds")]
fn an_element_that_is_not_there_is_missed_where_it_is_asked_for(headed: Headed) {
    assert!(!headed.items.is_empty());
}

/// The name of the predicate is not near enough to be a compile error.
#[derive(Korat, Debug)]
struct Misnamed {
    low: u8,
    high: u8,
}

#[korat]
impl Misnamed {
    fn invariant(&self) -> bool {
        self.low <= self.high
    }
}

#[korat_test(scope = 2)]
#[should_panic(expected = "none of Misnamed has a `rep_ok`")]
fn a_test_without_any_predicate_fails(misnamed: Misnamed) {
    let _ = misnamed.invariant();
}

/// Inputs may be borrowed, as a function under test would.
#[korat_test(scope = 2)]
#[should_panic(expected = "let mut pair: Pair = Pair { low: 0, high: 0 };\n\
                            let text: &'static str = \"a\";\nlet more: Vec<bool> = [false].into();")]
fn inputs_are_lent_to_a_test_that_borrows(pair: &mut Pair, text: &str, more: &[bool]) {
    pair.low += 1;
    assert!(pair.low > 0 && (text.is_empty() || more.is_empty()));
}

#[korat_test(scope = 2)]
#[should_panic(expected = "let mut pair: Pair = Pair { low: 0, high: 0 };")]
fn what_a_test_changes_is_printed_so_that_it_can(mut pair: Pair) {
    pair.low += 1;
    assert!(pair.low > pair.high + 1);
}

#[korat_test(scope = 2)]
fn plain_values_need_no_predicate(a: u8, b: Option<bool>) {
    assert!(a <= 2, "{b:?}");
}

/// Has no predicate of its own; its parts have.
#[derive(Korat, Debug)]
struct Wrapper {
    first: Pair,
    others: Vec<Pair>,
}

/// Has one that does not ask its parts.
#[derive(Korat, Debug)]
struct Bounded {
    pair: Option<Box<Pair>>,
    bound: u8,
}

#[korat]
impl Bounded {
    fn rep_ok(&self) -> bool {
        self.pair.as_ref().is_none_or(|pair| pair.high <= self.bound)
    }
}

#[test]
fn the_predicate_of_a_nested_type_counts() {
    // Three pairs in scope 1; vectors of 0 and 1.
    assert_eq!(Search::<Wrapper>::new(1).run().count(), 3 * (1 + 3));
    // Pairs within a bound of 0, 1, 2, and none.
    assert_eq!(Search::<Bounded>::new(2).run().count(), (1 + 3 + 6) + 3);
    for bounded in Search::<Bounded>::new(2).run() {
        assert!(bounded.pair.is_none_or(|pair| pair.rep_ok()));
    }
}

#[korat_test(scope = 1)]
fn the_predicate_of_a_nested_type_counts_in_tests(wrapper: Wrapper) {
    assert!(wrapper.first.rep_ok() && wrapper.others.iter().all(Pair::rep_ok));
}

#[korat_test(scope = 1, white_box)]
fn the_predicate_of_a_nested_type_counts_in_white_box_tests(wrapper: Wrapper) {
    assert!(wrapper.first.low <= wrapper.first.high);
}

/// A predicate that means the whole list, not each rest of it.
#[derive(Korat, Debug)]
struct Chain {
    rest: Option<Box<Chain>>,
    length: u8,
}

#[korat]
impl Chain {
    fn rep_ok(&self) -> bool {
        let mut count = 0;
        let mut at = &self.rest;
        while let Some(next) = at {
            count += 1;
            at = &next.rest;
        }
        self.length == count
    }
}

#[test]
fn a_recursive_type_is_asked_once_for_the_whole() {
    // Lengths 0, 1 and 2; the lengths noted in the rests are free, 0..=2.
    assert_eq!(Search::<Chain>::new(2).run().count(), 1 + 3 + 9);
}

/// What a test says when it is run alone, as `cargo test` shows it.
fn said(test: &str, arguments: &[&str]) -> (bool, String) {
    let binary = std::env::current_exe().expect("a test runs from a file");
    let output = Command::new(binary)
        .args(["--exact", test, "--ignored"])
        .args(arguments)
        .output()
        .expect("a test binary can be started again");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text.into_owned())
}

#[korat_test(scope = 3)]
#[ignore = "run by the test below"]
fn covers_all(pair: Pair) {
    assert!(pair.low <= pair.high);
}

#[test]
fn a_test_says_how_many_structures_it_saw() {
    let (passed, text) = said("covers_all", &["--show-output"]);
    assert!(passed, "{text}");
    assert!(text.contains("10 inputs of scope 3, all there are"), "{text}");
}

#[korat_test(scope = 20, total_seconds = 1)]
#[ignore = "run by the test below"]
fn covers_a_part(pairs: Vec<Pair>) {
    assert!(pairs.iter().all(Pair::rep_ok));
}

#[test]
fn a_test_that_was_cut_short_says_so_even_when_it_passes() {
    let (passed, text) = said("covers_a_part", &[]);
    assert!(passed, "{text}");
    assert!(
        text.contains("of scope 20, NOT ALL: cut short after 1s with `input.0.len` at value"),
        "{text}"
    );
}

#[korat_test(scope = 20, total_seconds = 0)]
#[should_panic(expected = "that was seen before the time was over satisfies `rep_ok`")]
fn a_test_that_was_cut_short_before_any_structure_fails(pairs: Vec<Pair>) {
    assert!(pairs.iter().all(Pair::rep_ok));
}
