//! Every kind of field: the search finds exactly what brute force finds, each
//! structure once, in every combination of its switches, in pieces, and on
//! several threads.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::ptr::NonNull;
use std::rc::{Rc, Weak};
use std::sync::Mutex;

use testsmith::korat::{Candidate, Finitization, Outcome, Search, Shown, brute_force};
use testsmith::{Korat, korat};

/// What isomorphic structures have in common.
fn canonical(shown: &Shown) -> String {
    format!("{:?}", shown.canonical().expect("what is found is a structure"))
}

/// Compares the search with brute force and returns the number of structures.
fn check<T: Korat>(finitization: Finitization) -> usize {
    let expected = brute_force::<T>(&finitization).expect("a space");
    for generators in [true, false] {
        for reuse in [true, false] {
            let search =
                Search::<T>::within(finitization.clone()).generators(generators).reuse(reuse);
            let mut run = search.run();
            let mut found = BTreeSet::new();
            while run.advance() {
                let shown = canonical(&run.current().shown());
                assert!(expected.contains(&shown), "not by brute force: {shown}");
                assert!(found.insert(shown.clone()), "found twice: {shown}");
                let real = run.current().realize();
                assert!(real.real_rep_ok(), "not valid when real: {shown}");
            }
            let missing: Vec<_> = expected.difference(&found).take(3).collect();
            assert!(missing.is_empty(), "missing ({generators} {reuse}): {missing:#?}");
        }
    }
    in_pieces::<T>(&Search::within(finitization.clone()), &expected);
    on_threads::<T>(&Search::within(finitization), &expected);
    expected.len()
}

/// Stops again and again, and goes on from what was printed.
fn in_pieces<T: Korat>(search: &Search<T>, expected: &BTreeSet<String>) {
    let mut found = Vec::new();
    let mut next = search.clone();
    loop {
        let mut run = next.max_valid(3).run();
        while run.advance() {
            found.push(canonical(&run.current().shown()));
        }
        if run.outcome() == Outcome::Complete {
            break;
        }
        let printed = run.state().to_string();
        next = search.clone().resume(printed.parse().expect("a printed state"));
    }
    assert_eq!(found.len(), expected.len(), "in pieces");
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), *expected, "in pieces");
}

fn on_threads<T: Korat>(search: &Search<T>, expected: &BTreeSet<String>) {
    let found = Mutex::new(Vec::new());
    let visit = |candidate: Candidate<'_, T>| {
        found.lock().unwrap().push(canonical(&candidate.shown()));
    };
    search.par_for_each(3, visit).expect("a space");
    let found = found.into_inner().unwrap();
    assert_eq!(found.len(), expected.len(), "on threads");
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), *expected, "on threads");
}

#[derive(Korat)]
struct Scalars {
    number: i8,
    flag: bool,
    letter: char,
    _nothing: (),
    pair: (u8, bool),
    maybe: Option<u16>,
}

#[korat]
impl Scalars {
    fn rep_ok(&self) -> bool {
        (self.number > 0) == self.flag
            && (self.letter == 'a' || self.pair.1)
            && self.pair.0 as i8 <= self.number
            && self.maybe.is_none_or(|value| value == 1)
    }
}

#[test]
fn plain_values_are_enumerated() {
    assert!(check::<Scalars>(Finitization::new(2)) > 10);
}

#[derive(Korat)]
struct Texts {
    #[korat(values = ['x', 'y'])]
    #[korat(len = 0..=2)]
    text: String,
    #[korat(values = ["one", "two"])]
    word: String,
}

#[korat]
impl Texts {
    fn rep_ok(&self) -> bool {
        self.text.len() + 1 < self.word.len() && !self.text.starts_with('y')
    }
}

#[test]
fn strings_come_from_an_alphabet_or_a_list() {
    // The empty text and `x`, each with both words.
    assert_eq!(check::<Texts>(Finitization::new(0)), 4);
}

