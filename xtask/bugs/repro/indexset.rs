//! krate = "indexset"
//! buggy = "0.14.0"
//! fixed = "0.15.0"
//! class = "wrong answer"
//! what = "BTreeMap::get_mut of a key that is not there gives the value of the next key"
//! sequence = "insert(2, 20), get_mut(&1)"
//! source = "CHANGELOG 0.15.0: get_mut sometimes returns the wrong value"
use indexset::BTreeMap;
#[test]
fn repro() {
    let mut m = BTreeMap::new();
    m.insert(2, 20);
    assert_eq!(m.get(&1), None);
    assert_eq!(m.get_mut(&1), None);
}
