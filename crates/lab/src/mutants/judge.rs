//! Asks a supervised worker on a harness with mutants to judge, and survives its deaths.

use crate::supervisor::{Answer, unexpected};
use crate::{Error, Supervisor};
use testsmith_model::judging::{Difference, Judged, Judging, Tried};
use testsmith_model::message::{Job, Reply, Walk};
use testsmith_model::outcome::Outcome;
use testsmith_model::{Heuristic, Sequence};

/// How a job of judging ended.
#[derive(Debug)]
pub enum JudgeEnd {
    Done(Judged),
    /// The worker died while this mutant was active, in the last of these steps.
    Died {
        mutant: u32,
        sequence: Sequence,
        outcome: Outcome,
    },
    /// It died while none was: nothing is said of mutants.
    DiedAlone,
}

impl Supervisor {
    /// Judges mutants with these sequences and then with random ones. `each` hears of every
    /// difference, also of those before a death.
    pub fn judge(
        &mut self,
        judging: &Judging,
        walk: &Walk,
        sequences: &[Sequence],
        each: &mut dyn FnMut(Difference),
    ) -> Result<JudgeEnd, Error> {
        let mut next = self.warned(walk);
        next.components = [walk.components.as_slice(), &self.lessons().components].concat();
        let sequences = sequences.to_vec();
        let job = Job::Judge { judging: judging.clone(), walk: next, sequences };
        let answer = self.ask_and_hear(&job, &mut |reply| {
            if let Reply::Differs { difference } = reply {
                each(difference);
            }
        })?;
        match answer {
            Answer::Reply(Reply::Judged { mut judged }) => {
                self.lessons.add(std::mem::take(&mut judged.components));
                Ok(JudgeEnd::Done(judged))
            }
            Answer::Died(death) if death.mutant != 0 => Ok(JudgeEnd::Died {
                mutant: death.mutant,
                sequence: death.sequence,
                outcome: death.outcome,
            }),
            Answer::Died(death) => {
                let limits = walk.heuristics.has(Heuristic::Limits);
                self.account_for(*death, limits, &mut |_, _| ())?;
                Ok(JudgeEnd::DiedAlone)
            }
            answer => Err(unexpected(answer)),
        }
    }

    /// Runs one sequence from scratch with one mutant on, or with none; where the worker dies
    /// of it, nothing is known of what was reached.
    pub fn try_out(
        &mut self,
        sequence: &Sequence,
        mutant: u32,
        visits: u64,
        numbers: u32,
    ) -> Result<Tried, Error> {
        let job = Job::Try { sequence: sequence.clone(), mutant, visits, numbers };
        match self.ask_about(&job, sequence)? {
            Answer::Reply(Reply::Tried { tried }) => Ok(tried),
            Answer::Died(death) => Ok(Tried { outcome: death.outcome, visits: 0, reached: vec![] }),
            answer => Err(unexpected(answer)),
        }
    }
}
