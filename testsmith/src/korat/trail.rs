//! The trail: which fields the predicate looked at, in which order, and what
//! they are set to. It is the stack of the paper's figure 7.
//!
//! The trail is untyped: a field is a number, a value is an index. It decides
//! the next value of a field (lexicographic order, isomorphism breaking,
//! ownership) and never runs a predicate; `search` does.
//!
//! Two ideas go beyond the figure:
//! - The stack survives from one run to the next, since a deterministic
//!   predicate repeats itself up to the field that changed. A read of a field
//!   that is on the stack costs one comparison.
//! - Owned pointers (`Box`) choose between nothing and one fresh object.
//!
//! What generators restrict is in `hold`, what is varied without running the
//! predicate in `product`.

use std::cell::{Cell, RefCell};

use super::cell::{Header, Kind, state};
use super::hold::{Held, Link, Record};
use super::mask::Mask;
use super::product::{Bound, Varied};
use super::resume::Tally;

pub(crate) const NO_CLASS: u32 = u32::MAX;

/// No index: beyond every domain.
pub(crate) const NONE: u32 = u32::MAX;

/// Demands on a class of objects: `(class, how many)`.
pub(crate) type Needs = Vec<(u32, u32)>;

/// What the search knows of one field.
pub(crate) struct Field {
    pub header: *const Header,
    pub name: String,
    pub owned: bool,
    /// Whether no value of the field leads to further fields.
    pub terminal: bool,
    /// Objects that a value claims besides the one it points at; empty when
    /// no value claims any.
    pub needs: Vec<Needs>,
}

/// A set of interchangeable objects.
pub(crate) struct Class {
    pub name: String,
    pub count: u32,
    /// The highest object in use, or -1.
    pub high: i32,
    /// Objects that are promised to `Box` fields nobody has read yet.
    pub pending: u32,
    /// What each object of this class claims of others.
    pub needs: Needs,
    /// How many fields each object has.
    pub cells: u32,
    /// The length field, when the class is an arena.
    pub length: Option<u32>,
}

/// The switches that change the search but never its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Switches {
    pub pruning: bool,
    pub isomorphism: bool,
    pub generators: bool,
    pub reuse: bool,
}

pub(crate) struct Inner {
    pub fields: Vec<Field>,
    pub classes: Vec<Class>,
    pub root_cells: u32,
    pub has_weak: bool,
    pub stack: Vec<*const Header>,
    pub held: Vec<Held>,
    pub links: Vec<Link>,
    pub records: Vec<Record>,
    /// How many fields had been read at each checkpoint that the run passed.
    pub checkpoints: Vec<u32>,
    /// No restriction, link, record or checkpoint rests on more fields.
    pub rests: u32,
    pub free: Vec<Varied>,
    pub bounds: Vec<Bound>,
    /// The stack is never backtracked below this length.
    pub base: usize,
    pub switches: Switches,
}

pub struct Trail {
    pub(crate) inner: RefCell<Inner>,
    /// How many generators this run has called.
    pub(crate) calls: Cell<u32>,
    /// How many checkpoints this run has passed, and how many of them an
    /// earlier run passed too.
    pub(crate) passed: Cell<u32>,
    pub(crate) passed_before: Cell<u32>,
    /// How many fields are on the stack.
    pub(crate) depth: Cell<u32>,
    /// How many checks of this run were made again, and how many more may be.
    pub(crate) repeats: Cell<u64>,
    pub(crate) repeats_left: Cell<u64>,
    /// What checkpoints cost and saved.
    pub(crate) tally: Tally,
    /// Whether a generator is evaluating its constraint: the length of the
    /// stack if it tries values that its field does not have; see `hold`.
    pub(crate) evaluates: Cell<u32>,
}

/// Raised when a mandatory box finds no object left; the candidate is outside
/// the scope.
pub(crate) struct OutOfObjects;

impl Trail {
    pub(crate) fn new() -> Trail {
        let switches = Switches { pruning: true, isomorphism: true, generators: true, reuse: true };
        Trail {
            inner: RefCell::new(Inner {
                fields: Vec::new(),
                classes: Vec::new(),
                root_cells: 0,
                has_weak: false,
                stack: Vec::new(),
                held: Vec::new(),
                links: Vec::new(),
                records: Vec::new(),
                checkpoints: Vec::new(),
                rests: 0,
                free: Vec::new(),
                bounds: Vec::new(),
                base: 0,
                switches,
            }),
            calls: Cell::new(0),
            passed: Cell::new(0),
            passed_before: Cell::new(0),
            depth: Cell::new(0),
            repeats: Cell::new(0),
            repeats_left: Cell::new(0),
            tally: Tally::default(),
            evaluates: Cell::new(NONE),
        }
    }

