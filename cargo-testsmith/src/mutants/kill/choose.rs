//! Few tests that notice many mutants: what witnesses show each time, chosen greedily.

use super::killer::Killer;
use super::search::Hunted;
use super::witness::{Checker, Witness};
use crate::mutants::sources::Sources;
use crate::pipeline::Session;
use crate::suite::{Observed, observe_steadily, regression, tell_apart, text_of};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use testsmith_lab::{Package, Supervisor};
use testsmith_model::{Edit, EditStep, Mode, Plan, Sequence};
use testsmith_render::{TestEnding, test_function};

/// Observes all witnesses and chooses among what is always the same. `taken` are the names of
/// other tests in the file.
pub fn choose(
    session: &Session,
    package: &Package,
    sources: &Sources,
    hunted: &Hunted,
    mut supervisor: Supervisor,
    taken: BTreeSet<String>,
) -> Result<Vec<Killer>> {
    let plan = &*session.plan;
    let of = |witness: &Witness| (witness.sequence.clone(), about(plan, &witness.sequence));
    let sequences: Vec<(Sequence, usize)> = hunted.witnesses.iter().map(of).collect();
    if sequences.is_empty() {
        return Ok(vec![]);
    }
    session.console.say(&format!("observing {} sequences", sequences.len()));
    let observed = observe_steadily(&mut supervisor, plan, &sequences)?;
    let pairs = hunted.witnesses.iter().zip(observed);
    let steady: Vec<(&Witness, Observed)> =
        pairs.filter_map(|(witness, observed)| Some((witness, observed?))).collect();
    let numbers = sources.count() + 1;
    let mut checker = Checker::new(plan, supervisor, numbers);
    let mut tests = vec![];
    for (witness, observed) in steady {
        let kills = still_noticed(&mut checker, sources, witness, &observed)?;
        if !kills.is_empty() {
            tests.push((observed, kills));
        }
    }
    let texts = text_of(&package.sources);
    let chosen = few(tests);
    let times = times(&chosen);
    let killer = |(observed, kills): (Observed, BTreeSet<u32>)| {
        // What no other test notices says best what this one is for.
        let first = kills.iter().min_by_key(|mutant| times[*mutant]).copied().unwrap_or_default();
        Killer::new(regression(plan, observed, &texts), kills, first, sources)
    };
    let mut chosen: Vec<Killer> =
        chosen.into_iter().map(killer).filter(|killer| says_something(plan, killer)).collect();
    let mut regressions: Vec<_> = chosen.iter().map(|killer| killer.regression.clone()).collect();
    tell_apart(&mut regressions, plan, taken);
    for (killer, regression) in chosen.iter_mut().zip(regressions) {
        killer.regression = regression;
    }
    chosen.sort_by(|a, b| a.key().cmp(&b.key()));
    Ok(chosen)
}

/// What of the mutants is still noticed by what is always the same.
fn still_noticed(
    checker: &mut Checker,
    sources: &Sources,
    witness: &Witness,
    observed: &Observed,
) -> Result<BTreeSet<u32>> {
    let Some((_, tried)) = checker.original(&witness.sequence)? else {
        return Ok(BTreeSet::new());
    };
    let among = witness.kills.iter().map(|id| (*id, sources.place_of(*id)));
    let among: Vec<(u32, u32)> = among.collect();
    Ok(checker.noticed(observed, &tried, &among)?)
}

/// Takes those that notice the most that is new, of equals the shortest, and leaves out what
/// the others notice together.
fn few(mut tests: Vec<(Observed, BTreeSet<u32>)>) -> Vec<(Observed, BTreeSet<u32>)> {
    let mut told: BTreeSet<u32> = BTreeSet::new();
    let mut chosen: Vec<(Observed, BTreeSet<u32>)> = vec![];
    loop {
        let worth = |(observed, kills): &(Observed, BTreeSet<u32>)| {
            (kills.difference(&told).count(), std::cmp::Reverse(observed.sequence.len()))
        };
        let best = tests.iter().enumerate().rev().max_by_key(|(_, test)| worth(test));
        match best.map(|(n, test)| (n, worth(test).0)) {
            Some((n, new)) if new > 0 => {
                let test = tests.swap_remove(n);
                told.extend(&test.1);
                chosen.push(test);
            }
            _ => break,
        }
    }
    let mut times = times(&chosen);
    // The last one chosen was needed for what was left then.
    let mut kept = vec![];
    for test in chosen {
        if test.1.iter().all(|mutant| times[mutant] > 1) {
            test.1.iter().for_each(|mutant| *times.entry(*mutant).or_default() -= 1);
        } else {
            kept.push(test);
        }
    }
    kept
}

/// By mutant, how many tests notice it.
fn times(tests: &[(Observed, BTreeSet<u32>)]) -> BTreeMap<u32, usize> {
    let mut times = BTreeMap::new();
    for mutant in tests.iter().flat_map(|(_, kills)| kills) {
        *times.entry(*mutant).or_default() += 1;
    }
    times
}

/// The step that a test is about: the last, or, where that only asks for the text of a value, the
/// last one that changed this value.
fn about(plan: &Plan, sequence: &Sequence) -> usize {
    let edit = Edit::of(sequence);
    let last = edit.len().saturating_sub(1);
    let Some(EditStep::Call(op, args)) = edit.steps.last() else { return last };
    let callee = &plan.operation(*op).callee;
    let shows = |path: &str| callee.is_trait_member(path, "fmt");
    if !shows("std::fmt::Debug") && !shows("std::fmt::Display") {
        return last;
    }
    let changes = |at: &usize| match &edit.steps[*at] {
        EditStep::Call(op, others) => {
            let inputs = plan.operation(*op).inputs.iter().zip(others.iter());
            inputs
                .into_iter()
                .any(|(input, arg)| input.mode == Mode::Exclusive && args.contains(arg))
        }
        EditStep::Literal(..) => false,
    };
    (0..last).rev().find(changes).unwrap_or(last)
}

/// A test without an assertion would say no more than that nothing panics.
fn says_something(plan: &Plan, killer: &Killer) -> bool {
    let test = &killer.regression;
    test.ending != TestEnding::Open
        || test_function(plan, &crate::emit::Emitted::test(test)).contains("assert")
}
