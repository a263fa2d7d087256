//! Compiles tests and runs them in fresh processes, together and alone.
//!
//! A test is first tried as a person would write it, and if that is not what
//! the worker ran, with every type and path written out. Whatever is left out
//! changes its file, so the rest is compiled and run again: the files that come
//! out are, to the byte, files that were compiled and whose tests all ended as
//! they should.

use super::files::marked;
use super::names::{by_name, last_word, named, ran_one};
use crate::budget::is_late;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use testsmith_lab::{Lab, Profile, TestBuild, TestProgram, TestResults, TestSources};
use testsmith_render::{Style, Test};

/// What can be written down as a test.
pub trait Emitted {
    fn test(&self) -> Test<'_>;
    fn set_style(&mut self, style: Style);
    fn expected(&self) -> Expected;
}

/// What has to come of a test, every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Passes,
    Fails,
    /// It ends the whole process, so it is ignored unless it is asked for.
    EndsTheProcess,
    /// It fails after a while, and is ignored unless it is asked for: its thread works on.
    Hangs,
    /// It passes with overflow checks and debug assertions, and fails without.
    FailsReleased,
}

/// Where tests are written to, and how.
pub struct Destination<'d> {
    /// Writes tests into files, by the names of their modules.
    pub compose: &'d dyn Fn(&[&Test]) -> BTreeMap<String, String>,
    /// The folder of the files, if they refer to others in it.
    pub folder: Option<&'d Path>,
    /// Lint levels that the files have to keep to.
    pub lints: &'d str,
    /// When this should be over. What would have to be written in another way, or waited for,
    /// by then is left out, but for the first; the rest is compiled and run once more without it.
    pub until: Option<Instant>,
}

/// What was verified.
#[derive(Debug, Default)]
pub struct Verified {
    /// The files, exactly as they were compiled and run, without the mark that was
    /// there too and comes back when they are written.
    pub files: BTreeMap<String, String>,
    pub left_out: Vec<LeftOut>,
    /// Parts of the sandbox for tests that this machine lacks, in words.
    pub missing: BTreeSet<String>,
}

/// A test that is not written, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub name: String,
    pub why: String,
}

impl LeftOut {
    /// For what does not always come about.
    pub fn flaky(name: String) -> LeftOut {
        LeftOut { name, why: FLAKY.to_owned() }
    }

    /// Whether only time was short, so that it may be tried again.
    pub fn waits(&self) -> bool {
        self.why == LATE
    }
}

/// Runs with all tests in one process, and of a failing test alone: what fails by a chance
/// of the hasher passes now and then. What a test shows was seen many times before.
const RUNS: usize = 3;
/// Further runs of all tests where one of them ended the process, after none did.
const RUNS_CUT_SHORT: usize = 3;
/// Each of them takes as long as the test waits.
const RUNS_OF_A_HANG: usize = 2;
/// The compiler tells of types first, then of borrows, then of lints, each test
/// is tried in two ways, and what is left out later changes the files once more.
const MAX_BUILDS: usize = 12;

const HARMFUL: &str = "it changes files, uses the network or starts programs";
const HANGS: &str = "it does not return";
const REFUSED: &str = "it does not compile";
const WRONG: &str = "it does not show what was seen";
const FLAKY: &str = "it does not end in the same way each time";
const DEPENDENT: &str = "it depends on the tests that run beside it";
const SAME_RELEASED: &str = "it does not fail without overflow checks";
const UNWATCHED: &str = "what it does could not be watched";
const LATE: &str = "there was no time left to check it";
const UNSETTLED: &str = "the files around it did not settle";

/// Settles how each test is written. Those that cannot be kept are gone from
/// `tests` afterwards.
pub fn verify<T: Emitted>(lab: &Lab, tests: &mut Vec<T>, to: &Destination) -> Result<Verified> {
    let drafts = tests.iter().map(Unverified::new).collect();
    let mut verifier = Verifier { lab, to, drafts, missing: BTreeSet::new() };
    let files = verifier.settle()?;
    let missing = verifier.missing;
    let ends: Vec<(Option<LeftOut>, Style)> = verifier
        .drafts
        .into_iter()
        .map(|draft| {
            let name = draft.test.name;
            (draft.left_out.map(|why| LeftOut { name, why }), draft.test.style)
        })
        .collect();
    let mut left_out = vec![];
    let mut ends = ends.into_iter();
    tests.retain_mut(|test| match ends.next() {
        Some((None, style)) => {
            test.set_style(style);
            true
        }
        Some((Some(left), _)) => {
            left_out.push(left);
            false
        }
        None => false,
    });
    Ok(Verified { files, left_out, missing })
}

