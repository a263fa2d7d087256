//! A file of tests, read with `syn`: which tests it has, and where they stand.
//!
//! Reads files of ours and files that somebody has edited since. Says nothing
//! about whether a test is true.

use std::ops::RangeInclusive;
use syn::spanned::Spanned;

/// A file taken apart.
pub struct TestSource {
    lines: Vec<String>,
    pub tests: Vec<TestItem>,
}

/// One test of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestItem {
    pub name: String,
    /// All of it, its comment and its attributes included.
    pub text: String,
    /// Its lines, counted from one.
    lines: RangeInclusive<usize>,
}

impl TestSource {
    /// Reads a file; the error is that of its syntax, with the line.
    pub fn read(text: &str) -> Result<TestSource, String> {
        let file = syn::parse_file(text)
            .map_err(|error| format!("line {}: {error}", error.span().start().line))?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let item = |item: &syn::Item| {
            let syn::Item::Fn(function) = item else { return None };
            let is_test = function.attrs.iter().any(|attribute| attribute.path().is_ident("test"));
            let place = function.span();
            let range = place.start().line..=place.end().line;
            is_test.then(|| TestItem {
                name: function.sig.ident.to_string(),
                text: lines[range.start() - 1..*range.end()].join("\n") + "\n",
                lines: range,
            })
        };
        Ok(TestSource { tests: file.items.iter().filter_map(item).collect(), lines })
    }

    /// The test that a line belongs to.
    pub fn test_at(&self, line: usize) -> Option<&TestItem> {
        self.tests.iter().find(|test| test.lines.contains(&line))
    }

    /// The file without some of its tests; all else stays as it is.
    pub fn without(&self, goes: impl Fn(&TestItem) -> bool) -> String {
        let gone: Vec<&TestItem> = self.tests.iter().filter(|test| goes(test)).collect();
        let mut text = String::new();
        for (n, line) in self.lines.iter().enumerate() {
            if !gone.iter().any(|test| test.lines.contains(&(n + 1))) {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! About.\n\nuse a::Shelf;\n\n/// One.\n#[test]\nfn one() {\n    x(\"}\");\n}\n\n\
                        fn help() {}\n\n#[test]\n#[ignore]\nfn two() {\n    y();\n}\n";

    #[test]
    fn a_file_is_taken_apart_into_its_tests() {
        let source = TestSource::read(TEXT).unwrap();
        let names: Vec<&str> = source.tests.iter().map(|test| test.name.as_str()).collect();
        assert_eq!(names, ["one", "two"]);
        assert_eq!(source.tests[0].text, "/// One.\n#[test]\nfn one() {\n    x(\"}\");\n}\n");
        let at = |line: usize| source.test_at(line).map(|test| test.name.as_str());
        assert_eq!(
            [at(3), at(5), at(8), at(11), at(13)],
            [None, Some("one"), Some("one"), None, Some("two")]
        );
    }

    #[test]
    fn what_is_left_without_a_test_is_the_same_text() {
        let source = TestSource::read(TEXT).unwrap();
        let rest = source.without(|test| test.name == "one");
        assert_eq!(rest, TEXT.replace(&source.tests[0].text, ""));
        assert_eq!(source.without(|_| false), TEXT);
    }

    #[test]
    fn an_error_names_its_line() {
        let error = TestSource::read("fn one() {}\n\nfn two( {}\n").err().unwrap();
        assert!(error.starts_with("line 3:"), "{error}");
    }
}
