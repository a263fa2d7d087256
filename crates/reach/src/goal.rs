//! What is to be reached.

use crate::room::names;
use crate::system::{Clause, FnId, Param, Sort, System, TypeId};

/// A condition on objects and values.
#[derive(Clone, Debug, Default)]
pub struct Goal {
    /// Names in the clauses and what they are: the parameters of a method, or `self`.
    pub params: Vec<Param>,
    pub clauses: Vec<Clause>,
    /// The method or type that it is about.
    pub of: String,
    /// Whether bare names in the clauses are queries of `self`.
    pub of_self: bool,
    /// Whether only its own objects are followed, and those that making them takes: nothing
    /// that a call which changes them would be given.
    pub few: bool,
}

/// Why a goal cannot be searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoalError {
    /// There is no colon between a type and a condition.
    NoType,
    UnknownType {
        name: String,
        known: Vec<String>,
    },
    /// It is no expression.
    Unparsable {
        text: String,
        why: String,
    },
    /// It speaks of what is no query.
    Unsupported {
        text: String,
        why: String,
    },
}

impl std::fmt::Display for GoalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            GoalError::NoType => write!(
                f,
                "a state is written as a type, a colon and a condition, as in \
                 'Stack: len() == 3 && !is_full()'"
            ),
            GoalError::UnknownType { name, known } => {
                write!(f, "there is no type {name} with queries; there are {}", known.join(", "))
            }
            GoalError::Unparsable { text, why } => write!(f, "cannot read `{text}`: {why}"),
            GoalError::Unsupported { text, why } => {
                write!(f, "nothing can be searched for by `{text}`: {why}")
            }
        }
    }
}

impl std::error::Error for GoalError {}

impl Goal {
    /// That a function may be called.
    pub fn precondition(system: &System, function: FnId) -> Goal {
        let known = &system.functions[function];
        Goal {
            params: known.params.clone(),
            clauses: known.requires.clone(),
            of: known.path(system),
            of_self: false,
            few: false,
        }
    }

    /// What the goal says of each of its objects alone, where there are several: parts that
    /// can be reached one by one.
    pub fn parts(&self) -> Vec<Goal> {
        let is_object = |param: &&Param| matches!(param.sort, Sort::Object(_));
        let objects: Vec<&Param> = self.params.iter().filter(is_object).collect();
        if objects.len() < 2 {
            return vec![];
        }
        let part = |param: &Param| {
            let is_alone = |clause: &&Clause| {
                let named: Vec<&Param> = names(&clause.text)
                    .filter_map(|word| self.params.iter().find(|it| it.name == word))
                    .collect();
                !named.is_empty() && named.iter().all(|it| it.name == param.name)
            };
            Goal {
                params: vec![param.clone()],
                clauses: self.clauses.iter().filter(is_alone).cloned().collect(),
                of: format!("{} of {}", param.name, self.of),
                ..Goal::default()
            }
        };
        let all = objects.into_iter().map(part);
        all.filter(|goal| !goal.clauses.is_empty()).collect()
    }

    /// `Type: condition`, where bare names are queries of an object of the type.
    pub fn state(system: &System, text: &str) -> Result<Goal, GoalError> {
        let (name, condition) = text.split_once(':').ok_or(GoalError::NoType)?;
        let (name, condition) = (name.trim(), condition.trim());
        if name.is_empty() || condition.starts_with(':') {
            return Err(GoalError::NoType);
        }
        let objects = || system.types.iter().filter(|ty| ty.variants.is_none());
        let ty = system.types.iter().position(|ty| ty.name == name && ty.variants.is_none());
        let ty: TypeId = ty.ok_or_else(|| GoalError::UnknownType {
            name: name.to_owned(),
            known: objects().map(|ty| ty.name.clone()).collect(),
        })?;
        crate::parse::clause(condition)
            .map_err(|why| GoalError::Unparsable { text: condition.to_owned(), why })?;
        let param = Param {
            name: "self".to_owned(),
            sort: Sort::Object(ty),
            mode: crate::system::Mode::Shared,
        };
        let clauses = vec![Clause::new(condition)];
        Ok(Goal { params: vec![param], clauses, of: name.to_owned(), of_self: true, few: false })
    }
}
