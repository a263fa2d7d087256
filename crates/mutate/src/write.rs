//! Writes the text with its guards, and notes what stands where in it.
//!
//! Where things stand is what a compiler's message is traced back by.

use crate::flow::Suspects;
use crate::names::SWITCH;
use crate::site::{self, Level, Site};
use crate::{Mutant, Source};
use std::ops::Range;

/// A text with guards.
#[derive(Clone, Debug, Default)]
pub struct Written {
    pub text: String,
    /// Inner ones after outer ones.
    pub pieces: Vec<Piece>,
    /// What is as it was: where it begins here, and its bytes of the source.
    kept: Vec<(usize, Range<usize>)>,
}

/// Bytes of the written text, and the mutants they stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub range: Range<usize>,
    pub mutants: Vec<u32>,
    /// Whether it is what the mutant runs, and not only what is around it.
    pub is_arm: bool,
    /// Whether it is all of a function's body.
    pub is_function: bool,
    /// Whether it is around one value.
    pub is_value: bool,
}

impl Written {
    /// The mutants that are to blame for what a compiler says of these places: those whose
    /// arms they are in; else those whose guards are in or around the smallest of the places;
    /// else all of the function.
    pub fn blamed(&self, places: &[Range<usize>]) -> Suspects {
        let in_arms = self.arms_around(places);
        if !in_arms.is_empty() {
            return Suspects::new(in_arms, true);
        }
        let mut places: Vec<&Range<usize>> = places.iter().collect();
        places.sort_by_key(|place| place.len());
        let guards = || self.pieces.iter().filter(|piece| !piece.is_arm && !piece.is_function);
        for place in &places {
            let inside = guards().filter(|guard| holds(place, &guard.range));
            let around = guards().rev().find(|guard| holds(&guard.range, place));
            let blamed: Vec<u32> =
                inside.chain(around).flat_map(|guard| guard.mutants.clone()).collect();
            if !blamed.is_empty() {
                return Suspects::new(blamed, false);
            }
        }
        let all = places.iter().flat_map(|place| self.mutants_around(place)).collect();
        Suspects::new(all, false)
    }

    /// The mutants whose arms hold any of these places.
    pub(crate) fn arms_around(&self, places: &[Range<usize>]) -> Vec<u32> {
        let arms = self.pieces.iter().filter(|piece| piece.is_arm);
        let around = arms.filter(|arm| places.iter().any(|place| holds(&arm.range, place)));
        around.flat_map(|arm| arm.mutants.clone()).collect()
    }

    /// The bytes of the source that written bytes stand for.
    pub fn in_source(&self, written: &Range<usize>) -> Range<usize> {
        let at = |byte: usize| {
            let after = self.kept.partition_point(|(start, _)| *start <= byte);
            let Some((start, source)) = after.checked_sub(1).map(|n| &self.kept[n]) else {
                return 0;
            };
            (source.start + (byte - start)).min(source.end)
        };
        at(written.start)..at(written.end)
    }

    /// All mutants of the function around a place.
    pub fn mutants_around(&self, bytes: &Range<usize>) -> Vec<u32> {
        let around = |piece: &&Piece| holds(&piece.range, bytes);
        let mut functions = self.pieces.iter().rev().filter(|piece| piece.is_function);
        functions.find(around).map_or(vec![], |function| function.mutants.clone())
    }
}

impl Source {
    /// The text with those of the mutants that are wanted.
    pub fn write(&self, wanted: &dyn Fn(&Mutant) -> bool) -> Written {
        let wanted: Vec<bool> = self.mutants.iter().map(wanted).collect();
        let first = self.mutants.first().map_or(1, |mutant| mutant.id);
        let mut writer = Writer { source: self, wanted, first, written: Written::default() };
        let sites: Vec<&Site> = self.sites.iter().collect();
        writer.range(&(0..self.text.len()), &sites);
        writer.written
    }
}

struct Writer<'s> {
    source: &'s Source,
    wanted: Vec<bool>,
    first: u32,
    written: Written,
}

impl Writer<'_> {
    fn is_wanted(&self, mutant: u32) -> bool {
        self.wanted[(mutant - self.first) as usize]
    }

    /// Writes bytes of the source with the sites in them.
    fn range(&mut self, range: &Range<usize>, sites: &[&Site]) {
        let mut at = range.start;
        let mut n = 0;
        while let Some(site) = sites.get(n) {
            let inner = sites[n + 1..].iter().take_while(|inner| inner.span.start < site.span.end);
            let end = n + 1 + inner.count();
            let inside = &sites[n + 1..end];
            self.keep(at..site.span.start);
            self.site(site, inside);
            (at, n) = (site.span.end, end);
        }
        self.keep(at..range.end);
    }

    fn keep(&mut self, range: Range<usize>) {
        self.written.kept.push((self.written.text.len(), range.clone()));
        self.written.text.push_str(&self.source.text[range]);
    }

    fn site(&mut self, site: &Site, inside: &[&Site]) {
        let mutants: Vec<u32> = (0..site.arms.len() as u32)
            .map(|n| site.first + n)
            .filter(|mutant| self.is_wanted(*mutant))
            .collect();
        let is_function = self.source.functions.contains(&site.span);
        if mutants.is_empty() && !is_function {
            return self.range(&site.span, inside);
        }
        let place = self.written.pieces.len();
        let start = self.written.text.len();
        self.written.pieces.push(Piece {
            range: start..start,
            mutants,
            is_arm: false,
            is_function,
            is_value: matches!(site.level, Level::Condition | Level::Expression),
        });
        if self.written.pieces[place].mutants.is_empty() {
            self.range(&site.span, inside);
        } else {
            for piece in &site.pieces {
                self.piece(piece, site, inside);
            }
        }
        let end = self.written.text.len();
        if is_function {
            let below = &self.written.pieces[place..];
            let all = below.iter().flat_map(|piece| piece.mutants.iter().copied()).collect();
            self.written.pieces[place].mutants = all;
        }
        self.written.pieces[place].range.end = end;
    }

    fn piece(&mut self, piece: &site::Piece, site: &Site, inside: &[&Site]) {
        match piece {
            site::Piece::Text(text) => self.written.text.push_str(text),
            site::Piece::Owned(text) => self.written.text.push_str(text),
            site::Piece::Original(range) => {
                let within: Vec<&Site> = inside
                    .iter()
                    .filter(|inner| range.start <= inner.span.start && inner.span.end <= range.end)
                    .copied()
                    .collect();
                self.range(range, &within);
            }
            site::Piece::Choice => self.choice(site),
        }
    }

    fn choice(&mut self, site: &Site) {
        let text = &mut self.written.text;
        text.push_str(&format!("match {SWITCH}::pick({}, {}) {{", site.first, site.arms.len()));
        for (n, arm) in site.arms.iter().enumerate() {
            let mutant = site.first + n as u32;
            if !self.is_wanted(mutant) {
                continue;
            }
            let start = self.written.text.len();
            let arm = on_one_line(arm);
            self.written.text.push_str(&format!(" {} => {{ {arm} }}", n + 1));
            let range = start..self.written.text.len();
            let piece = Piece {
                range,
                mutants: vec![mutant],
                is_arm: true,
                is_function: false,
                is_value: false,
            };
            self.written.pieces.push(piece);
        }
    }
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// A mutant adds no line, so that whatever tells lines tells those of the user. Comments go:
/// they would reach over the rest.
fn on_one_line(code: &str) -> String {
    if !code.contains('\n') {
        return code.to_owned();
    }
    code.parse::<proc_macro2::TokenStream>().map_or(code.to_owned(), |tokens| tokens.to_string())
}
