//! What fakes promise beside their contracts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use subject_fakes::*;
use testsmith::contracts::{Kind, violation_of};
use testsmith::{contract_trait, ensures, fake, pure, requires};

/// What code panics with.
fn panic_of<R>(code: impl FnOnce() -> R) -> String {
    match catch_unwind(AssertUnwindSafe(code)) {
        Ok(_) => panic!("it does not panic"),
        Err(payload) => match payload.downcast::<String>() {
            Ok(text) => *text,
            Err(_) => panic!("it panics with something that is no text"),
        },
    }
}

/// The same calls, whatever the seed.
fn calls_of(mut stack: FakeStack) -> Vec<String> {
    for item in 0..4 {
        if !stack.is_full() {
            stack.push(item);
        }
        stack.pop();
        stack.pop();
    }
    stack.calls().iter().map(ToString::to_string).collect()
}

#[test]
fn answers_are_those_of_the_seed() {
    let mut different = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let calls = calls_of(FakeStack::with_seed(seed));
        assert_eq!(calls, calls_of(FakeStack::with_seed(seed)));
        different.insert(calls);
    }
    assert!(different.len() > 5, "other seeds, other answers: {different:?}");
    assert_eq!(calls_of(FakeStack::default()), calls_of(FakeStack::with_seed(0)));
}

#[test]
fn a_fake_begins_in_the_state_that_is_asked_for() {
    for seed in 0..20 {
        let stack = FakeStack::in_state_with_seed("len() == 3 && !is_full()", seed);
        assert_eq!((stack.len(), stack.is_full(), stack.is_empty()), (3, false, false));
    }
    let account = FakeAccount::in_state("balance() == -overdraft() && overdraft() > 400");
    assert!(account.balance() < -400);
    let source = FakeSource::in_state("name().starts_with(\"live-\") && left() == 200");
    assert!(source.name().starts_with("live-") && source.left() == 200);
    let signal = FakeSignal::in_state("announced() == Some((Colour::Red, 4))");
    assert_eq!((signal.colour(), signal.announced()), (Colour::Amber, Some((Colour::Red, 4))));
    let register = FakeRegister::in_state("get(\"a\") == Some(7) && !has(\"b\")");
    assert_eq!((register.get("a"), register.get("b")), (Some(7), None));
}

#[test]
fn a_state_that_contracts_exclude_is_refused_with_the_condition() {
    let text = panic_of(|| FakeStack::in_state("len() > MOST"));
    assert_eq!(
        text,
        "FakeStack: no state of Stack that its contracts allow satisfies `len() > MOST`"
    );
    let text = panic_of(|| FakeStack::in_state("len() == 3 && is_empty()"));
    assert!(text.contains("`len() == 3 && is_empty()`"), "{text}");
}

#[test]
fn a_condition_that_is_not_understood_is_refused_with_the_reason() {
    let text = panic_of(|| FakeStack::in_state("weight() == 3"));
    assert!(text.contains("`weight() == 3`") && text.contains("weight"), "{text}");
    let text = panic_of(|| FakeStack::in_state("len() == "));
    assert!(text.contains("FakeStack"), "{text}");
}

#[test]
fn calls_are_recorded_with_arguments_and_answers_and_clauses_are_not() {
    let mut stack = FakeStack::in_state("len() == 0 && capacity() == 2");
    stack.push(-5);
    assert_eq!(stack.pop(), Some(-5));
    assert!(stack.is_empty(), "a provided method is its own, and what it calls is recorded");
    let calls = stack.calls();
    let texts: Vec<String> = calls.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["push(-5)", "pop() = Some(-5)", "len() = 0"]);
    assert_eq!(calls[0].method, "push");
    assert_eq!(calls[0].arguments, ["-5"]);
    let mut register = FakeRegister::in_state("get(\"a\") == None");
    register.put("a", 3);
    assert_eq!(register.calls()[0].to_string(), "put(\"a\", 3) = None");
}

#[test]
fn a_fake_shows_what_is_known_and_what_was_called() {
    let mut signal = FakeSignal::in_state_with_seed("colour() == Colour::Red", 4);
    signal.step();
    let text = format!("{signal:?}");
    let expected = "FakeSignal { seed: 4, state: [colour() = Amber, announced() = Some((";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.ends_with("calls: [step() = Amber] }"), "{text}");
}

