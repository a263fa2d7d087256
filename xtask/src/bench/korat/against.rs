//! Another version of this bench, run row by row beside this one.
//!
//! Its table is read from its output, so the other version needs no more than
//! the columns that both have.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

/// An `xtask` of another version, and what it has said so far.
pub struct Against {
    program: PathBuf,
    known: HashMap<&'static str, HashMap<String, Columns>>,
}

/// What a row of the other version shows of its times.
#[derive(Clone, Copy, Debug)]
struct Columns {
    directed: f64,
    plain: Plain,
}

#[derive(Clone, Copy, Debug)]
enum Plain {
    NotMeasured,
    Seconds(f64),
    /// How many times faster than the Java tool.
    TimesJava(f64),
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
            self.known.insert(name, text.lines().filter_map(row).collect());
        }
        let columns = self.known[name].get(&format!("{name} {scope}"));
        Ok(columns.map(|columns| columns.times(java_seconds)))
    }
}

impl Columns {
    fn times(self, java_seconds: f64) -> Times {
        let plain = match self.plain {
            Plain::NotMeasured => None,
            Plain::Seconds(seconds) => Some(seconds),
            Plain::TimesJava(times) => Some(java_seconds / times),
        };
        Times { directed: self.directed, plain }
    }
}

/// `name scope valid | candidates seconds rate .. | .. | candidates seconds times ..`
///
/// Of two columns that tell a time, the one with more digits is taken.
fn row(line: &str) -> Option<(String, Columns)> {
    let mut parts = line.split('|');
    let mut words: Vec<&str> = parts.next()?.split_whitespace().collect();
    words.pop()?;
    let directed: Vec<&str> = parts.next()?.split_whitespace().collect();
    let plain: Vec<&str> = parts.nth(1)?.split_whitespace().collect();
    let number = |text: &str| text.parse::<f64>().ok();
    let (seconds, rate) = (*directed.get(1)?, *directed.get(2)?);
    let directed = if digits(seconds) >= digits(rate) {
        number(seconds)?
    } else {
        number(directed.first()?)? / number(rate)? / 1e6
    };
    let (seconds, times) = (*plain.get(1)?, *plain.get(2)?);
    let plain = match (number(seconds), number(times)) {
        (None, _) => Plain::NotMeasured,
        (_, Some(times)) if digits(seconds) < digits(plain[2]) => Plain::TimesJava(times),
        (Some(seconds), _) => Plain::Seconds(seconds),
    };
    Some((words.join(" "), Columns { directed, plain }))
}

/// How many digits of a number are known.
fn digits(number: &str) -> usize {
    let digits = number.chars().filter(char::is_ascii_digit);
    digits.skip_while(|digit| *digit == '0').count()
}
