//! What is going on, for the person or the program that waits.
//!
//! A terminal gets one line that changes; anything else gets a line now and
//! then. Programs that asked for JSON get events on standard output instead.

use crate::args::Format;
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the changing line changes, and how often a line is added where
/// lines cannot change.
const ON_A_TERMINAL: Duration = Duration::from_millis(250);
const ELSEWHERE: Duration = Duration::from_secs(5);

pub struct Console {
    quiet: bool,
    terminal: bool,
    format: Format,
    /// Several workers tell how far they are.
    shown: Mutex<Shown>,
}

#[derive(Default)]
struct Shown {
    /// When it was last told how far a search is.
    told: Option<Instant>,
    /// What stands on the changing line.
    line: String,
}

/// How far a search is.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    pub seconds: u64,
    pub calls: u64,
    pub sequences: u64,
    /// Edges of the instrumented code taken so far; not asked for where calls
    /// are counted.
    pub edges: Option<usize>,
    pub violations: usize,
    pub suspicious: usize,
}

impl Console {
    /// Another that tells the same.
    pub fn again(&self) -> Console {
        Console::new(self.quiet, self.format)
    }

    pub fn new(quiet: bool, format: Format) -> Console {
        Console {
            quiet,
            terminal: std::io::stderr().is_terminal(),
            format,
            shown: Mutex::default(),
        }
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new part of the work begins.
    pub fn say(&self, what: &str) {
        match (self.quiet, self.format) {
            (true, _) => {}
            (false, Format::Json) => event("progress", &serde_json::json!({ "doing": what })),
            (false, Format::Text) => {
                self.clear();
                eprintln!("  {what}");
            }
        }
    }

    /// Whether it is time to tell how far a search is.
    pub fn is_due(&self) -> bool {
        let often = self.terminal && self.format == Format::Text;
        let every = if often { ON_A_TERMINAL } else { ELSEWHERE };
        !self.quiet && self.shown().told.is_none_or(|told| told.elapsed() >= every)
    }

    pub fn progress(&self, progress: &Progress) {
        let mut shown = self.shown();
        shown.told = Some(Instant::now());
        if self.format == Format::Json {
            #[derive(Serialize)]
            struct Searching<'p> {
                doing: &'p str,
                #[serde(flatten)]
                progress: &'p Progress,
            }
            return event("progress", &Searching { doing: "searching", progress });
        }
        let edges = progress.edges.map_or(String::new(), |edges| format!("{edges} edges, "));
        let text = format!(
            "searching, {} s: {} calls, {edges}{} violations, {} suspicious",
            progress.seconds, progress.calls, progress.violations, progress.suspicious
        );
        if self.terminal {
            eprint!("\r\x1b[2K  {text}");
            let _ = std::io::stderr().flush();
            shown.line = text;
        } else {
            eprintln!("  {text}");
        }
    }

    /// How far something is, in words: on a terminal in place of what was said before,
    /// elsewhere only now and then.
    pub fn tell(&self, what: &str) {
        if !self.is_due() {
            return;
        }
        if !(self.terminal && self.format == Format::Text) {
            self.shown().told = Some(Instant::now());
            return self.say(what);
        }
        let mut shown = self.shown();
        shown.told = Some(Instant::now());
        eprint!("\r\x1b[2K  {what}");
        let _ = std::io::stderr().flush();
        shown.line = what.to_owned();
    }

    pub fn format(&self) -> Format {
        self.format
    }

    /// Ends the changing line, so that it can still be read.
    pub fn clear(&self) {
        let mut shown = self.shown();
        if !shown.line.is_empty() {
            eprintln!();
            shown.line.clear();
        }
    }
}

/// One object, for people as well as programs.
pub fn print_json(out: &mut impl Write, what: &impl Serialize) -> std::io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, what)?;
    writeln!(out)
}

/// One object on a line of its own.
pub fn event(name: &str, what: &impl Serialize) {
    #[derive(Serialize)]
    struct Event<'e, T> {
        event: &'e str,
        #[serde(flatten)]
        what: &'e T,
    }
    // A closed pipe is no failure.
    if let Ok(text) = serde_json::to_string(&Event { event: name, what }) {
        let _ = writeln!(std::io::stdout(), "{text}");
    }
}
