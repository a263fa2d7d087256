//! `--fn`: a public function may not panic, whatever it is given.
//!
//! A package of our own, in the target folder, depends on the user's and holds
//! one put that calls the function. What is found is written to the user's
//! `tests/testsmith_puts.rs` as plain calls of the public function.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use quote::ToTokens;
use syn::{FnArg, ImplItem, Item, Signature, Visibility};

use crate::build::{self, Package, Target};
use crate::options::Options;
use crate::put::{self, Explored};

/// Explores a function by its path, without or with the crate's name in front.
pub fn explore(options: &Options, path: &str) -> Result<Vec<Explored>> {
    let package = build::package(options)?;
    let krate = package.name.replace('-', "_");
    let path = path.strip_prefix(&format!("{krate}::")).unwrap_or(path);
    let segments: Vec<&str> = path.split("::").collect();
    let source = package.folder.join("src/lib.rs");
    let signature = find(&source, &package.folder.join("src"), &segments)?
        .with_context(|| format!("{krate} has no public function {path}"))?;
    let harness = write_harness(options, &package, &krate, path, &segments, &signature)?;
    let inner = Options {
        manifest: Some(harness.join("Cargo.toml")),
        package: None,
        features: None,
        function: None,
        ..options.clone()
    };
    let harness = build::package(&inner)?;
    let built = build::build(&inner, &harness, &Target::Library)
        .with_context(|| format!("the parameters of {path} cannot all be decoded"))?;
    let explored = put::explore_target(&inner, &harness, &built)?;
    if options.emit {
        emit(options, &package, &krate, path, &segments, &explored)?;
    }
    Ok(explored)
}

/// The signature of a public function, following the module tree of the source.
fn find(file: &Path, folder: &Path, segments: &[&str]) -> Result<Option<Signature>> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("failed to read {}", file.display()))?;
    let parsed = syn::parse_file(&text).with_context(|| format!("{}", file.display()))?;
    find_in(&parsed.items, folder, segments)
}

