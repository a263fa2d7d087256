//! Where functions stand in a source file, and the same file with lines put in.
//!
//! Only lines are added, so a patch is a list of places with their new lines.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use syn::spanned::Spanned;

/// A source file, read with `syn`.
pub(super) struct Source {
    text: String,
    functions: Vec<Function>,
    /// Before which line an import would stand, and whether a blank line follows.
    import: (usize, bool),
    /// Whether something of the library is imported already; who knows what.
    imports: bool,
}

struct Function {
    name: String,
    lines: RangeInclusive<usize>,
    /// Before which line an attribute of it would stand, and one of its block.
    above: Option<usize>,
    above_block: Option<usize>,
    /// Whether it stands in the module of the file itself.
    at_root: bool,
}

/// Where attributes of a function or of its block go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// They stand before this line, counted from one.
    pub(super) line: usize,
    pub(super) at_root: bool,
}

/// Lines to be put in before others, counted from one.
pub(super) type Insertions = BTreeMap<usize, Vec<String>>;

impl Source {
    pub(super) fn read(text: String) -> Option<Source> {
        let file = syn::parse_file(&text).ok()?;
        let mut source = Source { text, functions: vec![], import: (1, true), imports: false };
        source.import = import_place(&file.items);
        source.imports = file.items.iter().any(|item| {
            let named = |tree: &syn::UseTree| first_word(tree).as_deref() == Some(LIBRARY);
            matches!(item, syn::Item::Use(item) if named(&item.tree))
        });
        source.walk(&file.items, true);
        Some(source)
    }

    fn walk(&mut self, items: &[syn::Item], at_root: bool) {
        for item in items {
            match item {
                syn::Item::Fn(item) => {
                    self.note(&item.sig, &item.vis, item.span(), None, at_root);
                }
                syn::Item::Impl(block) => {
                    let above = self.above(block.impl_token.span, block.span());
                    for item in &block.items {
                        if let syn::ImplItem::Fn(item) = item {
                            self.note(&item.sig, &item.vis, item.span(), above, at_root);
                        }
                    }
                }
                syn::Item::Trait(item) => {
                    for item in &item.items {
                        if let syn::TraitItem::Fn(item) = item {
                            let inherited = syn::Visibility::Inherited;
                            self.note(&item.sig, &inherited, item.span(), None, at_root);
                        }
                    }
                }
                syn::Item::Mod(module) => {
                    let items = module.content.as_ref().map(|(_, items)| items.as_slice());
                    self.walk(items.unwrap_or_default(), false);
                }
                _ => {}
            }
        }
    }

    fn note(
        &mut self,
        signature: &syn::Signature,
        visibility: &syn::Visibility,
        whole: proc_macro2::Span,
        above_block: Option<usize>,
        at_root: bool,
    ) {
        let start = match visibility {
            syn::Visibility::Inherited => signature.span(),
            visibility => visibility.span(),
        };
        self.functions.push(Function {
            name: signature.ident.to_string(),
            lines: whole.start().line..=whole.end().line,
            above: self.above(start, whole),
            above_block,
            at_root,
        });
    }

    /// The line of a token, or of the item around it, if nothing stands before it there.
    fn above(&self, token: proc_macro2::Span, whole: proc_macro2::Span) -> Option<usize> {
        let is_first = |span: &proc_macro2::Span| {
            let line = self.text.lines().nth(span.start().line - 1).unwrap_or_default();
            line.chars().take(span.start().column).all(char::is_whitespace)
        };
        [token, whole].iter().find(|span| is_first(span)).map(|span| span.start().line)
    }

    /// Where attributes of a function go that has this name and this line.
    pub(super) fn function(&self, name: &str, line: usize) -> Option<Place> {
        let function = self.at(name, line)?;
        Some(Place { line: function.above?, at_root: function.at_root })
    }

    /// Where attributes of the block around a function go.
    pub(super) fn block(&self, name: &str, line: usize) -> Option<Place> {
        let function = self.at(name, line)?;
        Some(Place { line: function.above_block?, at_root: function.at_root })
    }

    fn at(&self, name: &str, line: usize) -> Option<&Function> {
        self.functions.iter().find(|found| found.name == name && found.lines.contains(&line))
    }

