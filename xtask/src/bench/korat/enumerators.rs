//! `cargo xtask bench korat enumerators`: the search beside depth-first
//! enumerators written by hand.
//!
//! An enumerator knows its structure: it never runs a predicate and never
//! makes a candidate that is not valid, so it is the limit of what any search
//! can reach. Structures are visited on both sides, none is only counted.

use cpu_time::ThreadTime;
use subject_containers::{HeapArray, SearchTree};
use testsmith::Korat;
use testsmith::korat::{Finitization, Search};

use super::shapes::BinaryTree;

pub fn run() -> anyhow::Result<()> {
    println!(
        "{:<16} {:>10} {:>9} | {:>9} {:>7} | {:>9} {:>7} | {:>9} {:>7}",
        "structure, scope",
        "valid",
        "by hand s",
        "search s",
        "times",
        "plain s",
        "times",
        "no checkp",
        "times"
    );
    for scope in [11, 12] {
        beside::<BinaryTree>("BinaryTree", scope, Finitization::new(scope), |scope| {
            let mut count = 0;
            shapes(scope, &mut |tree| {
                std::hint::black_box(tree);
                count += 1;
            });
            count
        })?;
    }
    for scope in [7, 8] {
        let exactly = Finitization::new(scope).field("SearchTree.size", [scope]);
        beside::<SearchTree>("SearchTree", scope, exactly, search_trees)?;
    }
    for scope in [7, 8] {
        beside::<HeapArray>("HeapArray", scope, Finitization::new(scope), heap_arrays)?;
    }
    Ok(())
}

/// Rows are measured until this much time is spent on each way.
const SPEND: f64 = 0.3;

fn beside<T: Korat>(
    name: &str,
    scope: usize,
    finitization: Finitization,
    by_hand: fn(usize) -> u64,
) -> anyhow::Result<()> {
    let search = Search::<T>::within(finitization);
    let (valid, hand) = least(|| Ok(by_hand(scope)))?;
    let ways = [
        search.clone(),
        search.clone().generators(false),
        search.generators(false).checkpoints(false),
    ];
    print!("{:<16} {valid:>10} {hand:>9.5}", format!("{name} {scope}"));
    for way in ways {
        let (found, seconds) = least(|| Ok(super::visit(&way)?.1.valid))?;
        anyhow::ensure!(found == valid, "{name} {scope}: {found} found, {valid} by hand");
        print!(" | {seconds:>9.5} {:>7.1}", seconds / hand);
    }
    println!();
    Ok(())
}

/// What is counted, and the least CPU time it took.
fn least(mut measure: impl FnMut() -> anyhow::Result<u64>) -> anyhow::Result<(u64, f64)> {
    let (mut best, mut spent) = (f64::INFINITY, 0.0);
    loop {
        let start = ThreadTime::now();
        let count = measure()?;
        let seconds = start.elapsed().as_secs_f64();
        (best, spent) = (best.min(seconds), spent + seconds);
        if spent > SPEND {
            return Ok((count, best));
        }
    }
}

/// A node of a tree by hand.
#[derive(Clone, Copy, Default)]
struct Fork {
    left: Option<usize>,
    right: Option<usize>,
    info: i32,
}

/// Every binary tree of `count` nodes, the root first.
fn shapes(count: usize, visit: &mut impl FnMut(&mut [Fork])) {
    let mut nodes = vec![Fork::default(); count];
    if count == 0 {
        visit(&mut nodes);
    } else {
        link(&mut nodes, 1, &mut vec![(0, true), (0, false)], visit);
    }
}

/// Decides the link on top of `open`, then the others; `used` nodes are in the
/// tree. A link is open if it is a node's right one, or left one if `.1` is
/// false.
fn link(
    nodes: &mut [Fork],
    used: usize,
    open: &mut Vec<(usize, bool)>,
    visit: &mut impl FnMut(&mut [Fork]),
) {
    let Some((at, right)) = open.pop() else {
        visit(nodes);
        return;
    };
    // Nothing here, if another open link is left for the missing nodes.
    if used == nodes.len() || !open.is_empty() {
        set(&mut nodes[at], right, None);
        link(nodes, used, open, visit);
    }
    if used < nodes.len() {
        set(&mut nodes[at], right, Some(used));
        open.extend([(used, true), (used, false)]);
        link(nodes, used + 1, open, visit);
        open.truncate(open.len() - 2);
        set(&mut nodes[at], right, None);
    }
    open.push((at, right));
}

fn set(node: &mut Fork, right: bool, to: Option<usize>) {
    *(if right { &mut node.right } else { &mut node.left }) = to;
}

/// Search trees of exactly `count` elements out of as many: one for each shape.
fn search_trees(count: usize) -> u64 {
    fn number(nodes: &mut [Fork], at: Option<usize>, next: &mut i32) {
        if let Some(at) = at {
            number(nodes, nodes[at].left, next);
            *next += 1;
            nodes[at].info = *next;
            number(nodes, nodes[at].right, next);
        }
    }
    let mut found = 0;
    shapes(count, &mut |nodes| {
        number(nodes, Some(0), &mut 0);
        std::hint::black_box(nodes);
        found += 1;
    });
    found
}

/// Heaps of at most `scope` places and elements up to `scope`.
fn heap_arrays(scope: usize) -> u64 {
    fn fill(items: &mut [i32], at: usize, size: usize, greatest: i32, found: &mut u64) {
        if at == size {
            std::hint::black_box(items);
            *found += 1;
            return;
        }
        let most = if at == 0 { greatest } else { items[(at - 1) / 2] };
        for item in 0..=most {
            items[at] = item;
            fill(items, at + 1, size, greatest, found);
        }
        items[at] = -1;
    }
    let mut found = 0;
    for length in 0..=scope {
        let mut items = vec![-1; length];
        for size in 0..=length {
            fill(&mut items, 0, size, scope as i32, &mut found);
        }
    }
    found
}
