//! A nested type's own `rep_ok` counts.
//!
//! The predicate of a structure is its own `rep_ok` and that of every value
//! inside it. A recursive type is asked once, at the outermost value: its
//! predicate goes down by itself, or means the whole. What leads to no
//! predicate is not walked, so its fields are not read on this account.

use std::any::TypeId;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::Korat;
use super::cell::Lazy;

/// Where the predicate of a derived type comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// The type has a `rep_ok`.
    Own,
    /// It has none, and nobody said that this is meant.
    Absent,
    /// It says `#[korat(unconstrained)]`, or has no fields to constrain.
    Unwanted,
    /// It is a set or a map, whose keys differ.
    Keys,
}

/// The types that a structure is made of.
#[derive(Default)]
pub struct Types {
    known: HashMap<TypeId, Part>,
    /// The derived types directly inside each type of a field.
    fields: HashMap<TypeId, Vec<TypeId>>,
    /// What is being collected, innermost last.
    open: Vec<Vec<TypeId>>,
    /// For each type of a field, whether a predicate lies inside.
    leads: HashMap<TypeId, bool>,
}

struct Part {
    name: String,
    constraint: Constraint,
    parts: Vec<TypeId>,
}

impl Part {
    fn checks(&self) -> bool {
        matches!(self.constraint, Constraint::Own | Constraint::Keys)
    }
}

thread_local! {
    static KNOWN: RefCell<HashMap<TypeId, Rc<Types>>> = RefCell::default();
}

impl Types {
    /// The types inside `T`.
    pub(crate) fn of<T: Korat>() -> Rc<Types> {
        let id = TypeId::of::<T>();
        if let Some(types) = KNOWN.with_borrow(|known| known.get(&id).cloned()) {
            return types;
        }
        let mut types = Types::default();
        types.field::<T>();
        types.leads = types
            .fields
            .iter()
            .map(|(id, inside)| (*id, types.reached(inside).any(Part::checks)))
            .collect();
        let types = Rc::new(types);
        KNOWN.with_borrow_mut(|known| known.insert(id, Rc::clone(&types)));
        types
    }

    /// A derived type, and what it has in its fields.
    pub fn derived<T: Korat>(&mut self, constraint: Constraint, fields: impl FnOnce(&mut Self)) {
        let id = TypeId::of::<T>();
        self.open.iter_mut().last().into_iter().for_each(|open| open.push(id));
        if self.known.contains_key(&id) {
            return;
        }
        let name = T::class_name();
        self.known.insert(id, Part { name, constraint, parts: Vec::new() });
        self.open.push(Vec::new());
        fields(self);
        let parts = self.open.pop().expect("pushed above");
        self.known.get_mut(&id).expect("inserted above").parts = parts;
    }

    /// A field of a derived type.
    pub fn field<T: Korat>(&mut self) {
        self.open.push(Vec::new());
        T::types(self);
        let inside = self.open.pop().expect("pushed above");
        self.open.iter_mut().last().into_iter().for_each(|open| open.extend(&inside));
        self.fields.insert(TypeId::of::<T>(), inside);
    }

    /// The types among `from` and all inside them.
    fn reached(&self, from: &[TypeId]) -> impl Iterator<Item = &Part> {
        let mut seen: Vec<TypeId> = Vec::new();
        let mut work = from.to_vec();
        while let Some(id) = work.pop() {
            if !seen.contains(&id) {
                seen.push(id);
                work.extend(self.known.get(&id).iter().flat_map(|part| &part.parts));
            }
        }
        seen.into_iter().filter_map(|id| self.known.get(&id))
    }

    /// Whether some type has another inside it that has a predicate.
    pub(crate) fn nested(&self) -> bool {
        self.known.values().any(|outer| {
            self.reached(&outer.parts).any(|inner| inner.checks() && !std::ptr::eq(inner, outer))
        })
    }

    /// The derived types without a `rep_ok`, if none of all has one and that
    /// was not said to be meant.
    pub(crate) fn without_any_predicate(&self) -> Option<Vec<&str>> {
        let none = self.known.values().all(|part| part.constraint != Constraint::Own);
        let absent = self.known.values().filter(|part| part.constraint == Constraint::Absent);
        let mut names: Vec<&str> = absent.map(|part| part.name.as_str()).collect();
        names.sort_unstable();
        (none && !names.is_empty()).then_some(names)
    }
}

/// A run of all predicates of a structure.
pub struct Deep<'a> {
    types: &'a Types,
    /// The types of the values around, outermost first.
    around: Vec<TypeId>,
    visited: Vec<*const ()>,
}

/// Runs the predicate of `T` and those of all values inside.
pub(crate) fn valid<T: Korat>(twin: &T::Twin, types: &Types) -> bool {
    T::twin_deep_ok(twin, &mut Deep { types, around: Vec::new(), visited: Vec::new() })
}

impl Deep<'_> {
    /// A value with a predicate of its own, and then its fields.
    pub fn value<T: Korat>(
        &mut self,
        twin: &T::Twin,
        fields: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        super::guard::enter();
        let id = TypeId::of::<T>();
        let outermost = !self.around.contains(&id);
        if outermost && !T::twin_rep_ok(twin) {
            return false;
        }
        self.around.push(id);
        let valid = fields(self);
        self.around.pop();
        valid
    }

    /// A field, which is read only if there is a predicate behind it.
    pub fn field<T: Korat>(&mut self, cell: &Lazy<T::Twin>) -> bool {
        let leads = self.types.leads.get(&TypeId::of::<T>()).copied().unwrap_or(true);
        !leads || T::twin_deep_ok(cell, self)
    }

    /// Whether an object that may be shared is met for the first time.
    pub(crate) fn enter(&mut self, place: *const ()) -> bool {
        let new = !self.visited.contains(&place);
        if new {
            self.visited.push(place);
        }
        new
    }
}
