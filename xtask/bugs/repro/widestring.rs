//! krate = "widestring"
//! buggy = "1.2.0"
//! fixed = "1.2.1"
//! class = "panic"
//! what = "U16String::insert_char always panics"
//! sequence = "U16String::from(\"b\"), insert_char(0, 'a')"
//! source = "CHANGELOG 1.2.1: Fixed completely broken U16String::insert_char which always panicked"
use widestring::U16String;
#[test]
fn repro() {
    let mut s = U16String::from("b");
    s.insert_char(0, 'a');
    assert_eq!(s.to_string().unwrap(), "ab");
}
