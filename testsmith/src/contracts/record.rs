//! The text in which the clauses of an item reach a tool.
//!
//! The attributes write one hidden constant beside each public item that has a
//! contract; rustdoc JSON shows its value. The text is made of lines, the first
//! of which names the format and its version. `docs/contracts.md` has the
//! grammar. This module reads it; `testsmith-macros` writes it.

use std::fmt::{self, Display};

use super::violation::{Kind, unescape};

/// The first line of the only version there is.
const HEAD: &str = "testsmith-contract 1";

/// Constants whose name starts like this hold a record.
pub const NAME_PREFIX: &str = "__TESTSMITH_CONTRACT_";

/// What the contract of one item says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// `fn`, `trait-fn`, `impl-fn`, `type` or `impl`, as the attribute saw the item.
    pub item: String,
    /// The item's name; for a method of a trait `Trait::method`, for one of an
    /// implementation `<Type as Trait>::method`.
    pub name: String,
    /// The item is `#[pure]`.
    pub pure: bool,
    /// The item is a `#[model]` function.
    pub model: bool,
    /// The hidden function that evaluates the preconditions on borrowed
    /// arguments, if there is one.
    pub precheck: Option<String>,
    /// The clauses in the order of their indices.
    pub clauses: Vec<RecordedClause>,
}

/// One clause of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedClause {
    /// Precondition, postcondition or invariant.
    pub kind: Kind,
    /// When it is checked: `default`, `debug` or `test`.
    pub gate: String,
    /// Its number, as in [`super::Clause::index`].
    pub index: u32,
    /// `file:line:column`.
    pub place: String,
    /// The condition as written.
    pub text: String,
    /// The author's message.
    pub message: Option<String>,
}

/// Why a text is not a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordError {
    /// The first line is not the head of a version this crate reads.
    Version(String),
    /// A line that does not follow the grammar.
    Line(String),
}

impl Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Version(found) => {
                write!(f, "expected a contract record that starts with `{HEAD}`, found `{found}`")
            }
            RecordError::Line(line) => write!(f, "malformed line in a contract record: `{line}`"),
        }
    }
}

impl std::error::Error for RecordError {}

impl Record {
    /// How the names of the constants that hold records begin.
    pub const NAME_PREFIX: &'static str = NAME_PREFIX;

    /// Reads a record from the Rust string literal that rustdoc JSON shows as
    /// the value of the constant.
    pub fn from_literal(literal: &str) -> Result<Record, RecordError> {
        let text = unquote(literal).ok_or_else(|| RecordError::Line(literal.to_owned()))?;
        Record::parse(&text)
    }

    /// Reads a record. Keys it does not know are skipped: a later writer may
    /// add some without changing the version.
    pub fn parse(text: &str) -> Result<Record, RecordError> {
        let mut lines = text.lines();
        let head = lines.next().unwrap_or_default();
        if head != HEAD {
            return Err(RecordError::Version(head.to_owned()));
        }
        let mut record = Record {
            item: String::new(),
            name: String::new(),
            pure: false,
            model: false,
            precheck: None,
            clauses: Vec::new(),
        };
        for line in lines {
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            match key {
                "item" => record.item = unescape(value),
                "name" => record.name = unescape(value),
                "pure" => record.pure = true,
                "model" => record.model = true,
                "precheck" => record.precheck = Some(unescape(value)),
                "clause" => {
                    let clause = RecordedClause::parse(value);
                    record.clauses.push(clause.ok_or_else(|| RecordError::Line(line.to_owned()))?);
                }
                _ => {}
            }
        }
        Ok(record)
    }
}

/// The value of a plain string literal.
fn unquote(literal: &str) -> Option<String> {
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        text.push(match characters.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '0' => '\0',
            'x' => {
                let digits: String = characters.by_ref().take(2).collect();
                char::from(u8::from_str_radix(&digits, 16).ok()?)
            }
            'u' => {
                let braces = characters.by_ref().take_while(|&c| c != '}');
                let digits: String = braces.filter(|&c| c != '{').collect();
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
            }
            other => other,
        });
    }
    Some(text)
}

impl RecordedClause {
    /// `kind; gate; index; place; text; message`.
    fn parse(line: &str) -> Option<RecordedClause> {
        let mut fields = line.splitn(6, "; ").map(unescape);
        Some(RecordedClause {
            kind: Kind::from_word(&fields.next()?)?,
            gate: fields.next()?,
            index: fields.next()?.parse().ok()?,
            place: fields.next()?,
            text: fields.next()?,
            message: fields.next().filter(|message| !message.is_empty()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_field_by_field() {
        let text = "testsmith-contract 1\nitem fn\nname push\npure\nfuture thing\n\
                    precheck __testsmith_requires_push\n\
                    clause requires; default; 0; src/a.rs:1:2; a\\, b; not \\\\ full\n\
                    clause ensures; test; 1; src/a.rs:2:2; ret > 0; ";
        let record = Record::parse(text).expect("it is well formed");
        assert!(record.pure && !record.model);
        assert_eq!(record.precheck.as_deref(), Some("__testsmith_requires_push"));
        assert_eq!(record.clauses.len(), 2);
        assert_eq!(record.clauses[0].text, "a; b");
        assert_eq!(record.clauses[0].message.as_deref(), Some("not \\ full"));
        assert_eq!(record.clauses[1].message, None);
        assert_eq!(record.clauses[1].gate, "test");
    }

    #[test]
    fn literals_are_read_with_their_escapes() {
        assert_eq!(unquote(r#""a\n\"b\\ \u{e4}\t\x41""#).as_deref(), Some("a\n\"b\\ ä\tA"));
        assert_eq!(unquote("a"), None);
    }

    #[test]
    fn another_version_is_refused_by_name() {
        let error = Record::parse("testsmith-contract 2\n").expect_err("version 2 is unknown");
        assert!(error.to_string().contains("testsmith-contract 2"));
    }
}
