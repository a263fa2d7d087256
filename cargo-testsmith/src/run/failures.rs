//! From what was seen to fail to the file of failing tests.

use super::causes::Causes;
use super::compare::Comparison;
use super::found::{self, Found};
use super::report::Tests;
use super::support::Values;
use super::{Builds, FurtherBuild, Work, further_build, states};
use crate::budget::is_late;
use crate::candidate::{Confirmed, Confirmer, Search, Workers};
use crate::emit::{Destination, FAILURES, LeftOut, TestSource, Tree, failures, verify};
use crate::finding::{Failure, Finding, Findings, weight};
use crate::keep::{Keeper, steps};
use crate::stateful::{Exception, Exceptions};
use crate::stored::Stored;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use testsmith_lab::{Error, Profile, Supervisor};
use testsmith_model::message::Component;
use testsmith_render::Test;

impl Work<'_> {
    /// Confirms what the search saw, the gravest and the smallest first, and what there
    /// was no time for.
    pub(super) fn confirm(
        &self,
        supervisor: &mut Supervisor,
        findings: Findings,
        exceptions: Vec<Exception>,
        components: &[Component],
        tests: &mut Tests,
    ) -> Result<(Vec<Finding>, Vec<Found>)> {
        let workers =
            Workers { checked: supervisor, released: None, points: None, only_fast: false };
        let plan = &*self.session.plan;
        let mut causes = Causes::new(plan, findings);
        let until = self.ends.confirming;
        let mut confirmed = self.findings(workers, components, &mut causes, until, tests)?;
        if causes.has_lost() {
            let mut exact = self.session.another(self.harness, self.budget.limits())?;
            exact.take_lessons(supervisor.lessons().of_deaths());
            let workers =
                Workers { checked: &mut exact, released: None, points: None, only_fast: false };
            causes.again();
            confirmed.extend(self.findings(workers, components, &mut causes, until, tests)?);
        }
        let (mut findings, left) = causes.tell(confirmed);
        let values = Values::new(plan, components);
        for finding in findings.iter_mut().filter(|finding| finding.needs_support()) {
            match values.support(supervisor, finding) {
                Err(Error::Interrupted) => break,
                support => finding.weigh(plan, support?),
            }
        }
        findings.sort_by_key(|finding| weight(&finding.failing, &finding.sequence));
        findings = states::one_for_each(plan, findings);
        findings.extend(self.exceptions(supervisor, exceptions, components, tests)?);
        findings.sort_by_key(|finding| weight(&finding.failing, &finding.sequence));
        let found = |failure: Failure| Found {
            sequence: failure.sequence,
            after: Some(failure.after),
            differs: false,
            waits: true,
        };
        Ok((findings, left.into_iter().map(found).collect()))
    }

    /// Confirms exceptions to what nearly all calls keep.
    fn exceptions(
        &self,
        supervisor: &mut Supervisor,
        exceptions: Vec<Exception>,
        components: &[Component],
        tests: &mut Tests,
    ) -> Result<Vec<Finding>> {
        if exceptions.is_empty() || is_late(self.ends.confirming) {
            return Ok(vec![]);
        }
        let workers =
            Workers { checked: supervisor, released: None, points: None, only_fast: false };
        let mut search = Exceptions::new(&self.session.plan, exceptions);
        let until = self.ends.confirming;
        let mut found = self.findings(workers, components, &mut search, until, tests)?;
        for finding in &mut found {
            let of = search.passing.iter().find(|(small, _)| *small == finding.sequence);
            finding.passing = of.map(|(_, passing)| passing.clone());
        }
        found.retain(|finding| self.selection.wants(&finding.operation));
        Ok(found)
    }

    /// The build without overflow checks: the one that was made meanwhile, or one that
    /// is made now if it was asked for, or if what is taken up was found with it.
    pub(super) fn released(&self, builds: &Builds, differed: bool) -> Option<FurtherBuild> {
        if self.budget.builds_meanwhile() && !self.options.take_up {
            return Some(builds.released_by(self.ends.waiting));
        }
        (self.options.compare_release || differed).then(|| {
            self.session.console.say("building without overflow checks");
            further_build(self.session, Profile::Released, &AtomicBool::new(false))
        })
    }

    /// What is not the same with and without overflow checks.
    pub(super) fn differing(&self, released: &Path, tests: &mut Tests) -> Result<Vec<Finding>> {
        let Work { options, session, .. } = self;
        session.console.say("comparing with a build without overflow checks");
        let mut released = session.another(released, self.budget.limits())?;
        let mut checked = session.another(self.harness, self.budget.limits())?;
        let plan = &*session.plan;
        let comparison = Comparison::new(
            (plan, &session.package.root),
            &mut checked,
            (options.seed, self.selection.excluded(plan)),
            self.ends.comparing,
        );
        let mut comparison = match comparison {
            Err(Error::Interrupted) => return Ok(vec![]),
            comparison => comparison?,
        };
        let workers = Workers {
            checked: &mut checked,
            released: Some(&mut released),
            points: None,
            only_fast: false,
        };
        let until = self.ends.comparing;
        let mut findings = self.findings(workers, &[], &mut comparison, until, tests)?;
        findings.retain(|finding| self.selection.wants(&finding.operation));
        findings.sort_by(|a, b| a.failing.class.cmp(&b.failing.class));
        Ok(findings)
    }

    /// Takes the candidates of a search to findings. What comes and goes cannot be shown by a
    /// test.
    fn findings(
        &self,
        workers: Workers,
        components: &[Component],
        search: &mut dyn Search,
        until: Option<Instant>,
        tests: &mut Tests,
    ) -> Result<Vec<Finding>> {
        let plan = &*self.session.plan;
        let mut confirmer =
            Confirmer { workers, plan, root: &self.session.package.root, components, until };
        let all = confirmer.confirm_all(search)?;
        let (confirmed, unsteady): (Vec<Confirmed>, Vec<Confirmed>) =
            all.into_iter().partition(|one| one.steady);
        let finding = |one: Confirmed| Finding::new(plan, one);
        let unsteady = unsteady.into_iter().filter_map(finding);
        tests.left_out.extend(unsteady.map(|finding| LeftOut::flaky(finding.name)));
        Ok(confirmed.into_iter().filter_map(finding).collect())
    }

    /// Verifies the tests of the findings and writes them, unless nothing is to be
    /// written. What cannot be shown by a test is gone from `findings`; those for whose
    /// tests only time was short come last, and have no text.
    pub(super) fn write_failures(
        &self,
        findings: &mut Vec<Finding>,
        tests: &mut Tests,
    ) -> Result<()> {
        let (session, folder) = (self.session, self.folder());
        let mut tree = Tree::default();
        let mut waiting = vec![];
        tree.place(folder.join(FAILURES));
        if !findings.is_empty() {
            session.console.say("checking the failing tests in fresh processes");
            let module = FAILURES.trim_end_matches(".rs");
            let compose = |tests: &[&Test]| {
                BTreeMap::from([(module.to_owned(), failures(&session.plan, tests, &folder))])
            };
            let mounts = !session.plan.mounts.is_empty();
            let to = Destination {
                compose: &compose,
                folder: mounts.then_some(folder.as_path()),
                lints: "",
                until: self.ends.failing_tests,
            };
            let mut all = findings.clone();
            let mut verified = verify(&session.lab, findings, &to)?;
            self.say_missing(&verified.missing);
            let (late, left_out): (Vec<LeftOut>, Vec<LeftOut>) =
                verified.left_out.drain(..).partition(LeftOut::waits);
            all.retain(|finding| late.iter().any(|left| left.name == finding.name));
            waiting = all.into_iter().map(|late| Finding { waits: true, ..late }).collect();
            tests.left_out.extend(left_out);
            if let Some(text) = verified.files.remove(module) {
                take_texts(findings, &text);
                tree.want(folder.join(FAILURES), text);
            }
        }
        tests.failing = findings.len();
        if !self.options.no_write {
            tests.files.extend(tree.write()?);
        }
        findings.append(&mut waiting);
        Ok(())
    }

    /// Keeps what was found for a run that takes it up.
    pub(super) fn keep_found(&self, found: impl Iterator<Item = Found>) -> Result<()> {
        found::write(&self.session.lab.root().join(found::FILE), &self.session.plan, found)
    }

    /// Keeps the findings beside what else outlives a run.
    pub(super) fn keep_findings<'s>(
        &self,
        keeper: &mut Keeper,
        findings: impl Iterator<Item = &'s Finding>,
    ) {
        let plan = &self.session.plan;
        let kept = |finding: &Finding| testsmith_store::Finding {
            name: finding.name.clone(),
            class: finding.failing.class.clone(),
            operation: finding.operation.clone(),
            severity: finding.failing.severity.word().to_owned(),
            steps: steps(plan, &finding.sequence),
        };
        let all: Vec<testsmith_store::Finding> = findings.map(kept).collect();
        keeper.write("findings", |store, krate| store.put_findings(krate, &all));
    }

    /// Keeps the sequences of all findings, to be replayed.
    pub(super) fn store<'s>(
        &self,
        findings: impl Iterator<Item = &'s Finding>,
    ) -> Result<BTreeMap<String, PathBuf>> {
        let folder = self.session.out.join("findings");
        let _ = std::fs::remove_dir_all(&folder);
        let mut stored = BTreeMap::new();
        for finding in findings {
            std::fs::create_dir_all(&folder)
                .with_context(|| format!("cannot write to {}", folder.display()))?;
            let file = folder.join(format!("{}.json", finding.name));
            Stored::new(&self.session.plan, &finding.sequence).write(&file)?;
            stored.insert(finding.name.clone(), file);
        }
        Ok(stored)
    }
}

/// Lets each finding know its test as it stands in the file.
fn take_texts(findings: &mut [Finding], file: &str) {
    let Ok(source) = TestSource::read(file) else { return };
    for finding in findings {
        let test = source.tests.iter().find(|test| test.name == finding.name);
        finding.text = test.map(|test| test.text.clone());
    }
}
