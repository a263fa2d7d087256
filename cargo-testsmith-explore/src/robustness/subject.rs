//! The function that `--fn` names, and how to call it with inputs.
//!
//! Generic parameters are those that the path spells out. A method gets its
//! receiver as an input, if its type can be one, or else from a constructor.

use anyhow::{Context, Result, bail};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{
    FnArg, GenericArgument, GenericParam, Generics, Pat, PathArguments, Receiver, Signature,
};

use super::source::{Function, Source};

/// What a put has to do to call the function.
pub struct Subject {
    /// As it was asked for, without the crate's name.
    pub path: String,
    /// The same as an identifier.
    pub name: String,
    pub imports: Vec<String>,
    /// Names and types.
    pub parameters: Vec<(String, String)>,
    /// What comes before the call.
    pub setup: Option<String>,
    /// The function with its path, or the method on `receiver`.
    pub callee: String,
    pub arguments: Vec<String>,
    /// Where receivers come from, for the person who reads the verdict.
    pub receivers: Option<String>,
    /// Whether inputs can be written down outside the crate.
    pub writable: bool,
}

impl Subject {
    pub fn find(krate: &str, source: &Source, asked: &str) -> Result<Subject> {
        let path: syn::ExprPath = syn::parse_str(asked)
            .with_context(|| format!("{asked} is not the path of a function"))?;
        let mut segments: Vec<syn::PathSegment> = path.path.segments.into_iter().collect();
        if segments.len() > 1 && segments[0].ident == krate {
            segments.remove(0);
        }
        let names: Vec<String> = segments.iter().map(|segment| segment.ident.to_string()).collect();
        let function = select(krate, source, &names)?;
        check_kind(&function.signature)?;
        Builder { krate, source, function, segments: &segments, names: &names }.build()
    }
}

/// The function of a path; if nothing is defined there, the one of that name that may be
/// public under it.
fn select<'a>(krate: &str, source: &'a Source, names: &[String]) -> Result<&'a Function> {
    let public = || source.functions.iter().filter(|function| function.public);
    if let Some(found) = public().find(|function| function.path() == names) {
        return Ok(found);
    }
    if source.functions.iter().any(|function| function.path() == names) {
        bail!("{krate}::{} is not public: write a put beside it", names.join("::"));
    }
    let ends = |function: &&Function, len: usize| {
        function.path().iter().rev().take(len).eq(names.iter().rev().take(len))
    };
    let of_types = names.len() > 1 && names[names.len() - 2].starts_with(char::is_uppercase);
    let len = if of_types { 2 } else { 1 };
    let mut named = source.functions.iter().filter(|function| ends(function, len));
    if source.reexports
        && let (Some(only), None) = (named.next(), named.next())
        && (of_types || only.owner.is_none())
    {
        return Ok(only);
    }
    bail!("{krate} has no public function {}{}", names.join("::"), suggestion(source, names))
}

/// The public functions with the nearest names.
fn suggestion(source: &Source, names: &[String]) -> String {
    const FARTHEST: usize = 3;
    const SHOWN: usize = 3;
    let wanted = names.last().map_or("", String::as_str);
    let mut near: Vec<(usize, String)> = source
        .functions
        .iter()
        .filter(|function| function.public)
        .map(|function| {
            let name = function.signature.ident.to_string();
            (distance(&name, wanted), function.path().join("::"))
        })
        .filter(|(distance, _)| *distance <= FARTHEST.min(wanted.len() / 2))
        .collect();
    near.sort();
    near.dedup();
    let near: Vec<String> = near.into_iter().take(SHOWN).map(|(_, path)| path).collect();
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

/// How many letters have to be changed, put in or taken out.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[b.len()]
}

fn check_kind(signature: &Signature) -> Result<()> {
    let name = &signature.ident;
    if signature.unsafety.is_some() {
        bail!("{name} is unsafe: what its callers owe it is not known");
    }
    if signature.asyncness.is_some() {
        bail!("{name} is async: call it from a put that runs the future");
    }
    Ok(())
}

struct Builder<'a> {
    krate: &'a str,
    source: &'a Source,
    function: &'a Function,
    segments: &'a [syn::PathSegment],
    names: &'a [String],
}

