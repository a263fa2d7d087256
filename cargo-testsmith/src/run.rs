//! The default run: search, judge, shrink, write, report.

use crate::Exit;
use crate::args::{Format, Run};
use crate::emit::{self, FAILURES, Written};
use crate::finding::{Finding, Findings, relative, tell_apart};
use crate::pipeline::Session;
use anyhow::Result;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testsmith_engines::shrink::shrink;
use testsmith_judge::{Severity, Verdict, judge};
use testsmith_lab::coverage::Sources;
use testsmith_lab::{Build, Error, Limits, Profile, Supervisor};
use testsmith_model::message::Walk;
use testsmith_model::{Plan, Sequence};

/// Calls between two looks at the clock.
const CALLS_A_ROUND: u64 = 100_000;
const MAX_LENGTH: u32 = 20;
/// A search shorter than this ends before an optimised build is ready.
const WORTH_OPTIMISING: Duration = Duration::from_secs(20);
/// How often the person who waits is told.
const TELL_EVERY: Duration = Duration::from_secs(3);
/// Shrinking all findings of a run takes at most this long.
const SHRINK_TIME: Duration = Duration::from_secs(60);

pub fn run(options: &Run, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let mut session = Session::open(&options.target, Arc::clone(&interrupt))?;
    let harness = session.build(Profile::Unoptimised)?;
    let supervisor = session.supervise(&harness, Limits::default())?;
    let plan = Arc::clone(&session.plan);
    let search =
        Search { options, findings: Findings::new(&session.package.root), tally: Tally::default() };
    let worth_it = options.calls.is_none() && options.budget >= WORTH_OPTIMISING;
    let done = std::thread::scope(|scope| {
        // Built while the search is on, and taken over when it is ready. Not
        // where calls are counted: when it is ready is a matter of chance.
        let optimised = worth_it.then(|| {
            scope.spawn(|| session.lab.build(&plan, &session.package, Profile::Optimised).ok())
        });
        search.run(supervisor, &harness, &interrupt, &session, optimised)
    })?;
    let Searched { findings, tally, coverage, mut supervisor } = done;
    // What was found before Ctrl-C is still made small and written down; one
    // more Ctrl-C ends that too.
    let interrupted = interrupt.swap(false, Ordering::AcqRel);
    session.say("shrinking");
    let mut findings = shrink_all(&mut supervisor, &plan, findings)?;
    tell_apart(&mut findings);
    let (wanted, rest): (Vec<Finding>, Vec<Finding>) = findings
        .into_iter()
        .partition(|finding| options.suspicious || finding.failing.severity == Severity::Violation);
    let mut wanted = wanted;
    let mut file = None;
    let mut dropped = vec![];
    if !wanted.is_empty() {
        session.say("checking the tests in fresh processes");
        dropped = emit::verify(&session.lab, &plan, &mut wanted)?;
    }
    if !options.no_write {
        let path = output_folder(options, &session).join(FAILURES);
        let written = emit::write(&path, &plan, &wanted)?;
        file = Some((path, written));
    }
    let report = Report {
        plan: &plan,
        tally,
        findings: &wanted,
        suspicious: &rest,
        dropped,
        coverage,
        file,
    };
    let mut out = std::io::stdout().lock();
    let _ = match options.format {
        Format::Text => report.print(&mut out),
        Format::Json => report.print_json(&mut out),
    };
    let violation = wanted.iter().any(|f| f.failing.severity == Severity::Violation);
    if interrupted || interrupt.load(Ordering::Acquire) {
        return Ok(Exit::Incomplete);
    }
    Ok(if violation { Exit::Found } else { Exit::Clean })
}

#[derive(Clone, Default)]
struct Tally {
    calls: u64,
    sequences: u64,
    panics: u64,
    deaths: u32,
    /// Per operation, how often it completed.
    completed: Vec<u32>,
}

struct Search<'s> {
    options: &'s Run,
    findings: Findings,
    tally: Tally,
}

/// What a search leaves.
struct Searched {
    findings: Findings,
    tally: Tally,
    /// Lines covered, of those compiled in.
    coverage: Option<(usize, usize)>,
    supervisor: Supervisor,
}

type Optimised<'t> = std::thread::ScopedJoinHandle<'t, Option<Build>>;

