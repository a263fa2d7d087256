//! Clauses as a patch that adds them to the user's sources as attributes.
//!
//! What is printed was compiled in a copy of the sources, and the tests of the crate passed
//! there with the contracts checked. A clause that does not get so far is left out and told.
//! The user's own files are only read.

use super::choose::{About, Choice, Chosen};
use super::manifest;
use super::source::{Insertions, Source, diff, inserted, origin};
use crate::args::Infer;
use crate::pipeline::{Session, features, subject};
use crate::stateful::Learned;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use testsmith_infer::{Contract, query_of};
use testsmith_lab::{Shadow, ShadowCheck, ShadowTests};
use testsmith_model::{OpId, Plan};

/// Each round leaves something out; compilers tell of types first, then of borrows.
const MAX_ROUNDS: usize = 24;

/// Makes the patch, and says what it leaves out and why.
pub(super) fn make<'p>(
    options: &Infer,
    session: &Session,
    plan: &'p Plan,
    learned: &Learned,
) -> Result<Patch<'p>> {
    let choice = Choice { path: options.path.as_deref(), untried: options.untried };
    let mut patch = Patch::new(session, plan)?;
    for chosen in choice.of(plan, learned) {
        patch.add(learned, &chosen);
    }
    if patch.alive().next().is_none() {
        return Ok(patch);
    }
    session.console.say("compiling the crate with its contracts, in a copy");
    let package = &session.package.root;
    // A published crate is a workspace of its own.
    let workspace = subject(&options.target)?.workspace_root();
    let workspace = workspace.as_deref().filter(|workspace| package.starts_with(workspace));
    let workspace = workspace.unwrap_or(package);
    let shadow = session.lab.shadow(workspace, package, &features(&options.target))?;
    let tests = patch.compile(&shadow)?;
    if tests && patch.alive().next().is_some() {
        session.console.say("running its own tests with the contracts checked");
        patch.test(&shadow)?;
    }
    Ok(patch)
}

/// A clause on its way into a file.
struct Attribute {
    /// `requires`, `ensures` or `invariant`.
    kind: &'static str,
    text: String,
    /// What it is written on, as in the documentation.
    of: String,
    file: PathBuf,
    /// Before which line it stands.
    line: usize,
    at_root: bool,
    left_out: Option<String>,
}

pub(super) struct Patch<'p> {
    plan: &'p Plan,
    /// The folder of the package.
    root: PathBuf,
    /// By their paths in the package.
    files: BTreeMap<PathBuf, Source>,
    attributes: Vec<Attribute>,
    /// Files whose own names clash with those of the attributes.
    in_full: BTreeSet<PathBuf>,
    manifest: String,
    /// Where the dependency goes, unless it is there.
    dependency: Insertions,
    /// What has to be said beside the clauses.
    pub(super) notes: Vec<String>,
}

impl<'p> Patch<'p> {
    fn new(session: &Session, plan: &'p Plan) -> Result<Patch<'p>> {
        let root = session.package.root.clone();
        let file = root.join("Cargo.toml");
        let manifest = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        Ok(Patch {
            plan,
            root,
            files: BTreeMap::new(),
            attributes: vec![],
            in_full: BTreeSet::new(),
            dependency: manifest::with_library(&manifest)?,
            manifest,
            notes: vec![],
        })
    }

    /// Takes the clauses of a function or a type in, where their place is found.
    fn add(&mut self, learned: &Learned, chosen: &Chosen) {
        for contract in &chosen.contracts {
            let (op, of) = match chosen.about {
                About::Function(op) => (Some(op), self.plan.operation(op).path()),
                About::Type(ty) => {
                    (block_query(learned, contract), self.plan.ty(ty).ty.to_string())
                }
            };
            let is_type = matches!(chosen.about, About::Type(_));
            let found = op.map_or(Err("there is no block for it"), |op| self.place(op, is_type));
            let (file, line, at_root, left_out) = match found {
                Ok((file, line, at_root)) => (file, line, at_root, None),
                Err(why) => (PathBuf::new(), 0, false, Some(why.to_owned())),
            };
            let (kind, text) = (contract.clause.kind.word(), learned.data.words(contract));
            self.attributes.push(Attribute { kind, text, of, file, line, at_root, left_out });
        }
    }

    /// The file and the line that attributes of a function, or of its block, stand before.
    fn place(&mut self, op: OpId, block: bool) -> Result<(PathBuf, usize, bool), &'static str> {
        const MACRO: &str = "its function is made by a macro, or shares its line with other code";
        let operation = self.plan.operation(op);
        let (file, line) = operation.place.as_ref().ok_or("its function has no source")?;
        let inside = Path::new(file).strip_prefix(&self.root);
        let inside = inside.map_err(|_| "its source is not part of the package")?.to_owned();
        if !self.files.contains_key(&inside) {
            let text = std::fs::read_to_string(file).map_err(|_| "its source cannot be read")?;
            let source = Source::read(text).ok_or("its source cannot be read")?;
            self.files.insert(inside.clone(), source);
        }
        let (source, name) = (&self.files[&inside], operation.callee.name());
        let place = match block {
            false => source.function(name, *line as usize),
            true => source.block(name, *line as usize),
        };
        let place = place.ok_or(MACRO)?;
        Ok((inside, place.line, place.at_root))
    }

