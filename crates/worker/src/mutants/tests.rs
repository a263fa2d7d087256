//! The judge on thunks whose mutants are written by hand.

use super::*;
use crate::arena::Frame;
use crate::executor::Thunk;
use crate::journal::Journal;
use crate::type_table;
use std::cell::Cell;
use testsmith_model::operation::{Mode, Operation, TypeInfo};
use testsmith_model::outcome::{Panic, Phase};
use testsmith_model::sequence::Literal;
use testsmith_model::ty::Ty;
use testsmith_model::{Heuristics, Plan, TypeId, Value, journal};

fn look(values: &[&str], ending: Ending, step: u32, left: &[Option<&str>]) -> Look {
    let value = |text: &&str| Value { text: Some((*text).to_owned()) };
    let values = values.iter().map(value).collect();
    let outcome = Outcome { ending, step, phase: Phase::Calling, values, new_edges: 0 };
    Look { outcome, left: left.iter().map(|text| text.map(str::to_owned)).collect() }
}

fn panicked(message: &str) -> Ending {
    Ending::Panicked(Panic { message: message.to_owned(), ..Panic::default() })
}

#[test]
fn what_differs_first_is_told() {
    let original = look(&["1", "2"], Ending::Completed, 2, &[Some("a"), None]);
    let check = |mutant: Look| difference(&original, &mutant, true);
    let same = |left: &[Option<&str>]| look(&["1", "2"], Ending::Completed, 2, left);
    assert_eq!(check(same(&[Some("a"), Some("b")])), None, "what is not steady is no news");
    assert_eq!(check(same(&[Some("b"), None])), Some((0, Shown::State)));
    let value = look(&["1", "3"], panicked("it"), 2, &[]);
    assert_eq!(check(value), Some((1, Shown::Value)));
    let ending = look(&["1"], panicked("it"), 1, &[]);
    assert_eq!(check(ending), Some((1, Shown::Ending)));
}

#[test]
fn a_panic_that_is_not_promised_need_not_come() {
    let original = look(&["1"], panicked("one"), 1, &[]);
    let other = look(&["1"], panicked("other"), 1, &[]);
    assert_eq!(difference(&original, &other, true), None, "what it says is nobody's business");
    let completed = look(&["1", "2"], Ending::Completed, 2, &[]);
    assert_eq!(difference(&original, &completed, false), None);
    assert_eq!(difference(&original, &completed, true), Some((1, Shown::Ending)));
    let earlier = look(&[], panicked("one"), 0, &[]);
    assert_eq!(difference(&original, &earlier, false), Some((0, Shown::Ending)));
}

#[test]
fn addresses_are_known_by_their_digits() {
    assert!(has_address("Shelf { at: 0x7ffd12a0 }"));
    assert!(!has_address("[0x12, 0xff]") && !has_address("0x") && !has_address("a"));
}

thread_local! {
    static ACTIVE: Cell<u32> = const { Cell::new(0) };
    static RECORD: Cell<*mut u8> = const { Cell::new(std::ptr::null_mut()) };
    static STAMP: Cell<u8> = const { Cell::new(1) };
    static TURN: Cell<i32> = const { Cell::new(0) };
}

unsafe fn record_in(record: *mut u8, _numbers: u32) {
    RECORD.set(record);
}

fn try_out(mutant: u32, _visits: u64) {
    ACTIVE.set(mutant);
}

fn stamp(stamp: u8) {
    STAMP.set(stamp);
}

/// A guard of one mutant.
fn on(mutant: u32) -> bool {
    if ACTIVE.get() == RECORDING {
        // SAFETY: the record has a byte for each mutant, behind eight that count.
        unsafe { RECORD.get().add(8 + mutant as usize).write(STAMP.get()) };
    }
    ACTIVE.get() == mutant
}

/// Mutant 1 gives another number, mutant 2 the same, mutant 3 panics for large ones.
fn add(frame: &mut Frame) -> bool {
    // SAFETY: the plan says that its argument is a number.
    let number: i32 = unsafe { frame.own(0) };
    let by = if on(1) { 2 } else { 1 };
    let by = if on(2) { 3 - 2 } else { by };
    assert!(!(on(3) && number > 10), "it is large");
    frame.put(number + by);
    true
}

/// Another number each time, with mutant 4 and without.
fn waver(frame: &mut Frame) -> bool {
    TURN.set(TURN.get() + 1);
    frame.put(TURN.get() + if on(4) { 100 } else { 0 });
    true
}

