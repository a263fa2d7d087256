//! What ways that meet make together: where they differ, a choice by their conditions.
//!
//! Lengths and addresses that are known stay known, because a program that
//! walks by unknown ones has more paths and not fewer.

use std::collections::BTreeSet;

use super::journal::Stretch;
use super::merge::given_up;
use super::{End, Interpreter, Machine, Value};
use crate::ir::{Function, Operand};

/// Places that may differ where ways meet.
const MOST_PLACES: usize = 64;

/// What the ways that arrived make together.
pub(super) struct Joined {
    pub ways: usize,
    slots: Vec<(u32, Value)>,
    places: Vec<(u64, u64, Value)>,
}

/// A way that arrived.
pub(super) struct Arrived {
    pub condition: Value,
    pub slots: Vec<Value>,
    pub written: Vec<Stretch>,
}

impl Machine<'_> {
    /// What differs between the ways, as choices.
    pub(super) fn joined(
        &mut self,
        function: &Function,
        phis: &[u32],
        arrived: &[Arrived],
        stack: u32,
    ) -> Result<Joined, End> {
        let mut slots = vec![];
        for (index, slot) in phis.iter().enumerate() {
            let width = function.widths[*slot as usize];
            let values: Vec<(Value, Value)> =
                arrived.iter().map(|way| (way.condition, way.slots[index])).collect();
            slots.push((*slot, self.choice(u32::from(width), &values)?));
        }
        let units = units(arrived);
        if units.len() > MOST_PLACES {
            return Err(given_up());
        }
        let mut contents: Vec<Vec<Value>> = vec![];
        for way in arrived {
            let mark = self.memory.journal_mark();
            let Interpreter { program, image, pool, .. } = &mut *self.interpreter;
            for stretch in &way.written {
                self.memory.replace((program, image), stretch)?;
            }
            let read = |(address, len): &(u64, u64)| {
                self.memory.read((program, image, pool), *address, *len)
            };
            contents.push(units.iter().map(read).collect::<Result<_, End>>()?);
            self.memory.take_back((program, image), mark, stack)?;
        }
        let mut places = vec![];
        for (index, (address, len)) in units.iter().enumerate() {
            let values: Vec<(Value, Value)> = arrived
                .iter()
                .zip(&contents)
                .map(|(way, contents)| (way.condition, contents[index]))
                .collect();
            places.push((*address, *len, self.choice(8 * *len as u32, &values)?));
        }
        Ok(Joined { ways: arrived.len(), slots, places })
    }

    /// The value of the way whose condition holds. Numbers that steer the program, lengths
    /// and addresses, stay known: ways that differ there are not joined.
    fn choice(&mut self, width: u32, values: &[(Value, Value)]) -> Result<Value, End> {
        let (_, last) = *values.last().expect("a way arrived");
        if values.iter().all(|(_, value)| *value == last) {
            return Ok(last);
        }
        let known = values.iter().filter(|(_, value)| value.term.is_none());
        let known: BTreeSet<u128> = known.map(|(_, value)| value.bits).collect();
        let steers = width >= 64 && known.len() > 1;
        let hidden = values.iter().any(|(_, v)| v.term.is_some_and(|term| self.is_hidden(term)));
        if steers || hidden || width == 0 {
            return Err(given_up());
        }
        let mut chosen = last;
        for (condition, value) in values.iter().rev().skip(1) {
            chosen = self.select(width, *condition, *value, chosen);
        }
        Ok(chosen)
    }

    pub(super) fn apply(&mut self, base: usize, joined: Joined) -> Result<(), End> {
        for (slot, value) in joined.slots {
            self.slots[base + slot as usize] = value;
        }
        for (address, len, value) in joined.places {
            self.store(address, len, value)?;
        }
        Ok(())
    }
}

/// The slots that edges into a block fill.
pub(super) fn phis(function: &Function, block: u32) -> Vec<u32> {
    let into = function.edges.iter().filter(|edge| edge.target == block);
    let slots: BTreeSet<u32> =
        into.flat_map(|edge| edge.moves.iter().map(|(slot, _): &(u32, Operand)| *slot)).collect();
    slots.into_iter().collect()
}

/// The places that some way wrote, cut where any of them begins or ends.
fn units(arrived: &[Arrived]) -> Vec<(u64, u64)> {
    /// The widest number.
    const WIDEST: u64 = 16;
    let spans: BTreeSet<(u64, u64)> =
        arrived.iter().flat_map(|way| way.written.iter().map(Stretch::span)).collect();
    let cuts: BTreeSet<u64> =
        spans.iter().flat_map(|(address, len)| [*address, address + len]).collect();
    let mut units: BTreeSet<(u64, u64)> = BTreeSet::new();
    for (address, len) in &spans {
        let end = address + len;
        let mut start = *address;
        while start < end {
            let next = cuts.range(start + 1..).next().map_or(end, |cut| (*cut).min(end));
            let piece = next - start;
            let fits = if piece <= WIDEST && piece.is_power_of_two() {
                piece
            } else {
                // Of what was copied as a whole, words.
                8.min(1 << piece.ilog2())
            };
            units.insert((start, fits));
            start += fits;
        }
    }
    units.into_iter().collect()
}
