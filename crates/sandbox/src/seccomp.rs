//! The seccomp filter: a small program for the kernel, made from the table of
//! system calls.
//!
//! Building it is pure and works for every architecture on every machine, so
//! that the tests run the filters of both through an interpreter. Only
//! [`install`] talks to the kernel. Refused calls fail with `EPERM`, or end the
//! process where nobody may even try.

use super::syscalls::{FIRST_UNKNOWN, NONE, SyscallRule, TABLE};

/// How far writing is confined by somebody else, that is, by Landlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    Confined,
    ConfinedExceptTruncation,
    /// By nobody: every writing open and change by path is refused here.
    Anywhere,
}

/// What the filter needs to know of the process and of Landlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    pub pid: u32,
    pub writes: Writes,
    pub signals_scoped: bool,
    pub refusal: OnRefusal,
}

/// What becomes of a call that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnRefusal {
    /// It fails.
    Error,
    /// It ends the process. One program may take the place of this one, or
    /// there would be nobody to watch.
    Death,
}

/// An architecture: its number in the audit interface, and its column in the
/// table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    X86_64,
    Aarch64,
}

impl Architecture {
    /// The one we run on, if there is a filter for it.
    pub fn here() -> Option<Architecture> {
        if cfg!(all(target_arch = "x86_64", target_pointer_width = "64")) {
            Some(Architecture::X86_64)
        } else if cfg!(all(target_arch = "aarch64", target_endian = "little")) {
            Some(Architecture::Aarch64)
        } else {
            None
        }
    }

    fn audit(self) -> u32 {
        match self {
            Architecture::X86_64 => 0xc000_003e,
            Architecture::Aarch64 => 0xc000_00b7,
        }
    }

    /// The number of `execve`.
    fn program(self) -> u32 {
        match self {
            Architecture::X86_64 => 59,
            Architecture::Aarch64 => 221,
        }
    }

    /// The rules that exist here, by rising number.
    fn rules(self) -> Vec<(u32, SyscallRule)> {
        let number = |row: &super::syscalls::Row| match self {
            Architecture::X86_64 => row.1,
            Architecture::Aarch64 => row.2,
        };
        let mut rules: Vec<_> = TABLE.iter().map(|row| (number(row), row.3)).collect();
        rules.retain(|(number, _)| *number != NONE);
        rules.sort_by_key(|(number, _)| *number);
        rules
    }
}

/// `struct sock_filter`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    code: u16,
    if_true: u8,
    if_false: u8,
    operand: u32,
}

const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
const AND: u16 = 0x54; // BPF_ALU | BPF_AND | BPF_K
const IF_EQUAL: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const IF_AT_LEAST: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const IF_ANY_BIT: u16 = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const RETURN: u16 = 0x06; // BPF_RET | BPF_K

const ALLOWED: u32 = 0x7fff_0000;
const REFUSED: u32 = 0x0005_0000 | 1; // SECCOMP_RET_ERRNO with EPERM
const DEADLY: u32 = 0x8000_0000; // SECCOMP_RET_KILL_PROCESS
const UNKNOWN: u32 = 0x0005_0000 | 38; // SECCOMP_RET_ERRNO with ENOSYS

// Offsets in `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;

/// The lower half of an argument, on the little-endian machines we know.
fn argument(index: u8) -> u32 {
    16 + 8 * u32::from(index)
}

const OPEN_MODE: u32 = 0o3;
const OPEN_TRUNCATE: u32 = 0o1000;
const OPEN_WRITING: u32 = OPEN_MODE | 0o100 | OPEN_TRUNCATE | 0o20_000_000;
const CLONE_THREAD: u32 = 0x0001_0000;
/// All `CLONE_NEW*`: cgroup, mount, UTS, IPC, user, process, network and time.
const CLONE_NAMESPACES: u32 = 0x7e02_0080;

fn load(offset: u32) -> Instruction {
    Instruction { code: LOAD, if_true: 0, if_false: 0, operand: offset }
}

fn jump(code: u16, operand: u32, if_true: u8, if_false: u8) -> Instruction {
    Instruction { code, if_true, if_false, operand }
}

fn answer(action: u32) -> Instruction {
    Instruction { code: RETURN, if_true: 0, if_false: 0, operand: action }
}

/// The whole filter. The system calls form ranges that are judged alike; they
/// are tried in rising order, and every range ends in an answer.
pub fn program(architecture: Architecture, policy: &Policy) -> Vec<Instruction> {
    let mut program = vec![
        load(ARCHITECTURE),
        jump(IF_EQUAL, architecture.audit(), 1, 0),
        answer(UNKNOWN), // A 32-bit call, whose numbers mean something else.
        load(NUMBER),
    ];
    for (end, block) in ranges(architecture, policy) {
        let length = u8::try_from(block.len()).expect("a block is short");
        program.push(jump(IF_AT_LEAST, end, length, 0));
        program.extend(block);
    }
    program.push(answer(UNKNOWN));
    if policy.refusal == OnRefusal::Death {
        let refused = program.iter_mut().filter(|one| **one == answer(REFUSED));
        refused.for_each(|one| *one = answer(DEADLY));
    }
    program
}

