//! The limits of POSIX: memory, files, stack, processor time, core dumps.
//!
//! Both the soft and the hard limit are set, so that the code under test cannot
//! undo them. Nothing here is ever raised above what the process was given.

use super::{Protection, Report, ResourceLimits};

/// The type of the `RLIMIT_*` constants differs between C libraries.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
type Resource = libc::c_int;

/// One row per limit: what to call it, the resource, the value asked for.
pub fn set(limits: &ResourceLimits, report: &mut Report) {
    if limits.file_bytes.is_some() {
        // A write past the limit then fails with EFBIG instead of killing us.
        // SAFETY: SIG_IGN is a valid disposition and no handler is replaced
        // that anybody relies on.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    }
    let mebibytes = |bytes: u64| format!("{} MiB", bytes >> 20);
    for (protection, name, resource, value, unit) in [
        (
            Protection::Memory,
            "memory",
            libc::RLIMIT_AS as Resource,
            limits.memory_bytes,
            mebibytes as fn(u64) -> String,
        ),
        (
            Protection::FileSize,
            "the size of a file",
            libc::RLIMIT_FSIZE as Resource,
            limits.file_bytes,
            mebibytes,
        ),
        (
            Protection::OpenFiles,
            "open files",
            libc::RLIMIT_NOFILE as Resource,
            limits.open_files,
            |n| n.to_string(),
        ),
        (
            Protection::Stack,
            "the main stack",
            libc::RLIMIT_STACK as Resource,
            limits.stack_bytes,
            mebibytes,
        ),
        (
            Protection::Cpu,
            "processor time",
            libc::RLIMIT_CPU as Resource,
            limits.cpu_seconds,
            |n| format!("{n} s"),
        ),
    ] {
        let Some(value) = value else { continue };
        match lower(resource, value) {
            Some(now) => report.add(protection, true, format!("{name}: at most {}", unit(now))),
            None => report.add(protection, false, format!("{name} is unbounded")),
        }
    }
    forbid_core_dumps(report);
    if let Some(threads) = limits.threads {
        bound_threads(threads, report);
    }
}

/// Sets both limits to `value`, or to what they are if that is less.
#[allow(clippy::unnecessary_cast, reason = "the type is signed on some systems")]
fn lower(resource: Resource, value: u64) -> Option<u64> {
    let mut old = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `old` and `new` are valid for the calls.
    unsafe {
        if libc::getrlimit(resource, &mut old) != 0 {
            return None;
        }
        let value = (value as libc::rlim_t).min(old.rlim_cur);
        let new = libc::rlimit { rlim_cur: value, rlim_max: value };
        (libc::setrlimit(resource, &new) == 0).then_some(value as u64)
    }
}

/// One byte rather than none: Linux hands a dump to a crash collector even when
/// the limit is 0, but never when it is 1, and a file of one byte is no dump.
fn forbid_core_dumps(report: &mut Report) {
    let bytes = if cfg!(target_os = "linux") { 1 } else { 0 };
    let done = lower(libc::RLIMIT_CORE as Resource, bytes).is_some();
    let words = if done { "no core dumps" } else { "core dumps are written" };
    report.add(Protection::CoreDumps, done, words);
}

#[cfg(target_os = "linux")]
fn bound_threads(threads: u64, report: &mut Report) {
    // SAFETY: getuid has no preconditions.
    if unsafe { libc::getuid() } == 0 {
        let words = "threads are bounded by memory only: the kernel does not count those of root";
        report.add(Protection::Threads, false, words);
        return;
    }
    let limit = threads_of_user().saturating_add(threads);
    let resource = libc::RLIMIT_NPROC as Resource;
    let mut old = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `old` is valid for the call.
    let known = unsafe { libc::getrlimit(resource, &mut old) } == 0;
    // The kernel may count threads we cannot see, those of other containers.
    // So the soft limit is tried first, and taken back when no thread starts.
    let soft = libc::rlimit { rlim_cur: limit.min(old.rlim_cur), rlim_max: old.rlim_max };
    // SAFETY: the limits are valid for the calls.
    let works = known && unsafe { libc::setrlimit(resource, &soft) } == 0 && a_thread_starts();
    if works && lower(resource, limit).is_some() {
        report.add(Protection::Threads, true, format!("threads: at most {threads} more"));
        return;
    }
    if known {
        // SAFETY: `old` is valid for the call.
        unsafe { libc::setrlimit(resource, &old) };
    }
    report.add(Protection::Threads, false, "threads are bounded by memory only");
}

#[cfg(not(target_os = "linux"))]
fn bound_threads(_threads: u64, report: &mut Report) {
    report.add(Protection::Threads, false, "threads are bounded by memory only");
}

#[cfg(target_os = "linux")]
fn a_thread_starts() -> bool {
    std::thread::Builder::new().spawn(|| ()).is_ok_and(|thread| thread.join().is_ok())
}

/// The threads of all processes of this user that `/proc` shows.
#[cfg(target_os = "linux")]
fn threads_of_user() -> u64 {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: getuid has no preconditions.
    let user = unsafe { libc::getuid() };
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    processes
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit())
        .filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == user))
        .filter_map(|entry| thread_count(&std::fs::read_to_string(entry.path().join("stat")).ok()?))
        .sum()
}

/// The number of threads in a line of `/proc/PID/stat`: the 18th field after
/// the program's name, which stands in parentheses and may hold anything.
#[cfg(target_os = "linux")]
fn thread_count(stat: &str) -> Option<u64> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(17)?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_thread_count_is_read_past_a_name_with_spaces_and_parentheses() {
        let line = "42 (a) b (c) S 1 42 42 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 7 0 100 0 0";
        assert_eq!(thread_count(line), Some(7));
        assert_eq!(thread_count("garbage"), None);
    }

    #[test]
    fn the_threads_of_the_user_include_our_own() {
        assert!(threads_of_user() >= 1);
    }
}
