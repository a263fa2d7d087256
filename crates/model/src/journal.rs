//! How the journal lies in the memory that worker and supervisor share, and how
//! it is read when the worker is dead.
//!
//! All numbers are little-endian and aligned; the steps follow the header as
//! one stream of bytes.

use crate::outcome::Phase;
use crate::sequence::{Sequence, Step};
use crate::wire::Wire;

/// Grows with every call, drop and observation: a pulse.
pub const PULSE: usize = 0;
/// The step under way.
pub const STEP: usize = 8;
/// 0 calling, 1 dropping, 2 observing, 3 at rest.
pub const PHASE: usize = 12;
/// How many bytes of steps are valid.
pub const LENGTH: usize = 16;
/// How many bytes an allocation asked for that was refused.
pub const REFUSED: usize = 24;
/// Sequences begun and calls made since the worker started.
pub const SEQUENCES: usize = 32;
pub const CALLS: usize = 40;
pub const STEPS: usize = 64;
pub const SIZE: usize = 1 << 20;
pub const AT_REST: u32 = 3;

/// Reads a journal: the steps up to the one under way, and what it was doing.
pub fn read(bytes: &[u8]) -> Option<(Sequence, u32, Phase)> {
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let step = number(STEP)?;
    let phase = match number(PHASE)? {
        0 => Phase::Calling,
        1 => Phase::Dropping,
        2 => Phase::Observing,
        _ => return None,
    };
    let length = number(LENGTH)? as usize;
    let mut rest = bytes.get(STEPS..STEPS + length)?;
    let mut steps = vec![];
    while !rest.is_empty() {
        steps.push(Step::take(&mut rest).ok()?);
    }
    Some((Sequence::from_steps(steps), step, phase))
}
