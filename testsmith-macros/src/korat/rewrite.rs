//! The body of a method, rewritten for the twin.
//!
//! - `e.f` becomes `(*e.f)`, which notes the read;
//! - `e.0` of anything but `self` may be a plain tuple, so it is read through
//!   a method that is found for both;
//! - struct literals and variants of derived types make cells;
//! - loops, closures and functions spend steps, so that none runs forever;
//! - generators (`korat::..`) get the cell instead of its value.

use proc_macro2::Span;
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, ExprCall, ExprMacro, Ident, Item, Macro, Member, Pat, Signature, Stmt, Token,
    Type, parse_quote, parse_quote_spanned,
};

use super::patterns;
use super::types::{
    Imported, TypeRewriter, is_constant, is_type_name, is_unchanged, touch, twin_path,
};

/// Macros whose arguments are expressions.
const EXPRESSION_MACROS: &[&str] = &[
    "vec",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "panic",
    "unreachable",
    "todo",
    "unimplemented",
    "println",
    "eprintln",
    "format",
    "print",
    "eprint",
    "dbg",
    "write",
    "writeln",
];

/// The generators that direct the search. They get the word for the place that
/// they are called in; `checkpoints` puts it there.
pub const GENERATORS: &[&str] = &[
    "holds",
    "sorted",
    "ascending",
    "non_descending",
    "all_different",
    "tree",
    "acyclic_list",
    "tree_in",
];

pub struct Rewriter<'a> {
    own: &'a Ident,
    /// The real type of the block, whose constants the twin uses.
    real: Option<&'a Type>,
    kept: &'a [Ident],
    imported: Imported,
    errors: &'a mut Vec<syn::Error>,
}

impl<'a> Rewriter<'a> {
    pub fn new(own: &'a Ident, kept: &'a [Ident], errors: &'a mut Vec<syn::Error>) -> Self {
        Rewriter { own, real: None, kept, imported: Imported::default(), errors }
    }

    /// In a block of this type.
    pub fn within(self, real: &'a Type) -> Self {
        Rewriter { real: Some(real), ..self }
    }

    pub fn function(&mut self, sig: &mut Signature, block: &mut Block) {
        let mut types = TypeRewriter { kept: self.kept };
        types.visit_generics_mut(&mut sig.generics);
        types.visit_return_type_mut(&mut sig.output);
        let mut bound = Vec::new();
        for input in &mut sig.inputs {
            if let syn::FnArg::Typed(typed) = input {
                bound.extend(self.pattern(&mut typed.pat));
                TypeRewriter { kept: self.kept }.visit_type_mut(&mut typed.ty);
            }
        }
        if let Some(asyncness) = sig.asyncness {
            self.error(asyncness.span, "an async method cannot run on the twin");
        }
        self.visit_block_mut(block);
        let statements = &block.stmts;
        let touches = bound.iter().map(touch);
        *block = parse_quote!({
            #[allow(unused_imports)]
            use ::testsmith::korat::twin::{
                Elements as _, Patterned as _, PatternedArray as _, ReadCell as _, ReadPlain as _,
            };
            ::testsmith::korat::twin::enter();
            #(#touches)*
            #(#statements)*
        });
    }

    /// A function inside a function, and what it brings into scope.
    fn item(&mut self, item: &mut Item) {
        match item {
            Item::Fn(function) => {
                let own = function.sig.generics.type_params().map(|p| p.ident.clone());
                let kept: Vec<Ident> = self.kept.iter().cloned().chain(own).collect();
                let mut inside = Rewriter::new(self.own, &kept, self.errors);
                inside.real = self.real;
                inside.function(&mut function.sig, &mut function.block);
                let forget = parse_quote!(::testsmith::korat::twin::forget_must(););
                function.block.stmts.insert(0, forget);
            }
            Item::Use(import) => self.imported.take(&mut import.tree),
            _ => {}
        }
    }

