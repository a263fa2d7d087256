//! Texts: equal to one, by beginning and length, by what each character is.

use testsmith::{ensures, invariant, pure, requires};

/// Goal: a word of five small letters, two of them known, with the magic around it.
#[requires(word.len() == 18 && word.starts_with("open ") && word.ends_with(", please"))]
#[requires(word.chars().skip(5).take(5).all(|c| c.is_ascii_lowercase()))]
#[requires(word.chars().nth(5) == Some('q') && word.chars().nth(9) == Some('j'))]
#[ensures(ret == 20)]
pub fn spoken(word: &str) -> u8 {
    20
}

/// Goal: a fixed beginning and seventeen digits.
#[requires(code.starts_with("ART-") && code.len() == 21)]
#[requires(code.chars().skip(4).all(|c| c.is_ascii_digit()))]
#[ensures(ret == 21)]
pub fn article(code: &str) -> u8 {
    21
}

/// Goal: thirty-seven digits, none of them 0, with a 7 in the middle.
#[requires(text.len() == 37 && text.chars().all(|c| c.is_ascii_digit() && c != '0'))]
#[requires(text.chars().nth(18) == Some('7'))]
#[ensures(ret == 22)]
pub fn numeric(text: &str) -> u8 {
    22
}

/// Goal: a character at a place, between letters.
#[requires(text.len() == 10 && text.chars().nth(7) == Some('@'))]
#[requires(text.chars().take(7).all(|c| c.is_ascii_lowercase()))]
#[ensures(ret == 23)]
pub fn with_a_sign(text: &str) -> u8 {
    23
}

/// Goal: a longer text that begins with the shorter one, which is seven capitals.
#[requires(left.len() == 7 && left.chars().all(|c| c.is_ascii_uppercase()))]
#[requires(right.len() == left.len() + 3 && right.starts_with(left))]
#[ensures(ret == 24)]
pub fn extended(left: &str, right: &str) -> u8 {
    24
}

/// A badge: six capitals, and how often they were stamped.
#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.text.len() <= 6)]
pub struct Badge {
    text: String,
    stamps: u32,
}

#[invariant]
impl Badge {
    #[ensures(ret.text().is_empty(), ret.stamps() == 0)]
    pub fn new() -> Badge {
        Badge { text: String::new(), stamps: 0 }
    }

    #[pure]
    #[ensures(ret.len() <= 6)]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[pure]
    pub fn stamps(&self) -> u32 {
        self.stamps
    }

    #[requires(text.len() == 6 && text.chars().all(|c| c.is_ascii_uppercase()))]
    #[requires(text != self.text() && self.stamps() < 1000)]
    #[ensures(self.text() == text, self.stamps() == old(self.stamps()) + 1)]
    pub fn stamp(&mut self, text: &str) {
        self.text = text.to_owned();
        self.stamps += 1;
    }

    /// Goal: stamped twice, the last time with a text of a certain beginning.
    #[requires(self.stamps() == 2 && self.text().starts_with("ZX"))]
    #[ensures(ret == 25)]
    pub fn admitted(&self) -> u8 {
        25
    }

    /// Goal: a text made of the one on the badge and a fixed ending.
    #[requires(self.stamps() > 0 && name.len() == 9)]
    #[requires(name.starts_with(self.text()) && name.ends_with("-ok"))]
    #[ensures(ret == 26)]
    pub fn greeted(&self, name: &str) -> u8 {
        26
    }
}

impl Default for Badge {
    fn default() -> Self {
        Badge::new()
    }
}
