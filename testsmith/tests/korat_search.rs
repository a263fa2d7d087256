//! The search as a whole: switches, limits, resuming, threads, arenas, bounds
//! on predicates, and the errors of impossible spaces.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use std::rc::Rc;

use testsmith::korat::{
    Finitization, FinitizeError, Outcome, Search, State, Stats, Stop, calls_that_build,
};
use testsmith::{Korat, korat, korat_test, requires};

#[derive(Korat, Debug, Clone, PartialEq)]
struct Tree {
    root: Option<Box<Node>>,
    size: usize,
}

#[derive(Korat, Debug, Clone, PartialEq)]
struct Node {
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
    #[korat(values = 1..=scope)]
    info: i32,
}

#[korat]
impl Tree {
    fn rep_ok(&self) -> bool {
        Self::count(&self.root) == self.size && Self::ordered(&self.root, None, None)
    }

    fn count(link: &Option<Box<Node>>) -> usize {
        link.as_ref().map_or(0, |node| 1 + Self::count(&node.left) + Self::count(&node.right))
    }

    fn ordered(link: &Option<Box<Node>>, low: Option<i32>, high: Option<i32>) -> bool {
        let Some(node) = link else { return true };
        low.is_none_or(|low| low < node.info)
            && high.is_none_or(|high| node.info < high)
            && Self::ordered(&node.left, low, Some(node.info))
            && Self::ordered(&node.right, Some(node.info), high)
    }

    fn insert(&mut self, info: i32) {
        let mut link = &mut self.root;
        while let Some(node) = link {
            if info == node.info {
                return;
            }
            link = if info < node.info { &mut node.left } else { &mut node.right };
        }
        *link = Some(Box::new(Node { left: None, right: None, info }));
        self.size += 1;
    }

    fn insert_without_counting(&mut self, info: i32) {
        let size = self.size;
        self.insert(info);
        self.size = size;
    }
}

fn all(search: &Search<Tree>) -> Vec<String> {
    search.run().map(|tree| format!("{tree:?}")).collect()
}

#[test]
fn switches_change_the_work_and_not_the_result() {
    let search = Search::<Tree>::new(2);
    let found: BTreeSet<String> = all(&search).into_iter().collect();
    assert_eq!(found.len(), 5);
    let candidates = |search: &Search<Tree>| {
        let mut run = search.run();
        run.count_valid();
        run.stats().candidates
    };
    let unpruned = search.clone().pruning(false);
    assert_eq!(all(&unpruned).into_iter().collect::<BTreeSet<_>>(), found);
    assert!(candidates(&unpruned) > candidates(&search));
    let isomorphic = search.clone().isomorphism(false);
    assert_eq!(all(&isomorphic).into_iter().collect::<BTreeSet<_>>(), found);
    assert!(all(&isomorphic).len() > found.len(), "isomorphic ones come several times");
}

#[test]
fn a_search_stops_at_its_limits_and_goes_on_from_its_state() {
    let search = Search::<Tree>::new(4);
    let expected = all(&search);
    for step in [1, 7, 20] {
        let mut found = Vec::new();
        let mut next = search.clone().max_valid(step);
        loop {
            let mut run = next.run();
            found.extend(run.by_ref().map(|tree| format!("{tree:?}")));
            if run.outcome() == Outcome::Complete {
                break;
            }
            assert_eq!(run.outcome(), Outcome::Stopped(Stop::Valid));
            let printed = run.state().to_string();
            let state: State = printed.parse().expect("what was printed can be read");
            assert_eq!(state, run.state());
            next = search.clone().max_valid(step).resume(state);
        }
        assert_eq!(found, expected, "in steps of {step}");
    }
    let mut run = search.clone().max_candidates(10).run();
    run.count_valid();
    assert_eq!(run.outcome(), Outcome::Stopped(Stop::Candidates));
    assert_eq!(run.stats().candidates, 10);
    assert!("nonsense".parse::<State>().is_err());
}

