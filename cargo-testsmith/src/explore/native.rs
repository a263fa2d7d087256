//! Native runs of inputs, in the test executable itself and in the strict sandbox.
//!
//! The put reads requests from a file and answers on standard output, line by line.
//! If its process dies or hangs, the request without an answer is to blame, and a
//! new process goes on after it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use testsmith_lab::{HARMFUL, Lab, was_stopped};
use testsmith_model::message::UNWATCHED;

/// A process that answers nothing for so long hangs.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// For inputs of which nothing is expected.
pub const BRIEF: Duration = Duration::from_secs(2);
/// After so many deaths in one go the rest is not run.
const MAX_DEATHS: usize = 40;

/// A put inside a test executable.
pub struct Native<'l> {
    lab: &'l Lab,
    executable: PathBuf,
    /// Where requests are written.
    folder: PathBuf,
    /// Where the executable is run.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Passed,
    Rejected,
    Failed,
    /// The process died.
    Died,
    /// It ran without end, as far as one can wait.
    Hung,
    /// The sandbox ended it.
    Stopped,
    /// Too many before it had died.
    NotRun,
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

impl Replayed {
    pub fn fails(&self) -> bool {
        matches!(self.fate, Fate::Failed | Fate::Died)
    }
}

/// An answer, or how the process ended that did not give it.
enum Answer {
    Fields(Vec<String>),
    None(Fate, String),
}

impl<'l> Native<'l> {
    pub fn new(lab: &'l Lab, executable: &Path, package: &Path, module: &str) -> Native<'l> {
        // Explorations may run side by side, even of the same put with other features.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Native {
            lab,
            executable: executable.to_owned(),
            folder: lab.root().join(format!("replay/{}-{number}", std::process::id())),
            package: package.to_owned(),
            module: module.to_owned(),
        }
    }

