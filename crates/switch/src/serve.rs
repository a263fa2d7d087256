//! Runs the tests of a program many times from one start.
//!
//! A function of `.init_array` runs before `main`. If the environment asks for it, it does
//! not return but reads requests from standard input: which mutant, which tests, which
//! limits. For each it forks. The child writes the names of the tests over its own arguments,
//! switches the mutant on and returns, so that `main`, the test harness of the standard
//! library, runs as if it had been started for these tests. The parent waits, and answers how
//! the child ended. So a run costs a fork and not a start, and no run sees another.
//!
//! A program that a test starts finds the mutant in its environment.
//!
//! Only the C library is called, and nothing is allocated: the standard library is not yet
//! initialised here. `crates/lab/src/mutants/server.rs` is the other end.

use super::{ACTIVE, COUNTER_BYTES, RECORD, RECORDED, RECORDING, VISITS_LEFT};
use core::ffi::{c_char, c_int, c_long, c_uint, c_void};
use core::ptr::{null, null_mut};
use core::sync::atomic::Ordering::Relaxed;

/// The exit code of a process whose mutant loops.
const LOOPED: c_int = 86;
/// As many tests can be named in one request; so many arguments are given to be written over.
const MAX_NAMES: usize = 64;
/// All names of a request together.
const MAX_NAMES_BYTES: usize = 1 << 16;
/// Of what a child printed, this much of the end is told.
const MAX_OUTPUT: usize = 1 << 14;

/// Says that somebody serves here.
const GREETING: &[u8] = b"TSSERVE1";
const ASKED: &[u8] = b"TESTSMITH_SERVE\0";
const OUTPUT: &[u8] = b"TESTSMITH_SERVE_OUTPUT\0";
const RECORD_FILE: &[u8] = b"TESTSMITH_SERVE_RECORD\0";
const RECORD_LENGTH: &[u8] = b"TESTSMITH_SERVE_MUTANTS\0";
const MUTANT: &[u8] = b"TESTSMITH_MUTANT\0";

/// What is asked for; the names follow, each ended by a zero.
#[repr(C)]
#[derive(Clone, Copy)]
struct Request {
    visits: u64,
    mutant: u32,
    cpu_ms: u32,
    wall_ms: u32,
    names_bytes: u32,
}

/// How the child ended; the output and the record follow.
#[repr(C)]
struct Answer {
    visits: u64,
    cpu_us: u64,
    status: i32,
    output_bytes: u32,
    record_bytes: u32,
    unused: u32,
}

#[repr(C)]
struct TimeValue {
    seconds: c_long,
    micros: c_long,
}

#[repr(C)]
struct Timer {
    interval: TimeValue,
    value: TimeValue,
}

/// `struct rusage`: two times and fourteen counters.
#[repr(C)]
struct Usage {
    user: TimeValue,
    system: TimeValue,
    rest: [c_long; 14],
}

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
    fn setenv(name: *const c_char, value: *const c_char, replace: c_int) -> c_int;
    fn unsetenv(name: *const c_char) -> c_int;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn close(file: c_int) -> c_int;
    fn read(file: c_int, to: *mut c_void, bytes: usize) -> isize;
    fn pread(file: c_int, to: *mut c_void, bytes: usize, at: i64) -> isize;
    fn write(file: c_int, from: *const c_void, bytes: usize) -> isize;
    fn lseek(file: c_int, offset: i64, whence: c_int) -> i64;
    fn ftruncate(file: c_int, bytes: i64) -> c_int;
    fn fcntl(file: c_int, command: c_int, ...) -> c_int;
    fn dup2(from: c_int, to: c_int) -> c_int;
    fn mmap(at: *mut c_void, n: usize, prot: c_int, flags: c_int, f: c_int, o: i64) -> *mut c_void;
    fn fork() -> c_int;
    fn wait4(pid: c_int, status: *mut c_int, options: c_int, usage: *mut Usage) -> c_int;
    fn kill(pid: c_int, signal: c_int) -> c_int;
    fn setpgid(pid: c_int, group: c_int) -> c_int;
    fn setitimer(which: c_int, new: *const Timer, old: *mut Timer) -> c_int;
    fn _exit(code: c_int) -> !;
}

// The same on every machine that Rust's Linux runs on with these layouts.
const O_RDWR: c_int = 2;
const O_CLOEXEC: c_int = 0o2000000;
const O_CREAT: c_int = 0o100;
const O_TRUNC: c_int = 0o1000;
const O_APPEND: c_int = 0o2000;
const F_DUPFD_CLOEXEC: c_int = 1030;
const SEEK_END: c_int = 2;
const PROT_READ_WRITE: c_int = 3;
const MAP_SHARED: c_int = 1;
const SIGKILL: c_int = 9;
const ITIMER_REAL: c_int = 0;
const ITIMER_PROF: c_int = 2;
/// Above what tests would expect to be given.
const OUR_FILES: c_int = 200;

