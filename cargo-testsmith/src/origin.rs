//! What the source says at the place of a panic.
//!
//! Reads text, parses nothing: a statement is what follows the place up to its
//! semicolon, and a function is the nearest `fn` above. That is enough to tell
//! an assertion about the arguments from one about the inside, and where it is
//! not, nobody is worse off than without the source.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};
use testsmith_model::outcome::{Origin, Panic};

/// A statement that goes on for longer is cut.
const MAX_LINES: usize = 6;

/// File, line and column.
type Place = (String, u32, u32);

/// Most failures of a run share a few places.
static KNOWN: LazyLock<Mutex<HashMap<Place, Option<Origin>>>> = LazyLock::new(Default::default);

/// The code at the place of a panic, if its file can be read.
pub fn of(panic: &Panic) -> Option<Origin> {
    let place: Place = (panic.file.clone(), panic.line, panic.column);
    let mut known = KNOWN.lock().ok()?;
    let read = || {
        let text = std::fs::read_to_string(&panic.file).ok()?;
        read(&text, panic.line as usize, panic.column as usize)
    };
    known.entry(place).or_insert_with(read).clone()
}

fn read(text: &str, line: usize, column: usize) -> Option<Origin> {
    let lines: Vec<&str> = text.lines().collect();
    let at = line.checked_sub(1)?;
    let first = lines.get(at)?;
    let start: String = first.chars().skip(column.checked_sub(1)?).collect();
    let rest = lines[at + 1..].iter().take(MAX_LINES - 1).map(|line| line.trim().to_owned());
    let all: Vec<String> = std::iter::once(start).chain(rest).collect();
    let all = all.join(" ");
    let statement = all.split(';').next().unwrap_or(&all).to_owned();
    let function = lines[..=at].iter().rev().find_map(|line| function_name(line))?;
    Some(Origin { statement, function })
}

/// The name in a line that begins a function.
fn function_name(line: &str) -> Option<String> {
    let code = line.split("//").next().unwrap_or(line);
    let (before, after) = code.split_once("fn ")?;
    let whole = before.is_empty() || before.ends_with(|c: char| c.is_whitespace());
    let name: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (whole && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statement_and_its_function_are_found() {
        let text = "impl A {\n    /// A fn of n.\n    pub fn put(&mut self, n: usize) {\n        \
                    assert!(\n            n < 3,\n            \"too many\"\n        );\n    }\n}\n";
        let origin = read(text, 4, 9).unwrap();
        assert_eq!(origin.function, "put");
        assert_eq!(origin.statement, "assert!( n < 3, \"too many\" )");
    }

    #[test]
    fn a_place_that_is_not_there_is_nothing() {
        assert_eq!(read("fn a() {}\n", 7, 1), None);
        assert_eq!(read("", 0, 0), None);
    }
}
