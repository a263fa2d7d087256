//! krate = "prost-types"
//! buggy = "0.7.0"
//! fixed = "0.8.0"
//! class = "panic"
//! what = "converting an extreme timestamp to a system time overflows in debug builds"
//! sequence = "SystemTime::from(Timestamp { seconds: i64::MAX, nanos: i32::MAX })"
//! source = "RUSTSEC-2021-0073"
use prost_types::Timestamp;
use std::time::SystemTime;
#[test]
fn repro() {
    let t = Timestamp { seconds: i64::MAX, nanos: i32::MAX };
    #[cfg(not(feature = "fixed"))]
    let _ = SystemTime::from(t);
    #[cfg(feature = "fixed")]
    let _ = SystemTime::try_from(t);
}
