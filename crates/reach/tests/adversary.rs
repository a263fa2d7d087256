//! Against brute force: all sequences of calls of a concrete machine, breadth first, and the
//! search on its contracts. Both have to agree on what can be reached and by how few calls.

mod support;

use std::collections::{BTreeMap, VecDeque};
use support::{method, object, param};
use testsmith_reach::{Function, Goal, Mode, Reached, Search, Sort, System};

/// A bounded counter with a lock, in `u8`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Machine {
    count: u8,
    limit: u8,
    locked: bool,
}

/// Arguments that the enumeration tries; goals speak of no others.
const NUMBERS: std::ops::RangeInclusive<u8> = 0..=6;

impl Machine {
    fn new(limit: u8) -> Option<Machine> {
        (0 < limit && limit <= 6).then_some(Machine { count: 0, limit, locked: false })
    }

    /// Every state one call away.
    fn next(self) -> Vec<Machine> {
        let mut all = vec![];
        if !self.locked && self.count < self.limit {
            all.push(Machine { count: self.count + 1, ..self });
        }
        if !self.locked && self.count >= 2 {
            all.push(Machine { count: self.count - 2, ..self });
        }
        for by in NUMBERS {
            if !self.locked && by > 1 && by * self.count <= self.limit && self.count > 0 {
                all.push(Machine { count: by * self.count, ..self });
            }
        }
        if !self.locked && self.count == self.limit {
            all.push(Machine { locked: true, ..self });
        }
        if self.locked {
            all.push(Machine { locked: false, count: 0, ..self });
        }
        all
    }
}

/// How many calls it takes to get to each state.
fn distances(most: usize) -> BTreeMap<Machine, usize> {
    let mut known = BTreeMap::new();
    let mut open: VecDeque<Machine> = VecDeque::new();
    for first in NUMBERS.filter_map(Machine::new) {
        known.insert(first, 1);
        open.push_back(first);
    }
    while let Some(machine) = open.pop_front() {
        let here = known[&machine];
        if here == most {
            continue;
        }
        for next in machine.next() {
            known.entry(next).or_insert_with(|| {
                open.push_back(next);
                here + 1
            });
        }
    }
    known
}

/// The same machine as contracts, which say what does not change or leave that to be assumed.
fn system(complete: bool) -> System {
    let keeps = |clause: &'static str| if complete { clause } else { "true" };
    let byte = || Sort::Int { width: 8, signed: false };
    let change = |name: &str| method(name, 0, Mode::Exclusive);
    let query = |name: &str, ret: Sort| Function { ret, ..method(name, 0, Mode::Shared).pure() };
    let scale = Function {
        params: vec![
            param("self", Sort::Object(0), Mode::Exclusive),
            param("by", byte(), Mode::Own),
        ],
        ..change("scale")
    };
    let new =
        Function::new("new", Some(0), vec![param("limit", byte(), Mode::Own)], Sort::Object(0));
    System {
        types: vec![object("Machine")],
        functions: vec![
            new.requires("0 < limit && limit <= 6")
                .ensures("ret.count() == 0 && ret.limit() == limit && !ret.locked()"),
            query("count", byte()),
            query("limit", byte()),
            query("locked", Sort::Bool),
            change("add")
                .requires("!self.locked() && self.count() < self.limit()")
                .ensures("self.count() == old(self.count()) + 1")
                .ensures(keeps("unchanged(self.limit(), self.locked())")),
            change("take_two")
                .requires("!self.locked() && self.count() >= 2")
                .ensures("self.count() + 2 == old(self.count())")
                .ensures(keeps("unchanged(self.limit(), self.locked())")),
            scale
                .requires("!self.locked() && by > 1 && self.count() > 0")
                .requires("by * self.count() <= self.limit()")
                .ensures("self.count() == by * old(self.count())")
                .ensures(keeps("unchanged(self.limit(), self.locked())")),
            change("lock")
                .requires("!self.locked() && self.count() == self.limit()")
                .ensures("self.locked()")
                .ensures(keeps("unchanged(self.limit(), self.count())")),
            change("unlock")
                .requires("self.locked()")
                .ensures("!self.locked() && self.count() == 0")
                .ensures(keeps("unchanged(self.limit())")),
        ],
        ..System::default()
    }
}

/// Compares reachability and distance for all states around the machine's own.
fn compare(system: &System, with_assumptions: bool) {
    const BOUND: usize = 5;
    let distances = distances(BOUND);
    let mut compared = (0, 0);
    for count in 0..=7 {
        for (limit, locked) in [(1, true), (4, false), (4, true), (6, false), (6, true)] {
            let text = format!(
                "Machine: count() == {count} && limit() == {limit} && locked() == {locked}"
            );
            let wanted = distances.get(&Machine { count, limit, locked }).copied();
            let goal = Goal::state(system, &text).unwrap();
            let reached = match Search::new(system, goal, BOUND).next_state() {
                // What is found without them is a change that no contract speaks of.
                Reached::Found(found) if with_assumptions && !found.framed => None,
                Reached::Found(found) => Some(found.calls.len()),
                Reached::Unreached { .. } => None,
                other => panic!("{text}: {other:?}"),
            };
            assert_eq!(reached, wanted, "{text}");
            if wanted.is_some() { compared.0 += 1 } else { compared.1 += 1 }
        }
    }
    assert!(compared.0 > 10 && compared.1 > 10, "{compared:?} on both sides");
}

#[test]
fn the_search_reaches_what_enumeration_reaches_and_by_as_few_calls() {
    compare(&system(true), false);
}

#[test]
fn with_assumptions_it_does_so_where_contracts_are_silent_on_what_stays() {
    compare(&system(false), true);
}

#[test]
fn conditions_that_many_states_meet_are_met_by_the_nearest() {
    let (system, distances) = (system(true), distances(6));
    type Holds = fn(&Machine) -> bool;
    let goals: [(&str, Holds); 5] = [
        ("count() > 3", |m| m.count > 3),
        ("locked() && limit() > 2", |m| m.locked && m.limit > 2),
        ("count() * 2 == limit() && count() > 2", |m| m.count * 2 == m.limit && m.count > 2),
        ("count() == 5 || locked()", |m| m.count == 5 || m.locked),
        ("count() + 1 == limit() && limit() == 6", |m| m.count + 1 == m.limit && m.limit == 6),
    ];
    for (text, holds) in goals {
        let nearest = distances.iter().filter(|(m, _)| holds(m)).map(|(_, calls)| *calls).min();
        let goal = Goal::state(&system, &format!("Machine: {text}")).unwrap();
        let Reached::Found(found) = Search::new(&system, goal, 6).next_state() else {
            panic!("{text} is not reached");
        };
        assert_eq!(Some(found.calls.len()), nearest, "{text}");
    }
}
