//! krate = "string-interner"
//! buggy = "0.3.3"
//! fixed = "0.7.1"
//! class = "memory"
//! what = "a cloned interner still points into the strings of the original and reads them after they are freed"
//! sequence = "get_or_intern, clone, drop the original, get"
//! source = "RUSTSEC-2019-0023"
use string_interner::StringInterner;
#[test]
fn repro() {
    let text = "a text of thirty-two characters.";
    let mut a = StringInterner::<usize>::new();
    let s = a.get_or_intern(text.to_string());
    let b = a.clone();
    drop(a);
    let filler: Vec<String> = (0..16).map(|_| "z".repeat(32)).collect();
    assert_eq!(b.get(text), Some(s));
    drop(filler);
}
