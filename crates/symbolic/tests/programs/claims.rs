//! Programs whose claims rest on something, or on nothing after all.
#![allow(clippy::all)]

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};
use std::sync::atomic::{AtomicU8, Ordering};

mod harness;
use harness::Input;

static COUNT: AtomicU8 = AtomicU8::new(0);
static SCRATCH: AtomicU8 = AtomicU8::new(0);
static SWITCH: AtomicU8 = AtomicU8::new(0);

/// Equal by the low bits of a hash.
struct ByHash(u8);
impl PartialEq for ByHash {
    fn eq(&self, other: &ByHash) -> bool {
        let state = RandomState::new();
        state.hash_one(self.0) & 7 == state.hash_one(other.0) & 7
    }
}
impl Eq for ByHash {}
impl Hash for ByHash {
    fn hash<H: Hasher>(&self, state: &mut H) { state.write_u8(0) }
}

/// Tells when it is dropped, cloned or hashed.
struct Telling<'a>(&'a RefCell<Vec<u8>>, u8);
impl Drop for Telling<'_> {
    fn drop(&mut self) { self.0.borrow_mut().push(self.1) }
}
impl Clone for Telling<'_> {
    fn clone(&self) -> Self { self.0.borrow_mut().push(self.1); Telling(self.0, self.1) }
}
impl PartialEq for Telling<'_> {
    fn eq(&self, other: &Self) -> bool { self.1 == other.1 }
}
impl Eq for Telling<'_> {}
impl Hash for Telling<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) { self.0.borrow_mut().push(self.1); state.write_u8(self.1) }
}

#[derive(Default)]
struct Plain(u64);
impl Hasher for Plain {
    fn finish(&self) -> u64 { self.0 }
    fn write(&mut self, bytes: &[u8]) { for b in bytes { self.0 = self.0 * 31 + u64::from(*b) } }
}

