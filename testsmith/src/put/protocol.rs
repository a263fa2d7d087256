//! How the exploration talks to a put that is compiled into a test.
//!
//! The command runs the test executable with a folder in the environment. Each
//! put looks there for a file of requests and answers on standard output, line by
//! line, flushing each: if the process dies, the first request without an answer
//! is why. Nothing is written to files, because the process runs in a sandbox that
//! ends whoever tries. The first line of the requests is a mark that every answer
//! begins with, so that what the put itself prints is told from it. Plain text with
//! tabs, so that the library needs no format of its own.

use std::io::Write as _;
use std::path::PathBuf;

use super::check::{CaseResult, Expectation, Put, call, outcome};
use super::source::{Choosing, Maker};

/// Where requests are.
const FOLDER: &str = "TESTSMITH_PUTS";

/// Answers requests; false if nobody asked.
pub(super) fn serve(put: &Put) -> bool {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return false };
    let name = put.module.replace("::", ".");
    let requests = std::fs::read_to_string(folder.join(format!("{name}.request")));
    let Ok(requests) = requests else { return true };
    let mut requests = requests.lines();
    let mark = requests.next().unwrap_or_default();
    for request in requests {
        let (kind, hex) = request.split_once(' ').unwrap_or((request, ""));
        let bytes = from_hex(hex).unwrap_or_default();
        let answer = match kind {
            "run" => run(put, &bytes),
            "call" => written(put, &bytes),
            "every" => every(put, &bytes),
            _ => describe(put),
        };
        let answer: Vec<String> = answer.iter().map(|field| escape(field)).collect();
        // What was printed before may not have ended its line.
        let mut out = std::io::stdout().lock();
        let told = writeln!(out, "\n{mark}{}", answer.join("\t")).and_then(|()| out.flush());
        if told.is_err() {
            return true;
        }
    }
    true
}

/// The call that an input stands for, without making it: it may end the process.
fn written(put: &Put, bytes: &[u8]) -> Vec<String> {
    vec!["call".to_owned(), call(put, bytes).unwrap_or_default()]
}

/// Runs every input that begins with these bytes and has one more; a letter for each.
fn every(put: &Put, bytes: &[u8]) -> Vec<String> {
    let letter = |last: u8| {
        let mut input = bytes.to_vec();
        input.push(last);
        match outcome(put, &mut Maker::new(input, Choosing::Given, 1)) {
            CaseResult::Passed => 'p',
            CaseResult::Rejected => 'r',
            CaseResult::Failed { .. } => 'f',
        }
    };
    vec!["every".to_owned(), (0..=u8::MAX).map(letter).collect()]
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
        CaseResult::Passed => ("passed", String::new(), String::new()),
        CaseResult::Rejected => ("rejected", String::new(), String::new()),
        CaseResult::Failed { place, message } => ("failed", place, message),
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
