//! How often a sequence is run before a test is made of it.
//!
//! Runs in one process are cheap, and the tables of one process have other keys each time. So
//! what comes and goes is seen here; the processes that a written test is run in
//! afterwards need only be few.

use testsmith_model::outcome::Ending;
use testsmith_model::{Plan, Sequence, Step};

/// Two hashes meet seldom, and only some keys make them. So many more where a table with
/// random keys can be seen, because seven bits of a hash decide much.
const RUNS: usize = 32;
const RUNS_KEYED: usize = 512;
/// Each costs a process.
const RUNS_OF_AN_END: usize = 6;
/// However little time there is.
pub const FEWEST_RUNS: usize = 4;

/// Runs of a sequence that ends so.
pub fn runs(plan: &Plan, sequence: &Sequence, ending: &Ending) -> usize {
    match leaves_damage(ending) {
        true => RUNS_OF_AN_END,
        false if is_keyed(plan, sequence) => RUNS_KEYED,
        false => RUNS,
    }
}

/// Whether what comes after such an end in one process may not be itself.
pub fn leaves_damage(ending: &Ending) -> bool {
    use Ending::{Broken, Completed, Differs, Exception, Panicked};
    !matches!(ending, Completed | Panicked(_) | Broken | Differs { .. } | Exception { .. })
}

/// Whether a value of the sequence is hashed with keys that are drawn at random.
fn is_keyed(plan: &Plan, sequence: &Sequence) -> bool {
    const KEYED: [&str; 3] = ["RandomState", "collections::HashMap", "collections::HashSet"];
    let named = |step: &Step| plan.ty(step.ty(plan)).ty.to_string();
    sequence.steps().any(|step| KEYED.iter().any(|keyed| named(step).contains(keyed)))
}
