//! Visits the paths of a function over a symbolic input, one run each.
//!
//! A run is concrete; what it decided is turned, decision by decision, into
//! untried paths, and a solver says which of them have an input. Each is
//! queued once, so no path is visited twice, and when none is
//! left every path has been visited. The [`Ledger`] lists whatever makes that
//! conclusion untrue.

mod explain;
mod ledger;
mod minimise;
mod represent;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub use explain::{Names, describe};
pub use ledger::Ledger;

use crate::ir::{FunctionId, Site, SiteId};
use crate::machine::{
    Bounds, Decision, End, Interpreter, Layout, ORDER, Reason, Run, RunRequest, STACK, Value,
};
use testsmith_solver::term::{Assignment, Evaluator, Pool, Term};
use testsmith_solver::{Answer, Limit, Solver, SolverChain, Statistics};

/// In which order paths are tried.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// Deepest first: little memory, and what a complete exploration uses.
    #[default]
    DepthFirst,
    /// Shortest paths first.
    BreadthFirst,
    /// Branches not yet taken first.
    CoverageFirst,
}

/// What counts as passing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Expectation {
    #[default]
    Returns,
    Panics,
    /// The text itself is checked by a function of the program.
    PanicsWithText,
}

/// What to explore and how far.
#[derive(Clone, Debug)]
pub struct Settings {
    pub strategy: Strategy,
    pub expectation: Expectation,
    pub max_paths: usize,
    pub max_time: Duration,
    pub bounds: Bounds,
    /// The length of the symbolic input.
    pub input_len: usize,
    pub text_check: Option<FunctionId>,
    /// Stop at the first input that fails.
    pub stop_at_failure: bool,
    /// Prefer small bytes in the inputs of cases.
    pub minimise: bool,
    /// Set from outside to end the exploration with what was found.
    pub interrupt: Arc<AtomicBool>,
    /// Told how many paths were visited, for whoever waits.
    pub visited: Arc<AtomicUsize>,
    /// Keep the sliced queries, to compare solvers on them.
    pub record_queries: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            strategy: Strategy::default(),
            expectation: Expectation::default(),
            max_paths: 100_000,
            max_time: Duration::from_secs(60),
            bounds: Bounds::default(),
            input_len: 16,
            text_check: None,
            stop_at_failure: false,
            minimise: true,
            interrupt: Arc::default(),
            visited: Arc::default(),
            record_queries: false,
        }
    }
}

/// An input that follows a path of its own.
#[derive(Clone, Debug)]
pub struct Case {
    pub input: Vec<u8>,
    pub end: End,
    /// The conditions that make the path, in order.
    pub decisions: Vec<Decision>,
    pub covered: BTreeSet<(SiteId, u32)>,
    pub passes: bool,
    /// Whether the input alone leads to this end, and no hash or address that happened to be
    /// so. If not, only a native run can tell.
    pub certain: bool,
    /// Whether an order of a hash table can be seen on it: a native run may have another.
    pub ordered: bool,
    /// The scalars the entry returned, which are terms over the input.
    pub returned: Vec<Value>,
    /// Whether it is one more input of a path, for a side of a branch where its ways meet
    /// again. Its last decision says which.
    pub further: bool,
}

/// A path that ended without a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    pub input: Vec<u8>,
    pub why: String,
}

impl Cut {
    /// Whether it only needs more stack than a thread may have: natively it may end there.
    pub fn is_out_of_stack(&self) -> bool {
        self.why.ends_with(STACK)
    }
}

/// What an exploration found.
pub struct Exploration {
    /// One per path whose assumptions hold, in the order visited, and further ones for the
    /// sides of branches whose ways meet again.
    pub cases: Vec<Case>,
    /// Paths that ended because an assumption did not hold.
    pub rejected: usize,
    /// Paths that ended without a verdict, in the order visited: bounds, unsupported code.
    /// Each has an input that leads there, which a native run can go on with.
    pub cut: Vec<Cut>,
    pub covered: BTreeSet<(SiteId, u32)>,
    /// Sides of branches of which it is not known whether an input takes them, although
    /// every path was visited.
    pub unclear: BTreeSet<(SiteId, u32)>,
    pub ledger: Ledger,
    pub steps: u64,
    pub queries: Statistics,
    pub recorded: Vec<Box<[Term]>>,
    pub time: Duration,
    pub run_time: Duration,
}

/// What may be said.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// For every input of the stated length.
    Holds,
    Fails,
    Undecided,
}

