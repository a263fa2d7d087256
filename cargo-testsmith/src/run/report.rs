//! What a run tells at its end, for a person or for a program.

use super::search::Tally;
use crate::emit::Written;
use crate::finding::Finding;
use std::io::Write;
use std::path::PathBuf;
use testsmith_model::Plan;

pub(super) struct Report<'r> {
    pub(super) plan: &'r Plan,
    pub(super) tally: Tally,
    pub(super) findings: &'r [Finding],
    pub(super) suspicious: &'r [Finding],
    pub(super) dropped: Vec<String>,
    pub(super) coverage: Option<(usize, usize)>,
    pub(super) file: Option<(PathBuf, Written)>,
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

    pub(super) fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
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
            writeln!(out, "  {}", finding.reason())?;
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

    pub(super) fn print_json(&self, out: &mut impl Write) -> std::io::Result<()> {
        let (done, all) = self.exercised();
        let finding = |finding: &Finding| {
            serde_json::json!({
                "name": finding.name,
                "severity": finding.failing.severity.word(),
                "rule": finding.failing.rule,
                "reason": finding.reason(),
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
