//! One clause: what stands between the parentheses of an attribute.
//!
//! Splits the tokens at commas, reads implications (`a -> b`, `a ==> b`), tells
//! the closure form from the plain one, and keeps the text as the user wrote it.
//! Does not look at the function the clause belongs to.

use proc_macro2::{Delimiter, Group, Punct, Spacing, Span, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, LitStr};

use super::gate::Gate;
use super::text;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Requires,
    Ensures,
    Invariant,
    Loop,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Kind::Requires => "requires",
            Kind::Ensures => "ensures",
            Kind::Invariant => "invariant",
            Kind::Loop => "loop_invariant",
        }
    }
}

#[derive(Clone)]
pub enum Condition {
    /// The result is called `ret`.
    Plain(Expr),
    /// The result is the closure's parameter, by reference.
    OfResult(ExprClosure),
}

impl Condition {
    /// The expression that decides, for analyses.
    pub fn expr(&self) -> &Expr {
        match self {
            Condition::Plain(expr) => expr,
            Condition::OfResult(closure) => &closure.body,
        }
    }
}

#[derive(Clone)]
pub struct Clause {
    pub kind: Kind,
    pub gate: Gate,
    pub condition: Condition,
    pub text: String,
    pub message: String,
    pub span: Span,
}

impl Clause {
    /// `(file, line, column)` of the condition.
    pub fn place(&self) -> (String, usize, usize) {
        place(self.span)
    }
}

/// `(file, line, column)`; empty outside of a compiler, in unit tests.
pub fn place(span: Span) -> (String, usize, usize) {
    if proc_macro::is_available() {
        let span = span.unwrap();
        (span.file(), span.line(), span.column())
    } else {
        (String::new(), 0, 0)
    }
}

/// Reads the clauses of one attribute: conditions, then perhaps a message.
pub fn parse(kind: Kind, gate: Gate, tokens: TokenStream) -> syn::Result<Vec<Clause>> {
    let whole = tokens.span();
    let mut segments = split(tokens.into_iter().collect(), &[',']);
    let mut message = String::new();
    if let Some(last) = segments.last()
        && let Ok(literal) = syn::parse2::<LitStr>(last.iter().cloned().collect())
    {
        message = literal.value();
        segments.pop();
    }
    if segments.is_empty() {
        return Err(syn::Error::new(
            whole,
            format!("`{}` needs a condition, for example `#[{0}(count > 0)]`", kind.word()),
        ));
    }
    segments.into_iter().map(|segment| one(kind, gate, segment, &message)).collect()
}

fn one(kind: Kind, gate: Gate, segment: Vec<TokenTree>, message: &str) -> syn::Result<Clause> {
    let span = segment.first().map_or_else(Span::call_site, TokenTree::span);
    let original: TokenStream = segment.iter().cloned().collect();
    if let Ok(literal) = syn::parse2::<LitStr>(original.clone()) {
        return Err(syn::Error::new(
            literal.span(),
            "the message comes last, after all conditions",
        ));
    }
    let expr: Expr = syn::parse2(implications(segment))?;
    if let Expr::Lit(literal) = &expr
        && matches!(&literal.lit, syn::Lit::Bool(value) if !value.value)
    {
        return Err(syn::Error::new(span, "this can never hold"));
    }
    let condition = match expr {
        Expr::Closure(closure) if kind == Kind::Ensures => {
            if closure.inputs.len() != 1 {
                let error = "the closure takes the result, by reference, and nothing else";
                return Err(syn::Error::new(closure.or1_token.span(), error));
            }
            Condition::OfResult(closure)
        }
        Expr::Closure(closure) => {
            let error =
                format!("`{}` takes a condition; only `ensures` takes a closure", kind.word());
            return Err(syn::Error::new(closure.or1_token.span(), error));
        }
        expr => Condition::Plain(expr),
    };
    Ok(Clause {
        kind,
        gate,
        condition,
        text: text::of(original),
        message: message.to_owned(),
        span,
    })
}

/// Splits at the separators of this level, outside of turbofish brackets and
/// outside of the parameters of a leading closure.
fn split(tokens: Vec<TokenTree>, separators: &[char]) -> Vec<Vec<TokenTree>> {
    let mut segments = Vec::new();
    let mut current: Vec<TokenTree> = Vec::new();
    let mut angles = 0_usize;
    let mut head_end = closure_head(&tokens);
    for (position, token) in tokens.iter().enumerate() {
        let character = punct(token);
        let before = position.checked_sub(1).and_then(|previous| punct(&tokens[previous]));
        match character {
            Some('<') if angles > 0 || before == Some(':') => angles += 1,
            Some('>') if angles > 0 && before != Some('-') => angles -= 1,
            _ => {}
        }
        let separates = character.is_some_and(|character| separators.contains(&character));
        if separates && angles == 0 && position >= head_end {
            segments.push(std::mem::take(&mut current));
            head_end = position + 1 + closure_head(&tokens[position + 1..]);
        } else {
            current.push(token.clone());
        }
    }
    if !current.is_empty() {
        segments.push(current);
    }
    segments
}

/// How many tokens `move |a, b|` takes at the start, or 0.
fn closure_head(tokens: &[TokenTree]) -> usize {
    let is_move = matches!(tokens.first(), Some(TokenTree::Ident(word)) if word == "move");
    let start = usize::from(is_move);
    if tokens.get(start).and_then(punct) != Some('|') {
        return 0;
    }
    let end = tokens[start + 1..].iter().position(|token| punct(token) == Some('|'));
    end.map_or(0, |end| start + 1 + end + 1)
}

fn punct(token: &TokenTree) -> Option<char> {
    match token {
        TokenTree::Punct(punct) => Some(punct.as_char()),
        _ => None,
    }
}

