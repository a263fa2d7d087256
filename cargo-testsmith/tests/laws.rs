//! Every law is broken by one type of its fixture and kept by another that
//! only seems to break it.

mod support;

use cargo_testsmith::pipeline::Session;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use support::{Fixture, findings, rules, stderr};
use testsmith_lab::{Profile, WorkerLimits};
use testsmith_model::message::Walk;
use testsmith_model::{Callee, Operation};

struct Claim {
    law: String,
    ty: String,
    /// How often it was asked and held, in a walk.
    held: u32,
}

/// What a walk over a fixture came to.
struct Walked {
    /// The claims of our laws in the plan, by their texts.
    claims: BTreeMap<String, Claim>,
    /// The operations that were called and returned, by their texts.
    called: BTreeSet<String>,
}

impl Walked {
    /// Whether a type that keeps a law was looked at: the law was asked of it and held, or it
    /// makes no promise that the law is about, and its values were used all the same.
    fn looked_at(&self, law: &str, ty: &str) -> bool {
        let mut asked =
            self.claims.values().filter(|claim| claim.law == law && claim.ty == ty).peekable();
        match asked.peek() {
            Some(_) => asked.any(|claim| claim.held > 0),
            None => self.called.iter().any(|path| path.starts_with(&format!("{ty}::"))),
        }
    }
}

fn walk(fixture: &Fixture) -> Walked {
    let mut session = Session::open(&fixture.target(), Default::default()).expect("it is planned");
    let harness = session.build(Profile::Unoptimised).expect("it builds");
    let mut supervisor = session.supervise(&harness, WorkerLimits::default()).expect("it starts");
    let walk = Walk {
        seed: 1,
        max_sequences: u64::MAX,
        max_calls: 500_000,
        max_length: 12,
        ..Walk::default()
    };
    let walked = supervisor.walk(&walk, &mut |_, _| ()).expect("the walk ends");
    let of_ours = |(operation, held): (&Operation, &u32)| match &operation.callee {
        Callee::Claim { law: Some(law), of, .. } => {
            let claim = Claim { law: law.clone(), ty: of.path()?.to_owned(), held: *held };
            Some((operation.path(), claim))
        }
        _ => None,
    };
    let operations = || session.plan.operations.iter().zip(&walked.completed);
    let called = operations().filter(|(_, completed)| **completed > 0);
    Walked {
        claims: operations().filter_map(of_ours).collect(),
        called: called.map(|(operation, _)| operation.path()).collect(),
    }
}

/// So many modules are searched by themselves: the fewer types there are, the less hangs on the draw.
const LAWS_AT_ONCE: usize = 20;

/// What a search in the modules of these laws alone finds.
fn found_in(fixture: &Fixture, laws: &[&str]) -> Vec<Value> {
    let plain = ["--calls", "2000000", "--seed", "2", "--quiet", "--no-write", "--format", "json"];
    let only = laws.iter().flat_map(|law| ["--only".to_owned(), format!("laws::{law}::")]);
    let args: Vec<String> = plain.map(str::to_owned).into_iter().chain(only).collect();
    let output = fixture.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
    findings(&output)
}

#[test]
fn every_broken_type_is_reported_for_its_law_and_every_sound_one_is_looked_at_and_not() {
    let fixture = Fixture::copy("laws");
    let walked = walk(&fixture);
    let laws: Vec<&str> = testsmith_plan::LAWS.iter().map(|(law, _)| *law).collect();
    let findings: Vec<Value> =
        laws.chunks(LAWS_AT_ONCE).flat_map(|laws| found_in(&fixture, laws)).collect();
    let text = |finding: &Value, key: &str| finding[key].as_str().expect("a text").to_owned();
    let about = |law: &str, ty: &str, severity: &str| {
        findings.iter().any(|finding| {
            let counts = text(finding, "severity") == severity;
            let claim = walked.claims.get(&text(finding, "operation"));
            counts && claim.is_some_and(|claim| claim.law == law && claim.ty == ty)
        })
    };
    for (law, testsmith_plan::Law { values, weak, .. }) in testsmith_plan::LAWS.iter() {
        // What is about no value has no other values to be kept by.
        let severity = if *values > 0 && !weak { "violation" } else { "suspicious" };
        let (broken, sound) = (format!("laws::{law}::Broken"), format!("laws::{law}::Sound"));
        assert!(about(law, &broken, severity), "{law} is not found: {findings:#?}");
        assert!(walked.looked_at(law, &sound), "{law}: no sound value was looked at");
    }
    for (ty, rule) in rules("laws") {
        let ruled = |finding: &Value| {
            text(finding, "operation").contains(&ty) && text(finding, "rule") == rule
        };
        assert!(findings.iter().any(ruled), "{ty}: {rule}");
    }
    let wrong: Vec<&Value> =
        findings.iter().filter(|finding| text(finding, "operation").contains("::Sound")).collect();
    assert!(wrong.is_empty(), "reported, but sound: {wrong:#?}");
}
