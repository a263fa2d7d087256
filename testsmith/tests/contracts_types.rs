//! Invariants, pure functions, model functions, contracts on traits, and the
//! hidden functions that ask whether a call would be legal.

use std::cell::Cell;
use std::panic::catch_unwind;

use testsmith::contracts::{Kind, Moment, Violation, violation_of};
use testsmith::*;

fn broken<R>(code: impl FnOnce() -> R) -> Violation {
    violation_of(code).expect("the contract is checked")
}

fn check(violation: &Violation, kind: Kind, moment: Moment, text: &str) {
    let found = (violation.kind, violation.moment, violation.clause.text.as_str());
    assert_eq!(found, (kind, moment, text), "{violation}");
}

/// Values in ascending order, no more than the limit.
#[derive(Clone, Debug, Default, PartialEq)]
#[invariant(self.values.len() <= self.limit, "too many values")]
#[invariant(self.values.is_sorted())]
pub struct Sorted<T: Ord> {
    pub values: Vec<T>,
    limit: usize,
}

#[invariant]
impl<T: Ord + Clone> Sorted<T> {
    pub fn new(limit: usize) -> Self {
        Sorted { values: Vec::new(), limit }
    }

    pub fn from_values(values: Vec<T>) -> Option<Self> {
        let limit = values.len();
        if limit == 0 { None } else { Some(Self { values, limit }) }
    }

    pub fn try_pair(a: T, b: T) -> Result<(Self, usize), String> {
        Ok((Sorted { values: vec![a, b], limit: 2 }, 2))
    }

    #[pure]
    pub fn size(&self) -> usize {
        self.values.len()
    }

    #[requires(self.size() < 100)]
    pub fn push(&mut self, value: T) {
        self.values.push(value);
    }

    /// Breaks the order on the way, and mends it.
    pub fn insert(&mut self, value: T) {
        self.append_raw(value.clone());
        self.push_twice(value);
        self.values.sort();
        self.values.dedup();
    }

    /// Public, but harmless when called on an object that is at work.
    pub fn push_twice(&mut self, value: T) {
        self.values.push(value.clone());
        self.values.push(value);
    }

    fn append_raw(&mut self, value: T) {
        self.values.insert(0, value);
    }

    pub fn first_mut(&mut self) -> Option<&mut T> {
        self.values.first_mut()
    }

    pub fn chained(&mut self, value: T) -> &mut Self {
        self.values.push(value);
        self
    }

    pub fn with(mut self, value: T) -> Self {
        self.values.push(value);
        self
    }

    pub fn into_values(self) -> Vec<T> {
        self.values
    }

    #[skip_invariant]
    pub fn raw(&mut self) -> usize {
        self.values.reverse();
        self.values.len()
    }
}

#[invariant]
impl<T: Ord + Clone> Extend<T> for Sorted<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.values.extend(items);
    }
}

#[test]
fn invariants_hold_after_constructors_whatever_wraps_the_result() {
    assert_eq!(Sorted::<i32>::new(1).size(), 0);
    assert!(Sorted::from_values(Vec::<u8>::new()).is_none());
    let order = "self.values.is_sorted()";
    check(&broken(|| Sorted::from_values(vec![2, 1])), Kind::Invariant, Moment::After, order);
    check(&broken(|| Sorted::try_pair(2, 1)), Kind::Invariant, Moment::After, order);
    assert!(Sorted::try_pair(1, 2).is_ok());
}

#[test]
fn invariants_hold_around_methods_that_change_and_before_those_that_consume() {
    let order = "self.values.is_sorted()";
    let mut sorted = Sorted::new(5);
    sorted.push(3);
    let violation = broken(|| sorted.clone().push(1));
    check(&violation, Kind::Invariant, Moment::After, order);
    assert_eq!(violation.clause.function, "push");
    assert!(violation.function.contains("Sorted"), "{violation}");
    check(&broken(|| sorted.clone().chained(1).size()), Kind::Invariant, Moment::After, order);
    check(&broken(|| sorted.clone().with(1)), Kind::Invariant, Moment::After, order);
    check(&broken(|| sorted.clone().extend([1])), Kind::Invariant, Moment::After, order);
    let mut small = Sorted::new(0);
    let violation = broken(|| small.push(1));
    check(&violation, Kind::Invariant, Moment::After, "self.values.len() <= self.limit");
    assert_eq!(violation.clause.message.as_deref(), Some("too many values"));
    check(
        &broken(|| small.clone().push(1)),
        Kind::Invariant,
        Moment::Before,
        "self.values.len() <= self.limit",
    );
    check(
        &broken(|| small.into_values()),
        Kind::Invariant,
        Moment::Before,
        "self.values.len() <= self.limit",
    );
}

