//! Predicates in ordinary Rust: what people write in `rep_ok` compiles for the
//! twin and means the same there.

mod korat_check;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use korat_check::check;
use testsmith::korat::{Finitization, Search};
use testsmith::{Korat, korat};

const MOST: usize = 2;

/// Not in any marked block.
fn is_ascending(items: &[u8]) -> bool {
    items.windows(2).all(|pair| pair[0] < pair[1])
}

fn largest<'a>(items: impl IntoIterator<Item = &'a u8>) -> u8 {
    items.into_iter().copied().max().unwrap_or(0)
}

#[derive(Korat, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    low: u8,
    high: u8,
}

impl Span {
    const WIDEST: u8 = 1;

    /// In a block that is not compiled for the twin.
    fn width(&self) -> u8 {
        self.high.saturating_sub(self.low)
    }
}

/// Only the width counts.
#[derive(Korat, Debug, Clone)]
#[korat(unconstrained)]
struct Length {
    low: u8,
    high: u8,
}

impl PartialEq for Length {
    fn eq(&self, other: &Self) -> bool {
        self.high.wrapping_sub(self.low) == other.high.wrapping_sub(other.low)
    }
}

#[derive(Korat, Debug, Clone)]
struct Compared {
    a: Span,
    b: Span,
    items: Vec<u8>,
}

#[korat]
impl Compared {
    const LEAST: usize = 1;

    fn rep_ok(&self) -> bool {
        self.a < self.b
            && self.a.width() <= Span::WIDEST
            && self.items == vec![self.a.low, self.b.low]
            && self.items.len() >= Self::LEAST
            && self.items.len() <= MOST
            && format!("{:?}", self.a).starts_with("Span { low: ")
            && Self::ordered(&self.a, &self.b) != Ordering::Greater
    }

    fn ordered(a: &Span, b: &Span) -> Ordering {
        Ord::cmp(a, b)
    }
}

/// The same on real values only, in loops.
fn compared(most: u8) -> usize {
    let spans = || (0..=most).flat_map(move |low| (0..=most).map(move |high| Span { low, high }));
    let pairs = spans().flat_map(|a| spans().map(move |b| (a.clone(), b)));
    pairs.filter(|(a, b)| a < b && a.width() <= 1).count()
}

#[test]
fn derived_types_are_compared_printed_and_asked_by_methods_of_other_blocks() {
    assert_eq!(check::<Compared>(Finitization::new(1).len("Compared.items", 2..=2)), compared(1));
    assert_eq!(Search::<Compared>::new(2).run().count(), compared(2));
}

#[derive(Korat, Debug)]
struct Equal {
    a: Length,
    b: Length,
    pair: (Span, u8),
}

#[korat]
impl Equal {
    fn rep_ok(&self) -> bool {
        self.a == self.b && self.pair.0.clone() == self.pair.0 && self.pair.1 == self.pair.0.low
    }
}

#[test]
fn the_comparison_is_the_users_own() {
    // Two of four lengths are equal: 2 * 2 of width 0, one each of 1 and -1.
    assert_eq!(check::<Equal>(Finitization::new(1)), (4 + 1 + 1) * 4);
}

#[derive(Korat, Debug)]
struct Sliced {
    items: Vec<u8>,
    pair: [u8; 2],
}

#[korat]
impl Sliced {
    fn rep_ok(&self) -> bool {
        let [first, second] = self.pair;
        let fine = match self.items.as_slice() {
            [] => true,
            [one] => *one == first,
            [0, rest @ ..] => rest.iter().all(|item| *item == second),
            [.., 1] => false,
            _ => first < second,
        };
        if let [x, y, ..] = &self.items[..] {
            return fine && x <= y;
        }
        fine && !matches!(self.items.as_slice(), [x] if *x > 1)
    }
}

/// The same without `#[korat]`.
fn sliced(items: &[u8], pair: [u8; 2]) -> bool {
    let [first, second] = pair;
    let fine = match items {
        [] => true,
        [one] => *one == first,
        [0, rest @ ..] => rest.iter().all(|item| *item == second),
        [.., 1] => false,
        _ => first < second,
    };
    if let [x, y, ..] = items {
        return fine && x <= y;
    }
    fine && !matches!(items, [x] if *x > 1)
}

