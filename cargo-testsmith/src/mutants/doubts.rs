//! Mutants that were withdrawn with others, and perhaps in vain.
//!
//! Those of a function are tried in halves, all functions at once. Runs no compiler: it says
//! what to try, and is told where the errors were.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use testsmith_mutate::Source;

#[derive(Debug, Default)]
pub struct Doubts {
    functions: BTreeMap<Function, Groups>,
}

/// A file and the bytes of a function; none for what is in no function.
type Function = (String, Option<(usize, usize)>);

#[derive(Debug, Default)]
struct Groups {
    waiting: Vec<Group>,
    on_trial: Option<Trial>,
}

#[derive(Debug)]
struct Group {
    mutants: Vec<u32>,
    /// Whether one of them at least does not compile.
    is_guilty: bool,
}

#[derive(Debug)]
struct Trial {
    mutants: Vec<u32>,
    /// The other half: one of the two is guilty.
    other: Vec<u32>,
}

impl Doubts {
    /// One of these mutants of a file is to blame for an error.
    pub fn add(&mut self, file: &str, source: &Source, mutants: &[u32]) {
        for id in mutants {
            let Some(mutant) = source.mutant(*id) else { continue };
            let function = source.function_around(&mutant.range);
            let function = function.map(|bytes| (bytes.start, bytes.end));
            let groups = self.functions.entry((file.to_owned(), function)).or_default();
            match groups.waiting.first_mut() {
                Some(group) if group.mutants.contains(id) => {}
                Some(group) => group.mutants.push(*id),
                None => groups.waiting.push(Group { mutants: vec![*id], is_guilty: true }),
            }
        }
    }

    /// What to try next; nothing if all is known.
    pub fn next(&mut self) -> BTreeSet<u32> {
        self.functions.values_mut().flat_map(Groups::next).collect()
    }

    /// Learns from the errors of a trial, each by its files and bytes of their sources, and
    /// says which mutants compile.
    pub fn learn(&mut self, errors: &[Vec<(String, Range<usize>)>]) -> Vec<u32> {
        let is_of = |function: &Function, error: &Vec<(String, Range<usize>)>| {
            error.iter().any(|(file, bytes)| {
                let inside = |(start, end)| start <= bytes.start && bytes.end <= end;
                *file == function.0 && function.1.is_none_or(inside)
            })
        };
        // An error that is in no function on trial may be about any.
        let tried = self.functions.iter().filter(|(_, groups)| groups.on_trial.is_some());
        let tried: Vec<&Function> = tried.map(|(function, _)| function).collect();
        let is_explained = |error| tried.iter().any(|function| is_of(function, error));
        let all_fail = !errors.iter().all(is_explained);
        let fails =
            |function: &Function| all_fail || errors.iter().any(|error| is_of(function, error));
        let mut innocent = vec![];
        for (function, groups) in &mut self.functions {
            innocent.extend(groups.learn(fails(function)));
        }
        innocent
    }
}

impl Groups {
    fn next(&mut self) -> Vec<u32> {
        while let Some(Group { mut mutants, is_guilty }) = self.waiting.pop() {
            if is_guilty && mutants.len() == 1 {
                continue;
            }
            let half = if is_guilty { mutants.len() / 2 } else { mutants.len() };
            let other = mutants.split_off(half);
            self.on_trial = Some(Trial { mutants: mutants.clone(), other });
            return mutants;
        }
        vec![]
    }

    /// Says which mutants compile.
    fn learn(&mut self, fails: bool) -> Vec<u32> {
        let Some(Trial { mutants, other }) = self.on_trial.take() else { return vec![] };
        if !other.is_empty() {
            self.waiting.push(Group { mutants: other, is_guilty: !fails });
        }
        if fails {
            self.waiting.push(Group { mutants, is_guilty: true });
            return vec![];
        }
        mutants
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_mutate::{Cfg, Scope, scan};

    fn source() -> Source {
        let text = "fn a(n: u8) { f(n + 1); f(n + 2); f(n + 3); }\nfn b(n: u8) { f(n + 1); }\n";
        let cfg = Cfg::default();
        scan(text, &Scope { module: vec![], cfg: &cfg, first: 1 }).expect("it parses")
    }

    /// Which of all mutants come back, and after how many trials.
    fn check(guilty: &[u32]) -> (Vec<u32>, usize) {
        let source = source();
        let all: Vec<u32> = source.mutants.iter().map(|mutant| mutant.id).collect();
        let mut doubts = Doubts::default();
        doubts.add("lib.rs", &source, &all);
        let (mut back, mut trials) = (vec![], 0);
        loop {
            let on_trial = doubts.next();
            if on_trial.is_empty() {
                back.sort_unstable();
                return (back, trials);
            }
            trials += 1;
            let blamed = guilty.iter().filter(|id| on_trial.contains(id));
            let error = |id: &u32| {
                let range = source.mutant(*id).expect("it is there").range.clone();
                vec![("lib.rs".to_owned(), range)]
            };
            let errors: Vec<_> = blamed.map(error).collect();
            back.extend(doubts.learn(&errors));
        }
    }

    #[test]
    fn all_but_the_guilty_come_back() {
        let source = source();
        let all: Vec<u32> = source.mutants.iter().map(|mutant| mutant.id).collect();
        let of = |name: &str| {
            let mutants = source.mutants.iter().filter(|mutant| mutant.function == name);
            mutants.map(|mutant| mutant.id).collect::<Vec<u32>>()
        };
        let (one, other) = (of("a")[3], of("b")[1]);
        let without = |guilty: &[u32]| {
            all.iter().copied().filter(|id| !guilty.contains(id)).collect::<Vec<u32>>()
        };
        let (back, trials) = check(&[one, other]);
        assert_eq!(back, without(&[one, other]));
        assert!(trials < all.len() / 2, "{trials} trials for {} mutants", all.len());
        let all_of_a = [of("a"), vec![other]].concat();
        assert_eq!(check(&all_of_a).0, without(&all_of_a));
    }

    #[test]
    fn an_error_elsewhere_lets_nobody_come_back() {
        let source = source();
        let mut doubts = Doubts::default();
        doubts.add("lib.rs", &source, &[1, 2]);
        assert_eq!(doubts.next().len(), 1);
        assert_eq!(doubts.learn(&[vec![("other.rs".to_owned(), 0..1)]]), Vec::<u32>::new());
    }
}
