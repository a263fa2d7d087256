//! krate = "pathfinding"
//! buggy = "4.14.0"
//! fixed = "4.15.0"
//! class = "panic"
//! what = "asking yen for no path at all panics"
//! sequence = "yen(&0, |n| [(n + 1, 1)], |n| *n == 2, 0)"
//! source = "CHANGELOG 4.15.0: yen k=0 panic"
use pathfinding::prelude::yen;
#[test]
fn repro() {
    let r = yen(&0u8, |n| if *n < 3 { vec![(n + 1, 1u32)] } else { vec![] }, |n| *n == 2, 0);
    assert!(r.is_empty());
}
