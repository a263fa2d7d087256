//! What facts say of small sequences.

use super::*;
use testsmith_model::Callee;
use testsmith_model::call::{Call, ClosureKind, Form};
use testsmith_model::outcome::Origin;

/// The class of a panic at this statement.
fn class(statement: &str) -> String {
    class_of(statement, "other", "attempt to divide by zero", 1)
}

fn class_of(statement: &str, function: &str, message: &str, column: u32) -> String {
    let origin =
        Origin { statement: statement.into(), function: function.into(), ..Origin::default() };
    let panic = Panic {
        message: message.into(),
        file: "src/lib.rs".into(),
        line: 7,
        column,
        own: true,
        origin: Some(Box::new(origin)),
    };
    let outcome = Outcome {
        ending: Ending::Panicked(panic),
        step: 0,
        phase: Phase::Calling,
        values: vec![],
        new_edges: 0,
    };
    let operations = vec![crate::guesses::tests::operation("a", "lcm", &[])];
    let plan = Plan { operations, ..Plan::default() };
    let call = Step::Call(testsmith_model::OpId(0), Box::new([]));
    Facts::new(&plan, &Sequence::from_steps(vec![call]), &outcome).class()
}

#[test]
fn the_closures_of_a_law_are_no_answers() {
    let outcome = Outcome {
        ending: Ending::Broken,
        step: 0,
        phase: Phase::Calling,
        values: vec![],
        new_edges: 0,
    };
    let call = Step::Call(testsmith_model::OpId(0), Box::new([]));
    let sequence = Sequence::from_steps(vec![call]);
    for (kind, answered) in [(OperationKind::Law, false), (OperationKind::Inherent, true)] {
        let mut operation = crate::guesses::tests::operation("a", "all", &[ClosureKind::Answers]);
        operation.kind = kind;
        let plan = Plan { operations: vec![operation], ..Plan::default() };
        assert_eq!(Facts::new(&plan, &sequence, &outcome).answered, answered);
    }
}

#[test]
fn an_iterator_is_not_contradicted_by_a_closure_that_does_not_contradict_itself() {
    let outcome = Outcome {
        ending: Ending::Broken,
        step: 1,
        phase: Phase::Calling,
        values: vec![],
        new_edges: 0,
    };
    let ty = |name: &str| {
        testsmith_model::operation::TypeInfo::owned(Ty::adt(name, vec![]), Default::default())
    };
    let call = |op: u32, args: &[u32]| Step::Call(testsmith_model::OpId(op), args.into());
    let sequence = Sequence::from_steps(vec![call(0, &[]), call(1, &[1])]);
    let adapted = |kind: ClosureKind, name: &str| {
        let make = crate::guesses::tests::operation("a", "pad", &[kind]);
        let input = Input { name: String::new(), ty: make.output, mode: Mode::Exclusive };
        let callee = Callee::TraitMember {
            of: Ty::adt("a::Padded", vec![]),
            trait_: testsmith_model::ty::TraitRef::new("std::iter::Iterator", vec![]),
            name: name.into(),
        };
        let mut next = crate::guesses::tests::operation("a", name, &[]);
        (next.callee, next.inputs) = (callee, vec![input.clone()]);
        let mut law = crate::guesses::tests::operation("a", "law", &[]);
        (law.kind, law.inputs) = (OperationKind::Law, vec![input]);
        let operations = vec![make, law, next];
        let plan = Plan { types: vec![ty("a::Padded")], operations, ..Plan::default() };
        let facts = Facts::new(&plan, &sequence, &outcome);
        facts.answered && facts.adapted
    };
    assert!(adapted(ClosureKind::Steady, "next"));
    assert!(!adapted(ClosureKind::Answers, "next"), "it may say now this, now that");
    assert!(!adapted(ClosureKind::Steady, "other"), "a table asks it when it likes");
}

#[test]
fn a_law_that_two_instances_of_a_type_break_is_broken_once() {
    let broken = |ty: &str, arg: &str| {
        let callee = Callee::Claim {
            claim: "Eq is reflexive".into(),
            of: Ty::adt(ty, vec![Ty::prim(arg)]),
            law: None,
        };
        let operation = Operation { callee, ..crate::guesses::tests::operation("a", "eq", &[]) };
        let plan = Plan { operations: vec![operation], ..Plan::default() };
        let call = Step::Call(testsmith_model::OpId(0), Box::new([]));
        let ending = Ending::Broken;
        let (step, phase, values) = (0, Phase::Calling, vec![]);
        let outcome = Outcome { ending, step, phase, values, new_edges: 0 };
        Facts::new(&plan, &Sequence::from_steps(vec![call]), &outcome).class()
    };
    assert_eq!(broken("a::Set", "u8"), broken("a::Set", "i32"));
    assert_ne!(broken("a::Set", "u8"), broken("a::Map", "u8"));
}

