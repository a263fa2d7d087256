//! How much of texts and lists is followed.
//!
//! As much as the clauses speak of: their texts have to fit, and so do the lengths and
//! positions that they name. A search that comes to nothing looks again with more, until
//! there is no more. Nothing is parsed here, only words and literals are looked for.

use crate::concrete::Concrete;
use crate::goal::Goal;
use crate::system::{Function, System, TypeId};

/// Numbers beyond are no lengths that anyone would write down as a literal.
const MAX_NAMED: usize = 160;
/// What a text or a list has beyond what is spoken of.
const SLACK: usize = 2;
/// Steps of growth, of which each has to be more than the one before.
const TEXTS: [usize; 2] = [64, MAX_NAMED + SLACK];
const LISTS: [usize; 2] = [16, 40];

/// Lengths up to which texts and lists are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Room {
    /// Characters of a text.
    pub text: usize,
    /// Elements of a list.
    pub items: usize,
    /// Elements of a list that is made up.
    pub written: usize,
    /// Whether texts hold any characters, or printable ASCII.
    pub any_char: bool,
}

impl Default for Room {
    fn default() -> Room {
        Room { text: 24, items: 8, written: 6, any_char: false }
    }
}

impl Room {
    /// What a goal and the contracts of the objects that it is about speak of.
    pub fn asked_for(system: &System, goal: &Goal, objects: &[TypeId]) -> Room {
        let mut room = Room::default();
        goal.clauses.iter().for_each(|clause| room.take(&clause.text));
        texts_about(system, objects).for_each(|text| room.take(text));
        room
    }

    /// The same with room for a text and a list of this length.
    pub(crate) fn with(mut self, text: usize, items: usize, any_char: bool) -> Room {
        self.text = self.text.max(text);
        self.items = self.items.max(items);
        self.written = self.written.max(items);
        self.any_char |= any_char;
        self
    }

    /// More room; none if this is the most there is.
    pub(crate) fn grown(self) -> Option<Room> {
        let next = |now: usize, steps: [usize; 2]| steps.into_iter().find(|step| *step > now);
        let (text, items) = (next(self.text, TEXTS), next(self.items, LISTS));
        if text.is_none() && items.is_none() && self.any_char {
            return None;
        }
        Some(self.with(text.unwrap_or_default(), items.unwrap_or_default(), true))
    }

    /// Whether a value has room.
    pub(crate) fn holds(&self, value: &Concrete) -> bool {
        let (text, items, other) = value.size();
        text <= self.text && items <= self.items && (self.any_char || !other)
    }

    /// Makes room for what a clause names.
    fn take(&mut self, clause: &str) {
        let literals = Literals::of(clause);
        let texts = literals.texts.iter().map(|text| text.chars().count());
        let longest = texts.max().map_or(0, |longest| longest + SLACK);
        let named = if literals.is_about_lengths { literals.most + SLACK } else { 0 };
        let plain = |text: &String| text.chars().all(|c| (' '..='~').contains(&c));
        let any_char = literals.is_about_bytes || !literals.texts.iter().all(plain);
        *self = self.with(longest.max(named), named, any_char);
    }
}

/// The contracts and bodies that are about objects of these types.
pub(crate) fn texts_about<'s>(
    system: &'s System,
    objects: &[TypeId],
) -> impl Iterator<Item = &'s str> {
    let is_about = move |function: &&Function| {
        let mut given = function.params.iter().map(|param| &param.sort);
        let made = function.ret.made_object().map(|(ty, _)| ty);
        let is_one = |ty: &TypeId| objects.contains(ty);
        function.owner.as_ref().is_some_and(is_one)
            || made.as_ref().is_some_and(is_one)
            || given.any(|sort| sort.made_object().is_some_and(|(ty, _)| is_one(&ty)))
    };
    let functions = system.functions.iter().filter(is_about).flat_map(|function| {
        let clauses = function.requires.iter().chain(&function.ensures);
        clauses.map(|clause| clause.text.as_str()).chain(function.body.as_deref())
    });
    let invariants = objects.iter().flat_map(|ty| &system.types[*ty].invariants);
    functions.chain(invariants.map(|clause| clause.text.as_str()))
}

