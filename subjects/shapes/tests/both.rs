//! The same ten structures, the same operations and the same faults, by
//! exhaustive search and by strategies: how much has to be written for each,
//! and whether the fault is found.

mod strategies;

use std::cell::Cell;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use subject_shapes::{
    BTreeNode, Exercise, GenArena, Lru, PriorityStore, RangeMap, Rope, SiblingArena, Slab,
    TrieNode, UnionFind,
};
use testsmith::Korat;
use testsmith::korat::Search;

/// How many inputs a strategy is asked for, as by default.
const CASES: u32 = 256;
/// How many times it is asked, each time with another seed.
const SEEDS: u8 = 20;

/// What came of one structure.
struct Row {
    name: &'static str,
    attributes: usize,
    strategy: usize,
    structures: usize,
    found: bool,
    /// With how many of the seeds the strategy finds the fault.
    seeds: usize,
    /// At which case it does, in the middle one of these.
    case: Option<u32>,
}

/// The lines that make types enumerable: attributes on the types, on their
/// fields and on the block with `rep_ok`.
fn attribute_lines(types: &[&str]) -> usize {
    let sources = [
        include_str!("../src/lists.rs"),
        include_str!("../src/maps.rs"),
        include_str!("../src/tables.rs"),
        include_str!("../src/trees.rs"),
    ];
    let (mut count, mut pending, mut inside) = (0, 0, false);
    for line in sources.iter().flat_map(|source| source.lines()) {
        if line.contains("#[korat") || line.contains("#[derive(Korat") {
            let inside_of_one = line.starts_with(' ') && inside;
            count += usize::from(inside_of_one);
            pending += usize::from(!line.starts_with(' '));
        }
        if ["pub struct ", "pub enum ", "impl"].iter().any(|start| line.starts_with(start)) {
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
            inside = types.iter().any(|ty| words.contains(ty));
            count += if inside { pending } else { 0 };
            pending = 0;
        }
    }
    count
}

/// The lines of the function that builds the strategy.
fn strategy_lines(name: &str) -> usize {
    let source = include_str!("strategies/mod.rs");
    let start = format!("pub fn {name}()");
    let body = source.lines().skip_while(|line| !line.starts_with(&start));
    body.take_while(|line| *line != "}").count() + 1
}

/// Every structure of a scope with every argument: how many structures, and
/// whether some input fails.
fn by_search<T: Korat + Exercise>(scope: usize, faulty: bool) -> (usize, bool) {
    let (mut count, mut failed) = (0, false);
    let mut run = Search::<T>::new(scope).run();
    while run.advance() {
        count += 1;
        for argument in 0..=scope as u8 {
            let value = run.current().realize();
            assert!(value.is_valid());
            let passed = passes(value, argument, faulty);
            assert!(passed || faulty, "{}, {argument}", run.current().shown());
            failed |= !passed;
        }
    }
    assert_eq!(run.stats().troubled, 0, "{:?}", run.stats().troubles);
    (count, failed)
}

/// The number of the case that fails, if one does.
fn by_strategy<T: Exercise + Debug + Clone>(
    strategy: impl Strategy<Value = T>,
    scope: usize,
    faulty: bool,
    seed: u8,
) -> Option<u32> {
    let mut config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    // What fails is not looked at, so it need not be made smaller.
    config.max_shrink_iters = 0;
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let (tried, failed) = (Cell::new(0), Cell::new(None));
    let result = runner.run(&(strategy, 0..=scope as u8), |(value, argument)| {
        assert!(value.is_valid(), "{value:?}");
        tried.set(tried.get() + 1);
        let passed = passes(value, argument, faulty);
        if !passed && failed.get().is_none() {
            failed.set(Some(tried.get()));
        }
        passed.then_some(()).ok_or_else(|| TestCaseError::fail("it panicked"))
    });
    assert_eq!(result.is_err(), failed.get().is_some());
    failed.get()
}

thread_local! {
    static EXERCISING: Cell<bool> = const { Cell::new(false) };
}

/// Panics of exercises are results, not accidents.
fn keep_quiet_about_exercises() {
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !EXERCISING.get() {
            loud(info);
        }
    }));
}

/// Whether a value passes.
fn passes<T: Exercise>(value: T, argument: u8, faulty: bool) -> bool {
    EXERCISING.set(true);
    let result = catch_unwind(AssertUnwindSafe(|| value.exercise(argument, faulty)));
    EXERCISING.set(false);
    result.is_ok()
}

fn row<T: Korat + Exercise + Debug + Clone, S: Strategy<Value = T>>(
    name: &'static str,
    types: &[&str],
    scope: usize,
    strategy: fn() -> S,
) -> Row {
    let (structures, wrong) = by_search::<T>(scope, false);
    assert!(!wrong && structures > 1, "{name}: the search finds a fault where there is none");
    assert_eq!(by_strategy(strategy(), scope, false, 0), None, "{name}: so does the strategy");
    let mut cases: Vec<u32> =
        (0..SEEDS).filter_map(|seed| by_strategy(strategy(), scope, true, seed)).collect();
    cases.sort_unstable();
    Row {
        name,
        attributes: attribute_lines(types),
        strategy: strategy_lines(name),
        structures,
        found: by_search::<T>(scope, true).1,
        seeds: cases.len(),
        case: cases.get(cases.len() / 2).copied(),
    }
}

#[test]
fn exhaustive_search_finds_every_fault_with_less_to_write() {
    use strategies as by;
    keep_quiet_about_exercises();
    let rows = [
        row::<Slab<bool>, _>("slab", &["Slab", "Entry"], 3, by::slab),
        row::<GenArena, _>("gen_arena", &["GenArena", "GenEntry"], 2, by::gen_arena),
        row::<Lru, _>("lru", &["Lru", "LruEntry"], 3, by::lru),
        row::<RangeMap, _>("range_map", &["RangeMap"], 3, by::range_map),
        row::<UnionFind, _>("union_find", &["UnionFind"], 3, by::union_find),
        row::<PriorityStore, _>("priority_store", &["PriorityStore"], 3, by::priority_store),
        row::<SiblingArena, _>(
            "sibling_arena",
            &["SiblingArena", "SiblingNode"],
            3,
            by::sibling_arena,
        ),
        row::<BTreeNode, _>("btree_node", &["BTreeNode"], 4, by::btree_node),
        row::<Rope, _>("rope", &["Rope", "RopeChildren"], 2, by::rope),
        row::<TrieNode, _>("trie_node", &["TrieNode"], 2, by::trie_node),
    ];
    println!(
        "| structure | attribute lines | strategy lines | structures | found | seeds | case |"
    );
    for row in &rows {
        let case = row.case.map_or("none".to_owned(), |case| case.to_string());
        let Row { name, attributes, strategy, structures, found, seeds, .. } = row;
        println!(
            "| {name} | {attributes} | {strategy} | {structures} | {found} | {seeds} | {case} |"
        );
    }
    assert!(rows.iter().all(|row| row.found), "every fault is found by the search");
    assert!(rows.iter().all(|row| row.attributes < row.strategy));
}
