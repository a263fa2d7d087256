//! krate = "weak-table"
//! buggy = "0.3.2"
//! fixed = "0.4.0"
//! class = "wrong answer"
//! what = "retain skips the element that moves into a freed slot and so keeps what it was told to remove"
//! sequence = "WeakKeyHashMap::new(), insert x 8, retain(|_, _| false), len"
//! source = "CHANGELOG 0.4.0: retain() and remove_expired() no longer skip elements (#22)"
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::{Rc, Weak};
use weak_table::WeakKeyHashMap;
#[derive(Default)]
struct One;
impl Hasher for One {
    fn finish(&self) -> u64 {
        0
    }
    fn write(&mut self, _: &[u8]) {}
}
#[test]
fn repro() {
    let keys: Vec<Rc<u32>> = (0..6).map(Rc::new).collect();
    let mut m: WeakKeyHashMap<Weak<u32>, u32, BuildHasherDefault<One>> = WeakKeyHashMap::with_hasher(Default::default());
    for k in &keys {
        m.insert(k.clone(), **k);
    }
    m.retain(|_, _| false);
    assert_eq!(m.len(), 0);
}
