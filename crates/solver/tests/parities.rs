//! Exclusive ors have one form: what is called equal is equal for every input.

mod support;

use support::Rng;
use testsmith_solver::term::{Assignment, Evaluator, Op, Pool, Term, mask};

/// Exclusive ors, shifts, masks, extensions and choices of two variables of four bits.
fn bits(rng: &mut Rng, pool: &mut Pool, width: u32, depth: u32) -> Term {
    if depth == 0 {
        let narrow = pool.variable(4, rng.below(2) as u32);
        return match rng.below(5) {
            0 => pool.number(width, u128::from(rng.next())),
            _ if width < 4 => pool.extract(narrow, 0, width),
            1 => pool.sign_extend(narrow, width),
            _ => pool.zero_extend(narrow, width),
        };
    }
    let a = bits(rng, pool, width, depth - 1);
    let constant = pool.number(width, u128::from(rng.next()));
    match rng.below(10) {
        0..=2 => {
            let b = bits(rng, pool, width, depth - 1);
            pool.binary(Op::Xor, a, b)
        }
        3 => pool.binary(Op::And, a, constant),
        4 => {
            let by = pool.number(width, u128::from(rng.below(u64::from(width) + 1)));
            pool.binary([Op::Shl, Op::LShr][rng.below(2) as usize], a, by)
        }
        5 => {
            // As a checksum by bits: the lowest bit decides whether something is flipped.
            let lowest = pool.extract(a, 0, 1);
            let flipped = pool.binary(Op::Xor, a, constant);
            pool.ite(lowest, flipped, a)
        }
        6 => {
            let condition = bits(rng, pool, 1, depth - 1);
            let b = bits(rng, pool, width, depth - 1);
            pool.ite(condition, a, b)
        }
        7 if width > 1 => {
            let split = 1 + rng.below(u64::from(width) - 1) as u32;
            let (high, low) = (pool.extract(a, 0, width - split), pool.extract(a, 0, split));
            pool.concat(high, low)
        }
        8 => {
            let b = bits(rng, pool, width, depth - 1);
            pool.binary([Op::Add, Op::Or, Op::And][rng.below(3) as usize], a, b)
        }
        _ => pool.not(a),
    }
}

#[test]
fn what_is_called_equal_is_equal_for_every_input() {
    let mut rng = Rng(0xb175_b175);
    let mut settled = [0, 0];
    for round in 0..20_000 {
        let width = [3, 5, 8, 16, 64][round % 5];
        let mut pool = Pool::new();
        let a = bits(&mut rng, &mut pool, width, 3);
        let b = match rng.below(3) {
            0 => bits(&mut rng, &mut pool, width, 3),
            // The same again with something added twice, once in parts.
            _ => {
                let extra = bits(&mut rng, &mut pool, width, 2);
                let with = pool.binary(Op::Xor, extra, a);
                let odd = pool.number(width, u128::from(rng.below(8) / 7));
                let with = pool.binary(Op::Xor, with, odd);
                let kept = pool.number(width, u128::from(rng.next()));
                let rest = pool.number(width, !pool.constant(kept).unwrap_or(0) & mask(width));
                let (one, other) =
                    (pool.binary(Op::And, extra, kept), pool.binary(Op::And, extra, rest));
                let back = pool.binary(Op::Xor, with, other);
                pool.binary(Op::Xor, one, back)
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
    assert!(settled[0] > 1_000 && settled[1] > 5_000, "{settled:?} is little to go by");
}

const POLYNOMIAL: u128 = 0xedb8_8320;

/// One more byte, bit by bit: each decides whether the polynomial is added.
fn by_bits(pool: &mut Pool, state: Term, byte: Term) -> Term {
    let wide = pool.zero_extend(byte, 32);
    let mut state = pool.binary(Op::Xor, state, wide);
    let (one, polynomial) = (pool.number(32, 1), pool.number(32, POLYNOMIAL));
    for _ in 0..8 {
        let lowest = pool.extract(state, 0, 1);
        let moved = pool.binary(Op::LShr, state, one);
        let flipped = pool.binary(Op::Xor, moved, polynomial);
        state = pool.ite(lowest, flipped, moved);
    }
    state
}

/// One more byte by a table, which is the sum of its rows for the bits of the index.
fn by_table(pool: &mut Pool, state: Term, byte: Term) -> Term {
    let low = pool.extract(state, 0, 8);
    let index = pool.binary(Op::Xor, low, byte);
    let eight = pool.number(32, 8);
    let mut sum = pool.binary(Op::LShr, state, eight);
    for bit in 0..8 {
        let step = |row: u128| (row >> 1) ^ ((row & 1) * POLYNOMIAL);
        let row = (0..8).fold(1u128 << bit, |row, _| step(row));
        let row = pool.number(32, row);
        let chosen = pool.extract(index, bit, 1);
        let chosen = pool.sign_extend(chosen, 32);
        let chosen = pool.binary(Op::And, chosen, row);
        sum = pool.binary(Op::Xor, sum, chosen);
    }
    sum
}

#[test]
fn a_checksum_by_bits_and_by_a_table_is_the_same() {
    let mut pool = Pool::new();
    let ones = pool.number(32, u128::from(u32::MAX));
    let (mut slow, mut quick) = (ones, ones);
    for index in 0..12 {
        let byte = pool.variable(8, index);
        slow = by_bits(&mut pool, slow, byte);
        quick = by_table(&mut pool, quick, byte);
        assert_eq!(pool.equal(slow, quick), pool.truth(true), "after {} bytes", index + 1);
    }
    let one = pool.number(32, 1);
    let other = pool.binary(Op::Xor, quick, one);
    assert_eq!(pool.equal(slow, other), pool.truth(false));
}
