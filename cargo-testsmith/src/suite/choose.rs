//! A small set of sequences that reaches what all of them reach.
//!
//! Greedy: the next one taken is that which reaches the most new points for its
//! length. It is made small right away, as far as it keeps what was new.

use super::candidates::{Candidate, Gatherer};
use super::vary::{Whose, varied};
use anyhow::Result;
use std::collections::{HashMap, HashSet};
use testsmith_engines::shrink::shrink;
use testsmith_model::{Edit, Sequence};

/// What a test costs its reader before its first call, in calls.
const COST_OF_A_TEST: usize = 3;

impl Gatherer<'_> {
    /// As many candidates as are wished, in the order in which they were chosen.
    pub(super) fn choose(&mut self, candidates: &[Candidate]) -> Result<Vec<Candidate>> {
        self.start_part();
        let mut reached: HashSet<u32> = HashSet::new();
        let mut tried: HashSet<&Sequence> = HashSet::new();
        let mut chosen: Vec<Candidate> = vec![];
        while chosen.len() < self.wish.most && !self.supervisor.is_late() {
            let gain = |candidate: &Candidate| {
                candidate.points.iter().filter(|point| !reached.contains(point)).count()
            };
            let worth = |candidate: &Candidate| {
                let cost = candidate.sequence.calls() + COST_OF_A_TEST;
                1000 * gain(candidate) / cost
            };
            // Of equals the first, so that the choice does not depend on chance.
            let mut best: Option<(usize, &Candidate)> = None;
            for candidate in candidates.iter().filter(|one| !tried.contains(&one.sequence)) {
                let worth = worth(candidate);
                if worth > best.map_or(0, |(known, _)| known) {
                    best = Some((worth, candidate));
                }
            }
            let Some((_, best)) = best else { break };
            let new: Vec<u32> =
                best.points.iter().copied().filter(|point| !reached.contains(point)).collect();
            let small = self.smaller(best, &new)?;
            // What it has lost by being made small is left to others.
            tried.insert(&best.sequence);
            reached.extend(&small.points);
            chosen.push(small);
        }
        Ok(without_redundant(chosen))
    }

    /// The smallest sequence that still reaches these points in the same way.
    fn smaller(&mut self, candidate: &Candidate, new: &[u32]) -> Result<Candidate> {
        let mut best = candidate.clone();
        let (plan, mut error) = (self.plan, None);
        let mut keeps = |sequence: &Sequence| match self.trace(sequence) {
            Ok(Some(traced)) => {
                let has = |point: &u32| traced.points.binary_search(point).is_ok();
                let keeps = traced.panics == candidate.panics && new.iter().all(has);
                if keeps {
                    best = traced;
                }
                keeps
            }
            Ok(None) => false,
            Err(why) => {
                error.get_or_insert(why);
                false
            }
        };
        let last = candidate.sequence.len() - 1;
        let small = shrink(plan, &candidate.sequence, last, &[], &mut keeps);
        for whose in [Whose::Everybodys, Whose::Held] {
            if varied(plan, &small, whose).is_some_and(|varied| keeps(&varied)) {
                break;
            }
        }
        if let Some(why) = error {
            return Err(why);
        }
        // What happened to be run on the way has nothing to do with the last call.
        let edit = Edit::of(&best.sequence);
        let alone = edit.needed(self.plan, edit.len() - 1).build(self.plan).ok();
        let alone = alone.filter(|alone| *alone != best.sequence);
        match alone.map(|alone| self.trace(&alone)).transpose()?.flatten() {
            Some(alone) if alone.panics == best.panics => Ok(alone),
            _ => Ok(best),
        }
    }
}

/// Leaves out whatever the others reach together, the longest first.
fn without_redundant(mut chosen: Vec<Candidate>) -> Vec<Candidate> {
    let mut times: HashMap<u32, usize> = HashMap::new();
    for point in chosen.iter().flat_map(|candidate| &candidate.points) {
        *times.entry(*point).or_default() += 1;
    }
    let mut order: Vec<usize> = (0..chosen.len()).collect();
    order.sort_by_key(|n| std::cmp::Reverse((chosen[*n].sequence.len(), *n)));
    let mut redundant = HashSet::new();
    for n in order {
        if chosen[n].points.iter().all(|point| times[point] > 1) {
            chosen[n].points.iter().for_each(|point| {
                times.entry(*point).and_modify(|times| *times -= 1);
            });
            redundant.insert(n);
        }
    }
    let mut n = 0;
    chosen.retain(|_| {
        n += 1;
        !redundant.contains(&(n - 1))
    });
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(points: &[u32]) -> Candidate {
        let sequence = Sequence::default();
        Candidate { sequence, points: points.to_vec(), panics: false }
    }

    #[test]
    fn what_the_others_reach_together_is_left_out() {
        let chosen = vec![candidate(&[1, 2]), candidate(&[2, 3]), candidate(&[1, 3, 4])];
        let kept: Vec<Vec<u32>> =
            without_redundant(chosen).into_iter().map(|candidate| candidate.points).collect();
        assert_eq!(kept, [vec![1, 2], vec![1, 3, 4]]);
    }
}
