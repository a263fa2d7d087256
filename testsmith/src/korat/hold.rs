//! What generators restrict: fields that are *held*.
//!
//! A field that is restricted but never read is held: the outcome of the run
//! cannot depend on which of the allowed values it has, so the values are
//! tried in `product` without running the predicate. A chain holds several
//! fields at once, each within bounds that the one before it sets.
//!
//! Nothing here looks at values: generators turn their constraints into sets
//! of indexes first.

use std::rc::Rc;

use super::cell::{Header, Lazy, TwinType, state};
use super::mask::Mask;
use super::trail::{Inner, NO_CLASS, Trail};

/// A field that a generator restricted.
pub(crate) struct Held {
    pub field: u32,
    pub mask: Mask,
    /// The length of the trail when the generator ran.
    pub depth: u32,
    /// Which generator call of the run this was.
    pub call: u32,
    /// The call that held the field before, if one did.
    pub earlier: Option<u32>,
    /// What the value must also satisfy.
    pub link: Option<Rc<Link>>,
}

/// The place of every value of a domain in an order that several share.
type Ranks = Rc<[u32]>;

/// A bound that one field of a chain sets for the next.
pub(crate) struct Link {
    /// The field before.
    pub before: u32,
    /// Whether equal values are excluded.
    pub strict: bool,
    /// The order of the values of both fields, by index; `None` when the
    /// domains are the same and in order.
    pub ranks: Option<(Ranks, Ranks)>,
}

impl Link {
    /// The part of `mask` that is legal after the value `before`.
    pub(crate) fn bound(&self, mask: &Mask, size: u32, before: u32) -> Mask {
        let strict = u32::from(self.strict);
        match &self.ranks {
            None => mask.starting_at(size, before + strict),
            Some((theirs, ours)) => {
                let least = theirs[before as usize] + strict;
                Mask::of(size, |i| ours[i as usize] >= least && mask.contains(i))
            }
        }
    }
}

impl Trail {
    fn next_call(&self) -> u32 {
        let call = self.calls.get() + 1;
        self.calls.set(call);
        call
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
        let call = self.next_call();
        match header.state.get() {
            state::SEEN => allows(cell),
            state::HELD if header.call.get() == call => true,
            _ if self.directed.get() => self.hold(cell, &allows, call),
            _ => allows(cell),
        }
    }

    #[inline(never)]
    fn hold<T: TwinType>(&self, cell: &Lazy<T>, allows: &impl Fn(&T) -> bool, call: u32) -> bool {
        let header = cell.header();
        // The constraint may look at fields, so the trail is not borrowed yet.
        if header.state.get() == state::HELD && self.inner.borrow().is_held_by(header, call) {
            return true;
        }
        let mask = Mask::of(header.size, |i| allows(cell.value(i)));
        self.inner.borrow_mut().hold(header, mask, call)
    }

    /// Restricts a pointer to nothing or a fresh object.
    pub(crate) fn restrict_to_fresh(&self, header: &Header) {
        if header.state.get() != state::UNSEEN {
            return;
        }
        let mut inner = self.inner.borrow_mut();
        if !inner.switches.generators || !inner.switches.isomorphism || header.class == NO_CLASS {
            return;
        }
        let fresh = header.first + (inner.high(header) + 1) as u32;
        let mask = Mask::of(header.size, |i| i < header.first || i == fresh);
        inner.push(header, mask, false);
    }

    /// Restricts fields to ascending values, without equal neighbours if
    /// `strict`. `None` means that the search is not directed: the caller has
    /// to look at the values.
    pub(crate) fn chain<T: TwinType + Ord>(
        &self,
        cells: &[&Lazy<T>],
        strict: bool,
    ) -> Option<bool> {
        let call = self.next_call();
        if !self.directed.get() {
            return None;
        }
        let mut inner = self.inner.borrow_mut();
        if cells.iter().any(|cell| inner.is_held_by(cell.header(), call)) {
            return Some(true);
        }
        let ranks = ranks(cells);
        let order = |at: usize, index: u32| ranks.as_ref().map_or(index, |r| r[at][index as usize]);
        let mut masks: Vec<Mask> = cells.iter().map(|cell| inner.allowed(cell.header())).collect();
        // From the last on: a value must leave room for a greater one.
        let mut most = None;
        for (at, mask) in masks.iter_mut().enumerate().rev() {
            let size = cells[at].header().size;
            *mask = Mask::of(size, |i| {
                mask.contains(i)
                    && most.is_none_or(|most: u32| order(at, i) + u32::from(strict) <= most)
            });
            most = (0..size).filter(|i| mask.contains(*i)).map(|i| order(at, i)).max();
            if most.is_none() {
                return Some(false);
            }
        }
        for (at, mask) in masks.into_iter().enumerate() {
            let link = at.checked_sub(1).map(|last| Link {
                before: cells[last].header().id,
                strict,
                ranks: ranks.as_ref().map(|r| (Rc::clone(&r[last]), Rc::clone(&r[at]))),
            });
            let before = at.checked_sub(1).map(|last| cells[last].header());
            if !inner.hold_after(cells[at].header(), mask, call, before.zip(link)) {
                return Some(false);
            }
        }
        Some(true)
    }
}