/// The C library hands these functions what it hands `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static START: unsafe extern "C" fn(c_int, *mut *const c_char, *const *const c_char) = start;

unsafe extern "C" fn start(argc: c_int, argv: *mut *const c_char, _: *const *const c_char) {
    // SAFETY: the C library calls this once, before `main` and with its arguments, while
    // there is one thread; so the environment and the statics are ours alone.
    unsafe {
        if getenv(name(ASKED)).is_null() {
            return start_as_subprocess();
        }
        map_record();
        let (requests, answers) = (duplicate(0), duplicate(1));
        let output = open(getenv(name(OUTPUT)), O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0o600);
        let output = fcntl(output, F_DUPFD_CLOEXEC, OUR_FILES);
        let nothing = open(name(b"/dev/null\0"), O_RDWR);
        if requests < 0 || answers < 0 || output < 0 || nothing < 0 {
            _exit(101);
        }
        dup2(nothing, 0);
        dup2(output, 1);
        dup2(output, 2);
        unsetenv(name(ASKED));
        unsetenv(name(OUTPUT));
        write_all(answers, GREETING.as_ptr(), GREETING.len());
        let files = Files { requests, answers, output };
        let arguments = core::slice::from_raw_parts_mut(argv, argc as usize);
        serve(&files, arguments);
    }
}

/// A program that a test under judgement starts: the same mutant is active in it.
unsafe fn start_as_subprocess() {
    // SAFETY: as in `start`.
    unsafe {
        let mutant = getenv(name(MUTANT));
        if !mutant.is_null() {
            map_record();
            ACTIVE.store(number(mutant), Relaxed);
        }
    }
}

struct Files {
    requests: c_int,
    answers: c_int,
    output: c_int,
}

static mut NAMES: [u8; MAX_NAMES_BYTES] = [0; MAX_NAMES_BYTES];
static mut PRINTED: [u8; MAX_OUTPUT] = [0; MAX_OUTPUT];

/// Answers requests; returns only in children.
unsafe fn serve(files: &Files, arguments: &mut [*const c_char]) {
    // SAFETY: as in `start`; the buffers are used by this one thread.
    unsafe {
        let names = &raw mut NAMES as *mut u8;
        loop {
            let mut request =
                Request { visits: 0, mutant: 0, cpu_ms: 0, wall_ms: 0, names_bytes: 0 };
            let bytes = size_of::<Request>();
            if !read_all(files.requests, (&raw mut request).cast(), bytes)
                || request.names_bytes as usize > MAX_NAMES_BYTES
                || !read_all(files.requests, names, request.names_bytes as usize)
            {
                _exit(0);
            }
            ftruncate(files.output, 0);
            clear_record();
            match fork() {
                0 => return become_run(&request, files, names, arguments),
                child if child > 0 => {
                    let answer = wait(child, files, request.mutant == RECORDING);
                    tell(files, &answer);
                }
                _ => _exit(101),
            }
        }
    }
}

/// What the child does before it goes on to `main`.
unsafe fn become_run(
    request: &Request,
    files: &Files,
    names: *const u8,
    arguments: &mut [*const c_char],
) {
    // SAFETY: as in `start`; the child has a copy of all memory, and the names in it stay.
    unsafe {
        setpgid(0, 0);
        close(files.requests);
        close(files.answers);
        close(files.output);
        let mut at = 0;
        let first = arguments.len().saturating_sub(MAX_NAMES);
        let mut last = names.cast::<c_char>();
        // An argument that is left over names the last test once more.
        for argument in &mut arguments[first..] {
            if at < request.names_bytes as usize {
                last = names.add(at).cast();
                while *names.add(at) != 0 {
                    at += 1;
                }
                at += 1;
            }
            *argument = last;
        }
        let mut digits = [0; 12];
        setenv(name(MUTANT), digits_of(request.mutant, &mut digits), 1);
        limit(ITIMER_PROF, request.cpu_ms);
        limit(ITIMER_REAL, request.wall_ms);
        VISITS_LEFT.store(request.visits, Relaxed);
        ACTIVE.store(request.mutant, Relaxed);
    }
}

unsafe fn wait(child: c_int, files: &Files, recording: bool) -> Answer {
    let none = || TimeValue { seconds: 0, micros: 0 };
    let mut usage = Usage { user: none(), system: none(), rest: [0; 14] };
    let mut status = 0;
    // SAFETY: the structures outlive the calls.
    unsafe {
        while wait4(child, &mut status, 0, &mut usage) != child {}
        // What it started and left behind.
        kill(-child, SIGKILL);
        let micros = |time: &TimeValue| time.seconds as u64 * 1_000_000 + time.micros as u64;
        let printed = lseek(files.output, 0, SEEK_END).max(0) as usize;
        let record = RECORD.load(Relaxed);
        let visits = if record.is_null() { 0 } else { *record.cast::<u64>() };
        Answer {
            visits,
            cpu_us: micros(&usage.user) + micros(&usage.system),
            status,
            output_bytes: printed.min(MAX_OUTPUT) as u32,
            record_bytes: if recording { RECORDED.load(Relaxed) } else { 0 },
            unused: 0,
        }
    }
}

