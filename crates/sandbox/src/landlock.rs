//! Landlock by raw system calls: writing beneath one folder only.
//!
//! Reading is left alone: code under test reads its own sources, `/proc` and
//! time zones, and no random call can do harm with it. The interface grew by
//! versions; each adds rights that are asked for only when it is there, and
//! what is missing is made up for by the seccomp filter.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::seccomp::{OnRefusal, Policy, Writes};

/// What Landlock holds on this kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Writes are confined.
    pub files: bool,
    /// The scratch folder is writable.
    pub scratch: bool,
    /// Truncation by path is confined too.
    pub truncation: bool,
    /// TCP is refused.
    pub network: bool,
    /// Signals to processes outside are refused.
    pub signals: bool,
}

impl Confinement {
    /// What seccomp has left to do.
    pub fn policy(self, pid: u32) -> Policy {
        let writes = match (self.files, self.truncation) {
            (true, true) => Writes::Confined,
            (true, false) => Writes::ConfinedExceptTruncation,
            (false, _) => Writes::Anywhere,
        };
        Policy { pid, writes, signals_scoped: self.signals, refusal: OnRefusal::Error }
    }
}

// The system calls have the same numbers on every architecture.
const SYS_CREATE_RULESET: libc::c_long = 444;
const SYS_ADD_RULE: libc::c_long = 445;
const SYS_RESTRICT_SELF: libc::c_long = 446;

const CREATE_RULESET_VERSION: u32 = 1 << 0;
const RULE_PATH_BENEATH: u32 = 1;
const RESTRICT_SELF_LOG_SAME_EXEC_OFF: u32 = 1 << 0;

const EXECUTE: u64 = 1 << 0;
const WRITE_FILE: u64 = 1 << 1;
const REMOVE_DIR: u64 = 1 << 4;
const REMOVE_FILE: u64 = 1 << 5;
const MAKE_CHAR: u64 = 1 << 6;
const MAKE_DIR: u64 = 1 << 7;
const MAKE_REG: u64 = 1 << 8;
const MAKE_SOCK: u64 = 1 << 9;
const MAKE_FIFO: u64 = 1 << 10;
const MAKE_BLOCK: u64 = 1 << 11;
const MAKE_SYM: u64 = 1 << 12;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;

const NET_BIND_TCP: u64 = 1 << 0;
const NET_CONNECT_TCP: u64 = 1 << 1;

const SCOPE_ABSTRACT_UNIX_SOCKET: u64 = 1 << 0;
const SCOPE_SIGNAL: u64 = 1 << 1;

/// `struct landlock_ruleset_attr`. Older kernels accept the longer structure as
/// long as the fields they do not know are zero.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Handled {
    filesystem: u64,
    network: u64,
    scoped: u64,
}

/// `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct PathBeneath {
    allowed: u64,
    parent: i32,
}

/// Everything a version of the interface can refuse, but reading.
fn handled(abi: u32) -> Handled {
    let mut handled = Handled {
        filesystem: EXECUTE
            | WRITE_FILE
            | REMOVE_DIR
            | REMOVE_FILE
            | MAKE_CHAR
            | MAKE_DIR
            | MAKE_REG
            | MAKE_SOCK
            | MAKE_FIFO
            | MAKE_BLOCK
            | MAKE_SYM,
        ..Handled::default()
    };
    if abi >= 2 {
        handled.filesystem |= REFER;
    }
    if abi >= 3 {
        handled.filesystem |= TRUNCATE;
    }
    if abi >= 4 {
        handled.network = NET_BIND_TCP | NET_CONNECT_TCP;
    }
    if abi >= 5 {
        handled.filesystem |= IOCTL_DEV;
    }
    if abi >= 6 {
        handled.scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL;
    }
    handled
}

/// What is allowed beneath the scratch folder: all but programs, devices and
/// sockets.
const IN_SCRATCH: u64 = WRITE_FILE
    | REMOVE_DIR
    | REMOVE_FILE
    | MAKE_DIR
    | MAKE_REG
    | MAKE_FIFO
    | MAKE_SYM
    | REFER
    | TRUNCATE;

