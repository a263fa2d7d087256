//! krate = "ndarray"
//! buggy = "0.16.0"
//! fixed = "0.16.1"
//! class = "wrong answer"
//! what = "tril with an offset below the matrix keeps elements that lie above the diagonal asked for"
//! sequence = "array![[1, 2], [3, 4]].tril(-2)"
//! source = "RELEASES 0.16.1: Fix infinite recursion and off-by-one error in triu/tril (#1418)"
use ndarray::{array, Array2};
#[test]
fn repro() {
    let a = array![[1, 2], [3, 4]];
    assert_eq!(a.tril(-2), Array2::<i32>::zeros((2, 2)));
}
