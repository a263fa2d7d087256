//! krate = "skiplist"
//! buggy = "0.2.10"
//! fixed = "0.3.0"
//! class = "wrong answer"
//! what = "two lists that differ in one element only are neither equal nor unequal"
//! sequence = "SkipList [0, 1], SkipList [0, 2], ==, !="
//! source = "CHANGELOG 0.3.0: Fix a bug in PartialEq::ne implementations"
use skiplist::SkipList;
#[test]
fn repro() {
    let a: SkipList<i32> = [0, 1].into_iter().collect();
    let b: SkipList<i32> = [0, 2].into_iter().collect();
    assert_ne!(a == b, a != b);
}
