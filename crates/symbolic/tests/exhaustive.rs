//! Every input of two bytes lies on exactly one path, and the path says what the
//! native program does with it.
//!
//! This is the test of the claim itself: not one input per path is compared, but
//! all of them, with the returned value as a term over the input.

mod support;

use support::{bytes, compile};
use testsmith_solver::Blaster;
use testsmith_solver::term::{Assignment, Evaluator};
use testsmith_symbolic::explore::{Case, Settings, explore};
use testsmith_symbolic::machine::{End, Interpreter};

const PROGRAMS: &[&str] = &[
    "checked",
    "multiplied",
    "divided",
    "euclid",
    "shifted",
    "rotated",
    "saturated",
    "overflowing",
    "constant_factors",
    "bits",
    "ordered",
    "wide",
    "wide_signed",
    "powers",
    "square_root",
    "coloured",
    "niches",
    "indexed",
    "sliced",
    "vector",
    "sorted",
    "searched",
    "tree",
    "set",
    "hashed",
    "deque",
    "text",
    "cased",
    "parsed",
    "formatted",
    "floats",
    "float_arithmetic",
    "switched",
    "looped",
    "boxed",
    "asserted",
    "swapped",
    "compared",
    "chunked",
    "negated",
    "deduplicated",
    "collatz",
    "divisor",
    "cyclic",
    "quotients",
    "round_trip",
    "roots",
    "remainders",
    "float_powers",
    "checksum_rows",
    "quick_divisions",
];

/// All inputs with a stride of 1, which takes a quarter of an hour.
const STRIDE: usize = 29;

fn input(number: u32) -> [u8; 2] {
    (number as u16).to_le_bytes()
}

fn assignment(input: [u8; 2]) -> Assignment {
    [(0, u128::from(input[0])), (1, u128::from(input[1]))].into_iter().collect()
}

/// What a path predicts for an input, if the input lies on it.
fn predicted(interpreter: &Interpreter, case: &Case, values: &Assignment) -> Option<i64> {
    let mut evaluator = Evaluator::new(&interpreter.pool, values);
    // The last decisions differ between neighbouring paths, so they decide soonest.
    if !case.decisions.iter().rev().all(|decision| evaluator.holds(decision.holds)) {
        return None;
    }
    match &case.end {
        End::Returned => {
            let value = case.returned[0];
            let bits = value.term.map_or(value.bits, |term| evaluator.value(term));
            Some(bits as u64 as i64)
        }
        End::Panicked { .. } => Some(i64::MIN),
        other => panic!("a path ended with {other:?}"),
    }
}

#[test]
fn every_input_lies_on_one_path_and_does_what_the_path_says() {
    let compiled = compile("exhaustive");
    let mut interpreter = compiled.engine_of(PROGRAMS);
    for function in PROGRAMS {
        interpreter.forget_terms();
        let entry = interpreter.program.find(&|name: &str| name == *function);
        let entry = entry.first().expect("the function is there").0;
        // However busy the machine is: no claim may depend on the time it took.
        let settings = Settings { max_time: std::time::Duration::from_secs(3_600), ..bytes(2) };
        let found = explore(&mut interpreter, entry, &settings, vec![Box::new(Blaster::default())]);
        let voids: Vec<_> = found.ledger.voids().collect();
        assert_eq!(voids, [], "{function}");
        let native = compiled.native(function);
        // From a different one for each function, plus the corners.
        let offset = function.len() as u32 % STRIDE as u32;
        let corners = [0, 1, 0xff, 0x100, 0x7f80, 0x8000, 0x807f, 0xff00, 0xffff];
        for number in (offset..65_536).step_by(STRIDE).chain(corners) {
            let bytes = input(number);
            let values = assignment(bytes);
            let on: Vec<i64> = found
                .cases
                .iter()
                .filter(|case| !case.further)
                .filter_map(|case| predicted(&interpreter, case, &values))
                .collect();
            assert_eq!(on.len(), 1, "{function}: {bytes:?} lies on {} paths", on.len());
            assert_eq!(on[0], native(&bytes), "{function}: {bytes:?}");
        }
    }
}
