//! One fake: its seed, its state and the calls that were made.
//!
//! Queries that a clause asks are answered like any other and not recorded: nobody called
//! them.

use super::describe::Description;
use super::given::Argument;
use super::value::FakeValue;
use crate::contracts::purity::comparing;
use crate::contracts::scope::evaluating;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use testsmith_reach::{Choices, Clause, Concrete, FnId, Refused, State};

/// A call that a fake was given, as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub method: String,
    pub arguments: Vec<String>,
    pub answer: String,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.method, self.arguments.join(", "))?;
        match self.answer.as_str() {
            "()" => Ok(()),
            answer => write!(f, " = {answer}"),
        }
    }
}

#[derive(Clone)]
struct Inside {
    choices: Choices,
    state: State,
    calls: Vec<Call>,
}

/// What is inside a fake.
pub struct Worn {
    description: &'static Description,
    seed: u64,
    inside: Mutex<Inside>,
}

impl Worn {
    /// A fake in some state.
    pub fn new(description: &'static Description, seed: u64) -> Worn {
        Worn::begin(description, seed, &[])
    }

    /// A fake in a state in which a condition holds.
    pub fn in_state(description: &'static Description, seed: u64, condition: &str) -> Worn {
        Worn::begin(description, seed, &[Clause::new(condition)])
    }

    fn begin(description: &'static Description, seed: u64, conditions: &[Clause]) -> Worn {
        if !description.problems.is_empty() {
            let problems = description.problems.join("\n  ");
            panic!("{} cannot keep these clauses:\n  {problems}", description.fake);
        }
        let mut choices = Choices::new(seed);
        match description.answers().begin(conditions, &mut choices) {
            Ok(state) => {
                let inside = Mutex::new(Inside { choices, state, calls: vec![] });
                Worn { description, seed, inside }
            }
            Err(refused) => panic!("{}: {refused}", description.fake),
        }
    }

    /// What a query answers.
    pub fn ask<T: FakeValue>(&self, name: &str, given: Vec<Argument>) -> T {
        self.answer(name, given, |description, inside, query, given| {
            description.answers().ask(&mut inside.state, query, given, &mut inside.choices)
        })
    }

    /// Makes a call that may change the state.
    pub fn call<T: FakeValue>(&self, name: &str, given: Vec<Argument>) -> T {
        self.answer(name, given, |description, inside, function, given| {
            description.answers().call(&mut inside.state, function, given, &mut inside.choices)
        })
    }

    fn answer<T: FakeValue>(
        &self,
        name: &str,
        arguments: Vec<Argument>,
        find: impl FnOnce(&Description, &mut Inside, FnId, &[Concrete]) -> Result<Concrete, Refused>,
    ) -> T {
        let function = self.description.function(name);
        let params = self.description.system.functions[function].params.iter().skip(1);
        let (given, shown): (Vec<Concrete>, Vec<Option<String>>) =
            arguments.into_iter().map(|argument| (argument.concrete, argument.text)).unzip();
        let given = given.into_iter().zip(params);
        let given: Vec<Concrete> = given.map(|(value, param)| value.of_sort(&param.sort)).collect();
        let mut inside = self.lock();
        let found = find(self.description, &mut inside, function, &given);
        let answer = match found {
            Ok(answer) => answer,
            Err(refused) => {
                // Whoever catches this may go on with the fake.
                drop(inside);
                panic!("{}: {refused}", self.description.fake);
            }
        };
        if !evaluating() {
            let arguments = given.iter().zip(shown);
            let arguments = arguments
                .map(|(value, shown)| shown.unwrap_or_else(|| value.to_string()))
                .collect();
            let answer = answer.to_string();
            inside.calls.push(Call { method: name.to_owned(), arguments, answer });
        }
        T::from_concrete(&answer).expect("the solver answers with values of the sort it was told")
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.lock().calls.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is known, under the name of the fake.
    pub fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is known grows with every question, and nothing has changed by that.
        if comparing() {
            return f.write_str(self.description.fake);
        }
        let inside = self.lock();
        let functions = &self.description.system.functions;
        let state = inside.state.answers().map(|(query, args, answer)| {
            let args: Vec<String> = args.iter().map(Concrete::to_string).collect();
            Plain(format!("{}({}) = {answer}", functions[query].name, args.join(", ")))
        });
        let calls = inside.calls.iter().map(|call| Plain(call.to_string()));
        f.debug_struct(self.description.fake)
            .field("seed", &self.seed)
            .field("state", &state.collect::<Vec<Plain>>())
            .field("calls", &calls.collect::<Vec<Plain>>())
            .finish()
    }
}

impl Clone for Worn {
    fn clone(&self) -> Worn {
        let inside = Mutex::new(self.lock().clone());
        Worn { description: self.description, seed: self.seed, inside }
    }
}

/// A text that is shown without quotes.
struct Plain(String);

impl fmt::Debug for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
