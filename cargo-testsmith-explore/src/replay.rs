//! Native runs of inputs, in the test executable itself.
//!
//! The put answers requests from a file, line by line. If its process dies or
//! hangs, the request without an answer is to blame, and a new process goes on
//! after it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// A process that answers nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the answers are looked at.
const GLANCE: Duration = Duration::from_millis(5);

/// A put inside a test executable.
pub struct Native {
    executable: PathBuf,
    folder: PathBuf,
    package: PathBuf,
    /// The module of the put, with the crate's name first.
    module: String,
}

/// What the put says of itself.
#[derive(Clone, Debug, Default)]
pub struct Description {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub max_bytes: usize,
    pub expectation: String,
    pub text: String,
    pub bounds: String,
    pub store: String,
    /// What the put says that it was built as.
    pub identity: String,
}

/// What became of one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    Passed,
    Rejected,
    Failed,
    /// The process died or hung.
    Died,
}

/// One input, run natively.
#[derive(Clone, Debug)]
pub struct Replayed {
    pub fate: Fate,
    pub place: String,
    pub message: String,
    /// The call as Rust.
    pub call: String,
    /// First byte, number of bytes, name of the parts of the input.
    pub names: Vec<(usize, usize, String)>,
}

impl Native {
    pub fn new(executable: &Path, folder: &Path, package: &Path, module: &str) -> Native {
        Native {
            executable: executable.to_owned(),
            folder: folder.to_owned(),
            package: package.to_owned(),
            module: module.to_owned(),
        }
    }

    pub fn describe(&self) -> Result<Description> {
        let answers = self.ask(&["describe".to_owned()])?;
        let fields = &answers[0];
        let field = |index: usize| fields.get(index).cloned().unwrap_or_default();
        if field(0) != "put" {
            bail!("{} does not describe itself: is its testsmith of this version?", self.module);
        }
        Ok(Description {
            name: field(1),
            file: field(2),
            line: field(3).parse().unwrap_or(0),
            max_bytes: field(4).parse().context("the size of the input")?,
            expectation: field(5),
            text: field(6),
            bounds: field(7),
            store: field(8),
            identity: field(9),
        })
    }

    pub fn run(&self, inputs: &[Vec<u8>]) -> Result<Vec<Replayed>> {
        let request = |input: &Vec<u8>| {
            let hex: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("run {hex}")
        };
        let requests: Vec<String> = inputs.iter().map(request).collect();
        Ok(self.ask(&requests)?.iter().map(|fields| replayed(fields)).collect())
    }

    /// One answer per request, each a list of fields.
    fn ask(&self, requests: &[String]) -> Result<Vec<Vec<String>>> {
        if requests.is_empty() {
            return Ok(vec![]);
        }
        std::fs::create_dir_all(&self.folder)?;
        let stem = self.module.replace("::", ".");
        let answers = self.folder.join(format!("{stem}.answer"));
        let _ = std::fs::remove_file(&answers);
        std::fs::write(self.folder.join(format!("{stem}.request")), requests.join("\n"))?;
        loop {
            let how = self.run_process(&answers)?;
            let mut text = std::fs::read_to_string(&answers).unwrap_or_default();
            let done = text.lines().count();
            if done >= requests.len() {
                let fields = |line: &str| line.split('\t').map(unescape).collect();
                return Ok(text.lines().map(fields).collect());
            }
            if requests[done] == "describe" {
                bail!("{} cannot be run: {how}", self.module);
            }
            text.push_str(&format!("run\tdied\t\t{how}\t\t\n"));
            std::fs::write(&answers, text)?;
        }
    }

    /// Runs the test until it ends or makes no progress; says how it ended.
    fn run_process(&self, answers: &Path) -> Result<String> {
        let test = self.module.split_once("::").map_or("", |(_, rest)| rest);
        let mut child = Command::new(&self.executable)
            .args(["--exact", &format!("{test}::put"), "--test-threads=1"])
            .env("TESTSMITH_PUTS", &self.folder)
            .current_dir(&self.package)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("failed to run {}", self.executable.display()))?;
        let size = || std::fs::metadata(answers).map_or(0, |metadata| metadata.len());
        let (mut last, mut since) = (size(), Instant::now());
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(format!("the process ended with {status}"));
            }
            if size() != last {
                (last, since) = (size(), Instant::now());
            }
            if since.elapsed() > PATIENCE {
                child.kill()?;
                child.wait()?;
                return Ok(format!("it ran for more than {} s", PATIENCE.as_secs()));
            }
            std::thread::sleep(GLANCE);
        }
    }
}

fn replayed(fields: &[String]) -> Replayed {
    let field = |index: usize| fields.get(index).cloned().unwrap_or_default();
    let fate = match field(1).as_str() {
        "passed" => Fate::Passed,
        "rejected" => Fate::Rejected,
        "failed" => Fate::Failed,
        _ => Fate::Died,
    };
    let name = |part: &str| {
        let mut pieces = part.splitn(3, ':');
        let start = pieces.next()?.parse().ok()?;
        let len = pieces.next()?.parse().ok()?;
        Some((start, len, pieces.next()?.to_owned()))
    };
    let names = field(5).split(';').filter_map(name).collect();
    Replayed { fate, place: field(2), message: field(3), call: field(4), names }
}

fn unescape(field: &str) -> String {
    let mut text = String::new();
    let mut chars = field.chars();
    while let Some(next) = chars.next() {
        match (next, if next == '\\' { chars.next() } else { None }) {
            ('\\', Some('t')) => text.push('\t'),
            ('\\', Some('n')) => text.push('\n'),
            ('\\', Some('r')) => text.push('\r'),
            ('\\', Some(other)) => text.push(other),
            (other, _) => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn escaped_fields_come_back_as_they_were() {
        assert_eq!(unescape(r"a\tb\nc\\d"), "a\tb\nc\\d");
    }
}
