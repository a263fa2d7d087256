//! Clips in an order, played round after round.

use testsmith::{ensures, exists, invariant, pure, requires};

use crate::error::FeedError;
use crate::naming::Named;
use crate::source::{Clip, Finite, Seekable, Source};

/// No list is longer.
pub const LONGEST: usize = 32;

#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.clips.len() <= LONGEST)]
#[invariant(self.current < self.clips.len() || self.current == 0)]
pub struct Playlist {
    clips: Vec<Clip>,
    current: usize,
}

#[invariant]
impl Playlist {
    #[ensures(ret.size() == 0, ret.current_index() == 0)]
    pub fn new() -> Playlist {
        Playlist { clips: Vec::new(), current: 0 }
    }

    #[pure]
    #[ensures(ret <= LONGEST)]
    pub fn size(&self) -> usize {
        self.clips.len()
    }

    #[pure]
    #[ensures(ret < self.size() || ret == 0)]
    pub fn current_index(&self) -> usize {
        self.current
    }

    #[pure]
    #[ensures(ret.is_some() == (self.size() > 0))]
    pub fn current(&self) -> Option<&Clip> {
        self.clips.get(self.current)
    }

    #[pure]
    #[ensures(ret -> self.size() > 0)]
    pub fn contains(&self, name: &str) -> bool {
        exists(&self.clips, |clip| clip.is_called(name))
    }

    /// Puts a clip at the end.
    #[requires(self.size() < LONGEST, "the list is full")]
    #[requires(!self.contains(clip.name()), "a clip of that name is in the list")]
    #[ensures(self.size() == old(self.size()) + 1, self.contains(&old(clip.name().to_owned())))]
    #[ensures(unchanged(self.current_index()))]
    pub fn add(&mut self, clip: Clip) {
        self.clips.push(clip);
    }

    /// Takes a clip out that is not the current one.
    #[requires(self.size() >= 2 && self.contains(name))]
    #[requires(self.current().is_some_and(|clip| !clip.is_called(name)), "it is being played")]
    #[ensures(self.size() == old(self.size()) - 1, !self.contains(name), ret.is_called(name))]
    pub fn remove(&mut self, name: &str) -> Clip {
        let place = self.place(name).expect("it is in the list");
        if place < self.current {
            self.current -= 1;
        }
        self.clips.remove(place)
    }

    /// Makes the clip of that name the current one.
    #[requires(!name.is_empty())]
    #[ensures(ret.is_ok() == self.contains(name), unchanged(self.size()))]
    #[ensures(ret.is_ok() -> self.current().unwrap().is_called(name))]
    #[ensures(ret.is_err() -> unchanged(self.current_index()))]
    pub fn jump_to(&mut self, name: &str) -> Result<(), FeedError> {
        match self.place(name) {
            Some(place) => self.current = place,
            None => return Err(FeedError::NoSuchClip(name.to_owned())),
        }
        Ok(())
    }

    /// Winds the current clip.
    #[requires(self.current().is_some_and(|clip| frame <= clip.frames()))]
    #[ensures(self.current().unwrap().position() == frame)]
    #[ensures(unchanged(self.size(), self.current_index()))]
    pub fn wind(&mut self, frame: u32) {
        self.clips[self.current].seek(frame);
    }

    /// Goes on to the next clip of the round.
    #[requires(self.current_index() + 1 < self.size(), "it is the last one")]
    #[ensures(self.current_index() == old(self.current_index()) + 1)]
    #[ensures(unchanged(self.size()))]
    pub fn advance(&mut self) {
        self.current += 1;
    }

    /// Begins another round.
    #[requires(self.size() >= 2 && self.current_index() + 1 == self.size())]
    #[ensures(self.current_index() == 0)]
    pub fn begin_again(&mut self) {
        self.current = 0;
    }

    #[pure]
    fn place(&self, name: &str) -> Option<usize> {
        self.clips.iter().position(|clip| clip.is_called(name))
    }
}
