//! Fields of ordinary Rust: each kind is enumerated exactly, against brute
//! force over the same space and against values written out by hand in plain
//! loops that know nothing of the search.

mod korat_check;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Instant;

use korat_check::check;
use testsmith::korat::{Finitization, Search};
use testsmith::{Korat, korat};

/// The printed real values of a scope.
fn printed<T: Korat + Debug>(scope: usize) -> BTreeSet<String> {
    Search::<T>::new(scope).run().map(|value| format!("{value:?}")).collect()
}

/// The printed values that plain loops find.
fn by_loops<T: Debug>(values: impl Iterator<Item = T>) -> BTreeSet<String> {
    values.map(|value| format!("{value:?}")).collect()
}

/// Every subset of `0..=most` with at most `len` elements.
fn subsets(most: u8, len: usize) -> Vec<BTreeSet<u8>> {
    let all = 0u32..1 << (most + 1);
    let sets = all.map(|bits| (0..=most).filter(|i| bits >> i & 1 == 1).collect());
    sets.filter(|set: &BTreeSet<u8>| set.len() <= len).collect()
}

#[derive(Korat, Debug)]
#[korat(unconstrained)]
struct Marked<T: Debug + 'static> {
    size: u8,
    kind: PhantomData<T>,
}

#[test]
fn phantom_data_has_one_value() {
    assert_eq!(check::<Marked<String>>(Finitization::new(2)), 3);
}

#[derive(Korat, Debug)]
struct Sets {
    ordered: BTreeSet<u8>,
    #[korat(values = 0..=1)]
    hashed: HashSet<u8>,
}

#[korat]
impl Sets {
    fn rep_ok(&self) -> bool {
        self.hashed.iter().all(|item| self.ordered.contains(item)) && self.ordered.len() < 3
    }
}

#[test]
fn sets_have_every_subset_once() {
    assert_eq!(printed::<BTreeSet<u8>>(3), by_loops(subsets(3, 3).into_iter()));
    let hashed: Vec<HashSet<u8>> = Search::<HashSet<u8>>::new(3).run().collect();
    assert_eq!(hashed.len(), subsets(3, 3).len());
    let expected = subsets(2, 2).into_iter().map(|ordered| {
        let within = subsets(1, 2).into_iter().filter(|hashed| hashed.is_subset(&ordered));
        within.count()
    });
    assert_eq!(check::<Sets>(Finitization::new(2)), expected.sum());
}

/// Keys that are structures themselves, and values that own something.
#[derive(Korat, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Clone)]
struct Key {
    low: u8,
    high: u8,
}

#[korat]
impl Key {
    fn rep_ok(&self) -> bool {
        self.low <= self.high
    }
}

#[derive(Korat, Debug)]
struct Maps {
    ordered: BTreeMap<Key, Option<Box<u8>>>,
    hashed: HashMap<Key, bool>,
}

#[korat]
impl Maps {
    fn rep_ok(&self) -> bool {
        self.ordered.len() == 1
            && self.ordered.keys().all(|key| !self.hashed.contains_key(key))
            && self.hashed.values().all(|value| *value)
            && self.ordered.values().next().is_some()
    }
}

#[test]
fn maps_have_every_choice_of_keys_and_values_once() {
    // Three keys; one has a value (none, 0, 1), the other map one or none of
    // the other two.
    assert_eq!(check::<Maps>(Finitization::new(1)), 3 * 3 * (1 + 2));
    let maps = printed::<BTreeMap<u8, bool>>(1);
    let key_values = [None, Some(false), Some(true)];
    let pairs = key_values.iter().flat_map(|a| key_values.iter().map(move |b| (*a, *b)));
    let pairs = pairs.filter(|(a, b)| a.is_none() || b.is_none());
    let map = |(a, b): (Option<bool>, Option<bool>)| {
        a.map(|v| (0u8, v)).into_iter().chain(b.map(|v| (1u8, v))).collect::<BTreeMap<u8, bool>>()
    };
    assert_eq!(maps, by_loops(pairs.map(map)));
}

