//! What a body works on, if it does nothing but plain work.
//!
//! A body of operators, assignments, branches and a few methods of the standard
//! library reaches another contract only through the types of what it works on.
//! Here are the places whose types decide; `testsmith::contracts` knows the
//! types for which the answer is no. A body that does anything else is not
//! looked into: its call is tracked.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Block, Expr, ExprField, ExprMethodCall, Lit, Member, Pat, Stmt};

use super::names::Parameter;

/// Methods that on a plain value run no code but that of the standard library.
const METHODS: [&str; 211] = [
    "abs",
    "abs_diff",
    "and",
    "append",
    "as_bytes",
    "as_deref",
    "as_deref_mut",
    "as_mut",
    "as_mut_slice",
    "as_ref",
    "as_slice",
    "as_str",
    "back",
    "binary_search",
    "bytes",
    "capacity",
    "ceil",
    "char_indices",
    "chars",
    "checked_add",
    "checked_div",
    "checked_mul",
    "checked_neg",
    "checked_pow",
    "checked_rem",
    "checked_shl",
    "checked_shr",
    "checked_sub",
    "chunks",
    "clamp",
    "clear",
    "clone",
    "clone_from_slice",
    "cloned",
    "cmp",
    "concat",
    "contains",
    "copied",
    "copy_from_slice",
    "copy_within",
    "copysign",
    "count",
    "count_ones",
    "count_zeros",
    "dedup",
    "div_ceil",
    "div_euclid",
    "ends_with",
    "enumerate",
    "eq",
    "eq_ignore_ascii_case",
    "err",
    "exp",
    "expect",
    "extend_from_slice",
    "fill",
    "find",
    "first",
    "first_mut",
    "flatten",
    "floor",
    "front",
    "ge",
    "get",
    "get_mut",
    "gt",
    "hypot",
    "ilog10",
    "ilog2",
    "insert",
    "insert_str",
    "is_alphabetic",
    "is_alphanumeric",
    "is_ascii",
    "is_ascii_alphabetic",
    "is_ascii_alphanumeric",
    "is_ascii_digit",
    "is_ascii_lowercase",
    "is_ascii_uppercase",
    "is_ascii_whitespace",
    "is_char_boundary",
    "is_control",
    "is_empty",
    "is_err",
    "is_finite",
    "is_infinite",
    "is_lowercase",
    "is_multiple_of",
    "is_nan",
    "is_negative",
    "is_none",
    "is_numeric",
    "is_ok",
    "is_positive",
    "is_power_of_two",
    "is_sign_negative",
    "is_sign_positive",
    "is_some",
    "is_sorted",
    "is_uppercase",
    "is_whitespace",
    "isqrt",
    "iter",
    "last",
    "last_mut",
    "le",
    "leading_ones",
    "leading_zeros",
    "len",
    "len_utf8",
    "lines",
    "ln",
    "lt",
    "make_ascii_lowercase",
    "make_ascii_uppercase",
    "make_contiguous",
    "max",
    "min",
    "mul_add",
    "ne",
    "next",
    "next_multiple_of",
    "next_power_of_two",
    "nth",
    "ok",
    "or",
    "overflowing_add",
    "overflowing_mul",
    "overflowing_sub",
    "partial_cmp",
    "pop",
    "pop_back",
    "pop_front",
    "pow",
    "powf",
    "powi",
    "push",
    "push_back",
    "push_front",
    "push_str",
    "rem_euclid",
    "remove",
    "repeat",
    "replace",
    "reserve",
    "resize",
    "rev",
    "reverse",
    "reverse_bits",
    "rfind",
    "rotate_left",
    "rotate_right",
    "round",
    "saturating_add",
    "saturating_mul",
    "saturating_pow",
    "saturating_sub",
    "shrink_to_fit",
    "signum",
    "skip",
    "sort",
    "sort_unstable",
    "split_at",
    "split_at_mut",
    "split_first",
    "split_last",
    "split_off",
    "split_whitespace",
    "sqrt",
    "starts_with",
    "step_by",
    "strip_prefix",
    "strip_suffix",
    "swap",
    "swap_bytes",
    "swap_remove",
    "take",
    "to_ascii_lowercase",
    "to_ascii_uppercase",
    "to_be",
    "to_bits",
    "to_digit",
    "to_le",
    "to_lowercase",
    "to_owned",
    "to_string",
    "to_uppercase",
    "to_vec",
    "total_cmp",
    "trailing_ones",
    "trailing_zeros",
    "trim",
    "trim_end",
    "trim_start",
    "trunc",
    "truncate",
    "unsigned_abs",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "windows",
    "wrapping_add",
    "wrapping_div",
    "wrapping_mul",
    "wrapping_neg",
    "wrapping_pow",
    "wrapping_rem",
    "wrapping_shl",
    "wrapping_shr",
    "wrapping_sub",
    "xor",
];

