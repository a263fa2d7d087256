//! Builds a program of this folder once per test binary, explores its functions
//! and calls them natively.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::path::{Path, PathBuf};
use std::process::Command;

use testsmith_solver::Blaster;
use testsmith_symbolic::explore::{Exploration, Settings, explore};
use testsmith_symbolic::llvm::{Program, library_of};
use testsmith_symbolic::machine::{End, Interpreter};

/// A compiled program: its bitcode to explore and its library to call.
pub struct Compiled {
    bitcode: PathBuf,
    library: PathBuf,
}

pub fn sysroot() -> PathBuf {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc runs");
    PathBuf::from(String::from_utf8(output.stdout).expect("a path").trim())
}

/// Compiles `tests/programs/<name>.rs`.
pub fn compile(name: &str) -> Compiled {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/programs/{name}.rs"));
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let status = Command::new("rustc")
        .args(["--edition=2024", "--crate-type=cdylib", "--emit=link,llvm-bc", "-Copt-level=0"])
        .args(["-Clto=fat", "-Ccodegen-units=1", "-Cdebug-assertions=on", "-Coverflow-checks=on"])
        .args(["-Cdebuginfo=1", "-Cno-vectorize-loops", "-Cno-vectorize-slp", "--cap-lints=allow"])
        .arg("--out-dir")
        .arg(&folder)
        .arg(&source)
        .status()
        .expect("rustc runs");
    assert!(status.success(), "{name} compiles");
    Compiled {
        bitcode: folder.join(format!("{name}.bc")),
        library: folder.join(format!("lib{name}.so")),
    }
}

impl Compiled {
    /// An interpreter for one function of the program.
    pub fn interpreter(&self, function: &str) -> (Interpreter, testsmith_symbolic::ir::FunctionId) {
        let library = library_of(&sysroot()).expect("rustc has an LLVM");
        let entry = |name: &str| name == function;
        let program = Program::open(&library, &self.bitcode, &entry).expect("the bitcode is read");
        let id = program.find(&entry).first().expect("the function is there").0;
        (Interpreter::new(program), id)
    }

    /// An interpreter for many functions of the program, which is read once.
    pub fn engine_of(&self, functions: &[&str]) -> Interpreter {
        let library = library_of(&sysroot()).expect("rustc has an LLVM");
        let entry = |name: &str| functions.contains(&name);
        Interpreter::new(
            Program::open(&library, &self.bitcode, &entry).expect("the bitcode is read"),
        )
    }

    pub fn explore(&self, function: &str, settings: &Settings) -> Exploration {
        let (mut interpreter, entry) = self.interpreter(function);
        explore(&mut interpreter, entry, settings, vec![Box::new(Blaster::default())])
    }

    /// Explores, and calls the native function with every input found: the outcome must
    /// be the one that was predicted. Returns the exploration.
    pub fn explore_and_replay(&self, function: &str, settings: &Settings) -> Exploration {
        let exploration = self.explore(function, settings);
        let native = self.native(function);
        for case in &exploration.cases {
            let value = native(&case.input);
            let panicked = value == i64::MIN;
            let predicted = matches!(case.end, End::Panicked { .. });
            assert_eq!(panicked, predicted, "{function} on {:?}: {:?}", case.input, case.end);
        }
        exploration
    }

    /// The value of the native function, or `i64::MIN` if it panics.
    pub fn call(&self, function: &str, input: &[u8]) -> i64 {
        self.native(function)(input)
    }

    pub fn native(&self, function: &str) -> impl Fn(&[u8]) -> i64 {
        // SAFETY: the library was built from our own source; its initialisers are std's.
        let library = unsafe { libloading::Library::new(&self.library) }.expect("it loads");
        #[allow(improper_ctypes_definitions, reason = "both sides are Rust")]
        type Program = extern "Rust" fn(*const u8, usize) -> i64;
        #[allow(improper_ctypes_definitions, reason = "both sides are Rust")]
        type Replay = extern "C" fn(Program, *const u8, usize) -> i64;
        // SAFETY: both are defined with these signatures in the source, by this compiler.
        let (program, replay) = unsafe {
            let program = *library.get::<Program>(function.as_bytes()).expect("it is exported");
            (program, *library.get::<Replay>(b"replay").expect("it is exported"))
        };
        // The native code stays: std's thread locals may still point into it.
        std::mem::forget(library);
        move |input| replay(program, input.as_ptr(), input.len())
    }
}

/// An input of so many bytes, everything else as usual.
pub fn bytes(len: usize) -> Settings {
    Settings { input_len: len, ..Settings::default() }
}
