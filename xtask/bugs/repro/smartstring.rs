//! krate = "smartstring"
//! buggy = "0.1.0"
//! fixed = "0.2.0"
//! class = "wrong answer"
//! what = "drain of a string that lives on the heap removes twice as much as it gives out"
//! sequence = "SmartString::<Compact>::from(a text of 26 letters), drain(0..2)"
//! source = "CHANGELOG 0.2.0: Fixed a bug where SmartString::drain() would remove twice the drained content"
use smartstring::{Compact, SmartString};
#[test]
fn repro() {
    let mut s = SmartString::<Compact>::from("abcdefghijklmnopqrstuvwxyz");
    let out: String = s.drain(0..2).collect();
    assert_eq!(out, "ab");
    assert_eq!(s.as_str(), "cdefghijklmnopqrstuvwxyz");
}
