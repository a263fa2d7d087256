//! Stateful testing: what the values of a search have in common becomes contracts, and
//! calls are made that would break them.
//!
//! A search like the random one: it hands over sequences with their outcomes and nothing
//! else. It walks a little under observation, infers clauses, asks for values that break
//! them, runs those, and infers again until nothing changes or its calls are used up.

mod exceptions;
mod keep;

pub(crate) use exceptions::{Exception, Exceptions, exceptions};
pub(crate) use keep::{contracts, seen};

use crate::budget::is_late;
use std::collections::{BTreeMap, BTreeSet};
use testsmith_infer::{
    Clause, Contract, Data, Goal, Kind, Near, Reduction, Suspect, nearby, watches,
};
use testsmith_lab::{Error, Supervisor};
use testsmith_model::message::Walk;
use testsmith_model::observation::{Attempt, Occasion, Watching};
use testsmith_model::outcome::Ending;
use testsmith_model::{Heuristics, OpId, Outcome, Plan, Sequence};

/// Different answers kept for each operation.
const ROWS_EACH: u32 = 2000;
/// Calls of a walk that are made in one go.
const PIECE: u64 = 10_000;
/// One walk under observation, then this many rounds of inference and reduction.
const MAX_ROUNDS: usize = 5;
/// Sequences that are run in one go.
const BATCH: usize = 256;
/// Sequences for one goal before the next goal has its turn.
const A_TURN: usize = 3;
/// Workers that may die while they are watched.
const MAX_DEATHS: u32 = 8;
const MAX_LENGTH: u32 = 20;
/// How often suspects are looked for while calls are made that seldom come about at random.
const LOOKS: usize = 8;
/// Clauses with exceptions that are looked at closely, the exceptions of each, and the part
/// of all calls that this takes at most.
const MAX_SUSPECTS: usize = 48;
const EXCEPTIONS_EACH: usize = 4;
const MANY_EXCEPTIONS: u64 = 4;
const NEARBY_SHARE: u64 = 8;
/// The part of all calls that is kept for corners.
const CORNERS_SHARE: u64 = 12;
/// Calls that have to keep a promise before it is told. What so many calls keep is broken in
/// fewer than one of a hundred, as one can be sure of in 95 of 100 cases.
const LEAST_TOLD: u64 = 300;
/// Conditions that are looked up in what earlier runs have left, in one round.
const MAX_LOOKED_UP: usize = 64;

/// What it goes by.
pub(crate) struct Stateful<'s> {
    pub(crate) plan: &'s Plan,
    pub(crate) seed: u64,
    pub(crate) heuristics: Heuristics,
    pub(crate) avoid: Vec<OpId>,
    /// Calls that it may make, of which the walk gets the greater part.
    pub(crate) calls: u64,
    /// Whether an operation was called and never panicked.
    pub(crate) fit: &'s dyn Fn(OpId) -> bool,
    /// Sequences of earlier runs whose values may be of use.
    pub(crate) earlier: Vec<Sequence>,
    /// Looks up those whose values satisfy one of these conditions.
    pub(crate) look_up: &'s dyn Fn(&[String]) -> Vec<Sequence>,
}

/// What was tried against a clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tried {
    /// Calls that were made where it does not hold.
    pub(crate) calls: u64,
    /// And how many of them completed.
    pub(crate) completed: u64,
    /// Of the others, those that were refused.
    pub(crate) refused: u64,
}

/// What became of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Calls were made against it, and it still holds.
    Holds,
    /// Where it does not hold, the call does not succeed.
    Needed,
    /// No values were found that would break it.
    Untried,
    Refuted,
}

impl Fate {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Fate::Holds => "holds",
            Fate::Needed => "needed",
            Fate::Untried => "untried",
            Fate::Refuted => "refuted",
        }
    }
}

/// What is known in the end.
pub(crate) struct Learned<'p> {
    pub(crate) data: Data<'p>,
    /// All clauses that were inferred at any time.
    pub(crate) contracts: Vec<(Contract, Tried, Fate)>,
    pub(crate) calls: u64,
    pub(crate) rounds: usize,
    /// Clauses with exceptions that are not by design, as far as can be said.
    pub(crate) near: Vec<Near>,
}

