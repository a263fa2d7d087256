//! Values as text, where they have one.
//!
//! A clause may stand in generic code whose types are not `Debug`; the choice
//! is made by method resolution at the place of the clause, so nothing is asked
//! of the user's types. Texts are bounded, because a broken structure may print
//! forever.

use std::fmt::{self, Debug, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::violation::Note;

/// More than this of one value does not help a reader.
const LONGEST_TEXT: usize = 400;

/// A value that might be `Debug`.
pub struct Show<'a, T: ?Sized>(pub &'a T);

/// Chosen first: the type is `Debug`.
pub trait WithDebug {
    fn text(&self) -> Option<String>;
}

impl<T: Debug + ?Sized> WithDebug for Show<'_, T> {
    fn text(&self) -> Option<String> {
        bounded_debug(self.0)
    }
}

/// Chosen otherwise, because it needs one more reference.
pub trait WithoutDebug {
    fn text(&self) -> Option<String>;
}

impl<T: ?Sized> WithoutDebug for &Show<'_, T> {
    fn text(&self) -> Option<String> {
        None
    }
}

/// The `Debug` text, or nothing if printing panics, which a broken object may.
fn bounded_debug<T: Debug + ?Sized>(value: &T) -> Option<String> {
    let mut text = Bounded(String::new());
    let printed = catch_unwind(AssertUnwindSafe(|| write!(text, "{value:?}"))).is_ok();
    printed.then_some(text.0)
}

struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let room = LONGEST_TEXT.saturating_sub(self.0.len());
        if piece.len() <= room {
            self.0.push_str(piece);
            return Ok(());
        }
        let end = (0..=room).rev().find(|&end| piece.is_char_boundary(end)).unwrap_or(0);
        self.0.push_str(&piece[..end]);
        self.0.push_str(" ...");
        Err(fmt::Error)
    }
}

/// What an explanation collects: one line per value, each label once.
#[derive(Default)]
pub struct Notes {
    pub values: Vec<Note>,
    pub olds: Vec<Note>,
    pub arguments: Vec<Note>,
}

impl Notes {
    pub fn value(&mut self, label: &str, text: Option<String>) {
        add(&mut self.values, label, text);
    }

    pub fn old(&mut self, label: &str, text: Option<String>) {
        add(&mut self.olds, label, text);
    }

    pub fn argument(&mut self, label: &str, text: Option<String>) {
        add(&mut self.arguments, label, text);
    }
}

fn add(notes: &mut Vec<Note>, label: &str, text: Option<String>) {
    if let Some(value) = text
        && notes.iter().all(|note| note.label != label)
    {
        notes.push(Note { label: label.to_owned(), value });
    }
}

#[cfg(test)]
#[allow(clippy::needless_borrow, reason = "the borrow is what chooses between the traits")]
mod tests {
    use super::*;

    #[test]
    fn a_type_without_debug_gives_no_text_and_one_with_it_does() {
        struct Opaque;
        assert_eq!((&Show(&Opaque)).text(), None);
        assert_eq!((&Show(&vec![1, 2])).text().as_deref(), Some("[1, 2]"));
        assert_eq!((&Show("abc")).text().as_deref(), Some("\"abc\""));
    }

    #[test]
    fn a_value_that_prints_forever_is_cut() {
        struct Endless;
        impl Debug for Endless {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                loop {
                    f.write_str("äö")?;
                }
            }
        }
        let text = (&Show(&Endless)).text().expect("Endless is Debug");
        assert!(text.len() <= LONGEST_TEXT + 4 && text.ends_with(" ..."));
    }
}
