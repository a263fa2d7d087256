//! What `rep_ok` and test functions may return, and what is said when there is
//! no `rep_ok` where one is looked for.

use std::fmt::Debug;
use std::marker::PhantomData;

use super::deep::Constraint;

/// What a type without a `rep_ok` of its own gets: everything is valid.
///
/// Its answer has a type of its own, so that expansions can tell it from the
/// answer of a predicate.
#[doc(hidden)]
pub trait AnythingGoes {
    fn rep_ok(&self) -> Anything {
        Anything
    }
}

impl<T: ?Sized> AnythingGoes for T {}

/// The answer of [`AnythingGoes`].
#[doc(hidden)]
pub struct Anything;

/// What a predicate may return.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`rep_ok` returns `{Self}`, which is neither true nor false",
    label = "write `fn rep_ok(&self) -> bool`, or return a `Result` whose error says why not"
)]
pub trait Answer {
    const OWN: bool = true;
    fn answer(self) -> bool;
}

impl Answer for bool {
    fn answer(self) -> bool {
        self
    }
}

impl<T, E> Answer for Result<T, E> {
    fn answer(self) -> bool {
        self.is_ok()
    }
}

impl Answer for Anything {
    const OWN: bool = false;

    fn answer(self) -> bool {
        true
    }
}

/// The pair of answers of a twin and of the real type: the real type may not
/// have a `rep_ok` that the twin does not know.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the `rep_ok` of `{T}` is not in an impl block marked `#[korat]`",
    label = "the search would take every `{T}` for valid",
    note = "write `#[korat]` above the impl block that has `rep_ok` and its helpers"
)]
pub trait Marked<T> {}

impl<T, R: Answer> Marked<T> for (bool, R) {}
impl<T, R: Answer, A, E> Marked<T> for (Result<A, E>, R) {}
impl<T> Marked<T> for (Anything, Anything) {}

/// Whether a type has a predicate: told by the types of the answers alone.
///
/// In two steps, so that the answers are known before they are judged.
#[doc(hidden)]
pub struct Probe<T, A, B>(PhantomData<(T, A, B)>);

impl<T, A: Answer, B> Probe<T, A, B> {
    pub fn new<W>(_twin: fn(&W) -> A, _real: fn(&T) -> B) -> Self {
        Probe(PhantomData)
    }

    pub fn constraint(self) -> Constraint
    where
        (A, B): Marked<T>,
    {
        if A::OWN { Constraint::Own } else { Constraint::Absent }
    }
}

/// The answer of a type with a method that is nearly called `rep_ok`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{T}` has no `rep_ok`, but a method with nearly that name",
    label = "is this meant to be `rep_ok`?",
    note = "without a `rep_ok` the search takes every `{T}` for valid; rename the method"
)]
pub trait Spelled<T> {}

impl<T> Spelled<T> for bool {}
impl<T, A, E> Spelled<T> for Result<A, E> {}

/// Refuses to compile when the type has no `rep_ok` after all.
#[doc(hidden)]
pub fn spelled<T, W, A: Spelled<T>>(_twin: fn(&W) -> A) {}

/// The answer of a generic type: it must have a `rep_ok`, because one whose bounds are
/// stricter than those of the type would be passed over without a word.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{T}` is generic and has no `rep_ok` for all that its parameters may be",
    label = "write `fn rep_ok(&self) -> bool` in an impl block marked `#[korat]`",
    note = "the bounds that it needs must be on the type: `struct Sorted<T: Ord>`",
    note = "if everything is valid, say `#[korat(unconstrained)]` on the type"
)]
pub trait OfGeneric<T: ?Sized>: Answer {}

impl<T: ?Sized> OfGeneric<T> for bool {}
impl<T: ?Sized, A, E> OfGeneric<T> for Result<A, E> {}

#[doc(hidden)]
pub fn of_generic<T: ?Sized, A: OfGeneric<T>>(answer: A) -> bool {
    answer.answer()
}

/// What a test function may return.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a structure test returns `{Self}`, which says neither that it passed nor why not",
    label = "return nothing, or a `Result`"
)]
pub trait Returned {
    /// Why the test failed, if it did.
    fn failure(self) -> Option<String>;
}

impl Returned for () {
    fn failure(self) -> Option<String> {
        None
    }
}

impl<T: Returned, E: Debug> Returned for Result<T, E> {
    fn failure(self) -> Option<String> {
        match self {
            Ok(value) => value.failure(),
            Err(error) => Some(format!("it returned Err({error:?})")),
        }
    }
}