impl Search<'_> {
    /// Walks until the budget is spent. An interruption keeps what was found.
    fn run(
        mut self,
        mut supervisor: Supervisor,
        harness: &Path,
        interrupt: &AtomicBool,
        session: &Session,
        mut optimised: Option<Optimised<'_>>,
    ) -> Result<Searched> {
        let begin = Instant::now();
        let mut left = self.options.calls.unwrap_or(u64::MAX);
        let mut round = 0;
        let mut told = Instant::now();
        let mut covered = None;
        while left > 0 && !interrupt.load(Ordering::Acquire) {
            if self.options.calls.is_none() && begin.elapsed() >= self.options.budget {
                break;
            }
            if let Some(built) = optimised.take_if(|handle| handle.is_finished()) {
                // Lines are exact without optimisation only, so they are read now.
                covered = coverage(&mut supervisor, harness, session);
                if let Ok(Some(Build::Done { harness, .. })) = built.join()
                    && let Ok(faster) = session.another(&harness, Limits::default())
                {
                    session.say("going on with an optimised build");
                    self.tally.deaths += supervisor.deaths;
                    supervisor = faster;
                }
            }
            let Some(calls) = self.round(&mut supervisor, &session.plan, left, round)? else {
                break;
            };
            left = left.saturating_sub(calls.max(1));
            round += 1;
            if told.elapsed() >= TELL_EVERY {
                told = Instant::now();
                self.tell(begin, session);
            }
        }
        self.tally.deaths += supervisor.deaths;
        let coverage = covered.or_else(|| coverage(&mut supervisor, harness, session));
        Ok(Searched { findings: self.findings, tally: self.tally, coverage, supervisor })
    }

    /// One walk; the number of calls it made, or nothing if interrupted.
    fn round(
        &mut self,
        supervisor: &mut Supervisor,
        plan: &Plan,
        left: u64,
        round: u64,
    ) -> Result<Option<u64>> {
        let walk = Walk {
            seed: self.options.seed.wrapping_mul(0x9e37_79b9).wrapping_add(round),
            max_sequences: u64::MAX,
            max_calls: CALLS_A_ROUND.min(left),
            max_length: MAX_LENGTH,
            failures: true,
            ..Walk::default()
        };
        let findings = &mut self.findings;
        let walked = supervisor.walk(&walk, &mut |sequence, outcome| {
            findings.take(plan, sequence, outcome);
        });
        let walked = match walked {
            Err(Error::Interrupted) => return Ok(None),
            walked => walked?,
        };
        self.tally.calls += walked.calls;
        self.tally.sequences += walked.sequences;
        self.tally.panics += walked.panics;
        self.tally.completed.resize(plan.operations.len(), 0);
        for (sum, n) in self.tally.completed.iter_mut().zip(&walked.completed) {
            *sum = sum.saturating_add(*n);
        }
        Ok(Some(walked.calls))
    }

    fn tell(&self, begin: Instant, session: &Session) {
        session.say(&format!(
            "{:.0}s: {} calls, {} violations, {} suspicious",
            begin.elapsed().as_secs_f64(),
            self.tally.calls,
            self.findings.count(Severity::Violation),
            self.findings.count(Severity::Suspicious),
        ));
    }
}

/// Confirms every failure from scratch and makes it small.
fn shrink_all(
    supervisor: &mut Supervisor,
    plan: &Plan,
    findings: Findings,
) -> Result<Vec<Finding>> {
    let begin = Instant::now();
    let root = findings.root().to_owned();
    let mut small = vec![];
    for (failing, sequence, _) in findings.into_all() {
        // A failure that needs what earlier sequences left behind is not one
        // that a test can show.
        let outcome = match supervisor.run_afresh(&sequence, false) {
            Err(Error::Interrupted) => break,
            outcome => relative(outcome?, &root),
        };
        if class_of(plan, &sequence, &outcome).as_deref() != Some(&failing.class) {
            continue;
        }
        let mut fails = |candidate: &Sequence| {
            if begin.elapsed() > SHRINK_TIME {
                return false;
            }
            let Ok(outcome) = supervisor.run(candidate, false) else { return false };
            let outcome = relative(outcome, &root);
            class_of(plan, candidate, &outcome).as_deref() == Some(&failing.class)
        };
        let shrunk = shrink(plan, &sequence, outcome.step as usize, &mut fails);
        let outcome = match supervisor.run_afresh(&shrunk, false) {
            Err(Error::Interrupted) => break,
            outcome => relative(outcome?, &root),
        };
        if let Verdict::Failing(failing) = judge(plan, &shrunk, &outcome) {
            small.push(Finding::new(plan, failing, shrunk, outcome));
        }
    }
    small.sort_by_key(|finding| (finding.failing.severity, finding.sequence.len()));
    Ok(small)
}

fn class_of(
    plan: &Plan,
    sequence: &Sequence,
    outcome: &testsmith_model::Outcome,
) -> Option<String> {
    match judge(plan, sequence, outcome) {
        Verdict::Failing(failing) => Some(failing.class),
        Verdict::Passed => None,
    }
}

