//! Each operator has a fixture: the mutants that must be made of it, and a function by which
//! each is told from the original. All of them are compiled into one program and run: with no
//! mutant active it does what the original does, with any other one it does not.
//!
//! `order` belongs to no operator: whatever mutants stand in it, it must do the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use testsmith_mutate::operators::OPERATORS;
use testsmith_mutate::{Cfg, Mutant, Scope, Source, Suspects, scan};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn source(name: &str, first: u32) -> Source {
    let text = std::fs::read_to_string(folder().join(format!("{name}.rs"))).expect("a fixture");
    let cfg = Cfg::default();
    let scope = Scope { module: vec![], cfg: &cfg, first };
    scan(&text, &scope).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// `3:4 + becomes -`.
fn row(source: &Source, mutant: &Mutant) -> String {
    let short = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let (place, was) = (mutant.start, short(&source.text[mutant.range.clone()]));
    format!("{}:{} {was} => {}", place.line, place.column, short(&mutant.replacement))
}

#[test]
fn every_operator_has_a_fixture_and_every_fixture_an_operator() {
    let names: BTreeSet<&str> = OPERATORS.iter().map(|operator| operator.name).collect();
    assert_eq!(names.len(), OPERATORS.len(), "two operators have one name");
    assert!(OPERATORS.is_sorted_by_key(|operator| operator.name));
    let files: BTreeSet<String> = std::fs::read_dir(folder())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    let wanted: BTreeSet<String> = names
        .iter()
        .flat_map(|name| [format!("{name}.rs"), format!("{name}.mutants")])
        .chain(["order.rs".to_owned()])
        .collect();
    assert_eq!(files, wanted);
}

#[test]
fn the_documentation_has_a_row_for_every_operator() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mutants.md");
    let text = std::fs::read_to_string(file).expect("it is documented");
    for operator in OPERATORS {
        let row = format!("| `{}` | {} |", operator.name, operator.what);
        assert!(text.contains(&row), "{row}");
    }
}

