//! Structures with links that may alias: the same graph of nodes with shared
//! pointers, with weak ones, with raw ones, with boxes, and in an arena.
//!
//! The model is one for all kinds; a kind says which graphs are structures of
//! it. How the kinds interpret a program is in `kinds`.

mod kinds;

use std::collections::BTreeSet;

use crate::evaluate;
use crate::program::{Clause, Grammar, Random};

pub use kinds::{Arena, Boxed, Raw, Shared, WithWeak};

/// A graph as plain data: nodes are numbered in the order in which they are
/// reached from the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct World {
    pub first: Option<usize>,
    pub last: Option<usize>,
    pub size: u8,
    pub nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    pub left: Option<usize>,
    pub right: Option<usize>,
    pub key: u8,
}

/// Which graphs are structures of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Every graph.
    Shared,
    /// `last` and `right` keep nothing alive.
    Weak,
    /// No node has two owners.
    Owned,
}

impl World {
    /// The graph with its nodes numbered as they are reached and the others
    /// left out, or nothing if it is no structure of the kind.
    pub fn canonical(&self, kind: Kind) -> Option<World> {
        let mut order = Vec::new();
        let mut waiting: Vec<usize> = Vec::new();
        let weak = kind == Kind::Weak;
        waiting.extend(if weak { None } else { self.last });
        waiting.extend(self.first);
        while let Some(at) = waiting.pop() {
            if order.contains(&at) {
                if kind == Kind::Owned {
                    return None;
                }
                continue;
            }
            order.push(at);
            let node = &self.nodes[at];
            waiting.extend(if weak { None } else { node.right });
            waiting.extend(node.left);
        }
        // A weak pointer to what nothing keeps alive is no pointer.
        let mut dangling = false;
        let mut number = |link: Option<usize>| {
            let at = link?;
            let number = order.iter().position(|known| *known == at);
            dangling |= number.is_none();
            number
        };
        let nodes = order.iter().map(|at| {
            let Node { left, right, key } = self.nodes[*at];
            Node { left: number(left), right: number(right), key }
        });
        let nodes = nodes.collect();
        let world =
            World { first: number(self.first), last: number(self.last), size: self.size, nodes };
        (!dangling).then_some(world)
    }

    /// Every graph of at most `count` nodes, each once.
    fn all(count: usize, kind: Kind) -> Vec<World> {
        let links: Vec<Option<usize>> = std::iter::once(None).chain((0..count).map(Some)).collect();
        let mut worlds = vec![World::default()];
        for _ in 0..count {
            worlds = extend(&worlds, &links, |world, left, right| {
                (0..=KEYS)
                    .map(|key| {
                        let mut world = world.clone();
                        world.nodes.push(Node { left, right, key });
                        world
                    })
                    .collect()
            });
        }
        let worlds = extend(&worlds, &links, |world, first, last| {
            (0..=2).map(|size| World { first, last, size, nodes: world.nodes.clone() }).collect()
        });
        let all: BTreeSet<World> =
            worlds.iter().filter_map(|world| world.canonical(kind)).collect();
        all.into_iter().collect()
    }
}

/// The greatest key.
const KEYS: u8 = 1;

fn extend(
    worlds: &[World],
    links: &[Option<usize>],
    more: impl Fn(&World, Option<usize>, Option<usize>) -> Vec<World>,
) -> Vec<World> {
    let mut extended = Vec::new();
    for world in worlds {
        for a in links {
            for b in links {
                extended.extend(more(world, *a, *b));
            }
        }
    }
    extended
}

/// The fields that a path leads to.
enum Place<'a> {
    Size(u8),
    Node(usize, &'a Node),
    Nowhere,
}

