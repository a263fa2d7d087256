//! krate = "similar"
//! buggy = "2.3.0"
//! fixed = "2.4.0"
//! class = "panic"
//! what = "the LCS diff overflows when the common prefix and the common suffix overlap"
//! sequence = "capture_diff_slices(Lcs, &[1, 1], &[1])"
//! source = "CHANGELOG 2.4.0: Fixed a bug in LCS that caused a panic if the common prefix and the common suffix overlapped (#59)"
use similar::{capture_diff_slices, Algorithm};
#[test]
fn repro() {
    capture_diff_slices(Algorithm::Lcs, &[1, 1], &[1]);
}
