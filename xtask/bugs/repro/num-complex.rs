//! krate = "num-complex"
//! buggy = "0.4.3"
//! fixed = "0.4.4"
//! class = "wrong answer"
//! what = "zero to the power of a complex number is NaN"
//! sequence = "Complex::new(0.0, 0.0).powc(Complex::new(1.0, 0.0))"
//! source = "RELEASES 0.4.4: Fixes NaN value for powc of zero (#116)"
use num_complex::Complex;
#[test]
fn repro() {
    let z = Complex::new(0.0f64, 0.0);
    let one = Complex::new(1.0, 0.0);
    assert_eq!(z.powc(one), z);
    assert_eq!(z.powc(Complex::new(2.0, 1.0)), z);
}
