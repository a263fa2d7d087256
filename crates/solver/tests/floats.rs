//! Floats as terms against the floats of the processor.
//!
//! Every operation, on special values, on neighbours of special values and on
//! random bits, both folded from constants and evaluated from variables.

mod support;

use support::Rng;
use testsmith_solver::term::{Assignment, Evaluator, Format, Pool, Rounding, Term};

/// Bits of floats that are likely to be wrong.
fn special(width: u32) -> Vec<u128> {
    let doubles = [
        0.0,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        0.1,
        0.5,
        0.75,
        1.0,
        1.5,
        2.5,
        3.0,
        4503599627370496.5,
        9007199254740993.0,
        8388609.0,
        16777217.0,
        2147483648.0,
        4294967296.0,
        9223372036854775808.0,
        18446744073709551616.0,
        1e300,
        f64::MAX,
        f64::INFINITY,
        f64::from_bits(0x7ff0_0000_0000_0001),
        f64::from_bits(0x7ff8_0000_1234_5678),
    ];
    let singles = [
        0.0f32,
        f32::MIN_POSITIVE,
        f32::from_bits(1),
        0.1,
        0.5,
        0.75,
        1.0,
        1.5,
        2.5,
        3.0,
        4194304.5,
        8388609.0,
        16777215.0,
        2147483648.0,
        4294967296.0,
        1e30,
        f32::MAX,
        f32::INFINITY,
        f32::from_bits(0x7f80_0001),
        f32::from_bits(0x7fc1_2345),
    ];
    let bits: Vec<u64> = match width {
        32 => singles.iter().map(|number| u64::from(number.to_bits())).collect(),
        _ => doubles.iter().map(|number| number.to_bits()).collect(),
    };
    let sign = 1 << (width - 1);
    let near = bits.into_iter().flat_map(|b| [b.saturating_sub(1), b, b + 1]);
    near.flat_map(|bits| [u128::from(bits), u128::from(bits) | sign]).collect()
}

/// Random bits, with exponents near each other as often as not.
fn random(rng: &mut Rng, width: u32) -> u128 {
    let bits = u128::from(rng.next()) & (u128::MAX >> (128 - width));
    if rng.next() & 1 == 0 {
        return bits;
    }
    let fraction = if width == 32 { 23 } else { 52 };
    let middle = if width == 32 { 127 } else { 1023 };
    let exponent = middle - 30 + u128::from(rng.next() % 60);
    let rest = bits & ((1 << fraction) - 1) | bits & 1 << (width - 1);
    rest | exponent << fraction
}

/// What a function of terms gives, folded and evaluated.
fn both_ways(operands: &[(u32, u128)], build: &dyn Fn(&mut Pool, &[Term]) -> Term) -> (u128, u128) {
    let mut pool = Pool::new();
    let constants: Vec<Term> = operands.iter().map(|(w, bits)| pool.number(*w, *bits)).collect();
    let folded = build(&mut pool, &constants);
    let folded = pool.constant(folded).expect("a constant of constants");
    let variables: Vec<Term> =
        operands.iter().enumerate().map(|(i, (w, _))| pool.variable(*w, i as u32)).collect();
    let term = build(&mut pool, &variables);
    let values: Assignment =
        operands.iter().enumerate().map(|(i, (_, bits))| (i as u32, *bits)).collect();
    (folded, Evaluator::new(&pool, &values).value(term))
}

fn format(width: u32) -> Format {
    Format::of_width(width).expect("a format of Rust")
}

fn same(what: &str, operands: &[(u32, u128)], expected: u128, found: (u128, u128)) {
    assert_eq!(found, (expected, expected), "{what} of {operands:x?}, expected {expected:x}");
}

