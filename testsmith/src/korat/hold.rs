//! What generators restrict: fields that are *held*.
//!
//! A field that is restricted but never read is held: the outcome of the run
//! cannot depend on which of the allowed values it has, so the values are
//! tried in `product` without running the predicate. A chain also *links*
//! fields: of two neighbours, whichever gets its value later is bounded by the
//! other. Fields may be held and linked any number of times, in any order.
//!
//! A clause whose effect cannot be written down like this (its constraint
//! reads fields, calls generators or panics) is left to be evaluated as the
//! plain check it also is; the answer tells.
//!
//! Nothing here looks at values: generators turn their constraints into sets
//! of indexes first.

use std::rc::Rc;

use super::cell::{Header, Lazy, TwinType, state};
use super::guard;
use super::mask::Mask;
use super::trail::{Inner, NO_CLASS, Trail};

/// No entry of a list.
pub(crate) const NOTHING: u32 = u32::MAX;

/// In place of a length of the trail: a constraint is evaluated on the value
/// that its field has.
const ON_ITS_VALUE: u32 = NOTHING - 1;

/// A field that a generator restricted.
pub(crate) struct Held {
    pub field: u32,
    pub mask: Mask,
    /// The length of the trail when the generator ran.
    depth: u32,
    /// The entry for the same field that this one narrows.
    earlier: u32,
    /// The number of the generator call.
    call: u32,
}

/// The place of every value of a domain in an order that several share.
type Ranks = Rc<[u32]>;

/// A bound that two neighbours of a chain set for each other.
pub(crate) struct Link {
    pub low: u32,
    pub high: u32,
    /// Whether equal values are excluded.
    strict: bool,
    /// The order of the values of both fields, by index; `None` when the
    /// domains are the same and in order.
    ranks: Option<(Ranks, Ranks)>,
    /// The length of the trail when the generator ran.
    depth: u32,
}

impl Link {
    /// Whether equal values are excluded, if indexes tell the order.
    pub(crate) fn by_index(&self) -> Option<bool> {
        self.ranks.is_none().then_some(self.strict)
    }

    /// The part of `mask`, for the higher field, that is legal beside an index
    /// of the lower one.
    pub(crate) fn above(&self, mask: &Mask, size: u32, low: u32) -> Mask {
        let strict = u32::from(self.strict);
        match &self.ranks {
            None => mask.starting_at(size, low + strict),
            Some((lows, highs)) => {
                let least = lows[low as usize] + strict;
                Mask::of(size, |i| highs[i as usize] >= least && mask.contains(i))
            }
        }
    }

    /// As `above`, for the lower field.
    pub(crate) fn below(&self, mask: &Mask, size: u32, high: u32) -> Mask {
        let strict = u32::from(self.strict);
        match &self.ranks {
            None => Mask::of(size, |i| i + strict <= high && mask.contains(i)),
            Some((lows, highs)) => {
                let most = highs[high as usize];
                Mask::of(size, |i| lows[i as usize] + strict <= most && mask.contains(i))
            }
        }
    }
}

/// What a generator call of this run came to, where the fields themselves do
/// not tell. Calls are numbered as they are made; as long as no field changes
/// that was read before a call, the next run makes the same call and gets the
/// same answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    /// The clause is written down, or cannot be satisfied.
    Held(bool),
    /// The clause is to be evaluated.
    Plain,
}

/// The answer of a call and the length of the trail when it was given.
pub(crate) struct Record {
    call: u32,
    answer: Answer,
    depth: u32,
}

impl Trail {
    /// Whether generators direct the search here: not inside of a constraint.
    #[inline(always)]
    fn directs(&self) -> bool {
        self.evaluates.get() == NOTHING
    }

    /// Numbers a generator call.
    #[inline(always)]
    fn next_call(&self) -> u32 {
        let call = self.calls.get();
        self.calls.set(call + 1);
        call
    }

