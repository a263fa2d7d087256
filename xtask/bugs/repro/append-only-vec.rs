//! krate = "append-only-vec"
//! buggy = "0.1.7"
//! fixed = "0.1.8"
//! class = "hang"
//! what = "push_mut does not count its element, and the next push waits for it for ever"
//! sequence = "new, push_mut(1), push(2)"
//! source = "droundy/append-only-vec pull request 14"
use append_only_vec::AppendOnlyVec;
#[test]
fn repro() {
    let mut v = AppendOnlyVec::new();
    v.push_mut(1);
    v.push(2);
    assert_eq!(v.len(), 2);
}
