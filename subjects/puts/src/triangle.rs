//! Classifies a triangle by the lengths of its sides.

/// What kind of triangle three lengths make.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Equilateral,
    Isosceles,
    Scalene,
    Invalid,
}

/// Classifies a triangle.
pub fn classify(a: i32, b: i32, c: i32) -> Kind {
    if a <= 0 || b <= 0 || c <= 0 {
        return Kind::Invalid;
    }
    // Two sides together are longer than the third; a sum that overflows surely is.
    let reaches = |x: i32, y: i32, z: i32| x.checked_add(y).is_none_or(|sum| sum > z);
    if !reaches(a, b, c) || !reaches(a, c, b) || !reaches(b, c, a) {
        return Kind::Invalid;
    }
    if a == b && b == c {
        Kind::Equilateral
    } else if a == b || b == c || a == c {
        Kind::Isosceles
    } else {
        Kind::Scalene
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith::{assume, put};

    #[put]
    fn the_order_of_the_sides_does_not_matter(a: i32, b: i32, c: i32) {
        assert_eq!(classify(a, b, c), classify(b, c, a));
    }

    #[put]
    fn equal_sides_are_equilateral(a: i32) {
        assume!(a > 0);
        assert_eq!(classify(a, a, a), Kind::Equilateral);
    }

    #[put]
    fn a_side_that_is_not_positive_is_invalid(a: i32, b: i32, c: i32) {
        assume!(a <= 0 || b <= 0 || c <= 0);
        assert_eq!(classify(a, b, c), Kind::Invalid);
    }

    #[put]
    fn two_equal_sides_are_not_scalene(a: i32, b: i32) {
        assert_ne!(classify(a, a, b), Kind::Scalene);
    }
}
