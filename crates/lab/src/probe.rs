//! Lets the compiler judge probes: functions, one a line.

use crate::stamp::hash;
use crate::{Error, Lab, cargo};
use std::collections::BTreeMap;

/// Errors of one phase hide those of the next; this many phases there are not.
const MAX_RUNS: usize = 12;
/// More probes than this in one file slow the compiler down out of proportion.
const MAX_BATCH: usize = 4000;

/// How many seconds the compiler may work on a file of probes, and on each thousand lines.
const CPU_SECONDS: u64 = 20;
const CPU_SECONDS_A_THOUSAND: u64 = 15;
/// So often it may take too long; what is left of the batch then is not looked at.
const MAX_ENDLESS: usize = 5;
const TOO_LONG: &str = "the compiler takes too long to say whether it can be called";

/// How long the compiler may work on so many lines. It is the time that it has worked, not
/// the time that has passed, so a busy machine says the same as an idle one.
fn limit(lines: usize) -> u64 {
    CPU_SECONDS + CPU_SECONDS_A_THOUSAND * lines as u64 / 1000
}

impl Lab {
    /// For each probe nothing, or the compiler's words against it. `{}` in a
    /// probe stands for a name of its own. Verdicts are kept under the stamp.
    pub fn judge(&self, probes: &[String], stamp: u64) -> Result<Vec<Option<String>>, Error> {
        let mut cache = Cache::load(self, stamp);
        let unknown: Vec<&String> =
            probes.iter().filter(|probe| !cache.objections.contains_key(&key(probe))).collect();
        for batch in unknown.chunks(MAX_BATCH) {
            for (probe, objection) in batch.iter().zip(self.check(batch)?) {
                cache.objections.insert(key(probe), objection);
            }
        }
        if !unknown.is_empty() {
            cache.save(self)?;
        }
        Ok(probes.iter().map(|probe| cache.objections[&key(probe)].clone()).collect())
    }

    /// Compiles all at once, and without those that an error points at until none does.
    /// Where an error points at none, or the compiler takes too long, parts are compiled by
    /// themselves, down to one.
    fn check(&self, probes: &[&String]) -> Result<Vec<Option<String>>, Error> {
        let mut objections: Vec<Option<String>> = vec![None; probes.len()];
        let mut open: Vec<Vec<usize>> = vec![(0..probes.len()).collect()];
        let (mut sound, mut endless) = (false, 0);
        while let Some(group) = open.pop() {
            let Some(Unsettled { why, late, at }) = self.settle(probes, &group, &mut objections)?
            else {
                continue;
            };
            if !sound && self.settle(probes, &[], &mut objections)?.is_some() {
                let what = "the crate under test, or an oracle in its tests,".to_owned();
                return Err(Error::Build { what, why });
            }
            sound = true;
            endless += usize::from(late);
            let left = |n: &usize| objections[*n].is_none();
            let left: Vec<usize> = group.into_iter().filter(left).collect();
            let middle = left.len() / 2;
            let parts = match at.and_then(|at| left.iter().position(|n| *n == at)) {
                Some(at) => vec![&left[..at], &left[at..=at], &left[at + 1..]],
                None => vec![&left[..middle], &left[middle..]],
            };
            let parts = parts.into_iter().filter(|part| !part.is_empty()).map(<[usize]>::to_vec);
            match parts.rev().collect::<Vec<_>>().as_slice() {
                [one] if one.len() == 1 => objections[one[0]] = Some(first_line(&why)),
                parts => open.extend_from_slice(parts),
            }
            if endless >= MAX_ENDLESS {
                let rest = open.drain(..).flatten().filter(|n| objections[*n].is_none());
                for n in rest.collect::<Vec<usize>>() {
                    objections[n] = Some(TOO_LONG.to_owned());
                }
            }
        }
        Ok(objections)
    }

