//! Observation on thunks written by hand: what is asked of whom, and which queries are not
//! asked again.

use super::*;
use crate::arena::Frame;
use crate::executor::Thunk;
use crate::journal::Journal;
use crate::observer::Observer;
use crate::table::TypeTable;
use crate::type_table;
use std::cell::Cell;
use testsmith_model::observation::{Watch, Watching};
use testsmith_model::operation::{Flow, FlowKind, Mode, Operation, TypeInfo};
use testsmith_model::sequence::{Literal, Step};
use testsmith_model::{Plan, Ty, journal};

/// A number, and how often it was looked at without anybody seeing that.
#[derive(Debug, Default)]
struct Tally {
    number: i32,
    looks: Cell<i32>,
}

struct Lent(#[expect(dead_code)] &'static mut Tally);

const TALLY: TypeId = TypeId(0);
const NUMBER: TypeId = TypeId(1);
const ANSWER: TypeId = TypeId(2);
const LENT: TypeId = TypeId(3);

fn tally(f: &Frame) -> &'static Tally {
    // SAFETY: as the plan says.
    unsafe { f.shared(0) }
}

fn make(f: &mut Frame) -> bool {
    f.put(Tally::default());
    true
}

fn add(f: &mut Frame) -> bool {
    // SAFETY: as the plan says.
    let (tally, by): (&mut Tally, i32) = unsafe { (f.exclusive(0), f.own(1)) };
    tally.number += by;
    f.put(tally.number);
    true
}

fn number(f: &mut Frame) -> bool {
    f.put(tally(f).number);
    true
}

/// Panics for negative numbers.
fn root(f: &mut Frame) -> bool {
    assert!(tally(f).number >= 0, "only of what is not negative");
    f.put(tally(f).number);
    true
}

/// Says something else each time.
fn wavers(f: &mut Frame) -> bool {
    thread_local!(static TURN: Cell<i32> = const { Cell::new(0) });
    TURN.set(TURN.get() + 1);
    f.put(TURN.get());
    true
}

/// Leaves a trace in the value.
fn changes(f: &mut Frame) -> bool {
    let tally = tally(f);
    tally.looks.set(tally.looks.get() + 1);
    f.put(true);
    true
}

fn is_less(f: &mut Frame) -> bool {
    // SAFETY: as the plan says.
    let than: i32 = unsafe { f.own(1) };
    f.put(tally(f).number < than);
    true
}

/// Whether it lies between two numbers.
fn is_within(f: &mut Frame) -> bool {
    // SAFETY: as the plan says.
    let (from, to): (i32, i32) = unsafe { (f.own(1), f.own(2)) };
    f.put((from..=to).contains(&tally(f).number));
    true
}

fn lend(f: &mut Frame) -> bool {
    // SAFETY: as the plan says.
    f.put(Lent(unsafe { f.exclusive(0) }));
    true
}

const ADD: OpId = OpId(1);
const NUMBER_OF: OpId = OpId(2);
const ROOT: OpId = OpId(3);
const WAVERS: OpId = OpId(4);
const CHANGES: OpId = OpId(5);
const IS_LESS: OpId = OpId(6);
const LEND: OpId = OpId(7);
const IS_WITHIN: OpId = OpId(8);

fn plan() -> Plan {
    let op = Operation::of_types;
    let loan = Flow { input: 0, kind: FlowKind::Loan { mutable: true } };
    let info = |name: &str, table: TypeTable| TypeInfo::owned(Ty::prim(name), table.abilities());
    let looks = (TALLY, Mode::Shared);
    Plan {
        types: vec![
            info("Tally", type_table!(Tally)),
            info("i32", type_table!(i32)),
            info("bool", type_table!(bool)),
            info("Lent", type_table!(Lent)),
        ],
        operations: vec![
            op(&[], TALLY),
            op(&[(TALLY, Mode::Exclusive), (NUMBER, Mode::Own)], NUMBER),
            op(&[looks], NUMBER),
            op(&[looks], NUMBER),
            op(&[looks], NUMBER),
            op(&[looks], ANSWER),
            op(&[looks, (NUMBER, Mode::Own)], ANSWER),
            Operation { flows: vec![loan], ..op(&[(TALLY, Mode::Exclusive)], LENT) },
            op(&[looks, (NUMBER, Mode::Own), (NUMBER, Mode::Own)], ANSWER),
        ],
        ..Plan::default()
    }
}