impl Exploration {
    /// A failure found is a failure; a claim about all paths needs a clean ledger.
    pub fn conclusion(&self) -> Conclusion {
        if self.cases.iter().any(|case| !case.passes && case.certain) {
            Conclusion::Fails
        } else if self.ledger.is_complete() {
            Conclusion::Holds
        } else {
            Conclusion::Undecided
        }
    }

    pub fn paths(&self) -> usize {
        self.cases.iter().filter(|case| !case.further).count()
    }

    /// Whether every side of a branch that was not taken is one that cannot be.
    pub fn sides_are_clear(&self) -> bool {
        self.unclear.is_subset(&self.covered)
    }

    /// The path an input lies on, if it was visited: what a native run of the input has to
    /// do. None also for inputs whose assumptions do not hold.
    pub fn case_of(&self, pool: &Pool, input: &[u8]) -> Option<&Case> {
        let values = minimise::assignment(input);
        let mut evaluator = Evaluator::new(pool, &values);
        // The last decisions differ between neighbouring paths, so they decide soonest.
        let mut holds = |case: &&Case| {
            case.decisions.iter().rev().all(|decision| evaluator.holds(decision.holds))
        };
        self.cases.iter().filter(|case| !case.further).find(|case| holds(case))
    }

    pub fn failures(&self) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(|case| !case.passes)
    }
}

/// Sides of branches, each with its condition.
type Sides = BTreeMap<(SiteId, u32), Term>;

/// A decision on a path, linked to the ones before it; paths share their beginnings.
struct Link {
    before: Option<Rc<Link>>,
    holds: Term,
}

/// A path to try: the beginning of a known one, then one condition turned.
struct UntriedPath {
    before: Option<Rc<Link>>,
    question: Term,
    reason: Reason,
    known: Rc<Assignment>,
}

struct Explorer<'a> {
    interpreter: &'a mut Interpreter,
    entry: FunctionId,
    settings: &'a Settings,
    chain: SolverChain,
    untried: VecDeque<UntriedPath>,
    found: Exploration,
    start: Instant,
    /// The order of hash tables that is tried now.
    hash_order: Vec<usize>,
    /// The hashes of elements whose order could be seen on some path.
    ordered: BTreeSet<usize>,
    /// Sides of branches that no input has taken yet and some path does.
    chances: represent::Chances,
    /// The branches whose sides are asked for.
    counts: &'a dyn Fn(&Site) -> bool,
}

/// Explores `entry`, which takes a pointer to bytes and their number. What the first
/// solver does not decide is handed to the next.
pub fn explore(
    interpreter: &mut Interpreter,
    entry: FunctionId,
    settings: &Settings,
    solvers: Vec<Box<dyn Solver>>,
) -> Exploration {
    explore_sides(interpreter, entry, settings, solvers, &|_| true)
}

/// The same, with inputs for the sides of these branches only, where one path takes several.
pub fn explore_sides(
    interpreter: &mut Interpreter,
    entry: FunctionId,
    settings: &Settings,
    solvers: Vec<Box<dyn Solver>>,
    counts: &dyn Fn(&Site) -> bool,
) -> Exploration {
    let mut chain = SolverChain::new(solvers);
    chain.recorded = settings.record_queries.then(Vec::new);
    let found = Exploration {
        cases: vec![],
        rejected: 0,
        cut: vec![],
        covered: BTreeSet::new(),
        unclear: BTreeSet::new(),
        ledger: Ledger::default(),
        steps: 0,
        queries: Statistics::default(),
        recorded: vec![],
        time: Duration::ZERO,
        run_time: Duration::ZERO,
    };
    let start = Instant::now();
    let untried = VecDeque::new();
    Explorer {
        interpreter,
        entry,
        settings,
        chain,
        untried,
        found,
        start,
        hash_order: vec![],
        ordered: BTreeSet::new(),
        chances: represent::Chances::new(),
        counts,
    }
    .explore()
}