    /// Finds the objections against a group of probes, unless the compiler says something
    /// that points at none of them.
    fn settle(
        &self,
        probes: &[&String],
        group: &[usize],
        objections: &mut [Option<String>],
    ) -> Result<Option<Unsettled>, Error> {
        let mut why = String::new();
        for _ in 0..MAX_RUNS {
            let run = self.compile(probes, group, objections, None)?;
            if run.output.success {
                return Ok(None);
            }
            if run.blame(objections) {
                continue;
            }
            let late = run.output.is_over_limit();
            why = if late { TOO_LONG.to_owned() } else { run.output.explanation() };
            let (mut found, mut at) = (false, None);
            for mark in [IN_SIGNATURES, IN_BODIES].into_iter().filter(|_| group.len() > 1) {
                // What an error of one phase hides is found by the next run.
                if !found && at.is_none() {
                    let marked = self.compile(probes, group, objections, Some(mark))?;
                    found = marked.blame(objections);
                    at = marked.output.is_over_limit().then(|| marked.under_way()).flatten();
                }
            }
            if !found || late {
                return Ok(Some(Unsettled { why, late, at }));
            }
        }
        Ok(Some(Unsettled { why, late: false, at: None }))
    }

    /// Compiles those of a group that nothing was said against, each followed by a mark if
    /// there is one.
    fn compile(
        &self,
        probes: &[&String],
        group: &[usize],
        objections: &[Option<String>],
        mark: Option<&str>,
    ) -> Result<Compiled, Error> {
        let modules = self.modules(group.iter().map(|n| probes[*n].as_str()));
        let mut text = format!("{HEADER}{modules}");
        let mut lines = vec![];
        let first = text.lines().count() + 1;
        let mut add = |line: Line| {
            let (what, name) = match line {
                Line::Probe(n) => (probes[n].as_str(), format!("p{n}")),
                Line::Mark => (mark.unwrap_or_default(), format!("m{}", lines.len())),
            };
            text.push_str(&what.replacen("{}", &name, 1));
            text.push('\n');
            lines.push(line);
        };
        let marks = || mark.map(|_| Line::Mark);
        marks().map(&mut add);
        for n in group.iter().filter(|n| objections[**n].is_none()) {
            add(Line::Probe(*n));
            marks().map(&mut add);
        }
        self.write("probe/src/lib.rs", &text)?;
        let mut check = self.cargo("check");
        check.args(["-p", "testsmith-probe", "--message-format=json"]);
        // What the probes depend on is compiled with none of them, however long that takes.
        if !group.is_empty() {
            check = cargo::within_cpu(&check, limit(lines.len()));
        }
        let output = cargo::messages(&mut check)?;
        Ok(Compiled { output, first, lines })
    }
}

/// What never compiles, in the phase in which signatures are looked at and in that of bodies.
///
/// Some errors point at no line: the compiler gives up on a type that grows without end. Items
/// are looked at in their order, so such an error is about the probe after the last mark that
/// the compiler complained of.
const IN_SIGNATURES: &str = "pub fn {}(_: Option<str>) {}";
const IN_BODIES: &str = "pub fn {}() { let _: u8 = \"\"; }";

/// What the compiler said that points at no probe.
struct Unsettled {
    why: String,
    /// Whether it was ended because it took too long.
    late: bool,
    /// The probe that it was busy with then, if that is known.
    at: Option<usize>,
}

/// What stands on a line of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Probe(usize),
    Mark,
}

/// A file of probes, and what the compiler said of it.
struct Compiled {
    output: cargo::BuildOutput,
    /// The number of the first of these lines.
    first: usize,
    lines: Vec<Line>,
}

impl Compiled {
    /// The probe after the last mark that the compiler complained of.
    fn under_way(&self) -> Option<usize> {
        let marks = self.output.errors.iter().flat_map(|error| &error.places);
        let marks =
            marks.filter(|(file, _)| is_probes(file)).filter_map(|(_, line)| self.at(*line));
        let last = marks.filter(|at| self.lines[*at] == Line::Mark).max()?;
        match self.lines.get(last + 1)? {
            Line::Probe(n) => Some(*n),
            Line::Mark => None,
        }
    }

    fn at(&self, line: usize) -> Option<usize> {
        line.checked_sub(self.first).filter(|at| *at < self.lines.len())
    }

    /// Puts down what the errors say of the probes that they point at, or that they come
    /// after the mark of; and whether there are any.
    fn blame(&self, objections: &mut [Option<String>]) -> bool {
        let mut blamed = false;
        let mut last = None;
        for error in &self.output.errors {
            let ours = error.places.iter().filter(|(file, _)| is_probes(file));
            let places: Vec<usize> = ours.filter_map(|(_, line)| self.at(*line)).collect();
            let mut about: Vec<usize> = vec![];
            for place in &places {
                match self.lines[*place] {
                    Line::Probe(n) => about.push(n),
                    Line::Mark => last = Some(*place),
                }
            }
            // At the end the compiler counts its errors, and points at nothing either.
            if let (true, Some(mark)) = (places.is_empty(), last)
                && let Some(Line::Probe(n)) = self.lines.get(mark + 1)
            {
                about.push(*n);
            }
            for n in about {
                blamed |= objections[n].is_none();
                objections[n].get_or_insert_with(|| error.text.clone());
            }
        }
        blamed
    }
}

