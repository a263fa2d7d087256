//! krate = "half"
//! buggy = "2.2.1"
//! fixed = "2.3.1"
//! class = "wrong answer"
//! what = "the sum of bf16 values multiplies them"
//! sequence = "[bf16::from_f32(2.0), bf16::from_f32(3.0)].iter().sum::<bf16>()"
//! source = "CHANGELOG 2.3.0: Sum implementation of bf16 incorrectly performed product instead of sum"
use half::bf16;
#[test]
fn repro() {
    let v = [bf16::from_f32(2.0), bf16::from_f32(3.0)];
    assert_eq!(v.iter().sum::<bf16>(), v[0] + v[1]);
}
