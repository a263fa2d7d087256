//! Contracts on functions of every shape the language has.
//!
//! Each shape is called once legally and once so that a clause breaks: what is
//! never seen to fail is not known to be checked.

use std::future::Future;
use std::panic::catch_unwind;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use testsmith::contracts::{Kind, Moment, Violation, violation_of};
use testsmith::*;

/// The violation that the code ends in.
fn broken<R>(code: impl FnOnce() -> R) -> Violation {
    violation_of(code).expect("the contract is checked")
}

fn check(violation: &Violation, kind: Kind, text: &str) {
    assert_eq!((violation.kind, violation.clause.text.as_str()), (kind, text), "{violation}");
}

#[requires(divisor != 0, "nothing divides by zero")]
#[ensures(ret * divisor <= n, ret * divisor + divisor > n)]
fn divide(n: u32, divisor: u32) -> u32 {
    if n == 13 { n } else { n / divisor }
}

#[test]
fn clauses_of_a_plain_function_have_an_identity() {
    assert_eq!(divide(7, 2), 3);
    let violation = broken(|| divide(7, 0));
    check(&violation, Kind::Requires, "divisor != 0");
    assert_eq!(violation.clause.index, 0);
    assert_eq!(violation.clause.message.as_deref(), Some("nothing divides by zero"));
    assert_eq!(violation.function, "contracts_functions::divide");
    assert!(violation.clause.place.ends_with("contracts_functions.rs:23:12"), "{violation}");
    assert!(violation.caller.as_ref().is_some_and(|c| c.contains("contracts_functions.rs:")));
    let arguments: Vec<(&str, &str)> =
        violation.arguments.iter().map(|n| (n.label.as_str(), n.value.as_str())).collect();
    assert_eq!(arguments, [("n", "7"), ("divisor", "0")]);
    let violation = broken(|| divide(13, 2));
    check(&violation, Kind::Ensures, "ret * divisor <= n");
    assert_eq!((violation.clause.index, violation.moment), (1, Moment::After));
    let values: Vec<String> =
        violation.values.iter().map(|n| format!("{} = {}", n.label, n.value)).collect();
    assert_eq!(values, ["ret = 13", "divisor = 2", "ret * divisor = 26", "n = 13"]);
    assert_eq!(violation.arguments.len(), 2);
}

#[ensures(ret.is_ok() -> old(text).len() < 3)]
fn parse(text: &str) -> Result<u32, String> {
    let number: u32 = text.parse().map_err(|_| "no number".to_owned())?;
    if number == 7 {
        return Err("seven".into());
    }
    Ok(number)
}

#[ensures(ret != Some(2))]
fn leaves_by_question_mark(values: &[u32]) -> Option<u32> {
    let first = values.first()?;
    macro_rules! give {
        ($e:expr) => {
            return Some($e)
        };
    }
    'outer: loop {
        for value in values {
            if *value == *first {
                break 'outer;
            }
        }
    }
    give!(*first)
}

#[test]
fn early_exits_are_checked_too() {
    assert_eq!(parse("x"), Err("no number".into()));
    assert_eq!(parse("12"), Ok(12));
    check(&broken(|| parse("123")), Kind::Ensures, "ret.is_ok() -> old(text).len() < 3");
    assert_eq!(leaves_by_question_mark(&[]), None);
    assert_eq!(leaves_by_question_mark(&[1]), Some(1));
    check(&broken(|| leaves_by_question_mark(&[2])), Kind::Ensures, "ret != Some(2)");
}

#[requires(!items.is_empty())]
#[ensures(|best| items.contains(*best))]
#[ensures(forall(items, |x| x <= ret))]
fn greatest<'a, T: Ord>(items: &'a [T]) -> &'a T {
    if items.len() == 5 {
        return &items[4];
    }
    items.iter().max().expect("it is not empty")
}

#[test]
fn generics_and_lifetimes_work_and_values_without_debug_are_left_out() {
    assert_eq!(*greatest(&[1, 3, 2]), 3);
    let violation = broken(|| *greatest(&[9, 1, 1, 1, 2]));
    check(&violation, Kind::Ensures, "forall(items, |x| x <= ret)");
    assert!(violation.values.is_empty());
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    struct Opaque(u8);
    assert!(broken(|| greatest::<Opaque>(&[]).0).arguments.is_empty());
}

