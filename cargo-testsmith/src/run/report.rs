//! What a run tells at its end, for a person or for a program.
//!
//! The same account twice: a last screen, and the objects of `docs/output.md`.

use super::search::Tally;
use crate::Exit;
use crate::args::{Format, Run};
use crate::console::event;
use crate::emit::{Changed, Emitted, FAILURES, LeftOut, REGRESSION_MODULES, REGRESSIONS, Written};
use crate::finding::Finding;
use crate::pipeline::Session;
use crate::selection::Selection;
use crate::stored::Stored;
use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use testsmith_judge::Severity;
use testsmith_lab::format;
use testsmith_model::outcome::Ending;
use testsmith_model::troubled;
use testsmith_model::{Operation, OperationKind};
use testsmith_render::{Test, test_function};

/// The version of what is told to programs; it grows when a key goes.
const SCHEMA: u32 = 1;

/// What became of the tests.
#[derive(Default)]
pub(super) struct Tests {
    pub(super) failing: usize,
    pub(super) regressions: usize,
    /// Module and name of each regression test.
    pub(super) names: Vec<(String, String)>,
    /// Lines of the crate that the regression tests cover.
    pub(super) regression_lines: Option<usize>,
    pub(super) files: Vec<(PathBuf, Written)>,
    pub(super) left_out: Vec<LeftOut>,
    /// Sequences that did not always end in the same way.
    pub(super) unsteady: usize,
    /// Regression tests on disk that the crate no longer passes.
    pub(super) changed: Vec<Changed>,
}

pub(super) struct Report<'r> {
    pub(super) options: &'r Run,
    pub(super) session: &'r Session,
    pub(super) selection: &'r Selection,
    pub(super) tally: &'r Tally,
    pub(super) findings: &'r [Finding],
    pub(super) suspicious: &'r [Finding],
    /// Where the sequence of a finding is stored, by its name.
    pub(super) stored: &'r BTreeMap<String, PathBuf>,
    pub(super) coverage: Option<(usize, usize)>,
    pub(super) tests: &'r Tests,
    /// Why there was no build without overflow checks to compare with.
    pub(super) not_compared: Option<String>,
    /// How many failures there was no time to confirm, or to check the tests of.
    pub(super) waiting: usize,
    /// How long the search took and what came after it, unless calls are counted: then
    /// the same is told on every machine.
    pub(super) took: Option<(Duration, Duration)>,
}

/// Tells programs that the search begins.
pub(super) fn started(options: &Run, session: &Session) {
    if options.format == Format::Json {
        let started = json!({
            "schema": SCHEMA,
            "crate": session.plan.krate,
            "version": session.plan.version,
            "seed": options.seed,
            "operations": session.plan.operations.iter().filter(|op| is_tested(op)).count(),
        });
        event("started", &started);
    }
}

/// Laws and what makes arguments are not what the crate offers, and a call with
/// a closure that panics is not expected to complete.
fn is_tested(operation: &Operation) -> bool {
    !matches!(operation.kind, OperationKind::Builder | OperationKind::Law)
        && !operation.panics_by_design
}

/// How many operations are named on the last screen.
const MAX_NAMED: usize = 5;

