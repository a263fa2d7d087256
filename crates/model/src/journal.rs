//! How the journal lies in the memory that worker and supervisor share, and how
//! it is read when the worker is dead.
//!
//! All numbers are little-endian and aligned; the steps follow the header as
//! one stream of bytes. Sequences stand one after the other, so that the last
//! few can be read, too: what one of them has done may show later.

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
/// Where the steps under way begin.
pub const START: usize = 48;
/// The mutant that is active; zero if none is.
pub const MUTANT: usize = 56;
/// Where sequences that are over lie, in turn: their beginnings and lengths, four bytes each.
pub const RECENT: usize = 64;
/// How many of them are remembered.
pub const MAX_RECENT: usize = 16;
pub const STEPS: usize = RECENT + 8 * MAX_RECENT;
pub const SIZE: usize = 1 << 20;
pub const AT_REST: u32 = 3;

/// What a journal says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The steps up to the one under way, or all of the last sequence.
    pub sequence: Sequence,
    pub step: u32,
    /// None if nothing of the code under test was running.
    pub phase: Option<Phase>,
    /// The mutant that was active; zero if none was.
    pub mutant: u32,
    /// The sequences before, the last first.
    pub recent: Vec<Sequence>,
}

/// Reads a journal. Whatever wrote it may have written over it, too: what makes no sense
/// is left out.
pub fn read(bytes: &[u8]) -> Read {
    let phase = match number(bytes, PHASE) {
        Some(0) => Some(Phase::Calling),
        Some(1) => Some(Phase::Dropping),
        Some(2) => Some(Phase::Observing),
        _ => None,
    };
    let sequence = sequence_at(bytes, START, LENGTH).unwrap_or_default();
    let step = number(bytes, STEP).unwrap_or(0);
    let count = (sequence_count(bytes).saturating_sub(1) as usize).min(MAX_RECENT);
    let last = sequence_count(bytes) as usize;
    let recent = (1..=count).filter_map(|back| {
        let entry = RECENT + 8 * ((last - back) % MAX_RECENT);
        sequence_at(bytes, entry, entry + 4).filter(|sequence| !sequence.is_empty())
    });
    let mutant = number(bytes, MUTANT).unwrap_or(0);
    Read { sequence, step, phase, mutant, recent: recent.collect() }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn sequence_count(bytes: &[u8]) -> u64 {
    let eight = bytes.get(SEQUENCES..SEQUENCES + 8).and_then(|eight| eight.try_into().ok());
    eight.map_or(0, u64::from_le_bytes)
}

/// The sequence whose beginning and length stand at these places.
fn sequence_at(bytes: &[u8], start: usize, length: usize) -> Option<Sequence> {
    let (start, length) = (number(bytes, start)? as usize, number(bytes, length)? as usize);
    let mut rest = bytes.get(start..start.checked_add(length)?)?;
    let mut steps = vec![];
    while !rest.is_empty() {
        steps.push(Step::take(&mut rest).ok()?);
    }
    Some(Sequence::from_steps(steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TypeId;
    use crate::sequence::Literal;

    fn one(number: i128) -> Sequence {
        Sequence::from_steps(vec![Step::Literal(TypeId(0), Literal::Int(number))])
    }

    /// A journal of these sequences, the last one under way.
    fn journal(sequences: &[Sequence], phase: u32) -> Vec<u8> {
        let mut bytes = vec![0; SIZE];
        let mut start = STEPS;
        for (n, sequence) in sequences.iter().enumerate() {
            let steps: Vec<u8> = sequence.steps().flat_map(Step::to_bytes).collect();
            bytes[start..start + steps.len()].copy_from_slice(&steps);
            let (last, entry) = (n + 1 == sequences.len(), RECENT + 8 * ((n + 1) % MAX_RECENT));
            let (at, long) = if last { (START, LENGTH) } else { (entry, entry + 4) };
            bytes[at..at + 4].copy_from_slice(&(start as u32).to_le_bytes());
            bytes[long..long + 4].copy_from_slice(&(steps.len() as u32).to_le_bytes());
            start += steps.len();
        }
        bytes[PHASE..PHASE + 4].copy_from_slice(&phase.to_le_bytes());
        bytes[SEQUENCES..SEQUENCES + 8].copy_from_slice(&(sequences.len() as u64).to_le_bytes());
        bytes
    }

    #[test]
    fn the_sequences_before_are_read_the_last_first() {
        let read = read(&journal(&[one(1), one(2), one(3)], 0));
        assert_eq!((read.sequence, read.phase), (one(3), Some(Phase::Calling)));
        assert_eq!(read.recent, [one(2), one(1)]);
    }

    #[test]
    fn at_rest_the_last_sequence_is_still_known() {
        let read = read(&journal(&[one(1)], AT_REST));
        assert_eq!((read.sequence, read.phase), (one(1), None));
        assert!(read.recent.is_empty());
    }

    #[test]
    fn what_was_written_over_is_left_out() {
        let mut bytes = journal(&[one(1), one(2)], 0);
        bytes[START..START + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(read(&bytes).sequence, Sequence::default());
        assert_eq!(read(&bytes).recent, [one(1)]);
        assert_eq!(read(&[1, 2, 3]), Read::default());
    }
}
