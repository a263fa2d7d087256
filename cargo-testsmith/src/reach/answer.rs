//! One goal: search, run, compare, learn, and again.

use super::components::Flat;
use super::describe::Description;
use super::native::{End, Native, Observed, Shown};
use anyhow::Result;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use testsmith_lab::Supervisor;
use testsmith_model::Plan;
use testsmith_reach::{
    Argument, Call, Concrete, FnId, Found, Free, Goal, Lesson, Prediction, Reached, Room, Search,
    Sureness, TypeId,
};
use testsmith_solver::Limit;

/// What is looked for, and how hard.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) bound: usize,
    /// Whether more calls are looked at while that is worth it.
    pub(super) further: bool,
    /// Sequences that are run for one state.
    pub(super) tries: usize,
    /// Different states.
    pub(super) count: usize,
    /// When the solver gives up.
    pub(super) time: Duration,
    /// How much may be spent, as is counted, if there are other ways to go on.
    pub(super) allowance: Option<u64>,
}

/// Why a goal is not reached.
#[derive(Clone, Debug)]
pub(super) enum Missed {
    Contradictory,
    Unsatisfied {
        room: Room,
    },
    Unreached {
        bound: usize,
    },
    Unknown(String),
    /// It took more than a goal may in this round.
    Spent,
    /// Nothing that was found does what the contracts say.
    Disagrees {
        tries: usize,
    },
    Unmade(String),
}

/// A prediction that does not hold.
#[derive(Clone, Debug)]
pub(super) struct Disagreement {
    /// The calls up to the one after which it does not.
    pub(super) calls: Vec<Call>,
    pub(super) objects: Vec<usize>,
    pub(super) object: usize,
    pub(super) query: FnId,
    pub(super) predicted: Concrete,
    pub(super) observed: String,
    /// Whether contracts say so, and not only assumptions.
    pub(super) follows: bool,
}

/// A state that was reached.
pub(super) struct State {
    pub(super) found: Found,
    /// The objects that it is about; the others were made for them.
    pub(super) own: usize,
    pub(super) shown: Shown,
    /// The run with which it was reached, from one up.
    pub(super) tries: usize,
    pub(super) time: Duration,
}

/// A contract that the code breaks on the way.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    pub(super) calls: Vec<Call>,
    pub(super) objects: Vec<usize>,
    pub(super) why: String,
}

pub(super) struct Answer {
    pub(super) goal: Goal,
    pub(super) function: Option<FnId>,
    pub(super) states: Vec<State>,
    pub(super) missed: Option<Missed>,
    pub(super) disagreements: Vec<Disagreement>,
    pub(super) broken: Vec<Broken>,
    /// Sequences that were run.
    pub(super) runs: usize,
    /// Of these, those that did not do what the contracts said.
    pub(super) wrong_runs: usize,
    pub(super) free: Vec<Free>,
    pub(super) was_cut: bool,
    pub(super) time: Duration,
}

impl Answer {
    /// Nothing was done yet.
    pub(super) fn new(goal: Goal, function: Option<FnId>) -> Answer {
        Answer {
            goal,
            function,
            states: vec![],
            missed: None,
            disagreements: vec![],
            broken: vec![],
            runs: 0,
            wrong_runs: 0,
            free: vec![],
            was_cut: false,
            time: Duration::ZERO,
        }
    }

    /// Whether it is as it should be: reached, and no contract wrong.
    pub(super) fn is_well(&self) -> bool {
        let wrong = self.disagreements.iter().any(|it| it.follows);
        !self.states.is_empty() && !wrong && self.broken.is_empty()
    }
}

pub(super) struct Asking<'a, 's> {
    pub(super) plan: &'a Plan,
    pub(super) description: &'s Description,
    pub(super) supervisor: &'a mut Supervisor,
    pub(super) limits: Limits,
    /// What was found out about the same objects.
    pub(super) searches: &'a mut Searches<'s>,
}

/// Searches by what they are about; each is turned from goal to goal.
#[derive(Default)]
pub(super) struct Searches<'s>(BTreeMap<(Vec<TypeId>, Room), Search<'s>>);

