//! Walks through a file and shows every place to every operator.
//!
//! What the walk decides is where nothing may be mutated (tests, constants, patterns, macros),
//! each with a reason; what a mutant is, the operators say.

use crate::flow::{self, Flow};
use crate::lines::Lines;
use crate::operators::{Finder, Node, OPERATORS, Variable};
use crate::site::{Level, Piece, Site};
use crate::{Cfg, Error, ModuleFile, Mutant, Reason, Skip, Source};
use std::cmp::Reverse;
use std::ops::Range;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, Pat, Signature, Stmt, Token, Type};

/// Where a file stands.
#[derive(Clone, Debug)]
pub struct Scope<'c> {
    /// The path of its module; empty for the root.
    pub module: Vec<String>,
    pub cfg: &'c Cfg,
    /// The number of its first mutant.
    pub first: u32,
}

/// Finds the mutants of a file.
pub fn scan(text: &str, scope: &Scope) -> Result<Source, Error> {
    let prefix = prefix_bytes(text);
    let file = syn::parse_file(&text[prefix..])
        .map_err(|error| Error { line: error.span().start().line, why: error.to_string() })?;
    let mut scanner = Scanner {
        finder: Finder::new(text, prefix, &file),
        cfg: scope.cfg,
        path: scope.module.clone(),
        in_file: vec![],
        skips: vec![],
        modules: vec![],
        functions: vec![],
        flow: flow::read(&file, prefix),
    };
    if scope.cfg.left_out(&file.attrs).is_none() {
        scanner.visit_file(&file);
    }
    Ok(scanner.finish(text, scope.first))
}

/// The parser does not count a mark of the encoding and a line for the shell.
fn prefix_bytes(text: &str) -> usize {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let rest = &text[mark..];
    let is_attribute = rest.strip_prefix("#!").is_some_and(|r| r.trim_start().starts_with('['));
    match rest.starts_with("#!") && !is_attribute {
        true => mark + rest.find('\n').unwrap_or(rest.len()),
        false => mark,
    }
}

struct Scanner<'s> {
    finder: Finder<'s>,
    cfg: &'s Cfg,
    /// Modules, types and functions around.
    path: Vec<String>,
    /// Modules of this file around.
    in_file: Vec<String>,
    skips: Vec<Skip>,
    modules: Vec<ModuleFile>,
    functions: Vec<Range<usize>>,
    flow: Flow,
}

