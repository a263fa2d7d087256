//! krate = "blart"
//! buggy = "0.4.0"
//! fixed = "0.5.0"
//! class = "wrong answer"
//! what = "prefix of a tree gives entries that do not start with the prefix"
//! sequence = "insert([0, 0]), insert([0, 1]), prefix([1, 0])"
//! source = "declanvk/blart issue 66"
use blart::TreeMap;
#[test]
fn repro() {
    let mut m = TreeMap::<[u8; 2], ()>::new();
    m.insert([0, 0], ());
    m.insert([0, 1], ());
    assert_eq!(m.prefix(&[1, 0]).count(), 0);
}
