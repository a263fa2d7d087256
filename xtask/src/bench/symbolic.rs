//! `cargo xtask bench symbolic`: figures 2 and 3 of "Parameterized Unit Tests",
//! std and well-known crates, the interpreter against native code, and solvers
//! against each other (these alone with `solvers`). Every input is replayed
//! natively, and mismatches are counted.
#![allow(unsafe_code, reason = "native code is loaded to be compared with")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use cargo_testsmith::args::{Explore, Format};
use cargo_testsmith::console::Console;
use cargo_testsmith::explore::{Explored, Settled, explore};
use testsmith_solver::{Answer, Blaster, SmtLib, Solver};
use testsmith_symbolic::explore as interpreter;
use testsmith_symbolic::ir::FunctionId;
use testsmith_symbolic::llvm::{Program, library_of};
use testsmith_symbolic::machine::{Bounds, Interpreter, Layout, RunRequest};

/// What a put of the paper may take.
const PATIENCE: &str = "600s";

/// A row of the tables: its name, what the paper reports, and the puts that make it.
struct Row {
    name: &'static str,
    paper: &'static str,
    puts: &'static [&'static str],
}

const ROWS: &[Row] = &[
    Row { name: "Quicksort int[4]", paper: "24, 0.3 s", puts: &["quicksort::tests::four_d"] },
    Row { name: "Quicksort int[5]", paper: "120, 1.2 s", puts: &["quicksort::tests::five"] },
    Row { name: "Quicksort int[6]", paper: "720, 8.8 s", puts: &["quicksort::large"] },
    Row {
        name: "Quicksort int[4], duplicates",
        paper: "-",
        puts: &["quicksort::tests::four_numbers"],
    },
    Row { name: "Triangle", paper: "9, 0.2 s", puts: &["triangle::"] },
    Row {
        name: "ArrayList 3",
        paper: "34, 3.6 s",
        puts: &[
            "array_list::tests::an_",
            "array_list::tests::ins",
            "array_list::tests::set",
            "array_list::tests::rem",
            "array_list::tests::what",
            "array_list::tests::clear",
            "array_list::tests::the_capacity",
            "array_list::tests::too",
        ],
    },
    Row {
        name: "Enumerator 4",
        paper: "67, 9.8 s",
        puts: &[
            "array_list::tests::the_enum",
            "array_list::tests::a_reset",
            "array_list::tests::there",
            "array_list::tests::a_changed",
        ],
    },
    Row { name: "Hashtable 2", paper: "30, 29.9 s", puts: &["hash_table::"] },
    Row { name: "Bag (deep) 2", paper: "20, 37.2 s", puts: &["bag::"] },
    Row { name: "LinkedList 10", paper: "64, 3.6 s", puts: &["linked_list::"] },
    Row { name: "RedBlackTree 8 nodes", paper: "457, 427 s", puts: &["red_black_tree::large"] },
];

pub fn run(args: &[String]) -> Result<()> {
    if args.iter().any(|arg| arg == "solvers") {
        return solvers(&compile()?);
    }
    if args.iter().any(|arg| arg == "loops") {
        return loops(&compile()?);
    }
    if args.iter().any(|arg| arg == "functions") {
        return functions();
    }
    let subjects = puts("subjects/puts", None, PATIENCE)?;
    let crates = puts("subjects/puts-crates", None, PATIENCE)?;
    println!("## The paper's figures 2 and 3\n");
    println!("| subject | puts | cases | refused | time | branch sides | verdict | paper |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for row in ROWS {
        let chosen: Vec<&Explored> = subjects
            .iter()
            .filter(|put| row.puts.iter().any(|part| put.module.contains(part)))
            .collect();
        println!("| {} | {} | {} |", row.name, summary(&chosen), row.paper);
    }
    println!("\n## Std and well-known crates\n");
    println!("| put | puts | cases | refused | time | branch sides | verdict |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for put in &crates {
        let name = put.module.rsplit("::").next().unwrap_or_default();
        println!("| {name} | {} |", summary(&[put]));
    }
    println!("\n## The three violations, put back in\n");
    let seeded = puts("subjects/puts", Some("seeded"), PATIENCE)?;
    for put in seeded.iter().filter(|put| put.settled == Settled::Fails) {
        let path = put.paths.iter().filter(|path| !path.passes).min_by_key(|path| path.call.len());
        println!("- {}", path.context("a put that fails has a failing path")?.call);
    }
    let all = || subjects.iter().chain(&crates).chain(&seeded);
    let inputs: usize = all().map(|put| put.paths.len()).sum();
    let mismatches: usize = all().map(|put| put.mismatches).sum();
    println!("\n{inputs} inputs replayed natively, {mismatches} with another outcome\n");
    ensure!(mismatches == 0, "a native run had another outcome than the explored one");
    let compiled = compile()?;
    interpreter(&compiled)?;
    loops(&compiled)?;
    functions()?;
    solvers(&compiled)
}

