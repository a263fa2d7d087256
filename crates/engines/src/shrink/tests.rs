//! Shrinking on operations that only have types.

use super::*;
use testsmith_model::operation::{Abilities, Mode, Operation, TypeInfo};
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
    let info = |name: &str, copy| TypeInfo {
        ty: Ty::prim(name),
        abilities: Abilities { copy, ..Default::default() },
        pointee: None,
        is_reference: false,
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
    assert_eq!(steps.len(), 3, "{steps:?}");
    assert!(matches!(steps[0], Step::Literal(_, Literal::Int(0))), "{steps:?}");
    assert!(matches!(steps[2], Step::Call(FAIL, _)), "{steps:?}");
    assert!(tries < 200, "{tries}");
}

#[test]
fn what_makes_a_value_is_replaced_by_a_shorter_component() {
    let plan = plan();
    let sequence = long(&plan, 3);
    let component = Component {
        sequence: Sequence::from_steps(vec![Step::Call(ONCE, Box::new([]))]),
        value: 0,
    };
    // A list must be grown three times, or come from `once`.
    let mut fails = |candidate: &Sequence| {
        let count = |wanted: OpId| {
            candidate.steps().filter(|s| matches!(s, Step::Call(op, _) if *op == wanted)).count()
        };
        count(GROW) == 3 || count(ONCE) == 1
    };
    let last = sequence.len() - 1;
    let removed = shrink(&plan, &sequence, last, &[], &mut fails);
    assert_eq!(removed.len(), 6, "removal alone leaves what made the list");
    let replaced = shrink(&plan, &sequence, last, &[component], &mut fails);
    let steps: Vec<&Step> = replaced.steps().collect();
    assert!(matches!(steps[..], [Step::Call(ONCE, _), Step::Call(FAIL, _)]), "{steps:?}");
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