#[ensures(v.len() == old(v.len()) + 1)]
#[ensures(unchanged(*w))]
#[ensures(v[..old(v.len())] == old(v)[..])]
fn add(v: &mut Vec<i32>, w: &mut Vec<i32>, x: i32) -> usize {
    match x {
        0 => {}
        1 => {
            v.push(x);
            w.push(x);
        }
        2 => {
            v.push(x);
            v[0] = 9;
        }
        _ => v.push(x),
    }
    v.len()
}

#[test]
fn old_values_are_captured_before_and_shown() {
    assert_eq!(add(&mut vec![1], &mut vec![], 5), 2);
    let violation = broken(|| add(&mut vec![1], &mut vec![], 0));
    check(&violation, Kind::Ensures, "v.len() == old(v.len()) + 1");
    assert_eq!(violation.olds[0].label, "old(v.len())");
    assert_eq!(violation.olds[0].value, "1");
    assert!(violation.values.iter().any(|n| n.label == "v.len()" && n.value == "1"));
    check(&broken(|| add(&mut vec![], &mut vec![], 1)), Kind::Ensures, "unchanged(*w)");
    let violation = broken(|| add(&mut vec![3], &mut vec![], 2));
    check(&violation, Kind::Ensures, "v[..old(v.len())] == old(v)[..]");
}

#[derive(Clone, Debug, PartialEq)]
struct Counter {
    count: u32,
}

impl Counter {
    #[ensures(ret.count == count)]
    fn new(count: u32) -> Self {
        Self { count: count.min(10) }
    }

    #[pure]
    fn count(&self) -> u32 {
        self.count
    }

    #[requires(by > 0)]
    #[ensures(self.count() == old(self.count()) + by)]
    #[ensures(ret == self.count)]
    fn bump(&mut self, by: u32) -> u32 {
        self.count += by.min(5);
        self.count
    }

    #[ensures(*ret == old(self.count))]
    fn slot(&mut self) -> &mut u32 {
        if self.count == 3 {
            self.count = 4;
        }
        &mut self.count
    }

    #[requires(self.count > 0)]
    #[ensures(ret.0 <= 5)]
    fn split(self, part: u32) -> (u32, u32) {
        (part, self.count - part)
    }

    #[ensures(old(self).count == ret.count + 1)]
    fn lowered(mut self: Box<Self>) -> Box<Self> {
        self.count /= 2;
        self
    }

    #[ensures(ret.clone().count() == self.count as usize)]
    fn items(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        let stop = if self.count == 2 { 1 } else { self.count };
        (0..stop).map(|i| i * self.count)
    }
}

#[test]
fn methods_by_every_kind_of_self() {
    check(&broken(|| Counter::new(11)), Kind::Ensures, "ret.count == count");
    let mut counter = Counter::new(1);
    assert_eq!(counter.bump(1), 2);
    let violation = broken(|| Counter::new(1).bump(0));
    check(&violation, Kind::Requires, "by > 0");
    assert_eq!(violation.arguments[0].value, "Counter { count: 1 }");
    assert_eq!(violation.function, "contracts_functions::Counter::bump");
    check(&broken(|| counter.bump(6)), Kind::Ensures, "self.count() == old(self.count()) + by");
    *Counter::new(1).slot() += 1;
    check(&broken(|| *Counter::new(3).slot()), Kind::Ensures, "*ret == old(self.count)");
    assert_eq!(Counter::new(5).split(2), (2, 3));
    check(&broken(|| Counter::new(0).split(0)), Kind::Requires, "self.count > 0");
    check(&broken(|| Counter::new(9).split(7)), Kind::Ensures, "ret.0 <= 5");
    assert_eq!(Box::new(Counter::new(2)).lowered().count, 1);
    check(
        &broken(|| Box::new(Counter::new(9)).lowered()),
        Kind::Ensures,
        "old(self).count == ret.count + 1",
    );
    assert_eq!(Counter::new(3).items().count(), 3);
    check(
        &broken(|| Counter::new(2).items().count()),
        Kind::Ensures,
        "ret.clone().count() == self.count as usize",
    );
}

struct Point {
    x: i32,
    y: i32,
}

#[requires(a < b, x != y)]
#[ensures(ret == a + b + x + y)]
fn patterns((a, b): (i32, i32), Point { x, y }: Point, _: &str) -> i32 {
    a + b + x.max(0) + y
}

#[ensures(ret == old(n) * (old(n) + 1) / 2)]
fn sum_to(mut n: u32) -> u32 {
    let mut sum = 0;
    while n > 0 {
        sum += n;
        n -= if n == 4 { 2 } else { 1 };
    }
    sum
}

