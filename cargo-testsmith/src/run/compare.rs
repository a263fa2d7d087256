//! The same sequences on a build without overflow checks and debug assertions.
//!
//! What completes with the checks has to give the same results without them.
//! Arithmetic that overflows does not complete with the checks, so it is judged
//! as the panic it is and not reported here a second time. Only values of types
//! of the standard library count: what a type of the crate shows of its inside
//! may differ by design.

use crate::args::Run;
use crate::emit::{Emitted, RUNS};
use crate::finding::{Finding, relative};
use crate::pipeline::Session;
use crate::replay::describe;
use anyhow::Result;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use testsmith_engines::shrink::shrink;
use testsmith_judge::{Verdict, judge};
use testsmith_lab::{Error, Profile, Supervisor, TestRun};
use testsmith_model::message::Walk;
use testsmith_model::outcome::{Ending, Outcome};
use testsmith_model::ty::Ty;
use testsmith_model::{Plan, Sequence, Step};
use testsmith_render::Style;

/// This many sequences are compared, and no more.
const MAX_SEQUENCES: u32 = 2000;
const MAX_LENGTH: u32 = 12;
/// Comparing takes at most this long, but for runs of a number of calls: those
/// have to give the same result every time.
const MAX_TIME: Duration = Duration::from_secs(10);

/// Two workers: with the checks and without them.
pub(super) struct Pair<'b> {
    pub(super) session: &'b Session,
    pub(super) checked: &'b mut Supervisor,
    pub(super) released: &'b mut Supervisor,
}

impl Pair<'_> {
    /// One finding for each operation whose results are not the same, confirmed
    /// in fresh processes and by its test.
    pub(super) fn compare(&mut self, options: &Run) -> Result<Vec<Finding>> {
        let found = match self.search(options) {
            Err(Error::Interrupted) => return Ok(vec![]),
            found => found?,
        };
        self.verify(found)
    }

    fn search(&mut self, options: &Run) -> Result<Vec<Finding>, Error> {
        let walk = Walk {
            seed: options.seed,
            max_sequences: MAX_SEQUENCES.into(),
            max_calls: u64::MAX,
            max_length: MAX_LENGTH,
            keep: MAX_SEQUENCES,
            ..Walk::default()
        };
        let begin = Instant::now();
        self.checked.until = options.calls.is_none().then_some(begin + MAX_TIME / 2);
        let mut sequences = vec![];
        self.checked.walk(&walk, &mut |sequence, outcome| {
            if outcome.ending == Ending::Completed {
                sequences.push(sequence);
            }
        })?;
        let mut found: BTreeMap<String, Finding> = BTreeMap::new();
        for sequence in sequences {
            if options.calls.is_none() && begin.elapsed() > MAX_TIME {
                break;
            }
            let Some(outcome) = self.difference(&sequence)? else { continue };
            let plan = &self.session.plan;
            let Verdict::Failing(failing) = judge(plan, &sequence, &outcome) else { continue };
            if !found.contains_key(&failing.class)
                && let Some(finding) = self.shrunk(&sequence, outcome.step as usize)?
            {
                found.insert(failing.class, finding);
            }
        }
        Ok(found.into_values().collect())
    }

    /// What differs first, as an outcome of both builds together.
    fn difference(&mut self, sequence: &Sequence) -> Result<Option<Outcome>, Error> {
        let checked = self.checked.run(sequence, true)?;
        let released = self.released.run(sequence, true)?;
        Ok(difference(&self.session.plan, sequence, &checked, &released))
    }

    /// The smallest sequence that differs at its end, if it does so every time.
    fn shrunk(&mut self, sequence: &Sequence, step: usize) -> Result<Option<Finding>, Error> {
        let session = self.session;
        let mut differs = |candidate: &Sequence| {
            let last = candidate.len() as u32 - 1;
            let outcome = self.difference(candidate);
            matches!(outcome, Ok(Some(outcome)) if outcome.step == last)
        };
        let small = shrink(&session.plan, sequence, step, &[], &mut differs);
        let mut seen: Vec<Outcome> = vec![];
        for _ in 0..2 {
            let checked = self.checked.run_afresh(&small, true)?;
            let released = self.released.run_afresh(&small, true)?;
            seen.extend(difference(&session.plan, &small, &checked, &released));
        }
        let [first, second] = seen.as_slice() else { return Ok(None) };
        if (&first.ending, first.step) != (&second.ending, second.step) {
            return Ok(None);
        }
        let outcome = relative(first.clone(), &session.package.root);
        Ok(match judge(&session.plan, &small, &outcome) {
            Verdict::Failing(failing) => Some(Finding::new(&session.plan, failing, small, outcome)),
            Verdict::Passed => None,
        })
    }

    /// Keeps what passes with the checks and fails without them, every time.
    fn verify(&self, found: Vec<Finding>) -> Result<Vec<Finding>> {
        let Session { lab, plan, .. } = self.session;
        let mut kept = vec![];
        for mut finding in found {
            for style in [Style::Plain, Style::Explicit] {
                finding.style = style;
                let source = testsmith_render::test_file(plan, &[], &[&finding.test()]);
                let passes = |profile: Profile| {
                    Ok::<_, Error>(match lab.test_in(profile, &source)? {
                        TestRun::Ran(results) => results.passed.get(&finding.name).copied(),
                        TestRun::Refused(_) => None,
                    })
                };
                let mut honest = true;
                for _ in 0..RUNS {
                    honest = honest
                        && passes(Profile::Unoptimised)? == Some(true)
                        && passes(Profile::Released)? != Some(true);
                }
                if honest {
                    kept.push(finding);
                    break;
                }
            }
        }
        Ok(kept)
    }
}

fn difference(
    plan: &Plan,
    sequence: &Sequence,
    checked: &Outcome,
    released: &Outcome,
) -> Option<Outcome> {
    if checked.ending != Ending::Completed {
        return None;
    }
    let own = format!("{}::", plan.krate);
    let foreign = |step: &Step| match step {
        Step::Call(op, _) => {
            let operation = plan.operation(*op);
            let ty = &plan.ty(operation.output).ty;
            let shows_inside = operation.callee.is_trait_member("std::fmt::Debug", "fmt");
            let is_own = |ty: &Ty| ty.path().is_some_and(|path| path.starts_with(&own));
            !shows_inside && !ty.any(is_own)
        }
        Step::Literal(..) => false,
    };
    let pairs = checked.values.iter().zip(&released.values).zip(sequence.steps()).enumerate();
    let value = pairs.filter(|(_, (_, step))| foreign(step)).find_map(|(n, ((a, b), _))| {
        match (&a.text, &b.text) {
            (Some(a), Some(b)) if a != b => Some((n as u32, Some(a.clone()), b.clone())),
            _ => None,
        }
    });
    let (step, checked_text, released_text) = match value {
        Some(found) => found,
        None if released.ending == Ending::Completed => return None,
        None => (released.step, None, describe(&released.ending, released.phase)),
    };
    let ending = Ending::Differs { checked: checked_text, released: released_text };
    Some(Outcome { ending, step, ..checked.clone() })
}
