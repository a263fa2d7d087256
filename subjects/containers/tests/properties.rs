//! What each container promises, checked on every structure of a scope: by
//! model, by algebra, and with `rep_ok` after every change. The same promises
//! must be broken by every seeded fault.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use subject_containers::faults::with_fault;
use subject_containers::{
    AvTree, BinomialHeap, DisjSet, FibonacciHeap, HashSet, HeapArray, LinkedList, SearchTree,
    SortedList, TreeMap,
};
use testsmith::korat::{Finitization, Search};
use testsmith::{Korat, korat_test};

#[korat_test(scope = 5, info = 0..=6)]
fn a_search_tree_is_a_set(tree: SearchTree, info: i32) {
    search_tree((tree, info));
}

fn search_tree((mut tree, info): (SearchTree, i32)) {
    let mut model: BTreeSet<i32> = tree.elements().into_iter().collect();
    let had = model.contains(&info);
    assert_eq!(tree.contains(info), had);
    let mut other = tree.clone();
    assert_eq!(tree.add(info), model.insert(info));
    assert!(tree.rep_ok(), "after add");
    assert!(tree.elements().iter().eq(&model), "elements after add");
    assert_eq!(other.remove(info), had);
    model.remove(&info);
    assert!(other.rep_ok(), "after remove");
    assert!(other.elements().iter().eq(&model), "elements after remove");
}

#[korat_test(scope = 4, a = 0..4, b = 0..4)]
fn union_joins_two_sets_and_no_more(sets: DisjSet, a: usize, b: usize) {
    disj_set((sets, a, b));
}

fn disj_set((mut sets, a, b): (DisjSet, usize, usize)) {
    if a >= sets.len() || b >= sets.len() {
        return;
    }
    let before = sets.clone();
    let (root_a, root_b) = (sets.root(a), sets.root(b));
    assert_eq!(sets.find(a), root_a);
    assert!((0..sets.len()).all(|e| sets.root(e) == before.root(e)), "find moves nothing");
    let mut found = before.clone();
    found.find(a);
    found.find(b);
    sets.union(a, b);
    if root_a == root_b {
        assert_eq!(sets, found, "joining a set with itself");
    }
    for x in 0..sets.len() {
        for y in 0..sets.len() {
            let joined = |e: usize| [root_a, root_b].contains(&before.root(e));
            let together = before.root(x) == before.root(y) || (joined(x) && joined(y));
            assert_eq!(sets.root(x) == sets.root(y), together, "{x} and {y}");
        }
    }
    assert!(sets.rep_ok(), "after union");
}

#[korat_test(scope = 4)]
fn a_heap_in_an_array_gives_the_greatest(heap: HeapArray, element: u8) {
    heap_array((heap, element));
}

fn heap_array((mut heap, element): (HeapArray, u8)) {
    let sorted = |heap: &HeapArray| {
        let mut elements = heap.elements().to_vec();
        elements.sort_unstable();
        elements
    };
    let mut model = sorted(&heap);
    let mut other = heap.clone();
    assert_eq!(other.extract_max(), model.last().copied());
    assert!(other.rep_ok(), "after extract");
    assert_eq!(sorted(&other), model[..model.len().saturating_sub(1)]);
    heap.insert(element.into());
    assert!(heap.rep_ok(), "after insert");
    model.push(element.into());
    model.sort_unstable();
    assert_eq!(sorted(&heap), model);
}

#[korat_test(scope = 4)]
fn a_binomial_heap_gives_the_least(heap: BinomialHeap, key: u8) {
    binomial_heap((heap, key));
}

fn binomial_heap((mut heap, key): (BinomialHeap, u8)) {
    let key = i32::from(key);
    let keys = heap.keys();
    let mut other = heap.clone();
    assert_eq!(other.extract_min(), keys.first().copied());
    assert!(other.rep_ok(), "after extract");
    assert_eq!(other.keys(), keys[keys.len().min(1)..]);
    let mut all = [keys.clone(), other.keys()].concat();
    all.sort_unstable();
    let mut both = heap.clone();
    both.union(other);
    assert!(both.rep_ok(), "after union");
    assert_eq!(both.keys(), all);
    assert_eq!(heap.delete(key), keys.contains(&key));
    assert!(heap.rep_ok(), "after delete");
    heap.insert(key);
    assert!(heap.rep_ok(), "after insert");
    assert_eq!(heap.keys().len(), keys.len() + usize::from(!keys.contains(&key)));
}

#[korat_test(scope = 4)]
fn a_fibonacci_heap_gives_the_least(heap: FibonacciHeap, key: u8) {
    fibonacci_heap((heap, key));
}