    /// The lines of the function, if any, that a line of the file with insertions is in.
    pub(super) fn function_of(&self, line: usize) -> Option<RangeInclusive<usize>> {
        let mut around = self.functions.iter().filter(|found| found.lines.contains(&line));
        around.next().map(|found| found.lines.clone())
    }

    /// Whether something of the library is imported already.
    pub(super) fn has_imports(&self) -> bool {
        self.imports
    }

    /// A line that imports these attributes, and where it goes.
    pub(super) fn import(&self, names: &[&str]) -> (usize, Vec<String>) {
        let (line, blank) = self.import;
        let mut lines = vec![match names {
            [name] => format!("use testsmith::{name};"),
            names => format!("use testsmith::{{{}}};", names.join(", ")),
        }];
        if blank {
            lines.push(String::new());
        }
        (line, lines)
    }

    /// What stands before the first word of a line.
    pub(super) fn indent(&self, line: usize) -> String {
        let text = self.text.lines().nth(line - 1).unwrap_or_default();
        text.chars().take_while(|c| c.is_whitespace()).collect()
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

const LIBRARY: &str = "testsmith";

/// Before which line an import of the library stands where it is in order, and whether it
/// is the only one there.
fn import_place(items: &[syn::Item]) -> (usize, bool) {
    let lines = |item: &syn::Item| (item.span().start().line, item.span().end().line);
    let mut place = None;
    for item in items {
        let syn::Item::Use(import) = item else { continue };
        let (start, end) = lines(item);
        match place {
            // Only the first group, which ends with a blank line.
            Some(next) if start != next => break,
            _ if first_word(&import.tree).is_some_and(|word| word.as_str() > LIBRARY) => {
                return (start, false);
            }
            _ => place = Some(end + 1),
        }
    }
    match (place, items.first()) {
        (Some(place), _) => (place, false),
        (None, Some(first)) => (lines(first).0, true),
        (None, None) => (1, true),
    }
}

/// Where an import is from.
fn first_word(tree: &syn::UseTree) -> Option<String> {
    match tree {
        syn::UseTree::Path(path) => Some(path.ident.to_string()),
        _ => None,
    }
}

/// The text with lines put in.
pub(super) fn inserted(text: &str, insertions: &Insertions) -> String {
    let end = line_end(text);
    let mut whole = String::new();
    for (n, line) in text.split_inclusive('\n').enumerate() {
        for new in insertions.get(&(n + 1)).into_iter().flatten() {
            whole.push_str(new);
            whole.push_str(end);
        }
        whole.push_str(line);
    }
    let behind = text.split_inclusive('\n').count() + 1;
    if let Some(lines) = insertions.get(&behind) {
        if !text.is_empty() && !text.ends_with('\n') {
            whole.push_str(end);
        }
        for new in lines {
            whole.push_str(new);
            whole.push_str(end);
        }
    }
    whole
}

/// How the lines of a file end.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The line of the new text that a line of the old one has become, and which of the new
/// lines it is, if it is one.
pub(super) fn origin(insertions: &Insertions, line: usize) -> (usize, Option<usize>) {
    let mut new = 0;
    for (before, lines) in insertions {
        let start = before + new;
        if line < start {
            break;
        }
        if line < start + lines.len() {
            return (*before, Some(line - start));
        }
        new += lines.len();
    }
    (line - new, None)
}

/// Lines around a change that are shown.
const CONTEXT: usize = 3;

/// A unified diff of a file with lines put in, as `git apply` and `patch -p1` take it.
pub(super) fn diff(path: &str, text: &str, insertions: &Insertions) -> String {
    let old: Vec<&str> = text.split_inclusive('\n').collect();
    let mut hunks: Vec<(usize, usize)> = vec![];
    for before in insertions.keys() {
        let from = before.saturating_sub(1 + CONTEXT);
        let to = (before - 1 + CONTEXT).min(old.len());
        match hunks.last_mut() {
            Some((_, end)) if from <= *end => *end = to.max(*end),
            _ => hunks.push((from, to)),
        }
    }
    let mut out = format!("--- a/{path}\n+++ b/{path}\n");
    let mut added = 0;
    for (from, to) in hunks {
        let (body, new) = hunk(text, &old, insertions, from..to);
        let start = |lines: usize, offset: usize| from + offset + usize::from(lines > 0);
        let (before, after) = (to - from, to - from + new);
        out.push_str(&format!(
            "@@ -{},{before} +{},{after} @@\n{body}",
            start(before, 0),
            start(after, added)
        ));
        added += new;
    }
    out
}

/// The lines of a hunk, and how many are new.
fn hunk(
    text: &str,
    old: &[&str],
    insertions: &Insertions,
    lines: std::ops::Range<usize>,
) -> (String, usize) {
    const NO_END: &str = "\n\\ No newline at end of file\n";
    let end = line_end(text);
    let (mut body, mut new) = (String::new(), 0);
    let mut insert = |body: &mut String, before: usize| {
        for line in insertions.get(&before).into_iter().flatten() {
            body.push_str(&format!("+{line}{end}"));
            new += 1;
        }
    };
    let (from, to) = (lines.start, lines.end);
    for (n, line) in old.iter().enumerate().take(to).skip(from) {
        insert(&mut body, n + 1);
        let added_behind = n + 1 == old.len() && insertions.contains_key(&(n + 2));
        match line.strip_suffix('\n') {
            Some(_) => body.push_str(&format!(" {line}")),
            // Its end is new, so the line is.
            None if added_behind => body.push_str(&format!("-{line}{NO_END}+{line}{end}")),
            None => body.push_str(&format!(" {line}{NO_END}")),
        }
    }
    if to == old.len() {
        insert(&mut body, to + 1);
    }
    (body, new)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! About.\n\nuse std::fmt;\n\n/// A.\npub struct A;\n\nimpl A {\n    \
                        /// B.\n    #[inline]\n    pub fn b(&self) -> u8 {\n        1\n    }\n}\n\n\
                        mod c { pub fn d() {} }\n\n#[must_use] fn e() {}\n";

    #[test]
    fn attributes_go_right_above_the_function() {
        let source = Source::read(TEXT.to_owned()).unwrap();
        let place = |line, at_root| Some(Place { line, at_root });
        assert_eq!(source.function("b", 11), place(11, true));
        assert_eq!(source.block("b", 11), place(8, true));
        assert_eq!(source.function("b", 2), None, "that is not its line");
        assert_eq!(source.function("d", 16), None, "there is other code on its line");
        assert_eq!(source.function("e", 18), place(18, true));
        assert_eq!(source.import(&["ensures"]), (4, vec!["use testsmith::ensures;".to_owned()]));
        assert_eq!(source.indent(11), "    ");
    }

    #[test]
    fn lines_are_put_in_and_found_again() {
        let line = |text: &str| vec![text.to_owned()];
        let insertions = Insertions::from([(3, line("use x;")), (11, line("    #[y]"))]);
        let new = inserted(TEXT, &insertions);
        assert!(new.contains("use x;\nuse std") && new.contains("    #[y]\n    pub fn b"), "{new}");
        assert_eq!(origin(&insertions, 3), (3, Some(0)));
        assert_eq!(origin(&insertions, 4), (3, None));
        assert_eq!(origin(&insertions, 12), (11, Some(0)));
        assert_eq!(origin(&insertions, 13), (11, None));
    }

    /// What `patch` makes of the diff.
    fn check(text: &str, insertions: &Insertions) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.rs"), text).unwrap();
        let patch = folder.path().join("it.patch");
        std::fs::write(&patch, diff("a.rs", text, insertions)).unwrap();
        let done = std::process::Command::new("git")
            .args(["apply", "it.patch"])
            .current_dir(folder.path())
            .output()
            .expect("there is git");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let new = std::fs::read_to_string(folder.path().join("a.rs")).unwrap();
        assert_eq!(new, inserted(text, insertions));
    }

    #[test]
    fn a_diff_says_what_was_put_in() {
        let line = |text: &str| vec![text.to_owned(), "//".to_owned()];
        for text in [TEXT, TEXT.trim_end(), &TEXT.replace('\n', "\r\n"), "fn a() {}"] {
            let end = text.lines().count() + 1;
            check(text, &Insertions::from([(1, line("a"))]));
            check(text, &Insertions::from([(1, line("a")), (end, line("b"))]));
            check(text, &Insertions::from([(end / 2 + 1, line("a")), (end, line("b"))]));
        }
    }
}
