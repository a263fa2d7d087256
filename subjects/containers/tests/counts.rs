//! The number of structures of each subject and scope, against published
//! figures, the Java tool on the same domains, and known sequences.

use std::rc::Rc;

use subject_containers::{
    AvTree, BinomialHeap, DisjSet, FibonacciHeap, HashSet, HeapArray, LinkedList, SearchTree,
    SortedList, TreeMap,
};
use testsmith::Korat;
use testsmith::korat::{Calls, Finitization, Search, Shown, brute_force, calls_that_build};

/// The number of structures, the same with and without generators.
fn count<T: Korat>(finitization: Finitization) -> u64 {
    let search = Search::<T>::within(finitization);
    let directed = search.run().count_valid();
    let plain = search.clone().generators(false).run().count_valid();
    assert_eq!(directed, plain, "generators may not change the result");
    directed
}

fn scope<T: Korat>(scope: usize) -> u64 {
    count::<T>(Finitization::new(scope))
}

#[test]
fn search_trees_are_as_many_as_in_the_paper() {
    for (n, inputs) in [(1, 4), (2, 20), (3, 90), (4, 408), (5, 1880), (6, 8772)] {
        assert_eq!(scope::<SearchTree>(n) * n as u64 * 2, inputs, "scope {n}");
    }
}

#[test]
fn search_trees_of_one_size_are_catalan_numbers() {
    for (n, catalan) in [(1, 1), (2, 2), (3, 5), (4, 14), (5, 42), (6, 132)] {
        assert_eq!(
            count::<SearchTree>(Finitization::new(n).field("SearchTree.size", [n])),
            catalan
        );
    }
}

#[test]
fn disjoint_sets_are_as_many_as_in_the_paper() {
    // Two methods with n and n * n arguments.
    for (n, inputs) in [(1, 4), (2, 30), (3, 456), (4, 18280)] {
        assert_eq!(scope::<DisjSet>(n) * (n + n * n) as u64, inputs, "scope {n}");
    }
}

#[test]
fn heaps_in_arrays_are_as_many_as_in_the_paper() {
    for (n, inputs) in [(1, 16), (2, 75), (3, 396), (4, 2240), (5, 15352)] {
        assert_eq!(scope::<HeapArray>(n) * (n as u64 + 3), inputs, "scope {n}");
    }
}

#[test]
fn binomial_heaps_are_as_many_as_in_the_paper() {
    for (n, inputs) in [(1, 12), (2, 54), (3, 336), (4, 1800), (5, 16848), (6, 159_642)] {
        assert_eq!(scope::<BinomialHeap>(n) * 3 * (n as u64 + 1), inputs, "scope {n}");
    }
}

#[test]
fn fibonacci_heaps_are_as_many_as_in_the_paper() {
    for (n, inputs) in [(1, 12), (2, 108), (3, 1632), (4, 34_650), (5, 941_058)] {
        assert_eq!(scope::<FibonacciHeap>(n) * 3 * (n as u64 + 1), inputs, "scope {n}");
    }
}

#[test]
fn tree_maps_are_as_many_as_in_the_paper() {
    for (n, inputs) in [(1, 6), (2, 28), (3, 96), (4, 328), (5, 1150), (6, 3924), (7, 12754)] {
        assert_eq!(scope::<TreeMap>(n) * n as u64 * 2, inputs, "scope {n}");
    }
}

#[test]
fn lists_are_words() {
    // Words of at most n letters out of n.
    for n in 0..5u64 {
        let words: u64 = (0..=n).map(|length| n.pow(length as u32)).sum();
        assert_eq!(scope::<LinkedList>(n as usize), words);
    }
}

/// A list of objects of which only the identity counts, and one more.
#[derive(Korat)]
struct ListAndArgument {
    _elements: Vec<Option<Rc<Object>>>,
    _argument: Option<Rc<Object>>,
}

#[derive(Korat)]
struct List {
    _elements: Vec<Option<Rc<Object>>>,
}

#[derive(Korat)]
struct Object;