fn output_folder(options: &Run, session: &Session) -> PathBuf {
    match (&options.output, &options.target.krate) {
        (Some(folder), _) => folder.clone(),
        (None, Some(_)) => session.lab.root().join("tests"),
        (None, None) => session.package.root.join("tests"),
    }
}

/// Lines of the crate covered by the last worker, of those compiled in.
fn coverage(
    supervisor: &mut Supervisor,
    harness: &Path,
    session: &Session,
) -> Option<(usize, usize)> {
    let (edges, taken) = supervisor.edges().ok()?;
    let sources = Sources::read(harness, &edges, &session.package.root).ok()?;
    let taken: std::collections::HashSet<usize> = taken.iter().map(|e| *e as usize).collect();
    let summary = sources.summary(|edge| taken.contains(&edge));
    Some((summary.lines_covered(), summary.lines()))
}

struct Report<'r> {
    plan: &'r Plan,
    tally: Tally,
    findings: &'r [Finding],
    suspicious: &'r [Finding],
    dropped: Vec<String>,
    coverage: Option<(usize, usize)>,
    file: Option<(PathBuf, Written)>,
}

impl Report<'_> {
    fn exercised(&self) -> (usize, usize) {
        use testsmith_model::OperationKind;
        let tested = |n: &usize| {
            !matches!(self.plan.operations[*n].kind, OperationKind::Builder | OperationKind::Law)
        };
        let all: Vec<usize> = (0..self.plan.operations.len()).filter(tested).collect();
        let done = all.iter().filter(|n| self.tally.completed.get(**n).is_some_and(|c| *c > 0));
        (done.count(), all.len())
    }

    fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        let (done, all) = self.exercised();
        writeln!(
            out,
            "{} {}: {} calls in {} sequences, {done} of {all} operations completed",
            self.plan.krate, self.plan.version, self.tally.calls, self.tally.sequences
        )?;
        if let Some((covered, lines)) = self.coverage {
            writeln!(out, "{covered} of {lines} lines that were compiled in are covered")?;
        }
        for finding in self.findings {
            writeln!(out, "\n{}: {}", finding.failing.severity.word(), finding.what())?;
            writeln!(out, "  {}", finding.failing.reason)?;
            for line in testsmith_render::test_file(self.plan, &[finding.test()]).lines() {
                let noise = line.starts_with("#![") || line.starts_with("///") || line.is_empty();
                if !noise {
                    writeln!(out, "    {line}")?;
                }
            }
        }
        if !self.suspicious.is_empty() {
            writeln!(out, "\n{} suspicious, with --suspicious as tests:", self.suspicious.len())?;
            for finding in self.suspicious {
                writeln!(out, "  {}: {}", finding.what(), finding.failing.reason)?;
            }
        }
        for name in &self.dropped {
            writeln!(out, "\nleft out: the test {name} does not compile or does not always fail")?;
        }
        match &self.file {
            Some((file, Written::Yes)) => {
                writeln!(out, "\n{} tests in {}", self.findings.len(), file.display())
            }
            Some((file, Written::Removed)) => {
                writeln!(out, "\nnothing found any more: removed {}", file.display())
            }
            Some((file, Written::Kept)) => {
                writeln!(out, "\n{} was edited and stays as it is", file.display())
            }
            Some((_, Written::Nothing)) => writeln!(out, "\nno violation found"),
            None => Ok(()),
        }
    }

    fn print_json(&self, out: &mut impl Write) -> std::io::Result<()> {
        let (done, all) = self.exercised();
        let finding = |finding: &Finding| {
            serde_json::json!({
                "name": finding.name,
                "severity": finding.failing.severity.word(),
                "rule": finding.failing.rule,
                "reason": finding.failing.reason,
                "class": finding.failing.class,
                "operation": finding.operation,
                "what": finding.what(),
                "steps": finding.sequence.len(),
                "calls": finding.sequence.calls(),
                "sequence": crate::stored::Stored::new(self.plan, &finding.sequence),
            })
        };
        let all_findings = self.findings.iter().chain(self.suspicious);
        let report = serde_json::json!({
            "crate": self.plan.krate,
            "version": self.plan.version,
            "calls": self.tally.calls,
            "sequences": self.tally.sequences,
            "panics": self.tally.panics,
            "workers_lost": self.tally.deaths,
            "operations": { "completed": done, "all": all },
            "lines": self.coverage.map(|(covered, lines)| {
                serde_json::json!({ "covered": covered, "all": lines })
            }),
            "findings": all_findings.map(finding).collect::<Vec<_>>(),
            "left_out": self.dropped,
        });
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)
    }
}
