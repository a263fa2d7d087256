//! Tests that run on every valid input within a scope, under `cargo test`.
//!
//! The inputs run in a child process, which is this test binary asked for
//! this one test: an endless loop or an overflow of the stack ends the child,
//! is put down to the input it had, and the child goes on after that input.
//! Which input that was is found by counting, so nothing is written while all
//! goes well. The calls that build a counterexample are looked for in a child
//! of their own, since calls may also not return.

use std::cell::RefCell;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::Korat;
use super::calls::Bounds;
use super::finitize::Finitization;
use super::guard;
use super::search::{Run, Search, message, what_ended};
use super::show::Shown;
use crate::contracts::{Kind, Violation};

/// The environment variable by which the child knows that it is one.
const CHILD: &str = "TESTSMITH_KORAT_CHILD";
/// How the child exits when the function fails on some input.
const FAILED: i32 = 85;
/// How the child exits when an input does not end.
const HANG: i32 = 86;
/// How many inputs that kill the child are looked for.
const MAX_KILLERS: usize = 3;

/// How long to look for the calls that build a counterexample.
const CALLS_TIMEOUT: Duration = Duration::from_secs(10);
/// How often to see whether they are there.
const CALLS_POLL: Duration = Duration::from_millis(20);

/// For each parameter, the text about public calls that build its value.
pub type CallTexts<T> = fn(&T, &Bounds) -> Vec<Option<String>>;

/// A test of a function over structures.
pub struct Test {
    /// The path of the test function.
    pub name: &'static str,
    /// The names of its parameters.
    pub parameters: &'static [&'static str],
    /// The bounds of the inputs.
    pub finitization: Finitization,
    /// How long one input may take.
    pub timeout: Duration,
}

