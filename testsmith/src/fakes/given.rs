//! What a call is given: values that the solver has, and others.
//!
//! A method may take what is nothing to the solver, as long as no clause that a fake has to
//! keep speaks of it. Which of the two an argument is decides its type, without a bound:
//! the compiler takes the first of these traits whose method it finds.

use super::describe::{SortOf, Sorts};
use super::value::FakeValue;
use std::fmt::Debug;
use std::marker::PhantomData;
use testsmith_reach::{Concrete, Sort};

/// An argument, and how it is shown among the calls.
#[derive(Debug)]
pub struct Argument {
    pub(super) concrete: Concrete,
    /// The text of what the solver does not have.
    pub(super) text: Option<String>,
}

impl Argument {
    /// Of what has to be a value.
    pub fn of_value<T: FakeValue>(value: &T) -> Argument {
        Argument { concrete: value.to_concrete(), text: None }
    }
}

/// A type that may be one of values.
pub struct Kind<T>(PhantomData<T>);

impl<T> Kind<T> {
    #[allow(clippy::new_without_default, reason = "only the macro calls it")]
    pub fn new() -> Kind<T> {
        Kind(PhantomData)
    }
}

/// An argument that may be a value.
pub struct Given<'a, T: ?Sized>(pub &'a T);

/// Chosen first.
pub trait KindOfValue {
    fn sort(&self) -> SortOf;
}

impl<T: FakeValue> KindOfValue for &Kind<T> {
    fn sort(&self) -> SortOf {
        T::sort
    }
}

/// Chosen otherwise.
pub trait KindOfAnything {
    fn sort(&self) -> SortOf;
}

impl<T> KindOfAnything for Kind<T> {
    fn sort(&self) -> SortOf {
        |_: &mut Sorts| Sort::Opaque(std::any::type_name::<T>().to_owned())
    }
}

/// Chosen first.
pub trait GivenValue {
    fn argument(&self) -> Argument;
}

impl<T: FakeValue> GivenValue for &&Given<'_, T> {
    fn argument(&self) -> Argument {
        Argument::of_value(self.0)
    }
}

/// Chosen second.
pub trait GivenShown {
    fn argument(&self) -> Argument;
}

impl<T: Debug + ?Sized> GivenShown for &Given<'_, T> {
    fn argument(&self) -> Argument {
        Argument { concrete: Concrete::Opaque, text: Some(format!("{:?}", self.0)) }
    }
}

/// Chosen otherwise.
pub trait GivenAnything {
    fn argument(&self) -> Argument;
}

impl<T: ?Sized> GivenAnything for Given<'_, T> {
    fn argument(&self) -> Argument {
        Argument { concrete: Concrete::Opaque, text: None }
    }
}
