//! A sequence as a test that holds the worker to its word: every value that
//! was seen is asserted, and so is the way the sequence ended.
//!
//! Meant for checking ourselves, not for people: nothing is left out.

use crate::statements::statements;
use testsmith_model::outcome::{Ending, Outcome, Phase};
use testsmith_model::{Plan, Sequence};

/// Longer texts are not worth comparing.
const MAX_ASSERTED: usize = 300;

/// A test function, or nothing where the outcome cannot be seen from inside:
/// the process ended, or a drop panicked. `stable` says of each step whether
/// its value was the same in another process.
pub fn witness(
    plan: &Plan,
    sequence: &Sequence,
    outcome: &Outcome,
    name: &str,
    stable: &dyn Fn(usize) -> bool,
) -> Option<String> {
    if outcome.ending.is_fatal() {
        return None;
    }
    let failed = outcome.ending != Ending::Completed;
    if failed && outcome.phase != Phase::Calling {
        return None;
    }
    let mut text = format!("#[test]\nfn {name}() {{\n");
    for statement in statements(plan, sequence) {
        let step = statement.step;
        if failed && step == Some(outcome.step as usize) {
            text.push_str(&failing(&statement.text, outcome));
            continue;
        }
        text.push_str(&format!("    {}\n", statement.text));
        if let Some(step) = step.filter(|step| stable(*step))
            && let Some(value) = outcome.values.get(step)
            && let Some(seen) = value.text.as_ref().filter(|seen| seen.len() < MAX_ASSERTED)
        {
            text.push_str(&format!("    assert_eq!(format!(\"{{:?}}\", v{step}), {seen:?});\n"));
        }
    }
    text.push_str("}\n");
    Some(text)
}

/// The call that panicked, caught; its message where it is known.
fn failing(statement: &str, outcome: &Outcome) -> String {
    let call = statement.lines().next().unwrap_or_default();
    let caught = format!(
        "    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {{ {call} }}));\n"
    );
    match &outcome.ending {
        // A broken law returns; what it returns is the failure.
        Ending::Broken => format!("    {call}\n    assert!(!v{});\n", outcome.step),
        Ending::Panicked(panic) => {
            format!("{caught}    assert_eq!(super::message(caught), {:?});\n", panic.message)
        }
        _ => format!("{caught}    assert!(caught.is_err());\n"),
    }
}
