//! The trail: which fields the predicate looked at, in which order, and what
//! they are set to. It is the stack of the paper's figure 7.
//!
//! The trail is untyped: a field is a number, a value is an index. It decides
//! the next value of a field (lexicographic order, isomorphism breaking,
//! ownership) and never runs a predicate; `search` does.
//!
//! Three ideas go beyond the figure:
//! - The stack survives from one run to the next, since a deterministic
//!   predicate repeats itself up to the field that changed. A read of a field
//!   that is on the stack costs one comparison.
//! - Owned pointers (`Box`) choose between nothing and one fresh object.
//! - A field restricted by a generator but never read is *held*: the outcome
//!   of the run cannot depend on which of the allowed values it has. The held
//!   fields of a valid candidate are varied without running the predicate.

use std::cell::{Cell, RefCell};

use super::cell::{Header, Lazy, TwinType, state};
use super::mask::Mask;

pub(crate) const NO_CLASS: u32 = u32::MAX;

/// Products with more combinations than two to this are shared by threads.
const SHARED_BITS: f64 = 14.0;

/// Demands on a class of objects: `(class, how many)`.
pub(crate) type Needs = Vec<(u32, u32)>;

/// What the search knows of one field.
pub(crate) struct Field {
    pub header: *const Header,
    pub name: String,
    pub size: u32,
    pub class: u32,
    /// The index of the first object of `class` in the domain.
    pub first: u32,
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

/// A field on the trail.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub field: u32,
    /// `high` of the field's class before this choice: the cached maximum.
    pub high_before: i32,
    pub was_held: bool,
    pub mask: Mask,
}

/// A field that a generator restricted.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub field: u32,
    pub mask: Mask,
    /// The length of the trail when the generator ran.
    pub depth: u32,
    /// Which generator call of the run this was.
    pub call: u32,
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
    pub stack: Vec<Choice>,
    pub held: Vec<Held>,
    pub free: Vec<Choice>,
    /// The stack is never backtracked below this length.
    pub base: usize,
    pub switches: Switches,
}

pub struct Trail {
    pub(crate) inner: RefCell<Inner>,
    /// How many generators were called in this run.
    pub(crate) calls: Cell<u32>,
    /// Whether generators direct the search.
    pub(crate) directed: Cell<bool>,
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
                free: Vec::new(),
                base: 0,
                switches,
            }),
            calls: Cell::new(0),
            directed: Cell::new(true),
        }
    }

    /// The number of values of a field.
    pub(crate) fn size(&self, field: u32) -> u32 {
        self.inner.borrow().fields[field as usize].size
    }

    /// The predicate reads a field for the first time.
    pub(crate) fn read(&self, header: &Header) {
        let mut inner = self.inner.borrow_mut();
        let was_held = header.state.get() == state::HELD;
        let mask = if was_held { inner.held_mask(header.id) } else { Mask::All };
        if !inner.push(header.id, mask, was_held) {
            drop(inner);
            std::panic::resume_unwind(Box::new(OutOfObjects));
        }
    }

    /// Restricts a field to the values that `allows` accepts.
    ///
    /// `false` means that the field has no such value and the predicate fails
    /// whatever the field is set to.
    #[inline]
    pub(crate) fn restrict<T: TwinType>(
        &self,
        cell: &Lazy<T>,
        allows: impl Fn(&T) -> bool,
    ) -> bool {
        if T::INLINE {
            return allows(cell);
        }
        let header = cell.header();
        let call = self.calls.get() + 1;
        self.calls.set(call);
        match header.state.get() {
            state::SEEN => allows(cell),
            state::HELD if header.call.get() == call => true,
            state::UNSEEN if self.directed.get() => self.hold(cell, &allows, call),
            _ => allows(cell),
        }
    }

    #[inline(never)]
    fn hold<T: TwinType>(&self, cell: &Lazy<T>, allows: &impl Fn(&T) -> bool, call: u32) -> bool {
        let id = cell.header().id;
        let mask = Mask::of(self.size(id), |i| allows(cell.value(i)));
        self.inner.borrow_mut().hold(id, mask, call)
    }

    /// Restricts a pointer to nothing or a fresh object.
    pub(crate) fn restrict_to_fresh(&self, header: &Header) {
        if header.state.get() != state::UNSEEN {
            return;
        }
        let mut inner = self.inner.borrow_mut();
        if !inner.switches.generators || !inner.switches.isomorphism {
            return;
        }
        let field = &inner.fields[header.id as usize];
        let first = field.first;
        let fresh = first + (inner.classes[field.class as usize].high + 1) as u32;
        let mask = Mask::of(field.size, |i| i < first || i == fresh);
        inner.push(header.id, mask, false);
    }
}

