//! What runs have shown, and what is not to be found again.

use crate::concrete::Concrete;
use crate::found::{Argument, Call, Found};
use crate::objects::objects_of;
use crate::search::Search;
use crate::system::FnId;
use crate::value::Value;
use crate::world::Operand;
use std::collections::BTreeSet;
use testsmith_solver::Answer;
use testsmith_solver::term::Term;

/// Something that a run has shown.
#[derive(Clone, Debug)]
pub enum Lesson {
    /// After these calls, a query of an object answers so.
    Observed { calls: Vec<Call>, object: usize, query: FnId, args: Vec<Argument>, value: Concrete },
    /// The last of these calls cannot be made after the others.
    Impossible { calls: Vec<Call> },
    /// These calls do not lead where they should.
    Wrong { calls: Vec<Call>, goal: Vec<Argument> },
    /// The same functions in this order do not lead there, whatever they are given, with
    /// arguments of the goal of the same variants.
    Fruitless { functions: Vec<FnId>, goal: Vec<Argument> },
    /// A call does change what a query answers, or what it makes answers differently.
    Changes { function: FnId, query: FnId },
}

impl Lesson {
    /// Whether it holds for every goal, and is to be said again where a search begins again.
    fn is_lasting(&self) -> bool {
        matches!(self, Lesson::Observed { .. } | Lesson::Impossible { .. })
    }
}

pub(crate) enum Blocked {
    State(Vec<(usize, FnId, Concrete)>),
    Calls(Vec<Call>, Vec<Argument>),
    Functions(Vec<FnId>, Vec<Argument>),
}

/// What queries of which no contract says anything were seen to answer.
#[derive(Default)]
pub(crate) struct Seems {
    /// While all agree: the value, the literal that assumes it, and how many answers it was
    /// applied to.
    pub(crate) value: Option<(Concrete, Term)>,
    pub(crate) is_refuted: bool,
}

