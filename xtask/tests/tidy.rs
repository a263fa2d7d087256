//! The shape of the workspace, held by a test.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies inside the workspace")
}

/// `(package, folder under the root, names of workspace packages it depends on)`; a name
/// ends with `?` where the dependency is optional.
fn packages() -> Vec<(String, String, Vec<String>)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version=1"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let folder = |package: &serde_json::Value| {
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        let folder = manifest.parent().expect("a folder");
        folder.strip_prefix(root()).expect("inside").to_string_lossy().into_owned()
    };
    let normal = |dependency: &&serde_json::Value| {
        !dependency["path"].is_null() && dependency["kind"].as_str() != Some("dev")
    };
    let list = metadata["packages"].as_array().expect("packages");
    list.iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            let names = dependencies.iter().filter(normal);
            let marked = |d: &serde_json::Value| {
                let optional = if d["optional"].as_bool() == Some(true) { "?" } else { "" };
                format!("{}{optional}", d["name"].as_str().expect("a name"))
            };
            let names = names.map(marked).collect();
            (package["name"].as_str().expect("a name").to_owned(), folder(package), names)
        })
        .collect()
}

#[test]
fn crates_form_a_star_around_the_model() {
    let mut seen = 0;
    for (name, folder, dependencies) in packages() {
        if !folder.starts_with("crates/") {
            continue;
        }
        seen += 1;
        for dependency in dependencies {
            let edge = (name.as_str(), dependency.as_str());
            let allowed = dependency == "testsmith-model"
                || edge == ("testsmith-worker", "testsmith-engines")
                || edge == ("testsmith-worker", "testsmith-sandbox")
                || edge == ("testsmith-symbolic", "testsmith-solver")
                || edge == ("testsmith-reach", "testsmith-solver");
            assert!(allowed, "{name} may not depend on {dependency}: siblings meet in the command");
        }
    }
    let folders = std::fs::read_dir(root().join("crates")).expect("there is a folder of crates");
    assert_eq!(seen, folders.count(), "cargo's metadata has another number of crates");
}

#[test]
fn what_users_link_depends_on_nothing_of_ours_but_its_macros() {
    let mut seen = 0;
    for (name, _, dependencies) in packages() {
        if name == "testsmith" || name == "testsmith-macros" {
            seen += 1;
            for dependency in dependencies {
                // Fakes ask the solver; nobody has it who does not ask for them.
                let of_fakes = name == "testsmith" && dependency == "testsmith-reach?";
                let allowed = dependency == "testsmith-macros" || of_fakes;
                assert!(allowed, "{name} must stay light: {dependency}");
            }
        }
    }
    assert_eq!(seen, 2, "what users link was not looked at");
    let manifest = read(Path::new("testsmith/Cargo.toml"));
    let features = manifest.split("[features]").nth(1).expect("there are features");
    let features = features.split("\n[").next().expect("they end");
    let bringing = features.lines().filter(|line| line.contains("testsmith-reach"));
    assert_eq!(bringing.collect::<Vec<&str>>(), ["fakes = [\"dep:testsmith-reach\"]"]);
    assert!(!features.contains("default ="), "nothing is on by default");
}

/// No file is longer.
const MAX_FILE_LINES: usize = 600;
/// No function is longer, but for tables.
const MAX_FUNCTION_LINES: usize = 80;
/// Functions that are tables: a row after the other, and nothing decided.
const TABLES: &[(&str, &str)] = &[("xtask/src/bench/korat/mod.rs", "rows")];

/// Every file of the repository that ends like this, relative to the root.
fn files(ending: &str) -> Vec<PathBuf> {
    fn list(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder can be read").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            let built = name == "target" || name == "testsmith.out" || name.starts_with('.');
            if path.is_dir() && !built {
                list(&path, ending, found);
            } else if name.ends_with(ending) {
                found.push(path.strip_prefix(root()).expect("inside").to_owned());
            }
        }
    }
    let mut found = vec![];
    list(root(), ending, &mut found);
    assert!(found.len() > 10, "there are more files of {ending} than {found:?}");
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(root().join(path)).expect("a file of text")
}

/// The functions of a formatted source with their lengths: from `fn` to the brace that
/// stands as far to the right.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = vec![];
    for (n, line) in lines.iter().enumerate() {
        let start = line.trim_start();
        let Some((before, after)) = start.split_once("fn ") else { continue };
        let words = ["pub", "const", "async", "unsafe", "extern"];
        let qualified =
            |word: &str| word.starts_with('"') || words.iter().any(|w| word.starts_with(w));
        if !before.split_whitespace().all(qualified) {
            continue;
        }
        let indent = &line[..line.len() - start.len()];
        let ends = |line: &str| line.strip_prefix(indent).is_some_and(|rest| rest == "}");
        let one_line = line.contains('}') || line.ends_with(';');
        let more = if one_line { 0 } else { lines[n..].iter().position(|l| ends(l)).unwrap_or(0) };
        let name = after.split(|c: char| !c.is_alphanumeric() && c != '_').next();
        found.push((name.unwrap_or_default(), more + 1));
    }
    found
}

#[test]
fn files_and_functions_can_be_read_at_a_sitting() {
    let long =
        format!("    pub fn long() {{\n{}    }}\nfn short() {{}}\n", "        f();\n".repeat(80));
    assert_eq!(functions(&long), [("long", 82), ("short", 1)]);
    let mut too_long = vec![];
    for path in files(".rs") {
        let (text, name) = (read(&path), path.to_string_lossy());
        let lines = text.lines().count();
        if lines > MAX_FILE_LINES {
            too_long.push(format!("{name}: {lines} lines"));
        }
        for (function, lines) in functions(&text) {
            if lines > MAX_FUNCTION_LINES && !TABLES.contains(&(&name, function)) {
                too_long.push(format!("{name}, {function}: {lines} lines"));
            }
        }
    }
    assert!(too_long.is_empty(), "{too_long:#?}");
}

/// What stands between backticks and is a path.
fn paths_in(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter(|word| !word.contains([' ', '<', '\n'])).filter(|word| is_path(word)).collect()
}

fn is_path(word: &str) -> bool {
    let folders = ["crates/", "cargo-testsmith/", "testsmith/", "fixtures/", "subjects/", "docs/"];
    word.ends_with(".rs") || word.ends_with(".md") || folders.iter().any(|f| word.starts_with(f))
}

#[test]
fn the_architecture_names_files_that_exist() {
    let text = read(Path::new("docs/architecture.md"));
    let sources = files(".rs");
    let exists = |word: &str| {
        root().join(word).exists() || sources.iter().any(|source| source.ends_with(word))
    };
    let missing: Vec<&str> = paths_in(&text).into_iter().filter(|word| !exists(word)).collect();
    assert!(missing.is_empty(), "docs/architecture.md names {missing:?}");
    let walk = text.split("## The walk of one sequence").nth(1).expect("there is a walk");
    let walk = walk.split("\n## ").next().expect("it ends");
    let mut steps: Vec<String> = vec![];
    for line in walk.lines() {
        if line.starts_with(|c: char| c.is_ascii_digit()) {
            steps.push(line.to_owned());
        } else if let Some(step) = steps.last_mut() {
            step.push_str(line);
        }
    }
    assert!((10..=15).contains(&steps.len()), "{} steps", steps.len());
    for step in &steps {
        let files = paths_in(step).into_iter().filter(|word| root().join(word).is_file());
        assert!(files.count() > 0, "no file of the repository is named: {step}");
    }
}
