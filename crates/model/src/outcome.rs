//! What happened when a sequence ran.
//!
//! An outcome carries no opinion: a panic here may be a bug, a documented
//! refusal or misuse. Judging is somebody else's work.

/// A value as it was seen after its call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Value {
    /// The `Debug` text, cut at [`MAX_TEXT`] bytes.
    pub text: Option<String>,
}

/// What a worker says before the place where a panic comes upon another.
pub const ANOTHER_PANIC: &str = "another panic at ";

/// What is said of a process whose stack did not suffice.
pub const STACK_OVERFLOW: &str = "stack overflow";

/// Longer texts are cut, and end with an ellipsis.
pub const MAX_TEXT: usize = 4096;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Panic {
    pub message: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// Whether the place is in the crate under test; only who knows its folder can say.
    #[cfg_attr(feature = "serde", serde(default))]
    pub own: bool,
    /// What the source says at the place; only who has the sources knows.
    pub origin: Option<Box<Origin>>,
}

/// The code that panicked, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Origin {
    /// From the place of the panic to the end of the statement, or near it.
    pub statement: String,
    /// The name of the function that it stands in.
    pub function: String,
    /// What the `match` around it looks at; empty where there is none.
    #[cfg_attr(feature = "serde", serde(default))]
    pub matched: String,
}

/// What the worker was doing at a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Phase {
    #[default]
    Calling,
    /// Dropping the value of that step.
    Dropping,
    /// Describing, comparing or hashing the value of that step.
    Observing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Ending {
    Completed,
    Panicked(Panic),
    /// A projection met another variant, or a precondition does not hold.
    Inapplicable,
    /// A law was called and does not hold.
    Broken,
    /// Memory was used as it must not be.
    Memory(MemoryError),
    /// The process was ended by a signal: an abort, a fault, a stack overflow.
    Signal {
        number: i32,
        note: String,
    },
    OutOfMemory {
        requested: u64,
    },
    TimedOut {
        after_ms: u64,
        /// Whether it waited for something most of the time, and did not work.
        waits: bool,
    },
    Exited {
        code: i32,
    },
    /// Two builds do not agree. Only who runs both can say so.
    Differs {
        /// What the last value looks like with overflow checks, if it is the
        /// value that differs.
        checked: Option<String>,
        /// What it looks like, or what happens instead, without them.
        released: String,
    },
    /// A check stops it that users build without, and without the check it misuses memory. Only
    /// who runs both can say so.
    Unguarded {
        /// How the check ended it.
        stopped: String,
        /// What happens instead, without.
        unchecked: String,
    },
    /// Its last call does not keep what nearly all calls of its kind keep. Only who saw
    /// those can say so.
    Exception {
        clause: String,
        /// In how many calls it was seen to hold, and in how many not.
        held: u64,
        broken: u64,
        /// What the exceptions have in common, as far as there are words for it.
        cause: String,
    },
}

/// How memory was misused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum MemoryError {
    Overrun,
    Underrun,
    WriteAfterFree,
    DoubleFree,
    InvalidFree,
    WrongLayout,
    /// An element that knows whether it lives was dropped when it did not.
    DroppedTwice,
    /// So was one that was looked at.
    DeadElement,
    /// A text that is not UTF-8, which safe code relies on.
    InvalidText,
    /// So does it on these.
    InvalidValue,
    /// It is safe to keep memory for ever, and seldom meant.
    Leak,
}

impl MemoryError {
    /// What was done, after "it".
    pub fn words(self) -> &'static str {
        match self {
            MemoryError::Overrun => "writes past the end of its memory",
            MemoryError::Underrun => "writes before the beginning of its memory",
            MemoryError::WriteAfterFree => "writes to memory that was freed",
            MemoryError::DoubleFree => "frees memory twice",
            MemoryError::InvalidFree => "frees memory that was never given out",
            MemoryError::WrongLayout => "frees memory by another layout than it was asked for",
            MemoryError::DroppedTwice => "drops an element twice, or one that was never made",
            MemoryError::DeadElement => "uses an element that was dropped or never made",
            MemoryError::InvalidText => "makes a text that is not UTF-8",
            MemoryError::InvalidValue => "makes a `bool` or a `char` that is none",
            MemoryError::Leak => "never frees some of its memory",
        }
    }
}

impl Ending {
    /// Whether memory was used as it must not be, seen by who watches it or by the machine.
    pub fn is_misuse_of_memory(&self) -> bool {
        const FAULTS: [i32; 3] = [4, 7, 11];
        match self {
            Ending::Memory(error) => *error != MemoryError::Leak,
            Ending::Signal { number, note } => {
                FAULTS.contains(number) && !note.contains(STACK_OVERFLOW)
            }
            _ => false,
        }
    }

    /// Whether the process is gone, so that a new worker has to go on.
    pub fn is_fatal(&self) -> bool {
        !matches!(
            self,
            Ending::Completed
                | Ending::Panicked(_)
                | Ending::Inapplicable
                | Ending::Broken
                | Ending::Memory(_)
                | Ending::Differs { .. }
                | Ending::Unguarded { .. }
                | Ending::Exception { .. }
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Outcome {
    pub ending: Ending,
    /// The step at which it ended; the length of the sequence if completed.
    pub step: u32,
    pub phase: Phase,
    /// One for each executed step, where values were asked for.
    pub values: Vec<Value>,
    /// Edges of the control flow that no earlier sequence had taken.
    pub new_edges: u32,
}
