//! Contracts in a run: preconditions are asked for before a call, so a walk
//! over a crate with contracts meets no panic of its own making, and what is
//! reported is the bug and not the caller's fault.

mod support;

use cargo_testsmith::pipeline::Session;
use support::{Fixture, root, stderr, stdout};
use testsmith_lab::{Profile, WorkerLimits};
use testsmith_model::message::Walk;

/// Preconditions on every kind of parameter, and one promise that is not kept.
const LIBRARY: &str = r#"
use testsmith::*;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Till { coins: Vec<u32> }

#[contract_trait]
pub trait Named {
    #[requires(n < 3)]
    fn letter(&self, n: usize) -> char;
}

#[contract_trait]
impl Named for Till {
    fn letter(&self, n: usize) -> char { ['a', 'b', 'c'][n] }
}

impl Till {
    pub fn new() -> Till { Till { coins: vec![1] } }

    #[pure]
    pub fn len(&self) -> usize { self.coins.len() }

    #[requires(coin > 0, "nothing is free")]
    pub fn add(&mut self, coin: u32) { self.coins.push(coin) }

    #[requires(self.len() > 1)]
    #[ensures(self.len() == old(self.len()) - 1)]
    pub fn take(&mut self) -> u32 {
        let coin = self.coins.pop().unwrap_or_default();
        if self.coins.len() == 2 { self.coins.clear(); }
        coin
    }

    #[requires(self.len() == 1)]
    pub fn into_last(self) -> u32 { self.coins[0] }
}

/// Its fields are public, so anyone can put together one that is upside down.
#[derive(Clone, Debug, PartialEq, Eq)]
#[invariant(self.low <= self.high)]
pub struct Span { pub low: u8, pub high: u8 }

#[invariant]
impl Span {
    pub fn of(n: u8) -> Span { Span { low: n / 2, high: n } }
    pub fn lower(&mut self) { self.low /= 2 }
    pub fn lowered(&self) -> Span { Span { low: self.low / 2, high: self.high } }
}

/// What it promises has no meaning where there is no letter.
#[ensures(text.as_bytes()[0] != ret)]
pub fn other_letter(text: &str) -> u8 { text.bytes().next().map_or(0, |byte| byte ^ 1) }

#[requires(!text.is_empty())]
pub fn first(text: &str) -> char { text.chars().next().unwrap() }

#[requires(!items.is_empty())]
pub fn greatest<T: Ord + Copy>(items: &mut [T]) -> T { items.sort(); items[items.len() - 1] }
"#;

fn till() -> Fixture {
    let manifest = format!(
        "[package]\nname = \"till\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\ntestsmith = {{ path = {:?} }}\n",
        root().join("testsmith")
    );
    Fixture::make("till", &manifest, Some(LIBRARY))
}

#[test]
fn preconditions_are_asked_for_before_the_call() {
    let fixture = till();
    let mut session = Session::open(&fixture.target(), Default::default()).expect("a plan");
    let guarded = session.plan.operations.iter().filter(|operation| operation.guard.is_some());
    let mut paths: Vec<String> = guarded.map(|operation| operation.path()).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "<till::Till as till::Named>::letter",
            "till::Till::add",
            "till::Till::into_last",
            "till::Till::take",
            "till::first",
            "till::greatest",
        ]
    );
    let harness = session.build(Profile::Unoptimised).expect("a harness");
    let mut supervisor = session.supervise(&harness, WorkerLimits::default()).expect("a worker");
    let walk = Walk { max_sequences: 2000, max_calls: 20_000, max_length: 12, ..Walk::default() };
    let walked = supervisor.walk(&walk, &mut |_, _| {}).expect("it walks");
    for (operation, (completed, panicked)) in
        session.plan.operations.iter().zip(walked.completed.iter().zip(&walked.panicked))
    {
        // The one with the bug ends its sequences, so it is called less.
        if operation.guard.is_some() && operation.path() != "till::Till::take" {
            assert!(*completed > 50, "{} completed {completed} times", operation.callee);
            assert_eq!(*panicked, 0, "{}", operation.callee);
        }
    }
}

#[test]
fn the_broken_promise_is_reported_and_no_broken_precondition() {
    let fixture = till();
    let output = fixture.run(&["--calls", "60000", "--quiet", "--suspicious"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(100), "{text}{}", stderr(&output));
    assert!(text.contains("self.len() == old(self.len()) - 1"), "{text}");
    let file = fixture.path().join("tests/testsmith_failures.rs");
    let written = std::fs::read_to_string(&file).expect("the test is there");
    // What the test itself put together upside down is nobody's bug.
    assert!(!text.contains("Span") && !written.contains("Span"), "{text}{written}");
    assert!(text.contains("Post-condition of other_letter panics itself"), "{text}");
    assert_eq!(written.matches("#[test]").count(), 2, "{written}");
    assert_eq!(written.matches(".add(").count(), 2, "as few coins as it takes: {written}");
}
