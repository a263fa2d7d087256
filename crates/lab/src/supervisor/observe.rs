//! Sequences that are watched while they run: what predicates say before and after calls.

use super::{Answer, Supervisor, unexpected};
use crate::Error;
use testsmith_model::message::{Job, Reply, Walk, Walked};
use testsmith_model::observation::{Attempt, Observed, Watching};
use testsmith_model::outcome::Outcome;
use testsmith_model::{Heuristic, Sequence};

impl Supervisor {
    /// Runs one sequence from scratch, and says what was observed of it and of nothing else.
    pub fn observe_one(
        &mut self,
        watching: &Watching,
        sequence: &Sequence,
    ) -> Result<Observed, Error> {
        let job = Job::Observe {
            watching: watching.clone(),
            walk: Walk::default(),
            sequences: vec![sequence.clone()],
        };
        match self.ask_about(&job, sequence)? {
            Answer::Reply(Reply::Observed { observed, .. }) => Ok(*observed),
            Answer::Died(death) => {
                let attempts = vec![Attempt { outcome: Some(death.outcome), before: vec![] }];
                Ok(Observed { attempts, ..Observed::default() })
            }
            answer => Err(unexpected(answer)),
        }
    }

    /// Walks a little and runs sequences, all of it observed. What ends a worker is learnt
    /// like in a walk; of the sequences, the one that did is run by itself.
    pub fn observe(
        &mut self,
        watching: &Watching,
        walk: &Walk,
        sequences: &[Sequence],
        each: &mut dyn FnMut(Sequence, Outcome),
    ) -> Result<(Observed, Walked), Error> {
        let mut next = self.warned(walk);
        if self.worker.as_ref().is_none_or(|worker| !worker.walked) {
            next.components = [walk.components.as_slice(), &self.lessons.components].concat();
        }
        let job =
            Job::Observe { watching: watching.clone(), walk: next, sequences: sequences.to_vec() };
        match self.ask_and_listen(&job, each)? {
            Answer::Reply(Reply::Observed { observed, walked }) => {
                self.lessons.add(walked.components.clone());
                self.taken.extend(walked.edges.iter().copied());
                Ok((*observed, walked))
            }
            Answer::Died(death) if sequences.len() == 1 && walk.max_calls == 0 => {
                let outcome = Some(death.outcome);
                let attempts = vec![Attempt { outcome, before: vec![] }];
                Ok((Observed { attempts, ..Observed::default() }, Walked::default()))
            }
            Answer::Died(death) => {
                let calls = death.calls;
                self.account_for(*death, walk.heuristics.has(Heuristic::Limits), each)?;
                let mut all = Observed { calls, ..Observed::default() };
                let still = Walk { max_calls: 0, ..walk.clone() };
                for sequence in sequences {
                    let one = std::slice::from_ref(sequence);
                    let (observed, _) = self.observe(watching, &still, one, each)?;
                    all.add(observed);
                }
                Ok((all, Walked::default()))
            }
            answer => Err(unexpected(answer)),
        }
    }
}
