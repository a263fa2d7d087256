//! One source file for many programs: a library to explore, and a `main` that
//! runs them natively.
//!
//! `main N` prints one letter per input of program N: `r` it returned, `p` it
//! panicked, `x` the process died, left or hung. `main N hex…` does so for the
//! inputs given.

use super::Program;

/// The source of all programs.
pub fn source(programs: &[Program]) -> String {
    let mut text = HEADER.to_owned();
    for program in programs {
        let Program { name, items, body, .. } = program;
        text.push_str(&format!(
            "pub mod {name} {{\nuse super::*;\n{items}\n#[unsafe(no_mangle)]\npub fn {name}(data: *const u8, len: usize) -> i64 {{\n\
             let bytes = unsafe {{ std::slice::from_raw_parts(data, len) }};\nlet mut input = Input(bytes);\n{body}\n}}\n}}\n"
        ));
    }
    text.push_str("static PROGRAMS: &[(fn(*const u8, usize) -> i64, usize, bool)] = &[\n");
    for program in programs {
        let Program { name, input_len, alone, .. } = program;
        text.push_str(&format!("({name}::{name}, {input_len}, {alone}),\n"));
    }
    text.push_str("];\n");
    text + FOOTER
}

const HEADER: &str = r#"#![allow(warnings)]
use std::cell::{Cell, RefCell, UnsafeCell};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, Hasher, RandomState};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};
use std::rc::{Rc, Weak};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, RwLock};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};

pub struct Input<'a>(pub &'a [u8]);
impl Input<'_> {
    pub fn take<const N: usize>(&mut self) -> [u8; N] {
        let (head, tail) = self.0.split_first_chunk::<N>().expect("long enough");
        self.0 = tail;
        *head
    }
    pub fn u8(&mut self) -> u8 { self.take::<1>()[0] }
    pub fn u16(&mut self) -> u16 { u16::from_le_bytes(self.take()) }
}

/// Writes down a number when it is dropped.
pub struct Note<'a>(pub &'a RefCell<Vec<u8>>, pub u8);
impl Drop for Note<'_> {
    fn drop(&mut self) { self.0.borrow_mut().push(self.1) }
}

"#;

const FOOTER: &str = r#"
unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(code: i32) -> !;
    fn ualarm(first: u32, then: u32) -> u32;
}

/// The exit codes by which a process of its own tells what happened.
const RETURNED: i32 = 101 << 8;
const PANICKED: i32 = 102 << 8;

fn guarded(program: fn(*const u8, usize) -> i64, input: &[u8]) -> bool {
    catch_unwind(|| program(input.as_ptr(), input.len())).is_ok()
}

fn letter(program: fn(*const u8, usize) -> i64, alone: bool, input: &[u8]) -> u8 {
    if !alone {
        return if guarded(program, input) { b'r' } else { b'p' };
    }
    let mut status = 0;
    unsafe {
        let child = fork();
        if child == 0 {
            ualarm(300_000, 0);
            let code = if guarded(program, input) { RETURNED } else { PANICKED };
            _exit(code >> 8);
        }
        waitpid(child, &mut status, 0);
    }
    match status {
        RETURNED => b'r',
        PANICKED => b'p',
        _ => b'x',
    }
}

fn main() {
    use std::io::Write;
    std::panic::set_hook(Box::new(|_| {}));
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (program, len, alone) = PROGRAMS[args[0].parse::<usize>().unwrap()];
    let mut letters = vec![];
    for hex in &args[1..] {
        let digits: Vec<u32> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
        let input: Vec<u8> = digits.chunks(2).map(|d| (d[0] << 4 | d[1]) as u8).collect();
        letters.push(letter(program, alone, &input));
    }
    if args.len() == 1 {
        for number in 0..1u32 << (8 * len) {
            letters.push(letter(program, alone, &number.to_le_bytes()[..len]));
        }
    }
    std::io::stdout().write_all(&letters).unwrap();
}
"#;
