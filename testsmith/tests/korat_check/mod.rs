//! Compares the search with brute force over the same space, with and without
//! generators and reuse, and what is found with what is written down.

use std::collections::BTreeSet;

use testsmith::Korat;
use testsmith::korat::{Finitization, Search, brute_force};

/// The number of structures, after checking that the search finds what brute
/// force finds, each once, and that real values agree.
pub fn check<T: Korat>(finitization: Finitization) -> usize {
    let expected = brute_force::<T>(&finitization).expect("a space");
    for (generators, reuse) in [(true, true), (true, false), (false, true), (false, false)] {
        let search = Search::<T>::within(finitization.clone()).generators(generators).reuse(reuse);
        let mut run = search.run();
        let mut found = BTreeSet::new();
        while run.advance() {
            let canonical = run.current().shown().canonical().expect("a structure");
            let text = format!("{canonical:?}");
            assert!(expected.contains(&text), "not by brute force: {text}");
            assert!(found.insert(text.clone()), "found twice: {text}");
            assert!(run.current().realize().real_rep_ok(), "not valid when real: {text}");
        }
        assert_eq!(run.stats().troubled, 0, "{:?}", run.stats().troubles);
        let missing: Vec<_> = expected.difference(&found).take(3).collect();
        assert!(missing.is_empty(), "missing ({generators} {reuse}): {missing:#?}");
    }
    expected.len()
}