/// Runs sequences with these questions about the tally and the number that it is given.
fn observe(name: &str, terms: &[Term], occasion: Occasion, sequences: &[Sequence]) -> Observed {
    let after = if matches!(occasion, Occasion::Call { .. }) { terms.to_vec() } else { vec![] };
    observe_watches(name, vec![Watch { occasion, before: terms.to_vec(), after }], sequences)
}

fn observe_watches(name: &str, watches: Vec<Watch>, sequences: &[Sequence]) -> Observed {
    let path = std::env::temp_dir().join(format!("testsmith-{name}-{}", std::process::id()));
    let file = std::fs::File::create(&path);
    file.and_then(|file| file.set_len(journal::SIZE as u64)).expect("a temporary file");
    let journal = Journal::open(&path).expect("it was just made");
    let tables: &'static [TypeTable] =
        vec![type_table!(Tally), type_table!(i32), type_table!(bool), type_table!(Lent)].leak();
    let thunks: &'static [Thunk] =
        &[make, add, number, root, wavers, changes, is_less, lend, is_within];
    let mut executor = Executor::new(plan(), thunks, tables, journal);
    let watching = Watching { watches, rows_each: 3 };
    executor.observer = Some(Box::new(Observer::new(&executor.plan, watching)));
    crate::panics::install_hook();
    let observed = executor.observe_all(sequences);
    drop(std::panic::take_hook());
    let _ = std::fs::remove_file(&path);
    observed
}

/// Makes a tally and adds these numbers one after the other.
fn adding(numbers: &[i128]) -> Sequence {
    let mut steps = vec![Step::Call(OpId(0), Box::new([]))];
    for number in numbers {
        steps.push(Step::Literal(NUMBER, Literal::Int(*number)));
        let here = steps.len() as u32;
        steps.push(Step::Call(ADD, Box::new([here, 1])));
    }
    Sequence::from_steps(steps)
}

fn of_add() -> Occasion {
    Occasion::Call { op: ADD }
}

#[test]
fn answers_are_taken_before_and_after_a_call() {
    let terms = [
        Term::Query { op: NUMBER_OF, at: 0 },
        Term::Itself { at: 1 },
        Term::With { op: IS_LESS, at: 0, with: 1 },
    ];
    let twice = [adding(&[5, 3]), adding(&[5])];
    let observed = observe("answers", &terms, of_add(), &twice);
    let rows: Vec<_> = observed.rows.iter().map(|row| (&row.before[..], &row.after[..])).collect();
    assert_eq!(rows, [(&[0, 5, 1][..], &[5, 5, 0][..]), (&[5, 3, 0], &[8, 3, 0])]);
    assert_eq!(observed.rows[0].times, 2, "the same answers are kept once");
    assert_eq!((observed.rows[1].step, &observed.rows[1].slots[..]), (4, &[0, 3][..]));
    assert_eq!(observed.sequences, twice[..1], "a sequence without news is not kept");
    assert_eq!(observed.calls, 5, "questions are not counted");
    assert_eq!(observed.unfit, []);
    assert_eq!(observed.attempts[0].before, [5, 3, 0], "before the last call");
}

#[test]
fn a_query_is_given_two_others_once_both_are_there() {
    let ask = |with, and| Term::WithTwo { op: IS_WITHIN, at: 0, with, and };
    let observed = observe("two", &[ask(1, 2), ask(2, 1)], of_add(), &[adding(&[5, 3])]);
    let rows: Vec<_> = observed.rows.iter().map(|row| (&row.before[..], &row.after[..])).collect();
    let unknown = &[UNKNOWN, UNKNOWN][..];
    assert_eq!(rows, [(unknown, &[1, 1][..]), (unknown, &[1, 0])], "there is no result before");
}

