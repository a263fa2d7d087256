//! Each seeded bug is caught by a contract on a short sequence of legal calls,
//! and without the bug the same sequence runs through.

use std::panic::catch_unwind;
use std::process::Command as Process;

use subject_stackcalc::operators::arithmetic::{Absolute, Gcd, Subtract};
use subject_stackcalc::*;
use testsmith::contracts::{Kind, Violation};

/// A seeded bug: whether it is on, what reaches it, and what must catch it.
struct Bug {
    feature: &'static str,
    present: bool,
    sequence: fn(),
    kind: Kind,
    function: &'static str,
    depth: u32,
}

macro_rules! bug {
    ($feature:literal, $kind:ident of $function:literal at $depth:literal, $sequence:block) => {
        Bug {
            feature: $feature,
            present: cfg!(feature = $feature),
            sequence: || $sequence,
            kind: Kind::$kind,
            function: $function,
            depth: $depth,
        }
    };
}

fn bugs() -> [Bug; 10] {
    [
        bug!("bug-01", Ensures of "push" at 0, {
            Stack::new().push(0);
        }),
        bug!("bug-02", Ensures of "rotate" at 0, {
            Stack::from_slice(&[1, 2, 3]).rotate(3);
        }),
        bug!("bug-03", Ensures of "combine" at 0, {
            let _ = Subtract.combine(5, 3);
        }),
        bug!("bug-04", Ensures of "compute" at 0, {
            let _ = Absolute.compute(-4);
        }),
        bug!("bug-05", Ensures of "combine" at 0, {
            let _ = Gcd.combine(4, -6);
        }),
        bug!("bug-06", Ensures of "store" at 0, {
            let mut memory = Memory::new();
            memory.store(Register::A, 7);
            memory.store(Register::A, 7);
        }),
        bug!("bug-07", Ensures of "undo" at 1, {
            let mut calculator = Calculator::new();
            for number in 1..=3 {
                calculator.enter(number);
            }
            calculator.undo();
        }),
        bug!("bug-08", Ensures of "apply" at 3, {
            let mut calculator = Calculator::new();
            let _ = calculator.evaluate("1 2 3 sum");
        }),
        bug!("bug-09", Ensures of "create" at 0, {
            let _ = Factory::new().create("max");
        }),
        bug!("bug-10", Requires of "quotient" at 3, {
            let mut calculator = Calculator::new();
            calculator.enter(5);
            let _ = calculator.apply(OperatorKind::Average);
        }),
    ]
}

#[test]
fn each_sequence_breaks_a_contract_exactly_when_its_bug_is_there() {
    for bug in bugs() {
        let outcome = catch_unwind(bug.sequence);
        let violation = outcome
            .err()
            .map(|payload| Violation::from_payload(&*payload).expect("the panic is a violation"));
        assert_eq!(violation.is_some(), bug.present, "{}: {violation:?}", bug.feature);
        if let Some(violation) = violation {
            let found = (violation.kind, violation.clause.function.as_str(), violation.depth);
            assert_eq!(found, (bug.kind, bug.function, bug.depth), "{}", bug.feature);
        }
    }
}

#[test]
fn every_seeded_bug_is_caught() {
    if bugs().iter().any(|bug| bug.present) {
        return;
    }
    // One build with all of them: each sequence meets its own bug first.
    let output = Process::new(env!("CARGO"))
        .args(["test", "--quiet", "--offline", "--test", "bugs", "--all-features"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
}
