//! Which type stands for which in the code of a twin.
//!
//! Macros see names, not types, so the rule is by name: std's plain types and
//! collections stay, std's pointers and cells become their twins, anything
//! else is taken for a derived type and written `<T as Korat>::Twin`.

use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Ident, Path, Type, parse_quote_spanned};

/// Types that are their own twins, and collections that predicates use for
/// themselves.
const UNCHANGED: &[&str] = &[
    "Self",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "f32",
    "f64",
    "bool",
    "char",
    "str",
    "String",
    "Option",
    "Result",
    "Vec",
    "VecDeque",
    "HashSet",
    "HashMap",
    "BTreeSet",
    "BTreeMap",
    "BinaryHeap",
    "LinkedList",
    "Ordering",
    "Range",
    "RangeInclusive",
    "RangeFrom",
    "RangeTo",
    "Reverse",
    "Wrapping",
    "NonNull",
    "Iterator",
    "PhantomData",
    "Bound",
    "ControlFlow",
    "Instant",
    "Duration",
    "Cow",
    "Peekable",
    "Chars",
    "DefaultHasher",
    "Formatter",
    // Traits, in paths such as `Ord::cmp`.
    "IntoIterator",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "FromIterator",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Display",
    "Eq",
    "PartialEq",
    "Ord",
    "PartialOrd",
    "Hash",
    "Hasher",
    "From",
    "Into",
    "TryFrom",
    "TryInto",
    "AsRef",
    "Borrow",
    "ToString",
    "ToOwned",
];

/// Pointers and cells that have a twin in the library under the same name.
const TWINNED: &[&str] = &["Box", "Rc", "Arc", "Weak", "RefCell", "Cell", "Mutex", "RwLock"];

pub fn is_unchanged(name: &Ident) -> bool {
    UNCHANGED.iter().any(|known| name == known)
}

pub fn is_twinned(name: &Ident) -> bool {
    TWINNED.iter().any(|known| name == known)
}

/// Whether a name is written like a type.
pub fn is_type_name(name: &Ident) -> bool {
    name.to_string().starts_with(|c: char| c.is_uppercase())
}

/// Rewrites types in place. Names in `kept` (the type parameters of the method
/// at hand) are left alone.
pub struct TypeRewriter<'a> {
    pub kept: &'a [Ident],
}

impl VisitMut for TypeRewriter<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::Reference(reference) if reference.mutability.is_none() => {
                self.borrowed(&mut reference.elem);
            }
            Type::Path(path) if path.qself.is_none() => {
                if let Some(twin) = self.named(&mut path.path) {
                    *ty = twin;
                }
            }
            other => visit_mut::visit_type_mut(self, other),
        }
    }
}

