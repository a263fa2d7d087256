//! From a crate's name to a harness that runs: the whole way on one screen.

use crate::args::{Format, Target};
use crate::console::Console;
use crate::exit::NothingToDo;
use crate::{locks, selection};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;
use testsmith_discover::Renames;
use testsmith_lab::{Build, Features, Lab, Package, Profile, Subject, Supervisor, WorkerLimits};
use testsmith_model::api::{Callable, ForeignKind, Reexport};
use testsmith_model::operation::{Operation, OperationKind};
use testsmith_model::skip::{Reason, Skip};
use testsmith_model::{Api, Plan};
use testsmith_plan::Planner;

/// A crate under test with its plan.
pub struct Session {
    pub lab: Lab,
    pub package: Package,
    pub plan: Arc<Plan>,
    pub(crate) stamp: u64,
    /// The unsafe functions that the user asked for.
    unsafe_paths: Vec<String>,
    interrupt: Arc<AtomicBool>,
    pub console: Console,
    /// Where runs leave what they built and learned.
    pub out: PathBuf,
    pub times: Times,
}

/// How long each part took, in seconds of wall time.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Times {
    pub resolve: f64,
    pub discover: f64,
    pub plan: f64,
    pub build: f64,
}

/// Operations that pass the probes but not the build are few.
const MAX_BUILD_ROUNDS: usize = 6;

impl Session {
    /// Discovers the API and plans the operations.
    pub fn open(target: &Target, interrupt: Arc<AtomicBool>) -> Result<Session> {
        Session::open_on(Console::new(target.quiet, Format::Text), target, interrupt)
    }

    /// As `open`, telling what is going on in another way. Where nothing of a published crate
    /// can be called, and no features were chosen, all are switched on: what it offers may be behind
    /// one. The tests of a package of the user's own would not be compiled without them.
    pub fn open_on(
        console: Console,
        target: &Target,
        interrupt: Arc<AtomicBool>,
    ) -> Result<Session> {
        let chosen = target.all_features || target.no_default_features;
        let free = target.krate.is_some() && !chosen && target.features.is_empty();
        match Session::open_as(console.again(), target, Arc::clone(&interrupt)) {
            Err(error) if error.is::<Uncallable>() && free => {
                console.say("nothing can be called; trying again with all features");
                let target = Target { all_features: true, ..target.clone() };
                Session::open_as(console, &target, interrupt).map_err(|_| error)
            }
            session => session,
        }
    }

    fn open_as(console: Console, target: &Target, interrupt: Arc<AtomicBool>) -> Result<Session> {
        let subject = subject(target)?;
        let (mut lab, out) = open_lab(target, &subject)?;
        let (oracles, fakes) = match &subject {
            Subject::Path { manifest, .. } => {
                let tests = manifest.with_file_name("tests");
                (testsmith_discover::oracles(&tests)?, testsmith_discover::fakes(&tests))
            }
            Subject::Published { .. } => (vec![], vec![]),
        };
        lab.mount(testsmith_plan::mounts(&oracles, &fakes));
        let features = features(target);
        let mut times = Times::default();
        console.say(&format!("resolving {}", subject.name()));
        let begin = Instant::now();
        let package = lab.prepare(&subject, &features)?;
        let stamp = lab.stamp(&package, &features)?;
        times.resolve = begin.elapsed().as_secs_f64();
        let known = load_plan(&lab, stamp, &target.unsafe_paths);
        let plan = match known {
            Some(plan) => plan,
            None => {
                let begin = Instant::now();
                console.say(&format!("reading the API of {} {}", package.name, package.version));
                let mut api = discover(&lab, &package, stamp)?;
                api.oracles = oracles;
                api.fakes.extend(fakes);
                selection::ask_for_unsafe(&mut api, &target.unsafe_paths)?;
                times.discover = begin.elapsed().as_secs_f64();
                let begin = Instant::now();
                let plan = plan(&lab, api, stamp, &console)?;
                times.plan = begin.elapsed().as_secs_f64();
                plan
            }
        };
        let plan = Arc::new(plan);
        let unsafe_paths = target.unsafe_paths.clone();
        let session =
            Session { lab, package, plan, stamp, unsafe_paths, interrupt, console, out, times };
        session.save_plan()?;
        Ok(session)
    }

    /// Builds the harness; operations that do not compile after all are dropped.
    pub fn build(&mut self, profile: Profile) -> Result<PathBuf> {
        let (lab, package) = (self.lab.clone(), self.package.clone());
        self.build_in(&lab, &package, profile)
    }