#[test]
fn a_broken_precondition_is_the_callers_fault_like_any_other() {
    let mut stack = FakeStack::in_state("is_full()");
    let violation = violation_of(|| stack.push(1)).expect("it is full");
    assert_eq!(
        (violation.kind, violation.clause.text.as_str()),
        (Kind::Requires, "!self.is_full()")
    );
    assert_eq!(violation.clause.message.as_deref(), Some("there is room"));
    assert_eq!(stack.calls(), [], "nothing was called");
    assert!(stack.pop().is_some(), "and the fake goes on");
}

#[test]
fn a_clone_goes_its_own_way() {
    let stack = FakeStack::in_state("len() == 1 && capacity() == 5");
    let mut other = stack.clone();
    other.pop();
    assert_eq!((stack.len(), other.len()), (1, 0));
}

#[test]
fn fakes_are_objects_and_can_be_shared_between_threads() {
    fn is_shared<T: Send + Sync + 'static>(_: &T) {}
    let stack = FakeStack::default();
    is_shared(&stack);
    let mut boxed: Box<dyn Stack> = Box::new(stack);
    let room = boxed.capacity() - boxed.len();
    assert_eq!(boxed.push_all(&[1; 50]), room);
    assert!(boxed.is_full());
}

#[fake]
#[contract_trait]
pub trait Impossible {
    #[pure]
    #[ensures(ret > 3 && ret < self.other())]
    fn one(&self) -> u8;

    #[pure]
    #[ensures(ret < 4)]
    fn other(&self) -> u8;
}

#[test]
fn contracts_that_contradict_each_other_have_no_fake() {
    let text = panic_of(FakeImpossible::default);
    assert_eq!(
        text,
        "FakeImpossible: the contracts of the queries of Impossible contradict each other"
    );
}

#[fake]
#[contract_trait]
trait Counter {
    #[pure]
    fn count(&self) -> u8;

    #[ensures(self.count() == old(self.count()) + 1)]
    fn count_up(&mut self);
}

/// A contract that nobody can keep for ever.
#[test]
fn a_call_that_no_answer_obeys_is_told_with_its_clauses() {
    let mut counter = FakeCounter::in_state("count() == 254");
    counter.count_up();
    let text = panic_of(|| counter.count_up());
    assert_eq!(
        text,
        "FakeCounter: nothing that Counter::count_up could do now obeys its contract: \
         `self.count() == old(self.count()) + 1`"
    );
    assert_eq!(counter.count(), 255);
}

fn is_lucky(n: u32) -> bool {
    n % 7 == 3
}

#[fake]
#[contract_trait]
pub trait Dice {
    #[ensures(is_lucky(ret))]
    fn roll(&mut self) -> u32;
}

#[test]
fn a_clause_that_the_solver_does_not_understand_is_told_before_the_first_call() {
    assert!(is_lucky(10));
    let text = panic_of(FakeDice::default);
    assert!(
        text.starts_with("FakeDice cannot keep these clauses:\n  `is_lucky(ret)` of"),
        "{text}"
    );
}

#[fake]
#[contract_trait]
trait Words {
    #[pure]
    #[requires(at < 4)]
    #[ensures(ret.len() == at + 1)]
    fn word(&self, at: usize) -> &str;

    #[pure]
    #[ensures(ret == text.len())]
    fn length(&self, text: &str) -> usize;

    #[pure]
    fn limits(&self) -> (u128, i8, char);

    #[requires(word.len() <= 24)]
    #[ensures(ret == old(word == self.word(0)))]
    fn is_first(&mut self, word: String) -> bool;

    /// Its own business, and nothing that the solver could follow.
    #[pure]
    fn shout(&self) -> String {
        let (_, _, mark) = self.limits();
        format!("{}{mark}", self.word(3).to_uppercase())
    }

    fn finish(self) -> Result<Option<bool>, String>
    where
        Self: Sized;
}

