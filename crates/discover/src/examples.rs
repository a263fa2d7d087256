//! Reads which types a package writes out itself: in its doc examples, its tests, its
//! examples and its own code.
//!
//! Whoever wrote `Grid<u8, Rows>` there knew what fits together. Only what is spelled out is
//! taken, by the names that the file imports; what cannot be told from its text is left, and
//! nothing has to be right, because rustc is asked about every choice.

use crate::literals::sources;
use std::collections::BTreeMap;
use std::path::Path;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use testsmith_model::api::{Api, TypeKind};
use testsmith_model::ty::{Arg, Lifetime, Substitution, Ty};

/// More instances of one type than this would only repeat each other.
const MAX_OF_ONE: usize = 6;
/// Types of other crates that the package uses most.
const MAX_FOREIGN: usize = 8;
/// Aliases of aliases of …
const MAX_DEPTH: usize = 6;

/// What a package writes out, the most often written first.
#[derive(Debug, Default)]
pub struct Examples {
    /// Concrete instances of the crate's generic types.
    pub instances: Vec<Ty>,
    /// Types of other crates, by the paths that they are imported by. Some are traits.
    pub foreign: Vec<Ty>,
}

pub fn examples(root: &Path, api: &Api) -> Examples {
    let mut reader = Reader::new(api);
    for text in sources(root) {
        if let Ok(file) = syn::parse_file(&text) {
            reader.file(&file);
        }
    }
    reader.finish()
}

struct Reader<'a> {
    api: &'a Api,
    /// What the file at hand calls by a name of its own.
    imports: Imported,
    found: BTreeMap<Ty, usize>,
    foreign: BTreeMap<String, usize>,
}

