//! Varies what the outcome of a run does not depend on.
//!
//! The fields of a valid candidate that were held or not read take all their
//! values, like the wheels of a counter, without running the predicate. This
//! is where the structures come from that need no candidate of their own, so
//! a step of the last wheel costs a few instructions.

use super::cell::{Header, Kind, state};
use super::hold::{Held, NOTHING};
use super::mask::Mask;
use super::state::State;
use super::trail::{Class, Inner};

/// Values are given to another thread if each has, as far as counting the
/// fields' values tells, two to this combinations.
const SHARED_BITS: f64 = 10.0;

/// A field that is varied.
pub(crate) struct Varied {
    header: *const Header,
    /// What generators allow.
    mask: Mask,
    /// The same in short, where that and one neighbour are all there is to ask.
    short: Option<Short>,
    /// The first of the bounds that fields with values set for it.
    bounds: u32,
    /// `high` of the field's class before its value was chosen.
    high_before: i32,
    /// The values left, where the domain is small; otherwise `wide` tells.
    left: u64,
    wide: Option<Mask>,
}

/// What a field may take whose values are in order and fit a word, beside at
/// most one field that has its value before.
#[derive(Clone, Copy)]
struct Short {
    word: u64,
    /// The field that it is not below, or nothing.
    above: *const Header,
    /// Whether the two differ.
    strict: bool,
}

/// A link that bounds a varied field by one that has its value before.
pub(crate) struct Bound {
    link: u32,
    /// The next one for the same field.
    next: u32,
}

impl Varied {
    fn new(header: &Header, mask: Mask) -> Varied {
        let (bounds, high_before) = (NOTHING, -1);
        Varied { header, mask, short: None, bounds, high_before, left: 0, wide: None }
    }

    fn header<'a>(&self) -> &'a Header {
        // SAFETY: headers are kept by the `Space` that owns the trail, and
        // nothing outlives the borrow of the trail that this is used under.
        unsafe { &*self.header }
    }

    /// Makes all legal values available, if the short form tells them.
    #[inline(always)]
    fn restart(&mut self) -> bool {
        let Some(Short { word, above, strict }) = self.short else { return false };
        // SAFETY: as in `header`.
        let least = unsafe { above.as_ref() };
        let least = least.map_or(0, |above| above.index.get() + u32::from(strict));
        self.left = word & u64::MAX.checked_shl(least).unwrap_or(0);
        true
    }

    /// Moves to the next of the values left; `false` when there is none.
    #[inline(always)]
    fn step(&mut self, classes: &mut [Class]) -> bool {
        let header = self.header();
        let index = match &mut self.wide {
            None if self.left == 0 => return false,
            None => {
                let index = self.left.trailing_zeros();
                self.left &= self.left - 1;
                index
            }
            Some(wide) => match wide.next(self.left as u32) {
                index if index < header.size => {
                    self.left = u64::from(index) + 1;
                    index
                }
                _ => return false,
            },
        };
        header.index.set(index);
        if header.kind.get() != Kind::Plain && index >= header.first {
            let object = (index - header.first) as i32;
            classes[header.class as usize].high = self.high_before.max(object);
        }
        true
    }

    /// The values left, if there are any.
    fn rest(&self) -> Option<Mask> {
        let size = self.header().size;
        let mask = match &self.wide {
            None => Mask::of(size.min(64), |i| self.left >> i & 1 == 1),
            Some(wide) => wide.starting_at(size, self.left as u32),
        };
        (!mask.is_empty(size)).then_some(mask)
    }

    /// Forgets the value, and how far it had got.
    fn rewind(&mut self, classes: &mut [Class]) {
        let header = self.header();
        header.index.set(0);
        if header.kind.get() != Kind::Plain {
            classes[header.class as usize].high = self.high_before;
        }
    }
}

/// Gives every link to whichever of its fields gets its value later.
fn bind(inner: &mut Inner, free: &mut [Varied]) {
    for (at, varied) in free.iter().enumerate() {
        varied.header().wheel.set(at as u32);
    }
    for at in 0..inner.links.len() {
        let link = &inner.links[at];
        let wheel = |field: u32| {
            let header = inner.header(field);
            (header.state.get() == state::HELD).then(|| header.wheel.get())
        };
        if let Some(wheel) = wheel(link.low).max(wheel(link.high)) {
            let varied = &mut free[wheel as usize];
            let next = std::mem::replace(&mut varied.bounds, inner.bounds.len() as u32);
            inner.bounds.push(Bound { link: at as u32, next });
        }
    }
}

