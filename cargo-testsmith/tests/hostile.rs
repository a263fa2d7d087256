//! Code that harms: each misdeed is an outcome, nothing is harmed, and the run
//! goes on.

mod support;

use cargo_testsmith::pipeline::Session;
use std::collections::HashMap;
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::{Fixture, root, rules};
use testsmith_judge::{Verdict, judge};
use testsmith_lab::{Profile, WorkerLimits};
use testsmith_model::message::Walk;
use testsmith_model::outcome::{Ending, Outcome, Phase};
use testsmith_model::sequence::{Builder, Literal};
use testsmith_model::{OpId, Plan, Sequence, Step};

/// Little memory, because one of them fills all there is.
fn limits(call: Duration) -> WorkerLimits {
    WorkerLimits { call, memory_bytes: 256 << 20 }
}

/// Long enough for a busy machine; each function that hangs takes this long.
const PATIENT: Duration = Duration::from_secs(5);
/// In a walk a slow call may count as one that hangs.
const HASTY: Duration = Duration::from_millis(600);

/// What `expected.txt` of the fixture calls the outcome.
fn word(outcome: &Outcome) -> &'static str {
    match &outcome.ending {
        Ending::Completed => {
            let last = outcome.values.last().and_then(|value| value.text.as_deref());
            if last.is_some_and(|text| text.starts_with("Err(")) { "refused" } else { "returns" }
        }
        Ending::Panicked(_) => "panics",
        Ending::Signal { number: 6, .. } | Ending::OutOfMemory { .. } => "aborts",
        Ending::Signal { number: 11, .. } => "faults",
        Ending::Signal { .. } => "signalled",
        Ending::Exited { .. } => "exits",
        Ending::TimedOut { .. } => "hangs",
        Ending::Inapplicable => "inapplicable",
        Ending::Broken => "broken",
        Ending::Memory(_) => "misuses memory",
        Ending::Differs { .. } => "differs",
        Ending::Unguarded { .. } => "misuses memory without checks",
        Ending::Exception { .. } => "is an exception",
    }
}

/// A sequence that calls one function, with literals for its arguments.
fn one_call(plan: &Plan, path: &str) -> Sequence {
    let named = |op: &OpId| plan.operation(*op).path() == format!("hostile::{path}");
    let op = plan.op_ids().find(named).unwrap_or_else(|| panic!("{path} is no operation"));
    let mut builder = Builder::new(plan);
    let inputs = &plan.operation(op).inputs;
    let args: Vec<u32> = inputs
        .iter()
        .map(|input| builder.literal(input.ty, Literal::Int(1)).expect("numbers only"))
        .collect();
    builder.call(op, &args).expect("well-typed");
    builder.finish()
}

#[test]
fn every_misdeed_ends_as_expected_and_harms_nothing() {
    let home = PathBuf::from(std::env::var_os("HOME").expect("a home folder"));
    let fixture = Fixture::copy("hostile");
    let mut session = Session::open(&fixture.target(), Default::default()).expect("it is planned");
    let harness = session.build(Profile::Unoptimised).expect("it builds");
    let mut supervisor = session.supervise(&harness, limits(PATIENT)).expect("it starts");
    let expected = std::fs::read_to_string(root().join("fixtures/hostile/expected.txt"))
        .expect("the list is there");
    let rules = rules("hostile");
    for line in expected.lines() {
        let (path, words) = line.split_once(' ').expect("a path and a word");
        let sequence = one_call(&session.plan, path);
        let outcome = supervisor.run_afresh(&sequence, true).expect("the supervisor lives on");
        let seen = word(&outcome);
        assert!(
            words.split('|').any(|word| word == seen),
            "{path}: {seen}, not {words}: {outcome:?}"
        );
        if let Some((_, rule)) = rules.iter().find(|(known, _)| known.ends_with(path)) {
            let Verdict::Failing(failing) = judge(&session.plan, &sequence, &outcome) else {
                panic!("{path} passed");
            };
            assert_eq!(failing.rule, rule, "{path}");
        }
    }
    assert!(!home.join("testsmith-hostile").exists(), "a file was written to the home folder");
}

#[test]
fn a_stack_overflow_and_an_allocation_are_known_as_such() {
    let fixture = Fixture::copy("hostile");
    let mut session = Session::open(&fixture.target(), Default::default()).expect("it is planned");
    let harness = session.build(Profile::Unoptimised).expect("it builds");
    let mut supervisor = session.supervise(&harness, limits(PATIENT)).expect("it starts");
    let mut ending = |path: &str| {
        let sequence = one_call(&session.plan, path);
        supervisor.run(&sequence, false).expect("the supervisor lives on").ending
    };
    let overflow = ending("deaths::overflow_the_stack");
    assert!(
        matches!(&overflow, Ending::Signal { note, .. } if note == "stack overflow"),
        "{overflow:?}"
    );
    let memory = ending("deaths::allocate_without_end");
    assert!(matches!(memory, Ending::OutOfMemory { .. }), "{memory:?}");
    let double = ending("deaths::panic_while_panicking");
    assert!(matches!(&double, Ending::Signal { note, .. } if note.contains("panic")), "{double:?}");
    let sum = ending("harmless::add");
    assert_eq!(sum, Ending::Completed);
}