    pub fn describe(&self) -> Result<Description> {
        let answers = self.ask(&["describe".to_owned()], PATIENCE)?;
        let fields = match &answers[0] {
            Answer::Fields(fields) => fields,
            Answer::None(_, how) => bail!("{} cannot be run: {how}", self.module),
        };
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

    pub fn run(&self, inputs: &[Vec<u8>], patience: Duration) -> Result<Vec<Replayed>> {
        let requests: Vec<String> = inputs.iter().map(|input| request("run", input)).collect();
        let mut replayed: Vec<Replayed> =
            self.ask(&requests, patience)?.into_iter().map(read).collect();
        // Those that ended the process could not say what they were.
        let silent: Vec<usize> =
            (0..replayed.len()).filter(|index| replayed[*index].call.is_empty()).collect();
        let requests: Vec<String> =
            silent.iter().map(|index| request("call", &inputs[*index])).collect();
        for (index, answer) in silent.into_iter().zip(self.ask(&requests, patience)?) {
            if let Answer::Fields(fields) = answer {
                replayed[index].call = fields.get(1).cloned().unwrap_or_default();
            }
        }
        Ok(replayed)
    }

    /// Runs an input in a process of its own, which no other input has left anything in.
    pub fn alone(&self, input: &[u8], patience: Duration) -> Result<Replayed> {
        Ok(self.run(&[input.to_vec()], patience)?.remove(0))
    }

    /// Runs every input of so many bytes, one or two; a letter for each, in order: passed,
    /// rejected, failed, or died.
    pub fn every(&self, bytes: usize) -> Result<Vec<u8>> {
        let prefixes: Vec<Vec<u8>> = match bytes {
            1 => vec![vec![]],
            _ => (0..=u8::MAX).map(|first| vec![first]).collect(),
        };
        let requests: Vec<String> =
            prefixes.iter().map(|prefix| request("every", prefix)).collect();
        let mut letters = vec![];
        for (prefix, answer) in prefixes.iter().zip(self.ask(&requests, PATIENCE)?) {
            match answer {
                Answer::Fields(fields) if fields.get(1).is_some_and(|text| text.len() == 256) => {
                    letters.extend(fields[1].bytes());
                }
                // One of them ends the process; each alone tells which.
                _ => {
                    let one = |last: u8| [prefix.as_slice(), &[last]].concat();
                    let inputs: Vec<Vec<u8>> = (0..=u8::MAX).map(one).collect();
                    let run = self.run(&inputs, BRIEF)?;
                    letters.extend(run.iter().map(|replayed| match replayed.fate {
                        Fate::Passed => b'p',
                        Fate::Rejected => b'r',
                        Fate::Failed => b'f',
                        Fate::Died => b'd',
                        Fate::Hung | Fate::Stopped | Fate::NotRun => b'?',
                    }));
                }
            }
        }
        Ok(letters)
    }

    /// One answer per request.
    fn ask(&self, requests: &[String], patience: Duration) -> Result<Vec<Answer>> {
        let mut answers = vec![];
        let mut deaths = 0;
        while answers.len() < requests.len() {
            if deaths == MAX_DEATHS {
                let why = || format!("not run, because {MAX_DEATHS} before it ended the process");
                answers.resize_with(requests.len(), || Answer::None(Fate::NotRun, why()));
                break;
            }
            let (given, fate, how) = self.run_process(&requests[answers.len()..], patience)?;
            answers.extend(given.into_iter().map(Answer::Fields));
            if answers.len() < requests.len() {
                deaths += 1;
                answers.push(Answer::None(fate, how));
            }
        }
        let _ = std::fs::remove_dir_all(&self.folder);
        Ok(answers)
    }

    /// Runs the test until it ends or makes no progress; says how it ended.
    fn run_process(
        &self,
        requests: &[String],
        patience: Duration,
    ) -> Result<(Vec<Vec<String>>, Fate, String)> {
        let mark = format!("testsmith-{:08x}:", std::process::id().wrapping_mul(0x9e37_79b9));
        std::fs::create_dir_all(&self.folder)?;
        let stem = self.module.replace("::", ".");
        let text = format!("{mark}\n{}", requests.join("\n"));
        std::fs::write(self.folder.join(format!("{stem}.request")), text)?;
        let test = self.module.split_once("::").map_or("", |(_, rest)| rest);
        let mut child = self
            .lab
            .strictly(&self.executable)
            .args(["--exact", &format!("{test}::put"), "--test-threads=1"])
            .env("TESTSMITH_PUTS", &self.folder)
            .current_dir(&self.package)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("failed to run {}", self.executable.display()))?;
        let lines = lines_of(&mut child, mark);
        let mut answers: Vec<Vec<String>> = vec![];
        loop {
            match lines.recv_timeout(patience) {
                Ok(line) => answers.push(line.split('\t').map(unescape).collect()),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    child.kill()?;
                    child.wait()?;
                    let how = format!("it ran for more than {} s", patience.as_secs());
                    return Ok((answers, Fate::Hung, how));
                }
            }
        }
        let status = child.wait()?;
        if status.code() == Some(UNWATCHED) {
            bail!("this machine lacks the sandbox, and nothing is run without it");
        }
        Ok(match was_stopped(&status) {
            true => (answers, Fate::Stopped, HARMFUL.to_owned()),
            false => (answers, Fate::Died, format!("the process ended with {status}")),
        })
    }
}

/// The lines of a process that begin with the mark, without it.
fn lines_of(child: &mut Child, mark: String) -> Receiver<String> {
    let (sender, receiver) = channel();
    let stdout = child.stdout.take().expect("it was piped");
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).into_owned();
            if let Some(answer) = line.strip_prefix(&mark)
                && sender.send(answer.to_owned()).is_err()
            {
                return;
            }
        }
    });
    receiver
}

fn request(kind: &str, input: &[u8]) -> String {
    let hex: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{kind} {hex}")
}

fn read(answer: Answer) -> Replayed {
    let none = String::new;
    let fields = match answer {
        Answer::Fields(fields) => fields,
        Answer::None(fate, message) => {
            return Replayed { fate, place: none(), message, call: none(), names: vec![] };
        }
    };
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
