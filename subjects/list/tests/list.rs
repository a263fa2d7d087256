//! The test suite of the paper's example, and that each of its clauses counts.

use std::panic::{AssertUnwindSafe, catch_unwind};

use subject_list::List;
use testsmith::contracts::{Violation, flip};

/// The paper's six test cases; elements are numbers here.
fn paper_suite() {
    let mut l1: List<i32> = List::make();
    l1.wipe_out();
    l1.append(&l1.clone());
    let mut l2 = l1.clone();
    l2.extend(1);
    assert!(l1.is_empty() && !l2.is_empty());
    assert!(l2.has(&1) && !l1.has(&1));
    let l4: List<i32> = List::make();
    assert!(l4.is_empty());
}

#[test]
fn the_papers_test_cases_pass() {
    paper_suite();
}

#[test]
fn append_keeps_the_order_of_both_lists() {
    let (mut left, mut right) = (List::make(), List::make());
    left.extend("a");
    right.extend("b");
    right.extend("c");
    left.append(&right);
    let mut expected = List::default();
    ["a", "b", "c"].into_iter().for_each(|item| expected.extend(item));
    assert_eq!(left, expected);
}

#[test]
fn turning_any_clause_around_is_noticed() {
    paper_suite();
    let clauses = flip::seen();
    assert_eq!(clauses.iter().filter(|clause| clause.text.contains("is_empty")).count(), 2);
    assert!(clauses.iter().any(|clause| clause.text == "self.has(&old(v))"));
    for clause in clauses {
        let outcome = flip::flipping(&clause, || catch_unwind(AssertUnwindSafe(paper_suite)));
        let payload = outcome.expect_err("a flipped clause fails");
        let violation = Violation::from_payload(&*payload).expect("as a violation");
        assert_eq!((violation.kind, violation.clause.text), (clause.kind, clause.text));
    }
}