impl Explorer<'_> {
    fn explore(mut self) -> Exploration {
        self.chain.set_limit(&Limit {
            deadline: self.start.checked_add(self.settings.max_time),
            interrupt: Arc::clone(&self.settings.interrupt),
        });
        self.visit_all();
        self.represent();
        self.try_other_orders();
        self.found.time = self.start.elapsed();
        self.found.queries = self.chain.statistics.clone();
        self.found.recorded = self.chain.recorded.take().unwrap_or_default();
        self.found
    }

    fn visit_all(&mut self) {
        self.visit(None, Rc::new(Assignment::default()));
        while let Some(untried) = self.next() {
            if let Some(why) = self.stop() {
                self.found.ledger.void(why);
                self.untried.clear();
                return;
            }
            self.try_path(untried);
        }
    }

    /// Where the order of a hash table can be seen, all paths are visited in every order.
    fn try_other_orders(&mut self) {
        /// More have too many orders.
        const MOST: usize = 4;
        let mut tried = BTreeSet::new();
        // Another order may lead to a path on which more can be seen.
        while tried != self.ordered && self.ordered.len() <= MOST {
            tried = self.ordered.clone();
            for order in permutations(&tried) {
                if !self.found.ledger.is_complete() {
                    return;
                }
                self.hash_order = order;
                self.visit_all();
            }
        }
        if self.ordered.len() > MOST {
            self.found.ledger.void(ORDER.to_owned());
        }
    }

    fn stop(&self) -> Option<String> {
        if self.settings.interrupt.load(Ordering::Acquire) {
            return Some("it was interrupted".to_owned());
        }
        let paths = self.found.cases.len() + self.found.rejected + self.found.cut.len();
        if paths >= self.settings.max_paths {
            return Some(format!("the bound of {} paths was reached", self.settings.max_paths));
        }
        if self.start.elapsed() > self.settings.max_time {
            let seconds = self.settings.max_time.as_secs();
            return Some(format!("the time bound of {seconds} s was reached"));
        }
        if self.settings.stop_at_failure && self.found.cases.iter().any(|case| !case.passes) {
            return Some("stopped at the first failure".to_owned());
        }
        None
    }

    fn next(&mut self) -> Option<UntriedPath> {
        match self.settings.strategy {
            Strategy::DepthFirst => self.untried.pop_back(),
            Strategy::BreadthFirst => self.untried.pop_front(),
            Strategy::CoverageFirst => {
                /// Looking at more of the queue costs more than a better choice gains.
                const LOOKED_AT: usize = 512;
                let fresh = |untried: &UntriedPath| match untried.reason {
                    Reason::Branch(site, way) => {
                        !self.found.covered.contains(&(site, u32::from(way == 0)))
                    }
                    _ => false,
                };
                let newest = self.untried.iter().rev().take(LOOKED_AT).position(fresh);
                match newest {
                    Some(back) => self.untried.remove(self.untried.len() - 1 - back),
                    None => self.untried.pop_back(),
                }
            }
        }
    }

    fn try_path(&mut self, untried: UntriedPath) {
        let path = conditions(&untried.before);
        let answer =
            self.chain.ask(&self.interpreter.pool, &path, untried.question, &untried.known);
        match answer {
            Answer::Unsat => {}
            Answer::Unknown(why) => self.found.ledger.void(format!("not decided: {why}")),
            Answer::Sat(model) => {
                let link = Link { before: untried.before, holds: untried.question };
                self.visit(Some(Rc::new(link)), Rc::new(model));
            }
        }
    }

    /// Runs one input and queues what its decisions, turned, would be.
    fn visit(&mut self, script: Option<Rc<Link>>, model: Rc<Assignment>) {
        let input = bytes(&model, self.settings.input_len);
        let wanted = conditions(&script);
        let run = self.run(&input, &wanted);
        if run.diverged {
            self.found.ledger.void("a run left the path it was to follow".to_owned());
        }
        let mut link = script;
        for decision in run.decisions.iter().skip(wanted.len()) {
            let question = self.interpreter.pool.not(decision.holds);
            let untried = UntriedPath {
                before: link.clone(),
                question,
                reason: decision.reason,
                known: model.clone(),
            };
            // A pinned number is not turned: the machine has voided the claim already.
            if decision.reason != Reason::Pinned {
                self.untried.push_back(untried);
            }
            link = Some(Rc::new(Link { before: link, holds: decision.holds }));
        }
        self.note(run, input, (&link, &model));
    }

    /// Runs one input, here and elsewhere.
    fn run(&mut self, input: &[u8], script: &[Term]) -> Run {
        let begun = Instant::now();
        let job = RunRequest {
            entry: self.entry,
            input,
            script,
            bounds: &self.settings.bounds,
            text_check: self.settings.text_check,
            symbolic: true,
            layout: Layout::Ordered,
            unwind: self.settings.expectation != Expectation::Returns,
            hash_order: &self.hash_order.clone(),
        };
        let run = self.interpreter.run(&job);
        self.compare_elsewhere(&run.end, job);
        self.found.run_time += begun.elapsed();
        self.found.steps += run.steps;
        run
    }

    /// Runs the input once more with its objects at other addresses: a program whose
    /// outcome depends on them is not what the path says it is.
    fn compare_elsewhere(&mut self, end: &End, request: RunRequest<'_>) {
        if matches!(end, End::Unsupported(_) | End::Limit(_)) {
            return;
        }
        let request =
            RunRequest { script: &[], symbolic: false, layout: Layout::Scattered, ..request };
        let elsewhere = self.interpreter.run(&request).end;
        let same = match (end, &elsewhere) {
            // What lies beside an object depends on where it lies.
            (End::Undefined(_), End::Undefined(_)) => true,
            _ => *end == elsewhere,
        };
        if !same {
            self.found
                .ledger
                .void("the outcome depends on where memory lies, or on hashes".to_owned());
        }
    }

    fn note(
        &mut self,
        run: Run,
        input: Vec<u8>,
        (path, model): (&Option<Rc<Link>>, &Rc<Assignment>),
    ) {
        self.settings.visited.fetch_add(1, Ordering::Relaxed);
        self.found.ledger.note(&run);
        self.ordered.extend(&run.ordered);
        let passed = passes(&self.settings.expectation, &run.end) || run.end == End::Rejected;
        if !self.hash_order.is_empty() && passed {
            // The path has its case already, in the first order.
            return;
        }
        match &run.end {
            End::Rejected => {
                self.found.rejected += 1;
                return;
            }
            End::Unsupported(why) | End::Limit(why) => {
                self.found.cut.push(Cut { input, why: why.clone() });
                return;
            }
            End::Returned | End::Panicked { .. } | End::Crashed(_) | End::Undefined(_) => {}
        }
        let end = run.end.clone();
        let joined = self.keep(run, input, false);
        self.note_chances(path, joined, &end, model);
    }

    /// A case for an input that ended as the claim is about. Gives the sides of branches that
    /// others of its path take.
    fn keep(&mut self, run: Run, input: Vec<u8>, further: bool) -> Sides {
        let passes = passes(&self.settings.expectation, &run.end);
        let mut case = Case {
            input,
            end: run.end,
            decisions: run.decisions,
            covered: run.covered,
            passes,
            certain: !run.guessed,
            ordered: !run.ordered.is_empty(),
            returned: run.returned,
            further,
        };
        let first = case.input.clone();
        if self.settings.minimise {
            minimise::by_evaluation(&self.interpreter.pool, &mut case);
            if !case.passes {
                minimise::by_solver(&mut self.interpreter.pool, &mut self.chain, &mut case);
            }
        }
        if case.input != first {
            // A smaller input of the same path may take other sides.
            let values = minimise::assignment(&case.input);
            let mut evaluator = Evaluator::new(&self.interpreter.pool, &values);
            for (side, condition) in &run.joined {
                match evaluator.holds(*condition) {
                    true => case.covered.insert(*side),
                    false => case.covered.remove(side),
                };
            }
        }
        self.found.covered.extend(case.covered.iter().copied());
        self.found.cases.push(case);
        run.joined
    }
}

