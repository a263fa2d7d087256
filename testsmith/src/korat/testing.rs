//! Tests that run on every valid input within a scope, under `cargo test`.
//!
//! The inputs run in a child process, which is this test binary asked for
//! this one test: an endless loop or an overflow of the stack ends the child,
//! is put down to the input it had, and the child goes on after that input.
//! Which input that was is found by counting, so nothing is written while all
//! goes well. The calls that build a counterexample are looked for in a child
//! of their own, since calls may also not return.

use std::cell::{Cell, RefCell};
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Korat;
use super::answer::Returned;
use super::calls::Bounds;
use super::child::{CHILD, Ending, FAILED, HANG, Orders, ending, read};
use super::deep::{self, Types};
use super::finitize::Finitization;
use super::guard::{self, message, what_ended};
use super::search::{Outcome, Run, Search, Stats, Stop};
use super::show::Shown;
use crate::contracts::{Kind, Violation};

/// How many inputs that kill the child are looked for.
const MAX_KILLERS: usize = 3;
/// What a summary says of a search that was cut short.
const CUT: &str = "NOT ALL: cut short";
/// On how many inputs the real `rep_ok` is compared with the twin's.
const COMPARED: u64 = 100;
/// How long all inputs together may take when the test does not say.
const DEFAULT_TOTAL: Duration = Duration::from_secs(300);

/// How long to look for the calls that build a counterexample.
const CALLS_TIMEOUT: Duration = Duration::from_secs(10);
/// How often to see whether they are there.
const CALLS_POLL: Duration = Duration::from_millis(20);

/// For each parameter, the text about public calls that build its value.
pub type CallTexts<T> = fn(&T, &Bounds) -> Vec<Option<String>>;

/// What a test does with an input: `None` when it passes, or why not.
pub type Body<T> = fn(T) -> Option<String>;

/// A test of a function over structures.
pub struct Test {
    /// The path of the test function.
    pub name: &'static str,
    pub parameters: &'static [Parameter],
    /// The bounds of the inputs.
    pub finitization: Finitization,
    /// How long one input may take.
    pub timeout: Duration,
    /// How long all of them may take, if the author accepts to see only a part.
    pub total: Option<Duration>,
    /// Whether it is fine that there is no input at all.
    pub allow_empty: bool,
    /// Whether a candidate on which `rep_ok` panics is merely invalid.
    pub panics_are_invalid: bool,
}

/// A parameter of the function, as its author wrote it.
#[doc(hidden)]
pub struct Parameter {
    pub name: &'static str,
    pub ty: &'static str,
    /// Whether the function may change the value that it is given or lent.
    pub mutable: bool,
}

/// An input on which the function failed.
struct Counterexample {
    number: u64,
    shown: Vec<Shown>,
    what: String,
}

/// The inputs on which the function failed: how many, and the smallest.
#[derive(Default)]
struct Failures {
    count: u64,
    smallest: Option<((usize, u64), Counterexample)>,
}

impl Failures {
    fn add(&mut self, failure: Counterexample) {
        self.count += 1;
        let lines = failure.shown.iter().map(|shown| shown.picture().lines().count()).sum();
        let size = (lines, failure.number);
        if self.smallest.as_ref().is_none_or(|(smallest, _)| size < *smallest) {
            self.smallest = Some((size, failure));
        }
    }
}

/// What is said of a test that fails.
struct Report {
    text: String,
    /// The input that is shown.
    number: u64,
}

impl Test {
    /// Runs `body` on every valid input.
    ///
    /// # Panics
    /// When it fails, panics, does not end or overflows the stack on some
    /// input, when there is no input, or when `rep_ok` itself panics.
    #[track_caller]
    pub fn black_box<T: Korat>(&self, body: Body<T>, calls: CallTexts<T>) {
        let search = Search::<T>::within(self.finitization.clone());
        let Some(orders) = Orders::given() else { return self.supervise(&search) };
        // Leaves at once, so that attributes of the test such as
        // `should_panic` are judged in the parent alone.
        if let Some(number) = orders.calls {
            write_calls(&search, number, calls, &orders.journal);
        }
        let child = || self.child(&search, body, &orders);
        let report = match guard::quietly(|| catch_unwind(AssertUnwindSafe(child))) {
            Ok(None) => std::process::exit(0),
            Ok(Some(report)) => {
                let _ = fs::write(&orders.journal, report.number.to_string());
                report.text
            }
            Err(payload) => message(&*payload),
        };
        println!("{report}");
        std::process::exit(FAILED);
    }

