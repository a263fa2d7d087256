//! krate = "bytes"
//! buggy = "1.11.0"
//! fixed = "1.11.1"
//! class = "memory"
//! what = "reserve with a huge count overflows in release builds and believes in room that is not there"
//! sequence = "BytesMut::from(\"hello world\"), split_off(5), drop the first half, reserve(usize::MAX - 6), capacity"
//! source = "RUSTSEC-2026-0007"
use bytes::BytesMut;
#[test]
fn repro() {
    let mut a = BytesMut::from(&b"hello world"[..]);
    let mut b = a.split_off(5);
    drop(a);
    let r = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| b.reserve(usize::MAX - 6)));
    assert!(r.is_err(), "capacity {}", b.capacity());
}
