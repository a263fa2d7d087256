//! Truth tables, for conditions over so little input that they can be written out.
//!
//! A condition on one byte is 256 bits, one on two bytes is 65,536; whether
//! conditions can hold together is then a matter of and-ing their tables,
//! however deep the loop is that they came from and whatever arithmetic they
//! hold. Terms over one byte keep the table of their values, so the next round
//! of a loop costs one more column. Exact, and quick where circuits are not:
//! chains of remainders, bitwise checksums, floats.

use std::rc::Rc;

use crate::term::{Assignment, FastMap, Node, Op, Pool, Term, fold, mask, signed};
use crate::{Answer, Limit};

/// Points of the input that are worked on at once: all values of one byte.
pub(crate) const LANES: usize = 256;
/// Bits of input that are written out.
const MOST_BITS: u32 = 16;
/// What the kept tables may take before they are thrown away.
const MOST_KEPT_BYTES: usize = 128 << 20;
/// Terms of a condition over two bytes beyond which writing it out is no bargain.
const MOST_TERMS: usize = 20_000;

/// The values of a term at the points of a block.
pub(crate) enum Column {
    Narrow(Box<[u64; LANES]>),
    /// Of more than 64 bits.
    Wide(Vec<u128>),
}

impl Column {
    pub(crate) fn empty(width: u32) -> Column {
        if width > 64 { Column::Wide(vec![0; LANES]) } else { Column::Narrow(Box::new([0; LANES])) }
    }

    pub(crate) fn fill(&mut self, value: impl Fn(usize) -> u128) {
        match self {
            Column::Narrow(values) => {
                values.iter_mut().enumerate().for_each(|(at, slot)| *slot = value(at) as u64);
            }
            Column::Wide(values) => {
                values.iter_mut().enumerate().for_each(|(at, slot)| *slot = value(at));
            }
        }
    }

    pub(crate) fn at(&self, lane: usize) -> u128 {
        match self {
            Column::Narrow(values) => u128::from(values[lane]),
            Column::Wide(values) => values[lane],
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Column::Narrow(_) => LANES * 8,
            Column::Wide(_) => LANES * 16,
        }
    }
}

/// Words of a truth table that one block takes.
const WORDS: usize = LANES / 64;

/// Where a condition holds, one bit for each point, in the blocks that were looked at.
#[derive(Default)]
struct Truth {
    blocks: Vec<Option<[u64; WORDS]>>,
}

/// The variables of a query: the first runs through the lanes of a block, the second,
/// if there is one, from block to block.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
struct Axes {
    lane: Term,
    block: Option<Term>,
}

/// Which questions are to be written out.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Size {
    /// Quicker than anything else.
    OneByte,
    /// Those that a SAT solver does badly.
    HardTwoBytes,
    TwoBytes,
}

/// The tables made so far. They belong to one pool.
#[derive(Default)]
pub struct Tabulator {
    columns: FastMap<Term, Rc<Column>>,
    truths: FastMap<(Term, Axes), Truth>,
    kept_bytes: usize,
}

impl Tabulator {
    /// The answer, if the conditions are of the size wanted and the limit allows.
    pub fn decide(
        &mut self,
        pool: &Pool,
        conditions: &[Term],
        limit: &Limit,
        size: Size,
    ) -> Option<Answer> {
        let axes = axes(pool, conditions)?;
        let wanted = match size {
            Size::OneByte => axes.block.is_none(),
            Size::HardTwoBytes => is_hard(pool, conditions),
            Size::TwoBytes => true,
        };
        if !wanted {
            return None;
        }
        if self.kept_bytes > MOST_KEPT_BYTES {
            *self = Tabulator::default();
        }
        let blocks = axes.block.map_or(1, |term| 1usize << pool.width(term));
        let mut live = vec![[u64::MAX; WORDS]; blocks];
        for condition in conditions {
            self.narrow(pool, *condition, axes, &mut live, limit)?;
        }
        let found = live.iter().enumerate().find_map(|(block, words)| {
            let word = words.iter().position(|word| *word != 0)?;
            Some((block, word * 64 + words[word].trailing_zeros() as usize))
        });
        let Some((block, lane)) = found else { return Some(Answer::Unsat) };
        let mut values = Assignment::default();
        let mut put = |term: Term, value: usize| {
            values.insert(pool.node(term).number as u32, value as u128 & mask(pool.width(term)));
        };
        put(axes.lane, lane);
        if let Some(variable) = axes.block {
            put(variable, block);
        }
        Some(Answer::Sat(values))
    }

