//! Writes and builds the harness: one thunk per operation, one table per type.

use crate::coverage::{self, Detail};
use crate::identity::Identity;
use crate::package::Package;
use crate::{Error, Lab, cargo, check_identity};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use testsmith_model::Call;
use testsmith_model::message::IDENTITY;
use testsmith_model::operation::{Mode, Operation, Plan, TypeId, TypeInfo, parameter_type};

/// How the code under test is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Fast to build; debug assertions and overflow checks.
    Unoptimised,
    /// Fast to run; the same checks.
    Optimised,
    /// As users run it: no debug assertions, no overflow checks.
    Released,
}

impl Profile {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Profile::Unoptimised => "dev",
            Profile::Optimised => "optimised",
            Profile::Released => "released",
        }
    }

    /// Compared values cost speed; they are wanted where speed is not.
    fn detail(self) -> Detail {
        match self {
            Profile::Unoptimised => Detail::Full,
            Profile::Optimised | Profile::Released => Detail::Counters,
        }
    }
}

/// What came of a build.
#[derive(Debug)]
pub enum Build {
    Done {
        harness: PathBuf,
        compiled: bool,
    },
    /// These operations do not compile after all, for these reasons.
    Refused(BTreeMap<usize, String>),
}

/// The library that holds the thunks; instrumented like the crate itself,
/// because generic code is instantiated here.
const THUNKS: &str = "testsmith_thunks";

/// What a harness is of.
fn identity_of(thunks: &str) -> String {
    let mut identity = Identity::default();
    identity.add(thunks.as_bytes());
    identity.text()
}

impl Lab {
    pub fn write_harness(&self, plan: &Plan) -> Result<(), Error> {
        let text = self.thunks(plan);
        let identity = identity_of(&text);
        let said = format!("{text}\npub const IDENTITY: &str = {identity:?};\n");
        self.write("thunks/src/lib.rs", &said)
    }

    fn thunks(&self, plan: &Plan) -> String {
        let thunks = source(plan).0;
        format!("{thunks}{}", self.modules([thunks.as_str()].into_iter()))
    }

    /// Whether a harness is that of a plan, by its own words.
    fn check_harness(&self, harness: &Path, plan: &Plan) -> Result<(), Error> {
        let done = cargo::output(Command::new(harness).arg(IDENTITY).env_clear())?;
        let says = String::from_utf8_lossy(&done.stdout).trim().to_owned();
        check_identity(harness, &says, &identity_of(&self.thunks(plan)))
    }

    /// Builds the harness of a plan, unless `stop` is set before that is done.
    pub fn build(
        &self,
        plan: &Plan,
        package: &Package,
        profile: Profile,
        stop: &AtomicBool,
    ) -> Result<Build, Error> {
        let mut command = self.cargo("build");
        command.args(["-p", "testsmith-thunks", "--message-format=json"]);
        command.args(["--profile", profile.name()]);
        // Cargo does not know what is instrumented, so each crate under test
        // has build products of its own.
        command.env("CARGO_TARGET_DIR", self.target().join(format!("harness-{}", package.library)));
        let crates = [package.library.as_str(), THUNKS];
        command.envs(coverage::environment(self.executable(), &crates, profile.detail()));
        if self.switch().is_some() {
            // Mutants are no style, and a crate may forbid what it warns of.
            command.env(coverage::UNLINTED_VARIABLE, "1");
        }
        let (output, harness) = self.exclusively(|| {
            let output = cargo::messages_unless(&mut command, stop)?;
            let built = output.executables.iter().find(|(n, _)| n == "testsmith-harness");
            let harness = match built {
                Some((_, built)) if output.success => Some(self.fetch(built, profile)?),
                _ => None,
            };
            Ok((output, harness))
        })?;
        if output.success {
            let harness = harness.ok_or_else(|| Error::Cargo("no harness was built".to_owned()))?;
            self.check_harness(&harness, plan)?;
            return Ok(Build::Done { harness, compiled: output.compiled });
        }
        let lines = source(plan).1;
        let mut refused = BTreeMap::new();
        for error in &output.errors {
            for n in blamed(plan, &lines, error) {
                refused.entry(n).or_insert_with(|| error.text.clone());
            }
        }
        if refused.is_empty() {
            let what = format!("the harness for {}", package.name);
            return Err(Error::Build { what, why: output.explanation() });
        }
        Ok(Build::Refused(refused))
    }
}

impl Lab {
    /// Where the harness of a profile is, once it was built.
    pub(crate) fn harness(&self, profile: Profile) -> PathBuf {
        self.path(&format!("harness-{}", profile.name()))
    }