programs! {
    equal_by_hash(input) {
        let set: HashSet<ByHash> = [ByHash(input.u8()), ByHash(input.u8())].into();
        assert!(set.len() == 1);
        0
    }
    hash_picks(input) {
        let table = [1u8, 1, 1, 2, 1, 1, 1, 1];
        let hash = RandomState::new().hash_one(input.u8());
        assert!(table[(hash & 7) as usize] == 1);
        0
    }
    drop_order(input) {
        let (x, notes) = (input.u8(), RefCell::new(vec![]));
        let map: HashMap<u8, Telling> = [(x, Telling(&notes, 1)), (!x, Telling(&notes, 2))].into();
        drop(map);
        assert!(notes.borrow()[0] == 1);
        0
    }
    clear_order(input) {
        let (x, notes) = (input.u8(), RefCell::new(vec![]));
        let mut map: HashMap<u8, Telling> = [(x, Telling(&notes, 1)), (!x, Telling(&notes, 2))].into();
        map.clear();
        assert!(notes.borrow()[0] == 1);
        0
    }
    clone_order(input) {
        let (x, notes) = (input.u8(), RefCell::new(vec![]));
        let map: HashMap<u8, Telling> = [(x, Telling(&notes, 1)), (!x, Telling(&notes, 2))].into();
        let copy = map.clone();
        assert!(notes.borrow()[0] == 1 && copy.len() == 2);
        0
    }
    rehash_order(input) {
        let (x, notes) = (input.u8(), RefCell::new(vec![]));
        let mut set: HashSet<Telling> = [Telling(&notes, x), Telling(&notes, !x)].into();
        notes.borrow_mut().clear();
        set.reserve(100);
        assert!(notes.borrow()[0] == x);
        0
    }
    orders_of_two(input) {
        let (x, state) = (input.u8(), RandomState::new());
        let mut a = HashSet::with_hasher(state.clone());
        let mut b = HashSet::with_capacity_and_hasher(50, state);
        for k in [x, !x] { a.insert(k); }
        for k in [!x, x] { b.insert(k); }
        assert!(a.iter().eq(b.iter()));
        0
    }
    order_after_growth(input) {
        let x = input.u8();
        let mut set: HashSet<u8> = [x, !x].into();
        let before: Vec<u8> = set.iter().copied().collect();
        set.reserve(50);
        let after: Vec<u8> = set.iter().copied().collect();
        assert!(before == after);
        0
    }
    same_order_twice(input) {
        let (x, y) = (input.u8(), input.u8());
        let set: HashSet<u8> = [x, y].into();
        assert!(set.iter().eq(set.iter()));
        0
    }
    order_free(input) {
        let (x, y, z) = (input.u8(), input.u8(), input.u8());
        let map: HashMap<u8, u8> = [(x, 1), (y, 1), (z, 1)].into();
        let sum: u8 = map.values().sum();
        let mut keys: Vec<u8> = map.keys().copied().collect();
        keys.sort();
        let tree: BTreeMap<u8, u8> = [(x, 1), (y, 1), (z, 1)].into();
        assert!(usize::from(sum) == tree.len() && keys.iter().eq(tree.keys()));
        0
    }
    set_algebra(input) {
        let (x, y) = (input.u8(), input.u8());
        let (a, b): (HashSet<u8>, HashSet<u8>) = ([x, y].into(), [y, x].into());
        assert!(a == b && a.is_subset(&b) && a.iter().all(|v| b.contains(v)));
        0
    }
    owned_text_dropped(input) {
        let x = input.u8();
        let map: HashMap<u8, String> = [(x, "a".to_string()), (!x, "b".to_string())].into();
        let copy = map.clone();
        drop(map);
        assert!(copy[&x] == "a");
        0
    }
    order_of_its_own(input) {
        let x = input.u8() & 3;
        let mut set: HashSet<u8, BuildHasherDefault<Plain>> = HashSet::default();
        set.extend([x, x + 4]);
        let list: Vec<u8> = set.iter().copied().collect();
        assert!(list.len() == 2 && list[0] != list[1]);
        0
    }
    masked_address(input) {
        let boxed = Box::new(input.u8());
        assert!(&raw const *boxed as usize & 0xff0 != 0x120);
        0
    }
    distance_between(input) {
        let (a, b) = (Box::new(input.u8()), Box::new(2u8));
        assert!((&raw const *a as usize).abs_diff(&raw const *b as usize) != 64);
        0
    }
    moved_by_growth(input) {
        let mut list = vec![input.u8()];
        let before = list.as_ptr();
        list.reserve(1000);
        assert!(before != list.as_ptr());
        0
    }
    shown_address(input) {
        let boxed = Box::new(input.u8());
        assert!(format!("{boxed:p}") != "0x1234");
        0
    }
    place_in_a_list(input) {
        let at = usize::from(input.u8() & 7);
        let list = [1u32, 2, 3, 4, 5, 6, 7, 8];
        let (start, here) = (list.as_ptr() as usize, &raw const list[at] as usize);
        assert!((here - start) / 4 == at && here >= start && here % 4 == 0);
        0
    }
    tagged_pointer(input) {
        let boxed = Box::new(u64::from(input.u8()));
        let tagged = &raw const *boxed as usize | 5;
        assert!(tagged & 7 == 5);
        let pointer = (tagged & !7) as *const u64;
        assert!(unsafe { *pointer } == *boxed);
        0
    }
    apart(input) {
        let (a, b) = (Box::new(input.u8()), Box::new(1u8));
        assert!(&raw const *a != &raw const *b && &raw const *a as usize != &raw const *b as usize);
        0
    }
    counted(input) {
        let seen = COUNT.fetch_add(input.u8() & 1, Ordering::Relaxed);
        assert!(seen == 0);
        0
    }
    scratched(input) {
        let x = input.u8();
        SCRATCH.store(x, Ordering::Relaxed);
        assert!(SCRATCH.load(Ordering::Relaxed) == x);
        0
    }
    switched(input) {
        if input.u8() == 7 { SWITCH.store(1, Ordering::Relaxed) } else { assert!(SWITCH.load(Ordering::Relaxed) == 0) }
        0
    }
    arguments(input) {
        let _ = input.u8();
        assert!(std::env::args().next().is_none());
        0
    }
    sum(input) {
        assert!(input.u8() < 255 || input.0.is_empty());
        0
    }
}
