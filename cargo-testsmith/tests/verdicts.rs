//! Each rule of the policy decides what it is there for, and none is without a
//! row in a fixture.

mod support;

use cargo_testsmith::finding::relative;
use cargo_testsmith::pipeline::Session;
use cargo_testsmith::selection::Selection;
use serde_json::Value;
use std::collections::BTreeSet;
use support::{Fixture, root, rules, stderr, stdout};
use testsmith_judge::{POLICY, RESERVATIONS, Severity, Verdict, judge};
use testsmith_lab::{Profile, WorkerLimits};
use testsmith_model::message::Walk;
use testsmith_model::{OpId, OperationKind, Plan, Sequence, Step, TypeId};

/// The modules that are searched by themselves, and what is left: the fewer operations there are,
/// the less hangs on the draw.
const MODULES: [&str; 3] = ["verdicts::checks", "verdicts::places", "verdicts::refusals"];

/// What to search in, one after the other.
fn parts() -> impl Iterator<Item = Selection> {
    let modules = MODULES.map(str::to_owned);
    let only = |module: String| Selection { only: vec![module], skip: vec![] };
    let rest = Selection { only: vec![], skip: modules.to_vec() };
    modules.into_iter().map(only).chain([rest])
}

/// Paths and the rules that decided about them, those included that say that the
/// caller asked for it.
fn decisions(fixture: &Fixture) -> BTreeSet<(String, &'static str)> {
    let mut session = Session::open(&fixture.target(), Default::default()).expect("it is planned");
    let harness = session.build(Profile::Unoptimised).expect("it builds");
    let mut supervisor = session.supervise(&harness, WorkerLimits::default()).expect("it starts");
    let plan = session.plan.clone();
    let mut decided = BTreeSet::new();
    let note_in = |decided: &mut BTreeSet<_>, sequence: Sequence, outcome| {
        let outcome = relative(outcome, &fixture.path());
        if let Verdict::Failing(failing) = judge(&plan, &sequence, &outcome)
            && let Some(Step::Call(op, _)) = sequence.steps().nth(outcome.step as usize)
        {
            decided.insert((plan.operation(*op).path(), failing.rule));
        }
    };
    // Of what fails in one place a walk tells the first, whatever stands before it by chance;
    // before less, less can stand.
    for part in parts() {
        let avoid = part.excluded(&plan);
        let long = (1..8).map(|seed| (seed, 12));
        for (seed, max_length) in long.chain((8..20).map(|seed| (seed, 5))) {
            let walk = Walk {
                seed,
                max_sequences: u64::MAX,
                max_calls: 150_000,
                max_length,
                failures: true,
                avoid: avoid.clone(),
                ..Walk::default()
            };
            let mut note = |sequence, outcome| note_in(&mut decided, sequence, outcome);
            supervisor.walk_afresh(&walk, &mut note).expect("the walk ends");
        }
    }
    // What is rare among all gets a walk of its own.
    for (path, rule) in rules("verdicts") {
        let rule = known_at_first(&rule);
        if !decided.iter().any(|(known, by)| known.contains(&path) && *by == rule) {
            let walk = Walk {
                seed: 1,
                max_sequences: u64::MAX,
                max_calls: 150_000,
                max_length: 8,
                failures: true,
                avoid: all_but_its_types(&plan, &path),
                ..Walk::default()
            };
            let mut note = |sequence, outcome| note_in(&mut decided, sequence, outcome);
            supervisor.walk_afresh(&walk, &mut note).expect("the walk ends");
        }
    }
    decided
}

/// How far a type keeps a convention is asked once the search is over.
fn known_at_first(rule: &str) -> &str {
    if rule == "convention that the type does not keep" { "broken law" } else { rule }
}

/// What has nothing to do with the types that these operations are about.
fn all_but_its_types(plan: &Plan, path: &str) -> Vec<OpId> {
    let own = |op: &OpId| -> BTreeSet<TypeId> {
        let operation = plan.operation(*op);
        let types = operation.inputs.iter().map(|input| input.ty).chain([operation.output]);
        let is_own = |ty: &TypeId| {
            plan.ty(*ty).ty.any(|ty| ty.path().is_some_and(|path| path.starts_with("verdicts::")))
        };
        types.filter(is_own).collect()
    };
    let is_meant = |op: &OpId| plan.operation(*op).path().contains(path);
    let types: BTreeSet<TypeId> = plan.op_ids().filter(is_meant).flat_map(|op| own(&op)).collect();
    let is_needed = |op: &OpId| {
        let builds = plan.operation(*op).kind == OperationKind::Builder;
        let about = own(op);
        is_meant(op) || builds || !about.is_empty() && about.is_subset(&types)
    };
    plan.op_ids().filter(|op| !is_needed(op)).collect()
}

