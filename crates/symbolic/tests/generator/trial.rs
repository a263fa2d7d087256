//! Puts generated programs to the test: explored, run natively on every input,
//! and the two compared.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use testsmith_solver::Blaster;
use testsmith_symbolic::explore::{Conclusion, Expectation, Exploration, Settings, explore};
use testsmith_symbolic::ir::SiteId;
use testsmith_symbolic::llvm::{Program as Bitcode, library_of};
use testsmith_symbolic::machine::{End, Interpreter};

use super::{Expected, FRESH, Nature, Program, source};

/// What came of one program.
#[derive(Clone, Debug)]
pub struct Trial {
    pub program: Program,
    pub conclusion: Conclusion,
    pub voids: Vec<String>,
    pub assumptions: Vec<&'static str>,
    /// Inputs on which it natively does not do what is expected.
    pub failing: usize,
    /// How the verdict is untrue.
    pub wrong: Option<String>,
    pub time: Duration,
    /// The same with every way of every branch a path of its own.
    pub apart: Conclusion,
    pub apart_time: Duration,
    pub paths: (usize, usize),
}

/// Compiles the programs into one executable with its bitcode, in a folder.
fn compile(programs: &[Program], folder: &Path) -> (PathBuf, PathBuf) {
    std::fs::create_dir_all(folder).expect("the folder can be made");
    let file = folder.join("generated.rs");
    std::fs::write(&file, source(programs)).expect("the source can be written");
    let status = Command::new("rustc")
        .args(["--edition=2024", "--emit=link,llvm-bc", "-Copt-level=0", "-Clto=fat"])
        .args(["-Ccodegen-units=1", "-Cdebug-assertions=on", "-Coverflow-checks=on"])
        .args(["-Cdebuginfo=1", "-Cno-vectorize-loops", "-Cno-vectorize-slp", "--cap-lints=allow"])
        .arg("--out-dir")
        .arg(folder)
        .arg(&file)
        .status()
        .expect("rustc runs");
    assert!(status.success(), "the generated programs compile");
    (folder.join("generated"), folder.join("generated.bc"))
}

/// One letter per input: returned, panicked, died.
fn letters(executable: &Path, index: usize) -> Vec<u8> {
    let output = Command::new(executable).arg(index.to_string()).output().expect("it runs");
    assert!(output.status.success(), "program {index} ends the process of all programs");
    output.stdout
}

fn letter_of(end: &End) -> u8 {
    match end {
        End::Returned => b'r',
        End::Panicked { .. } => b'p',
        _ => b'x',
    }
}

fn number(input: &[u8]) -> usize {
    input.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// Explores every program and compares with all its native runs. `report` sees each trial
/// as it ends.
pub fn run(programs: &[Program], folder: &Path, mut report: impl FnMut(&Trial)) -> Vec<Trial> {
    let (executable, bitcode) = compile(programs, folder);
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc runs");
    let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout).expect("a path").trim());
    let library = library_of(&sysroot).expect("rustc has an LLVM");
    let entry = |name: &str| programs.iter().any(|program| program.name == name);
    let opened = Bitcode::open(&library, &bitcode, &entry).expect("the bitcode is read");
    let mut interpreter = Interpreter::new(opened);
    let mut trials = vec![];
    for (index, program) in programs.iter().enumerate() {
        let apart = explored(&mut interpreter, program, false);
        let found = explored(&mut interpreter, program, true);
        let native = letters(&executable, index);
        let mut trial = judge(&interpreter, program, &found, &native);
        trial.apart = apart.conclusion();
        trial.apart_time = apart.time;
        trial.paths.1 = apart.paths();
        trial.wrong = trial.wrong.or_else(|| differs(&interpreter, program, &found, &apart));
        report(&trial);
        trials.push(trial);
    }
    trials
}