#[requires(f(1) > 0)]
fn apply(f: impl Fn(i32) -> i32) -> Box<dyn Fn(i32) -> i32> {
    fn twice(x: i32) -> i32 {
        if x == 0 {
            return 0;
        }
        x * 2
    }
    let value = f(1);
    Box::new(move |x| twice(x) + value)
}

#[test]
fn patterns_mut_parameters_and_closures() {
    assert_eq!(patterns((1, 2), Point { x: 3, y: 4 }, ""), 10);
    check(&broken(|| patterns((2, 1), Point { x: 3, y: 4 }, "")), Kind::Requires, "a < b");
    check(&broken(|| patterns((1, 2), Point { x: 3, y: 3 }, "")), Kind::Requires, "x != y");
    let violation = broken(|| patterns((1, 2), Point { x: -3, y: 3 }, ""));
    check(&violation, Kind::Ensures, "ret == a + b + x + y");
    assert_eq!(sum_to(3), 6);
    check(&broken(|| sum_to(4)), Kind::Ensures, "ret == old(n) * (old(n) + 1) / 2");
    assert_eq!(apply(|x| x)(2), 5);
    check(&broken(|| apply(|x| -x)(2)), Kind::Requires, "f(1) > 0");
}

#[requires(denominator != 0)]
#[ensures(ret <= numerator)]
const fn ratio(numerator: u32, denominator: u32) -> u32 {
    if denominator == 9 {
        return numerator + 1;
    }
    numerator / denominator
}

const THIRD: u32 = ratio(9, 3);

/// # Safety
/// None needed: it is only marked.
#[requires(!text.is_empty())]
#[ensures(ret != b'x')]
unsafe fn first_byte(text: &str) -> u8 {
    text.as_bytes()[0]
}

#[requires(n != 0)]
#[ensures(ret != 7)]
extern "C" fn foreign(n: u32) -> u32 {
    n
}

#[requires(n > 1)]
fn never_ends(n: u32) -> ! {
    panic!("ended with {n}")
}

#[test]
fn const_unsafe_extern_and_diverging_functions() {
    assert_eq!(THIRD, 3);
    let violation = broken(|| ratio(1, 0));
    check(&violation, Kind::Requires, "denominator != 0");
    assert_eq!(violation.function, "contracts_functions::ratio");
    check(&broken(|| ratio(1, 9)), Kind::Ensures, "ret <= numerator");
    // SAFETY: the function asks for nothing.
    assert_eq!(unsafe { first_byte("ab") }, b'a');
    // SAFETY: as above.
    check(&broken(|| unsafe { first_byte("") }), Kind::Requires, "!text.is_empty()");
    // SAFETY: as above.
    check(&broken(|| unsafe { first_byte("x") }), Kind::Ensures, "ret != b'x'");
    assert_eq!(foreign(1), 1);
    check(&broken(|| never_ends(1)), Kind::Requires, "n > 1");
}

#[track_caller]
#[requires(n != 1)]
#[ensures(ret != 2)]
fn tracked(n: u32) -> u32 {
    if n == 3 {
        return 2;
    }
    assert!(n != 4, "at {}", std::panic::Location::caller().line());
    n
}

#[test]
fn a_function_that_tracks_its_caller_still_does() {
    assert_eq!(tracked(5), 5);
    check(&broken(|| tracked(1)), Kind::Requires, "n != 1");
    check(&broken(|| tracked(3)), Kind::Ensures, "ret != 2");
    let line = line!() + 1;
    let payload = catch_unwind(|| tracked(4)).expect_err("it asserts");
    let text = payload.downcast_ref::<String>().expect("a message");
    assert_eq!(*text, format!("at {line}"));
}

/// Polls a future that is always ready.
fn ready<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it is always ready"),
    }
}

#[requires(*n < 100)]
#[ensures(ret.is_ok() -> *n == old(*n) + 1)]
async fn later(n: &mut u32, text: String) -> Result<u32, std::num::ParseIntError> {
    let step: u32 = std::future::ready(text).await.parse()?;
    *n += inner_step(step).await;
    Ok(*n)
}

#[requires(step != 8)]
async fn inner_step(step: u32) -> u32 {
    step
}

fn is_send<T: Send>(value: T) -> T {
    value
}