impl<'a> Reader<'a> {
    fn new(api: &'a Api) -> Reader<'a> {
        let (imports, found, foreign) = (Imported::default(), BTreeMap::new(), BTreeMap::new());
        Reader { api, imports, found, foreign }
    }

    fn file(&mut self, file: &syn::File) {
        self.imports = Imported::default();
        self.imports.visit_file(file);
        self.visit_file(file);
    }

    fn finish(self) -> Examples {
        let mut foreign: Vec<(String, usize)> = self.foreign.into_iter().collect();
        foreign.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        foreign.truncate(MAX_FOREIGN);
        let mut all: Vec<(Ty, usize)> = self.found.into_iter().collect();
        all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut of_one: BTreeMap<String, usize> = BTreeMap::new();
        let few = |(ty, _): (Ty, usize)| {
            let count = of_one.entry(ty.path()?.to_owned()).or_default();
            *count += 1;
            (*count <= MAX_OF_ONE).then_some(ty)
        };
        Examples {
            instances: all.into_iter().filter_map(few).collect(),
            foreign: foreign.into_iter().map(|(path, _)| Ty::adt(&path, vec![])).collect(),
        }
    }

    /// Whether a path begins in this crate.
    fn is_own(&self, first: &str) -> bool {
        matches!(first, "crate" | "self" | "super") || first == self.api.krate
    }

    /// Notes the type if it is an instance of a generic type of the crate.
    fn note(&mut self, ty: Option<Ty>) {
        let Some(ty @ Ty::Adt { .. }) = ty else { return };
        let local = ty.path().is_some_and(|path| self.api.types.contains_key(path));
        let Ty::Adt { args, .. } = &ty else { return };
        if local && args.iter().any(|arg| !matches!(arg, Arg::Lifetime(_))) {
            *self.found.entry(ty).or_default() += 1;
        }
    }

    fn ty(&self, ty: &syn::Type, depth: usize) -> Option<Ty> {
        if depth > MAX_DEPTH {
            return None;
        }
        let inner = |ty: &syn::Type| self.ty(ty, depth + 1).map(Box::new);
        Some(match ty {
            syn::Type::Path(path) if path.qself.is_none() => self.path(&path.path, depth)?,
            syn::Type::Reference(reference) => Ty::Ref {
                lifetime: match &reference.lifetime {
                    Some(lifetime) if lifetime.ident == "static" => Lifetime::Static,
                    _ => Lifetime::Elided,
                },
                mutable: reference.mutability.is_some(),
                inner: inner(&reference.elem)?,
            },
            syn::Type::Slice(slice) => Ty::Slice(inner(&slice.elem)?),
            syn::Type::Array(array) => Ty::Array(inner(&array.elem)?, constant(&array.len)?),
            syn::Type::Tuple(tuple) => {
                let items = tuple.elems.iter().map(|item| self.ty(item, depth + 1));
                Ty::Tuple(items.collect::<Option<_>>()?)
            }
            syn::Type::Paren(paren) => self.ty(&paren.elem, depth)?,
            // What the compiler finds out for itself stands for something plain.
            syn::Type::Infer(_) if depth > 0 => Ty::prim("i32"),
            _ => return None,
        })
    }

    fn path(&self, path: &syn::Path, depth: usize) -> Option<Ty> {
        let last = path.segments.last()?;
        let args = match &last.arguments {
            syn::PathArguments::None => vec![],
            syn::PathArguments::AngleBracketed(args) => self.args(&args.args, depth)?,
            syn::PathArguments::Parenthesized(_) => return None,
        };
        let mut before = path.segments.iter().rev().skip(1);
        if before.any(|segment| !segment.arguments.is_none()) {
            return None;
        }
        let words: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        self.named(&words, args)
    }

    fn args(
        &self,
        args: &Punctuated<syn::GenericArgument, syn::Token![,]>,
        depth: usize,
    ) -> Option<Vec<Arg>> {
        let each = |arg: &syn::GenericArgument| match arg {
            syn::GenericArgument::Lifetime(_) => Some(Arg::Lifetime(Lifetime::Elided)),
            syn::GenericArgument::Type(ty) => self.ty(ty, depth + 1).map(Arg::Type),
            syn::GenericArgument::Const(value) => constant(value).map(Arg::Const),
            _ => None,
        };
        args.iter().map(each).collect()
    }

    /// What a path means in this file.
    fn named(&self, words: &[String], args: Vec<Arg>) -> Option<Ty> {
        let (first, rest) = words.split_first()?;
        let mut full: Vec<String> = match self.imports.names.get(first) {
            Some(imported) => imported.clone(),
            None => vec![first.clone()],
        };
        full.extend(rest.iter().cloned());
        let name = full.last()?.clone();
        if full.len() == 1 && args.is_empty() && PRIMITIVES.contains(&name.as_str()) {
            return Some(Ty::prim(&name));
        }
        if let Some(path) = self.local(&full, &name) {
            return self.instance(&path, args);
        }
        let of_std = matches!(full[0].as_str(), "std" | "core" | "alloc") && full.len() > 1;
        if full.len() == 1 || of_std {
            let known = STD.iter().find(|path| path.rsplit("::").next() == Some(name.as_str()));
            let known = known.map(|path| (*path).to_owned());
            let path = known.or_else(|| if of_std { None } else { self.shown(&name) })?;
            return Some(Ty::Adt { path, args });
        }
        // A path of another crate, as it stands.
        (!self.is_own(&full[0])).then(|| Ty::Adt { path: full.join("::"), args })
    }

    /// The importable path of a type of the crate. Where a file does not say where a name is
    /// from, the crate's own is meant, if there is only one.
    fn local(&self, full: &[String], name: &str) -> Option<String> {
        let ours = full.len() == 1 || self.is_own(&full[0]);
        let exact = full.join("::").replacen("crate::", &format!("{}::", self.api.krate), 1);
        if self.api.types.contains_key(&exact) {
            return Some(exact);
        }
        let written = format!("::{}", if ours { name.to_owned() } else { full.join("::") });
        let mut same = self.api.types.keys().filter(|path| path.ends_with(&written));
        let one = same.next()?;
        same.next().is_none().then(|| one.clone())
    }

    /// Where a name that nothing else explains is from: the one module that the file imports all of
    /// and of which nothing is known, because another crate has it.
    fn shown(&self, name: &str) -> Option<String> {
        let module = |glob: &Vec<String>| match glob.first()?.as_str() {
            "self" | "super" | "std" | "core" | "alloc" => None,
            "crate" => {
                Some([std::slice::from_ref(&self.api.krate), &glob[1..]].concat().join("::"))
            }
            _ => Some(glob.join("::")),
        };
        let is_unknown = |module: &String| {
            let inside = format!("{module}::");
            *module != self.api.krate
                && !self.api.types.keys().any(|path| path.starts_with(&inside))
        };
        let mut unknown: Vec<String> =
            self.imports.globs.iter().filter_map(module).filter(is_unknown).collect();
        unknown.sort();
        unknown.dedup();
        // A single letter is a parameter.
        let is_type = name.starts_with(|c: char| c.is_uppercase()) && name.len() > 1;
        let is_type = is_type && name != "Self";
        match unknown.as_slice() {
            [module] if is_type => Some(format!("{module}::{name}")),
            _ => None,
        }
    }

    /// A type of the crate with these arguments; an alias is seen through.
    fn instance(&self, path: &str, args: Vec<Arg>) -> Option<Ty> {
        let def = self.api.types.get(path)?;
        let lifetimes = |arg: &Arg| matches!(arg, Arg::Lifetime(_));
        let mut given = args.iter().filter(|arg| !lifetimes(arg)).cloned();
        let mut with = Substitution::new();
        let mut whole = vec![];
        for param in &def.generics.params {
            use testsmith_model::api::ParamKind;
            let arg = match &param.kind {
                ParamKind::Lifetime => Arg::Lifetime(Lifetime::Elided),
                ParamKind::Type { default, .. } => match (given.next(), default) {
                    (Some(arg), _) => arg,
                    (None, Some(default)) => Arg::Type(default.substitute(&with)),
                    (None, None) => return None,
                },
                ParamKind::Const { default, .. } => match (given.next(), default) {
                    (Some(Arg::Type(Ty::Prim(_))), _) => return None,
                    (Some(arg), _) => arg,
                    (None, Some(default)) => Arg::Const(default.clone()),
                    (None, None) => return None,
                },
            };
            if !lifetimes(&arg) {
                with.insert(param.name.clone(), arg.clone());
            }
            whole.push(arg);
        }
        if given.next().is_some() {
            return None;
        }
        match &def.kind {
            TypeKind::Alias(target) => {
                let target = target.substitute(&with);
                let open = |ty: &Ty| matches!(ty, Ty::Param(_) | Ty::Unknown(_) | Ty::Omitted);
                (!target.any(open)).then_some(target)
            }
            _ => Some(Ty::Adt { path: path.to_owned(), args: whole }),
        }
    }

    /// The examples among lines of documentation.
    fn documentation(&mut self, lines: &[String]) {
        let mut code: Option<Vec<&str>> = None;
        for line in lines {
            let trimmed = line.trim();
            match (&mut code, trimmed.starts_with("```")) {
                (None, true) => {
                    let rust = ["", "rust", "no_run", "should_panic", "ignore"];
                    let word = trimmed.trim_start_matches('`').split([',', ' ']).next();
                    code = word.filter(|word| rust.contains(word)).map(|_| vec![]);
                    if code.is_none() {
                        // Until the fence closes, nothing of it is for us.
                        code = Some(vec!["}"]);
                    }
                }
                (Some(lines), true) => {
                    let text = format!("fn example() {{\n{}\n}}", lines.join("\n"));
                    code = None;
                    if let Ok(file) = syn::parse_file(&text) {
                        let outer = self.imports.clone();
                        self.imports.visit_file(&file);
                        self.visit_file(&file);
                        self.imports = outer;
                    }
                }
                (Some(lines), false) => {
                    let shown = trimmed.strip_prefix("# ").unwrap_or(trimmed);
                    lines.push(if shown == "#" { "" } else { shown });
                }
                (None, false) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let first = path.segments.first().map(|segment| segment.ident.to_string());
        let imported = first.and_then(|first| self.imports.names.get(&first));
        if let Some([root, .., name]) = imported.map(Vec::as_slice)
            && !matches!(root.as_str(), "std" | "core" | "alloc")
            && !self.is_own(root)
            && name.starts_with(|c: char| c.is_uppercase())
        {
            let path = imported.map(|words| words.join("::")).unwrap_or_default();
            *self.foreign.entry(path).or_default() += 1;
        }
        visit::visit_path(self, path);
    }

    fn visit_type_path(&mut self, path: &'ast syn::TypePath) {
        self.note(self.ty(&syn::Type::Path(path.clone()), 0));
        visit::visit_type_path(self, path);
    }

    /// `Grid::<u8, Rows>::new(…)`
    fn visit_expr_path(&mut self, expr: &'ast syn::ExprPath) {
        let mut path = expr.path.clone();
        if expr.qself.is_none() && path.segments.len() > 1 {
            path.segments.pop();
            path.segments.pop_punct();
            self.note(self.path(&path, 0));
        }
        visit::visit_expr_path(self, expr);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let parser = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        if let Ok(args) = mac.parse_body_with(parser) {
            args.iter().for_each(|arg| self.visit_expr(arg));
        }
    }

    fn visit_file(&mut self, file: &'ast syn::File) {
        self.documentation(&doc_lines(&file.attrs));
        visit::visit_file(self, file);
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        self.documentation(&doc_lines(attributes(item)));
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.documentation(&doc_lines(&item.attrs));
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.documentation(&doc_lines(&item.attrs));
        visit::visit_trait_item_fn(self, item);
    }
}

/// What `use` gives names to, and the modules that it takes everything of.
#[derive(Clone, Default)]
struct Imported {
    names: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
}

impl<'ast> Visit<'ast> for Imported {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut open = vec![(vec![], &item.tree)];
        while let Some((before, tree)) = open.pop() {
            let with = |ident: &syn::Ident| {
                let mut path: Vec<String> = Vec::clone(&before);
                path.push(ident.to_string());
                path
            };
            match tree {
                syn::UseTree::Path(path) => open.push((with(&path.ident), &path.tree)),
                syn::UseTree::Name(name) => {
                    self.names.insert(name.ident.to_string(), with(&name.ident));
                }
                syn::UseTree::Rename(rename) => {
                    self.names.insert(rename.rename.to_string(), with(&rename.ident));
                }
                syn::UseTree::Group(group) => {
                    open.extend(group.items.iter().map(|tree| (before.clone(), tree)));
                }
                syn::UseTree::Glob(_) => self.globs.push(before),
            }
        }
    }
}

/// The number that stands for a constant argument.
fn constant(value: &syn::Expr) -> Option<String> {
    match value {
        syn::Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(int) => Some(int.base10_digits().to_owned()),
            syn::Lit::Bool(bool) => Some(bool.value.to_string()),
            syn::Lit::Char(char) => Some(format!("{:?}", char.value())),
            _ => None,
        },
        syn::Expr::Block(block) => match block.block.stmts.as_slice() {
            [syn::Stmt::Expr(value, None)] => constant(value),
            _ => None,
        },
        _ => None,
    }
}

fn doc_lines(attrs: &[syn::Attribute]) -> Vec<String> {
    let text = |attr: &syn::Attribute| match &attr.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    };
    let texts = attrs.iter().filter_map(text);
    texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        _ => &[],
    }
}

