//! Terms have one form: what means the same by its shape is the same term.

mod support;

use support::Rng;
use support::expression::{COMPARISONS, generate};
use testsmith_solver::term::{Assignment, Evaluator, Op, Pool, Term, mask};

/// The ways in which compiled code and the engine turn a condition round.
fn turned(pool: &mut Pool, condition: Term) -> Vec<Term> {
    let (no, yes) = (pool.truth(false), pool.truth(true));
    // As a byte in memory: `b ^ 1`, `b == 0`, `1 - b`, and the bit taken out again.
    let byte = pool.zero_extend(condition, 8);
    let (zero, one) = (pool.number(8, 0), pool.number(8, 1));
    let flipped = pool.binary(Op::Xor, byte, one);
    let rest = pool.binary(Op::Sub, one, byte);
    vec![
        pool.not(condition),
        pool.binary(Op::Xor, condition, yes),
        pool.binary(Op::Xor, yes, condition),
        pool.binary(Op::Eq, condition, no),
        pool.binary(Op::Add, condition, yes),
        pool.ite(condition, no, yes),
        pool.extract(flipped, 0, 1),
        pool.binary(Op::Ult, byte, one),
        pool.equal(byte, zero),
        pool.equal(flipped, one),
        pool.equal(rest, one),
    ]
}

fn check_turning(pool: &mut Pool, condition: Term, what: &str) {
    let once = turned(pool, condition);
    assert!(once.iter().all(|term| *term == once[0]), "{what}: {once:?} differ");
    let twice = turned(pool, once[0]);
    assert!(twice.iter().all(|term| *term == condition), "{what}: {twice:?}, not {condition:?}");
}

/// A comparison that the compiler may write in place of `op`, on swapped operands if told.
const SAME: &[(Op, Op)] = &[(Op::Ult, Op::Ule), (Op::Slt, Op::Sle)];

#[test]
fn every_comparison_turned_twice_is_the_term_it_was() {
    for width in [1, 2, 8, 16, 32, 64, 128] {
        let mut pool = Pool::new();
        let (x, y) = (pool.variable(width, 0), pool.variable(width, 1));
        let half = 1u128 << (width - 1);
        let numbers =
            [0, 1, 2, 9, 10, half - 1, half, half.wrapping_add(1), u128::MAX - 1, u128::MAX];
        let mut operands = vec![x, y];
        operands.extend(numbers.map(|number| pool.number(width, number)));
        for op in COMPARISONS {
            for &other in &operands {
                for (a, b) in [(x, other), (other, x)] {
                    let condition = pool.binary(*op, a, b);
                    check_turning(&mut pool, condition, &format!("{op:?}, {width} bits"));
                }
            }
        }
        for (less, at_most) in SAME {
            for &other in &operands {
                let below = pool.binary(*less, x, other);
                let not_below = pool.binary(*at_most, other, x);
                assert_eq!(pool.not(below), not_below, "{less:?} and {at_most:?}, {width} bits");
            }
        }
    }
}

#[test]
fn neighbouring_constants_give_one_comparison() {
    let mut pool = Pool::new();
    let x = pool.variable(32, 0);
    let (nine, ten) = (pool.number(32, 9), pool.number(32, 10));
    for (less, at_most) in SAME {
        let below = pool.binary(*less, x, ten);
        assert_eq!(pool.binary(*at_most, x, nine), below);
        let above = pool.binary(*less, nine, x);
        assert_eq!(pool.not(above), below);
    }
}

#[test]
fn every_generated_condition_turned_twice_is_the_term_it_was() {
    let mut rng = Rng(0x0123_4567_89ab_cdef);
    for round in 0..5_000 {
        let bits = [4, 8, 16, 32, 64][round % 5];
        let mut pool = Pool::new();
        let condition = generate(&mut rng, 1, 5, bits).build(&mut pool);
        check_turning(&mut pool, condition, &format!("round {round}"));
    }
}

#[test]
fn comparisons_mean_what_they_meant_on_every_pair_of_small_numbers() {
    for width in [1, 2, 3, 5] {
        for op in COMPARISONS {
            for constant in 0..=mask(width) {
                let mut pool = Pool::new();
                let (x, c) = (pool.variable(width, 0), pool.number(width, constant));
                let (right, left) = (pool.binary(*op, x, c), pool.binary(*op, c, x));
                for value in 0..=mask(width) {
                    let values: Assignment = [(0, value)].into_iter().collect();
                    let mut evaluator = Evaluator::new(&pool, &values);
                    let expected = testsmith_solver::term::fold(*op, width, value, constant);
                    assert_eq!(evaluator.value(right), expected, "{value} {op:?} {constant}");
                    let expected = testsmith_solver::term::fold(*op, width, constant, value);
                    assert_eq!(evaluator.value(left), expected, "{constant} {op:?} {value}");
                }
            }
        }
    }
}
