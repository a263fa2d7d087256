//! Loads through addresses that depend on the input.
//!
//! Such a load is a choice over the cells of one object. Which cells can be
//! meant is read off the shape of the address: the range of an index, and the
//! bits that a scaled index leaves alone. A table of numbers that follow a rule
//! (the digits of decimal pairs, the rows of a checksum) becomes the rule.

use super::{End, Interpreter, Machine, Reason, Value};
use testsmith_solver::term::{Op, Term, mask};

/// Objects with more cells in reach are read cell by cell, one path each.
const MAX_CELLS: u64 = 1024;

/// The cells that a load can reach: every `stride` bytes from `start`, by an index.
struct Cells {
    start: u64,
    stride: u64,
    index: Term,
    /// The least and the greatest index.
    first: u64,
    last: u64,
}

impl Machine<'_> {
    /// A load whose address depends on the input: a choice over the cells of the object
    /// the address points into now, and decisions that it does and keeps to the cells.
    pub(super) fn load_anywhere(
        &mut self,
        pointer: Value,
        offset: u32,
        len: u64,
    ) -> Result<Value, End> {
        let by = Value::concrete(u128::from(offset));
        let pointer = self.binary(Op::Add, 64, pointer, by);
        let known = match pointer.term {
            Some(term) => self.settled_pointer(term)?,
            None => true,
        };
        if known {
            return self.fetch(pointer.bits as u64, len);
        }
        let address = pointer.bits as u64;
        let Interpreter { program, image, .. } = &mut *self.interpreter;
        let extent = self.memory.extent(program, image, address, len);
        if extent.is_err() {
            // This input strays; where the others on this path go is not known.
            self.voids.insert("a computed address lies outside every object".to_owned());
        }
        let (base, size) = extent?;
        let subject = self.term(pointer, 64);
        let offset = self.binary(Op::Sub, 64, pointer, Value::concrete(u128::from(base)));
        let Some(offset) = offset.term else { return self.fetch(address, len) };
        let range = self.interpreter.pool.range(offset);
        let reach = range.high.min(u128::from(size - len)).saturating_sub(range.low) as u64;
        if reach / len >= MAX_CELLS || size < 2 * len {
            let address = self.address(pointer)?;
            return self.fetch(address, len);
        }
        // Other inputs may point into other objects, or between the cells: each of these is
        // an alternative of its own.
        let pool = &mut self.interpreter.pool;
        let last = pool.number(64, u128::from(size - len));
        let inside = pool.binary(Op::Ule, offset, last);
        self.one_of(subject, inside, Reason::InBounds)?;
        let cells = self.cells(offset, address - base, size, len)?;
        let mut contents = vec![];
        for index in cells.first..=cells.last {
            let value = self.fetch(base + cells.start + index * cells.stride, len)?;
            contents.push(self.term(value, 8 * len as u32));
        }
        let width = 8 * len as u32;
        let rule = self.rule(&contents, &cells, width);
        let rule = rule.or_else(|| self.exclusive_rule(&contents, &cells, width));
        let chosen = rule.unwrap_or_else(|| self.choose(&contents, cells.first, cells.index));
        let here = self.fetch(address, len)?;
        Ok(self.value(here.bits, chosen))
    }

    /// The cells at an offset that lies inside its object. What the shape of the offset
    /// does not tell about its place between the cells is decided.
    fn cells(&mut self, offset: Term, now: u64, size: u64, len: u64) -> Result<Cells, End> {
        let pool = &mut self.interpreter.pool;
        let range = pool.range(offset);
        let last = range.high.min(u128::from(size - len)) as u64;
        let first = range.low as u64;
        // A scaled index leaves the low bits of the offset alone.
        let node = *pool.node(offset);
        let parts = match node.op {
            Op::ZExt => *pool.node(node.first()),
            _ => node,
        };
        if parts.op == Op::Concat
            && let Some(low) = pool.constant(parts.second())
        {
            /// A larger stride is no index of a table.
            const MOST_FREE_BITS: u32 = 16;
            let free = pool.width(parts.second());
            let stride = 1u64 << free.min(MOST_FREE_BITS);
            if stride >= len && free <= MOST_FREE_BITS {
                let start = low as u64;
                let index = pool.zero_extend(parts.first(), 64);
                let first = first.saturating_sub(start).div_ceil(stride);
                let last = last.saturating_sub(start) / stride;
                return Ok(Cells { start, stride, index, first, last });
            }
        }
        let residue = now % len;
        let (length, wanted) =
            (pool.number(64, u128::from(len)), pool.number(64, u128::from(residue)));
        let remainder = pool.binary(Op::URem, offset, length);
        let on_a_cell = pool.equal(remainder, wanted);
        self.one_of(offset, on_a_cell, Reason::InBounds)?;
        let pool = &mut self.interpreter.pool;
        let distance = pool.binary(Op::Sub, offset, wanted);
        let index = pool.binary(Op::UDiv, distance, length);
        let first = first.saturating_sub(residue) / len;
        let last = last.saturating_sub(residue) / len;
        Ok(Cells { start: residue, stride: len, index, first, last })
    }

    /// The cell with an index, as a balanced tree of choices; equal neighbours share a leaf.
    fn choose(&mut self, cells: &[Term], first: u64, index: Term) -> Term {
        if cells.iter().all(|cell| *cell == cells[0]) {
            return cells[0];
        }
        let half = cells.len() / 2;
        let low = self.choose(&cells[..half], first, index);
        let high = self.choose(&cells[half..], first + half as u64, index);
        let pool = &mut self.interpreter.pool;
        let boundary = pool.number(64, u128::from(first + half as u64));
        let below = pool.binary(Op::Ult, index, boundary);
        pool.ite(below, low, high)
    }

    /// Cells that are `c + a * index + b * (index / k)`, every single one of them, as that.
    fn rule(&mut self, contents: &[Term], cells: &Cells, width: u32) -> Option<Term> {
        /// Fewer rounds of `k` are told apart by choices as easily.
        const LEAST_ROUNDS: usize = 3;
        let pool = &mut self.interpreter.pool;
        let numbers: Option<Vec<u128>> = contents.iter().map(|term| pool.constant(*term)).collect();
        let numbers = numbers?;
        if cells.first != 0 || numbers.len() < 2 * LEAST_ROUNDS || width > 64 {
            return None;
        }
        let start = numbers[0];
        let step = numbers[1].wrapping_sub(start);
        let straight = |index: usize| start.wrapping_add(step.wrapping_mul(index as u128));
        let round =
            (2..numbers.len()).find(|at| (straight(*at) ^ numbers[*at]) & mask(width) != 0)?;
        let jump = numbers[round].wrapping_sub(straight(round));
        let follows = numbers.iter().enumerate().all(|(index, number)| {
            let jumps = jump.wrapping_mul((index / round) as u128);
            straight(index).wrapping_add(jumps) & mask(width) == *number
        });
        let is_rest =
            step & mask(width) == 1 && jump.wrapping_add(round as u128) & mask(width) == 0;
        if !follows || (numbers.len() / round < LEAST_ROUNDS && !is_rest) {
            return None;
        }
        // The index is in range here, so that nothing is lost by narrowing what comes of it.
        let round_term = pool.number(64, round as u128);
        let part = |pool: &mut testsmith_solver::term::Pool, wide: Term, factor: u128| {
            let narrow = pool.extract(wide, 0, width);
            let factor = pool.number(width, factor);
            pool.binary(Op::Mul, narrow, factor)
        };
        let sum = if is_rest {
            let rest = pool.binary(Op::URem, cells.index, round_term);
            part(pool, rest, 1)
        } else {
            let quotient = pool.binary(Op::UDiv, cells.index, round_term);
            let (steps, jumps) = (part(pool, cells.index, step), part(pool, quotient, jump));
            pool.binary(Op::Add, steps, jumps)
        };
        let start = pool.number(width, start);
        Some(pool.binary(Op::Add, sum, start))
    }

    /// Cells that are the exclusive or of the rows for the bits of their index, every
    /// single one of them, as that: the tables of checksums.
    fn exclusive_rule(&mut self, contents: &[Term], cells: &Cells, width: u32) -> Option<Term> {
        /// Smaller tables are choices as small.
        const LEAST_CELLS: usize = 16;
        let pool = &mut self.interpreter.pool;
        let numbers: Option<Vec<u128>> = contents.iter().map(|term| pool.constant(*term)).collect();
        let numbers = numbers?;
        if numbers.len() < LEAST_CELLS {
            return None;
        }
        // The place among these cells; they may be a row of a larger table.
        let first = pool.number(64, u128::from(cells.first));
        let whole_rows = cells.first.is_multiple_of(numbers.len().next_power_of_two() as u64);
        let place = match whole_rows {
            true => cells.index,
            false => pool.binary(Op::Sub, cells.index, first),
        };
        let bits = usize::BITS - (numbers.len() - 1).leading_zeros();
        let rows: Vec<u128> = (0..bits).map(|bit| numbers[1 << bit] ^ numbers[0]).collect();
        let is_sum = |(index, number): (usize, &u128)| {
            let chosen = rows.iter().enumerate().filter(|(bit, _)| index >> bit & 1 == 1);
            chosen.fold(numbers[0], |sum, (_, row)| sum ^ row) == *number
        };
        if !numbers.iter().enumerate().all(is_sum) {
            return None;
        }
        let mut sum = pool.number(width, numbers[0]);
        for (bit, row) in rows.into_iter().enumerate() {
            let chosen = pool.extract(place, bit as u32, 1);
            let chosen = pool.sign_extend(chosen, width);
            let row = pool.number(width, row);
            let part = pool.binary(Op::And, chosen, row);
            sum = pool.binary(Op::Xor, sum, part);
        }
        Some(sum)
    }
}
