//! The running example of the stateful testing paper: dynamic lists with the
//! contracts a programmer would write, and no more.
//!
//! The contracts are as weak as in the paper on purpose: `append` promises
//! nothing, so that what a tool infers about it can be seen. The only thing that
//! is not carried over is the precondition that the other list is not void,
//! which a reference promises by its type.
#![forbid(unsafe_code)]

use testsmith::{ensures, pure};

/// A list of values, linked from the first to the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List<T> {
    first: Option<Box<Node<T>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node<T> {
    value: T,
    next: Option<Box<Node<T>>>,
}

impl<T: PartialEq + Clone> List<T> {
    /// Creates an empty list.
    #[ensures(ret.is_empty())]
    pub fn make() -> List<T> {
        List { first: None }
    }

    /// Removes all elements.
    #[ensures(self.is_empty())]
    pub fn wipe_out(&mut self) {
        self.first = None;
    }

    /// Adds a value to the end.
    #[ensures(self.has(&old(v)))]
    pub fn extend(&mut self, v: T) {
        let mut end = &mut self.first;
        while let Some(node) = end {
            end = &mut node.next;
        }
        *end = Some(Box::new(Node { value: v, next: None }));
    }

    /// Appends another list to the end.
    pub fn append(&mut self, other: &List<T>) {
        let mut next = &other.first;
        while let Some(node) = next {
            self.extend(node.value.clone());
            next = &node.next;
        }
    }

    /// Whether the list includes a value.
    #[pure]
    pub fn has(&self, v: &T) -> bool {
        let mut next = &self.first;
        while let Some(node) = next {
            if node.value == *v {
                return true;
            }
            next = &node.next;
        }
        false
    }

    /// Whether the list is empty.
    #[pure]
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List { first: None }
    }
}