    /// The same with another copy of the package, in a lab around it.
    pub fn build_in(&mut self, lab: &Lab, package: &Package, profile: Profile) -> Result<PathBuf> {
        let begin = Instant::now();
        for _ in 0..MAX_BUILD_ROUNDS {
            self.console.say(&format!("building {} thunks", self.plan.operations.len()));
            lab.write_harness(&self.plan)?;
            match lab.build(&self.plan, package, profile, &self.interrupt)? {
                Build::Done { harness, .. } => {
                    self.times.build += begin.elapsed().as_secs_f64();
                    return Ok(harness);
                }
                Build::Refused(refused) => {
                    let plan = Arc::make_mut(&mut self.plan);
                    for (n, why) in refused.iter().rev() {
                        let operation = plan.operations.remove(*n);
                        plan.skips.push(Skip {
                            path: operation.path(),
                            reason: Reason::NoSuchTypes,
                            detail: why.clone(),
                            core: operation.core,
                        });
                    }
                    self.save_plan()?;
                }
            }
        }
        bail!("the harness still does not build after {MAX_BUILD_ROUNDS} rounds")
    }

    /// The same, and beside it what the tests will need that are to be written.
    pub fn build_for_tests(&mut self, profile: Profile) -> Result<PathBuf> {
        let (lab, stop) = (self.lab.clone(), Arc::clone(&self.interrupt));
        std::thread::scope(|scope| {
            // What is wrong with it is told when there are tests.
            scope.spawn(move || lab.prepare_tests(&stop));
            self.build(profile)
        })
    }

    /// A supervised worker on a built harness, its plan completed.
    pub fn supervise(&mut self, harness: &Path, limits: WorkerLimits) -> Result<Supervisor> {
        let mut supervisor = self.another(harness, limits.clone())?;
        self.plan = supervisor.plan();
        let start = |plan, limits| self.with_plan(plan, harness, limits);
        let plan = locks::find(Arc::clone(&self.plan), &start)?;
        if !Arc::ptr_eq(&plan, &self.plan) {
            self.plan = plan;
            supervisor = self.another(harness, limits)?;
        }
        if !supervisor.missing.is_empty() {
            self.console.say(&format!(
                "this machine lacks parts of the sandbox: {}",
                supervisor.missing.join("; ")
            ));
        }
        Ok(supervisor)
    }

    /// One more supervised worker, in a scratch folder of its own.
    pub fn another(&self, harness: &Path, limits: WorkerLimits) -> Result<Supervisor> {
        self.with_plan(Arc::clone(&self.plan), harness, limits)
    }

    fn with_plan(
        &self,
        plan: Arc<Plan>,
        harness: &Path,
        limits: WorkerLimits,
    ) -> Result<Supervisor> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let scratch = self.lab.root().join("run").join(format!("{}-{number}", std::process::id()));
        let interrupt = Arc::clone(&self.interrupt);
        let mut supervisor = Supervisor::new(harness, &scratch, plan, limits, interrupt);
        supervisor.describe()?;
        Ok(supervisor)
    }

    fn save_plan(&self) -> Result<()> {
        self.save_plan_without(&|_| false)
    }

    /// Keeps the plan for the next run, but for operations that one command has added.
    pub(crate) fn save_plan_without(&self, is_added: &dyn Fn(&Operation) -> bool) -> Result<()> {
        let file = self.lab.root().join(PLAN_FILE);
        let mut plan = Plan::clone(&self.plan);
        plan.operations.retain(|operation| !is_added(operation));
        let unsafe_paths = self.unsafe_paths.clone();
        let stored = StoredPlan { stamp: self.stamp, unsafe_paths, plan };
        let text = serde_json::to_vec(&stored)?;
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
    }
}

/// Opens the lab of a crate, and says where its runs leave what they built and learned.
pub(crate) fn open_lab(target: &Target, subject: &Subject) -> Result<(Lab, PathBuf)> {
    let out = out_dir(target, subject)?;
    make_out_dir(&out)?;
    let build = target.target_dir.clone().unwrap_or_else(|| out.join("target"));
    let executable = match &target.executable {
        Some(executable) => executable.clone(),
        None => std::env::current_exe().context("our own executable is not known")?,
    };
    Ok((Lab::open(&scratch_dir(&out, subject), &build, &executable)?, out))
}

/// The features that were asked for.
pub(crate) fn features(target: &Target) -> Features {
    Features {
        all: target.all_features,
        no_default: target.no_default_features,
        named: target.features.clone(),
    }
}