#[derive(Korat)]
struct Sequences {
    items: Vec<u8>,
    queue: VecDeque<bool>,
    fixed: [u8; 2],
}

#[korat]
impl Sequences {
    fn rep_ok(&self) -> bool {
        let mut total = 0;
        for item in &self.items {
            if *item == 0 {
                return false;
            }
            total += *item;
        }
        self.items.windows(2).all(|pair| pair[0] <= pair[1])
            && self.queue.iter().filter(|bit| **bit).count() == self.fixed[0] as usize
            && self.queue.front().copied() != Some(false)
            && self.fixed[1] == total
    }
}

#[test]
fn sequences_are_enumerated_element_by_element() {
    let finitization = Finitization::new(2).field("Sequences.fixed", 0..=3);
    assert!(check::<Sequences>(finitization) > 5);
}

#[derive(Korat)]
enum Tree {
    Leaf,
    Fork(Box<Tree>, u8, Box<Tree>),
}

#[korat]
impl Tree {
    fn rep_ok(&self) -> bool {
        match self {
            Tree::Leaf => true,
            Tree::Fork(left, value, right) => {
                *value > 0 && left.depth() <= right.depth() && left.rep_ok() && right.rep_ok()
            }
        }
    }

    fn depth(&self) -> usize {
        match self {
            Tree::Leaf => 0,
            Tree::Fork(left, _, right) => 1 + left.depth().max(right.depth()),
        }
    }
}

#[derive(Korat)]
struct Planted {
    tree: Tree,
}

#[korat]
impl Planted {
    fn rep_ok(&self) -> bool {
        self.tree.rep_ok()
    }
}

#[test]
fn enums_that_own_themselves_are_trees() {
    let ones = |count| Finitization::new(0).objects("Tree", count).field("Tree::Fork.1", 0..=1);
    assert_eq!(check::<Planted>(ones(2)), 2);
    // Trees of at most 0, 1, 2 and 3 forks, none deeper on its left.
    let counts = [0, 2, 4, 6].map(|n| Search::<Planted>::within(ones(n)).run().count_valid());
    assert_eq!(counts, [1, 2, 3, 5]);
}

#[derive(Korat, Clone, Copy, PartialEq, Debug)]
enum Color {
    Red,
    Black,
}

#[derive(Korat)]
enum Shape {
    Dot,
    Line { length: u8, color: Color },
    Both(Color, Option<(u8, bool)>),
}

#[derive(Korat)]
struct Drawing {
    shapes: Vec<Shape>,
    favourite: Option<Color>,
}

#[korat]
impl Drawing {
    fn rep_ok(&self) -> bool {
        if !self.shapes.iter().all(Self::fine) {
            return false;
        }
        match self.favourite {
            Some(Color::Red) => !self.shapes.is_empty(),
            Some(Color::Black) | None => true,
        }
    }

    fn fine(shape: &Shape) -> bool {
        match shape {
            Shape::Dot => true,
            Shape::Line { length, .. } if *length == 0 => false,
            Shape::Line { color, length } => *color == Color::Black || *length == 1,
            Shape::Both(color, pair) => match pair {
                None => *color == Color::Red,
                Some(pair) => pair.1 && pair.0 > 0,
            },
        }
    }
}

#[test]
fn enums_with_data_are_matched_and_destructured() {
    assert!(check::<Drawing>(Finitization::new(1)) > 5);
}

#[derive(Korat)]
struct Graph {
    start: Option<Rc<RefCell<Vertex>>>,
}

#[derive(Korat)]
struct Vertex {
    next: Option<Rc<RefCell<Vertex>>>,
    other: Option<Rc<RefCell<Vertex>>>,
    back: Weak<RefCell<Vertex>>,
    #[korat(values = 0..=1)]
    mark: Cell<u8>,
}

