//! krate = "thin-vec"
//! buggy = "0.2.15"
//! fixed = "0.2.16"
//! class = "memory"
//! what = "clear drops elements again when the drop of one of them panics"
//! sequence = "push x 2, clear (the first element's drop panics), drop"
//! source = "RELEASES 0.2.16: Fix two double-drop issues with ThinVec::clear() and ThinVec::into_iter()"
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use thin_vec::ThinVec;
static DROPS: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];
struct C(usize);
impl Drop for C {
    fn drop(&mut self) {
        if DROPS[self.0].fetch_add(1, SeqCst) == 0 && self.0 == 0 {
            panic!("first drop");
        }
    }
}
#[test]
fn repro() {
    let mut v = ThinVec::new();
    v.push(C(0));
    v.push(C(1));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| v.clear())).is_err());
    drop(v);
    assert!(DROPS.iter().all(|d| d.load(SeqCst) == 1), "{DROPS:?}");
}
