//! krate = "stack"
//! buggy = "0.3.0"
//! fixed = "0.3.1"
//! class = "memory"
//! what = "ArrayVec::insert does not check the index and writes beyond the elements"
//! sequence = "ArrayVec::<[u64; 4]>::new(), insert(2, 7)"
//! source = "RUSTSEC-2020-0042"
use stack::{ArrayVec, Vector};
#[test]
fn repro() {
    let mut v: ArrayVec<[u64; 4]> = ArrayVec::new();
    let r = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| v.insert(2, 7)));
    // The element beyond the end must be refused; what was accepted must be there.
    assert!(r.is_err() || v[0] == 7, "{:?}", &v[..]);
    std::mem::forget(v);
}