unsafe fn tell(files: &Files, answer: &Answer) {
    // SAFETY: the buffers are as long as is said, and used by this one thread.
    unsafe {
        write_all(files.answers, (&raw const *answer).cast(), size_of::<Answer>());
        let (printed, bytes) = (&raw mut PRINTED as *mut u8, answer.output_bytes as usize);
        let end = lseek(files.output, 0, SEEK_END);
        let mut known = 0;
        while known < bytes {
            let from = end - (bytes - known) as i64;
            let more = pread(files.output, printed.add(known).cast(), bytes - known, from);
            if more <= 0 {
                break;
            }
            known += more as usize;
        }
        write_all(files.answers, printed, bytes);
        if answer.record_bytes > 0 {
            let record = RECORD.load(Relaxed).add(COUNTER_BYTES);
            write_all(files.answers, record, answer.record_bytes as usize);
        }
    }
}

/// Maps the file in which reached mutants are noted, so that programs which tests start
/// write to the same.
unsafe fn map_record() {
    // SAFETY: as in `start`; the file is made as long as the map before that is used.
    unsafe {
        let (path, length) = (getenv(name(RECORD_FILE)), getenv(name(RECORD_LENGTH)));
        if path.is_null() || length.is_null() {
            return;
        }
        let length = number(length);
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600);
        let bytes = COUNTER_BYTES + length as usize;
        if file < 0 || ftruncate(file, bytes as i64) != 0 {
            return;
        }
        let map = mmap(null_mut(), bytes, PROT_READ_WRITE, MAP_SHARED, file, 0);
        close(file);
        if map as isize != -1 {
            RECORDED.store(length, Relaxed);
            RECORD.store(map.cast(), Relaxed);
        }
    }
}

unsafe fn clear_record() {
    let record = RECORD.load(Relaxed);
    if !record.is_null() {
        // SAFETY: `map_record` mapped so many bytes.
        unsafe { record.write_bytes(0, COUNTER_BYTES + RECORDED.load(Relaxed) as usize) };
    }
}

/// The process ends when the time is over, whatever it waits for.
unsafe fn limit(which: c_int, milliseconds: u32) {
    let seconds = (milliseconds / 1000) as c_long;
    let micros = (milliseconds % 1000) as c_long * 1000;
    let interval = TimeValue { seconds: 0, micros: 0 };
    let timer = Timer { interval, value: TimeValue { seconds, micros } };
    // SAFETY: the timer outlives the call; the old one is not asked for.
    unsafe { setitimer(which, &timer, null_mut()) };
}

pub(crate) fn end_looping() -> ! {
    // SAFETY: it ends the process.
    unsafe { _exit(LOOPED) }
}

unsafe fn duplicate(file: c_int) -> c_int {
    // SAFETY: a file descriptor is a number.
    unsafe { fcntl(file, F_DUPFD_CLOEXEC, OUR_FILES as c_uint) }
}

unsafe fn read_all(file: c_int, to: *mut u8, bytes: usize) -> bool {
    let mut known = 0;
    while known < bytes {
        // SAFETY: the caller's buffer is that long.
        let more = unsafe { read(file, to.add(known).cast(), bytes - known) };
        if more <= 0 {
            return false;
        }
        known += more as usize;
    }
    true
}

unsafe fn write_all(file: c_int, from: *const u8, bytes: usize) {
    let mut told = 0;
    while told < bytes {
        // SAFETY: the caller's buffer is that long.
        let more = unsafe { write(file, from.add(told).cast(), bytes - told) };
        if more <= 0 {
            // SAFETY: nobody listens any more; it ends the process.
            unsafe { _exit(0) };
        }
        told += more as usize;
    }
}

fn name(text: &'static [u8]) -> *const c_char {
    match text {
        [.., 0] => text.as_ptr().cast(),
        _ => null(),
    }
}

/// A decimal number of the environment.
unsafe fn number(text: *const c_char) -> u32 {
    let mut value = 0u32;
    let mut at = text.cast::<u8>();
    // SAFETY: the text ends with a zero, which is no digit.
    unsafe {
        while (*at).is_ascii_digit() {
            value = value.wrapping_mul(10).wrapping_add(u32::from(*at - b'0'));
            at = at.add(1);
        }
    }
    value
}

fn digits_of(mut value: u32, to: &mut [u8; 12]) -> *const c_char {
    let mut at = to.len() - 1;
    loop {
        at -= 1;
        to[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return to[at..].as_ptr().cast();
        }
    }
}