#[test]
fn a_search_without_time_stops_at_once_and_loses_nothing() {
    let search = Search::<Tree>::new(3);
    let mut run = search.clone().time_limit(Duration::ZERO).run();
    assert_eq!(run.by_ref().count(), 0);
    assert_eq!(run.outcome(), Outcome::Stopped(Stop::Time));
    assert_eq!(all(&search.clone().resume(run.state())), all(&search));
}

#[test]
fn a_long_search_reports_its_progress() {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&reports);
    let report = move |stats: &Stats| kept.lock().unwrap().push(stats.candidates + stats.inferred);
    let mut run = Search::<Tree>::new(5).progress(1000, report).run();
    run.count_valid();
    let steps = run.stats().candidates + run.stats().inferred;
    let reports = reports.lock().unwrap();
    assert_eq!(reports.len() as u64, steps / 1000, "{reports:?}");
    assert!(reports.is_sorted() && reports[0] >= 1000, "{reports:?}");
}

/// Nobody looks at the digits, so one candidate stands for all numbers.
#[derive(Korat)]
struct Number {
    #[korat(values = 0..10)]
    _digits: [u8; 5],
}

#[test]
fn limits_and_threads_reach_into_what_one_candidate_stands_for() {
    let search = Search::<Number>::new(0);
    let mut run = search.clone().max_valid(70_000).run();
    assert_eq!(run.count_valid(), 70_000);
    assert_eq!(run.outcome(), Outcome::Stopped(Stop::Valid));
    assert_eq!(run.stats().candidates, 1);
    assert_eq!(search.clone().resume(run.state()).run().count_valid(), 30_000);
    let (stats, outcome) = search.par_for_each(2, |_| ()).expect("a space");
    assert_eq!((stats.valid, outcome), (100_000, Outcome::Complete));
}

#[test]
fn threads_find_the_same_structures() {
    let search = Search::<Tree>::new(4);
    let expected: BTreeSet<String> = all(&search).into_iter().collect();
    for threads in [1, 2, 4] {
        let found = Mutex::new(Vec::new());
        let (stats, outcome) = search
            .par_for_each(threads, |candidate| {
                found.lock().unwrap().push(format!("{:?}", candidate.realize()));
            })
            .expect("a space");
        assert_eq!(outcome, Outcome::Complete);
        let found = found.into_inner().unwrap();
        assert_eq!(found.len() as u64, stats.valid, "none twice");
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{threads} threads");
    }
}

/// A ring of slots, in an arena.
#[derive(Korat, Debug, Clone, PartialEq, Eq)]
struct Arena {
    #[korat(index(slots))]
    first: Option<usize>,
    #[korat(arena)]
    slots: Vec<Slot>,
}

#[derive(Korat, Debug, Clone, PartialEq, Eq)]
struct Slot {
    #[korat(index(slots))]
    next: Option<usize>,
    #[korat(index(slots))]
    other: usize,
    #[korat(values = 0..=1)]
    mark: u8,
}

#[korat]
impl Arena {
    fn rep_ok(&self) -> bool {
        let Some(first) = self.first else { return true };
        let slot = &self.slots[first];
        slot.mark == 1 && slot.next != Some(first) && self.slots.len() != 1
    }
}

/// The canonical form of an arena: slots renumbered as they are reached.
fn canonical(arena: &Arena) -> Option<Arena> {
    let mut order: Vec<usize> = arena.first.into_iter().collect();
    let mut at = 0;
    while at < order.len() {
        let slot = arena.slots.get(order[at])?;
        for to in slot.next.into_iter().chain([slot.other]) {
            if !order.contains(&to) {
                order.push(to);
            }
        }
        at += 1;
    }
    let new = |old: usize| order.iter().position(|o| *o == old).expect("reached");
    let slots = order.iter().map(|old| {
        let Slot { next, other, mark } = arena.slots[*old].clone();
        Slot { next: next.map(new), other: new(other), mark }
    });
    (order.len() == arena.slots.len())
        .then(|| Arena { first: arena.first.map(new), slots: slots.collect() })
}