impl Builder<'_> {
    fn build(self) -> Result<Subject> {
        let generics = self.substitution()?;
        let mut parameters = vec![];
        let mut setup = None;
        let mut receivers = None;
        let mut writable = true;
        let signature = &self.function.signature;
        let receiver = signature.receiver().map(check_receiver).transpose()?.is_some();
        if receiver {
            let made = self.receiver(&generics)?;
            (setup, receivers, writable) = (made.setup, Some(made.from), made.writable);
            parameters = made.parameters;
        }
        let own = typed(signature, &generics, &mut parameters)?;
        let path = self.path_text(self.segments);
        let last = self.segments.last().expect("a path has a last part").to_token_stream();
        Ok(Subject {
            path: path.strip_prefix(&format!("{}::", self.krate)).unwrap_or(&path).to_owned(),
            name: self.names.join("_").to_lowercase(),
            imports: self.imports(),
            parameters,
            setup,
            callee: if receiver { format!("receiver.{}", compact(&last)) } else { path },
            arguments: own,
            receivers,
            writable,
        })
    }

    fn path_text(&self, segments: &[syn::PathSegment]) -> String {
        let parts: Vec<String> =
            segments.iter().map(|segment| compact(&segment.to_token_stream())).collect();
        format!("{}::{}", self.krate, parts.join("::"))
    }

    /// The type that the function belongs to, as the harness writes it.
    fn owner_text(&self) -> String {
        self.path_text(&self.segments[..self.segments.len() - 1])
    }

    /// What stands for each generic parameter, and for `Self`.
    fn substitution(&self) -> Result<Substitution> {
        let mut found = Substitution::default();
        let last = self.segments.last().expect("a path has a last part");
        let own = parameter_names(&self.function.signature.generics);
        let example = || {
            let name = &self.function.signature.ident;
            format!("{name} is generic: spell its types out, as in --fn '{name}::<i32>'")
        };
        found.bind(&own, &arguments(last)).with_context(example)?;
        if let Some(owner) = &self.function.owner {
            let of_block = parameter_names(&owner.generics);
            let segment = &self.segments[self.segments.len() - 2];
            let syn::Type::Path(ty) = &owner.ty else { bail!("{} has no path", owner.name) };
            let formal = ty.path.segments.last().map(arguments).unwrap_or_default();
            let formal: Vec<String> =
                formal.iter().map(|argument| compact(&argument.to_token_stream())).collect();
            let example = || {
                let name = &owner.name;
                format!("{name} is generic: spell its types out, as in --fn '{name}::<i32>::…'")
            };
            if !of_block.is_empty() {
                found.bind(&formal, &arguments(segment)).with_context(example)?;
            }
            found.owner = Some(syn::parse_str(&self.owner_text())?);
        }
        Ok(found)
    }

    /// Everything in scope around the function, so that the types of its signature are
    /// found: the public items of its modules, and what they import from std.
    fn imports(&self) -> Vec<String> {
        let mut imports = vec![format!("use {}::*;", self.krate)];
        let modules = self.names[..self.names.len() - 1].iter();
        let modules: Vec<&str> = modules
            .map(String::as_str)
            .take_while(|segment| segment.starts_with(char::is_lowercase))
            .collect();
        for depth in 1..=modules.len() {
            imports.push(format!("use {}::{}::*;", self.krate, modules[..depth].join("::")));
        }
        let of_std = |item: &&syn::ItemUse| match &item.tree {
            syn::UseTree::Path(path) => path.ident == "std" || path.ident == "core",
            _ => false,
        };
        for item in self.function.uses.iter().filter(of_std) {
            imports.push(format!("use {};", compact(&item.tree.to_token_stream())));
        }
        imports
    }

    fn receiver(&self, generics: &Substitution) -> Result<Made> {
        let owner = self.function.owner.as_ref().context("a method has a type")?;
        let item = self.source.types.iter().find(|item| item.name == owner.name);
        let implements = |name: &str| item.is_some_and(|i| i.derives.iter().any(|d| d == name));
        let text = self.owner_text();
        if implements("Input") {
            return Ok(Made {
                parameters: vec![("receiver".to_owned(), text)],
                setup: None,
                from: "are inputs themselves".to_owned(),
                writable: item.is_some_and(|item| item.open),
            });
        }
        if let Some((constructor, wrapped)) = self.constructor(&owner.name) {
            let mut parameters = vec![];
            let arguments = typed(&constructor.signature, generics, &mut parameters)?.join(", ");
            let name = &constructor.signature.ident;
            let call = format!("{text}::{name}({arguments})");
            let setup = match wrapped {
                None => format!("let mut receiver = {call};"),
                Some(variant) => {
                    format!("let {variant}(mut receiver) = {call} else {{ return }};")
                }
            };
            let from = format!("are made by {}::{name}", owner.name);
            return Ok(Made { parameters, setup: Some(setup), from, writable: true });
        }
        if implements("Default") {
            let setup = Some(format!("let mut receiver = <{text} as Default>::default();"));
            let from = "are the default value".to_owned();
            return Ok(Made { parameters: vec![], setup, from, writable: true });
        }
        bail!(
            "{} is a method, and {} has neither #[derive(Input)] nor a public constructor: \
             write a put that makes one",
            self.function.signature.ident,
            owner.name
        )
    }

    /// A public associated function that gives the type, and the variant it comes in;
    /// `new` before all others.
    fn constructor(&self, owner: &str) -> Option<(&Function, Option<&'static str>)> {
        let of_owner = |function: &&Function| {
            function.public && function.owner.as_ref().is_some_and(|o| o.name == owner)
        };
        let mut found: Vec<(&Function, Option<&'static str>)> = self
            .source
            .functions
            .iter()
            .filter(of_owner)
            .filter_map(|function| Some((function, makes(&function.signature, owner)?)))
            .collect();
        found.sort_by_key(|(function, _)| function.signature.ident != "new");
        found.into_iter().next()
    }
}

