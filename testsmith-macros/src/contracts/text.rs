//! Tokens as a person would write them, on one line.
//!
//! The compiler's own printing depends on where tokens come from and puts spaces
//! into `* n`; clauses and labels must read the same everywhere, because tools
//! compare them. Covers expressions and the types that occur in them.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Operators of several characters, longest first.
const OPERATORS: [&str; 26] = [
    "==>", "<<=", ">>=", "..=", "...", "&&", "||", "==", "!=", "<=", ">=", "->", "=>", "::", "..",
    "<<", ">>", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "=>",
];

/// Words after which an operand begins.
const KEYWORDS: [&str; 11] =
    ["return", "if", "match", "in", "else", "let", "while", "for", "move", "mut", "as"];

pub fn of(tokens: TokenStream) -> String {
    let mut writer = Writer::default();
    let mut tokens = pieces(tokens).into_iter().peekable();
    while let Some(piece) = tokens.next() {
        writer.piece(&piece, tokens.peek());
    }
    writer.text
}

enum Piece {
    Word(String),
    Operator(String),
    Group(Delimiter, String),
}

/// Joins characters into operators and prints groups.
fn pieces(tokens: TokenStream) -> Vec<Piece> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Punct(first) if first.as_char() == '\'' => {
                let name = tokens.get(at + 1).map(ToString::to_string).unwrap_or_default();
                pieces.push(Piece::Word(format!("'{name}")));
                at += 1;
            }
            TokenTree::Punct(_) => {
                let operator = operator(&tokens[at..]);
                at += operator.chars().count() - 1;
                pieces.push(Piece::Operator(operator));
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                pieces.extend(self::pieces(group.stream()));
            }
            TokenTree::Group(group) => {
                pieces.push(Piece::Group(group.delimiter(), of(group.stream())));
            }
            word => pieces.push(Piece::Word(word.to_string())),
        }
        at += 1;
    }
    pieces
}

fn operator(tokens: &[TokenTree]) -> String {
    let mut joined = String::new();
    for token in tokens.iter().take(3) {
        let TokenTree::Punct(punct) = token else { break };
        joined.push(punct.as_char());
        if punct.spacing() == proc_macro2::Spacing::Alone {
            break;
        }
    }
    let known = OPERATORS.iter().find(|operator| joined.starts_with(**operator));
    known.map_or_else(|| joined.chars().take(1).collect(), |operator| (*operator).to_owned())
}

#[derive(Default)]
struct Writer {
    text: String,
    /// The last piece was an operand, so an operator now is a binary one.
    operand: bool,
    /// A space is due before the next operand.
    space: bool,
    /// Between the bars of a closure.
    head: bool,
    /// Inside this many turbofish or type brackets.
    angles: usize,
    after_path: bool,
}

impl Writer {
    fn piece(&mut self, piece: &Piece, next: Option<&Piece>) {
        match piece {
            Piece::Word(word) => {
                self.gap(self.operand || self.space);
                self.text.push_str(word);
                self.operand = !KEYWORDS.contains(&word.as_str());
                self.space = !self.operand;
            }
            Piece::Group(Delimiter::Brace, inner) => {
                self.gap(self.operand || self.space);
                let padded = if inner.is_empty() { "{}".into() } else { format!("{{ {inner} }}") };
                self.text.push_str(&padded);
                (self.operand, self.space) = (true, false);
            }
            Piece::Group(delimiter, inner) => {
                self.gap(self.space);
                let (open, close) =
                    if *delimiter == Delimiter::Bracket { ('[', ']') } else { ('(', ')') };
                self.text.push(open);
                self.text.push_str(inner);
                self.text.push(close);
                (self.operand, self.space) = (true, false);
            }
            Piece::Operator(operator) => self.operator(operator, next),
        }
        self.after_path = matches!(piece, Piece::Operator(operator) if operator == "::");
    }

    fn gap(&mut self, wanted: bool) {
        if wanted && !self.text.is_empty() && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }

    fn operator(&mut self, operator: &str, next: Option<&Piece>) {
        if operator == ">>" && self.angles > 1 {
            self.operator(">", None);
            return self.operator(">", next);
        }
        let opens_type = operator == "<" && (self.after_path || self.head || self.angles > 0);
        if opens_type || (operator == ">" && self.angles > 0) {
            self.angles = if opens_type { self.angles + 1 } else { self.angles - 1 };
            self.text.push_str(operator);
            (self.operand, self.space) = (!opens_type, false);
            return;
        }
        let calls = operator == "!" && self.operand && matches!(next, Some(Piece::Group(..)));
        match operator {
            "." | "::" | ".." | "..=" | "?" => {
                self.gap(self.space);
                self.text.push_str(operator);
                (self.operand, self.space) = (operator == "?", false);
            }
            "," | ";" | ":" => {
                self.text.push_str(operator);
                (self.operand, self.space) = (false, true);
            }
            _ if calls => {
                self.text.push('!');
                (self.operand, self.space) = (false, false);
            }
            "|" if self.head => {
                self.text.push('|');
                (self.operand, self.space, self.head) = (false, true, false);
            }
            "|" | "||" if !self.operand => {
                self.gap(self.space);
                self.text.push_str(operator);
                self.head = operator == "|";
                (self.operand, self.space) = (false, operator == "||");
            }
            _ if self.operand || operator.ends_with("->") || operator.ends_with("=>") => {
                self.gap(true);
                self.text.push_str(operator);
                (self.operand, self.space) = (false, true);
            }
            _ => {
                self.gap(self.space);
                self.text.push_str(operator);
                (self.operand, self.space) = (false, false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_come_back_as_they_are_usually_written() {
        for source in [
            "self.items.len() == old(self.items.len()) + 1",
            "ret.is_ok() -> *n == old(*n) + 1",
            "!self.is_empty() && -x < !y || (a)[0] != &b[1..n]",
            "forall(0..n, |i| v[i] <= v[i + 1])",
            "matches!(ret, Some(x) if x > &mut 3)",
            "iter.collect::<Vec<_>>().len() as u32 > 1",
            "|r: &Option<u32>| *r > Some(1)",
            "if let Some(x) = y { x > 0 } else { true }",
            "a ==> b::c(d, 'x', \"y\")?.e",
            "move || -> bool { true }",
        ] {
            assert_eq!(of(source.parse().expect("it lexes")), source);
        }
    }

    #[test]
    fn spacing_in_the_source_does_not_matter() {
        assert_eq!(of("a . b( * c )  ==-1".parse().expect("it lexes")), "a.b(*c) == -1");
    }
}