/// Writes `a -> b` as `(!(a) || (b))`, at every level, to the right first.
fn implications(tokens: Vec<TokenTree>) -> TokenStream {
    let tokens = long_arrows(tokens);
    let mut result = TokenStream::new();
    let mut segment = Vec::new();
    let mut inside = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut inner =
                Group::new(group.delimiter(), implications(group.stream().into_iter().collect()));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        other => other,
    });
    let mut turbofish = 0_usize;
    let mut previous = None;
    loop {
        let token = inside.next();
        let character = token.as_ref().and_then(punct);
        match character {
            Some('<') if turbofish > 0 || previous == Some(':') => turbofish += 1,
            Some('>') if turbofish > 0 && previous != Some('-') => turbofish -= 1,
            _ => {}
        }
        let ends_arm = character == Some('>') && previous == Some('=');
        let separates =
            turbofish == 0 && (ends_arm || matches!(character, Some(',' | ';')) || token.is_none());
        previous = character;
        if !separates {
            segment.extend(token);
            continue;
        }
        result.extend(imply(&std::mem::take(&mut segment)));
        match token {
            Some(token) => result.extend([token]),
            None => return result,
        }
    }
}

/// `==>` is another way to write `->`.
fn long_arrows(tokens: Vec<TokenTree>) -> Vec<TokenTree> {
    let mut result: Vec<TokenTree> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let length = result.len();
        let equals = |back: usize| {
            length >= back
                && matches!(&result[length - back], TokenTree::Punct(p)
                    if p.as_char() == '=' && p.spacing() == Spacing::Joint)
        };
        if punct(&token) == Some('>') && equals(1) && equals(2) {
            result.truncate(length - 2);
            let mut dash = Punct::new('-', Spacing::Joint);
            dash.set_span(token.span());
            result.push(TokenTree::Punct(dash));
        }
        result.push(token);
    }
    result
}

fn imply(segment: &[TokenTree]) -> TokenStream {
    let head = closure_head(segment);
    let (head, rest) = segment.split_at(head);
    if head.is_empty()
        && let Some(assigned) = let_initialiser(rest)
    {
        let (binding, value) = rest.split_at(assigned);
        return binding.iter().cloned().chain(imply(value)).collect();
    }
    let arrow = (0..rest.len().saturating_sub(1)).find(|&at| is_arrow(rest, at));
    let Some(arrow) = arrow else { return segment.iter().cloned().collect() };
    if arrow == 0 {
        // The return type of a closure, whose body is a block.
        return segment.iter().cloned().collect();
    }
    let span = rest[arrow].span();
    let parentheses = |tokens: TokenStream| {
        let mut group = Group::new(Delimiter::Parenthesis, tokens);
        group.set_span(span);
        TokenTree::Group(group)
    };
    let mark = |character, spacing| {
        let mut punct = Punct::new(character, spacing);
        punct.set_span(span);
        TokenTree::Punct(punct)
    };
    let premise = parentheses(rest[..arrow].iter().cloned().collect());
    let conclusion = parentheses(imply(&rest[arrow + 2..]));
    let or = [mark('|', Spacing::Joint), mark('|', Spacing::Alone)];
    let implication: TokenStream =
        [mark('!', Spacing::Alone), premise].into_iter().chain(or).chain([conclusion]).collect();
    head.iter().cloned().chain([parentheses(implication)]).collect()
}

/// Where the value of a `let x = value` begins.
fn let_initialiser(tokens: &[TokenTree]) -> Option<usize> {
    let is_let = matches!(tokens.first(), Some(TokenTree::Ident(word)) if word == "let");
    let equals = tokens.iter().position(|token| punct(token) == Some('='))?;
    is_let.then_some(equals + 1)
}

fn is_arrow(tokens: &[TokenTree], at: usize) -> bool {
    if punct(&tokens[at]) != Some('-') || punct(&tokens[at + 1]) != Some('>') {
        return false;
    }
    // `fn(A) -> B` and `Fn(A) -> B` are types.
    let of_type = at >= 2
        && matches!(&tokens[at - 2], TokenTree::Ident(word)
            if word == "fn" || word == "Fn" || word == "FnMut" || word == "FnOnce");
    !of_type
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn check(source: &str, expected: &str) {
        let tokens: TokenStream = source.parse().expect("it lexes");
        let read: Expr =
            syn::parse2(implications(tokens.into_iter().collect())).expect("it parses");
        let expected: Expr = syn::parse_str(expected).expect("the expectation parses");
        assert_eq!(read.to_token_stream().to_string(), expected.to_token_stream().to_string());
    }

    #[test]
    fn implication_binds_weakest_and_to_the_right() {
        check("a && b -> c", "(!(a && b) || (c))");
        check("a -> b -> c", "(!(a) || ((!(b) || (c))))");
        check("a ==> b", "(!(a) || (b))");
    }

    #[test]
    fn implication_is_found_inside_closures_calls_and_arms() {
        check("forall(v, |x| x > 1 -> f(x))", "forall(v, |x| (!(x > 1) || (f(x))))");
        check("match x { A => a -> b, B => c }", "match x { A => (!(a) || (b)), B => c }");
        check("(a -> b) && c", "((!(a) || (b))) && c");
    }

    #[test]
    fn arrows_of_types_stay() {
        check("|x: i32| -> bool { x > 1 }", "|x: i32| -> bool { x > 1 }");
    }

    #[test]
    fn commas_in_turbofish_and_closure_heads_do_not_separate() {
        let tokens: TokenStream = "f::<A, B>(x), |a, b| a < b, \"why\"".parse().expect("it lexes");
        assert_eq!(split(tokens.into_iter().collect(), &[',']).len(), 3);
    }
}
