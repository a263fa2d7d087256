//! How the exploration talks to a put that is compiled into a test.
//!
//! The command runs the test executable with a folder in the environment. Each
//! put looks there for a file of requests and answers line by line, flushing
//! each: if the process dies, the last request without an answer is why. Plain
//! text with tabs, so that the library needs no format of its own.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;

use super::check::{Expectation, Outcome, Put, call, outcome};
use super::source::{Choosing, Maker};

/// Where requests and answers are.
const FOLDER: &str = "TESTSMITH_PUTS";

/// Answers requests; false if nobody asked.
pub(super) fn serve(put: &Put) -> bool {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return false };
    let name = put.module.replace("::", ".");
    let requests = std::fs::read_to_string(folder.join(format!("{name}.request")));
    let Ok(requests) = requests else { return true };
    let answers =
        OpenOptions::new().append(true).create(true).open(folder.join(format!("{name}.answer")));
    let mut answers = answers.expect("the folder of the exploration can be written");
    let done = std::fs::read_to_string(folder.join(format!("{name}.answer"))).unwrap_or_default();
    for request in requests.lines().skip(done.lines().count()) {
        let answer = match request.split_once(' ') {
            Some(("run", hex)) => run(put, &from_hex(hex).unwrap_or_default()),
            _ => describe(put),
        };
        let answer: Vec<String> = answer.iter().map(|field| escape(field)).collect();
        let written = writeln!(answers, "{}", answer.join("\t")).and_then(|()| answers.flush());
        written.expect("the folder of the exploration can be written");
    }
    true
}

fn describe(put: &Put) -> Vec<String> {
    let (kind, text) = match put.expectation {
        Expectation::Returns => ("returns", ""),
        Expectation::Panics => ("panics", ""),
        Expectation::PanicsWith(text) => ("panics-with", text),
    };
    vec![
        "put".to_owned(),
        put.name.to_owned(),
        put.file.to_owned(),
        put.line.to_string(),
        (put.max_bytes)().to_string(),
        kind.to_owned(),
        text.to_owned(),
        put.bounds.to_owned(),
        put.store.to_owned(),
        put.identity.to_owned(),
    ]
}

fn run(put: &Put, bytes: &[u8]) -> Vec<String> {
    let mut maker = Maker::new(bytes.to_vec(), Choosing::Given, 1);
    let outcome = outcome(put, &mut maker);
    let (kind, place, message) = match outcome {
        Outcome::Passed => ("passed", String::new(), String::new()),
        Outcome::Rejected => ("rejected", String::new(), String::new()),
        Outcome::Failed { place, message } => ("failed", place, message),
    };
    let names: Vec<String> =
        maker.draws.iter().map(|d| format!("{}:{}:{}", d.start, d.len, d.name)).collect();
    let call = call(put, bytes).unwrap_or_default();
    vec!["run".to_owned(), kind.to_owned(), place, message, call, names.join(";")]
}

fn escape(field: &str) -> String {
    field.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

pub(super) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    text.as_bytes().chunks(2).map(pair).collect()
}
