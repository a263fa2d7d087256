//! krate = "jumprope"
//! buggy = "0.3.0"
//! fixed = "0.3.1"
//! class = "panic"
//! what = "slice_chars skips bytes for characters and panics inside a character on text that is not ASCII"
//! sequence = "JumpRope::from(\"áb\"), slice_chars(1..2)"
//! source = "CHANGELOG 0.3.1: Fixed a few critical bugs in iterator code which caused slice_chars() to return incorrect results or crash"
use jumprope::JumpRope;
#[test]
fn repro() {
    let r = JumpRope::from("áb");
    let s: String = r.slice_chars(1..2).collect();
    assert_eq!(s, "b");
}
