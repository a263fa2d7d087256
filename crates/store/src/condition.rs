//! Conditions on objects, as a person writes them: `IndexMap: !is_empty && len > 3`.

use crate::Error;

/// A type by the last word of its path, or by all of it, and what has to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub ty: String,
    pub tests: Vec<Test>,
}

/// One query against a number; yes is 1 and no is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The name of the query, as `len`.
    pub query: String,
    /// How SQL writes the comparison.
    pub relation: &'static str,
    pub number: i64,
}

const RELATIONS: [(&str, &str); 6] =
    [("==", "="), ("!=", "<>"), ("<=", "<="), (">=", ">="), ("<", "<"), (">", ">")];

impl Condition {
    pub fn parse(text: &str) -> Result<Condition, Error> {
        let fail = |why: String| Error::Condition { text: text.to_owned(), why };
        let (ty, rest) = text.rsplit_once(": ").unwrap_or((text.trim_end_matches(':'), ""));
        let ty = ty.trim();
        if ty.is_empty() || ty.contains(['|', '=', '!']) || ty.contains(" >") || ty.contains(" <") {
            return Err(fail("it begins with a type, as in `Vec: !is_empty && len > 3`".into()));
        }
        let tests = rest.split("&&").map(str::trim).filter(|test| !test.is_empty());
        let tests: Result<Vec<Test>, String> = tests.map(Test::parse).collect();
        Ok(Condition { ty: ty.to_owned(), tests: tests.map_err(fail)? })
    }

    /// Whether a type is the one that was named, by its whole path or the last word of it,
    /// whatever its arguments are.
    pub(crate) fn means(&self, ty: &str) -> bool {
        let last = format!("::{}", self.ty);
        ty == self.ty || ty.ends_with(&last) || ty.contains(&format!("{last}<"))
    }
}

impl Test {
    fn parse(text: &str) -> Result<Test, String> {
        let of = |query: &str, relation, number| {
            let query = query.trim().trim_end_matches("()").trim_start_matches("self.");
            let word = |c: char| c.is_alphanumeric() || "_.".contains(c);
            match query.is_empty() || !query.chars().all(word) {
                true => Err(format!("{query:?} is not the name of a query")),
                false => Ok(Test { query: query.to_owned(), relation, number }),
            }
        };
        for (written, relation) in RELATIONS {
            if let Some((query, number)) = text.split_once(written) {
                let number = match number.trim() {
                    "true" => 1,
                    "false" => 0,
                    number => number.parse().map_err(|_| format!("{number:?} is no number"))?,
                };
                return of(query, relation, number);
            }
        }
        match text.strip_prefix('!') {
            Some(query) => of(query, "=", 0),
            None => of(text, "<>", 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_read_as_it_is_written() {
        let test = |query: &str, relation, number| Test { query: query.into(), relation, number };
        let condition = Condition::parse("IndexMap: !is_empty && len > 3").expect("well formed");
        assert_eq!(condition.ty, "IndexMap");
        assert_eq!(condition.tests, [test("is_empty", "=", 0), test("len", ">", 3)]);
        let condition = Condition::parse("a::B<i32>: first.is_some == true").expect("well formed");
        assert_eq!(condition.ty, "a::B<i32>");
        assert_eq!(condition.tests, [test("first.is_some", "=", 1)]);
        assert_eq!(Condition::parse("Stack").expect("all of a type").tests, []);
    }

    #[test]
    fn what_is_no_condition_is_told_why() {
        let why = |text| Condition::parse(text).expect_err("no condition").to_string();
        assert!(why("len > 3").contains("is no condition"), "{}", why("len > 3"));
        assert!(why("A: len > many").contains("\"many\" is no number"));
        assert!(why("A: x; DROP TABLE objects").contains("is not the name of a query"));
        assert!(why("").contains("begins with a type"));
    }
}
