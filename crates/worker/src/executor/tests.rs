//! The executor on thunks written by hand: every value is dropped exactly
//! once, no borrower outlives its owner, and the journal is ahead of the call.

use super::*;
use crate::type_table;
use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use testsmith_engines::Stage;
use testsmith_engines::random::Engine;
use testsmith_model::Heuristics;
use testsmith_model::journal;
use testsmith_model::message::Component;
use testsmith_model::operation::{Flow, FlowKind, Mode, Operation, TypeInfo};
use testsmith_model::ty::Ty;

/// What became of the tokens of this thread.
#[derive(Default)]
struct Ledger {
    /// Per token: how many views look at it, or `None` once it is dropped.
    tokens: Vec<Option<u32>>,
    faults: Vec<String>,
}

thread_local! {
    static LEDGER: RefCell<Ledger> = RefCell::default();
    static JOURNAL: RefCell<PathBuf> = RefCell::default();
    static SEEN: RefCell<Vec<(usize, u32, Phase)>> = RefCell::default();
    static TURN: Cell<u32> = const { Cell::new(0) };
    static CLONES: Cell<u32> = const { Cell::new(0) };
}

fn ledger<T>(change: impl FnOnce(&mut Ledger) -> T) -> T {
    LEDGER.with(|ledger| change(&mut ledger.borrow_mut()))
}

/// A value that must be dropped once, after all views of it.
struct Token(usize);

impl Token {
    fn new() -> Token {
        ledger(|ledger| {
            ledger.tokens.push(Some(0));
            Token(ledger.tokens.len() - 1)
        })
    }

    fn touch(&self) {
        ledger(|ledger| {
            if ledger.tokens[self.0].is_none() {
                ledger.faults.push(format!("token {} is used after its drop", self.0));
            }
        });
    }
}

impl Clone for Token {
    fn clone(&self) -> Token {
        self.touch();
        CLONES.set(CLONES.get() + 1);
        Token::new()
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        ledger(|ledger| match ledger.tokens[self.0].take() {
            None => ledger.faults.push(format!("token {} is dropped twice", self.0)),
            Some(0) => {}
            Some(views) => ledger.faults.push(format!("token {} has {views} views", self.0)),
        });
    }
}