impl<'s> Searches<'s> {
    /// One that knows what was found out about the objects of a goal.
    fn take(&mut self, description: &'s Description, goal: &Goal, bound: usize) -> Search<'s> {
        let system = &description.system;
        match self.0.remove(&Search::key(system, goal)) {
            Some(mut search) => {
                search.set_goal(goal.clone());
                search
            }
            None => Search::new(system, goal.clone(), bound),
        }
    }

    fn put_back(&mut self, description: &Description, goal: &Goal, search: Search<'s>) {
        self.0.insert(Search::key(&description.system, goal), search);
    }
}

/// Runs of the same functions that miss before others are tried.
const MAX_ALIKE: usize = 2;
/// Runs of calls that would have to change what their contracts do not speak of.
const MAX_WILD: usize = 8;

impl<'s> Asking<'_, 's> {
    /// Looks for states that satisfy a goal, which is a precondition or a state.
    pub(super) fn ask(&mut self, goal: Goal, function: Option<FnId>) -> Result<Answer> {
        let begin = Instant::now();
        let description = self.description;
        let mut search = self.searches.take(description, &goal, self.limits.bound);
        if self.limits.further {
            search.go_further();
        }
        let deadline = Some(begin + self.limits.time);
        search.set_limit(Limit { deadline, ..Limit::default() });
        search.set_allowance(self.limits.allowance);
        let mut answer = Answer::new(goal, function);
        self.look_around(&mut search)?;
        while answer.states.len() < self.limits.count && answer.missed.is_none() {
            self.next(&mut search, &mut answer)?;
        }
        if !answer.states.is_empty() && answer.states.len() >= self.limits.count {
            answer.missed = None;
        }
        answer.free = search.free().cloned().collect();
        answer.was_cut = search.was_cut();
        self.searches.put_back(description, &answer.goal, search);
        answer.time = begin.elapsed();
        Ok(answer)
    }

    /// Of queries that no contract speaks of, what they answer is seen before the first try.
    fn look_around(&mut self, search: &mut Search<'_>) -> Result<()> {
        let Some(found) = search.look_around() else { return Ok(()) };
        let (plan, description) = (self.plan, self.description);
        let mut native = Native { plan, description, supervisor: &mut *self.supervisor };
        let flat = description.flat(&found);
        let shown = native.show(&flat, None)?;
        self.observed(search, (&found, &flat), &shown);
        Ok(())
    }

    fn observed(&self, search: &mut Search<'_>, (found, flat): (&Found, &Flat), shown: &Shown) {
        for seen in &shown.observed {
            let Some(after) = flat.calls_of_search(seen.after) else { continue };
            let sort = &self.description.system.functions[seen.query].ret;
            if let Some(value) = Concrete::read(&self.description.system, sort, &seen.text) {
                search.learn(Lesson::Observed {
                    calls: found.calls[..after].to_vec(),
                    object: seen.object,
                    query: seen.query,
                    args: seen.args.clone(),
                    value,
                });
            }
        }
    }

    /// Another state, or why there is none.
    fn next(&mut self, search: &mut Search<'_>, answer: &mut Answer) -> Result<()> {
        let begin = Instant::now();
        let mut alike: BTreeMap<(Vec<FnId>, Vec<usize>), usize> = BTreeMap::new();
        let (mut framed, mut wild) = (0, 0);
        for tries in 1..=self.limits.tries {
            let found = match search.next_state() {
                Reached::Found(found) => *found,
                Reached::Contradictory => {
                    answer.missed = Some(Missed::Contradictory);
                    return Ok(());
                }
                Reached::Unsatisfied { room } => {
                    answer.missed = Some(Missed::Unsatisfied { room });
                    return Ok(());
                }
                Reached::Unreached { bound } => {
                    let unmade = matches!(answer.missed, Some(Missed::Unmade(_)));
                    if !unmade {
                        answer.missed = Some(Missed::Unreached { bound });
                    }
                    return Ok(());
                }
                Reached::Unknown(why) => {
                    answer.missed = Some(Missed::Unknown(why));
                    return Ok(());
                }
                Reached::Spent => {
                    answer.missed = Some(Missed::Spent);
                    return Ok(());
                }
            };
            let (plan, description) = (self.plan, self.description);
            let mut native = Native { plan, description, supervisor: &mut *self.supervisor };
            let flat = description.flat(&found);
            let shown = native.show(&flat, answer.function)?;
            if self.learn(search, answer, (&found, &flat), &shown) {
                search.block_state(&found);
                answer.missed = None;
                let Flat { found, own, .. } = flat;
                answer.states.push(State { found, own, shown, tries, time: begin.elapsed() });
                return Ok(());
            }
            *if found.framed { &mut framed } else { &mut wild } += 1;
            if wild >= MAX_WILD {
                break;
            }
            let functions: Vec<FnId> = found.calls.iter().map(|call| call.function).collect();
            let misses = alike.entry((functions.clone(), variants(&found.goal))).or_default();
            *misses += 1;
            if *misses >= MAX_ALIKE {
                search.learn(Lesson::Fruitless { functions, goal: found.goal.clone() });
            }
        }
        if answer.missed.is_none() {
            // What only calls could reach that change more than they say was not reached.
            answer.missed = Some(match framed {
                0 => Missed::Unreached { bound: self.limits.bound },
                tries => Missed::Disagrees { tries },
            });
        }
        Ok(())
    }

