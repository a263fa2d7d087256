//! Questions about one or two bytes, or about few values of several, decided by writing
//! them out, against brute force.

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

/// A number of six bits made of four variables of three bits, with all kinds of arithmetic.
fn number(rng: &mut Rng, pool: &mut Pool, depth: u32) -> Term {
    if depth == 0 {
        let variable = pool.variable(3, rng.below(4) as u32);
        return match rng.below(4) {
            0 => pool.number(6, u128::from(rng.next())),
            _ => pool.zero_extend(variable, 6),
        };
    }
    let ops = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::UDiv,
        Op::URem,
        Op::SDiv,
        Op::Xor,
        Op::Or,
        Op::Shl,
        Op::Ult,
    ];
    let op = ops[rng.below(ops.len() as u64) as usize];
    let (a, b) = (number(rng, pool, depth - 1), number(rng, pool, depth - 1));
    let made = pool.binary(op, a, b);
    match op {
        Op::Ult => pool.ite(made, b, a),
        _ => made,
    }
}

#[test]
fn lists_of_points_decide_what_trying_every_input_decides() {
    let mut rng = Rng(0x5eed_0002);
    let mut decided = [0, 0];
    for round in 0..300 {
        let mut pool = Pool::new();
        let mut conditions = vec![];
        for _ in 0..1 + rng.below(2) {
            let (a, b) = (number(&mut rng, &mut pool, 2), number(&mut rng, &mut pool, 1));
            let op = [Op::Eq, Op::Ult, Op::Slt][rng.below(3) as usize];
            let condition = pool.binary(op, a, b);
            // What is settled by its shape is never part of a path.
            conditions.extend(pool.constant(condition).is_none().then_some(condition));
        }
        // Conditions on one variable and one on all, so that the lists have to be joined.
        let mut all = pool.number(6, 0);
        for index in 0..4 {
            let variable = pool.variable(3, index);
            let wide = pool.zero_extend(variable, 6);
            let product = pool.binary(Op::Mul, all, wide);
            all = pool.binary(Op::Add, product, wide);
            let most = pool.number(3, 3 + u128::from(rng.below(5)));
            conditions.push(pool.binary(Op::Ult, variable, most));
        }
        let wanted = pool.number(6, u128::from(rng.below(64)));
        let question = pool.binary([Op::Eq, Op::Ult][round % 2], all, wanted);
        let satisfied = |values: &Assignment| {
            let mut evaluator = Evaluator::new(&pool, values);
            evaluator.holds(question) && conditions.iter().all(|c| evaluator.holds(*c))
        };
        let mut inputs = (0..1u128 << 12).map(|n| (0..4).map(|v| (v, n >> (3 * v) & 7)).collect());
        let possible = inputs.any(|values: Assignment| satisfied(&values));
        let mut chain = SolverChain::new(vec![Box::new(Unsure)]);
        match chain.ask(&pool, &conditions, question, &Assignment::default()) {
            Answer::Sat(model) => {
                assert!(satisfied(&model) && possible, "round {round}: {model:?}")
            }
            Answer::Unsat => assert!(!possible, "round {round}: an input satisfies this"),
            Answer::Unknown(why) => assert!(pool.constant(question).is_some(), "{why}"),
        }
        decided[usize::from(possible)] += 1;
    }
    assert!(decided[0] > 50 && decided[1] > 50, "both answers must be exercised: {decided:?}");
}

#[test]
fn what_would_be_too_many_points_is_left_to_others() {
    let mut pool = Pool::new();
    let mut product = pool.number(64, 1);
    for index in 0..5 {
        let byte = pool.variable(8, index);
        let wide = pool.zero_extend(byte, 64);
        product = pool.binary(Op::Mul, product, wide);
    }
    let wanted = pool.number(64, 1_000_003);
    let question = pool.equal(product, wanted);
    let mut chain = SolverChain::new(vec![Box::new(Unsure)]);
    let answer = chain.ask(&pool, &[], question, &Assignment::default());
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
}