    /// Notes what the call that was numbered last came to.
    fn record(&self, answer: Answer) {
        let mut inner = self.inner.borrow_mut();
        let (call, depth) = (self.calls.get() - 1, inner.stack.len() as u32);
        inner.records.push(Record { call, answer, depth });
        inner.rests = inner.rests.max(depth);
        self.depth.set(depth);
    }

    /// Evaluates a constraint on what the field holds. Generators in it are
    /// plain checks: their answers are good for this value only.
    #[inline]
    fn plain<T: TwinType>(&self, cell: &Lazy<T>, allows: &impl Fn(&T) -> bool) -> bool {
        let value: &T = cell;
        let before = self.evaluates.replace(ON_ITS_VALUE);
        let allowed = allows(value);
        self.evaluates.set(before);
        allowed
    }

    /// Restricts a field to the values that `allows` accepts.
    ///
    /// `false` means that the field has no such value and the predicate fails
    /// whatever the field is set to.
    #[inline(always)]
    pub(crate) fn restrict<T: TwinType>(
        &self,
        cell: &Lazy<T>,
        allows: impl Fn(&T) -> bool,
    ) -> bool {
        if T::INLINE || !self.directs() {
            return allows(cell);
        }
        let (header, call) = (cell.header(), self.next_call());
        // What this call has left of the field is what satisfies it.
        if header.call.get() == call && header.state.get() != state::UNSEEN {
            return true;
        }
        self.restrict_anew(cell, &allows, call)
    }

    #[inline(never)]
    fn restrict_anew<T: TwinType>(
        &self,
        cell: &Lazy<T>,
        allows: &impl Fn(&T) -> bool,
        call: u32,
    ) -> bool {
        let header = cell.header();
        if header.state.get() == state::SEEN {
            return self.plain(cell, allows);
        }
        let answer = self.inner.borrow().answer_about(header, call);
        match answer {
            Some(Answer::Held(answer)) => answer,
            Some(Answer::Plain) => self.plain(cell, allows),
            None => self.hold(cell, allows, call),
        }
    }

    #[inline]
    fn hold<T: TwinType>(&self, cell: &Lazy<T>, allows: &impl Fn(&T) -> bool, call: u32) -> bool {
        let header = cell.header();
        let mask = self.aside(|| Mask::of(header.size, |i| allows(cell.value(i))));
        // Once it is read, the field itself tells that the call is a plain one.
        let Some(mask) = mask else { return self.plain(cell, allows) };
        let mut inner = self.inner.borrow_mut();
        let answer = inner.hold(header, mask, call);
        self.depth.set(inner.stack.len() as u32);
        answer
    }

    /// What `look` says of values that no field has yet; `None` if it reads a
    /// field, which other values may not make it do. If it panics, the run is
    /// made again: see `recover`.
    fn aside<R>(&self, look: impl FnOnce() -> R) -> Option<R> {
        let depth = self.depth.get();
        let steps = guard::steps_left();
        self.evaluates.set(depth);
        let result = look();
        self.evaluates.set(NOTHING);
        guard::set_steps_left(steps);
        if self.depth.get() == depth {
            return Some(result);
        }
        self.inner.borrow_mut().unread_to(depth as usize);
        self.depth.set(depth);
        None
    }

    /// After a panic: whether a generator was trying values that the field need
    /// not have. Then its clause is a plain check from now on, and the run has
    /// to be made again.
    #[cold]
    pub(crate) fn recover(&self) -> bool {
        let depth = self.evaluates.replace(NOTHING);
        if depth >= ON_ITS_VALUE {
            return false;
        }
        self.inner.borrow_mut().unread_to(depth as usize);
        self.record(Answer::Plain);
        true
    }