impl Inner {
    /// Lines up the fields of a valid candidate on which the outcome does not
    /// depend, held ones and `unread` ones, at their first combination.
    /// `false` when there is none.
    pub(crate) fn free(&mut self, unread: &[u32]) -> bool {
        debug_assert!(self.free.is_empty(), "the last product was finished");
        let mut free = std::mem::take(&mut self.free);
        let held = |held: &Held| Varied::new(self.header(held.field), held.mask.clone());
        free.extend(self.waiting().map(held));
        self.bounds.clear();
        if !self.links.is_empty() {
            bind(self, &mut free);
        }
        free.extend(unread.iter().map(|field| Varied::new(self.header(*field), Mask::ALL)));
        for varied in &mut free {
            varied.short = self.short(varied);
        }
        self.free = free;
        self.free.is_empty() || {
            self.restart(0);
            self.turn(0)
        }
    }

    /// The short form of what a field may take, if it has one.
    fn short(&self, varied: &Varied) -> Option<Short> {
        let header = varied.header();
        let word = varied.mask.narrow(header.size).filter(|_| header.kind.get() == Kind::Plain)?;
        let Some(bound) = self.bounds.get(varied.bounds as usize) else {
            return Some(Short { word, above: std::ptr::null(), strict: false });
        };
        let link = &self.links[bound.link as usize];
        let only = bound.next == NOTHING && link.high == header.id;
        let strict = link.by_index().filter(|_| only)?;
        Some(Short { word, above: self.header(link.low), strict })
    }

    /// The next combination of the free fields; `false` after the last.
    #[inline(always)]
    pub(crate) fn next_free(&mut self) -> bool {
        let Inner { free, classes, .. } = self;
        match free.last_mut() {
            None => false,
            Some(last) => last.step(classes) || self.carry(),
        }
    }

    /// The last wheel is at its end: one before it moves on.
    fn carry(&mut self) -> bool {
        let last = self.free.len() - 1;
        self.free[last].rewind(&mut self.classes);
        if last == 0 {
            self.free.clear();
            return false;
        }
        self.turn(last - 1)
    }

    /// Moves the wheel at `at` on, or one before it, and starts all after it
    /// again; `false`, with none left, when no wheel can move.
    fn turn(&mut self, mut at: usize) -> bool {
        loop {
            if self.free[at].step(&mut self.classes) {
                at += 1;
                if at == self.free.len() {
                    return true;
                }
                self.restart(at);
                continue;
            }
            self.free[at].rewind(&mut self.classes);
            if at == 0 {
                self.free.clear();
                return false;
            }
            at -= 1;
        }
    }

    /// Makes all legal values of a free field available.
    #[inline(always)]
    fn restart(&mut self, at: usize) {
        if !self.free[at].restart() {
            self.restart_bounded(at);
        }
    }

    /// As `restart`, whatever the field is.
    fn restart_bounded(&mut self, at: usize) {
        let header = self.free[at].header();
        let high = self.high(header);
        let bounded = |mask: &Mask, bound: &Bound| {
            let link = &self.links[bound.link as usize];
            if link.high == header.id {
                link.above(mask, header.size, self.header(link.low).index.get())
            } else {
                link.below(mask, header.size, self.header(link.high).index.get())
            }
        };
        let varied = &self.free[at];
        let mut next = self.bounds.get(varied.bounds as usize);
        let mut mask = match next {
            None => varied.mask.clone(),
            Some(first) => bounded(&varied.mask, first),
        };
        while let Some(bound) = next.and_then(|bound| self.bounds.get(bound.next as usize)) {
            mask = bounded(&mask, bound);
            next = Some(bound);
        }
        // A pointer that may alias: any object seen, one fresh.
        let end = match header.kind.get() {
            Kind::Shared => header.size.min(header.first + (high + 2) as u32),
            _ => header.size,
        };
        let varied = &mut self.free[at];
        varied.high_before = high;
        (varied.left, varied.wide) = match mask.narrow(end) {
            Some(word) => (word, None),
            None => (0, Some(Mask::of(end, |i| mask.contains(i)))),
        };
    }

    pub(crate) fn drop_free(&mut self) {
        while let Some(mut varied) = self.free.pop() {
            varied.rewind(&mut self.classes);
        }
    }

    /// Gives away the values left of the first free field that has any, if
    /// the fields after it make that worth while: the trail of another search
    /// that has them to itself.
    pub(crate) fn split_product(&mut self) -> Option<State> {
        let at = self.free.iter().position(|varied| varied.rest().is_some())?;
        let bits = |varied: &Varied| f64::from(varied.mask.count(varied.header().size)).log2();
        if self.free[at + 1..].iter().map(bits).sum::<f64>() < SHARED_BITS {
            return None;
        }
        let base = self.stack.len() + at;
        let mut state = self.save(false, 0, base, self.stack.len());
        for varied in &self.free[..at] {
            let index = varied.header().index.get();
            let mask = Mask::single(varied.header().size, index);
            state.stack.push((varied.header().id, index, mask));
        }
        let varied = &mut self.free[at];
        let mask = varied.rest()?;
        (varied.left, varied.wide) = (0, None);
        state.stack.push((varied.header().id, mask.next(0), mask));
        Some(state)
    }
}
