//! The end of a run: tests are checked and written, and all of it is told.

use super::compare::Pair;
use super::limits;
use super::report::{Report, Tests};
use super::search::Tally;
use crate::Exit;
use crate::args::{Format, Run};
use crate::emit::{
    FAILURES, LeftOut, REGRESSION_MODULES, REGRESSIONS, Tree, Written, changed, failures, modules,
    mount, verify,
};
use crate::finding::{Finding, tell_apart};
use crate::pipeline::Session;
use crate::selection::Selection;
use crate::stored::Stored;
use crate::suite::{self, Regression, Wish};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use testsmith_judge::Severity;
use testsmith_lab::{Build, Lessons, Profile};
use testsmith_model::Plan;
use testsmith_render::{Test, test_file};

/// The least time for each part of the work on a suite.
const MIN_TIME: Duration = Duration::from_secs(10);

pub(super) struct Finish<'f> {
    pub(super) options: &'f Run,
    pub(super) session: &'f Session,
    /// Without optimisation: its coverage is exact.
    pub(super) harness: &'f Path,
    /// Without overflow checks, if it was built.
    pub(super) released: Option<PathBuf>,
    pub(super) selection: &'f Selection,
    pub(super) tally: Tally,
    pub(super) coverage: Option<(usize, usize)>,
    /// What the search has learnt of calls that end a worker.
    pub(super) lessons: Lessons,
    pub(super) interrupted: bool,
}

impl Finish<'_> {
    pub(super) fn run(self, findings: Vec<Finding>) -> Result<Exit> {
        let Finish { options, session, .. } = &self;
        let plan = &*session.plan;
        let (mut wanted, suspicious): (Vec<Finding>, Vec<Finding>) =
            findings.into_iter().partition(|finding| {
                options.suspicious || finding.failing.severity == Severity::Violation
            });
        let mut tests = Tests::default();
        if !wanted.is_empty() {
            session.console.say("checking the failing tests in fresh processes");
            tests.left_out = verify_findings(session, &mut wanted)?;
        }
        wanted.extend(self.differing()?);
        tell_apart(&mut wanted);
        tests.failing = wanted.len();
        let stored = self.store(wanted.iter().chain(&suspicious))?;
        let writes = !options.no_write;
        if writes {
            let mut tree = Tree::default();
            let file = self.folder().join(FAILURES);
            tree.place(file.clone());
            if !wanted.is_empty() {
                tree.want(file, failures(plan, &wanted, &self.folder()));
            }
            tests.files = tree.write()?;
        }
        if writes && !options.no_regressions && !self.interrupted {
            self.regressions(&mut tests)?;
        }
        session.console.clear();
        let report = Report {
            options,
            session,
            selection: self.selection,
            tally: &self.tally,
            findings: &wanted,
            suspicious: &suspicious,
            stored: &stored,
            coverage: self.coverage,
            tests: &tests,
        };
        report.write_summary()?;
        let mut out = std::io::stdout().lock();
        // A closed pipe, as with `| head`, is no failure.
        let _ = match options.format {
            Format::Text => report.print(&mut out),
            Format::Json => {
                drop(out);
                report.print_events();
                Ok(())
            }
        };
        Ok(report.exit())
    }

    /// What is not the same with and without overflow checks.
    fn differing(&self) -> Result<Vec<Finding>> {
        let Finish { options, session, .. } = self;
        let released = match &self.released {
            Some(harness) => harness.clone(),
            None if options.compare_release => {
                session.console.say("building without overflow checks");
                let build =
                    session.lab.build(&session.plan, &session.package, Profile::Released)?;
                let Build::Done { harness, .. } = build else { return Ok(vec![]) };
                harness
            }
            None => return Ok(vec![]),
        };
        session.console.say("comparing with a build without overflow checks");
        let mut released = session.another(&released, limits(options))?;
        let mut checked = session.another(self.harness, limits(options))?;
        let mut pair = Pair { session, checked: &mut checked, released: &mut released };
        let found = pair.compare(options)?;
        Ok(found.into_iter().filter(|f| self.selection.wants(&f.operation)).collect())
    }

    fn folder(&self) -> PathBuf {
        match (&self.options.output, &self.options.target.krate) {
            (Some(folder), _) => folder.clone(),
            (None, Some(_)) => self.session.lab.root().join("tests"),
            (None, None) => self.session.package.root.join("tests"),
        }
    }

    /// Keeps the sequences of all findings, to be replayed.
    fn store<'s>(
        &self,
        findings: impl Iterator<Item = &'s Finding>,
    ) -> Result<BTreeMap<String, PathBuf>> {
        let folder = self.session.out.join("findings");
        let _ = std::fs::remove_dir_all(&folder);
        let mut stored = BTreeMap::new();
        for finding in findings {
            std::fs::create_dir_all(&folder)
                .with_context(|| format!("cannot write to {}", folder.display()))?;
            let file = folder.join(format!("{}.json", finding.name));
            Stored::new(&self.session.plan, &finding.sequence).write(&file)?;
            stored.insert(finding.name.clone(), file);
        }
        Ok(stored)
    }

    /// Makes the suite, checks it, and writes it unless that would wipe out a
    /// test that shows a change.
    fn regressions(&self, tests: &mut Tests) -> Result<()> {
        let Finish { options, session, .. } = self;
        let plan = &*session.plan;
        session.console.say("choosing regression tests by coverage");
        let excluded = self.selection.excluded(plan);
        let mut supervisor = session.another(self.harness, limits(options))?;
        supervisor.take_lessons(self.lessons.clone());
        let wish = Wish {
            seed: options.seed,
            most: options.max_tests,
            excluded: &excluded,
            time: options.calls.is_none().then(|| (options.budget / 2).max(MIN_TIME)),
        };
        let mut suite = suite::make(session, self.harness, supervisor, &wish)?;
        tests.unsteady = suite.unsteady;
        session
            .console
            .say(&format!("checking {} regression tests in fresh processes", suite.tests.len()));
        tests.left_out.extend(verify_suite(session, &mut suite.tests)?);
        let folder = self.folder();
        let parts = folder.join(REGRESSION_MODULES);
        let mut tree = Tree::default();
        tree.place(folder.join(REGRESSIONS));
        tree.place(parts.clone());
        let new = modules(plan, &suite.tests);
        let old = modules_on_disk(&tree, &parts)?;
        if !options.accept && old.iter().any(|(name, text)| new.get(name) != Some(text)) {
            session.console.say("running the regression tests of an earlier run");
            tests.changed = changed(&session.lab, &old, &new)?;
            if !tests.changed.is_empty() {
                return Ok(());
            }
        }
        let edited = tree.edited()?;
        if edited.contains(&folder.join(REGRESSIONS)) {
            // It says itself which modules it has.
            tests.files.push((folder.join(REGRESSIONS), Written::Kept));
            return Ok(());
        }
        let stays = |name: &String| edited.contains(&parts.join(format!("{name}.rs")));
        let kept = old.keys().filter(|name| stays(name) && !new.contains_key(*name));
        let mut mounted: Vec<&str> = new.keys().chain(kept).map(String::as_str).collect();
        mounted.sort_unstable();
        if !mounted.is_empty() {
            tree.want(folder.join(REGRESSIONS), mount(plan, mounted.iter().copied()));
        }
        for (name, text) in &new {
            tree.want(parts.join(format!("{name}.rs")), text.clone());
        }
        tests.files.extend(tree.write()?);
        tests.regressions = suite.tests.iter().filter(|test| !stays(&test.module)).count();
        tests.regression_lines = Some(suite.lines);
        tests.names =
            suite.tests.iter().map(|test| (test.module.clone(), test.name.clone())).collect();
        Ok(())
    }
}

