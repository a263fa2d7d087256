//! What a function looks at to decide what it does, as far as others can see it, too.

use crate::relation::Relation;

/// A comparison in the source of a function, of its parameters and their members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Branch {
    /// The name of the type that has the function; nothing for one outside of an impl.
    pub owner: String,
    pub function: String,
    pub left: Side,
    pub relation: Relation,
    /// None if it is compared with the number alone.
    pub right: Option<Side>,
    /// What is added on the right.
    pub plus: i64,
}

/// A parameter, or a field or method of it that takes nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Side {
    pub of: String,
    pub member: Option<String>,
}
