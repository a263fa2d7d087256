//! Makes operators and commands from the words of the user.

use std::collections::BTreeMap;

use testsmith::{ensures, invariant, pure, requires};

use crate::command::Command;
use crate::error::CalcError;
use crate::memory::Register;
use crate::operators::OperatorKind;

#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.aliases.keys().all(|alias| built_in(alias).is_none()), "an alias hides an operator")]
pub struct Factory {
    aliases: BTreeMap<String, OperatorKind>,
}

/// The operator written so, aliases aside.
#[pure]
#[ensures(ret.is_some() -> ret.unwrap().operator().symbol() == symbol)]
pub fn built_in(symbol: &str) -> Option<OperatorKind> {
    OperatorKind::ALL.iter().copied().find(|kind| kind.operator().symbol() == symbol)
}

#[invariant]
impl Factory {
    #[ensures(ret.alias_count() == 0)]
    pub fn new() -> Factory {
        Factory { aliases: BTreeMap::new() }
    }

    /// How many aliases were added.
    #[pure]
    pub fn alias_count(&self) -> usize {
        self.aliases.len()
    }

    /// How many words make an operator.
    #[pure]
    #[ensures(ret == OperatorKind::ALL.len() + self.alias_count())]
    pub fn word_count(&self) -> usize {
        OperatorKind::ALL.len() + self.aliases.len()
    }

    #[pure]
    #[ensures(ret == (built_in(word).is_some() || self.is_alias(word)))]
    pub fn knows(&self, word: &str) -> bool {
        self.aliases.contains_key(word) || built_in(word).is_some()
    }

    #[pure]
    #[ensures(ret -> self.knows(word))]
    pub fn is_alias(&self, word: &str) -> bool {
        self.aliases.contains_key(word)
    }

    /// Lets a word stand for an operator.
    #[requires(!self.knows(word), "the word is taken")]
    #[requires(word.starts_with(char::is_alphabetic), "an alias starts with a letter")]
    #[ensures(self.is_alias(word), self.alias_count() == old(self.alias_count()) + 1)]
    #[ensures(self.create(word) == Some(kind))]
    pub fn add_alias(&mut self, word: &str, kind: OperatorKind) {
        self.aliases.insert(word.to_owned(), kind);
    }

    /// Forgets an alias.
    #[requires(self.is_alias(word))]
    #[ensures(!self.knows(word), self.alias_count() == old(self.alias_count()) - 1)]
    pub fn remove_alias(&mut self, word: &str) {
        self.aliases.remove(word);
    }

    /// The operator that a word stands for.
    #[pure]
    #[ensures(ret.is_some() == self.knows(word))]
    #[ensures(ret.is_some() && !self.is_alias(word) -> ret.unwrap().operator().symbol() == word)]
    pub fn create(&self, word: &str) -> Option<OperatorKind> {
        if cfg!(feature = "bug-09") && word == "max" {
            return Some(OperatorKind::Minimum);
        }
        self.aliases.get(word).copied().or_else(|| built_in(word))
    }

    /// The command that a word stands for: a number, an operator, or `a!` and
    /// `a?` to store into and recall from the register `a`.
    #[pure]
    #[ensures(self.knows(word) -> ret.is_ok())]
    #[ensures(ret.is_err() -> ret == Err(CalcError::UnknownWord))]
    pub fn parse(&self, word: &str) -> Result<Command, CalcError> {
        if let Some(kind) = self.create(word) {
            return Ok(Command::Apply(kind));
        }
        if let Ok(number) = word.parse() {
            return Ok(Command::Push(number));
        }
        let mut letters = word.chars();
        let register = letters.next().and_then(Register::from_letter);
        match (register, letters.as_str()) {
            (Some(register), "!") => Ok(Command::Store(register)),
            (Some(register), "?") => Ok(Command::Recall(register)),
            _ => Err(CalcError::UnknownWord),
        }
    }
}

impl Default for Factory {
    fn default() -> Self {
        Factory::new()
    }
}