    /// Takes from the live points those where the condition does not hold. None when the
    /// limit is reached or the condition is too large.
    fn narrow(
        &mut self,
        pool: &Pool,
        condition: Term,
        axes: Axes,
        live: &mut [[u64; WORDS]],
        limit: &Limit,
    ) -> Option<()> {
        let key = (condition, axes);
        if let ([live], Some(truth)) = (&mut *live, self.truths.get(&key))
            && let Some(holds) = truth.blocks.first().copied().flatten()
        {
            live.iter_mut().zip(holds).for_each(|(live, holds)| *live &= holds);
            return Some(());
        }
        let blocks = live.len();
        let mut truth = self.truths.remove(&key).unwrap_or_default();
        truth.blocks.resize(blocks, None);
        let mut plan: Option<Plan> = None;
        for (block, live) in live.iter_mut().enumerate() {
            if *live == [0; WORDS] {
                continue;
            }
            let holds = match truth.blocks[block] {
                Some(holds) => holds,
                None => {
                    if limit.is_reached() {
                        return None;
                    }
                    let plan = match &mut plan {
                        Some(plan) => plan,
                        None => plan.insert(self.plan(pool, condition, axes)?),
                    };
                    let holds = plan.evaluate(pool, block);
                    self.kept_bytes += 2 * WORDS * 8;
                    truth.blocks[block] = Some(holds);
                    holds
                }
            };
            live.iter_mut().zip(holds).for_each(|(live, holds)| *live &= holds);
        }
        self.truths.insert(key, truth);
        Some(())
    }

    /// What is to be calculated for each block. What depends on the lanes alone is the
    /// same in every block, and kept.
    fn plan(&mut self, pool: &Pool, condition: Term, axes: Axes) -> Option<Plan> {
        let in_lanes = |term: Term| pool.support(term).iter().all(|v| is(pool, axes.lane, v));
        for term in reachable(pool, &[condition], &|term| self.columns.contains_key(&term)) {
            if in_lanes(term) && !self.columns.contains_key(&term) {
                let mut column = Column::empty(pool.width(term));
                let args: Vec<Rc<Column>> =
                    pool.node(term).operands().map(|t| self.columns[&t].clone()).collect();
                let args: Vec<&Column> = args.iter().map(|column| &**column).collect();
                calculate(pool, term, &args, axes.lane, 0, &mut column);
                self.kept_bytes += column.bytes();
                self.columns.insert(term, Rc::new(column));
            }
        }
        let order = reachable(pool, &[condition], &in_lanes);
        if order.len() > MOST_TERMS {
            return None;
        }
        let mut places: FastMap<Term, usize> = FastMap::default();
        let mut steps = vec![];
        let mut columns = vec![];
        for term in order {
            places.insert(term, columns.len());
            let kept = in_lanes(term);
            columns.push(match kept {
                true => self.columns[&term].clone(),
                false => Rc::new(Column::empty(pool.width(term))),
            });
            if !kept {
                let args = pool.node(term).operands().map(|t| places[&t]).collect();
                steps.push((term, places[&term], args));
            }
        }
        Some(Plan { lane: axes.lane, steps, columns, result: places[&condition] })
    }
}

/// The terms of a condition that change from block to block, in the order in which they
/// are calculated, and the columns they go to.
struct Plan {
    lane: Term,
    steps: Vec<(Term, usize, Vec<usize>)>,
    columns: Vec<Rc<Column>>,
    result: usize,
}

