//! Validity of UTF-8 as a term, against std.

mod support;

use support::Rng;
use testsmith_solver::term::{Assignment, Evaluator, Pool, Term};

/// Every byte at which the standard draws a line, and its neighbours.
const LINES: &[u8] = &[
    0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
    0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
];

/// The terms for texts of one length: valid, and each way of not being so.
struct Terms {
    pool: Pool,
    valid: Term,
    errors: Vec<((usize, Option<u8>), Term)>,
}

impl Terms {
    fn new(len: usize) -> Terms {
        let mut pool = Pool::new();
        let bytes: Vec<Term> = (0..len as u32).map(|index| pool.variable(8, index)).collect();
        let valid = pool.utf8_valid(&bytes);
        let mut errors = vec![];
        for up_to in 0..=len {
            for error_len in [None, Some(1), Some(2), Some(3)] {
                let term = pool.utf8_error(&bytes, up_to, error_len);
                errors.push(((up_to, error_len), term));
            }
        }
        Terms { pool, valid, errors }
    }

    /// Exactly one of the terms holds, and it is the one that std says.
    fn check(&self, bytes: &[u8]) {
        let values: Assignment =
            bytes.iter().enumerate().map(|(at, byte)| (at as u32, u128::from(*byte))).collect();
        let mut evaluator = Evaluator::new(&self.pool, &values);
        let expected = std::str::from_utf8(bytes);
        assert_eq!(evaluator.holds(self.valid), expected.is_ok(), "{bytes:x?}");
        let holding: Vec<(usize, Option<u8>)> = self
            .errors
            .iter()
            .filter(|(_, term)| evaluator.holds(*term))
            .map(|(outcome, _)| *outcome)
            .collect();
        let expected: Vec<(usize, Option<u8>)> = expected
            .err()
            .map(|error| (error.valid_up_to(), error.error_len().map(|len| len as u8)))
            .into_iter()
            .collect();
        assert_eq!(holding, expected, "{bytes:x?}");
    }
}

#[test]
fn every_input_of_two_bytes_is_judged_as_std_judges_it() {
    Terms::new(0).check(&[]);
    let (one, two) = (Terms::new(1), Terms::new(2));
    for number in 0..=0xffffu16 {
        let bytes = number.to_le_bytes();
        two.check(&bytes);
        if bytes[1] == 0 {
            one.check(&bytes[..1]);
        }
    }
}

#[test]
fn every_combination_of_the_bytes_that_matter_is_judged_as_std_judges_it() {
    let (three, four) = (Terms::new(3), Terms::new(4));
    for a in LINES {
        for b in LINES {
            for c in LINES {
                three.check(&[*a, *b, *c]);
                // A fourth byte matters after the first of a character of four.
                if *a >= 0xf0 || *a == 0x7f || *a == 0xc2 {
                    LINES.iter().for_each(|d| four.check(&[*a, *b, *c, *d]));
                }
            }
        }
    }
}

#[test]
fn longer_texts_are_judged_as_std_judges_them() {
    let mut rng = Rng(0x7e87_0000_0001);
    for len in [5, 6, 7, 9] {
        let terms = Terms::new(len);
        for _ in 0..2_000 {
            let mut bytes: Vec<u8> = vec![];
            while bytes.len() < len {
                // Mostly real characters, so that errors come late too.
                let character = char::from_u32(rng.below(0x11_0000) as u32).unwrap_or('x');
                match rng.below(4) {
                    0 => bytes.push(LINES[rng.below(LINES.len() as u64) as usize]),
                    1 => bytes.push(rng.below(0x80) as u8),
                    _ => bytes.extend(character.to_string().bytes()),
                }
            }
            bytes.truncate(len);
            terms.check(&bytes);
        }
    }
}
