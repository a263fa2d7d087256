//! Writes tests into the user's tree, and never over what a person changed.
//!
//! Every test was compiled and run in fresh processes before it is written, in
//! the very file that is written; one that does not compile, or does not end as
//! it should each time, is left out and counted.

mod earlier;
mod files;
mod merge;
mod names;
mod source;
mod verify;

pub use earlier::{Changed, changed};
pub use files::{Tree, Written, marked};
pub use merge::merged;
pub use source::TestSource;
pub use verify::{Destination, Emitted, Expected, LeftOut, verify};

use crate::suite::Filed;
use std::collections::BTreeMap;
use std::path::Path;
use testsmith_lab::format;
use testsmith_model::Plan;
use testsmith_model::operation::Mount;
use testsmith_render::{Test, test_file};

/// The name of the file of failing tests.
pub const FAILURES: &str = "testsmith_failures.rs";
/// The file of the regression suite, and the folder of its modules.
pub const REGRESSIONS: &str = "testsmith_regressions.rs";
pub const REGRESSION_MODULES: &str = "testsmith_regressions";

/// The file of tests that tell mutants from the original.
pub const MUTANTS: &str = "testsmith_mutants.rs";

/// Lints on style are not for code that a program writes.
const ROOT: &str = "#![allow(clippy::all)]\n";

/// The text of the file of failing tests, which will stand in a folder.
pub fn failures(plan: &Plan, tests: &[&Test], folder: &Path) -> String {
    let mut body = test_file(plan, &[], tests);
    let refers = |mount: &&Mount| body.contains(&format!("{}::", mount.module));
    let mounts: Vec<String> =
        plan.mounts.iter().filter(refers).map(|mount| mount.item(Some(folder))).collect();
    for mount in mounts {
        body.push('\n');
        body.push_str(&mount);
    }
    format(&format!(
        "//! What `cargo testsmith` found in {} {}: each of these tests fails, and passes\n\
         //! once what it shows is mended.\n{ROOT}\n{}{}",
        plan.krate,
        plan.version,
        plan.extern_crate(),
        body.trim_start()
    ))
}

/// The text of the file of tests that tell mutants from the original.
pub fn killers(plan: &Plan, tests: &[&Test]) -> String {
    format(&format!(
        "//! What {} {} does where its other tests did not look: each of these tests fails if the\n\
         //! code is changed in the way that its comment says.\n{ROOT}\n{}{}",
        plan.krate,
        plan.version,
        plan.extern_crate(),
        test_file(plan, &[], tests).trim_start()
    ))
}

/// The modules of a regression suite: name and text. `filed` says where each test
/// belongs, by its name.
pub fn modules(
    plan: &Plan,
    tests: &[&Test],
    filed: &BTreeMap<String, Filed>,
) -> BTreeMap<String, String> {
    let mut by_module: BTreeMap<&Filed, Vec<&Test>> = BTreeMap::new();
    for test in tests {
        by_module.entry(&filed[&test.name]).or_default().push(test);
    }
    let text = |(filed, tests): (&Filed, Vec<&Test>)| {
        let about = match &filed.owner {
            Some(owner) => format!("Regression tests of `{owner}` in {}.", plan.krate),
            None => format!("Regression tests of the functions of {}.", plan.krate),
        };
        (filed.module.clone(), format(&test_file(plan, &[about], &tests)))
    };
    by_module.into_iter().map(text).collect()
}

/// The file that mounts the modules of a regression suite.
pub fn mount<'m>(plan: &Plan, modules: impl Iterator<Item = &'m str>) -> String {
    let mut text = format!(
        "//! What the public API of {} did in version {}: few tests, chosen by coverage.\n\
         //! One that fails shows a change; whether it was meant is for its reader to say.\n{ROOT}",
        plan.krate, plan.version
    );
    if !plan.extern_crate().is_empty() {
        text.push_str(&format!("\n{}", plan.extern_crate()));
    }
    for module in modules {
        let path = format!("#[path = \"{REGRESSION_MODULES}/{module}.rs\"]");
        text.push_str(&format!("\n{path}\nmod {module};\n"));
    }
    text
}