/// Keeps the findings whose tests compile and fail every time.
fn verify_findings(session: &Session, findings: &mut Vec<Finding>) -> Result<Vec<LeftOut>> {
    let compose = |tests: &[&Test]| test_file(&session.plan, &[], tests);
    verify(&session.lab, findings, false, &compose)
}

/// Keeps the regression tests that compile without a warning and pass every
/// time, whatever runs beside them.
fn verify_suite(session: &Session, tests: &mut Vec<Regression>) -> Result<Vec<LeftOut>> {
    let module_of: BTreeMap<String, String> =
        tests.iter().map(|test| (test.name.clone(), test.module.clone())).collect();
    let compose = |tests: &[&Test]| compose_suite(&session.plan, tests, &module_of);
    verify(&session.lab, tests, true, &compose)
}

/// All modules in one source, as they will be apart.
fn compose_suite(plan: &Plan, tests: &[&Test], module_of: &BTreeMap<String, String>) -> String {
    let mut by_module: BTreeMap<&str, Vec<&Test>> = BTreeMap::new();
    for test in tests {
        by_module.entry(&module_of[&test.name]).or_default().push(test);
    }
    let mut source = String::new();
    for (module, tests) in by_module {
        // Not at the root: files of the user's may be mounted there.
        let text = test_file(plan, &[], &tests);
        source.push_str(&format!("mod {module} {{\n#![deny(warnings)]\n{text}}}\n"));
    }
    source
}

/// The modules of an earlier suite, by name.
fn modules_on_disk(tree: &Tree, parts: &Path) -> Result<BTreeMap<String, String>> {
    let name = |path: &Path| match path.extension() {
        Some(extension) if extension == "rs" && path.parent() == Some(parts) => {
            Some(path.file_stem()?.to_str()?.to_owned())
        }
        _ => None,
    };
    let existing = tree.existing()?;
    Ok(existing.into_iter().filter_map(|(path, text)| Some((name(&path)?, text))).collect())
}
