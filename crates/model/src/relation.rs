//! Comparisons of numbers.

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Relation {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

const RELATIONS: [(&str, Relation); 6] = [
    ("==", Relation::Equal),
    ("!=", Relation::Unequal),
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("<", Relation::Less),
    (">", Relation::Greater),
];

impl Relation {
    #[inline(always)]
    pub fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Relation::Equal => a == b,
            Relation::Unequal => a != b,
            Relation::Less => a < b,
            Relation::AtMost => a <= b,
            Relation::Greater => a > b,
            Relation::AtLeast => a >= b,
        }
    }

    pub fn written(text: &str) -> Option<Relation> {
        RELATIONS.iter().find(|(written, _)| *written == text).map(|(_, relation)| *relation)
    }

    pub fn text(self) -> &'static str {
        RELATIONS.iter().find(|(_, relation)| *relation == self).map_or("", |(text, _)| text)
    }

    pub fn opposite(self) -> Relation {
        match self {
            Relation::Equal => Relation::Unequal,
            Relation::Unequal => Relation::Equal,
            Relation::Less => Relation::AtLeast,
            Relation::AtMost => Relation::Greater,
            Relation::Greater => Relation::AtMost,
            Relation::AtLeast => Relation::Less,
        }
    }
    /// The same with its sides exchanged.
    pub fn turned(self) -> Relation {
        match self {
            Relation::Less => Relation::Greater,
            Relation::AtMost => Relation::AtLeast,
            Relation::Greater => Relation::Less,
            Relation::AtLeast => Relation::AtMost,
            same => same,
        }
    }
}
