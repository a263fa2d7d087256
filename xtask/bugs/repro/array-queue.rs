//! krate = "array-queue"
//! buggy = "0.3.3"
//! fixed = "0.4.3"
//! class = "memory"
//! what = "pop_back ignores where the ring starts and reads a slot that was moved out or never written"
//! sequence = "push_back(a), push_back(b), pop_front, pop_back"
//! source = "RUSTSEC-2020-0047"
use array_queue::ArrayQueue;
#[cfg(not(feature = "fixed"))]
#[test]
fn repro() {
    let mut q: ArrayQueue<[u64; 2]> = ArrayQueue::new();
    q.push_back(&1).unwrap();
    q.push_back(&2).unwrap();
    assert_eq!(q.pop_front(), Some(1));
    assert_eq!(q.pop_back(), Some(2));
}
#[cfg(feature = "fixed")]
#[test]
fn repro() {
    let mut q: ArrayQueue<u64, 2> = ArrayQueue::new();
    q.push_back(1).unwrap();
    q.push_back(2).unwrap();
    assert_eq!(q.pop_front(), Some(1));
    assert_eq!(q.pop_back(), Some(2));
}