fn is_probes(file: &str) -> bool {
    file.replace('\\', "/").ends_with("probe/src/lib.rs")
}

fn first_line(why: &str) -> String {
    why.lines().next().unwrap_or_default().to_owned()
}

/// The recursion limit is the usual one: the tests that are written have no other, and the
/// compiler gives up on a type that grows without end ten times as soon.
const HEADER: &str = "#![allow(warnings)]\n";

fn key(probe: &str) -> u64 {
    hash(probe.as_bytes())
}

/// Verdicts of earlier runs on the same sources.
#[derive(serde::Serialize, serde::Deserialize, Default)]
struct Cache {
    stamp: u64,
    objections: BTreeMap<u64, Option<String>>,
}

impl Cache {
    const FILE: &'static str = "objections.json";

    fn load(lab: &Lab, stamp: u64) -> Cache {
        let known = std::fs::read(lab.path(Cache::FILE)).ok();
        let known = known.and_then(|bytes| serde_json::from_slice::<Cache>(&bytes).ok());
        match known {
            Some(cache) if cache.stamp == stamp => cache,
            _ => Cache { stamp, ..Cache::default() },
        }
    }

    fn save(&self, lab: &Lab) -> Result<(), Error> {
        let text = serde_json::to_string(self).map_err(|e| Error::Cargo(e.to_string()))?;
        lab.write(Cache::FILE, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::{BuildOutput, Diagnostic};

    /// An error, and the line of the file of probes that it points at.
    fn error(text: &str, line: Option<usize>) -> Diagnostic {
        let places = line.map(|line| ("probe/src/lib.rs".to_owned(), line)).into_iter().collect();
        Diagnostic {
            text: text.to_owned(),
            rendered: text.to_owned(),
            places,
            code: None,
            spans: vec![],
        }
    }

    /// Three probes between marks, from line 3 on, and these errors.
    fn marked(errors: Vec<Diagnostic>) -> Compiled {
        let output = BuildOutput { errors, ..BuildOutput::default() };
        let lines = [Line::Mark, Line::Probe(0), Line::Mark, Line::Probe(1), Line::Mark];
        let lines = lines.into_iter().chain([Line::Probe(2), Line::Mark]).collect();
        Compiled { output, first: 3, lines }
    }

    fn blamed(errors: Vec<Diagnostic>) -> Vec<usize> {
        let mut objections = vec![None; 3];
        let any = marked(errors).blame(&mut objections);
        let blamed: Vec<usize> = (0..3).filter(|n| objections[*n].is_some()).collect();
        assert_eq!(any, !blamed.is_empty());
        blamed
    }

    #[test]
    fn an_error_that_points_nowhere_is_about_the_probe_after_the_last_mark() {
        let mark = |line: usize| error("not sized", Some(line));
        let nowhere = || error("overflow", None);
        assert_eq!(blamed(vec![mark(3), mark(5), nowhere(), mark(7), mark(9)]), [1]);
        assert_eq!(blamed(vec![mark(3), nowhere(), mark(5), mark(7), nowhere(), mark(9)]), [0, 2]);
        // After all marks the errors are counted, and before all nothing is known.
        assert!(blamed(vec![mark(3), mark(5), mark(7), mark(9), nowhere()]).is_empty());
        assert!(blamed(vec![nowhere()]).is_empty());
        // What points at a probe is about that one.
        assert_eq!(blamed(vec![mark(3), error("mismatch", Some(8))]), [2]);
    }

    #[test]
    fn what_takes_too_long_is_the_probe_after_the_last_mark() {
        let mark = |line: usize| error("not sized", Some(line));
        assert_eq!(marked(vec![mark(3), mark(5)]).under_way(), Some(1));
        assert_eq!(marked(vec![]).under_way(), None);
        assert_eq!(marked(vec![mark(9)]).under_way(), None);
    }

    #[test]
    fn more_lines_may_take_longer() {
        assert!(limit(0) < limit(1000) && limit(1000) < limit(8000));
    }
}