#[test]
fn a_worker_that_dies_between_two_sequences_loses_nothing() {
    let fixture = Fixture::copy("hostile");
    let mut session = Session::open(&fixture.target(), Default::default()).expect("it is planned");
    let harness = session.build(Profile::Unoptimised).expect("it builds");
    let mut supervisor = session.supervise(&harness, limits(PATIENT)).expect("it starts");
    let named = |name: &str| {
        let path = format!("hostile::{name}");
        let op = session.plan.op_ids().find(|op| session.plan.operation(*op).path() == path);
        op.unwrap_or_else(|| panic!("{name} is no operation"))
    };
    let (culprit, harmless) = (named("state::close_other_descriptors"), named("harmless::add"));
    let others = session.plan.op_ids().filter(|op| ![culprit, harmless].contains(op)).collect();
    let walk = Walk {
        seed: 3,
        max_sequences: 4000,
        max_calls: 4000,
        max_length: 1,
        avoid: others,
        ..Walk::default()
    };
    let mut endings = vec![];
    let walked = supervisor
        .walk(&walk, &mut |sequence, outcome| {
            let called =
                sequence.steps().any(|step| matches!(step, Step::Call(op, _) if *op == culprit));
            endings.push((called, outcome.ending));
        })
        .expect("the walk goes on");
    assert!(supervisor.deaths >= 2, "it ends workers: {}", supervisor.deaths);
    assert!(
        endings.iter().any(|(culprit, ending)| *culprit && matches!(ending, Ending::Exited { .. })),
        "who did it is found: {endings:?}"
    );
    assert!(walked.calls >= 3000, "and then left alone: {walked:?}");
    assert!(walked.completed[harmless.index()] > 1000, "the others are called: {walked:?}");
    assert!(!supervisor.gave_up());
}

#[test]
fn a_walk_over_hostile_code_goes_on_to_its_harmless_neighbours() {
    let fixture = Fixture::copy("hostile");
    let mut session = Session::open(&fixture.target(), Default::default()).expect("it is planned");
    let harness = session.build(Profile::Unoptimised).expect("it builds");
    let mut supervisor = session.supervise(&harness, limits(HASTY)).expect("it starts");
    let walk = Walk {
        seed: 11,
        max_sequences: 300,
        max_calls: 100_000,
        max_length: 8,
        keep: 300,
        ..Walk::default()
    };
    let mut words: HashMap<&str, usize> = HashMap::new();
    let mut dropping = 0;
    let walked = supervisor
        .walk(&walk, &mut |_, outcome| {
            *words.entry(word(&outcome)).or_default() += 1;
            dropping += usize::from(outcome.phase == Phase::Dropping);
        })
        .expect("the walk ends");
    assert!(walked.sequences >= 290, "{walked:?}");
    for expected in ["returns", "aborts", "exits", "hangs"] {
        assert!(words.contains_key(expected), "no sequence {expected}: {words:?}");
    }
    assert!(dropping > 0, "no drop was seen to fail: {words:?}");
    let added = session
        .plan
        .op_ids()
        .find(|op| session.plan.operation(*op).path() == "hostile::harmless::add");
    assert!(walked.completed[added.expect("an operation").index()] > 0);
    let (_, taken) = supervisor.edges().expect("a worker answers");
    supervisor.renew();
    let (_, later) = supervisor.edges().expect("a worker answers");
    assert!(!taken.is_empty() && later.len() >= taken.len(), "what a worker reached outlives it");
}

#[test]
fn a_walk_ends_when_its_time_is_over() {
    let fixture = Fixture::copy("hostile");
    let mut session = Session::open(&fixture.target(), Default::default()).expect("it is planned");
    let harness = session.build(Profile::Unoptimised).expect("it builds");
    let mut supervisor = session.supervise(&harness, limits(HASTY)).expect("it starts");
    let walk =
        Walk { max_sequences: u64::MAX, max_calls: 1 << 40, max_length: 8, ..Walk::default() };
    supervisor.until = Some(Instant::now());
    let walked = supervisor.walk(&walk, &mut |_, _| ()).expect("the walk ends");
    assert_eq!((walked.calls, supervisor.is_late()), (0, true));
}

/// Nothing but a call that works for ever.
const ENDLESS: &str = "
pub fn turn(n: u8) -> u8 {
    let mut sum = n;
    loop { sum = std::hint::black_box(sum.wrapping_add(1)); }
}
";

/// The processes whose program lies in this folder.
#[cfg(target_os = "linux")]
fn programs_in(folder: &std::path::Path) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").expect("Linux has it").flatten();
    let of = |entry: std::fs::DirEntry| {
        let program = std::fs::read_link(entry.path().join("exe")).ok()?;
        program.starts_with(folder).then(|| entry.file_name().to_string_lossy().into_owned())
    };
    processes.filter_map(of).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_does_not_outlive_its_supervisor_whatever_it_does() {
    let manifest =
        "[package]\nname = \"endless\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let fixture = Fixture::make("endless", manifest, Some(ENDLESS));
    let folder = fixture.path().canonicalize().expect("it is there");
    let mut command = std::process::Command::new(support::executable());
    command.args(["--calls", "100000000", "--quiet", "--no-write"]).current_dir(&folder);
    command.env("TESTSMITH_TARGET_DIR", support::build_folder());
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    let wait = |wanted: &dyn Fn(&[String]) -> bool| {
        (0..1200).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            wanted(&programs_in(&folder))
        })
    };
    let begun = wait(&|workers| !workers.is_empty());
    run.kill().expect("it was running");
    run.wait().expect("it was killed");
    assert!(begun, "no worker was started");
    assert!(wait(&|workers| workers.is_empty()), "left behind: {:?}", programs_in(&folder));
}
