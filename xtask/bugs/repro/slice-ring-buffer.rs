//! krate = "slice-ring-buffer"
//! buggy = "0.3.4"
//! fixed = ""
//! class = "memory"
//! what = "a clone of IntoIter shares the elements with the original, and both free them"
//! sequence = "from_elem(string, 2), into_iter, clone, drop both"
//! source = "RUSTSEC-2025-0044"
use slice_ring_buffer::SliceRingBuffer;
use std::rc::Rc;
#[test]
fn repro() {
    let one = Rc::new(1);
    let mut d = SliceRingBuffer::new();
    d.push_back(one.clone());
    let it = d.into_iter();
    let other = it.clone();
    assert_eq!(Rc::strong_count(&one), 3, "one here and one in each iterator");
    drop((it, other));
}
