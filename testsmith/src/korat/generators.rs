//! Dedicated generators: checks that direct the search when it runs them.
//!
//! In ordinary execution each is the plain check its name says. On the twin,
//! a generator that meets a field nobody has read restricts it to the values
//! that pass, so no candidate is spent on the others; and a field that is
//! restricted but never read is not even enumerated by running the predicate
//! again.
//!
//! A generator directs the search where its failure is the predicate's: in `if
//! !korat::holds(..) { return false }`, in `korat::holds(..) && ..`, and in
//! functions that are called so. Anywhere else (negated, stored, compared, in
//! a condition) it is the plain check that its name says, which loses nothing
//! and saves nothing; to state the opposite, negate the constraint
//! (`korat::not(..)`) rather than the call.
//!
//! Call them through the module, `korat::holds(&self.size, ..)`: that is how
//! the `#[korat]` attribute knows them. The field must be named in place.

use std::collections::HashSet;
use std::rc::Rc;

/// Whether a field satisfies a constraint. The constraint may look at nothing
/// but the value it is given and values read before.
pub fn holds<T: ?Sized>(field: &T, constraint: impl Fn(&T) -> bool) -> bool {
    constraint(field)
}

/// The constraint of being one of some values.
pub fn one_of<T: PartialEq>(values: impl IntoIterator<Item = T>) -> impl Fn(&T) -> bool {
    let values: Vec<T> = values.into_iter().collect();
    move |value| values.contains(value)
}

/// The constraint of being equal to a value.
pub fn equal<T: PartialEq>(to: T) -> impl Fn(&T) -> bool {
    move |value| *value == to
}

/// The constraint of being less than a value.
pub fn less<T: PartialOrd>(than: T) -> impl Fn(&T) -> bool {
    move |value| *value < than
}

/// The constraint of being greater than a value.
pub fn greater<T: PartialOrd>(than: T) -> impl Fn(&T) -> bool {
    move |value| *value > than
}

/// The constraint of being at most a value.
pub fn at_most<T: PartialOrd>(most: T) -> impl Fn(&T) -> bool {
    move |value| *value <= most
}

/// The constraint of being at least a value.
pub fn at_least<T: PartialOrd>(least: T) -> impl Fn(&T) -> bool {
    move |value| *value >= least
}

/// The constraint of lying strictly between bounds, where there are any.
pub fn between<T: PartialOrd>(low: Option<T>, high: Option<T>) -> impl Fn(&T) -> bool {
    move |value| {
        low.as_ref().is_none_or(|low| *value > *low)
            && high.as_ref().is_none_or(|high| *value < *high)
    }
}

/// The constraint of being there.
pub fn is_some<T>() -> impl Fn(&Option<T>) -> bool {
    Option::is_some
}

/// The constraint of being absent.
pub fn is_none<T>() -> impl Fn(&Option<T>) -> bool {
    Option::is_none
}

/// The constraint that another does not hold.
pub fn not<T>(constraint: impl Fn(&T) -> bool) -> impl Fn(&T) -> bool {
    move |value| !constraint(value)
}

/// The constraint that two others both hold.
pub fn and<T>(a: impl Fn(&T) -> bool, b: impl Fn(&T) -> bool) -> impl Fn(&T) -> bool {
    move |value| a(value) && b(value)
}

/// The constraint that one of two others holds.
pub fn or<T>(a: impl Fn(&T) -> bool, b: impl Fn(&T) -> bool) -> impl Fn(&T) -> bool {
    move |value| a(value) || b(value)
}

/// Whether a sequence is in ascending order, equal neighbours allowed.
pub fn sorted<T: Ord>(items: &[T]) -> bool {
    items.is_sorted()
}

/// A field, to be handed to a generator later.
pub type Field<'a, T> = &'a T;

/// Names a field for a generator that takes several.
pub fn field<T>(field: &T) -> Field<'_, T> {
    field
}