/// A test on its way.
struct Unverified<'d> {
    test: Test<'d>,
    expected: Expected,
    left_out: Option<String>,
    /// Whether it has run alone as it is written now.
    ran_alone: bool,
}

impl<'d> Unverified<'d> {
    fn new(test: &'d impl Emitted) -> Unverified<'d> {
        let (expected, test) = (test.expected(), test.test());
        Unverified { test, expected, left_out: None, ran_alone: false }
    }

    /// Writes it out in full, or leaves it out if that was already so or it is late.
    fn demote(&mut self, why: &str, late: bool) {
        match self.test.style {
            Style::Plain if late => self.leave_out(LATE),
            Style::Plain => {
                self.test.style = Style::Explicit;
                self.ran_alone = false;
            }
            Style::Explicit => self.leave_out(why),
        }
    }

    fn leave_out(&mut self, why: &str) {
        self.left_out.get_or_insert_with(|| why.to_owned());
    }

    /// Whether it has to pass when all run together; none if it is ignored then.
    fn passes(&self) -> Option<bool> {
        match self.expected {
            Expected::Passes | Expected::FailsReleased => Some(true),
            Expected::Fails => Some(false),
            Expected::EndsTheProcess | Expected::Hangs => None,
        }
    }

    /// What is wrong with how it ended alone.
    fn fault_alone(&self, results: &TestResults) -> Option<&'static str> {
        let passed = by_name(results).get(&self.test.name).copied();
        if results.was_stopped {
            return Some(HARMFUL);
        }
        if results.hung {
            return Some(HANGS);
        }
        match self.passes() {
            // It ends the process, so nothing is said of it; but it was run.
            None => (passed == Some(true) || !ran_one(results)).then_some(WRONG),
            Some(wanted) => (passed != Some(wanted)).then_some(DEPENDENT),
        }
    }

    /// Runs it in processes of its own until one ends as it should not.
    fn alone(&self, program: &TestProgram, path: &str) -> Result<Alone> {
        let runs = match self.expected {
            Expected::Passes => 1,
            Expected::Hangs => RUNS_OF_A_HANG,
            Expected::Fails | Expected::FailsReleased | Expected::EndsTheProcess => RUNS,
        };
        let mut alone = Alone::default();
        for run in 0..runs {
            let results = program.run(&["--include-ignored", "--exact", path])?;
            let fault = self.fault_alone(&results);
            alone.results.push(results);
            if let Some(why) = fault {
                let certain = run == 0 || why == HARMFUL || why == HANGS;
                alone.fault = Some(if certain { why } else { FLAKY });
                break;
            }
        }
        Ok(alone)
    }

    /// What is wrong with how it ended alone without overflow checks.
    fn fault_released(&self, results: &TestResults) -> Option<&'static str> {
        match by_name(results).get(&self.test.name) {
            _ if results.was_stopped => Some(HARMFUL),
            _ if results.hung => Some(HANGS),
            Some(false) => None,
            // It ended the whole process.
            None if ran_one(results) => None,
            Some(true) | None => Some(SAME_RELEASED),
        }
    }
}

/// What came of running a test alone.
#[derive(Default)]
struct Alone {
    results: Vec<TestResults>,
    fault: Option<&'static str>,
}

struct Verifier<'v> {
    lab: &'v Lab,
    to: &'v Destination<'v>,
    drafts: Vec<Unverified<'v>>,
    missing: BTreeSet<String>,
}