    /// A copy of the harness that no other build replaces while it runs.
    fn fetch(&self, built: &Path, profile: Profile) -> Result<PathBuf, Error> {
        let harness = self.harness(profile);
        // A running copy keeps its file; the name goes to the new one.
        let _ = std::fs::remove_file(&harness);
        std::fs::copy(built, &harness).map_err(Error::io(&harness))?;
        Ok(harness)
    }
}

/// The operations that an error comes from: those on whose lines it is, or was called from, and
/// all that use an instance of a type which the compiler says it is about elsewhere, be it only
/// on their way, as a law that makes one and keeps none.
fn blamed(
    plan: &Plan,
    lines: &HashMap<usize, Vec<usize>>,
    error: &cargo::Diagnostic,
) -> BTreeSet<usize> {
    let is_ours = |file: &str| file.replace('\\', "/").ends_with("thunks/src/lib.rs");
    let ours = error.places.iter().filter(|(file, _)| is_ours(file));
    let mut blamed: BTreeSet<usize> =
        ours.filter_map(|(_, line)| lines.get(line)).flatten().copied().collect();
    if !error.places.first().is_some_and(|(file, _)| is_ours(file)) {
        let said = without_turbofish(&error.rendered);
        let own = format!("{}::", plan.krate);
        let instances: Vec<String> = plan
            .types
            .iter()
            .filter(|info| info.ty.path().is_some_and(|path| path.starts_with(&own)))
            .map(|info| without_turbofish(&info.ty.erased().to_string()))
            .filter(|text| text.ends_with('>') && said.contains(text.as_str()))
            .collect();
        let evaluated = evaluated(&error.rendered);
        let is_of = |operation: &Operation| {
            let mut types = types_of(plan, operation).into_iter();
            let text = |ty: usize| without_turbofish(&plan.types[ty].ty.erased().to_string());
            let call = without_turbofish(&operation.call.on_parameters("return false"));
            let mentions = |text: &str| instances.iter().any(|instance| text.contains(instance));
            !instances.is_empty() && (types.any(|ty| mentions(&text(ty))) || mentions(&call))
        };
        let operations = plan.operations.iter().enumerate();
        let of: Vec<usize> =
            operations.filter(|(_, operation)| is_of(operation)).map(|(n, _)| n).collect();
        // A function that cannot be computed for an instance is no fault of its others.
        let is_it = |n: &usize| Some(plan.operations[*n].callee.name()) == evaluated;
        let it: Vec<usize> = of.iter().copied().filter(is_it).collect();
        blamed.extend(if it.is_empty() { of } else { it });
    }
    blamed
}

/// The function of which the compiler says that a constant in it cannot be computed:
/// ``evaluation of `a::Span::<u32>::from_hours::{constant#0}` failed here``.
fn evaluated(rendered: &str) -> Option<&str> {
    let (_, rest) = rendered.split_once("evaluation of `")?;
    let (path, _) = rest.split_once('`')?;
    let (function, _) = path.split_once("::{constant")?;
    function.rsplit("::").next()
}

/// A text in which `A::<4>` and `A<4>` are the same.
fn without_turbofish(text: &str) -> String {
    text.replace("::<", "<")
}

/// The source of the thunks, and which operations each line is there for.
fn source(plan: &Plan) -> (String, HashMap<usize, Vec<usize>>) {
    let mut text = String::from("#![allow(warnings)]\n#![recursion_limit = \"512\"]\n");
    text.push_str("use testsmith_worker::{Frame, Thunk, table::TypeTable, type_table};\n");
    let first = text.lines().count() + 1;
    let mut lines: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut users: Vec<Vec<usize>> = vec![vec![]; plan.types.len()];
    for (n, operation) in plan.operations.iter().enumerate() {
        lines.insert(first + n, vec![n]);
        for ty in types_of(plan, operation) {
            users[ty].push(n);
        }
        thunk(&mut text, plan, n, operation);
    }
    text.push_str("pub static THUNKS: &[Thunk] = &[");
    for n in 0..plan.operations.len() {
        write!(text, "t{n}, ").expect("a string takes all");
    }
    text.push_str("];\n");
    let first = text.lines().count() + 1;
    for (n, (info, users)) in plan.types.iter().zip(users).enumerate() {
        // A type may have been left without operations because it has no table.
        let erased = if users.is_empty() { "()".to_owned() } else { info.ty.erased().to_string() };
        lines.insert(first + n, users);
        let table = match variants_of(plan, info).filter(|_| erased != "()") {
            Some(names) => with_scalar(&erased, &names),
            None => format!("type_table!({erased})"),
        };
        writeln!(text, "fn y{n}() -> TypeTable {{ {table} }}").expect("a string takes all");
    }
    text.push_str("pub fn tables() -> &'static [TypeTable] {\n    vec![");
    for n in 0..plan.types.len() {
        write!(text, "y{n}(), ").expect("a string takes all");
    }
    text.push_str("].leak()\n}\n");
    (text, lines)
}

