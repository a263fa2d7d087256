//! krate = "twox-hash"
//! buggy = "2.0.0"
//! fixed = "2.0.1"
//! class = "panic"
//! what = "XxHash3_64 of one to three bytes with a large seed overflows in debug builds"
//! sequence = "XxHash3_64::oneshot_with_seed(u64::MAX, b\"a\")"
//! source = "CHANGELOG 2.0.1: Removed a panic that could occur when using XxHash3_64 to hash 1 to 3 bytes"
use twox_hash::XxHash3_64;
#[test]
fn repro() {
    XxHash3_64::oneshot_with_seed(u64::MAX, b"a");
}
