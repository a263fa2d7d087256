//! Many functions in one build, the likely bugs first.
//!
//! Those that take inputs and do not announce that they panic come before others. In
//! which order bounds are tried, and for how long, is not decided here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use testsmith_lab::{Built, Error, Features, TestTarget};
use testsmith_model::Plan;
use testsmith_symbolic::ir::Site;

use super::climb::{Explorer, FunctionProgress, climb};
use super::functions::{self, Function, Maker};
use super::put::{Explored, Puts};
use super::{function_tests, report, solvers, spelled};
use crate::args::Explore;
use crate::console::Console;
use crate::exit::Usage;
use crate::pipeline::{Session, discover, plan};
use crate::selection::close_to;

/// Elements per collection and bytes per text, one after the other.
const LADDER: [usize; 5] = [2, 4, 8, 16, 40];
/// The bound of functions that take nothing of varying size.
const FIXED: usize = 4;
/// Functions that the compiler refuses after all are few.
const MAX_BUILDS: usize = 6;
/// Where the executable of puts is in the source: one function a line after these.
const HEAD: &str = "#![allow(warnings)]\n#![recursion_limit = \"512\"]\n";

/// Functions that are not explored, with the reasons.
type Left = Vec<(String, String)>;

pub fn explore(
    options: &Explore,
    console: &Console,
    interrupt: &Arc<AtomicBool>,
    each: &mut dyn FnMut(&Explored),
) -> Result<Vec<Explored>> {
    let quiet = Console::new(options.target.quiet, options.format);
    let session = Session::open_on(quiet, &options.target, Arc::clone(interrupt))?;
    let (chosen, mut left) = choose(options, console, &session)?;
    let mut in_progress: Vec<FunctionProgress> = chosen
        .into_iter()
        .map(|function| FunctionProgress::new(lens(options, &function), function))
        .collect();
    console.say(&format!("building puts for {} functions", in_progress.len()));
    let built = build(console, &session, &mut in_progress, &mut left)?;
    let root = session.package.root.clone();
    let mut puts = Puts::open(options, console, interrupt, &session.lab, &root, built)?;
    let whole = if in_progress.len() > 1 { options.budget } else { options.max_time };
    let mut sitting = Sitting { puts: &mut puts, end: Instant::now() + whole };
    climb(&mut sitting, options.max_time, &mut in_progress, each)?;
    drop(puts);
    let mut explored = vec![];
    for progress in &in_progress {
        match &progress.last {
            Some(put) => explored.push(put.clone()),
            None => left.push((progress.function.path.clone(), "no time was left".to_owned())),
        }
    }
    let many = options.all || in_progress.len() > 1 || !left.is_empty();
    if many {
        report::table(console, &explored, &left);
    }
    if !options.no_write && !interrupt.load(Ordering::Acquire) {
        let functions = in_progress.iter().filter_map(|s| Some((&s.function, s.last.as_ref()?)));
        function_tests::write(options, console, &session, &functions.collect::<Vec<_>>())?;
    }
    Ok(explored)
}

/// The functions that were asked for, the likely bugs first, and those that cannot be
/// explored with the reasons.
fn choose(
    options: &Explore,
    console: &Console,
    session: &Session,
) -> Result<(Vec<Function>, Left)> {
    let api = discover(&session.lab, &session.package, session.stamp)?;
    let (mut chosen, mut left) = (vec![], vec![]);
    let mut take = |plan: &Plan, asked: &str| {
        let maker = Maker::new(plan, &api);
        let mut met = false;
        for op in functions::candidates(plan) {
            let path = &plan.operation(op).path();
            if !functions::is_meant(&plan.krate, path, asked) {
                continue;
            }
            met = true;
            match maker.functions(op) {
                Ok(functions) => chosen.extend(functions),
                Err(why) => left.push((path.clone(), why)),
            }
        }
        met
    };
    let everything = ["*".to_owned()];
    let asked = if options.all { &everything[..] } else { &options.functions[..] };
    for asked in asked {
        // The table's own names come first: those of trait functions look spelled out.
        if take(&session.plan, asked) {
            continue;
        }
        if spelled::is_spelled(asked) {
            let spelled = spelled::read_path(&api, asked)?;
            let mut plan = plan(&session.lab, spelled.api.clone(), session.stamp, console)?;
            spelled.write_into(&mut plan);
            if !take(&plan, &spelled.plain) {
                bail!("{asked} cannot be called: {}", reason(&plan, &spelled.plain));
            }
        } else {
            return Err(Usage(unknown(&session.plan, asked)).into());
        }
    }
    let meant = |path: &str| {
        asked.iter().any(|asked| functions::is_meant(&session.plan.krate, path, asked))
    };
    let skipped = session.plan.skips.iter().filter(|skip| skip.core && meant(&skip.path));
    left.extend(skipped.map(|skip| (skip.path.clone(), reason(&session.plan, &skip.path))));
    let exact = options.functions.iter().all(|asked| !asked.ends_with('*'));
    if let (true, Some((path, why))) = (exact && !options.all && chosen.is_empty(), left.first()) {
        bail!("{path} cannot be explored: {why}; write a put that calls it");
    }
    if chosen.is_empty() {
        bail!("no public function of {} can be explored", session.plan.krate);
    }
    chosen.sort_by_key(|function: &Function| (function.documented, function.parameters.is_empty()));
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    for function in &mut chosen {
        let count = named.entry(function.ident.clone()).or_default();
        *count += 1;
        if *count > 1 {
            function.ident = format!("{}_{count}", function.ident);
        }
    }
    Ok((chosen, left))
}