/// Ends of ranges (exclusive) up to `FIRST_UNKNOWN`, each with its code.
fn ranges(architecture: Architecture, policy: &Policy) -> Vec<(u32, Vec<Instruction>)> {
    let mut rules = architecture.rules().into_iter().peekable();
    let mut ranges: Vec<(u32, Vec<Instruction>)> = Vec::new();
    for number in 0..FIRST_UNKNOWN {
        let rule = rules.next_if(|(n, _)| *n == number).map(|(_, rule)| rule);
        let replaced = policy.refusal == OnRefusal::Death && number == architecture.program();
        let otherwise = answer(if replaced { ALLOWED } else { REFUSED });
        let block = rule.map_or(vec![otherwise], |rule| block(rule, policy));
        match ranges.last_mut() {
            Some((end, last)) if *last == block => *end = number + 1,
            _ => ranges.push((number + 1, block)),
        }
    }
    ranges
}

/// The code that judges one system call. Jumps count instructions to skip.
fn block(rule: SyscallRule, policy: &Policy) -> Vec<Instruction> {
    let allowed_if = |condition: bool| vec![answer(if condition { ALLOWED } else { REFUSED })];
    match rule {
        SyscallRule::Allow => vec![answer(ALLOWED)],
        SyscallRule::Unknown => vec![answer(UNKNOWN)],
        SyscallRule::PathChange => allowed_if(policy.writes != Writes::Anywhere),
        SyscallRule::Truncate => allowed_if(policy.writes == Writes::Confined),
        SyscallRule::OpenBehindPointer if policy.writes == Writes::Confined => {
            vec![answer(ALLOWED)]
        }
        SyscallRule::OpenBehindPointer => vec![answer(UNKNOWN)],
        SyscallRule::OpenFlags(index) => open_flags(index, policy.writes),
        SyscallRule::ThreadOnly => vec![
            load(argument(0)),
            jump(IF_ANY_BIT, CLONE_THREAD, 0, 2),
            jump(IF_ANY_BIT, CLONE_NAMESPACES, 1, 0),
            answer(ALLOWED),
            answer(REFUSED),
        ],
        SyscallRule::OwnThread if policy.signals_scoped => vec![answer(ALLOWED)],
        SyscallRule::OwnProcess | SyscallRule::OwnThread => one_of(0, &[policy.pid]),
        SyscallRule::OwnOrZero => one_of(0, &[0, policy.pid]),
        SyscallRule::ReadLimits => {
            let mut block = vec![
                load(argument(2)),
                jump(IF_EQUAL, 0, 0, 2),
                load(argument(2) + 4),
                jump(IF_EQUAL, 0, 1, 0),
                answer(REFUSED),
            ];
            block.extend(one_of(0, &[0, policy.pid]));
            block
        }
        SyscallRule::OneOf(index, values) => one_of(index, values),
    }
}

/// Without Landlock no open may write. With it, a truncating open must also
/// write: its early versions look at the mode only, and truncating through a
/// reading open means nothing anyway.
fn open_flags(index: u8, writes: Writes) -> Vec<Instruction> {
    if writes == Writes::Anywhere {
        return vec![
            load(argument(index)),
            jump(IF_ANY_BIT, OPEN_WRITING, 0, 1),
            answer(REFUSED),
            answer(ALLOWED),
        ];
    }
    vec![
        load(argument(index)),
        jump(IF_ANY_BIT, OPEN_TRUNCATE, 0, 4),
        Instruction { code: AND, if_true: 0, if_false: 0, operand: OPEN_MODE },
        jump(IF_EQUAL, 1, 2, 0),
        jump(IF_EQUAL, 2, 1, 0),
        answer(REFUSED),
        answer(ALLOWED),
    ]
}

fn one_of(index: u8, values: &[u32]) -> Vec<Instruction> {
    let mut block = vec![load(argument(index))];
    for (position, value) in values.iter().enumerate() {
        let to_allowed = u8::try_from(values.len() - position).expect("lists are short");
        block.push(jump(IF_EQUAL, *value, to_allowed, 0));
    }
    block.push(answer(REFUSED));
    block.push(answer(ALLOWED));
    block
}

/// Hands the filter to the kernel, for all threads of the process, and makes
/// sure that it works, if one may try: a socket must now be refused.
#[cfg(target_os = "linux")]
pub fn install(policy: &Policy) -> bool {
    let Some(architecture) = Architecture::here() else { return false };
    let program = program(architecture, policy);
    /// `struct sock_fprog`.
    #[repr(C)]
    struct Program {
        length: u16,
        filter: *const Instruction,
    }
    let program = Program {
        length: u16::try_from(program.len()).expect("the filter is far below the kernel's limit"),
        filter: program.as_ptr(),
    };
    const SET_MODE_FILTER: u32 = 1;
    const ALL_THREADS: u32 = 1 << 0;
    // Older kernels slow the whole process down against a speculation attack
    // that only matters to those who keep secrets from the code they run.
    const ALLOW_SPECULATION: u32 = 1 << 2;
    // SAFETY: the program is valid for the call and copied by the kernel; the
    // prctl is the older way to the same end; a socket is closed if it opens.
    unsafe {
        let set = |flags: u32| {
            libc::syscall(libc::SYS_seccomp, SET_MODE_FILTER, flags, &raw const program) == 0
        };
        let installed = set(ALL_THREADS | ALLOW_SPECULATION)
            || set(ALL_THREADS)
            || libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)
                == 0;
        if !installed || policy.refusal == OnRefusal::Death {
            return installed;
        }
        let socket = libc::socket(libc::AF_UNIX, libc::SOCK_DGRAM, 0);
        if socket >= 0 {
            libc::close(socket);
        }
        socket < 0
    }
}

/// Why there is no filter, in words.
pub fn why_missing() -> &'static str {
    if Architecture::here().is_none() {
        "no filter for this architecture"
    } else {
        "the kernel accepts no seccomp filter"
    }
}

#[cfg(test)]
#[path = "seccomp_tests.rs"]
mod tests;
