//! Diffs: reading which lines one changes, and showing what a mutant changes.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use testsmith_mutate::{Mutant, Source};

/// Lines that a diff adds or changes, by file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    lines: BTreeMap<String, Vec<Range<usize>>>,
}

impl Changes {
    /// Whether any of these lines changed; the file by its whole path.
    pub fn touch(&self, file: &Path, lines: RangeInclusive<usize>) -> bool {
        let of_file = self.lines.iter().filter(|(name, _)| file.ends_with(name));
        let mut ranges = of_file.flat_map(|(_, ranges)| ranges);
        ranges.any(|range| range.start <= *lines.end() && *lines.start() < range.end)
    }
}

/// Reads a unified diff.
pub fn changes(diff: &str) -> Changes {
    let mut found = Changes::default();
    let mut file = None;
    let mut line = 0;
    for text in diff.lines() {
        if let Some(name) = text.strip_prefix("+++ ") {
            let name = name.split('\t').next().unwrap_or(name);
            let name = name.strip_prefix("b/").unwrap_or(name);
            file = (name != "/dev/null").then(|| name.to_owned());
        } else if let Some(hunk) = text.strip_prefix("@@ ") {
            let new = hunk.split(' ').find_map(|part| part.strip_prefix('+'));
            let start = new.and_then(|new| new.split(',').next()?.parse().ok());
            line = start.unwrap_or(1);
        } else if text.starts_with('+') {
            if let Some(file) = &file {
                found.lines.entry(file.clone()).or_default().push(line..line + 1);
            }
            line += 1;
        } else if text.starts_with(' ') {
            line += 1;
        }
    }
    found
}

/// The lines that a mutant changes, before and after.
pub fn of_mutant(source: &Source, mutant: &Mutant) -> String {
    const MAX_LINES: usize = 12;
    let (text, range) = (&source.text, &mutant.range);
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    let after =
        format!("{}{}{}", &text[start..range.start], mutant.replacement, &text[range.end..end]);
    let mut shown = String::new();
    let mut show = |sign: char, text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        for line in lines.iter().take(MAX_LINES) {
            shown.push_str(&format!("    {sign}{line}\n"));
        }
        if lines.len() > MAX_LINES {
            shown.push_str(&format!("    {sign}… {} more lines\n", lines.len() - MAX_LINES));
        }
    };
    show('-', &text[start..end]);
    show('+', &after);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_says_which_lines_are_new() {
        let diff = "diff --git a/x/src/a.rs b/x/src/a.rs\n--- a/x/src/a.rs\n+++ b/x/src/a.rs\n\
                    @@ -3,3 +3,4 @@ fn f() {\n same\n-old\n+new\n+newer\n same\n\
                    --- a/gone.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";
        let changes = changes(diff);
        let touch = |file: &str, line: usize| changes.touch(Path::new(file), line..=line);
        assert!(touch("/home/x/src/a.rs", 4) && touch("/home/x/src/a.rs", 5));
        assert!(!touch("/home/x/src/a.rs", 3) && !touch("/home/x/src/a.rs", 6));
        assert!(!touch("/home/y/src/a.rs", 4), "another package");
        assert_eq!(changes.lines.len(), 1);
    }
}
