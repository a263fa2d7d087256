//! Sequences: of a length, in order, with something in them.

use testsmith::{ensures, invariant, pure, requires};

/// Goal: six numbers in strict order, over a fixed range.
#[requires(items.len() == 6 && items.windows(2).all(|pair| pair[0] < pair[1]))]
#[requires(items[5] - items[0] == 1_000_000)]
#[ensures(ret == 46)]
pub fn ordered(items: &[u32]) -> u8 {
    46
}

/// Goal: five numbers, one of them a given one and the others smaller.
#[requires(items.len() == 5 && items.contains(&item) && item > 1_000_000)]
#[requires(items.iter().all(|other| *other <= item) && items[2] != item)]
#[requires(items[0] == item - 1)]
#[ensures(ret == 47)]
pub fn holding(items: Vec<u32>, item: u32) -> u8 {
    47
}

/// Goal: four times the same large number, which is given as well.
#[requires(items.len() == 4 && items.iter().all(|other| *other == item))]
#[requires(item % 100_003 == 5 && item > 5_000_000)]
#[ensures(ret == 48)]
pub fn repeated(items: Vec<u64>, item: u64) -> u8 {
    48
}

/// Marks along a way, each further on than the last.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[invariant(self.marks.windows(2).all(|pair| pair[0] < pair[1]))]
pub struct Track {
    marks: Vec<u32>,
}

#[invariant]
impl Track {
    #[ensures(ret.len() == 0, ret.last() == 0, ret.is_empty())]
    pub fn new() -> Track {
        Track::default()
    }

    #[pure]
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    #[pure]
    #[ensures(ret == (self.len() == 0))]
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// All of them, the furthest last.
    #[pure]
    #[ensures(ret.len() == self.len())]
    pub fn marks(&self) -> &[u32] {
        &self.marks
    }

    /// The furthest mark.
    #[pure]
    #[ensures(self.is_empty() -> ret == 0)]
    pub fn last(&self) -> u32 {
        self.marks.last().copied().unwrap_or_default()
    }

    #[pure]
    #[ensures(ret == self.marks().contains(&mark))]
    pub fn contains(&self, mark: u32) -> bool {
        self.marks.contains(&mark)
    }

    #[requires(mark > self.last() && mark - self.last() <= 500)]
    #[ensures(self.len() == old(self.len()) + 1, self.last() == mark, self.contains(mark))]
    #[ensures(self.marks()[..old(self.len())] == old(self.marks().to_vec())[..])]
    pub fn add(&mut self, mark: u32) {
        self.marks.push(mark);
    }

    /// Goal: the marks that a list gives, all of them and in its order.
    #[requires(self.len() == 4 && marks.len() == 4 && self.last() == 1700)]
    #[requires(marks.iter().all(|mark| self.contains(*mark)))]
    #[requires(marks.windows(2).all(|pair| pair[0] < pair[1]))]
    #[ensures(ret == 49)]
    pub fn listed(&self, marks: &[u32]) -> u8 {
        49
    }

    /// Goal: a far mark, and two that were set on the way.
    #[requires(self.last() == 1234 && self.contains(500) && self.contains(999))]
    #[ensures(ret == 50)]
    pub fn passed(&self) -> u8 {
        50
    }
}
