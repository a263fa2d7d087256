//! Ends a worker whose call does not return.
//!
//! What counts is the time that the worker had, not the time that passed: on a
//! busy machine a call takes longer and is still the same call. Processor time
//! counts, and so does time in which the worker waits for something that nobody
//! gives it (a sleep, a lock); time in which it waits for a processor does not.
//! Where the system does not tell the two apart, all time counts.

use crate::worker::Watch;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use testsmith_model::journal;

/// How often the watchdog looks.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Our own work between two sequences may take longer than a call; a heap that was
/// corrupted may let it wait for ever.
const PATIENCE_AT_REST: u32 = 10;

/// Looks at the pulse in the journal until the worker is over; a call that takes
/// longer than `limit` ends it, and so does an interruption.
pub(crate) fn start(
    watch: Arc<Watch>,
    child: Arc<Mutex<Child>>,
    mut journal: File,
    limit: Duration,
    interrupt: Arc<AtomicBool>,
) {
    let id = child.lock().unwrap_or_else(|e| e.into_inner()).id();
    std::thread::spawn(move || {
        let mut clock = Clock::new(id);
        let mut last_pulse = 0;
        while !watch.over.load(Ordering::Acquire) {
            std::thread::sleep(LOOK_EVERY);
            let (pulse, phase) = pulse_of(&mut journal);
            let working = watch.busy.load(Ordering::Acquire);
            let limit = if phase == journal::AT_REST { PATIENCE_AT_REST * limit } else { limit };
            if !working || pulse != last_pulse {
                last_pulse = pulse;
                clock.restart();
                if !interrupt.load(Ordering::Acquire) {
                    continue;
                }
            }
            let stalled = clock.had() > limit;
            if stalled || interrupt.load(Ordering::Acquire) {
                watch.waited.store(clock.waited * 2 > limit, Ordering::Release);
                watch.timed_out.store(stalled, Ordering::Release);
                let mut child = child.lock().unwrap_or_else(|e| e.into_inner());
                let _ = child.kill();
                return;
            }
        }
    });
}

/// The time that a process had since the clock was last restarted.
struct Clock {
    process: u32,
    looked: Instant,
    /// Processor time at the beginning; nothing before the first look.
    start: Option<Duration>,
    waited: Duration,
}

impl Clock {
    fn new(process: u32) -> Clock {
        Clock { process, looked: Instant::now(), start: None, waited: Duration::ZERO }
    }

    /// Cheap, because it happens at every look at a worker that is well.
    fn restart(&mut self) {
        self.looked = Instant::now();
        self.start = None;
        self.waited = Duration::ZERO;
    }

    fn had(&mut self) -> Duration {
        let passed = self.looked.elapsed();
        self.looked = Instant::now();
        let Some(seen) = look_at(self.process) else {
            self.waited += passed;
            return self.waited;
        };
        let start = *self.start.get_or_insert(seen.processor_time);
        if seen.waits {
            self.waited += passed;
        }
        seen.processor_time.saturating_sub(start) + self.waited
    }
}

/// What the system says of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    /// Of all its threads.
    processor_time: Duration,
    /// Whether each of its threads waits for something else than a processor.
    waits: bool,
}

#[cfg(target_os = "linux")]
fn look_at(process: u32) -> Option<Seen> {
    let whole = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut seen = Seen { processor_time: parse(&whole)?.1, waits: true };
    for thread in std::fs::read_dir(format!("/proc/{process}/task")).ok()?.flatten() {
        // A thread that has just ended waits for nothing.
        let Ok(text) = std::fs::read_to_string(thread.path().join("stat")) else { continue };
        // Sleeping, and dead or about to be; anything else runs, wants to, waits
        // for a disk or was stopped from outside.
        seen.waits &= matches!(parse(&text)?.0, 'S' | 'Z' | 'X');
    }
    Some(seen)
}

#[cfg(not(target_os = "linux"))]
fn look_at(_process: u32) -> Option<Seen> {
    None
}

/// State and processor time from a line of `/proc/*/stat`.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn parse(line: &str) -> Option<(char, Duration)> {
    /// The same on every Linux that Rust runs on (`USER_HZ`).
    const TICKS_PER_SECOND: u64 = 100;
    // The name stands in parentheses and may hold anything, parentheses included.
    let mut fields = line.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let user: u64 = fields.nth(10)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((state, Duration::from_millis((user + system) * 1000 / TICKS_PER_SECOND)))
}

fn pulse_of(file: &mut File) -> (u64, u32) {
    let mut header = [0; 16];
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_exact(&mut header));
    if read.is_err() {
        return (0, journal::AT_REST);
    }
    let number = |at: usize| header[at..at + 4].try_into().expect("four bytes are four");
    let pulse = header[journal::PULSE..journal::PULSE + 8].try_into().expect("eight are eight");
    (u64::from_le_bytes(pulse), u32::from_le_bytes(number(journal::PHASE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_process_may_hold_anything() {
        let line = "17 (a ) R (b) S 1 17 17 0 -1 4194304 90 0 0 0 150 25 0 0 20 0 1 0";
        assert_eq!(parse(line), Some(('S', Duration::from_millis(1750))));
        assert_eq!(parse("17 (it) R 1"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_was_stopped_has_no_time_and_one_that_sleeps_has() {
        use std::process::Command;
        let mut child = Command::new("sleep").arg("600").spawn().expect("sleep is there");
        let signal = |name: &str| {
            let process = child.id().to_string();
            let done = Command::new("kill").args([name, &process]).status();
            assert!(done.expect("kill is there").success());
        };
        // Signals take a moment to arrive, so the state is waited for.
        let wait_for = |waits: bool| {
            while look_at(child.id()).expect("it lives").waits != waits {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        let mut clock = Clock::new(child.id());
        wait_for(true);
        std::thread::sleep(Duration::from_millis(30));
        let slept = clock.had();
        assert!(slept >= Duration::from_millis(30), "{slept:?}");
        signal("-STOP");
        wait_for(false);
        clock.had();
        let before = clock.had();
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(clock.had(), before, "time in which it could not run does not count");
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
    }
}