#[test]
fn queries_that_panic_waver_or_change_their_value_are_not_asked_again() {
    let ask = |op: OpId| Term::Query { op, at: 0 };
    let terms = [ROOT, WAVERS, CHANGES, NUMBER_OF].map(ask);
    let observed = observe("unfit", &terms, of_add(), &[adding(&[-1, 4, 2])]);
    let expected = [(ROOT, Unfit::Panics), (WAVERS, Unfit::Wavers), (CHANGES, Unfit::Changes)];
    assert_eq!(observed.unfit, expected);
    let last = observed.rows.last().expect("something was seen");
    assert_eq!(last.after[..], [UNKNOWN, UNKNOWN, UNKNOWN, 5], "the others still are");
    assert!(matches!(observed.attempts[0].outcome, Some(ref outcome)
        if outcome.ending == testsmith_model::outcome::Ending::Completed));
}

#[test]
fn a_value_that_is_borrowed_is_not_asked() {
    let lent = Sequence::from_steps(vec![
        Step::Call(OpId(0), Box::new([])),
        Step::Call(LEND, Box::new([1])),
    ]);
    let terms = [Term::Query { op: NUMBER_OF, at: 0 }];
    let observed = observe("lent", &terms, Occasion::Call { op: LEND }, &[lent]);
    assert_eq!(observed.rows[0].before, [0]);
    assert_eq!(observed.rows[0].after, [UNKNOWN], "somebody may change it");
}

#[test]
fn values_at_the_end_are_looked_at_and_too_many_answers_are_counted() {
    let terms = [Term::Query { op: NUMBER_OF, at: 0 }];
    let all: Vec<Sequence> = (0..5).map(|n| adding(&[n])).collect();
    let observed = observe("ends", &terms, Occasion::Values { types: vec![TALLY] }, &all);
    let seen: Vec<i64> = observed.rows.iter().map(|row| row.before[0]).collect();
    assert_eq!(seen, [0, 1, 2], "there is room for three");
    assert_eq!(observed.unkept, 2);
}

#[test]
fn two_calls_that_change_one_value_are_a_pair_unless_another_comes_between() {
    let number = Term::Query { op: NUMBER_OF, at: 0 };
    let given = Term::Itself { at: 1 };
    let call = Watch { occasion: of_add(), before: vec![number, given], after: vec![number] };
    // The tally, the first number, its result, the second number, its result.
    let pair = Watch {
        occasion: Occasion::Pair { first: ADD, second: ADD },
        before: vec![number, given, Term::Itself { at: 2 }, Term::Itself { at: 3 }],
        after: vec![number, Term::Itself { at: 4 }, Term::Inside { at: 4 }],
    };
    let watches = vec![call, pair];
    let rows = |sequence: Sequence, name: &str| {
        let observed = observe_watches(name, watches.clone(), &[sequence]);
        let pairs = observed.rows.into_iter().filter(|row| row.watch == 1);
        pairs.map(|row| (row.step, row.before, row.after)).collect::<Vec<_>>()
    };
    let seen = rows(adding(&[5, 3]), "pair");
    // A number has nothing inside.
    assert_eq!(seen, [(4, vec![0, 5, 5, 3], vec![8, 8, UNKNOWN])]);
    assert_eq!(rows(adding(&[5]), "single"), []);
    let between = Sequence::from_steps(vec![
        Step::Call(OpId(0), Box::new([])),
        Step::Literal(NUMBER, Literal::Int(5)),
        Step::Call(ADD, Box::new([2, 1])),
        Step::Call(LEND, Box::new([3])),
        Step::Literal(NUMBER, Literal::Int(3)),
        Step::Call(ADD, Box::new([5, 1])),
    ]);
    assert_eq!(rows(between, "between"), [], "it is not known what that changed");
}
