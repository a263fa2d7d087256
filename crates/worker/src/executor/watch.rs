//! Sequences whose memory is watched.
//!
//! A search watches some of its sequences; one that is run from scratch is
//! always watched, thoroughly, so that each error is that of the call that
//! made it.

use super::Executor;
use crate::arena::Slot;
use crate::watched;
use testsmith_model::outcome::{Ending, MemoryError, Outcome, Phase};
use testsmith_model::{Sequence, Step};

/// A sequence that does not free everything is run so often again. What is kept for the
/// next time, in a cache or a pool, is kept once.
const AGAIN: usize = 3;

impl Executor {
    /// Carries out a whole sequence from scratch and watches its memory. `None` if it is not
    /// legal.
    pub fn run(&mut self, sequence: &Sequence, observe: bool) -> Option<Outcome> {
        let before = (self.watch, self.thorough);
        (self.watch, self.thorough) = (true, true);
        let mut outcome = self.carry_out(sequence, observe);
        if let Some(outcome) = &mut outcome {
            // Who wants values wants to know what the sequence does; leaks are no obstacle.
            let leaks = !observe && self.leaks(sequence, outcome);
            if leaks {
                outcome.ending = Ending::Memory(MemoryError::Leak);
            }
            let late = outcome.phase == Phase::Dropping;
            if leaks || late && matches!(outcome.ending, Ending::Memory(_)) {
                outcome.step = self.first_to_blame(sequence, &outcome.ending);
                outcome.phase = Phase::Calling;
            }
        }
        (self.watch, self.thorough) = before;
        outcome
    }

    /// The first step after which the values that are there cannot be dropped without the
    /// error: what shows when a value is dropped was done by a call before.
    fn first_to_blame(&mut self, sequence: &Sequence, ending: &Ending) -> u32 {
        let steps: Vec<Step> = sequence.steps().cloned().collect();
        let calls = steps.iter().enumerate().filter(|(_, step)| matches!(step, Step::Call(..)));
        let mut found = None;
        for (here, _) in calls {
            let part = Sequence::from_steps(steps[..=here].to_vec());
            let Some(outcome) = self.carry_out(&part, false) else { continue };
            let same = match ending {
                Ending::Memory(MemoryError::Leak) => self.leaks(&part, &outcome),
                ending => outcome.ending == *ending,
            };
            if same {
                found = Some(here);
                break;
            }
        }
        found.unwrap_or(steps.len() - 1) as u32
    }

    /// Whether a sequence that was just carried out leaves memory behind each time.
    fn leaks(&mut self, sequence: &Sequence, outcome: &Outcome) -> bool {
        outcome.ending == Ending::Completed
            && self.unfreed > 0
            && (0..AGAIN).all(|_| {
                let again = self.carry_out(sequence, false);
                again.is_some_and(|again| again.ending == Ending::Completed) && self.unfreed > 0
            })
    }

    /// Runs code under test; what it asks for is watched if the sequence is.
    #[inline(always)]
    pub(super) fn watched<T>(&mut self, run: impl FnOnce(&mut Executor) -> T) -> T {
        watched::set(self.watch);
        let done = run(self);
        watched::set(false);
        done
    }

    #[inline(never)]
    pub(super) fn look_at_memory(&mut self, step: u32, phase: Phase) {
        if let Some(error) = watched::look(self.thorough) {
            self.fail_by_memory(error, step, phase);
        }
    }

    /// Whether the result of a call is a value of its type, as far as the language says what
    /// that is. What is none is not shown, and the sequence ends.
    #[inline(never)]
    pub(super) fn look_at_value(&mut self, slot: u32, step: u32) {
        let Slot { place, table } = self.slots[slot as usize];
        // SAFETY: the slot was just filled by a call that returns this type.
        let fault = table.fault.and_then(|fault| unsafe { fault(place) });
        if let Some(error) = fault {
            self.fail_by_memory(error, step, Phase::Calling);
        }
    }

    /// Whatever else came of a step, misused memory is the cause.
    pub(super) fn fail_by_memory(&mut self, error: MemoryError, step: u32, phase: Phase) {
        if !matches!(self.failure, Some((Ending::Memory(_), ..))) {
            self.failure = Some((Ending::Memory(error), step, phase));
        }
    }

    /// All values are dropped: looks at all memory, and counts what was not freed.
    pub(super) fn end_watch(&mut self) {
        if self.watch {
            self.frame.forget_large();
            if let Some(error) = watched::look(true) {
                let last = self.written.saturating_sub(1);
                self.fail_by_memory(error, last, Phase::Dropping);
            }
            self.unfreed = watched::end();
        }
    }
}