/// The names in a text.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Literals and words of a clause.
#[derive(Default)]
struct Literals {
    texts: Vec<String>,
    /// The greatest number that may be a length.
    most: usize,
    is_about_lengths: bool,
    /// Whether characters that take several bytes may matter.
    is_about_bytes: bool,
}

/// Words that stand beside a length or a position.
const LENGTHS: [&str; 8] = ["len", "count", "nth", "skip", "take", "get", "windows", "is_sorted"];

impl Literals {
    fn of(clause: &str) -> Literals {
        let mut literals = Literals::default();
        let mut rest = clause;
        let mut sum = 0;
        while let Some(c) = rest.chars().next() {
            let mut len = c.len_utf8();
            match c {
                '"' | '\'' => {
                    let (text, all) = quoted(rest, c);
                    literals.texts.extend(text);
                    len = all;
                }
                '[' => literals.is_about_lengths = true,
                _ if c.is_ascii_digit() => {
                    len = length(rest, |c| c.is_ascii_alphanumeric() || c == '_');
                    let digits: String = rest[..len].chars().filter(|c| *c != '_').collect();
                    let end = length(&digits, |c| c.is_ascii_digit());
                    let number = digits[..end].parse().unwrap_or(usize::MAX);
                    if number <= MAX_NAMED {
                        literals.most = literals.most.max(number);
                        sum += number;
                    }
                }
                _ if c.is_alphabetic() || c == '_' => {
                    len = length(rest, |c| c.is_alphanumeric() || c == '_');
                    literals.is_about_lengths |= LENGTHS.contains(&&rest[..len]);
                    literals.is_about_bytes |= matches!(&rest[..len], "is_ascii" | "len_utf8");
                }
                _ => {}
            }
            rest = &rest[len..];
        }
        // `skip(5).take(5)`: the end is where both are put together.
        if sum <= MAX_NAMED {
            literals.most = sum;
        }
        literals
    }
}

fn length(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

/// The text of a literal at the beginning, if it is one, and how long it is as it is written.
fn quoted(text: &str, quote: char) -> (Option<String>, usize) {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => {
                let end = at + c.len_utf8();
                let written = &text[..end];
                let value = match quote {
                    '"' => syn::parse_str::<syn::LitStr>(written).map(|lit| lit.value()),
                    _ => syn::parse_str::<syn::LitChar>(written).map(|lit| lit.value().into()),
                };
                return (value.ok(), end);
            }
            // A lifetime.
            _ if quote == '\'' && at > 1 && !c.is_alphanumeric() && c != '{' => break,
            _ => {}
        }
    }
    (None, quote.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_what_clauses_speak_of() {
        let check = |clause: &str, text: usize, items: usize, any_char: bool| {
            let mut room = Room { text: 1, items: 1, written: 1, any_char: false };
            room.take(clause);
            assert_eq!((room.text, room.items, room.any_char), (text, items, any_char), "{clause}");
        };
        check("text.len() == 37", 39, 39, false);
        check("self.count() > 5 && n == 1_000_000", 7, 7, false);
        check("n == 37", 1, 1, false);
        check("word.chars().skip(5).take(5).all(|c| c == 'x')", 12, 12, false);
        check("text.starts_with(\"a \\\"word\\\"\")", 10, 1, false);
        check("text == \"größer\"", 8, 1, true);
        check("items[12] == 'ß'", 14, 14, true);
        check("!text.is_ascii()", 1, 1, true);
        check("self.of::<'a>() == 0x20 && x.len() == 10usize", 12, 12, false);
    }

    #[test]
    fn room_grows_and_ends() {
        let mut room = Room::default();
        let mut steps = 0;
        while let Some(more) = room.grown() {
            assert!(more > room && more.text >= room.text && more.items >= room.items);
            (room, steps) = (more, steps + 1);
            assert!(steps < 10);
        }
        assert_eq!((room.text, room.items, room.any_char), (MAX_NAMED + SLACK, 40, true));
    }
}
