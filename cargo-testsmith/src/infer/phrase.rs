//! A clause as a phrase: «add 1 to `self.len()`», for the names of tests and for people.

use testsmith_infer::{Atom, Contract, Data, Form};
use testsmith_model::observation::Occasion;
use testsmith_model::relation::Relation;

/// What a function does, by a verb, and where it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    verb: &'static str,
    rest: String,
    /// The condition under which it does.
    when: Option<String>,
}

impl Phrase {
    /// What a promise says; a whole sentence of a condition where there is no verb for it.
    pub(super) fn of(data: &Data, contract: &Contract) -> Phrase {
        let clause = &contract.clause;
        let words = Asked::new(data, contract.watch);
        let (verb, rest) = words.promise(&clause.atom);
        let when = clause.when.map(|when| data.atom_words(contract.watch, &when, false));
        Phrase { verb, rest, when }
    }

    /// `add 1 to self.len() where !self.has(good)`
    pub(super) fn infinitive(&self) -> String {
        let Phrase { verb, rest, when } = self;
        match when {
            Some(when) => format!("{verb} {rest} where `{when}`"),
            None => format!("{verb} {rest}"),
        }
    }

    /// The same as a part of a name: `adds_1_to_len`; none if it would be too long for one.
    pub(super) fn name(&self) -> Option<String> {
        const LONGEST: usize = 40;
        let (never, verb) = match self.verb.strip_prefix("never ") {
            Some(verb) => ("never ", verb),
            None => ("", self.verb),
        };
        let plain = |text: &str| {
            let text = text.replace("self.", "").replace("ret.", "").replace("!", "not ");
            text.replace("==", "is").replace('`', "")
        };
        let when = match &self.when {
            Some(when) => format!(" where {}", plain(when)),
            None => String::new(),
        };
        let text = format!("{never}{verb}s {}{when}", plain(&self.rest));
        let sound = !text.contains(['<', '>', '*', '+', '-']) && !text.contains("old(");
        let name = testsmith_render::snake(&text);
        (sound && self.verb != SEE && name.len() <= LONGEST).then_some(name)
    }
}

/// Where there is no better verb.
const SEE: &str = "see to it that";

/// The columns of a watch, and what they ask.
struct Asked<'d> {
    data: &'d Data<'d>,
    watch: usize,
    before: usize,
}

impl<'d> Asked<'d> {
    fn new(data: &'d Data<'d>, watch: usize) -> Asked<'d> {
        Asked { data, watch, before: data.watches[watch].before.len() }
    }

    /// The verb and the rest.
    fn promise(&self, atom: &Atom) -> (&'static str, String) {
        let (a, b) = (self.text(atom.a), self.text(atom.b));
        let of_values = matches!(self.data.watches[self.watch].occasion, Occasion::Values { .. });
        let after = |column: u16| usize::from(column) >= self.before;
        if of_values || !after(atom.a) {
            return self.sentence(atom);
        }
        let same = !after(atom.b) && a == b;
        let is_result = a == "ret" || a.starts_with("*ret");
        match atom.form {
            Form::Says { yes } if is_result => ("give", yes.to_string()),
            Form::Says { yes } => match adjective(&a) {
                Some((who, adjective)) => {
                    let not = if yes { "" } else { "not " };
                    let verb = if who == "ret" { "give" } else { "leave" };
                    let it = if who == "self" { "it".to_owned() } else { format!("`{who}`") };
                    match who {
                        "ret" => (verb, format!("what is {not}{adjective}")),
                        _ => (verb, format!("{it} {not}{adjective}")),
                    }
                }
                None => ("make", format!("`{a}` {yes}")),
            },
            Form::Pair { relation: Relation::Equal, plus } if same => match plus {
                0 => ("keep", format!("`{a}`")),
                n if n > 0 => ("add", format!("{n} to `{a}`")),
                n => ("take", format!("{} from `{a}`", -n)),
            },
            Form::Pair { relation: Relation::AtLeast, plus: 0 } if same => {
                ("never lower", format!("`{a}`"))
            }
            Form::Pair { relation: Relation::AtMost, plus: 0 } if same => {
                ("never raise", format!("`{a}`"))
            }
            Form::Pair { relation: Relation::Equal, plus: 0 } if is_result && !after(atom.b) => {
                ("give", format!("`{b}`"))
            }
            Form::Pair { relation: Relation::Unequal, plus: 0 } if is_result && !after(atom.b) => {
                ("give", format!("the opposite of `{b}`"))
            }
            Form::Constant { relation: Relation::Equal } if is_result => {
                ("give", format!("{}", atom.c))
            }
            Form::Constant { relation: Relation::Equal } => ("set", format!("`{a}` to {}", atom.c)),
            _ => self.sentence(atom),
        }
    }

    fn sentence(&self, atom: &Atom) -> (&'static str, String) {
        (SEE, format!("`{}`", self.data.atom_words(self.watch, atom, true)))
    }

    /// What a column asks, whenever it does.
    fn text(&self, column: u16) -> String {
        let text = self.data.column(self.watch, column.into());
        let inner = text.strip_prefix("old(").and_then(|rest| rest.strip_suffix(')'));
        inner.map_or(text.clone(), str::to_owned)
    }
}

/// `self.is_empty()` as who is what.
fn adjective(asked: &str) -> Option<(&str, String)> {
    let (who, query) = asked.split_once('.')?;
    let word = query.strip_prefix("is_")?.strip_suffix("()")?;
    (!word.contains(['.', '('])).then(|| (who, word.replace('_', " ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrase(verb: &'static str, rest: &str, when: Option<&str>) -> Phrase {
        Phrase { verb, rest: rest.to_owned(), when: when.map(str::to_owned) }
    }

    #[test]
    fn a_phrase_becomes_a_part_of_a_name() {
        let check = |phrase: Phrase, name: Option<&str>| {
            assert_eq!(phrase.name().as_deref(), name, "{phrase:?}");
        };
        check(phrase("add", "1 to `self.len()`", None), Some("adds_1_to_len"));
        check(phrase("leave", "it empty", None), Some("leaves_it_empty"));
        let there = phrase("keep", "`self.len()`", Some("!self.has(good)"));
        check(there.clone(), Some("keeps_len_where_not_has_good"));
        assert_eq!(there.infinitive(), "keep `self.len()` where `!self.has(good)`");
        check(phrase("never raise", "`self.len()`", None), Some("never_raises_len"));
        check(phrase(SEE, "`a == b`", None), None);
        check(phrase("give", "`a + 1`", None), None);
    }

    #[test]
    fn an_answer_is_an_adjective_where_it_is_named_so() {
        assert_eq!(adjective("self.is_empty()"), Some(("self", "empty".to_owned())));
        assert_eq!(adjective("self.has(good)"), None);
        assert_eq!(adjective("self.is_in(good)"), None);
        assert_eq!(adjective("self.is_some().x()"), None);
    }
}
