//! Circuits over SAT literals: gates with sharing, adders, multipliers, shifts.
//!
//! Knows nothing of terms. Lists of literals are least significant bit first.

use batsat::{Callbacks, Lit, Solver as Sat, SolverInterface, lbool};
use std::cell::Cell;

use crate::Limit;
use crate::term::FastMap;

/// The clock is looked at that seldom: in a large circuit many steps go by without a conflict.
const STEPS_PER_GLANCE: u32 = 1024;

/// Stops the search after a number of conflicts, or when it is late; batsat has no public
/// budget.
#[derive(Default)]
pub struct ConflictBudget {
    conflicts: u64,
    limit: u64,
    allowed: Limit,
    steps: Cell<u32>,
    late: Cell<bool>,
}

impl Callbacks for ConflictBudget {
    fn on_start(&mut self) {
        self.conflicts = 0;
        self.look_at_the_clock();
    }

    fn on_new_clause(&mut self, _: &[Lit], kind: batsat::clause::Kind) {
        if kind == batsat::clause::Kind::Learnt {
            self.conflicts += 1;
        }
    }

    fn stop(&self) -> bool {
        self.steps.set(self.steps.get().wrapping_add(1));
        if self.steps.get().is_multiple_of(STEPS_PER_GLANCE) {
            self.look_at_the_clock();
        }
        self.late.get() || self.conflicts > self.limit
    }
}

impl ConflictBudget {
    fn look_at_the_clock(&self) {
        self.late.set(self.allowed.is_reached());
    }
}

/// The SAT solver with the gates made so far.
pub struct Gates {
    sat: Sat<ConflictBudget>,
    one: Lit,
    shared: FastMap<(u32, u32, bool), Lit>,
    clause: Vec<Lit>,
}

impl Gates {
    pub fn new() -> Gates {
        let mut sat = Sat::new(Default::default(), ConflictBudget::default());
        let one = Lit::new(sat.new_var_default(), true);
        let mut gates = Gates { sat, one, shared: FastMap::default(), clause: vec![] };
        gates.require(&[one]);
        gates
    }

    /// Searches for a model under assumptions; `UNDEF` when the budget ran out.
    pub fn solve(&mut self, assumptions: &[Lit], conflicts: u64, limit: &Limit) -> lbool {
        let budget = self.sat.cb_mut();
        budget.limit = conflicts;
        budget.allowed = limit.clone();
        self.sat.solve_limited(assumptions)
    }

    /// Whether the last search ended because it was late.
    pub fn is_late(&self) -> bool {
        self.sat.cb().late.get()
    }

    /// Conflicts of the last search.
    pub fn conflicts(&self) -> u64 {
        self.sat.cb().conflicts
    }

    /// One of these holds, for good.
    pub fn require_any(&mut self, clause: &[Lit]) {
        self.require(clause);
    }

    /// The value of a literal in the last model.
    pub fn value(&self, literal: Lit) -> bool {
        self.sat.value_lit(literal) == lbool::TRUE
    }

    pub fn variables(&self) -> u32 {
        self.sat.num_vars()
    }

    pub fn fresh(&mut self) -> Lit {
        Lit::new(self.sat.new_var_default(), true)
    }

    pub fn truth(&self, value: bool) -> Lit {
        if value { self.one } else { !self.one }
    }

    fn require(&mut self, clause: &[Lit]) {
        self.clause.clear();
        self.clause.extend_from_slice(clause);
        self.sat.add_clause_reuse(&mut self.clause);
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let one = self.one;
        if a == one || a == b {
            return b;
        }
        if b == one {
            return a;
        }
        if a == !one || b == !one || a == !b {
            return !one;
        }
        let key = (a.idx().min(b.idx()), a.idx().max(b.idx()), false);
        if let Some(&output) = self.shared.get(&key) {
            return output;
        }
        let output = self.fresh();
        self.require(&[!output, a]);
        self.require(&[!output, b]);
        self.require(&[output, !a, !b]);
        self.shared.insert(key, output);
        output
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let one = self.one;
        if a == one {
            return !b;
        }
        if a == !one {
            return b;
        }
        if b == one {
            return !a;
        }
        if b == !one {
            return a;
        }
        if a == b {
            return !one;
        }
        if a == !b {
            return one;
        }
        // The gate is kept for positive inputs; the signs go to the output.
        let flipped = a.sign() != b.sign();
        let (a, b) = (Lit::new(a.var(), true), Lit::new(b.var(), true));
        let key = (a.idx().min(b.idx()), a.idx().max(b.idx()), true);
        let output = match self.shared.get(&key) {
            Some(&output) => output,
            None => {
                let output = self.fresh();
                self.require(&[!output, a, b]);
                self.require(&[!output, !a, !b]);
                self.require(&[output, !a, b]);
                self.require(&[output, a, !b]);
                self.shared.insert(key, output);
                output
            }
        };
        if flipped { !output } else { output }
    }

    pub fn choose(&mut self, condition: Lit, then: Lit, other: Lit) -> Lit {
        if then == other {
            return then;
        }
        let a = self.and(condition, then);
        let b = self.and(!condition, other);
        self.or(a, b)
    }

