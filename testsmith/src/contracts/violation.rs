//! A broken contract: what a person reads and what a tool reads.
//!
//! The panic payload is a `String`, so that the default panic hook,
//! `#[should_panic(expected = "..")]` and tools that know nothing of this crate
//! can all read it. Its last line is for machines and has a fixed form, from
//! which [`Violation::from_message`] gets the typed value back; in the thread
//! that panicked [`Violation::from_payload`] hands over the original with all
//! values noted. Nothing here raises a panic.

use std::any::Any;
use std::cell::RefCell;
use std::fmt::{self, Display};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What was promised, and by whom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A precondition: the caller's promise.
    Requires,
    /// A postcondition: the function's promise.
    Ensures,
    /// An invariant: the type's promise to everyone.
    Invariant,
    /// A `#[pure]` function changed what it was only to look at.
    Pure,
    /// A loop: what holds in every round.
    Loop,
}

impl Kind {
    /// The word in the machine-readable line and in records.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Requires => "requires",
            Kind::Ensures => "ensures",
            Kind::Invariant => "invariant",
            Kind::Pure => "pure",
            Kind::Loop => "loop",
        }
    }

    /// The kind of that word.
    pub fn from_word(word: &str) -> Option<Kind> {
        [Kind::Requires, Kind::Ensures, Kind::Invariant, Kind::Pure, Kind::Loop]
            .into_iter()
            .find(|kind| kind.word() == word)
    }
}

/// When a clause was evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Moment {
    /// Before the body ran.
    Before,
    /// After the body ran.
    After,
}

impl Moment {
    fn word(self) -> &'static str {
        match self {
            Moment::Before => "before",
            Moment::After => "after",
        }
    }
}

/// The identity of a clause: function, index, text and place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clause {
    /// The function's own name, without its path.
    pub function: String,
    /// Its number among the clauses of the function or invariant, from 0.
    pub index: u32,
    /// The condition as written.
    pub text: String,
    /// What the author says to whoever breaks it.
    pub message: Option<String>,
    /// `file:line:column` of the condition.
    pub place: String,
}

/// A value seen when the clause failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The expression as written.
    pub label: String,
    /// Its `Debug` text.
    pub value: String,
}

/// A broken contract.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Violation {
    /// Which promise was broken.
    pub kind: Kind,
    /// Before or after the body.
    pub moment: Moment,
    /// The full path of the function, as the compiler names it.
    pub function: String,
    /// Which clause.
    pub clause: Clause,
    /// How many contracted calls were running around this one. A precondition
    /// broken at depth 0 is the fault of the code that called in; deeper, it is
    /// a bug of the function one level up.
    pub depth: u32,
    /// `file:line:column` of the call, for preconditions of ordinary functions.
    pub caller: Option<String>,
    /// Sub-expressions of the clause.
    pub values: Vec<Note>,
    /// What `old(..)` had captured.
    pub olds: Vec<Note>,
    /// The arguments of the call; after the body only those that it cannot have
    /// moved or changed.
    pub arguments: Vec<Note>,
    /// The clause held when evaluated again: it is not a pure condition.
    pub unsteady: bool,
    /// The clause has no value here: evaluating it panicked, with this text. Whoever wrote
    /// the clause has to say what it means in such a case.
    pub panicked: Option<String>,
}

/// Runs code and gives the violation it ends in, if any: for tests of contracts.
/// Any other panic goes on.
///
/// ```
/// use testsmith::{contracts::violation_of, requires};
///
/// #[requires(n > 0)]
/// fn half(n: u32) -> u32 {
///     n / 2
/// }
///
/// assert!(violation_of(|| half(2)).is_none());
/// assert_eq!(violation_of(|| half(0)).unwrap().clause.text, "n > 0");
/// ```
pub fn violation_of<R>(code: impl FnOnce() -> R) -> Option<Violation> {
    let payload = catch_unwind(AssertUnwindSafe(code)).err()?;
    match Violation::from_payload(&*payload) {
        Some(violation) => Some(violation),
        None => resume_unwind(payload),
    }
}

/// How the machine-readable line begins; the number is the version.
const MARK: &str = "  [testsmith-contract 1; ";

