//! Every clause of the calculator is evaluated by one tour through it, holds
//! there, and is noticed when its outcome is turned around.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use subject_stackcalc::operators::arithmetic::quotient;
use subject_stackcalc::operators::{aggregate, arithmetic, bits, order};
use subject_stackcalc::*;
use testsmith::contracts::{Kind, Violation, flip};

/// Calls everything, legally.
fn tour() {
    tour_stack();
    tour_numbers();
    for kind in OperatorKind::ALL {
        for operands in [vec![3, 7, 2, 5], vec![-4, 9, -6], vec![0, 0, 1], vec![i64::MAX, i64::MIN]]
        {
            let mut stack = Stack::from_slice(&operands);
            if kind.operator().applicable(&stack) {
                let _ = kind.operator().apply(&mut stack);
            }
        }
    }
    let mut sum = Stack::from_slice(&[4, 5, 6]);
    assert_eq!(aggregate::SumAll.apply(&mut sum), Ok(()));
    assert_eq!(sum.as_slice(), [15]);
    tour_memory();
    tour_factory();
    tour_calculator();
}

fn tour_stack() {
    let mut stack = Stack::new();
    assert!(stack.is_empty() && !stack.is_full() && !stack.contains(1));
    for number in [3, 1, 2] {
        stack.push(number);
    }
    assert_eq!((stack.greatest(), stack.least(), stack.sum()), (3, 1, Some(6)));
    stack.duplicate();
    stack.swap();
    stack.rotate(4);
    stack.reverse();
    assert_eq!((stack.peek_at(0), stack.peek_at(3), stack.room()), (1, 3, 60));
    assert_eq!(stack.replace(8), 1);
    assert_eq!((stack.pop_pair(), stack.pop()), ((2, 8), 2));
    assert_eq!(stack.pop_many(1), [3]);
    stack.push(1);
    stack.discard(1);
    stack.clear();
    assert_eq!(Stack::with_limit(2).limit(), 2);
    assert!(Stack::default().is_empty());
}

fn tour_numbers() {
    assert_eq!(quotient(7, 2), Ok(3));
    assert_eq!(quotient(i64::MIN, -1), Err(CalcError::Overflow));
    assert_eq!(arithmetic::Gcd.combine(-12, -18), Ok(6));
    assert_eq!(arithmetic::Lcm.combine(4, 6), Ok(12));
    assert_eq!(arithmetic::Power.combine(2, -1), Err(CalcError::Domain));
    assert_eq!(arithmetic::Factorial.compute(5), Ok(120));
    assert_eq!(arithmetic::SquareRoot.compute(-1), Err(CalcError::Domain));
    assert_eq!(bits::ShiftLeft.combine(1, 64), Err(CalcError::Domain));
    assert_eq!(order::NotEqual.combine(1, 2), Ok(1));
    assert!(CalcError::Overflow.is_arithmetic() && CalcError::NoRoom.is_structural());
}

fn tour_memory() {
    let mut memory = Memory::new();
    assert!(memory.is_empty());
    memory.store(Register::A, 1);
    memory.store(Register::A, 1);
    memory.exchange(Register::A, Register::D);
    assert_eq!((memory.used(), memory.holds(Register::D)), (1, true));
    assert_eq!(memory.recall(Register::A), Err(CalcError::EmptyRegister));
    assert_eq!(memory.forget(Register::D), 1);
    memory.clear();
    for register in Register::ALL {
        assert_eq!(Register::from_letter(register.letter()), Some(register));
        assert_eq!(Register::ALL[register.index()], register);
    }
    assert_eq!(Register::from_letter('z'), None);
}

fn tour_factory() {
    let mut factory = Factory::default();
    factory.add_alias("plus", OperatorKind::Add);
    assert_eq!(factory.word_count(), OperatorKind::ALL.len() + 1);
    assert_eq!(factory.create("plus"), Some(OperatorKind::Add));
    assert_eq!(factory.parse("-12"), Ok(Command::Push(-12)));
    assert_eq!(factory.parse("b?"), Ok(Command::Recall(Register::B)));
    assert_eq!(factory.parse("what"), Err(CalcError::UnknownWord));
    factory.remove_alias("plus");
    for kind in OperatorKind::ALL {
        assert_eq!(factory.create(kind.operator().symbol()), Some(*kind));
        assert_eq!(Command::Apply(*kind).word(), kind.operator().symbol());
    }
    assert!(!factory.knows("plus") && !factory.is_alias("plus"));
}

