//! How far a type keeps a convention.
//!
//! A convention rests on names: `len` need not be about what `keys` yields. So it has to
//! earn its place on each type, by holding for nearly all of many different values.
//! What a trait promises needs no support.

/// How many different values a claim was asked about, and what came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Support {
    pub held: usize,
    pub broken: usize,
}

/// A convention that holds for fewer different values has not been seen to hold.
const LEAST: usize = 8;
/// Of so many different values it may fail for one.
const ONE_IN: usize = 4;

impl Support {
    pub fn all(self) -> usize {
        self.held + self.broken
    }

    /// Whether the type keeps the convention but for a few values.
    pub fn is_earned(self) -> bool {
        self.held >= LEAST && self.broken * ONE_IN <= self.all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_convention_is_earned_by_nearly_all_of_many_values() {
        let earned = |held, broken| Support { held, broken }.is_earned();
        assert!(earned(8, 0) && earned(8, 2) && earned(60, 4));
        assert!(!earned(7, 0), "too few");
        assert!(!earned(8, 3) && !earned(0, 64), "too often broken");
    }
}
