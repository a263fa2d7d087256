//! Rational numbers in lowest terms.

/// A number `num / den`, always reduced, with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rat {
    num: i64,
    den: i64,
}

impl Rat {
    /// # Panics
    /// If the denominator is zero.
    pub fn new(num: i32, den: i32) -> Rat {
        Rat::reduced(num.into(), den.into())
    }

    fn reduced(num: i64, den: i64) -> Rat {
        assert!(den != 0, "a denominator is not zero");
        let (mut a, mut b) = (num, den);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let sign = if (a < 0) == (den < 0) { 1 } else { -1 };
        Rat { num: num / a * sign, den: den / a * sign }
    }

    pub fn num(&self) -> i64 {
        self.num
    }

    pub fn den(&self) -> i64 {
        self.den
    }

    pub fn is_zero(&self) -> bool {
        self.num == 0
    }

    /// The nearest floating-point number.
    pub fn approx(&self) -> f64 {
        self.num as f64 / self.den as f64
    }

    /// # Panics
    /// If numerator or denominator of the sum do not fit.
    pub fn add(&self, other: &Rat) -> Rat {
        let product = |a: i64, b: i64| a.checked_mul(b).expect("the sum fits");
        let left = product(self.num, other.den);
        let right = product(other.num, self.den);
        let num = left.checked_add(right).expect("the sum fits");
        Rat::reduced(num, product(self.den, other.den))
    }

    /// # Panics
    /// If numerator or denominator of the difference do not fit.
    pub fn sub(&self, other: &Rat) -> Rat {
        let num = other.num.checked_neg().expect("the difference fits");
        self.add(&Rat { num, den: other.den })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_equal_is_reduced_to_the_same() {
        assert_eq!(Rat::new(2, -4), Rat::new(-1, 2));
        assert_eq!(Rat::new(-2, -4), Rat::new(1, 2));
        assert_eq!(Rat::new(0, -7), Rat::new(0, 1));
        assert_eq!(Rat::new(1, 2).add(&Rat::new(1, 3)), Rat::new(5, 6));
        assert_eq!(Rat::new(1, 2).sub(&Rat::new(1, 3)), Rat::new(1, 6));
        assert_eq!(Rat::new(1, 4).approx(), 0.25);
        assert_eq!((Rat::new(1, -4).num(), Rat::new(1, -4).den()), (-1, 4));
    }
}
