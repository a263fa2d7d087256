//! What stands between the exploration and a solver: slicing and memory.
//!
//! A query is "the path so far, and this one condition turned". Only the
//! conditions that share variables with the turned one, directly or through
//! others, can matter; all other variables keep the values they had, which
//! satisfied the rest already.

use std::time::{Duration, Instant};

use super::{Answer, Solver};
use crate::term::{Assignment, Evaluator, FastMap, Pool, Term};

/// Models tried before the solver is asked.
const REMEMBERED_MODELS: usize = 8;

/// What the queries cost.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Questions asked by the exploration.
    pub queries: u64,
    /// Of these, answered without the solver.
    pub remembered: u64,
    pub unsatisfiable: u64,
    pub unknown: u64,
    pub time: Duration,
    pub slowest: Duration,
}

/// A solver with slicing and a cache.
pub struct Oracle {
    solver: Box<dyn Solver>,
    cache: FastMap<Box<[Term]>, Answer>,
    models: Vec<Assignment>,
    pub statistics: Statistics,
    /// The sliced queries, kept when asked for, to compare solvers on them.
    pub recorded: Option<Vec<Box<[Term]>>>,
}

impl Oracle {
    pub fn new(solver: Box<dyn Solver>) -> Oracle {
        Oracle {
            solver,
            cache: FastMap::default(),
            models: vec![],
            statistics: Statistics::default(),
            recorded: None,
        }
    }

    pub fn solver_name(&self) -> &str {
        self.solver.name()
    }

    /// Can `question` hold together with `path`, which `known` satisfies?
    /// A model differs from `known` only where the question reaches.
    pub fn ask(
        &mut self,
        pool: &Pool,
        path: &[Term],
        question: Term,
        known: &Assignment,
    ) -> Answer {
        let start = Instant::now();
        self.statistics.queries += 1;
        let sliced = slice(pool, path, question);
        let answer = self.answer(pool, sliced);
        let took = start.elapsed();
        self.statistics.time += took;
        self.statistics.slowest = self.statistics.slowest.max(took);
        match answer {
            Answer::Sat(found) => {
                let mut merged = known.clone();
                merged.extend(found);
                Answer::Sat(merged)
            }
            Answer::Unsat => {
                self.statistics.unsatisfiable += 1;
                Answer::Unsat
            }
            Answer::Unknown(why) => {
                self.statistics.unknown += 1;
                Answer::Unknown(why)
            }
        }
    }

    fn answer(&mut self, pool: &Pool, sliced: Box<[Term]>) -> Answer {
        if let Some(answer) = self.cache.get(&sliced) {
            self.statistics.remembered += 1;
            return answer.clone();
        }
        if let Some(recorded) = &mut self.recorded {
            recorded.push(sliced.clone());
        }
        let answer = match self.remembered_model(pool, &sliced) {
            Some(model) => {
                self.statistics.remembered += 1;
                Answer::Sat(model)
            }
            None => self.solver.check(pool, &sliced),
        };
        // Only the variables of the slice may change; the solver's model holds more.
        let answer = match answer {
            Answer::Sat(model) => {
                let model = restricted(pool, &sliced, &model);
                self.models.insert(0, model.clone());
                self.models.truncate(REMEMBERED_MODELS);
                Answer::Sat(model)
            }
            other => other,
        };
        self.cache.insert(sliced, answer.clone());
        answer
    }

    fn remembered_model(&self, pool: &Pool, sliced: &[Term]) -> Option<Assignment> {
        let satisfies = |model: &&Assignment| {
            let mut evaluator = Evaluator::new(pool, model);
            // The turned condition comes last and is the likeliest to fail.
            sliced.iter().rev().all(|condition| evaluator.holds(*condition))
        };
        self.models.iter().find(satisfies).cloned()
    }
}

/// The conditions connected with the question, which comes last.
fn slice(pool: &Pool, path: &[Term], question: Term) -> Box<[Term]> {
    let mut reached = pool.support(question).clone();
    let mut taken = vec![false; path.len()];
    loop {
        let mut grew = false;
        for (index, condition) in path.iter().enumerate() {
            if !taken[index] && pool.support(*condition).meets(&reached) {
                taken[index] = true;
                grew = true;
                reached.extend(pool.support(*condition));
            }
        }
        if !grew {
            break;
        }
    }
    let mut sliced: Vec<Term> =
        path.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(term, _)| *term).collect();
    sliced.sort_unstable();
    sliced.dedup();
    sliced.retain(|condition| *condition != question);
    sliced.push(question);
    sliced.into_boxed_slice()
}

fn restricted(pool: &Pool, sliced: &[Term], model: &Assignment) -> Assignment {
    let variables = sliced.iter().flat_map(|condition| pool.support(*condition).iter());
    variables.map(|v| (v, model.get(&v).copied().unwrap_or(0))).collect()
}