fn fibonacci_heap((mut heap, key): (FibonacciHeap, u8)) {
    let key = i32::from(key);
    let keys = heap.keys();
    let mut other = heap.clone();
    assert_eq!(other.extract_min(), keys.first().copied());
    assert!(other.rep_ok(), "after extract");
    assert_eq!(other.keys(), keys[keys.len().min(1)..]);
    let mut all = [keys.clone(), other.keys()].concat();
    all.sort_unstable();
    let mut both = other;
    both.union(heap.clone());
    assert!(both.rep_ok(), "after union");
    assert_eq!(both.keys(), all);
    assert_eq!(heap.delete(key), keys.contains(&key));
    assert!(heap.rep_ok(), "after delete");
    heap.insert(key);
    assert!(heap.rep_ok(), "after insert");
    assert_eq!(heap.find_min(), heap.keys().first().copied());
}

#[korat_test(scope = 4, element = 0..4)]
fn a_linked_list_is_a_vector(list: LinkedList, element: i32) {
    linked_list((list, element));
}

fn linked_list((mut list, element): (LinkedList, i32)) {
    let mut model = list.elements();
    list.add(element);
    model.push(element);
    assert!(list.rep_ok(), "after add");
    assert_eq!(list.elements(), model);
    list.reverse();
    model.reverse();
    assert!(list.rep_ok(), "after reverse");
    assert_eq!(list.elements(), model);
    let last = *model.last().expect("one was added");
    let first = model.iter().position(|other| *other == last).expect("it is there");
    assert!(list.remove(last));
    model.remove(first);
    assert!(list.rep_ok(), "after remove");
    assert_eq!(list.elements(), model);
}

#[korat_test(scope = 4, element = 0..=5)]
fn a_sorted_list_stays_sorted(list: SortedList, element: i32) {
    sorted_list((list, element));
}

fn sorted_list((mut list, element): (SortedList, i32)) {
    let mut model = list.elements();
    let reversed: Vec<i32> = model.iter().rev().copied().collect();
    assert_eq!(SortedList::sort(&reversed).elements(), model, "sort");
    let mut both = list.clone();
    both.merge(&list);
    assert!(both.rep_ok(), "after merge");
    assert_eq!(both.len(), 2 * list.len());
    let had = model.contains(&element);
    let mut other = list.clone();
    assert_eq!(other.remove(element), had);
    assert!(other.rep_ok(), "after remove");
    list.insert(element);
    model.push(element);
    model.sort_unstable();
    assert!(list.rep_ok(), "after insert");
    assert_eq!(list.elements(), model);
}

#[korat_test(scope = 6)]
fn a_tree_map_is_a_map(map: TreeMap, key: u8) {
    tree_map((map, key));
}

fn tree_map((mut map, key): (TreeMap, u8)) {
    let key = i32::from(key);
    let mut model: BTreeMap<i32, i32> = map.entries().into_iter().collect();
    let mut other = map.clone();
    assert_eq!(map.put(key, 7), model.insert(key, 7));
    assert!(map.rep_ok(), "after put");
    assert!(map.entries().into_iter().eq(model.clone()));
    let had = other.get(key);
    assert_eq!(other.remove(key), had);
    assert!(other.rep_ok(), "after remove");
    model.remove(&key);
    assert!(other.entries().into_iter().eq(model));
}

#[korat_test(scope = 4)]
fn a_hash_set_is_a_set(set: HashSet, key: u8) {
    hash_set((set, key));
}

fn hash_set((mut set, key): (HashSet, u8)) {
    let key = i32::from(key);
    let mut model: BTreeSet<i32> = set.elements().into_iter().collect();
    assert_eq!(set.contains(key), model.contains(&key));
    let mut other = set.clone();
    assert_eq!(other.remove(key), model.contains(&key));
    assert!(other.rep_ok(), "after remove");
    assert_eq!(set.add(key), model.insert(key));
    assert!(set.rep_ok(), "after add");
    assert!(set.elements().iter().eq(&model));
    model.remove(&key);
    assert!(other.elements().iter().eq(&model));
}

#[korat_test(scope = 2)]
fn a_lookup_finds_what_the_query_describes(names: AvTree, query: AvTree) {
    av_tree((names, query));
}

fn av_tree((names, query): (AvTree, AvTree)) {
    assert_eq!(names.lookup(&query), model_lookup(&names.plain(), &query.plain()));
}

type Plain = [(u8, Vec<(u8, Option<u8>, subject_containers::PlainBelow)>)];