#[korat]
impl Graph {
    fn rep_ok(&self) -> bool {
        let Some(start) = &self.start else { return true };
        let mut seen: Vec<Rc<RefCell<Vertex>>> = Vec::new();
        let mut work = vec![start.clone()];
        while let Some(vertex) = work.pop() {
            if seen.iter().any(|known| Rc::ptr_eq(known, &vertex)) {
                continue;
            }
            let inside = vertex.borrow();
            if let Some(back) = inside.back.upgrade()
                && (inside.mark.get() == 0 || Rc::ptr_eq(&back, &vertex))
            {
                return false;
            }
            work.extend(inside.next.clone());
            work.extend(inside.other.clone());
            seen.push(vertex.clone());
        }
        true
    }
}

#[test]
fn shared_pointers_alias_in_every_way_once() {
    assert_eq!(check::<Graph>(Finitization::new(0)), 1);
    assert!(check::<Graph>(Finitization::new(1)) > 2);
    assert!(check::<Graph>(Finitization::new(2)) > 100);
}

#[derive(Korat)]
struct Ring {
    head: Option<NonNull<Bead>>,
    tail: *mut Bead,
}

#[derive(Korat)]
struct Bead {
    next: Option<NonNull<Bead>>,
    previous: *const Bead,
}

#[korat]
impl Ring {
    fn rep_ok(&self) -> bool {
        let Some(head) = self.head else { return self.tail.is_null() };
        let mut at = head;
        for _ in 0..10 {
            // SAFETY: the pointers of a ring point at its own beads.
            let bead = unsafe { at.as_ref() };
            let Some(next) = bead.next else { return false };
            // SAFETY: as above.
            let previous = unsafe { next.as_ref() }.previous;
            if !std::ptr::eq(previous, at.as_ptr()) {
                return false;
            }
            if next == head {
                return self.tail == at.as_ptr();
            }
            at = next;
        }
        false
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        let mut next = self.head.take();
        while let Some(at) = next {
            // SAFETY: a valid ring owns its beads, each reached once.
            let bead = unsafe { Box::from_raw(at.as_ptr()) };
            next = if at.as_ptr() == self.tail { None } else { bead.next };
        }
    }
}

#[test]
fn raw_pointers_are_owned_by_the_structure() {
    // The empty ring and one ring of each length.
    assert_eq!(check::<Ring>(Finitization::new(1)), 2);
    assert_eq!(check::<Ring>(Finitization::new(2)), 3);
    assert_eq!(Search::<Ring>::new(5).run().count(), 6);
}

#[derive(Korat)]
struct Stack<T> {
    top: Option<Box<Plate<T>>>,
}

#[derive(Korat)]
#[korat(unconstrained)]
struct Plate<T> {
    value: T,
    below: Option<Box<Plate<T>>>,
}

#[korat]
impl<T: Korat> Stack<T> {
    fn rep_ok(&self) -> bool {
        self.top.as_ref().is_none_or(|plate| Self::fits(&plate.value))
            && Self::length(&self.top) < 3
    }

    fn fits(_value: &T) -> bool {
        true
    }

    fn length(mut at: &Option<Box<Plate<T>>>) -> usize {
        let mut count = 0;
        while let Some(plate) = at {
            let Plate { below, .. } = &**plate;
            at = below;
            count += 1;
        }
        count
    }
}

#[test]
fn generic_types_are_enumerated_for_each_argument() {
    assert_eq!(check::<Stack<bool>>(Finitization::new(3)), 1 + 2 + 4);
    assert_eq!(check::<Stack<Color>>(Finitization::new(2)), 1 + 2 + 4);
    assert_eq!(check::<Stack<()>>(Finitization::new(3)), 3);
}

#[derive(Korat)]
struct Directed {
    low: u8,
    high: u8,
    items: Vec<u8>,
    root: Option<Rc<Fork>>,
}

#[derive(Korat)]
struct Fork {
    left: Option<Rc<Fork>>,
    right: Option<Rc<Fork>>,
}