    /// Takes in what a run has shown; whether the goal is reached.
    fn learn(
        &self,
        search: &mut Search<'_>,
        answer: &mut Answer,
        (found, flat): (&Found, &Flat),
        shown: &Shown,
    ) -> bool {
        let block = |search: &mut Search<'_>| {
            search.learn(Lesson::Wrong { calls: found.calls.clone(), goal: found.goal.clone() });
        };
        if let End::Unmade(why) = &shown.end {
            answer.missed = Some(Missed::Unmade(why.clone()));
            block(search);
            return false;
        }
        if matches!(answer.missed, Some(Missed::Unmade(_))) {
            answer.missed = None;
        }
        answer.runs += 1;
        let wrong = self.compare(&flat.found, shown);
        for it in &wrong {
            let by = it.calls.last().map(|call| call.function);
            if let (false, Some(function)) = (it.follows, by) {
                search.learn(Lesson::Changes { function, query: it.query });
            }
        }
        self.observed(search, (found, flat), shown);
        let reached = match &shown.end {
            End::Done if answer.function.is_some() => true,
            End::Done => search.may_hold(found),
            End::Failed(_) => true,
            End::Stopped { call, why, contract, .. } => {
                let last = flat.call_of_search(*call);
                search.learn(Lesson::Impossible { calls: found.calls[..=last].to_vec() });
                if *contract {
                    let calls = flat.found.calls[..=*call].to_vec();
                    let (objects, why) = (flat.found.objects.clone(), why.clone());
                    answer.broken.push(Broken { calls, objects, why });
                }
                false
            }
            End::Refused | End::Unmade(_) => false,
        };
        if !reached {
            block(search);
        }
        answer.wrong_runs += usize::from(!reached || !wrong.is_empty());
        answer.disagreements.extend(wrong);
        reached
    }

    /// Predictions that do not hold, the earliest of each query.
    fn compare(&self, found: &Found, shown: &Shown) -> Vec<Disagreement> {
        let mut wrong: Vec<Disagreement> = vec![];
        // What follows may follow from a later call being legal, which this one was not.
        let stopped = matches!(shown.end, End::Stopped { .. });
        for prediction in &found.predictions {
            let Prediction { after, object, query, args, value: Some(value), sureness } =
                prediction
            else {
                continue;
            };
            let is_it = |seen: &&Observed| {
                (seen.after, seen.object, seen.query) == (*after, *object, *query)
                    && seen.args == *args
            };
            let Some(seen) = shown.observed.iter().find(is_it) else { continue };
            let known = wrong.iter().any(|it| (it.object, it.query) == (*object, *query));
            if known || seen.text == value.to_string() {
                continue;
            }
            wrong.push(Disagreement {
                calls: found.calls[..*after].to_vec(),
                objects: found.objects.clone(),
                object: *object,
                query: *query,
                predicted: value.clone(),
                observed: seen.text.clone(),
                follows: *sureness == Sureness::Follows && !stopped,
            });
        }
        wrong
    }
}

/// The variants among arguments that hold something.
fn variants(arguments: &[Argument]) -> Vec<usize> {
    let variant = |argument: &Argument| match argument {
        Argument::Value(Concrete::Enum { number, fields, .. }) if !fields.is_empty() => {
            Some(*number)
        }
        _ => None,
    };
    arguments.iter().filter_map(variant).collect()
}