impl Violation {
    /// The violation behind a caught panic, if it is one.
    ///
    /// In the thread that panicked this is the original with every value; for
    /// an older payload, or one from another thread, it is read back from the
    /// message and holds no notes.
    pub fn from_payload(payload: &(dyn Any + Send)) -> Option<Violation> {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let message = text.or_else(|| payload.downcast_ref::<&'static str>().copied())?;
        let kept = LAST.with_borrow(|last| last.clone());
        match kept {
            Some(violation) if violation.to_string() == message => Some(violation),
            _ => Violation::from_message(message),
        }
    }

    /// Reads the typed fields back from a panic message.
    pub fn from_message(message: &str) -> Option<Violation> {
        let line = message.lines().rev().find_map(|line| line.strip_prefix(MARK))?;
        let fields = split_fields(line.strip_suffix(']')?);
        let field = |name: &str| {
            let found = fields.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
        };
        let moment = match field("moment")?.as_str() {
            "before" => Moment::Before,
            "after" => Moment::After,
            _ => return None,
        };
        let clause = Clause {
            function: field("name")?,
            index: field("clause")?.parse().ok()?,
            text: field("text")?,
            message: field("message"),
            place: field("place")?,
        };
        Some(Violation {
            kind: Kind::from_word(&field("kind")?)?,
            moment,
            function: field("function")?,
            clause,
            depth: field("depth")?.parse().ok()?,
            caller: field("caller"),
            values: Vec::new(),
            olds: Vec::new(),
            arguments: Vec::new(),
            unsteady: false,
            panicked: field("panic"),
        })
    }

    /// The first words of the message, which say what was broken where.
    fn headline(&self) -> String {
        let promise = match (self.kind, self.moment) {
            (Kind::Requires, _) => "Pre-condition",
            (Kind::Ensures, _) => "Post-condition",
            (Kind::Invariant, Moment::Before) => "Invariant (as pre-condition)",
            (Kind::Invariant, Moment::After) => "Invariant (as post-condition)",
            (Kind::Pure, _) => "Purity",
            (Kind::Loop, _) => "Loop invariant",
        };
        let broken = if self.panicked.is_some() { "panics itself" } else { "violated" };
        let mut line = format!("{promise} of {} {broken}", self.clause.function);
        for part in self.clause.message.iter().chain([&self.clause.text]) {
            line.push_str(": ");
            line.push_str(part);
        }
        line
    }

    /// Whom to look at, in one sentence.
    fn advice(&self) -> String {
        let name = &self.clause.function;
        if let Some(panic) = &self.panicked {
            return format!("evaluating it panicked: {panic}");
        }
        match (self.kind, self.moment, &self.caller) {
            (Kind::Requires, _, Some(caller)) => {
                format!("the call of {name} at {caller} does not meet it")
            }
            (Kind::Requires, _, None) => format!("the caller of {name} does not meet it"),
            (Kind::Ensures, _, _) => format!("the body of {name} does not keep it"),
            (Kind::Invariant, Moment::Before, _) => {
                format!("it was already broken when {name} was called")
            }
            (Kind::Invariant, Moment::After, _) => format!("{name} does not keep it"),
            (Kind::Pure, _, _) => format!("{name} changed what it was only to look at"),
            (Kind::Loop, _, _) => format!("a round of the loop in {name} does not keep it"),
        }
    }

    fn machine_line(&self) -> String {
        let index = self.clause.index.to_string();
        let depth = self.depth.to_string();
        let fields = [
            ("kind", self.kind.word()),
            ("moment", self.moment.word()),
            ("clause", &index),
            ("depth", &depth),
            ("name", &self.clause.function),
            ("place", &self.clause.place),
            ("caller", self.caller.as_deref().unwrap_or_default()),
            ("function", &self.function),
            ("message", self.clause.message.as_deref().unwrap_or_default()),
            ("text", &self.clause.text),
        ];
        let panicked = self.panicked.as_deref().map(|text| ("panic", text));
        let fields: Vec<String> = fields
            .iter()
            .chain(&panicked)
            .map(|(key, value)| format!("{key}={}", escape(value)))
            .collect();
        format!("{MARK}{}]", fields.join("; "))
    }
}

impl Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.headline())?;
        writeln!(f, "  {}", self.advice())?;
        writeln!(f, "  in {}, written at {}", self.function, self.clause.place)?;
        for (title, notes) in [
            ("values", &self.values),
            ("before the call", &self.olds),
            ("called with", &self.arguments),
        ] {
            if !notes.is_empty() {
                writeln!(f, "  {title}:")?;
            }
            for note in notes {
                writeln!(f, "    {} = {}", note.label, note.value)?;
            }
        }
        if self.unsteady {
            writeln!(f, "  note: evaluated again, the clause held: it is not a pure condition")?;
        }
        f.write_str(&self.machine_line())
    }
}

/// Makes a value fit into a field: one line, no bare separator.
pub(super) fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace(';', "\\,")
}

/// The reverse of [`escape`].
pub(super) fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => text.push('\n'),
                Some('r') => text.push('\r'),
                Some(',') => text.push(';'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            other => text.push(other),
        }
    }
    text
}

fn split_fields(line: &str) -> Vec<(String, String)> {
    let fields = line.split("; ").filter_map(|field| field.split_once('='));
    fields.map(|(key, value)| (key.to_owned(), unescape(value))).collect()
}

thread_local! {
    static LAST: RefCell<Option<Violation>> = const { RefCell::new(None) };
}

/// Remembers the violation about to be raised, for [`Violation::from_payload`].
pub(super) fn keep(violation: &Violation) {
    LAST.with_borrow_mut(|last| *last = Some(violation.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Violation {
        Violation {
            kind: Kind::Requires,
            moment: Moment::Before,
            function: "calc::<A as B>::sum".into(),
            clause: Clause {
                function: "sum".into(),
                index: 3,
                text: "{ let n = s.len(); n >= 2 }\n&& c != '\\\\'".into(),
                message: Some("two; or more".into()),
                place: "src/calc.rs:12:7".into(),
            },
            depth: 2,
            caller: Some("src/main.rs:1:2".into()),
            values: Vec::new(),
            olds: Vec::new(),
            arguments: Vec::new(),
            unsteady: false,
            panicked: Some("index out of bounds".into()),
        }
    }

    #[test]
    fn the_message_gives_the_typed_fields_back() {
        let violation = sample();
        assert_eq!(Violation::from_message(&violation.to_string()), Some(violation));
    }

    #[test]
    fn other_panics_are_not_taken_for_violations() {
        assert_eq!(Violation::from_message("index out of bounds"), None);
        assert_eq!(Violation::from_message("  [testsmith-contract 1; kind=requires]"), None);
        assert_eq!(Violation::from_payload(&7_i32), None);
    }
}
