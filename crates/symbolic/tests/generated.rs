//! Generated programs with known truth: no verdict is untrue.
//!
//! One program per template here; `cargo xtask bench adversary` tries hundreds.

mod generator;

use std::path::Path;

use generator::Nature;
use generator::trial::{self, Trial};
use testsmith_symbolic::explore::Conclusion;

#[test]
fn no_verdict_on_generated_programs_is_untrue() {
    /// Programs that are the same on every machine.
    const SEED: u64 = 1;
    let programs = generator::programs(SEED, generator::templates());
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("generated-{}", std::process::id()));
    let trials = trial::run(&programs, &folder, |_| {});
    let wrong: Vec<&Trial> = trials.iter().filter(|trial| trial.wrong.is_some()).collect();
    assert!(wrong.is_empty(), "seed {SEED}: {wrong:#?}");
    let determined = trials.iter().filter(|trial| trial.program.nature == Nature::Determined);
    let (decided, open): (Vec<&Trial>, Vec<&Trial>) =
        determined.partition(|trial| trial.conclusion != Conclusion::Undecided);
    assert!(decided.len() >= 9 * open.len(), "left open: {open:#?}");
}
