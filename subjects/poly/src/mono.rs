//! Terms of a polynomial.

use crate::Rat;

/// A coefficient and the exponent of the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mono {
    coeff: Rat,
    exp: u32,
}

impl Mono {
    pub fn new(coeff: Rat, exp: u32) -> Mono {
        Mono { coeff, exp }
    }

    pub fn coeff(&self) -> &Rat {
        &self.coeff
    }

    pub fn exp(&self) -> u32 {
        self.exp
    }
}
