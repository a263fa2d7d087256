//! Values that outlive their sequences: clones from which new ones start.
//!
//! Only values that borrow nothing are kept. What is shelved is never changed,
//! only cloned again and compared.

use crate::arena::{BLOCK_ALIGN, Chunk, Frame, chunks};
use crate::journal::Blocks;
use crate::memory;
use crate::panics::catching;
use crate::table::TypeTable;
use testsmith_engines::Shelved;
use testsmith_engines::hash::Pieces;
use testsmith_model::TypeId;
use testsmith_model::outcome::MAX_TEXT;

/// A value whose clone allocates more than this is too large to start from: it
/// would take longer than many calls, and sequences that double it again and
/// again would end in no memory.
const MAX_CLONE_BYTES: usize = 4 << 10;

#[derive(Default)]
pub struct Shelf {
    values: Vec<ShelfValue>,
    /// Where values are cloned to before they are moved to their place.
    frame: Frame,
}

/// In one line of the processor's cache.
#[repr(align(64))]
struct ShelfValue {
    place: Box<[Chunk]>,
    table: &'static TypeTable,
    recipe: WrittenRecipe,
}

/// The recipe of a value as it stands in the journal.
pub struct WrittenRecipe {
    pub steps: Blocks,
    pub count: u32,
    /// The step that made the value, and its type.
    pub value: u32,
    pub ty: TypeId,
}

impl ShelfValue {
    fn place(&self) -> *const u8 {
        self.place.as_ptr().cast()
    }
}

impl Shelf {
    /// Clones the value at `place`, if its type can and it is not too large.
    pub fn keep(
        &mut self,
        place: *const u8,
        table: &'static TypeTable,
        recipe: WrittenRecipe,
        over: Option<Shelved>,
    ) -> Option<Shelved> {
        let clone = table.clone.filter(|_| table.align <= BLOCK_ALIGN)?;
        self.frame.clear();
        let before = memory::asked();
        // SAFETY: the caller hands a live value of the table's type.
        unsafe { clone(place, &mut self.frame) };
        let fresh = self.frame.result;
        if memory::asked().wrapping_sub(before) > MAX_CLONE_BYTES {
            // SAFETY: the clone was just made and is not used again.
            unsafe { (table.drop)(fresh) };
            return None;
        }
        let shelved = match over {
            Some(shelved) => {
                let kept = &mut self.values[shelved.0 as usize];
                let old = kept.place.as_mut_ptr().cast::<u8>();
                // SAFETY: the old value is live, of the same type, and is not
                // used again, also if dropping it panics.
                let _ = catching(|| unsafe { (table.drop)(old) });
                kept.recipe = recipe;
                shelved
            }
            None => {
                self.values.push(ShelfValue { place: chunks(table.size.max(1)), table, recipe });
                Shelved(self.values.len() as u32 - 1)
            }
        };
        let to = self.values[shelved.0 as usize].place.as_mut_ptr().cast::<u8>();
        // SAFETY: both places have room and alignment for the type; the clone
        // is moved, the frame forgets it.
        unsafe { std::ptr::copy_nonoverlapping(fresh, to, table.size) };
        Some(shelved)
    }

    /// What the journal says of a kept value.
    #[inline]
    pub fn recipe(&self, shelved: Shelved) -> &WrittenRecipe {
        &self.values[shelved.0 as usize].recipe
    }

    /// Gives a kept value another recipe.
    pub fn rewrite(&mut self, shelved: Shelved, recipe: WrittenRecipe) {
        self.values[shelved.0 as usize].recipe = recipe;
    }

    /// Puts a clone of a kept value into a frame.
    pub fn clone_into(&self, shelved: Shelved, frame: &mut Frame) {
        let kept = &self.values[shelved.0 as usize];
        let clone = kept.table.clone.expect("what was kept can be cloned");
        // SAFETY: what is kept is a live value of the table's type.
        unsafe { clone(kept.place(), frame) };
    }

    /// Whether a live value of the table's type equals a kept one.
    pub fn equals(&self, shelved: Shelved, table: &TypeTable, place: *const u8) -> bool {
        let kept = &self.values[shelved.0 as usize];
        // SAFETY: both are live values of the table's type.
        table.partial_eq.is_some_and(|equal| unsafe { equal(place, kept.place()) })
    }

    /// Drops all that is kept. A drop that panics leaves the rest alone.
    pub fn clear(&mut self) {
        for mut kept in self.values.drain(..) {
            let place = kept.place.as_mut_ptr().cast::<u8>();
            // SAFETY: what is kept is live and not used again.
            let _ = catching(|| unsafe { (kept.table.drop)(place) });
        }
    }
}

/// The hash of a text as it is written, up to the length that is shown.
pub fn text_hash(write: impl FnOnce(&mut dyn std::fmt::Write) -> std::fmt::Result) -> u64 {
    struct Hashed(Pieces);
    impl std::fmt::Write for Hashed {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0.write(text);
            // An error ends the formatting early in well-behaved code.
            if self.0.length() > MAX_TEXT { Err(std::fmt::Error) } else { Ok(()) }
        }
    }
    let mut hashed = Hashed(Pieces::default());
    // Cut short or not, it is the same for the same value.
    let _ = write(&mut hashed);
    hashed.0.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing() -> WrittenRecipe {
        WrittenRecipe { steps: Blocks::new(&[]), count: 0, value: 0, ty: TypeId(0) }
    }

    #[test]
    fn a_kept_value_is_cloned_compared_and_replaced() {
        let table: &'static TypeTable = Box::leak(Box::new(crate::type_table!(String)));
        let (mut one, mut two) = (String::from("one"), String::from("two"));
        let place = |text: &mut String| std::ptr::from_mut(text).cast::<u8>().cast_const();
        let mut shelf = Shelf::default();
        let kept = shelf.keep(place(&mut one), table, nothing(), None).expect("it can be cloned");
        assert!(shelf.equals(kept, table, place(&mut one)));
        assert_eq!(shelf.keep(place(&mut two), table, nothing(), Some(kept)), Some(kept));
        assert!(!shelf.equals(kept, table, place(&mut one)));
        let mut frame = Frame::new();
        shelf.clone_into(kept, &mut frame);
        // SAFETY: a string was just put there and is taken once.
        assert_eq!(unsafe { frame.result.cast::<String>().read() }, "two");
        shelf.clear();
    }

    #[test]
    fn a_value_that_is_too_large_is_not_kept_and_the_other_stays() {
        let table: &'static TypeTable = Box::leak(Box::new(crate::type_table!(Vec<u8>)));
        let (mut small, mut large) = (vec![1u8], vec![0u8; 2 * MAX_CLONE_BYTES]);
        let place = |bytes: &mut Vec<u8>| std::ptr::from_mut(bytes).cast::<u8>().cast_const();
        let mut shelf = Shelf::default();
        let kept = shelf.keep(place(&mut small), table, nothing(), None);
        assert_eq!(shelf.keep(place(&mut large), table, nothing(), kept), None);
        assert!(shelf.equals(kept.expect("it is small"), table, place(&mut small)));
        shelf.clear();
    }

    #[test]
    fn texts_hash_alike_however_they_are_written() {
        let hash = |pieces: &[&str]| {
            text_hash(|out| pieces.iter().try_for_each(|piece| write!(out, "{piece}")))
        };
        assert_eq!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_ne!(hash(&["ab"]), hash(&["ba"]));
    }
}
