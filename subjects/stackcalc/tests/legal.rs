//! Legal calls never break a contract, and illegal ones only ever break the
//! precondition of the call itself.
//!
//! A small random driver that asks each call's hidden companion first, as a tool
//! does. Seeds are fixed.
//! Where nothing is checked there is nobody to ask.
#![cfg(debug_assertions)]

use subject_stackcalc::operators::{arithmetic, bits, order};
use subject_stackcalc::*;
use testsmith::contracts::{Kind, Violation, violation_of};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// Small numbers, and the ends of the range.
    fn number(&mut self) -> i64 {
        const EDGES: [i64; 6] = [i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1, 1 << 32, -1];
        match self.below(4) {
            0 => EDGES[self.below(EDGES.len())],
            _ => self.below(40) as i64 - 20,
        }
    }

    fn register(&mut self) -> Register {
        Register::ALL[self.below(4)]
    }

    fn kind(&mut self) -> OperatorKind {
        OperatorKind::ALL[self.below(OperatorKind::ALL.len())]
    }
}

/// Makes one random call. `None` if it was asked whether it is legal and was not.
fn step(random: &mut Random, calculator: &mut Calculator, ask: bool) -> Option<()> {
    macro_rules! call {
        ($precheck:ident, $method:ident $(, $argument:ident)*) => {{
            if ask && calculator.$precheck($(&$argument),*).is_err() {
                return None;
            }
            let _ = calculator.$method($($argument),*);
        }};
    }
    let (number, register, kind) = (random.number(), random.register(), random.kind());
    match random.below(8) {
        0 | 1 => call!(__testsmith_requires_enter, enter, number),
        2 | 3 => call!(__testsmith_requires_apply, apply, kind),
        4 => call!(__testsmith_requires_store, store, register),
        5 => call!(__testsmith_requires_recall, recall, register),
        6 => call!(__testsmith_requires_undo, undo),
        _ => call!(__testsmith_requires_redo, redo),
    }
    Some(())
}

#[test]
fn legal_calls_break_nothing() {
    for seed in 1..=40 {
        let mut random = Random(seed * 0x9e37_79b9);
        let mut calculator = Calculator::with_limit(1 + random.below(12));
        let made = (0..250).filter_map(|_| step(&mut random, &mut calculator, true)).count();
        assert!(made > 20, "seed {seed} made only {made} legal calls");
    }
}

#[test]
fn illegal_calls_break_the_precondition_of_the_call_itself() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut illegal = 0;
    for seed in 1..=40 {
        let mut random = Random(seed * 0x9e37_79b9);
        let mut calculator = Calculator::with_limit(1 + random.below(12));
        for _ in 0..100 {
            let violation: Option<Violation> =
                violation_of(|| step(&mut random, &mut calculator, false));
            if let Some(violation) = violation {
                illegal += 1;
                assert_eq!((violation.kind, violation.depth), (Kind::Requires, 0), "{violation}");
                assert!(
                    violation.function.starts_with("subject_stackcalc::calculator::Calculator")
                );
            }
        }
    }
    let _ = std::panic::take_hook();
    assert!(illegal > 100, "only {illegal} illegal calls");
}

#[test]
fn operators_keep_their_promises_for_any_numbers() {
    let mut random = Random(7);
    for _ in 0..4000 {
        let (left, right) = (random.number(), random.number());
        let _ = arithmetic::Add.combine(left, right);
        let _ = arithmetic::Subtract.combine(left, right);
        let _ = arithmetic::Multiply.combine(left, right);
        let _ = arithmetic::Divide.combine(left, right);
        let _ = arithmetic::Remainder.combine(left, right);
        let _ = arithmetic::Power.combine(left, right);
        let _ = arithmetic::Gcd.combine(left, right);
        let _ = arithmetic::Lcm.combine(left, right);
        let _ = arithmetic::Absolute.compute(left);
        let _ = arithmetic::Square.compute(left);
        let _ = arithmetic::Factorial.compute(left);
        let _ = arithmetic::SquareRoot.compute(left);
        let _ = bits::ShiftLeft.combine(left, right);
        let _ = bits::ShiftRight.combine(left, right);
        let _ = bits::And.combine(left, right);
        let _ = order::Minimum.combine(left, right);
        let _ = order::GreaterOrEqual.combine(left, right);
    }
}
