//! The system calls a worker may make, on both architectures.
//!
//! A list of what is allowed, not of what is forbidden: what the kernel learns
//! tomorrow is refused until somebody has thought about it. Absent on purpose
//! are, among others, sockets, `fork`, `vfork`, `execve`, `ptrace`,
//! `process_vm_*`, `io_uring_*`, `mount` and namespaces, `bpf`, keys, clocks
//! that can be set, `setrlimit`, System V and POSIX queues (they outlive the
//! process), `memfd_create` (it escapes the memory limit), and modes, owners,
//! times and attributes of files (Landlock does not confine them).

use SyscallRule::*;

/// How a system call is judged. Arguments are numbered from 0; pointers are
/// never followed, because their target can change after the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyscallRule {
    Allow,
    /// Changes the file tree by path: only where Landlock confines it.
    PathChange,
    /// Truncates by path: only where Landlock confines that, too.
    Truncate,
    /// Opens a file, the flags being this argument.
    OpenFlags(u8),
    /// Opens a file, the flags being behind a pointer.
    OpenBehindPointer,
    /// `clone`, for threads of this process only.
    ThreadOnly,
    /// As if the kernel did not know it, so that the C library falls back.
    Unknown,
    /// The first argument must be this process.
    OwnProcess,
    /// The first argument must be the main thread, unless Landlock keeps
    /// signals inside.
    OwnThread,
    /// The first argument must be 0 or this process.
    OwnOrZero,
    /// `prlimit64` without a new value, on this process.
    ReadLimits,
    /// This argument must be one of these.
    OneOf(u8, &'static [u32]),
}

/// A number that an architecture does not have.
pub const NONE: u32 = u32::MAX;

/// Numbers from here on are newer than this table: the kernel seems not to know
/// them, which libraries are prepared for.
pub const FIRST_UNKNOWN: u32 = 470;

/// Questions to terminals and files, and the flags of one's own descriptors.
/// TIOCSTI, which types into the user's terminal, is not among them, nor is
/// FS_IOC_SETFLAGS.
const IOCTLS: &[u32] = &[
    0x5401,      // TCGETS
    0x5413,      // TIOCGWINSZ
    0x541b,      // FIONREAD
    0x5421,      // FIONBIO
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
    0x802c_542a, // TCGETS2
];

/// Duplicates, flags, locks, pipe sizes, seals; not the owner of a descriptor,
/// who gets its signals.
const FCNTLS: &[u32] = &[0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1031, 1032, 1033, 1034];

/// Names of threads and of memory, timer slack, and questions.
const PRCTLS: &[u32] = &[
    2,           // PR_GET_PDEATHSIG
    3,           // PR_GET_DUMPABLE
    15,          // PR_SET_NAME
    16,          // PR_GET_NAME
    21,          // PR_GET_SECCOMP
    23,          // PR_CAPBSET_READ
    29,          // PR_SET_TIMERSLACK
    30,          // PR_GET_TIMERSLACK
    39,          // PR_GET_NO_NEW_PRIVS
    42,          // PR_GET_THP_DISABLE
    0x5356_4d41, // PR_SET_VMA
];

/// `personality` as a question.
const PERSONALITIES: &[u32] = &[u32::MAX];

