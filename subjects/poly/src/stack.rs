//! A stack of polynomials with a fixed number of places.

use crate::Poly;
use std::cell::RefCell;
use std::rc::Rc;

/// The places of a stack. Behind a pointer, because that is how two stacks come
/// to share them.
type Storage = Rc<RefCell<Vec<Option<Poly>>>>;

/// The places below `size` are taken, all others are free.
#[derive(Debug)]
pub struct PStack {
    storage: Storage,
    size: usize,
}

impl PStack {
    /// The number of places where none is asked for.
    pub const USUAL_CAPACITY: u8 = 10;

    pub fn new() -> PStack {
        PStack::with_capacity(PStack::USUAL_CAPACITY)
    }

    pub fn with_capacity(capacity: u8) -> PStack {
        PStack { storage: Rc::new(RefCell::new(vec![None; capacity.into()])), size: 0 }
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// Puts a polynomial on top, if there is a place left.
    pub fn push(&mut self, poly: Poly) -> bool {
        let mut places = self.storage.borrow_mut();
        let Some(place) = places.get_mut(self.size) else { return false };
        *place = Some(poly);
        self.size += 1;
        true
    }

    /// Takes the polynomial on top.
    pub fn pop(&mut self) -> Option<Poly> {
        self.size = self.size.checked_sub(1)?;
        self.storage.borrow_mut()[self.size].take()
    }

    /// Replaces the two on top by their sum; false if there are not two.
    ///
    /// # Panics
    /// If a coefficient of the sum does not fit.
    pub fn add(&mut self) -> bool {
        self.combine(Poly::plus)
    }

    /// Replaces the two on top by their difference; false if there are not two.
    ///
    /// # Panics
    /// If a coefficient of the difference does not fit.
    pub fn sub(&mut self) -> bool {
        self.combine(Poly::minus)
    }

    fn combine(&mut self, by: impl Fn(&Poly, &Poly) -> Poly) -> bool {
        if self.size < 2 {
            return false;
        }
        let pair = (self.pop(), self.pop());
        let (Some(a), Some(b)) = pair else { return false };
        self.push(by(&b, &a))
    }

    /// A stack with the same polynomials.
    pub fn copy(&self) -> PStack {
        let storage = if cfg!(feature = "copy-shares-storage") {
            Rc::clone(&self.storage)
        } else {
            Rc::new(RefCell::clone(&self.storage))
        };
        PStack { storage, size: self.size }
    }

    /// Whether the places up to the size are taken, and no others.
    pub fn rep_ok(&self) -> Result<(), String> {
        let places = self.storage.borrow();
        if self.size > places.len() {
            return Err(format!("size {} of {} places", self.size, places.len()));
        }
        let wrong = |(n, place): (usize, &Option<Poly>)| place.is_some() != (n < self.size);
        match places.iter().enumerate().position(wrong) {
            Some(n) => Err(format!("size {}, but place {n} is {:?}", self.size, places[n])),
            None => Ok(()),
        }
    }
}

impl Default for PStack {
    fn default() -> PStack {
        PStack::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mono, Rat};

    #[test]
    fn the_two_on_top_are_added() {
        let term = |num: i32| Poly::from(Mono::new(Rat::new(num, 1), 1));
        let mut stack = PStack::with_capacity(2);
        assert!(stack.push(term(1)) && stack.push(term(2)) && !stack.push(term(3)));
        assert!(stack.add());
        assert!(!stack.add());
        assert_eq!((stack.pop(), stack.pop()), (Some(term(3)), None));
    }

    #[cfg(not(feature = "copy-shares-storage"))]
    #[test]
    fn a_copy_is_a_stack_of_its_own() {
        let mut stack = PStack::new();
        stack.push(Poly::new());
        let mut copy = stack.copy();
        assert_eq!(copy.pop(), Some(Poly::new()));
        assert_eq!((stack.size(), copy.size()), (1, 0));
        assert_eq!(stack.rep_ok(), Ok(()));
        assert_eq!(stack.pop(), Some(Poly::new()));
    }
}
