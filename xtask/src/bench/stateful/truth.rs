//! Whether clauses about our containers are true: Korat makes every structure of a scope, each
//! function is called on all of them with small arguments, and each clause is asked about every
//! call. Nothing of the search that inferred the clauses is used.
//!
//! The checks are a program of their own, which is written, compiled and run:
//!
//! ```text
//! fn of_3(seen: &mut Seen) {
//!     for key in numbers() {
//!         for mut this in all::<HashSet>(3000) {
//!             let this = &mut this;
//!             let before_0 = ask(|| Some(this.contains(key)));
//!             let Some(ret) = done(|| this.add(key)) else { continue };
//!             seen.add(7, ask(|| Some(ret != before_0?)));
//! ```

use super::super::folder;
use anyhow::{Context, Result, ensure};
use quote::ToTokens;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use syn::{FnArg, ImplItem, Item, Pat, Type, Visibility};

/// Objects of a structure at most; where that gives more structures than this, or more for each
/// of two, the next smaller scope is taken.
const SCOPE: usize = 4;
const MOST: usize = 3000;
const MOST_OF_PAIRS: usize = 200;

/// A clause: its type, its function or nothing, its kind and its text.
pub(super) struct Asked<'c> {
    pub(super) of: &'c str,
    pub(super) function: &'c str,
    pub(super) kind: &'c str,
    pub(super) text: &'c str,
}

/// In how many calls a clause holds, and in how many it does not.
pub(super) type Tally = (u64, u64);

/// What is known of each clause; nothing of one that cannot be asked about like this.
pub(super) fn ask(clauses: &[Asked]) -> Result<Vec<Option<Tally>>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let functions = functions(&root.join("subjects/containers/src"))?;
    let package = folder().join("stateful-truth");
    std::fs::create_dir_all(package.join("src"))?;
    let path = |of: &str| root.join(of).display().to_string();
    let manifest = format!(
        "[package]\nname = \"truth\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nsubject-containers = {{ path = {:?} }}\ntestsmith = {{ path = {:?} }}\n\n\
         [profile.dev]\nopt-level = 1\nincremental = false\n",
        path("subjects/containers"),
        path("testsmith")
    );
    std::fs::write(package.join("Cargo.toml"), manifest)?;
    std::fs::write(package.join("src/main.rs"), program(clauses, &functions))?;
    let mut command = Command::new(std::env::var("CARGO").unwrap_or("cargo".into()));
    command.args(["run", "--quiet"]).current_dir(&package);
    command.env("CARGO_TARGET_DIR", folder().join("target"));
    let output = command.output().context("cargo is there")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the checks of the clauses do not run:\n{errors}");
    let mut known = vec![None; clauses.len()];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let numbers: Option<Vec<u64>> = line.split(' ').map(|n| n.parse().ok()).collect();
        if let Some([n, held, broken]) = numbers.as_deref() {
            known[*n as usize] = Some((*held, *broken));
        }
    }
    Ok(known)
}

/// How a function takes its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Receiver {
    None,
    Borrowed,
    Owned,
}

struct Function {
    receiver: Receiver,
    /// Names and types.
    arguments: Vec<(String, String)>,
}

/// The public functions of the containers, by type and name.
fn functions(folder: &Path) -> Result<BTreeMap<(String, String), Function>> {
    let mut all = BTreeMap::new();
    for file in std::fs::read_dir(folder)? {
        let file = syn::parse_file(&std::fs::read_to_string(file?.path())?)?;
        for item in file.items {
            let Item::Impl(block) = item else { continue };
            if block.trait_.is_some() {
                continue;
            }
            let of = text(&*block.self_ty);
            for item in block.items {
                let ImplItem::Fn(function) = item else { continue };
                if matches!(function.vis, Visibility::Public(_)) {
                    let name = function.sig.ident.to_string();
                    all.insert((of.clone(), name), signature(&function.sig));
                }
            }
        }
    }
    Ok(all)
}

