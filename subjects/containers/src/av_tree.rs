//! Intentional names: a tree of attributes and values that describes where
//! services are, and the lookup of a query in it.

use std::collections::BTreeSet;

use testsmith::{Korat, ensures, korat, pure, requires};

use crate::faults::seeded;

/// The value of a query that stands for every value.
const ANY: u8 = 0;

/// A tree of attributes; also used as a query.
#[derive(Korat, Debug, Clone, PartialEq, Eq, Default)]
pub struct AvTree {
    attributes: Option<Box<Attribute>>,
}

#[derive(Korat, Debug, Clone, PartialEq, Eq)]
#[korat(objects = scope)]
struct Attribute {
    #[korat(values = 0..=1)]
    name: u8,
    values: Option<Box<Value>>,
    next: Option<Box<Attribute>>,
}

#[derive(Korat, Debug, Clone, PartialEq, Eq)]
#[korat(objects = scope)]
struct Value {
    #[korat(values = 0..=1)]
    name: u8,
    #[korat(values = 1..=2)]
    record: Option<u8>,
    attributes: Option<Box<Attribute>>,
    next: Option<Box<Value>>,
}

#[korat]
impl AvTree {
    /// Whether siblings have ascending names and every attribute has a value.
    pub fn rep_ok(&self) -> bool {
        Self::attributes_fine(&self.attributes)
    }

    fn attributes_fine(mut at: &Option<Box<Attribute>>) -> bool {
        let mut last = None;
        while let Some(attribute) = at {
            let ascending = |name: &u8| last.is_none_or(|last| *name > last);
            if !korat::holds(&attribute.name, ascending) {
                return false;
            }
            if attribute.values.is_none() || !Self::values_fine(&attribute.values) {
                return false;
            }
            if attribute.next.is_some() {
                last = Some(attribute.name);
            }
            at = &attribute.next;
        }
        true
    }

    fn values_fine(mut at: &Option<Box<Value>>) -> bool {
        let mut last = None;
        while let Some(value) = at {
            let ascending = |name: &u8| last.is_none_or(|last| *name > last);
            if !korat::holds(&value.name, ascending) {
                return false;
            }
            if !Self::attributes_fine(&value.attributes) {
                return false;
            }
            if value.next.is_some() {
                last = Some(value.name);
            }
            at = &value.next;
        }
        true
    }
}

/// A tree of attributes as plain data: name, then its values, each with its
/// record and the attributes below.
pub type Plain = Vec<(u8, Vec<(u8, Option<u8>, PlainBelow)>)>;

/// The attributes below a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainBelow(pub Plain);

impl AvTree {
    /// The records that a query asks for: those below every attribute that
    /// query and tree both have, with the value the query names (0 for any).
    #[pure]
    #[requires(self.rep_ok() && query.rep_ok())]
    #[ensures(ret.is_subset(&self.records()))]
    #[ensures(query.attributes.is_none() -> ret == self.records())]
    pub fn lookup(&self, query: &AvTree) -> BTreeSet<u8> {
        lookup(&self.attributes, &query.attributes)
    }

    /// Every record of the tree.
    #[pure]
    #[requires(self.rep_ok())]
    #[ensures(self.attributes.is_none() -> ret.is_empty())]
    pub fn records(&self) -> BTreeSet<u8> {
        records(&self.attributes)
    }

    /// The tree as plain data.
    #[pure]
    #[ensures(ret.is_empty() == self.attributes.is_none())]
    pub fn plain(&self) -> Plain {
        plain(&self.attributes)
    }
}

fn plain(mut at: &Option<Box<Attribute>>) -> Plain {
    let mut attributes = Vec::new();
    while let Some(attribute) = at {
        let mut values = Vec::new();
        let mut value = &attribute.values;
        while let Some(inside) = value {
            values.push((inside.name, inside.record, PlainBelow(plain(&inside.attributes))));
            value = &inside.next;
        }
        attributes.push((attribute.name, values));
        at = &attribute.next;
    }
    attributes
}

fn records(attributes: &Option<Box<Attribute>>) -> BTreeSet<u8> {
    let mut found = BTreeSet::new();
    let mut at = attributes;
    while let Some(attribute) = at {
        let mut value = &attribute.values;
        while let Some(inside) = value {
            found.extend(inside.record);
            if !seeded("av_tree: extract stops at the first level") {
                found.extend(records(&inside.attributes));
            }
            value = &inside.next;
        }
        at = &attribute.next;
    }
    found
}

fn lookup(tree: &Option<Box<Attribute>>, query: &Option<Box<Attribute>>) -> BTreeSet<u8> {
    let mut found = records(tree);
    let mut asked = query;
    while let Some(question) = asked {
        let mut at = tree;
        while let Some(attribute) = at {
            if attribute.name == question.name {
                let answer = answer(attribute, question);
                found = found.intersection(&answer).copied().collect();
                if seeded("av_tree: one attribute is enough") {
                    return found;
                }
            }
            at = &attribute.next;
        }
        asked = &question.next;
    }
    found
}

/// The records below an attribute whose value is one of the question's.
fn answer(attribute: &Attribute, question: &Attribute) -> BTreeSet<u8> {
    let mut found = BTreeSet::new();
    let mut asked = &question.values;
    while let Some(wanted) = asked {
        let mut at = &attribute.values;
        while let Some(value) = at {
            let any = wanted.name == ANY && !seeded("av_tree: no value stands for any");
            if any || value.name == wanted.name {
                found.extend(value.record);
                let below =
                    if seeded("av_tree: below is not asked") { &None } else { &wanted.attributes };
                found.extend(lookup(&value.attributes, below));
                if seeded("av_tree: the first value wins") {
                    return found;
                }
            }
            at = &value.next;
        }
        asked = &wanted.next;
    }
    found
}
