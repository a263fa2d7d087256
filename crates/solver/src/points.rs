//! Questions about several bytes of which few values are possible.
//!
//! A date is four bytes, but few months and days: what one condition leaves of one or
//! two bytes is written out, and such lists are joined until every condition has been
//! applied. Exact, like tables of one or two bytes, and independent of arithmetic.
//! How much is written out is bounded by a count, never by a clock.

use crate::tabulate::{Column, LANES, apply_to_columns, reachable};
use crate::term::{Assignment, FastMap, Op, Pool, SupportSet, Term};
use crate::{Answer, Limit, verified};

/// Questions about more variables are not tried.
const MOST_VARIABLES: usize = 4;
/// Terms times points that one question may cost.
const MOST_WORK: u64 = 1_500_000_000;
/// Points of one list.
const MOST_POINTS: u64 = 1 << 24;

/// Some variables with the values that they may have together, a column for each.
struct List {
    variables: Vec<(u32, Term)>,
    columns: Vec<Vec<u8>>,
}

impl List {
    fn len(&self) -> usize {
        self.columns[0].len()
    }

    fn holds(&self, support: &SupportSet) -> bool {
        self.variables.iter().any(|(index, _)| support.iter().any(|other| other == *index))
    }
}

/// The answer, if few enough values are possible.
pub fn decide(pool: &Pool, conditions: &[Term], limit: &Limit) -> Option<Answer> {
    let mut lists = variables(pool, conditions)?;
    let mut open: Vec<Term> = conditions.to_vec();
    let mut work = 0;
    while let Some(next) = cheapest(pool, &open, &lists) {
        let support = pool.support(open[next]);
        let (met, others): (Vec<List>, Vec<List>) =
            lists.into_iter().partition(|list| list.holds(support));
        lists = others;
        let mut met = met.into_iter();
        // A condition without variables is settled before it is asked.
        let mut joined = met.next()?;
        for list in met {
            joined = product(&joined, &list)?;
        }
        let complete = |condition: &Term| {
            let inside = |index| joined.variables.iter().any(|(known, _)| *known == index);
            pool.support(*condition).iter().all(inside)
        };
        let (now, later): (Vec<Term>, Vec<Term>) = open.into_iter().partition(complete);
        open = later;
        let joined = filtered(pool, joined, &now, limit, &mut work)?;
        if joined.len() == 0 {
            return Some(Answer::Unsat);
        }
        lists.push(joined);
    }
    let first = |list: &List| -> Vec<(u32, u128)> {
        let values = list.columns.iter().map(|column| u128::from(column[0]));
        list.variables.iter().map(|(index, _)| *index).zip(values).collect()
    };
    let model: Assignment = lists.iter().flat_map(first).collect();
    Some(verified(pool, conditions, Answer::Sat(model), "a list of points"))
}

/// A list of all its values for each variable, if they are few and narrow.
fn variables(pool: &Pool, conditions: &[Term]) -> Option<Vec<List>> {
    let mut support = SupportSet::default();
    for condition in conditions {
        support.extend(pool.support(*condition));
    }
    let indices: Vec<u32> = support.iter().collect();
    if indices.len() > MOST_VARIABLES {
        return None;
    }
    let list = |index: u32| {
        let term = pool.variable_of(index).filter(|term| pool.width(*term) <= 8)?;
        let values = (0..1u16 << pool.width(term)).map(|value| value as u8).collect();
        Some(List { variables: vec![(index, term)], columns: vec![values] })
    };
    indices.into_iter().map(list).collect()
}

/// The condition for which the fewest points have to be written out.
fn cheapest(pool: &Pool, open: &[Term], lists: &[List]) -> Option<usize> {
    let points = |condition: &Term| {
        let support = pool.support(*condition);
        let met = lists.iter().filter(|list| list.holds(support));
        met.fold(1u64, |points, list| points.saturating_mul(list.len() as u64))
    };
    (0..open.len()).min_by_key(|index| points(&open[*index]))
}

/// Every point of the one with every point of the other.
fn product(a: &List, b: &List) -> Option<List> {
    let points = a.len() as u64 * b.len() as u64;
    if points > MOST_POINTS {
        return None;
    }
    let repeated = |column: &Vec<u8>| -> Vec<u8> {
        column.iter().flat_map(|value| std::iter::repeat_n(*value, b.len())).collect()
    };
    let columns = a.columns.iter().map(repeated);
    let columns = columns.chain(b.columns.iter().map(|column| column.repeat(a.len()))).collect();
    Some(List { variables: [a.variables.clone(), b.variables.clone()].concat(), columns })
}

/// The points at which all the conditions hold. None when that takes too long.
fn filtered(
    pool: &Pool,
    list: List,
    conditions: &[Term],
    limit: &Limit,
    work: &mut u64,
) -> Option<List> {
    let order = reachable(pool, conditions, &|_| false);
    *work = work.saturating_add((order.len() as u64).saturating_mul(list.len() as u64));
    if *work > MOST_WORK {
        return None;
    }
    let places: FastMap<Term, usize> =
        order.iter().enumerate().map(|(place, term)| (*term, place)).collect();
    let mut columns: Vec<Column> =
        order.iter().map(|term| Column::empty(pool.width(*term))).collect();
    let source = |term: Term| list.variables.iter().position(|(_, variable)| *variable == term);
    let mut kept: Vec<Vec<u8>> = vec![vec![]; list.columns.len()];
    for start in (0..list.len()).step_by(LANES) {
        if limit.is_reached() {
            return None;
        }
        let lanes = LANES.min(list.len() - start);
        for (place, term) in order.iter().enumerate() {
            let node = pool.node(*term);
            let (before, rest) = columns.split_at_mut(place);
            let out = &mut rest[0];
            match node.op {
                // The same at every block.
                Op::Const if start > 0 => {}
                Op::Const => out.fill(|_| node.number),
                Op::Var => {
                    let values = &list.columns[source(*term)?][start..start + lanes];
                    out.fill(|lane| values.get(lane).copied().map_or(0, u128::from));
                }
                _ => {
                    let args: Vec<&Column> =
                        node.operands().map(|operand| &before[places[&operand]]).collect();
                    apply_to_columns(pool, *term, &args, out);
                }
            }
        }
        for lane in 0..lanes {
            if conditions.iter().all(|condition| columns[places[condition]].at(lane) & 1 == 1) {
                for (kept, column) in kept.iter_mut().zip(&list.columns) {
                    kept.push(column[start + lane]);
                }
            }
        }
    }
    Some(List { columns: kept, ..list })
}
