//! Where a failure is the predicate's, inside of an expression whose failure
//! is.
//!
//! ```ignore
//! self.root.is_some() && (self.loose || korat::holds(&self.size, ..)) && self.ordered(3)
//! ```
//! becomes
//! ```ignore
//! .. && (.. || twin::holds(__must, &self.size, ..)) && self.__korat_ordered(3, __must)
//! ```
//! Generators are called with the word `PLAIN` otherwise, and functions that
//! are called without a word get none: what is not found here is sound. The
//! closures of `all`, `is_none_or` and `is_some_and` are looked into; that the
//! methods are those of iterators and options is left to method lookup.

use quote::{format_ident, quote};
use syn::{BinOp, Block, Expr, ExprMethodCall, Stmt, UnOp, parse_quote};

use super::checkpoints::{Checkpoints, Failure};
use super::purity::{is_of_std, variable};
use super::rewrite::GENERATORS;
use super::types::{is_constant, is_type_name};

/// The number by which a function knows the word that is meant for it.
pub fn word_for(name: &str) -> u64 {
    // FNV; the lower bits are for the word itself.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash | 1 << 8) & !0xff
}

/// The function that takes the word as its last argument.
pub fn with_word(name: &syn::Ident) -> syn::Ident {
    format_ident!("__korat_{name}", span = name.span())
}