fn model_records(tree: &Plain) -> BTreeSet<u8> {
    let values = tree.iter().flat_map(|(_, values)| values);
    values
        .flat_map(|(_, record, below)| {
            let mut all = model_records(&below.0);
            all.extend(*record);
            all
        })
        .collect()
}

fn model_lookup(tree: &Plain, query: &Plain) -> BTreeSet<u8> {
    let mut found = model_records(tree);
    for (name, values) in tree {
        let Some((_, wanted)) = query.iter().find(|(asked, _)| asked == name) else { continue };
        let mut answers = BTreeSet::new();
        for (value, record, below) in values {
            for (_, _, ask) in wanted.iter().filter(|(w, _, _)| *w == 0 || w == value) {
                answers.extend(*record);
                answers.extend(model_lookup(&below.0, &ask.0));
            }
        }
        found.retain(|record| answers.contains(record));
    }
    found
}

/// Asserts that the property holds without faults and breaks with each.
fn detects<T: Korat>(finitization: Finitization, property: fn(T), faults: &[&'static str]) {
    assert!(faults.len() >= 5, "at least five faults per subject");
    for fault in faults {
        let mut run = Search::<T>::within(finitization.clone()).run();
        let found = run.any(|input| {
            let fails = || with_fault(fault, || property(input));
            catch_unwind(AssertUnwindSafe(fails)).is_err()
        });
        assert!(found, "`{fault}` is not detected");
    }
}

#[test]
fn faults_in_search_trees_are_detected_in_scope_5() {
    detects(
        Finitization::new(5),
        search_tree,
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
fn faults_in_disjoint_sets_are_detected_in_scope_4() {
    detects(
        Finitization::new(4),
        disj_set,
        &[
            "disj_set: find the parent",
            "disj_set: compress to itself",
            "disj_set: rank of the same set grows",
            "disj_set: high under low",
            "disj_set: equal rank stays",
        ],
    );
}

#[test]
fn faults_in_heap_arrays_are_detected_in_scope_4() {
    detects(
        Finitization::new(4),
        heap_array,
        &[
            "heap_array: no growth",
            "heap_array: no sift up",
            "heap_array: wrong last",
            "heap_array: one sift up",
            "heap_array: left child only",
            "heap_array: no sift down",
        ],
    );
}

#[test]
fn faults_in_binomial_heaps_are_detected_in_scope_4() {
    detects(
        Finitization::new(4),
        binomial_heap,
        &[
            "binomial_heap: insert forgets",
            "binomial_heap: union counts one",
            "binomial_heap: extract the first",
            "binomial_heap: a child lost",
            "binomial_heap: join ignores keys",
        ],
    );
}

#[test]
fn faults_in_fibonacci_heaps_are_detected_in_scope_4() {
    detects(
        Finitization::new(4),
        fibonacci_heap,
        &[
            "fibonacci_heap: union size",
            "fibonacci_heap: union min",
            "fibonacci_heap: children lost",
            "fibonacci_heap: cut keeps the degree",
            "fibonacci_heap: join ignores keys",
        ],
    );
}

#[test]
fn faults_in_linked_lists_are_detected_in_scope_3() {
    detects(
        Finitization::new(3),
        linked_list,
        &[
            "linked_list: no way back",
            "linked_list: add after the header",
            "linked_list: remove the last equal",
            "linked_list: remove keeps the size",
            "linked_list: reverse all but one",
        ],
    );
}

#[test]
fn faults_in_sorted_lists_are_detected_in_scope_4() {
    detects(
        Finitization::new(4),
        sorted_list,
        &[
            "sorted_list: sort skips one",
            "sorted_list: insert at the front",
            "sorted_list: insert without a way back",
            "sorted_list: merge drops equal",
            "sorted_list: moved entry forgotten",
        ],
    );
}

#[test]
fn faults_in_tree_maps_are_detected_in_scope_6() {
    detects(
        Finitization::new(6),
        tree_map,
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
fn faults_in_hash_sets_are_detected_in_scope_6() {
    detects(
        Finitization::new(6),
        hash_set,
        &[
            "hash_set: only the first",
            "hash_set: grows late",
            "hash_set: rehash keeps places",
            "hash_set: remove cuts the chain",
            "hash_set: remove keeps the size",
        ],
    );
}

#[test]
fn faults_in_intentional_names_are_detected_in_scope_3() {
    detects(
        Finitization::new(3),
        av_tree,
        &[
            "av_tree: extract stops at the first level",
            "av_tree: one attribute is enough",
            "av_tree: no value stands for any",
            "av_tree: below is not asked",
            "av_tree: the first value wins",
        ],
    );
}
