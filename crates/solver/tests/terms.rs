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

#[test]
fn sums_that_are_equal_are_known_to_be_equal() {
    let mut pool = Pool::new();
    for width in [8, 16, 32, 64] {
        let (a, b) = (pool.variable(width, width), pool.variable(width, width + 1));
        for (divide, rest) in [(Op::UDiv, Op::URem), (Op::SDiv, Op::SRem)] {
            for by in [b, pool.number(width, 7), pool.number(width, 100)] {
                let (quotient, rest) = (pool.binary(divide, a, by), pool.binary(rest, a, by));
                let product = pool.binary(Op::Mul, quotient, by);
                let sum = pool.binary(Op::Add, product, rest);
                assert_eq!(pool.equal(sum, a), pool.truth(true), "{divide:?} of {width} bits");
                let one = pool.number(width, 1);
                let more = pool.binary(Op::Add, sum, one);
                assert_eq!(pool.equal(more, a), pool.truth(false));
            }
        }
    }
}

#[test]
fn what_a_division_takes_away_leaves_its_remainder() {
    for (width, by) in [(7u32, 3u128), (7, 10), (12, 10), (12, 100), (32, 10)] {
        let mut pool = Pool::new();
        let (a, b) = (pool.variable(6, 0), pool.variable(6, 1));
        for (whole, other) in [(a, b), (b, a)] {
            let (whole, other) = (pool.zero_extend(whole, width), pool.zero_extend(other, width));
            let divisor = pool.number(width, by);
            // As narrow as it can be, and extended again.
            let (narrow, small) = (pool.extract(whole, 0, 7), pool.number(7, by & 127));
            let quotients = [
                pool.binary(Op::UDiv, whole, divisor),
                {
                    let quotient = pool.binary(Op::UDiv, narrow, small);
                    pool.zero_extend(quotient, width)
                },
                pool.binary(Op::UDiv, other, divisor),
            ];
            for (at, quotient) in quotients.into_iter().enumerate() {
                let product = pool.binary(Op::Mul, quotient, divisor);
                let rest = pool.binary(Op::Sub, whole, product);
                let below = pool.binary(Op::Ult, whole, product);
                for input in 0..4096u128 {
                    let values: Assignment =
                        [(0, input & 63), (1, input >> 6)].into_iter().collect();
                    let mut evaluator = Evaluator::new(&pool, &values);
                    let (x, y) = (evaluator.value(whole), evaluator.value(product));
                    let expected = x.wrapping_sub(y) & mask(width);
                    assert_eq!(evaluator.value(rest), expected, "{width} bits by {by}, way {at}");
                    assert_eq!(evaluator.value(below), u128::from(x < y), "{width} bits by {by}");
                }
                if at == 0 {
                    assert_eq!(rest, pool.binary(Op::URem, whole, divisor), "{width} bits by {by}");
                    assert_eq!(below, pool.truth(false), "{width} bits by {by}");
                }
            }
        }
    }
}

/// Sums of products, quotients and remainders by constants, of terms of several widths.
fn arithmetic(rng: &mut Rng, pool: &mut Pool, width: u32, depth: u32) -> Term {
    if depth == 0 {
        let narrow = pool.variable(4, rng.below(2) as u32);
        return match rng.below(4) {
            0 => pool.number(width, u128::from(rng.next())),
            _ if width < 4 => pool.extract(narrow, 0, width),
            _ => pool.zero_extend(narrow, width),
        };
    }
    let a = arithmetic(rng, pool, width, depth - 1);
    let constant = [1, 2, 3, 7, 10, 16, mask(width)][rng.below(7) as usize];
    let constant = pool.number(width, constant);
    match rng.below(9) {
        0 | 1 => {
            let b = arithmetic(rng, pool, width, depth - 1);
            pool.binary(Op::Add, a, b)
        }
        2 => {
            let b = arithmetic(rng, pool, width, depth - 1);
            pool.binary(Op::Sub, a, b)
        }
        3 => pool.binary(Op::Mul, a, constant),
        4 => pool.binary(Op::UDiv, a, constant),
        5 => pool.binary(Op::URem, a, constant),
        6 if width > 4 => {
            let low = pool.extract(a, 0, width / 2);
            pool.zero_extend(low, width)
        }
        7 => pool.binary(Op::SRem, a, constant),
        _ => {
            let b = arithmetic(rng, pool, width, depth - 1);
            pool.binary(Op::URem, a, b)
        }
    }
}

