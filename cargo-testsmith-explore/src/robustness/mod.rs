//! `--fn`: a public function may not panic, whatever it is given.
//!
//! A package of our own, in the target folder, depends on the user's and holds
//! one put that calls the function. What is found is written to the user's
//! `tests/testsmith_puts.rs` as plain calls of the public function.

mod source;
mod subject;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::build::{self, Package, Target};
use crate::identity::Identity;
use crate::library;
use crate::options::Options;
use crate::put::{self, Explored};
use source::Source;
use subject::Subject;

/// Explores a function by its path, without or with the crate's name in front.
pub fn explore(options: &Options, path: &str) -> Result<Vec<Explored>> {
    let package = build::package(options)?;
    let (krate, file) = package.library().context("the package has no library")?;
    let subject = Subject::find(krate, &Source::read(file)?, path)?;
    let harness = write_harness(options, &package, &subject)?;
    let inner = Options {
        manifest: Some(harness.join("Cargo.toml")),
        package: None,
        features: None,
        function: None,
        ..options.clone()
    };
    let harness = build::package(&inner)?;
    let built = build::build(&inner, &harness, &Target::Library)
        .with_context(|| format!("the parameters of {} cannot all be decoded", subject.path))?;
    if let (Some(receivers), false) = (&subject.receivers, options.quiet) {
        println!("receivers of {} {receivers}", subject.path);
    }
    let explored = put::explore_target(&inner, &harness, &built)?;
    match (options.emit && !options.interrupted(), subject.writable) {
        (false, _) => {}
        (true, false) => println!("no closed tests: the receiver's fields are private"),
        (true, true) => emit(options, &package, &subject, &explored)?,
    }
    Ok(explored)
}

/// The put, as a function of the same name that can also be called by closed tests.
fn definition(subject: &Subject) -> String {
    let typed = |(name, ty): &(String, String)| match name.as_str() {
        "receiver" => format!("mut receiver: {ty}"),
        _ => format!("{name}: {ty}"),
    };
    let parameters: Vec<String> = subject.parameters.iter().map(typed).collect();
    let setup = subject.setup.as_ref().map(|setup| format!("    {setup}\n")).unwrap_or_default();
    format!(
        "#[allow(unused_mut)]\nfn robustness({}) {{\n{setup}    let _ = {}({});\n}}\n",
        parameters.join(", "),
        subject.callee,
        subject.arguments.join(", "),
    )
}

/// A name of its own for each function of each package with its features and version.
fn harness_name(options: &Options, package: &Package, subject: &Subject) -> String {
    let mut identity = Identity::default();
    let asked = (&package.manifest, &subject.path, &options.features, options.len);
    identity.add(format!("{asked:?}").as_bytes());
    identity.add(&std::fs::read(package.lock()).unwrap_or_default());
    format!("robustness-{}-{}", subject.name, &identity.text()[..16])
}

fn write_harness(options: &Options, package: &Package, subject: &Subject) -> Result<PathBuf> {
    // Cargo tells packages apart by their names only where a target folder is shared.
    let name = harness_name(options, package, subject);
    let folder = package.target_dir.join(&name);
    let testsmith = match &package.testsmith {
        Some(dependency) => dependency.clone(),
        None => library::unpack(&package.target_dir.join("library"))?,
    };
    let user = package.folder.display().to_string();
    let features = options.features.as_deref().unwrap_or_default();
    let features: Vec<String> =
        features.split([',', ' ']).filter(|f| !f.is_empty()).map(|f| format!("{f:?}")).collect();
    let manifest = format!(
        "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n{} = {{ path = {user:?}, features = [{}] }}\ntestsmith = {testsmith}\n\n\
         [workspace]\n",
        package.name,
        features.join(", ")
    );
    let source = format!(
        "#![allow(unused_imports)]\n{}\nuse testsmith::put;\n\n#[put(len = {})]\n{}",
        subject.imports.join("\n"),
        options.len,
        definition(subject),
    );
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::write(folder.join("src/lib.rs"), source)?;
    // The versions the user has locked are the ones to explore.
    if package.lock().is_file() {
        std::fs::copy(package.lock(), folder.join("Cargo.lock"))?;
    }
    Ok(folder)
}

/// Adds the calls to the user's file of closed tests, in place of earlier ones of the
/// same function.
fn emit(
    options: &Options,
    package: &Package,
    subject: &Subject,
    explored: &[Explored],
) -> Result<()> {
    let file = package.folder.join("tests/testsmith_puts.rs");
    let path = &subject.path;
    let before = std::fs::read_to_string(&file).ok();
    let (open, close) = (format!("// <{path}>\n"), format!("// </{path}>\n"));
    let mut text = before.clone().unwrap_or_else(|| {
        "//! Closed tests written by `cargo testsmith explore --fn`.\n".to_owned()
    });
    if let (Some(start), Some(end)) = (text.find(&open), text.find(&close)) {
        text.replace_range(start..end + close.len(), "");
    }
    text.push_str(&format!("{open}{}{close}", module(options, subject, explored)));
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

/// The module of a function's closed tests. A function is called as it stands; a method
/// needs its receiver first, so what the put did is written above.
fn module(options: &Options, subject: &Subject, explored: &[Explored]) -> String {
    let tests: String =
        explored.iter().map(|put| crate::emit::tests(put, options.every_path)).collect();
    let mut lines: Vec<String> = subject.imports.clone();
    if subject.setup.is_some() || subject.callee.starts_with("receiver.") {
        lines.push(String::new());
        lines.extend(definition(subject).lines().map(str::to_owned));
        lines.extend(tests.lines().map(str::to_owned));
    } else {
        let call = format!("let _ = {}(", subject.callee);
        lines.extend(tests.lines().map(|line| line.replacen("robustness(", &call, 1)));
    }
    lines.retain(|line| !line.starts_with("//"));
    let indented = |line: &String| match line.is_empty() {
        true => "\n".to_owned(),
        false => format!("    {line}\n"),
    };
    let body: String = lines.iter().map(indented).collect();
    format!("#[allow(unused_imports)]\nmod {} {{\n{body}}}\n", subject.name)
}