fn signature(of: &syn::Signature) -> Function {
    let mut receiver = Receiver::None;
    let mut arguments = vec![];
    for input in &of.inputs {
        match input {
            FnArg::Receiver(of) if of.reference.is_some() => receiver = Receiver::Borrowed,
            FnArg::Receiver(_) => receiver = Receiver::Owned,
            FnArg::Typed(of) => {
                let Pat::Ident(name) = &*of.pat else { continue };
                arguments.push((name.ident.to_string(), text::<Type>(&of.ty)));
            }
        }
    }
    Function { receiver, arguments }
}

fn text<T: ToTokens>(tokens: &T) -> String {
    tokens.to_token_stream().to_string().replace(' ', "")
}

/// What every program begins with.
const PRELUDE: &str = "#![allow(unused)]
use std::panic::{AssertUnwindSafe, catch_unwind};
use subject_containers::*;
use testsmith::Korat;
use testsmith::korat::{Finitization, Search};

/// A query that panics has no answer.
fn ask<T>(query: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(query)).ok().flatten()
}

fn done<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}

fn within<T: Korat>(scope: usize) -> impl Iterator<Item = T> {
    Search::<T>::within(Finitization::new(scope)).run()
}

/// All structures of the largest scope that has no more than so many.
fn all<T: Korat>(most: usize) -> impl Iterator<Item = T> {
    let fits = |scope: &usize| within::<T>(*scope).take(most + 1).count() <= most;
    within((1..=SCOPE).rev().find(fits).unwrap_or(1))
}

fn numbers() -> std::ops::RangeInclusive<i32> {
    -1..=SCOPE as i32 + 1
}

/// All lists of up to three small numbers.
fn lists() -> Vec<Vec<i32>> {
    let mut all: Vec<Vec<i32>> = vec![vec![]];
    let mut last = all.clone();
    for _ in 0..3 {
        let longer = |list: &Vec<i32>, n| [list.clone(), vec![n]].concat();
        last = last.iter().flat_map(|list| (0..3).map(move |n| longer(list, n))).collect();
        all.extend(last.clone());
    }
    all
}

struct Seen(Vec<[u64; 2]>);

impl Seen {
    fn add(&mut self, n: usize, holds: Option<bool>) {
        if let Some(holds) = holds {
            self.0[n][usize::from(!holds)] += 1;
        }
    }
}
";

fn program(clauses: &[Asked], functions: &BTreeMap<(String, String), Function>) -> String {
    let mut by_function: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (n, Asked { of, function, .. }) in clauses.iter().enumerate() {
        let of = of.rsplit("::").next().unwrap_or(of);
        by_function.entry((of, function)).or_default().push(n);
    }
    let mut program = PRELUDE.to_owned();
    let _ = writeln!(program, "const SCOPE: usize = {SCOPE};");
    let mut calls = String::new();
    for (n, ((of, name), own)) in by_function.iter().enumerate() {
        let key = ((*of).to_owned(), (*name).to_owned());
        let body = match functions.get(&key) {
            Some(function) => of_function(of, name, function, clauses, own),
            None if name.is_empty() && functions.keys().any(|(known, _)| known == of) => {
                Some(of_type(of, clauses, own))
            }
            None => None,
        };
        if let Some(body) = body {
            let _ = writeln!(program, "fn of_{n}(seen: &mut Seen) {{\n{body}}}");
            let _ = writeln!(calls, "    of_{n}(&mut seen);");
        }
    }
    let _ = writeln!(
        program,
        "fn main() {{\n    std::panic::set_hook(Box::new(|_| ()));\n    \
         let mut seen = Seen(vec![[0; 2]; {}]);\n{calls}    \
         for (n, [held, broken]) in seen.0.iter().enumerate() {{\n        \
         println!(\"{{n}} {{held}} {{broken}}\");\n    }}\n}}",
        clauses.len()
    );
    program
}

