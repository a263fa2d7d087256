//! krate = "aligned-vec"
//! buggy = "0.6.4"
//! fixed = ""
//! class = "memory"
//! what = "extend_from_slice copies elements bitwise instead of cloning them, and both copies are freed"
//! sequence = "AVec::<Rc<_>>::new(0), extend_from_slice(&[rc])"
//! source = "sarah-quinones/aligned-vec pull request 28"
use aligned_vec::AVec;
use std::rc::Rc;
#[test]
fn repro() {
    let v = vec![Rc::new(1)];
    let mut a: AVec<Rc<i32>> = AVec::new(0);
    a.extend_from_slice(&v);
    assert_eq!(Rc::strong_count(&v[0]), 2);
}