#[test]
fn invariants_rest_while_a_method_of_the_same_object_runs() {
    let mut sorted = Sorted::new(3);
    sorted.insert(2);
    sorted.insert(1);
    assert_eq!(sorted.values, [1, 2]);
    sorted.raw();
    assert_eq!(sorted.values, [2, 1]);
    assert_eq!(broken(|| sorted.first_mut().copied()).moment, Moment::Before);
}

#[derive(Debug)]
struct Even(u32);

#[invariant(self.0 % 2 == 0)]
impl Even {
    #[ensures(ret.0 == n)]
    pub const fn new(n: u32) -> Even {
        Even(n)
    }

    pub fn step(&mut self, by: u32) -> u32 {
        self.0 += by;
        self.0
    }
}

#[invariant(self.0 < 100)]
impl From<u32> for Even {
    fn from(n: u32) -> Self {
        Even(n)
    }
}

const FOUR: Even = Even::new(4);

#[test]
fn invariants_on_one_block_and_in_const_constructors() {
    assert_eq!(FOUR.0, 4);
    check(&broken(|| Even::new(3)), Kind::Invariant, Moment::After, "self.0 % 2 == 0");
    let violation = broken(|| Even::new(2).step(1));
    check(&violation, Kind::Invariant, Moment::After, "self.0 % 2 == 0");
    assert!(violation.values.iter().any(|n| n.label == "self.0" && n.value == "3"), "{violation}");
    assert_eq!(Even::new(2).step(2), 4);
    check(&broken(|| Even::from(100)), Kind::Invariant, Moment::After, "self.0 < 100");
    assert_eq!(Even::from(98).0, 98);
}

#[derive(Debug, Default)]
struct Sneaky {
    reads: Cell<u32>,
    value: u32,
}

impl Sneaky {
    #[pure]
    fn value(&self) -> u32 {
        self.value
    }

    #[pure]
    fn read(&self) -> u32 {
        self.reads.set(self.reads.get() + 1);
        self.value
    }

    #[pure(unchecked)]
    fn cached(&self) -> u32 {
        self.reads.set(self.reads.get() + 1);
        self.value
    }
}

#[derive(Clone, PartialEq, Default)]
struct Silent {
    reads: Cell<u32>,
}

struct Neither {
    reads: Cell<u32>,
}

#[pure]
fn look(silent: &Silent, _neither: &Neither) -> u32 {
    silent.reads.get()
}

#[pure]
fn touch(neither: &Neither, silent: &Silent) -> u32 {
    neither.reads.set(1);
    silent.reads.set(silent.reads.get() + 1);
    silent.reads.get()
}

#[test]
fn a_pure_function_that_changes_something_is_noticed() {
    let sneaky = Sneaky::default();
    assert_eq!((sneaky.value(), sneaky.cached()), (0, 0));
    let violation = broken(|| sneaky.read());
    check(&violation, Kind::Pure, Moment::After, "self is unchanged");
    let (silent, neither) = (Silent::default(), Neither { reads: Cell::new(0) });
    assert_eq!(look(&silent, &neither), 0);
    let violation = broken(|| touch(&neither, &silent));
    check(&violation, Kind::Pure, Moment::After, "silent is unchanged");
}

/// `len` and `is_empty` are specified by each other: while a clause is
/// evaluated, contracts are not.
struct Bag(Vec<u8>);

impl Bag {
    #[model]
    fn m_size(&self) -> usize {
        self.0.len()
    }

    #[pure]
    #[ensures(ret == self.m_size())]
    #[ensures((ret == 0) == self.is_empty())]
    fn len(&self) -> usize {
        self.0.len()
    }

    #[pure]
    #[ensures(ret == (self.len() == 0))]
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[ensures(self.m_size() == old(self.m_size()) + 1)]
    fn put(&mut self, item: u8) {
        if item != 13 {
            self.0.push(item);
        }
    }
}

#[test]
fn model_functions_serve_clauses_and_clauses_do_not_recurse() {
    let mut bag = Bag(vec![]);
    assert!(bag.is_empty());
    bag.put(1);
    assert_eq!(bag.len(), 1);
    let text = "self.m_size() == old(self.m_size()) + 1";
    check(&broken(|| bag.put(13)), Kind::Ensures, Moment::After, text);
}

#[contract_trait]
pub trait Pile {
    #[pure]
    fn size(&self) -> usize;

    /// Takes some away.
    #[requires(n <= self.size(), "there are not so many")]
    #[ensures(self.size() == old(self.size()) - n)]
    fn take(&mut self, n: usize) -> usize;

    #[ensures(min <= ret, ret < max)]
    fn pick<T: PartialOrd + Copy>(min: T, max: T) -> T
    where
        Self: Sized,
    {
        let _ = max;
        min
    }

    #[ensures(ret == old(self.size()))]
    fn drain(&mut self) -> usize {
        let size = self.size();
        self.take(size)
    }
}

