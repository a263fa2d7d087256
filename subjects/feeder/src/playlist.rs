//! Clips in an order, played once or again.

use testsmith::{ensures, exists, invariant, pure, requires};

use crate::error::FeedError;
use crate::naming::Named;
use crate::source::{Clip, Finite, Seekable, Source};

/// No list is longer.
pub const LONGEST: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Repeat {
    Never,
    /// This many times more.
    Times(u8),
    Forever,
}

impl Repeat {
    #[pure]
    #[ensures(*self == Repeat::Forever -> ret)]
    #[ensures(*self == Repeat::Never -> !ret)]
    pub fn goes_on(&self) -> bool {
        matches!(self, Repeat::Forever | Repeat::Times(1..))
    }

    /// What is left after one more round.
    #[requires(self.goes_on(), "that was the last round")]
    #[ensures(*self == Repeat::Forever -> ret == Repeat::Forever)]
    #[ensures(*self != Repeat::Forever -> matches!(ret, Repeat::Times(_)))]
    pub fn next(&self) -> Repeat {
        match self {
            Repeat::Times(times) => Repeat::Times(times - 1),
            other => *other,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.clips.len() <= LONGEST)]
#[invariant(self.current < self.clips.len() || self.current == 0)]
pub struct Playlist {
    clips: Vec<Clip>,
    current: usize,
    repeat: Repeat,
}

#[invariant]
impl Playlist {
    #[ensures(ret.is_empty(), ret.repeat() == repeat, ret.current_index() == 0)]
    pub fn new(repeat: Repeat) -> Playlist {
        Playlist { clips: Vec::new(), current: 0, repeat }
    }

    #[pure]
    #[ensures(ret <= LONGEST)]
    pub fn len(&self) -> usize {
        self.clips.len()
    }

    #[pure]
    #[ensures(ret == (self.len() == 0))]
    pub fn is_empty(&self) -> bool {
        self.clips.is_empty()
    }

    #[pure]
    pub fn repeat(&self) -> Repeat {
        self.repeat
    }

    #[pure]
    #[ensures(ret < self.len() || ret == 0)]
    pub fn current_index(&self) -> usize {
        self.current
    }

    #[pure]
    #[ensures(ret.is_some() == !self.is_empty())]
    pub fn current(&self) -> Option<&Clip> {
        self.clips.get(self.current)
    }

    #[pure]
    #[ensures(ret -> !self.is_empty())]
    pub fn contains(&self, name: &str) -> bool {
        exists(&self.clips, |clip| clip.is_called(name))
    }

    #[pure]
    #[ensures(self.is_empty() -> ret == 0)]
    #[ensures(u64::from(ret) <= self.len() as u64 * 10_000)]
    pub fn total_frames(&self) -> u32 {
        self.clips.iter().map(Finite::frames).sum()
    }

    /// Puts a clip at the end.
    #[requires(self.len() < LONGEST, "the list is full")]
    #[requires(!self.contains(clip.name()), "a clip of that name is in the list")]
    #[ensures(self.len() == old(self.len()) + 1, self.contains(&old(clip.name().to_owned())))]
    #[ensures(self.total_frames() == old(self.total_frames() + clip.frames()))]
    #[ensures(unchanged(self.current_index(), self.repeat()))]
    pub fn add(&mut self, clip: Clip) {
        self.clips.push(clip);
    }

    /// Takes a clip out that is not the current one.
    #[requires(self.len() >= 2 && self.contains(name))]
    #[requires(self.current().is_some_and(|clip| !clip.is_called(name)), "it is being played")]
    #[ensures(self.len() == old(self.len()) - 1, !self.contains(name), ret.is_called(name))]
    pub fn remove(&mut self, name: &str) -> Clip {
        let place = self.place(name).expect("it is in the list");
        if place < self.current {
            self.current -= 1;
        }
        self.clips.remove(place)
    }

    /// Makes the clip of that name the current one.
    #[requires(!name.is_empty())]
    #[ensures(ret.is_ok() == self.contains(name), unchanged(self.len(), self.repeat()))]
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
    #[ensures(unchanged(self.len(), self.current_index(), self.total_frames()))]
    pub fn wind(&mut self, frame: u32) {
        self.clips[self.current].seek(frame);
    }

    /// Goes on to the next clip of the round.
    #[requires(self.current_index() + 1 < self.len(), "it is the last one")]
    #[ensures(self.current_index() == old(self.current_index()) + 1)]
    #[ensures(unchanged(self.len(), self.repeat()))]
    pub fn advance(&mut self) {
        self.current += 1;
    }

    /// Begins another round.
    #[requires(self.len() >= 2 && self.current_index() + 1 == self.len())]
    #[requires(self.repeat().goes_on(), "that was the last round")]
    #[ensures(self.current_index() == 0, self.repeat() == old(self.repeat()).next())]
    pub fn begin_again(&mut self) {
        self.current = 0;
        self.repeat = self.repeat.next();
    }

    /// How many rounds are to come, if that is known.
    #[requires(!self.is_empty() && !matches!(self.repeat(), Repeat::Forever))]
    #[ensures(self.repeat() == Repeat::Never -> ret == 0)]
    pub fn rounds_left(&self) -> u8 {
        match self.repeat {
            Repeat::Times(times) => times,
            _ => 0,
        }
    }

    #[pure]
    fn place(&self, name: &str) -> Option<usize> {
        self.clips.iter().position(|clip| clip.is_called(name))
    }
}
