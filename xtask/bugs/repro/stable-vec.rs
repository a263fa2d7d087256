//! krate = "stable-vec"
//! buggy = "0.1.2"
//! fixed = "0.3.1"
//! class = "memory"
//! what = "clone of a vector with holes clones values that were already dropped"
//! sequence = "push, push, remove(0), clone"
//! source = "CHANGELOG 0.3.1: Fix memory safety bug in clone()"
use stable_vec::StableVec;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
static DEAD: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
struct C(usize);
impl Clone for C {
    fn clone(&self) -> C {
        assert!(!DEAD[self.0].load(SeqCst), "clone of a dropped value");
        C(self.0)
    }
}
impl Drop for C {
    fn drop(&mut self) {
        DEAD[self.0].store(true, SeqCst);
    }
}
#[test]
fn repro() {
    let mut v = StableVec::new();
    v.push(C(0));
    v.push(C(1));
    v.remove(0);
    let c = v.clone();
    std::mem::forget(v);
    std::mem::forget(c);
}
