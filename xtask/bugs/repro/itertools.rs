//! krate = "itertools"
//! buggy = "0.14.0"
//! fixed = "0.15.0"
//! class = "wrong answer"
//! what = "PadUsing taken from both ends gives more elements than it has, and in the wrong order"
//! sequence = "[0].into_iter().pad_using(3, |i| i), next, next_back, next_back, next_back"
//! source = "CHANGELOG 0.15.0: Fix PadUsing::next_back (#1082)"
use itertools::Itertools;
#[test]
fn repro() {
    let it = || [0usize].into_iter().pad_using(3, |i| i);
    assert_eq!(it().collect_vec(), [0, 1, 2]);
    assert_eq!(it().rev().collect_vec(), [2, 1, 0]);
    let mut a = it();
    let mut seen = vec![];
    seen.extend(a.next());
    seen.extend(a.by_ref().rev());
    assert_eq!(seen, [0, 2, 1]);
}
