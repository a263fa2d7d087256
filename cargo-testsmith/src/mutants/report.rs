//! What came of the mutants, for people and for programs. Decides nothing but the exit code.

use super::baseline::Baseline;
use super::choose::{Chosen, skip_of};
use super::diff;
use super::kill::{Fate, Killed};
use super::sources::{File, Sources};
use super::trials::{Trial, Verdict};
use crate::Exit;
use crate::args::{Format, Mutants};
use crate::console::event;
use anyhow::Result;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use testsmith_mutate::{Mutant, Place};

/// The version of the events.
const SCHEMA: u32 = 1;

pub struct Report<'r> {
    pub rows: Vec<Row<'r>>,
    pub summary: Summary,
    baseline: &'r Baseline,
    skips: Vec<SkipRow>,
    /// What came of the hunt for those that were not noticed.
    killed: Option<Killed>,
}

pub struct Row<'r> {
    pub file: &'r File,
    pub mutant: &'r Mutant,
    pub trial: &'r Trial,
    /// Names of the tests that reach it.
    pub reached_by: Vec<String>,
}

/// Also the last event.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    schema: u32,
    package: String,
    exit_code: u8,
    /// Those that the compiler accepted.
    pub mutants: usize,
    pub killed: usize,
    pub crashed: usize,
    pub timed_out: usize,
    pub survived: usize,
    pub unreached: usize,
    pub withdrawn: usize,
    /// Of the mutants, how many were noticed; null if there are none.
    pub score: Option<f64>,
    pub tests: usize,
    /// Verdicts of the last run, on functions that did not change.
    pub kept: usize,
    /// Processes that were needed.
    pub runs: usize,
    pub left_out: Vec<LeftOut>,
    /// What this machine lacks to confine tests.
    pub sandbox_lacks: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct LeftOut {
    target: String,
    why: &'static str,
}

#[derive(Clone, Debug, Serialize)]
struct SkipRow {
    file: String,
    line: usize,
    what: String,
    why: String,
}

#[derive(Serialize)]
struct MutantEvent<'m> {
    id: u32,
    operator: &'m str,
    function: &'m str,
    file: &'m str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    original: &'m str,
    replacement: &'m str,
    verdict: &'static str,
    killed_by: Option<&'m str>,
    reached_by: Option<usize>,
    why: Option<&'m str>,
}

impl Verdict {
    fn word(&self) -> &'static str {
        match self {
            Verdict::Killed { .. } => "killed",
            Verdict::Crashed { .. } => "crashed",
            Verdict::TimedOut { .. } => "timed_out",
            Verdict::Survived => "survived",
            Verdict::Unreached => "unreached",
            Verdict::Withdrawn { .. } => "withdrawn",
        }
    }

    pub fn killer(&self) -> Option<&str> {
        match self {
            Verdict::Killed { by } | Verdict::Crashed { by, .. } | Verdict::TimedOut { by } => {
                Some(by)
            }
            _ => None,
        }
    }
}

fn event_of<'m>(file: &'m File, mutant: &'m Mutant, trial: Option<&'m Trial>) -> MutantEvent<'m> {
    let (Place { line, column }, end) = (mutant.start, mutant.end);
    let why = match trial.map(|trial| &trial.verdict) {
        Some(Verdict::Withdrawn { why }) => Some(why.as_str()),
        _ => None,
    };
    MutantEvent {
        id: mutant.id,
        operator: mutant.operator,
        function: &mutant.function,
        file: &file.path,
        line,
        column,
        end_line: end.line,
        end_column: end.column,
        original: &file.source.text[mutant.range.clone()],
        replacement: &mutant.replacement,
        verdict: trial.map_or("unknown", |trial| trial.verdict.word()),
        killed_by: trial.and_then(|trial| trial.verdict.killer()),
        reached_by: trial.map(|trial| trial.reached_by.len()),
        why,
    }
}

