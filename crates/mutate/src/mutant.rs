//! The words: a mutant, its place, and what was left out and why.

use crate::flow::Flow;
use crate::site::{Level, Site};
use std::ops::Range;

/// One change of one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Unique in the package, from 1.
    pub id: u32,
    /// The name of its operator.
    pub operator: &'static str,
    /// The path of the function that it is in.
    pub function: String,
    /// The bytes of the file that it replaces.
    pub range: Range<usize>,
    pub start: Place,
    pub end: Place,
    /// What stands there instead.
    pub replacement: String,
}

/// A place as editors count: both from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

/// Something that is not mutated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    pub line: usize,
    /// The function or the item.
    pub what: String,
    pub reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    Test,
    Cfg,
    Asked,
    Const,
    Macro,
    MacroDefinition,
    Pattern,
}

impl Reason {
    pub fn text(self) -> &'static str {
        match self {
            Reason::Test => "is test code",
            Reason::Cfg => "is not compiled with these features on this machine",
            Reason::Asked => "is marked with `mutants::skip`",
            Reason::Const => "is evaluated by the compiler, which has no switch",
            Reason::Macro => "is an argument of a macro that is not known to take expressions",
            Reason::MacroDefinition => "defines a macro",
            Reason::Pattern => "is a pattern, which has no value to choose",
        }
    }
}

/// A module that stands in another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleFile {
    pub name: String,
    /// Modules of this file around it.
    pub inside: Vec<String>,
    /// What a `path` attribute says.
    pub path: Option<String>,
}

/// A parsed file with its mutants.
#[derive(Clone, Debug)]
pub struct Source {
    pub text: String,
    pub mutants: Vec<Mutant>,
    pub skips: Vec<Skip>,
    pub modules: Vec<ModuleFile>,
    /// The bytes of each function body, outer ones first.
    pub(crate) functions: Vec<Range<usize>>,
    /// Outer ones first.
    pub(crate) sites: Vec<Site>,
    pub(crate) flow: Flow,
}

/// A function that stands in no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The bytes of its body.
    pub range: Range<usize>,
    /// All of its mutants, by their numbers.
    pub mutants: Range<u32>,
    /// Those that are guarded before anything else is done.
    pub entry: Range<u32>,
}

impl Source {
    /// The functions with mutants that stand in no other one.
    pub fn units(&self) -> Vec<Unit> {
        let mut units: Vec<Unit> = vec![];
        let id = |n: usize| self.mutants.first().map_or(1, |first| first.id) + n as u32;
        for range in &self.functions {
            let is_inside = |unit: &Unit| range.start < unit.range.end;
            let inside = |n: usize| {
                let at = &self.mutants[n].range;
                range.start <= at.start && at.end <= range.end
            };
            let mut of_it = (0..self.mutants.len()).filter(|n| inside(*n));
            let Some(first) = of_it.next().filter(|_| !units.last().is_some_and(is_inside)) else {
                continue;
            };
            let last = of_it.next_back().unwrap_or(first);
            let is_entry = |site: &&Site| {
                site.level == Level::Body && site.span == *range && !site.arms.is_empty()
            };
            let entry = self.sites.iter().find(is_entry);
            let entry = entry.map_or(0..0, |site| site.first..site.first + site.arms.len() as u32);
            units.push(Unit { range: range.clone(), mutants: id(first)..id(last + 1), entry });
        }
        units
    }

    /// The text without the bodies of these functions.
    pub fn without(&self, units: &[Unit]) -> String {
        let (mut text, mut at) = (String::new(), 0);
        for unit in units {
            text.push_str(&self.text[at..unit.range.start]);
            at = unit.range.end;
        }
        text + &self.text[at..]
    }

    pub fn mutant(&self, id: u32) -> Option<&Mutant> {
        let first = self.mutants.first()?.id;
        self.mutants.get(id.checked_sub(first)? as usize)
    }

    /// The first mutant of the place that a mutant belongs to: what is told when it is reached.
    pub fn place_of(&self, id: u32) -> u32 {
        // Places are numbered in the order of their mutants.
        let after = self.sites.partition_point(|site| site.first <= id);
        self.sites[..after].iter().rev().find(|site| !site.arms.is_empty()).map_or(id, |s| s.first)
    }

    /// The whole file as if the mutant had been written by hand.
    pub fn with(&self, mutant: &Mutant) -> String {
        let Range { start, end } = mutant.range;
        format!("{}{}{}", &self.text[..start], mutant.replacement, &self.text[end..])
    }
}