#[test]
fn a_trait_of_another_crate_is_neither_of_std_nor_local() {
    let foreign = |path: &str, kind: OperationKind| {
        let callee = Callee::TraitMember {
            of: Ty::prim("u8"),
            trait_: testsmith_model::ty::TraitRef::new(path, vec![]),
            name: "reduce".into(),
        };
        let operation =
            Operation { callee, kind, ..crate::guesses::tests::operation("a", "reduce", &[]) };
        let plan = Plan { operations: vec![operation], ..Plan::default() };
        let call = Step::Call(testsmith_model::OpId(0), Box::new([]));
        let (ending, step, phase, values) = (Ending::Broken, 0, Phase::Calling, vec![]);
        let outcome = Outcome { ending, step, phase, values, new_edges: 0 };
        Facts::new(&plan, &Sequence::from_steps(vec![call]), &outcome).is_of_a_foreign_trait()
    };
    assert!(foreign("modular::Reducer", OperationKind::ForeignTrait));
    assert!(!foreign("std::ops::Add", OperationKind::ForeignTrait));
    assert!(!foreign("a::Reducer", OperationKind::LocalTrait));
}

#[test]
fn what_a_macro_makes_is_told_apart_by_its_function() {
    let by_zero = "attempt to divide by zero";
    let made = class_of("impl_integer!(i8, i16)", "", by_zero, 1);
    assert_eq!(made, "panic in lcm made by a macro in src/lib.rs: attempt to divide by zero");
    let inside = class("divide!(a, b)");
    assert_eq!(inside, "panic in other made by the macro divide: attempt to divide by zero");
    assert_eq!(class("assert!(n > 0)"), "panic at src/lib.rs:7:1");
    assert_eq!(class("a / b"), "panic at src/lib.rs:7:1");
}

#[test]
fn both_sides_of_a_comparison_fail_for_one_reason() {
    let class = |statement, function| class_of(statement, function, "no number", 3);
    assert_eq!(class("self.0.unwrap()", "cmp"), class("other.0.unwrap()", "cmp"));
    assert_eq!(class("self.0.unwrap()", "cmp"), "panic in cmp of a::lcm in src/lib.rs");
    assert_eq!(class("self.0.unwrap()", "get"), "panic at src/lib.rs:7:3");
}

#[test]
fn two_operators_of_a_line_overflow_for_one_reason() {
    let at = |message, column| class_of("a + b * c", "other", message, column);
    let (add, multiply) = ("attempt to add with overflow", "attempt to multiply with overflow");
    assert_eq!(at(add, 1), at(multiply, 5));
    assert_ne!(at("index out of bounds", 1), at("index out of bounds", 5));
}

/// The class of an operation that ends so.
fn class_of_operation(operation: Operation, ending: Ending) -> String {
    let plan = Plan { operations: vec![operation], ..Plan::default() };
    let call = Step::Call(testsmith_model::OpId(0), Box::new([]));
    let (step, phase, values) = (0, Phase::Calling, vec![]);
    let outcome = Outcome { ending, step, phase, values, new_edges: 0 };
    Facts::new(&plan, &Sequence::from_steps(vec![call]), &outcome).class()
}

#[test]
fn what_is_weak_is_told_once_for_a_type_and_all_else_by_its_method() {
    let broken = |query: &str, weak: bool| {
        let callee = Callee::Claim {
            claim: format!("{query} answers alike"),
            of: Ty::adt("a::Moment", vec![]),
            law: Some("equal_values_answer_alike".into()),
        };
        let base = crate::guesses::tests::operation("a", query, &[]);
        let about = Some(Box::new(base.call.clone()));
        let form = Form::Template { full: String::new(), show: String::new(), about };
        let mut operation =
            Operation { callee, kind: OperationKind::Law, call: Call::new(form, vec![]), ..base };
        operation.docs.weak = weak;
        class_of_operation(operation, Ending::Broken)
    };
    assert_eq!(broken("hour", true), broken("offset", true));
    assert_ne!(broken("hour", false), broken("offset", false));
}

#[test]
fn what_a_trait_brings_along_hangs_for_one_reason_whoever_has_it() {
    let hung = |of: &str, kind: OperationKind| {
        let callee = Callee::TraitMember {
            of: Ty::adt(of, vec![]),
            trait_: testsmith_model::ty::TraitRef::new("a::Curve", vec![]),
            name: "invert".into(),
        };
        let base = crate::guesses::tests::operation("a", "invert", &[]);
        let operation = Operation { callee, kind, ..base };
        class_of_operation(operation, Ending::TimedOut { after_ms: 2000, waits: false })
    };
    let (own, foreign) = (OperationKind::LocalTrait, OperationKind::ForeignTrait);
    assert_eq!(hung("a::Bell", own), hung("a::Step", own));
    assert_ne!(hung("a::Bell", foreign), hung("a::Step", foreign));
}