/// A place that a body uses.
#[derive(Clone, PartialEq, Eq)]
pub enum Place {
    /// A parameter, or a field of one.
    Variable(Expr),
    /// Any other name: a constant.
    Constant(Expr),
}

/// The places of a body that does only plain work.
pub fn of(block: &Block, parameters: &[Parameter]) -> Option<Vec<Place>> {
    let mut parameters: Vec<String> =
        parameters.iter().map(|parameter| parameter.ident.to_string()).collect();
    parameters.push("self".to_owned());
    let mut body = Body { parameters, locals: Vec::new(), places: Vec::new() };
    body.block(block).then_some(body.places)
}

/// Whether a body gives its object to anything else: names `self` other than to reach a
/// field. Where it does not, nobody can ask about the object while the body runs, because
/// an object that is taken by `&mut self` or by value is nobody else's.
pub fn hands_out_self(block: &Block) -> bool {
    fn bare(tokens: TokenStream) -> bool {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(word) if word == "self" => {
                    let dot = tokens.next_if(
                        |next| matches!(next, TokenTree::Punct(punct) if punct.as_char() == '.'),
                    );
                    let member = dot.and_then(|_| tokens.next());
                    let called = matches!(tokens.peek(), Some(TokenTree::Group(group))
                        if group.delimiter() == Delimiter::Parenthesis);
                    let turbofish = matches!(tokens.peek(), Some(TokenTree::Punct(punct))
                        if punct.as_char() == ':');
                    if member.is_none() || called || turbofish {
                        return true;
                    }
                }
                TokenTree::Group(group) if bare(group.stream()) => return true,
                // `println!("{self:?}")` names it too.
                TokenTree::Literal(literal) if literal.to_string().contains("{self") => {
                    return true;
                }
                _ => {}
            }
        }
        false
    }
    bare(block.to_token_stream())
}

struct Body {
    parameters: Vec<String>,
    /// Made from what the body works on, so as plain as that.
    locals: Vec<String>,
    places: Vec<Place>,
}

/// Each method says whether what it was given is plain work.
impl Body {
    fn block(&mut self, block: &Block) -> bool {
        let depth = self.locals.len();
        let plain = block.stmts.iter().all(|statement| self.statement(statement));
        self.locals.truncate(depth);
        plain
    }

    fn statement(&mut self, statement: &Stmt) -> bool {
        match statement {
            Stmt::Expr(expr, _) => self.expr(expr),
            Stmt::Local(local) => {
                let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else {
                    return false;
                };
                let plain =
                    name.subpat.is_none() && init.diverge.is_none() && self.expr(&init.expr);
                self.locals.push(name.ident.to_string());
                plain
            }
            Stmt::Item(_) | Stmt::Macro(_) => false,
        }
    }

