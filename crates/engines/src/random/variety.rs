//! Numbers and letters beyond those of a pool.
//!
//! A pool has the usual suspects and what the code compares with; what goes wrong for one
//! number in a hundred, or just behind a power of two, is not in it. The same list for every
//! plan, so that a literal is known by its place in it. Says which there are, never which is
//! passed to whom.

use crate::rng::Rng;
use testsmith_model::sequence::Literal;

/// How many are drawn at random of each kind, besides those with a reason.
const DRAWN: usize = 160;
/// A fixed seed: the places of the literals must not depend on that of the search.
const SEED: u64 = 0x7661_7269_6574_7921;
/// Of those drawn, one in so many is small: most is decided among small numbers.
const SMALL_ONCE_IN: usize = 3;
const SMALL: i128 = 1000;
/// How many numbers next to each end of a type there are: what is added to a size that is
/// nearly too large is small.
const NEAR_THE_END: i128 = 8;

/// Floats at which code goes wrong: the ends of what is exact and what is normal, halves that
/// round to even, angles, fractions that no binary number has. All are exact in 32 bits, or
/// beyond them.
const FLOATS: [f64; 28] = [
    1.5,
    2.5,
    -0.5,
    -1.5,
    0.25,
    0.75,
    0.125,
    0.099_999_904_632_568_36,
    0.333_333_253_860_473_63,
    0.999_999_940_395_355_2,
    1.000_000_119_209_289_6,
    3.141_592_502_593_994,
    1.570_796_251_296_997,
    6.283_185_005_187_988,
    90.0,
    180.0,
    360.0,
    16_777_215.0,
    16_777_216.0,
    -16_777_216.0,
    9_007_199_254_740_992.0,
    9_223_372_036_854_775_808.0,
    1.175_494_350_822_287_5e-38,
    1.401_298_464_324_817e-45,
    f64::MIN_POSITIVE,
    f64::EPSILON,
    f64::NEG_INFINITY,
    f64::MIN,
];

/// Letters with a reason: ends of the lengths in UTF-8, digits and spaces that are not ASCII,
/// letters whose case changes their number, marks, and what is not written.
const LETTERS: [char; 32] = [
    '\u{7f}',
    '\u{80}',
    '\u{7ff}',
    '\u{800}',
    '\u{ffff}',
    '\u{10000}',
    '\u{d7ff}',
    '\u{e000}',
    '\t',
    '\n',
    '\r',
    '\u{1b}',
    '\u{a0}',
    '\u{2028}',
    '\u{3000}',
    '\u{feff}',
    '٣',
    '५',
    '½',
    'Ⅷ',
    'ŉ',
    'ﬁ',
    'ς',
    'ǅ',
    'ı',
    'K',
    '字',
    'א',
    '👩',
    '🏽',
    '\u{fe0f}',
    '\u{fffd}',
];

/// The literals beyond a pool of its kind; none for texts and truth values.
pub(super) fn variety(pool: &[Literal]) -> Vec<Literal> {
    let mut rng = Rng::new(SEED);
    match pool.first() {
        Some(Literal::Int(_)) => {
            let whole = pool.iter().filter_map(|literal| match literal {
                Literal::Int(number) => Some(*number),
                _ => None,
            });
            let (least, greatest) = (whole.clone().min(), whole.max());
            let (least, greatest) = (least.unwrap_or_default(), greatest.unwrap_or_default());
            whole_numbers(least, greatest, &mut rng).into_iter().map(Literal::Int).collect()
        }
        Some(Literal::Float(_)) => {
            let drawn = (0..DRAWN).map(|_| float(&mut rng));
            FLOATS.into_iter().chain(drawn).map(|f| Literal::Float(f.to_bits())).collect()
        }
        Some(Literal::Char(_)) => {
            let drawn = (0..DRAWN).filter_map(|_| letter(&mut rng));
            LETTERS.into_iter().chain(drawn).map(Literal::Char).collect()
        }
        _ => vec![],
    }
}