impl Inner {
    pub(crate) fn header(&self, field: u32) -> &Header {
        // SAFETY: headers are boxed in the `Space` that owns this trail.
        unsafe { &*self.fields[field as usize].header }
    }

    fn held_mask(&self, field: u32) -> Mask {
        let held = self.held.iter().rev().find(|held| held.field == field);
        held.map_or(Mask::All, |held| held.mask.clone())
    }

    /// Puts a field on the stack at its first allowed value.
    pub(crate) fn push(&mut self, field: u32, mask: Mask, was_held: bool) -> bool {
        let Some((choice, index)) = self.first_choice(field, mask, was_held) else { return false };
        let header = self.header(field);
        header.index.set(index);
        header.state.set(state::SEEN);
        self.stack.push(choice);
        true
    }

    /// Puts a field on the stack at a known value.
    pub(crate) fn push_at(&mut self, field: u32, index: u32, was_held: bool, mask: Mask) {
        let high_before = self.high(field);
        if self.mandatory(field) {
            let class = self.fields[field as usize].class as usize;
            self.classes[class].pending = self.classes[class].pending.saturating_sub(1);
        }
        self.apply(field, index);
        let header = self.header(field);
        header.index.set(index);
        header.state.set(state::SEEN);
        self.stack.push(Choice { field, high_before, was_held, mask });
    }

    /// Takes everything off the trail.
    pub(crate) fn reset(&mut self) {
        self.drop_free();
        self.base = 0;
        while let Some(choice) = self.stack.pop() {
            self.undo(choice.high_before, choice.field);
            if self.mandatory(choice.field) {
                let class = self.fields[choice.field as usize].class as usize;
                self.classes[class].pending += 1;
            }
            self.park(&choice);
        }
        while let Some(held) = self.held.pop() {
            self.header(held.field).state.set(state::UNSEEN);
        }
    }

    /// The lowest position above the base whose field has another value, for
    /// handing the rest of its values to another thread.
    pub(crate) fn splittable(&self) -> Option<usize> {
        (self.base..self.stack.len()).find(|&at| {
            let choice = &self.stack[at];
            self.choose(choice, self.header(choice.field).index.get() + 1).is_some()
        })
    }

    fn first_choice(&mut self, field: u32, mask: Mask, was_held: bool) -> Option<(Choice, u32)> {
        let high_before = self.high(field);
        let choice = Choice { field, high_before, was_held, mask };
        if self.mandatory(field) {
            let class = self.fields[field as usize].class as usize;
            self.classes[class].pending = self.classes[class].pending.saturating_sub(1);
        }
        let index = self.choose(&choice, 0)?;
        self.apply(field, index);
        Some((choice, index))
    }

    fn high(&self, field: u32) -> i32 {
        match self.fields[field as usize].class {
            NO_CLASS => -1,
            class => self.classes[class as usize].high,
        }
    }

    /// A `Box` that is not optional: it takes the fresh object promised to it.
    fn mandatory(&self, field: u32) -> bool {
        let field = &self.fields[field as usize];
        field.owned && field.first == 0
    }

    /// The least legal index of a choice that is at least `from`.
    #[inline]
    fn choose(&self, choice: &Choice, from: u32) -> Option<u32> {
        let field = &self.fields[choice.field as usize];
        let mut index = choice.mask.next(from);
        if field.class == NO_CLASS && field.needs.is_empty() {
            return (index < field.size).then_some(index);
        }
        while index < field.size {
            if field.class != NO_CLASS && index >= field.first {
                match self.object(choice, field, index) {
                    Pick::Take => {}
                    Pick::From(at) => {
                        index = choice.mask.next(at);
                        continue;
                    }
                    Pick::End => return None,
                }
            }
            if field.needs.is_empty() || self.affordable(&field.needs[index as usize]) {
                return Some(index);
            }
            index = choice.mask.next(index + 1);
        }
        None
    }