    fn alive(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| attribute.left_out.is_none())
    }

    /// The lines that go into a file, and which attribute each of them is.
    fn lines(&self, file: &Path) -> (Insertions, BTreeMap<(usize, usize), usize>) {
        let source = &self.files[file];
        let clash = source.has_imports() || self.in_full.contains(file);
        let in_full = |one: &Attribute| !one.at_root || clash;
        let (mut insertions, mut owners) = (Insertions::new(), BTreeMap::new());
        let here = self.attributes.iter().enumerate();
        let here: Vec<(usize, &Attribute)> =
            here.filter(|(_, one)| one.left_out.is_none() && one.file == file).collect();
        for (n, one) in &here {
            let lines: &mut Vec<String> = insertions.entry(one.line).or_default();
            owners.insert((one.line, lines.len()), *n);
            let path = if in_full(one) { "testsmith::" } else { "" };
            let indent = source.indent(one.line);
            lines.push(format!("{indent}#[{path}{}({})]", one.kind, one.text));
        }
        let short: BTreeSet<&str> =
            here.iter().filter(|(_, one)| !in_full(one)).map(|(_, one)| one.kind).collect();
        let short: Vec<&str> = short.into_iter().collect();
        if !short.is_empty() {
            let (line, new) = source.import(&short);
            // Attributes of a first function stand behind the import.
            let known = insertions.entry(line).or_default();
            let moved: Vec<_> = owners.extract_if(.., |(at, _), _| *at == line).collect();
            owners.extend(moved.into_iter().map(|((at, k), n)| ((at, k + new.len()), n)));
            known.splice(0..0, new);
        }
        (insertions, owners)
    }

    /// Writes all files into the copy, with or without what is new.
    fn lay_out(&self, shadow: &Shadow, new: bool) -> Result<()> {
        for (file, source) in &self.files {
            let lines = if new { self.lines(file).0 } else { Insertions::new() };
            shadow.write(file, &inserted(source.text(), &lines))?;
        }
        let dependency = if new { self.dependency.clone() } else { Insertions::new() };
        Ok(shadow.write(Path::new("Cargo.toml"), &inserted(&self.manifest, &dependency))?)
    }

    /// Leaves out what does not compile. Says whether the tests of the crate do.
    fn compile(&mut self, shadow: &Shadow) -> Result<bool> {
        let mut tests = true;
        for _ in 0..MAX_ROUNDS {
            self.lay_out(shadow, true)?;
            let check = shadow.check(tests)?;
            if check.success || self.alive().next().is_none() {
                return Ok(tests);
            }
            if self.blame(&check) {
                continue;
            }
            // It may be none of our doing.
            self.lay_out(shadow, false)?;
            let before = shadow.check(tests)?;
            match (before.success, tests) {
                (true, _) => {
                    bail!("with its contracts the crate does not compile:\n{}", check.explanation)
                }
                (false, true) => {
                    let first = before.explanation.lines().next().unwrap_or_default().to_owned();
                    self.notes.push(format!(
                        "the tests of the crate do not compile here, so none were run: {first}"
                    ));
                    tests = false;
                }
                (false, false) => {
                    bail!("a copy of the crate does not compile:\n{}", before.explanation)
                }
            }
        }
        bail!("the crate still does not compile with its contracts after {MAX_ROUNDS} rounds")
    }

    /// Leaves out the clauses that errors point at; whether there are any.
    fn blame(&mut self, check: &ShadowCheck) -> bool {
        let mut told: BTreeMap<usize, String> = BTreeMap::new();
        let mut around: BTreeMap<usize, String> = BTreeMap::new();
        let mut clashes = BTreeSet::new();
        for (named, line, text) in &check.errors {
            let Some(file) = self.file_called(named) else { continue };
            let (insertions, owners) = self.lines(&file);
            match origin(&insertions, *line) {
                (before, Some(n)) => match owners.get(&(before, n)) {
                    Some(attribute) => drop(told.entry(*attribute).or_insert(text.clone())),
                    None => drop(clashes.insert(file)),
                },
                // An error in the body of a function is one of its clauses'.
                (line, None) => {
                    let Some(lines) = self.files[&file].function_of(line) else { continue };
                    for (n, one) in self.attributes.iter().enumerate() {
                        if one.left_out.is_none() && one.file == file && lines.contains(&one.line) {
                            around.entry(n).or_insert(text.clone());
                        }
                    }
                }
            }
        }
        let new = clashes.into_iter().filter(|file| self.in_full.insert(file.clone())).count();
        let told = if told.is_empty() && new == 0 { around } else { told };
        let any = !told.is_empty() || new > 0;
        for (n, why) in told {
            let why = why.lines().next().unwrap_or_default();
            self.attributes[n].left_out = Some(format!("it does not compile: {why}"));
        }
        any
    }

    /// Leaves out what the tests of the crate do not keep.
    fn test(&mut self, shadow: &Shadow) -> Result<()> {
        for _ in 0..MAX_ROUNDS {
            self.lay_out(shadow, true)?;
            let tests = shadow.test()?;
            if tests.success || self.alive().next().is_none() {
                return Ok(());
            }
            if self.break_off(&tests) {
                continue;
            }
            self.lay_out(shadow, false)?;
            let before = shadow.test()?;
            let failing = |tests: &ShadowTests| -> BTreeSet<String> {
                let lines = tests.output.lines().filter_map(|line| line.strip_prefix("test "));
                let failed = lines.filter_map(|line| line.strip_suffix(" ... FAILED"));
                failed.map(str::to_owned).collect()
            };
            let (with, without) = (failing(&tests), failing(&before));
            let new: Vec<String> = with.difference(&without).cloned().collect();
            if before.success || !new.is_empty() || with.is_empty() || tests.hung {
                let which = if new.is_empty() { "its tests".to_owned() } else { new.join(", ") };
                bail!(
                    "with its contracts {which} of the crate no longer pass, and no clause is to blame"
                );
            }
            let known: Vec<&str> = without.iter().map(String::as_str).collect();
            self.notes
                .push(format!("these tests fail without the patch, too: {}", known.join(", ")));
            return Ok(());
        }
        bail!("the tests of the crate still fail with its contracts after {MAX_ROUNDS} rounds")
    }

    /// Leaves out the clauses that violations name; whether there are any.
    fn break_off(&mut self, tests: &ShadowTests) -> bool {
        let mut broken: BTreeSet<usize> = BTreeSet::new();
        for place in tests.output.lines().filter_map(place_of_violation) {
            let mut parts = place.rsplitn(3, ':');
            let line = parts.nth(1).and_then(|line| line.parse().ok());
            let (Some(line), Some(named)) = (line, parts.next()) else { continue };
            let Some(file) = self.file_called(named) else { continue };
            let (insertions, owners) = self.lines(&file);
            if let (before, Some(n)) = origin(&insertions, line) {
                broken.extend(owners.get(&(before, n)));
            }
        }
        for n in &broken {
            self.attributes[*n].left_out = Some("the tests of the crate break it".to_owned());
        }
        !broken.is_empty()
    }

    /// The file that a compiler or a message means.
    fn file_called(&self, named: &str) -> Option<PathBuf> {
        let mut all = self.files.keys();
        all.find(|file| Path::new(named).ends_with(file)).cloned()
    }

    /// The patch, with paths from this folder on.
    pub(super) fn text(&self, base: &Path) -> String {
        let name = |file: &Path| {
            let path = self.root.join(file);
            let inside = path.strip_prefix(base).unwrap_or(file).to_owned();
            inside
                .components()
                .map(|part| part.as_os_str().to_string_lossy())
                .collect::<Vec<_>>()
                .join("/")
        };
        let mut text = String::new();
        if self.alive().next().is_some() && !self.dependency.is_empty() {
            text += &diff(&name(Path::new("Cargo.toml")), &self.manifest, &self.dependency);
        }
        for (file, source) in &self.files {
            let (insertions, _) = self.lines(file);
            if !insertions.is_empty() {
                text += &diff(&name(file), source.text(), &insertions);
            }
        }
        text
    }

    /// How many clauses there are, and of how many functions and types.
    pub(super) fn size(&self) -> (usize, usize) {
        let of: BTreeSet<&str> = self.alive().map(|one| one.of.as_str()).collect();
        (self.alive().count(), of.len())
    }

    /// What was left out, and why.
    pub(super) fn left_out(&self) -> impl Iterator<Item = String> {
        self.attributes.iter().filter_map(|one| {
            let why = one.left_out.as_ref()?;
            Some(format!("left out: {}({}) of {}: {why}", one.kind, one.text, one.of))
        })
    }
}