/// Runs rustdoc and reads what it says, with the literals of the source.
pub fn discover(lab: &Lab, package: &Package, stamp: u64) -> Result<Api> {
    let json = lab.rustdoc(package)?;
    let mut api = testsmith_discover::read(&json, &Renames::new())?;
    let shown = shown(lab, package, &api);
    let mut renames: Renames = shown.iter().flat_map(|shown| shown.at.clone()).collect();
    let read = |renames: &Renames| -> Result<Api> {
        let mut api = testsmith_discover::read(&json, renames)?;
        for neighbour in &shown {
            api.add(neighbour.read(renames)?);
        }
        Ok(api)
    };
    if !shown.is_empty() {
        api = read(&renames)?;
    }
    api.foreign_paths.retain(|definition, _| !renames.contains_key(definition));
    let found = importable(lab, package, &api, stamp)?;
    if !found.is_empty() {
        renames.extend(found);
        api = read(&renames)?;
    }
    api.edition.clone_from(&package.edition);
    api.literals = testsmith_discover::mine(&package.root);
    api.branches = testsmith_discover::branches(&package.root);
    let examples = testsmith_discover::examples(&package.root, &api);
    api.examples = examples.instances;
    api.foreign_types = examples.foreign;
    let nothing = api.callables.is_empty();
    if nothing && api.types.is_empty() && api.traits.is_empty() {
        bail!("{} has an empty public API: there is nothing to call", package.name);
    }
    // What only declares is no mistake of anybody.
    if nothing {
        let why =
            "it declares types or traits, and no function, method or value that could be called";
        return Err(NothingToDo(format!("{}: nothing to test, {why}", package.name)).into());
    }
    Ok(api)
}

/// Another crate of which the one under test shows items as its own.
struct Shown {
    json: String,
    items: Vec<Reexport>,
    /// Where they are defined, and where they can be imported.
    at: Renames,
    /// Whether all of it counts as the crate's own.
    adopted: bool,
}

impl Shown {
    /// What is offered so. Of what others keep, only what makes values is taken: it is needed
    /// to call the rest, and it is theirs to test. A crate that has nothing else adopts it.
    fn read(&self, renames: &Renames) -> Result<Api> {
        let mut api = testsmith_discover::read_shown(&self.json, renames, &self.items)?;
        if !self.adopted {
            api.callables.retain(Callable::makes);
        }
        Ok(api)
    }
}

/// Asks rustdoc for the crates of which this one shows items. What it cannot tell is left out:
/// the crate under test can be called without.
fn shown(lab: &Lab, package: &Package, api: &Api) -> Vec<Shown> {
    let is_facade = !api.callables.iter().any(Callable::is_core);
    let libraries: BTreeSet<&str> = api.reexports.iter().map(Reexport::library).collect();
    let shown = |library: &str| {
        let neighbour = package.neighbours.iter().find(|known| known.library == library)?;
        let is_of = |item: &&Reexport| item.library() == library && !item.is_a_crate();
        let items: Vec<Reexport> = api.reexports.iter().filter(is_of).cloned().collect();
        let json = (!items.is_empty()).then(|| lab.rustdoc_of(neighbour).ok()).flatten()?;
        let at = testsmith_discover::shown_at(&json, &items).ok()?;
        Some(Shown { json, items, at, adopted: neighbour.same_origin || is_facade })
    };
    libraries.into_iter().filter_map(shown).collect()
}

/// Asks the compiler how the items of other crates can be imported: rustdoc
/// only knows where they are defined.
fn importable(lab: &Lab, package: &Package, api: &Api, stamp: u64) -> Result<Renames> {
    let dependencies = package.dependencies.iter().map(|(name, _, _)| name.as_str());
    let rust = ["std", "core", "alloc"];
    let roots: Vec<&str> = dependencies.chain([package.library.as_str()]).chain(rust).collect();
    let mut asked = vec![];
    let mut probes = vec![];
    for (definition, kind) in &api.foreign_paths {
        // A trait may have the name of a type in a module beside it.
        let user = match kind {
            ForeignKind::Type => "fn it(_: &It) {}",
            ForeignKind::Trait => "fn it<T: It + ?Sized>() {}",
        };
        for path in testsmith_discover::candidates(definition, &roots) {
            probes.push(format!("pub fn {{}}() {{ use {path} as It; {user} }}"));
            asked.push((definition, path));
        }
    }
    let verdicts = lab.judge(&probes, stamp)?;
    let found = |verdict: Option<String>| {
        verdict.is_none_or(|objection| objection.contains("missing generics"))
    };
    let mut renames = Renames::new();
    for ((definition, path), verdict) in asked.into_iter().zip(verdicts) {
        let known = renames.entry(definition.clone()).or_default();
        if known.is_none() && found(verdict) {
            *known = Some(path);
        }
    }
    renames.retain(|definition, path| path.as_ref() != Some(definition));
    Ok(renames)
}

