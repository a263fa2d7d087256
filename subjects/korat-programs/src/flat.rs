//! Structures without links: arrays, vectors, nested types, and two mandatory
//! pointers that may point at one object.

use std::rc::Rc;

use testsmith::{Korat, korat};

use crate::forms::{forms, opposite, strange};
use crate::program::{
    self, Clause, Grammar, Random, chosen, clauses, compares, number, outermost, passes,
    passes_small, paths, step, strict, word,
};
use crate::{Subject, evaluate};

#[derive(Korat)]
pub struct Flat {
    #[korat(values = 0..=1)]
    a: u8,
    #[korat(values = [1, 0, 2])]
    b: u8,
    pair: Part,
    #[korat(values = 0..=1)]
    fixed: [u8; 2],
    #[korat(values = 0..=1, len = 0..=2)]
    items: Vec<u8>,
    shared: Rc<Part>,
    other: Rc<Part>,
}

#[derive(Korat)]
#[korat(objects = 2, unconstrained)]
pub struct Part {
    #[korat(values = 0..=1)]
    x: u8,
}

#[korat]
impl Flat {
    pub fn rep_ok(&self) -> bool {
        for at in 0..clauses() {
            if outermost(at) && !self.clause(at) {
                return false;
            }
        }
        true
    }

    fn clause(&self, at: usize) -> bool {
        match word(at) {
            "holds" => self.holds(step(at, 0, 0), |value: &u8| passes(at, *value)),
            "panics" => self.holds(step(at, 0, 0), |value: &u8| passes_small(at, *value)),
            "near" => {
                let Some(other) = self.read(step(at, 1, 0)) else { return true };
                self.holds(step(at, 0, 0), |value: &u8| compares(at, *value, other))
            }
            "inside" => self.holds(step(at, 0, 0), |value: &u8| {
                self.read(step(at, 1, 0)).is_none_or(|other| compares(at, *value, other))
            }),
            "nested" => self.holds(step(at, 0, 0), |value: &u8| {
                self.holds_in(step(at, 1, 0), |other: &u8| compares(at, *value, *other))
            }),
            "chain" => self.chain(at),
            "sorted" => match number(at) {
                0 => korat::sorted(&self.fixed),
                1 => korat::sorted(&self.items),
                _ => korat::sorted(&self.items[..self.items.len().min(1)]),
            },
            "different" => match number(at) {
                0 => korat::all_different(&self.fixed),
                _ => korat::all_different(&self.items),
            },
            "len" => passes(at, self.items.len() as u8),
            "same" => Rc::ptr_eq(&self.shared, &self.other) == strict(at),
            "read" => self.read(step(at, 0, 0)).is_none_or(|value| passes(at, value)),
            "if" | "or" | "twice" => self.condition(at),
            _ => self.form(at),
        }
    }

    fn condition(&self, at: usize) -> bool {
        let value = self.read(step(at, 0, 0));
        let holds = value.is_some_and(|value| passes(at, value));
        let rounds = if word(at) == "twice" { 2 } else { 1 };
        if word(at) == "or" && holds {
            return true;
        }
        for _ in 0..rounds {
            for inner in chosen(at, word(at) != "if" || holds).iter() {
                if !self.clause(*inner) {
                    return false;
                }
            }
        }
        true
    }

    fn holds(&self, place: &str, constraint: impl Fn(&u8) -> bool) -> bool {
        match place {
            "a" => korat::holds(&self.a, constraint),
            "b" => korat::holds(&self.b, constraint),
            "pair" => korat::holds(&self.pair.x, constraint),
            "fixed0" => korat::holds(&self.fixed[0], constraint),
            "fixed1" => korat::holds(&self.fixed[1], constraint),
            "item0" => self.items.is_empty() || korat::holds(&self.items[0], constraint),
            "item1" => self.items.len() < 2 || korat::holds(&self.items[1], constraint),
            "shared" => korat::holds(&self.shared.x, constraint),
            _ => korat::holds(&self.other.x, constraint),
        }
    }

    /// As `holds`, inside a constraint.
    fn holds_in(&self, place: &str, constraint: impl Fn(&u8) -> bool) -> bool {
        self.holds(place, constraint)
    }

    fn read(&self, place: &str) -> Option<u8> {
        match place {
            "a" => Some(self.a),
            "b" => Some(self.b),
            "pair" => Some(self.pair.x),
            "fixed0" => Some(self.fixed[0]),
            "fixed1" => Some(self.fixed[1]),
            "item0" => self.items.first().copied(),
            "item1" => self.items.get(1).copied(),
            "shared" => Some(self.shared.x),
            _ => Some(self.other.x),
        }
    }