    /// A run begins, with checkpoints or without.
    #[inline(always)]
    pub(crate) fn begin(&self, repeats: bool) {
        let inner = self.inner.borrow();
        self.calls.set(0);
        self.depth.set(inner.stack.len() as u32);
        if repeats {
            self.passed.set(0);
            self.passed_before.set(inner.checkpoints.len() as u32);
        }
    }

    /// Moves to the next candidate that differs only in what was read since
    /// `depth`; `false` when there is none.
    pub(crate) fn retry(&self, depth: usize) -> bool {
        let mut inner = self.inner.borrow_mut();
        let floor = inner.base.max(depth);
        let more = inner.backtrack_to(floor);
        self.passed_before.set(inner.checkpoints.len() as u32);
        self.depth.set(inner.stack.len() as u32);
        more
    }

    /// The predicate reads a field for the first time.
    #[inline(always)]
    pub(crate) fn read(&self, header: &Header) {
        let mut inner = self.inner.borrow_mut();
        let fine = match header.state.get() {
            state::HELD => inner.read_held(header),
            _ => inner.push(header, Mask::ALL, false),
        };
        self.depth.set(inner.stack.len() as u32);
        if !fine {
            drop(inner);
            std::panic::resume_unwind(Box::new(OutOfObjects));
        }
    }
}

impl Inner {
    pub(crate) fn header<'a>(&self, field: u32) -> &'a Header {
        // SAFETY: headers are kept by the `Space` that owns this trail, and
        // nothing outlives the borrow of the trail that this is used under.
        unsafe { &*self.fields[field as usize].header }
    }

    /// Sets the switches and, since they matter for it, how each field finds
    /// its next value.
    pub(crate) fn switch(&mut self, switches: Switches) {
        self.switches = switches;
        let mut claimed: Vec<bool> = self.classes.iter().map(|class| class.pending > 0).collect();
        let of_classes = self.classes.iter().map(|class| &class.needs);
        let of_fields = self.fields.iter().flat_map(|field| &field.needs);
        for (class, _) in of_classes.chain(of_fields).flatten() {
            claimed[*class as usize] = true;
        }
        for field in (0..self.fields.len() as u32).filter(|field| self.mandatory(*field)) {
            claimed[self.header(field).class as usize] = true;
        }
        for (at, field) in self.fields.iter().enumerate() {
            let header = self.header(at as u32);
            let free_of_claims = field.needs.is_empty()
                && (header.class == NO_CLASS
                    || switches.isomorphism
                        && !claimed[header.class as usize]
                        && self.classes[header.class as usize].needs.is_empty());
            header.kind.set(match (free_of_claims, header.class) {
                (false, _) => Kind::Claiming,
                (true, NO_CLASS) => Kind::Plain,
                (true, _) if field.owned => Kind::Owned,
                (true, _) => Kind::Shared,
            });
        }
    }

    /// Puts a field on the stack at its first allowed value.
    #[inline]
    pub(crate) fn push(&mut self, header: &Header, mask: Mask, was_held: bool) -> bool {
        if mask.is_empty(header.size) {
            return false;
        }
        header.high_before.set(self.high(header));
        header.was_held.set(was_held);
        if !was_held {
            header.call.set(NONE);
        }
        header.mask.set(mask);
        self.take_promised(header);
        let index = self.pick(header, 0);
        if index >= header.size {
            self.give_back_promised(header);
            return false;
        }
        self.set(header, index);
        header.state.set(state::SEEN);
        self.stack.push(header);
        true
    }

    /// Puts a field on the stack at a known value.
    pub(crate) fn push_at(&mut self, field: u32, index: u32, mask: Mask) {
        let header = self.header(field);
        header.high_before.set(self.high(header));
        header.was_held.set(false);
        header.call.set(NONE);
        header.mask.set(mask);
        self.take_promised(header);
        self.set(header, index);
        header.state.set(state::SEEN);
        self.stack.push(header);
    }

    /// The field at a place of the stack.
    #[inline(always)]
    pub(crate) fn at<'a>(&self, place: usize) -> &'a Header {
        // SAFETY: as in `header`.
        unsafe { &*self.stack[place] }
    }

