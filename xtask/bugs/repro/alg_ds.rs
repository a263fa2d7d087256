//! krate = "alg_ds"
//! buggy = "0.3.0"
//! fixed = "0.3.2"
//! class = "memory"
//! what = "Matrix::new assigns into freshly allocated memory and so drops uninitialised elements"
//! sequence = "Matrix::<Vec<u8>>::new(2, 2), where the allocation holds old bytes"
//! source = "RUSTSEC-2020-0033"
use alg_ds::ds::matrix::Matrix;
use std::sync::atomic::{AtomicIsize, Ordering::SeqCst};
static LIVE: AtomicIsize = AtomicIsize::new(0);
struct C(u8);
impl Default for C {
    fn default() -> C {
        LIVE.fetch_add(1, SeqCst);
        C(0)
    }
}
impl Clone for C {
    fn clone(&self) -> C {
        LIVE.fetch_add(1, SeqCst);
        C(self.0)
    }
}
impl Drop for C {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, SeqCst);
    }
}
#[test]
fn repro() {
    let m = Matrix::<C>::new(2, 2);
    assert_eq!(LIVE.load(SeqCst), 4, "four elements are alive");
    assert_eq!(m.elements_number(), 4);
    std::mem::forget(m);
}
