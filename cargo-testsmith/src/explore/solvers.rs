//! The solvers of an exploration, and how far it goes.

use crate::args::{self, Explore};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use testsmith_solver::{Blaster, SmtError, SmtLib, Solver};
use testsmith_symbolic::explore::{Settings, Strategy};

/// Conflicts after which the embedded solver lets others try first: other solvers, or
/// every input where there are few.
const BRIEF_CONFLICTS: u64 = 5_000;

/// Solvers of their own for one exploration, in the order in which they are asked.
pub fn solvers(options: &Explore) -> Result<Vec<Box<dyn Solver>>, SmtError> {
    let external =
        |solver: SmtLib| Box::new(solver.patient_for(options.solver_time)) as Box<dyn Solver>;
    let mut solvers: Vec<Box<dyn Solver>> = vec![];
    match options.solver.as_str() {
        "auto" => {
            solvers.push(Box::new(Blaster::new(BRIEF_CONFLICTS)));
            for name in SmtLib::installed() {
                solvers.push(external(SmtLib::new(name)?));
            }
            solvers.push(Box::new(Blaster::default()));
        }
        "embedded" => {
            solvers.push(Box::new(Blaster::new(BRIEF_CONFLICTS)));
            solvers.push(Box::new(Blaster::default()));
        }
        name => solvers.push(external(SmtLib::start(name)?)),
    }
    Ok(solvers)
}

/// What every exploration of a run has in common.
pub fn settings(options: &Explore, interrupt: &Arc<AtomicBool>) -> Settings {
    let mut settings = Settings {
        strategy: match options.strategy {
            args::Strategy::Depth => Strategy::DepthFirst,
            args::Strategy::Breadth => Strategy::BreadthFirst,
            args::Strategy::Coverage => Strategy::CoverageFirst,
        },
        max_paths: options.max_paths,
        max_time: options.max_time,
        interrupt: Arc::clone(interrupt),
        ..Settings::default()
    };
    settings.bounds.steps = options.max_steps;
    settings.bounds.unrollings = options.max_unroll;
    settings
}
