//! The executor as an engine sees it: a stage to put values on.

use super::{Executor, Pooled, STEP_BYTES, text_step};
use crate::arena::Slot;
use crate::literal::Kind;
use crate::panics::catching;
use crate::shelf::{WrittenRecipe, text_hash};
use crate::watched;
use std::sync::Arc;
use testsmith_engines::random::Recipe;
use testsmith_engines::{Halt, Shelved, Stage};
use testsmith_model::operation::{Sameness, Signature};
use testsmith_model::outcome::Phase;
use testsmith_model::wire::Wire;
use testsmith_model::{Loans, OpId, TypeId};

impl Stage for Executor {
    #[inline]
    fn loans(&self) -> &Loans {
        &self.loans
    }

    #[inline]
    fn signature(&self, op: OpId) -> &Signature {
        &self.signatures[op.index()]
    }

    #[inline]
    fn expect(&self, op: OpId) {
        fetch(self.thunks[op.index()] as *const u8);
    }

    #[inline]
    fn literal(&mut self, ty: TypeId, n: usize) -> Result<u32, Halt> {
        let Pooled { ready: Some(ready), step, .. } = &self.pool[ty.index()][n] else {
            return Err(Halt::Full);
        };
        if !self.has_room(1, step.room() + STEP_BYTES) {
            return Err(Halt::Full);
        }
        watched::set(self.watch);
        ready.put(&mut self.frame);
        watched::set(false);
        self.journal.literal(step);
        Ok(self.push(ty))
    }

    fn text(&mut self, ty: TypeId, text: &Arc<str>) -> Result<u32, Halt> {
        self.spelled.clear();
        text_step(ty, text).put(&mut self.spelled);
        if !self.has_room(1, self.spelled.len() + STEP_BYTES) {
            return Err(Halt::Full);
        }
        match self.kinds[ty.index()] {
            Some(Kind::String) => {
                self.watched(|executor| executor.frame.put(String::from(&**text)));
            }
            Some(Kind::Str) => {
                self.texts.push(Arc::clone(text));
                // SAFETY: the text is held until the next sequence begins; all
                // values of this one are dropped before, and those that may
                // borrow are not kept.
                self.frame.put(unsafe { &*std::ptr::from_ref::<str>(text) });
            }
            _ => return Err(Halt::Full),
        }
        self.journal.append(&self.spelled);
        Ok(self.push(ty))
    }

    fn is_refusal(&mut self, slot: u32) -> bool {
        let Slot { place, table } = self.slots[slot as usize];
        let Some(debug) = table.debug else { return false };
        self.journal.doing(self.steps[slot as usize], Phase::Observing);
        let mut start = Start::default();
        // SAFETY: the engine asks about live values only. A debug text that
        // panics is found by whoever shows it.
        let shown = catching(|| unsafe { debug(place, &mut start) });
        shown.is_err() || matches!(&start.0, b"Err(" | b"None")
    }

    #[inline]
    fn was_heavy(&self) -> bool {
        self.heavy
    }

    fn place(&mut self, shelved: Shelved) -> Result<u32, Halt> {
        let &WrittenRecipe { ref steps, count, value, ty } = self.shelf.recipe(shelved);
        let room = self.has_room(count, steps.room() + STEP_BYTES);
        if self.failure.is_some() || !room {
            return Err(Halt::Full);
        }
        let step = self.written + value;
        self.journal.recipe(steps);
        self.written += count;
        self.journal.doing(step, Phase::Observing);
        watched::set(self.watch);
        let (shelf, frame) = (&self.shelf, &mut self.frame);
        let cloned = catching(|| shelf.clone_into(shelved, frame));
        watched::set(false);
        if cloned.is_err() {
            return Err(Halt::Full);
        }
        let table = &self.tables[ty.index()];
        self.slots.push(Slot { place: self.frame.result, table });
        self.steps.push(step);
        Ok(self.loans.push(ty))
    }

    fn identity(&mut self, slot: u32, by: Sameness) -> Option<u64> {
        let Slot { place, table } = self.slots[slot as usize];
        self.journal.doing(self.steps[slot as usize], Phase::Observing);
        catching(|| match (by, table.hash, table.debug) {
            // SAFETY: the engine asks about live values only.
            (Sameness::Hash, Some(hash), _) => Some(unsafe { hash(place) }),
            (Sameness::Debug, _, Some(debug)) => Some(text_hash(|out| {
                // SAFETY: as above.
                unsafe { debug(place, out) }
            })),
            _ => None,
        })
        .ok()
        .flatten()
    }

    fn equals(&mut self, slot: u32, shelved: Shelved) -> bool {
        let Slot { place, table } = self.slots[slot as usize];
        self.journal.doing(self.steps[slot as usize], Phase::Observing);
        let shelf = &self.shelf;
        catching(|| shelf.equals(shelved, table, place)).unwrap_or(false)
    }

    fn shelve(&mut self, slot: u32, recipe: &Recipe, over: Option<Shelved>) -> Option<Shelved> {
        let recipe = self.write(recipe);
        let Slot { place, table } = self.slots[slot as usize];
        self.journal.doing(self.steps[slot as usize], Phase::Observing);
        let shelf = &mut self.shelf;
        catching(|| shelf.keep(place, table, recipe, over)).ok().flatten()
    }

    fn rewrite(&mut self, shelved: Shelved, recipe: &Recipe) {
        let recipe = self.write(recipe);
        self.shelf.rewrite(shelved, recipe);
    }

    /// In each arm the number of arguments is a constant, so that the loops over
    /// them unroll: a random call has another number every time, and a processor
    /// that guesses the end of five loops wrong loses more than the calls take.
    fn call(&mut self, op: OpId, args: &[u32]) -> Option<Result<u32, Halt>> {
        match *args {
            [] => self.call_on(op, &[]),
            [a] => self.call_on(op, &[a]),
            [a, b] => self.call_on(op, &[a, b]),
            [a, b, c] => self.call_on(op, &[a, b, c]),
            _ => self.call_on(op, args),
        }
    }
}

/// How many lines of code are fetched.
const FETCHED: usize = 4;

/// Asks the processor for the code at an address, which a random call finds in no cache.
#[inline]
fn fetch(code: *const u8) {
    #[cfg(target_arch = "x86_64")]
    for n in 0..FETCHED {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint; whatever is at the address is neither read nor written.
        unsafe { _mm_prefetch(code.wrapping_add(64 * n).cast::<i8>(), _MM_HINT_T0) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (code, FETCHED);
}

/// The first bytes of a text; an error ends the formatting when they are there.
#[derive(Default)]
struct Start([u8; 4], usize);

impl std::fmt::Write for Start {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let Start(bytes, length) = self;
        let taken = text.len().min(bytes.len() - *length);
        bytes[*length..*length + taken].copy_from_slice(&text.as_bytes()[..taken]);
        *length += taken;
        if *length == bytes.len() { Err(std::fmt::Error) } else { Ok(()) }
    }
}