impl Checkpoints<'_> {
    /// An expression whose failure is the predicate's.
    pub fn necessary(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Paren(inside) => self.necessary(&mut inside.expr),
            Expr::Binary(both) => match both.op {
                BinOp::And(_) => {
                    self.necessary(&mut both.left);
                    self.necessary(&mut both.right);
                }
                BinOp::Or(_) => self.necessary(&mut both.right),
                BinOp::BitAnd(_) => {
                    for side in [&mut both.left, &mut both.right] {
                        self.generator(side);
                    }
                }
                BinOp::Eq(_) if is_some_value(&both.right) => self.hand_on(&mut both.left),
                _ => {}
            },
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                self.unnecessary(&mut unary.expr);
            }
            Expr::If(choice) => {
                self.tail(&mut choice.then_branch);
                if let Some((_, otherwise)) = &mut choice.else_branch {
                    self.necessary(otherwise);
                }
            }
            Expr::Match(choice) => {
                choice.arms.iter_mut().for_each(|arm| self.necessary(&mut arm.body));
            }
            Expr::Block(block) => self.tail(&mut block.block),
            Expr::Unsafe(block) => self.tail(&mut block.block),
            Expr::MethodCall(call) if call.method == "is_some" || call.method == "is_ok" => {
                self.necessary_value(&mut call.receiver);
            }
            Expr::MethodCall(call) if is_combinator(call) => {
                if let Some(known) = self.combinator(call) {
                    *expr = known;
                }
            }
            Expr::Call(_) | Expr::MethodCall(_) => {
                self.generator(expr);
                self.hand_on(expr);
            }
            _ => {}
        }
    }

    /// An expression whose success is the predicate's failure.
    pub fn unnecessary(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Paren(inside) => self.unnecessary(&mut inside.expr),
            Expr::Binary(both) => match both.op {
                BinOp::Or(_) => {
                    self.unnecessary(&mut both.left);
                    self.unnecessary(&mut both.right);
                }
                BinOp::And(_) => self.unnecessary(&mut both.right),
                _ => {}
            },
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                self.necessary(&mut unary.expr);
            }
            Expr::MethodCall(call) if call.method == "is_none" || call.method == "is_err" => {
                self.necessary_value(&mut call.receiver);
            }
            _ => {}
        }
    }

    /// As `necessary`, for a value that fails by being `None` or an error.
    pub fn necessary_value(&mut self, expr: &mut Expr) {
        let through = ["ok_or", "ok_or_else", "ok", "map", "map_err", "as_ref", "copied", "cloned"];
        match expr {
            Expr::Paren(inside) => self.necessary_value(&mut inside.expr),
            Expr::MethodCall(call) if call.method == "then_some" || call.method == "then" => {
                self.necessary(&mut call.receiver);
            }
            Expr::MethodCall(call) if through.iter().any(|known| call.method == known) => {
                self.necessary_value(&mut call.receiver);
            }
            other => self.hand_on(other),
        }
    }

    fn tail(&mut self, block: &mut Block) {
        if let Some(Stmt::Expr(expr, None)) = block.stmts.last_mut() {
            self.necessary(expr);
        }
    }

    /// Tells a generator that its failure is the predicate's.
    fn generator(&self, expr: &mut Expr) {
        if is_generator(expr)
            && let Expr::Call(call) = expr
        {
            call.args[0] = parse_quote!(__must.word());
        }
    }

    /// `things.all(|thing| ..)` and the like: the closure's failure is that of
    /// the whole.
    fn combinator(&mut self, call: &mut ExprMethodCall) -> Option<Expr> {
        let over_items = call.method == "all";
        // A variable may be wanted afterwards.
        if over_items && !matches!(*call.receiver, Expr::MethodCall(_) | Expr::Call(_)) {
            return None;
        }
        let Some(Expr::Closure(closure)) = call.args.first_mut() else { return None };
        let mut locals = self.locals.clone();
        closure.inputs.iter().for_each(|input| locals.bind(input, false, false));
        let mut inside = Checkpoints { failure: Failure::False, locals, ..*self };
        inside.last(&mut closure.body);
        let (receiver, method, closure) = (&call.receiver, &call.method, &call.args);
        let known = if over_items { "korat_known" } else { "korat_known_option" };
        let (known, twin) = (format_ident!("{known}"), quote!(::testsmith::korat::twin));
        Some(parse_quote!(match #receiver {
            mut __called_on => {
                use #twin::{Known as _, KnownOption as _, Unknown as _};
                let __must = __must.only((&#twin::CalledOn(&__called_on)).#known());
                __called_on.#method(#closure)
            }
        }))
    }

    /// How the function of this block fails that an expression calls.
    pub fn own_failure(&self, expr: &Expr) -> Option<Failure> {
        self.own_name(expr).and_then(|name| self.failures.get(&name).copied())
    }

    /// The function that an expression calls on the same object, or as one of
    /// the same type.
    fn own_name(&self, expr: &Expr) -> Option<String> {
        let name = match expr {
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else { return None };
                let segments = &path.path.segments;
                (segments.len() == 2 && segments[0].ident == "Self").then(|| &segments[1].ident)?
            }
            Expr::MethodCall(call) if variable(&call.receiver).as_deref() == Some("self") => {
                &call.method
            }
            _ => return None,
        };
        Some(name.to_string())
    }

    /// The last generic argument of a function that takes the word; it is told
    /// by the word unless there are others.
    fn repeats(&self) -> syn::GenericArgument {
        match self.failure {
            Failure::Error => parse_quote!(false),
            _ => parse_quote!(__REPEATS),
        }
    }

    /// A call whose failure is the predicate's.
    pub fn hand_on(&self, expr: &mut Expr) {
        let own = self.own_name(expr).filter(|name| self.failures.contains_key(name));
        if let Some(name) = own {
            if !self.worded.contains(&name) {
                return;
            }
            match expr {
                Expr::Call(call) => {
                    if let Expr::Path(path) = &mut *call.func
                        && let Some(last) = path.path.segments.last_mut()
                    {
                        last.ident = with_word(&last.ident);
                        if let syn::PathArguments::AngleBracketed(given) = &mut last.arguments {
                            given.args.push(self.repeats());
                        }
                    }
                    call.args.push(parse_quote!(__must));
                }
                Expr::MethodCall(call) => {
                    call.method = with_word(&call.method);
                    if let Some(given) = &mut call.turbofish {
                        given.args.push(self.repeats());
                    }
                    call.args.push(parse_quote!(__must));
                }
                _ => {}
            }
        } else if let Some(name) = named(expr) {
            let next = quote!(::testsmith::korat::twin::must_next(__must, #name));
            *expr = parse_quote!(match (#next, #expr) {
                (_, __value) => {
                    ::testsmith::korat::twin::forget_must();
                    __value
                }
            });
        }
    }
}

/// By what name a word may be left for the function that is called: nothing
/// that happens before must take it, and nothing that could be called is
/// handed over.
fn named(expr: &Expr) -> Option<u64> {
    let name = match expr {
        Expr::Call(call) => {
            let Expr::Path(path) = &*call.func else { return None };
            let segments = &path.path.segments;
            let at = segments.len().checked_sub(2)?;
            let (of, name) = (&segments[at].ident, &segments[at + 1].ident);
            let is_function = is_type_name(of) && !is_type_name(name) && !is_generator(expr);
            (is_function && call.args.iter().all(is_plain_data)).then(|| name.to_string())?
        }
        Expr::MethodCall(call) => {
            let plain = is_plain_data(&call.receiver) && call.args.iter().all(is_plain_data);
            plain.then(|| call.method.to_string())?
        }
        _ => return None,
    };
    (!is_of_std(&name)).then(|| word_for(&name))
}

/// Whether an expression is nothing but the call of a generator that directs
/// the search.
pub fn is_generator(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else { return false };
    let Expr::Path(path) = &*call.func else { return false };
    let segments = &path.path.segments;
    segments.len() == 4
        && segments[0].ident == "testsmith"
        && segments[2].ident == "twin"
        && GENERATORS.iter().any(|known| segments[3].ident == known)
}

/// Whether a method fails if the closure does that it is given.
fn is_combinator(call: &ExprMethodCall) -> bool {
    ["all", "is_none_or", "is_some_and"].iter().any(|known| call.method == known)
        && call.args.len() == 1
}

/// Whether an expression is written `Some(..)` or `Ok(..)`.
fn is_some_value(expr: &Expr) -> bool {
    matches!(expr, Expr::Call(call) if matches!(&*call.func, Expr::Path(path)
        if path.path.is_ident("Some") || path.path.is_ident("Ok")))
}

/// Whether evaluating an expression calls no function of a twin, and its value
/// is nothing that could be called.
fn is_plain_data(expr: &Expr) -> bool {
    match expr {
        Expr::Path(path) => {
            let segments = &path.path.segments;
            segments.len() == 1 || segments.last().is_some_and(|last| is_constant(&last.ident))
        }
        Expr::Lit(_) => true,
        Expr::Paren(inside) => is_plain_data(&inside.expr),
        Expr::Field(field) => is_plain_data(&field.base),
        Expr::Unary(unary) => is_plain_data(&unary.expr),
        Expr::Reference(reference) => is_plain_data(&reference.expr),
        Expr::Binary(binary) => is_plain_data(&binary.left) && is_plain_data(&binary.right),
        Expr::Cast(cast) => is_plain_data(&cast.expr),
        Expr::Index(index) => is_plain_data(&index.expr) && is_plain_data(&index.index),
        Expr::Tuple(tuple) => tuple.elems.iter().all(is_plain_data),
        Expr::Call(_) => is_some_value(expr) && some_argument(expr).is_some_and(is_plain_data),
        _ => false,
    }
}

fn some_argument(expr: &Expr) -> Option<&Expr> {
    let Expr::Call(call) = expr else { return None };
    call.args.first().filter(|_| call.args.len() == 1)
}

#[cfg(test)]
mod tests {
    use super::super::split::split;
    use super::*;

    /// Whether the generator in the body of a method directs the search.
    fn directs(output: &str, body: &str) -> bool {
        let generator = "::testsmith::korat::twin::holds(::testsmith::korat::twin::PLAIN, &self.a)";
        let body = body.replace("HOLDS", generator);
        let text = format!("impl T {{ fn rep_ok(&self) -> {output} {{ {body} }} }}");
        let mut block: syn::ItemImpl = syn::parse_str(&text).expect("an impl block");
        split(&mut block);
        let text = quote!(#block).to_string().replace(' ', "");
        let (directed, plain) =
            (text.contains("holds(__must.word(),"), text.contains("twin::PLAIN"));
        assert!(directed != plain, "{text}");
        directed
    }

    #[test]
    fn a_generator_directs_where_its_failure_is_the_predicates() {
        for body in [
            "HOLDS",
            "self.b && HOLDS",
            "self.b || HOLDS",
            "self.b & HOLDS",
            "!(self.b || !HOLDS)",
            "if !HOLDS { return false; } true",
            "if self.b || !HOLDS { return false; } true",
            "if let Some(b) = self.b && !HOLDS { return false; } true",
            "for b in self.b.iter() { if !HOLDS { return false; } } true",
            "let ok = HOLDS; if !ok { return false; } true",
            "let ok = if self.b { HOLDS } else { true }; ok && self.b",
            "match self.b { 1 => HOLDS, _ => true }",
            "self.b.iter().all(|b| b.ok && HOLDS)",
            "self.b.as_ref().is_none_or(|b| { if !HOLDS { return false; } b.ok })",
        ] {
            assert!(directs("bool", body), "{body}");
        }
        for body in
            ["HOLDS.then_some(1)", "HOLDS.then_some(1)?; None", "let ok = HOLDS; ok.then(f)"]
        {
            assert!(directs("Option<u8>", body), "{body}");
        }
        for body in [
            "if !HOLDS { return Err(1); } Ok(())",
            "HOLDS.then_some(1).ok_or(2)?; Ok(())",
            "HOLDS.then_some(()).ok_or(2)",
        ] {
            assert!(directs("Result<(), u8>", body), "{body}");
        }
    }

    #[test]
    fn a_generator_is_plain_where_it_is_not() {
        for body in [
            "!HOLDS",
            "HOLDS || self.b",
            "HOLDS == self.b",
            "HOLDS | self.b",
            "let ok = HOLDS; !ok",
            "let ok = HOLDS; self.b && ok",
            "let ok = HOLDS; if !ok { return true; } true",
            "if HOLDS { return false; } true",
            "if !HOLDS && self.b { return false; } true",
            "if HOLDS { self.b } else { self.c }",
            "match HOLDS { true => self.b, false => self.c }",
            "match self.b { _ if HOLDS => self.b, _ => self.c }",
            "while HOLDS { return false; } true",
            "self.b.iter().any(|b| HOLDS)",
            "!self.b.iter().all(|b| HOLDS)",
            "self.check(|| HOLDS)",
            "let check = || HOLDS; check()",
            "helper(HOLDS)",
            "fn inner() -> bool { HOLDS } inner()",
            "assert!(HOLDS); true",
        ] {
            assert!(!directs("bool", body), "{body}");
        }
        assert!(!directs("usize", "if !HOLDS { return 0; } 1"));
        assert!(!directs("Result<bool, u8>", "Ok(HOLDS)"));
        assert!(!directs("Option<bool>", "Some(HOLDS)"));
    }
}
