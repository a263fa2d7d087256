//! Nodes of a tree, each with a cursor over its children; merging two nodes takes the
//! children of one into the other.

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use testsmith::requires;

#[derive(Debug, Default)]
struct Inner {
    value: u8,
    children: Vec<Tree>,
    /// The child that the cursor is at.
    cursor: Option<usize>,
    parent: Option<Weak<RefCell<Inner>>>,
}

/// A node.
#[derive(Debug, Default)]
pub struct Tree(Rc<RefCell<Inner>>);

impl Tree {
    pub fn new(value: u8) -> Tree {
        Tree(Rc::new(RefCell::new(Inner { value, ..Inner::default() })))
    }

    /// Puts a new node behind the children of this one, and gives it back.
    pub fn put_child(&mut self, value: u8) -> Tree {
        let child = Tree::new(value);
        child.0.borrow_mut().parent = Some(Rc::downgrade(&self.0));
        self.0.borrow_mut().children.push(Tree(Rc::clone(&child.0)));
        child
    }

    pub fn item(&self) -> u8 {
        self.0.borrow().value
    }

    pub fn arity(&self) -> usize {
        self.0.borrow().children.len()
    }

    pub fn is_leaf(&self) -> bool {
        self.arity() == 0
    }

    pub fn is_root(&self) -> bool {
        self.parent().is_none()
    }

    fn parent(&self) -> Option<Tree> {
        self.0.borrow().parent.as_ref().and_then(Weak::upgrade).map(Tree)
    }

    /// Whether both are different children of one node.
    pub fn is_sibling(&self, other: &Tree) -> bool {
        match (self.parent(), other.parent()) {
            (Some(a), Some(b)) => Rc::ptr_eq(&a.0, &b.0) && !Rc::ptr_eq(&self.0, &other.0),
            _ => false,
        }
    }

    /// Whether the cursor is at no child.
    pub fn off(&self) -> bool {
        self.0.borrow().cursor.is_none()
    }

    /// Puts the cursor on the first child, if there is one.
    pub fn start(&mut self) {
        let first = (self.arity() > 0).then_some(0);
        self.0.borrow_mut().cursor = first;
    }

    pub fn forth(&mut self) {
        let arity = self.arity();
        let mut inner = self.0.borrow_mut();
        inner.cursor = inner.cursor.map(|at| at + 1).filter(|at| *at < arity);
    }

    pub fn back(&mut self) {
        let mut inner = self.0.borrow_mut();
        inner.cursor = inner.cursor.and_then(|at| at.checked_sub(1));
    }

    pub fn finish(&mut self) {
        let last = self.arity().checked_sub(1);
        self.0.borrow_mut().cursor = last;
    }

    pub fn is_first(&self) -> bool {
        self.0.borrow().cursor == Some(0)
    }

    pub fn is_last(&self) -> bool {
        let inner = self.0.borrow();
        inner.cursor.is_some_and(|at| at + 1 == inner.children.len())
    }

    pub fn put(&mut self, value: u8) {
        self.0.borrow_mut().value = value;
    }

    pub fn child_item(&self) -> Option<u8> {
        let inner = self.0.borrow();
        inner.cursor.and_then(|at| inner.children.get(at)).map(Tree::item)
    }

    pub fn parent_item(&self) -> Option<u8> {
        self.parent().map(|parent| parent.item())
    }

    pub fn has_child(&self, value: u8) -> bool {
        self.0.borrow().children.iter().any(|child| child.item() == value)
    }

    pub fn wipe_out(&mut self) {
        let taken = std::mem::take(&mut self.0.borrow_mut().children);
        self.0.borrow_mut().cursor = None;
        for child in taken {
            child.0.borrow_mut().parent = None;
        }
    }

    /// Takes the children of the other node in, behind the cursor.
    #[requires(!self.off())]
    pub fn merge_tree_after(&mut self, other: &Tree) {
        if Rc::ptr_eq(&self.0, &other.0) {
            return;
        }
        other.0.borrow_mut().cursor = None;
        let taken = std::mem::take(&mut other.0.borrow_mut().children);
        // The fault: both parents are borrowed, and siblings have only one.
        let (ours, theirs) = (self.parent(), other.parent());
        let held = ours.as_ref().map(|parent| parent.0.borrow_mut());
        if let Some(parent) = &theirs {
            parent.0.borrow_mut().cursor = None;
        }
        drop(held);
        let mut inner = self.0.borrow_mut();
        let at = inner.cursor.map_or(0, |at| at + 1);
        for child in &taken {
            child.0.borrow_mut().parent = Some(Rc::downgrade(&self.0));
        }
        inner.children.splice(at..at, taken);
    }
}
