//! Terms and solvers against brute force, and against each other.
//!
//! Expressions are generated, built through the rewriting constructors, and
//! compared with a plain evaluation that knows no rewriting; small ones are
//! decided by trying every input. External solvers join in when installed.

mod support;

use support::Rng;
use support::expression::{Expr, generate};
use testsmith_solver::term::{Assignment, Evaluator, Op, Pool, Term, mask};
use testsmith_solver::{Answer, Blaster, SmtLib, Solver, SolverChain};

fn assignment(input: &[u128; 2]) -> Assignment {
    [(0, input[0]), (1, input[1])].into_iter().collect()
}

#[test]
fn a_rewritten_term_is_worth_what_the_expression_is_worth() {
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    for round in 0..30_000 {
        let bits = [4, 8, 16, 32, 64][round % 5];
        let width = [1, bits, 3, bits / 2][rng.below(4) as usize];
        let expr = generate(&mut rng, width, 5, bits);
        let mut pool = Pool::new();
        let term = expr.build(&mut pool);
        for _ in 0..8 {
            let edge = |rng: &mut Rng| match rng.below(4) {
                0 => 0,
                1 => mask(bits),
                2 => 1 << (bits - 1),
                _ => u128::from(rng.next()) & mask(bits),
            };
            let input = [edge(&mut rng), edge(&mut rng)];
            let expected = expr.value(&input);
            let values = assignment(&input);
            let found = Evaluator::new(&pool, &values).value(term);
            assert_eq!(found, expected, "round {round}, input {input:?}, {expr:?}");
            assert!(pool.range(term).contains(expected), "round {round}: the range is wrong");
        }
    }
}

#[test]
fn the_embedded_solver_decides_what_trying_every_input_decides() {
    let mut rng = Rng(0xdead_beef_cafe_f00d);
    let mut decided = [0, 0];
    for round in 0..1_500 {
        let conditions: Vec<Expr> =
            (0..1 + rng.below(3)).map(|_| generate(&mut rng, 1, 4, 4)).collect();
        let mut pool = Pool::new();
        let terms: Vec<Term> = conditions.iter().map(|c| c.build(&mut pool)).collect();
        let inputs = (0..256u128).map(|n| [n & 15, n >> 4]);
        let possible =
            inputs.into_iter().any(|input| conditions.iter().all(|c| c.value(&input) == 1));
        match Blaster::default().check(&pool, &terms) {
            Answer::Sat(model) => {
                assert!(possible, "round {round}: nothing satisfies this, but {model:?} was given");
                let mut evaluator = Evaluator::new(&pool, &model);
                assert!(terms.iter().all(|t| evaluator.holds(*t)), "round {round}");
            }
            Answer::Unsat => assert!(!possible, "round {round}: an input satisfies this"),
            Answer::Unknown(why) => panic!("round {round}: {why}"),
        }
        decided[usize::from(possible)] += 1;
    }
    assert!(decided[0] > 200 && decided[1] > 200, "both answers must be exercised: {decided:?}");
}

#[test]
fn one_solver_serves_many_queries_without_mixing_them_up() {
    let mut rng = Rng(42);
    let mut pool = Pool::new();
    let mut solver = Blaster::default();
    for round in 0..300 {
        let expr = generate(&mut rng, 1, 4, 8);
        let term = expr.build(&mut pool);
        let possible = (0..65_536u128).any(|n| expr.value(&[n & 255, n >> 8]) == 1);
        match solver.check(&pool, &[term]) {
            Answer::Sat(_) => assert!(possible, "round {round}"),
            Answer::Unsat => assert!(!possible, "round {round}"),
            Answer::Unknown(why) => panic!("round {round}: {why}"),
        }
    }
}

/// Tells what was compared, also where the output of tests that pass is kept back:
/// a comparison with nobody must not look like one.
fn say(what: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "solvers: {what}");
}

