//! Fakes without the library that wears them: what they refuse, and why.

mod support;

use support::{method, object, param};
use testsmith_reach::{Choices, Clause, Concrete, Fake, Function, Mode, Refused, Sort, System};

/// A tank, as nobody has written it.
fn tank() -> System {
    let byte = Sort::Int { width: 8, signed: false };
    let amount = Function {
        ret: byte.clone(),
        ..method("amount", 0, Mode::Shared).pure().ensures("ret <= 100")
    };
    let mut fill = method("fill", 0, Mode::Exclusive)
        .requires("by > 0")
        .requires("self.amount() + by <= 100")
        .ensures("self.amount() == old(self.amount()) + by");
    fill.params.push(param("by", byte, Mode::Own));
    System { types: vec![object("Tank")], functions: vec![amount, fill], ..System::default() }
}

#[test]
fn a_call_changes_the_state_as_its_postcondition_says() {
    let system = tank();
    let (fake, mut choices) = (Fake::new(&system, 0), Choices::new(1));
    let mut state = fake.begin(&[Clause::new("amount() == 90")], &mut choices).unwrap();
    fake.call(&mut state, 1, &[Concrete::Int(7)], &mut choices).unwrap();
    assert_eq!(fake.ask(&mut state, 0, &[], &mut choices), Ok(Concrete::Int(97)));
}

/// As it is told where contracts are not checked.
#[test]
fn a_precondition_that_does_not_hold_is_named_and_changes_nothing() {
    let system = tank();
    let (fake, mut choices) = (Fake::new(&system, 0), Choices::new(1));
    let mut state = fake.begin(&[Clause::new("amount() == 90")], &mut choices).unwrap();
    let before = state.clone();
    let refused = fake.call(&mut state, 1, &[Concrete::Int(11)], &mut choices).unwrap_err();
    let clause = "self.amount() + by <= 100".to_owned();
    assert_eq!(refused, Refused::Precondition { of: "Tank::fill".to_owned(), clause });
    assert_eq!(
        refused.to_string(),
        "Tank::fill may not be called now: its precondition `self.amount() + by <= 100` does not \
         hold"
    );
    assert_eq!(state, before);
}

#[test]
fn all_clauses_are_understood_or_told() {
    let mut system = tank();
    assert_eq!(Fake::new(&system, 0).untranslated(), []);
    system.functions[1].ensures.push(Clause::new("sounds_full(self)"));
    let unknown = Fake::new(&system, 0).untranslated();
    assert_eq!(unknown.len(), 1);
    assert_eq!(
        (unknown[0].of.as_str(), unknown[0].clause.as_str()),
        ("Tank::fill", "sounds_full(self)")
    );
}
