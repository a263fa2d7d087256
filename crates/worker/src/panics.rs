//! Catches panics with their message and place.
//!
//! The hook notes what it sees and prints nothing. Code under test may set a
//! hook of its own; then the message comes from the payload, the place is
//! unknown, and our hook is put back.

use crate::watched;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use testsmith_model::outcome::{ANOTHER_PANIC, MAX_TEXT, Panic};

thread_local! {
    /// What the hook saw since the last call, the first few and the last one.
    static SEEN: RefCell<Vec<Panic>> = const { RefCell::new(Vec::new()) };
}

/// More panics in one call than this are not told apart.
const MOST_SEEN: usize = 8;

/// What the checks of the language say of memory, before they end the process.
const MISUSES: [&str; 3] = [
    "unsafe precondition(s) violated",
    "misaligned pointer dereference",
    "null pointer dereference occurred",
];

pub fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        // What is noted here is ours and outlives the call.
        let watching = watched::is_on();
        watched::set(false);
        let place = info.location();
        let panic = Panic {
            message: clip(message(info.payload())),
            file: place.map_or(String::new(), |place| place.file().to_owned()),
            line: place.map_or(0, |place| place.line()),
            column: place.map_or(0, |place| place.column()),
            ..Panic::default()
        };
        let found = MISUSES.iter().find(|misuse| panic.message.starts_with(*misuse));
        if let Some(misuse) = found {
            eprintln!("{misuse}");
        }
        SEEN.with(|seen| {
            if let Ok(mut seen) = seen.try_borrow_mut() {
                if !seen.is_empty() || found.is_some() {
                    tell(&panic);
                }
                seen.truncate(MOST_SEEN - 1);
                seen.push(panic);
            }
        });
        watched::set(watching);
    }));
}

/// Says where another panic comes upon one: if it ends the process nobody else can.
fn tell(panic: &Panic) {
    // The standard library says with one of its own that there were two.
    if panic.file.ends_with("core/src/panicking.rs") {
        return;
    }
    let file = panic.file.rsplit('/').next().unwrap_or_default();
    eprintln!("{ANOTHER_PANIC}{file}:{}", panic.line);
}

/// Runs code under test.
#[inline]
pub fn catching<T>(run: impl FnOnce() -> T) -> Result<T, Panic> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(value) => Ok(value),
        Err(payload) => Err(note(payload)),
    }
}

#[cold]
fn note(payload: Box<dyn Any + Send>) -> Panic {
    let seen = SEEN.with(|seen| std::mem::take(&mut *seen.borrow_mut()));
    let panic = cause(seen, &clip(message(&*payload)));
    // A payload may panic when dropped; that is no business of the call.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
    SEEN.with(|seen| seen.borrow_mut().clear());
    panic
}

/// The panic that ended the call: the last one with the text of the payload, because
/// others may have been caught by the code under test itself; else the first, because
/// those while unwinding follow from it.
fn cause(mut seen: Vec<Panic>, text: &str) -> Panic {
    if seen.is_empty() {
        install_hook();
        return Panic { message: text.to_owned(), ..Panic::default() };
    }
    let last = seen.iter().rposition(|panic| panic.message == text);
    seen.swap_remove(last.unwrap_or(0))
}

fn message(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "a value that is not text".to_owned(),
    }
}

/// Cuts at a boundary of characters.
pub fn clip(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let mut end = MAX_TEXT;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_that_was_caught_on_the_way_is_not_the_cause() {
        install_hook();
        let ended = catching(|| {
            let caught = catch_unwind(|| panic!("inside"));
            assert!(caught.is_err());
            panic!("at last");
        });
        let panic = ended.map(|(): ()| ()).expect_err("it panics");
        assert_eq!(panic.message, "at last");
        assert_eq!(catching(|| panic!("next")).map(|(): ()| ()).expect_err("it").message, "next");
        let _ = std::panic::take_hook();
    }
}