    fn chain(&self, at: usize) -> bool {
        let mut fields = Vec::new();
        for path in 0..paths(at) {
            match step(at, path, 0) {
                "a" => fields.push(korat::field(&self.a)),
                "b" => fields.push(korat::field(&self.b)),
                "pair" => fields.push(korat::field(&self.pair.x)),
                "fixed0" => fields.push(korat::field(&self.fixed[0])),
                "fixed1" => fields.push(korat::field(&self.fixed[1])),
                "item0" if !self.items.is_empty() => fields.push(korat::field(&self.items[0])),
                "item1" if self.items.len() > 1 => fields.push(korat::field(&self.items[1])),
                "shared" => fields.push(korat::field(&self.shared.x)),
                "other" => fields.push(korat::field(&self.other.x)),
                _ => {}
            }
        }
        if strict(at) { korat::ascending(&fields) } else { korat::non_descending(&fields) }
    }
}

forms!(Flat, a);

/// The same as plain data, and nothing of the search.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Model {
    a: u8,
    b: u8,
    pair: u8,
    fixed: [u8; 2],
    items: Vec<u8>,
    shared: u8,
    /// Nothing if it is the object that is shared.
    other: Option<u8>,
}

impl Model {
    fn read(&self, place: &str) -> Option<u8> {
        match place {
            "a" => Some(self.a),
            "b" => Some(self.b),
            "pair" => Some(self.pair),
            "fixed0" => Some(self.fixed[0]),
            "fixed1" => Some(self.fixed[1]),
            "item0" => self.items.first().copied(),
            "item1" => self.items.get(1).copied(),
            "shared" => Some(self.shared),
            _ => Some(self.other.unwrap_or(self.shared)),
        }
    }

    fn clause(&self, clause: &Clause) -> Option<bool> {
        let value = |path: usize| self.read(clause.paths[path][0]);
        Some(match clause.word {
            "holds" | "read" => value(0).is_none_or(|value| clause.passes(value)),
            "panics" => match value(0) {
                Some(value) if value > 1 => return None,
                Some(value) => clause.passes(value),
                None => true,
            },
            "near" | "inside" | "nested" => match (value(0), value(1)) {
                (Some(a), Some(b)) => clause.compares(a, b),
                _ => true,
            },
            "chain" => {
                let values: Vec<u8> = (0..clause.paths.len()).filter_map(value).collect();
                let strict = clause.compare.is_multiple_of(2);
                values.windows(2).all(|pair| pair[0] < pair[1] || !strict && pair[0] == pair[1])
            }
            "sorted" => match clause.number {
                0 => self.fixed[0] <= self.fixed[1],
                1 => self.items.windows(2).all(|pair| pair[0] <= pair[1]),
                _ => true,
            },
            "different" => match clause.number {
                0 => self.fixed[0] != self.fixed[1],
                _ => self.items.windows(2).all(|pair| pair[0] != pair[1]),
            },
            "len" => clause.passes(self.items.len() as u8),
            "same" => self.other.is_none() == (clause.compare.is_multiple_of(2)),
            _ => {
                let holds = value(0).is_some_and(|value| clause.passes(value));
                return evaluate::condition(clause, holds, self.a, |inner| self.clause(inner));
            }
        })
    }
}

impl Subject for Flat {
    type Model = Model;

    const NAME: &'static str = "flat";

    fn grammar() -> Grammar {
        Grammar {
            words: &[
                ("holds", 1),
                ("panics", 1),
                ("near", 2),
                ("inside", 2),
                ("nested", 2),
                ("chain", usize::MAX),
                ("chain", usize::MAX),
                ("sorted", 0),
                ("different", 0),
                ("len", 0),
                ("same", 0),
                ("read", 1),
            ],
            path: |random: &mut Random| {
                let places =
                    ["a", "b", "pair", "fixed0", "fixed1", "item0", "item1", "shared", "other"];
                vec![random.pick(&places)]
            },
        }
    }

    fn model(&self) -> Model {
        let apart = !Rc::ptr_eq(&self.shared, &self.other);
        Model {
            a: self.a,
            b: self.b,
            pair: self.pair.x,
            fixed: self.fixed,
            items: self.items.clone(),
            shared: self.shared.x,
            other: apart.then_some(self.other.x),
        }
    }

    fn all_models(_scope: usize) -> Vec<Model> {
        let mut all = Vec::new();
        let vectors: [&[u8]; 7] = [&[], &[0], &[1], &[0, 0], &[0, 1], &[1, 0], &[1, 1]];
        for bits in 0..32u8 {
            let bit = |at: u8| bits >> at & 1;
            for b in 0..=2 {
                for items in vectors {
                    for other in [None, Some(0), Some(1)] {
                        all.push(Model {
                            a: bit(0),
                            b,
                            pair: bit(1),
                            fixed: [bit(2), bit(3)],
                            items: items.to_vec(),
                            shared: bit(4),
                            other,
                        });
                    }
                }
            }
        }
        all
    }

    fn valid(model: &Model, program: &[Clause]) -> bool {
        evaluate::all(program, |clause| model.clause(clause))
    }

    fn start(program: &[Clause]) {
        program::start(program);
    }
}
