//! Checkpoints change the work and nothing else: every structure is found
//! after as many candidates as without them, in the same order.

use subject_containers::{
    AvTree, BinomialHeap, DisjSet, FibonacciHeap, HashSet, HeapArray, LinkedList, SearchTree,
    SortedList, TreeMap,
};
use testsmith::Korat;
use testsmith::korat::Search;

/// What is found, each with the number of candidates until then.
fn found<T: Korat>(search: &Search<T>) -> Vec<(Vec<u32>, u64)> {
    let mut run = search.run();
    let mut found = Vec::new();
    while run.advance() {
        found.push((run.current().vector(), run.stats().candidates));
    }
    found.push((Vec::new(), run.stats().candidates));
    found
}

fn check<T: Korat>(scope: usize) {
    for generators in [true, false] {
        for reuse in [true, false] {
            let search = Search::<T>::new(scope).generators(generators).reuse(reuse);
            let search = search.checkpoints(true);
            let with = found(&search);
            assert!(with.len() > 1, "there is a structure in scope {scope}");
            let without = found(&search.clone().checkpoints(false));
            assert!(with == without, "generators {generators}, reuse {reuse}");
            let limit = with.len() as u64 / 2;
            let cut = found(&search.max_candidates(limit));
            assert!(cut.last().is_some_and(|(_, candidates)| *candidates <= limit));
        }
    }
}

#[test]
fn trees_are_found_as_without_checkpoints() {
    check::<SearchTree>(4);
    check::<TreeMap>(4);
    check::<AvTree>(2);
}

#[test]
fn lists_are_found_as_without_checkpoints() {
    check::<LinkedList>(3);
    check::<SortedList>(3);
}

#[test]
fn arrays_and_heaps_are_found_as_without_checkpoints() {
    check::<DisjSet>(3);
    check::<HeapArray>(3);
    check::<HashSet>(3);
    check::<BinomialHeap>(3);
    check::<FibonacciHeap>(3);
}