    /// Takes everything off the trail.
    pub(crate) fn reset(&mut self) {
        self.drop_free();
        self.base = 0;
        self.unread_to(0);
        while let Some(held) = self.held.pop() {
            self.header(held.field).state.set(state::UNSEEN);
        }
        self.links.clear();
        self.records.clear();
        self.checkpoints.clear();
        self.rests = 0;
    }

    /// Takes fields off the stack until only so many are left.
    pub(crate) fn unread_to(&mut self, depth: usize) {
        while self.stack.len() > depth {
            let header = self.at(self.stack.len() - 1);
            self.unset(header);
            self.park(header);
        }
    }

    /// The lowest position above the base whose field has another value, for
    /// handing the rest of its values to another thread.
    pub(crate) fn splittable(&self) -> Option<usize> {
        (self.base..self.stack.len()).find(|&place| {
            let header = self.at(place);
            self.pick(header, header.index.get() + 1) < header.size
        })
    }

    #[inline(always)]
    pub(crate) fn high(&self, header: &Header) -> i32 {
        if header.class == NO_CLASS { -1 } else { self.classes[header.class as usize].high }
    }

    /// A mandatory box is about to take the object promised to it.
    #[inline(always)]
    fn take_promised(&mut self, header: &Header) {
        if header.kind.get() == Kind::Claiming && self.mandatory(header.id) {
            let pending = &mut self.classes[header.class as usize].pending;
            *pending = pending.saturating_sub(1);
        }
    }

    /// A mandatory box has given its object back.
    #[inline(always)]
    fn give_back_promised(&mut self, header: &Header) {
        if header.kind.get() == Kind::Claiming && self.mandatory(header.id) {
            self.classes[header.class as usize].pending += 1;
        }
    }

    /// The least legal index of a choice that is at least `from`; beyond the
    /// domain when there is none.
    #[inline(always)]
    fn pick(&self, header: &Header, from: u32) -> u32 {
        let index = header.mask.next(from);
        let fresh = header.first.wrapping_add((header.high_before.get() + 1) as u32);
        match header.kind.get() {
            Kind::Plain => index,
            Kind::Shared if index <= fresh => index,
            Kind::Owned if index < header.first => index,
            Kind::Owned if index <= fresh && header.mask.next(fresh) == fresh => fresh,
            Kind::Shared | Kind::Owned => NONE,
            Kind::Claiming => self.choose(header, from).unwrap_or(NONE),
        }
    }

    /// Gives a field a value and books what that takes.
    #[inline(always)]
    fn set(&mut self, header: &Header, index: u32) {
        header.index.set(index);
        match header.kind.get() {
            Kind::Plain => {}
            Kind::Shared | Kind::Owned if index >= header.first => {
                let object = (index - header.first) as i32;
                self.classes[header.class as usize].high = header.high_before.get().max(object);
            }
            Kind::Shared | Kind::Owned => {}
            Kind::Claiming => self.apply(header.id, index),
        }
    }

    /// Takes back what `set` booked.
    #[inline(always)]
    fn unset(&mut self, header: &Header) {
        match header.kind.get() {
            Kind::Plain => {}
            Kind::Shared | Kind::Owned => {
                self.classes[header.class as usize].high = header.high_before.get();
            }
            Kind::Claiming => self.undo(header),
        }
    }

    /// A `Box` that is not optional: it takes the fresh object promised to it.
    fn mandatory(&self, field: u32) -> bool {
        self.fields[field as usize].owned && self.header(field).first == 0
    }

    /// As `pick`, where values claim objects or isomorphic candidates count.
    #[inline(never)]
    fn choose(&self, header: &Header, from: u32) -> Option<u32> {
        let needs = &self.fields[header.id as usize].needs;
        let mut index = header.mask.next(from);
        while index < header.size {
            if header.class != NO_CLASS && index >= header.first {
                match self.object(header, index) {
                    Pick::Take => {}
                    Pick::From(at) => {
                        index = header.mask.next(at);
                        continue;
                    }
                    Pick::End => return None,
                }
            }
            if needs.is_empty() || self.affordable(&needs[index as usize]) {
                return Some(index);
            }
            index = header.mask.next(index + 1);
        }
        None
    }

    /// Whether a pointer may take the object at `index`: any seen, one fresh;
    /// owned pointers only the fresh one.
    fn object(&self, header: &Header, index: u32) -> Pick {
        let owned = self.fields[header.id as usize].owned;
        let object = index - header.first;
        let fresh = (header.high_before.get() + 1) as u32;
        let class = &self.classes[header.class as usize];
        if !self.switches.isomorphism {
            let taken = owned && self.taken(header, object);
            return if taken { Pick::From(index + 1) } else { Pick::Take };
        }
        if object > fresh {
            return Pick::End;
        }
        if object < fresh {
            return if owned { Pick::From(header.first + fresh) } else { Pick::Take };
        }
        let left = class.count.saturating_sub(fresh);
        if left <= class.pending || !self.affordable(&class.needs) { Pick::End } else { Pick::Take }
    }

