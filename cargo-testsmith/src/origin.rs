//! The code at the place of a panic, read once for each place.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};
use testsmith_model::outcome::{Origin, Panic};

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
        testsmith_discover::origin(&text, panic.line, panic.column)
    };
    known.entry(place).or_insert_with(read).clone()
}