/// Mutant 5 changes what was handed over, and returns the same.
fn push(frame: &mut Frame) -> bool {
    // SAFETY: the plan says that its argument is a text that it may change.
    let text: &mut String = unsafe { frame.exclusive(0) };
    text.push(if on(5) { 'b' } else { 'a' });
    frame.put(());
    true
}

const NUMBER: TypeId = TypeId(0);
const TEXT: TypeId = TypeId(1);
const UNIT: TypeId = TypeId(2);

fn with_executor<T>(test: impl FnOnce(&mut Executor) -> T) -> T {
    let info = |ty: Ty, table: crate::table::TypeTable| TypeInfo::owned(ty, table.abilities());
    let plan = Plan {
        types: vec![
            info(Ty::prim("i32"), type_table!(i32)),
            info(Ty::adt("std::string::String", vec![]), type_table!(String)),
            info(Ty::unit(), type_table!(())),
        ],
        operations: vec![
            Operation::of_types(&[(NUMBER, Mode::Own)], NUMBER),
            Operation::of_types(&[], NUMBER),
            Operation::of_types(&[(TEXT, Mode::Exclusive)], UNIT),
        ],
        ..Plan::default()
    };
    let name = format!("testsmith-judge-{:?}", std::thread::current().id());
    let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
    let file = std::fs::File::create(&path).expect("writable");
    file.set_len(journal::SIZE as u64).expect("it can be that long");
    let journal = Journal::open(&path).expect("it was just made");
    let tables: &'static [crate::table::TypeTable] =
        vec![type_table!(i32), type_table!(String), type_table!(())].leak();
    let thunks: &'static [Thunk] = &[add, waver, push];
    let mut executor = Executor::new(plan, thunks, tables, journal);
    crate::panics::install_hook();
    let result = test(&mut executor);
    // The hook of ours is silent; failed assertions should not be.
    drop(std::panic::take_hook());
    let _ = std::fs::remove_file(&path);
    result
}

/// What the judge tells of all five mutants with one sequence: mutant, step and in what; and
/// which of them were run.
fn told(steps: Vec<Step>) -> (Vec<(u32, u32, Shown)>, Vec<u32>) {
    let live = (1..=5).map(|id| LiveMutant { id, place: id, tried: 0 }).collect();
    let judging = Judging { live, numbers: 6, panicking: vec![] };
    let sequence = Sequence::from_steps(steps);
    with_executor(|executor| {
        let mut engine = Engine::new(&executor.plan, Heuristics::default(), &[], &[]);
        let mut board = Switchboard::new(Switch { record_in, try_out, stamp }, judging.numbers);
        let mut found = vec![];
        let mut tell = |one: Difference| {
            found.push((one.mutant, one.step, one.shown));
            Ok(())
        };
        let with = (&Walk::default(), std::slice::from_ref(&sequence));
        let judged = judge(executor, &mut engine, &mut board, &judging, with, &mut tell);
        let judged = judged.expect("nobody hangs up");
        assert_eq!(ACTIVE.get(), 0, "no mutant is left on");
        (found, judged.tried.into_iter().map(|(mutant, _)| mutant).collect())
    })
}

fn number(value: i128) -> Step {
    Step::Literal(NUMBER, Literal::Int(value))
}

#[test]
fn a_sequence_is_run_with_the_mutants_that_it_reaches_and_tells_those_that_differ() {
    let add = |back: u32| Step::Call(OpId(0), Box::new([back]));
    let (found, tried) = told(vec![number(3), add(1)]);
    assert_eq!((found, tried), (vec![(1, 1, Shown::Value)], vec![1, 2, 3]));
    let (found, _) = told(vec![number(30), add(1)]);
    assert_eq!(found, [(1, 1, Shown::Value), (3, 1, Shown::Ending)]);
}

#[test]
fn what_changes_by_itself_tells_nothing_and_what_is_left_does() {
    let (found, tried) = told(vec![Step::Call(OpId(1), Box::new([]))]);
    assert_eq!((found, tried), (vec![], vec![4]));
    let text = Step::Literal(TEXT, Literal::Str("".into()));
    let (found, tried) = told(vec![text, Step::Call(OpId(2), Box::new([1]))]);
    assert_eq!((found, tried), (vec![(5, 0, Shown::State)], vec![5]));
}