#[test]
fn texts_tuples_and_queries_with_arguments() {
    let mut words = FakeWords::with_seed(3);
    let first = words.word(0).to_owned();
    assert_eq!((first.len(), words.word(3).len()), (1, 4));
    assert_eq!(words.word(0), first);
    assert_eq!(words.limits(), words.limits());
    assert_eq!(words.shout().chars().count(), 5);
    assert_eq!(words.length("four"), 4);
    assert!(words.is_first(first.clone()));
    assert_eq!(words.word(0), first, "nothing speaks of it, so it stays");
    assert!(!words.is_first("other".to_owned()));
    // What a fake is given may be longer than what it makes up, and of any characters.
    assert_eq!(words.length("more than twenty-four characters"), 32);
    assert_eq!(words.length("größer"), 8);
    let violation = violation_of(|| words.word(4).len()).expect("there are four");
    assert_eq!(violation.kind, Kind::Requires);
    assert_eq!(words.clone().finish(), words.finish(), "the same seed, the same state");
}

/// What other traits extend.
mod base {
    use testsmith::{contract_trait, ensures, fake, pure};

    #[fake]
    #[contract_trait]
    pub trait Shelf: std::fmt::Debug + Send {
        const ROOM: usize = 12;

        #[pure]
        #[ensures(ret <= Self::ROOM)]
        fn books(&self) -> usize;

        #[ensures(self.books() == old(self.books()).min(Self::ROOM - 1) + 1)]
        fn put(&mut self);

        #[pure]
        fn is_full(&self) -> bool {
            self.books() == 12
        }
    }
}

use base::Shelf;

#[fake]
#[contract_trait]
pub trait Locked {
    #[pure]
    fn is_open(&self) -> bool;
}

#[fake]
#[contract_trait]
pub trait Cabinet: Shelf + Locked + Clone {
    #[pure]
    #[ensures(!self.is_open() -> ret.is_none())]
    #[ensures(ret.is_some() -> self.books() > 0)]
    fn seen(&self) -> Option<u8>;

    #[requires(!self.is_open())]
    #[ensures(self.is_open() && unchanged(self.books()))]
    fn open(&mut self);
}

#[fake]
#[contract_trait]
pub trait Archive: Cabinet {
    #[requires(self.is_open())]
    #[ensures(self.books() == 0)]
    fn clear(&mut self);
}

#[test]
fn a_fake_implements_what_its_trait_extends() {
    fn fill(shelf: &mut impl Shelf) -> usize {
        let before = shelf.books();
        while !shelf.is_full() {
            shelf.put();
        }
        shelf.books() - before
    }
    for seed in 0..20 {
        let mut archive =
            FakeArchive::in_state_with_seed("books() == 9 && !is_open() && !is_full()", seed);
        assert_eq!((archive.books(), archive.seen()), (9, None));
        archive.open();
        assert!(archive.is_open() && violation_of(|| archive.open()).is_some());
        assert_eq!(fill(&mut archive), 3);
        let _ = archive.seen();
        archive.clear();
        assert_eq!((archive.books(), archive.seen()), (0, None));
    }
    assert!(base::FakeShelf::default().books() <= 12);
}

#[fake]
#[contract_trait]
pub trait Scale {
    #[pure]
    #[ensures(ret >= 0.0 && ret <= self.most())]
    fn weight(&self) -> f64;

    #[pure]
    #[ensures(ret > 0.0 && ret < 50.0)]
    fn most(&self) -> f64;

    #[pure]
    #[ensures(ret.len() <= 4 && ret.iter().all(|part| *part > 0))]
    fn parts(&self) -> &[u16];

    #[pure]
    fn names(&self) -> Vec<String>;

    #[requires(part > 0 && self.parts().len() < 4)]
    #[ensures(self.parts().len() == old(self.parts().len()) + 1)]
    #[ensures(self.parts()[self.parts().len() - 1] == part)]
    #[ensures(self.weight() >= old(self.weight()))]
    fn add(&mut self, part: u16);

    #[requires(rate > -1.0)]
    #[ensures(ret == (rate > 0.5))]
    fn is_steep(&mut self, rate: f32) -> bool;

    #[ensures(self.names() == names)]
    fn rename(&mut self, names: &[String]);

    #[ensures(ret.len() == old(sizes.len()))]
    #[ensures(old(sizes.contains(&9)) -> ret[0] == 9)]
    fn sorted(&mut self, sizes: Vec<u8>) -> Vec<u8>;
}

