//! Whose failure is the predicate's.
//!
//! A generator may leave out values, and a check may be made again for the
//! next candidate, only where a failure there is a failure of the predicate:
//! `!korat::holds(..)` or `let ok = korat::holds(..)` is not such a place. The
//! macro knows the places by their form. What it knows goes along with the
//! code: every function takes the word that was left for it, and hands it to
//! generators and to the functions that it calls in such places. Where nothing
//! was proved nobody gets a word, and generators are the plain checks they
//! also are.
//!
//! A word is left for one function, by its name, and every function and
//! closure of a twin takes away what was not meant for it, so that code which
//! the macro has not seen passes nothing on by accident.

use std::cell::Cell;

/// What a check may do since its failure is the predicate's.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Must(u8);

/// Generators direct the search.
const DIRECTS: u8 = 1;
/// Checks that fail may be made again.
const REPEATS: u8 = 2;

/// The word of a place of which nothing is known.
#[doc(hidden)]
pub const PLAIN: Must = Must(0);

thread_local! {
    /// What holds for the predicates of the run as a whole.
    static WHOLE: Cell<Must> = const { Cell::new(PLAIN) };
    /// The word for the function that is called next, and who that is.
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// The lower bits of `NEXT` are the word, the others the name.
const WORD: u64 = 0xff;

impl Must {
    pub(crate) fn new(directs: bool, repeats: bool) -> Must {
        Must((u8::from(directs) * DIRECTS) | (u8::from(repeats) * REPEATS))
    }

    #[inline(always)]
    pub(crate) fn directs(self) -> bool {
        self.0 & DIRECTS != 0
    }

    #[inline(always)]
    pub(crate) fn repeats(self) -> bool {
        self.0 & REPEATS != 0
    }

    /// For a check that is a generator: one that directs the search has no
    /// failures to repeat.
    #[inline(always)]
    pub fn undirected(self) -> Must {
        if self.directs() { PLAIN } else { self }
    }

    /// For a function whose failure is worked out: that happens at every
    /// candidate.
    #[inline(always)]
    pub fn once(self) -> Must {
        Must(self.0 & DIRECTS)
    }

    /// Only if `known`.
    #[inline(always)]
    pub fn only(self, known: bool) -> Must {
        if known { self } else { PLAIN }
    }
}

/// A run begins, or goes on, in which predicates have this word.
#[inline]
pub(crate) fn begin(must: Must) {
    WHOLE.set(must);
    NEXT.set(0);
}

/// The run is over.
#[inline]
pub(crate) fn end() {
    begin(PLAIN);
}

/// Calls a predicate whose failure is that of the whole.
#[doc(hidden)]
#[inline(always)]
pub fn predicate<R>(name: u64, call: impl FnOnce() -> R) -> R {
    must_next(WHOLE.get(), name);
    let valid = call();
    forget_must();
    valid
}

/// The word that was left for the function of this name, once.
#[doc(hidden)]
#[inline(always)]
pub fn take_must(name: u64) -> Must {
    let next = NEXT.replace(0);
    if next & !WORD == name { Must((next & WORD) as u8) } else { PLAIN }
}

/// Leaves a word for the function that is called next.
#[doc(hidden)]
#[inline(always)]
pub fn must_next(must: Must, name: u64) {
    NEXT.set(name | u64::from(must.0));
}

/// Takes away a word that nobody took.
#[doc(hidden)]
#[inline(always)]
pub fn forget_must() {
    NEXT.set(0);
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