impl Plan {
    fn evaluate(&mut self, pool: &Pool, block: usize) -> [u64; WORDS] {
        for (term, at, args) in &self.steps {
            // Operands come before what is made of them.
            let (before, rest) = self.columns.split_at_mut(*at);
            let args: Vec<&Column> = args.iter().map(|place| &*before[*place]).collect();
            let out = Rc::get_mut(&mut rest[0]).expect("what is calculated is not kept");
            calculate(pool, *term, &args, self.lane, block, out);
        }
        let column = &self.columns[self.result];
        let mut holds = [0; WORDS];
        for lane in 0..LANES {
            holds[lane / 64] |= (column.at(lane) as u64 & 1) << (lane % 64);
        }
        holds
    }
}

/// Whether circuits are likely to be slow, and tables are not: few terms, of which some are
/// multipliers, dividers or shifts by unknown distances, or many are dividers at all.
fn is_hard(pool: &Pool, conditions: &[Term]) -> bool {
    /// Writing out more takes longer than trying a circuit.
    const MOST_HARD_TERMS: usize = 600;
    /// A circuit with fewer dividers by constants is no trouble.
    const MANY_DIVIDERS: usize = 3;
    let order = reachable(pool, conditions, &|_| false);
    let mut dividers = 0;
    let mut unknown = false;
    for term in &order {
        let node = pool.node(*term);
        let constant = || node.args[1].is_some_and(|second| pool.constant(second).is_some());
        match node.op {
            Op::UDiv | Op::URem | Op::SDiv | Op::SRem => {
                dividers += 1;
                unknown |= !constant();
            }
            Op::Mul | Op::Shl | Op::LShr | Op::AShr => unknown |= !constant(),
            _ => {}
        }
    }
    order.len() <= MOST_HARD_TERMS && (unknown || dividers >= MANY_DIVIDERS)
}

fn is(pool: &Pool, variable: Term, index: u32) -> bool {
    pool.node(variable).number == u128::from(index)
}

/// The variables of the conditions, if they are few and narrow.
fn axes(pool: &Pool, conditions: &[Term]) -> Option<Axes> {
    let mut indices: Vec<u32> = vec![];
    for condition in conditions {
        for index in pool.support(*condition).iter() {
            if !indices.contains(&index) {
                indices.push(index);
                if indices.len() > 2 {
                    return None;
                }
            }
        }
    }
    indices.sort_unstable();
    let variables: Option<Vec<Term>> =
        indices.iter().map(|index| pool.variable_of(*index)).collect();
    let mut variables = variables?;
    if variables.iter().map(|term| pool.width(*term)).sum::<u32>() > MOST_BITS {
        return None;
    }
    // The lanes hold eight bits at most.
    variables.sort_by_key(|term| pool.width(*term) > 8);
    let lane = *variables.first()?;
    let fits = pool.width(lane) <= 8;
    fits.then(|| Axes { lane, block: variables.get(1).copied() })
}

/// Every term that the given ones are made of, operands first; not below `known` ones.
pub(crate) fn reachable(pool: &Pool, terms: &[Term], known: &dyn Fn(Term) -> bool) -> Vec<Term> {
    let mut seen: FastMap<Term, ()> = FastMap::default();
    let mut stack = terms.to_vec();
    while let Some(term) = stack.pop() {
        if seen.insert(term, ()).is_none() && !known(term) {
            stack.extend(pool.node(term).operands());
        }
    }
    // A term is made after its operands.
    let mut order: Vec<Term> = seen.into_keys().collect();
    order.sort_unstable();
    order
}

/// Fills the column of a term whose operands have theirs.
fn calculate(
    pool: &Pool,
    term: Term,
    args: &[&Column],
    lane_variable: Term,
    block: usize,
    out: &mut Column,
) {
    let node = pool.node(term);
    let most = mask(node.width);
    match node.op {
        Op::Const => out.fill(|_| node.number),
        Op::Var if term == lane_variable => out.fill(|lane| lane as u128 & most),
        Op::Var => out.fill(|_| block as u128 & most),
        _ => apply_to_columns(pool, term, args, out),
    }
}