    /// Whether a pointer may take the object at `index`: any seen, one fresh;
    /// owned pointers only the fresh one.
    fn object(&self, choice: &Choice, field: &Field, index: u32) -> Pick {
        let object = index - field.first;
        let fresh = (choice.high_before + 1) as u32;
        let class = &self.classes[field.class as usize];
        if !self.switches.isomorphism {
            let taken = field.owned && self.taken(choice, field, object);
            return if taken { Pick::From(index + 1) } else { Pick::Take };
        }
        if object > fresh {
            return Pick::End;
        }
        if object < fresh {
            return if field.owned { Pick::From(field.first + fresh) } else { Pick::Take };
        }
        let left = class.count.saturating_sub(fresh);
        if left <= class.pending || !self.affordable(&class.needs) { Pick::End } else { Pick::Take }
    }

    /// Whether an object already has an owner on the trail.
    fn taken(&self, choice: &Choice, field: &Field, object: u32) -> bool {
        let owner = |other: &Choice| {
            let f = &self.fields[other.field as usize];
            other.field != choice.field
                && f.class == field.class
                && self.header(other.field).index.get() == object + f.first
        };
        self.stack.iter().chain(&self.free).any(owner)
    }

    fn affordable(&self, needs: &Needs) -> bool {
        needs.iter().all(|&(class, count)| {
            let class = &self.classes[class as usize];
            class.count as i64 - (class.high as i64 + 1) - class.pending as i64 >= count as i64
        })
    }

    fn apply(&mut self, field: u32, index: u32) {
        self.account(field, index, |pending, count| pending + count);
        let field = &self.fields[field as usize];
        if field.class != NO_CLASS && index >= field.first {
            let class = &mut self.classes[field.class as usize];
            class.high = class.high.max((index - field.first) as i32);
        }
    }

    fn undo(&mut self, choice_high: i32, field: u32) {
        let index = self.header(field).index.get();
        let class = self.fields[field as usize].class;
        if class != NO_CLASS {
            self.classes[class as usize].high = choice_high;
        }
        self.account(field, index, |pending, count| pending.saturating_sub(count));
    }

    /// Books or releases what a value claims of other classes. Called while
    /// `high` stands as before the choice.
    #[inline]
    fn account(&mut self, field: u32, index: u32, book: fn(u32, u32) -> u32) {
        let Inner { fields, classes, .. } = self;
        let field = &fields[field as usize];
        if let Some(needs) = field.needs.get(index as usize) {
            for &(class, count) in needs {
                let pending = &mut classes[class as usize].pending;
                *pending = book(*pending, count);
            }
        }
        if field.class == NO_CLASS || index < field.first {
            return;
        }
        let class = &classes[field.class as usize];
        if class.needs.is_empty() || (index - field.first) as i32 <= class.high {
            return;
        }
        for (class, count) in class.needs.clone() {
            let pending = &mut classes[class as usize].pending;
            *pending = book(*pending, count);
        }
    }

    /// Moves to the next candidate; `false` when there is none.
    pub(crate) fn backtrack(&mut self) -> bool {
        while self.stack.len() > self.base {
            let top = self.stack.len() - 1;
            let (field, high) = (self.stack[top].field, self.stack[top].high_before);
            self.undo(high, field);
            let from = self.header(field).index.get() + 1;
            if let Some(index) = self.choose(&self.stack[top], from) {
                self.header(field).index.set(index);
                self.apply(field, index);
                self.release_held(top as u32);
                return true;
            }
            let choice = self.stack.pop().expect("the loop saw a top");
            if self.mandatory(field) {
                let class = self.fields[field as usize].class as usize;
                self.classes[class].pending += 1;
            }
            self.park(&choice);
        }
        self.release_held(self.base as u32);
        false
    }

