//! The report in the schema of mutation-testing-elements, which viewers of other tools read.

use super::report::Report;
use super::sources::Sources;
use super::trials::Verdict;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::Path;
use testsmith_mutate::Place;

const FILE: &str = "mutants.json";

pub fn write(out: &Path, sources: &Sources, report: &Report) -> Result<()> {
    let mut files = serde_json::Map::new();
    for file in &sources.files {
        let of_file = report.rows.iter().filter(|row| row.file.path == file.path);
        let mutants: Vec<Value> =
            of_file.map(|row| mutant(row, report.written_for(row.mutant.id))).collect();
        let source = &file.source.text;
        let entry = json!({ "language": "rust", "source": source, "mutants": mutants });
        files.insert(file.path.clone(), entry);
    }
    let tool = json!({ "name": "testsmith", "version": env!("CARGO_PKG_VERSION") });
    let all = json!({
        "schemaVersion": "2",
        "thresholds": { "high": 80, "low": 60 },
        "framework": tool,
        "files": files,
    });
    let path = out.join(FILE);
    let text = serde_json::to_vec_pretty(&all)?;
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// `written` is the test that was written for it.
fn mutant(row: &super::report::Row, written: Option<&str>) -> Value {
    let place = |place: Place| json!({ "line": place.line, "column": place.column });
    let mut value = json!({
        "id": row.mutant.id.to_string(),
        "mutatorName": row.mutant.operator,
        "replacement": row.mutant.replacement,
        "location": { "start": place(row.mutant.start), "end": place(row.mutant.end) },
        "status": status(&row.trial.verdict),
        "coveredBy": row.reached_by,
        "testsCompleted": row.trial.runs,
        "duration": row.trial.cpu.as_millis() as u64,
    });
    if let Some(killer) = row.trial.verdict.killer() {
        value["killedBy"] = json!([killer]);
    }
    match &row.trial.verdict {
        Verdict::Withdrawn { why } => value["statusReason"] = json!(why),
        Verdict::Crashed { signal, .. } => {
            value["statusReason"] = json!(format!("signal {signal}"))
        }
        _ => {}
    }
    if let Some(test) = written {
        value["status"] = json!("Killed");
        value["killedBy"] = json!([test]);
        value["statusReason"] = json!("by a test that was written for it");
    }
    value
}

fn status(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Killed { .. } | Verdict::Crashed { .. } => "Killed",
        Verdict::TimedOut { .. } => "Timeout",
        Verdict::Survived => "Survived",
        Verdict::Unreached => "NoCoverage",
        Verdict::Withdrawn { .. } => "CompileError",
    }
}
