//! krate = "rpds"
//! buggy = "0.6.0"
//! fixed = "0.7.0"
//! class = "panic"
//! what = "dropping a long list recurses once per element and overflows the stack"
//! sequence = "List::new(), push_front_mut x 1,000,000, drop"
//! source = "release notes 0.7.0: Fix bug where dropping long lists would cause a stack overflow (#46)"
use rpds::List;
#[test]
fn repro() {
    let mut l: List<u32> = List::new();
    for i in 0..1_000_000 {
        l.push_front_mut(i);
    }
    assert_eq!(l.len(), 1_000_000);
    drop(l);
}