fn explored(interpreter: &mut Interpreter, program: &Program, merging: bool) -> Exploration {
    interpreter.forget_terms();
    let mut settings = Settings {
        input_len: program.input_len,
        expectation: match program.expected {
            Expected::Returns => Expectation::Returns,
            Expected::Panics => Expectation::Panics,
        },
        max_time: Duration::from_secs(20),
        ..Settings::default()
    };
    // An endless loop is cut soon; no other program comes near.
    settings.bounds.steps = 1_000_000;
    settings.bounds.merging = merging;
    let entry = interpreter.program.find(&|name: &str| name == program.name);
    let entry = entry.first().expect("the program is there").0;
    explore(interpreter, entry, &settings, vec![Box::new(Blaster::default())])
}

fn judge(
    interpreter: &Interpreter,
    program: &Program,
    found: &Exploration,
    native: &[u8],
) -> Trial {
    let passing = match program.expected {
        Expected::Returns => b'r',
        Expected::Panics => b'p',
    };
    let failing = native.iter().filter(|letter| **letter != passing).count();
    let conclusion = found.conclusion();
    let assumptions: Vec<&'static str> =
        found.ledger.assumptions().map(|(assumption, _)| assumption.name()).collect();
    Trial {
        program: program.clone(),
        conclusion,
        voids: found.ledger.voids().map(|(why, _)| why.to_owned()).collect(),
        failing,
        wrong: wrong(interpreter, program, found, native, passing, &assumptions),
        assumptions,
        time: found.time,
        apart: conclusion,
        apart_time: found.time,
        paths: (found.paths(), found.paths()),
    }
}

/// Joining the ways of branches changes neither the verdict nor the sides that are taken.
fn differs(
    interpreter: &Interpreter,
    program: &Program,
    joined: &Exploration,
    apart: &Exploration,
) -> Option<String> {
    let (one, other) = (joined.conclusion(), apart.conclusion());
    if one != other && one != Conclusion::Undecided && other != Conclusion::Undecided {
        return Some(format!("{one:?} with ways joined, {other:?} with each apart"));
    }
    let both = joined.ledger.is_complete() && apart.ledger.is_complete();
    // The library judges texts without terms: there an input stands for itself alone.
    let own = |found: &Exploration| -> BTreeSet<(SiteId, u32)> {
        let sites = found.covered.iter().copied();
        let ours = |site: SiteId| interpreter.program.site(site).function.contains(&program.name);
        sites.filter(|(site, _)| ours(*site)).collect()
    };
    let (one, other) = (own(joined), own(apart));
    if both && joined.sides_are_clear() && one != other {
        let (more, less) = (&one - &other, &other - &one);
        return Some(format!("sides taken with ways joined: {more:?} more, {less:?} less"));
    }
    None
}

fn wrong(
    interpreter: &Interpreter,
    program: &Program,
    found: &Exploration,
    native: &[u8],
    passing: u8,
    assumptions: &[&str],
) -> Option<String> {
    let named = match program.nature {
        Nature::Determined => true,
        Nature::Depends(names) => names.iter().any(|name| assumptions.contains(name)),
    };
    if found.conclusion() == Conclusion::Holds {
        if !named {
            return Some("holds, and does not say on what it depends".to_owned());
        }
        let known = matches!(program.nature, Nature::Determined | Nature::Depends(FRESH));
        if let Some(input) = native.iter().position(|letter| known && *letter != passing) {
            return Some(format!("holds, but not on {input:#x}"));
        }
    }
    // Whether a run that depends on more than its input is as explored, chance decides.
    if !matches!(program.nature, Nature::Determined | Nature::Depends(FRESH)) {
        return None;
    }
    for case in found.cases.iter().filter(|case| case.certain) {
        let (predicted, real) = (letter_of(&case.end), native[number(&case.input)]);
        let fails = predicted != passing && real == passing;
        if fails || predicted != real && found.ledger.is_complete() {
            let (predicted, real) = (char::from(predicted), char::from(real));
            return Some(format!("{:?} is said to end as {predicted}, ends as {real}", case.input));
        }
    }
    if program.input_len == 1 && found.ledger.is_complete() {
        for (input, real) in native.iter().enumerate() {
            let case = found.case_of(&interpreter.pool, &[input as u8]);
            if case.is_none_or(|case| letter_of(&case.end) != *real) {
                return Some(format!("{input:#x} is not on the path it should be on"));
            }
        }
    }
    None
}
