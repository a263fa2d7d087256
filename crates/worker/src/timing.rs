//! Times the same calls in three ways: as the walk makes them, as the whole
//! worker makes them when it knows beforehand what to call, and bare.
//!
//! Time is that of the processor, not of the clock on the wall: other processes
//! on the machine are none of our business. For benches only.

use crate::bare::BareStep;
use crate::executor::Executor;
use crate::panics::catching;
use crate::run::{grow, is_watched, walk_with};
use std::time::Instant;
use testsmith_engines::random::Engine;
use testsmith_model::Sequence;
use testsmith_model::message::{Timing, Walk};
use testsmith_model::outcome::Ending;

/// Sequences are replayed this often, so that a run is long enough to time.
const ROUNDS: u32 = 20;
/// A sequence takes some microseconds; one that took this long was interrupted
/// and says nothing of the shares.
const INTERRUPTED_NS: u64 = 100_000;

/// The engine learns during one walk, is timed in the next, and the sequences
/// that completed in a third are repeated with and without checks.
pub fn time(executor: &mut Executor, bounds: &Walk) -> std::io::Result<Timing> {
    executor.shelf.clear();
    let mut engine = Engine::new(&executor.plan, bounds.heuristics, &bounds.avoid, &bounds.limits);
    let mut timing = Timing::default();
    let quiet = Walk { keep: 0, ..bounds.clone() };
    walk_with(executor, &mut engine, None, &quiet, &mut |_, _| Ok(()))?;
    time_walk(executor, &mut engine, bounds, &mut timing);
    let mut sequences = vec![];
    let sample = Walk { keep: bounds.max_sequences as u32, ..bounds.clone() };
    walk_with(executor, &mut engine, None, &sample, &mut |sequence, outcome| {
        if outcome.ending == Ending::Completed {
            sequences.push(sequence);
        }
        Ok(())
    })?;
    time_repeats(executor, &sequences, &mut timing);
    Ok(timing)
}

fn time_walk(executor: &mut Executor, engine: &mut Engine, bounds: &Walk, timing: &mut Timing) {
    let (mut panicking_ns, mut legal_ns) = (0u64, 0u64);
    let first = executor.calls;
    let begin = processor_ns();
    for n in 0..bounds.max_sequences {
        executor.watch = is_watched(n, bounds);
        let (calls, began) = (executor.calls, Instant::now());
        grow(executor, engine, bounds.max_length, false, &mut |_| ());
        let outcome = executor.finish();
        if let Some(new_edges) = executor.take_reading() {
            engine.credit(new_edges);
        }
        timing.walk_sequences += 1;
        let took = began.elapsed().as_nanos() as u64;
        let took = if took < INTERRUPTED_NS { took } else { 0 };
        if matches!(outcome.ending, Ending::Panicked(_)) {
            timing.panics += 1;
            panicking_ns += took;
        } else {
            timing.legal_calls += executor.calls - calls;
            legal_ns += took;
        }
        if executor.calls - first >= bounds.max_calls {
            break;
        }
    }
    executor.watch = false;
    timing.walk_ns = processor_ns() - begin;
    timing.walk_calls = executor.calls - first;
    // The processor's own clock is too slow to be asked for every sequence, so
    // its time is shared out in proportion to that on the wall.
    let share = legal_ns as f64 / (legal_ns + panicking_ns).max(1) as f64;
    timing.legal_ns = (timing.walk_ns as f64 * share) as u64;
}

fn time_repeats(executor: &mut Executor, sequences: &[Sequence], timing: &mut Timing) {
    // A sequence may look at state that earlier ones left; keep what is stable.
    let mut stable: Vec<Vec<BareStep>> = vec![];
    for sequence in sequences {
        let outcome = executor.run(sequence, false);
        let completed = outcome.is_some_and(|outcome| outcome.ending == Ending::Completed);
        if completed && let Some(steps) = executor.bare_steps(sequence) {
            stable.push(steps);
        }
    }
    // A closure that counts its calls may panic only now and then.
    stable
        .retain(|steps| (0..3).all(|_| matches!(catching(|| executor.bare_run(steps)), Ok(true))));
    for steps in &stable {
        let calls = |step: &&BareStep| matches!(step, BareStep::Call(..));
        let literals = |step: &&BareStep| matches!(step, BareStep::Literal(..));
        timing.calls += steps.iter().filter(calls).count() as u64;
        timing.literals += steps.iter().filter(literals).count() as u64;
    }
    timing.sequences = stable.len() as u64;
    timing.calls *= u64::from(ROUNDS);
    timing.literals *= u64::from(ROUNDS);
    for _ in 0..ROUNDS {
        let begin = processor_ns();
        for steps in &stable {
            executor.checked_run(steps);
        }
        let middle = processor_ns();
        for steps in &stable {
            // One that panics after all is out of line, and rare.
            let _ = catching(|| executor.bare_run(steps));
        }
        timing.replay_ns += middle - begin;
        timing.bare_ns += processor_ns() - middle;
    }
}

/// The time that this thread has had of a processor.
pub(crate) fn processor_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is ours to write.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(failed, 0, "every thread has a clock");
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