    /// Searches for an input that satisfies `fails`, in this process: the
    /// function under test runs on the twin, where loops and recursion are
    /// bounded.
    ///
    /// # Panics
    /// When there is one.
    #[track_caller]
    pub fn white_box<T: Korat>(&self, fails: fn(&T::Twin) -> bool, calls: CallTexts<T>) {
        let search = Search::<T>::within(self.finitization.clone()).satisfying_also(fails);
        if let Some(Orders { calls: Some(number), journal, .. }) = Orders::given() {
            write_calls(&search, number, calls, &journal);
        }
        VALID.set(0);
        let search = search.time_limit(self.total());
        let mut run = search.try_run().unwrap_or_else(|error| panic!("{error}"));
        let mut failures = Failures::default();
        guard::quietly(|| {
            while run.advance() && failures.count < 1000 {
                let what = format!("on the twin, {}", LAST.take());
                failures.add(self.counterexample(&run, run.stats().valid, what));
            }
        });
        let (stats, inputs) = (run.stats(), VALID.get());
        let cut = (run.outcome() == Outcome::Stopped(Stop::Time)).then(|| run.position());
        let summary = self.summary(inputs, stats, cut.as_deref());
        println!("{summary}");
        if let Some(report) = self.judge(failures, stats.candidates, "candidates") {
            panic!("{}{}", report.text, self.calls(&self.journal(), report.number));
        }
        if let Some(text) = self.emptiness::<T>(inputs, stats, cut.as_deref()) {
            panic!("{text}");
        }
        if cut.is_some() {
            say(&summary);
        }
    }

    /// Whether an input is valid and the function fails on it.
    #[doc(hidden)]
    pub fn fails<T: Korat, R: Returned>(input: &T::Twin, body: fn(&T::Twin) -> R) -> bool {
        if !deep::valid::<T>(input, &Types::of::<T>()) {
            return false;
        }
        VALID.set(VALID.get() + 1);
        match catch_unwind(AssertUnwindSafe(|| body(input).failure())) {
            Ok(failure) => {
                let failed = failure.is_some();
                failure.into_iter().for_each(|why| LAST.set(why));
                failed
            }
            Err(payload) if payload.is::<super::trail::OutOfObjects>() => false,
            Err(payload) => {
                LAST.set(what_ended(&*payload, "it"));
                true
            }
        }
    }

    /// How long all inputs together may take.
    fn total(&self) -> Duration {
        self.total.unwrap_or(DEFAULT_TOTAL)
    }

    /// What was looked at, in a line.
    fn summary(&self, inputs: u64, stats: &Stats, cut: Option<&str>) -> String {
        let scope = self.finitization.scope;
        let how_much = match cut {
            None => "all there are".to_owned(),
            Some(position) => format!("{CUT} after {:?} with {position}", self.total()),
        };
        format!(
            "{}: {inputs} inputs of scope {scope}, {how_much} ({} candidates, space of 2^{:.0})",
            self.name, stats.candidates, stats.space_log2
        )
    }

