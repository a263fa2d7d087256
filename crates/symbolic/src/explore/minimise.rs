//! Smaller bytes for the input of a case, on the same path.
//!
//! High bytes go first, so that numbers as a whole come out small.

use super::Case;
use testsmith_solver::term::{Assignment, Evaluator, Op, Pool, Term};
use testsmith_solver::{Answer, SolverChain};

pub(super) fn assignment(input: &[u8]) -> Assignment {
    input.iter().enumerate().map(|(index, byte)| (index as u32, u128::from(*byte))).collect()
}

/// Sets bytes to zero where the conditions of the path still hold, without a solver.
pub(super) fn by_evaluation(pool: &Pool, case: &mut Case) {
    for index in (0..case.input.len()).rev() {
        let before = case.input[index];
        let touched: Vec<Term> = case
            .decisions
            .iter()
            .map(|decision| decision.holds)
            .filter(|term| pool.support(*term).iter().any(|v| v == index as u32))
            .collect();
        for smaller in [0, 1] {
            if before <= smaller {
                break;
            }
            case.input[index] = smaller;
            let values = assignment(&case.input);
            let mut evaluator = Evaluator::new(pool, &values);
            if touched.iter().all(|condition| evaluator.holds(*condition)) {
                break;
            }
            case.input[index] = before;
        }
    }
}

/// Finds the least value of each byte in turn, with the ones before it fixed.
pub(super) fn by_solver(pool: &mut Pool, chain: &mut SolverChain, case: &mut Case) {
    let mut path: Vec<Term> = case.decisions.iter().map(|decision| decision.holds).collect();
    for index in (0..case.input.len()).rev() {
        let variable = pool.variable(8, index as u32);
        let constrained =
            path.iter().any(|term| pool.support(*term).iter().any(|v| v == index as u32));
        let mut least = 0;
        while constrained && least < case.input[index] {
            let middle = least + (case.input[index] - least) / 2;
            let limit = pool.number(8, u128::from(middle));
            let question = pool.binary(Op::Ule, variable, limit);
            match chain.ask(pool, &path, question, &assignment(&case.input)) {
                Answer::Sat(model) => {
                    for (at, byte) in case.input.iter_mut().enumerate() {
                        *byte = model.get(&(at as u32)).copied().unwrap_or(0) as u8;
                    }
                }
                Answer::Unsat => least = middle + 1,
                Answer::Unknown(_) => break,
            }
        }
        let number = pool.number(8, u128::from(case.input[index]));
        let fixed = pool.equal(variable, number);
        path.push(fixed);
    }
}
