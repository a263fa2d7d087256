//! Oracles: functions in the user's test code that say whether a value is right.
//!
//! An oracle is marked `#[testsmith::oracle]`, or, without any dependency, by a
//! line `testsmith: oracle` in its documentation. Files are parsed, nothing is
//! resolved: which type is meant by its name the compiler says later. What is
//! marked and cannot be used is an error at the place of the mark, because a
//! check that silently never runs is worse than none.

use crate::Error;
use std::path::Path;
use syn::spanned::Spanned;
use testsmith_model::api::Oracle;

/// The mark for those who want no dependency.
const MARK: &str = "testsmith: oracle";

/// Reads the files of a folder of tests, not those of its subfolders.
pub fn oracles(tests: &Path) -> Result<Vec<Oracle>, Error> {
    let Ok(entries) = std::fs::read_dir(tests) else { return Ok(vec![]) };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    let mut found = vec![];
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        // Most files of tests have none; a file that is not Rust is for rustc to refuse.
        if !text.contains("oracle") {
            continue;
        }
        let Ok(parsed) = syn::parse_file(&text) else { continue };
        found.extend(of_file(&parsed, &file)?);
    }
    Ok(found)
}

fn of_file(parsed: &syn::File, file: &Path) -> Result<Vec<Oracle>, Error> {
    let module = file.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_");
    let mut found = vec![];
    for item in &parsed.items {
        let syn::Item::Fn(function) = item else { continue };
        if !function.attrs.iter().any(is_mark) {
            continue;
        }
        let name = function.sig.ident.to_string();
        let refused = |(span, why): (proc_macro2::Span, String)| {
            let start = span.start();
            let place = format!("{}:{}:{}", file.display(), start.line, start.column + 1);
            Error::Oracle { place, name: name.clone(), why }
        };
        let (subject, values, fallible) = signature(function).map_err(refused)?;
        let line = function.sig.ident.span().start().line as u32;
        let place = (file.display().to_string(), line);
        let module = module.clone();
        found.push(Oracle { module, name: name.clone(), subject, values, fallible, place });
    }
    Ok(found)
}

fn is_mark(attribute: &syn::Attribute) -> bool {
    let path = attribute.path();
    let last = path.segments.last().is_some_and(|segment| segment.ident == "oracle");
    let first = path.segments.first().is_some_and(|segment| segment.ident == "testsmith");
    if last && (first || path.segments.len() == 1) {
        return true;
    }
    match &attribute.meta {
        syn::Meta::NameValue(doc) if path.is_ident("doc") => match &doc.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => {
                text.value().trim() == MARK
            }
            _ => false,
        },
        _ => false,
    }
}

type Unusable = (proc_macro2::Span, String);

/// The name of the type, how many values of it are taken, and whether a
/// `Result` is returned.
fn signature(function: &syn::ItemFn) -> Result<(String, usize, bool), Unusable> {
    let sig = &function.sig;
    let refuse = |span, why: &str| Err((span, why.to_owned()));
    if !matches!(function.vis, syn::Visibility::Public(_)) {
        return refuse(sig.ident.span(), "it is private; write `pub fn`");
    }
    if sig.asyncness.is_some() || sig.unsafety.is_some() {
        return refuse(sig.fn_token.span, "it is async or unsafe; it has to be a plain function");
    }
    if let Some(parameter) = sig.generics.type_params().next() {
        return refuse(parameter.ident.span(), "it is generic; name the type it is about");
    }
    let mut subjects = vec![];
    for input in &sig.inputs {
        let syn::FnArg::Typed(input) = input else {
            return refuse(input.span(), "it takes self; it has to stand by itself");
        };
        let subject = match &*input.ty {
            syn::Type::Reference(reference) if reference.mutability.is_none() => {
                match &*reference.elem {
                    syn::Type::Path(path) => {
                        path.path.segments.last().map(|last| last.ident.to_string())
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        match subject {
            Some(subject) => subjects.push(subject),
            None => {
                return refuse(input.ty.span(), "it has to take `&T` for a type of the crate");
            }
        }
    }
    let values = subjects.len();
    if !(1..=2).contains(&values) || subjects.iter().any(|subject| *subject != subjects[0]) {
        return refuse(
            sig.paren_token.span.join(),
            "it has to take one value or a pair of values of a type: `(&T)` or `(&T, &T)`",
        );
    }
    Ok((subjects.swap_remove(0), values, is_fallible(&sig.output)?))
}

fn is_fallible(output: &syn::ReturnType) -> Result<bool, Unusable> {
    let wanted = "it has to return `bool` or `Result<(), E>` where `E` can be displayed";
    let syn::ReturnType::Type(_, ty) = output else {
        return Err((output.span(), wanted.to_owned()));
    };
    let last = match &**ty {
        syn::Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    match last {
        Some(last) if last.ident == "bool" => Ok(false),
        Some(last) if last.ident == "Result" => match &last.arguments {
            syn::PathArguments::AngleBracketed(arguments)
                if matches!(
                    arguments.args.first(),
                    Some(syn::GenericArgument::Type(syn::Type::Tuple(unit))) if unit.elems.is_empty()
                ) =>
            {
                Ok(true)
            }
            _ => Err((ty.span(), wanted.to_owned())),
        },
        _ => Err((ty.span(), wanted.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str) -> Result<Vec<Oracle>, String> {
        let parsed = syn::parse_file(source).unwrap();
        of_file(&parsed, Path::new("tests/my-oracles.rs")).map_err(|error| error.to_string())
    }

    #[test]
    fn both_marks_are_read() {
        let found = check(
            "#[testsmith::oracle]\npub fn sorted(list: &List<i32>) -> bool { true }\n\
             /// Says it twice.\n///\n/// testsmith: oracle\n\
             pub fn agree(a: &crate_of::List<i32>, b: &crate_of::List<i32>) -> Result<(), String> \
             { Ok(()) }\npub fn other(n: u8) {}\n",
        )
        .unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].subject.as_str(), found[0].values), ("List", 1));
        assert_eq!(found[0].module, "my_oracles");
        assert_eq!((found[1].values, found[1].fallible), (2, true));
    }

    #[test]
    fn misuse_is_told_at_its_place() {
        let told = |source: &str| check(source).unwrap_err();
        let private = told("#[oracle]\nfn f(a: &A) -> bool { true }\n");
        assert_eq!(
            private,
            "tests/my-oracles.rs:2:4: the oracle `f` cannot be used: it is private; write `pub fn`"
        );
        let wanted = told("#[oracle]\npub fn f(a: &A) -> u8 { 0 }\n");
        assert!(wanted.starts_with("tests/my-oracles.rs:2:20: "), "{wanted}");
        assert!(wanted.contains("has to return `bool`"), "{wanted}");
        let by_value = told("#[oracle]\npub fn f(a: A) -> bool { true }\n");
        assert!(by_value.contains("has to take `&T`"), "{by_value}");
        let mixed = told("#[oracle]\npub fn f(a: &A, b: &B) -> bool { true }\n");
        assert!(mixed.contains("a pair of values of a type"), "{mixed}");
        let generic = told("#[oracle]\npub fn f<T>(a: &T) -> bool { true }\n");
        assert!(generic.contains("it is generic"), "{generic}");
    }
}