    /// Why the test shows nothing although the function never failed, if so.
    fn emptiness<T: Korat>(&self, inputs: u64, stats: &Stats, cut: Option<&str>) -> Option<String> {
        let (name, scope) = (self.name, self.finitization.scope);
        if let (Some(first), false) = (stats.troubles.first(), self.panics_are_invalid) {
            let parts = parts(first.shown.clone());
            return Some(format!(
                "{name}: `rep_ok` itself fails on {} candidates, so it says nothing of them\n\
                 the first:\n{}what happened: {}\n{}\
                 make `rep_ok` return false there, or say `panics = \"invalid\"`",
                stats.troubled,
                self.pictures(&parts),
                first.what,
                self.expressions(&parts),
            ));
        }
        if let Some(names) = Types::of::<T>().without_any_predicate() {
            return Some(format!(
                "{name}: none of {} has a `rep_ok`, so every combination of fields was taken for \
                 valid; write `fn rep_ok(&self) -> bool` in a `#[korat]` block, or say \
                 `#[korat(unconstrained)]` on the type",
                names.join(", ")
            ));
        }
        if let (Some(position), None) = (cut, self.total) {
            let summary = self.summary(inputs, stats, Some(position));
            return Some(format!(
                "{summary}\nchoose a smaller scope, or say `total_seconds = ..` if a part is enough"
            ));
        }
        if inputs == 0 && (cut.is_some() || !self.allow_empty) {
            let cut = cut.map_or("", |_| " that was seen before the time was over");
            return Some(format!(
                "{name}: no structure of scope {scope}{cut} satisfies `rep_ok`, so nothing was \
                 tested ({} candidates); choose another scope, or say `allow_empty`",
                stats.candidates
            ));
        }
        None
    }

    fn counterexample<T: Korat>(&self, run: &Run<T>, number: u64, what: String) -> Counterexample {
        Counterexample { number, shown: parts(run.current().shown()), what }
    }

    /// A picture of each input.
    fn pictures(&self, parts: &[Shown]) -> String {
        let named = self.parameters.iter().zip(parts);
        let line = |(parameter, shown): (&Parameter, &Shown)| {
            let picture = shown.picture().trim_end().replace('\n', "\n    ");
            format!("  {} = {picture}\n", parameter.name)
        };
        named.map(line).collect()
    }

    /// A statement that rebuilds each input, where there is one.
    fn expressions(&self, parts: &[Shown]) -> String {
        let named = self.parameters.iter().zip(parts);
        let line = |(Parameter { name, ty, mutable }, shown): (&Parameter, &Shown)| {
            let binding = if *mutable { "let mut" } else { "let" };
            match shown.rust() {
                Some(rust) => format!("{binding} {name}: {ty} = {rust};\n"),
                None => format!("// {name} shares objects: no expression\n"),
            }
        };
        named.map(line).collect()
    }

    /// Describes the smallest counterexample, if there is one.
    fn judge(&self, failures: Failures, inputs: u64, unit: &str) -> Option<Report> {
        let Failures { count, smallest } = failures;
        let (_, smallest) = smallest?;
        let mut report = format!("{} fails on {count} of {inputs} {unit}\n", self.name);
        report.push_str(&format!("smallest counterexample (input {}):\n", smallest.number));
        report.push_str(&self.pictures(&smallest.shown));
        report.push_str(&format!("what happened: {}\n", smallest.what));
        report.push_str(&self.expressions(&smallest.shown));
        smallest.shown.iter().filter(|shown| shown.has_parts()).for_each(|shown| {
            report.push_str(&shown.graphviz());
        });
        Some(Report { text: report, number: smallest.number })
    }

    /// What a child finds out about public calls that build an input.
    fn calls(&self, journal: &str, number: u64) -> String {
        let _ = fs::remove_file(journal);
        let orders = Orders { calls: Some(number), ..Orders::new(journal) };
        let mut command = self.command(&orders);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else { return String::new() };
        let started = Instant::now();
        while let Ok(None) = child.try_wait() {
            if started.elapsed() > CALLS_TIMEOUT {
                let _ = child.kill();
            }
            std::thread::sleep(CALLS_POLL);
        }
        let found = fs::read_to_string(journal);
        let _ = fs::remove_file(journal);
        found.unwrap_or_else(|_| {
            "public calls that build the input were not found: a call ended the process or did \
             not return\n"
                .to_owned()
        })
    }