/// Confines this thread and all it starts later, with at most version `newest`
/// of the interface.
pub fn restrict(scratch: &Path, newest: u32) -> Confinement {
    let abi = available().min(newest);
    if abi == 0 {
        return Confinement::default();
    }
    let handled = handled(abi);
    // SAFETY: the attributes are valid for the size given.
    let ruleset = unsafe {
        libc::syscall(SYS_CREATE_RULESET, &raw const handled, size_of::<Handled>(), 0u32)
    } as i32;
    if ruleset < 0 {
        return Confinement::default();
    }
    let scratch = allow_beneath(ruleset, scratch, IN_SCRATCH & handled.filesystem);
    // Opening the null device for writing is common and changes nothing.
    allow_beneath(ruleset, Path::new("/dev/null"), (WRITE_FILE | TRUNCATE) & handled.filesystem);
    // From version 7 on refusals go to the audit log, which random calls would
    // flood.
    let flags = if abi >= 7 { RESTRICT_SELF_LOG_SAME_EXEC_OFF } else { 0 };
    // SAFETY: the ruleset is an open descriptor of ours.
    let files = unsafe {
        let done = libc::syscall(SYS_RESTRICT_SELF, ruleset, flags) == 0;
        libc::close(ruleset);
        done
    };
    Confinement {
        files,
        scratch: files && scratch,
        truncation: files && abi >= 3,
        network: files && abi >= 4,
        signals: files && abi >= 6,
    }
}

/// Confines the changes of files to these folders and leaves everything else: programs may be
/// started and sockets opened.
pub fn restrict_writes(folders: &[&Path], newest: u32) -> bool {
    let abi = available().min(newest);
    if abi == 0 {
        return false;
    }
    let filesystem = handled(abi).filesystem & !(EXECUTE | IOCTL_DEV);
    let scoped = handled(abi).scoped & SCOPE_SIGNAL;
    let handled = Handled { filesystem, network: 0, scoped };
    // SAFETY: the attributes are valid for the size given.
    let ruleset = unsafe {
        libc::syscall(SYS_CREATE_RULESET, &raw const handled, size_of::<Handled>(), 0u32)
    } as i32;
    if ruleset < 0 {
        return false;
    }
    for folder in folders {
        allow_beneath(ruleset, folder, (IN_SCRATCH | MAKE_SOCK) & filesystem);
    }
    for device in ["/dev/null", "/dev/tty", "/dev/shm"] {
        allow_beneath(ruleset, Path::new(device), (WRITE_FILE | TRUNCATE) & filesystem);
    }
    let flags = if abi >= 7 { RESTRICT_SELF_LOG_SAME_EXEC_OFF } else { 0 };
    // SAFETY: the ruleset is an open descriptor of ours.
    unsafe {
        let done = libc::syscall(SYS_RESTRICT_SELF, ruleset, flags) == 0;
        libc::close(ruleset);
        done
    }
}

/// The version of the interface that this kernel has, 0 if none.
fn available() -> u32 {
    // SAFETY: with this flag the kernel reads no attributes.
    let version = unsafe {
        libc::syscall(
            SYS_CREATE_RULESET,
            std::ptr::null::<Handled>(),
            0usize,
            CREATE_RULESET_VERSION,
        )
    };
    u32::try_from(version).unwrap_or(0)
}

fn allow_beneath(ruleset: i32, path: &Path, allowed: u64) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: the path is a C string, the attributes are valid for the call, and
    // the descriptor is closed by the one who opened it.
    unsafe {
        let parent = libc::open(path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC);
        if parent < 0 {
            return false;
        }
        let rule = PathBeneath { allowed, parent };
        let done = libc::syscall(SYS_ADD_RULE, ruleset, RULE_PATH_BENEATH, &raw const rule, 0u32);
        libc::close(parent);
        done == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_version_restricts_reading() {
        const READ_FILE: u64 = 1 << 2;
        const READ_DIR: u64 = 1 << 3;
        for abi in 1..=9 {
            assert_eq!(handled(abi).filesystem & (READ_FILE | READ_DIR), 0);
        }
    }

    #[test]
    fn each_version_asks_only_for_what_it_has() {
        assert_eq!(handled(1).filesystem, 0x1ff3);
        assert_eq!(handled(2).filesystem, 0x3ff3);
        assert_eq!(handled(3), Handled { filesystem: 0x7ff3, network: 0, scoped: 0 });
        assert_eq!(handled(4), Handled { filesystem: 0x7ff3, network: 3, scoped: 0 });
        assert_eq!(handled(5), Handled { filesystem: 0xfff3, network: 3, scoped: 0 });
        assert_eq!(handled(6), Handled { filesystem: 0xfff3, network: 3, scoped: 3 });
        assert_eq!(handled(8), handled(6));
    }
}