/// Sees all that fails.
pub(crate) type Each<'e> = &'e mut dyn FnMut(Sequence, Outcome);

impl<'p> Stateful<'p> {
    pub(crate) fn run(
        &self,
        supervisor: &mut Supervisor,
        each: Each<'_>,
    ) -> Result<Learned<'p>, Error> {
        let watches = watches(self.plan, self.fit);
        let watching = Watching { watches: watches.clone(), rows_each: ROWS_EACH };
        let data = Data::new(self.plan, watches);
        let (tried, looked_into) = (BTreeMap::new(), BTreeSet::new());
        let mut work =
            Work { stateful: self, watching, data, calls: 0, beside: 0, tried, looked_into };
        if work.watching.watches.is_empty() {
            return Ok(work.into_learned(vec![], vec![], 0));
        }
        work.walk(supervisor, each)?;
        let walked = work.calls;
        let near = work.near(supervisor, each)?;
        work.beside = work.calls - walked;
        let mut all: Vec<Contract> = work.contracts();
        let mut rounds = 0;
        while rounds < MAX_ROUNDS && work.left() > 0 && !is_late(supervisor.until) {
            let tried = work.reduce(supervisor, each)?;
            if tried == 0 {
                break;
            }
            rounds += 1;
            for contract in work.contracts() {
                match all
                    .iter_mut()
                    .find(|c| (c.watch, c.clause) == (contract.watch, contract.clause))
                {
                    Some(known) => known.support = contract.support,
                    None => all.push(contract),
                }
            }
        }
        work.corners(supervisor, each)?;
        Ok(work.into_learned(all, near, rounds))
    }
}

struct Work<'w, 'p> {
    stateful: &'w Stateful<'p>,
    watching: Watching,
    data: Data<'p>,
    calls: u64,
    /// Those of them that only near-contracts asked for.
    beside: u64,
    /// What was tried against each clause of a watch.
    tried: BTreeMap<(usize, Clause), Tried>,
    /// Clauses with little support that were tried, too.
    looked_into: BTreeSet<(usize, Clause)>,
}

/// What has to hold before a call, and the number of the clause that this would break; none if
/// the call is made for its own sake.
type Aim = (Goal, Option<usize>);

/// A sequence on its way, and the goal that it is to reach.
struct Try {
    sequence: Sequence,
    goal: usize,
}

