//! The module that stands beside tests whose calls are interrupted, tried as it is.

include!("../../model/src/troubled.txt");

use std::panic::{AssertUnwindSafe, catch_unwind};
use troubled::{Counted, Items, after, point};

/// What a piece of code says when it panics; nothing if it does not.
fn said(run: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(run)).err()?;
    Some(panic.downcast_ref::<String>().expect("a text").clone())
}

/// A second owner of an element, which nobody may be.
fn second(element: &Counted) -> Counted {
    // SAFETY: there is none. Elements own nothing, so that they may be misused.
    unsafe { std::ptr::read(element) }
}

#[test]
fn code_of_the_test_panics_once_it_was_called_back_so_often_and_not_again() {
    let mut calls = 0;
    after(2, || {
        for _ in 0..5 {
            calls += 1;
            point();
        }
    });
    assert_eq!(calls, 3);
    (0..9).for_each(|_| point());
    after(9, point);
    point();
}

#[test]
fn what_is_not_ours_is_not_caught() {
    let own = said(|| after(0, || panic!("{}", String::from("own"))));
    assert_eq!(own.as_deref(), Some("own"));
}

#[test]
fn an_iterator_gives_what_it_can_before_it_panics() {
    let mut given = vec![];
    after(2, || given.extend(Items::new(vec![1, 2, 3, 4]).map(|n| n * 10)));
    assert_eq!(given, [10, 20]);
    assert_eq!(Items::new(vec![1, 2, 3]).len(), 3);
    assert_eq!(Items::new(vec![1, 2, 3]).rev().collect::<Vec<_>>(), [3, 2, 1]);
}

#[test]
fn elements_are_what_their_numbers_are_and_say_when_they_do_not_live() {
    let elements: Vec<Counted> = [3, 1, 2].map(Counted::new).into();
    let mut sorted = elements.clone();
    sorted.sort();
    assert_eq!(format!("{sorted:?}"), "[Counted(1), Counted(2), Counted(3)]");
    assert!(elements[0] == sorted[2] && elements[0] > sorted[1]);
    assert_eq!(said(|| drop((sorted, elements))), None);
    let twice = |element: Counted| {
        let again = second(&element);
        drop(element);
        again
    };
    let used = said(|| {
        let gone = std::mem::ManuallyDrop::new(twice(Counted::new(1)));
        assert!(*gone == Counted::new(1));
    });
    assert_eq!(used.as_deref(), Some("uses an element that was dropped or never made"));
    let dropped = said(|| drop(twice(Counted::new(1))));
    let words = "drops an element twice, or one that was never made";
    assert_eq!(dropped.as_deref(), Some(words));
    // SAFETY: as above.
    let never = said(|| drop(unsafe { std::mem::zeroed::<Counted>() }));
    assert_eq!(never.as_deref(), Some(words));
}

#[test]
fn what_is_misused_while_a_panic_unwinds_is_told_after_it() {
    let told = said(|| {
        after(0, || {
            let element = Counted::new(1);
            let _again = second(&element);
            point();
        });
    });
    assert!(told.is_some_and(|told| told.starts_with("drops an element twice")));
    assert_eq!(said(|| after(0, point)), None, "once");
}
