//! Polynomials as lists of terms.

use crate::{Mono, Rat};
use std::cmp::Ordering;

/// Terms in order of falling exponents, none of them zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Poly {
    terms: Vec<Mono>,
}

impl Poly {
    /// The polynomial zero.
    pub fn new() -> Poly {
        Poly::default()
    }

    pub fn terms(&self) -> &[Mono] {
        &self.terms
    }

    /// The sum of this polynomial and one more term.
    ///
    /// # Panics
    /// If a coefficient of the sum does not fit.
    pub fn add(&self, mono: &Mono) -> Poly {
        let mut terms = self.terms.clone();
        let place = terms.binary_search_by(|term| mono.exp().cmp(&term.exp()));
        match place {
            Ok(place) => {
                let sum = terms[place].coeff().add(mono.coeff());
                if sum.is_zero() && !cfg!(feature = "add-keeps-zero") {
                    terms.remove(place);
                } else {
                    terms[place] = Mono::new(sum, mono.exp());
                }
            }
            Err(place) if !mono.coeff().is_zero() => terms.insert(place, *mono),
            Err(_) => {}
        }
        Poly { terms }
    }

    /// The sum of two polynomials.
    ///
    /// # Panics
    /// If a coefficient of the sum does not fit.
    pub fn plus(&self, other: &Poly) -> Poly {
        other.terms.iter().fold(self.clone(), |sum, term| sum.add(term))
    }

    /// The difference of two polynomials.
    ///
    /// # Panics
    /// If a coefficient of the difference does not fit.
    pub fn minus(&self, other: &Poly) -> Poly {
        let zero = Rat::new(0, 1);
        let negative = |term: &Mono| Mono::new(zero.sub(term.coeff()), term.exp());
        other.terms.iter().fold(self.clone(), |rest, term| rest.add(&negative(term)))
    }

    /// Whether the terms are in order and none is zero.
    pub fn rep_ok(&self) -> bool {
        let falls = |pair: &[Mono]| pair[1].exp().cmp(&pair[0].exp()) == Ordering::Less;
        self.terms.windows(2).all(falls) && self.terms.iter().all(|term| !term.coeff().is_zero())
    }
}

impl From<Mono> for Poly {
    /// A zero term is no term.
    fn from(mono: Mono) -> Poly {
        Poly::new().add(&mono)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_put_in_their_places() {
        let term = |num: i32, exp: u32| Mono::new(Rat::new(num, 1), exp);
        let poly = Poly::from(term(2, 3)).add(&term(1, 0)).add(&term(4, 7)).add(&term(1, 3));
        assert_eq!(poly.terms(), [term(4, 7), term(3, 3), term(1, 0)]);
        assert_eq!(poly.plus(&poly).terms(), [term(8, 7), term(6, 3), term(2, 0)]);
        assert_eq!(poly.minus(&Poly::new()), poly);
        assert!(poly.rep_ok());
        assert_eq!(Poly::from(term(0, 3)), Poly::new());
    }
}