/// Proposes drafts and lets the compiler judge them, until none is left.
pub(crate) fn plan(lab: &Lab, api: Api, stamp: u64, console: &Console) -> Result<Plan> {
    let mut planner = Planner::new(api);
    let mut round = 0;
    loop {
        let drafts = planner.propose();
        if drafts.is_empty() {
            break;
        }
        round += 1;
        console.say(&format!("planning, round {round}: {} candidates", drafts.len()));
        let probes: Vec<String> =
            drafts.iter().map(|draft| testsmith_plan::probe(draft, "{}")).collect();
        let verdicts = lab.judge(&probes, stamp)?;
        planner.learn(&verdicts);
    }
    let plan = planner.finish();
    // What makes arguments is no use where nothing takes them.
    let aside = |kind: OperationKind| matches!(kind, OperationKind::Builder | OperationKind::Law);
    if plan.operations.iter().all(|operation| aside(operation.kind)) {
        return Err(Uncallable(plan.krate, plan.skips.len()).into());
    }
    Ok(plan)
}

/// Nothing of a crate can be called; so many items were skipped.
#[derive(Debug)]
struct Uncallable(String, usize);

impl std::fmt::Display for Uncallable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Uncallable(krate, skipped) = self;
        write!(f, "nothing of {krate} can be called: all {skipped} items were skipped; ")?;
        f.write_str("see `cargo testsmith list`, and perhaps `--all-features`")
    }
}

impl std::error::Error for Uncallable {}

const PLAN_FILE: &str = "plan.json";

#[derive(serde::Serialize, serde::Deserialize)]
struct StoredPlan {
    stamp: u64,
    unsafe_paths: Vec<String>,
    plan: Plan,
}

fn load_plan(lab: &Lab, stamp: u64, unsafe_paths: &[String]) -> Option<Plan> {
    let bytes = std::fs::read(lab.root().join(PLAN_FILE)).ok()?;
    let stored: StoredPlan = serde_json::from_slice(&bytes).ok()?;
    (stored.stamp == stamp && stored.unsafe_paths == unsafe_paths).then_some(stored.plan)
}

/// The crate that was asked for.
pub(crate) fn subject(target: &Target) -> Result<Subject> {
    subject_by(target, &Subject::find)
}

/// The same where nothing is asked of its library, so that it need not have one.
pub(crate) fn subject_of_tests(target: &Target) -> Result<Subject> {
    subject_by(target, &Subject::find_any)
}

type Find = dyn Fn(&Path, Option<&str>) -> Result<Subject, testsmith_lab::Error>;

fn subject_by(target: &Target, find: &Find) -> Result<Subject> {
    if let Some(krate) = &target.krate {
        let (name, version) = match krate.split_once('@') {
            Some((name, version)) => (name, Some(version.to_owned())),
            None => (krate.as_str(), None),
        };
        if name.is_empty() || version.as_deref() == Some("") {
            bail!("--crate takes NAME or NAME@VERSION, not {krate:?}");
        }
        return Ok(Subject::Published { name: name.to_owned(), version });
    }
    let mut manifest = target.manifest_path.clone().unwrap_or_else(|| PathBuf::from("Cargo.toml"));
    if manifest.is_dir() {
        manifest = manifest.join("Cargo.toml");
    }
    if !manifest.exists() {
        bail!(
            "there is no {} here; run this in the folder of a package, or give --manifest-path \
             or --crate",
            manifest.display()
        );
    }
    Ok(find(&manifest, target.package.as_deref())?)
}

/// The manifest of the package under test; a published crate has none here.
pub(crate) fn manifest_of(target: &Target) -> Result<Option<PathBuf>> {
    match subject_of_tests(target)? {
        Subject::Path { manifest, .. } => Ok(Some(manifest)),
        Subject::Published { .. } => Ok(None),
    }
}

/// `testsmith.out` beside the manifest, unless the user says otherwise.
pub(crate) fn out_dir(target: &Target, subject: &Subject) -> Result<PathBuf> {
    if let Some(out) = &target.out_dir {
        return Ok(out.clone());
    }
    let folder = match subject {
        Subject::Path { manifest, .. } => manifest.parent().map(Path::to_owned),
        Subject::Published { .. } => std::env::current_dir().ok(),
    };
    Ok(folder.context("the current folder is not known")?.join("testsmith.out"))
}

/// Makes the folder and keeps it out of version control.
fn make_out_dir(out: &Path) -> Result<()> {
    let why = || format!("cannot write to {}; give --out-dir a folder that can be", out.display());
    std::fs::create_dir_all(out).with_context(why)?;
    let ignore = out.join(".gitignore");
    if !ignore.exists() {
        std::fs::write(&ignore, "*\n").with_context(why)?;
    }
    Ok(())
}

fn scratch_dir(out: &Path, subject: &Subject) -> PathBuf {
    match subject {
        Subject::Path { .. } => out.join("lab"),
        Subject::Published { name, version } => {
            let version = version.as_deref().unwrap_or("newest");
            out.join("crates").join(format!("{name}-{version}"))
        }
    }
}
