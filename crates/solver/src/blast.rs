//! The embedded solver: terms become circuits, circuits become clauses.
//!
//! Every term is encoded once and stays; the conditions of a query are
//! assumptions, so what one query learnt serves the next. The solver starts
//! afresh after a while, because old circuits slow the search down. Its weak
//! spot is wide multiplication, which the conflict budget turns into `Unknown`.

use batsat::{Lit, lbool};

use crate::gates::Gates;
use crate::term::{Assignment, FastMap, Op, Pool, Term};
use crate::{Answer, Limit, Solver, verified};

/// Queries after which the circuits are thrown away, if they have grown.
const FRESH_AFTER_QUERIES: u32 = 64;
/// Below this many SAT variables there is nothing to gain by starting afresh.
const SMALL_CIRCUIT: u32 = 4_000;
/// A question whose circuit has more is not asked: each takes some hundred bytes.
const MAX_CIRCUIT: u32 = 4_000_000;
const TOO_LARGE: &str = "the question is too large for the embedded solver";
const NAME: &str = "the embedded solver";
/// The clock is looked at after so many terms became circuits.
const TERMS_PER_GLANCE: usize = 64;
const LATE: &str = "the embedded solver ran out of time";
/// Conflicts a single query may take; some ten seconds on hard instances.
pub const DEFAULT_CONFLICTS: u64 = 100_000;

/// The bit-blasting solver.
pub struct Blaster {
    gates: Gates,
    bits: FastMap<Term, Box<[Lit]>>,
    variables: Vec<(u32, Term)>,
    queries: u32,
    conflicts: u64,
    /// Queries after which the circuits are thrown away.
    fresh_after: u32,
    limit: Limit,
    /// What holds in every query.
    facts: Vec<Term>,
    /// How many of them are clauses already.
    known: usize,
    /// Conflicts of all queries.
    spent: u64,
}

impl Default for Blaster {
    fn default() -> Blaster {
        Blaster::new(DEFAULT_CONFLICTS)
    }
}

impl Solver for Blaster {
    fn name(&self) -> &str {
        "embedded"
    }

    fn set_limit(&mut self, limit: Limit) {
        self.limit = limit;
    }

    fn check(&mut self, pool: &Pool, conditions: &[Term]) -> Answer {
        self.queries += 1;
        if self.queries >= self.fresh_after && self.gates.variables() > SMALL_CIRCUIT {
            self.start_afresh();
        }
        let encoded = self.encode_facts(pool).and_then(|()| self.encode_all(pool, conditions));
        let mut assumptions = match encoded {
            // Most of it may have been left by earlier questions.
            Err(TOO_LARGE) if self.queries > 1 => {
                self.start_afresh();
                return self.check(pool, conditions);
            }
            Err(why) => {
                self.start_afresh();
                return Answer::Unknown(why.to_owned());
            }
            Ok(assumptions) => assumptions,
        };
        assumptions.sort_unstable();
        assumptions.dedup();
        let result = self.gates.solve(&assumptions, self.conflicts, &self.limit);
        self.spent += self.gates.conflicts();
        if result == lbool::TRUE {
            // Facts are not looked at again: there are too many of them for every query.
            return verified(pool, conditions, Answer::Sat(self.model()), NAME);
        }
        if result == lbool::FALSE {
            return Answer::Unsat;
        }
        let late = self.gates.is_late();
        // The state after an interrupted search is not trusted with the next query.
        self.start_afresh();
        Answer::Unknown(match late {
            true => LATE.to_owned(),
            false => format!("the embedded solver gave up after {} conflicts", self.conflicts),
        })
    }
}

impl Blaster {
    /// A solver that gives up on a query after so many conflicts.
    pub fn new(conflicts: u64) -> Blaster {
        Blaster {
            gates: Gates::new(),
            bits: FastMap::default(),
            variables: vec![],
            queries: 0,
            conflicts,
            fresh_after: FRESH_AFTER_QUERIES,
            limit: Limit::default(),
            facts: vec![],
            known: 0,
            spent: 0,
        }
    }

    /// A solver that keeps its circuits: for many questions about one large set of
    /// conditions, which would only be encoded again.
    pub fn keeping_circuits() -> Blaster {
        Blaster { fresh_after: u32::MAX, ..Blaster::default() }
    }

    /// Conditions that hold in every query from now on, which is cheaper than giving them to
    /// each: the solver simplifies by them once. A list that only grows, of which those that
    /// are new are taken.
    pub fn assert_all(&mut self, facts: &[Term]) {
        self.facts.extend_from_slice(facts.get(self.facts.len()..).unwrap_or_default());
    }

    /// How many conflicts a query may take.
    pub fn set_conflicts(&mut self, conflicts: u64) {
        self.conflicts = conflicts;
    }

    /// Conflicts of all queries so far: how much was searched, whatever the machine does.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Throws everything away that was encoded and learnt.
    fn start_afresh(&mut self) {
        let limit = std::mem::take(&mut self.limit);
        let (fresh_after, spent) = (self.fresh_after, self.spent);
        let facts = std::mem::take(&mut self.facts);
        *self = Blaster { limit, fresh_after, facts, spent, ..Blaster::new(self.conflicts) };
    }