#[test]
fn arenas_have_every_shape_once_and_no_garbage() {
    for scope in 0..=2usize {
        let mut expected = Vec::new();
        let links = |len: usize| (0..len).map(Some).chain([None]);
        for len in 0..=scope {
            let slots: Vec<Slot> = links(len)
                .flat_map(|next| (0..len).map(move |other| (next, other)))
                .flat_map(|(next, other)| [0, 1].map(|mark| Slot { next, other, mark }))
                .collect();
            for first in links(len) {
                let mut lists = vec![Vec::new()];
                for _ in 0..len {
                    lists = lists
                        .into_iter()
                        .flat_map(|list: Vec<Slot>| {
                            slots.iter().map(move |s| [list.clone(), vec![s.clone()]].concat())
                        })
                        .collect();
                }
                for slots in lists {
                    if let Some(arena) = canonical(&Arena { first, slots })
                        && arena.rep_ok()
                        && !expected.contains(&arena)
                    {
                        expected.push(arena);
                    }
                }
            }
        }
        let found: Vec<Arena> = Search::<Arena>::new(scope).run().collect();
        assert_eq!(found.len(), expected.len(), "scope {scope}");
        for arena in &found {
            let arena = canonical(arena).expect("no garbage");
            assert!(expected.contains(&arena), "{arena:?}");
        }
    }
}

#[derive(Korat)]
struct Naughty {
    kind: u8,
    #[korat(values = [0])]
    zero: u8,
}

#[korat]
impl Naughty {
    fn rep_ok(&self) -> bool {
        match self.kind {
            0 => true,
            1 => self.spin(),
            2 => self.fall(0) > 0,
            _ => 1 / self.zero > 0,
        }
    }

    fn spin(&self) -> bool {
        loop {
            if self.zero == 1 {
                return true;
            }
        }
    }

    fn fall(&self, depth: usize) -> usize {
        if self.zero == 0 { self.fall(depth + 1) + depth } else { depth }
    }
}

#[test]
fn a_predicate_that_does_not_return_is_reported_for_its_candidate() {
    let mut run = Search::<Naughty>::new(3).run();
    assert_eq!(run.by_ref().count(), 1);
    assert_eq!(run.stats().troubled, 3);
    let what: Vec<&str> = run.stats().troubles.iter().map(|t| t.what.as_str()).collect();
    assert!(what[0].contains("did not end"), "{what:?}");
    assert!(what[1].contains("recursed without bound"), "{what:?}");
    assert!(what[2].contains("divide by zero"), "{what:?}");
    assert!(run.stats().troubles[0].candidate.contains("kind=1"));
}

#[test]
fn impossible_spaces_are_clear_errors() {
    let error = |finitization| Search::<Tree>::within(finitization).try_run().err();
    let empty: [i32; 0] = [];
    assert_eq!(
        error(Finitization::new(2).field("Node.info", empty)),
        Some(FinitizeError::EmptyDomain { field: "Node.info".to_owned() })
    );
    let unknown = error(Finitization::new(2).field("Node.inf", [1])).expect("an error");
    assert!(unknown.to_string().contains("there are: Tree.root, "), "{unknown}");
    let wrong = error(Finitization::new(2).field("Tree.size", [-1])).expect("an error");
    assert!(wrong.to_string().contains("`Tree.size` cannot be -1"), "{wrong}");
    #[derive(Korat)]
    struct Holder {
        _inside: Box<Node>,
    }
    let none = Finitization::new(1).objects("Node", 0);
    let none = Search::<Holder>::within(none).try_run().err().expect("an error");
    assert!(none.to_string().contains("at least 1 objects of `Node`"), "{none}");
}

#[test]
fn the_skeleton_names_every_field_and_its_domain() {
    let skeleton = Search::<Tree>::new(3).skeleton().expect("a space");
    assert!(skeleton.contains("Tree.root: none or a fresh one of 3 Node"), "{skeleton}");
    assert!(skeleton.contains("Node.info: 3 values"), "{skeleton}");
}

