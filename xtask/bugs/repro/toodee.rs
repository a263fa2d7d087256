//! krate = "toodee"
//! buggy = "0.2.4"
//! fixed = "0.3.0"
//! class = "memory"
//! what = "insert_row leaves copied elements in reach when the row's iterator panics, and they are dropped twice"
//! sequence = "from_vec(2, 2, ..), insert_row(0, an iterator that panics at its second element), drop"
//! source = "RUSTSEC-2021-0028"
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use toodee::TooDee;
static DROPS: [AtomicUsize; 5] = [const { AtomicUsize::new(0) }; 5];
struct C(usize);
impl Drop for C {
    fn drop(&mut self) {
        DROPS[self.0].fetch_add(1, SeqCst);
    }
}
#[test]
fn repro() {
    let mut t = TooDee::from_vec(2, 2, (0..4).map(C).collect());
    let r = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        t.insert_row(0, (4..6).map(|i| if i == 5 { panic!() } else { C(i) }))
    }));
    assert!(r.is_err());
    drop(t);
    assert!(DROPS.iter().all(|d| d.load(SeqCst) <= 1), "{DROPS:?}");
}