#[test]
fn what_is_called_equal_is_equal_for_every_input() {
    let mut rng = Rng(0xace5_ace5);
    let mut settled = [0, 0];
    for round in 0..20_000 {
        let width = [5, 8, 16, 64][round % 4];
        let mut pool = Pool::new();
        let a = arithmetic(&mut rng, &mut pool, width, 3);
        // The same again with something moved, so that there is something to find.
        let extra = arithmetic(&mut rng, &mut pool, width, 2);
        let b = match rng.below(3) {
            0 => arithmetic(&mut rng, &mut pool, width, 3),
            _ => {
                let more = pool.binary(Op::Add, extra, a);
                let divisor = pool.number(width, 1 + u128::from(rng.below(9)));
                let quotient = pool.binary(Op::UDiv, more, divisor);
                let rest = pool.binary(Op::URem, more, divisor);
                let back = pool.binary(Op::Mul, quotient, divisor);
                let back = pool.binary(Op::Add, rest, back);
                pool.binary(Op::Sub, back, extra)
            }
        };
        let equal = pool.equal(a, b);
        let Some(claimed) = pool.constant(equal) else { continue };
        settled[claimed as usize] += 1;
        for input in 0..256u128 {
            let values: Assignment = [(0, input & 15), (1, input >> 4)].into_iter().collect();
            let mut evaluator = Evaluator::new(&pool, &values);
            let really = evaluator.value(a) == evaluator.value(b);
            assert_eq!(really, claimed == 1, "round {round}, input {input}");
        }
    }
    assert!(settled[0] > 500 && settled[1] > 500, "{settled:?} is little to go by");
}

#[test]
fn comparisons_of_checked_arithmetic_mean_what_they_meant() {
    // All pairs of numbers of five bits, in every comparison that is settled by its shape.
    let mut pool = Pool::new();
    let (a, b) = (pool.variable(5, 0), pool.variable(5, 1));
    let mut terms = vec![];
    for (divide, rest) in [(Op::UDiv, Op::URem), (Op::SDiv, Op::SRem)] {
        let (quotient, rest) = (pool.binary(divide, a, b), pool.binary(rest, a, b));
        let (product, back) =
            (pool.binary(Op::Mul, quotient, b), pool.binary(Op::Mul, b, quotient));
        let sum = pool.binary(Op::Add, product, rest);
        for (x, y) in
            [(a, product), (product, a), (a, back), (rest, b), (b, rest), (sum, a), (sum, rest)]
        {
            for op in COMPARISONS {
                terms.push((pool.binary(*op, x, y), *op, x, y));
            }
        }
    }
    for input in 0..1024u128 {
        let values: Assignment = [(0, input & 31), (1, input >> 5)].into_iter().collect();
        let mut evaluator = Evaluator::new(&pool, &values);
        for (term, op, x, y) in &terms {
            let (x, y) = (evaluator.value(*x), evaluator.value(*y));
            let expected = testsmith_solver::term::fold(*op, 5, x, y);
            assert_eq!(evaluator.value(*term), expected, "{x} {op:?} {y}, input {input}");
        }
    }
}

#[test]
fn shifted_products_mean_what_they_meant() {
    // Quick divisions, right ones and those that are wrong for some number in range.
    let mut divided = 0;
    for width in [9, 12, 16] {
        for (factor, by) in (2..60u128).flat_map(|factor| (1..width).map(move |by| (factor, by))) {
            let mut pool = Pool::new();
            let narrow = pool.variable(6, 0);
            let wide = pool.zero_extend(narrow, width);
            let (number, distance) = (pool.number(width, factor), pool.number(width, by.into()));
            let product = pool.binary(Op::Mul, wide, number);
            let shifted = pool.binary(Op::LShr, product, distance);
            divided += usize::from(pool.shifted_product(product, by, 63).is_some());
            for most in [0, 9, 40, 63] {
                let known = pool.shifted_product(product, by, most);
                for value in 0..64 {
                    let values: Assignment = [(0, value)].into_iter().collect();
                    let mut evaluator = Evaluator::new(&pool, &values);
                    let expected = ((value * factor) & mask(width)) >> by;
                    assert_eq!(evaluator.value(shifted), expected, "{value} * {factor} >> {by}");
                    if let Some(known) = known.filter(|_| value <= most) {
                        assert_eq!(evaluator.value(known), expected, "{value} * {factor} >> {by}");
                    }
                }
            }
        }
    }
    assert!(divided > 50, "{divided} products were seen to be quotients");
}