fn find_in(items: &[Item], folder: &Path, segments: &[&str]) -> Result<Option<Signature>> {
    let public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
    for item in items {
        match (item, segments) {
            (Item::Fn(function), [name]) if function.sig.ident == name && public(&function.vis) => {
                return Ok(Some(function.sig.clone()));
            }
            (Item::Impl(block), [ty, name]) if block.trait_.is_none() => {
                if block.self_ty.to_token_stream().to_string() != *ty {
                    continue;
                }
                for item in &block.items {
                    if let ImplItem::Fn(method) = item
                        && method.sig.ident == name
                        && public(&method.vis)
                    {
                        return Ok(Some(method.sig.clone()));
                    }
                }
            }
            (Item::Mod(module), [first, rest @ ..]) if module.ident == first => {
                let inner = folder.join(first);
                if let Some((_, items)) = &module.content {
                    return find_in(items, &inner, rest);
                }
                let flat = folder.join(format!("{first}.rs"));
                let file = if flat.is_file() { flat } else { inner.join("mod.rs") };
                return find(&file, &inner, rest);
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Names of parameters, with their types as they stand in the source.
fn parameters(signature: &Signature) -> Result<Vec<(String, String)>> {
    if !signature.generics.params.iter().all(|p| matches!(p, syn::GenericParam::Lifetime(_))) {
        bail!("{} is generic: its inputs have no concrete types", signature.ident);
    }
    let mut list = vec![];
    for (index, input) in signature.inputs.iter().enumerate() {
        match input {
            FnArg::Typed(typed) => {
                let mut ty = (*typed.ty).clone();
                if let syn::Type::Reference(reference) = &mut ty {
                    reference.lifetime = None;
                }
                list.push((format!("input_{index}"), ty.to_token_stream().to_string()));
            }
            FnArg::Receiver(_) => bail!("{} is a method: write a put for it", signature.ident),
        }
    }
    Ok(list)
}

fn write_harness(
    options: &Options,
    package: &Package,
    krate: &str,
    path: &str,
    segments: &[&str],
    signature: &Signature,
) -> Result<PathBuf> {
    let folder = package.target_dir.join(format!("robustness-{}", segments.join("-")));
    std::fs::create_dir_all(folder.join("src"))?;
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testsmith");
    let library = match package.testsmith.clone().or_else(|| beside.canonicalize().ok()) {
        Some(path) => format!("{{ path = {:?} }}", path.display().to_string()),
        None => format!("{:?}", env!("CARGO_PKG_VERSION")),
    };
    let user = package.folder.display().to_string();
    let features = options.features.as_deref().unwrap_or_default();
    let features: Vec<String> =
        features.split([',', ' ']).filter(|f| !f.is_empty()).map(|f| format!("{f:?}")).collect();
    let manifest = format!(
        "[package]\nname = \"robustness\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n{} = {{ path = {user:?}, features = [{}] }}\ntestsmith = {library}\n\n\
         [workspace]\n",
        package.name,
        features.join(", ")
    );
    let parameters = parameters(signature)?;
    let typed: Vec<String> = parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
    let names: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
    let source = format!(
        "#![allow(unused_imports)]\n{}use testsmith::put;\n\n#[put(len = {})]\n\
         fn robustness({}) {{\n    let _ = {krate}::{path}({});\n}}\n",
        imports(krate, segments),
        options.len,
        typed.join(", "),
        names.join(", "),
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::write(folder.join("src/lib.rs"), source)?;
    // The versions the user has locked are the ones to explore.
    let locked =
        package.folder.ancestors().map(|folder| folder.join("Cargo.lock")).find(|p| p.is_file());
    if let Some(lock) = locked {
        std::fs::copy(lock, folder.join("Cargo.lock"))?;
    }
    Ok(folder)
}

/// Everything in scope around the function, so that the types of its signature are found.
fn imports(krate: &str, segments: &[&str]) -> String {
    let mut text = format!("use {krate}::*;\n");
    let modules: Vec<&str> = segments[..segments.len() - 1]
        .iter()
        .copied()
        .take_while(|segment| segment.starts_with(char::is_lowercase))
        .collect();
    for depth in 1..=modules.len() {
        text.push_str(&format!("use {krate}::{}::*;\n", modules[..depth].join("::")));
    }
    text
}

/// Adds the calls to the user's file of closed tests, in place of earlier ones of the
/// same function.
fn emit(
    options: &Options,
    package: &Package,
    krate: &str,
    path: &str,
    segments: &[&str],
    explored: &[Explored],
) -> Result<()> {
    let file = package.folder.join("tests/testsmith_puts.rs");
    let before = std::fs::read_to_string(&file).ok();
    let (open, close) = (format!("// <{path}>\n"), format!("// </{path}>\n"));
    let mut text = before.clone().unwrap_or_else(|| {
        "//! Closed tests written by `cargo testsmith explore --fn`.\n".to_owned()
    });
    if let (Some(start), Some(end)) = (text.find(&open), text.find(&close)) {
        text.replace_range(start..end + close.len(), "");
    }
    let module = segments.join("_").to_lowercase();
    let body: String =
        explored.iter().map(|put| crate::emit::tests(put, options.every_path)).collect();
    let body: String = body
        .lines()
        .filter(|line| !line.starts_with("//"))
        .map(|line| {
            format!(
                "    {}\n",
                line.replacen("robustness(", &format!("let _ = {krate}::{path}("), 1)
            )
        })
        .collect();
    text.push_str(&format!(
        "{open}#[allow(unused_imports)]\nmod {module} {{\n{}{}}}\n{close}",
        imports(krate, segments).lines().map(|line| format!("    {line}\n")).collect::<String>(),
        body.replace("    \n", "\n"),
    ));
    std::fs::create_dir_all(package.folder.join("tests"))?;
    std::fs::write(&file, text)?;
    let target = Target::Test("testsmith_puts".to_owned());
    if let Err(output) = build::run_closed_tests(options, package, &target) {
        match before {
            Some(text) => std::fs::write(&file, text)?,
            None => std::fs::remove_file(&file)?,
        }
        bail!("the closed tests of {path} do not pass; they were taken back\n{output}");
    }
    Ok(())
}
