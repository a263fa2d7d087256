//! What stands between the exploration and the solvers: slicing, memory, and the
//! hand-over of hard queries.
//!
//! A query is "the path so far, and this one condition turned". Only the
//! conditions that share variables with the turned one, directly or through
//! others, can matter; all other variables keep the values they had, which
//! satisfied the rest already.
//!
//! That a query has no answer cannot be checked as a model can. An external
//! solver that says so is asked for the path alone, of which an input is known:
//! if it denies that too, it is not believed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::tabulate::{Size, Tabulator};
use crate::term::{Assignment, Evaluator, FastMap, Pool, Term};
use crate::{Answer, Limit, Solver, points};

/// Models tried before the solver is asked.
const REMEMBERED_MODELS: usize = 8;

/// What the queries cost.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Questions asked by the exploration.
    pub queries: u64,
    /// Of these, answered without the solver.
    pub remembered: u64,
    /// Of these, decided by writing out all values of the bytes they are about.
    pub tabulated: u64,
    pub unsatisfiable: u64,
    pub unknown: u64,
    pub time: Duration,
    pub slowest: Duration,
    /// What each solver was asked, by its name.
    pub shares: BTreeMap<String, Share>,
}

/// The part of one solver.
#[derive(Clone, Debug, Default)]
pub struct Share {
    pub queries: u64,
    /// Answers that no input exists.
    pub unsatisfiable: u64,
    pub unknown: u64,
    pub time: Duration,
    /// Whether it is a program of the user's.
    pub external: bool,
}

/// Solvers with slicing and a cache. The first is asked; what it does not decide goes to
/// the next.
pub struct SolverChain {
    solvers: Vec<Box<dyn Solver>>,
    cache: FastMap<Box<[Term]>, Answer>,
    models: Vec<Assignment>,
    tables: Tabulator,
    limit: Limit,
    pub statistics: Statistics,
    /// The sliced queries, kept when asked for, to compare solvers on them.
    pub recorded: Option<Vec<Box<[Term]>>>,
}

impl SolverChain {
    pub fn new(solvers: Vec<Box<dyn Solver>>) -> SolverChain {
        SolverChain {
            solvers,
            cache: FastMap::default(),
            models: vec![],
            tables: Tabulator::default(),
            limit: Limit::default(),
            statistics: Statistics::default(),
            recorded: None,
        }
    }

    /// Once the limit is reached nothing is decided any more.
    pub fn set_limit(&mut self, limit: &Limit) {
        self.limit = limit.clone();
        self.solvers.iter_mut().for_each(|solver| solver.set_limit(limit.clone()));
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
        let answer = if let Some(answer) = self.tabulated(pool, &sliced, Size::OneByte) {
            answer
        } else if let Some(model) = self.remembered_model(pool, &sliced) {
            self.statistics.remembered += 1;
            Answer::Sat(model)
        } else if let Some(answer) = self.tabulated(pool, &sliced, Size::HardTwoBytes) {
            answer
        } else {
            self.decide(pool, &sliced)
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

    /// Asks one solver after the other until one decides.
    fn decide(&mut self, pool: &Pool, sliced: &[Term]) -> Answer {
        let mut reasons: Vec<String> = vec![];
        for solver in &mut self.solvers {
            let start = Instant::now();
            let mut answer = solver.check(pool, sliced);
            if answer == Answer::Unsat && solver.is_external() {
                answer = cross_examined(solver.as_mut(), pool, sliced);
            }
            let share = self.statistics.shares.entry(solver.name().to_owned()).or_default();
            share.queries += 1;
            share.time += start.elapsed();
            share.external = solver.is_external();
            match answer {
                Answer::Unknown(why) => {
                    share.unknown += 1;
                    // What the first leaves open and depends on little input needs no other.
                    if reasons.is_empty()
                        && let Some(answer) = self
                            .tables
                            .decide(pool, sliced, &self.limit, Size::TwoBytes)
                            .or_else(|| points::decide(pool, sliced, &self.limit))
                    {
                        self.statistics.tabulated += 1;
                        return answer;
                    }
                    reasons.push(why);
                }
                Answer::Unsat => {
                    share.unsatisfiable += 1;
                    return answer;
                }
                Answer::Sat(_) => return answer,
            }
        }
        Answer::Unknown(reasons.join("; "))
    }

    fn tabulated(&mut self, pool: &Pool, sliced: &[Term], size: Size) -> Option<Answer> {
        let answer = self.tables.decide(pool, sliced, &self.limit, size)?;
        self.statistics.tabulated += 1;
        Some(answer)
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

/// An input is known that satisfies all but the last condition. A solver that does not
/// find one for those is wrong or fails, and its first answer is worth nothing.
fn cross_examined(solver: &mut dyn Solver, pool: &Pool, sliced: &[Term]) -> Answer {
    match solver.check(pool, &sliced[..sliced.len() - 1]) {
        Answer::Sat(_) => Answer::Unsat,
        Answer::Unsat => Answer::Unknown(format!(
            "{} contradicts itself: it finds no input for a path that has one",
            solver.name()
        )),
        Answer::Unknown(why) => Answer::Unknown(why),
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
