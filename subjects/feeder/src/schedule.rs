//! The plan of a day: what is on air from when to when, in seconds.

use testsmith::{ensures, exists, forall, invariant, pure, requires};

use crate::naming::StreamName;

/// How many seconds a day has.
pub const DAY: u32 = 86_400;

/// Nothing shorter is planned.
pub const SHORTEST: u32 = 10;

#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.start + SHORTEST <= self.end && self.end <= DAY)]
pub struct Slot {
    start: u32,
    end: u32,
    stream: StreamName,
}

#[invariant]
impl Slot {
    #[requires(end <= DAY, "the day is over")]
    #[requires(start < end && end - start >= SHORTEST)]
    #[ensures(ret.start() == start, ret.end() == end)]
    #[ensures(*ret.stream() == old(stream.clone()))]
    pub fn new(start: u32, end: u32, stream: StreamName) -> Slot {
        Slot { start, end, stream }
    }

    #[pure]
    #[ensures(ret + SHORTEST <= self.end())]
    pub fn start(&self) -> u32 {
        self.start
    }

    #[pure]
    #[ensures(ret <= DAY)]
    pub fn end(&self) -> u32 {
        self.end
    }

    #[pure]
    pub fn stream(&self) -> &StreamName {
        &self.stream
    }

    #[pure]
    #[ensures(ret + self.start() == self.end())]
    pub fn duration(&self) -> u32 {
        self.end - self.start
    }

    #[pure]
    #[ensures(ret == (self.start() <= second && second < self.end()))]
    pub fn covers(&self, second: u32) -> bool {
        (self.start..self.end).contains(&second)
    }

    #[pure]
    #[ensures(ret == (self.start() < other.end() && other.start() < self.end()))]
    pub fn overlaps(&self, other: &Slot) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Divides it; what comes after is given back.
    #[requires(self.start() + SHORTEST <= second && second <= DAY)]
    #[requires(second + SHORTEST <= self.end())]
    #[ensures(self.end() == second, ret.start() == second, ret.end() == old(self.end()))]
    #[ensures(unchanged(self.start()))]
    pub fn split(&mut self, second: u32) -> Slot {
        let rest = Slot { start: second, end: self.end, stream: self.stream.clone() };
        self.end = second;
        rest
    }

    /// Takes a slot in that begins where this one ends, with the same stream.
    #[requires(next.start() == self.end(), "there is a gap")]
    #[requires(next.stream().as_str() == self.stream().as_str())]
    #[ensures(self.end() == next.end(), unchanged(self.start()))]
    pub fn join(&mut self, next: &Slot) {
        self.end = next.end;
    }
}

/// Slots that do not overlap, by their beginning.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[invariant(forall(1..self.slots.len(), |i| self.slots[i - 1].end() <= self.slots[i].start()))]
pub struct Schedule {
    slots: Vec<Slot>,
}

#[invariant]
impl Schedule {
    #[ensures(ret.size() == 0, ret.planned() == 0)]
    pub fn new() -> Schedule {
        Schedule::default()
    }

    #[pure]
    pub fn size(&self) -> usize {
        self.slots.len()
    }

    /// How many seconds of the day are planned.
    #[pure]
    #[ensures(ret <= DAY, self.size() == 0 -> ret == 0)]
    pub fn planned(&self) -> u32 {
        self.slots.iter().map(Slot::duration).sum()
    }

    #[pure]
    #[ensures(self.size() == 0 -> ret)]
    pub fn is_free(&self, slot: &Slot) -> bool {
        !exists(&self.slots, |other| other.overlaps(slot))
    }

    /// What is on air then.
    #[pure]
    #[ensures(ret.is_some() -> ret.unwrap().covers(second))]
    #[ensures(self.size() == 0 -> ret.is_none())]
    pub fn at(&self, second: u32) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.covers(second))
    }

    #[requires(self.is_free(&slot), "something else is on air then")]
    #[ensures(self.size() == old(self.size()) + 1)]
    #[ensures(self.planned() == old(self.planned() + slot.duration()))]
    #[ensures(self.at(old(slot.start())).is_some(), !self.is_free(&old(slot.clone())))]
    pub fn add(&mut self, slot: Slot) {
        let place = self.slots.partition_point(|other| other.start() < slot.start());
        self.slots.insert(place, slot);
    }

    /// Takes out what is on air then.
    #[requires(self.at(second).is_some(), "nothing is planned then")]
    #[ensures(self.size() == old(self.size()) - 1, self.at(second).is_none(), ret.covers(second))]
    pub fn cancel(&mut self, second: u32) -> Slot {
        let place = self.slots.iter().position(|slot| slot.covers(second));
        self.slots.remove(place.expect("something is planned"))
    }

    /// Says that the day is complete.
    #[requires(self.planned() == DAY, "there are gaps")]
    #[ensures(ret.ends_with("of the day"))]
    pub fn certificate(&self) -> String {
        format!("{} slots of the day", self.slots.len())
    }
}
