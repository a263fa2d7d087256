//! The regression suite of a run: made, verified, and written unless that would
//! wipe out a test that shows a change.

use super::Work;
use super::report::Tests;
use crate::emit::{
    Destination, REGRESSION_MODULES, REGRESSIONS, Tree, Written, changed, modules, mount, verify,
};
use crate::suite::{self, Filed, Regression, Suite, SuiteRequest};
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::Path;
use testsmith_lab::{Error, Lessons};
use testsmith_render::Test;

impl Work<'_> {
    /// Chooses the sequences of the suite. `lessons` is what the search has learnt of
    /// calls that end a worker. An interruption leaves no suite.
    pub(super) fn choose_suite(&self, lessons: Lessons) -> Result<Option<Suite>> {
        let Work { options, session, .. } = self;
        session.console.say("choosing regression tests by coverage");
        let excluded = self.selection.excluded(&session.plan);
        let mut supervisor = session.another(self.harness, self.budget.limits())?;
        supervisor.take_lessons(lessons);
        let wanted = SuiteRequest {
            seed: options.seed,
            most: options.max_tests,
            excluded: &excluded,
            budget: self.budget,
            ends: self.ends,
        };
        match suite::make(session, self.harness, supervisor, &wanted) {
            Err(why) if matches!(why.downcast_ref(), Some(Error::Interrupted)) => Ok(None),
            suite => suite.map(Some),
        }
    }

    pub(super) fn write_regressions(&self, mut suite: Suite, tests: &mut Tests) -> Result<()> {
        let Work { options, session, .. } = self;
        let plan = &*session.plan;
        tests.unsteady = suite.unsteady;
        session
            .console
            .say(&format!("checking {} regression tests in fresh processes", suite.tests.len()));
        let new = self.verify_suite(&mut suite.tests, tests)?;
        let folder = self.folder();
        let parts = folder.join(REGRESSION_MODULES);
        let mut tree = Tree::default();
        tree.place(folder.join(REGRESSIONS));
        tree.place(parts.clone());
        let old = modules_on_disk(&tree, &parts)?;
        if !options.accept && old.iter().any(|(name, text)| new.get(name) != Some(text)) {
            session.console.say("running the regression tests of an earlier run");
            tests.changed = changed(&session.lab, &old, &new)?;
            if !tests.changed.is_empty() {
                return Ok(());
            }
        }
        let edited = tree.edited()?;
        if edited.contains(&folder.join(REGRESSIONS)) {
            // It says itself which modules it has.
            tests.files.push((folder.join(REGRESSIONS), Written::Kept));
            return Ok(());
        }
        let stays = |name: &String| edited.contains(&parts.join(format!("{name}.rs")));
        let kept = old.keys().filter(|name| stays(name) && !new.contains_key(*name));
        let mut mounted: Vec<&str> = new.keys().chain(kept).map(String::as_str).collect();
        mounted.sort_unstable();
        if !mounted.is_empty() {
            tree.want(folder.join(REGRESSIONS), mount(plan, mounted.iter().copied()));
        }
        for (name, text) in &new {
            tree.want(parts.join(format!("{name}.rs")), text.clone());
        }
        tests.files.extend(tree.write()?);
        let written = suite.tests.iter().filter(|test| !stays(&test.filed.module));
        tests.regressions = written.count();
        tests.regression_lines = Some(suite.lines);
        let name = |test: &Regression| (test.filed.module.clone(), test.name.clone());
        tests.names = suite.tests.iter().map(name).collect();
        Ok(())
    }

    /// Keeps the regression tests that compile without a warning and pass every
    /// time, whatever runs beside them; their modules as they were verified.
    fn verify_suite(
        &self,
        suite: &mut Vec<Regression>,
        tests: &mut Tests,
    ) -> Result<BTreeMap<String, String>> {
        let session = self.session;
        let filed: BTreeMap<String, Filed> =
            suite.iter().map(|test| (test.name.clone(), test.filed.clone())).collect();
        let compose = |tests: &[&Test]| modules(&session.plan, tests, &filed);
        let until = self.ends.regression_tests;
        let to = Destination { compose: &compose, folder: None, lints: "deny(warnings)", until };
        let verified = verify(&session.lab, suite, &to)?;
        self.say_missing(&verified.missing);
        tests.left_out.extend(verified.left_out);
        Ok(verified.files)
    }
}

/// The modules of an earlier suite, by name.
fn modules_on_disk(tree: &Tree, parts: &Path) -> Result<BTreeMap<String, String>> {
    let name = |path: &Path| match path.extension() {
        Some(extension) if extension == "rs" && path.parent() == Some(parts) => {
            Some(path.file_stem()?.to_str()?.to_owned())
        }
        _ => None,
    };
    let existing = tree.existing()?;
    Ok(existing.into_iter().filter_map(|(path, text)| Some((name(&path)?, text))).collect())
}