fn skips(sources: &Sources, options: &Mutants) -> Vec<SkipRow> {
    let of_file = |file: &File| {
        let path = file.path.clone();
        let row = move |skip: &testsmith_mutate::Skip| SkipRow {
            file: path.clone(),
            line: skip.line,
            what: skip.what.clone(),
            why: skip.reason.text().to_owned(),
        };
        file.source.skips.iter().map(row).collect::<Vec<_>>()
    };
    let mut skips: Vec<SkipRow> = sources.files.iter().flat_map(of_file).collect();
    let mut known = BTreeSet::new();
    for (file, mutant) in sources.mutants() {
        let Some(skip) = skip_of(&options.skip, file, mutant) else { continue };
        if known.insert((&file.path, &mutant.function, &skip.why)) {
            let (file, line, what) = (&file.path, mutant.start.line, &mutant.function);
            let why = format!("is left out by the file of options: {}", skip.why);
            skips.push(SkipRow { file: file.clone(), line, what: what.clone(), why });
        }
    }
    skips
}

/// `--list`: the mutants, and what has none.
pub fn list(sources: &Sources, chosen: &Chosen, options: &Mutants) {
    let format = options.format;
    let mut out = std::io::stdout().lock();
    let chosen = sources.mutants().filter(|(_, mutant)| chosen.contains(&mutant.id));
    let mut count = 0;
    for (file, mutant) in chosen {
        count += 1;
        if format == Format::Json {
            event("mutant", &event_of(file, mutant, None));
        } else {
            let _ =
                write!(out, "{}\n{}", title(file, mutant), diff::of_mutant(&file.source, mutant));
        }
    }
    for skip in skips(sources, options) {
        if format == Format::Json {
            event("skip", &skip);
        } else {
            let _ =
                writeln!(out, "skipped: {}:{} {} {}", skip.file, skip.line, skip.what, skip.why);
        }
    }
    if format == Format::Text {
        let _ = writeln!(out, "{count} mutants");
    }
}

/// `src/lib.rs:3:5: arithmetic in shelf::Shelf::len`.
fn title(file: &File, mutant: &Mutant) -> String {
    let Place { line, column } = mutant.start;
    format!("{}:{line}:{column}: {} in {}", file.path, mutant.operator, mutant.function)
}

impl<'r> Report<'r> {
    pub fn new(
        package: &str,
        sources: &'r Sources,
        trials: &'r [Trial],
        baseline: &'r Baseline,
        options: &Mutants,
    ) -> Self {
        let by_id: BTreeMap<u32, &Trial> =
            trials.iter().map(|trial| (trial.mutant, trial)).collect();
        let row = |(file, mutant): (&'r File, &'r Mutant)| {
            let trial = *by_id.get(&mutant.id)?;
            let reached_by = trial.reached_by.iter().map(|test| baseline.name(*test)).collect();
            Some(Row { file, mutant, trial, reached_by })
        };
        let rows: Vec<Row> = sources.mutants().filter_map(row).collect();
        let count = |word: &str| rows.iter().filter(|r| r.trial.verdict.word() == word).count();
        let (killed, crashed, timed_out) = (count("killed"), count("crashed"), count("timed_out"));
        let (survived, unreached) = (count("survived"), count("unreached"));
        let noticed = killed + crashed + timed_out;
        let mutants = noticed + survived + unreached;
        let left_out = baseline.left_out.iter();
        let summary = Summary {
            schema: SCHEMA,
            package: package.to_owned(),
            exit_code: 0,
            mutants,
            killed,
            crashed,
            timed_out,
            survived,
            unreached,
            withdrawn: count("withdrawn"),
            score: (mutants > 0).then(|| 100.0 * noticed as f64 / mutants as f64),
            tests: baseline.tests.len(),
            kept: rows.iter().filter(|row| row.trial.is_kept).count(),
            runs: rows.iter().map(|row| row.trial.runs).sum(),
            left_out: left_out.map(|(t, why)| LeftOut { target: t.clone(), why }).collect(),
            sandbox_lacks: baseline.missing.clone(),
        };
        Report { rows, summary, baseline, skips: skips(sources, options), killed: None }
    }

    /// The mutants that no test notices, of the library or of programs alone.
    pub fn survivors(&self, of_program: bool) -> Vec<u32> {
        let is_alive = |row: &&Row| {
            matches!(row.trial.verdict, Verdict::Survived | Verdict::Unreached)
                && row.file.of_program == of_program
        };
        self.rows.iter().filter(is_alive).map(|row| row.mutant.id).collect()
    }

    /// The same with what became of these.
    pub fn with(self, killed: Killed) -> Self {
        Report { killed: Some(killed), ..self }
    }