/// Powers of two with one more and one less, what is next to the ends and in the middle, and
/// numbers of all lengths.
fn whole_numbers(least: i128, greatest: i128, rng: &mut Rng) -> Vec<i128> {
    let powers = (2..127).map(|bits| 1i128 << bits).take_while(|power| *power <= greatest);
    let near = powers.flat_map(|power| [power - 1, power, power + 1]);
    let ends = (1..=NEAR_THE_END).flat_map(|n| [greatest - n, least + n]);
    let ends = ends.chain([greatest / 2, greatest / 2 + 1, least / 2]);
    let signed = |number: i128, rng: &mut Rng| match least < 0 && rng.chance(1, 2) {
        true => -number,
        false => number,
    };
    let drawn = |rng: &mut Rng| {
        if rng.chance(1, SMALL_ONCE_IN) {
            return signed(rng.below(SMALL as usize) as i128, rng);
        }
        let length = 128 - greatest.leading_zeros();
        let bits = 1 + rng.below(length.max(1) as usize) as u32;
        let number = (u128::from(rng.draw()) << 64 | u128::from(rng.draw())) >> (128 - bits);
        signed(number as i128, rng)
    };
    let mut all: Vec<i128> = near.chain(ends).collect();
    all.extend((0..DRAWN).map(|_| drawn(rng)));
    all.retain(|number| (least..=greatest).contains(number));
    all
}

/// A float that 32 bits can hold: whole, a decimal fraction nearly, or of any size.
fn float(rng: &mut Rng) -> f64 {
    let sign = if rng.chance(1, 3) { -1.0 } else { 1.0 };
    let size = match rng.below(3) {
        0 => rng.below(2000) as f32,
        1 => rng.below(100_000) as f32 / [10.0, 100.0, 1000.0][rng.below(3)],
        _ => (rng.below(1 << 24) as f32) * 2f32.powi(rng.below(160) as i32 - 100),
    };
    sign * f64::from(size)
}

/// A letter of one byte to four, each as often.
fn letter(rng: &mut Rng) -> Option<char> {
    let (begin, end) =
        [(0x20, 0x7f), (0x80, 0x800), (0x800, 0xffff), (0x1_0000, 0x1_ffff)][rng.below(4)];
    char::from_u32(begin + rng.below((end - begin) as usize) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(least: i128, greatest: i128) -> Vec<i128> {
        let pool = [0, least, greatest].map(Literal::Int);
        let number = |literal| match literal {
            Literal::Int(number) => number,
            other => panic!("{other:?} is no number"),
        };
        variety(&pool).into_iter().map(number).collect()
    }

    #[test]
    fn numbers_are_of_their_type_and_of_all_lengths() {
        for (least, greatest) in [
            (i8::MIN.into(), i8::MAX.into()),
            (0, u8::MAX.into()),
            (i64::MIN.into(), i64::MAX.into()),
            (0, u64::MAX.into()),
            (i128::MIN, i128::MAX),
        ] {
            let all = numbers(least, greatest);
            assert!(all.iter().all(|number| (least..=greatest).contains(number)));
            let bits = 128 - greatest.leading_zeros();
            let of_length =
                |n: u32| all.iter().any(|number| 128 - number.unsigned_abs().leading_zeros() == n);
            assert!((1..=bits).all(of_length), "{greatest}");
            assert_eq!(all.iter().any(|number| *number < 0), least < 0);
        }
        assert!(numbers(0, u64::MAX.into()).contains(&(1 << 32)));
    }

    #[test]
    fn floats_are_the_same_in_32_bits_where_these_can_hold_them() {
        let pool = [Literal::Float(0)];
        for literal in variety(&pool) {
            let Literal::Float(bits) = literal else { panic!("{literal:?} is no float") };
            let float = f64::from_bits(bits);
            let beyond =
                float.abs() > f64::from(f32::MAX) || float.abs() < f64::from(f32::from_bits(1));
            assert!(beyond || f64::from(float as f32) == float, "{float:?}");
        }
    }

    #[test]
    fn the_places_are_the_same_every_time_and_texts_have_none() {
        let pool = [Literal::Char('a')];
        assert_eq!(variety(&pool), variety(&pool));
        assert!(variety(&pool).len() > DRAWN);
        assert_eq!(variety(&[Literal::Str("a".into())]), []);
        assert_eq!(variety(&[Literal::Bool(true)]), []);
    }
}
