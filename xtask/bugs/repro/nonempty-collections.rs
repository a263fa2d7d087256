//! krate = "nonempty-collections"
//! buggy = "0.2.9"
//! fixed = "0.3.0"
//! class = "wrong answer"
//! what = "an NEIndexMap equals every map that holds its entries and more"
//! sequence = "NEIndexMap::new(1, 1), another with (2, 2) inserted, =="
//! source = "CHANGELOG 0.3.0: Fixes bug in PartialEq for NEIndexMap"
//! features = ["indexmap"]
use nonempty_collections::index_map::NEIndexMap;
#[test]
fn repro() {
    let a = NEIndexMap::new(1, 1);
    let mut b = NEIndexMap::new(1, 1);
    b.insert(2, 2);
    assert!(b != a);
    assert!(a != b);
}
