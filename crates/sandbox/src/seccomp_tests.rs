//! Runs the filters of both architectures through an interpreter of the
//! kernel's small language.

use super::*;

const PID: u32 = 4242;
const CONFINED: Policy =
    Policy { pid: PID, writes: Writes::Confined, signals_scoped: true, refusal: OnRefusal::Error };
const OPEN: Policy = Policy { writes: Writes::Anywhere, signals_scoped: false, ..CONFINED };

/// What the filter answers to a call with these arguments.
fn judge(program: &[Instruction], audit: u32, number: u32, arguments: [u64; 6]) -> u32 {
    let word = |offset: u32| match offset {
        NUMBER => number,
        ARCHITECTURE => audit,
        _ => {
            let index = (offset - 16) / 8;
            let half = (offset - 16) % 8 / 4;
            (arguments[index as usize] >> (32 * half)) as u32
        }
    };
    let (mut at, mut value) = (0, 0);
    loop {
        let Instruction { code, if_true, if_false, operand } = program[at];
        at += 1;
        let holds = match code {
            LOAD => {
                value = word(operand);
                continue;
            }
            AND => {
                value &= operand;
                continue;
            }
            RETURN => return operand,
            IF_EQUAL => value == operand,
            IF_AT_LEAST => value >= operand,
            IF_ANY_BIT => value & operand != 0,
            other => panic!("unknown instruction {other:#x}"),
        };
        at += usize::from(if holds { if_true } else { if_false });
    }
}

fn number(architecture: Architecture, name: &str) -> u32 {
    let row = TABLE.iter().find(|row| row.0 == name).expect("a call of the table");
    if architecture == Architecture::X86_64 { row.1 } else { row.2 }
}

/// Judges a call of the table by name on both architectures.
fn check(policy: &Policy, name: &str, arguments: [u64; 6], expected: u32) {
    for architecture in [Architecture::X86_64, Architecture::Aarch64] {
        let number = number(architecture, name);
        if number == NONE {
            continue;
        }
        let program = program(architecture, policy);
        let answer = judge(&program, architecture.audit(), number, arguments);
        assert_eq!(answer, expected, "{name}{arguments:x?} on {architecture:?} under {policy:?}");
    }
}

#[test]
fn every_call_outside_the_table_is_refused_and_newer_ones_seem_unknown() {
    for architecture in [Architecture::X86_64, Architecture::Aarch64] {
        let program = program(architecture, &CONFINED);
        let rules = architecture.rules();
        for number in 0..FIRST_UNKNOWN {
            let answer = judge(&program, architecture.audit(), number, [0; 6]);
            match rules.iter().find(|(n, _)| *n == number) {
                None => assert_eq!(answer, REFUSED, "{number} on {architecture:?}"),
                Some((_, SyscallRule::Allow)) => {
                    assert_eq!(answer, ALLOWED, "{number} on {architecture:?}");
                }
                Some(_) => {}
            }
        }
        for number in [FIRST_UNKNOWN, 1000, 0x4000_0000, 0x4000_0029, u32::MAX] {
            assert_eq!(judge(&program, architecture.audit(), number, [0; 6]), UNKNOWN);
        }
    }
}

#[test]
fn calls_of_another_architecture_are_never_allowed() {
    let program = program(Architecture::X86_64, &CONFINED);
    for number in 0..FIRST_UNKNOWN {
        assert_eq!(judge(&program, 0x4000_0003, number, [0; 6]), UNKNOWN);
    }
}

#[test]
fn no_number_appears_twice() {
    for architecture in [Architecture::X86_64, Architecture::Aarch64] {
        let rules = architecture.rules();
        assert!(rules.is_sorted_by(|a, b| a.0 < b.0), "{architecture:?}");
        assert!(rules.iter().all(|(number, _)| *number < FIRST_UNKNOWN));
    }
}

#[test]
fn clone_makes_threads_but_neither_processes_nor_namespaces() {
    let glibc_thread = 0x003d_0f00;
    check(&CONFINED, "clone", [glibc_thread, 0, 0, 0, 0, 0], ALLOWED);
    check(&CONFINED, "clone", [17, 0, 0, 0, 0, 0], REFUSED);
    check(&CONFINED, "clone", [0x4111, 0, 0, 0, 0, 0], REFUSED);
    check(&CONFINED, "clone", [glibc_thread | 0x1000_0000, 0, 0, 0, 0, 0], REFUSED);
    check(&CONFINED, "clone3", [0; 6], UNKNOWN);
}

#[test]
fn signals_go_to_ourselves_only() {
    let me = u64::from(PID);
    for name in ["kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"] {
        check(&CONFINED, name, [me, 6, 6, 0, 0, 0], ALLOWED);
        for other in [0, 1, me + 1, u64::MAX, me.wrapping_neg()] {
            check(&CONFINED, name, [other, 6, 6, 0, 0, 0], REFUSED);
        }
    }
    check(&CONFINED, "tkill", [me + 1, 6, 0, 0, 0, 0], ALLOWED);
    check(&OPEN, "tkill", [me + 1, 6, 0, 0, 0, 0], REFUSED);
    check(&OPEN, "tkill", [me, 6, 0, 0, 0, 0], ALLOWED);
}