/// Borrows a token.
struct View(&'static Token);

impl View {
    fn of(token: &'static Token) -> View {
        ledger(|ledger| match &mut ledger.tokens[token.0] {
            Some(views) => *views += 1,
            None => ledger.faults.push(format!("token {} is viewed after its drop", token.0)),
        });
        View(token)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        ledger(|ledger| match &mut ledger.tokens[self.0.0] {
            Some(views) => *views -= 1,
            None => ledger.faults.push(format!("a view outlives token {}", self.0.0)),
        });
    }
}

/// Panics when dropped, now and then.
struct Grumpy;

impl Drop for Grumpy {
    fn drop(&mut self) {
        inspect();
        TURN.set(TURN.get() + 1);
        assert!(!TURN.get().is_multiple_of(3), "not in the mood");
    }
}

/// Notes what the journal says while code under test runs.
fn inspect() {
    let bytes = JOURNAL.with(|path| std::fs::read(&*path.borrow())).expect("it is there");
    let journal::Read { sequence, step, phase, .. } = journal::read(&bytes);
    SEEN.with(|seen| seen.borrow_mut().push((sequence.len(), step, phase.expect("it runs"))));
}

const TOKEN: TypeId = TypeId(0);
const VIEW: TypeId = TypeId(1);
const NUMBER: TypeId = TypeId(2);
const GRUMPY: TypeId = TypeId(3);
const STRING: TypeId = TypeId(4);
const STR: TypeId = TypeId(5);
const STATIC_STR: TypeId = TypeId(6);
const RESULT: TypeId = TypeId(7);

fn make(f: &mut Frame) -> bool {
    f.put(Token::new());
    true
}

fn view(f: &mut Frame) -> bool {
    // SAFETY: as the plan says.
    f.put(View::of(unsafe { f.shared(0) }));
    true
}

fn look(f: &mut Frame) -> bool {
    // SAFETY: as the plan says.
    let view: &View = unsafe { f.shared(0) };
    view.0.touch();
    f.put(1i32);
    true
}

fn change(f: &mut Frame) -> bool {
    // SAFETY: as the plan says.
    let (token, number): (&mut Token, i32) = unsafe { (f.exclusive(0), f.own(1)) };
    token.touch();
    f.put(number);
    true
}

fn join(f: &mut Frame) -> bool {
    // SAFETY: as the plan says.
    let (a, b): (Token, Token) = unsafe { (f.own(0), f.own(1)) };
    drop((a, b));
    f.put(Token::new());
    true
}

fn fail(f: &mut Frame) -> bool {
    // SAFETY: as the plan says.
    let (_token, number): (Token, i32) = unsafe { (f.own(0), f.own(1)) };
    assert!(number < 0, "only for negative numbers");
    f.put(number);
    true
}

fn refuse(f: &mut Frame) -> bool {
    // SAFETY: as the plan says.
    let _token: Token = unsafe { f.own(0) };
    false
}

/// As `fail`, with a guard that knows.
fn guarded(f: &mut Frame) -> bool {
    // SAFETY: as the plan says.
    let number: &i32 = unsafe { f.shared(1) };
    if *number >= 0 {
        return f.refuse();
    }
    fail(f)
}

fn peek(f: &mut Frame) -> bool {
    inspect();
    f.put(Grumpy);
    true
}

fn deny(f: &mut Frame) -> bool {
    f.put(Err::<i32, i32>(7));
    true
}

fn plan() -> Plan {
    let operation = |inputs: &[(TypeId, Mode)], output: TypeId, flows: Vec<Flow>| Operation {
        flows,
        ..Operation::of_types(inputs, output)
    };
    let info = |name: &str, table: TypeTable| TypeInfo::owned(Ty::prim(name), table.abilities());
    let loan = Flow { input: 0, kind: FlowKind::Loan { mutable: false } };
    Plan {
        types: vec![
            info("Token", type_table!(Token)),
            info("View", type_table!(View)),
            info("i32", type_table!(i32)),
            info("Grumpy", type_table!(Grumpy)),
            info("std::string::String", type_table!(String)),
            info("&str", type_table!(&'static str)),
            info("&'static str", type_table!(&'static str)),
            info("Refused", type_table!(Result<i32, i32>)),
        ],
        operations: vec![
            operation(&[], TOKEN, vec![]),
            operation(&[(TOKEN, Mode::Shared)], VIEW, vec![loan]),
            operation(&[(VIEW, Mode::Shared)], NUMBER, vec![]),
            operation(&[(TOKEN, Mode::Exclusive), (NUMBER, Mode::Own)], NUMBER, vec![]),
            operation(&[(TOKEN, Mode::Own), (TOKEN, Mode::Own)], TOKEN, vec![]),
            operation(&[(TOKEN, Mode::Own), (NUMBER, Mode::Own)], NUMBER, vec![]),
            operation(&[(TOKEN, Mode::Own)], NUMBER, vec![]),
            operation(&[], GRUMPY, vec![]),
            operation(&[(TOKEN, Mode::Own), (NUMBER, Mode::Own)], NUMBER, vec![]),
            operation(&[], RESULT, vec![]),
        ],
        literals: vec![(NUMBER, vec![Literal::Int(-1), Literal::Int(7)])],
        ..Plan::default()
    }
}

const MAKE: OpId = OpId(0);
const VIEW_OF: OpId = OpId(1);
const CHANGE: OpId = OpId(3);
const FAIL: OpId = OpId(5);
const PEEK: OpId = OpId(7);
const GUARDED: OpId = OpId(8);
const DENY: OpId = OpId(9);

/// Runs a test on an executor with a journal of its own.
fn with_executor<T>(name: &str, test: impl FnOnce(&mut Executor) -> T) -> T {
    let path = std::env::temp_dir().join(format!("testsmith-{name}-{}", std::process::id()));
    std::fs::File::create(&path)
        .and_then(|file| file.set_len(journal::SIZE as u64))
        .expect("a temporary file can be made");
    JOURNAL.with(|journal| journal.borrow_mut().clone_from(&path));
    let journal = Journal::open(&path).expect("it was just made");
    let tables: &'static [TypeTable] = vec![
        type_table!(Token),
        type_table!(View),
        type_table!(i32),
        type_table!(Grumpy),
        type_table!(String),
        type_table!(&'static str),
        type_table!(&'static str),
        type_table!(Result<i32, i32>),
    ]
    .leak();
    let thunks: &'static [Thunk] =
        &[make, view, look, change, join, fail, refuse, peek, guarded, deny];
    let mut executor = Executor::new(plan(), thunks, tables, journal);
    crate::panics::install_hook();
    let result = test(&mut executor);
    // The hook of ours is silent; failed assertions should not be.
    drop(std::panic::take_hook());
    let _ = std::fs::remove_file(&path);
    result
}

fn assert_all_dropped() {
    ledger(|ledger| {
        assert_eq!(ledger.faults, [""; 0]);
        assert!(ledger.tokens.iter().all(Option::is_none), "all tokens are dropped");
    });
}

#[test]
fn random_sequences_drop_every_value_exactly_once() {
    let mut endings = [0; 3];
    with_executor("random", |executor| {
        // Without the operation that reads the journal: files are slow.
        let mut engine = Engine::new(&executor.plan, Heuristics::ALL, &[PEEK], &[]);
        engine.start(11);
        for _ in 0..3000 {
            executor.begin(false);
            engine.begin(true);
            for _ in 0..15 {
                if engine.extend(executor).is_err() {
                    break;
                }
            }
            engine.end(executor);
            match executor.finish().ending {
                Ending::Completed => endings[0] += 1,
                Ending::Panicked(_) => endings[1] += 1,
                _ => endings[2] += 1,
            }
        }
        executor.shelf.clear();
    });
    assert_all_dropped();
    assert!(CLONES.get() > 500, "values are kept and start new sequences: {}", CLONES.get());
    assert!(ledger(|ledger| ledger.tokens.len()) > 5000);
    assert!(endings.iter().all(|n| *n > 5), "all endings are met: {endings:?}");
}

#[test]
fn a_clone_stands_for_the_calls_that_made_it() {
    with_executor("clone", |executor| {
        let mut engine = Engine::new(&executor.plan, Heuristics::ALL, &[PEEK], &[]);
        let component = Component {
            sequence: Sequence::from_steps(vec![
                Step::Call(MAKE, Box::new([])),
                Step::Literal(NUMBER, Literal::Int(-1)),
                Step::Call(CHANGE, Box::new([2, 1])),
            ]),
            value: 0,
        };
        // Values of this type cannot be told apart and are kept now and then.
        for _ in 0..100 {
            executor.begin(false);
            engine.begin(false);
            engine.adopt(executor, &component);
            executor.finish();
        }
        for _ in 0..200 {
            let calls = executor.calls;
            executor.begin(false);
            engine.begin(true);
            let _ = engine.extend(executor);
            let sequence = executor.sequence();
            executor.finish();
            let mut builder = testsmith_model::Builder::new(&executor.plan);
            assert_eq!(builder.append(&sequence), Ok(0), "the journal has all steps");
            if sequence.calls() as u64 > executor.calls - calls {
                executor.shelf.clear();
                return;
            }
        }
        panic!("no clone was ever placed");
    });
    assert_all_dropped();
}

#[test]
fn an_exclusive_use_drops_the_borrowers_before_the_call() {
    with_executor("borrow", |executor| {
        executor.begin(false);
        let token = executor.call(MAKE, &[]).expect("legal").expect("it returns");
        let view = executor.call(VIEW_OF, &[token]).expect("legal").expect("it returns");
        let number = executor.literal(NUMBER, 0).expect("there is room");
        executor.call(CHANGE, &[token, number]).expect("legal").expect("it returns");
        assert!(!executor.loans().is_live(view));
        assert_eq!(executor.call(OpId(2), &[view]), None, "the view is gone");
        assert_eq!(executor.finish().ending, Ending::Completed);
    });
    assert_all_dropped();
}

#[test]
fn a_panic_is_known_by_its_step_and_message() {
    let outcome = with_executor("panic", |executor| {
        executor.begin(false);
        let token = executor.call(MAKE, &[]).expect("legal").expect("it returns");
        let number = executor.literal(NUMBER, 1).expect("there is room");
        assert_eq!(executor.call(FAIL, &[token, number]), Some(Err(Halt::Panicked)));
        assert_eq!(executor.sequence().len(), 3, "the call that failed is the last step");
        executor.finish()
    });
    let Ending::Panicked(panic) = &outcome.ending else { panic!("{outcome:?}") };
    assert_eq!(panic.message, "only for negative numbers");
    assert!(panic.file.ends_with("tests.rs"));
    assert_eq!((outcome.step, outcome.phase), (2, Phase::Calling));
    assert_all_dropped();
}

#[test]
fn the_journal_says_what_is_under_way_before_it_runs() {
    let outcome = with_executor("journal", |executor| {
        executor.begin(false);
        executor.literal(NUMBER, 1).expect("there is room");
        for _ in 0..3 {
            executor.call(PEEK, &[]).expect("legal").expect("it returns");
        }
        executor.finish()
    });
    let seen = SEEN.with(|seen| seen.borrow().clone());
    let (calling, dropping) = (Phase::Calling, Phase::Dropping);
    let calls = [(2, 1, calling), (3, 2, calling), (4, 3, calling)];
    let drops = [(4, 3, dropping), (4, 2, dropping), (4, 1, dropping)];
    assert_eq!(seen, [calls, drops].concat());
    // The third drop is the first value: that one panicked.
    assert!(matches!(outcome.ending, Ending::Panicked(_)));
    assert_eq!((outcome.step, outcome.phase), (1, Phase::Dropping));
}

#[test]
fn a_call_that_its_guard_refuses_leaves_no_trace() {
    with_executor("guard", |executor| {
        executor.begin(false);
        let token = executor.call(MAKE, &[]).expect("legal").expect("it returns");
        let number = executor.literal(NUMBER, 1).expect("there is room");
        let before = (executor.calls, executor.sequence());
        assert_eq!(executor.call(GUARDED, &[token, number]), None);
        assert_eq!((executor.calls, executor.sequence()), before);
        assert!(executor.loans().is_live(token), "it was not given away");
        let negative = executor.literal(NUMBER, 0).expect("there is room");
        executor.call(GUARDED, &[token, negative]).expect("legal").expect("it returns");
        assert_eq!(executor.finish().ending, Ending::Completed);
    });
    assert_all_dropped();
}

#[test]
fn a_refused_call_that_ended_a_borrow_ends_the_sequence_too() {
    with_executor("guard-borrow", |executor| {
        executor.begin(false);
        let token = executor.call(MAKE, &[]).expect("legal").expect("it returns");
        executor.call(VIEW_OF, &[token]).expect("legal").expect("it returns");
        let number = executor.literal(NUMBER, 1).expect("there is room");
        assert_eq!(executor.call(GUARDED, &[token, number]), Some(Err(Halt::Inapplicable)));
        assert_eq!(executor.finish().ending, Ending::Inapplicable);
    });
    assert_all_dropped();
}

#[test]
fn a_refused_call_in_a_replayed_sequence_does_not_apply() {
    let outcome = with_executor("guard-replay", |executor| {
        let sequence = Sequence::from_steps(vec![
            Step::Call(MAKE, Box::new([])),
            Step::Literal(NUMBER, Literal::Int(7)),
            Step::Call(GUARDED, Box::new([2, 1])),
            Step::Call(MAKE, Box::new([])),
        ]);
        executor.run(&sequence, false).expect("the borrow rules allow it")
    });
    assert_eq!((outcome.ending, outcome.step), (Ending::Inapplicable, 2));
    assert_all_dropped();
}

#[test]
fn a_text_made_on_the_way_is_a_literal_of_its_sequence() {
    let (sequence, values) = with_executor("texts", |executor| {
        executor.begin(true);
        let text: Arc<str> = Arc::from("made on the way, and longer than a short step");
        executor.text(STRING, &text).expect("there is room");
        executor.text(STR, &text).expect("there is room");
        // Whoever asks for more than the sequence lasts does not get it.
        assert_eq!(executor.text(STATIC_STR, &text), Err(Halt::Full));
        drop(text);
        (executor.sequence(), executor.finish().values)
    });
    let literals = |step: &Step| match step {
        Step::Literal(_, Literal::Str(text)) => format!("{text:?}"),
        _ => unreachable!("only texts were put"),
    };
    let written: Vec<String> = sequence.steps().map(literals).collect();
    let shown: Vec<String> = values.into_iter().filter_map(|value| value.text).collect();
    assert_eq!(written.len(), 2);
    assert_eq!(written, shown);
}

#[test]
fn an_error_is_a_refusal_and_a_number_is_none() {
    with_executor("refusals", |executor| {
        executor.begin(false);
        let number = executor.literal(NUMBER, 1).expect("there is room");
        let denied = executor.call(DENY, &[]).expect("legal").expect("it returns");
        assert!(!executor.is_refusal(number));
        assert!(executor.is_refusal(denied));
        executor.finish();
    });
}