/// Whether a function gives a value of its type, plainly or in a variant of std's enums.
fn makes(signature: &Signature, owner: &str) -> Option<Option<&'static str>> {
    let generic = !parameter_names(&signature.generics).is_empty();
    if generic || signature.receiver().is_some() {
        return None;
    }
    check_kind(signature).ok()?;
    let syn::ReturnType::Type(_, ty) = &signature.output else { return None };
    let text = compact(&ty.to_token_stream());
    let word = |text: &str| text.split(['<', '>', ',']).next().map(str::to_owned);
    let is_owner = |text: &str| word(text).is_some_and(|word| word == "Self" || word == owner);
    if is_owner(&text) {
        return Some(None);
    }
    let variants = [("Option<", "Some"), ("Result<", "Ok")];
    let held = variants.iter().find(|(prefix, _)| text.strip_prefix(prefix).is_some_and(is_owner));
    held.map(|(_, variant)| Some(*variant))
}

/// How a receiver comes about.
struct Made {
    parameters: Vec<(String, String)>,
    setup: Option<String>,
    from: String,
    writable: bool,
}

fn check_receiver(receiver: &Receiver) -> Result<()> {
    if receiver.colon_token.is_some() {
        bail!("a receiver of the type {} cannot be made", compact(&receiver.ty.to_token_stream()));
    }
    Ok(())
}

/// Adds the parameters of a signature and returns their names.
fn typed(
    signature: &Signature,
    generics: &Substitution,
    parameters: &mut Vec<(String, String)>,
) -> Result<Vec<String>> {
    let mut names = vec![];
    for (index, input) in signature.inputs.iter().enumerate() {
        let FnArg::Typed(typed) = input else { continue };
        let mut ty = (*typed.ty).clone();
        generics.clone().visit_type_mut(&mut ty);
        let text = compact(&ty.to_token_stream());
        if matches!(ty, syn::Type::ImplTrait(_)) {
            bail!("a parameter of {} is {text}, which is no concrete type", signature.ident);
        }
        let plain = match &*typed.pat {
            Pat::Ident(pattern) if !pattern.ident.to_string().starts_with("r#") => {
                pattern.ident.to_string()
            }
            _ => format!("input_{index}"),
        };
        let taken = |name: &str, list: &[(String, String)]| {
            name == "receiver" || list.iter().any(|(other, _)| other == name)
        };
        let mut name = plain;
        while taken(&name, parameters) {
            name.push('_');
        }
        parameters.push((name.clone(), text));
        names.push(name);
    }
    Ok(names)
}

/// The names of type and constant parameters; lifetimes are the compiler's business.
fn parameter_names(generics: &Generics) -> Vec<String> {
    let name = |parameter: &GenericParam| match parameter {
        GenericParam::Type(parameter) => Some(parameter.ident.to_string()),
        GenericParam::Const(parameter) => Some(parameter.ident.to_string()),
        GenericParam::Lifetime(_) => None,
    };
    generics.params.iter().filter_map(name).collect()
}

fn arguments(segment: &syn::PathSegment) -> Vec<GenericArgument> {
    let PathArguments::AngleBracketed(list) = &segment.arguments else { return vec![] };
    let is_lifetime =
        |argument: &&GenericArgument| matches!(argument, GenericArgument::Lifetime(_));
    list.args.iter().filter(|argument| !is_lifetime(argument)).cloned().collect()
}

/// What replaces generic parameters in the types of a signature.
#[derive(Clone, Default)]
struct Substitution {
    bound: Vec<(String, GenericArgument)>,
    owner: Option<syn::Type>,
}

impl Substitution {
    fn bind(&mut self, names: &[String], arguments: &[GenericArgument]) -> Result<()> {
        if names.len() != arguments.len() {
            bail!("it has {} generic parameters, not {}", names.len(), arguments.len());
        }
        self.bound.extend(names.iter().cloned().zip(arguments.iter().cloned()));
        Ok(())
    }