#[test]
fn without_landlock_no_open_may_write() {
    for (name, at) in [("open", 1), ("openat", 2)] {
        let with = |flags: u64| {
            let mut arguments = [0; 6];
            arguments[at] = flags;
            arguments
        };
        check(&OPEN, name, with(0o2_000_000), ALLOWED);
        for flags in [0o1, 0o2, 0o3, 0o100, 0o101, 0o1000, 0o20_000_002] {
            check(&OPEN, name, with(flags), REFUSED);
        }
        check(&CONFINED, name, with(0o1101), ALLOWED);
        check(&CONFINED, name, with(0o1102), ALLOWED);
        check(&CONFINED, name, with(0o100), ALLOWED);
        check(&CONFINED, name, with(0o1000), REFUSED);
        check(&CONFINED, name, with(0o1003), REFUSED);
    }
    for name in ["unlink", "unlinkat", "renameat2", "mkdirat", "linkat", "creat", "truncate"] {
        check(&OPEN, name, [0; 6], REFUSED);
        check(&CONFINED, name, [0; 6], ALLOWED);
    }
    check(&OPEN, "openat2", [0; 6], UNKNOWN);
    check(&CONFINED, "openat2", [0; 6], ALLOWED);
}

#[test]
fn early_landlock_leaves_truncation_to_the_filter() {
    let early = Policy { writes: Writes::ConfinedExceptTruncation, ..CONFINED };
    check(&early, "truncate", [0; 6], REFUSED);
    check(&early, "openat2", [0; 6], UNKNOWN);
    check(&early, "unlinkat", [0; 6], ALLOWED);
}

#[test]
fn limits_can_be_read_but_not_set() {
    let me = u64::from(PID);
    check(&CONFINED, "prlimit64", [0, 7, 0, 0x7fff_0000, 0, 0], ALLOWED);
    check(&CONFINED, "prlimit64", [me, 7, 0, 0x7fff_0000, 0, 0], ALLOWED);
    check(&CONFINED, "prlimit64", [1, 7, 0, 0x7fff_0000, 0, 0], REFUSED);
    check(&CONFINED, "prlimit64", [0, 7, 0x7fff_0000, 0, 0, 0], REFUSED);
    check(&CONFINED, "prlimit64", [0, 7, 0x7fff_0000_0000, 0, 0, 0], REFUSED);
}

#[test]
fn commands_are_allowed_by_name() {
    check(&CONFINED, "ioctl", [0, 0x5413, 0, 0, 0, 0], ALLOWED);
    check(&CONFINED, "ioctl", [0, 0x5412, 0, 0, 0, 0], REFUSED); // TIOCSTI
    check(&CONFINED, "fcntl", [0, 1030, 0, 0, 0, 0], ALLOWED);
    check(&CONFINED, "fcntl", [0, 8, 0, 0, 0, 0], REFUSED); // F_SETOWN
    check(&CONFINED, "prctl", [15, 0, 0, 0, 0, 0], ALLOWED);
    check(&CONFINED, "prctl", [1, 0, 0, 0, 0, 0], REFUSED); // PR_SET_PDEATHSIG
    check(&CONFINED, "personality", [0xffff_ffff, 0, 0, 0, 0, 0], ALLOWED);
    check(&CONFINED, "personality", [0x0004_0000, 0, 0, 0, 0, 0], REFUSED);
}

/// The numbers of the table against those of the C library, for the
/// architecture that the tests run on.
#[cfg(target_os = "linux")]
#[test]
fn the_numbers_agree_with_the_c_library() {
    let Some(here) = Architecture::here() else { return };
    macro_rules! same {
        ($($name:ident $constant:ident,)*) => {
            $(assert_eq!(
                i64::from(number(here, stringify!($name))),
                libc::$constant as i64,
                stringify!($name)
            );)*
        };
    }
    same! {
        read SYS_read, write SYS_write, openat SYS_openat, close SYS_close, lseek SYS_lseek,
        mmap SYS_mmap, munmap SYS_munmap, mprotect SYS_mprotect, brk SYS_brk,
        clone SYS_clone, clone3 SYS_clone3, kill SYS_kill, tkill SYS_tkill, tgkill SYS_tgkill,
        exit_group SYS_exit_group, futex SYS_futex, getrandom SYS_getrandom,
        prlimit64 SYS_prlimit64, prctl SYS_prctl, ioctl SYS_ioctl, fcntl SYS_fcntl,
        unlinkat SYS_unlinkat, renameat2 SYS_renameat2,
        mkdirat SYS_mkdirat, linkat SYS_linkat, symlinkat SYS_symlinkat, truncate SYS_truncate,
        personality SYS_personality, rt_sigqueueinfo SYS_rt_sigqueueinfo,
        sched_setaffinity SYS_sched_setaffinity, clock_nanosleep SYS_clock_nanosleep,
        rt_sigaction SYS_rt_sigaction, rt_sigprocmask SYS_rt_sigprocmask,
        set_robust_list SYS_set_robust_list, rseq SYS_rseq, statx SYS_statx,
        newfstatat SYS_newfstatat, getdents64 SYS_getdents64, pipe2 SYS_pipe2, dup3 SYS_dup3,
        ppoll SYS_ppoll, epoll_pwait SYS_epoll_pwait, madvise SYS_madvise, mremap SYS_mremap,
        copy_file_range SYS_copy_file_range, sigaltstack SYS_sigaltstack,
    }
}

#[test]
fn a_strict_filter_ends_the_process_and_lets_one_program_take_its_place() {
    let strict = Policy { refusal: OnRefusal::Death, ..OPEN };
    for name in ["unlink", "renameat2", "mkdirat", "truncate"] {
        check(&strict, name, [0; 6], DEADLY);
    }
    check(&strict, "openat", [0, 0, 0o101, 0, 0, 0], DEADLY);
    check(&strict, "openat", [0, 0, 0, 0, 0, 0], ALLOWED);
    for architecture in [Architecture::X86_64, Architecture::Aarch64] {
        let (number, audit) = (architecture.program(), architecture.audit());
        assert_eq!(judge(&program(architecture, &strict), audit, number, [0; 6]), ALLOWED);
        assert_eq!(judge(&program(architecture, &OPEN), audit, number, [0; 6]), REFUSED);
    }
}
