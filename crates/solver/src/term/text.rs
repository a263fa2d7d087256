//! Whether bytes are UTF-8, as one term, and where they cease to be.
//!
//! The automaton of the standard, one bit for each of its states: a text of
//! forty bytes is some hundred small terms, where a program that looks at the
//! bytes one by one has a path for every shape of every character.

use super::{Op, Pool, Term};

/// What is expected next: a character, or so many more continuation bytes, the next of
/// them restricted after four of the first bytes.
#[derive(Copy, Clone)]
struct States {
    boundary: Term,
    one: Term,
    two: Term,
    three: Term,
    after_e0: Term,
    after_ed: Term,
    after_f0: Term,
    after_f4: Term,
}

impl States {
    fn inside(&self) -> [Term; 7] {
        let States { one, two, three, after_e0, after_ed, after_f0, after_f4, .. } = *self;
        [one, two, three, after_e0, after_ed, after_f0, after_f4]
    }
}

impl Pool {
    /// Whether the bytes are a text.
    pub fn utf8_valid(&mut self, bytes: &[Term]) -> Term {
        let mut states = self.utf8_start();
        for byte in bytes {
            states = self.utf8_step(states, *byte);
        }
        states.boundary
    }

    /// Whether the bytes are a text up to `valid_up_to` and then are not, for the reason
    /// that `error_len` gives: so many bytes are wrong, or the end comes too soon.
    pub fn utf8_error(
        &mut self,
        bytes: &[Term],
        valid_up_to: usize,
        error_len: Option<u8>,
    ) -> Term {
        let (text, rest) = bytes.split_at(valid_up_to);
        let before = self.utf8_valid(text);
        let mut states = self.utf8_start();
        // The length of an error is that of the part that could have been a character, and
        // one for a byte that begins none.
        let good = rest.len().min(error_len.map_or(rest.len(), usize::from));
        let mut alive = self.truth(true);
        for (index, byte) in rest[..good].iter().enumerate() {
            states = self.utf8_step(states, *byte);
            let inside = self.utf8_inside(&states);
            // The one byte of an error may itself be no beginning.
            if !(error_len == Some(1) && index == 0) {
                alive = self.and(alive, inside);
            }
        }
        let wrong = match error_len {
            None => alive,
            Some(1) => {
                let begun = self.utf8_inside(&states);
                let whole = states.boundary;
                let no_beginning = self.or(begun, whole);
                let no_beginning = self.not(no_beginning);
                let broken = self.utf8_breaks(states, rest.get(1).copied());
                let broken = self.and(begun, broken);
                self.or(no_beginning, broken)
            }
            Some(_) => {
                let broken = self.utf8_breaks(states, rest.get(good).copied());
                self.and(alive, broken)
            }
        };
        // Nothing at all is no text cut short.
        if rest.is_empty() {
            return self.truth(false);
        }
        self.and(before, wrong)
    }

    /// Whether the next byte does not go on with the character.
    fn utf8_breaks(&mut self, states: States, next: Option<Term>) -> Term {
        let Some(byte) = next else { return self.truth(false) };
        let next = self.utf8_step(states, byte);
        let inside = self.utf8_inside(&next);
        let goes_on = self.or(inside, next.boundary);
        self.not(goes_on)
    }

    fn utf8_inside(&mut self, states: &States) -> Term {
        let mut inside = self.truth(false);
        for state in states.inside() {
            inside = self.or(inside, state);
        }
        inside
    }

    fn utf8_start(&mut self) -> States {
        let (yes, no) = (self.truth(true), self.truth(false));
        States {
            boundary: yes,
            one: no,
            two: no,
            three: no,
            after_e0: no,
            after_ed: no,
            after_f0: no,
            after_f4: no,
        }
    }

    /// Whether `state` holds and the byte lies between two others, both included.
    fn utf8_arc(&mut self, state: Term, byte: Term, low: u8, high: u8) -> Term {
        let (low, high) = (self.number(8, u128::from(low)), self.number(8, u128::from(high)));
        let above = self.binary(Op::Ule, low, byte);
        let below = self.binary(Op::Ule, byte, high);
        let within = self.and(above, below);
        self.and(state, within)
    }

    fn utf8_step(&mut self, from: States, byte: Term) -> States {
        let mut any = |arcs: &[(Term, u8, u8)]| {
            let mut sum = self.truth(false);
            for (state, low, high) in arcs {
                let arc = self.utf8_arc(*state, byte, *low, *high);
                sum = self.or(sum, arc);
            }
            sum
        };
        let start = from.boundary;
        States {
            boundary: any(&[(start, 0x00, 0x7f), (from.one, 0x80, 0xbf)]),
            one: any(&[
                (start, 0xc2, 0xdf),
                (from.two, 0x80, 0xbf),
                (from.after_e0, 0xa0, 0xbf),
                (from.after_ed, 0x80, 0x9f),
            ]),
            two: any(&[
                (start, 0xe1, 0xec),
                (start, 0xee, 0xef),
                (from.three, 0x80, 0xbf),
                (from.after_f0, 0x90, 0xbf),
                (from.after_f4, 0x80, 0x8f),
            ]),
            three: any(&[(start, 0xf1, 0xf3)]),
            after_e0: any(&[(start, 0xe0, 0xe0)]),
            after_ed: any(&[(start, 0xed, 0xed)]),
            after_f0: any(&[(start, 0xf0, 0xf0)]),
            after_f4: any(&[(start, 0xf4, 0xf4)]),
        }
    }
}