    fn of(&self, path: &syn::Path) -> Option<&GenericArgument> {
        let ident = path.get_ident()?;
        self.bound.iter().find(|(name, _)| ident == name).map(|(_, argument)| argument)
    }
}

impl VisitMut for Substitution {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        if let syn::Type::Path(path) = ty {
            if path.path.is_ident("Self")
                && let Some(owner) = &self.owner
            {
                *ty = owner.clone();
                return;
            }
            if let Some(GenericArgument::Type(argument)) = self.of(&path.path) {
                *ty = argument.clone();
                return;
            }
        }
        if let syn::Type::Reference(reference) = ty {
            reference.lifetime = None;
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        if let syn::Expr::Path(path) = expr {
            // A constant that is a name looks like a type where it is given.
            match self.of(&path.path) {
                Some(GenericArgument::Const(argument)) => *expr = argument.clone(),
                Some(GenericArgument::Type(syn::Type::Path(argument))) => {
                    path.path = argument.path.clone();
                }
                _ => {}
            }
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
    }
}

/// Tokens as text, with spaces only where they tell words apart.
fn compact(tokens: &proc_macro2::TokenStream) -> String {
    let spaced = tokens.to_string();
    let chars: Vec<char> = spaced.chars().collect();
    let word = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_' || *c == '\'');
    let mut text = String::new();
    for (index, c) in chars.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| chars.get(before));
        let after_comma = before == Some(&',') || before == Some(&';');
        if *c != ' ' || word(before) && word(chars.get(index + 1)) || after_comma {
            text.push(*c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &str = r#"
        use std::collections::BTreeMap;
        pub mod deep {
            pub fn first<T: Ord, const N: usize>(list: &[T; N], other: Vec<T>) -> usize { 0 }
            pub unsafe fn risky(x: u8) {}
            pub fn any(x: impl Into<u8>) {}
            fn hidden(x: u8) {}
        }
        pub struct Stack<T> { items: Vec<T> }
        impl<T: Clone> Stack<T> {
            pub fn with(limit: usize, items: Vec<T>) -> Option<Self> { None }
            pub fn push(&mut self, limit: T) {}
        }
        pub struct Bare { x: u8 }
        impl Bare { pub fn look(&self) {} }
        pub fn count(map: &BTreeMap<u8, u8>) {}
    "#;

    fn find(asked: &str) -> Result<Subject> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("lib.rs");
        std::fs::write(&file, LIBRARY)?;
        Subject::find("demo", &Source::read(&file)?, asked)
    }

    fn refusal(asked: &str) -> String {
        format!("{:#}", find(asked).err().expect("it is refused"))
    }

    #[test]
    fn generic_parameters_are_those_of_the_path() {
        let subject = find("demo::deep::first::<u8, 3>").expect("found");
        let types: Vec<&str> = subject.parameters.iter().map(|(_, ty)| ty.as_str()).collect();
        assert_eq!(types, ["&[u8; 3]", "Vec<u8>"]);
        assert_eq!(subject.callee, "demo::deep::first::<u8, 3>");
        let why = refusal("deep::first");
        assert!(why.contains("spell its types out"), "{why}");
    }

    #[test]
    fn a_receiver_is_made_by_a_constructor() {
        let subject = find("Stack::<i32>::push").expect("found");
        let parameters: Vec<_> =
            subject.parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        assert_eq!(parameters, ["limit: usize", "items: Vec<i32>", "limit_: i32"]);
        let setup =
            "let Some(mut receiver) = demo::Stack::<i32>::with(limit, items) else { return };";
        assert_eq!(subject.setup.as_deref(), Some(setup));
        assert_eq!(subject.callee, "receiver.push");
        assert_eq!(subject.arguments, ["limit_"]);
        let why = refusal("Stack::push");
        assert!(why.contains("Stack is generic"), "{why}");
        let why = refusal("Bare::look");
        assert!(why.contains("neither #[derive(Input)] nor a public constructor"), "{why}");
    }

    #[test]
    fn what_cannot_be_called_is_refused_with_its_reason() {
        assert!(refusal("deep::risky").contains("unsafe"));
        assert!(refusal("deep::any").contains("no concrete type"));
        assert!(refusal("deep::hidden").contains("not public"));
        let why = refusal("deep::frist");
        assert_eq!(why, "demo has no public function deep::frist; did you mean deep::first?");
        assert_eq!(refusal("zzz"), "demo has no public function zzz");
        assert!(refusal("a b").contains("not the path of a function"));
    }

    #[test]
    fn imports_from_std_are_taken_along() {
        let subject = find("count").expect("found");
        assert!(subject.imports.contains(&"use std::collections::BTreeMap;".to_owned()));
        assert_eq!(subject.parameters, [("map".to_owned(), "&BTreeMap<u8, u8>".to_owned())]);
    }
}