impl Scanner<'_> {
    fn finish(self, text: &str, first: u32) -> Source {
        let mut found = self.finder.found;
        let key = |site: &Site| (site.span.start, Reverse(site.span.end), site.level);
        found.sort_by_key(|(site, _)| key(site));
        let lines = Lines::new(text);
        let (mut sites, mut mutants, mut next) = (vec![], vec![], first);
        for (mut site, drafts) in found {
            site.first = next;
            next += drafts.len() as u32;
            for (n, draft) in drafts.into_iter().enumerate() {
                mutants.push(Mutant {
                    id: site.first + n as u32,
                    operator: draft.operator,
                    function: draft.function,
                    start: lines.place(draft.at.start),
                    end: lines.place(draft.at.end),
                    range: draft.at,
                    replacement: draft.becomes,
                });
            }
            sites.push(site);
        }
        let (skips, modules, functions) = (self.skips, self.modules, self.functions);
        let flow = self.flow;
        Source { text: text.to_owned(), mutants, skips, modules, functions, sites, flow }
    }

    fn skip(&mut self, reason: Reason, what: &str, at: &impl Spanned) {
        let line = at.span().start().line;
        self.skips.push(Skip { line, what: what.to_owned(), reason });
    }

    /// Whether an item may be mutated; if not, that is noted.
    fn enters(&mut self, attributes: &[Attribute], name: &str, at: &impl Spanned) -> bool {
        let reason = self.cfg.left_out(attributes);
        if let Some(reason) = reason {
            let what = self.path_of(name);
            self.skip(reason, &what, at);
        }
        reason.is_none()
    }

    fn path_of(&self, name: &str) -> String {
        let mut path = self.path.clone();
        path.push(name.to_owned());
        path.join("::")
    }

    fn show(&mut self, node: &Node) {
        for operator in OPERATORS {
            self.finder.operator = operator.name;
            (operator.look)(node, &mut self.finder);
        }
    }

    fn function(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        let name = signature.ident.to_string();
        if !self.enters(attributes, &name, &signature.ident) {
            return;
        }
        let path = self.path_of(&name);
        if signature.constness.is_some() {
            return self.skip(Reason::Const, &path, &signature.ident);
        }
        let Some(body) = self.finder.inside(block) else { return };
        let outer = std::mem::replace(&mut self.finder.function, path);
        self.path.push(name);
        let parameters = signature.inputs.iter().filter_map(parameter).collect();
        let variables = std::mem::replace(&mut self.finder.variables, parameters);
        self.functions.push(body.clone());
        // Also without a mutant of its own: what is wrong in a function is traced back to it.
        let site = Site {
            pieces: vec![Piece::Original(body.clone())],
            span: body,
            level: Level::Body,
            first: 0,
            arms: vec![],
        };
        self.finder.found.push((site, vec![]));
        self.show(&Node::Function(signature, block));
        if !matches!(signature.output, syn::ReturnType::Default) {
            self.needs(block);
        }
        // What a type is hidden by cannot be two types.
        let is_hidden = matches!(&signature.output, syn::ReturnType::Type(_, ty) if matches!(**ty, Type::ImplTrait(_)));
        if let Some(Stmt::Expr(tail, None)) = block.stmts.last()
            && !is_hidden
        {
            self.show(&Node::Tail(tail));
        }
        self.visit_block(block);
        self.finder.variables = variables;
        self.path.pop();
        self.finder.function = outer;
    }

    /// Notes the statements without which a block has not the type that is asked for.
    fn needs(&mut self, block: &Block) {
        let ends = flow::ends(block).into_iter().map(|statement| self.finder.range(statement));
        let ends: Vec<Range<usize>> = ends.collect();
        self.finder.needed.extend(ends);
    }

    fn condition(&mut self, condition: &Expr) {
        if !binds(condition) {
            self.show(&Node::Condition(condition));
        }
        self.visit_expr(condition);
    }

    /// Runs in a scope of its own.
    fn scoped(&mut self, walk: impl FnOnce(&mut Self)) {
        let known = self.finder.variables.len();
        walk(self);
        self.finder.variables.truncate(known);
    }

    fn expressions_of(&mut self, mac: &syn::Macro) -> bool {
        let name = mac.path.segments.last().map(|last| last.ident.to_string());
        let parse = Punctuated::<Expr, Token![,]>::parse_terminated;
        let found: Vec<Expr> = match name.as_deref() {
            Some("matches") => mac.parse_body_with(first_expression).into_iter().collect(),
            Some("vec") => match mac.parse_body_with(parse) {
                Ok(list) => list.into_iter().collect(),
                Err(_) => mac.parse_body_with(repeated).map_or(vec![], |pair| pair.into()),
            },
            Some(name) if TAKE_EXPRESSIONS.contains(&name) => {
                mac.parse_body_with(parse).map_or(vec![], |list| list.into_iter().collect())
            }
            _ => return mac.tokens.is_empty(),
        };
        for expression in &found {
            match expression {
                // The format, or a message.
                Expr::Lit(literal) if matches!(literal.lit, syn::Lit::Str(_)) => {}
                // `name = value` is no assignment here.
                Expr::Assign(named) => self.visit_expr(&named.right),
                expression => self.visit_expr(expression),
            }
        }
        true
    }
}

/// Macros of the standard library whose arguments are expressions.
const TAKE_EXPRESSIONS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "write",
    "writeln",
];

fn first_expression(input: syn::parse::ParseStream) -> syn::Result<Expr> {
    let first = input.parse()?;
    input.parse::<proc_macro2::TokenStream>()?;
    Ok(first)
}

fn repeated(input: syn::parse::ParseStream) -> syn::Result<[Expr; 2]> {
    let value = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok([value, input.parse()?])
}

/// Whether a condition has a pattern in it, which has to stay where it is.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(both) => binds(&both.left) || binds(&both.right),
        _ => false,
    }
}

fn parameter(input: &syn::FnArg) -> Option<Variable> {
    match input {
        syn::FnArg::Typed(typed) => variable(&typed.pat, &typed.ty),
        syn::FnArg::Receiver(_) => None,
    }
}

fn variable(pattern: &Pat, ty: &Type) -> Option<Variable> {
    let Pat::Ident(name) = pattern else { return None };
    let plain = name.by_ref.is_none() && name.subpat.is_none();
    plain.then(|| Variable { name: name.ident.to_string(), ty: ty.clone() })
}

/// The name of the type that an `impl` is for.
fn name_of(ty: &Type) -> String {
    match ty {
        Type::Path(path) => {
            path.path.segments.last().map_or(String::new(), |last| last.ident.to_string())
        }
        Type::Reference(reference) => name_of(&reference.elem),
        _ => "impl".to_owned(),
    }
}

