//! What stands in a storehouse: traits that extend others, floats, and lists.

use std::fmt::Debug;
use testsmith::{contract_trait, ensures, fake, pure, requires};

/// Something with a label.
#[fake]
#[contract_trait]
pub trait Labelled: Debug {
    #[pure]
    #[ensures(!ret.is_empty() && ret.len() <= 8)]
    fn label(&self) -> &str;

    #[requires(!label.is_empty() && label.len() <= 8)]
    #[ensures(self.label() == label)]
    fn relabel(&mut self, label: &str);
}

/// Degrees, as they were measured last.
#[fake]
#[contract_trait]
pub trait Thermometer: Labelled + Send {
    #[pure]
    #[ensures(ret >= -40.0 && ret <= 60.0)]
    fn degrees(&self) -> f64;

    /// The least that was measured.
    #[pure]
    #[ensures(ret <= self.degrees())]
    fn lowest(&self) -> f64;

    /// How far it may be wrong.
    #[pure]
    #[ensures(ret >= 0.0 && ret < 2.0)]
    fn tolerance(&self) -> f32;

    #[ensures(ret == self.degrees())]
    #[ensures(ret < old(self.lowest()) -> self.lowest() == ret)]
    #[ensures(ret >= old(self.lowest()) -> unchanged(self.lowest()))]
    fn measure(&mut self) -> f64;

    #[requires(tolerance >= 0.0 && tolerance < 2.0)]
    #[ensures(self.tolerance() == tolerance, ret == (old(self.tolerance()) > tolerance))]
    fn calibrate(&mut self, tolerance: f32) -> bool;
}

/// Weights in the order in which they were put.
#[fake]
#[contract_trait]
pub trait Shelf: Labelled {
    #[pure]
    #[ensures(ret.len() <= self.room() && ret.iter().all(|weight| *weight > 0))]
    fn weights(&self) -> &[u16];

    #[pure]
    #[ensures(ret >= 1 && ret <= 6)]
    fn room(&self) -> usize;

    #[pure]
    #[ensures(ret == self.weights().contains(&weight))]
    fn holds(&self, weight: u16) -> bool;

    #[requires(weight > 0 && self.weights().len() < self.room())]
    #[ensures(self.weights().len() == old(self.weights().len()) + 1)]
    #[ensures(self.weights()[self.weights().len() - 1] == weight)]
    #[ensures(unchanged(self.room()))]
    fn put(&mut self, weight: u16);

    /// All at once.
    #[requires(weights.len() <= self.room() && weights.iter().all(|weight| *weight > 0))]
    #[ensures(self.weights() == weights)]
    #[ensures(unchanged(self.room()))]
    fn fill(&mut self, weights: &[u16]);

    #[ensures(ret == old(self.weights().first().copied()))]
    #[ensures(ret.is_some() -> self.weights().len() == old(self.weights().len()) - 1)]
    #[ensures(ret.is_none() -> self.weights().is_empty())]
    #[ensures(unchanged(self.room()))]
    fn take(&mut self) -> Option<u16>;
}

/// Words that were noted.
#[fake]
#[contract_trait]
pub trait Notes {
    #[pure]
    #[ensures(ret.len() <= 3)]
    fn words(&self) -> Vec<String>;

    #[requires(word.len() <= 6 && self.words().len() < 3)]
    #[ensures(self.words().len() == old(self.words().len()) + 1)]
    #[ensures(self.words()[self.words().len() - 1] == word)]
    fn note(&mut self, word: &str);
}

/// The sum of what is on a shelf, which is emptied.
#[ensures(shelf.weights().is_empty())]
pub fn clear(shelf: &mut impl Shelf) -> u32 {
    std::iter::from_fn(|| shelf.take()).map(u32::from).sum()
}

/// Measures until it is warm enough, ten times at the most.
#[ensures(ret -> thermometer.degrees() >= enough)]
pub fn is_warm(thermometer: &mut dyn Thermometer, enough: f64) -> bool {
    (0..10).any(|_| thermometer.measure() >= enough)
}
