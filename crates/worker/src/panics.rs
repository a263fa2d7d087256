//! Catches panics with their message and place.
//!
//! The hook notes what it sees and prints nothing. Code under test may set a
//! hook of its own; then the message comes from the payload, the place is
//! unknown, and our hook is put back.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use testsmith_model::outcome::{MAX_TEXT, Panic};

thread_local! {
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

pub fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location();
        let panic = Panic {
            message: clip(message(info.payload())),
            file: place.map_or(String::new(), |place| place.file().to_owned()),
            line: place.map_or(0, |place| place.line()),
            column: place.map_or(0, |place| place.column()),
            ..Panic::default()
        };
        // The first panic is the cause; those while unwinding follow from it.
        LAST.with(|last| {
            if let Ok(mut last) = last.try_borrow_mut() {
                last.get_or_insert(panic);
            }
        });
    }));
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
    let noted = LAST.with(|last| last.borrow_mut().take());
    let panic = noted.unwrap_or_else(|| {
        install_hook();
        Panic { message: clip(message(&*payload)), ..Panic::default() }
    });
    // A payload may panic when dropped; that is no business of the call.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
    LAST.with(|last| last.borrow_mut().take());
    panic
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
