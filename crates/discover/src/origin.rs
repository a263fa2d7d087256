//! What the source says at the place of a panic: the code from there to the end
//! of its statement, and the function around it.
//!
//! Works on tokens and parses no grammar, because much code stands inside
//! macros, where only its author knows the grammar. What comes of it tells an
//! assertion about the arguments from one about the inside; where there is
//! nothing to be found, nobody is worse off than without the source.

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};
use testsmith_model::outcome::Origin;

/// A statement that goes on for longer is cut.
const MAX_LINES: usize = 6;

/// The code at a line and a column, both counted from one.
pub fn origin(text: &str, line: u32, column: u32) -> Option<Origin> {
    let place = LineColumn { line: line as usize, column: column.checked_sub(1)? as usize };
    let tokens: TokenStream = text.parse().ok()?;
    let mut function = String::new();
    let end = find(tokens, place, &mut function)?;
    let statement = between(text, place, end);
    Some(Origin { statement, function })
}

/// Where the statement ends that has a token at this place. Goes down into the
/// group around it, and notes the functions on the way.
fn find(tokens: TokenStream, place: LineColumn, function: &mut String) -> Option<LineColumn> {
    let mut named = None;
    let mut after_fn = false;
    let mut end = None;
    for token in tokens {
        let (from, to) = (token.span().start(), token.span().end());
        match (&token, end) {
            (TokenTree::Punct(sign), Some(end)) if sign.as_char() == ';' => return Some(end),
            (_, Some(_)) => end = Some(to),
            (TokenTree::Group(group), None) if from < place && place < to => {
                if let (Delimiter::Brace, Some(name)) = (group.delimiter(), named.take()) {
                    *function = name;
                }
                return find(group.stream(), place, function);
            }
            _ if from == place => end = Some(to),
            (TokenTree::Ident(word), None) => {
                if after_fn {
                    named = Some(word.to_string());
                }
                after_fn = *word == "fn";
                continue;
            }
            // Here a function ends that the place is not in.
            (TokenTree::Group(group), None) if group.delimiter() == Delimiter::Brace => {
                named = None;
            }
            (TokenTree::Punct(sign), None) if sign.as_char() == ';' => named = None,
            _ => {}
        }
        after_fn = false;
    }
    end
}

/// The text between two places, on one line.
fn between(text: &str, from: LineColumn, to: LineColumn) -> String {
    let lines = text.lines().enumerate().skip(from.line - 1).take(MAX_LINES);
    let inside = lines.take_while(|(n, _)| *n < to.line).map(|(n, line)| {
        let begin = if n + 1 == from.line { from.column } else { 0 };
        let end = if n + 1 == to.line { to.column } else { usize::MAX };
        line.chars().take(end).skip(begin).collect::<String>().trim().to_owned()
    });
    inside.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statement and the function at the mark `@`, which is taken out.
    fn check(marked: &str, statement: &str, function: &str) {
        let before = &marked[..marked.find('@').expect("there is a mark")];
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() as u32 + 1;
        let found = origin(&marked.replace('@', ""), line, column).expect("it is there");
        assert_eq!((found.statement.as_str(), found.function.as_str()), (statement, function));
    }

    #[test]
    fn the_statement_and_its_function_are_found() {
        let text = "impl A {\n    /// A fn of n.\n    pub fn put(&mut self, n: usize) {\n        \
                    @assert!(\n            n < 3,\n            \"too; many\"\n        );\n    }\n}\n";
        check(text, "assert!( n < 3, \"too; many\" )", "put");
    }

    #[test]
    fn a_comment_a_text_and_a_function_before_are_no_function_around() {
        check("fn a() {}\n// fn b(\nconst S: &str = \"fn c() {\"; m!(@x / y);", "x / y", "");
        check("fn a() { fn b() {} let f: fn() = g; @x[1]; }", "x[1]", "a");
        check("trait T { fn a(); } fn c(); impl A { const C: u8 = @1 - 2; }", "1 - 2", "");
        check("fn a() where T: Fn(u8) -> u8 { v.iter().@unwrap() }", "unwrap()", "a");
    }

    #[test]
    fn code_inside_of_macros_is_read_too() {
        check(
            "cfg_if! { if #[cfg(a)] { fn f(n: u8) { é(); @panic!(\"{n}\") } } }",
            "panic!(\"{n}\")",
            "f",
        );
        check("@impl_integer!(i8, i16);", "impl_integer!(i8, i16)", "");
    }

    #[test]
    fn a_place_that_is_not_there_is_nothing() {
        assert_eq!(origin("fn a() {}\n", 7, 1), None);
        assert_eq!(origin("fn a() {}\n", 1, 2), None);
        assert_eq!(origin("", 0, 0), None);
    }
}
