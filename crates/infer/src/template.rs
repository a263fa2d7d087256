//! Templates of clauses: data, one file each in `templates/`, with examples on both sides.
//!
//! A form is a condition over one or two answers `{a}` and `{b}` or a number `{c}`.

use serde::Deserialize;
use std::sync::LazyLock;
use testsmith_model::relation::Relation;

/// What a template says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// `{a}`, or `!{a}`
    Says { yes: bool },
    /// `{a} == {c}`
    Constant { relation: Relation },
    /// `{a} == {b} + 1`
    Pair { relation: Relation, plus: i64 },
    /// `{a} == ({b} == 0)`
    Means { relation: Relation },
}

impl Form {
    /// Whether it is true of these; what it does not speak of does not matter.
    #[inline(always)]
    pub fn holds(self, a: i64, b: i64, c: i64) -> bool {
        match self {
            Form::Says { yes } => (a != 0) == yes,
            Form::Constant { relation } => relation.holds(a, c),
            Form::Pair { relation, plus } => relation.holds(a, b.wrapping_add(plus)),
            Form::Means { relation } => (a != 0) == relation.holds(b, 0),
        }
    }

    fn parse(text: &str) -> Option<Form> {
        match text {
            "{a}" => return Some(Form::Says { yes: true }),
            "!{a}" => return Some(Form::Says { yes: false }),
            _ => {}
        }
        let rest = text.strip_prefix("{a} ")?;
        let relation = Relation::written;
        let (written, right) = rest.split_once(' ')?;
        if let Some(inner) = right.strip_prefix("({b} ") {
            let inner = inner.strip_suffix(" 0)")?;
            return (written == "==").then_some(Form::Means { relation: relation(inner)? });
        }
        let outer = relation(written)?;
        Some(match right {
            "{c}" => Form::Constant { relation: outer },
            "{b}" => Form::Pair { relation: outer, plus: 0 },
            "{b} + 1" => Form::Pair { relation: outer, plus: 1 },
            "{b} - 1" => Form::Pair { relation: outer, plus: -1 },
            _ => return None,
        })
    }
}

/// What the sides of a pair are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Of {
    #[default]
    Any,
    /// Yes or no.
    Answers,
    Numbers,
    /// Of one enum.
    Names,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    form: String,
    #[serde(default)]
    of: Of,
    /// The only numbers for `{c}`; without them it is the one that was seen.
    #[serde(default)]
    constants: Vec<i64>,
    why: String,
    /// Values of which it is true, and of which it is not.
    holds: Vec<String>,
    fails: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Template {
    pub name: &'static str,
    pub form: Form,
    pub of: Of,
    pub constants: Vec<i64>,
    pub why: String,
    holds: Vec<Vec<i64>>,
    fails: Vec<Vec<i64>>,
}

impl Template {
    /// The examples in its file that it gets wrong.
    pub fn mistakes(&self) -> Vec<&[i64]> {
        let wrong = |values: &&Vec<i64>, wanted: bool| {
            let at = |n: usize| values.get(n).copied().unwrap_or_default();
            self.form.holds(at(0), at(1), at(1)) != wanted
        };
        let held = self.holds.iter().filter(|values| wrong(values, true));
        let failed = self.fails.iter().filter(|values| wrong(values, false));
        held.chain(failed).map(Vec::as_slice).collect()
    }
}

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../templates/", $name, ".toml")))),*]
    };
}

/// In the order of how well they read.
static FILES: &[(&str, &str)] = files![
    "a_query_says_yes"
    "a_query_says_no"
    "a_number_is_always_the_same"
    "two_numbers_are_equal"
    "two_names_are_the_same"
    "two_answers_agree"
    "two_answers_differ"
    "yes_means_zero"
    "yes_means_not_zero"
    "a_number_is_one_more"
    "a_number_is_one_less"
    "a_number_is_smaller"
    "a_number_is_larger"
    "a_number_is_no_larger"
    "a_number_is_no_smaller"
    "a_number_is_not_below"
    "a_number_is_not_above"
];

/// All templates, the most readable first.
pub fn templates() -> &'static [Template] {
    static ALL: LazyLock<Vec<Template>> = LazyLock::new(|| {
        let read = |(name, text): &(&'static str, &str)| {
            let file: File = toml::from_str(text).expect("a test reads every file");
            let numbers = |line: &String| -> Vec<i64> {
                line.split(' ').map(|n| n.parse().expect("a test reads every file")).collect()
            };
            Template {
                name,
                form: Form::parse(&file.form).expect("a test reads every file"),
                of: file.of,
                constants: file.constants,
                why: file.why,
                holds: file.holds.iter().map(numbers).collect(),
                fails: file.fails.iter().map(numbers).collect(),
            }
        };
        FILES.iter().map(read).collect()
    });
    &ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_listed_and_right_about_its_examples() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/templates");
        let files = std::fs::read_dir(folder).expect("a folder").count();
        assert_eq!(files, FILES.len(), "a file is not listed");
        for template in templates() {
            assert!(template.mistakes().is_empty(), "{}", template.name);
            assert!(!template.holds.is_empty() && !template.fails.is_empty(), "{}", template.name);
            assert!(!template.why.is_empty(), "{}", template.name);
        }
    }

    #[test]
    fn a_form_that_is_none_is_not_read() {
        for text in ["", "{b}", "{a} <> {b}", "{a} == {d}", "{a} != ({b} == 0)", "{a} == {b} + 2"] {
            assert_eq!(Form::parse(text), None, "{text}");
        }
    }
}
