//! A walk over everything that can be reached from the root, for what the
//! predicate did not look at.

use super::cell::{Lazy, TwinType, state};
use super::kinds::reach_object;
use super::mask::Mask;
use super::trail::Trail;

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
        if T::INLINE {
            if cell.values.get().is_null() {
                return self.forwarded(cell);
            }
            return cell.value(0).reach(self);
        }
        let header = cell.header();
        match header.state.get() {
            state::UNSEEN => {
                let mut inner = self.trail.inner.borrow_mut();
                if inner.may_vary(header) {
                    self.unread.push(header.id);
                } else if !inner.push(header, Mask::ALL, false) {
                    return;
                }
            }
            state::FORWARD => return self.forwarded(cell),
            _ => {}
        }
        cell.value(header.index.get()).reach(self);
    }

    /// Visits a cell whose value is an object of its own.
    #[cold]
    fn forwarded<T: TwinType>(&mut self, cell: &Lazy<T>) {
        let Some(forward) = cell.forward() else { return };
        self.cell(forward);
        if forward.header().state.get() == state::SEEN {
            reach_object::<T>(forward.peek().0.as_ptr(), true, self);
        }
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