#[test]
fn installed_solvers_agree_with_the_embedded_one() {
    let installed = SmtLib::installed();
    // Whoever has installed one wants it to be compared with.
    let required = std::env::var("TESTSMITH_SOLVERS").unwrap_or_default();
    for name in required.split(',').filter(|name| !name.is_empty()) {
        assert!(installed.contains(&name), "{name} is required, but not on the PATH");
    }
    if installed.is_empty() {
        say("the embedded solver was compared with no other: no z3, cvc5 or bitwuzla here");
        return;
    }
    for name in installed {
        let mut external = SmtLib::start(name).expect("it was found on the PATH");
        let mut rng = Rng(7);
        let mut pool = Pool::new();
        let mut compared = [0, 0];
        for round in 0..400 {
            // Every width the machine uses, the odd ones of flags and of overflow included.
            let bits = [8, 16, 32, 64, 5][round % 5];
            let conditions: Vec<Expr> =
                (0..1 + rng.below(3)).map(|_| generate(&mut rng, 1, 4, bits)).collect();
            let terms: Vec<Term> = conditions.iter().map(|c| c.build(&mut pool)).collect();
            let ours = Blaster::new(20_000).check(&pool, &terms);
            let theirs = external.check(&pool, &terms);
            match (&ours, &theirs) {
                // Wide products and quotients: either may give up, which compares nothing.
                (Answer::Unknown(_), _) | (_, Answer::Unknown(_)) => {}
                (Answer::Sat(_), Answer::Sat(_)) => compared[1] += 1,
                (Answer::Unsat, Answer::Unsat) => compared[0] += 1,
                _ => panic!("{name}, round {round}: {ours:?}, but {theirs:?}"),
            }
        }
        let [unsat, sat] = compared;
        say(&format!("compared with {name}: {unsat} unsatisfiable and {sat} satisfiable"));
        assert!(compared[0] > 50 && compared[1] > 100, "{name}: {compared:?} is no comparison");
    }
}

#[test]
fn a_query_beyond_the_budget_is_unknown_and_never_unsatisfiable() {
    let mut pool = Pool::new();
    let (x, y) = (pool.variable(64, 0), pool.variable(64, 1));
    let (x, y) = (pool.zero_extend(x, 128), pool.zero_extend(y, 128));
    let product = pool.binary(Op::Mul, x, y);
    // The product of two primes of 62 bits.
    let target = pool.number(128, 4_611_686_018_427_387_847 * 4_611_686_018_427_387_817);
    let one = pool.number(128, 1);
    let conditions =
        [pool.equal(product, target), pool.binary(Op::Ult, one, x), pool.binary(Op::Ult, one, y)];
    assert!(matches!(Blaster::new(50).check(&pool, &conditions), Answer::Unknown(_)));
}

#[test]
fn the_bounds_of_a_division_need_no_search_and_every_division_has_its_answer() {
    let mut pool = Pool::new();
    let (x, y) = (pool.variable(32, 0), pool.variable(32, 1));
    let zero = pool.number(32, 0);
    let (quotient, rest) = (pool.binary(Op::UDiv, x, y), pool.binary(Op::URem, x, y));
    let divides = pool.binary(Op::Ult, zero, y);
    for wrong in [(y, rest, Op::Ule), (x, rest, Op::Ult), (x, quotient, Op::Ult)] {
        let wrong = pool.binary(wrong.2, wrong.0, wrong.1);
        let answer = Blaster::new(100).check(&pool, &[divides, wrong]);
        assert!(matches!(answer, Answer::Unsat), "{answer:?}");
    }
    // All of four bits, by zero too.
    for (a, d) in (0..16u128).flat_map(|a| (0..16u128).map(move |d| (a, d))) {
        let mut pool = Pool::new();
        let (x, y) = (pool.variable(4, 0), pool.variable(4, 1));
        let (quotient, rest) = (pool.binary(Op::UDiv, x, y), pool.binary(Op::URem, x, y));
        let (wanted, left) = (a.checked_div(d).unwrap_or(15), a.checked_rem(d).unwrap_or(a));
        let conditions = [(x, a), (y, d), (quotient, wanted), (rest, left)]
            .map(|(term, value)| (term, pool.number(4, value)))
            .map(|(term, value)| pool.equal(term, value));
        let answer = Blaster::default().check(&pool, &conditions);
        assert!(matches!(answer, Answer::Sat(_)), "{a} / {d}: {answer:?}");
    }
}