/// The loops over all values of a function, its call, and what is asked around it.
fn of_function(
    of: &str,
    name: &str,
    function: &Function,
    clauses: &[Asked],
    own: &[usize],
) -> Option<String> {
    let is_container = |ty: &str| ty == of || ty == format!("&{of}") || ty == "Self";
    let pair = function.arguments.iter().any(|(_, ty)| is_container(ty));
    let most = if pair && function.receiver != Receiver::None { MOST_OF_PAIRS } else { MOST };
    let mut body = String::new();
    let mut inside = String::new();
    for (name, ty) in &function.arguments {
        let from = match ty.as_str() {
            "i32" => "numbers()".to_owned(),
            "usize" => "0..=SCOPE + 1".to_owned(),
            "&[i32]" => "&lists()".to_owned(),
            _ if is_container(ty) => format!("&all::<{of}>({most}).collect::<Vec<_>>()"),
            _ => return None,
        };
        let _ = writeln!(body, "for {name} in {from} {{");
        if is_container(ty) && !ty.starts_with('&') {
            let _ = writeln!(inside, "let {name} = {name}.clone();");
        }
    }
    let names: Vec<&str> = function.arguments.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(", ");
    let call = match function.receiver {
        Receiver::None => format!("{of}::{name}({names})"),
        Receiver::Borrowed => format!("this.{name}({names})"),
        Receiver::Owned => return None,
    };
    if function.receiver == Receiver::Borrowed {
        let _ = writeln!(body, "for mut this in all::<{of}>({most}) {{\nlet this = &mut this;");
    }
    let mut before = Before::default();
    let mut after = String::new();
    for n in own {
        let Asked { kind, text, .. } = &clauses[*n];
        let text = about_this(text);
        let said = match *kind {
            // What a function needs does not hold where it was called and came back without it.
            "requires" => before.kept(&text),
            _ => before.promise(&text),
        };
        let _ = writeln!(after, "seen.add({n}, ask(|| {said}));");
    }
    let _ = writeln!(body, "{inside}{}", before.statements);
    let _ = writeln!(body, "let Some(ret) = done(|| {call}) else {{ continue }};");
    let loops = function.arguments.len() + usize::from(function.receiver == Receiver::Borrowed);
    // Without a loop there is nothing to go on with.
    let open = if loops == 0 { "for _ in 0..1 {\n" } else { "" };
    Some(format!("{open}{body}{after}{}\n", "}".repeat(loops.max(1))))
}

/// What holds of all values of a type.
fn of_type(of: &str, clauses: &[Asked], own: &[usize]) -> String {
    let mut body = format!("for this in all::<{of}>({MOST}) {{\nlet this = &this;\n");
    for n in own {
        let said = about_this(clauses[*n].text);
        let _ = writeln!(body, "seen.add({n}, ask(|| Some({said})));");
    }
    format!("{body}}}\n")
}

/// The value that a clause is about, under the name it has here.
fn about_this(text: &str) -> String {
    text.replace("self.", "this.").replace("*self", "*this")
}

/// Answers that are kept before a call.
#[derive(Default)]
struct Before {
    statements: String,
    kept: usize,
}

impl Before {
    /// Keeps the answer to a question, and says what it is called.
    fn kept(&mut self, question: &str) -> String {
        let name = format!("before_{}", self.kept);
        self.kept += 1;
        let _ = writeln!(self.statements, "let {name} = ask(|| Some({question}));");
        name
    }

    /// What a promise says of one call, if it says anything.
    fn promise(&mut self, text: &str) -> String {
        match text.split_once(" ==> ") {
            Some((when, then)) => {
                let (when, then) = (self.without_old(when), self.without_old(then));
                format!("if {when} {{ Some({then}) }} else {{ None }}")
            }
            None => format!("Some({})", self.without_old(text)),
        }
    }

    /// A text in which everything `old` is an answer that was kept.
    fn without_old(&mut self, text: &str) -> String {
        let Some(at) = text.find("old(") else { return text.to_owned() };
        let inside = &text[at + "old(".len()..];
        let mut depth = 1;
        let end = inside.find(|c| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        let Some(end) = end else { return text.to_owned() };
        let kept = self.kept(&inside[..end]);
        let rest = self.without_old(&inside[end + 1..]);
        format!("{}{kept}?{rest}", &text[..at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_asks_before_the_call_what_is_old() {
        let mut before = Before::default();
        let said = before.promise("old(!this.has(x)) ==> this.len() == old(this.len()) + 1");
        assert_eq!(said, "if before_0? { Some(this.len() == before_1? + 1) } else { None }");
        let kept = "let before_0 = ask(|| Some(!this.has(x)));\n\
                    let before_1 = ask(|| Some(this.len()));\n";
        assert_eq!(before.statements, kept);
    }
}