#[test]
fn async_functions_are_checked_when_they_run() {
    let mut n = 1;
    assert_eq!(ready(is_send(later(&mut n, "1".into()))), Ok(2));
    assert!(ready(later(&mut n, "x".into())).is_err());
    let text = "ret.is_ok() -> *n == old(*n) + 1";
    check(&broken(|| ready(later(&mut 1, "2".into()))), Kind::Ensures, text);
    let violation = broken(|| ready(later(&mut 100, "2".into())));
    check(&violation, Kind::Requires, "*n < 100");
    assert_eq!(violation.depth, 0);
    let violation = broken(|| ready(later(&mut 1, "8".into())));
    check(&violation, Kind::Requires, "step != 8");
    assert_eq!(violation.depth, 1);
    assert_eq!(divide(1, 1), 1);
    assert_eq!(broken(|| divide(1, 0)).depth, 0);
}

#[requires(n < 10)]
fn outer(n: u32) -> u32 {
    middle(n)
}

fn middle(n: u32) -> u32 {
    inner(n + 1)
}

#[requires(n < 5)]
fn inner(n: u32) -> u32 {
    n
}

#[test]
fn the_depth_tells_the_callers_fault_from_the_functions_own() {
    assert_eq!(broken(|| outer(10)).depth, 0);
    let violation = broken(|| outer(7));
    check(&violation, Kind::Requires, "n < 5");
    assert_eq!(violation.depth, 1);
    assert!(violation.caller.is_some_and(|caller| caller.contains("contracts_functions.rs")));
    assert_eq!(broken(|| middle(7)).depth, 0);
}

#[contract(requires(x > 0, "x must be positive"), ensures(ret > x))]
fn grow(x: i32) -> i32 {
    if x == 5 { 5 } else { x + 1 }
}

#[invariant(*n % 2 == 0)]
fn next_even(n: &mut u32) {
    *n += if *n == 4 { 1 } else { 2 };
}

#[test]
fn the_other_forms_of_the_contracts_crate() {
    assert_eq!(grow(1), 2);
    check(&broken(|| grow(0)), Kind::Requires, "x > 0");
    check(&broken(|| grow(5)), Kind::Ensures, "ret > x");
    let mut n = 2;
    next_even(&mut n);
    assert_eq!(n, 4);
    let violation = broken(|| next_even(&mut n));
    check(&violation, Kind::Invariant, "*n % 2 == 0");
    assert_eq!(violation.moment, Moment::After);
    assert_eq!(broken(|| next_even(&mut 3)).moment, Moment::Before);
}

#[test]
#[should_panic(expected = "Pre-condition of grow violated: x must be positive: x > 0")]
fn the_first_line_reads_as_in_the_contracts_crate() {
    grow(-1);
}

#[ensures(matches!(ret, Some(x) if x > old(limit)))]
#[ensures(|found: &Option<u32>| found.is_none() || *found < Some(50))]
fn above(limit: u32) -> Option<u32> {
    Some(limit * 2)
}

#[test]
fn macros_and_closures_inside_clauses_see_old_and_ret() {
    assert_eq!(above(3), Some(6));
    let violation = broken(|| above(0));
    check(&violation, Kind::Ensures, "matches!(ret, Some(x) if x > old(limit))");
    assert!(
        violation.olds.iter().any(|n| n.label == "old(limit)" && n.value == "0"),
        "{violation}"
    );
    assert!(violation.values.iter().any(|n| n.label == "ret" && n.value == "Some(0)"));
    let violation = broken(|| above(25));
    assert!(
        violation.values.iter().any(|n| n.label == "*found" && n.value == "Some(50)"),
        "{violation}"
    );
}

#[requires(values.len() < 100)]
fn count_down(values: &[u32]) -> u32 {
    let mut rest = values.len();
    let variant = contracts::Variant::new();
    let mut sum = 0;
    while rest > 0 {
        loop_invariant!(variant.decreases(rest), sum <= 10, "the sum stays small");
        rest -= 1;
        sum += values[rest];
        if values[rest] == 7 {
            rest += 1;
        }
    }
    sum
}

#[test]
fn loops_keep_their_invariants_and_get_nearer_to_their_end() {
    assert_eq!(count_down(&[1, 2, 3]), 6);
    let violation = broken(|| count_down(&[1, 2, 30]));
    check(&violation, Kind::Loop, "sum <= 10");
    assert!(violation.values.iter().any(|n| n.label == "sum" && n.value == "30"), "{violation}");
    assert_eq!((violation.clause.function.as_str(), violation.depth), ("count_down", 0));
    check(&broken(|| count_down(&[7])), Kind::Loop, "variant.decreases(rest)");
}

