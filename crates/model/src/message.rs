//! What the supervisor and the worker say to each other.
//!
//! Both ends are built from this file in the same run. How a message travels is
//! in `pipe`, what is left when a worker dies in `journal`.

use crate::heuristics::Heuristics;
use crate::judging::{Difference, Judged, Judging, Tried};
use crate::observation::{Observed, Watching};
use crate::operation::{Abilities, OpId, Plan};
use crate::outcome::Outcome;
use crate::sequence::Sequence;
use crate::wire;
use crate::wire::{Malformed, Wire};

/// The first argument of a harness that is to run another program strictly.
pub const STRICTLY: &str = "--strictly";
/// The first argument of our executable that is to run the user's tests confined; then how
/// many folders may be written to, the folders, and the program.
pub const CONFINED: &str = "--confined";
/// How it begins each line about a part of the sandbox that is missing.
pub const SANDBOX_LACKS: &str = "testsmith: the sandbox lacks: ";
/// How it ends without running the program, if that could not be watched.
pub const UNWATCHED: i32 = 125;

/// Started with this, the harness says what it was built from and ends.
pub const IDENTITY: &str = "--identity";

/// What the supervisor asks for.
#[derive(Clone, Debug)]
pub enum Job {
    /// What can the types do? Answered by `Types`.
    Describe,
    /// The operations to work with. Answered by `Ready`.
    Use { plan: Box<Plan> },
    /// Run one sequence from scratch. Answered by `Ran`.
    Run { sequence: Sequence, values: bool },
    /// Run one sequence from scratch and say which edges it takes, new or not.
    /// Answered by `Traced`.
    Trace { sequence: Sequence },
    /// Grow random sequences. Answered by `Ran` for those kept, then `Walked`.
    Walk { walk: Walk },
    /// Grow random sequences, then run these, and watch all of them. Answered by `Ran` for
    /// sequences of the walk that fail, then `Observed`.
    Observe { watching: Watching, walk: Walk, sequences: Vec<Sequence> },
    /// Run the same random sequences in two ways. Answered by `Timed`.
    Time { walk: Walk },
    /// Which edges exist and were taken. Answered by `Edges`.
    Edges,
    /// Run these sequences and then random ones, each on the original and on the mutants that
    /// it reaches. Answered by `Differs` for each mutant that is told from the original, then
    /// `Judged`.
    Judge { judging: Judging, walk: Walk, sequences: Vec<Sequence> },
    /// Run one sequence from scratch with this mutant on, which may pass so many guards.
    /// Answered by `Tried`.
    Try { sequence: Sequence, mutant: u32, visits: u64, numbers: u32 },
}

/// The bounds of a random walk.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    pub seed: u64,
    pub max_sequences: u64,
    pub max_calls: u64,
    /// Calls in one sequence, literals not counted.
    pub max_length: u32,
    /// How many sequences are sent back with their outcomes, each with values.
    pub keep: u32,
    /// Operations that ended the process before.
    pub avoid: Vec<OpId>,
    /// Numbers that are too large.
    pub limits: Vec<ArgumentLimit>,
    /// Also send back sequences that fail, a few for each place and operation.
    pub failures: bool,
    pub heuristics: Heuristics,
    /// What a worker that has none of its own starts from.
    pub components: Vec<Component>,
    /// The memory of one in so many sequences is watched; none where this is zero.
    pub watch_every: u32,
    /// Count the distinct values at the ends of sequences. For benches: it
    /// costs more than the calls.
    pub census: bool,
}

/// A legal sequence and the value in it that others may start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    pub sequence: Sequence,
    /// The step that made the value.
    pub value: u32,
}

/// A number with which a call hung or asked for too much memory, as the
/// argument of an operation: it and those further from zero are not passed
/// again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentLimit {
    pub op: OpId,
    pub input: u32,
    pub number: i128,
    /// It took too long or too much memory, and not only more stack than there is.
    pub costly: bool,
}

impl ArgumentLimit {
    /// A number nearer to zero is not to blame.
    pub const LEAST: u128 = 1000;
}