#[test]
fn structures_are_shown_as_pictures_graphs_and_rust() {
    let mut run = Search::<Tree>::new(2).run();
    while run.advance() {
        if run.current().realize().size == 2 {
            break;
        }
    }
    let shown = run.current().shown();
    assert_eq!(
        shown.picture(),
        "Tree size=2\n`- root: Node left=- info=1\n   `- right: Node left=- right=- info=2\n"
    );
    assert!(shown.graphviz().contains("root -> n0 [label=\"root\"]"), "{}", shown.graphviz());
    let rust = shown.rust().expect("boxes have an expression");
    assert!(rust.starts_with("Tree { root: Some(Box::new(Node { left: None, "), "{rust}");
    let rebuilt = Tree {
        root: Some(Box::new(Node {
            left: None,
            right: Some(Box::new(Node { left: None, right: None, info: 2 })),
            info: 1,
        })),
        size: 2,
    };
    assert_eq!(run.current().realize(), rebuilt);
}

#[korat(calls)]
impl Tree {
    pub fn new() -> Self {
        Tree { root: None, size: 0 }
    }

    pub fn add(&mut self, info: i32) {
        self.insert(info);
    }

    pub fn add_all(&mut self, infos: &[i32]) {
        infos.iter().for_each(|info| self.insert(*info));
    }
}

#[test]
fn every_structure_that_the_api_can_build_has_a_call_sequence() {
    let finitization = Finitization::new(3);
    for tree in Search::<Tree>::new(3).run() {
        let calls = calls_that_build(&tree, &finitization).expect("a space");
        let calls = calls.expect("calls build every tree");
        // One call adds up to three elements.
        assert_eq!(calls.len(), 1 + usize::from(tree.size > 0), "{tree:?}: {calls:?}");
    }
    let invalid = Tree { root: None, size: 1 };
    assert_eq!(calls_that_build(&invalid, &finitization), Ok(None));
}

#[korat_test(scope = 3)]
#[should_panic(expected = "public calls that build tree:\n    let mut tree = Tree::new();\n    \
                           tree.add_all(&[1, 2]);\n")]
fn the_calls_that_build_a_counterexample_are_shown(tree: Tree) {
    assert!(tree.size < 2);
}

#[korat_test(scope = 3, white_box)]
#[should_panic(expected = "let mut tree = Tree::new();\n    tree.add_all(&[1, 2]);\n")]
fn the_calls_that_build_a_counterexample_are_shown_for_white_box_tests_too(tree: Tree) {
    assert!(tree.size < 2);
}

/// A counter whose public calls never make it odd.
#[derive(Korat)]
#[korat(unconstrained)]
struct Even {
    count: u8,
}

#[korat(calls)]
impl Even {
    pub fn new() -> Self {
        Even { count: 0 }
    }

    pub fn add(&mut self, pairs: u8) {
        assert!(pairs != 1, "never one alone");
        self.count = self.count.saturating_add(2 * pairs);
    }
}

#[korat_test(scope = 3)]
#[should_panic(expected = "no public calls found that build even")]
fn what_public_calls_do_not_reach_is_said(even: Even) {
    assert!(even.count != 3);
}

#[korat_test(scope = 3, info = 0..=4)]
fn inserting_keeps_the_invariant(mut tree: Tree, info: i32) {
    tree.insert(info);
    assert!(tree.rep_ok());
}

#[korat_test(scope = 3, info = 0..=4)]
#[should_panic(
    expected = "smallest counterexample (input 1):\n  tree = Tree root=- size=0\n  info = 0"
)]
fn the_smallest_counterexample_is_shown(mut tree: Tree, info: i32) {
    tree.insert_without_counting(info);
    assert!(tree.rep_ok());
}

#[korat_test(scope = 2, info = 0..=1)]
#[should_panic(expected = "it overflowed the stack")]
fn an_overflow_of_the_stack_is_put_down_to_its_input(tree: Tree, info: i32) {
    fn dive(depth: u64) -> u64 {
        if depth == u64::MAX { 0 } else { 1 + dive(std::hint::black_box(depth + 1)) }
    }
    if tree.size == 1 && info == 1 {
        assert!(dive(0) > 0);
    }
}