    /// The child: runs the body on every input but those it is told to skip.
    fn child<T: Korat>(
        &self,
        search: &Search<T>,
        body: Body<T>,
        orders: &Orders,
    ) -> Option<Report> {
        let current = Arc::new(AtomicU64::new(0));
        let _watch = self.watch(Arc::clone(&current), orders.journal.clone());
        let mut journal = orders.exact.then(|| {
            fs::File::create(&orders.journal).expect("the journal lies in a temporary folder")
        });
        let search = search.clone().time_limit(self.total());
        let mut run = search.try_run().unwrap_or_else(|error| panic!("{error}"));
        let started = Instant::now();
        let (mut failures, mut illegal) = (Failures::default(), 0);
        guard::quietly(|| {
            while started.elapsed() < self.total() && run.advance() {
                let number = run.stats().valid;
                current.store(number, Ordering::Relaxed);
                if orders.skip.contains(&number) {
                    continue;
                }
                if let Some(journal) = &mut journal {
                    journal.seek(SeekFrom::Start(0)).expect("a file can be rewound");
                    journal.write_all(number.to_string().as_bytes()).expect("room for a number");
                }
                match attempt(run.current().realize(), number, body) {
                    Attempt::Passed => {}
                    Attempt::Illegal => illegal += 1,
                    Attempt::Failed(what) => {
                        failures.add(self.counterexample(&run, number, what));
                    }
                }
            }
        });
        let stats = run.stats();
        let cut = (run.outcome() != Outcome::Complete).then(|| run.position());
        println!("{}", self.summary(stats.valid, stats, cut.as_deref()));
        if illegal > 0 {
            println!("{illegal} inputs break a precondition of a function that the test calls");
        }
        if let Some(report) = self.judge(failures, stats.valid, "inputs") {
            return Some(report);
        }
        if let Some(text) = self.emptiness::<T>(stats.valid, stats, cut.as_deref()) {
            panic!("{text}");
        }
        assert!(
            illegal < stats.valid || illegal == 0,
            "{}: every input breaks a precondition, so nothing was tested",
            self.name
        );
        None
    }

    /// Ends the child when one input takes too long.
    fn watch(&self, current: Arc<AtomicU64>, journal: String) -> impl Drop {
        struct Stop(Arc<AtomicU64>);
        impl Drop for Stop {
            fn drop(&mut self) {
                self.0.store(u64::MAX, Ordering::Relaxed);
            }
        }
        let (seen, timeout, total) = (Arc::clone(&current), self.timeout, self.total());
        std::thread::spawn(move || {
            let started = Instant::now();
            let mut last = 0;
            loop {
                std::thread::sleep(timeout);
                let now = seen.load(Ordering::Relaxed);
                if now == u64::MAX {
                    return;
                }
                // Between inputs the search looks at the clock by itself, but
                // not while a predicate runs that calls code it cannot bound.
                let stuck = now > 0 || started.elapsed() > total + timeout;
                if now == last && stuck {
                    let _ = fs::write(&journal, now.to_string());
                    std::process::exit(HANG);
                }
                last = now;
            }
        });
        Stop(current)
    }

    /// The parent: starts children until one lives through all inputs.
    #[track_caller]
    fn supervise<T: Korat>(&self, search: &Search<T>) {
        let journal = self.journal();
        let mut killers: Vec<(u64, String)> = Vec::new();
        loop {
            let skip: Vec<u64> = killers.iter().map(|(number, _)| *number).collect();
            let orders = Orders { skip, ..Orders::new(&journal) };
            let output = self.spawn(&orders);
            let (number, what) = match ending(&output) {
                Ending::Passed => {
                    let text = String::from_utf8_lossy(&output.stdout).into_owned();
                    let told = text.find(self.name).map_or("", |at| text[at..].trim_end());
                    println!("{told}");
                    told.lines().filter(|line| line.contains(CUT)).for_each(say);
                    break;
                }
                Ending::Failed => {
                    let text = String::from_utf8_lossy(&output.stdout).into_owned()
                        + &String::from_utf8_lossy(&output.stderr);
                    // The harness of the child says a word first.
                    let text = text.find(self.name).map_or(&*text, |at| &text[at..]);
                    let calls = read(&journal).map(|number| self.calls(&journal, number));
                    panic!("{text}{}", calls.unwrap_or_default());
                }
                Ending::Hung => (read(&journal), format!("it did not end in {:?}", self.timeout)),
                Ending::Died(what) => {
                    self.spawn(&Orders { exact: true, ..orders });
                    (read(&journal), what)
                }
            };
            let Some(number) = number.filter(|number| *number > 0) else {
                panic!("the tests of {} died outside of any input: {what}", self.name)
            };
            killers.push((number, what));
            if killers.len() == MAX_KILLERS {
                break;
            }
        }
        let _ = fs::remove_file(&journal);
        let failures = self.describe(search, &killers);
        if let Some(report) = self.judge(failures, killers.len() as u64, "inputs that ended it") {
            panic!("{}{}", report.text, self.calls(&journal, report.number));
        }
    }