#[derive(Korat, Debug)]
struct Shared {
    first: Arc<Leaf>,
    second: Option<Arc<Leaf>>,
    guarded: Mutex<u8>,
    watched: RwLock<bool>,
    name: Rc<str>,
}

#[derive(Korat, Debug)]
#[korat(unconstrained)]
struct Leaf {
    value: bool,
}

#[korat]
impl Shared {
    fn rep_ok(&self) -> bool {
        let same = self.second.as_ref().is_some_and(|second| Arc::ptr_eq(second, &self.first));
        *self.guarded.lock().unwrap() == u8::from(same)
            && *self.watched.read().unwrap() == self.first.value
            && self.name.len() == 1
    }
}

#[test]
fn arcs_alias_and_locks_hold_their_contents() {
    // The second is none, the same, or another of two; each leaf is one of two;
    // the name is `a` or `b`.
    assert_eq!(check::<Shared>(Finitization::new(2)), (2 + 2 + 2 * 2) * 2);
}

#[derive(Korat, Debug)]
struct Outcomes {
    plain: Result<u8, bool>,
    pointed: Result<Option<Box<u8>>, &'static str>,
    nested: Result<Key, ()>,
}

#[korat]
impl Outcomes {
    fn rep_ok(&self) -> bool {
        match &self.plain {
            Ok(value) => *value > 0 && self.pointed.is_ok(),
            Err(flag) => *flag == self.nested.is_err(),
        }
    }
}

#[test]
fn results_have_the_values_of_both_sides() {
    // Pointed: none, a box of two, or one of three texts; nested: one of three
    // pairs or the error.
    let good = 3 * 4;
    let bad = (3 + 3) * (1 + 3);
    assert_eq!(check::<Outcomes>(Finitization::new(1)), good + bad);
}

#[derive(Korat, Debug)]
struct Measures {
    #[korat(values = [0.0, -1.5, f64::NAN, f64::INFINITY])]
    wide: f64,
    #[korat(values = [0.5, 2.0])]
    narrow: f32,
    #[korat(values = ["metre", "mile"])]
    unit: &'static str,
    slice: Box<[bool]>,
    text: Box<str>,
}

#[korat]
impl Measures {
    fn rep_ok(&self) -> bool {
        (self.wide.is_nan() || self.wide <= f64::from(self.narrow))
            && self.unit.starts_with('m')
            && self.slice.len() + self.text.len() == 1
    }
}

#[test]
fn floats_and_texts_come_from_the_given_list() {
    // Three values of the wide fit both narrow ones; infinity fits none.
    assert_eq!(check::<Measures>(Finitization::new(1)), 3 * 2 * 2 * (2 + 2));
}

#[derive(Korat, Debug)]
struct Unlisted {
    share: f32,
}

#[test]
fn floats_without_a_list_are_an_error_that_says_so() {
    let Err(error) = Search::<Unlisted>::new(1).try_run() else { panic!("a float has values") };
    assert_eq!(
        error.to_string(),
        "`Unlisted.share` is a float, of which no scope says which values to try; list them: \
         `#[korat(values = [..])]`, or say `#[korat(skip)]` or `#[korat(default = ..)]`"
    );
}

/// Not enumerable at all.
#[derive(Debug, Default)]
struct Cache {
    hits: u64,
}

impl Cache {
    fn is_cold(&self) -> bool {
        self.hits == 0
    }
}

#[derive(Korat, Debug)]
struct Cached {
    size: u8,
    #[korat(skip)]
    cache: Cache,
    #[korat(default = Instant::now())]
    made: Instant,
    #[korat(default = 7)]
    lucky: u8,
}

#[korat]
impl Cached {
    fn rep_ok(&self) -> bool {
        self.size < self.lucky && self.cache.is_cold() && self.made <= Instant::now()
    }
}

#[test]
fn skipped_fields_are_the_same_in_every_structure() {
    assert_eq!(check::<Cached>(Finitization::new(9)), 7);
    assert!(Search::<Cached>::new(2).run().all(|cached| cached.lucky == 7));
}

/// A tree without pointers: each node has its children in itself.
#[derive(Korat, Debug)]
struct Rose {
    children: Vec<Self>,
    mark: bool,
}