impl Report<'_> {
    pub(super) fn exit(&self) -> Exit {
        let violation = self.findings.iter().any(|f| f.failing.severity == Severity::Violation);
        if violation { Exit::Found } else { Exit::Clean }
    }

    /// The wanted operations with their numbers; what only takes elements of ours is told by
    /// its other instances.
    fn wanted(&self) -> Vec<(usize, &Operation)> {
        let plan = &self.session.plan;
        let takes_ours = |op: &Operation| {
            let mut types = op.inputs.iter().map(|input| input.ty).chain([op.output]);
            types.any(|ty| troubled::is_named_in(&plan.ty(ty).ty.to_string()))
                || troubled::is_named_in(&op.call.full())
        };
        let wanted = |op: &Operation| is_tested(op) && self.selection.wants(&op.path());
        let operations = plan.operations.iter().enumerate();
        operations.filter(|(_, op)| wanted(op) && !takes_ours(op)).collect()
    }

    fn completed(&self, operation: usize) -> bool {
        self.tally.completed.get(operation).is_some_and(|count| *count > 0)
    }

    /// Why an operation never completed a call.
    fn why(&self, operation: usize) -> String {
        match self.tally.panicked.get(operation) {
            None | Some(0) => "was not reached: its arguments were not found in time".to_owned(),
            Some(1) => "panicked the one time that it was called".to_owned(),
            Some(n) => format!("panicked all {n} times that it was called"),
        }
    }

    pub(super) fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        let plan = &self.session.plan;
        for finding in self.findings {
            self.print_finding(out, finding)?;
        }
        let (exceptions, suspicious): (Vec<&Finding>, Vec<&Finding>) =
            self.suspicious.iter().partition(|finding| finding.is_exception());
        if !suspicious.is_empty() {
            writeln!(out, "{} suspicious, with --suspicious as tests:", suspicious.len())?;
            for finding in suspicious {
                writeln!(out, "  {}: {}", finding.what(), finding.reason())?;
            }
            writeln!(out)?;
        }
        for finding in exceptions {
            self.print_finding(out, finding)?;
        }
        if self.findings.is_empty() {
            writeln!(out, "no violation found\n")?;
        }
        self.print_tests(out)?;
        if self.waiting > 0 {
            writeln!(
                out,
                "{} failures wait, since time was short; go on with: cargo testsmith --continue{}\n",
                self.waiting,
                self.target()
            )?;
        }
        if self.options.take_up {
            return self.print_not_compared(out);
        }
        writeln!(
            out,
            "{} {}: {} calls in {} sequences, seed {}",
            plan.krate, plan.version, self.tally.calls, self.tally.sequences, self.options.seed
        )?;
        if let Some((covered, lines)) = self.coverage {
            writeln!(out, "{covered} of {lines} lines that were compiled in are covered")?;
        }
        self.print_not_compared(out)?;
        self.print_operations(out)
    }

    fn print_not_compared(&self, out: &mut impl Write) -> std::io::Result<()> {
        match &self.not_compared {
            Some(why) => writeln!(out, "not compared with a build without overflow checks: {why}"),
            None => Ok(()),
        }
    }

    fn print_finding(&self, out: &mut impl Write, finding: &Finding) -> std::io::Result<()> {
        writeln!(out, "{}: {}", finding.failing.severity.word(), finding.what())?;
        writeln!(out, "  {}", finding.reason())?;
        for sibling in finding.siblings.iter().take(MAX_NAMED) {
            writeln!(out, "  also: {sibling}")?;
        }
        if finding.siblings.len() > MAX_NAMED {
            writeln!(out, "  and {} more", finding.siblings.len() - MAX_NAMED)?;
        }
        for line in self.text(finding).lines() {
            if !line.starts_with("///") {
                writeln!(out, "    {line}")?;
            }
        }
        if let Some(passing) = self.passing(finding) {
            writeln!(out, "  the nearest that keeps it:")?;
            for line in passing.lines() {
                writeln!(out, "    {line}")?;
            }
        }
        if finding.waits {
            writeln!(out, "  its test is not written: there was no time to check it")?;
        }
        if let Some(file) = self.stored.get(&finding.name) {
            writeln!(out, "  replay: cargo testsmith replay {}{}", shown(file), self.target())?;
        }
        writeln!(out)
    }

    /// The test of a finding: as it was written, or else as it would be.
    fn text(&self, finding: &Finding) -> String {
        let alone = || format(&test_function(&self.session.plan, &finding.test()));
        finding.text.clone().unwrap_or_else(alone)
    }

    /// The most similar calls that keep what an exception does not.
    fn passing(&self, finding: &Finding) -> Option<String> {
        let sequence = finding.passing.as_ref()?;
        let test = Test { sequence, comment: vec![], ..finding.test() };
        Some(format(&test_function(&self.session.plan, &test)))
    }

    /// What tells the same crate on another command line.
    fn target(&self) -> String {
        let target = &self.options.target;
        match (&target.krate, &target.manifest_path) {
            (Some(krate), _) => format!(" --crate {krate}"),
            (None, Some(manifest)) => format!(" --manifest-path {}", shown(manifest)),
            (None, None) => String::new(),
        }
    }

    fn print_tests(&self, out: &mut impl Write) -> std::io::Result<()> {
        let tests = self.tests;
        let run = |out: &mut dyn Write, name: &str| match self.options.target.krate {
            Some(_) => writeln!(out),
            None => {
                let name = name.trim_end_matches(".rs");
                writeln!(out, "; run: cargo test --test {name}")?;
                match is_found(&self.session.package.root.join("Cargo.toml"), name) {
                    true => Ok(()),
                    false => writeln!(
                        out,
                        "  Cargo.toml has `autotests = false`; for them to be found, add: \
                         [[test]] name = \"{name}\""
                    ),
                }
            }
        };
        let mut told = false;
        for (path, written) in &tests.files {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let inner = path.parent().is_some_and(|parent| parent.ends_with(REGRESSION_MODULES));
            told |= !inner || matches!(written, Written::Kept | Written::Removed);
            match (written, name) {
                (Written::Yes | Written::Same, FAILURES) => {
                    write!(out, "{} in {}", counted(tests.failing, "failing test"), shown(path))?;
                    run(out, name)?;
                }
                (Written::Yes | Written::Same, REGRESSIONS) if !inner => {
                    let lines = tests.regression_lines.unwrap_or_default();
                    write!(
                        out,
                        "{} in {}, which cover {lines} lines",
                        counted(tests.regressions, "regression test"),
                        shown(path)
                    )?;
                    run(out, name)?;
                }
                (Written::Yes | Written::Same, _) => {}
                (Written::Removed, FAILURES) => {
                    writeln!(out, "nothing found any more: removed {}", shown(path))?;
                }
                (Written::Removed, _) => writeln!(out, "removed {}", shown(path))?,
                (Written::Kept, _) => {
                    writeln!(out, "{} was edited and stays as it is", shown(path))?;
                }
            }
        }
        told |= self.print_left_out(out)?;
        if told { writeln!(out) } else { Ok(()) }
    }

    /// Says what is not written, and why; whether there was anything to say.
    fn print_left_out(&self, out: &mut impl Write) -> std::io::Result<bool> {
        let tests = self.tests;
        for left in tests.left_out.iter().filter(|left| !left.waits()) {
            writeln!(out, "left out: the test {}: {}", left.name, left.why)?;
        }
        let late = tests.left_out.iter().filter(|left| left.waits()).count();
        if late > 0 {
            writeln!(out, "left out: {late} tests that there was no time to check")?;
        }
        if tests.unsteady > 0 {
            writeln!(
                out,
                "left out: {} sequences that do not always end in the same way",
                tests.unsteady
            )?;
        }
        for Changed { test, why } in &tests.changed {
            writeln!(out, "changed: the regression test {test}: {why}")?;
        }
        if !tests.changed.is_empty() {
            writeln!(
                out,
                "the regression tests stay as they are, since {} of them show a change; mend the \
                 crate, or replace them with --accept",
                tests.changed.len()
            )?;
        }
        Ok(!tests.left_out.is_empty() || tests.unsteady > 0 || !tests.changed.is_empty())
    }

    fn print_operations(&self, out: &mut impl Write) -> std::io::Result<()> {
        let all = self.wanted();
        let missed: Vec<(&Operation, String)> = all
            .iter()
            .filter(|(n, _)| !self.completed(*n))
            .map(|(n, op)| (*op, self.why(*n)))
            .collect();
        let done = all.len() - missed.len();
        writeln!(out, "{done} of {} operations completed a call", all.len())?;
        for (operation, why) in missed.iter().take(MAX_NAMED) {
            writeln!(out, "  {}  {why}", operation.callee)?;
        }
        if missed.len() > MAX_NAMED {
            writeln!(
                out,
                "  and {} more, in {}",
                missed.len() - MAX_NAMED,
                shown(&self.summary_file())
            )?;
        }
        let plan = &self.session.plan;
        let skips: Vec<_> =
            plan.skips.iter().filter(|skip| self.selection.wants(&skip.path)).collect();
        if skips.is_empty() {
            return Ok(());
        }
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for skip in &skips {
            *reasons.entry(skip.reason.text()).or_default() += 1;
        }
        let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
        reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
        writeln!(
            out,
            "{} items cannot be called; cargo testsmith list{} shows all",
            skips.len(),
            self.target()
        )?;
        for (reason, count) in reasons.iter().take(MAX_NAMED) {
            let example = skips.iter().find(|skip| skip.reason.text() == *reason);
            let path = example.map_or("", |skip| skip.path.as_str());
            writeln!(out, "  {count:>4}  {reason}, as {path}")?;
        }
        Ok(())
    }

    fn summary_file(&self) -> PathBuf {
        self.session.out.join("summary.json")
    }

    /// Leaves the summary where the next program looks for it.
    pub(super) fn write_summary(&self) -> Result<()> {
        let file = self.summary_file();
        let text = serde_json::to_string_pretty(&self.summary())?;
        std::fs::write(&file, text + "\n")
            .with_context(|| format!("cannot write {}", file.display()))
    }

    pub(super) fn print_events(&self) {
        for finding in self.findings.iter().chain(self.suspicious) {
            event("finding", &self.finding(finding));
        }
        for test in self.tests() {
            event("test", &test);
        }
        event("summary", &self.summary());
    }

    fn finding(&self, finding: &Finding) -> Value {
        let plan = &self.session.plan;
        let place = match &finding.outcome.ending {
            Ending::Panicked(panic) => json!({ "file": panic.file, "line": panic.line }),
            _ => Value::Null,
        };
        json!({
            "name": finding.name,
            "severity": finding.failing.severity.word(),
            "rule": finding.failing.rule,
            "reason": finding.reason(),
            "class": finding.failing.class,
            "operation": finding.operation,
            "siblings": finding.siblings,
            "way": finding.way,
            "what": finding.what(),
            "place": place,
            "steps": finding.sequence.len(),
            "calls": finding.sequence.calls(),
            "found_after": finding.after,
            "test": self.text(finding),
            "passing": self.passing(finding),
            "sequence": Stored::new(plan, &finding.sequence),
        })
    }

    /// The tests that were written, with their files.
    fn tests(&self) -> Vec<Value> {
        let written = |name: &str| {
            let named = |path: &Path| path.file_name().is_some_and(|file| file == name);
            let files = self.tests.files.iter();
            files
                .filter(|(_, written)| matches!(written, Written::Yes | Written::Same))
                .find(|(path, _)| named(path))
                .map(|(path, _)| path.display().to_string())
        };
        let test = |kind: &str, name: &str, file: Option<String>| {
            file.map(|file| json!({ "kind": kind, "name": name, "file": file }))
        };
        let failing = self.findings.iter().filter(|finding| !finding.waits);
        let failing =
            failing.filter_map(|finding| test("failure", &finding.name, written(FAILURES)));
        let regressions = self.tests.names.iter().filter_map(|(module, name)| {
            test("regression", name, written(&format!("{module}.rs")))
        });
        failing.chain(regressions).collect()
    }

    fn summary(&self) -> Value {
        #[derive(Serialize)]
        struct File<'f> {
            path: &'f Path,
            written: Written,
        }
        let all = self.wanted();
        let missed: Vec<String> = all
            .iter()
            .filter(|(n, _)| !self.completed(*n))
            .map(|(_, operation)| operation.path())
            .collect();
        let count = |severity: Severity| {
            let all = self.findings.iter().chain(self.suspicious);
            all.filter(|finding| finding.failing.severity == severity).count()
        };
        let tests = self.tests;
        let left_out: Vec<Value> = tests
            .left_out
            .iter()
            .map(|left| json!({ "name": left.name, "why": left.why }))
            .collect();
        let files: Vec<File> =
            tests.files.iter().map(|(path, written)| File { path, written: *written }).collect();
        json!({
            "schema": SCHEMA,
            "crate": self.session.plan.krate,
            "version": self.session.plan.version,
            "seed": self.options.seed,
            "exit_code": self.exit().code(),
            "calls": self.tally.calls,
            "sequences": self.tally.sequences,
            "panics": self.tally.panics,
            "workers_lost": self.tally.deaths,
            "violations": count(Severity::Violation),
            "suspicious": count(Severity::Suspicious),
            "operations": (!self.options.take_up).then(|| json!({
                "completed": all.len() - missed.len(),
                "all": all.len(),
                "not_completed": missed,
                "skipped": self.session.plan.skips.len(),
                "core": {
                    "callable": self.session.plan.core_covered(),
                    "all": self.session.plan.core_callables,
                },
            })),
            "lines": self.coverage.map(|(covered, lines)| json!({ "covered": covered, "all": lines })),
            "tests": {
                "failing": tests.failing,
                "regressions": tests.regressions,
                "regression_lines": tests.regression_lines,
                "files": files,
                "left_out": left_out,
                "unsteady": tests.unsteady,
                "changed": tests.changed,
            },
            "not_compared": self.not_compared,
            "waiting": self.waiting,
            "seconds": self.took.map(|(search, after)| json!({
                "search": search.as_secs_f64(),
                "after": after.as_secs_f64(),
            })),
        })
    }
}

