//! krate = "kiddo"
//! buggy = "4.2.0"
//! fixed = "4.2.1"
//! class = "wrong answer"
//! what = "nearest_n_within without sorting gives all points within the radius instead of at most n"
//! sequence = "add x 2, nearest_n_within(&query, 10.0, 1, false)"
//! source = "sdd/kiddo issue 168"
use kiddo::{KdTree, SquaredEuclidean};
#[test]
fn repro() {
    let mut t: KdTree<f64, 2> = KdTree::new();
    t.add(&[0.0, 0.0], 1);
    t.add(&[1.0, 0.0], 2);
    t.add(&[2.0, 0.0], 3);
    assert!(t.nearest_n_within::<SquaredEuclidean>(&[0.0, 0.0], 100.0, 1, true).len() <= 1);
    assert!(t.nearest_n_within::<SquaredEuclidean>(&[0.0, 0.0], 100.0, 1, false).len() <= 1);
}