/// Every order of these.
fn permutations(of: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    let mut orders = vec![of.iter().copied().collect::<Vec<usize>>()];
    for last in 1..of.len() {
        let swapped = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=last).map(move |with| {
                let mut order = order.clone();
                order.swap(with, last);
                order
            })
        };
        orders = orders.iter().flat_map(swapped).collect();
    }
    orders
}

fn passes(expectation: &Expectation, end: &End) -> bool {
    match (expectation, end) {
        (Expectation::Returns, End::Returned) => true,
        (Expectation::Panics, End::Panicked { .. }) => true,
        (Expectation::PanicsWithText, End::Panicked { text_matches, .. }) => {
            *text_matches == Some(true)
        }
        _ => false,
    }
}

fn conditions(link: &Option<Rc<Link>>) -> Vec<Term> {
    let mut conditions = vec![];
    let mut next = link;
    while let Some(link) = next {
        conditions.push(link.holds);
        next = &link.before;
    }
    conditions.reverse();
    conditions
}

impl Drop for Link {
    /// Long chains are taken apart in a loop: dropping them recursively overflows the stack.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(link) = next {
            match Rc::try_unwrap(link) {
                Ok(mut link) => next = link.before.take(),
                Err(_) => break,
            }
        }
    }
}

fn bytes(model: &Assignment, len: usize) -> Vec<u8> {
    (0..len as u32).map(|index| model.get(&index).copied().unwrap_or(0) as u8).collect()
}