/// Name, number on x86-64, number on AArch64, rule.
pub type Row = (&'static str, u32, u32, SyscallRule);

pub const TABLE: &[Row] = &[
    ("read", 0, 63, Allow),
    ("write", 1, 64, Allow),
    ("readv", 19, 65, Allow),
    ("writev", 20, 66, Allow),
    ("pread64", 17, 67, Allow),
    ("pwrite64", 18, 68, Allow),
    ("preadv", 295, 69, Allow),
    ("pwritev", 296, 70, Allow),
    ("preadv2", 327, 286, Allow),
    ("pwritev2", 328, 287, Allow),
    ("close", 3, 57, Allow),
    ("close_range", 436, 436, Allow),
    ("lseek", 8, 62, Allow),
    ("dup", 32, 23, Allow),
    ("dup2", 33, NONE, Allow),
    ("dup3", 292, 24, Allow),
    ("pipe", 22, NONE, Allow),
    ("pipe2", 293, 59, Allow),
    ("sendfile", 40, 71, Allow),
    ("splice", 275, 76, Allow),
    ("tee", 276, 77, Allow),
    ("vmsplice", 278, 75, Allow),
    ("copy_file_range", 326, 285, Allow),
    ("fsync", 74, 82, Allow),
    ("fdatasync", 75, 83, Allow),
    ("sync_file_range", 277, 84, Allow),
    ("ftruncate", 77, 46, Allow),
    ("fallocate", 285, 47, Allow),
    ("fadvise64", 221, 223, Allow),
    ("readahead", 187, 213, Allow),
    ("flock", 73, 32, Allow),
    // Looking at files and folders.
    ("stat", 4, NONE, Allow),
    ("fstat", 5, 80, Allow),
    ("lstat", 6, NONE, Allow),
    ("newfstatat", 262, 79, Allow),
    ("statx", 332, 291, Allow),
    ("statfs", 137, 43, Allow),
    ("fstatfs", 138, 44, Allow),
    ("access", 21, NONE, Allow),
    ("faccessat", 269, 48, Allow),
    ("faccessat2", 439, 439, Allow),
    ("readlink", 89, NONE, Allow),
    ("readlinkat", 267, 78, Allow),
    ("getdents", 78, NONE, Allow),
    ("getdents64", 217, 61, Allow),
    ("getcwd", 79, 17, Allow),
    ("chdir", 80, 49, Allow),
    ("fchdir", 81, 50, Allow),
    ("umask", 95, 166, Allow),
    ("getxattr", 191, 8, Allow),
    ("lgetxattr", 192, 9, Allow),
    ("fgetxattr", 193, 10, Allow),
    ("listxattr", 194, 11, Allow),
    ("llistxattr", 195, 12, Allow),
    ("flistxattr", 196, 13, Allow),
    ("getxattrat", 464, 464, Allow),
    ("listxattrat", 465, 465, Allow),
    ("name_to_handle_at", 303, 264, Allow),
    ("inotify_init", 253, NONE, Allow),
    ("inotify_init1", 294, 26, Allow),
    ("inotify_add_watch", 254, 27, Allow),
    ("inotify_rm_watch", 255, 28, Allow),
    // Waiting for descriptors.
    ("poll", 7, NONE, Allow),
    ("ppoll", 271, 73, Allow),
    ("select", 23, NONE, Allow),
    ("pselect6", 270, 72, Allow),
    ("epoll_create", 213, NONE, Allow),
    ("epoll_create1", 291, 20, Allow),
    ("epoll_ctl", 233, 21, Allow),
    ("epoll_wait", 232, NONE, Allow),
    ("epoll_pwait", 281, 22, Allow),
    ("epoll_pwait2", 441, 441, Allow),
    ("eventfd", 284, NONE, Allow),
    ("eventfd2", 290, 19, Allow),
    ("timerfd_create", 283, 85, Allow),
    ("timerfd_settime", 286, 86, Allow),
    ("timerfd_gettime", 287, 87, Allow),
    ("signalfd", 282, NONE, Allow),
    ("signalfd4", 289, 74, Allow),
    // Memory.
    ("brk", 12, 214, Allow),
    ("mmap", 9, 222, Allow),
    ("munmap", 11, 215, Allow),
    ("mremap", 25, 216, Allow),
    ("mprotect", 10, 226, Allow),
    ("madvise", 28, 233, Allow),
    ("mincore", 27, 232, Allow),
    ("msync", 26, 227, Allow),
    ("mlock", 149, 228, Allow),
    ("mlock2", 325, 284, Allow),
    ("munlock", 150, 229, Allow),
    ("munlockall", 152, 231, Allow),
    ("membarrier", 324, 283, Allow),
    ("mbind", 237, 235, Allow),
    ("get_mempolicy", 239, 236, Allow),
    ("set_mempolicy", 238, 237, Allow),
    ("pkey_alloc", 330, 289, Allow),
    ("pkey_free", 331, 290, Allow),
    ("pkey_mprotect", 329, 288, Allow),
    ("map_shadow_stack", 453, 453, Allow),
    ("mseal", 462, 462, Allow),
    ("futex", 202, 98, Allow),
    ("futex_waitv", 449, 449, Allow),
    ("futex_wake", 454, 454, Allow),
    ("futex_wait", 455, 455, Allow),
    ("futex_requeue", 456, 456, Allow),
    ("set_robust_list", 273, 99, Allow),
    ("get_robust_list", 274, 100, Allow),
    ("set_tid_address", 218, 96, Allow),
    ("rseq", 334, 293, Allow),
    ("arch_prctl", 158, NONE, Allow),
    ("gettid", 186, 178, Allow),
    ("sched_yield", 24, 124, Allow),
    ("getcpu", 309, 168, Allow),
    ("exit", 60, 93, Allow),
    ("exit_group", 231, 94, Allow),
    ("restart_syscall", 219, 128, Allow),
    ("wait4", 61, 260, Allow),
    ("waitid", 247, 95, Allow),
    // Signals, as far as they concern this process.
    ("rt_sigaction", 13, 134, Allow),
    ("rt_sigprocmask", 14, 135, Allow),
    ("rt_sigreturn", 15, 139, Allow),
    ("rt_sigpending", 127, 136, Allow),
    ("rt_sigtimedwait", 128, 137, Allow),
    ("rt_sigsuspend", 130, 133, Allow),
    ("sigaltstack", 131, 132, Allow),
    ("pause", 34, NONE, Allow),
    // Time.
    ("clock_gettime", 228, 113, Allow),
    ("clock_getres", 229, 114, Allow),
    ("clock_nanosleep", 230, 115, Allow),
    ("nanosleep", 35, 101, Allow),
    ("gettimeofday", 96, 169, Allow),
    ("time", 201, NONE, Allow),
    ("times", 100, 153, Allow),
    ("alarm", 37, NONE, Allow),
    ("getitimer", 36, 102, Allow),
    ("setitimer", 38, 103, Allow),
    ("timer_create", 222, 107, Allow),
    ("timer_settime", 223, 110, Allow),
    ("timer_gettime", 224, 108, Allow),
    ("timer_getoverrun", 225, 109, Allow),
    ("timer_delete", 226, 111, Allow),
    // Questions about the process and the machine.
    ("getpid", 39, 172, Allow),
    ("getppid", 110, 173, Allow),
    ("getuid", 102, 174, Allow),
    ("geteuid", 107, 175, Allow),
    ("getgid", 104, 176, Allow),
    ("getegid", 108, 177, Allow),
    ("getresuid", 118, 148, Allow),
    ("getresgid", 120, 150, Allow),
    ("getgroups", 115, 158, Allow),
    ("getpgid", 121, 155, Allow),
    ("getpgrp", 111, NONE, Allow),
    ("getsid", 124, 156, Allow),
    ("getpriority", 140, 141, Allow),
    ("getrusage", 98, 165, Allow),
    ("getrlimit", 97, 163, Allow),
    ("capget", 125, 90, Allow),
    ("sysinfo", 99, 179, Allow),
    ("uname", 63, 160, Allow),
    ("getrandom", 318, 278, Allow),
    ("ioprio_get", 252, 31, Allow),
    ("sched_getaffinity", 204, 123, Allow),
    ("sched_getparam", 143, 121, Allow),
    ("sched_getscheduler", 145, 120, Allow),
    ("sched_getattr", 315, 275, Allow),
    ("sched_get_priority_max", 146, 125, Allow),
    ("sched_get_priority_min", 147, 126, Allow),
    ("sched_rr_get_interval", 148, 127, Allow),
    // Changes to the file tree by path: Landlock confines them to the scratch folder.
    ("mkdir", 83, NONE, PathChange),
    ("mkdirat", 258, 34, PathChange),
    ("rmdir", 84, NONE, PathChange),
    ("unlink", 87, NONE, PathChange),
    ("unlinkat", 263, 35, PathChange),
    ("rename", 82, NONE, PathChange),
    ("renameat", 264, 38, PathChange),
    ("renameat2", 316, 276, PathChange),
    ("link", 86, NONE, PathChange),
    ("linkat", 265, 37, PathChange),
    ("symlink", 88, NONE, PathChange),
    ("symlinkat", 266, 36, PathChange),
    ("mknod", 133, NONE, PathChange),
    ("mknodat", 259, 33, PathChange),
    ("creat", 85, NONE, PathChange),
    // What depends on arguments.
    ("truncate", 76, 45, Truncate),
    ("open", 2, NONE, OpenFlags(1)),
    ("openat", 257, 56, OpenFlags(2)),
    ("openat2", 437, 437, OpenBehindPointer),
    ("clone", 56, 220, ThreadOnly),
    ("clone3", 435, 435, Unknown),
    ("kill", 62, 129, OwnProcess),
    ("tgkill", 234, 131, OwnProcess),
    ("rt_sigqueueinfo", 129, 138, OwnProcess),
    ("rt_tgsigqueueinfo", 297, 240, OwnProcess),
    ("tkill", 200, 130, OwnThread),
    ("sched_setaffinity", 203, 122, OwnOrZero),
    ("sched_setparam", 142, 118, OwnOrZero),
    ("sched_setscheduler", 144, 119, OwnOrZero),
    ("sched_setattr", 314, 274, OwnOrZero),
    ("prlimit64", 302, 261, ReadLimits),
    ("ioctl", 16, 29, OneOf(1, IOCTLS)),
    ("fcntl", 72, 25, OneOf(1, FCNTLS)),
    ("prctl", 157, 167, OneOf(0, PRCTLS)),
    ("personality", 135, 92, OneOf(0, PERSONALITIES)),
];