/// Fills the column of a term that has operands.
pub(crate) fn apply_to_columns(pool: &Pool, term: Term, args: &[&Column], out: &mut Column) {
    let node = pool.node(term);
    let mut narrow: [Option<&[u64; LANES]>; 3] = [None; 3];
    for (slot, column) in narrow.iter_mut().zip(args) {
        if let Column::Narrow(values) = column {
            *slot = Some(values);
        }
    }
    let all_narrow = narrow[..args.len()].iter().all(Option::is_some);
    match (out, narrow[0]) {
        (Column::Narrow(out), Some(first)) if all_narrow => {
            let args = narrow.map(|column| column.unwrap_or(first));
            narrow_column(pool, node, args, out);
        }
        (out, _) => out.fill(|lane| apply(pool, node, &|index| args[index].at(lane))),
    }
}

/// One value, whatever the widths.
fn apply(pool: &Pool, node: &Node, value: &dyn Fn(usize) -> u128) -> u128 {
    let width_of = |index: usize| pool.width(node.args[index].expect("the operand is there"));
    match node.op {
        Op::Const | Op::Var => unreachable!("these have no operands"),
        Op::Ite if value(0) == 1 => value(1),
        Op::Ite => value(2),
        Op::ZExt => value(0),
        Op::SExt => signed(value(0), width_of(0)) as u128 & mask(node.width),
        Op::Extract => (value(0) >> node.number) & mask(node.width),
        Op::Concat => value(0) << width_of(1) | value(1),
        op => fold(op, width_of(0), value(0), value(1)) & mask(node.width),
    }
}

/// The common operations on numbers of up to 64 bits, a whole column at a time.
fn narrow_column(pool: &Pool, node: &Node, args: [&[u64; LANES]; 3], out: &mut [u64; LANES]) {
    let width = pool.width(node.first());
    let most = mask(node.width) as u64;
    let unused = 64 - width;
    let sign = |x: u64| ((x << unused) as i64) >> unused;
    // A macro, so that every operation has a loop of its own that compilers make fast.
    macro_rules! each {
        ($f:expr) => {{
            let (a, b) = (args[0], args[1]);
            let f = $f;
            for lane in 0..LANES {
                out[lane] = f(a[lane], b[lane]) & most;
            }
        }};
    }
    match node.op {
        Op::Add => each!(|x: u64, y: u64| x.wrapping_add(y)),
        Op::Sub => each!(|x: u64, y: u64| x.wrapping_sub(y)),
        Op::Mul => each!(|x: u64, y: u64| x.wrapping_mul(y)),
        Op::And => each!(|x: u64, y: u64| x & y),
        Op::Or => each!(|x: u64, y: u64| x | y),
        Op::Xor => each!(|x: u64, y: u64| x ^ y),
        Op::Eq => each!(|x: u64, y: u64| u64::from(x == y)),
        Op::Ult => each!(|x: u64, y: u64| u64::from(x < y)),
        Op::Slt => each!(|x: u64, y: u64| u64::from(sign(x) < sign(y))),
        Op::UDiv => each!(|x: u64, y: u64| x.checked_div(y).unwrap_or(u64::MAX)),
        Op::URem => each!(|x: u64, y: u64| x.checked_rem(y).unwrap_or(x)),
        Op::ZExt => each!(|x: u64, _: u64| x),
        Op::SExt => each!(|x: u64, _: u64| sign(x) as u64),
        Op::Extract => each!(|x: u64, _: u64| x >> node.number),
        Op::Concat => {
            let by = pool.width(node.second());
            each!(|x: u64, y: u64| x << by | y)
        }
        Op::Ite => {
            for lane in 0..LANES {
                out[lane] = if args[0][lane] == 1 { args[1][lane] } else { args[2][lane] };
            }
        }
        op => each!(|x: u64, y: u64| fold(op, width, u128::from(x), u128::from(y)) as u64),
    }
}