#[test]
fn floats_and_lists_are_values_too() {
    let mut lengths = [0; 5];
    for seed in 0..6 {
        let mut scale = FakeScale::with_seed(seed);
        let (weight, most) = (scale.weight(), scale.most());
        assert!(0.0 <= weight && weight <= most && most < 50.0, "{scale:?}");
        let before = scale.parts().to_vec();
        lengths[before.len()] += 1;
        if before.len() < 4 {
            scale.add(7);
            assert_eq!((scale.parts().len(), scale.parts().last()), (before.len() + 1, Some(&7)));
            assert!(scale.weight() >= weight);
        }
        assert!(!scale.is_steep(0.5) && scale.is_steep(0.75));
        let names: Vec<String> = (0..9).map(|n| format!("part {n}")).collect();
        scale.rename(&names);
        assert_eq!(scale.names(), names, "a list that is given may be longer than one made up");
        scale.rename(&[]);
        assert!(scale.names().is_empty());
        let sorted = scale.sorted(vec![3, 9, 2]);
        assert_eq!((sorted.len(), sorted[0]), (3, 9));
    }
    assert!(lengths.iter().filter(|times| **times > 0).count() > 2, "{lengths:?}");
    let scale = FakeScale::in_state("weight() == 2.5 && parts().len() == 2");
    assert_eq!((scale.weight(), scale.parts().len()), (2.5, 2));
}

/// Nothing that the solver could follow.
#[derive(Debug)]
pub struct Parcel {
    grams: u32,
}

pub struct Label;

#[fake]
#[contract_trait]
pub trait Courier {
    #[pure]
    fn carried(&self) -> u8;

    #[requires(parcel.grams < 1000 && self.carried() < 3)]
    #[ensures(self.carried() == old(self.carried()) + 1)]
    fn take(&mut self, parcel: &Parcel, label: Label, note: &str);

    #[requires(self.carried() > 0)]
    #[ensures(self.carried() == 0)]
    fn drop_off(&mut self, at: std::collections::HashMap<String, u8>);
}

#[fake]
#[contract_trait]
pub trait Weigher {
    #[ensures(ret == parcel.grams)]
    fn weigh(&mut self, parcel: &Parcel) -> u32;
}

#[test]
fn what_no_promise_speaks_of_is_passed_over() {
    let mut courier = FakeCourier::in_state("carried() == 1");
    courier.take(&Parcel { grams: 5 }, Label, "fragile");
    assert_eq!(courier.carried(), 2);
    let call = courier.calls()[0].to_string();
    assert_eq!(call, "take(Parcel { grams: 5 }, ?, \"fragile\")");
    let heavy = Parcel { grams: 5000 };
    let violation = violation_of(|| courier.take(&heavy, Label, "")).expect("it is too heavy");
    assert_eq!(violation.kind, Kind::Requires);
    courier.drop_off(Default::default());
    assert_eq!(courier.carried(), 0);
    let text = panic_of(FakeWeigher::default);
    assert!(text.contains("`ret == parcel.grams` of Weigher::weigh"), "{text}");
}

/// A trait that has its contracts elsewhere.
mod printing {
    pub trait Printer {
        fn ink(&self) -> u8;
        fn print(&mut self) -> bool;
    }
}

#[fake(by_hand(std::fmt::Display), of = printing::Printer)]
#[contract_trait]
pub trait Printer: std::fmt::Display {
    #[pure]
    fn ink(&self) -> u8;

    #[ensures(ret == (old(self.ink()) > 0))]
    #[ensures(self.ink() == old(self.ink()).saturating_sub(1))]
    fn print(&mut self) -> bool;
}

impl std::fmt::Display for FakePrinter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ink for {} pages", Printer::ink(self))
    }
}

#[test]
fn a_trait_of_another_crate_and_a_supertrait_by_hand() {
    fn print_all(printer: &mut dyn printing::Printer, pages: u8) -> usize {
        (0..pages).filter(|_| printer.print()).count()
    }
    for seed in 0..10 {
        let mut printer = FakePrinter::in_state_with_seed("ink() == 3", seed);
        assert_eq!(printer.to_string(), "ink for 3 pages");
        assert_eq!(print_all(&mut printer, 5), 3);
        assert_eq!(printing::Printer::ink(&printer), 0);
    }
}