/// A program that speaks SMT-LIB and answers as it is told.
#[cfg(unix)]
fn fake_solver(name: &str, script: &str) -> SmtLib {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join("z3-fake");
    // Written by another process: a program that this one holds open for writing, or that
    // a sibling thread's child inherits so, cannot be started.
    let written = std::process::Command::new("sh")
        .args(["-c", "printf '%s\n' '#!/bin/sh' \"$1\" > \"$2\" && chmod 755 \"$2\"", "sh", script])
        .arg(&path)
        .status();
    assert!(written.is_ok_and(|status| status.success()), "the script cannot be written");
    SmtLib::start(&path.display().to_string()).expect("the script can be started")
}

#[cfg(unix)]
#[test]
fn an_external_solver_is_believed_only_as_far_as_it_can_be_checked() {
    let mut solver = fake_solver("lying", &answering("sat", "((x0 #x05))"));
    let mut pool = Pool::new();
    let x = pool.variable(8, 0);
    let (five, six) = (pool.number(8, 5), pool.number(8, 6));
    let (right, wrong) = (pool.equal(x, five), pool.equal(x, six));
    assert!(matches!(solver.check(&pool, &[right]), Answer::Sat(_)));
    assert!(matches!(solver.check(&pool, &[wrong]), Answer::Unknown(_)));
}

/// A script that answers every question alike, with the mark that belongs to it.
#[cfg(unix)]
fn answering(answer: &str, values: &str) -> String {
    format!(
        "while read -r line; do case \"$line\" in *check-sat*) echo '{answer}';; \
         *get-value*) echo '{values}';; *echo*) echo \"$line\" | cut -d'\"' -f2;; esac; done"
    )
}

/// Five bytes as one number; more than are tried one by one.
fn five_bytes(pool: &mut Pool) -> Term {
    let mut number = pool.variable(8, 0);
    for index in 1..5 {
        let byte = pool.variable(8, index);
        number = pool.concat(byte, number);
    }
    number
}

/// Two conditions on five bytes, of which the second cannot join the first.
fn path_and_question(pool: &mut Pool) -> (Term, Term, Assignment) {
    let x = five_bytes(pool);
    // Neither is a condition on single bytes, which would be rewritten.
    let three = pool.number(40, 3);
    let product = pool.binary(Op::Mul, x, three);
    let (fifteen, six) = (pool.number(40, 15), pool.number(40, 6));
    let known = [(0, 5), (1, 0), (2, 0), (3, 0), (4, 0)].into_iter().collect();
    (pool.equal(product, fifteen), pool.equal(x, six), known)
}

#[cfg(unix)]
#[test]
fn a_solver_that_denies_everything_is_not_believed() {
    let mut pool = Pool::new();
    let (path, question, known) = path_and_question(&mut pool);
    let denying = fake_solver("denying", &answering("unsat", ""));
    let mut chain = SolverChain::new(vec![Box::new(denying)]);
    let answer = chain.ask(&pool, &[path], question, &known);
    let Answer::Unknown(why) = answer else { panic!("{answer:?}") };
    assert!(why.contains("contradicts itself"), "{why}");
    assert_eq!(chain.statistics.shares["z3"].unknown, 1);
}