/// The query whose block an invariant belongs to.
fn block_query(learned: &Learned, contract: &Contract) -> Option<OpId> {
    let columns = [contract.clause.atom.a, contract.clause.atom.b];
    let asked = |column: &u16| query_of(&learned.data.term(contract.watch, (*column).into()));
    columns.iter().find_map(asked)
}

/// Where the clause stands that a line of a message tells of; see docs/contracts.md.
fn place_of_violation(line: &str) -> Option<String> {
    let (_, fields) = line.split_once("[testsmith-contract 1; ")?;
    fields.split("; ").find_map(|field| field.strip_prefix("place=")).map(str::to_owned)
}

/// The folder that the paths of a patch start from: that of the repository, since `git
/// apply` wants it so wherever it is run; else that of the package.
pub(super) fn base(session: &Session, published: bool) -> PathBuf {
    let root = &session.package.root;
    let top = || {
        let done = std::process::Command::new("git")
            .args(["rev-parse", "--show-toplevel"])
            .current_dir(root)
            .output()
            .ok()
            .filter(|done| done.status.success())?;
        PathBuf::from(String::from_utf8(done.stdout).ok()?.trim()).canonicalize().ok()
    };
    let top = if published { None } else { top() };
    top.filter(|top| root.starts_with(top)).unwrap_or_else(|| root.clone())
}
