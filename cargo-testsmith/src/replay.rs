//! `cargo testsmith replay`: a stored sequence, call by call.

use crate::Exit;
use crate::args::{Format, Replay};
use crate::console::print_json;
use crate::pipeline::Session;
use crate::stored::Stored;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testsmith_lab::{Profile, WorkerLimits};
use testsmith_model::outcome::{Ending, Outcome, Phase};
use testsmith_model::{Plan, Sequence};

pub fn run(options: &Replay, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let stored = Stored::read(&options.file)?;
    let mut target = options.target.clone();
    let is_asked = |path: &String| target.unsafe_paths.contains(path);
    let called = stored.unsafe_paths.iter().filter(|path| !is_asked(path)).cloned();
    target.unsafe_paths.extend(called.collect::<Vec<_>>());
    let mut session = Session::open(&target, interrupt)?;
    let profile = if options.release { Profile::Released } else { Profile::Unoptimised };
    let harness = session.build(profile)?;
    let limits = WorkerLimits {
        call: Duration::from_millis(options.call_timeout),
        ..WorkerLimits::default()
    };
    let mut supervisor = session.supervise(&harness, limits)?;
    let sequence = stored.sequence(&session.plan)?;
    let outcome = supervisor.run_afresh(&sequence, true)?;
    let mut out = std::io::stdout().lock();
    let _ = match options.format {
        Format::Json => {
            let report = Report { sequence: &stored, outcome: &outcome };
            print_json(&mut out, &report)
        }
        Format::Text => show(&session.plan, &sequence, &outcome, &mut out),
    };
    Ok(if outcome.ending == Ending::Completed { Exit::Clean } else { Exit::Found })
}

#[derive(Serialize)]
struct Report<'r> {
    sequence: &'r Stored,
    outcome: &'r Outcome,
}

fn show(
    plan: &Plan,
    sequence: &Sequence,
    outcome: &Outcome,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let lines = testsmith_render::statements(plan, sequence);
    for (n, line) in lines.iter().enumerate() {
        writeln!(out, "{}", line.text)?;
        let Some(step) = line.step else { continue };
        if let Some(value) = outcome.values.get(step).and_then(|value| value.text.as_ref()) {
            writeln!(out, "    // {value}")?;
        }
        let last = outcome.step as usize == step && outcome.ending != Ending::Completed;
        let later = lines[n + 1..].iter().any(|line| line.step == Some(step));
        if last && !later {
            writeln!(out, "    // {}", describe(&outcome.ending, outcome.phase))?;
            if outcome.phase == Phase::Calling {
                break;
            }
        }
    }
    match &outcome.ending {
        Ending::Completed => writeln!(out, "completed"),
        ending => writeln!(out, "failed: {}", describe(ending, outcome.phase)),
    }
}

/// What happened, in a clause.
pub fn describe(ending: &Ending, phase: Phase) -> String {
    let place = match phase {
        Phase::Calling => "",
        Phase::Dropping => " while the value was dropped",
        Phase::Observing => " while the value was shown",
    };
    let what = match ending {
        Ending::Completed => "completed".to_owned(),
        Ending::Panicked(panic) if panic.file.is_empty() => {
            format!("panicked: {}", visible(&panic.message))
        }
        Ending::Panicked(panic) => {
            format!("panicked at {}:{}: {}", panic.file, panic.line, visible(&panic.message))
        }
        Ending::Inapplicable => {
            "did not apply: another variant, or a precondition does not hold".to_owned()
        }
        Ending::Broken => "the law does not hold".to_owned(),
        Ending::Memory(error) => error.words().to_owned(),
        Ending::Signal { number, note } if note.is_empty() => format!("ended by signal {number}"),
        Ending::Signal { number, note } => format!("{note} (signal {number})"),
        Ending::OutOfMemory { requested } => format!("asked for {requested} bytes of memory"),
        Ending::TimedOut { after_ms, waits: true } => {
            format!("waited for more than {after_ms} ms")
        }
        Ending::TimedOut { after_ms, waits: false } => {
            format!("did not return within {after_ms} ms")
        }
        Ending::Exited { code } => format!("ended the process with code {code}"),
        Ending::Differs { checked, released } => {
            let checked = checked.as_deref().unwrap_or("completed");
            format!("{checked} with overflow checks, {released} without")
        }
        Ending::Unguarded { stopped, unchecked } => {
            format!("{stopped} with overflow checks and debug assertions, {unchecked} without")
        }
        Ending::Exception { clause, held, broken, .. } => {
            format!("nearly always {clause}: in {held} calls, and not in {broken}")
        }
    };
    format!("{what}{place}")
}

/// A message on one line in which nothing hides or turns it round: it holds whatever the
/// code under test was given.
fn visible(message: &str) -> String {
    let mut text = String::new();
    for c in message.chars() {
        match c {
            '\n' => text.push(' '),
            '"' | '\'' | '\\' => text.push(c),
            c => text.extend(c.escape_debug()),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_end_its_line_or_turn_it_round() {
        assert_eq!(visible("a\r\n\u{202e}'b' is \"é\" \\"), "a\\r \\u{202e}'b' is \"é\" \\");
    }
}
