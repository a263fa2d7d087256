//! krate = "crop"
//! buggy = "0.4.1"
//! fixed = "0.4.2"
//! class = "panic"
//! what = "line_slice of an empty range at the end of a slice without a last line break panics or never ends"
//! sequence = "Rope::from(\"a\\nb\"), byte_slice(..), line_slice(2..2)"
//! source = "CHANGELOG 0.4.2: fixed a bug that caused RopeSlice::line_slice() to panic or halt forever (#16)"
use crop::Rope;
#[test]
fn repro() {
    let r = Rope::from("a\nb");
    let s = r.byte_slice(..);
    let n = s.line_len();
    assert_eq!(s.line_slice(n..n).to_string(), "");
}
