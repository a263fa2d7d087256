//! krate = "http"
//! buggy = "0.1.19"
//! fixed = "0.1.20"
//! class = "hang"
//! what = "HeaderMap::reserve with a huge count overflows to a table of size 0 and probes for ever (release; debug panics by overflow in both)"
//! sequence = "insert, reserve(usize::MAX - 8)"
//! source = "RUSTSEC-2019-0033"
use http::header::{HeaderMap, HeaderValue, HOST};
#[test]
fn repro() {
    let mut m = HeaderMap::new();
    m.insert(HOST, HeaderValue::from_static("x"));
    // A panic is a fine answer to this; never returning is not.
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| m.reserve(usize::MAX - 8)));
}