type Binary = (&'static str, fn(&mut Pool, Format, Term, Term) -> Term);

const BINARY: [Binary; 4] = [
    ("sum", |pool, format, a, b| pool.float_add(format, a, b, false)),
    ("difference", |pool, format, a, b| pool.float_add(format, a, b, true)),
    ("product", Pool::float_multiply),
    ("quotient", Pool::float_divide),
];

fn native(what: &str, width: u32, a: u128, b: u128) -> u128 {
    // The processor is asked at run time; a compiler may choose another payload.
    macro_rules! apply {
        ($float:ty, $bits:ty) => {{
            let x = std::hint::black_box(<$float>::from_bits(a as $bits));
            let y = std::hint::black_box(<$float>::from_bits(b as $bits));
            let result = match what {
                "sum" => x + y,
                "difference" => x - y,
                "product" => x * y,
                _ => x / y,
            };
            u128::from(result.to_bits())
        }};
    }
    let bits = if width == 32 { apply!(f32, u32) } else { apply!(f64, u64) };
    match format(width).is_nan(bits) {
        true => format(width).nan_of(&[a, b]),
        false => bits,
    }
}

#[test]
fn arithmetic_is_that_of_the_processor() {
    let mut rng = Rng(0x5eed_f10a_7000_0001);
    for width in [32, 64] {
        let special = special(width);
        let mut pairs: Vec<(u128, u128)> = vec![];
        for (index, a) in special.iter().enumerate() {
            // Every pair over the rounds of the two widths would take minutes.
            pairs.extend(special.iter().skip(index % 7).step_by(7).map(|b| (*a, *b)));
        }
        for _ in 0..600 {
            let a = random(&mut rng, width);
            let b = random(&mut rng, width);
            // Neighbours cancel; a float and its negation do so wholly.
            pairs.extend([(a, b), (a, a ^ 1 << (width - 1)), (a, (a ^ 1 << (width - 1)) + 1)]);
        }
        for (a, b) in pairs {
            for (what, build) in BINARY {
                let operands = [(width, a), (width, b)];
                let found = both_ways(&operands, &|pool, terms| {
                    build(pool, format(width), terms[0], terms[1])
                });
                same(what, &operands, native(what, width, a, b), found);
            }
        }
    }
}

#[test]
fn rounding_to_whole_numbers_is_that_of_the_processor() {
    type Whole = (Rounding, fn(f32) -> f32, fn(f64) -> f64);
    let whole: [Whole; 5] = [
        (Rounding::Down, f32::floor, f64::floor),
        (Rounding::Up, f32::ceil, f64::ceil),
        (Rounding::TowardZero, f32::trunc, f64::trunc),
        (Rounding::HalfAway, f32::round, f64::round),
        (Rounding::HalfEven, f32::round_ties_even, f64::round_ties_even),
    ];
    let mut rng = Rng(0x5eed_f10a_7000_0002);
    for width in [32, 64] {
        let mut inputs = special(width);
        inputs.extend((0..600).map(|_| random(&mut rng, width)));
        for bits in inputs {
            for (rounding, single, double) in whole {
                let found = both_ways(&[(width, bits)], &|pool, terms| {
                    pool.float_round(format(width), terms[0], rounding)
                });
                let expected = match width {
                    _ if format(width).is_nan(bits) => format(width).nan_of(&[bits]),
                    32 => u128::from(single(f32::from_bits(bits as u32)).to_bits()),
                    _ => u128::from(double(f64::from_bits(bits as u64)).to_bits()),
                };
                same(&format!("{rounding:?}"), &[(width, bits)], expected, found);
            }
        }
    }
}

#[test]
fn conversions_between_floats_and_integers_are_those_of_rust() {
    let mut rng = Rng(0x5eed_f10a_7000_0003);
    for from in [32, 64] {
        let mut inputs = special(from);
        inputs.extend((0..600).map(|_| random(&mut rng, from)));
        for bits in inputs {
            let (single, double) = (f32::from_bits(bits as u32), f64::from_bits(bits as u64));
            let convert = |to: u32, is_signed: bool| {
                both_ways(&[(from, bits)], &|pool, terms| {
                    pool.float_to_integer(format(from), terms[0], to, is_signed)
                })
            };
            macro_rules! check {
                ($($ty:ty)*) => { $(
                    let expected = if from == 32 { single as $ty } else { double as $ty };
                    let width = <$ty>::BITS;
                    let expected = expected as u128 & (u128::MAX >> (128 - width));
                    #[allow(unused_comparisons)]
                    let is_signed = <$ty>::MIN < 0;
                    let name = stringify!($ty);
                    same(name, &[(from, bits)], expected, convert(width, is_signed));
                )* };
            }
            check!(u8 i8 u16 i16 u32 i32 u64 i64 u128 i128);
            let other = 96 - from;
            let expected = match from {
                _ if format(from).is_nan(bits) => continue,
                32 => u128::from(f64::from(single).to_bits()),
                _ => u128::from((double as f32).to_bits()),
            };
            let found = both_ways(&[(from, bits)], &|pool, terms| {
                pool.float_convert(format(from), format(other), terms[0])
            });
            same("the other width", &[(from, bits)], expected, found);
        }
    }
}

#[test]
fn integers_become_the_nearest_float() {
    let mut rng = Rng(0x5eed_f10a_7000_0004);
    for round in 0..500u32 {
        // Of every length, and next to powers of two.
        let long = u128::from(rng.next()) << 64 | u128::from(rng.next());
        let bits = match round % 3 {
            0 => long >> (round % 127),
            1 => (1u128 << (round % 128)).wrapping_sub(u128::from(rng.next() % 3)),
            _ => u128::MAX << (round % 128),
        };
        macro_rules! check {
            ($($ty:ty)*) => { $(
                let number = bits as $ty;
                let width = <$ty>::BITS;
                let operand = [(width, number as u128 & (u128::MAX >> (128 - width)))];
                #[allow(unused_comparisons)]
                let is_signed = <$ty>::MIN < 0;
                let single = both_ways(&operand, &|pool, terms| {
                    pool.float_from_integer(format(32), terms[0], is_signed)
                });
                same("f32", &operand, u128::from((number as f32).to_bits()), single);
                let double = both_ways(&operand, &|pool, terms| {
                    pool.float_from_integer(format(64), terms[0], is_signed)
                });
                same("f64", &operand, u128::from((number as f64).to_bits()), double);
            )* };
        }
        check!(u8 i8 u16 i16 u32 i32 u64 i64 u128 i128);
    }
}
