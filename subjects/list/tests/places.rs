//! A clause of every kind in every place where one can stand: each is
//! evaluated, and turned around each is noticed. The list itself has only the
//! clauses of the paper, so here are the others.

use std::collections::BTreeSet;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use testsmith::contracts::{Kind, Violation, flip, violation_of};
use testsmith::{
    contract_trait, debug_requires, ensures, invariant, loop_invariant, pure, requires,
};

#[requires(n != 101)]
#[ensures(ret != 102)]
#[ensures(|result| *result != 103)]
#[ensures(n == old(n) && ret != 104)]
#[invariant(n != 105)]
#[debug_requires(n != 106)]
fn plain(n: u32) -> u32 {
    n
}

/// Calls another function, so that the call is tracked.
#[requires(n != 111)]
#[ensures(ret != 112)]
fn outer(n: u32) -> u32 {
    #[requires(n != 113)]
    fn nested(n: u32) -> u32 {
        n
    }
    nested(n)
}

/// Nothing is checked afterwards, and its own caller is reported.
#[track_caller]
#[requires(n != 121)]
fn inline(n: u32) -> u32 {
    n
}

#[track_caller]
#[ensures(ret != 122)]
fn labelled(n: u32) -> u32 {
    if n > 3 {
        return n;
    }
    3
}

#[requires(n != 131)]
#[ensures(ret != 132)]
async fn later(n: u32) -> u32 {
    n
}

#[requires(n != 141)]
fn opaque(n: u32) -> impl Fn(u32) -> u32 {
    move |m| n + m
}

fn looping(n: u32) -> u32 {
    let mut sum = 0;
    for i in 0..n {
        loop_invariant!(sum != 151);
        sum += i;
    }
    sum
}

#[derive(Clone, Debug, PartialEq)]
#[invariant(self.count != 161)]
struct Counter {
    count: u32,
}

#[invariant]
impl Counter {
    #[requires(count != 162)]
    pub fn new(count: u32) -> Counter {
        Counter { count }
    }

    #[ensures(self.count() == old(self.count()) + 1)]
    pub fn count_on(&mut self) {
        self.count += 1;
    }

    #[pure]
    #[ensures(ret != 163)]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// It runs code that is not seen here, so that it is pure has to be checked.
    #[pure]
    pub fn doubled(&self) -> u32 {
        double(self)
    }

    #[requires(self.count != 164)]
    pub fn end(self) -> u32 {
        self.count
    }
}

fn double(counter: &Counter) -> u32 {
    counter.count * 2
}

#[invariant(self.count != 171)]
impl Counter {
    pub fn twice(&mut self) {
        self.count += 2;
    }
}

#[invariant(self.count != 181)]
impl Extend<u32> for Counter {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, all: I) {
        self.count += all.into_iter().sum::<u32>();
    }
}

#[contract_trait]
trait Half {
    #[requires(by != 191)]
    #[ensures(ret != 192)]
    fn half(&self, by: u32) -> u32;
}

#[contract_trait]
impl Half for Counter {
    #[ensures(ret != 193)]
    fn half(&self, by: u32) -> u32 {
        self.count / by
    }
}

/// Calls everything, legally.
fn tour() {
    plain(1);
    outer(1);
    inline(1);
    labelled(1);
    let mut future = pin!(later(1));
    assert_eq!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(1));
    opaque(1)(2);
    looping(3);
    let mut counter = Counter::new(1);
    counter.count_on();
    counter.twice();
    counter.extend([1, 2]);
    counter.half(2);
    counter.count();
    counter.doubled();
    counter.end();
}

#[test]
fn a_clause_in_any_place_is_noticed_when_turned_around() {
    tour();
    let seen = flip::seen();
    let numbers: BTreeSet<u32> =
        seen.iter().filter_map(|clause| clause.text.rsplit_once("!= ")?.1.parse().ok()).collect();
    let expected = [
        101, 102, 103, 104, 105, 106, 111, 112, 113, 121, 122, 131, 132, 141, 151, 161, 162, 163,
        164, 171, 181, 191, 192, 193,
    ];
    assert_eq!(numbers, BTreeSet::from(expected), "all of them are evaluated");
    let kinds: BTreeSet<Kind> = seen.iter().map(|clause| clause.kind).collect();
    let all = [Kind::Requires, Kind::Ensures, Kind::Invariant, Kind::Pure, Kind::Loop];
    assert_eq!(kinds, BTreeSet::from(all));
    for clause in seen {
        let outcome = flip::flipping(&clause, || catch_unwind(AssertUnwindSafe(tour)));
        let payload = outcome.expect_err(&clause.text);
        let violation = Violation::from_payload(&*payload).expect("a broken contract");
        assert_eq!((violation.kind, violation.clause.text), (clause.kind, clause.text));
    }
}

#[requires(n < 10)]
fn small(n: u32) -> u32 {
    n
}

#[ensures(ret == small(n))]
fn same(n: u32) -> u32 {
    n
}

#[ensures(ret >= 0)]
fn asks_small(n: i64) -> i64 {
    i64::from(small(u32::try_from(n).unwrap_or(0)))
}

#[test]
fn a_call_that_is_not_tracked_knows_its_depth_and_rests_inside_a_clause() {
    assert_eq!(same(99), 99, "no contract is checked while one is evaluated");
    assert_eq!(violation_of(|| small(10)).map(|violation| violation.depth), Some(0));
    assert_eq!(violation_of(|| asks_small(10)).map(|violation| violation.depth), Some(1));
}