/// Why nothing is called that, with the nearest names.
fn unknown(plan: &Plan, asked: &str) -> String {
    if plan.skips.iter().any(|skip| functions::is_meant(&plan.krate, &skip.path, asked)) {
        return format!("{asked} cannot be called: {}", reason(plan, asked));
    }
    let candidates = functions::candidates(plan).into_iter();
    let paths: Vec<String> = candidates.map(|op| plan.operation(op).path()).collect();
    let hint = match close_to(asked, &paths).as_slice() {
        [] => String::new(),
        close => format!("; did you mean {}?", close.join(" or ")),
    };
    format!("{} has no public function {asked}{hint}", plan.krate)
}

fn reason(plan: &Plan, path: &str) -> String {
    let skip = plan.skips.iter().find(|skip| functions::is_meant(&plan.krate, &skip.path, path));
    skip.map_or("the compiler refuses it".to_owned(), |skip| match skip.detail.as_str() {
        "" => skip.reason.text().to_owned(),
        detail => format!("{}: {detail}", skip.reason.text()),
    })
}

fn lens(options: &Explore, function: &Function) -> Vec<usize> {
    match (options.len, function.varies) {
        (Some(len), _) => vec![usize::from(len)],
        (None, true) => LADDER.to_vec(),
        (None, false) => vec![FIXED],
    }
}

/// One build for all; what the compiler refuses after all is left out.
fn build(
    console: &Console,
    session: &Session,
    in_progress: &mut Vec<FunctionProgress>,
    left: &mut Left,
) -> Result<Built> {
    let first = HEAD.lines().count() + 1;
    for _ in 0..MAX_BUILDS {
        let lines: String = in_progress.iter().map(|s| s.function.source(&s.lens)).collect();
        let package = session.lab.write_puts(&format!("{HEAD}{lines}"))?;
        let tell = &mut |line: &str| console.tell(line);
        let features = Features::default();
        let built = session.lab.build_bitcode(&package, &TestTarget::Library, &features, tell);
        let (places, error) = match built {
            Err(Error::Refused { what, why, places }) => (places, Error::Build { what, why }),
            built => return Ok(built?),
        };
        let mut refused: BTreeMap<usize, String> = BTreeMap::new();
        for (file, line, why) in places {
            let index = line.checked_sub(first).filter(|index| *index < in_progress.len());
            if let (true, Some(index)) = (file.replace('\\', "/").ends_with("src/lib.rs"), index) {
                refused.entry(index).or_insert(why);
            }
        }
        if refused.is_empty() || refused.len() == in_progress.len() {
            return Err(error.into());
        }
        for (index, why) in refused.into_iter().rev() {
            left.push((in_progress.remove(index).function.path, why));
        }
    }
    bail!("the puts still do not build after {MAX_BUILDS} rounds")
}

/// The puts of the build, and when there is no time left for them.
struct Sitting<'s, 'p> {
    puts: &'s mut Puts<'p>,
    end: Instant,
}

impl Explorer for Sitting<'_, '_> {
    fn remaining(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    fn interrupted(&self) -> bool {
        self.puts.interrupted()
    }

    fn explore(&mut self, function: &Function, len: usize, time: Duration) -> Result<Explored> {
        let first = self.puts.modules().into_iter().next().unwrap_or_default();
        let krate = first.split("::").next().unwrap_or_default();
        let mut settings = solvers::settings(self.puts.options, self.puts.interrupt);
        settings.max_time = time;
        let module =
            format!("{krate}::{}::{}", functions::module(&function.ident, len), function.ident);
        let mut put = self.puts.explore(&module, &settings, &of_function(&function.path))?;
        for path in &mut put.paths {
            path.call = shown(function, &path.call);
        }
        for cut in &mut put.cut_short {
            cut.call = shown(function, &cut.call);
        }
        Ok(put)
    }
}

/// A call as the closed test makes it, on one line.
fn shown(function: &Function, call: &str) -> String {
    let written = function.written(call).unwrap_or_else(|| call.to_owned());
    let lines: Vec<&str> = written.lines().map(str::trim).collect();
    let text = lines.join(" ");
    match lines.as_slice() {
        [only] => only.strip_prefix("let _ = ").unwrap_or(only).trim_end_matches(';').to_owned(),
        _ => text,
    }
}

/// The function itself and its closures, by name; types of generics are not part of it.
fn of_function(path: &str) -> impl Fn(&Site) -> bool + use<> {
    let wanted = path.to_owned();
    move |site| {
        let mut plain = String::new();
        let mut depth = 0usize;
        for letter in site.function.chars() {
            match letter {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                _ if depth == 0 => plain.push(letter),
                _ => {}
            }
        }
        let plain = plain.replace("::::", "::");
        let same = plain == wanted || plain.starts_with(&format!("{wanted}::{{"));
        same && !site.cleanup
    }
}
