//! What is asked of values around a call, and what they answer.
//!
//! An answer is one number: yes and no are 1 and 0, an option or a result counts by its
//! variant, a text or a collection by its length, an enum without fields by its place in the list.

use crate::operation::{OpId, TypeId};
use crate::outcome::Outcome;
use crate::sequence::Sequence;
use crate::wire;

/// No answer: the value was borrowed or gone, the query does not apply, or the number is
/// too large to be kept.
pub const UNKNOWN: i64 = i64::MIN;

/// One question about the values of a tuple, which are the arguments of a call and, behind
/// them, its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// The value itself as a number.
    Itself { at: u8 },
    /// What is inside of an option or a result, as a number.
    Inside { at: u8 },
    /// What a query says of it.
    Query { op: OpId, at: u8 },
    /// What a query says of it that is given another value of the tuple.
    With { op: OpId, at: u8, with: u8 },
    /// What a query says of it that is given two other values of the tuple.
    WithTwo { op: OpId, at: u8, with: u8, and: u8 },
    /// Whether two values of one type are equal.
    Equal { at: u8, with: u8 },
}

/// When something is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occasion {
    Call {
        op: OpId,
    },
    /// Two calls that change the same value, one right after the other. The tuple has the
    /// arguments of the first and its result, then those of the second but for the value
    /// itself, and its result.
    Pair {
        first: OpId,
        second: OpId,
    },
    /// Values of these types that are there at the end of a sequence.
    Values {
        types: Vec<TypeId>,
    },
}

/// An occasion, and what is asked before and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watch {
    pub occasion: Occasion,
    pub before: Vec<Term>,
    /// Nothing for values.
    pub after: Vec<Term>,
}

/// Different answers are kept up to these bounds, all others counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watching {
    pub watches: Vec<Watch>,
    pub rows_each: u32,
}

/// The answers around one call, or about one tuple of values, and how often exactly these
/// were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub watch: u32,
    /// Where they were first seen.
    pub sequence: u32,
    /// The step of the call, or behind the last one.
    pub step: u32,
    /// The steps that made the values of the tuple.
    pub slots: Vec<u32>,
    pub before: Vec<i64>,
    pub after: Vec<i64>,
    pub times: u64,
}

/// Why a query is no longer asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unfit {
    Panics,
    /// Asked twice, it does not say the same.
    Wavers,
    /// The value is not what it was before.
    Changes,
}

/// What came of a sequence that was to be observed.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// None if the sequence is not legal for the plan.
    pub outcome: Option<Outcome>,
    /// The answers before its last call, if that came about and is watched.
    pub before: Vec<i64>,
}

/// All that was seen.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    pub sequences: Vec<Sequence>,
    pub rows: Vec<Row>,
    /// Different answers for which there was no room.
    pub unkept: u64,
    pub unfit: Vec<(OpId, Unfit)>,
    /// One for each sequence that was handed over.
    pub attempts: Vec<Attempt>,
    /// Calls made under observation.
    pub calls: u64,
}

impl Observed {
    /// Adds what was seen elsewhere with the same watches.
    pub fn add(&mut self, other: Observed) {
        let base = self.sequences.len() as u32;
        self.sequences.extend(other.sequences);
        let moved = |row: Row| Row { sequence: row.sequence + base, ..row };
        self.rows.extend(other.rows.into_iter().map(moved));
        self.unkept += other.unkept;
        for unfit in other.unfit {
            if !self.unfit.contains(&unfit) {
                self.unfit.push(unfit);
            }
        }
        self.attempts.extend(other.attempts);
        self.calls += other.calls;
    }
}

wire!(enum Term {
    0 => Itself { at: a }, 1 => Query { op: o, at: a }, 2 => With { op: o, at: a, with: w },
    3 => Equal { at: a, with: w }, 4 => Inside { at: a },
    5 => WithTwo { op: o, at: a, with: w, and: n },
});
wire!(enum Occasion {
    0 => Call { op: o }, 1 => Values { types: t }, 2 => Pair { first: f, second: s },
});
wire!(struct Watch { occasion, before, after });
wire!(struct Watching { watches, rows_each });
wire!(struct Row { watch, sequence, step, slots, before, after, times });
wire!(enum Unfit { 0 => Panics {}, 1 => Wavers {}, 2 => Changes {} });
wire!(struct Attempt { outcome, before });
wire!(struct Observed { sequences, rows, unkept, unfit, attempts, calls });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Job, Reply, Walk, Walked};
    use crate::sequence::{Literal, Step};
    use crate::wire::Wire;

    #[test]
    fn what_is_asked_and_what_was_seen_survive_the_wire() {
        let terms = vec![
            Term::Itself { at: 1 },
            Term::Query { op: OpId(3), at: 0 },
            Term::With { op: OpId(4), at: 0, with: 1 },
            Term::Equal { at: 0, with: 1 },
            Term::Inside { at: 2 },
            Term::WithTwo { op: OpId(5), at: 0, with: 2, and: 1 },
        ];
        let occasions = [
            Occasion::Call { op: OpId(7) },
            Occasion::Values { types: vec![TypeId(1), TypeId(2)] },
            Occasion::Pair { first: OpId(7), second: OpId(8) },
        ];
        let watch = |occasion| Watch { occasion, before: terms.clone(), after: vec![] };
        let watching = Watching { watches: occasions.map(watch).into(), rows_each: 9 };
        let step = Step::Literal(TypeId(3), Literal::Bool(true));
        let sequence = Sequence::from_steps(vec![step]);
        let walk = Walk { seed: 5, ..Walk::default() };
        let job = Job::Observe { watching, walk, sequences: vec![sequence.clone()] };
        let again = Job::from_bytes(&job.to_bytes()).expect("well formed");
        assert_eq!(format!("{again:?}"), format!("{job:?}"));
        let (before, after) = (vec![UNKNOWN, 3], vec![-1]);
        let row = Row { watch: 1, sequence: 0, step: 4, slots: vec![2], before, after, times: 8 };
        let observed = Observed {
            sequences: vec![sequence],
            rows: vec![row],
            unkept: 2,
            unfit: vec![(OpId(1), Unfit::Wavers)],
            attempts: vec![Attempt { outcome: None, before: vec![1] }],
            calls: 11,
        };
        let observed = Box::new(observed);
        let reply = Reply::Observed { observed, walked: Walked::default() };
        let again = Reply::from_bytes(&reply.to_bytes()).expect("well formed");
        assert_eq!(format!("{again:?}"), format!("{reply:?}"));
    }
}
