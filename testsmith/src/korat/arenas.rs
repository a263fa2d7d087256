//! Arenas: vectors that index fields of the same structure point into.

use super::Korat;
use super::cell::Lazy;
use super::finitize::FinitizeError;
use super::space::Builder;
use super::trail::NO_CLASS;

impl Builder<'_> {
    /// A vector field that index fields point into.
    pub fn arena_field<T: Korat>(
        &mut self,
        owner: &str,
        field: &str,
    ) -> Lazy<super::kinds::VecTwin<T::Twin>> {
        super::kinds::arena_cell::<T>(self, owner, field)
    }

    /// Opens an arena: index fields built meanwhile may point into it.
    pub(crate) fn open_arena(&mut self, name: &str, class: u32, count: u32) {
        self.arenas.push((name.to_owned(), class, count));
    }

    pub(crate) fn set_length_field(&mut self, class: u32, field: u32) {
        self.trail.inner.get_mut().classes[class as usize].length = Some(field);
    }

    /// Closes the arenas opened since `mark`.
    pub fn close_arenas(&mut self, mark: usize) {
        self.arenas.truncate(mark);
    }

    /// How many arenas are open.
    pub fn arenas(&self) -> usize {
        self.arenas.len()
    }

    /// A field that is an index into an arena of an enclosing structure.
    pub fn index_field<T: Korat>(
        &mut self,
        owner: &str,
        field: &str,
        arena: &str,
    ) -> Lazy<T::Twin> {
        let outer = self.index_of.replace(arena.to_owned());
        let cell = self.field::<T>(owner, field);
        self.index_of = outer;
        cell
    }

    /// The arena that the field being built indexes: its class and size.
    pub(crate) fn index_target(&mut self) -> Option<(u32, u32)> {
        let arena = self.index_of.clone()?;
        let found = self.arenas.iter().rev().find(|(name, _, _)| *name == arena);
        let found = found.map(|(_, class, count)| (*class, *count));
        if found.is_none() {
            let field = self.name();
            self.fail(FinitizeError::NoArena { field, arena });
        }
        Some(found.unwrap_or((NO_CLASS, 0)))
    }
}