/// Whether cargo finds a file in `tests/` by itself, or is told of it.
fn is_found(manifest: &Path, name: &str) -> bool {
    let text = std::fs::read_to_string(manifest).unwrap_or_default();
    let Ok(manifest) = toml::from_str::<toml::Table>(&text) else { return true };
    let package = manifest.get("package");
    let found = package.and_then(|package| package.get("autotests")).and_then(|it| it.as_bool());
    let told = manifest.get("test").and_then(|tests| tests.as_array());
    let is_it = |test: &toml::Value| test.get("name").and_then(|it| it.as_str()) == Some(name);
    found != Some(false) || told.is_some_and(|tests| tests.iter().any(is_it))
}

/// A path as a person would type it here.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}

/// So many of something, in words.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_tests_is_found_unless_the_manifest_says_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("Cargo.toml");
        let found = |text: &str| {
            std::fs::write(&manifest, text).unwrap();
            is_found(&manifest, "testsmith_failures")
        };
        let package = "[package]\nname = \"a\"\n";
        let off = format!("{package}autotests = false\n");
        assert!(found(package));
        assert!(!found(&off));
        assert!(!found(&format!("{off}[[test]]\nname = \"others\"\n")));
        assert!(found(&format!("{off}[[test]]\nname = \"testsmith_failures\"\n")));
    }
}
