//! Facts, which hold in every query: against all assignments of three small variables.

use testsmith_solver::term::{Evaluator, Op, Pool, Term};
use testsmith_solver::{Answer, Blaster, Solver};

/// Numbers that are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// A condition: comparisons joined by `and`, `or` and `not`, so that facts are split.
fn condition(pool: &mut Pool, numbers: &mut Numbers, variables: &[Term], depth: u32) -> Term {
    if depth == 0 {
        let one = variables[numbers.below(3) as usize];
        let other = match numbers.below(2) {
            0 => variables[numbers.below(3) as usize],
            _ => pool.number(4, u128::from(numbers.below(16))),
        };
        let op = [Op::Eq, Op::Ult, Op::Slt][numbers.below(3) as usize];
        return pool.binary(op, one, other);
    }
    let a = condition(pool, numbers, variables, depth - 1);
    let b = condition(pool, numbers, variables, depth - 1);
    match numbers.below(4) {
        0 => pool.not(a),
        1 => pool.and(a, b),
        _ => pool.or(a, b),
    }
}

fn can_hold(pool: &Pool, conditions: &[Term]) -> bool {
    (0..1 << 12).any(|bits: u128| {
        let values = (1..=3).map(|n| (n as u32, bits >> (4 * (n - 1)) & 15)).collect();
        let mut evaluator = Evaluator::new(pool, &values);
        conditions.iter().all(|condition| evaluator.holds(*condition))
    })
}

#[test]
fn facts_hold_in_every_query_and_nothing_else_does() {
    let mut numbers = Numbers(7);
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..60 {
        let mut pool = Pool::new();
        let variables: Vec<Term> = (1..=3).map(|n| pool.variable(4, n)).collect();
        let mut solver = Blaster::keeping_circuits();
        let mut facts = vec![];
        for _ in 0..5 {
            facts.push(condition(&mut pool, &mut numbers, &variables, 3));
            let asked = condition(&mut pool, &mut numbers, &variables, 2);
            solver.assert_all(&facts);
            let all = [facts.as_slice(), &[asked]].concat();
            let expected = can_hold(&pool, &all);
            match solver.check(&pool, &[asked]) {
                Answer::Sat(values) => {
                    let mut evaluator = Evaluator::new(&pool, &values);
                    assert!(expected && all.iter().all(|one| evaluator.holds(*one)));
                    sat += 1;
                }
                Answer::Unsat => {
                    assert!(!expected);
                    unsat += 1;
                }
                Answer::Unknown(why) => panic!("{why}"),
            }
        }
    }
    assert!(sat > 20 && unsat > 20, "{sat} and {unsat}");
}
