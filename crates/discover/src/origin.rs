//! What the source says at the place of a panic: the code from there to the end
//! of its statement, the function around it, and what a `match` around it looks at.
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
    let mut around = Origin::default();
    let end = find(tokens, place, &mut around)?;
    Some(Origin { statement: between(text, place, end), ..around })
}

/// Where the statement ends that has a token at this place. Goes down into the
/// group around it, and notes the functions and the matches on the way.
fn find(tokens: TokenStream, place: LineColumn, around: &mut Origin) -> Option<LineColumn> {
    let mut named = None;
    let mut matched: Option<TokenStream> = None;
    let mut after_fn = false;
    let mut end = None;
    for token in tokens {
        let (from, to) = (token.span().start(), token.span().end());
        match (&token, end) {
            (TokenTree::Punct(sign), Some(end)) if sign.as_char() == ';' => return Some(end),
            (_, Some(_)) => end = Some(to),
            (TokenTree::Group(group), None) if from < place && place < to => {
                if group.delimiter() == Delimiter::Brace {
                    match (named.take(), matched.take()) {
                        (Some(function), _) => *around = Origin { function, ..Origin::default() },
                        (None, Some(matched)) => around.matched = matched.to_string(),
                        (None, None) => {}
                    }
                }
                return find(group.stream(), place, around);
            }
            _ if from == place => end = Some(to),
            (TokenTree::Ident(word), None) => {
                if after_fn {
                    named = Some(word.to_string());
                }
                after_fn = *word == "fn";
                match &mut matched {
                    _ if *word == "match" => matched = Some(TokenStream::new()),
                    Some(matched) => matched.extend([token]),
                    None => {}
                }
                continue;
            }
            // Here a function ends that the place is not in.
            (TokenTree::Group(group), None) if group.delimiter() == Delimiter::Brace => {
                (named, matched) = (None, None);
            }
            (TokenTree::Punct(sign), None) if sign.as_char() == ';' => {
                (named, matched) = (None, None);
            }
            _ => matched.iter_mut().for_each(|matched| matched.extend([token.clone()])),
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
    fn what_the_match_around_it_looks_at_is_known() {
        let matched = |marked: &str| {
            let column = marked.find('@').expect("there is a mark") as u32 + 1;
            origin(&marked.replace('@', ""), 1, column).expect("it is there").matched
        };
        assert_eq!(matched("fn f(n: u8) { match n % 4 { 0 => 1, _ => @panic!() } }"), "n % 4");
        assert_eq!(matched("fn f() { match a { _ => match b { _ => { @panic!() } } } }"), "b");
        assert_eq!(matched("fn f() { match a { _ => 1 } @panic!() }"), "");
        assert_eq!(matched("fn f() { match a { _ => { fn g() { @panic!() } } } }"), "");
        assert_eq!(matched("fn f() { let a = match b { 0 => 1, _ => 2 }; @panic!() }"), "");
    }

    #[test]
    fn a_place_that_is_not_there_is_nothing() {
        assert_eq!(origin("fn a() {}\n", 7, 1), None);
        assert_eq!(origin("fn a() {}\n", 1, 2), None);
        assert_eq!(origin("", 0, 0), None);
    }
}