impl World {
    fn place(&self, path: &[&str]) -> Place<'_> {
        let mut at = match path[0] {
            "size" => return Place::Size(self.size),
            "first" => self.first,
            _ => self.last,
        };
        for step in &path[1..] {
            at = at.and_then(|at| match *step {
                "left" => self.nodes[at].left,
                _ => self.nodes[at].right,
            });
        }
        at.map_or(Place::Nowhere, |at| Place::Node(at, &self.nodes[at]))
    }

    fn number(&self, path: &[&str]) -> Option<u8> {
        match self.place(path) {
            Place::Size(size) => Some(size),
            Place::Node(_, node) => Some(node.key),
            Place::Nowhere => None,
        }
    }

    /// Whether what is reached along some links from `root` is a tree.
    fn is_tree(&self, root: Option<usize>, links: &[&str]) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut waiting: Vec<usize> = root.into_iter().collect();
        while let Some(at) = waiting.pop() {
            if std::mem::replace(&mut seen[at], true) {
                return false;
            }
            let node = &self.nodes[at];
            for link in links {
                waiting.extend(if *link == "left" { node.left } else { node.right });
            }
        }
        true
    }

    /// The keys along a link.
    fn walk(&self, path: &[&str], link: &str) -> Vec<u8> {
        let mut keys = Vec::new();
        let mut place = self.place(path);
        while let Place::Node(_, node) = place {
            if keys.len() == WALK {
                break;
            }
            keys.push(node.key);
            let next = if link == "left" { node.left } else { node.right };
            place = next.map_or(Place::Nowhere, |at| Place::Node(at, &self.nodes[at]));
        }
        keys
    }

    fn clause(&self, clause: &Clause, kind: Kind) -> Option<bool> {
        let value = |path: usize| self.number(&clause.paths[path]);
        let in_order = |values: &[u8]| {
            let strict = clause.compare.is_multiple_of(2);
            values.windows(2).all(|pair| pair[0] < pair[1] || !strict && pair[0] == pair[1])
        };
        let root = |path: usize| match clause.paths[path][0] {
            "first" => self.first,
            "last" if kind != Kind::Weak => self.last,
            _ => self.first,
        };
        Some(match clause.word {
            "holds" | "read" => value(0).is_none_or(|value| clause.passes(value)),
            "panics" => match value(0) {
                Some(value) if value > 1 => return None,
                Some(value) => clause.passes(value),
                None => true,
            },
            "near" | "inside" | "nested" => match (value(0), value(1)) {
                (Some(a), Some(b)) => clause.compares(a, b),
                _ => true,
            },
            "chain" => {
                let values: Vec<u8> = (0..clause.paths.len()).filter_map(value).collect();
                in_order(&values)
            }
            "walk" => in_order(&self.walk(&clause.paths[0], link(clause))),
            "tree" if kind == Kind::Weak => self.is_tree(root(0), &["left"]),
            "tree" => self.is_tree(root(0), &["left", "right"]),
            "list" if kind == Kind::Weak => self.is_tree(root(0), &["left"]),
            "list" => self.is_tree(root(0), &[link(clause)]),
            "link" | "link behind" => match self.place(&clause.paths[0]) {
                Place::Node(_, node) => {
                    let to = if link(clause) == "left" { node.left } else { node.right };
                    match clause.word {
                        "link" => to.is_some() == clause.compare.is_multiple_of(2),
                        _ => to.is_none_or(|to| clause.passes(self.nodes[to].key)),
                    }
                }
                _ => true,
            },
            "same" => match (self.place(&clause.paths[0]), self.place(&clause.paths[1])) {
                (Place::Node(a, _), Place::Node(b, _)) => {
                    (a == b) == clause.compare.is_multiple_of(2)
                }
                _ => true,
            },
            "count" => clause.passes(self.nodes.len() as u8),
            "each" => self.nodes.iter().all(|node| clause.passes(node.key)),
            _ => {
                let holds = value(0).is_some_and(|value| clause.passes(value));
                return evaluate::condition(clause, holds, self.size, |inner| {
                    self.clause(inner, kind)
                });
            }
        })
    }
}

/// How many nodes a walk visits at most.
const WALK: usize = 4;

/// Which link a clause is about.
fn link(clause: &Clause) -> &'static str {
    if clause.number == 0 { "left" } else { "right" }
}

fn random_path(random: &mut Random) -> Vec<&'static str> {
    if random.below(6) == 0 {
        return vec!["size"];
    }
    let mut path = vec![random.pick(&["first", "last"])];
    for _ in 0..random.below(3) {
        path.push(random.pick(&["left", "right"]));
    }
    path
}

const WORDS: &[(&str, usize)] = &[
    ("holds", 1),
    ("panics", 1),
    ("near", 2),
    ("inside", 2),
    ("nested", 2),
    ("chain", usize::MAX),
    ("walk", 1),
    ("link", 1),
    ("link behind", 1),
    ("same", 2),
    ("read", 1),
    ("tree", 1),
    ("tree", 1),
    ("list", 1),
    ("list", 1),
    // Arenas only; the last two.
    ("count", 1),
    ("each", 1),
];

fn grammar(arena: bool) -> Grammar {
    let words = if arena { WORDS } else { &WORDS[..WORDS.len() - 2] };
    Grammar { words, path: random_path }
}
