//! A put under plain `cargo test`.
//!
//! Stored cases first, then boundary values, then random ones, always the same
//! for the same put. A failure is shrunk, stored, and reported with the call
//! that shows it. A put whose assumptions refuse every input has tested nothing,
//! and fails.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Once;

use super::source::{BOUNDARIES, Choosing, Maker};
use super::{Rejected, Source, protocol, shrink};

/// What a put is to do.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    Returns,
    Panics,
    /// With this text somewhere in its message.
    PanicsWith(&'static str),
}

/// A put, as its attribute describes it.
pub struct Put {
    /// The path of the module that the attribute made, with the crate.
    pub module: &'static str,
    /// The function's name.
    pub name: &'static str,
    pub manifest_dir: &'static str,
    pub file: &'static str,
    pub line: u32,
    pub expectation: Expectation,
    /// How many random inputs to try.
    pub cases: u32,
    /// Decodes the arguments and calls the function.
    pub run: fn(&mut Source<'_>),
    /// Decodes the arguments and writes down the call.
    pub call: fn(&mut Source<'_>) -> String,
    /// The bytes that an exploration needs.
    pub max_bytes: fn() -> usize,
    /// The bounds in words, for reports.
    pub bounds: &'static str,
    /// Where failing inputs are stored, from the manifest's folder.
    pub store: &'static str,
    /// What was built, in the words of whoever asked for the build; empty under plain
    /// `cargo test`.
    pub identity: &'static str,
    /// It may pass although no input meets its assumptions.
    pub allow_empty: bool,
}

/// For every input that is wanted, how many are tried at most when assumptions refuse them.
const TRIES_PER_CASE: u32 = 64;

/// What became of one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CaseResult {
    Passed,
    Rejected,
    /// Why it fails, for people; and the place of the panic, if that is why.
    Failed {
        place: String,
        message: String,
    },
}

thread_local! {
    static RUNNING: Cell<bool> = const { Cell::new(false) };
    static LAST_PANIC: RefCell<(String, String)> = const { RefCell::new((String::new(), String::new())) };
}

/// Whether this thread is inside a put that `check` runs.
pub(super) fn is_running() -> bool {
    RUNNING.with(Cell::get)
}

/// Runs a put; called by the test that the attribute makes.
#[track_caller]
pub fn check(put: &Put) {
    note_panics();
    if protocol::serve(put) {
        return;
    }
    for bytes in stored(put) {
        let outcome = outcome(put, &mut Maker::new(bytes.clone(), Choosing::Given, 1));
        if let CaseResult::Failed { place, message } = outcome {
            report(put, &bytes, "a stored case", &place, &message);
        }
    }
    let (accepted, tried) = made_up(put);
    // Shown with the output of a failing test, and by `--nocapture`.
    let refused = tried - accepted;
    println!("the put {} ran on {accepted} inputs; {refused} more were refused", put.name);
    if accepted == 0 && !put.allow_empty {
        panic!(
            "the put {} has tested nothing: its assumptions, or the invariants of its \
             parameters, refused all {tried} inputs\n\
             weaken them, make the parameters fit (`values(..)`, `len(..)`, a type with \
             `#[derive(Input)]`), or say `#[put(allow_empty)]`",
            put.name
        );
    }
}

/// Runs boundary values, then random ones until enough of them were accepted: how many
/// were, and how many were tried.
#[track_caller]
fn made_up(put: &Put) -> (u32, u32) {
    let boundaries = (0..BOUNDARIES).map(Choosing::Boundary);
    let most = put.cases.saturating_mul(TRIES_PER_CASE);
    let random = (0..most).map(|_| Choosing::Random);
    let seed = seed(put);
    let (mut accepted, mut tried, mut accepted_at_random) = (0, 0, 0);
    for (index, choosing) in boundaries.chain(random).enumerate() {
        // A put that found enough at the boundaries still gets all its random inputs.
        let at_random = choosing == Choosing::Random;
        if at_random && accepted_at_random == put.cases {
            break;
        }
        let seed = seed.wrapping_add(index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut maker = Maker::new(vec![], choosing, seed);
        tried += 1;
        match outcome(put, &mut maker) {
            CaseResult::Failed { .. } => fail(put, maker.bytes),
            CaseResult::Rejected => {}
            CaseResult::Passed => {
                accepted += 1;
                accepted_at_random += u32::from(at_random);
            }
        }
    }
    (accepted, tried)
}

/// Shrinks, stores and reports a failing input.
#[track_caller]
fn fail(put: &Put, bytes: Vec<u8>) -> ! {
    let given = |bytes: &[u8]| outcome(put, &mut Maker::new(bytes.to_vec(), Choosing::Given, 1));
    let fails = |bytes: &[u8]| matches!(given(bytes), CaseResult::Failed { .. });
    let decode = |source: &mut Source<'_>| {
        // Decoding runs inside, so that an input that is refused half-way is still noted.
        let _ = guarded(|| drop((put.call)(source)));
    };
    let bytes = shrink::shrink(bytes, &decode, &fails);
    let CaseResult::Failed { place, message } = given(&bytes) else {
        panic!("the put {} fails now and then on one input: it is not deterministic", put.name);
    };
    let kept = store(put, &bytes);
    report(put, &bytes, &kept, &place, &message)
}

#[track_caller]
fn report(put: &Put, bytes: &[u8], kept: &str, place: &str, message: &str) -> ! {
    let call = call(put, bytes).unwrap_or_else(|| format!("{}(…)", put.name));
    panic!("the put fails on\n    {call}\n{message}{place}\n({kept})", place = at(place));
}

fn at(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("\n    at {place}") }
}