    /// Finds inputs again by their numbers.
    fn describe<T: Korat>(&self, search: &Search<T>, killers: &[(u64, String)]) -> Failures {
        let mut found = Failures::default();
        if killers.is_empty() {
            return found;
        }
        let mut run = search.try_run().unwrap_or_else(|error| panic!("{error}"));
        while guard::quietly(|| run.advance()) && found.count < killers.len() as u64 {
            let number = run.stats().valid;
            if let Some((_, what)) = killers.iter().find(|(killer, _)| *killer == number) {
                found.add(self.counterexample(&run, number, what.clone()));
            }
        }
        found
    }

    fn journal(&self) -> String {
        let name: String = self.name.replace("::", "-");
        let file = format!("testsmith-{}-{name}", std::process::id());
        std::env::temp_dir().join(file).to_string_lossy().into_owned()
    }

    /// This test binary, asked for this test alone.
    fn command(&self, orders: &Orders) -> Command {
        let path = self.name.split_once("::").map_or(self.name, |(_, path)| path);
        let binary = std::env::current_exe().expect("a test runs from a file");
        let mut command = Command::new(binary);
        command
            .args(["--exact", path, "--nocapture", "--test-threads=1", "--include-ignored"])
            .env(CHILD, orders.to_text());
        command
    }

    fn spawn(&self, orders: &Orders) -> Output {
        self.command(orders).output().expect("a test binary can be started again")
    }
}

/// Whether a panic says that the test itself, not what it tests, broke a
/// precondition: then its input is not one that the function promises to take.
fn breaks_precondition(payload: &(dyn std::any::Any + Send)) -> bool {
    Violation::from_payload(payload)
        .is_some_and(|violation| violation.kind == Kind::Requires && violation.depth == 0)
}

thread_local! {
    /// What happened when a function last failed on the twin.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
    /// How often a function ran on a valid twin.
    static VALID: Cell<u64> = const { Cell::new(0) };
}

/// The inputs of a test, which the search finds together.
fn parts(shown: Shown) -> Vec<Shown> {
    match shown {
        Shown::Tuple(parts) => parts,
        other => vec![other],
    }
}

/// How a function did on one input.
enum Attempt {
    Passed,
    /// The test itself broke a precondition.
    Illegal,
    Failed(String),
}

fn attempt<T: Korat>(input: T, number: u64, body: Body<T>) -> Attempt {
    guard::end();
    let agrees = || number >= COMPARED || input.real_rep_ok();
    if !catch_unwind(AssertUnwindSafe(agrees)).unwrap_or(false) {
        std::mem::forget(input);
        let what = "`rep_ok` holds on the twin and not on the real value; is every impl block it \
                    needs marked `#[korat]`?";
        return Attempt::Failed(what.to_owned());
    }
    match catch_unwind(AssertUnwindSafe(|| body(input))) {
        Ok(None) => Attempt::Passed,
        Ok(Some(why)) => Attempt::Failed(why),
        Err(payload) if breaks_precondition(&*payload) => Attempt::Illegal,
        Err(payload) => Attempt::Failed(what_ended(&*payload, "it")),
    }
}

/// Says something that `cargo test` shows even when the test passes: what is
/// printed by the macros is kept back then.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Writes down the calls that build the input with this number, and leaves.
fn write_calls<T: Korat>(search: &Search<T>, number: u64, calls: CallTexts<T>, journal: &str) -> ! {
    let mut run = search.try_run().unwrap_or_else(|error| panic!("{error}"));
    while guard::quietly(|| run.advance()) && run.stats().valid < number {}
    guard::end();
    let scope = search.finitization.scope;
    let bounds = Bounds { scope, values: run.space.values.clone() };
    let texts = calls(&run.current().realize(), &bounds);
    let text: String = texts.into_iter().flatten().collect();
    let written = fs::write(journal, text);
    std::process::exit(i32::from(written.is_err()));
}