/// Loops on the input, divisions put together again, texts.
fn loops(compiled: &Compiled) -> Result<()> {
    println!("## Loops, divisions, texts\n");
    println!("| program | bytes of input | paths | verdict | time |");
    println!("| --- | --- | --- | --- | --- |");
    for (name, function, len) in [
        ("Collatz", "collatz", 1),
        ("greatest common divisor", "euclid", 2),
        ("CRC-32 by bits", "checksum", 1),
        ("CRC-32 by bits", "checksum", 2),
        ("`a / b * b + a % b`, `u64`", "divided", 16),
        ("`a / b * b + a % b`, `i32`", "divided_signed", 8),
        ("`u32` to text and back", "written_and_read", 4),
        ("`str::from_utf8`", "judged_text", 20),
        ("`str::from_utf8`", "judged_text", 40),
    ] {
        let (mut interpreter, entry) = open(compiled, function)?;
        let settings = interpreter::Settings { input_len: len, ..interpreter::Settings::default() };
        let solvers = vec![Box::new(Blaster::default()) as Box<dyn Solver>];
        let found = interpreter::explore(&mut interpreter, entry, &settings, solvers);
        let time = found.time.as_secs_f64();
        println!("| {name} | {len} | {} | {:?} | {time:.2} s |", found.paths(), found.conclusion());
    }
    println!();
    Ok(())
}