/// The place of every value of every field among all their values; `None`
/// when all domains are the same and in order, so that indexes tell.
fn ranks<T: TwinType + Ord>(cells: &[&Lazy<T>]) -> Option<Vec<Ranks>> {
    let values = |cell: &'_ &Lazy<T>| (0..cell.header().size).collect::<Vec<u32>>();
    let first = cells.first()?;
    let size = first.header().size;
    let aligned = (1..size).all(|i| first.value(i - 1) < first.value(i))
        && cells.iter().all(|cell| {
            cell.header().size == size && (0..size).all(|i| cell.value(i) == first.value(i))
        });
    if aligned {
        return None;
    }
    let mut all: Vec<&T> = Vec::new();
    for cell in cells {
        all.extend(values(cell).into_iter().map(|i| cell.value(i)));
    }
    all.sort_unstable();
    all.dedup();
    let rank = |value: &T| all.binary_search(&value).expect("every value is there") as u32;
    let of = |cell: &&Lazy<T>| values(cell).into_iter().map(|i| rank(cell.value(i))).collect();
    Some(cells.iter().map(of).collect())
}

impl Inner {
    /// Whether the outcome of a run need not depend on which value an unread
    /// field has, and varying it needs no look at what lies behind it.
    pub(crate) fn may_vary(&self, header: &Header) -> bool {
        self.fields[header.id as usize].terminal && self.switches.reuse
    }

    fn is_held_by(&self, header: &Header, call: u32) -> bool {
        header.state.get() == state::HELD
            && (header.call.get() == call
                || self.held.iter().any(|held| held.field == header.id && held.call == call))
    }

    /// The restriction in force, for a held field.
    fn held(&self, header: &Header) -> &Held {
        let held = self.held.iter().rev().find(|held| held.field == header.id);
        held.expect("a field is held by an entry of the list")
    }

    /// The restrictions in force on fields that nobody has read.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Held> {
        self.held.iter().filter(|held| {
            let header = self.header(held.field);
            header.state.get() == state::HELD && header.call.get() == held.call
        })
    }

    /// The values a field may still take.
    fn allowed(&self, header: &Header) -> Mask {
        match header.state.get() {
            state::SEEN => Mask::single(header.size, header.index.get()),
            state::HELD => self.held(header).mask.clone(),
            _ => Mask::ALL,
        }
    }

    #[inline]
    fn hold(&mut self, header: &Header, mask: Mask, call: u32) -> bool {
        let (earlier, mask, link) = match header.state.get() {
            state::HELD => {
                let held = self.held(header);
                let both = held.mask.and(&mask, header.size);
                (Some(held.call), both, held.link.clone())
            }
            _ => (None, mask, None),
        };
        if mask.is_empty(header.size) {
            return false;
        }
        if !self.may_vary(header) {
            return self.push(header, mask, false);
        }
        header.state.set(state::HELD);
        header.call.set(call);
        let depth = self.stack.len() as u32;
        self.held.push(Held { field: header.id, mask, depth, call, earlier, link });
        true
    }

    /// Holds the next field of a chain within the bound that `before` sets.
    fn hold_after(
        &mut self,
        header: &Header,
        mask: Mask,
        call: u32,
        before: Option<(&Header, Link)>,
    ) -> bool {
        let Some((before, link)) = before else {
            return header.state.get() == state::SEEN || self.hold(header, mask, call);
        };
        // A field has one bound at most: of two, one is settled by reading.
        if header.state.get() == state::HELD
            && self.held(header).link.is_some()
            && !(self.read_held(header) && self.read(before))
        {
            return false;
        }
        match (before.state.get(), header.state.get()) {
            (state::SEEN, now) => {
                let mask = link.bound(&mask, header.size, before.index.get());
                let value = header.index.get();
                return if now == state::SEEN {
                    mask.contains(value)
                } else {
                    self.hold(header, mask, call)
                };
            }
            // What the field before may take leaves room for this value.
            (_, state::SEEN) => return true,
            _ => {}
        }
        if !self.hold(header, mask, call) {
            return false;
        }
        self.held.last_mut().expect("it was just held").link = Some(Rc::new(link));
        true
    }

    fn read(&mut self, header: &Header) -> bool {
        header.state.get() == state::SEEN || self.read_held(header)
    }

    /// A held field is read after all: it joins the stack, and with it what
    /// sets its bound.
    pub(crate) fn read_held(&mut self, header: &Header) -> bool {
        let Held { mask, link, .. } = self.held(header);
        let (mut mask, link) = (mask.clone(), link.clone());
        if let Some(link) = link {
            let before = self.header(link.before);
            if !self.read(before) {
                return false;
            }
            mask = link.bound(&mask, header.size, before.index.get());
        }
        self.push(header, mask, true)
    }

    /// Forgets the restrictions that rested on values read since `depth`.
    #[inline]
    pub(crate) fn release_held(&mut self, depth: u32) {
        while let Some(held) = self.held.last() {
            if held.depth <= depth {
                break;
            }
            let header = self.header(held.field);
            match held.earlier {
                Some(call) => header.call.set(call),
                None => {
                    header.state.set(state::UNSEEN);
                    header.index.set(0);
                }
            }
            self.held.pop();
        }
    }
}
