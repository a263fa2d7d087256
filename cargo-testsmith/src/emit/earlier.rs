//! The regression tests of an earlier run against the crate as it is now.
//!
//! A test that was true and no longer is shows a change. It must not vanish
//! just because a new run would write another one in its place.

use super::verify::name_at;
use anyhow::Result;
use std::collections::BTreeMap;
use testsmith_lab::{Lab, Profile, TestBuild};

/// A test on disk that the crate does not pass any more.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Changed {
    pub test: String,
    pub why: String,
}

/// Each round takes out what does not compile.
const MAX_BUILDS: usize = 8;

/// Runs those tests of the modules on disk that are not also among the new
/// ones, and says which fail.
pub fn changed(
    lab: &Lab,
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
) -> Result<Vec<Changed>> {
    let mut modules: BTreeMap<&str, Module> = BTreeMap::new();
    for (name, text) in old {
        let known = new.get(name).map(|text| Module::read(text).tests).unwrap_or_default();
        let mut module = Module::read(text);
        module.tests.retain(|test| !known.contains(test));
        if !module.tests.is_empty() {
            modules.insert(name, module);
        }
    }
    let mut changed = vec![];
    for _ in 0..MAX_BUILDS {
        if modules.is_empty() {
            return Ok(changed);
        }
        let source: String = modules.iter().map(|(name, module)| module.source(name)).collect();
        match lab.build_tests(Profile::Unoptimised, &source)? {
            TestBuild::Built(program) => {
                let results = program.run(&[])?;
                for (path, _) in results.passed.iter().filter(|(_, passed)| !**passed) {
                    let why = reason(&results.output, path);
                    changed.push(Changed { test: path.clone(), why: format!("it fails: {why}") });
                }
                return Ok(changed);
            }
            TestBuild::Refused(errors) => {
                for (line, why) in errors {
                    take_out(&mut modules, &source, line, &why, &mut changed);
                }
            }
        }
    }
    Ok(changed)
}

/// Takes the test that a line belongs to out of its module, or the whole module
/// if it is none of the tests that does not compile.
fn take_out(
    modules: &mut BTreeMap<&str, Module>,
    source: &str,
    line: usize,
    why: &str,
    changed: &mut Vec<Changed>,
) {
    let lines: Vec<&str> = source.lines().take(line).collect();
    let is_head = |text: &&&str| text.starts_with("mod ") && text.ends_with(" {");
    let Some(head) = lines.iter().rev().find(is_head) else { return };
    let module = head["mod ".len()..head.len() - " {".len()].to_owned();
    let Some(tests) = modules.get_mut(module.as_str()).map(|module| &mut module.tests) else {
        return;
    };
    let inside = lines.iter().rev().take_while(|text| *text != head);
    let here = match inside.filter(|text| text.starts_with("fn ")).count() {
        // Above the first test: an import that is gone takes all of them along.
        0 => None,
        _ => name_at(source, line),
    };
    let known = |name: &String| tests.iter().position(|test| name_in(test) == Some(name));
    let here = match here.map(|name| known(&name)) {
        // One test may have several errors.
        Some(None) => return,
        Some(at) => at,
        None => None,
    };
    let gone: Vec<String> = match here {
        Some(at) => vec![tests.remove(at)],
        None => std::mem::take(tests),
    };
    for test in gone {
        let name = name_in(&test).unwrap_or_default();
        let why = format!("it does not compile: {why}");
        changed.push(Changed { test: format!("{module}::{name}"), why });
    }
    modules.retain(|_, module| !module.tests.is_empty());
}

/// A module taken apart: what stands before its tests, and each of them.
struct Module {
    head: String,
    tests: Vec<String>,
}

impl Module {
    /// Every item that ends with a brace at the start of a line and is a test.
    fn read(text: &str) -> Module {
        let mut module = Module { head: String::new(), tests: vec![] };
        let mut item = String::new();
        for line in text.lines() {
            item.push_str(line);
            item.push('\n');
            let import = line.starts_with("use ") && line.ends_with(';');
            let ends = import || matches!(line, "}" | "};") || line.starts_with("//!");
            if ends {
                let item = std::mem::take(&mut item);
                if item.contains("#[test]") {
                    module.tests.push(item.trim_start().to_owned());
                } else {
                    module.head.push_str(&item);
                }
            }
        }
        module
    }

    fn source(&self, name: &str) -> String {
        // An import is not at fault if what used it is not asked any more.
        let lines = "#![allow(unused_imports, dead_code)]";
        format!("mod {name} {{\n{lines}\n{}{}}}\n", self.head, self.tests.concat())
    }
}

fn name_in(test: &str) -> Option<&str> {
    let head = test.lines().find(|line| line.starts_with("fn "))?;
    head.strip_prefix("fn ")?.split('(').next()
}

/// The first line that a failed test printed of its own.
fn reason(output: &str, path: &str) -> String {
    let words = output.split(&format!("---- {path} stdout ----")).nth(1).unwrap_or_default();
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    // Where it panicked is the line before what it said.
    let said: Vec<&str> =
        lines.by_ref().filter(|line| !line.starts_with("thread '")).take(3).collect();
    match said.as_slice() {
        [] => "it did not end as before".to_owned(),
        said => said.join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! About.\n\nuse a::Shelf;\n\n/// One.\n#[test]\nfn one() {\n    x();\n}\n\n\
                        #[test]\nfn two() {\n    y();\n}\n";

    #[test]
    fn a_module_is_taken_apart_into_its_tests() {
        let module = Module::read(TEXT);
        assert_eq!(module.head, "//! About.\n\nuse a::Shelf;\n");
        assert_eq!(
            module.tests,
            ["/// One.\n#[test]\nfn one() {\n    x();\n}\n", "#[test]\nfn two() {\n    y();\n}\n"]
        );
        assert_eq!(name_in(&module.tests[1]), Some("two"));
    }

    #[test]
    fn an_error_takes_out_its_test_or_the_whole_module() {
        let source = Module::read(TEXT).source("shelf");
        let line = |text: &str| source.lines().position(|line| line.contains(text)).unwrap() + 1;
        let check = |text: &str, left: &[&str], gone: &[&str]| {
            let mut modules = BTreeMap::from([("shelf", Module::read(TEXT))]);
            let mut changed = vec![];
            take_out(&mut modules, &source, line(text), "why", &mut changed);
            let rest: Vec<&str> =
                modules.values().flat_map(|m| m.tests.iter().filter_map(|t| name_in(t))).collect();
            assert_eq!(rest, left);
            assert_eq!(changed.iter().map(|c| c.test.as_str()).collect::<Vec<_>>(), gone);
        };
        check("y();", &["one"], &["shelf::two"]);
        check("use a::Shelf", &[], &["shelf::one", "shelf::two"]);
    }
}