fn tour_calculator() {
    let mut calculator = Calculator::new();
    assert_eq!(calculator.evaluate("3 4 + dup *"), Ok(Some(49)));
    assert_eq!(calculator.evaluate("a! a? a? a?"), Ok(Some(49)));
    assert_eq!(calculator.evaluate("b?"), Err(CalcError::EmptyRegister));
    assert_eq!(calculator.evaluate("0 /"), Err(CalcError::DivisionByZero));
    assert_eq!(calculator.evaluate("sum pow"), Err(CalcError::Underflow));
    assert!(calculator.can(Command::Clear) && calculator.can_undo());
    calculator.undo();
    calculator.undo();
    calculator.redo();
    calculator.enter(1);
    assert!(!calculator.can_redo());
    calculator.store(Register::C);
    calculator.recall(Register::C);
    assert_eq!(calculator.execute(Command::Clear), Ok(()));
    calculator.add_alias("plus", OperatorKind::Add);
    assert_eq!(calculator.evaluate("1 2 plus"), Ok(Some(3)));
    assert_eq!((calculator.steps(), calculator.room()), (18, 63));
    calculator.reset();
    let mut small = Calculator::with_limit(1);
    assert_eq!(small.evaluate("1 2"), Err(CalcError::NoRoom));
    assert_eq!(small.obstacle(Command::Apply(OperatorKind::Duplicate)), CalcError::NoRoom);
    assert!(Command::Store(Register::A).uses_memory());
    let mut history = History::new();
    history.record(Stack::new());
    assert_eq!((history.len(), history.undoable(), history.is_empty()), (1, 1, false));
    assert_eq!(history.undo(Stack::new()), Stack::new());
    assert_eq!(history.redo(Stack::new()), Stack::new());
    history.clear();
}

/// Clauses by kind and condition, and how often each occurs.
type Clauses = BTreeMap<(Kind, String), usize>;

/// Every condition written in the sources.
fn written() -> Clauses {
    fn visit(tokens: TokenStream, found: &mut Clauses) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (position, token) in tokens.iter().enumerate() {
            let TokenTree::Group(group) = token else { continue };
            let kind = match position.checked_sub(1).map(|before| tokens[before].to_string()) {
                Some(word) => Kind::from_word(&word),
                None => None,
            };
            match kind {
                Some(kind) => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    let clauses = inside.split(|token| token.to_string() == ",");
                    let clauses = clauses.filter(|clause| !clause.is_empty());
                    let clauses = clauses.filter(|clause| {
                        clause.len() > 1 || !matches!(clause[0], TokenTree::Literal(_))
                    });
                    for clause in clauses {
                        let text: TokenStream = clause.iter().cloned().collect();
                        *found.entry((kind, without_spaces(&text.to_string()))).or_default() += 1;
                    }
                }
                None => visit(group.stream(), found),
            }
        }
    }
    let mut found = Clauses::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the sources are there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let source = std::fs::read_to_string(path).expect("readable");
                visit(source.parse().expect("it lexes"), &mut found);
            }
        }
    }
    found
}

fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn no_clause_breaks_on_a_legal_tour() {
    tour();
}

#[test]
fn every_clause_that_is_written_is_evaluated_and_noticed_when_turned_around() {
    tour();
    // Purity is sampled, so it is not evaluated in every tour; it has a test of
    // its own where it is defined.
    let clauses: Vec<flip::ClauseId> =
        flip::seen().into_iter().filter(|clause| clause.kind != Kind::Pure).collect();
    let mut seen = Clauses::new();
    for clause in &clauses {
        *seen.entry((clause.kind, without_spaces(&clause.text))).or_default() += 1;
    }
    let mut missing = written();
    missing.retain(|clause, times| seen.get(clause) != Some(times));
    assert!(missing.is_empty(), "not evaluated everywhere it is written: {missing:#?}");
    assert!(clauses.len() > 150, "only {} clauses", clauses.len());
    std::panic::set_hook(Box::new(|_| {}));
    let unnoticed: Vec<&flip::ClauseId> = clauses
        .iter()
        .filter(|clause| {
            let outcome = flip::flipping(clause, || catch_unwind(AssertUnwindSafe(tour)));
            let violation = outcome.err().and_then(|payload| Violation::from_payload(&*payload));
            violation.is_none_or(|violation| {
                (violation.kind, &violation.clause.text, &violation.clause.place)
                    != (clause.kind, &clause.text, &clause.place)
            })
        })
        .collect();
    let _ = std::panic::take_hook();
    assert!(unnoticed.is_empty(), "turned around and not noticed: {unnoticed:#?}");
}
