//! krate = "glam"
//! buggy = "0.32.0"
//! fixed = "0.32.1"
//! class = "wrong answer"
//! what = "a number divided by a matrix divides the matrix by the number"
//! sequence = "1.0 / Mat2::from_diagonal(vec2(2.0, 2.0))"
//! source = "CHANGELOG 0.32.1: Fixed the implementation of dividing a scalar value by a matrix"
use glam::{vec2, Mat2};
#[test]
fn repro() {
    let m = Mat2::from_cols(vec2(2.0, 4.0), vec2(4.0, 2.0));
    assert_eq!(1.0 / m, Mat2::from_cols(vec2(0.5, 0.25), vec2(0.25, 0.5)));
}