const PRIMITIVES: [&str; 17] = [
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32",
    "f64", "bool", "char", "str",
];

/// Types of the standard library by the names that people use them by.
const STD: [&str; 21] = [
    "std::string::String",
    "std::vec::Vec",
    "std::boxed::Box",
    "std::option::Option",
    "std::result::Result",
    "std::rc::Rc",
    "std::sync::Arc",
    "std::borrow::Cow",
    "std::cell::Cell",
    "std::cell::RefCell",
    "std::collections::BTreeMap",
    "std::collections::BTreeSet",
    "std::collections::HashMap",
    "std::collections::HashSet",
    "std::collections::VecDeque",
    "std::marker::PhantomData",
    "std::num::Wrapping",
    "std::ops::Range",
    "std::time::Duration",
    "std::path::PathBuf",
    "std::hash::RandomState",
];

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::api::{Generics, Param, ParamKind, TypeDef};

    fn api() -> Api {
        let param = |name: &str| Param {
            name: name.to_owned(),
            kind: ParamKind::Type { bounds: vec![], default: None, synthetic: false },
        };
        let length = Param {
            name: "N".to_owned(),
            kind: ParamKind::Const { ty: Ty::prim("usize"), default: None },
        };
        let mut api = Api { krate: "grid".to_owned(), ..Api::default() };
        let mut add = |path: &str, params: Vec<Param>, kind: TypeKind| {
            let generics = Generics { params, ..Generics::default() };
            let def = TypeDef { path: path.to_owned(), generics, kind };
            api.types.insert(path.to_owned(), def);
        };
        add("grid::Grid", vec![param("T"), param("O")], TypeKind::Struct);
        add("grid::order::Rows", vec![], TypeKind::Struct);
        add("grid::Row", vec![param("T"), length], TypeKind::Struct);
        let rows = Ty::adt("grid::order::Rows", vec![]);
        let target = Ty::adt("grid::Grid", vec![Ty::Param("T".to_owned()), rows]);
        add("grid::ByRows", vec![param("T")], TypeKind::Alias(target));
        api
    }

    fn check(source: &str, expected: &[&str]) {
        let api = api();
        let found: Vec<String> = read(&api, source).instances.iter().map(Ty::to_string).collect();
        assert_eq!(found, expected);
    }

    fn read(api: &Api, source: &str) -> Examples {
        let mut reader = Reader::new(api);
        reader.file(&syn::parse_file(source).unwrap());
        reader.finish()
    }

    #[test]
    fn types_of_other_crates_are_those_that_are_imported_and_used() {
        let source = "use zones::{Utc, at, Unused}; use grid::Grid; fn f() { at(Utc.now()) }";
        let foreign = read(&api(), source).foreign;
        assert_eq!(foreign, [Ty::adt("zones::Utc", vec![])]);
    }

    #[test]
    fn what_is_spelled_out_is_an_instance() {
        let grid = "grid::Grid<u8, grid::order::Rows>";
        check("fn f() { let g: Grid<u8, Rows> = todo(); }", &[grid]);
        check("fn f() { g(crate::Grid::<u8, order::Rows>::new()) }", &[grid]);
        check("fn f() { g(grid::Grid::<u8, grid::order::Rows>::new()) }", &[grid]);
        check("fn f() { assert_eq!(Row::<char, 3>::new(), 1); }", &["grid::Row<char, 3>"]);
        check(
            "fn f(g: ByRows<String>) {}",
            &["grid::Grid<std::string::String, grid::order::Rows>"],
        );
    }

    #[test]
    fn what_is_open_is_none() {
        check("impl<T, O> Grid<T, O> { fn f(self) -> Grid<T, _> { todo!() } }", &[]);
        check("fn f(g: Grid<u8>, r: Row<u8, N>) {}", &[]);
        check("fn f() { g(Grid::<_, Rows>::new()) }", &["grid::Grid<i32, grid::order::Rows>"]);
    }

    #[test]
    fn a_name_is_what_the_file_imports_by_it() {
        let source = "use other::Rows; use grid::Grid as G; fn f(g: G<i8, Rows>) {}";
        check(source, &["grid::Grid<i8, other::Rows>"]);
    }

    #[test]
    fn a_name_that_nothing_explains_is_of_the_module_of_which_nothing_is_known() {
        let within = |uses: &str| format!("{uses} fn f(g: Grid<i8, U8>) {{}}");
        check(&within("use grid::sizes::*;"), &["grid::Grid<i8, grid::sizes::U8>"]);
        check(&within("use crate::sizes::*; use super::*;"), &["grid::Grid<i8, grid::sizes::U8>"]);
        check(&within("use numbers::*;"), &["grid::Grid<i8, numbers::U8>"]);
        check(&within("use numbers::*; use sizes::*;"), &[]);
        check(&within("use grid::*; use grid::order::*;"), &[]);
        check("use numbers::*; impl A { fn f(g: Grid<i8, Self>, h: Grid<T, u8>) {} }", &[]);
    }

    #[test]
    fn examples_in_the_documentation_are_read() {
        let source = "
            impl A {
                /// Prose.
                /// ```
                /// # use grid::*;
                /// let g: Grid<bool, Rows> = a();
                /// ```
                /// ```text
                /// let g: Grid<char, Rows> = a();
                /// ```
                pub fn a() {}
            }";
        check(source, &["grid::Grid<bool, grid::order::Rows>"]);
    }
}