#[test]
fn every_operator_makes_the_mutants_of_its_fixture() {
    let mut wrong = vec![];
    for operator in OPERATORS {
        let source = source(operator.name, 1);
        let of = source.mutants.iter().filter(|mutant| mutant.operator == operator.name);
        let rows: String = of.map(|mutant| row(&source, mutant) + "\n").collect();
        let file = folder().join(format!("{}.mutants", operator.name));
        let wanted = std::fs::read_to_string(&file).unwrap_or_default();
        if rows != wanted && std::env::var_os("TESTSMITH_ACCEPT").is_some() {
            std::fs::write(&file, &rows).expect("writable");
        } else if rows != wanted {
            wrong.push(format!("{}:\n{rows}instead of\n{wanted}", operator.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn without_mutants_the_text_is_the_same_to_the_byte() {
    for operator in OPERATORS {
        let source = source(operator.name, 1);
        assert_eq!(source.write(&|_| false).text, source.text, "{}", operator.name);
        // A mutant adds no line.
        let written = source.write(&|mutant| mutant.operator == operator.name).text;
        assert_eq!(written.lines().count(), source.text.lines().count(), "{}", operator.name);
    }
}

#[test]
fn every_mutant_stands_in_the_text_once_and_can_be_traced_back() {
    for operator in OPERATORS {
        let source = source(operator.name, 1);
        let written = source.write(&|_| true);
        let arms: Vec<_> = written.pieces.iter().filter(|piece| piece.is_arm).collect();
        let mut ids: Vec<u32> = arms.iter().flat_map(|arm| arm.mutants.clone()).collect();
        ids.sort_unstable();
        let all: Vec<u32> = source.mutants.iter().map(|mutant| mutant.id).collect();
        assert_eq!(ids, all, "{}", operator.name);
        for arm in arms {
            assert_eq!(
                written.blamed(std::slice::from_ref(&arm.range)),
                Suspects { mutants: arm.mutants.clone(), is_sure: true },
                "{}",
                operator.name
            );
        }
    }
}

/// Modules with and without mutants, and a `main` that runs their probes.
struct Program {
    text: String,
    main: String,
}

impl Program {
    fn new() -> Program {
        let head = "#![allow(warnings)]\nuse std::panic::catch_unwind;\n\
                    fn tell(what: &str, probe: fn() -> String) {\n\
                    let said = catch_unwind(probe).unwrap_or_else(|_| \"panicked\".into());\n\
                    println!(\"{what}|{said}\");\n}\n";
        Program { text: head.to_owned(), main: String::new() }
    }

    /// `module|original`, `module|0` without a mutant, and `module|ID` for each.
    fn add(&mut self, name: &str, source: &Source, wanted: &dyn Fn(&Mutant) -> bool) {
        let strip = |text: &str| text.replace("#[mutants::skip]", "").replace("//!", "//");
        let (original, written) = (strip(&source.text), strip(&source.write(wanted).text));
        writeln!(self.text, "mod {name}_original {{\n{original}}}\nmod {name} {{\n{written}}}")
            .expect("a string takes all");
        writeln!(self.main, "tell(\"{name}|original\", {name}_original::probe);")
            .expect("a string takes all");
        let ids = source.mutants.iter().filter(|mutant| wanted(mutant)).map(|mutant| mutant.id);
        for id in std::iter::once(0).chain(ids) {
            let line = format!(
                "testsmith_switch::activate({id}); tell(\"{name}|{id}\", {name}::probe);\n"
            );
            self.main.push_str(&line);
        }
        self.main.push_str("testsmith_switch::activate(0);\n");
    }

    /// What each run said, by its name.
    fn run(&self, edition: &str) -> BTreeMap<String, String> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("program.rs");
        let text = format!(
            "{}fn main() {{\nstd::panic::set_hook(Box::new(|_| ()));\n{}}}\n",
            self.text, self.main
        );
        std::fs::write(&file, text).expect("writable");
        let switch = Path::new(env!("CARGO_MANIFEST_DIR")).join("../switch/src/lib.rs");
        let rustc = |arguments: &[&str], source: &Path| {
            let mut command = Command::new("rustc");
            command.args(arguments).arg(source).arg("--out-dir").arg(folder.path());
            let done = command.arg("-L").arg(folder.path()).output().expect("rustc runs");
            let told = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{}\n{told}", file.display());
        };
        rustc(&["--edition=2024", "--crate-type=rlib", "--crate-name=testsmith_switch"], &switch);
        rustc(&["--edition", edition, "--extern=testsmith_switch"], &file);
        let done = Command::new(folder.path().join("program")).output().expect("it runs");
        let said = String::from_utf8(done.stdout).expect("text");
        let row = |line: &str| {
            let (name, said) = line.rsplit_once('|')?;
            Some((name.to_owned(), said.to_owned()))
        };
        said.lines().filter_map(row).collect()
    }
}

#[test]
fn without_a_mutant_all_is_as_before_and_with_any_it_is_not() {
    let mut program = Program::new();
    let mut first = 1;
    let mut ids = vec![];
    for operator in OPERATORS {
        let source = source(operator.name, first);
        first += source.mutants.len() as u32;
        let of = |mutant: &Mutant| mutant.operator == operator.name && !is_refused(mutant);
        let found = source.mutants.iter().filter(|mutant| of(mutant));
        ids.extend(found.map(|mutant| (operator.name, mutant.id, row(&source, mutant))));
        program.add(operator.name, &source, &of);
    }
    let said = program.run("2024");
    for operator in OPERATORS {
        let of = |what: &str| &said[&format!("{}|{what}", operator.name)];
        assert_eq!(of("0"), of("original"), "{}", operator.name);
    }
    let killed = |name: &str, id: u32| said[&format!("{name}|{id}")] != said[&format!("{name}|0")];
    let alive: Vec<_> = ids.iter().filter(|(name, id, _)| !killed(name, *id)).collect();
    assert!(alive.is_empty(), "{alive:#?}");
}

/// What the compiler has to refuse in the fixtures.
fn is_refused(mutant: &Mutant) -> bool {
    // What `&` promotes to a constant for ever, a switch cannot be part of.
    mutant.operator == "literals" && mutant.function == "all" && mutant.start.column == 33
}

#[test]
fn order_temporaries_moves_and_drops_are_as_before_in_every_edition() {
    for edition in ["2015", "2018", "2021", "2024"] {
        let source = source("order", 1);
        let refused = ["bodies"];
        let wanted = |mutant: &Mutant| !refused.contains(&mutant.operator);
        let mut program = Program::new();
        program.add("order", &source, &wanted);
        // The mutants themselves do what they like; one that loops is not waited for.
        let kept =
            program.main.lines().filter(|line| line.contains("original") || line.contains("|0"));
        program.main = kept.map(|line| format!("{line}\n")).collect();
        let said = program.run(edition);
        assert_eq!(said["order|0"], said["order|original"], "{edition}");
    }
}
