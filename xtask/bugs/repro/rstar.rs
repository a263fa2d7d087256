//! krate = "rstar"
//! buggy = "0.13.0"
//! fixed = "0.14.0"
//! class = "panic"
//! what = "a tree loaded at once from 25 elements has leaves on different levels, and a later insertion panics"
//! sequence = "RTree::bulk_load(25 scattered points), insert x 6"
//! source = "CHANGELOG 0.14.0: Fixed bulk_load building trees with leaves on different levels (#256)"
use rstar::RTree;
#[test]
fn repro() {
    let mut t = RTree::bulk_load((0..25).map(|i| [i as f64, (i * 7 % 25) as f64]).collect());
    for i in 0..6 {
        t.insert([(i * 13 % 101) as f64 / 4.0, (i * 29 % 103) as f64 / 4.0]);
    }
    assert_eq!(t.iter().count(), 31);
}
