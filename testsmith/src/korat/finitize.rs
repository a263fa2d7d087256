//! The finitization: the bounds that make the space of candidates finite.
//!
//! A finitization is a scope and a list of exceptions to what the types and
//! their attributes say by themselves. Names are those of the source:
//! `Node` for the objects of a type, `Node.info` for a field, `Heap.items.len`
//! for the length of a vector and `Heap.items` for its elements.

use std::collections::BTreeMap;
use std::fmt;

/// The largest number of values one field may have.
pub(crate) const MAX_DOMAIN: usize = 1 << 20;
/// The largest number of objects of one type.
pub(crate) const MAX_OBJECTS: usize = 1 << 20;
/// The largest number of fields of a space.
pub(crate) const MAX_FIELDS: usize = 1 << 22;

/// A plain value of a domain, before it becomes a value of a field's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Plain {
    Int(i128),
    Bool(bool),
    Char(char),
    Text(String),
    /// A float, by its bits: it may be any of the values that are no numbers.
    Float(u64),
}

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plain::Int(i) => write!(f, "{i}"),
            Plain::Bool(b) => write!(f, "{b}"),
            Plain::Char(c) => write!(f, "{c:?}"),
            Plain::Text(t) => write!(f, "{t:?}"),
            Plain::Float(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
        }
    }
}

macro_rules! plain_ints {
    ($($int:ty)*) => {$(
        impl From<$int> for Plain {
            fn from(value: $int) -> Plain {
                // Every supported integer but u128's upper half fits; values
                // beyond it are of no use as bounds of a small scope.
                Plain::Int(value as i128)
            }
        }
    )*};
}
plain_ints!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

impl From<f64> for Plain {
    fn from(value: f64) -> Plain {
        Plain::Float(value.to_bits())
    }
}

impl From<f32> for Plain {
    fn from(value: f32) -> Plain {
        f64::from(value).into()
    }
}

impl From<bool> for Plain {
    fn from(value: bool) -> Plain {
        Plain::Bool(value)
    }
}

impl From<char> for Plain {
    fn from(value: char) -> Plain {
        Plain::Char(value)
    }
}

impl From<&str> for Plain {
    fn from(value: &str) -> Plain {
        Plain::Text(value.to_owned())
    }
}

impl From<String> for Plain {
    fn from(value: String) -> Plain {
        Plain::Text(value)
    }
}

/// Why a finitization describes no space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FinitizeError {
    /// A field was given no value at all.
    EmptyDomain { field: String },
    /// A value does not belong to the field's type.
    WrongValue { field: String, value: String, expected: &'static str },
    /// A domain with more values than any search could try.
    HugeDomain { field: String, size: usize },
    /// A pointer that cannot be null, and no object for it to point at.
    NoObjects { field: String, class: String },
    /// The root itself claims more objects than there are.
    TooFewObjects { class: String, count: u32, needed: u32 },
    /// A name in the finitization that no type or field has.
    UnknownName { name: String, known: Vec<String> },
    /// More objects than any search could use.
    HugeScope { scope: i64, class: String, count: usize },
    /// More fields than memory has room for.
    TooManyFields { scope: i64, field: String },
    /// A `Result` whose two sides are both pointers.
    TwoPointers { field: String },
    /// A type that has no values by itself.
    NoDefault { field: String, what: &'static str },
    /// An index field names an arena that its owner does not have.
    NoArena { field: String, arena: String },
}

impl fmt::Display for FinitizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FinitizeError::EmptyDomain { field } => write!(
                f,
                "`{field}` has an empty domain, so there is no candidate at all; give it a value"
            ),
            FinitizeError::WrongValue { field, value, expected } => {
                write!(f, "`{field}` cannot be {value}: expected {expected}")
            }
            FinitizeError::HugeDomain { field, size } => write!(
                f,
                "`{field}` has {size} values, more than {MAX_DOMAIN}; choose a smaller domain"
            ),
            FinitizeError::NoObjects { field, class } => write!(
                f,
                "`{field}` must point at a `{class}` but the finitization has none; \
                 raise the count with `.objects(\"{class}\", n)`"
            ),
            FinitizeError::TooFewObjects { class, count, needed } => write!(
                f,
                "every candidate contains at least {needed} objects of `{class}`, \
                 the finitization allows {count}"
            ),
            FinitizeError::UnknownName { name, known } => write!(
                f,
                "the finitization mentions `{name}`, which is not part of the structure; \
                 there are: {}",
                known.join(", ")
            ),
            FinitizeError::HugeScope { scope, class, count } => write!(
                f,
                "a scope of {scope} cannot be searched: it has {count} objects of `{class}`, more \
                 than {MAX_OBJECTS}; choose a smaller scope, or `.objects(\"{class}\", n)`"
            ),
            FinitizeError::TooManyFields { scope, field } => write!(
                f,
                "a scope of {scope} cannot be searched: it has more than {MAX_FIELDS} fields, \
                 most of them in `{field}`; choose a smaller scope, or a smaller length or number of \
                 objects where fields multiply"
            ),
            FinitizeError::TwoPointers { field } => write!(
                f,
                "`{field}` is a `Result` with a pointer on both sides; put one of them into a \
                 derived type"
            ),
            FinitizeError::NoDefault { field, what } => write!(
                f,
                "`{field}` is {what}, of which no scope says which values to try; list them: \
                 `#[korat(values = [..])]`, or say `#[korat(skip)]` or `#[korat(default = ..)]`"
            ),
            FinitizeError::NoArena { field, arena } => write!(
                f,
                "`{field}` is an index into `{arena}`, but no enclosing structure has a field \
                 of that name marked `#[korat(arena)]`"
            ),
        }
    }
}

impl std::error::Error for FinitizeError {}

/// The bounds of a search.
#[derive(Clone, Debug)]
pub struct Finitization {
    pub(crate) scope: usize,
    pub(crate) objects: BTreeMap<String, usize>,
    pub(crate) domains: BTreeMap<String, Vec<Plain>>,
    pub(crate) lengths: BTreeMap<String, (usize, usize)>,
    pub(crate) non_null: Vec<String>,
}

impl Finitization {
    /// The default of a scope: at most `scope` objects of each type, integers
    /// from 0 to `scope`, vectors of at most `scope` elements, and whatever
    /// the attributes of the fields say instead.
    pub fn new(scope: usize) -> Finitization {
        Finitization {
            scope,
            objects: BTreeMap::new(),
            domains: BTreeMap::new(),
            lengths: BTreeMap::new(),
            non_null: Vec::new(),
        }
    }

    /// At most `count` objects of a type, by the type's name.
    pub fn objects(mut self, class: &str, count: usize) -> Self {
        self.objects.insert(class.to_owned(), count);
        self
    }

    /// The values of a field, in the order in which they are tried.
    pub fn field<V: Into<Plain>>(
        mut self,
        field: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        let values = values.into_iter().take(MAX_DOMAIN + 1).map(Into::into).collect();
        self.domains.insert(field.to_owned(), values);
        self
    }

    /// The lengths of a vector.
    pub fn len(mut self, field: &str, lengths: std::ops::RangeInclusive<usize>) -> Self {
        self.lengths.insert(field.to_owned(), (*lengths.start(), *lengths.end()));
        self
    }

    /// Takes `None` out of the domain of an optional field.
    pub fn non_null(mut self, field: &str) -> Self {
        self.non_null.push(field.to_owned());
        self
    }

    /// The scope.
    pub fn scope(&self) -> usize {
        self.scope
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.objects
            .keys()
            .chain(self.domains.keys())
            .chain(self.lengths.keys())
            .chain(&self.non_null)
    }
}
