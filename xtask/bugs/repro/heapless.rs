//! krate = "heapless"
//! buggy = "0.6.0"
//! fixed = "0.6.1"
//! class = "memory"
//! what = "a clone of Vec's IntoIter clones elements that were already moved out"
//! sequence = "Vec::<_, U2>::new(), push, push, into_iter, next, clone"
//! source = "RUSTSEC-2020-0145"
use heapless::{consts::U2, Vec};
use std::rc::Rc;
#[test]
fn repro() {
    let (a, b) = (Rc::new(1), Rc::new(2));
    let mut v: Vec<Rc<i32>, U2> = Vec::new();
    v.push(a.clone()).unwrap();
    v.push(b.clone()).unwrap();
    let mut it = v.into_iter();
    assert_eq!(it.next(), Some(Rc::new(1)));
    let c = it.clone();
    // Only b is left to be cloned; a was given out and dropped.
    assert_eq!((Rc::strong_count(&a), Rc::strong_count(&b)), (1, 3));
    drop(c);
}