    pub fn choose_all(&mut self, condition: Lit, then: &[Lit], other: &[Lit]) -> Vec<Lit> {
        then.iter().zip(other).map(|(a, b)| self.choose(condition, *a, *b)).collect()
    }

    /// The sum and the carry out.
    pub fn add(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> (Vec<Lit>, Lit) {
        let mut carry = carry;
        let mut sum = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            let both = self.and(x, y);
            let passed = self.and(half, carry);
            carry = self.or(both, passed);
        }
        (sum, carry)
    }

    pub fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Lit) {
        let inverted: Vec<Lit> = b.iter().map(|bit| !*bit).collect();
        let one = self.one;
        self.add(a, &inverted, one)
    }

    pub fn negate(&mut self, a: &[Lit]) -> Vec<Lit> {
        let zero = vec![!self.one; a.len()];
        self.subtract(&zero, a).0
    }

    pub fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        // Only the borrow is wanted, from the lowest bit up.
        let mut less = !self.one;
        for (&x, &y) in a.iter().zip(b) {
            let differ = self.xor(x, y);
            less = self.choose(differ, y, less);
        }
        less
    }

    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut equal = self.one;
        for (&x, &y) in a.iter().zip(b) {
            let differ = self.xor(x, y);
            equal = self.and(equal, !differ);
        }
        equal
    }

    pub fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let width = a.len();
        let zero = !self.one;
        // Each unknown bit of the multiplier is a row; a sign extension is one row in all.
        let rows = |gates: &Gates, bits: &[Lit]| {
            let low = &bits[..significant(bits)];
            low.iter().filter(|bit| **bit != gates.one && **bit != !gates.one).count()
        };
        let (a, b) = if rows(self, a) < rows(self, b) { (b, a) } else { (a, b) };
        let len = significant(b);
        let mut sum = vec![zero; width];
        for (shift, &bit) in b[..len].iter().enumerate() {
            if bit == zero {
                continue;
            }
            let row: Vec<Lit> = a[..width - shift].iter().map(|x| self.and(*x, bit)).collect();
            // The topmost bit of a sign-extended number counts negatively.
            let upper = match shift + 1 == len && len < width {
                true => self.subtract(&sum[shift..], &row).0,
                false => self.add(&sum[shift..], &row, zero).0,
            };
            sum.truncate(shift);
            sum.extend(upper);
        }
        sum
    }

    /// Quotient and remainder of unsigned numbers. By zero: all ones, and the dividend.
    pub fn divide(&mut self, a: &[Lit], d: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let width = a.len();
        let zero = !self.one;
        let mut remainder = vec![zero; width];
        let mut quotient = vec![zero; width];
        for index in (0..width).rev() {
            let pushed_out = remainder[width - 1];
            remainder.rotate_right(1);
            remainder[0] = a[index];
            let (difference, no_borrow) = self.subtract(&remainder, d);
            let fits = self.or(no_borrow, pushed_out);
            quotient[index] = fits;
            remainder = self.choose_all(fits, &difference, &remainder);
        }
        // What follows from the circuit, but only by induction over its rows.
        let nonzero = d.iter().fold(zero, |any, bit| self.or(any, *bit));
        let below = self.less(&remainder, d);
        self.require(&[!nonzero, below]);
        for part in [&quotient, &remainder] {
            let above = self.less(a, part);
            self.require(&[!nonzero, !above]);
        }
        (quotient, remainder)
    }

    /// Quotient and remainder of signed numbers, rounding toward zero.
    pub fn divide_signed(&mut self, a: &[Lit], d: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let (sign_a, sign_d) = (a[a.len() - 1], d[d.len() - 1]);
        let (minus_a, minus_d) = (self.negate(a), self.negate(d));
        let a = self.choose_all(sign_a, &minus_a, a);
        let d = self.choose_all(sign_d, &minus_d, d);
        let (quotient, remainder) = self.divide(&a, &d);
        let (minus_q, minus_r) = (self.negate(&quotient), self.negate(&remainder));
        let differ = self.xor(sign_a, sign_d);
        let quotient = self.choose_all(differ, &minus_q, &quotient);
        (quotient, self.choose_all(sign_a, &minus_r, &remainder))
    }

    /// Shifts by a symbolic amount; `fill` comes in, toward the top if `left`.
    pub fn shift(&mut self, a: &[Lit], by: &[Lit], left: bool, fill: Lit) -> Vec<Lit> {
        let width = a.len();
        let mut value = a.to_vec();
        for (stage, &bit) in by.iter().enumerate() {
            let distance = if stage < 8 { (1usize << stage).min(width) } else { width };
            let moved: Vec<Lit> = (0..width)
                .map(|index| match left {
                    true if index >= distance => value[index - distance],
                    false if index + distance < width => value[index + distance],
                    _ => fill,
                })
                .collect();
            value = self.choose_all(bit, &moved, &value);
        }
        value
    }
}

/// How many bits there are before the last one only repeats.
fn significant(bits: &[Lit]) -> usize {
    let last = bits[bits.len() - 1];
    let repeated = bits.iter().rev().take_while(|bit| **bit == last).count();
    bits.len() - repeated + 1
}
