//! Another version of this bench, run row by row beside this one.
//!
//! Its table is read from its output, so the other version needs no more than
//! the columns that both have.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

/// The least times of the other version, in seconds, that its columns show.
const SHOWN: f64 = 0.02;

/// An `xtask` of another version, and what it has said so far.
pub struct Against {
    program: PathBuf,
    known: HashMap<&'static str, HashMap<String, Times>>,
}

/// CPU seconds with generators and without.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    pub directed: f64,
    pub plain: Option<f64>,
}

impl Against {
    pub fn new(program: PathBuf) -> Self {
        Against { program, known: HashMap::new() }
    }

    /// What the other version takes for a row.
    pub fn times(
        &mut self,
        name: &'static str,
        scope: usize,
        java_seconds: f64,
    ) -> anyhow::Result<Option<Times>> {
        if !self.known.contains_key(name) {
            let output = Command::new(&self.program)
                .args(["bench", "korat", name])
                .output()
                .with_context(|| format!("failed to run {}", self.program.display()))?;
            let text = String::from_utf8_lossy(&output.stdout);
            anyhow::ensure!(output.status.success(), "the other version says: {text}");
            let rows = text.lines().filter_map(|line| row(line, java_seconds)).collect();
            self.known.insert(name, rows);
        }
        Ok(self.known[name].get(&format!("{name} {scope}")).copied())
    }
}

/// `name scope valid | candidates seconds rate .. | .. | candidates seconds times ..`
fn row(line: &str, java_seconds: f64) -> Option<(String, Times)> {
    let mut parts = line.split('|');
    let mut words: Vec<&str> = parts.next()?.split_whitespace().collect();
    words.pop()?;
    let directed: Vec<&str> = parts.next()?.split_whitespace().collect();
    let plain: Vec<&str> = parts.nth(1)?.split_whitespace().collect();
    let number = |text: &&str| text.parse::<f64>().ok();
    let (candidates, seconds) = (number(directed.first()?)?, number(directed.get(1)?)?);
    let rate = number(directed.get(2)?)?;
    // Short times are told better by the rate, if there are many candidates.
    let directed = if seconds >= SHOWN || rate < 1.0 { seconds } else { candidates / rate / 1e6 };
    let (seconds, times) = (plain.get(1).and_then(number), plain.get(2).and_then(number));
    let plain = seconds.map(|seconds| match times {
        Some(times) if seconds < SHOWN && times > 0.0 && java_seconds > 0.0 => java_seconds / times,
        _ => seconds,
    });
    Some((words.join(" "), Times { directed, plain }))
}