    /// A field leaves the stack: back to how it was before the read.
    fn park(&self, choice: &Choice) {
        let header = self.header(choice.field);
        header.state.set(if choice.was_held { state::HELD } else { state::UNSEEN });
        header.index.set(0);
    }

    /// Forgets the restrictions that rested on values read since `depth`.
    fn release_held(&mut self, depth: u32) {
        while let Some(held) = self.held.last() {
            if held.depth <= depth {
                break;
            }
            let header = self.header(held.field);
            header.state.set(state::UNSEEN);
            header.index.set(0);
            self.held.pop();
        }
    }

    fn hold(&mut self, field: u32, mask: Mask, call: u32) -> bool {
        if mask.next(0) >= self.fields[field as usize].size {
            return false;
        }
        if !self.fields[field as usize].terminal || !self.switches.reuse {
            return self.push(field, mask, false);
        }
        self.header(field).state.set(state::HELD);
        self.header(field).call.set(call);
        let depth = self.stack.len() as u32;
        self.held.push(Held { field, mask, depth, call });
        true
    }

    /// Lines up the fields of a valid candidate on which the outcome does not
    /// depend: held ones, and `unread` ones. `false` when some held field has
    /// no value left (its class ran out of objects).
    pub(crate) fn free(&mut self, unread: &[u32]) -> bool {
        debug_assert!(self.free.is_empty(), "the last product was finished");
        let mut complete = true;
        for at in 0..self.held.len() {
            let Held { field, mask, .. } = &self.held[at];
            let (field, mask) = (*field, mask.clone());
            if self.header(field).state.get() == state::HELD {
                complete = complete && self.push_free(field, mask, true);
            }
        }
        for field in unread {
            complete = complete && self.push_free(*field, Mask::All, false);
        }
        if !complete {
            self.drop_free();
        }
        complete
    }

    /// Puts the first of the fields to vary on the stack until the rest has
    /// few combinations, so that threads can share them. `false` when one of
    /// them has no value left.
    pub(crate) fn promote(&mut self, unread: &mut Vec<u32>) -> bool {
        let bits = |inner: &Inner, field: u32, mask: &Mask| {
            f64::from(mask.count(inner.fields[field as usize].size)).log2()
        };
        let waiting = |inner: &Inner, field: u32| inner.header(field).state.get() == state::HELD;
        let held = self.held.iter().filter(|held| waiting(self, held.field));
        let mut left: f64 = held.map(|held| bits(self, held.field, &held.mask)).sum();
        left += unread.iter().map(|field| bits(self, *field, &Mask::All)).sum::<f64>();
        let mut at = 0;
        while left > SHARED_BITS && at < self.held.len() {
            let (field, mask) = (self.held[at].field, self.held[at].mask.clone());
            if waiting(self, field) {
                left -= bits(self, field, &mask);
                if !self.push(field, mask, true) {
                    return false;
                }
            }
            at += 1;
        }
        while left > SHARED_BITS && !unread.is_empty() {
            let field = unread.remove(0);
            left -= bits(self, field, &Mask::All);
            if !self.push(field, Mask::All, false) {
                return false;
            }
        }
        true
    }

    fn push_free(&mut self, field: u32, mask: Mask, was_held: bool) -> bool {
        let Some((choice, index)) = self.first_choice(field, mask, was_held) else { return false };
        self.header(field).index.set(index);
        self.free.push(choice);
        true
    }

    fn drop_free(&mut self) {
        while let Some(choice) = self.free.pop() {
            self.undo(choice.high_before, choice.field);
            self.header(choice.field).index.set(0);
        }
    }

    /// The next combination of the free fields; `false` after the last.
    #[inline]
    pub(crate) fn next_free(&mut self) -> bool {
        if let Some(last) = self.free.last() {
            let field = &self.fields[last.field as usize];
            if field.class == NO_CLASS && field.needs.is_empty() {
                let header = self.header(last.field);
                let index = last.mask.next(header.index.get() + 1);
                if index < field.size {
                    header.index.set(index);
                    return true;
                }
            }
        }
        let mut at = self.free.len();
        while at > 0 {
            at -= 1;
            let (field, high) = (self.free[at].field, self.free[at].high_before);
            self.undo(high, field);
            let from = self.header(field).index.get() + 1;
            if let Some(index) = self.choose(&self.free[at], from) {
                self.header(field).index.set(index);
                self.apply(field, index);
                if self.restart_free(at + 1) {
                    return true;
                }
                at += 1;
            } else {
                self.header(field).index.set(0);
            }
        }
        self.free.clear();
        false
    }

