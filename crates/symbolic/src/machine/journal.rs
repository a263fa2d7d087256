//! What is written while both ways of a branch are tried, so that it can be taken back.

use super::End;
use super::memory::{Image, Memory, Part};
use crate::llvm::Program;

/// Bytes with their terms, as they lie at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub address: u64,
    pub bytes: Vec<u8>,
    pub shadow: Vec<Option<Part>>,
}

impl Stretch {
    pub fn span(&self) -> (u64, u64) {
        (self.address, self.bytes.len() as u64)
    }
}

impl Memory {
    pub fn begin_journal(&mut self) {
        self.journal.get_or_insert_default();
    }

    pub fn end_journal(&mut self) {
        self.journal = None;
    }

    pub fn journal_mark(&self) -> usize {
        self.journal.as_ref().map_or(0, Vec::len)
    }

    /// Keeps what lies at an address before it is written.
    pub(super) fn note_before(
        &mut self,
        access: (&Program, &mut Image),
        address: u64,
        len: u64,
    ) -> Result<(), End> {
        let stretch = self.stretch(access, address, len)?;
        if let Some(journal) = &mut self.journal {
            journal.push(stretch);
        }
        Ok(())
    }

    /// The places written since a mark that were there when the stack was this high.
    pub fn written_since(&self, mark: usize, stack: u32) -> Vec<(u64, u64)> {
        let journal = self.journal.as_deref().unwrap_or_default();
        let spans = journal[mark..].iter().map(Stretch::span);
        spans.filter(|(address, _)| !self.is_younger(*address, stack, u32::MAX)).collect()
    }

    /// Takes back what was written since a mark, and what was put on the stack since.
    pub fn take_back(
        &mut self,
        access: (&Program, &mut Image),
        mark: usize,
        stack: u32,
    ) -> Result<(), End> {
        let (program, image) = access;
        self.pop_stack(stack);
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let undone = journal.split_off(mark);
        for stretch in undone.into_iter().rev() {
            if !self.is_younger(stretch.address, stack, u32::MAX) {
                self.lay((program, image), &stretch)?;
            }
        }
        Ok(())
    }

    /// Puts bytes somewhere, to be taken back.
    pub(super) fn replace(
        &mut self,
        access: (&Program, &mut Image),
        stretch: &Stretch,
    ) -> Result<(), End> {
        let (address, len) = stretch.span();
        self.note_before((access.0, &mut *access.1), address, len)?;
        self.lay(access, stretch)
    }
}