fn all_lists(most: u8, len: usize) -> Vec<Vec<u8>> {
    let mut lists = vec![Vec::new()];
    let mut layer = lists.clone();
    for _ in 0..len {
        layer = layer
            .iter()
            .flat_map(|list: &Vec<u8>| (0..=most).map(|item| [&list[..], &[item]].concat()))
            .collect();
        lists.extend(layer.iter().cloned());
    }
    lists
}

#[test]
fn slices_are_taken_apart_by_patterns() {
    let pairs = (0..=2).flat_map(|a| (0..=2).map(move |b| [a, b]));
    let expected = pairs.flat_map(|pair| all_lists(2, 2).into_iter().map(move |list| (list, pair)));
    let expected = expected.filter(|(items, pair)| sliced(items, *pair)).count();
    assert_eq!(check::<Sliced>(Finitization::new(2)), expected);
}

#[derive(Korat, Debug)]
struct Helped {
    items: Vec<u8>,
    counts: BTreeMap<u8, u8>,
    next: Option<Box<Helped>>,
}

#[korat]
impl Helped {
    fn rep_ok(&self) -> bool {
        fn depth(of: &Helped) -> usize {
            1 + of.next.as_ref().map_or(0, |next| depth(next))
        }
        fn total<'a>(counts: impl Iterator<Item = &'a u8>) -> u8 {
            counts.sum()
        }
        const DEEPEST: usize = 2;
        is_ascending(&self.items)
            && largest(&self.items) <= 1
            && largest(self.items.iter()) <= 1
            && total(self.counts.values()) == self.items.len() as u8
            && counted(&self.counts) == self.counts.len()
            && self.items.binary_search(&7).is_err()
            && depth(self) <= DEEPEST
            && self.next.as_ref().is_none_or(|next| next.rep_ok())
    }
}

fn counted(counts: &BTreeMap<u8, u8>) -> usize {
    counts.iter().count()
}

#[test]
fn predicates_call_inner_and_outer_functions_with_slices_maps_and_iterators() {
    let items = all_lists(1, 1).into_iter().filter(|items| is_ascending(items));
    let maps = |total: usize| match total {
        // None, or one of two keys at 0; then one of two keys at 1.
        0 => 1 + 2,
        _ => 2,
    };
    let one: usize = items.map(|items| maps(items.len())).sum();
    let found = check::<Helped>(Finitization::new(1));
    assert_eq!(found, one + one * one);
}

#[derive(Korat, Debug, Clone, PartialEq)]
enum Shape {
    Dot,
    Line(u8),
    Box { width: u8, height: u8 },
}

#[derive(Korat, Debug, Clone, Copy, PartialEq, Eq)]
enum Color {
    Red,
    Blue,
}

#[derive(Korat, Debug)]
struct Drawing {
    shape: Shape,
    color: Color,
}

#[korat]
impl Drawing {
    fn rep_ok(&self) -> bool {
        use Color::*;
        use Shape::{Dot, Line};
        match &self.shape {
            Dot => self.color == Red,
            Line(length) => *length > 0 || self.color == Blue,
            Shape::Box { width, height } => width == height,
        }
    }
}

#[test]
fn variants_may_be_imported_where_they_are_used() {
    assert_eq!(check::<Drawing>(Finitization::new(1)), 1 + (2 + 1) + 2 * 2);
}

/// Changes a copy and looks at that.
#[derive(Korat, Debug, Clone)]
struct Copied {
    items: Vec<u8>,
    inner: Span,
}

#[korat]
impl Copied {
    fn rep_ok(&self) -> bool {
        let mut copy = self.clone();
        copy.items.push(1);
        copy.inner.low = 9;
        let mut items = self.items.clone();
        items.sort_unstable();
        items.dedup();
        copy.items.len() == self.items.len() + 1
            && items == self.items
            && self.inner.low <= self.inner.high
            && copy.inner.low == 9
    }
}

#[test]
fn what_is_changed_on_a_copy_leaves_the_structure_alone() {
    // Ascending lists out of 0..=1, spans in order.
    assert_eq!(check::<Copied>(Finitization::new(1)), 3 * 3);
}

/// Predicates may say why not.
#[derive(Korat, Debug)]
struct Explained {
    size: u8,
}

#[korat]
impl Explained {
    fn rep_ok(&self) -> Result<(), String> {
        if self.size > 0 { Ok(()) } else { Err(format!("a size of {}", self.size)) }
    }
}

#[test]
fn predicates_may_return_a_result() {
    assert_eq!(check::<Explained>(Finitization::new(3)), 3);
}
