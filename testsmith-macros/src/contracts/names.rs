//! Which names mean what: those a function's parameters bind, and those that
//! only exist inside a clause.
//!
//! Works on syntax alone; shadowing inside a clause is treated as if the inner
//! name held for the whole clause, which is enough to refuse what cannot work.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Expr, ExprPath, FnArg, GenericArgument, Ident, Member, Pat, PatIdent, PathArguments};
use syn::{Receiver, Signature, Type};

/// A name bound by a parameter.
#[derive(Clone)]
pub struct Parameter {
    pub ident: Ident,
    /// The pattern says `mut`, so the body may change it.
    pub mutable: bool,
    /// The whole parameter is this name and its type is `&mut T`.
    pub unique_reference: bool,
    /// The whole parameter is this name and its type is `&T`.
    pub shared_reference: bool,
    /// The whole parameter is this name and its type is of the standard library.
    pub standard: bool,
    /// The whole parameter is this name and its type is a number or the like.
    pub primitive: bool,
    /// The whole parameter is this name and its type is sure to be `Copy`.
    pub copied: bool,
}

/// How a method takes `self`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SelfKind {
    Shared,
    Unique,
    Value,
    /// `self: Box<Self>`, `self: Pin<&mut Self>` and the like.
    Typed {
        unique: bool,
        owned: bool,
    },
}

pub fn self_kind(receiver: &Receiver) -> SelfKind {
    if let Some(_reference) = &receiver.reference {
        return if receiver.mutability.is_some() { SelfKind::Unique } else { SelfKind::Shared };
    }
    if receiver.colon_token.is_none() {
        return SelfKind::Value;
    }
    match &*receiver.ty {
        Type::Reference(reference) if reference.mutability.is_some() => SelfKind::Unique,
        Type::Reference(_) => SelfKind::Shared,
        Type::Path(path) if path.path.is_ident("Self") => SelfKind::Value,
        other => {
            let text = other.to_token_stream().to_string();
            let owned = text.starts_with("Box") || text.contains(":: Box <");
            SelfKind::Typed { unique: text.contains("& mut") || text.contains("&mut"), owned }
        }
    }
}

pub fn receiver(signature: &Signature) -> Option<&Receiver> {
    match signature.inputs.first() {
        Some(FnArg::Receiver(receiver)) => Some(receiver),
        _ => None,
    }
}

/// The names the parameters bind, in order.
pub fn parameters(signature: &Signature) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for input in &signature.inputs {
        let FnArg::Typed(typed) = input else { continue };
        let whole = matches!(&*typed.pat, Pat::Ident(_));
        let by_value = matches!(&*typed.pat, Pat::Ident(name) if name.by_ref.is_none());
        let reference = match &*typed.ty {
            Type::Reference(reference) if whole => Some(reference.mutability.is_some()),
            _ => None,
        };
        for pattern in bound(&typed.pat) {
            parameters.push(Parameter {
                mutable: pattern.mutability.is_some(),
                unique_reference: reference == Some(true),
                shared_reference: reference == Some(false),
                standard: whole && is_standard(&typed.ty),
                primitive: whole && is_primitive(&typed.ty),
                copied: by_value && is_copied(&typed.ty),
                ident: pattern.ident,
            });
        }
    }
    parameters
}

/// Whether a type's operators are the language's own.
fn is_primitive(ty: &Type) -> bool {
    const NAMES: [&str; 16] = [
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
        "u32", "u64", "u128", "usize",
    ];
    matches!(ty, Type::Path(path) if NAMES.iter().any(|name| path.path.is_ident(name)))
}

/// Whether a type is sure to be `Copy`: numbers and shared references, alone, in tuples and
/// as options.
pub fn is_copied(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => reference.mutability.is_none(),
        Type::Paren(paren) => is_copied(&paren.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(is_copied),
        Type::Path(path) => {
            let last = path.path.segments.last().filter(|_| path.path.segments.len() == 1);
            let arguments = last.filter(|last| last.ident == "Option").map(|last| &last.arguments);
            let inner = match arguments {
                Some(PathArguments::AngleBracketed(arguments)) => arguments.args.first(),
                _ => None,
            };
            is_primitive(ty) || matches!(inner, Some(GenericArgument::Type(ty)) if is_copied(ty))
        }
        _ => false,
    }
}

/// Whether the methods of a type are known not to be the user's.
pub fn is_standard(ty: &Type) -> bool {
    const NAMES: [&str; 24] = [
        "Vec", "VecDeque", "String", "str", "Option", "Result", "HashMap", "HashSet", "BTreeMap",
        "BTreeSet", "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "isize", "u8", "u16",
        "u32", "u64", "usize",
    ];
    match ty {
        Type::Reference(reference) => is_standard(&reference.elem),
        Type::Paren(paren) => is_standard(&paren.elem),
        Type::Slice(_) | Type::Array(_) => true,
        Type::Path(path) => {
            let last = path.path.segments.last();
            last.is_some_and(|last| NAMES.iter().any(|name| last.ident == name))
        }
        _ => false,
    }
}