/// Functions of published crates, each with its bound.
fn functions() -> Result<()> {
    println!("## Functions of published crates\n");
    println!("| put | bounds | paths | refused | verdict | time |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let found = puts("subjects/puts-functions", None, "60s")?;
    for put in &found {
        let name = put.module.split_once("::").map_or(put.module.as_str(), |(_, name)| name);
        let verdict = match put.settled {
            Settled::Holds => "holds",
            Settled::Fails => "fails",
            _ => "not decided",
        };
        println!(
            "| {name} | {}{} bytes | {} | {} | {verdict} | {:.2} s |",
            bounds(&put.description.bounds),
            put.description.max_bytes,
            put.path_count(),
            put.rejected,
            put.time.as_secs_f64()
        );
    }
    let decided = found.iter().filter(|put| put.settled != Settled::Undecided).count();
    println!("\n{decided} of {} decided at bounds of use", found.len());
    let mismatches: usize = found.iter().map(|put| put.mismatches).sum();
    ensure!(mismatches == 0, "a native run had another outcome than the explored one");
    println!();
    Ok(())
}

/// The bounds of the parameters, before that of the whole.
fn bounds(of_parameters: &str) -> String {
    if of_parameters.is_empty() { String::new() } else { format!("{of_parameters}; ") }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies inside the workspace")
}

fn puts(package: &str, features: Option<&str>, time: &str) -> Result<Vec<Explored>> {
    let manifest = root().join(package).join("Cargo.toml").display().to_string();
    let mut words = vec!["--manifest-path", &manifest, "--no-write", "--max-time", time, "-q"];
    words.extend(features.iter().flat_map(|features| ["--features", features]));
    let options = Explore::from_words(&words)?;
    explore(&options, &Console::new(true, Format::Text), &Default::default(), &mut |_| ())
}

fn summary(puts: &[&Explored]) -> String {
    let sum = |part: &dyn Fn(&Explored) -> usize| puts.iter().map(|put| part(put)).sum::<usize>();
    let time: Duration = puts.iter().map(|put| put.time).sum();
    let (taken, all) = (sum(&|put| put.branches.0), sum(&|put| put.branches.1));
    let complete = puts.iter().all(|put| put.voids.is_empty());
    let hold = puts.iter().filter(|put| put.settled == Settled::Holds).count();
    format!(
        "{} | {} | {} | {:.2} s | {taken} of {all}{} | {hold} of {} hold",
        puts.len(),
        sum(&|put| put.path_count()),
        sum(&|put| put.rejected),
        time.as_secs_f64(),
        if complete { ", all reachable" } else { "" },
        puts.len(),
    )
}

/// The small programs of the engine's tests, as library and bitcode.
struct Compiled {
    library: PathBuf,
    bitcode: PathBuf,
    sysroot: PathBuf,
}

fn compile() -> Result<Compiled> {
    let folder = root().join("target/bench-symbolic");
    std::fs::create_dir_all(&folder)?;
    let status = Command::new("rustc")
        .args(["--edition=2024", "--crate-type=cdylib", "--emit=link,llvm-bc", "-Copt-level=0"])
        .args(["-Clto=fat", "-Ccodegen-units=1", "-Cdebug-assertions=on", "-Coverflow-checks=on"])
        .args(["-Cdebuginfo=1", "-Cno-vectorize-loops", "-Cno-vectorize-slp", "--cap-lints=allow"])
        .arg("--out-dir")
        .arg(&folder)
        .arg(root().join("crates/symbolic/tests/programs/library.rs"))
        .status()?;
    ensure!(status.success(), "the programs do not compile");
    let output = Command::new("rustc").args(["--print", "sysroot"]).output()?;
    Ok(Compiled {
        library: folder.join("liblibrary.so"),
        bitcode: folder.join("library.bc"),
        sysroot: PathBuf::from(String::from_utf8(output.stdout)?.trim()),
    })
}

fn open(compiled: &Compiled, function: &str) -> Result<(Interpreter, FunctionId)> {
    let wanted = |name: &str| name == function;
    let program = Program::open(&library_of(&compiled.sysroot)?, &compiled.bitcode, &wanted)?;
    let entry = program.find(&wanted).first().context("the function is there")?.0;
    Ok((Interpreter::new(program), entry))
}

/// Steps per second on concrete input, and the slowdown against the same native code.
fn interpreter(compiled: &Compiled) -> Result<()> {
    let (mut interpreter, entry) = open(compiled, "work")?;
    let bounds = Bounds { steps: u64::MAX, ..Bounds::default() };
    let job = RunRequest {
        entry,
        input: &[42],
        script: &[],
        bounds: &bounds,
        text_check: None,
        symbolic: false,
        layout: Layout::Ordered,
        unwind: false,
        hash_order: &[],
    };
    let mut best = f64::MAX;
    let mut steps = 0;
    for _ in 0..5 {
        let start = Instant::now();
        steps = interpreter.run(&job).steps;
        best = best.min(start.elapsed().as_secs_f64());
    }
    // SAFETY: the library was just built from our own source.
    let library = unsafe { libloading::Library::new(&compiled.library) }?;
    type Work = extern "Rust" fn(*const u8, usize) -> i64;
    // SAFETY: the function has this signature in the source, by this compiler.
    let work = unsafe { *library.get::<Work>(b"work")? };
    let mut native = f64::MAX;
    for _ in 0..50 {
        let start = Instant::now();
        std::hint::black_box(work([42u8].as_ptr(), 1));
        native = native.min(start.elapsed().as_secs_f64());
    }
    println!("## The interpreter\n");
    println!(
        "{steps} steps in {:.1} ms: {:.1} million steps/s; native unoptimised code takes {:.3} ms, \
         {:.0} times less\n",
        best * 1e3,
        steps as f64 / best / 1e6,
        native * 1e3,
        best / native
    );
    Ok(())
}

/// The sliced queries of real explorations, given to each solver anew.
fn solvers(compiled: &Compiled) -> Result<()> {
    println!("## Solvers on recorded queries\n");
    println!("| exploration | queries | solver | time | sat | unsat | unknown |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (function, len) in [
        ("btree_four", 16),
        ("triangle", 12),
        ("sort_dedup", 4),
        ("parse_number", 5),
        ("divide", 8),
        ("multiply", 8),
    ] {
        let (mut interpreter, entry) = open(compiled, function)?;
        let settings = interpreter::Settings {
            input_len: len,
            record_queries: true,
            ..interpreter::Settings::default()
        };
        let found = interpreter::explore(
            &mut interpreter,
            entry,
            &settings,
            vec![Box::new(Blaster::default())],
        );
        let mut solvers: Vec<Box<dyn Solver>> = vec![Box::new(Blaster::default())];
        for name in SmtLib::installed() {
            solvers.push(Box::new(SmtLib::start(name)?));
        }
        let mut answers: Vec<Vec<Answer>> = vec![];
        for mut solver in solvers {
            let start = Instant::now();
            let given: Vec<Answer> =
                found.recorded.iter().map(|query| solver.check(&interpreter.pool, query)).collect();
            let time = start.elapsed().as_secs_f64();
            let count = |kind: &dyn Fn(&Answer) -> bool| given.iter().filter(|a| kind(a)).count();
            println!(
                "| {function} | {} | {} | {time:.3} s | {} | {} | {} |",
                given.len(),
                solver.name(),
                count(&|a| matches!(a, Answer::Sat(_))),
                count(&|a| matches!(a, Answer::Unsat)),
                count(&|a| matches!(a, Answer::Unknown(_))),
            );
            answers.push(given);
        }
        let disagree = |a: &Answer, b: &Answer| {
            matches!((a, b), (Answer::Sat(_), Answer::Unsat) | (Answer::Unsat, Answer::Sat(_)))
        };
        for theirs in &answers[1..] {
            let mut pairs = answers[0].iter().zip(theirs);
            ensure!(!pairs.any(|(a, b)| disagree(a, b)), "the solvers disagree");
        }
    }
    if SmtLib::installed().is_empty() {
        println!("\nno z3, cvc5 or bitwuzla is on the PATH: the embedded solver stands alone");
    }
    Ok(())
}