    /// The test that was written for a mutant.
    pub fn written_for(&self, mutant: u32) -> Option<&str> {
        match self.killed.as_ref()?.fates.get(&mutant)? {
            Fate::Killed { test, .. } => Some(test),
            Fate::Alive { .. } => None,
        }
    }

    /// What all tests notice, those included that were written, in percent.
    fn score(&self) -> Option<f64> {
        let more = self.killed.as_ref().map_or(0, Killed::killed);
        let Summary { mutants, score, .. } = self.summary;
        score.map(|score| score + 100.0 * more as f64 / mutants as f64)
    }

    /// Tells all of it, and says whether it is enough.
    pub fn tell(mut self, options: &Mutants) -> Result<Exit> {
        let score = self.score();
        let too_few = options.fail_under.is_some_and(|wanted| score.unwrap_or(100.0) < wanted);
        let exit = match &self.killed {
            Some(killed) if killed.interrupted => Exit::Incomplete,
            _ if too_few => Exit::Found,
            _ => Exit::Clean,
        };
        self.summary.exit_code = exit.code();
        match options.format {
            Format::Json => {
                for row in &self.rows {
                    event("mutant", &event_of(row.file, row.mutant, Some(row.trial)));
                }
                self.skips.iter().for_each(|skip| event("skip", skip));
                self.killed.iter().for_each(|killed| killed.tell_events(score));
                event("mutants", &self.summary);
            }
            // A closed pipe, as with `| head`, is no failure.
            Format::Text => drop(self.print(options, &mut std::io::stdout().lock())),
        }
        Ok(exit)
    }

    fn print(&self, options: &Mutants, out: &mut impl Write) -> std::io::Result<()> {
        let of = |verdict: Verdict| self.rows.iter().filter(move |r| r.trial.verdict == verdict);
        for row in of(Verdict::Survived) {
            let tests = row.trial.reached_by.len();
            let plural = if tests == 1 { "" } else { "s" };
            let title = title(row.file, row.mutant);
            writeln!(out, "survived: {title}, reached by {tests} test{plural}")?;
            write!(out, "{}", diff::of_mutant(&row.file.source, row.mutant))?;
        }
        let mut unreached: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
        for row in of(Verdict::Unreached) {
            let key = (row.file.path.as_str(), row.mutant.function.as_str());
            unreached.entry(key).or_insert((row.mutant.start.line, 0)).1 += 1;
        }
        for ((file, function), (line, count)) in unreached {
            let (plural, verb) = if count == 1 { ("", "is") } else { ("s", "are") };
            writeln!(
                out,
                "no test reaches {file}:{line}: {count} mutant{plural} in {function} {verb} alive"
            )?;
        }
        for (target, why) in &self.baseline.left_out {
            writeln!(out, "left out: {target} {why}")?;
        }
        if !self.baseline.missing.is_empty() {
            let missing = self.baseline.missing.join("; ");
            writeln!(out, "this machine lacks parts of the sandbox: {missing}")?;
        }
        let Summary { mutants, killed, crashed, timed_out, survived, unreached, .. } = self.summary;
        writeln!(
            out,
            "{mutants} mutants: {killed} killed, {crashed} crashed, {timed_out} timed out, \
             {survived} survived, {unreached} not reached by any of {} tests",
            self.summary.tests
        )?;
        if self.summary.kept > 0 {
            let kept = self.summary.kept;
            writeln!(out, "{kept} verdicts are those of the last run; --fresh judges all anew")?;
        }
        writeln!(
            out,
            "{} more do not compile; {} places were skipped, --list says why",
            self.summary.withdrawn,
            self.skips.len()
        )?;
        if let (Some(killed), Some(before)) = (&self.killed, self.summary.score) {
            let titles: BTreeMap<u32, String> =
                self.rows.iter().map(|row| (row.mutant.id, title(row.file, row.mutant))).collect();
            killed.print(&|id| titles.get(&id).cloned().unwrap_or_default(), out)?;
            writeln!(out, "noticed before: {before:.1}%")?;
        }
        if let Some(score) = self.score() {
            write!(out, "noticed: {score:.1}%")?;
            match options.fail_under {
                Some(wanted) if score < wanted => writeln!(out, ", less than {wanted}%")?,
                _ => writeln!(out)?,
            }
        }
        Ok(())
    }
}
