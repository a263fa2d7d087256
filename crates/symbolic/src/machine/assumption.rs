//! What a claim rests on beside the code: by name, with the place that made use of it.
//!
//! An assumption is noted when it is used and not otherwise. It never makes a
//! claim untrue: what cannot be stated as one voids the claim instead.

use super::{Machine, Place};
use crate::ir::Origin;

/// Something that is taken for granted where a program asks for it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Assumption {
    Hashing,
    Output,
    Allocation,
    FreshProcess,
    ThreadExit,
    Environment,
    Arguments,
    Clock,
    PlainCpu,
}

impl Assumption {
    /// The name under which reports list it.
    pub fn name(self) -> &'static str {
        match self {
            Assumption::Hashing => "hashing",
            Assumption::Output => "output",
            Assumption::Allocation => "allocation",
            Assumption::FreshProcess => "fresh-process",
            Assumption::ThreadExit => "thread-exit",
            Assumption::Environment => "empty-environment",
            Assumption::Arguments => "no-arguments",
            Assumption::Clock => "clock",
            Assumption::PlainCpu => "plain-cpu",
        }
    }

    /// What it means for a claim that rests on it.
    pub fn why(self) -> &'static str {
        match self {
            Assumption::Hashing => "hashes of unequal bytes differ; collisions are not explored",
            Assumption::Output => "writes to standard output and error succeed and show nothing",
            Assumption::Allocation => "memory that is asked for is there, below the bound",
            Assumption::FreshProcess => {
                "every input finds statics as a fresh process has them, whatever ran before"
            }
            Assumption::ThreadExit => {
                "destructors of thread locals, which run when the thread ends, do no harm"
            }
            Assumption::Environment => "no environment variable is set",
            Assumption::Arguments => "the process was started without arguments",
            Assumption::Clock => {
                "the clock starts at a fixed time and advances by a microsecond a call"
            }
            Assumption::PlainCpu => {
                "the processor offers no extension beyond the target's baseline"
            }
        }
    }
}

impl Machine<'_> {
    /// Notes that the program made use of an assumption; the first place is kept.
    pub(super) fn assume(&mut self, assumption: Assumption) {
        if !self.assumptions.contains_key(&assumption) {
            let site = self.site();
            self.assumptions.insert(assumption, site);
        }
    }

    /// Where the program under test is: its innermost call, outside the library.
    pub(super) fn site(&self) -> Place {
        let ours = |frame: &&super::Frame| frame.function.origin == Origin::User;
        let Some(frame) = self.frames.iter().rev().find(ours) else { return Place::default() };
        let calls = &frame.function.calls;
        // The frame on top may be between calls: the last one before it is near enough.
        let next = calls.partition_point(|(after, _)| *after as usize <= frame.pc);
        match next.checked_sub(1) {
            Some(index) => self.interpreter.program.place(calls[index].1).clone(),
            None => Place { file: frame.function.name.clone(), ..Place::default() },
        }
    }
}
