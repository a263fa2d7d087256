//! The number of structures of each subject and scope, against published
//! figures and known sequences.

use subject_containers::SearchTree;
use testsmith::korat::Search;

#[test]
fn search_trees_are_as_many_as_in_the_paper() {
    for (scope, inputs) in [(1, 4), (2, 20), (3, 90), (4, 408), (5, 1880), (6, 8772)] {
        for generators in [true, false] {
            let search = Search::<SearchTree>::new(scope).generators(generators);
            let valid = search.run().count_valid();
            assert_eq!(valid * scope as u64 * 2, inputs, "scope {scope}");
        }
    }
}

#[test]
fn every_search_tree_found_is_valid_and_found_once() {
    let mut seen = Vec::new();
    for tree in Search::<SearchTree>::new(4).run() {
        assert!(tree.rep_ok(), "{tree:?}");
        assert!(!seen.contains(&tree), "{tree:?}");
        seen.push(tree);
    }
    assert_eq!(seen.len(), 51);
}
