//! Trying every input, for queries over so few bytes that it can be done.
//!
//! Float arithmetic on a sixteen-bit number is beyond a SAT solver and is 65,536
//! evaluations. Exact, whatever the terms are.

use crate::term::{Assignment, Evaluator, Pool, Term};
use crate::{Answer, Limit};

/// Variables are bytes; of more than two there are too many values.
const MOST_VARIABLES: usize = 2;
/// How often the limit is looked at.
const INPUTS_PER_GLANCE: u32 = 256;

/// The answer, unless there are too many inputs or the limit is reached.
pub fn try_all(pool: &Pool, conditions: &[Term], limit: &Limit) -> Option<Answer> {
    let mut variables: Vec<u32> =
        conditions.iter().flat_map(|condition| pool.support(*condition).iter()).collect();
    variables.sort_unstable();
    variables.dedup();
    if variables.len() > MOST_VARIABLES {
        return None;
    }
    for number in 0..1u32 << (8 * variables.len()) {
        if number.is_multiple_of(INPUTS_PER_GLANCE) && limit.is_reached() {
            return None;
        }
        let byte = |place: usize| u128::from(number >> (8 * place) & 0xff);
        let values: Assignment = variables
            .iter()
            .enumerate()
            .map(|(place, variable)| (*variable, byte(place)))
            .collect();
        let mut evaluator = Evaluator::new(pool, &values);
        // The question comes last and is the likeliest to fail.
        if conditions.iter().rev().all(|condition| evaluator.holds(*condition)) {
            return Some(Answer::Sat(values));
        }
    }
    Some(Answer::Unsat)
}