/// The names a pattern binds.
pub fn bound(pattern: &Pat) -> Vec<PatIdent> {
    struct Bound(Vec<PatIdent>);
    impl<'ast> Visit<'ast> for Bound {
        fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
            // `None` parses as a name; constants and variants are not lower case.
            let text = pattern.ident.to_string();
            if !text.starts_with(char::is_uppercase) {
                self.0.push(pattern.clone());
            }
            visit::visit_pat_ident(self, pattern);
        }
    }
    let mut names = Bound(Vec::new());
    names.visit_pat(pattern);
    names.0
}

/// The names that patterns inside an expression bind.
pub fn bound_inside(expr: &Expr) -> Vec<String> {
    struct Inside(Vec<String>);
    impl<'ast> Visit<'ast> for Inside {
        fn visit_pat(&mut self, pattern: &'ast Pat) {
            self.0.extend(bound(pattern).iter().map(|pattern| pattern.ident.to_string()));
        }
    }
    let mut names = Inside(Vec::new());
    names.visit_expr(expr);
    names.0
}

/// The variables that expressions read, as far as syntax shows: not what is called like a
/// function, which may be one that is not there without checks, not what is spelt like a
/// constant, and nothing inside macros other than what is sure to be an expression there.
pub fn variables<'a>(exprs: impl Iterator<Item = &'a Expr>) -> Vec<Ident> {
    struct Variables {
        inside: Vec<String>,
        found: Vec<Ident>,
    }
    impl<'ast> Visit<'ast> for Variables {
        fn visit_expr_path(&mut self, path: &'ast ExprPath) {
            if let Some(ident) = path.path.get_ident()
                && !ident.to_string().starts_with(char::is_uppercase)
                && !self.inside.contains(&ident.to_string())
                && !self.found.contains(ident)
            {
                self.found.push(ident.clone());
            }
        }

        fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
            if !matches!(&*call.func, Expr::Path(_)) {
                self.visit_expr(&call.func);
            }
            call.args.iter().for_each(|argument| self.visit_expr(argument));
        }

        fn visit_macro(&mut self, call: &'ast syn::Macro) {
            let matches = call.path.is_ident("matches");
            let mut tokens = call.tokens.clone().into_iter();
            let subject: TokenStream = tokens
                .by_ref()
                .take_while(|token| !matches!(token, TokenTree::Punct(p) if p.as_char() == ','))
                .collect();
            if matches && let Ok(subject) = syn::parse2::<Expr>(subject) {
                let mut found = variables(std::iter::once(&subject));
                found.retain(|ident| !self.inside.contains(&ident.to_string()));
                self.found.extend(found);
            }
        }
    }
    let mut variables = Variables { inside: Vec::new(), found: Vec::new() };
    for expr in exprs {
        variables.inside = bound_inside(expr);
        variables.visit_expr(expr);
    }
    variables.found
}

/// Where an expression mentions a name as a variable, also inside macro calls.
pub fn mention(expr: &Expr, name: &str) -> Option<Span> {
    struct Mention<'a>(&'a str, Option<Span>);
    impl<'ast> Visit<'ast> for Mention<'_> {
        fn visit_expr_path(&mut self, path: &'ast ExprPath) {
            if let Some(ident) = path.path.get_ident()
                && ident == self.0
            {
                self.1.get_or_insert(ident.span());
            }
        }

        fn visit_macro(&mut self, call: &'ast syn::Macro) {
            if let Some(span) = mention_in_tokens(call.tokens.clone(), self.0) {
                self.1.get_or_insert(span);
            }
        }
    }
    let mut search = Mention(name, None);
    search.visit_expr(expr);
    search.1
}

/// The same for raw tokens: a word that is not a field, path or method.
pub fn mention_in_tokens(tokens: TokenStream, name: &str) -> Option<Span> {
    let mut after_dot = false;
    for token in tokens {
        match &token {
            TokenTree::Ident(word) if word == name && !after_dot => return Some(word.span()),
            TokenTree::Group(group) => {
                if let Some(span) = mention_in_tokens(group.stream(), name) {
                    return Some(span);
                }
            }
            // `format!("{x}")` names x too.
            TokenTree::Literal(literal) if is_captured(&literal.to_string(), name) => {
                return Some(literal.span());
            }
            _ => {}
        }
        after_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
    }
    None
}

fn is_captured(literal: &str, name: &str) -> bool {
    literal.contains(&format!("{{{name}}}")) || literal.contains(&format!("{{{name}:"))
}

/// The variable at the start of `a.b.c`, if the expression is such a chain.
pub fn root(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Path(path) => path.path.get_ident(),
        Expr::Field(field) => match &field.member {
            Member::Named(_) | Member::Unnamed(_) => root(&field.base),
        },
        Expr::Index(index) => root(&index.expr),
        Expr::MethodCall(call) => root(&call.receiver),
        Expr::Unary(unary) => root(&unary.expr),
        Expr::Paren(paren) => root(&paren.expr),
        Expr::Reference(reference) => root(&reference.expr),
        _ => None,
    }
}