    /// Facts become clauses, for good.
    fn encode_facts(&mut self, pool: &Pool) -> Result<(), &'static str> {
        while let Some(&fact) = self.facts.get(self.known) {
            self.encode_fact(pool, fact)?;
            self.known += 1;
        }
        Ok(())
    }

    /// A conjunction is several facts, a disjunction one clause.
    fn encode_fact(&mut self, pool: &Pool, fact: Term) -> Result<(), &'static str> {
        let mut open = vec![(fact, vec![])];
        while let Some((term, given)) = open.pop() {
            let (parts, is_all) = pool.parts_of(term);
            if is_all {
                open.extend(parts.into_iter().map(|part| (part, given.clone())));
                continue;
            }
            // The last part of a disjunction may be a conjunction: an implication of several.
            let mut clause: Vec<Lit> = given;
            let mut rest = None;
            for part in parts {
                let (inner, is_all) = pool.parts_of(part);
                match (is_all && inner.len() > 1, rest) {
                    (true, None) => rest = Some(part),
                    _ => clause.push(self.encode(pool, part)?[0]),
                }
            }
            match rest {
                Some(part) => open.push((part, clause)),
                None => self.gates.require_any(&clause),
            }
        }
        Ok(())
    }

    fn model(&self) -> Assignment {
        let value = |(index, term): &(u32, Term)| {
            let bits = self.bits[term].iter().enumerate();
            let value = bits.map(|(bit, l)| u128::from(self.gates.value(*l)) << bit).sum();
            (*index, value)
        };
        self.variables.iter().map(value).collect()
    }

    /// A literal for each condition, or why there are none.
    fn encode_all(&mut self, pool: &Pool, conditions: &[Term]) -> Result<Vec<Lit>, &'static str> {
        conditions.iter().map(|condition| Ok(self.encode(pool, *condition)?[0])).collect()
    }

    /// The literals of a term, children first on a stack of our own; or why there are none.
    fn encode(&mut self, pool: &Pool, term: Term) -> Result<Box<[Lit]>, &'static str> {
        let mut stack = vec![term];
        let mut encoded = 0_usize;
        while let Some(&top) = stack.last() {
            if self.bits.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let missing = |operand: &Term| !self.bits.contains_key(operand);
            stack.extend(pool.node(top).operands().filter(missing));
            if stack.len() == before {
                let bits = self.circuit(pool, top);
                self.bits.insert(top, bits.into_boxed_slice());
                stack.pop();
                encoded += 1;
                if self.gates.variables() > MAX_CIRCUIT {
                    return Err(TOO_LARGE);
                }
                if encoded.is_multiple_of(TERMS_PER_GLANCE) && self.limit.is_reached() {
                    return Err(LATE);
                }
            }
        }
        Ok(self.bits[&term].clone())
    }

    fn circuit(&mut self, pool: &Pool, term: Term) -> Vec<Lit> {
        let node = *pool.node(term);
        let width = node.width as usize;
        let zero = self.gates.truth(false);
        let operand = |solver: &Blaster, index: usize| -> Vec<Lit> {
            solver.bits[&node.args[index].expect("the operand is there")].to_vec()
        };
        match node.op {
            Op::Const => {
                (0..width).map(|bit| self.gates.truth(node.number >> bit & 1 == 1)).collect()
            }
            Op::Var => {
                self.variables.push((node.number as u32, term));
                (0..width).map(|_| self.gates.fresh()).collect()
            }
            Op::ZExt | Op::SExt => {
                let mut bits = operand(self, 0);
                let fill = if node.op == Op::ZExt { zero } else { bits[bits.len() - 1] };
                bits.resize(width, fill);
                bits
            }
            Op::Extract => {
                let low = node.number as usize;
                operand(self, 0)[low..low + width].to_vec()
            }
            Op::Concat => {
                let mut bits = operand(self, 1);
                bits.extend(operand(self, 0));
                bits
            }
            Op::Ite => {
                let condition = operand(self, 0)[0];
                let (then, other) = (operand(self, 1), operand(self, 2));
                self.gates.choose_all(condition, &then, &other)
            }
            op => {
                let (a, b) = (operand(self, 0), operand(self, 1));
                self.binary(op, a, b)
            }
        }
    }

    fn binary(&mut self, op: Op, mut a: Vec<Lit>, mut b: Vec<Lit>) -> Vec<Lit> {
        let gates = &mut self.gates;
        let zero = gates.truth(false);
        let pairs = |a: &[Lit], b: &[Lit]| -> Vec<(Lit, Lit)> {
            a.iter().copied().zip(b.iter().copied()).collect()
        };
        match op {
            Op::And => pairs(&a, &b).into_iter().map(|(x, y)| gates.and(x, y)).collect(),
            Op::Or => pairs(&a, &b).into_iter().map(|(x, y)| gates.or(x, y)).collect(),
            Op::Xor => pairs(&a, &b).into_iter().map(|(x, y)| gates.xor(x, y)).collect(),
            Op::Add => gates.add(&a, &b, zero).0,
            Op::Sub => gates.subtract(&a, &b).0,
            Op::Mul => gates.multiply(&a, &b),
            Op::UDiv => gates.divide(&a, &b).0,
            Op::URem => gates.divide(&a, &b).1,
            Op::SDiv => gates.divide_signed(&a, &b).0,
            Op::SRem => gates.divide_signed(&a, &b).1,
            Op::Shl => gates.shift(&a, &b, true, zero),
            Op::LShr => gates.shift(&a, &b, false, zero),
            Op::AShr => {
                let sign = a[a.len() - 1];
                gates.shift(&a, &b, false, sign)
            }
            Op::Eq => vec![gates.equal(&a, &b)],
            Op::Ult => vec![gates.less(&a, &b)],
            Op::Ule => vec![!gates.less(&b, &a)],
            Op::Slt | Op::Sle => {
                let top = a.len() - 1;
                (a[top], b[top]) = (!a[top], !b[top]);
                vec![if op == Op::Slt { gates.less(&a, &b) } else { !gates.less(&b, &a) }]
            }
            Op::Const | Op::Var | Op::ZExt | Op::SExt | Op::Extract | Op::Concat | Op::Ite => {
                unreachable!("{op:?} is encoded by its own arm")
            }
        }
    }
}
