//! What the process that supervises a test and the one that runs it say to
//! each other: orders in an environment variable, endings as exit codes, and
//! the number of an input in a file.

use std::fs;
use std::process::Output;

/// The environment variable by which the child knows that it is one.
pub const CHILD: &str = "TESTSMITH_KORAT_CHILD";
/// How the child exits when the function fails on some input.
pub const FAILED: i32 = 85;
/// How the child exits when an input does not end.
pub const HANG: i32 = 86;

/// What the parent asks of the child.
pub struct Orders {
    pub journal: String,
    /// Whether to write down every input before it runs.
    pub exact: bool,
    pub skip: Vec<u64>,
    /// The input for which public calls are wanted, and nothing else.
    pub calls: Option<u64>,
}

impl Orders {
    pub fn new(journal: &str) -> Orders {
        Orders { journal: journal.to_owned(), exact: false, skip: Vec::new(), calls: None }
    }

    /// The orders of this process, if it is a child.
    pub fn given() -> Option<Orders> {
        std::env::var(CHILD).ok().map(|text| Orders::parse(&text))
    }

    pub fn to_text(&self) -> String {
        let skip: Vec<String> = self.skip.iter().map(u64::to_string).collect();
        let calls = self.calls.map(|number| number.to_string()).unwrap_or_default();
        format!("{};{};{calls};{}", u8::from(self.exact), skip.join(","), self.journal)
    }

    fn parse(text: &str) -> Orders {
        let mut parts = text.splitn(4, ';');
        let mut next = || parts.next().unwrap_or("");
        let exact = next() == "1";
        let skip = next().split(',').filter_map(|n| n.parse().ok()).collect();
        let calls = next().parse().ok();
        Orders { exact, skip, calls, journal: next().to_owned() }
    }
}

pub enum Ending {
    Passed,
    Failed,
    Hung,
    Died(String),
}

pub fn ending(output: &Output) -> Ending {
    match output.status.code() {
        Some(0) => Ending::Passed,
        Some(HANG) => Ending::Hung,
        Some(FAILED) => Ending::Failed,
        _ => {
            let text = String::from_utf8_lossy(&output.stderr);
            let overflow = text.contains("overflowed its stack");
            let what = if overflow { "it overflowed the stack" } else { "it ended the process" };
            Ending::Died(format!("{what} ({})", output.status))
        }
    }
}

pub fn read(journal: &str) -> Option<u64> {
    fs::read_to_string(journal).ok()?.trim().parse().ok()
}
