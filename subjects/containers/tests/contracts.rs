//! The contracts of the containers by themselves: what they notice of the
//! seeded faults when nothing else is asserted, and that they let every legal
//! call pass.

use subject_containers::faults::with_fault;
use subject_containers::{AvTree, HashSet, HeapArray, SearchTree, TreeMap};
use testsmith::Korat;
use testsmith::contracts::{Kind, violation_of};
use testsmith::korat::{Finitization, Search};

/// Asserts that no call breaks a contract without a fault, and that with each
/// of these faults some call breaks one.
fn notices<T: Korat>(scope: usize, calls: fn(T), faults: &[&'static str]) {
    let breaks = |fault: &'static str| {
        let mut run = Search::<T>::within(Finitization::new(scope)).run();
        run.any(|input| violation_of(|| with_fault(fault, || calls(input))).is_some())
    };
    assert!(!breaks(""), "the contracts refuse what is sound");
    for fault in faults {
        assert!(breaks(fault), "`{fault}` breaks no contract");
    }
}

#[test]
fn the_contracts_of_a_search_tree_notice_its_faults() {
    let calls = |tree: SearchTree| {
        for info in 0..=5 {
            tree.contains(info);
            tree.clone().add(info);
            tree.clone().remove(info);
        }
    };
    notices(
        4,
        calls,
        &[
            "search_tree: add keeps the size",
            "search_tree: add on the wrong side",
            "search_tree: removed element stays",
            "search_tree: left of the greatest lost",
            "search_tree: remove keeps the size",
        ],
    );
}

#[test]
fn the_contracts_of_a_tree_map_notice_its_faults() {
    let calls = |map: TreeMap| {
        for key in 0..6 {
            map.get(key);
            map.clone().put(key, 1);
            map.clone().remove(key);
        }
    };
    notices(
        6,
        calls,
        &[
            "tree_map: value not replaced",
            "tree_map: rotation drops a subtree",
            "tree_map: no balance on insert",
            "tree_map: child stays red",
            "tree_map: no balance on remove",
            "tree_map: colour lost",
        ],
    );
}

#[test]
fn the_contracts_of_a_hash_set_notice_its_faults() {
    let calls = |set: HashSet| {
        for key in 0..5 {
            set.contains(key);
            set.clone().add(key);
            set.clone().remove(key);
        }
    };
    notices(
        5,
        calls,
        &[
            "hash_set: only the first",
            "hash_set: grows late",
            "hash_set: rehash keeps places",
            "hash_set: remove cuts the chain",
            "hash_set: remove keeps the size",
        ],
    );
    let violation = violation_of(|| HashSet::new().add(-1)).expect("it is refused");
    assert_eq!((violation.kind, violation.depth), (Kind::Requires, 0));
}

#[test]
fn the_contracts_of_a_heap_notice_its_faults() {
    let calls = |heap: HeapArray| {
        heap.clone().extract_max();
        for element in 0..=4 {
            heap.clone().insert(element);
        }
    };
    // One that does not grow panics by itself, before any promise is due.
    notices(
        4,
        calls,
        &[
            "heap_array: no sift up",
            "heap_array: wrong last",
            "heap_array: one sift up",
            "heap_array: left child only",
            "heap_array: no sift down",
        ],
    );
}

/// What a lookup means is not in its contract, only its bounds; its faults are
/// for the properties to notice.
#[test]
fn the_contracts_of_intentional_names_let_every_lookup_pass() {
    let calls = |tree: AvTree| {
        tree.lookup(&tree);
        tree.lookup(&AvTree::default());
    };
    notices(2, calls, &[]);
}