    /// Whether an object already has an owner on the trail.
    fn taken(&self, header: &Header, object: u32) -> bool {
        (0..self.stack.len()).map(|place| self.at(place)).any(|other| {
            other.id != header.id
                && other.class == header.class
                && other.index.get() == object + other.first
        })
    }

    fn affordable(&self, needs: &Needs) -> bool {
        needs.iter().all(|&(class, count)| {
            let class = &self.classes[class as usize];
            class.count as i64 - (class.high as i64 + 1) - class.pending as i64 >= count as i64
        })
    }

    fn apply(&mut self, field: u32, index: u32) {
        self.account(field, index, |pending, count| pending + count);
        let header = self.header(field);
        if header.class != NO_CLASS && index >= header.first {
            let class = &mut self.classes[header.class as usize];
            class.high = class.high.max((index - header.first) as i32);
        }
    }

    fn undo(&mut self, header: &Header) {
        if header.class != NO_CLASS {
            self.classes[header.class as usize].high = header.high_before.get();
        }
        let index = header.index.get();
        self.account(header.id, index, |pending, count| pending.saturating_sub(count));
    }

    /// Books or releases what a value claims of other classes. Called while
    /// `high` stands as before the choice.
    #[inline]
    fn account(&mut self, field: u32, index: u32, book: fn(u32, u32) -> u32) {
        let header = self.header(field);
        let Inner { fields, classes, .. } = self;
        if let Some(needs) = fields[field as usize].needs.get(index as usize) {
            for &(class, count) in needs {
                let pending = &mut classes[class as usize].pending;
                *pending = book(*pending, count);
            }
        }
        if header.class == NO_CLASS || index < header.first {
            return;
        }
        let class = &classes[header.class as usize];
        if class.needs.is_empty() || (index - header.first) as i32 <= class.high {
            return;
        }
        for (class, count) in class.needs.clone() {
            let pending = &mut classes[class as usize].pending;
            *pending = book(*pending, count);
        }
    }

    /// Moves to the next candidate; `false` when there is none.
    pub(crate) fn backtrack(&mut self) -> bool {
        self.backtrack_to(self.base)
    }

    /// As `backtrack`, with the first fields of the stack as they are.
    #[inline]
    fn backtrack_to(&mut self, floor: usize) -> bool {
        while self.stack.len() > floor {
            let top = self.stack.len() - 1;
            let header = self.at(top);
            self.unset(header);
            let index = self.pick(header, header.index.get() + 1);
            if index < header.size {
                self.set(header, index);
                self.release_held(top as u32);
                return true;
            }
            self.park(header);
        }
        self.release_held(floor as u32);
        false
    }

    /// The last field leaves the stack: back to how it was before the read.
    #[inline(always)]
    fn park(&mut self, header: &Header) {
        self.stack.pop();
        self.give_back_promised(header);
        header.state.set(if header.was_held.get() { state::HELD } else { state::UNSEEN });
        header.index.set(0);
    }

    /// Whether every field that can be reached has been looked at, judged by
    /// counting alone. `false` means: go and look.
    pub(crate) fn all_reached(&self) -> bool {
        if self.has_weak || !self.switches.isomorphism {
            return false;
        }
        // Who knows the length may read slots that no index reaches, and then
        // there is something else to count.
        let mut lengths = self.classes.iter().filter_map(|class| class.length);
        if lengths.any(|field| self.header(field).state.get() == state::SEEN) {
            return false;
        }
        let used: u32 = self.classes.iter().map(|c| (c.high + 1) as u32 * c.cells).sum();
        let looked_at = self.stack.len() + self.waiting().count();
        self.root_cells + used == looked_at as u32
    }

    /// Whether every arena whose length was read is exactly as long as its
    /// reached part.
    pub(crate) fn arenas_are_full(&self) -> bool {
        self.classes.iter().all(|class| match class.length {
            Some(field) if self.header(field).state.get() == state::SEEN => {
                self.header(field).index.get() as i32 == class.high + 1
            }
            _ => true,
        })
    }
}

enum Pick {
    Take,
    From(u32),
    End,
}