    /// Sets the free fields from `at` on to their first values again.
    fn restart_free(&mut self, at: usize) -> bool {
        for later in at..self.free.len() {
            let field = self.free[later].field;
            self.free[later].high_before = self.high(field);
            match self.choose(&self.free[later], 0) {
                Some(index) => {
                    self.header(field).index.set(index);
                    self.apply(field, index);
                }
                None => {
                    // Only a restricted pointer can find nothing here; the
                    // fields before it are already set, those after are not.
                    for set in (at..later).rev() {
                        let (field, high) = (self.free[set].field, self.free[set].high_before);
                        self.undo(high, field);
                        self.header(field).index.set(0);
                    }
                    return false;
                }
            }
        }
        true
    }

    /// Whether every field that can be reached has been looked at, judged by
    /// counting alone. `false` means: go and look.
    pub(crate) fn all_reached(&self) -> bool {
        if self.has_weak || !self.switches.isomorphism {
            return false;
        }
        let used: u32 = self.classes.iter().map(|c| (c.high + 1) as u32 * c.cells).sum();
        let waiting = self.held.iter().filter(|h| self.header(h.field).state.get() == state::HELD);
        // The length of an arena follows from its use and is no cell of its own.
        let lengths = self.classes.iter().filter_map(|class| class.length);
        let lengths = lengths.filter(|field| self.header(*field).state.get() == state::SEEN);
        let looked_at = self.stack.len() + waiting.count() - lengths.count();
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

/// A walk over everything that can be reached from the root.
pub struct Reach<'a> {
    trail: &'a Trail,
    visited: Vec<*const ()>,
    weak: Vec<*const ()>,
    two_owners: bool,
    pub(crate) unread: Vec<u32>,
}

impl<'a> Reach<'a> {
    pub(crate) fn new(trail: &'a Trail) -> Self {
        Reach {
            trail,
            visited: Vec::new(),
            weak: Vec::new(),
            two_owners: false,
            unread: Vec::new(),
        }
    }

    /// Visits a cell: notes it when nobody has read it, then goes on to its
    /// value. Fields that lead further join the stack at once, because what
    /// lies behind them depends on their value.
    pub fn cell<T: TwinType>(&mut self, cell: &Lazy<T>) {
        if !T::INLINE && cell.header().state.get() == state::UNSEEN {
            let id = cell.header().id;
            let mut inner = self.trail.inner.borrow_mut();
            let free = inner.fields[id as usize].terminal && inner.switches.reuse;
            if free {
                self.unread.push(id);
            } else if !inner.push(id, Mask::All, false) {
                return;
            }
        }
        cell.peek().reach(self);
    }

    /// Whether the object behind a pointer is visited for the first time.
    pub fn enter(&mut self, object: *const ()) -> bool {
        let new = !self.visited.contains(&object);
        if new {
            self.visited.push(object);
        }
        new
    }

    /// As `enter`, for an object that may have only one owner.
    pub(crate) fn enter_owned(&mut self, object: *const ()) -> bool {
        let new = self.enter(object);
        self.two_owners |= !new;
        new
    }

    /// Whether what was walked is a value that Rust could hold.
    pub(crate) fn is_structure(&self) -> bool {
        !self.two_owners && self.weak_targets_live()
    }

    /// How many elements of an arena are in use so far.
    pub(crate) fn arena_len(&self, class: u32) -> usize {
        (self.trail.inner.borrow().classes[class as usize].high + 1) as usize
    }

    /// Notes the target of a weak pointer.
    pub fn weak(&mut self, object: *const ()) {
        self.weak.push(object);
    }

    /// Whether every weak pointer points at something that is kept alive.
    pub(crate) fn weak_targets_live(&self) -> bool {
        self.weak.iter().all(|object| self.visited.contains(object))
    }
}