#[cfg(unix)]
#[test]
fn what_the_first_solver_gives_up_is_handed_to_the_next() {
    let mut pool = Pool::new();
    let (path, _, known) = path_and_question(&mut pool);
    let (x, seven) = (five_bytes(&mut pool), pool.number(40, 7));
    let question = pool.binary(Op::Ult, x, seven);
    let solvers: Vec<Box<dyn Solver>> = vec![
        Box::new(fake_solver("unsure", &answering("unknown", ""))),
        Box::new(Blaster::default()),
    ];
    let mut chain = SolverChain::new(solvers);
    assert!(matches!(chain.ask(&pool, &[path], question, &known), Answer::Sat(_)));
    let shares = &chain.statistics.shares;
    assert_eq!((shares["z3"].queries, shares["z3"].unknown), (1, 1));
    assert_eq!((shares["embedded"].queries, shares["embedded"].unknown), (1, 0));
}

#[cfg(unix)]
#[test]
fn a_question_about_two_bytes_is_decided_by_trying_them_all() {
    let mut pool = Pool::new();
    let (x, y) = (pool.variable(8, 3), pool.variable(8, 9));
    let wide = pool.concat(x, y);
    let square = pool.binary(Op::Mul, wide, wide);
    let (odd, even) = (pool.number(16, 0x4321), pool.number(16, 2));
    let path = pool.binary(Op::Ult, x, y);
    let (some, none) = (pool.equal(square, odd), pool.equal(square, even));
    let known = [(3, 0), (9, 1)].into_iter().collect();
    let unsure = fake_solver("unsure-of-two", &answering("unknown", ""));
    let mut chain = SolverChain::new(vec![Box::new(unsure)]);
    let solvable = (0..=0xffffu16).any(|n| n >> 8 < n & 0xff && n.wrapping_mul(n) == 0x4321);
    let answer = chain.ask(&pool, &[path], some, &known);
    assert_eq!(matches!(answer, Answer::Sat(_)), solvable, "{answer:?}");
    assert_eq!(chain.ask(&pool, &[path], none, &known), Answer::Unsat, "2 is no square");
}

#[cfg(unix)]
#[test]
fn a_solver_that_hangs_answers_late_or_babbles_leaves_the_question_open() {
    let mut pool = Pool::new();
    let (path, question, _) = path_and_question(&mut pool);
    let hanging = "exec sleep 600";
    // The answer to another question must not be taken for the answer to this one.
    let unmarked = "while read -r line; do case \"$line\" in *check-sat*) echo unsat; echo unsat;; \
                    esac; done";
    let babbling = answering("(error \"line 3\")", "");
    for (name, script) in [("hanging", hanging), ("unmarked", unmarked), ("babbling", &babbling)] {
        let patience = std::time::Duration::from_millis(300);
        let mut solver = fake_solver(name, script).patient_for(patience);
        for _ in 0..7 {
            let answer = solver.check(&pool, &[path, question]);
            assert!(matches!(answer, Answer::Unknown(_)), "{name}: {answer:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_external_solver_that_dies_leaves_the_question_open() {
    let mut solver = fake_solver("dying", "read -r line; exit 1");
    let mut pool = Pool::new();
    let x = pool.variable(8, 0);
    let five = pool.number(8, 5);
    let condition = pool.equal(x, five);
    for _ in 0..3 {
        assert!(matches!(solver.check(&pool, &[condition]), Answer::Unknown(_)));
    }
}

#[test]
fn a_question_that_is_too_large_is_not_decided_and_the_next_one_is() {
    let mut pool = Pool::new();
    let (x, y) = (pool.variable(128, 0), pool.variable(128, 1));
    let mut quotient = x;
    for n in 0..120 {
        let other = pool.number(128, n + 3);
        let divisor = pool.binary(Op::Xor, y, other);
        quotient = pool.binary(Op::UDiv, quotient, divisor);
    }
    let seven = pool.number(128, 7);
    let mut solver = Blaster::default();
    let large = pool.binary(Op::Eq, quotient, seven);
    match solver.check(&pool, &[large]) {
        Answer::Unknown(why) => assert!(why.contains("too large"), "{why}"),
        other => panic!("{other:?}"),
    }
    let small = pool.binary(Op::Eq, x, seven);
    assert!(matches!(solver.check(&pool, &[small]), Answer::Sat(_)));
}
