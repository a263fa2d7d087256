//! What there is to call, and what is written about it: the input of a search.
//!
//! Made by whoever knows a crate; nothing here refers to operations or plans. Clauses are
//! texts, as they stand in the attributes.

use crate::concrete::Concrete;
use std::collections::BTreeMap;

/// The number of a type in [`System::types`].
pub type TypeId = usize;
/// The number of a function in [`System::functions`].
pub type FnId = usize;

/// Types, functions and constants that clauses may speak of.
#[derive(Clone, Debug, Default)]
pub struct System {
    pub types: Vec<TypeDef>,
    pub functions: Vec<Function>,
    /// By the words that clauses use: `MOST`, `Register::ALL`.
    pub constants: BTreeMap<String, Constant>,
    /// Functions that stand for calls that were made before, with all that the object which
    /// they made was seen to answer. Nothing else is known of it.
    pub seen: BTreeMap<FnId, Vec<Seen>>,
}

/// What an object was seen to answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// The queries from the object to the answer, one of what the other gave.
    pub path: Vec<FnId>,
    /// What the last of these was given.
    pub args: Vec<Concrete>,
    pub value: Concrete,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    pub sort: Sort,
    /// The expression that it stands for.
    pub text: String,
}

/// A type of the crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDef {
    /// The last word of its path.
    pub name: String,
    /// The variants, if all that they hold can be followed; none for an object, which is
    /// known by its queries only.
    pub variants: Option<Vec<Variant>>,
    pub invariants: Vec<Clause>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    pub name: String,
    /// Names are empty for `Variant(a, b)`.
    pub fields: Vec<(String, Sort)>,
}

/// What the search knows of a value's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    Unit,
    Bool,
    Int {
        width: u32,
        signed: bool,
    },
    Char,
    Float {
        width: u32,
    },
    Text,
    /// A slice, a vector, an array, a set in its order.
    Seq(Box<Sort>),
    Option(Box<Sort>),
    Result(Box<Sort>, Box<Sort>),
    Tuple(Vec<Sort>),
    /// An enum of the crate, by variant and payload.
    Enum(TypeId),
    /// A type of the crate, by its queries.
    Object(TypeId),
    /// Nothing is known of it. The words are its type.
    Opaque(String),
}

impl Sort {
    pub const USIZE: Sort = Sort::Int { width: 64, signed: false };

    /// The sort of a primitive type, by its name.
    pub fn primitive(name: &str) -> Option<Sort> {
        let int = |width, signed| Some(Sort::Int { width, signed });
        match name {
            "bool" => Some(Sort::Bool),
            "char" => Some(Sort::Char),
            "str" | "String" => Some(Sort::Text),
            "f32" => Some(Sort::Float { width: 32 }),
            "f64" => Some(Sort::Float { width: 64 }),
            "usize" | "u64" => int(64, false),
            "isize" | "i64" => int(64, true),
            "u8" => int(8, false),
            "u16" => int(16, false),
            "u32" => int(32, false),
            "u128" => int(128, false),
            "i8" => int(8, true),
            "i16" => int(16, true),
            "i32" => int(32, true),
            "i128" => int(128, true),
            _ => None,
        }
    }

    /// Whether a literal of it can be made up: no object and nothing unknown inside.
    pub fn is_plain(&self, system: &System) -> bool {
        match self {
            Sort::Unit | Sort::Bool | Sort::Int { .. } | Sort::Char => true,
            Sort::Float { .. } | Sort::Text => true,
            Sort::Seq(of) | Sort::Option(of) => of.is_plain(system),
            Sort::Result(value, error) => value.is_plain(system) && error.is_plain(system),
            Sort::Tuple(parts) => parts.iter().all(|part| part.is_plain(system)),
            Sort::Enum(ty) => {
                let variants = system.types[*ty].variants.as_deref().unwrap_or_default();
                let fields = variants.iter().flat_map(|variant| &variant.fields);
                !variants.is_empty() && fields.into_iter().all(|(_, sort)| sort.is_plain(system))
            }
            Sort::Object(_) | Sort::Opaque(_) => false,
        }
    }

