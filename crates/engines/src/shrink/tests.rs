//! Shrinking on operations that only have types.

use super::*;
use testsmith_model::OpId;
use testsmith_model::operation::{Abilities, Mode, Operation, OperationKind, TypeInfo};
use testsmith_model::sequence::{Builder, Literal};
use testsmith_model::ty::Ty;

const NUMBER: TypeId = TypeId(0);
const LIST: TypeId = TypeId(1);

const MAKE: OpId = OpId(0);
const GROW: OpId = OpId(1);
const FAIL: OpId = OpId(2);
const ONCE: OpId = OpId(3);

/// `make(Number) -> List`, `grow(List, Number) -> List`, `fail(&List)`, and
/// `once() -> List`.
fn plan() -> Plan {
    let operation = Operation::of_types;
    let info = |name: &str, copy| {
        TypeInfo::owned(Ty::prim(name), Abilities { copy, ..Default::default() })
    };
    Plan {
        types: vec![info("number", true), info("list", false)],
        operations: vec![
            operation(&[(NUMBER, Mode::Own)], LIST),
            operation(&[(LIST, Mode::Own), (NUMBER, Mode::Own)], LIST),
            operation(&[(LIST, Mode::Shared)], NUMBER),
            operation(&[], LIST),
        ],
        ..Plan::default()
    }
}

/// A list grown so often, with as many lists beside it, and the failing call.
fn long(plan: &Plan, times: usize) -> Sequence {
    let mut builder = Builder::new(plan);
    let number = builder.literal(NUMBER, Literal::Int(77)).unwrap();
    let mut list = builder.call(MAKE, &[number]).unwrap();
    for _ in 0..times {
        builder.call(MAKE, &[number]).unwrap();
        list = builder.call(GROW, &[list, number]).unwrap();
    }
    builder.call(FAIL, &[list]).unwrap();
    builder.finish()
}

#[test]
fn what_does_not_matter_is_removed_and_the_failing_call_stays_last() {
    let plan = plan();
    let sequence = long(&plan, 50);
    let mut tries = 0;
    let small = shrink(&plan, &sequence, sequence.len() - 1, &[], &mut |_| {
        tries += 1;
        true
    });
    let steps: Vec<&Step> = small.steps().collect();
    assert!(matches!(steps[..], [Step::Call(ONCE, _), Step::Call(FAIL, _)]), "{steps:?}");
    assert!(tries < 200, "{tries}");
}

fn count(sequence: &Sequence, wanted: OpId) -> usize {
    sequence.steps().filter(|step| matches!(step, Step::Call(op, _) if *op == wanted)).count()
}

#[test]
fn what_makes_a_value_is_replaced_by_a_shorter_component() {
    let plan = plan();
    let sequence = long(&plan, 3);
    let steps = vec![Step::Literal(NUMBER, Literal::Int(-5)), Step::Call(MAKE, Box::new([1]))];
    let component = Component { sequence: Sequence::from_steps(steps), value: 1 };
    // A list must be grown three times, or be made of a number below zero.
    let mut fails = |candidate: &Sequence| {
        let negative = |step: &Step| matches!(step, Step::Literal(_, Literal::Int(..0)));
        count(candidate, GROW) == 3 || candidate.steps().any(negative)
    };
    let last = sequence.len() - 1;
    let removed = shrink(&plan, &sequence, last, &[], &mut fails);
    assert_eq!(removed.len(), 6, "removal alone leaves what made the list");
    let replaced = shrink(&plan, &sequence, last, &[component], &mut fails);
    assert_eq!(replaced.len(), 3, "{replaced:?}");
}

#[test]
fn what_makes_a_value_is_replaced_by_what_needs_less() {
    let plan = plan();
    let sequence = long(&plan, 3);
    // A list must be grown three times, or come from `once`.
    let mut fails =
        |candidate: &Sequence| count(candidate, GROW) == 3 || count(candidate, ONCE) == 1;
    let small = shrink(&plan, &sequence, sequence.len() - 1, &[], &mut fails);
    let steps: Vec<&Step> = small.steps().collect();
    assert!(matches!(steps[..], [Step::Call(ONCE, _), Step::Call(FAIL, _)]), "{steps:?}");
}

#[test]
fn what_makes_a_value_is_replaced_by_a_literal() {
    let mut plan = plan();
    let list = list_of_a_number(&plan);
    plan.literals = vec![(NUMBER, vec![Literal::Int(4)])];
    let small = shrink(&plan, &list, list.len() - 1, &[], &mut |_| true);
    let steps: Vec<&Step> = small.steps().collect();
    let literal = Step::Literal(NUMBER, Literal::Int(0));
    assert!(matches!(steps[..], [made, Step::Call(MAKE, _)] if *made == literal), "{steps:?}");
}

/// A list of the number that another list gives.
fn list_of_a_number(plan: &Plan) -> Sequence {
    let mut builder = Builder::new(plan);
    let once = builder.call(ONCE, &[]).unwrap();
    let number = builder.call(FAIL, &[once]).unwrap();
    builder.call(MAKE, &[number]).unwrap();
    builder.finish()
}

#[test]
fn a_sequence_that_does_not_fail_again_is_left_as_it_is() {
    let plan = plan();
    let sequence = long(&plan, 2);
    let same = shrink(&plan, &sequence, sequence.len() - 1, &[], &mut |_| false);
    assert_eq!(same, sequence);
}

#[test]
fn a_text_shrinks_to_what_matters_in_it() {
    let plan = plan();
    let mut builder = Builder::new(&plan);
    let text = builder.literal(NUMBER, Literal::Str("12h 65535min, 7ns".into())).unwrap();
    builder.call(MAKE, &[text]).unwrap();
    let sequence = builder.finish();
    let small = shrink(&plan, &sequence, 1, &[], &mut |candidate| {
        let text = candidate.steps().find_map(|step| match step {
            Step::Literal(_, Literal::Str(text)) => Some(text.clone()),
            _ => None,
        });
        text.is_some_and(|text| text.contains('m') && text.chars().any(|c| c > '4' && c <= '9'))
    });
    let first = small.steps().next().cloned();
    assert_eq!(first, Some(Step::Literal(NUMBER, Literal::Str("5m".into()))));
}

#[test]
fn how_many_there_are_goes_by_halves_and_other_numbers_to_the_least() {
    let small = |plan: &Plan| {
        let mut builder = Builder::new(plan);
        let number = builder.literal(NUMBER, Literal::Int(4096)).unwrap();
        builder.call(MAKE, &[number]).unwrap();
        // Whatever is made of 700 and more will do.
        let enough = |step: &Step| matches!(step, Step::Literal(_, Literal::Int(700..)));
        let small = shrink(plan, &builder.finish(), 1, &[], &mut |candidate| {
            count(candidate, MAKE) == 1 && candidate.steps().any(enough)
        });
        small.steps().next().cloned()
    };
    let mut plan = plan();
    assert_eq!(small(&plan), Some(Step::Literal(NUMBER, Literal::Int(700))));
    let make = &mut plan.operations[MAKE.index()];
    make.kind = OperationKind::Builder;
    make.inputs[0].name = SIZE.to_owned();
    assert_eq!(small(&plan), Some(Step::Literal(NUMBER, Literal::Int(1024))));
}