#[derive(Clone, Debug, Default)]
pub struct Walked {
    pub sequences: u64,
    pub calls: u64,
    pub panics: u64,
    pub inapplicable: u64,
    /// Per operation: completed calls and panics.
    pub completed: Vec<u32>,
    pub panicked: Vec<u32>,
    /// Components made in this walk.
    pub components: Vec<Component>,
    /// What the values are known by that were not there before, where a census
    /// was asked for.
    pub census: Vec<u64>,
    /// Edges that were taken for the first time since the walk before.
    pub edges: Vec<u32>,
    /// Where a census was asked for: calls under test, and how many of them
    /// were made after exactly the same steps as before.
    pub extensions: u64,
    pub repeated: u64,
}

/// All times are nanoseconds of the processor.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    /// A walk after its engine has learnt: generating, with loans, catching,
    /// journal and counters.
    pub walk_calls: u64,
    pub walk_sequences: u64,
    pub walk_ns: u64,
    /// Sequences of the walk that panicked, and the share of all others.
    pub panics: u64,
    pub legal_calls: u64,
    pub legal_ns: u64,
    /// What was repeated: calls, and literals beside them.
    pub sequences: u64,
    pub calls: u64,
    pub literals: u64,
    /// Repeated with all of the above but generating.
    pub replay_ns: u64,
    /// The same thunks in a bare loop.
    pub bare_ns: u64,
}

#[derive(Clone, Debug)]
pub enum Reply {
    /// What this machine lacks of the sandbox, in words.
    Hello {
        missing: Vec<String>,
    },
    Types {
        abilities: Vec<Abilities>,
    },
    Ready,
    Ran {
        sequence: Sequence,
        outcome: Outcome,
    },
    Traced {
        outcome: Outcome,
        edges: Vec<u32>,
    },
    Walked {
        walked: Walked,
    },
    Timed {
        timing: Timing,
    },
    Observed {
        observed: Box<Observed>,
        walked: Walked,
    },
    /// Address and entry flag of every edge, and those taken so far.
    Edges {
        edges: Vec<(u64, bool)>,
        taken: Vec<u32>,
    },
    Differs {
        difference: Difference,
    },
    Judged {
        judged: Judged,
    },
    Tried {
        tried: Tried,
    },
    /// The job cannot be done.
    Refused {
        why: String,
    },
}

wire!(enum Job {
    0 => Describe {}, 1 => Use { plan: p }, 2 => Run { sequence: s, values: v },
    3 => Walk { walk: w }, 4 => Time { walk: w }, 5 => Edges {}, 6 => Trace { sequence: s },
    7 => Observe { watching: a, walk: w, sequences: s },
    8 => Judge { judging: j, walk: w, sequences: s },
    9 => Try { sequence: s, mutant: m, visits: v, numbers: n },
});
wire!(struct Heuristics { 0 });
wire!(struct Component { sequence, value });
wire!(struct ArgumentLimit { op, input, number, costly });
wire!(struct Walk {
    seed, max_sequences, max_calls, max_length, keep, avoid, limits, failures, heuristics,
    components, watch_every, census,
});
wire!(struct Walked {
    sequences, calls, panics, inapplicable, completed, panicked, components, census, edges,
    extensions, repeated,
});
wire!(struct Timing {
    walk_calls, walk_sequences, walk_ns, panics, legal_calls, legal_ns, sequences, calls, literals, replay_ns, bare_ns,
});
wire!(enum Reply {
    0 => Hello { missing: m }, 1 => Types { abilities: a }, 2 => Ready {},
    3 => Ran { sequence: s, outcome: o }, 4 => Walked { walked: w }, 5 => Timed { timing: t },
    6 => Edges { edges: e, taken: t }, 7 => Refused { why: w },
    8 => Traced { outcome: o, edges: e }, 9 => Observed { observed: o, walked: w },
    10 => Differs { difference: d }, 11 => Judged { judged: j }, 12 => Tried { tried: t },
});

impl<T: Wire> Wire for Box<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (**self).put(out);
    }
    fn take(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        T::take(bytes).map(Box::new)
    }
}
