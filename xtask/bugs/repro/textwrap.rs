//! krate = "textwrap"
//! buggy = "0.14.0"
//! fixed = "0.14.2"
//! class = "panic"
//! what = "text with a terminal escape before letters that are not ASCII is sliced inside a character"
//! sequence = "wrap(\"\\u{1b}[0mää b\", 10)"
//! source = "CHANGELOG 0.14.1: Fix panic in find_words due to string access outside of a character boundary (#391)"
#[test]
fn repro() {
    assert_eq!(textwrap::wrap("\u{1b}[0mää b", 10), ["\u{1b}[0mää b"]);
}
