//! Questions about one or two bytes, decided by writing them out, against brute force.

mod support;

use support::Rng;
use support::expression::{Expr, generate};
use testsmith_solver::term::{Assignment, Evaluator, Op, Pool, Term};
use testsmith_solver::{Answer, Limit, Solver, SolverChain};

/// A solver that never decides, so that all that is decided is decided by tables.
struct Unsure;

impl Solver for Unsure {
    fn name(&self) -> &str {
        "unsure"
    }

    fn set_limit(&mut self, _: Limit) {}

    fn check(&mut self, _: &Pool, _: &[Term]) -> Answer {
        Answer::Unknown("never sure".to_owned())
    }
}

fn check(conditions: &[Expr], bits: u32, round: usize) -> bool {
    let mut pool = Pool::new();
    let terms: Vec<Term> = conditions.iter().map(|c| c.build(&mut pool)).collect();
    let most = (1u128 << bits) - 1;
    let mut inputs = (0..1u128 << (2 * bits)).map(|n| [n & most, n >> bits]);
    let possible = inputs.any(|input| conditions.iter().all(|c| c.value(&input) == 1));
    let mut chain = SolverChain::new(vec![Box::new(Unsure)]);
    let (question, path) = terms.split_last().expect("there are conditions");
    let answer = chain.ask(&pool, path, *question, &Assignment::default());
    match answer {
        Answer::Sat(model) => {
            // Conditions of no variable in common with the question are not looked at.
            let mut evaluator = Evaluator::new(&pool, &model);
            assert!(evaluator.holds(*question), "round {round}: {model:?}");
        }
        Answer::Unsat => assert!(!possible, "round {round}: an input satisfies this"),
        // A question without variables is settled before it is asked.
        Answer::Unknown(why) => assert!(pool.support(*question).is_empty(), "{why}"),
    }
    possible
}

#[test]
fn tables_decide_what_trying_every_input_decides() {
    let mut rng = Rng(0x5eed_0001);
    let mut decided = [0, 0];
    for round in 0..1_200 {
        // Eight bits are a whole block; fewer leave lanes that repeat.
        let bits = [4, 4, 4, 3, 8][round % 5];
        let mut conditions: Vec<Expr> =
            (0..1 + rng.below(3)).map(|_| generate(&mut rng, 1, 4, bits)).collect();
        // All conditions in one question, so that none is sliced away.
        let mut all = conditions.pop().expect("one is there");
        for condition in conditions {
            all = Expr::Binary(Op::And, Box::new(all), Box::new(condition));
        }
        decided[usize::from(check(&[all], bits, round))] += 1;
    }
    assert!(decided[0] > 200 && decided[1] > 200, "both answers must be exercised: {decided:?}");
}

#[test]
fn the_path_narrows_the_question() {
    // Remainders of remainders, which no circuit does well: Euclid's algorithm, 7 rounds.
    let mut pool = Pool::new();
    let (mut x, mut y) = (pool.variable(8, 0), pool.variable(8, 1));
    (x, y) = (pool.zero_extend(x, 64), pool.zero_extend(y, 64));
    let zero = pool.number(64, 0);
    let mut chain = SolverChain::new(vec![Box::new(Unsure)]);
    let mut path = vec![];
    let mut longest = 0;
    for round in 0.. {
        let done = pool.equal(y, zero);
        let more = pool.not(done);
        match chain.ask(&pool, &path, more, &Assignment::default()) {
            Answer::Sat(_) => longest = round + 1,
            Answer::Unsat => break,
            Answer::Unknown(why) => panic!("{why}"),
        }
        path.push(more);
        let rest = pool.binary(Op::URem, x, y);
        (x, y) = (y, rest);
    }
    let rounds = |mut x: u8, mut y: u8| {
        let mut rounds = 0;
        while y != 0 {
            (x, y) = (y, x % y);
            rounds += 1;
        }
        rounds
    };
    let expected = (0..=0xffffu16).map(|n| rounds(n as u8, (n >> 8) as u8)).max();
    assert_eq!(Some(longest), expected);
}

#[test]
fn one_index_in_two_widths_is_not_written_out() {
    let mut pool = Pool::new();
    let (narrow, wide) = (pool.variable(8, 0), pool.variable(64, 0));
    let (narrow, product) = (pool.zero_extend(narrow, 64), pool.binary(Op::Mul, wide, wide));
    let question = pool.equal(narrow, product);
    let mut chain = SolverChain::new(vec![Box::new(Unsure)]);
    let answer = chain.ask(&pool, &[], question, &Assignment::default());
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
}
