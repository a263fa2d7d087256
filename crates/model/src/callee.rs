//! What an operation calls, as the documentation names it.
//!
//! Kept in its parts, so that nobody has to take a text apart to find the type,
//! the trait or the name. The text is made by `Display`, for people only.

use crate::ty::{TraitRef, Ty};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Callee {
    /// A function, a constant or a struct: `module::name`.
    Item { module: String, name: String },
    /// What belongs to a type: a method, a variant, a field.
    Member { of: Ty, name: String },
    /// `<Type as Trait>::name`
    TraitMember { of: Ty, trait_: TraitRef, name: String },
    /// A claim about values of a type.
    Claim {
        claim: String,
        of: Ty,
        /// The file of the law that makes the claim; none for the user's own.
        law: Option<String>,
    },
    /// Makes a value of the standard library, or takes one apart.
    Builder { makes: Ty },
}

impl Callee {
    /// The item at a path.
    pub fn item(path: &str) -> Callee {
        let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
        Callee::Item { module: module.to_owned(), name: name.to_owned() }
    }

    pub fn member(of: &Ty, name: &str) -> Callee {
        Callee::Member { of: of.clone(), name: name.to_owned() }
    }

    /// The name of the function itself; of a claim and of a builder, the name of
    /// the type that they are about.
    pub fn name(&self) -> &str {
        match self {
            Callee::Item { name, .. }
            | Callee::Member { name, .. }
            | Callee::TraitMember { name, .. } => name,
            Callee::Claim { of: ty, .. } | Callee::Builder { makes: ty } => ty.name(),
        }
    }

    /// The type that it belongs to.
    pub fn of(&self) -> Option<&Ty> {
        match self {
            Callee::Member { of, .. }
            | Callee::TraitMember { of, .. }
            | Callee::Claim { of, .. } => Some(of),
            Callee::Item { .. } | Callee::Builder { .. } => None,
        }
    }

    pub fn trait_(&self) -> Option<&TraitRef> {
        match self {
            Callee::TraitMember { trait_, .. } => Some(trait_),
            _ => None,
        }
    }

    /// Whether it is this function of a trait, by the whole path of the trait.
    pub fn is_trait_member(&self, trait_path: &str, function: &str) -> bool {
        self.trait_().is_some_and(|trait_| trait_.path == trait_path) && self.name() == function
    }

    /// The same place with another name in it.
    pub fn renamed(&self, to: &str) -> Callee {
        let mut callee = self.clone();
        match &mut callee {
            Callee::Item { name, .. }
            | Callee::Member { name, .. }
            | Callee::TraitMember { name, .. } => to.clone_into(name),
            Callee::Claim { .. } | Callee::Builder { .. } => {}
        }
        callee
    }
}

impl fmt::Display for Callee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Callee::Item { module, name } if module.is_empty() => f.write_str(name),
            Callee::Item { module, name } => write!(f, "{module}::{name}"),
            Callee::Member { of: Ty::Adt { path, .. }, name } => write!(f, "{path}::{name}"),
            Callee::Member { of, name } => write!(f, "<{of}>::{name}"),
            Callee::TraitMember { of, trait_, name } => write!(f, "<{of} as {trait_}>::{name}"),
            Callee::Claim { claim, of, .. } => write!(f, "{claim}, for {of}"),
            Callee::Builder { makes } => write!(f, "{makes}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callee_is_shown_as_the_documentation_names_it() {
        let shelf = Ty::adt("a::Shelf", vec![Ty::Param("T".into())]);
        assert_eq!(Callee::item("a::b::total").to_string(), "a::b::total");
        assert_eq!(Callee::item("total").to_string(), "total");
        assert_eq!(Callee::member(&shelf, "put").to_string(), "a::Shelf::put");
        let slice = Ty::Slice(Box::new(Ty::prim("u8")));
        assert_eq!(Callee::member(&slice, "put").to_string(), "<[u8]>::put");
        let index = Callee::TraitMember {
            of: shelf.clone(),
            trait_: TraitRef::new("std::ops::Index", vec![Ty::prim("usize")]),
            name: "index".into(),
        };
        assert_eq!(index.to_string(), "<a::Shelf<T> as std::ops::Index<usize>>::index");
        assert_eq!(index.renamed("other").name(), "other");
        let claim = Callee::Claim { claim: "Eq is reflexive".into(), of: shelf, law: None };
        assert_eq!(claim.to_string(), "Eq is reflexive, for a::Shelf<T>");
        assert_eq!(claim.name(), "Shelf");
    }
}
