//! The order of hash tables, which random keys decide.
//!
//! Whoever goes through a table reads its control bytes for the full places;
//! those bytes carry the hashes of its elements. Where two or more elements are
//! handed out in that order (iteration, draining, retaining) it can be seen.
//! Where it stays inside (growing, dropping, clearing, cloning) it can be seen
//! by code of the elements that leaves something behind. A run says whether an
//! order could be seen; whoever explores then tries the others.

use std::collections::BTreeSet;

use super::{End, Machine, Value};
use crate::ir::Origin;
use testsmith_solver::term::Term;

/// The functions that look for a free place read the same bytes; they see no order.
const PROBES: &[&str] = &["insert_index", "insert_slot"];
/// The functions in which the order stays.
const INSIDE: &[&str] =
    &["rehash", "resize", "clone_from", "drop_elements", "drop_inner_table", "clear"];

/// Why nothing is claimed.
pub(crate) const ORDER: &str = "the order of a hash table, which random keys decide, is looked at";

/// Control bytes of a table: where they lie, and the hashes in them.
#[derive(Clone, Default, PartialEq, Eq)]
struct Group {
    address: u64,
    hashes: Vec<Option<u32>>,
}

/// Which orders a run saw.
#[derive(Default)]
pub(super) struct Orders {
    /// The hashes of the elements whose order could be seen.
    pub seen: BTreeSet<usize>,
    /// Where the control bytes lie that were read last.
    loaded: u64,
    last: Group,
    /// Those of every table whose order could be seen.
    groups: Vec<Group>,
    /// The hash of an element that was alone where it was looked for.
    lone: Option<u32>,
}

/// A table is gone through by its own code.
pub(super) struct Zone {
    /// The frame of that code.
    depth: usize,
    stack: u32,
    heap: u32,
}

impl Machine<'_> {
    /// The signs of sixteen bytes are asked for: if they are the control bytes of a table,
    /// then for its full places, or for free ones to insert at.
    pub(super) fn signs_asked(&mut self, bytes: Value) -> Result<(), End> {
        if self.streams.is_unused() || self.owner() != Origin::Table {
            return Ok(());
        }
        let asks = |frame: &&super::Frame| frame.function.origin == Origin::Table;
        let Some(frame) = self.frames.iter().rev().find(asks) else { return Ok(()) };
        if PROBES.iter().any(|probe| frame.function.name.contains(probe)) {
            return Ok(());
        }
        let start = self.address(bytes)?;
        let mut group = vec![];
        for index in 0..16 {
            let byte = self.fetch(start + index, 1)?;
            // A full place has a byte of a hash without its sign; a comparison of two has it.
            let full = |term: &Term| self.interpreter.pool.range(*term).high <= 0x7f;
            let hashes = byte.term.filter(full).map(|term| self.hashes_in(term));
            group.push(hashes.and_then(|hashes| hashes.first().copied()));
        }
        if group.iter().any(Option::is_some) {
            self.places_asked(Group { address: self.orders.loaded, hashes: group });
        }
        Ok(())
    }

    /// Sixteen bytes are read as one, in a table before their signs are asked for.
    pub(super) fn group_loaded(&mut self, bytes: Value) {
        self.orders.loaded = bytes.bits as u64;
    }

    fn places_asked(&mut self, group: Group) {
        let mut hashes = group.hashes.iter().flatten();
        let Some(first) = hashes.next().copied() else { return };
        let several = hashes.next().is_some();
        self.orders.last = group;
        if let Some(depth) = self.inside() {
            self.begin_zone(depth);
            return;
        }
        // Two groups with one element each are a table of two, or two tables.
        let another = *self.orders.lone.get_or_insert(first) != first;
        if several || another {
            self.order_matters();
        }
    }

    /// The order of the table that was last gone through can be seen. One order can be
    /// tried like another; but how the orders of two tables with the same elements differ,
    /// or those of one before and after a change, is not known.
    fn order_matters(&mut self) {
        let group = self.orders.last.clone();
        let shares = |other: &Group| {
            other != &group
                && other.hashes.iter().flatten().any(|hash| group.hashes.contains(&Some(*hash)))
        };
        if group.hashes.is_empty() || self.orders.groups.iter().any(shares) {
            self.voids.insert(ORDER.to_owned());
        }
        for variable in group.hashes.iter().flatten() {
            let hash = self.interpreter.pool.variable(64, *variable);
            self.orders.seen.extend(self.streams.index_of(hash));
        }
        if !self.orders.groups.contains(&group) {
            self.orders.groups.push(group);
        }
    }

    /// A place in a table is found by hashes; whoever is given it sees what is there.
    pub(super) fn place_in_table(&mut self, place: Value) -> Value {
        let hashed = |machine: &Self, term| !machine.hashes_in(term).is_empty();
        match place.term {
            Some(term) if hashed(self, term) && self.owner() == Origin::Table => {
                self.settled(term);
                Value::concrete(place.bits)
            }
            _ => place,
        }
    }

    /// The frame of the table's code in which the order stays, if it does.
    fn inside(&self) -> Option<usize> {
        let within = |origin: Origin| matches!(origin, Origin::Table | Origin::Library);
        let frames = self.frames.iter().enumerate().rev();
        let mut own = frames.take_while(|(_, frame)| within(frame.function.origin));
        own.find(|(_, frame)| {
            frame.function.origin == Origin::Table
                && INSIDE.iter().any(|part| frame.function.name.contains(part))
        })
        .map(|(depth, _)| depth)
    }

    /// A function of the table has a frame now. One that hashes all elements anew may go
    /// through them place by place.
    pub(super) fn enter_table(&mut self) {
        let depth = self.frames.len() - 1;
        if self.frames[depth].function.name.contains("rehash") {
            self.begin_zone(depth);
        }
    }

    fn begin_zone(&mut self, depth: usize) {
        let (stack, heap) = (self.memory.stack_mark(), self.memory.heap_mark());
        self.zone.get_or_insert(Zone { depth, stack, heap });
    }

    /// Called when a frame was left.
    pub(super) fn leave_table(&mut self) {
        if self.zone.as_ref().is_some_and(|zone| self.frames.len() <= zone.depth) {
            self.zone = None;
        }
    }

    /// Something is written while a table is gone through: by the program, and to memory
    /// that was there before, it shows the order.
    pub(super) fn written_in_zone(&mut self, address: u64) {
        let Some(zone) = &self.zone else { return };
        let fresh = self.memory.is_younger(address, zone.stack, zone.heap);
        if !fresh && self.owner() == Origin::User {
            self.order_matters();
        }
    }

    /// A panic leaves a table half-way.
    pub(super) fn panics_in_zone(&mut self) {
        if self.zone.is_some() {
            self.order_matters();
        }
    }
}
