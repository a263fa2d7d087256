//! A small set of sequences that reaches what all of them reach.
//!
//! Greedy: the next one proposed is that which reaches the most new points for
//! its length. It is made small right away, as far as it keeps what was new.

use super::gather::Traced;
use crate::candidate::{Candidate, Claim, Confirmed, Search, Workers};
use std::collections::{HashMap, HashSet};
use testsmith_lab::Error;
use testsmith_model::Sequence;

/// What a test costs its reader before its first call, in calls.
const COST_OF_A_TEST: usize = 3;

/// Chooses from what was gathered.
pub(super) struct Choice<'c> {
    from: &'c [Traced],
    reached: HashSet<u32>,
    tried: HashSet<&'c Sequence>,
    /// How many more are wanted.
    left: usize,
}

impl Choice<'_> {
    pub(super) fn new(from: &[Traced], most: usize) -> Choice<'_> {
        Choice { from, reached: HashSet::new(), tried: HashSet::new(), left: most }
    }
}

impl Search for Choice<'_> {
    fn propose(&mut self, _workers: &mut Workers) -> Result<Option<Candidate>, Error> {
        Ok(self.next())
    }

    fn learn(&mut self, confirmed: Option<&Confirmed>) {
        // What it has lost by being made small is left to others.
        if let Some(confirmed) = confirmed {
            self.reached.extend(&confirmed.points);
            self.left -= 1;
        }
    }
}

impl Choice<'_> {
    /// What reaches the most that is new.
    fn next(&mut self) -> Option<Candidate> {
        if self.left == 0 {
            return None;
        }
        let worth = |traced: &Traced| {
            let new = traced.points.iter().filter(|point| !self.reached.contains(point)).count();
            1000 * new / (traced.sequence.calls() + COST_OF_A_TEST)
        };
        // Of equals the first, so that the choice does not depend on chance.
        let mut best: Option<(usize, &Traced)> = None;
        for traced in self.from.iter().filter(|one| !self.tried.contains(&one.sequence)) {
            let worth = worth(traced);
            if worth > best.map_or(0, |(known, _)| known) {
                best = Some((worth, traced));
            }
        }
        let (_, best) = best?;
        let new = |point: &u32| !self.reached.contains(point);
        let points = best.points.iter().copied().filter(new).collect();
        self.tried.insert(&best.sequence);
        Some(Candidate {
            sequence: best.sequence.clone(),
            step: best.sequence.len() - 1,
            claim: Claim::Reaches { points, panics: best.panics },
            after: None,
        })
    }
}

/// Leaves out whatever the others reach together, the longest first.
pub(super) fn without_redundant(mut chosen: Vec<Confirmed>) -> Vec<Confirmed> {
    let mut times: HashMap<u32, usize> = HashMap::new();
    for point in chosen.iter().flat_map(|confirmed| &confirmed.points) {
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
    use testsmith_model::outcome::{Ending, Outcome, Phase};
    use testsmith_model::sequence::{Literal, Step};
    use testsmith_model::{OpId, TypeId};

    fn confirmed(points: &[u32]) -> Confirmed {
        let outcome = Outcome {
            ending: Ending::Completed,
            step: 0,
            phase: Phase::Calling,
            values: vec![],
            new_edges: 0,
        };
        let sequence = Sequence::default();
        Confirmed {
            sequence,
            outcome,
            failing: None,
            points: points.to_vec(),
            after: None,
            steady: true,
        }
    }

    #[test]
    fn what_the_others_reach_together_is_left_out() {
        let chosen = vec![confirmed(&[1, 2]), confirmed(&[2, 3]), confirmed(&[1, 3, 4])];
        let kept: Vec<Vec<u32>> =
            without_redundant(chosen).into_iter().map(|confirmed| confirmed.points).collect();
        assert_eq!(kept, [vec![1, 2], vec![1, 3, 4]]);
    }

    #[test]
    fn what_is_not_confirmed_leaves_its_points_to_others() {
        let traced = |n: i128, points: &[u32]| Traced {
            sequence: Sequence::from_steps(vec![
                Step::Literal(TypeId(0), Literal::Int(n)),
                Step::Call(OpId(0), Box::new([1])),
            ]),
            points: points.to_vec(),
            panics: false,
        };
        let from = [traced(0, &[1, 2]), traced(1, &[1, 2, 3]), traced(2, &[4])];
        let mut choice = Choice::new(&from, 2);
        let mut proposed = || choice.next().map(|candidate| candidate.sequence);
        assert_eq!(proposed(), Some(from[1].sequence.clone()), "it reaches the most");
        choice.learn(None);
        let again = choice.next().unwrap();
        assert_eq!(again.claim, Claim::Reaches { points: vec![1, 2], panics: false });
        choice.learn(Some(&confirmed(&[1, 2])));
        assert_eq!(choice.next().map(|it| it.sequence), Some(from[2].sequence.clone()));
        choice.learn(Some(&confirmed(&[4])));
        assert!(choice.next().is_none(), "no more are wanted");
    }
}
