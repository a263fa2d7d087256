//! Small systems, and what was found in them.
#![allow(dead_code)] // Each file of tests uses a part of it.

use std::collections::BTreeMap;
use testsmith_reach::{
    Concrete, Found, Function, Goal, Mode, Param, Reached, Search, Sort, System, TypeDef,
};

pub fn object(name: &str) -> TypeDef {
    TypeDef { name: name.to_owned(), variants: None, invariants: vec![] }
}

pub fn int() -> Sort {
    Sort::Int { width: 32, signed: true }
}

pub fn param(name: &str, sort: Sort, mode: Mode) -> Param {
    Param { name: name.to_owned(), sort, mode }
}

/// A method without further parameters or a result.
pub fn method(name: &str, of: usize, mode: Mode) -> Function {
    Function::new(name, Some(of), vec![param("self", Sort::Object(of), mode)], Sort::Unit)
}

/// The first state that a search finds.
pub fn found(system: &System, goal: Goal, bound: usize) -> Found {
    let text = goal.clauses.iter().map(|clause| clause.text.clone()).collect::<Vec<_>>();
    let mut search = Search::new(system, goal, bound);
    match search.next_state() {
        Reached::Found(found) => *found,
        other => {
            panic!("{text:?} was not reached: {other:?}, {:?}", search.free().collect::<Vec<_>>())
        }
    }
}

pub fn calls(system: &System, found: &Found) -> Vec<String> {
    found.calls.iter().map(|call| system.functions[call.function].path(system)).collect()
}

pub fn predicted(
    system: &System,
    found: &Found,
    after: usize,
    object: usize,
    query: &str,
) -> Option<Concrete> {
    let is_it = |it: &&testsmith_reach::Prediction| {
        it.after == after && it.object == object && system.functions[it.query].name == query
    };
    found.predictions.iter().find(is_it)?.value.clone()
}

/// What queries answer of an object in the end, by their names.
pub fn state_of(
    system: &System,
    found: &Found,
    object: usize,
) -> BTreeMap<String, Option<Concrete>> {
    let last = found.predictions.iter().filter(|it| it.after == found.calls.len());
    let own = last.filter(|it| it.object == object);
    own.map(|it| (system.functions[it.query].name.clone(), it.value.clone())).collect()
}
