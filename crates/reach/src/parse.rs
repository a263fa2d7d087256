//! From the text of a clause to an expression.
//!
//! A clause is Rust with implication (`a -> b`, `a ==> b`, weakest, to the right). That is
//! rewritten to the function `implies` among the tokens, wherever it stands; then `syn`
//! reads it. What it means is decided where it is translated.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};

/// The expression of a clause, or why there is none.
pub(crate) fn clause(text: &str) -> Result<syn::Expr, String> {
    let tokens: TokenStream = text.parse().map_err(|why| format!("{why}"))?;
    syn::parse2(rewritten(tokens)).map_err(|why| why.to_string())
}

/// The same tokens with implications as calls.
fn rewritten(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().map(inside).collect();
    let mut out = vec![];
    for (n, part) in tokens.split(is_comma).enumerate() {
        if n > 0 {
            out.push(TokenTree::Punct(Punct::new(',', Spacing::Alone)));
        }
        out.extend(implication(part));
    }
    out.into_iter().collect()
}

fn inside(token: TokenTree) -> TokenTree {
    match token {
        TokenTree::Group(group) => {
            TokenTree::Group(Group::new(group.delimiter(), rewritten(group.stream())))
        }
        token => token,
    }
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

/// Where the first arrow is, and how many tokens it takes.
fn arrow(tokens: &[TokenTree]) -> Option<(usize, usize)> {
    (0..tokens.len()).find_map(|n| {
        let at = |more: usize, wanted| is_punct(tokens.get(n + more), wanted);
        if at(0, '-') && at(1, '>') {
            Some((n, 2))
        } else {
            (at(0, '=') && at(1, '=') && at(2, '>')).then_some((n, 3))
        }
    })
}

/// The length of `|x, y|` at the beginning, which an implication does not reach over.
fn closure_head(tokens: &[TokenTree]) -> usize {
    if !is_punct(tokens.first(), '|') {
        return 0;
    }
    let end = tokens.iter().skip(1).position(|token| is_punct(Some(token), '|'));
    end.map_or(0, |end| end + 2)
}

fn implication(tokens: &[TokenTree]) -> Vec<TokenTree> {
    let (head, rest) = tokens.split_at(closure_head(tokens));
    let Some((at, len)) = arrow(rest) else { return tokens.to_vec() };
    let mut arguments: Vec<TokenTree> = rest[..at].to_vec();
    arguments.push(TokenTree::Punct(Punct::new(',', Spacing::Alone)));
    arguments.extend(implication(&rest[at + len..]));
    let arguments = Group::new(Delimiter::Parenthesis, arguments.into_iter().collect());
    let name = Ident::new("implies", Span::call_site());
    let mut out = head.to_vec();
    out.extend([TokenTree::Ident(name), TokenTree::Group(arguments)]);
    out
}

/// What `matches!(value, pattern if guard)` is about.
pub(crate) struct Matches {
    pub(crate) value: syn::Expr,
    pub(crate) pattern: syn::Pat,
    pub(crate) guard: Option<syn::Expr>,
}

impl syn::parse::Parse for Matches {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Matches> {
        let value = input.parse()?;
        input.parse::<syn::Token![,]>()?;
        let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
        let guard = match input.peek(syn::Token![if]) {
            true => {
                input.parse::<syn::Token![if]>()?;
                Some(input.parse()?)
            }
            false => None,
        };
        input.parse::<Option<syn::Token![,]>>()?;
        Ok(Matches { value, pattern, guard })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &str) {
        let wanted: syn::Expr = syn::parse_str(wanted).unwrap();
        assert_eq!(clause(text).unwrap(), wanted, "{text}");
    }

    #[test]
    fn implication_binds_weakest_and_to_the_right() {
        check("a && b -> c", "implies(a && b, c)");
        check("a -> b ==> c", "implies(a, implies(b, c))");
        check("forall(xs, |x| a -> b)", "forall(xs, |x| implies(a, b))");
        check("(a -> b) && c", "(implies(a, b)) && c");
        check("x - 1 > 0", "x - 1 > 0");
    }

    #[test]
    fn what_is_no_expression_is_refused_with_a_reason() {
        assert!(clause("len( > 3").is_err());
        assert!(clause("len() >").is_err());
    }
}