/// Whether fields are in strictly ascending order. No value is tried that
/// leaves too few greater ones for the rest, and fields that are not read
/// otherwise take all their values without another run of the predicate.
pub fn ascending<T: Ord>(fields: &[Field<'_, T>]) -> bool {
    fields.is_sorted_by(|a, b| a < b)
}

/// Whether fields are in ascending order, equal neighbours allowed.
pub fn non_descending<T: Ord>(fields: &[Field<'_, T>]) -> bool {
    fields.is_sorted()
}

/// Whether no two elements of a sequence are equal.
pub fn all_different<T: PartialEq>(items: &[T]) -> bool {
    (1..items.len()).all(|i| !items[..i].contains(&items[i]))
}

/// An optional pointer to a node.
pub trait Link {
    type Node;

    /// The node, if there is one.
    fn node(&self) -> Option<&Self::Node>;
}

impl<T> Link for Option<Box<T>> {
    type Node = T;

    fn node(&self) -> Option<&T> {
        self.as_deref()
    }
}

impl<T> Link for Option<Rc<T>> {
    type Node = T;

    fn node(&self) -> Option<&T> {
        self.as_deref()
    }
}

/// Whether the nodes reached from `root` along `children` form a tree.
pub fn tree<L: Link, const N: usize>(
    root: &L,
    children: impl for<'n> Fn(&'n L::Node) -> [&'n L; N],
) -> bool {
    let mut visited = HashSet::new();
    let mut waiting = vec![root];
    while let Some(link) = waiting.pop() {
        if let Some(node) = link.node() {
            if !visited.insert(std::ptr::from_ref(node)) {
                return false;
            }
            waiting.extend(children(node));
        }
    }
    true
}

/// Whether the nodes reached from `head` along `next` form a list that ends.
pub fn acyclic_list<L: Link>(head: &L, next: impl for<'n> Fn(&'n L::Node) -> &'n L) -> bool {
    tree(head, |node| [next(node)])
}

/// Whether the slots of an arena reached from `root` form a tree.
pub fn tree_in<T, const N: usize>(
    arena: &[T],
    root: &Option<usize>,
    children: impl for<'n> Fn(&'n T) -> [&'n Option<usize>; N],
) -> bool {
    let mut visited = HashSet::new();
    let mut waiting = vec![*root];
    while let Some(link) = waiting.pop() {
        let Some(at) = link else { continue };
        match arena.get(at) {
            Some(node) if visited.insert(at) => waiting.extend(children(node).map(|l| *l)),
            _ => return false,
        }
    }
    true
}

/// The generators as the twin runs them.
#[doc(hidden)]
pub mod twin {
    pub use super::{
        and, at_least, at_most, between, equal, greater, is_none, is_some, less, not, one_of, or,
    };
    use crate::korat::cell::{Lazy, TwinType};
    use crate::korat::kinds::{ArrayTwin, BoxTwin, RcTwin, SliceTwin, VecTwin};
    use crate::korat::necessary::Word;
    use crate::korat::trail::Trail;

    #[inline]
    fn trail<T: TwinType>(cell: &Lazy<T>) -> Option<&Trail> {
        if T::INLINE || cell.header().trail.is_null() {
            return None;
        }
        // SAFETY: the trail is boxed in the space that owns the header.
        Some(unsafe { &*cell.header().trail })
    }

    #[inline(always)]
    pub fn holds<T: TwinType>(
        must: Word,
        field: &Lazy<T>,
        constraint: impl Fn(&T) -> bool,
    ) -> bool {
        match trail(field) {
            Some(trail) if must.directs() => trail.restrict(field, constraint),
            _ => constraint(field),
        }
    }

    /// The cell of an element, for `korat::holds(&self.items[i], ..)`.
    pub trait Elements {
        type Item: TwinType;
        fn element(&self, index: usize) -> &Lazy<Self::Item>;
    }

    impl<T: TwinType> Elements for SliceTwin<T> {
        type Item = T;

        fn element(&self, index: usize) -> &Lazy<T> {
            &self.cells()[index]
        }
    }

    impl<T: TwinType> Elements for VecTwin<T> {
        type Item = T;

        fn element(&self, index: usize) -> &Lazy<T> {
            (**self).element(index)
        }
    }

    impl<T: TwinType, const N: usize> Elements for ArrayTwin<T, N> {
        type Item = T;

        fn element(&self, index: usize) -> &Lazy<T> {
            (**self).element(index)
        }
    }

    pub fn sorted<T: TwinType + Ord>(must: Word, items: &SliceTwin<T>) -> bool {
        let fields: Vec<Field<'_, T>> = items.cells().iter().collect();
        chain(must, &fields, false)
    }

    pub type Field<'a, T> = &'a Lazy<T>;

    pub fn field<T: TwinType>(field: &Lazy<T>) -> Field<'_, T> {
        field
    }

    pub fn ascending<T: TwinType + Ord>(must: Word, fields: &[Field<'_, T>]) -> bool {
        chain(must, fields, true)
    }

    pub fn non_descending<T: TwinType + Ord>(must: Word, fields: &[Field<'_, T>]) -> bool {
        chain(must, fields, false)
    }

    fn chain<T: TwinType + Ord>(must: Word, fields: &[Field<'_, T>], strict: bool) -> bool {
        let directing = fields.iter().filter(|_| must.directs());
        let trail = directing.into_iter().find_map(|field| trail(field));
        let directed = trail.and_then(|trail| trail.chain(fields, strict));
        directed.unwrap_or_else(|| {
            fields.is_sorted_by(|a, b| if strict { ***a < ***b } else { ***a <= ***b })
        })
    }

    pub fn all_different<T: TwinType + PartialEq>(must: Word, items: &SliceTwin<T>) -> bool {
        let cells = items.cells();
        (1..cells.len()).all(|i| {
            let before: Vec<&T> = cells[..i].iter().map(|cell| &**cell).collect();
            holds(must, &cells[i], |value| !before.contains(&value))
        })
    }

    /// An optional pointer to a node.
    pub trait Link: TwinType {
        type Node;
        fn node(&self) -> Option<&Self::Node>;
    }

    impl<T: TwinType> Link for Option<BoxTwin<T>> {
        type Node = T;

        fn node(&self) -> Option<&T> {
            self.as_deref()
        }
    }

    impl<T: TwinType> Link for Option<RcTwin<T>> {
        type Node = T;

        fn node(&self) -> Option<&T> {
            self.as_deref()
        }
    }

    /// Reads a link that should lead to none of the visited objects. Those that
    /// something else led to remain: only a second way here is wrong.
    fn unvisited<'a, T: TwinType>(must: Word, cell: &'a Lazy<T>, visited: &mut Vec<u32>) -> &'a T {
        let Some(trail) = trail(cell).filter(|_| must.directs()) else { return cell };
        let header = cell.header();
        trail.restrict_to_others(header, visited);
        let value: &T = cell;
        visited.extend(header.index.get().checked_sub(header.first));
        value
    }

    pub fn tree<L: Link, const N: usize>(
        must: Word,
        root: &Lazy<L>,
        children: impl for<'n> Fn(&'n L::Node) -> [&'n Lazy<L>; N],
    ) -> bool {
        let mut visited: Vec<*const L::Node> = Vec::new();
        // Links of one type point at objects of one class.
        let mut objects = Vec::new();
        let mut waiting = vec![root];
        while let Some(cell) = waiting.pop() {
            if let Some(node) = unvisited(must, cell, &mut objects).node() {
                if visited.contains(&std::ptr::from_ref(node)) {
                    return false;
                }
                visited.push(node);
                waiting.extend(children(node));
            }
        }
        true
    }

    pub fn acyclic_list<L: Link>(
        must: Word,
        head: &Lazy<L>,
        next: impl for<'n> Fn(&'n L::Node) -> &'n Lazy<L>,
    ) -> bool {
        tree(must, head, |node| [next(node)])
    }

    pub fn tree_in<T: TwinType, const N: usize>(
        must: Word,
        arena: &VecTwin<T>,
        root: &Lazy<Option<usize>>,
        children: impl for<'n> Fn(&'n T) -> [&'n Lazy<Option<usize>>; N],
    ) -> bool {
        let mut visited: Vec<usize> = Vec::new();
        let mut objects = Vec::new();
        let mut waiting = vec![root];
        while let Some(cell) = waiting.pop() {
            // An index into something else does not tell objects of the arena.
            let into_arena = trail(cell).is_some() && arena.is_arena(cell.header().class);
            let link = if into_arena { unvisited(must, cell, &mut objects) } else { &**cell };
            let Some(at) = *link else { continue };
            match arena.get(at) {
                Some(node) if !visited.contains(&at) => {
                    visited.push(at);
                    waiting.extend(children(node));
                }
                _ => return false,
            }
        }
        true
    }
}
