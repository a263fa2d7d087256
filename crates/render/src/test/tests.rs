//! How tests are written.

use super::*;
use testsmith_model::operation::TypeInfo;
use testsmith_model::{OpId, TypeId};

/// A plan of one operation that takes nothing and gives nothing.
fn plan(deprecated: bool) -> Plan {
    let unit = TypeInfo::owned(Ty::unit(), Default::default());
    let mut operation = Operation::of_types(&[], TypeId(0));
    operation.call = testsmith_model::Call::template("old::call()", "old::call()");
    operation.docs.deprecated = deprecated;
    Plan { types: vec![unit], operations: vec![operation], ..Plan::default() }
}

#[test]
fn a_test_of_what_is_deprecated_brings_no_warning() {
    let sequence = Sequence::from_steps(vec![Step::Call(OpId(0), Box::new([]))]);
    for deprecated in [true, false] {
        let test = Test {
            name: "it".to_owned(),
            comment: vec![],
            sequence: &sequence,
            ending: TestEnding::Open,
            seen: &[],
            style: Style::Plain,
        };
        let text = test_function(&plan(deprecated), &test);
        assert_eq!(text.contains("#[allow(deprecated)]"), deprecated, "{text}");
    }
}
#[test]
fn what_is_done_again_and_again_is_a_loop() {
    let gather = |lines: &[&str]| gathered(lines.iter().map(|&line| line.into()).collect());
    let next = "let _ = a.next();";
    assert_eq!(gather(&[next; 4]), ["for _ in 0..4 {", "    let _ = a.next();", "}"]);
    assert_eq!(gather(&[next; 3]), [next; 3]);
    assert_eq!(gather(&["let a = b();"; 4]), ["let a = b();"; 4]);
}