/// An input on which the function failed.
struct Counterexample {
    number: u64,
    shown: Vec<Shown>,
    what: String,
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
    /// When it panics, does not end or overflows the stack on some input.
    pub fn black_box<T: Korat>(&self, body: fn(T), calls: CallTexts<T>) {
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
    pub fn white_box<T: Korat>(&self, fails: fn(&T::Twin) -> bool, calls: CallTexts<T>) {
        let search = Search::<T>::within(self.finitization.clone()).satisfying(fails);
        if let Some(Orders { calls: Some(number), journal, .. }) = Orders::given() {
            write_calls(&search, number, calls, &journal);
        }
        let mut run = search.try_run().unwrap_or_else(|error| panic!("{error}"));
        let mut failures = Vec::new();
        guard::quietly(|| {
            while run.advance() && failures.len() < 1000 {
                let what = format!("on the twin, {}", LAST.take());
                failures.push(self.counterexample(&run, run.stats().valid, what));
            }
        });
        let stats = run.stats();
        println!("{}: white box, {} candidates", self.name, stats.candidates);
        if let Some(report) = self.judge(failures, stats.candidates, "candidates") {
            panic!("{}{}", report.text, self.calls(&self.journal(), report.number));
        }
    }

    /// Whether an input is valid and the function fails on it.
    #[doc(hidden)]
    pub fn fails<T: Korat>(input: &T::Twin, body: fn(&T::Twin)) -> bool {
        if !T::twin_rep_ok(input) {
            return false;
        }
        match catch_unwind(AssertUnwindSafe(|| body(input))) {
            Ok(()) => false,
            Err(payload) if payload.is::<super::trail::OutOfObjects>() => false,
            Err(payload) => {
                LAST.set(what_ended(&*payload, "it"));
                true
            }
        }
    }

    fn counterexample<T: Korat>(&self, run: &Run<T>, number: u64, what: String) -> Counterexample {
        let shown = match run.current().shown() {
            Shown::Tuple(parts) => parts,
            other => vec![other],
        };
        Counterexample { number, shown, what }
    }

    /// Describes the smallest counterexample, if there is one.
    fn judge(&self, mut failures: Vec<Counterexample>, inputs: u64, unit: &str) -> Option<Report> {
        failures.sort_by_key(|failure| {
            let text: Vec<String> = failure.shown.iter().map(Shown::picture).collect();
            (text.iter().map(|text| text.lines().count()).sum::<usize>(), failure.number)
        });
        let smallest = failures.first()?;
        let mut report = format!("{} fails on {} of {inputs} {unit}\n", self.name, failures.len());
        report.push_str(&format!("smallest counterexample (input {}):\n", smallest.number));
        for (name, shown) in self.parameters.iter().zip(&smallest.shown) {
            let picture = shown.picture().trim_end().replace('\n', "\n    ");
            report.push_str(&format!("  {name} = {picture}\n"));
        }
        report.push_str(&format!("what happened: {}\n", smallest.what));
        for (name, shown) in self.parameters.iter().zip(&smallest.shown) {
            match shown.rust() {
                Some(rust) => report.push_str(&format!("let {name} = {rust};\n")),
                None => report.push_str(&format!("// {name} shares objects: no expression\n")),
            }
        }
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
    fn child<T: Korat>(&self, search: &Search<T>, body: fn(T), orders: &Orders) -> Option<Report> {
        let current = Arc::new(AtomicU64::new(0));
        let _watch = self.watch(Arc::clone(&current), orders.journal.clone());
        let mut journal = orders.exact.then(|| {
            fs::File::create(&orders.journal).expect("the journal lies in a temporary folder")
        });
        let mut run = search.try_run().unwrap_or_else(|error| panic!("{error}"));
        let (mut failures, mut illegal) = (Vec::new(), 0);
        guard::quietly(|| {
            while run.advance() {
                let number = run.stats().valid;
                current.store(number, Ordering::Relaxed);
                if orders.skip.contains(&number) {
                    continue;
                }
                if let Some(journal) = &mut journal {
                    journal.seek(SeekFrom::Start(0)).expect("a file can be rewound");
                    journal.write_all(number.to_string().as_bytes()).expect("room for a number");
                }
                let input = run.current().realize();
                if number < 100 && !input.real_rep_ok() {
                    let what = "`rep_ok` holds on the twin and not on the real value; is every \
                                impl block it needs marked `#[korat]`?";
                    failures.push(self.counterexample(&run, number, what.to_owned()));
                    std::mem::forget(input);
                    continue;
                }
                guard::end();
                match catch_unwind(AssertUnwindSafe(|| body(input))) {
                    Ok(()) => {}
                    Err(payload) if breaks_precondition(&*payload) => illegal += 1,
                    Err(payload) => {
                        let what = format!("it panicked: {}", message(&*payload));
                        failures.push(self.counterexample(&run, number, what));
                    }
                }
            }
        });
        let stats = run.stats();
        println!(
            "{}: {} inputs, {} candidates, space of 2^{:.0}",
            self.name, stats.valid, stats.candidates, stats.space_log2
        );
        if illegal > 0 {
            println!("{illegal} inputs break a precondition of a function that the test calls");
        }
        assert!(
            illegal < stats.valid || illegal == 0,
            "{}: every input breaks a precondition, so nothing was tested",
            self.name
        );
        for trouble in &stats.troubles {
            eprintln!("{}, on\n{}", trouble.what, trouble.candidate);
        }
        self.judge(failures, stats.valid, "inputs")
    }

    /// Ends the child when one input takes too long.
    fn watch(&self, current: Arc<AtomicU64>, journal: String) -> impl Drop {
        struct Stop(Arc<AtomicU64>);
        impl Drop for Stop {
            fn drop(&mut self) {
                self.0.store(u64::MAX, Ordering::Relaxed);
            }
        }
        let (seen, timeout) = (Arc::clone(&current), self.timeout);
        std::thread::spawn(move || {
            let mut last = 0;
            loop {
                std::thread::sleep(timeout);
                let now = seen.load(Ordering::Relaxed);
                if now == u64::MAX {
                    return;
                }
                if now == last && now > 0 {
                    let _ = fs::write(&journal, now.to_string());
                    std::process::exit(HANG);
                }
                last = now;
            }
        });
        Stop(current)
    }

    /// The parent: starts children until one lives through all inputs.
    fn supervise<T: Korat>(&self, search: &Search<T>) {
        let journal = self.journal();
        let mut killers: Vec<(u64, String)> = Vec::new();
        loop {
            let skip: Vec<u64> = killers.iter().map(|(number, _)| *number).collect();
            let orders = Orders { skip, ..Orders::new(&journal) };
            let output = self.spawn(&orders);
            let (number, what) = match ending(&output) {
                Ending::Passed => break,
                Ending::Failed => {
                    let text = String::from_utf8_lossy(&output.stdout).into_owned()
                        + &String::from_utf8_lossy(&output.stderr);
                    let calls = read(&journal).map(|number| self.calls(&journal, number));
                    panic!("{text}{}", calls.unwrap_or_default());
                }
                Ending::Hung => (read(&journal), format!("it did not end in {:?}", self.timeout)),
                Ending::Died(what) => {
                    self.spawn(&Orders { exact: true, ..orders });
                    (read(&journal), what)
                }
            };
            let Some(number) = number else {
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
    fn describe<T: Korat>(
        &self,
        search: &Search<T>,
        killers: &[(u64, String)],
    ) -> Vec<Counterexample> {
        let mut found = Vec::new();
        if killers.is_empty() {
            return found;
        }
        let mut run = search.try_run().unwrap_or_else(|error| panic!("{error}"));
        while guard::quietly(|| run.advance()) && found.len() < killers.len() {
            let number = run.stats().valid;
            if let Some((_, what)) = killers.iter().find(|(killer, _)| *killer == number) {
                found.push(self.counterexample(&run, number, what.clone()));
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

/// What the parent asks of the child.
struct Orders {
    journal: String,
    /// Whether to write down every input before it runs.
    exact: bool,
    skip: Vec<u64>,
    /// The input for which public calls are wanted, and nothing else.
    calls: Option<u64>,
}

impl Orders {
    fn new(journal: &str) -> Orders {
        Orders { journal: journal.to_owned(), exact: false, skip: Vec::new(), calls: None }
    }

    /// The orders of this process, if it is a child.
    fn given() -> Option<Orders> {
        std::env::var(CHILD).ok().map(|text| Orders::parse(&text))
    }

    fn to_text(&self) -> String {
        let skip: Vec<String> = self.skip.iter().map(u64::to_string).collect();
        let calls = self.calls.map(|number| number.to_string()).unwrap_or_default();
        format!("{};{};{calls};{}", u8::from(self.exact), skip.join(","), self.journal)
    }

    fn parse(text: &str) -> Orders {
        let mut parts = text.splitn(4, ';');
        let mut next = || parts.next().unwrap_or("");
        let exact = next() == "1";
        let skip = next().split(',').filter_map(|n| n.parse().ok()).collect();
        let calls = next().parse().ok();
        Orders { exact, skip, calls, journal: next().to_owned() }
    }
}

enum Ending {
    Passed,
    Failed,
    Hung,
    Died(String),
}

fn ending(output: &Output) -> Ending {
    match output.status.code() {
        Some(0) => Ending::Passed,
        Some(HANG) => Ending::Hung,
        Some(FAILED) => Ending::Failed,
        _ => {
            let text = String::from_utf8_lossy(&output.stderr);
            let overflow = text.contains("overflowed its stack");
            let what = if overflow { "it overflowed the stack" } else { "it ended the process" };
            Ending::Died(format!("{what} ({})", output.status))
        }
    }
}

fn read(journal: &str) -> Option<u64> {
    fs::read_to_string(journal).ok()?.trim().parse().ok()
}