impl<'ast> Visit<'ast> for Scanner<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let name = item.ident.to_string();
        if !self.enters(&item.attrs, &name, &item.ident) {
            return;
        }
        let Some((_, items)) = &item.content else {
            let path = item.attrs.iter().find_map(path_of_attribute);
            return self.modules.push(ModuleFile { name, inside: self.in_file.clone(), path });
        };
        self.path.push(name.clone());
        self.in_file.push(name);
        items.iter().for_each(|item| self.visit_item(item));
        self.in_file.pop();
        self.path.pop();
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let name = name_of(&item.self_ty);
        if !self.enters(&item.attrs, &name, &item.self_ty) {
            return;
        }
        self.path.push(name.clone());
        let outer = self.finder.self_type.replace(name);
        item.items.iter().for_each(|item| self.visit_impl_item(item));
        self.finder.self_type = outer;
        self.path.pop();
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let name = item.ident.to_string();
        if self.enters(&item.attrs, &name, &item.ident) {
            self.path.push(name);
            item.items.iter().for_each(|item| self.visit_trait_item(item));
            self.path.pop();
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.attrs, &item.sig, block);
        }
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        let what = self.path_of(&item.ident.to_string());
        self.skip(Reason::Const, &what, &item.ident);
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        let what = self.path_of(&item.ident.to_string());
        self.skip(Reason::Const, &what, &item.ident);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        let what = self.path_of(&item.ident.to_string());
        self.skip(Reason::Const, &what, &item.ident);
    }

    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        let reason = match &item.ident {
            Some(_) => Reason::MacroDefinition,
            None => Reason::Macro,
        };
        let name = item.ident.as_ref().map_or_else(|| "a macro".to_owned(), ToString::to_string);
        let what = self.path_of(&name);
        self.skip(reason, &what, &item.mac.path);
    }

    // Evaluated by the compiler, or no code.
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_variant(&mut self, _: &'ast syn::Variant) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        _: &'ast syn::AngleBracketedGenericArguments,
    ) {
    }

    fn visit_expr_const(&mut self, constant: &'ast syn::ExprConst) {
        let what = self.finder.function.clone();
        self.skip(Reason::Const, &what, &constant.const_token);
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        // A name alone is the field's name, too.
        if field.colon_token.is_some() {
            self.visit_expr(&field.expr);
        }
    }

    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if matches!(pattern, Pat::Lit(_) | Pat::Range(_)) {
            let what = self.finder.function.clone();
            self.skip(Reason::Pattern, &what, pattern);
        }
        // Literals may stand deeper; expressions are none of ours.
        if !matches!(pattern, Pat::Lit(_) | Pat::Range(_) | Pat::Const(_)) {
            visit::visit_pat(self, pattern);
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if !self.expressions_of(mac) {
            let what = self.finder.function.clone();
            self.skip(Reason::Macro, &what, &mac.path);
        }
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let name = "an arm";
        if self.enters(&arm.attrs, name, &arm.pat) {
            self.scoped(|it| {
                it.visit_pat(&arm.pat);
                if let Some((_, guard)) = &arm.guard {
                    it.condition(guard);
                }
                it.visit_expr(&arm.body);
            });
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.scoped(|it| block.stmts.iter().for_each(|statement| it.visit_stmt(statement)));
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        let attributes: &[Attribute] = match statement {
            Stmt::Local(local) => &local.attrs,
            Stmt::Macro(mac) => &mac.attrs,
            Stmt::Expr(expression, _) => attributes_of(expression),
            Stmt::Item(_) => &[],
        };
        if !self.enters(attributes, "a statement", statement) {
            return;
        }
        if let Stmt::Local(local) = statement
            && let Some((_, other)) = local.init.as_ref().and_then(|init| init.diverge.as_ref())
            && let Expr::Block(other) = &**other
        {
            self.needs(&other.block);
        }
        self.show(&Node::Statement(statement));
        visit::visit_stmt(self, statement);
        if let Stmt::Local(local) = statement
            && let Pat::Type(typed) = &local.pat
            && let Some(variable) = variable(&typed.pat, &typed.ty)
        {
            self.finder.variables.push(variable);
        } else if let Stmt::Local(local) = statement
            && let Pat::Ident(name) = &local.pat
        {
            // It hides what had its name, and its type is not written.
            let name = name.ident.to_string();
            self.finder.variables.retain(|known| known.name != name);
        }
    }

    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        self.scoped(|it| {
            it.condition(&branch.cond);
            it.visit_block(&branch.then_branch);
        });
        if let Some((_, other)) = &branch.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_while(&mut self, branch: &'ast syn::ExprWhile) {
        self.scoped(|it| {
            it.condition(&branch.cond);
            it.visit_block(&branch.body);
        });
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        let outer = std::mem::take(&mut self.finder.variables);
        self.visit_expr(&closure.body);
        self.finder.variables = outer;
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        // Patterns and what they are made of stay.
        self.show(&Node::Expression(expression));
        match expression {
            // A place is not a value: what it consists of may be, as an index.
            Expr::Assign(assign) => {
                self.place(&assign.left);
                self.visit_expr(&assign.right);
            }
            Expr::Reference(reference) => self.place(&reference.expr),
            Expr::RawAddr(address) => self.place(&address.expr),
            Expr::Field(field) => self.place(&field.base),
            Expr::Index(index) => {
                self.place(&index.expr);
                self.visit_expr(&index.index);
            }
            Expr::MethodCall(call) => {
                self.place(&call.receiver);
                // Words for whoever reads a panic.
                let is_message = call.method == "expect" || call.method == "expect_err";
                let visited = call.args.iter().filter(|_| !is_message);
                visited.for_each(|argument| self.visit_expr(argument));
            }
            Expr::Binary(binary) if is_assigning(&binary.op) => {
                self.place(&binary.left);
                self.visit_expr(&binary.right);
            }
            // A literal is mutated with its sign.
            Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. })
                if matches!(**expr, Expr::Lit(_)) => {}
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => {
                self.place(&unary.expr);
            }
            Expr::Match(choice) => {
                self.place(&choice.expr);
                choice.arms.iter().for_each(|arm| self.visit_arm(arm));
            }
            // What is called is no value of ours.
            Expr::Call(call) => {
                if !matches!(*call.func, Expr::Path(_)) {
                    self.visit_expr(&call.func);
                }
                call.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            other => visit::visit_expr(self, other),
        }
    }
}