    /// Takes objects that a traversal has visited out of what a pointer that
    /// nobody has read may point at.
    pub(crate) fn restrict_to_others(&self, header: &Header, visited: &[u32]) {
        if header.state.get() != state::UNSEEN || header.class == NO_CLASS || !self.directs() {
            return;
        }
        let mut inner = self.inner.borrow_mut();
        // An owned pointer points at nothing that was seen.
        if inner.fields[header.id as usize].owned && inner.switches.isomorphism {
            return;
        }
        let mask =
            Mask::of(header.size, |i| i < header.first || !visited.contains(&(i - header.first)));
        inner.push(header, mask, false);
        self.depth.set(inner.stack.len() as u32);
    }

    /// Restricts fields to ascending values, without equal neighbours if
    /// `strict`. `None` means that the caller has to look at the values.
    pub(crate) fn chain<T: TwinType + Ord>(
        &self,
        cells: &[&Lazy<T>],
        strict: bool,
    ) -> Option<bool> {
        if !self.directs() {
            return None;
        }
        let call = self.next_call();
        let answer = self.inner.borrow().answer(call);
        match answer {
            Some(Answer::Held(answer)) => return Some(answer),
            Some(Answer::Plain) => return None,
            None => {}
        }
        let Some(ranks) = self.aside(|| ranks(cells)) else {
            self.record(Answer::Plain);
            return None;
        };
        let headers: Vec<&Header> = cells.iter().map(|cell| cell.header()).collect();
        let answer = self.inner.borrow_mut().chain(&headers, strict, ranks.as_deref(), call);
        self.record(Answer::Held(answer));
        Some(answer)
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
            std::ptr::eq(cell.header(), first.header())
                || cell.header().size == size && (0..size).all(|i| cell.value(i) == first.value(i))
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

    /// The restrictions in force on fields that nobody has read.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Held> {
        let in_force = |(at, held): &(usize, &Held)| {
            let header = self.header(held.field);
            header.state.get() == state::HELD && header.held.get() as usize == *at
        };
        self.held.iter().enumerate().filter(in_force).map(|(_, held)| held)
    }

    /// What a call came to, if that was recorded.
    fn answer(&self, call: u32) -> Option<Answer> {
        let at = self.records.binary_search_by_key(&call, |record| record.call).ok()?;
        Some(self.records[at].answer)
    }

    /// What a call came to that restricts a field which nobody has read.
    #[inline(always)]
    fn answer_about(&self, header: &Header, call: u32) -> Option<Answer> {
        if header.state.get() == state::HELD {
            let mut entry = self.held.get(header.held.get() as usize);
            while let Some(held) = entry {
                if held.call == call {
                    return Some(Answer::Held(true));
                }
                entry = self.held.get(held.earlier as usize);
            }
        }
        if self.records.is_empty() { None } else { self.answer(call) }
    }

    /// The values a field may still take, its links aside.
    fn allowed(&self, header: &Header) -> Mask {
        match header.state.get() {
            state::SEEN => Mask::single(header.size, header.index.get()),
            state::HELD => self.held[header.held.get() as usize].mask.clone(),
            _ => Mask::ALL,
        }
    }

    /// What the values of linked fields that were read leave of a mask.
    fn linked(&self, header: &Header, mut mask: Mask) -> Mask {
        for link in &self.links {
            let other = if link.high == header.id { link.low } else { link.high };
            if (link.low != header.id && link.high != header.id)
                || self.header(other).state.get() != state::SEEN
            {
                continue;
            }
            let index = self.header(other).index.get();
            mask = if link.high == header.id {
                link.above(&mask, header.size, index)
            } else {
                link.below(&mask, header.size, index)
            };
        }
        mask
    }