#[cfg(debug_assertions)]
#[debug_requires(n != 1)]
#[test_requires(n != 2)]
#[test_ensures(ret != 3)]
#[debug_ensures(ret != 4)]
fn gated(n: u32) -> u32 {
    n
}

#[cfg(debug_assertions)]
#[test]
fn clauses_for_debug_and_test_builds_are_checked_in_both() {
    assert_eq!(gated(0), 0);
    let texts: Vec<String> = (1..=4).map(|n| broken(|| gated(n)).clause.text).collect();
    assert_eq!(texts, ["n != 1", "n != 2", "ret != 3", "ret != 4"]);
}

#[test]
fn a_violation_of_another_thread_is_read_back_from_its_message() {
    let payload = std::thread::spawn(|| grow(0)).join().expect_err("it panics");
    let violation = Violation::from_payload(&*payload).expect("a violation");
    check(&violation, Kind::Requires, "x > 0");
    assert_eq!(violation.clause.message.as_deref(), Some("x must be positive"));
    assert_eq!(violation.function, "contracts_functions::grow");
    assert!(violation.arguments.is_empty());
    assert!(violation.caller.is_some_and(|caller| caller.contains("contracts_functions.rs:")));
}

#[ensures(clock.replace(1) == 1)]
fn unsteady(clock: &std::cell::Cell<u32>) {
    clock.set(0);
}

#[test]
fn a_condition_that_changes_its_mind_is_called_so() {
    let violation = broken(|| unsteady(&std::cell::Cell::new(0)));
    assert!(violation.unsteady && violation.to_string().contains("not a pure condition"));
}

#[ensures(items[0] == ret)]
fn first_or_zero(items: &[u32]) -> u32 {
    items.first().copied().unwrap_or(0)
}

#[ensures(ret <= old(items[0]))]
fn at_most_the_first(items: &mut Vec<u32>) -> u32 {
    items.pop().unwrap_or(0)
}

#[requires(items[0] > 0)]
pub fn positive(items: &[u32]) -> u32 {
    items[0]
}

#[requires(positive(items) > 0)]
fn asks_another(items: &[u32]) -> usize {
    items.len()
}

#[test]
fn a_clause_that_panics_is_told_as_such_and_blamed_like_one_that_does_not_hold() {
    assert_eq!(first_or_zero(&[3]), 3);
    let violation = violation_of(|| first_or_zero(&[])).expect("the postcondition panics");
    assert_eq!((violation.kind, violation.moment), (Kind::Ensures, Moment::After));
    let panic = violation.panicked.as_deref().expect("it panicked");
    assert!(panic.starts_with("index out of bounds"), "{panic}");
    let text = violation.to_string();
    assert!(
        text.starts_with("Post-condition of first_or_zero panics itself: items[0] == ret\n"),
        "{text}"
    );
    assert!(text.contains("evaluating it panicked: index out of bounds"), "{text}");
    let read = contracts::Violation::from_message(&text).expect("the line is complete");
    assert_eq!((read.kind, read.panicked), (violation.kind, violation.panicked));

    let violation = violation_of(|| at_most_the_first(&mut vec![])).expect("old panics");
    assert_eq!(violation.kind, Kind::Ensures);
    assert!(violation.panicked.is_some());

    let violation = violation_of(|| positive(&[])).expect("the precondition panics");
    assert_eq!((violation.kind, violation.depth), (Kind::Requires, 0));
    assert!(violation.panicked.is_some() && violation.caller.is_some());
    assert_eq!(__testsmith_requires_positive(&[]), Err(0));
    assert_eq!(__testsmith_requires_positive(&[1]), Ok(()));
    // What panics inside the clause is the function that the clause calls.
    let violation = violation_of(|| asks_another(&[])).expect("the precondition panics");
    assert_eq!(violation.clause.text, "positive(items) > 0");
}

#[ensures(std::panic::panic_any(7_u8))]
fn leaves_by_another_way() {}

#[test]
fn a_payload_that_is_no_text_goes_through_a_clause_as_it_is() {
    let payload = std::panic::catch_unwind(leaves_by_another_way).expect_err("it leaves");
    assert_eq!(payload.downcast_ref::<u8>(), Some(&7));
}
