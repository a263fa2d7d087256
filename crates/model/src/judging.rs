//! What is asked of a worker that has mutants in it, and what it answers.
//!
//! A sequence runs on the original, and then once for each mutant that it reaches. What is
//! told is where the two differ; whether a test can say so is for others to find out.

use crate::message::Component;
use crate::operation::OpId;
use crate::outcome::Outcome;
use crate::sequence::Sequence;
use crate::wire;

/// In place of a mutant: none is active, and what is reached is noted.
pub const RECORDING: u32 = u32::MAX;

/// Which mutants are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judging {
    pub live: Vec<LiveMutant>,
    /// How many numbers of mutants there are.
    pub numbers: u32,
    /// Calls whose panics are part of what they promise, so that one that is missing counts.
    pub panicking: Vec<OpId>,
}

/// A mutant that nothing has told from the original yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveMutant {
    pub id: u32,
    /// The first mutant of its place, by which guards note that they are passed.
    pub place: u32,
    /// How many runs have reached it already: those that were tried least come first.
    pub tried: u64,
}

/// A sequence that does something else with a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub mutant: u32,
    pub sequence: Sequence,
    /// The step whose value differs, or at which one of them ends.
    pub step: u32,
    pub shown: Shown,
}

/// In what a sequence differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// In the value that a call returns.
    Value,
    /// In how it ends.
    Ending,
    /// In what a value has become by the end.
    State,
}

/// What a judging worker did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    pub sequences: u64,
    /// Runs with a mutant, by its number.
    pub tried: Vec<(u32, u64)>,
    /// By mutant, the shortest sequence that reached it and told nothing.
    pub reaching: Vec<(u32, Sequence)>,
    /// Components made on the way.
    pub components: Vec<Component>,
    /// What the processor spent on judging, without growing the sequences.
    pub judging_ns: u64,
}

/// One sequence, run with one mutant or with none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    pub outcome: Outcome,
    /// While recording: how many guards were passed, and the first mutants of the places.
    pub visits: u64,
    pub reached: Vec<u32>,
}

wire!(struct LiveMutant { id, place, tried });
wire!(struct Judging { live, numbers, panicking });
wire!(enum Shown { 0 => Value {}, 1 => Ending {}, 2 => State {} });
wire!(struct Difference { mutant, sequence, step, shown });
wire!(struct Judged { sequences, tried, reaching, components, judging_ns });
wire!(struct Tried { outcome, visits, reached });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Job, Reply, Walk};
    use crate::outcome::{Ending, Phase};
    use crate::wire::Wire;

    #[test]
    fn what_is_judged_survives_the_wire() {
        let live = vec![LiveMutant { id: 7, place: 5, tried: 3 }];
        let judging = Judging { live, numbers: 9, panicking: vec![OpId(2)] };
        let job = Job::Judge { judging, walk: Walk::default(), sequences: vec![] };
        let again = Job::from_bytes(&job.to_bytes()).expect("well formed");
        assert_eq!(format!("{again:?}"), format!("{job:?}"));
        let outcome = Outcome {
            ending: Ending::Completed,
            step: 1,
            phase: Phase::Calling,
            values: vec![],
            new_edges: 0,
        };
        let (sequence, shown) = (Sequence::default(), Shown::State);
        let judged =
            Judged { sequences: 1, tried: vec![(7, 2)], judging_ns: 3, ..Judged::default() };
        let replies = [
            Reply::Differs { difference: Difference { mutant: 7, sequence, step: 1, shown } },
            Reply::Judged { judged },
            Reply::Tried { tried: Tried { outcome, visits: 5, reached: vec![5] } },
        ];
        for reply in replies {
            let again = Reply::from_bytes(&reply.to_bytes()).expect("well formed");
            assert_eq!(format!("{again:?}"), format!("{reply:?}"));
        }
    }
}