impl Scanner<'_> {
    /// An expression whose place is used, not only its value: names stay as they are.
    fn place(&mut self, expression: &Expr) {
        match expression {
            Expr::Path(_) | Expr::Lit(_) => {}
            Expr::Field(field) => self.place(&field.base),
            Expr::Paren(inner) => self.place(&inner.expr),
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|element| self.place(element)),
            other => self.visit_expr(other),
        }
    }
}

fn is_assigning(operator: &syn::BinOp) -> bool {
    crate::operators::is_assigning(operator)
}

fn path_of_attribute(attribute: &Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        Expr::Lit(literal) if pair.path.is_ident("path") => match &literal.lit {
            syn::Lit::Str(path) => Some(path.value()),
            _ => None,
        },
        _ => None,
    }
}

fn attributes_of(expression: &Expr) -> &[Attribute] {
    match expression {
        Expr::Block(it) => &it.attrs,
        Expr::If(it) => &it.attrs,
        Expr::Match(it) => &it.attrs,
        Expr::ForLoop(it) => &it.attrs,
        Expr::While(it) => &it.attrs,
        Expr::Loop(it) => &it.attrs,
        Expr::Unsafe(it) => &it.attrs,
        Expr::Call(it) => &it.attrs,
        Expr::MethodCall(it) => &it.attrs,
        Expr::Assign(it) => &it.attrs,
        Expr::Return(it) => &it.attrs,
        Expr::Async(it) => &it.attrs,
        Expr::Await(it) => &it.attrs,
        Expr::Break(it) => &it.attrs,
        Expr::Cast(it) => &it.attrs,
        Expr::Closure(it) => &it.attrs,
        Expr::Continue(it) => &it.attrs,
        Expr::Field(it) => &it.attrs,
        Expr::Index(it) => &it.attrs,
        Expr::Let(it) => &it.attrs,
        Expr::Lit(it) => &it.attrs,
        Expr::Paren(it) => &it.attrs,
        Expr::Path(it) => &it.attrs,
        Expr::Range(it) => &it.attrs,
        Expr::Reference(it) => &it.attrs,
        Expr::Struct(it) => &it.attrs,
        Expr::Try(it) => &it.attrs,
        Expr::Tuple(it) => &it.attrs,
        Expr::Unary(it) => &it.attrs,
        Expr::Binary(it) => &it.attrs,
        Expr::Macro(it) => &it.attrs,
        _ => &[],
    }
}