    /// Narrows a field that was not read; one that cannot wait is read.
    #[inline]
    fn hold(&mut self, header: &Header, mask: Mask, call: u32) -> bool {
        let (earlier, mask) = match header.state.get() {
            state::HELD => {
                let at = header.held.get();
                (at, self.held[at as usize].mask.and(&mask, header.size))
            }
            _ => (NOTHING, mask),
        };
        if mask.is_empty(header.size) {
            return false;
        }
        if !self.may_vary(header) {
            let fits = self.push(header, mask, false);
            header.call.set(call);
            return fits;
        }
        header.state.set(state::HELD);
        header.held.set(self.held.len() as u32);
        header.call.set(call);
        let depth = self.stack.len() as u32;
        self.held.push(Held { field: header.id, mask, depth, earlier, call });
        self.rests = self.rests.max(depth);
        true
    }

    /// Holds fields in ascending order.
    fn chain(
        &mut self,
        headers: &[&Header],
        strict: bool,
        ranks: Option<&[Ranks]>,
        call: u32,
    ) -> bool {
        let order = |at: usize, index: u32| ranks.map_or(index, |ranks| ranks[at][index as usize]);
        let mut masks: Vec<Mask> = headers.iter().map(|header| self.allowed(header)).collect();
        // From the last on: a value must leave room for a greater one.
        let mut most = None;
        for (at, mask) in masks.iter_mut().enumerate().rev() {
            let size = headers[at].size;
            *mask = Mask::of(size, |i| {
                mask.contains(i)
                    && most.is_none_or(|most: u32| order(at, i) + u32::from(strict) <= most)
            });
            most = (0..size).filter(|i| mask.contains(*i)).map(|i| order(at, i)).max();
            if most.is_none() {
                return false;
            }
        }
        for (at, mut mask) in masks.into_iter().enumerate() {
            let header = headers[at];
            let was_seen = header.state.get() == state::SEEN;
            // Nothing is less than itself.
            if at > 0 && headers[at - 1].id == header.id {
                if strict {
                    return false;
                }
                continue;
            }
            let link = at.checked_sub(1).map(|before| Link {
                low: headers[before].id,
                high: header.id,
                strict,
                ranks: ranks.map(|ranks| (Rc::clone(&ranks[before]), Rc::clone(&ranks[at]))),
                depth: 0,
            });
            let before = at.checked_sub(1).map(|before| headers[before]);
            let settled = before.is_none_or(|before| before.state.get() == state::SEEN);
            if let (Some(link), Some(before), true) = (&link, before, settled) {
                mask = link.above(&mask, header.size, before.index.get());
            }
            let fits = if was_seen {
                mask.contains(header.index.get())
            } else {
                self.hold(header, mask, call)
            };
            if !fits {
                return false;
            }
            // If one value was settled before the other was restricted, nothing
            // is left to be said.
            if let (Some(link), false) = (link, settled || was_seen) {
                let depth = self.stack.len() as u32;
                self.links.push(Link { depth, ..link });
                self.rests = self.rests.max(depth);
            }
        }
        true
    }

    /// A held field is read after all.
    pub(crate) fn read_held(&mut self, header: &Header) -> bool {
        let mask = self.held[header.held.get() as usize].mask.clone();
        let mask = self.linked(header, mask);
        self.push(header, mask, true)
    }

    /// Forgets what rested on values read since `depth`.
    #[inline(always)]
    pub(crate) fn release_held(&mut self, depth: u32) {
        if self.rests > depth {
            self.release(depth);
            self.rests = depth;
        }
    }

    fn release(&mut self, depth: u32) {
        while let Some(held) = self.held.last() {
            if held.depth <= depth {
                break;
            }
            let header = self.header(held.field);
            header.held.set(held.earlier);
            match self.held.get(held.earlier as usize) {
                Some(earlier) => header.call.set(earlier.call),
                None => {
                    header.state.set(state::UNSEEN);
                    header.index.set(0);
                }
            }
            self.held.pop();
        }
        while self.links.last().is_some_and(|link| link.depth > depth) {
            self.links.pop();
        }
        while self.records.last().is_some_and(|record| record.depth > depth) {
            self.records.pop();
        }
        while self.checkpoints.last().is_some_and(|before| *before > depth) {
            self.checkpoints.pop();
        }
    }
}
