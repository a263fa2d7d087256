//! krate = "fastrand"
//! buggy = "1.4.0"
//! fixed = "1.4.1"
//! class = "wrong answer"
//! what = "a random signed integer from a range can lie outside of it"
//! sequence = "Rng::with_seed(7).i8(-100..100)"
//! source = "CHANGELOG 1.4.1: Fix bug when generating a signed integer within a range (#16)"
#[test]
fn repro() {
    let r = fastrand::Rng::with_seed(7);
    for _ in 0..1000 {
        let v = r.i8(-100..100);
        assert!((-100..100).contains(&v), "{v}");
        let v = r.i32(i32::MIN..=1);
        assert!(v <= 1, "{v}");
    }
}