impl Search<'_> {
    /// Whether the goal can still hold after calls that were found, given all that runs have
    /// shown of them.
    pub fn may_hold(&mut self, found: &Found) -> bool {
        let length = found.calls.len();
        self.grow_to(length);
        let Some((wanted, operands)) = self.goals.get(&length).cloned() else { return true };
        let made = self.made_so(&found.calls);
        let given = self.given_so(&operands, &found.goal);
        let all = [wanted, made, given];
        self.check(&all) != Answer::Unsat
    }

    /// Calls after which all objects of the goal are there, whether it holds or not: to look
    /// at what queries answer of which no contract says anything. None if there are no such
    /// queries in the goal, or no such calls.
    pub fn look_around(&mut self) -> Option<Found> {
        if !self.asks_what_nothing_is_said_of() {
            return None;
        }
        let before = (self.length, self.looking);
        self.looking = true;
        let mut found = None;
        for length in 0..=self.bound {
            self.length = length;
            if self.grown_to(length).is_some() {
                break;
            }
            if let Answer::Sat(model) = self.solve() {
                found = Some(self.found(model));
                break;
            }
        }
        (self.length, self.looking) = before;
        found
    }

    /// Whether the goal asks an object for what no contract says anything of.
    fn asks_what_nothing_is_said_of(&mut self) -> bool {
        let before = std::mem::replace(&mut self.length, 0);
        self.know_goal();
        let silent = |id: &usize| {
            let answer = &self.world.answers[*id];
            let function = &self.world.system.functions[answer.function];
            answer.object.is_some() && function.ensures.is_empty() && function.body.is_none()
        };
        let asks = self.asked.get(&0).is_some_and(|asked| asked.iter().any(silent));
        self.length = before;
        asks
    }

    /// Takes in what a run has shown.
    pub fn learn(&mut self, lesson: Lesson) {
        self.lessons.extend(lesson.is_lasting().then(|| lesson.clone()));
        self.take_in(lesson);
    }

    pub(crate) fn take_in(&mut self, lesson: Lesson) {
        match lesson {
            Lesson::Changes { function, query } => {
                self.refuted.insert((function, query));
            }
            Lesson::Wrong { calls, goal } => self.blocked.push(Blocked::Calls(calls, goal)),
            Lesson::Fruitless { functions, goal } => {
                self.blocked.push(Blocked::Functions(functions, goal));
            }
            Lesson::Impossible { calls } => {
                self.grow_to(calls.len());
                let made = self.made_so(&calls);
                let never = self.world.terms.not(made);
                self.world.require(never);
            }
            Lesson::Observed { calls, object, query, args, value } => {
                self.seems(query, &value);
                self.know(&calls, (object, query), &args, &value);
            }
        }
    }

    fn know(
        &mut self,
        calls: &[Call],
        (object, query): (usize, FnId),
        args: &[Argument],
        value: &Concrete,
    ) {
        self.grow_to(calls.len());
        let made = self.made_so(calls);
        let mut asked = vec![self.world.object(object)];
        for arg in args {
            asked.push(match arg {
                Argument::Object(slot) => self.world.object(*slot),
                Argument::Value(value) => match self.world.written(value) {
                    Some(value) => value,
                    None => return,
                },
            });
        }
        let asked = self.world.typed(query, asked);
        let answer = self.world.ask(query, asked, calls.len());
        if let Ok((answer, _)) = answer
            && let Some(same) = self.world.known_as(&answer, value)
        {
            let holds = self.world.terms.implies(made, same);
            self.world.require(holds);
        }
        self.world.settle();
    }

    /// Of a query that no contract speaks of, what it always answered so far is assumed.
    fn seems(&mut self, query: FnId, value: &Concrete) {
        let function = &self.world.system.functions[query];
        if !function.ensures.is_empty() || function.body.is_some() {
            return;
        }
        let known = self.seeming.entry(query).or_default();
        match &known.value {
            Some((before, _)) if before != value => known.is_refuted = true,
            Some(_) => {}
            None => known.value = Some((value.clone(), self.world.terms.fresh(1))),
        }
    }

    /// The literals of what seems so, each applied to all answers that there are.
    pub(crate) fn seeming_literals(&mut self) -> Vec<Term> {
        // What calls speak of changes as they say.
        let spoken_of: BTreeSet<FnId> = self
            .world
            .steps
            .iter()
            .flat_map(|step| &step.actions)
            .flat_map(|action| action.mentions.keys())
            .map(|id| self.world.answers[*id].function)
            .collect();
        let kept = self
            .seeming
            .iter()
            .filter(|(query, seems)| !seems.is_refuted && !spoken_of.contains(query));
        let kept: Vec<(FnId, Concrete, Term)> = kept
            .filter_map(|(query, seems)| {
                let (value, literal) = seems.value.clone()?;
                Some((*query, value, literal))
            })
            .collect();
        let mut literals = vec![];
        for (query, value, literal) in kept {
            let Some(known) = self.world.written(&value) else { continue };
            let answers = self.world.answers.iter().filter(|answer| answer.function == query);
            let values: Vec<Value> = answers.map(|answer| answer.value.clone()).collect();
            for answer in values {
                if let Some(same) = self.world.terms.same(&answer, &known) {
                    let holds = self.world.terms.implies(literal, same);
                    self.world.require(holds);
                }
            }
            literals.push(literal);
        }
        literals
    }

    /// No two states that are found are the same in all that queries without arguments say.
    pub fn block_state(&mut self, found: &Found) {
        let last = found.calls.len();
        let state: Vec<(usize, FnId, Concrete)> = found
            .predictions
            .iter()
            .filter(|it| it.after == last && it.object < objects_of(&self.goal).count())
            .filter(|it| it.args.is_empty())
            .filter_map(|it| Some((it.object, it.query, it.value.clone()?)))
            .collect();
        if state.is_empty() {
            self.blocked.push(Blocked::Calls(found.calls.clone(), found.goal.clone()));
        } else {
            self.blocked.push(Blocked::State(state));
        }
    }

    pub(crate) fn not_blocked(&mut self, n: usize) -> Term {
        let length = self.length;
        let no = self.world.terms.truth(false);
        let blocked = match &self.blocked[n] {
            Blocked::State(state) => {
                let mut same = vec![];
                for (object, query, value) in state.clone() {
                    let asked = vec![self.world.object(object)];
                    let Ok((answer, _)) = self.world.ask(query, asked, length) else { continue };
                    let Some(known) = self.world.written(&value) else { continue };
                    same.extend(self.world.terms.same(&answer, &known));
                }
                self.world.settle();
                self.world.terms.all(&same)
            }
            Blocked::Calls(calls, _) if calls.len() != length => no,
            Blocked::Functions(functions, _) if functions.len() != length => no,
            Blocked::Functions(functions, goal) => {
                let (functions, goal) = (functions.clone(), goal.clone());
                let called = self.called_so(&functions);
                let alike = self.of_these_variants(&goal);
                self.world.terms.and(called, alike)
            }
            Blocked::Calls(calls, goal) => {
                let (calls, goal) = (calls.clone(), goal.clone());
                let made = self.made_so(&calls);
                let operands = self.goals[&length].1.clone();
                let given = self.given_so(&operands, &goal);
                self.world.terms.and(made, given)
            }
        };
        self.world.terms.not(blocked)
    }

    /// Whether exactly these functions are called, whatever with.
    fn called_so(&mut self, functions: &[FnId]) -> Term {
        let mut all = vec![];
        for (n, function) in functions.iter().enumerate() {
            let actions = self.world.steps[n].actions.iter();
            let guards: Vec<Term> =
                actions.filter(|it| it.function == *function).map(|it| it.guard).collect();
            all.push(self.world.terms.any(&guards));
        }
        self.world.terms.all(&all)
    }

    /// Whether the goal is given the same variants where these hold something.
    fn of_these_variants(&mut self, goal: &[Argument]) -> Term {
        let operands = self.goals[&self.length].1.clone();
        let mut all = vec![];
        for pair in operands.iter().zip(goal) {
            if let (
                Operand::Value(Value::Enum { tag, .. }),
                Argument::Value(Concrete::Enum { number, fields, .. }),
            ) = pair
                && !fields.is_empty()
            {
                let number = self.world.terms.number(16, *number as i128);
                all.push(self.world.terms.equal(*tag, number));
            }
        }
        self.world.terms.all(&all)
    }

    /// Whether exactly these calls are the first.
    pub(crate) fn made_so(&mut self, calls: &[Call]) -> Term {
        let mut all = vec![];
        for (n, call) in calls.iter().enumerate() {
            let found = self.world.steps[n].actions.iter().find(|action| {
                let like = action.operands.iter().zip(&call.arguments).all(|pair| match pair {
                    (Operand::Object(a), Argument::Object(b)) => a == b,
                    (Operand::Value(_), Argument::Value(_)) => true,
                    _ => false,
                });
                action.function == call.function && action.makes == call.makes && like
            });
            let Some(action) = found else { return self.world.terms.truth(false) };
            let (guard, operands) = (action.guard, action.operands.clone());
            all.push(guard);
            all.push(self.given_so(&operands, &call.arguments));
        }
        self.world.terms.all(&all)
    }

    pub(crate) fn given_so(&mut self, operands: &[Operand], arguments: &[Argument]) -> Term {
        let mut all = vec![];
        for pair in operands.iter().zip(arguments) {
            if let (Operand::Value(value), Argument::Value(given)) = pair
                && let Some(known) = self.world.written(given)
            {
                all.extend(self.world.terms.same(value, &known));
            }
        }
        self.world.terms.all(&all)
    }
}
