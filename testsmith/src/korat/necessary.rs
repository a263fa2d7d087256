//! Whose failure is the predicate's.
//!
//! A generator may leave out values, and a check may be made again for the
//! next candidate, only where a failure there is a failure of the predicate:
//! `!korat::holds(..)` or `let ok = korat::holds(..)` is not such a place. The
//! macro knows the places by their form. What it knows goes along with the
//! code as a word: a function hands it to generators and to functions of the
//! same block that it calls in such places, as an argument. Where nothing was
//! proved there is no word, and generators are the plain checks they also are.
//!
//! For a function of another block, which the macro does not see, the word is
//! left here, by its name. Every function and closure of a twin takes away
//! what was not meant for it, so that code which the macro has not seen passes
//! nothing on by accident.

use std::cell::Cell;

use super::trail::Trail;

/// What a check may do since its failure is the predicate's: the trail of the
/// run, with what it may do in the lowest bits.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word(*const Trail);

/// A word as functions hand it on. They are compiled twice, so that checks that
/// are never made again cost nothing.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Must<const REPEATS: bool>(Word);

/// Generators direct the search.
const DIRECTS: usize = 1;
/// Checks that fail may be made again.
const REPEATS: usize = 2;

const _: () = assert!(align_of::<Trail>() > DIRECTS | REPEATS, "the bits are free");

/// The word of a place of which nothing is known.
#[doc(hidden)]
pub const PLAIN: Word = Word(std::ptr::null());

thread_local! {
    /// What holds for the predicates of the run as a whole.
    static WHOLE: Cell<Word> = const { Cell::new(PLAIN) };
    /// For which function a word was left.
    static NAME: Cell<u64> = const { Cell::new(NOBODY) };
    /// The word.
    static LEFT: Cell<Word> = const { Cell::new(PLAIN) };
}

/// No function has this number.
const NOBODY: u64 = 0;

impl Word {
    /// For checks of a run on a trail.
    pub(crate) fn new(trail: &Trail, directs: bool, repeats: bool) -> Word {
        let bits = (usize::from(directs) * DIRECTS) | (usize::from(repeats) * REPEATS);
        Word(std::ptr::from_ref(trail).map_addr(|address| address | bits))
    }

    #[inline(always)]
    pub(crate) fn directs(self) -> bool {
        self.0.addr() & DIRECTS != 0
    }

    #[inline(always)]
    pub fn repeats(self) -> bool {
        self.0.addr() & REPEATS != 0
    }

    /// The same with checks that are made again, or without.
    pub(crate) fn repeating(self, on: bool) -> Word {
        let bit = usize::from(on) * REPEATS;
        Word(self.0.map_addr(|address| address & !REPEATS | bit))
    }

    /// For the function that is compiled for checks that are made again.
    #[inline(always)]
    pub fn again(self) -> Must<true> {
        Must(self)
    }

    /// For the other one.
    #[inline(always)]
    pub fn once(self) -> Must<false> {
        Must(self)
    }
}

impl<const REPEATS: bool> Must<REPEATS> {
    /// For a generator.
    #[inline(always)]
    pub fn word(self) -> Word {
        self.0
    }

    /// The trail of the run, if a check that fails here may be made again.
    #[inline(always)]
    pub(crate) fn trail(self) -> Option<*const Trail> {
        let bits = DIRECTS | self::REPEATS;
        (REPEATS && self.0.repeats()).then(|| self.0.0.map_addr(|address| address & !bits))
    }

    /// For a check that is a generator: one that directs the search has no
    /// failures to repeat.
    #[inline(always)]
    pub fn undirected(self) -> Must<REPEATS> {
        self.only(!self.0.directs())
    }

    /// For a function whose failure is worked out: that happens at every
    /// candidate.
    #[inline(always)]
    pub fn once(self) -> Must<false> {
        Must(self.0)
    }

    /// Only if `known`.
    #[inline(always)]
    pub fn only(self, known: bool) -> Must<REPEATS> {
        if known { self } else { Must(PLAIN) }
    }
}

/// A run begins, or goes on, in which predicates have this word.
#[inline]
pub(crate) fn begin(word: Word) {
    WHOLE.set(word);
}

/// The run is over.
#[inline]
pub(crate) fn end() {
    WHOLE.set(PLAIN);
    NAME.set(NOBODY);
}

/// Calls a predicate whose failure is that of the whole.
#[doc(hidden)]
#[inline(always)]
pub fn predicate<R>(name: u64, call: impl FnOnce() -> R) -> R {
    NAME.set(name);
    LEFT.set(WHOLE.get());
    let valid = call();
    forget_must();
    valid
}

/// The word that was left for the function of this name, once.
#[doc(hidden)]
#[inline(always)]
pub fn take_must(name: u64) -> Word {
    if NAME.replace(NOBODY) == name { LEFT.get() } else { PLAIN }
}

/// Leaves a word for the function that is called next.
#[doc(hidden)]
#[inline(always)]
pub fn must_next<const REPEATS: bool>(must: Must<REPEATS>, name: u64) {
    NAME.set(name);
    LEFT.set(if REPEATS { must.0 } else { must.0.repeating(false) });
}

/// Takes away a word that nobody took.
#[doc(hidden)]
#[inline(always)]
pub fn forget_must() {
    NAME.set(NOBODY);
}

/// What a method is called on. The methods of iterators and options fail when
/// their closure does; others of the same name may mean anything. Method
/// lookup tells them apart, as in [`super::twin::ReadCell`].
#[doc(hidden)]
pub struct CalledOn<'a, T>(pub &'a T);

#[doc(hidden)]
pub trait Known {
    fn korat_known(&self) -> bool {
        true
    }
}

#[doc(hidden)]
pub trait KnownOption {
    fn korat_known_option(&self) -> bool {
        true
    }
}

#[doc(hidden)]
pub trait Unknown {
    fn korat_known(&self) -> bool {
        false
    }

    fn korat_known_option(&self) -> bool {
        false
    }
}

impl<T: Iterator> Known for CalledOn<'_, T> {}
impl<T> KnownOption for CalledOn<'_, Option<T>> {}
impl<T> Unknown for &CalledOn<'_, T> {}