impl<'p> Work<'_, 'p> {
    /// Observes a random walk, and what earlier runs have left.
    fn walk(&mut self, supervisor: &mut Supervisor, each: Each<'_>) -> Result<(), Error> {
        let stateful = self.stateful;
        let share = stateful.calls / 3 * 2;
        let earlier = stateful.earlier.clone();
        self.run_all(supervisor, &earlier, each)?;
        let deaths = supervisor.deaths;
        let mut piece = 0;
        while self.calls < share
            && supervisor.deaths - deaths < MAX_DEATHS
            && !is_late(supervisor.until)
        {
            let walk = Walk {
                seed: stateful.seed.wrapping_add(piece),
                max_calls: PIECE.min(share - self.calls),
                ..self.still_walk()
            };
            piece += 1;
            let (observed, walked) = supervisor.observe(&self.watching, &walk, &[], each)?;
            let calls = walked.calls + observed.calls;
            self.calls += calls;
            self.data.add(observed);
            if calls == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Clauses that nearly all calls of the walk keep. What is like their exceptions is
    /// called, too, to see what these have in common.
    fn near(&mut self, supervisor: &mut Supervisor, each: Each<'_>) -> Result<Vec<Near>, Error> {
        // What is rare at random is frequent where it is looked for, so it counts as it was first
        // seen.
        let mut suspects = self.data.suspects();
        // One of each kind in turn.
        let kinds = [self.data.drills(), self.data.rounds(), self.data.echoes()];
        let longest = kinds.iter().map(Vec::len).max().unwrap_or(0);
        let all = (0..longest).flat_map(|n| kinds.iter().filter_map(move |kind| kind.get(n)));
        let mut left = self.stateful.calls / NEARBY_SHARE;
        let affordable = |drill: &&Sequence| {
            let calls = drill.calls() as u64;
            let fits = calls <= left;
            left = left.saturating_sub(calls);
            fits
        };
        let some: Vec<Sequence> = all.take_while(affordable).cloned().collect();
        for part in some.chunks(some.len().div_ceil(LOOKS).max(1)) {
            self.run_all(supervisor, part, each)?;
            let is_known = |new: &Suspect| suspects.iter().any(|old| old.is_about_the_same(new));
            let shown = self.data.suspects().into_iter().filter(|new| !is_known(new));
            let shown: Vec<Suspect> = shown.collect();
            suspects.extend(shown);
        }
        suspects.truncate(MAX_SUSPECTS);
        let most = self.calls + (self.stateful.calls / NEARBY_SHARE);
        // One exception of each first, so that none goes without.
        for n in 0..EXCEPTIONS_EACH {
            // Where many were seen by chance, calls beside them would only make them more frequent.
            let few = suspects.iter().filter(|suspect| n == 0 || suspect.broken < MANY_EXCEPTIONS);
            for exception in few.filter_map(|suspect| suspect.exceptions.get(n)) {
                if self.calls < most {
                    let beside = nearby(self.stateful.plan, exception);
                    self.run_all(supervisor, &beside, each)?;
                }
            }
        }
        let settled = suspects.iter().filter_map(|suspect| self.data.settle(suspect));
        // A region of states that nothing names was no fault wherever it was told.
        Ok(settled.filter(|near| !near.cause.is_empty()).collect())
    }

    /// Calls that are left to try clauses with.
    fn left(&self) -> u64 {
        self.stateful.calls.saturating_sub(self.calls - self.beside)
    }

    /// Those that one step of a round may take: half of what is left, so that there are some for
    /// what it brings up, and not those that are kept for corners.
    fn a_part(&self) -> u64 {
        self.left().saturating_sub(self.stateful.calls / CORNERS_SHARE) / 2
    }

    /// The clauses that are supported now and not written on their operations.
    fn contracts(&self) -> Vec<Contract> {
        let reduction = Reduction::new(&self.data);
        let new = |contract: &Contract| !reduction.is_written(contract);
        self.data.contracts().into_iter().filter(new).collect()
    }

    /// A walk that does not move.
    fn still_walk(&self) -> Walk {
        Walk {
            seed: self.stateful.seed,
            max_sequences: u64::MAX,
            max_calls: 0,
            max_length: MAX_LENGTH,
            failures: true,
            heuristics: self.stateful.heuristics,
            avoid: self.stateful.avoid.clone(),
            ..Walk::default()
        }
    }

    /// Makes calls against the clauses that nothing was tried against yet, and where few calls
    /// were seen; how many clauses those were.
    fn reduce(&mut self, supervisor: &mut Supervisor, each: Each<'_>) -> Result<usize, Error> {
        let fresh = |contract: &Contract| {
            contract.can_be_tried() && !self.tried.contains_key(&(contract.watch, contract.clause))
        };
        let mut contracts: Vec<Contract> = self.contracts().into_iter().filter(fresh).collect();
        // Preconditions first: they lead to states where nobody was.
        contracts.sort_by_key(|contract| contract.clause.kind);
        let looked_into = self.looked_into.len();
        let mut aims = self.places_to_look();
        let hunches = self.looked_into.len() - looked_into;
        for (n, contract) in contracts.iter().enumerate() {
            self.tried.insert((contract.watch, contract.clause), Tried::default());
            let wanted = Reduction::new(&self.data).goals(contract);
            aims.extend(wanted.into_iter().map(|goal| (goal, Some(n))));
        }
        let direct = self.propose(&aims, false, &[], self.a_part());
        let mut reached = self.try_all(supervisor, &aims, &contracts, direct, each)?;
        if self.look_up(supervisor, &aims, &reached, each)? > 0 {
            let direct = self.propose(&aims, false, &reached, self.a_part());
            reached.extend(self.try_all(supervisor, &aims, &contracts, direct, each)?);
        }
        let indirect = self.propose(&aims, true, &reached, self.a_part());
        self.try_all(supervisor, &aims, &contracts, indirect, each)?;
        Ok(contracts.len() + hunches)
    }

    /// Runs what earlier runs have left of values that nobody has seen in this one; how many
    /// sequences that were.
    fn look_up(
        &mut self,
        supervisor: &mut Supervisor,
        aims: &[Aim],
        reached: &[usize],
        each: Each<'_>,
    ) -> Result<usize, Error> {
        let reduction = Reduction::new(&self.data);
        let open = (0..aims.len()).filter(|n| !reached.contains(n));
        let asked: BTreeSet<String> =
            open.flat_map(|n| reduction.conditions(&aims[n].0)).take(MAX_LOOKED_UP).collect();
        let found = (self.stateful.look_up)(&asked.into_iter().collect::<Vec<String>>());
        self.run_all(supervisor, &found, each)?;
        Ok(found.len())
    }

    /// Where too little was seen to infer anything: operations that were hardly called, and
    /// what the few calls had in common.
    fn places_to_look(&mut self) -> Vec<Aim> {
        let reduction = Reduction::new(&self.data);
        let may_be_called = |watch: &usize| match self.watching.watches[*watch].occasion {
            Occasion::Call { op } => !self.stateful.avoid.contains(&op),
            Occasion::Values { .. } | Occasion::Pair { .. } => false,
        };
        let watches = (0..self.watching.watches.len()).filter(may_be_called);
        let mut aims: Vec<Aim> = vec![];
        // Once is enough: what cannot be called then cannot be called later.
        if self.looked_into.is_empty() {
            for watch in watches {
                let goals = reduction.untrodden(watch).into_iter();
                let goals = goals.chain(reduction.branches(watch));
                aims.extend(goals.map(|goal| (goal, None)));
            }
        }
        for hunch in self.data.hunches() {
            let new = self.looked_into.insert((hunch.watch, hunch.clause));
            if new && !reduction.is_written(&hunch) {
                aims.extend(reduction.goals(&hunch).into_iter().map(|goal| (goal, None)));
            }
        }
        aims
    }

    /// Makes calls where operations were seldom seen, with the calls that are left.
    fn corners(&mut self, supervisor: &mut Supervisor, each: Each<'_>) -> Result<(), Error> {
        let reduction = Reduction::new(&self.data);
        let call =
            |watch: &usize| matches!(self.watching.watches[*watch].occasion, Occasion::Call { .. });
        let watches = (0..self.watching.watches.len()).filter(call);
        let aims: Vec<Aim> =
            watches.flat_map(|watch| reduction.corners(watch)).map(|goal| (goal, None)).collect();
        let tries = self.propose(&aims, false, &[], self.left());
        let sequences: Vec<Sequence> = tries.into_iter().map(|one| one.sequence).collect();
        self.run_all(supervisor, &sequences, each)?;
        Ok(())
    }

    /// Sequences for all goals that are not in the list, as far as so many calls go; directly,
    /// or with a call in between.
    fn propose(&self, aims: &[Aim], between: bool, reached: &[usize], mut left: u64) -> Vec<Try> {
        let reduction = Reduction::new(&self.data);
        let mut proposed: Vec<(usize, Box<dyn Iterator<Item = Sequence> + '_>)> = vec![];
        for (goal, (wanted, _)) in aims.iter().enumerate() {
            if reached.contains(&goal) {
                continue;
            }
            let sequences: Box<dyn Iterator<Item = Sequence>> = match between {
                false => Box::new(reduction.propose(wanted)),
                true => Box::new(reduction.propose_between(wanted).into_iter()),
            };
            proposed.push((goal, sequences));
        }
        // A few for each goal in turn, so that none goes without.
        let mut all = vec![];
        while !proposed.is_empty() {
            let mut over = vec![];
            for (n, (goal, sequences)) in proposed.iter_mut().enumerate() {
                for _ in 0..A_TURN {
                    let Some(sequence) = sequences.next() else {
                        over.push(n);
                        break;
                    };
                    let calls = sequence.calls() as u64;
                    if calls > left {
                        return all;
                    }
                    left -= calls;
                    all.push(Try { sequence, goal: *goal });
                }
            }
            for n in over.into_iter().rev() {
                drop(proposed.remove(n));
            }
        }
        all
    }

    /// Runs sequences and notes what they say of their goals; which of those were reached
    /// by a call that was really made.
    fn try_all(
        &mut self,
        supervisor: &mut Supervisor,
        aims: &[Aim],
        contracts: &[Contract],
        tries: Vec<Try>,
        each: Each<'_>,
    ) -> Result<Vec<usize>, Error> {
        let sequences: Vec<Sequence> = tries.iter().map(|one| one.sequence.clone()).collect();
        let attempts = self.run_all(supervisor, &sequences, each)?;
        let mut reached = vec![];
        for (one, attempt) in tries.iter().zip(attempts) {
            let (goal, contract) = &aims[one.goal];
            let Some(outcome) = attempt.outcome else { continue };
            if !Reduction::new(&self.data).is_reached(goal, &attempt.before) {
                continue;
            }
            if let Some(contract) = contract.map(|n| &contracts[n]) {
                let tried = self.tried.entry((contract.watch, contract.clause)).or_default();
                tried.calls += 1;
                match outcome.ending {
                    Ending::Completed => tried.completed += 1,
                    Ending::Inapplicable => tried.refused += 1,
                    _ => {}
                }
            }
            if outcome.ending != Ending::Inapplicable && !reached.contains(&one.goal) {
                reached.push(one.goal);
            }
        }
        Ok(reached)
    }

    /// Runs sequences under observation, takes in what was seen, and hands over what
    /// failed.
    fn run_all(
        &mut self,
        supervisor: &mut Supervisor,
        sequences: &[Sequence],
        each: Each<'_>,
    ) -> Result<Vec<Attempt>, Error> {
        let still = self.still_walk();
        let mut attempts = vec![];
        for batch in sequences.chunks(BATCH) {
            if is_late(supervisor.until) {
                break;
            }
            let (mut observed, _) = supervisor.observe(&self.watching, &still, batch, each)?;
            self.calls += observed.calls;
            let done: Vec<_> = std::mem::take(&mut observed.attempts);
            self.data.add(observed);
            for (sequence, attempt) in batch.iter().zip(done) {
                if let Some(outcome) = &attempt.outcome
                    && !matches!(outcome.ending, Ending::Completed | Ending::Inapplicable)
                {
                    each(sequence.clone(), outcome.clone());
                }
                attempts.push(attempt);
            }
        }
        Ok(attempts)
    }

    fn into_learned(self, all: Vec<Contract>, near: Vec<Near>, rounds: usize) -> Learned<'p> {
        let Work { data, tried, calls, .. } = self;
        let challenged: u64 = tried.values().map(|tried| tried.completed).sum();
        let told = |contract: Contract| {
            let tried = tried.get(&(contract.watch, contract.clause)).copied().unwrap_or_default();
            let fate = match contract.clause.kind {
                _ if data.refutes(&contract) => Fate::Refuted,
                Kind::Requires if tried.calls > 0 => Fate::Needed,
                Kind::Ensures if tried.calls > 0 => Fate::Holds,
                // Every call that was made against another clause could have broken it.
                Kind::Ensures | Kind::Invariant
                    if contract.clause.when.is_none() && challenged > 0 =>
                {
                    Fate::Holds
                }
                _ => Fate::Untried,
            };
            (contract, tried, fate)
        };
        let known = |(contract, _, fate): &(Contract, Tried, Fate)| {
            // A bound that nobody could try is that of the numbers that were seen.
            match contract.clause.kind {
                Kind::Requires => *fate != Fate::Untried || !contract.clause.atom.is_bound(),
                Kind::Ensures | Kind::Invariant => data.tally(contract).0 >= LEAST_TOLD,
            }
        };
        let contracts = all.into_iter().map(told).filter(known).collect();
        Learned { contracts, calls, rounds, data, near }
    }
}