impl TypeRewriter<'_> {
    /// Behind a shared reference, sequences are those of the structure; what
    /// is borrowed mutably is the predicate's own.
    fn borrowed(&mut self, ty: &mut Type) {
        let span = ty.span();
        match ty {
            Type::Slice(slice) => {
                self.visit_type_mut(&mut slice.elem);
                let element = &slice.elem;
                *ty = parse_quote_spanned!(span=> ::testsmith::korat::twin::Slice<#element>);
            }
            Type::Array(array) => {
                self.visit_type_mut(&mut array.elem);
                let (element, len) = (&array.elem, &array.len);
                *ty = parse_quote_spanned! {span=>
                    ::testsmith::korat::twin::Array<#element, { #len }>
                };
            }
            Type::Path(path) if is_sequence(&path.path) => {
                let last = path.path.segments.last_mut().expect("a path has segments");
                self.visit_path_arguments_mut(&mut last.arguments);
                let arguments = &last.arguments;
                *ty = parse_quote_spanned!(span=> ::testsmith::korat::twin::Vec #arguments);
            }
            other => self.visit_type_mut(other),
        }
    }

    fn named(&mut self, path: &mut Path) -> Option<Type> {
        let span = path.span();
        let last = path.segments.last().expect("a path has segments").ident.clone();
        let single = path.segments.len() == 1;
        if single && self.kept.contains(&last) {
            return None;
        }
        let first = &path.segments[0].ident;
        if first == "Self" || (!single && self.kept.contains(first)) {
            return None;
        }
        if !single && path.segments[path.segments.len() - 2].ident == "korat" {
            let last = path.segments.last_mut().expect("a path has segments");
            self.visit_path_arguments_mut(&mut last.arguments);
            return Some(parse_quote_spanned!(span=> ::testsmith::korat::twin::#last));
        }
        // All of std's have arguments; a user's own `Cell` has none.
        let bare = path.segments.last().is_some_and(|last| last.arguments.is_none());
        if is_twinned(&last) && !bare {
            let last = path.segments.last_mut().expect("a path has segments");
            self.visit_path_arguments_mut(&mut last.arguments);
            return Some(parse_quote_spanned!(span=> ::testsmith::korat::twin::#last));
        }
        if is_unchanged(&last) {
            visit_mut::visit_path_mut(self, path);
            return None;
        }
        Some(parse_quote_spanned!(span=> <#path as ::testsmith::korat::Korat>::Twin))
    }
}

fn is_sequence(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "Vec" || last.ident == "VecDeque")
}

/// The path of a variant, struct or associated item for the twin, or `None`
/// when it stays as it is. `own` is the type of the impl block.
pub fn twin_path(path: &Path, own: &Ident, imported: &Imported) -> Option<Path> {
    let span = path.span();
    let count = path.segments.len();
    let named = |at: usize| &path.segments[at].ident;
    if path.segments[0].ident == "Self" {
        return None;
    }
    // `Type::Variant`, `Type::function`, `module::Type::..`.
    if count >= 2 && is_type_name(named(count - 2)) {
        let ty = named(count - 2);
        if is_twinned(ty) {
            let rest = path.segments.last().expect("a path has segments");
            return Some(parse_quote_spanned!(span=> ::testsmith::korat::twin::#ty::#rest));
        }
        if is_unchanged(ty) {
            return None;
        }
        return Some(renamed(path, count - 2, own));
    }
    // `Struct { .. }` and `Struct(..)`.
    let last = named(count - 1);
    let std_variant = ["Some", "None", "Ok", "Err"].iter().any(|known| last == known);
    if std_variant || !is_type_name(last) || is_unchanged(last) || is_constant(last) {
        return None;
    }
    if count == 1 && last != own && imported.has(last) {
        return None;
    }
    Some(renamed(path, count - 1, own))
}

/// The variants that `use Enum::..` inside a function brings into scope.
#[derive(Default)]
pub struct Imported {
    all: bool,
    names: Vec<Ident>,
}

impl Imported {
    fn has(&self, name: &Ident) -> bool {
        self.all || self.names.contains(name)
    }

    /// Notes the variants of a `use` and turns it to the twin of their enum.
    pub fn take(&mut self, tree: &mut syn::UseTree) {
        let syn::UseTree::Path(path) = tree else { return };
        if !is_type_name(&path.ident) || path.ident == "Self" {
            return self.take(&mut path.tree);
        }
        if is_unchanged(&path.ident) || is_twinned(&path.ident) {
            return;
        }
        self.note(&path.tree);
        path.ident = super::twin_name(&path.ident);
    }

    fn note(&mut self, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Glob(_) => self.all = true,
            syn::UseTree::Name(name) => self.names.push(name.ident.clone()),
            syn::UseTree::Rename(rename) => self.names.push(rename.rename.clone()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| self.note(item)),
            syn::UseTree::Path(_) => {}
        }
    }
}

/// Whether a name is written like a constant (`MAX_DEGREE`).
pub fn is_constant(name: &Ident) -> bool {
    let text = name.to_string();
    text.len() > 1 && text.chars().all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_')
}

fn renamed(path: &Path, at: usize, own: &Ident) -> Path {
    let mut path = path.clone();
    let segment = &mut path.segments[at];
    if segment.ident == *own && at == 0 {
        segment.ident = Ident::new("Self", segment.ident.span());
        segment.arguments = syn::PathArguments::None;
    } else {
        segment.ident = super::twin_name(&segment.ident);
    }
    path
}

/// A statement that reads a field bound by a pattern.
pub fn touch(binding: &Ident) -> syn::Stmt {
    let tokens = quote_spanned! {binding.span()=>
        let #binding = ::testsmith::korat::twin::Touch::touch(#binding);
    };
    syn::parse2(tokens.to_token_stream()).expect("a let statement")
}