#[korat]
impl Rose {
    fn rep_ok(&self) -> bool {
        self.mark == self.children.is_empty() && self.children.iter().all(Rose::rep_ok)
    }
}

/// The ordered trees with so many nodes, by their recurrence.
fn ordered_trees(nodes: usize) -> usize {
    let forests = |nodes| ordered_forests(nodes);
    if nodes == 0 { 0 } else { forests(nodes - 1) }
}

fn ordered_forests(nodes: usize) -> usize {
    if nodes == 0 {
        return 1;
    }
    (1..=nodes).map(|first| ordered_trees(first) * ordered_forests(nodes - first)).sum()
}

#[test]
fn vectors_of_the_type_itself_are_trees() {
    let trees = |most: usize| (1..=most + 1).map(ordered_trees).sum::<usize>();
    assert_eq!(check::<Rose>(Finitization::new(1)), trees(1));
    for scope in 2..=6 {
        assert_eq!(Search::<Rose>::new(scope).run().count(), trees(scope));
    }
}

/// Two types that contain each other, one of them an enum with named fields.
#[derive(Korat, Debug, Clone, PartialEq)]
enum Json {
    Null,
    List(Vec<Json>),
    Table { entries: Vec<Pair> },
}

#[derive(Korat, Debug, Clone, PartialEq)]
struct Pair {
    #[korat(values = [1])]
    key: u8,
    value: Json,
}

#[korat]
impl Json {
    fn rep_ok(&self) -> bool {
        match self {
            Json::Null => true,
            Json::List(items) => items.iter().all(Json::rep_ok),
            Json::Table { entries } => entries.len() < 2 && entries.iter().all(Pair::fits),
        }
    }
}

#[korat]
impl Pair {
    fn fits(&self) -> bool {
        self.value.rep_ok()
    }
}

#[test]
fn types_may_contain_each_other() {
    check::<Json>(Finitization::new(1));
    let bounds = Finitization::new(2);
    let found = by_loops(Search::<Json>::within(bounds.clone()).run());
    assert_eq!(Search::<Json>::within(bounds).run().count(), found.len());
    for text in ["Null", "List([])", "Table { entries: [] }", "List([Null, List([])])"] {
        assert!(found.contains(text), "{text} is missing in {found:#?}");
    }
}

/// A word tree: each node keeps its branches in a map in itself.
#[derive(Korat, Debug)]
struct Trie {
    #[korat(values = ['a', 'b'])]
    branches: BTreeMap<char, Trie>,
    word: bool,
}

#[korat]
impl Trie {
    fn rep_ok(&self) -> bool {
        (self.word || !self.branches.is_empty()) && self.branches.values().all(Trie::rep_ok)
    }
}

#[test]
fn maps_to_the_type_itself_are_trees() {
    // Alone: a word. With one branch of two letters: the end is a word, the
    // root may be one.
    assert_eq!(check::<Trie>(Finitization::new(1)), 1 + 2 * 2);
}

/// Bounds of the type are bounds of its predicate.
#[derive(Korat, Debug)]
struct Sorted<T: Ord + Clone, const N: usize>
where
    T: Debug,
{
    items: Vec<T>,
    ends: [T; N],
    least: Option<Box<Self>>,
}

#[korat]
impl<T: Ord + Clone + Debug, const N: usize> Sorted<T, N> {
    const MOST: usize = 2;

    fn rep_ok(&self) -> bool {
        let mut sorted: Vec<T> = self.items.to_vec();
        sorted.sort();
        sorted == self.items
            && self.items.len() <= Self::MOST
            && self.ends.iter().all(|end| self.items.contains(end))
            && self.least.is_none()
    }
}

#[test]
fn bounded_generics_are_enumerated_for_each_argument() {
    // Sorted lists of at most two of 0..=1, and an end that is in it.
    assert_eq!(check::<Sorted<u8, 1>>(Finitization::new(1).len("Sorted.items", 0..=2)), 1 + 1 + 4);
    // With three keys of two numbers.
    assert_eq!(check::<Sorted<Key, 0>>(Finitization::new(1)), 1 + 3);
}