#[test]
fn each_failure_is_judged_by_the_rule_for_it() {
    let fixture = Fixture::copy("verdicts");
    let decided = decisions(&fixture);
    for (path, rule) in rules("verdicts") {
        let rule = known_at_first(&rule);
        let about = |(known, by): &&(String, &str)| known.contains(&path) && *by == rule;
        assert!(decided.iter().any(|row| about(&row)), "{path} | {rule}: {decided:#?}");
    }
}

#[test]
fn what_the_caller_asked_for_is_not_reported_and_the_rest_is() {
    let fixture = Fixture::copy("verdicts");
    let args = ["--calls", "500000", "--quiet", "--no-write", "--format", "json"];
    let (mut findings, mut told) = (vec![], String::new());
    // What is left is most, and gets two searches; what either finds has to be right.
    for (seed, Selection { only, skip }) in
        [1, 2, 1, 2, 3].into_iter().zip(parts().chain(parts().last()))
    {
        let options = [("--only", only), ("--skip", skip), ("--seed", vec![seed.to_string()])];
        let chosen = options.into_iter().flat_map(|(option, paths)| {
            paths.into_iter().flat_map(move |path| [option.to_owned(), path])
        });
        let args: Vec<String> = args.map(str::to_owned).into_iter().chain(chosen).collect();
        let output = fixture.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let part = support::findings(&output);
        assert!(!part.is_empty(), "{}", stderr(&output));
        findings.extend(part);
        told.push_str(&stdout(&output));
    }
    // What its trait hides from the documentation is not called.
    assert!(told.contains("Plumb>::flow") && !told.contains("Plumb>::drip"), "{told}");
    // An error that a writer gives back is none of formatting.
    assert!(told.contains("write_first") && !told.contains("write_small"), "{told}");
    let text = |finding: &Value, field: &str| finding[field].as_str().expect("a text").to_owned();
    // What values hold is known once a failure is confirmed.
    let late = [("verdicts::Pair::area".to_owned(), "overflow of a large number".to_owned())];
    for (path, rule) in rules("verdicts").into_iter().chain(late) {
        let about: BTreeSet<String> = findings
            .iter()
            .filter(|finding| text(finding, "operation").contains(&path))
            .map(|finding| text(finding, "rule"))
            .collect();
        let mut known = POLICY.iter().chain(RESERVATIONS);
        let severity = known.find(|known| known.name == rule).map(|rule| rule.severity);
        let wanted = match severity.expect("a rule of the policy") {
            Severity::Illegal => BTreeSet::new(),
            Severity::Violation | Severity::Suspicious => BTreeSet::from([rule.clone()]),
        };
        // What an interrupted call has spoilt is told once.
        let listed = |finding: &Value| {
            let siblings = finding["siblings"].as_array().expect("a list");
            siblings.iter().any(|sibling| sibling.as_str().is_some_and(|it| it.contains(&path)))
        };
        let under_another = rule.contains("interruption") && findings.iter().any(listed);
        assert!(about == wanted || about.is_empty() && under_another, "{path}: {findings:#?}");
    }
}

#[test]
fn every_rule_has_a_row_in_a_fixture_and_every_row_a_rule() {
    let fixtures = std::fs::read_dir(root().join("fixtures")).expect("a folder").flatten();
    let names = fixtures.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let with_rules =
        names.filter(|name| root().join("fixtures").join(name).join("rules.txt").exists());
    let rows: BTreeSet<String> =
        with_rules.flat_map(|name| rules(&name)).map(|(_, rule)| rule).collect();
    // What an unsafe function may do is only seen where it is asked for.
    let known = POLICY.iter().chain(RESERVATIONS).filter(|rule| rule.name != "unsafe call");
    let policy: BTreeSet<String> = known.map(|rule| rule.name.to_owned()).collect();
    assert_eq!(rows, policy);
}
