//! Mines literals from a crate's source and from its doc examples.
//!
//! Values that a program compares with are values worth trying. Only tokens
//! are read, nothing is parsed further, so a file that does not compile costs
//! nothing.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::path::Path;
use testsmith_model::api::Literals;

/// The pools stay small so that common values are drawn often.
const MAX_EACH: usize = 24;
/// Texts are more various, and parts of a grammar are seldom repeated.
const MAX_STRINGS: usize = 64;
const MAX_STRING: usize = 40;
const MAX_FILES: usize = 2000;
const MAX_DEPTH: usize = 16;

/// Reads every `.rs` file of a package that a person wrote.
pub fn mine(root: &Path) -> Literals {
    let mut tally = Tally::default();
    for text in sources(root) {
        if let Ok(tokens) = text.parse::<TokenStream>() {
            tally.tokens(tokens);
        }
    }
    tally.finish()
}

/// The texts of those files, in a fixed order.
pub fn sources(root: &Path) -> impl Iterator<Item = String> {
    let mut files = vec![];
    for folder in ["src", "tests", "examples", "benches"] {
        list(&root.join(folder), &mut files, 0);
    }
    // What we wrote ourselves tells nothing, and would make runs differ.
    files.retain(|file| {
        !file.components().any(|part| part.as_os_str().to_string_lossy().starts_with("testsmith_"))
    });
    files.sort();
    files.into_iter().take(MAX_FILES).filter_map(|file| std::fs::read_to_string(file).ok())
}

fn list(folder: &Path, files: &mut Vec<std::path::PathBuf>, depth: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && depth < MAX_DEPTH {
            list(&path, files, depth + 1);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Literals with how often each occurs.
#[derive(Default)]
struct Tally {
    ints: BTreeMap<i128, u32>,
    floats: BTreeMap<u64, u32>,
    chars: BTreeMap<char, u32>,
    strings: BTreeMap<String, u32>,
}

impl Tally {
    fn tokens(&mut self, tokens: TokenStream) {
        let mut doc = false;
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    if doc { self.doc_line(&text) } else { self.literal(&text) }
                }
                TokenTree::Ident(ident) => doc = ident == "doc",
                TokenTree::Punct(_) => {}
            }
        }
    }

    /// A doc comment is one string literal a line; examples tokenise, prose seldom.
    fn doc_line(&mut self, text: &str) {
        let Some(line) = unquote(text) else { return };
        let is_code = line.contains("::") || line.contains("let ") || line.contains("assert");
        if is_code && let Ok(tokens) = line.parse::<TokenStream>() {
            self.tokens(tokens);
        }
    }

    fn literal(&mut self, text: &str) {
        if text.starts_with('"') {
            if let Some(string) = unquote(text).filter(|s| is_data(s)) {
                *self.strings.entry(string).or_default() += 1;
            }
        } else if text.starts_with('\'') {
            let inner = text.trim_matches('\'');
            let mut chars = inner.chars();
            if let (Some(c), None) = (chars.next(), chars.next()) {
                *self.chars.entry(c).or_default() += 1;
            }
        } else if text.starts_with(|c: char| c.is_ascii_digit()) {
            self.number(text);
        }
    }

    fn number(&mut self, text: &str) {
        let digits = text.replace('_', "");
        let (radix, body) = match digits.get(..2) {
            Some("0x") => (16, &digits[2..]),
            Some("0o") => (8, &digits[2..]),
            Some("0b") => (2, &digits[2..]),
            _ => (10, digits.as_str()),
        };
        let suffixed = body.find(['i', 'u']).unwrap_or(body.len());
        let whole = &body[..suffixed];
        if let Ok(int) = i128::from_str_radix(whole, radix) {
            *self.ints.entry(int).or_default() += 1;
        } else if radix == 10
            && let Ok(float) = whole.trim_end_matches("f64").trim_end_matches("f32").parse::<f64>()
        {
            *self.floats.entry(float.to_bits()).or_default() += 1;
        }
    }

    fn finish(self) -> Literals {
        Literals {
            ints: most_common(self.ints, MAX_EACH),
            floats: most_common(self.floats, MAX_EACH).into_iter().map(f64::from_bits).collect(),
            chars: most_common(self.chars, MAX_EACH),
            strings: most_common(self.strings, MAX_STRINGS),
        }
    }
}

fn most_common<T: Ord>(tally: BTreeMap<T, u32>, most: usize) -> Vec<T> {
    let mut counted: Vec<(T, u32)> = tally.into_iter().collect();
    // Stable, so equally common ones stay in order and runs agree.
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counted.into_iter().take(most).map(|(value, _)| value).collect()
}

/// Whether a text may be input, not a message for people or a template of one.
fn is_data(text: &str) -> bool {
    let template = ["{}", "{:", "{0"].iter().any(|mark| text.contains(mark));
    let words =
        text.split(' ').filter(|word| word.len() > 1 && word.chars().all(char::is_alphabetic));
    text.len() <= MAX_STRING && !template && words.count() < 3
}

/// The contents of a plain string literal; escapes beyond the usual are left out.
fn unquote(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            c @ ('\\' | '"' | '\'') => c,
            _ => return None,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_come_from_code_and_from_doc_examples() {
        let source = r#"
            /// Prose with a 99 in it.
            /// assert_eq!(parse::<i32>("7d"), 86_400);
            fn f() -> bool { g(0xff, 'x', 2.5, "a\tb") || bail!("no {} here") }
            const WHY: &str = "time unit needed";
        "#;
        let mut tally = Tally::default();
        tally.tokens(source.parse().unwrap());
        let literals = tally.finish();
        assert_eq!(literals.ints, [255, 86_400]);
        assert_eq!(literals.chars, ['x']);
        assert_eq!(literals.floats, [2.5]);
        assert_eq!(literals.strings, ["7d", "a\tb"]);
    }
}