struct Honest(usize);
struct Greedy(usize);

#[contract_trait]
impl Pile for Honest {
    fn size(&self) -> usize {
        self.0
    }

    #[requires(n != 3)]
    fn take(&mut self, n: usize) -> usize {
        self.0 -= n;
        n
    }
}

#[contract_trait]
impl Pile for Greedy {
    fn size(&self) -> usize {
        self.0
    }

    fn take(&mut self, n: usize) -> usize {
        self.0 = self.0.saturating_sub(n + 1);
        n
    }

    fn pick<T: PartialOrd + Copy>(_: T, max: T) -> T {
        max
    }
}

#[test]
fn contracts_of_a_trait_hold_for_every_implementation() {
    let mut honest = Honest(5);
    assert_eq!(honest.take(2), 2);
    let violation = broken(|| honest.take(4));
    check(&violation, Kind::Requires, Moment::Before, "n <= self.size()");
    assert_eq!(violation.depth, 0);
    assert_eq!(violation.clause.function, "take");
    // An implementation may not ask for more; that it does shows deeper.
    let violation = broken(|| honest.take(3));
    check(&violation, Kind::Requires, Moment::Before, "n != 3");
    assert_eq!(violation.depth, 1);
    let mut greedy: Box<dyn Pile> = Box::new(Greedy(5));
    let text = "self.size() == old(self.size()) - n";
    check(&broken(|| greedy.take(1)), Kind::Ensures, Moment::After, text);
    check(&broken(|| Greedy::pick(1, 2)), Kind::Ensures, Moment::After, "ret < max");
    assert_eq!(Honest::pick(1, 2), 1);
    let violation = broken(|| Honest(3).drain());
    assert_eq!(violation.depth, 2, "{violation}");
}

pub struct Stack<T> {
    items: Vec<T>,
}

impl<T: PartialEq> Stack<T> {
    #[requires(!self.items.is_empty(), "nothing to pop")]
    pub fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }

    #[requires(self.items.len() > 1)]
    #[requires(!self.items.contains(&item), matches!(count, 1..=9))]
    #[requires({ let Pair { a, b } = pair; a < b })]
    pub fn fill(
        self,
        item: T,
        count: usize,
        pair: Pair,
        (low, _): (i32, String),
        by: &mut u8,
    ) -> usize {
        let _ = (item, by, low, pair);
        self.items.len() + count
    }
}

#[derive(Clone, Copy)]
pub struct Pair {
    pub a: u8,
    pub b: u8,
}

#[test]
fn legality_can_be_asked_without_moving_the_arguments() {
    let stack = Stack { items: vec![String::from("a")] };
    assert_eq!(stack.__testsmith_requires_pop(), Ok(()));
    assert_eq!(Stack::<u8> { items: vec![] }.__testsmith_requires_pop(), Err(0));
    let pair = Pair { a: 1, b: 2 };
    let low = (1, String::new());
    let ask = |stack: &Stack<u8>, item: u8, count: usize, pair: Pair| {
        stack.__testsmith_requires_fill(&item, &count, &pair, &low, &0)
    };
    assert_eq!(ask(&Stack { items: vec![1] }, 1, 1, pair), Err(0));
    let stack = Stack { items: vec![1, 2] };
    assert_eq!(ask(&stack, 1, 1, pair), Err(1));
    assert_eq!(ask(&stack, 3, 0, pair), Err(2));
    assert_eq!(ask(&stack, 3, 1, Pair { a: 1, b: 1 }), Err(3));
    assert_eq!(ask(&stack, 3, 1, pair), Ok(()));
    assert_eq!(Honest(2).__testsmith_requires_take(&3), Err(0));
    assert_eq!(Honest(2).__testsmith_requires_take(&2), Ok(()));
    assert_eq!(Stack { items: vec![1, 2, 3] }.pop(), Some(3));
    assert_eq!(stack.fill(7, 1, pair, low, &mut 0), 3);
}

#[test]
fn a_violation_during_another_panic_does_not_abort() {
    struct Falls;
    impl Drop for Falls {
        fn drop(&mut self) {
            Stack::<u8> { items: vec![] }.pop();
        }
    }
    let payload = catch_unwind(|| {
        let _falls = Falls;
        panic!("the first panic");
    });
    let payload = payload.expect_err("it panics");
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"the first panic"));
}

#[test]
fn quantifiers_and_implication_are_ordinary_expressions() {
    let v = [1, 2, 3];
    assert!(forall(1..v.len(), |i| v[i - 1] < v[i]) && exists(&v, |&x| x == 2));
    assert!(forall!(|i in (0, 3)| v[i] > 0) && !exists!(x in v => x > 3));
    assert!(implies(false, false) && !implies(true, false));
    let first = "".chars().next();
    assert!(implies!(first.is_some() => first.unwrap() == 'a'));
}