/// The call that an input stands for.
pub(super) fn call(put: &Put, bytes: &[u8]) -> Option<String> {
    let mut text = None;
    let _ = guarded(|| text = Some((put.call)(&mut Source::new(bytes))));
    text
}

/// Runs one input.
pub(super) fn outcome(put: &Put, maker: &mut Maker) -> CaseResult {
    let result = guarded(|| (put.run)(&mut Source::making(maker)));
    let (place, message) = LAST_PANIC.with(RefCell::take);
    match (put.expectation, result) {
        (_, Err(payload)) if payload.is::<Rejected>() => CaseResult::Rejected,
        // No put expects its own input to panic while it is made.
        (_, Err(_)) if !maker.complete => {
            let message = format!("making the input panics: {message}");
            CaseResult::Failed { place, message }
        }
        (Expectation::Returns, Ok(())) => CaseResult::Passed,
        (Expectation::Returns, Err(_)) => CaseResult::Failed { place, message },
        (Expectation::Panics | Expectation::PanicsWith(_), Ok(())) => {
            let message = "it should panic and does not".to_owned();
            CaseResult::Failed { place: String::new(), message }
        }
        (Expectation::Panics, Err(_)) => CaseResult::Passed,
        (Expectation::PanicsWith(text), Err(_)) if message.contains(text) => CaseResult::Passed,
        (Expectation::PanicsWith(text), Err(_)) => {
            let message = format!("it should panic with {text:?} and panics with {message:?}");
            CaseResult::Failed { place, message }
        }
    }
}

/// Runs something that may panic, with the panic hook silent for this thread.
fn guarded(run: impl FnOnce()) -> Result<(), Box<dyn Any + Send>> {
    let before = RUNNING.with(|running| running.replace(true));
    let result = catch_unwind(AssertUnwindSafe(run));
    RUNNING.with(|running| running.set(before));
    result
}

/// Makes panics inside puts known to us instead of printed: a put that should panic
/// would fill the screen.
fn note_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !is_running() {
                return before(info);
            }
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            let message = info.payload_as_str().unwrap_or("a panic without a text").to_owned();
            LAST_PANIC.with(|last| *last.borrow_mut() = (place, message));
        }));
    });
}

/// The same inputs for the same put, unless asked otherwise.
fn seed(put: &Put) -> u64 {
    let given = std::env::var("TESTSMITH_SEED").ok().and_then(|seed| seed.parse().ok());
    given.unwrap_or_else(|| {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        put.module.bytes().fold(0xcbf2_9ce4_8422_2325, step)
    })
}

fn store_path(put: &Put) -> PathBuf {
    PathBuf::from(put.manifest_dir).join(put.store)
}

/// The stored inputs: one per line in hexadecimal, with a comment.
fn stored(put: &Put) -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(store_path(put)).unwrap_or_default();
    let input = |line: &str| protocol::from_hex(line.split('#').next()?.trim());
    text.lines().filter(|line| !line.trim_start().starts_with('#')).filter_map(input).collect()
}

/// Adds an input to the stored ones; says where it went.
fn store(put: &Put, bytes: &[u8]) -> String {
    let path = store_path(put);
    let line = format!(
        "{} # {}\n",
        protocol::to_hex(bytes),
        call(put, bytes).unwrap_or_default().replace('\n', " ")
    );
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    if text.contains(&line) {
        return format!("stored in {}", put.store);
    }
    let folder = path.parent().map(std::fs::create_dir_all);
    let written = std::fs::write(&path, format!("{text}{line}"));
    match (folder, written) {
        (Some(Ok(())), Ok(())) => format!("stored in {}, to be run first from now on", put.store),
        _ => "it could not be stored".to_owned(),
    }
}
