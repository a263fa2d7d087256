//! Items that cannot be called, with a reason a person understands.

/// A skip is shown, never silent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Skip {
    /// The path of the item, as in the documentation.
    pub path: String,
    pub reason: Reason,
    /// What in particular: the type that cannot be made, the compiler's words.
    pub detail: String,
    /// Whether the item counts as core: inherent, free, local trait or constructor.
    pub core: bool,
}

/// Why an item is skipped. The kinds are few, so that they can be summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Reason {
    Unsafe,
    RawPointer,
    Diverges,
    UnnameableType,
    NoSuchTypes,
    NoImplementation,
    NoValue,
    Unused,
    BorrowsItself,
    Hidden,
}

impl Reason {
    /// One clause, as it stands in `cargo testsmith list`.
    pub fn text(self) -> &'static str {
        match self {
            Reason::Unsafe => "is unsafe to call",
            Reason::RawPointer => "takes or returns a raw pointer",
            Reason::Diverges => "never returns",
            Reason::UnnameableType => "has a type that cannot be named from outside",
            Reason::NoSuchTypes => "no concrete types satisfied its bounds",
            Reason::NoImplementation => "needs a trait that nothing implements",
            Reason::NoValue => "needs a value that nothing makes",
            Reason::Unused => "is a fake of a trait that nothing asks for",
            Reason::BorrowsItself => "borrows its receiver for ever",
            Reason::Hidden => "is hidden from the documentation",
        }
    }
}