#[test]
fn a_text_that_cannot_be_shown_is_one_cause_whatever_it_was_made_of() {
    let shown = |trait_: &str, of: &str, own: bool| {
        let callee = Callee::TraitMember {
            of: Ty::adt(of, vec![]),
            trait_: testsmith_model::ty::TraitRef::new(trait_, vec![]),
            name: "fmt".into(),
        };
        let operation = Operation { callee, ..crate::guesses::tests::operation("a", "fmt", &[]) };
        let panic = Panic {
            message: "a formatting trait implementation returned an error".into(),
            file: "library/alloc/src/fmt.rs".into(),
            line: 655,
            column: 1,
            own,
            origin: None,
        };
        class_of_operation(operation, Ending::Panicked(panic))
    };
    assert!(shown("std::fmt::Display", "a::Delayed", false).contains("a::Delayed"));
    let (one, other) = ("a::Delayed", "a::Other");
    assert_ne!(shown("std::fmt::Display", one, false), shown("std::fmt::Display", other, false));
    // In the crate's own code the line is the cause.
    assert_eq!(shown("std::fmt::Display", one, true), shown("std::fmt::Display", other, true));
}

/// What is thought of a panic of a function that was given a fake: it says this, in this file.
fn rule_with_a_fake(message: &str, file: &str, is_fake: bool) -> &'static str {
    let ty = |is_fake: bool| testsmith_model::operation::TypeInfo {
        is_fake,
        ..testsmith_model::operation::TypeInfo::owned(
            Ty::adt("a::FakeTill", vec![]),
            Default::default(),
        )
    };
    let make = crate::guesses::tests::operation("a", "with_seed", &[]);
    let mut given = crate::guesses::tests::operation("a", "given", &[]);
    given.inputs = vec![Input { name: "till".to_owned(), ty: make.output, mode: Mode::Exclusive }];
    let panic = Panic {
        message: message.into(),
        file: file.into(),
        line: 7,
        column: 1,
        own: file == "src/lib.rs",
        origin: None,
    };
    let outcome = Outcome {
        ending: Ending::Panicked(panic),
        step: 1,
        phase: Phase::Calling,
        values: vec![],
        new_edges: 0,
    };
    let call = |op: u32, args: &[u32]| Step::Call(testsmith_model::OpId(op), args.into());
    let sequence = Sequence::from_steps(vec![call(0, &[]), call(1, &[1])]);
    let plan = Plan { types: vec![ty(is_fake)], operations: vec![make, given], ..Plan::default() };
    match crate::judge(&plan, &sequence, &outcome) {
        crate::Verdict::Failing(failing) => failing.rule,
        crate::Verdict::Passed => "passed",
    }
}

#[test]
fn what_hangs_on_the_answers_of_a_fake_is_told_apart_from_what_holds_anyway() {
    let broken = |kind: &str, function: &str| {
        format!(
            "broken\n[testsmith-contract 1; kind={kind}; moment=after; clause=0; depth=1; \
             name=count; place=src/lib.rs:1:1; caller=; function={function}; message=; text=x]"
        )
    };
    let rule = |message: &str| rule_with_a_fake(message, "src/lib.rs", true);
    let unreachable = "internal error: entered unreachable code: never";
    assert_eq!(rule(unreachable), "answers of a fake");
    assert_eq!(rule_with_a_fake(unreachable, "src/lib.rs", false), "unreachable code was reached");
    // A promise of the code under test, and a demand of the trait that it does not meet.
    assert_eq!(rule(&broken("ensures", "a::given")), "broken contract");
    assert_eq!(rule(&broken("requires", "<a::FakeTill as a::Till>::count")), "broken contract");
    // Its own promise a fake breaks only by a mistake of ours.
    let own = broken("ensures", "<a::FakeTill as a::Till>::count");
    assert_eq!(rule(&own), "fake without an answer");
    let worn = rule_with_a_fake("FakeTill: nothing", "testsmith/src/fakes/worn.rs", true);
    assert_eq!(worn, "fake without an answer");
}

#[test]
fn a_law_that_asks_what_waits_does_not_return_either() {
    let mut wait = crate::guesses::tests::operation("a::Once", "wait", &[]);
    let about = Some(Box::new(wait.call.clone()));
    let (full, show) = ("{call} == {call}".to_owned(), String::new());
    let call = Call::new(Form::Template { full, show, about }, vec![]);
    let law = || Operation { call: call.clone(), kind: OperationKind::Law, ..wait.clone() };
    let never = |operations: Vec<Operation>| {
        let ty = Ty::prim("u8");
        let types = vec![testsmith_model::operation::TypeInfo::owned(ty, Default::default())];
        let plan = Plan { types, operations, ..Plan::default() };
        let ending = Ending::TimedOut { after_ms: 5000, waits: false };
        let (step, phase, values) = (0, Phase::Calling, vec![]);
        let outcome = Outcome { ending, step, phase, values, new_edges: 0 };
        let law = Step::Call(testsmith_model::OpId(0), Box::new([]));
        Facts::new(&plan, &Sequence::from_steps(vec![law]), &outcome).never_returns()
    };
    assert!(!never(vec![law(), wait.clone()]));
    let law = law();
    wait.docs.endless = true;
    assert!(never(vec![law, wait]));
}