impl Verifier<'_> {
    /// Compiles and runs until nothing has to be changed any more.
    fn settle(&mut self) -> Result<BTreeMap<String, String>> {
        for _ in 0..MAX_BUILDS {
            if self.alive().next().is_none() {
                return Ok(BTreeMap::new());
            }
            let tests: Vec<&Test> = self.alive().map(|draft| &draft.test).collect();
            let files = (self.to.compose)(&tests);
            let before = self.state();
            let marked = files.iter().map(|(module, body)| (module.clone(), marked(body)));
            self.try_once(&marked.collect())?;
            if self.state() == before {
                return Ok(files);
            }
        }
        self.drafts.iter_mut().for_each(|draft| draft.leave_out(UNSETTLED));
        Ok(BTreeMap::new())
    }

    fn alive(&self) -> impl Iterator<Item = &Unverified<'_>> {
        self.drafts.iter().filter(|draft| draft.left_out.is_none())
    }

    /// How the files are written.
    fn state(&self) -> Vec<(bool, Style)> {
        self.drafts.iter().map(|draft| (draft.left_out.is_some(), draft.test.style)).collect()
    }

    /// Compiles and runs these files; stops at the first step that changes them.
    fn try_once(&mut self, files: &BTreeMap<String, String>) -> Result<()> {
        let before = self.state();
        let Some(program) = self.build(Profile::Unoptimised, files)? else { return Ok(()) };
        for run in 0..RUNS {
            // In one thread the order is that of the names.
            let threads = ["--test-threads=2", "--test-threads=1", "--test-threads=4"][run % 3];
            let mut results = self.run(&program, &[threads])?;
            for _ in 0..RUNS_CUT_SHORT {
                if run == 0 || !self.is_cut_short(&results) {
                    break;
                }
                results = self.run(&program, &[threads])?;
            }
            if results.was_stopped || results.hung {
                self.find_harmful(&program, &results)?;
                if self.state() == before {
                    // None of them alone: who it was cannot be told.
                    self.drafts.iter_mut().for_each(|draft| draft.leave_out(FLAKY));
                }
            } else {
                self.check(&results, run > 0);
            }
            if self.state() != before {
                return Ok(());
            }
        }
        self.run_alone(&program)?;
        let released = |draft: &Unverified| draft.expected == Expected::FailsReleased;
        if self.state() == before && self.alive().any(released) {
            self.try_released(files)?;
        }
        Ok(())
    }

    /// Whether the process ended before all tests were done. Those that misuse memory may do
    /// that to the others now and then, whatever watches it.
    fn is_cut_short(&self, results: &TestResults) -> bool {
        let done = by_name(results);
        let waiting = |draft: &Unverified| draft.passes().is_some();
        let mut expected = self.alive().filter(|draft| waiting(draft));
        let cut = expected.any(|draft| !done.contains_key(&draft.test.name));
        cut && !results.was_stopped && !results.hung
    }

    fn build(
        &mut self,
        profile: Profile,
        files: &BTreeMap<String, String>,
    ) -> Result<Option<TestProgram>> {
        let Destination { folder, lints, .. } = *self.to;
        match self.lab.build_tests(profile, &TestSources { files, folder, lints })? {
            TestBuild::Built(program) => Ok(Some(program)),
            TestBuild::Refused(refusals) => {
                let mut told = named(files, &refusals);
                if told.is_empty() {
                    told = self.refused_alone(profile)?;
                }
                let late = is_late(self.to.until);
                for draft in &mut self.drafts {
                    if let Some(why) = told.get(&draft.test.name) {
                        draft.demote(&format!("{REFUSED}: {why}"), late);
                    } else if told.is_empty() {
                        draft.leave_out(REFUSED);
                    }
                }
                Ok(None)
            }
        }
    }

    /// Where the compiler points at no test: those that it refuses by themselves, with
    /// its words.
    fn refused_alone(&self, profile: Profile) -> Result<BTreeMap<String, String>> {
        let Destination { folder, lints, .. } = *self.to;
        let mut told = BTreeMap::new();
        for draft in self.alive() {
            let files = (self.to.compose)(&[&draft.test]);
            let sources = TestSources { files: &files, folder, lints };
            if let TestBuild::Refused(refusals) = self.lab.build_tests(profile, &sources)? {
                let why = refusals.first().map(|refusal| refusal.why.clone());
                told.insert(draft.test.name.clone(), why.unwrap_or_default());
            }
        }
        Ok(told)
    }

    fn run(&mut self, program: &TestProgram, arguments: &[&str]) -> Result<TestResults> {
        let results = program.run(arguments)?;
        self.take(&results);
        Ok(results)
    }

    /// Sees how well the tests were watched.
    fn take(&mut self, results: &TestResults) {
        self.missing.extend(results.missing.iter().cloned());
        if let Some(why) = &results.unwatched {
            let why = format!("{UNWATCHED}: {why}");
            self.drafts.iter_mut().for_each(|draft| draft.leave_out(&why));
        }
    }

    /// Looks at the results of all tests together.
    fn check(&mut self, results: &TestResults, again: bool) {
        let (results, late) = (by_name(results), is_late(self.to.until));
        for draft in self.drafts.iter_mut().filter(|draft| draft.left_out.is_none()) {
            let Some(wanted) = draft.passes() else { continue };
            match results.get(&draft.test.name) {
                Some(passed) if *passed == wanted => {}
                _ if again => draft.leave_out(FLAKY),
                _ => draft.demote(WRONG, late),
            }
        }
    }

    /// One of the tests was stopped, or did not return, and took the others with it.
    fn find_harmful(&mut self, program: &TestProgram, together: &TestResults) -> Result<()> {
        let paths = self.paths(program)?;
        let ended = by_name(together);
        for n in 0..self.drafts.len() {
            let Some(path) = self.path(n, &paths) else { continue };
            // Each that hangs costs the time it takes to be sure.
            if together.hung && ended.contains_key(&self.drafts[n].test.name) {
                continue;
            }
            let results = self.run(program, &["--include-ignored", "--exact", &path])?;
            if results.was_stopped {
                self.drafts[n].leave_out(HARMFUL);
            } else if results.hung {
                self.drafts[n].leave_out(HANGS);
            }
        }
        Ok(())
    }

    /// Runs each test in processes of its own, unless it was already; several tests at
    /// once, and the first ones first.
    fn run_alone(&mut self, program: &TestProgram) -> Result<()> {
        let paths = self.paths(program)?;
        let path = |n| Some((n, self.path(n, &paths).filter(|_| !self.drafts[n].ran_alone)?));
        let waiting: Vec<(usize, String)> = (0..self.drafts.len()).filter_map(path).collect();
        let (next, drafts, until) = (AtomicUsize::new(0), &self.drafts, self.to.until);
        let work = || -> Result<Vec<(usize, Option<Alone>)>> {
            let mut done = vec![];
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some((n, path)) = waiting.get(place) else { return Ok(done) };
                // A few runs of what returns take no time worth speaking of.
                let short = drafts[*n].expected != Expected::Hangs || place == 0;
                let late = !short && is_late(until);
                let alone = || drafts[*n].alone(program, path);
                done.push((*n, (!late).then(alone).transpose()?));
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let done: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
        });
        for done in done {
            for (n, alone) in done? {
                let Some(alone) = alone else {
                    self.drafts[n].leave_out(LATE);
                    continue;
                };
                alone.results.iter().for_each(|results| self.take(results));
                if let Some(why) = alone.fault {
                    self.drafts[n].leave_out(why);
                }
                self.drafts[n].ran_alone = true;
            }
        }
        Ok(())
    }

    /// What has to fail without overflow checks is compiled without them, and
    /// fails: what does not compile, or is not run, does not count as failing.
    fn try_released(&mut self, files: &BTreeMap<String, String>) -> Result<()> {
        let Some(program) = self.build(Profile::Released, files)? else { return Ok(()) };
        let paths = self.paths(&program)?;
        for n in 0..self.drafts.len() {
            if self.drafts[n].expected != Expected::FailsReleased {
                continue;
            }
            let Some(path) = self.path(n, &paths) else { continue };
            for _ in 0..RUNS {
                let results = self.run(&program, &["--exact", &path])?;
                if let Some(why) = self.drafts[n].fault_released(&results) {
                    self.drafts[n].demote(why, is_late(self.to.until));
                    break;
                }
            }
        }
        Ok(())
    }

    /// The paths of all tests inside the program, by their names.
    fn paths(&mut self, program: &TestProgram) -> Result<BTreeMap<String, String>> {
        let listed = self.run(program, &["--list", "--format=terse"])?.output;
        let paths = listed.lines().filter_map(|line| line.strip_suffix(": test"));
        Ok(paths.map(|path| (last_word(path), path.to_owned())).collect())
    }

    /// The path of a test that is left.
    fn path(&self, n: usize, paths: &BTreeMap<String, String>) -> Option<String> {
        let draft = &self.drafts[n];
        let alive = draft.left_out.is_none();
        alive.then(|| paths.get(&draft.test.name).unwrap_or(&draft.test.name).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_lab::CompileError;
    use testsmith_model::Sequence;
    use testsmith_render::TestEnding;

    const BEGUN: &str = "\nrunning 1 test\n";

    fn results(output: &str, passed: Option<bool>, was_stopped: bool) -> TestResults {
        TestResults {
            passed: passed.map(|passed| ("file::it".to_owned(), passed)).into_iter().collect(),
            output: output.to_owned(),
            was_stopped,
            ..TestResults::default()
        }
    }

    fn draft(sequence: &Sequence, expected: Expected) -> Unverified<'_> {
        let test = Test {
            name: "it".to_owned(),
            comment: vec![],
            sequence,
            ending: TestEnding::Open,
            seen: &[],
            style: Style::Plain,
        };
        Unverified { test, expected, left_out: None, ran_alone: false }
    }

    /// Faults alone, and without overflow checks.
    fn check(expected: Expected, results: &TestResults) -> [Option<&'static str>; 2] {
        let sequence = Sequence::default();
        let draft = draft(&sequence, expected);
        [draft.fault_alone(results), draft.fault_released(results)]
    }

    #[test]
    fn a_test_that_was_not_run_shows_nothing() {
        let nothing = results("", None, false);
        for expected in
            [Expected::Passes, Expected::Fails, Expected::EndsTheProcess, Expected::FailsReleased]
        {
            let [alone, released] = check(expected, &nothing);
            assert!(alone.is_some() && released.is_some(), "{expected:?}");
        }
    }

    #[test]
    fn each_kind_of_test_has_its_one_good_end() {
        let rows = [
            (Expected::Passes, [true, false, false]),
            (Expected::Fails, [false, true, false]),
            // One that fails in an orderly way may still be the one that was seen.
            (Expected::EndsTheProcess, [false, true, true]),
            (Expected::FailsReleased, [true, false, false]),
        ];
        for (expected, good) in rows {
            let ends = [Some(true), Some(false), None];
            let alone = ends.map(|end| check(expected, &results(BEGUN, end, false))[0].is_none());
            assert_eq!(alone, good, "{expected:?}: passes, fails, ends the process");
            assert_eq!(check(expected, &results(BEGUN, None, true)), [Some(HARMFUL); 2]);
        }
        let released = [Some(true), Some(false), None]
            .map(|end| check(Expected::FailsReleased, &results(BEGUN, end, false))[1].is_none());
        assert_eq!(released, [false, true, true]);
    }

    #[test]
    fn what_could_not_be_tried_again_for_lack_of_time_waits() {
        let sequence = Sequence::default();
        for (style, late, left_out) in [
            (Style::Plain, false, None),
            (Style::Plain, true, Some(LATE)),
            (Style::Explicit, false, Some(WRONG)),
            (Style::Explicit, true, Some(WRONG)),
        ] {
            let mut draft = draft(&sequence, Expected::Fails);
            draft.test.style = style;
            draft.demote(WRONG, late);
            assert_eq!(draft.left_out.as_deref(), left_out, "{style:?}, {late}");
            let left = draft.left_out.map(|why| LeftOut { name: "it".to_owned(), why });
            assert_eq!(left.is_some_and(|left| left.waits()), left_out == Some(LATE));
        }
    }

    #[test]
    fn errors_are_told_by_the_test_that_they_are_in() {
        let text = "use it::A;\n#[test]\nfn one() {\n    A;\n}\n#[test]\nfn two() {\n    B;\n}\n";
        let files = BTreeMap::from([("file".to_owned(), text.to_owned())]);
        let refusal = |module: &str, line| CompileError {
            module: module.to_owned(),
            line,
            why: format!("line {line}"),
        };
        let told = named(&files, &[refusal("file", 8), refusal("file", 1)]);
        assert_eq!(told, BTreeMap::from([("two".to_owned(), "line 8".to_owned())]));
        assert!(named(&files, &[refusal("file", 1)]).is_empty(), "an import is nobody's");
        assert!(named(&files, &[refusal("other", 8)]).is_empty());
    }
}
