//! Varies what the outcome of a run does not depend on.
//!
//! The fields of a valid candidate that were held or not read take all their
//! values, like the wheels of a counter, without running the predicate. This
//! is where the structures come from that need no candidate of their own, so
//! a step of the last wheel costs a few instructions.

use std::rc::Rc;

use super::cell::{Header, Kind, state};
use super::hold::Link;
use super::mask::Mask;
use super::trail::{Class, Inner};

/// Products with more combinations than two to this are shared by threads.
const SHARED_BITS: f64 = 14.0;

/// A field that is varied.
pub(crate) struct Varied {
    header: *const Header,
    /// What generators allow.
    mask: Mask,
    link: Option<Rc<Link>>,
    /// `high` of the field's class before its value was chosen.
    high_before: i32,
    /// The values left, where the domain is small; otherwise `wide` tells.
    left: u64,
    wide: Option<Mask>,
}

impl Varied {
    fn header<'a>(&self) -> &'a Header {
        // SAFETY: headers are kept by the `Space` that owns the trail, and
        // nothing outlives the borrow of the trail that this is used under.
        unsafe { &*self.header }
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

    /// Forgets the value, and how far it had got.
    fn rewind(&mut self, classes: &mut [Class]) {
        let header = self.header();
        header.index.set(0);
        if header.kind.get() != Kind::Plain {
            classes[header.class as usize].high = self.high_before;
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
        let varied = |field: u32, mask: Mask, link: Option<Rc<Link>>| Varied {
            header: self.header(field),
            mask,
            link,
            high_before: -1,
            left: 0,
            wide: None,
        };
        free.extend(
            self.waiting().map(|held| varied(held.field, held.mask.clone(), held.link.clone())),
        );
        free.extend(unread.iter().map(|field| varied(*field, Mask::ALL, None)));
        self.free = free;
        self.free.is_empty() || {
            self.restart(0);
            self.turn(0)
        }
    }

    /// The next combination of the free fields; `false` after the last.
    #[inline]
    pub(crate) fn next_free(&mut self) -> bool {
        let Inner { free, classes, .. } = self;
        match free.last_mut() {
            None => false,
            Some(last) => last.step(classes) || self.turn(self.free.len() - 1),
        }
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
    fn restart(&mut self, at: usize) {
        let header = self.free[at].header();
        let high = self.high(header);
        let varied = &self.free[at];
        let mask = match &varied.link {
            None => varied.mask.clone(),
            Some(link) => {
                let before = self.header(link.before).index.get();
                link.bound(&varied.mask, header.size, before)
            }
        };
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

    /// Puts the first of the fields to vary on the stack until the rest has
    /// few combinations, so that threads can share them. `false` when one of
    /// them has no value left.
    pub(crate) fn promote(&mut self, unread: &mut Vec<u32>) -> bool {
        let bits = |header: &Header, mask: &Mask| f64::from(mask.count(header.size)).log2();
        let held = self.waiting().map(|held| bits(self.header(held.field), &held.mask));
        let mut left: f64 = held.sum();
        left += unread.iter().map(|field| bits(self.header(*field), &Mask::ALL)).sum::<f64>();
        let mut at = 0;
        while left > SHARED_BITS && at < self.held.len() {
            let header = self.header(self.held[at].field);
            if header.state.get() == state::HELD && header.call.get() == self.held[at].call {
                left -= bits(header, &self.held[at].mask);
                if !self.read_held(header) {
                    return false;
                }
            }
            at += 1;
        }
        while left > SHARED_BITS && !unread.is_empty() {
            let header = self.header(unread.remove(0));
            left -= bits(header, &Mask::ALL);
            if !self.push(header, Mask::ALL, false) {
                return false;
            }
        }
        true
    }
}