#[test]
fn lists_of_objects_are_as_many_as_in_the_paper() {
    // `add` and `remove` take an object, `reverse` takes none.
    for (n, inputs) in [(1, 15), (2, 50), (3, 169), (4, 627), (5, 2584), (6, 11741), (7, 58175)] {
        let with = Search::<ListAndArgument>::new(n).run().count_valid();
        let without = Search::<List>::new(n).run().count_valid();
        assert_eq!(2 * with + without, inputs, "scope {n}");
    }
}

#[test]
fn inputs_of_sorted_lists_are_as_many_as_in_the_paper() {
    // `insert` and `remove` take one of n elements, `sort` any list of them,
    // `merge` two sorted lists that together have less than n.
    for (n, inputs) in [(1, 7), (2, 36), (3, 188), (4, 1066), (5, 7427)] {
        let one = scope::<SortedList>(n) * n as u64;
        let any: u64 = (0..=n).map(|length| (n as u64).pow(length as u32)).sum();
        let lists: Vec<usize> = Search::<SortedList>::new(n).run().map(|list| list.len()).collect();
        let pairs = lists.iter().flat_map(|a| lists.iter().map(move |b| a + b));
        let merged = pairs.filter(|together| *together < n).count() as u64;
        assert_eq!(2 * one + any + merged, inputs, "scope {n}");
    }
}

#[test]
fn sorted_lists_are_multisets() {
    for (n, central_binomial) in [(1, 2), (2, 6), (3, 20), (4, 70), (7, 3432)] {
        assert_eq!(scope::<SortedList>(n), central_binomial);
    }
}

#[test]
fn red_black_trees_of_one_size_are_a_known_sequence() {
    for (n, trees) in [(1, 2), (2, 2), (3, 3), (4, 8), (5, 14), (6, 20), (7, 35)] {
        assert_eq!(count::<TreeMap>(Finitization::new(n).field("TreeMap.size", [n])), trees);
    }
}

/// What isomorphic structures have in common.
fn canonical(shown: &Shown) -> String {
    format!("{:?}", shown.canonical().expect("what is found is a structure"))
}

/// The search finds exactly what brute force over the whole space finds.
fn same_as_brute_force<T: Korat>(finitization: Finitization) {
    let expected = brute_force::<T>(&finitization).expect("a space");
    let mut run = Search::<T>::within(finitization).run();
    let mut found = Vec::new();
    while run.advance() {
        found.push(canonical(&run.current().shown()));
    }
    found.sort_unstable();
    assert!(found.iter().eq(&expected), "{} against {}", found.len(), expected.len());
}

#[test]
fn subjects_are_found_as_by_brute_force() {
    for n in 1..=2 {
        same_as_brute_force::<SearchTree>(Finitization::new(n));
        same_as_brute_force::<TreeMap>(Finitization::new(n));
        same_as_brute_force::<BinomialHeap>(Finitization::new(n));
        same_as_brute_force::<HashSet>(Finitization::new(n));
        same_as_brute_force::<HeapArray>(Finitization::new(n));
        same_as_brute_force::<DisjSet>(Finitization::new(n));
        same_as_brute_force::<LinkedList>(Finitization::new(n));
        same_as_brute_force::<FibonacciHeap>(Finitization::new(n));
        same_as_brute_force::<SortedList>(Finitization::new(n));
    }
    same_as_brute_force::<HeapArray>(Finitization::new(3));
    same_as_brute_force::<HashSet>(Finitization::new(3));
    let one = Finitization::new(1).field("Value.record", [1]);
    same_as_brute_force::<AvTree>(one.clone());
    same_as_brute_force::<AvTree>(one.objects("Attribute", 2));
}

/// Every structure of a scope has public calls that build it.
fn all_are_built_by_calls<T: Korat + Calls>(finitization: Finitization) {
    for structure in Search::<T>::within(finitization.clone()).run() {
        let calls = calls_that_build(&structure, &finitization).expect("a space");
        assert!(calls.is_some_and(|calls| calls.len() <= 4));
    }
}

#[test]
fn public_calls_build_every_tree_and_every_list() {
    all_are_built_by_calls::<SearchTree>(Finitization::new(3));
    all_are_built_by_calls::<LinkedList>(Finitization::new(2));
    all_are_built_by_calls::<SortedList>(Finitization::new(3));
}