#[korat_test(scope = 1, info = 0..=1, timeout_seconds = 1)]
#[should_panic(expected = "it did not end in 1s")]
fn an_endless_loop_is_put_down_to_its_input(tree: Tree, info: i32) {
    loop {
        if std::hint::black_box(&tree).size != 1 || info != 1 {
            return;
        }
    }
}

#[korat_test(scope = 3, info = 0..=4, white_box)]
fn inserting_keeps_the_invariant_on_the_twin_too(mut tree: Tree, info: i32) {
    tree.insert(info);
    assert!(tree.rep_ok());
}

#[korat_test(scope = 3, info = 0..=4, white_box)]
#[should_panic(expected = "assertion failed: tree.rep_ok()")]
fn a_fault_is_found_on_the_twin_too(mut tree: Tree, info: i32) {
    tree.insert_without_counting(info);
    assert!(tree.rep_ok());
}

#[korat_test(scope = 2, white_box)]
#[should_panic(expected = "on the twin, it did not end within")]
fn an_endless_loop_is_found_on_the_twin_too(tree: Tree) {
    while tree.size == 1 {}
}

/// Not for trees without elements.
#[requires(tree.size > 0)]
fn least(tree: &Tree) -> i32 {
    let mut node = tree.root.as_ref().expect("it is not empty");
    while let Some(left) = &node.left {
        node = left;
    }
    node.info
}

#[korat_test(scope = 3)]
fn inputs_that_break_a_precondition_are_left_out(tree: Tree) {
    assert!(least(&tree) >= 1);
}

#[korat_test(finitization = Finitization::new(0))]
#[should_panic(expected = "every input breaks a precondition, so nothing was tested")]
fn a_test_without_legal_inputs_is_no_test(tree: Tree) {
    least(&tree);
}

#[korat_test(scope = 2)]
fn several_structures_are_independent_inputs(a: Tree, b: Tree) {
    assert!(a.rep_ok() && b.rep_ok());
}

/// A list whose nodes point at each other and have a number.
#[derive(Korat)]
#[korat(unconstrained)]
struct Long {
    first: Option<Rc<Link>>,
}

#[derive(Korat)]
#[korat(unconstrained)]
struct Link {
    next: Option<Rc<Link>>,
    number: u32,
}

#[test]
fn a_large_scope_is_set_up_and_an_impossible_one_refused() {
    assert_eq!(Search::<Long>::new(50_000).max_valid(3).run().count(), 3);
    let refused = |finitization: Finitization| match Search::<Long>::within(finitization).try_run()
    {
        Ok(_) => panic!("such a space cannot be"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        refused(Finitization::new(3_000_000_000)),
        "a scope of 3000000000 cannot be searched: it has 3000000000 objects of `Link`, more than \
         1048576; choose a smaller scope, or `.objects(\"Link\", n)`"
    );
    assert_eq!(
        refused(Finitization::new(3_000_000_000).objects("Link", 1)),
        "`Link.number` has 3000000000 values, more than 1048576; choose a smaller domain"
    );
}

#[test]
fn a_scope_whose_fields_multiply_is_refused() {
    let Err(error) = Search::<Vec<Vec<u8>>>::new(5_000).try_run() else { panic!("too many") };
    assert!(error.to_string().starts_with("a scope of 5000 cannot be searched"), "{error}");
}

#[derive(Korat, Debug, Clone, PartialEq)]
struct Pair {
    first: bool,
    second: bool,
}

#[korat]
impl Pair {
    fn rep_ok(&self) -> bool {
        self.first == self.second
    }
}

#[test]
fn what_a_run_reads_before_the_first_change_is_counted_as_read_again() {
    let mut run = Search::<Pair>::new(1).count_reads().run();
    assert_eq!(run.count_valid(), 2);
    // Four runs read two fields; where the second has changed, the first is
    // read again.
    assert_eq!((run.reads().made, run.reads().made_again), (8, 2));
}