/// The variants of an enum without fields, or of one behind a reference, as patterns.
fn variants_of(plan: &Plan, info: &TypeInfo) -> Option<Vec<String>> {
    let of = match info.pointee {
        Some((pointee, false)) => plan.ty(pointee),
        _ => info,
    };
    let path = of.ty.path().filter(|_| !of.variants.is_empty())?;
    let behind = if info.is_reference { "&" } else { "" };
    Some(of.variants.iter().map(|name| format!("{behind}{path}::{name}")).collect())
}

/// The table of an enum whose number is the place of its variant:
/// `TypeTable { scalar: Some(|v| match … { &a::E::A => 0, _ => i64::MIN }), ..type_table!(a::E) }`
fn with_scalar(ty: &str, patterns: &[String]) -> String {
    let arm = |(n, pattern): (usize, &String)| format!("&{pattern} => {n}, ");
    let arms: String = patterns.iter().enumerate().map(arm).collect();
    // What is not in the list, as a variant that is hidden, has no number.
    format!(
        "TypeTable {{ scalar: Some(|v| match unsafe {{ &*v.cast::<{ty}>() }} {{ {arms}_ => i64::MIN }}), \
         ..type_table!({ty}) }}"
    )
}

/// The types whose tables an operation needs, by number.
fn types_of(plan: &Plan, operation: &Operation) -> BTreeSet<usize> {
    let mut open: Vec<TypeId> = operation.inputs.iter().map(|input| input.ty).collect();
    open.push(operation.output);
    let mut found = BTreeSet::new();
    while let Some(ty) = open.pop() {
        found.insert(ty.0 as usize);
        open.extend(plan.ty(ty).pointee.map(|(pointee, _)| pointee));
    }
    found
}

/// `fn t3(f: &mut Frame) -> bool { let a0: T = unsafe { f.own(0) }; …; true }`
fn thunk(text: &mut String, plan: &Plan, n: usize, operation: &Operation) {
    write!(text, "fn t{n}(f: &mut Frame) -> bool {{ ").expect("a string takes all");
    if let Some(guard) = &operation.guard {
        text.push_str(&guarded(plan, operation, guard));
    }
    for (at, input) in operation.inputs.iter().enumerate() {
        let ty = parameter_type(&plan.ty(input.ty).ty, input.mode);
        let how = match input.mode {
            Mode::Own | Mode::Reborrow => "own",
            Mode::Shared => "shared",
            Mode::Exclusive => "exclusive",
        };
        write!(text, "let a{at}: {ty} = unsafe {{ f.{how}({at}) }}; ").expect("a string takes all");
    }
    let call = operation.call.on_parameters("return false").replace('\n', " ");
    let output = plan.ty(operation.output).ty.erased();
    writeln!(text, "let r: {output} = {call}; f.put(r); true }}").expect("a string takes all");
}

/// Asks for the preconditions of a call while all its arguments still stand in
/// their slots. Companions are compiled where contracts are checked.
fn guarded(plan: &Plan, operation: &Operation, guard: &Call) -> String {
    let mut text = String::from("#[cfg(debug_assertions)] { ");
    for (at, input) in operation.inputs.iter().enumerate() {
        let ty = parameter_type(&plan.ty(input.ty).ty, Mode::Shared);
        write!(text, "let a{at}: {ty} = unsafe {{ f.shared({at}) }}; ")
            .expect("a string takes all");
    }
    let guard = guard.on_parameters("return false").replace('\n', " ");
    write!(text, "if {guard}.is_err() {{ return f.refuse(); }} }} ").expect("a string takes all");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_is_named_whose_constant_cannot_be_computed() {
        let said =
            "note: evaluation of `a::Span::<u32, 3600>::from_hours::{constant#0}` failed here";
        assert_eq!(evaluated(said), Some("from_hours"));
        assert_eq!(evaluated("evaluation of `a::Span::<u32>::SCALE` failed here"), None);
        assert_eq!(evaluated("mismatched types"), None);
    }
}