    /// The object in what a function gives: itself, or the one in `Some` or `Ok`.
    pub fn made_object(&self) -> Option<(TypeId, Wrap)> {
        match self {
            Sort::Object(ty) => Some((*ty, Wrap::Bare)),
            Sort::Option(inner) => match **inner {
                Sort::Object(ty) => Some((ty, Wrap::Some)),
                _ => None,
            },
            Sort::Result(inner, _) => match **inner {
                Sort::Object(ty) => Some((ty, Wrap::Ok)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// How a function gives the object that it makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    Bare,
    Some,
    Ok,
}

/// How a parameter is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Own,
    Shared,
    Exclusive,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// `self` for a receiver.
    pub name: String,
    pub sort: Sort,
    pub mode: Mode,
}

/// A function, a method, a constructor or a public field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// The type that it belongs to.
    pub owner: Option<TypeId>,
    pub params: Vec<Param>,
    pub ret: Sort,
    /// Marked as pure, a model, or a public field: a query of the virtual state.
    pub pure: bool,
    /// Whether a search may call it. A model may be asked and not called.
    pub callable: bool,
    pub requires: Vec<Clause>,
    pub ensures: Vec<Clause>,
    /// The body of a pure function, if it is one expression that may stand for its result.
    pub body: Option<String>,
}

impl Function {
    /// A function without a contract.
    pub fn new(name: &str, owner: Option<TypeId>, params: Vec<Param>, ret: Sort) -> Function {
        Function {
            name: name.to_owned(),
            owner,
            params,
            ret,
            pure: false,
            callable: true,
            requires: vec![],
            ensures: vec![],
            body: None,
        }
    }

    pub fn pure(mut self) -> Function {
        self.pure = true;
        self
    }

    pub fn requires(mut self, text: &str) -> Function {
        self.requires.push(Clause::new(text));
        self
    }

    pub fn ensures(mut self, text: &str) -> Function {
        self.ensures.push(Clause::new(text));
        self
    }

    /// Whether it can be asked in a clause: pure, and changing nothing.
    pub fn is_query(&self) -> bool {
        self.pure && self.params.iter().all(|param| param.mode != Mode::Exclusive)
    }

    /// Whether its first parameter is the receiver.
    pub fn is_method(&self) -> bool {
        self.params.first().is_some_and(|param| param.name == "self")
    }

    /// `Type::name`
    pub fn path(&self, system: &System) -> String {
        match self.owner {
            Some(owner) => format!("{}::{}", system.types[owner].name, self.name),
            None => self.name.clone(),
        }
    }
}

/// A condition as it is written, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Clause {
    pub text: String,
    pub place: String,
}

impl Clause {
    pub fn new(text: &str) -> Clause {
        Clause { text: text.to_owned(), place: String::new() }
    }
}

impl System {
    /// The virtual state of a type (definition 4): its queries, public fields and models.
    pub fn virtual_state(&self, ty: TypeId) -> Vec<FnId> {
        let is_query = |id: &FnId| {
            let function = &self.functions[*id];
            function.owner == Some(ty) && function.is_query() && function.is_method()
        };
        (0..self.functions.len()).filter(is_query).collect()
    }

    /// The query of an object that has this name.
    pub fn query(&self, ty: TypeId, name: &str) -> Option<FnId> {
        self.virtual_state(ty).into_iter().find(|id| self.functions[*id].name == name)
    }

    /// A pure function that is no method, by the words a clause uses for it.
    pub fn pure_function(&self, path: &[String]) -> Option<FnId> {
        let name = path.last()?;
        let owner = path.len().checked_sub(2).map(|n| path[n].as_str());
        let fits = |function: &Function| {
            let of = function.owner.map(|ty| self.types[ty].name.as_str());
            function.is_query() && function.name == *name && (of.is_none() || of == owner)
        };
        self.functions.iter().position(fits)
    }

    /// The functions that make an object of this type out of what they are given.
    pub fn makers(&self, ty: TypeId) -> Vec<FnId> {
        let makes = |id: &FnId| {
            let function = &self.functions[*id];
            let made = function.ret.made_object().is_some_and(|(made, _)| made == ty);
            let shows = function.is_query() && function.is_method();
            made && function.callable && !shows
        };
        (0..self.functions.len()).filter(makes).collect()
    }

    /// The functions that may change an object of this type.
    pub fn changers(&self, ty: TypeId) -> Vec<FnId> {
        let changes =
            |param: &Param| param.mode == Mode::Exclusive && param.sort == Sort::Object(ty);
        let all = 0..self.functions.len();
        all.filter(|id| {
            let function = &self.functions[*id];
            function.callable && !function.pure && function.params.iter().any(changes)
        })
        .collect()
    }
}