#[korat]
impl Directed {
    fn rep_ok(&self) -> bool {
        korat::holds(&self.low, korat::not(korat::equal(1)))
            && korat::holds(&self.high, korat::and(korat::at_least(self.low), korat::less(2)))
            && korat::sorted(&self.items)
            && korat::all_different(&self.items)
            && korat::tree(&self.root, |fork| [&fork.left, &fork.right])
    }
}

#[test]
fn generators_change_the_work_and_not_the_result() {
    let count = check::<Directed>(Finitization::new(2).len("Directed.items", 0..=2));
    // Bounds (0,0) (0,1); 1 + 3 + 3 sorted sets; 1 + 1 + 2 trees.
    assert_eq!(count, 2 * 7 * 4);
}

/// Fields in order whose domains differ, one of them restricted twice, some of
/// them read before or after.
#[derive(Korat)]
struct Chained {
    #[korat(values = [3, 0, 1])]
    a: u8,
    b: u8,
    #[korat(values = [1, 3, 2])]
    c: u8,
    d: u8,
    #[korat(values = 0..=70)]
    low: u8,
    #[korat(values = 2..=70)]
    high: u8,
}

#[korat]
impl Chained {
    fn rep_ok(&self) -> bool {
        let all = [
            korat::field(&self.a),
            korat::field(&self.b),
            korat::field(&self.c),
            korat::field(&self.d),
        ];
        let ends = [korat::field(&self.low), korat::field(&self.high)];
        korat::holds(&self.b, korat::not(korat::equal(1)))
            && self.d > 0
            && korat::non_descending(&all)
            && korat::holds(&self.c, korat::at_least(self.d - 1))
            && (self.b == 0 || self.a == 0)
            && korat::holds(&self.low, korat::greater(66))
            && korat::ascending(&ends)
    }
}

#[test]
fn fields_in_order_are_varied_together() {
    // 67 to 69 below a greater one: 3 + 2 + 1 pairs.
    let ends = Finitization::new(3);
    let fours = Search::<Chained>::within(ends.clone().field("Chained.low", [67])).run().count();
    let all = Search::<Chained>::within(ends.clone()).run();
    let plain = Search::<Chained>::within(ends.clone()).generators(false).run();
    let count = all.count();
    assert_eq!(count, plain.count());
    assert_eq!(count, fours / 3 * 6);
    let small = ends.field("Chained.low", [66, 67, 69]).field("Chained.high", [68, 69, 70]);
    assert_eq!(check::<Chained>(small), fours / 3 * 4);
}

/// Slots that point at each other and share labels, and a second arena whose
/// length the predicate reads.
#[derive(Korat)]
struct Arenas {
    #[korat(index(slots))]
    first: Option<usize>,
    #[korat(arena)]
    slots: Vec<Slot>,
    #[korat(index(marks))]
    mark: Option<usize>,
    #[korat(arena)]
    marks: Vec<Mark>,
}

#[derive(Korat)]
struct Slot {
    #[korat(index(slots))]
    next: Option<usize>,
    label: Option<Rc<Label>>,
}

#[derive(Korat)]
#[korat(objects = 2)]
struct Label;

#[derive(Korat)]
#[korat(objects = 1)]
struct Mark {
    flag: bool,
}

#[korat]
impl Arenas {
    fn rep_ok(&self) -> bool {
        let Some(first) = self.first else { return self.marks.is_empty() };
        let labelled = korat::holds(&self.slots[first].label, korat::is_some());
        labelled && self.mark.is_none_or(|mark| self.marks[mark].flag && self.slots.len() == 2)
    }
}

#[test]
fn arenas_have_every_shape_once() {
    // Nothing; a slot by itself or in a loop of one; two slots: 3 shapes from
    // the first, the second with 3 ends and 3 labels, with or without a mark.
    assert_eq!(check::<Arenas>(Finitization::new(2)), 1 + 2 + 3 * 3 * 2);
}
