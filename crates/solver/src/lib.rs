//! Deciding whether conditions can hold together.
//!
//! Knows nothing of programs: [`term`] is the language, and whoever asks (symbolic
//! execution, the search over contracts) builds conditions in it. One trait, [`Solver`], over one term language. [`Blaster`] is the embedded
//! solver and the default; [`SmtLib`] talks to a `z3`, `cvc5` or `bitwuzla` of
//! the user. [`SolverChain`] stands in front of them: it cuts a query down to what is
//! connected with the question, remembers answers, and hands over what the
//! first solver does not decide.

mod blast;
mod chain;
mod gates;
mod points;
mod smtlib;
mod tabulate;
pub mod term;

pub use blast::Blaster;
pub use chain::{Share, SolverChain, Statistics};
pub use smtlib::{DEFAULT_PATIENCE, SmtError, SmtLib};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::term::{Assignment, Evaluator, Pool, Term};

/// What a solver says about a conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It can hold, for instance like this. Variables left out do not matter.
    Sat(Assignment),
    /// It cannot hold.
    Unsat,
    /// Not decided, and why. Never to be taken for either of the others.
    Unknown(String),
}

/// When solvers are to stop: at a time, or when someone says so. The default is never.
#[derive(Clone, Debug, Default)]
pub struct Limit {
    pub deadline: Option<Instant>,
    pub interrupt: Arc<AtomicBool>,
}

impl Limit {
    pub fn is_reached(&self) -> bool {
        self.interrupt.load(Ordering::Acquire)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Decides conjunctions of one-bit terms.
pub trait Solver {
    /// The name shown in reports.
    fn name(&self) -> &str;

    /// Whether it is a program of the user's, whose word alone is taken with care.
    fn is_external(&self) -> bool {
        false
    }

    /// Sets when it is to give up whatever it is asked.
    fn set_limit(&mut self, limit: Limit);

    /// Whether all the conditions can hold together.
    fn check(&mut self, pool: &Pool, conditions: &[Term]) -> Answer;
}

/// Turns a claimed model that does not satisfy the conditions into `Unknown`.
///
/// A bug in a solver must end as a claim not made, never as a wrong input.
pub fn verified(pool: &Pool, conditions: &[Term], answer: Answer, solver: &str) -> Answer {
    let Answer::Sat(assignment) = &answer else { return answer };
    let mut evaluator = Evaluator::new(pool, assignment);
    let satisfied = conditions.iter().all(|condition| evaluator.holds(*condition));
    drop(evaluator);
    if satisfied {
        return answer;
    }
    Answer::Unknown(format!("{solver} gave a model that does not satisfy the query"))
}