    fn expr(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(literal) => !matches!(literal.lit, Lit::Verbatim(_)),
            Expr::Path(_) => self.place(expr),
            Expr::Field(field) => self.field(field, expr),
            Expr::Paren(paren) => self.expr(&paren.expr),
            Expr::Unary(unary) => self.expr(&unary.expr),
            Expr::Cast(cast) => self.expr(&cast.expr),
            Expr::Reference(reference) => self.expr(&reference.expr),
            Expr::Binary(binary) => self.expr(&binary.left) && self.expr(&binary.right),
            Expr::Assign(assign) => self.expr(&assign.left) && self.expr(&assign.right),
            Expr::Index(index) => self.expr(&index.expr) && self.expr(&index.index),
            Expr::Tuple(tuple) => tuple.elems.iter().all(|part| self.expr(part)),
            Expr::Return(leave) => leave.expr.as_ref().is_none_or(|value| self.expr(value)),
            Expr::Block(inner) => self.block(&inner.block),
            Expr::If(branch) => {
                self.expr(&branch.cond)
                    && self.block(&branch.then_branch)
                    && branch.else_branch.as_ref().is_none_or(|(_, other)| self.expr(other))
            }
            Expr::While(repeat) => self.expr(&repeat.cond) && self.block(&repeat.body),
            Expr::MethodCall(call) => self.method(call),
            _ => false,
        }
    }

    fn method(&mut self, call: &ExprMethodCall) -> bool {
        METHODS.iter().any(|method| call.method == method)
            && call.turbofish.is_none()
            && self.expr(&call.receiver)
            && call.args.iter().all(|argument| self.expr(argument))
    }

    /// Only one step from a variable: further on, a pointer may be followed.
    fn field(&mut self, field: &ExprField, whole: &Expr) -> bool {
        let Expr::Path(base) = &*field.base else { return false };
        let Some(name) = base.path.get_ident().map(ToString::to_string) else { return false };
        if self.locals.contains(&name) {
            return matches!(field.member, Member::Unnamed(_));
        }
        let known = self.parameters.contains(&name);
        if known {
            self.add(Place::Variable(whole.clone()));
        }
        known
    }

    fn place(&mut self, expr: &Expr) -> bool {
        let Expr::Path(path) = expr else { return false };
        let name = path.path.get_ident().map(ToString::to_string).unwrap_or_default();
        if self.locals.contains(&name) || name == "None" {
            return true;
        }
        if self.parameters.contains(&name) {
            self.add(Place::Variable(expr.clone()));
            return true;
        }
        // Alone, a variant or a generic function may not say what type it has.
        let last = path.path.segments.last().map(|last| last.ident.to_string());
        let constant = last.is_some_and(|last| !last.contains(char::is_lowercase));
        if constant {
            self.add(Place::Constant(expr.clone()));
        }
        constant
    }

    fn add(&mut self, place: Place) {
        if !self.places.contains(&place) {
            self.places.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::names;
    use super::*;

    fn check(function: &str, expected: Option<&[&str]>) {
        let item: syn::ItemFn = syn::parse_str(function).expect("it parses");
        let places = of(&item.block, &names::parameters(&item.sig));
        let text = |place: &Place| {
            let (Place::Variable(expr) | Place::Constant(expr)) = place;
            expr.to_token_stream().to_string().replace(' ', "")
        };
        let places: Option<Vec<String>> = places.map(|places| places.iter().map(text).collect());
        let expected = expected.map(|texts| texts.iter().map(ToString::to_string).collect());
        assert_eq!(places, expected, "{function}");
    }

    #[test]
    fn plain_work_shows_the_places_it_is_done_on() {
        check(
            "fn f(s: &mut S, n: u64) { let m = n + 1; if s.items.len() > MOST { s.items.clear(); } \
             s.items.push(m); s.count += 1; }",
            Some(&["n", "s.items", "MOST", "s.count"]),
        );
        check("fn f() -> u8 { 3 }", Some(&[]));
        check(
            "fn f(s: &mut S) { s.first = None; s.most = limits::MOST; }",
            Some(&["s.first", "s.most", "limits::MOST"]),
        );
    }

    #[test]
    fn an_object_is_handed_out_by_whatever_names_all_of_it() {
        for (body, expected) in [
            ("self.a += fee(self.b);", false),
            ("self.items.push(self.fee.get(1)); self.a.b.c()", false),
            ("self.fee()", true),
            ("fee(self)", true),
            ("self.get::<u8>()", true),
            ("let this = &mut *self; this.a", true),
            ("println!(\"{self:?}\")", true),
            ("vec![self.a, self.b()]", true),
            ("(self.f)(1)", false),
        ] {
            let block: Block = syn::parse_str(&format!("{{ {body} }}")).expect("it parses");
            assert_eq!(hands_out_self(&block), expected, "{body}");
        }
    }

    #[test]
    fn a_body_that_calls_anything_else_is_not_looked_into() {
        for body in [
            "g(s)",
            "s.state = State::Empty",
            "s.f = g",
            "s.own()",
            "s.a.b += 1",
            "print!()",
            "s.items.push(g())",
            "for _ in s {}",
        ] {
            check(&format!("fn f(s: &mut S) {{ {body} }}"), None);
        }
    }
}