    /// The scrutinee of patterns: where they take slices apart it is made one.
    fn scrutinee<'p>(&mut self, expr: &mut Expr, pats: &[&'p Pat]) {
        if let Expr::Tuple(tuple) = expr {
            for (at, part) in tuple.elems.iter_mut().enumerate() {
                let inside = pats.iter().filter_map(|pat| match pat {
                    Pat::Tuple(tuple) => tuple.elems.iter().nth(at),
                    _ => None,
                });
                let inside: Vec<&'p Pat> = inside.collect();
                self.scrutinee(part, &inside);
            }
            return;
        }
        self.visit_expr_mut(expr);
        if pats.iter().any(|pat| patterns::is_slice(pat)) {
            let span = expr.span();
            *expr = parse_quote_spanned!(span=> (#expr).korat_slice());
        }
    }

    /// The value of a `let` that takes an array apart.
    fn array(&mut self, expr: &mut Expr) {
        let span = expr.span();
        if let Expr::Reference(reference) = expr {
            self.visit_expr_mut(&mut reference.expr);
            let inside = &reference.expr;
            *expr = parse_quote_spanned!(span=> (#inside).korat_array());
        } else {
            self.visit_expr_mut(expr);
            *expr = parse_quote_spanned!(span=> *(#expr).korat_array());
        }
    }

    /// A constant is that of the real type, wherever it is defined.
    fn constant(&mut self, path: &syn::ExprPath) -> Option<Expr> {
        let segments = &path.path.segments;
        let last = &segments.last()?.ident;
        let count = segments.len();
        if count < 2 || !is_constant(last) || !is_type_name(&segments[count - 2].ident) {
            return None;
        }
        if count > 2 || (segments[0].ident != "Self" && segments[0].ident != *self.own) {
            return Some(Expr::Path(path.clone()));
        }
        let real = self.real?;
        Some(parse_quote_spanned!(last.span()=> <#real>::#last))
    }

    fn error(&mut self, span: Span, text: &str) {
        self.errors.push(syn::Error::new(span, text));
    }

    fn pattern(&mut self, pat: &mut Pat) -> Vec<Ident> {
        patterns::rewrite(pat, self.own, self.kept, &self.imported, self.errors)
    }

    /// Rewrites the parts of a field access and returns the cell's own place.
    fn cell(&mut self, expr: &mut Expr) {
        if let Expr::Field(field) = expr {
            self.visit_expr_mut(&mut field.base);
        } else {
            self.visit_expr_mut(expr);
        }
    }

    fn field(&mut self, expr: &mut Expr) {
        let Expr::Field(field) = expr else { return };
        let on_self = matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self"));
        self.visit_expr_mut(&mut field.base);
        let span = field.member.span();
        let field = &*field;
        let named = matches!(field.member, Member::Named(_));
        *expr = if named || on_self {
            parse_quote_spanned!(span=> (*#field))
        } else {
            parse_quote_spanned!(span=> (*(&#field).korat_read()))
        };
    }

    /// A place that is written to: parts of local tuples stay as they are.
    fn place(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Field(field) if matches!(field.member, Member::Unnamed(_)) => {
                let own = matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self"));
                if own {
                    self.field(expr);
                } else {
                    self.place(&mut field.base);
                }
            }
            other => self.visit_expr_mut(other),
        }
    }

    fn block_with(&mut self, block: &mut Block, bound: &[Ident], tick: bool) {
        self.visit_block_mut(block);
        let spend: Option<Stmt> = tick.then(|| parse_quote!(::testsmith::korat::twin::tick();));
        let first = spend.into_iter().chain(bound.iter().map(touch));
        block.stmts.splice(0..0, first);
    }

    /// The bindings of the `let`s in a condition, which must be the only or
    /// last part of it if they need touching.
    fn condition(&mut self, expr: &mut Expr) -> Vec<Ident> {
        match expr {
            Expr::Let(binding) => {
                self.scrutinee(&mut binding.expr, &[&binding.pat]);
                self.pattern(&mut binding.pat)
            }
            Expr::Binary(both) if matches!(both.op, syn::BinOp::And(_)) => {
                let first = self.condition(&mut both.left);
                if let Some(name) = first.first() {
                    self.error(
                        name.span(),
                        "in a `#[korat]` impl block a field bound in a chain of conditions \
                         cannot be used in the same chain; nest another `if`",
                    );
                }
                self.condition(&mut both.right)
            }
            other => {
                self.visit_expr_mut(other);
                Vec::new()
            }
        }
    }

    fn matching(&mut self, expr: &mut syn::ExprMatch) {
        let pats: Vec<&Pat> = expr.arms.iter().map(|arm| &arm.pat).collect();
        self.scrutinee(&mut expr.expr, &pats);
        for arm in &mut expr.arms {
            let bound = self.pattern(&mut arm.pat);
            let touches: Vec<Stmt> = bound.iter().map(touch).collect();
            if let Some((_, guard)) = &mut arm.guard {
                self.visit_expr_mut(guard);
                if !touches.is_empty() {
                    **guard = parse_quote!({ #(#touches)* #guard });
                }
            }
            self.visit_expr_mut(&mut arm.body);
            if !touches.is_empty() {
                let body = &arm.body;
                *arm.body = parse_quote!({ #(#touches)* #body });
                arm.comma = Some(<Token![,]>::default());
            }
        }
    }

    /// Closures that others call are told that nothing is known of their
    /// failure; a generator evaluates its constraint by itself.
    fn closure(&mut self, closure: &mut syn::ExprClosure, is_constraint: bool) {
        let mut bound = Vec::new();
        for input in &mut closure.inputs {
            bound.extend(self.pattern(input));
        }
        TypeRewriter { kept: self.kept }.visit_return_type_mut(&mut closure.output);
        self.visit_expr_mut(&mut closure.body);
        let touches = bound.iter().map(touch);
        let body = &closure.body;
        let forget = (!is_constraint).then(|| quote!(::testsmith::korat::twin::forget_must();));
        *closure.body = parse_quote!({
            ::testsmith::korat::twin::tick();
            #forget
            #(#touches)*
            #body
        });
    }

    /// `Node { .. }`, made by a method under test.
    fn literal(&mut self, literal: &mut syn::ExprStruct) {
        let twin = twin_path(&literal.path, self.own, &self.imported);
        let derived = twin.is_some() || literal.path.segments[0].ident == "Self";
        if let Some(twin) = twin {
            literal.path = twin;
        }
        if let (true, Some(rest)) = (derived, &literal.rest) {
            self.error(rest.span(), "write all fields out: a twin has no `..` update");
        }
        for field in &mut literal.fields {
            self.visit_expr_mut(&mut field.expr);
            if derived {
                field.colon_token.get_or_insert_default();
                let (span, value) = (field.expr.span(), &field.expr);
                field.expr = parse_quote_spanned!(span=> ::testsmith::korat::twin::cell(#value));
            }
        }
    }

    fn call(&mut self, call: &mut ExprCall) {
        if let Some(name) = generator(&call.func) {
            self.generator(call, &name);
            return;
        }
        self.visit_expr_mut(&mut call.func);
        for argument in &mut call.args {
            self.visit_expr_mut(argument);
        }
        let Expr::Path(path) = &*call.func else { return };
        let last = &path.path.segments.last().expect("a path has segments").ident;
        let std = ["Some", "Ok", "Err"].iter().any(|known| last == known);
        if is_type_name(last) && !std && !is_unchanged(last) {
            for argument in &mut call.args {
                *argument = parse_quote!(::testsmith::korat::twin::cell(#argument));
            }
        }
    }

    /// A dedicated generator: the field itself is handed over.
    fn generator(&mut self, call: &mut ExprCall, name: &Ident) {
        let span = name.span();
        *call.func = parse_quote_spanned!(span=> ::testsmith::korat::twin::#name);
        let on_field = ["holds", "field", "tree", "acyclic_list"].iter().any(|known| name == known);
        let structural = name == "tree" || name == "acyclic_list" || name == "tree_in";
        for (at, argument) in call.args.iter_mut().enumerate() {
            let wants_cell = (on_field && at == 0) || (name == "tree_in" && at == 1);
            match argument {
                Expr::Reference(reference) if wants_cell => self.cell_argument(reference),
                Expr::Closure(closure) if structural => {
                    self.cell_results(&mut closure.body);
                }
                other if wants_cell => self.errors.push(syn::Error::new_spanned(
                    other,
                    "name the field in place: `&self.size`, `&node.next` or `&self.items[i]`",
                )),
                Expr::Closure(closure) => self.closure(closure, true),
                other => self.visit_expr_mut(other),
            }
        }
        if GENERATORS.iter().any(|known| name == known) {
            call.args.insert(0, parse_quote_spanned!(span=> ::testsmith::korat::twin::PLAIN));
        }
    }

    fn cell_argument(&mut self, reference: &mut syn::ExprReference) {
        match &mut *reference.expr {
            field @ Expr::Field(_) => self.cell(field),
            Expr::Index(index) => {
                self.visit_expr_mut(&mut index.expr);
                self.visit_expr_mut(&mut index.index);
                let (items, at) = (&index.expr, &index.index);
                let element = quote!((*(#items).element(#at)));
                *reference.expr = parse_quote!(#element);
            }
            other => self.errors.push(syn::Error::new_spanned(
                other,
                "a generator directs the search through a field; name it in place: \
                 `&self.size`, `&node.next` or `&self.items[i]`",
            )),
        }
    }

    /// `[&n.left, &n.right]` or `&n.next` in the closure of a structure check.
    fn cell_results(&mut self, body: &mut Expr) {
        match body {
            Expr::Array(array) => {
                for element in &mut array.elems {
                    self.cell_results(element);
                }
            }
            Expr::Reference(reference) => self.cell_argument(reference),
            Expr::Block(block) if block.block.stmts.len() == 1 => {
                if let Some(Stmt::Expr(expr, None)) = block.block.stmts.first_mut() {
                    self.cell_results(expr);
                }
            }
            other => self.errors.push(syn::Error::new_spanned(
                other,
                "write the fields to follow: `|node| [&node.left, &node.right]`",
            )),
        }
    }

    fn macro_call(&mut self, call: &mut Macro) {
        let name = call.path.segments.last().expect("a path has segments").ident.clone();
        if name == "matches" {
            self.matches(call);
            return;
        }
        if !EXPRESSION_MACROS.iter().any(|known| name == known) {
            self.error(
                name.span(),
                "`#[korat]` cannot look inside this macro; write out what it expands to, or move \
                 the method to another impl block",
            );
            return;
        }
        let list = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(mut arguments) = list.parse2(call.tokens.clone()) {
            arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
            call.tokens = quote!(#arguments);
            return;
        }
        // `vec![value; count]`.
        let repeat = |input: syn::parse::ParseStream| {
            let value: Expr = input.parse()?;
            input.parse::<Token![;]>()?;
            Ok((value, input.parse::<Expr>()?))
        };
        match repeat.parse2(call.tokens.clone()) {
            Ok((mut value, mut count)) => {
                self.visit_expr_mut(&mut value);
                self.visit_expr_mut(&mut count);
                call.tokens = quote!(#value; #count);
            }
            Err(error) => self.errors.push(error),
        }
    }

    fn matches(&mut self, call: &mut Macro) {
        let parts = |input: syn::parse::ParseStream| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pat = Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<Token![if]>>()? {
                Some(_) => Some(input.parse::<Expr>()?),
                None => None,
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((value, pat, guard))
        };
        match parts.parse2(call.tokens.clone()) {
            Ok((mut value, mut pat, guard)) => {
                self.scrutinee(&mut value, &[&pat]);
                let bound = self.pattern(&mut pat);
                let touches = bound.iter().map(touch);
                let guard = guard.map(|mut guard| {
                    self.visit_expr_mut(&mut guard);
                    quote!(if { #(#touches)* #guard })
                });
                call.tokens = quote!(#value, #pat #guard);
            }
            Err(error) => self.errors.push(error),
        }
    }
}

impl VisitMut for Rewriter<'_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        TypeRewriter { kept: self.kept }.visit_type_mut(ty);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Field(_) => self.field(expr),
            Expr::Assign(assign) => {
                self.place(&mut assign.left);
                self.visit_expr_mut(&mut assign.right);
            }
            Expr::Reference(reference) if reference.mutability.is_some() => {
                self.place(&mut reference.expr);
            }
            Expr::Match(matching) => self.matching(matching),
            Expr::If(conditional) => {
                let bound = self.condition(&mut conditional.cond);
                self.block_with(&mut conditional.then_branch, &bound, false);
                if let Some((_, otherwise)) = &mut conditional.else_branch {
                    self.visit_expr_mut(otherwise);
                }
            }
            Expr::While(repeat) => {
                let bound = self.condition(&mut repeat.cond);
                self.block_with(&mut repeat.body, &bound, true);
            }
            Expr::Loop(repeat) => self.block_with(&mut repeat.body, &[], true),
            Expr::ForLoop(repeat) => {
                // A range with two ends is finite by itself.
                let finite = matches!(&*repeat.expr, Expr::Range(range) if range.end.is_some());
                self.visit_expr_mut(&mut repeat.expr);
                let bound = self.pattern(&mut repeat.pat);
                self.block_with(&mut repeat.body, &bound, !finite);
            }
            Expr::Closure(closure) => self.closure(closure, false),
            Expr::Struct(literal) => self.literal(literal),
            Expr::Call(call) => self.call(call),
            Expr::Path(path) if path.qself.is_none() => {
                if let Some(constant) = self.constant(path) {
                    *expr = constant;
                    return;
                }
                visit_mut::visit_expr_path_mut(self, path);
                if path.path.segments.len() > 1
                    && let Some(twin) = twin_path(&path.path, self.own, &self.imported)
                {
                    path.path = twin;
                }
            }
            Expr::Macro(ExprMacro { mac, .. }) => self.macro_call(mac),
            Expr::Await(_) | Expr::Async(_) => {
                self.error(expr.span(), "async code cannot run on the twin");
            }
            other => visit_mut::visit_expr_mut(self, other),
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut statements = Vec::with_capacity(block.stmts.len());
        // Items are in scope before their place.
        for statement in &mut block.stmts {
            if let Stmt::Item(item) = statement {
                self.item(item);
            }
        }
        for mut statement in std::mem::take(&mut block.stmts) {
            let mut bound = Vec::new();
            match &mut statement {
                Stmt::Local(local) => {
                    if let Some(init) = &mut local.init {
                        match (&local.pat, &init.diverge) {
                            (Pat::Slice(_), None) => self.array(&mut init.expr),
                            (pat, _) => self.scrutinee(&mut init.expr, &[pat]),
                        }
                        if let Some((_, diverge)) = &mut init.diverge {
                            self.visit_expr_mut(diverge);
                        }
                    }
                    bound = self.pattern(&mut local.pat);
                }
                Stmt::Macro(call) => self.macro_call(&mut call.mac),
                Stmt::Item(_) => {}
                Stmt::Expr(expr, _) => self.visit_expr_mut(expr),
            }
            statements.push(statement);
            statements.extend(bound.iter().map(touch));
        }
        block.stmts = statements;
    }
}

/// The name of a generator if the callee is `korat::name`.
fn generator(callee: &Expr) -> Option<Ident> {
    let Expr::Path(path) = callee else { return None };
    let segments = &path.path.segments;
    let count = segments.len();
    (count >= 2 && segments[count - 2].ident == "korat").then(|| segments[count - 1].ident.clone())
}
