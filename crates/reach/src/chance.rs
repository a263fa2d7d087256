//! What a fake would like to answer where contracts leave it open.
//!
//! Wishes are drawn by a seed and are conditions like any other; which of them can be had is
//! decided by the solver. Each comes with a weaker one, so that an answer that cannot be the
//! one drawn is still easy to read.

use crate::terms::CHAR;
use crate::value::Value;
use crate::world::World;
use testsmith_solver::term::Term;

/// Texts that are wished for are no longer.
const MAX_WISHED: usize = 6;
/// Elements of a list that are wished for, and as many are at most.
const MAX_WISHED_ITEMS: usize = 4;
/// Bits of a number that are wished for where the number cannot be had.
const LOW_BITS: u32 = 3;
/// The same of a letter.
const LETTER_BITS: u32 = 5;

/// A source of choices that gives the same for the same seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices(u64);

impl Choices {
    pub fn new(seed: u64) -> Choices {
        Choices(seed)
    }

    /// The next number (splitmix64).
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    /// Mostly a digit, sometimes more, below zero where there is such a thing.
    fn number(&mut self, signed: bool) -> i128 {
        let number = match self.below(8) {
            0 => self.below(100),
            _ => self.below(10),
        };
        let negative = signed && self.below(5) == 0;
        if negative { -i128::from(number) } else { i128::from(number) }
    }

    fn letter(&mut self) -> i128 {
        i128::from(u32::from('a')) + i128::from(self.below(26))
    }
}

impl World<'_> {
    /// Wishes for a value, those that matter most first.
    pub(crate) fn chance(&mut self, value: &Value, choices: &mut Choices, wishes: &mut Vec<Term>) {
        match value {
            Value::Bool(term) => self.wish_bit(*term, choices.below(2) == 0, wishes),
            Value::Int { term, signed } => {
                let width = self.terms.pool.width(*term);
                let drawn = choices.number(*signed);
                let number = self.terms.number(width, drawn);
                wishes.push(self.terms.equal(*term, number));
                // A number that cannot be small is still one of many.
                let low = self.terms.pool.extract(*term, 0, LOW_BITS);
                let drawn = self.terms.number(LOW_BITS, drawn);
                wishes.push(self.terms.equal(low, drawn));
                let (low, high) = (if *signed { -100 } else { 0 }, 100);
                let (low, high) = (self.terms.number(width, low), self.terms.number(width, high));
                let above = self.terms.at_most(low, *term, *signed);
                let below = self.terms.at_most(*term, high, *signed);
                wishes.push(self.terms.and(above, below));
            }
            Value::Char(term) => {
                let letter = self.terms.number(CHAR, choices.letter());
                wishes.push(self.terms.equal(*term, letter));
                self.wishes(value, wishes);
            }
            Value::Text { len, chars } => {
                let wanted = self.terms.wide(choices.below(MAX_WISHED as u64 + 1) as usize);
                wishes.push(self.terms.equal(*len, wanted));
                for c in &chars[..MAX_WISHED] {
                    let (drawn, none) = (choices.letter(), self.terms.number(CHAR, 0));
                    let unused = self.terms.equal(*c, none);
                    // A capital letter has the low bits of a small one.
                    for bits in [CHAR, LETTER_BITS] {
                        let (low, letter) =
                            (self.terms.pool.extract(*c, 0, bits), self.terms.number(bits, drawn));
                        let same = self.terms.equal(low, letter);
                        wishes.push(self.terms.or(same, unused));
                    }
                }
                self.wishes(value, wishes);
            }
            Value::Option { some, value } => {
                self.wish_bit(*some, choices.below(4) > 0, wishes);
                self.chance(value, choices, wishes);
            }
            Value::Result { ok, value, error } => {
                self.wish_bit(*ok, choices.below(4) > 0, wishes);
                self.chance(value, choices, wishes);
                self.chance(error, choices, wishes);
            }
            Value::Float(term) => self.chance_float(*term, choices, wishes),
            Value::Seq { len, items, .. } => {
                let wanted = choices.below(MAX_WISHED_ITEMS as u64) as usize;
                let (wanted, most) = (self.terms.wide(wanted), self.terms.wide(MAX_WISHED_ITEMS));
                wishes.push(self.terms.equal(*len, wanted));
                wishes.push(self.terms.at_most(*len, most, false));
                let first = items.iter().take(MAX_WISHED_ITEMS);
                first.for_each(|item| self.chance(item, choices, wishes));
            }
            Value::Tuple(parts) => {
                parts.iter().for_each(|part| self.chance(part, choices, wishes));
            }
            Value::Enum { tag, fields, .. } => {
                let drawn = choices.below(fields.len().max(1) as u64);
                let drawn = self.terms.number(16, i128::from(drawn));
                wishes.push(self.terms.equal(*tag, drawn));
                fields.iter().flatten().for_each(|field| self.chance(field, choices, wishes));
            }
            other => self.wishes(other, wishes),
        }
    }

    /// A number with few digits; where that cannot be had, a part of one, or a short one.
    fn chance_float(&mut self, term: Term, choices: &mut Choices, wishes: &mut Vec<Term>) {
        let width = self.terms.pool.width(term);
        let drawn = choices.number(true) as f64 + choices.below(4) as f64 / 4.0;
        // There is one zero.
        let drawn = if drawn == 0.0 { 0.0 } else { drawn };
        let part = choices.below(16) as f64 / 16.0;
        let real = |world: &mut Self, number: f64| world.terms.real(number.to_bits(), width);
        let (whole, part) = (real(self, drawn), real(self, part));
        let is_drawn = self.terms.equal(term, whole);
        let is_part = self.terms.equal(term, part);
        wishes.push(is_drawn);
        wishes.push(self.terms.or(is_drawn, is_part));
        let (low, high) = (real(self, -101.0), real(self, 101.0));
        let above = self.terms.float_less(low, term);
        let below = self.terms.float_less(term, high);
        wishes.push(self.terms.and(above, below));
        let digits = if width == 32 { 12 } else { 40 };
        let (rest, zero) = (self.terms.pool.extract(term, 0, digits), self.terms.number(digits, 0));
        wishes.push(self.terms.equal(rest, zero));
    }

    fn wish_bit(&mut self, term: Term, wanted: bool, wishes: &mut Vec<Term>) {
        wishes.push(if wanted { term } else { self.terms.not(term) });
    }
}
