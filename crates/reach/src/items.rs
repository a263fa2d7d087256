//! Iterators: what they give in order, each item with the condition under which it comes.
//!
//! As long as the items that come are the first ones, a position is a constant; after a
//! filter it is counted.

use crate::terms::WIDE;
use crate::translate::{Out, Scope, Why};
use crate::value::{Items, Value};
use crate::world::World;
use syn::Expr;
use testsmith_solver::term::{Op, Term};

/// How wide counts of items are.
const COUNT: u32 = 8;

impl World<'_> {
    /// Methods of iterators that take no closure.
    pub(crate) fn of_items(
        &mut self,
        items: &Items,
        name: &str,
        args: &[Value],
    ) -> Result<Option<Out>, Why> {
        let all = &items.all;
        let value = match (name, args) {
            ("iter" | "into_iter" | "copied" | "cloned", []) => Value::Items(items.clone()),
            ("count" | "len", []) => {
                let count = self.ranks(items).pop().expect("there is one more than items");
                Value::Int { term: self.terms.extended(count, WIDE, false), signed: false }
            }
            ("next", []) => return self.first_of(all.iter().rev(), None).map(Some),
            ("last", []) => return self.first_of(all.iter(), None).map(Some),
            ("nth", [at]) => return self.nth(items, at).map(Some),
            ("skip" | "take", [count]) => {
                Value::Items(self.cut(items, count, name == "take").ok_or("a count of no number")?)
            }
            ("rev", []) => {
                let all = all.iter().rev().cloned().collect();
                Value::Items(Items { all, is_dense: false })
            }
            ("step_by", [Value::Number(step @ 1..)]) if items.is_dense => {
                let all = all.iter().step_by(*step as usize).cloned().collect();
                Value::Items(Items { all, is_dense: true })
            }
            ("zip", [other]) => {
                let yes = self.terms.truth(true);
                let (other, _) = self.items(other, yes)?;
                if !items.is_dense || !other.is_dense {
                    return Ok(None);
                }
                let pair = |((a, x), (b, y)): (&(Term, Value), &(Term, Value))| {
                    (self.terms.and(*a, *b), Value::Tuple(vec![x.clone(), y.clone()]))
                };
                let all = all.iter().zip(&other.all).map(pair).collect();
                Value::Items(Items { all, is_dense: true })
            }
            ("enumerate", []) => {
                let ranks = self.ranks(items);
                let mut numbered = vec![];
                for ((present, item), rank) in all.iter().zip(ranks) {
                    let term = self.terms.extended(rank, WIDE, false);
                    let number = Value::Int { term, signed: false };
                    numbered.push((*present, Value::Tuple(vec![number, item.clone()])));
                }
                Value::Items(Items { all: numbered, is_dense: items.is_dense })
            }
            ("sum", []) => return self.folded(all, Op::Add, 0).map(Some),
            ("product", []) => return self.folded(all, Op::Mul, 1).map(Some),
            ("min" | "max", []) => return self.extreme(all, name == "max").map(Some),
            ("eq", [other]) => {
                let yes = self.terms.truth(true);
                let (other, ok) = self.items(other, yes)?;
                let value = self.same_items(items, &other)?;
                return Ok(Some(Out { value: Value::Bool(value), ok }));
            }
            ("is_sorted", []) => return self.is_sorted(items, None).map(Some),
            _ => return Ok(None),
        };
        Ok(Some(self.sure(value)))
    }

    /// How many items come before each, and how many there are in all.
    fn ranks(&mut self, items: &Items) -> Vec<Term> {
        let mut ranks = vec![];
        let mut count = self.terms.number(COUNT, 0);
        for (n, (present, _)) in items.all.iter().enumerate() {
            // Where all that come are the first, nobody has to count.
            ranks.push(if items.is_dense { self.terms.number(COUNT, n as i128) } else { count });
            let one = self.terms.extended(*present, COUNT, false);
            count = self.terms.binary(Op::Add, count, one);
        }
        ranks.push(count);
        ranks
    }

    /// The item that comes last of these, and whether any does.
    fn first_of<'i>(
        &mut self,
        items: impl Iterator<Item = &'i (Term, Value)>,
        found: Option<(Term, Value)>,
    ) -> Result<Out, Why> {
        let mut found = found;
        for (present, item) in items {
            found = Some(match found {
                None => (*present, item.clone()),
                Some((some, value)) => {
                    let value = self.terms.choice(*present, item, &value);
                    let value = value.ok_or("items that cannot be chosen from")?;
                    (self.terms.or(some, *present), value)
                }
            });
        }
        match found {
            Some((some, value)) => Ok(self.sure(Value::Option { some, value: Box::new(value) })),
            None => self.named(&["None".to_owned()], &Scope::default()),
        }
    }

    fn nth(&mut self, items: &Items, at: &Value) -> Result<Out, Why> {
        if let (Value::Number(at), true) = (at, items.is_dense) {
            let only = usize::try_from(*at).ok().and_then(|at| items.all.get(at));
            return self.first_of(only.into_iter(), None);
        }
        let ranks = self.ranks(items);
        let mut found = vec![];
        for ((present, item), rank) in items.all.iter().zip(ranks) {
            let rank = Value::Int { term: self.terms.extended(rank, WIDE, false), signed: false };
            let (rank, at, _) = self.terms.alike(&rank, at).ok_or("a position of no number")?;
            let is_it = self.terms.equal(rank, at);
            found.push((self.terms.and(*present, is_it), item.clone()));
        }
        self.first_of(found.iter(), None)
    }

    /// The first items, or all but these.
    fn cut(&mut self, items: &Items, count: &Value, is_head: bool) -> Option<Items> {
        if let (Value::Number(count), true) = (count, items.is_dense) {
            let count = usize::try_from(*count).ok()?.min(items.all.len());
            let all = if is_head { &items.all[..count] } else { &items.all[count..] };
            return Some(Items { all: all.to_vec(), is_dense: true });
        }
        let ranks = self.ranks(items);
        let mut all = vec![];
        for ((present, item), rank) in items.all.iter().zip(ranks) {
            let rank = Value::Int { term: self.terms.extended(rank, WIDE, false), signed: false };
            let (rank, count, _) = self.terms.alike(&rank, count)?;
            let inside = self.terms.less(rank, count, false);
            let kept = if is_head { inside } else { self.terms.not(inside) };
            all.push((self.terms.and(*present, kept), item.clone()));
        }
        Some(Items { all, is_dense: is_head && items.is_dense })
    }

    fn folded(&mut self, all: &[(Term, Value)], op: Op, neutral: i128) -> Result<Out, Why> {
        let (first, rest) = all.split_first().ok_or("a sum of nothing")?;
        let mut ok = self.terms.truth(true);
        let neutral = Value::Number(neutral);
        let none = || "a sum of what are no numbers".to_owned();
        let mut sum = self.terms.choice(first.0, &first.1, &neutral).ok_or_else(none)?;
        for (present, item) in rest {
            let more = self.terms.choice(*present, item, &neutral).ok_or_else(none)?;
            let (value, fits) = self.arithmetic(op, &sum, &more)?;
            (sum, ok) = (value, self.terms.and(ok, fits));
        }
        Ok(Out { value: sum, ok })
    }

    fn extreme(&mut self, all: &[(Term, Value)], is_max: bool) -> Result<Out, Why> {
        let mut found: Option<(Term, Value)> = None;
        for (present, item) in all {
            found = Some(match found {
                None => (*present, item.clone()),
                Some((some, best)) => {
                    let less = match is_max {
                        true => self.less(&best, item),
                        false => self.less(item, &best),
                    };
                    let better = less.ok_or("an order of what has none")?;
                    let none_yet = self.terms.not(some);
                    let better = self.terms.or(none_yet, better);
                    let takes = self.terms.and(*present, better);
                    let value = self.terms.choice(takes, item, &best);
                    let value = value.ok_or("items that cannot be chosen from")?;
                    (self.terms.or(some, *present), value)
                }
            });
        }
        self.first_of([].iter(), found)
    }

    fn same_items(&mut self, a: &Items, b: &Items) -> Result<Term, Why> {
        if !a.is_dense || !b.is_dense {
            return Err("a comparison of items that were filtered".to_owned());
        }
        let no = self.terms.truth(false);
        let mut all = vec![];
        for n in 0..a.all.len().max(b.all.len()) {
            let presence = |items: &Items| items.all.get(n).map_or(no, |(present, _)| *present);
            let (x, y) = (presence(a), presence(b));
            all.push(self.terms.equal(x, y));
            if let (Some((_, v)), Some((_, w))) = (a.all.get(n), b.all.get(n)) {
                let same = self.terms.same(v, w).ok_or("a comparison of items")?;
                all.push(self.terms.implies(x, same));
            }
        }
        Ok(self.terms.all(&all))
    }

    /// Whether each item is not above the next, or each with the next satisfies a closure.
    pub(crate) fn is_sorted(
        &mut self,
        items: &Items,
        by: Option<(&Expr, &Scope)>,
    ) -> Result<Out, Why> {
        if !items.is_dense {
            return Err("an order of items that were filtered".to_owned());
        }
        let (mut all, mut oks) = (vec![], vec![]);
        for pair in items.all.windows(2) {
            let sorted = match by {
                None => {
                    let above = self.less(&pair[1].1, &pair[0].1);
                    let above = above.ok_or("an order of what has none")?;
                    self.terms.not(above)
                }
                Some((closure, scope)) => {
                    let given = [pair[0].1.clone(), pair[1].1.clone()];
                    let out = self.apply_closure(closure, &given, scope)?;
                    let Value::Bool(holds) = out.value else {
                        return Err("a closure that is no condition".to_owned());
                    };
                    oks.push(self.terms.implies(pair[1].0, out.ok));
                    holds
                }
            };
            all.push(self.terms.implies(pair[1].0, sorted));
        }
        let ok = self.terms.all(&oks);
        Ok(Out { value: Value::Bool(self.terms.all(&all)), ok })
    }

    /// Methods of iterators that take a closure.
    pub(crate) fn items_with_closure(
        &mut self,
        receiver: &Items,
        name: &str,
        closure: &Expr,
        (ok, scope): (Term, &Scope),
    ) -> Result<Option<Out>, Why> {
        let items = match name {
            "filter" | "find" | "position" | "take_while" | "skip_while" => {
                self.kept(receiver, name, closure, scope)?
            }
            "map" => {
                let mut all = vec![];
                for (present, item) in &receiver.all {
                    let out = self.apply_closure(closure, std::slice::from_ref(item), scope)?;
                    all.push((*present, out.value));
                }
                Items { all, is_dense: receiver.is_dense }
            }
            "is_sorted_by" => {
                let out = self.is_sorted(receiver, Some((closure, scope)))?;
                return Ok(Some(Out { value: out.value, ok: self.terms.and(ok, out.ok) }));
            }
            _ => return Ok(None),
        };
        let out = match name {
            "find" => self.first_of(items.all.iter().rev(), None)?,
            "position" => {
                let mut places = vec![];
                for ((present, _), rank) in items.all.iter().zip(self.ranks(receiver)) {
                    let term = self.terms.extended(rank, WIDE, false);
                    places.push((*present, Value::Int { term, signed: false }));
                }
                self.first_of(places.iter().rev(), None)?
            }
            _ => self.sure(Value::Items(items)),
        };
        Ok(Some(Out { value: out.value, ok: self.terms.and(ok, out.ok) }))
    }

    /// Which items a closure lets through.
    fn kept(
        &mut self,
        receiver: &Items,
        name: &str,
        closure: &Expr,
        scope: &Scope,
    ) -> Result<Items, Why> {
        let mut all = vec![];
        let mut so_far = self.terms.truth(true);
        for (present, item) in &receiver.all {
            let out = self.apply_closure(closure, std::slice::from_ref(item), scope)?;
            let Value::Bool(holds) = out.value else {
                return Err("a filter that is no condition".to_owned());
            };
            let holds_here = self.terms.implies(*present, holds);
            so_far = self.terms.and(so_far, holds_here);
            let kept = match name {
                "take_while" => so_far,
                "skip_while" => self.terms.not(so_far),
                _ => holds,
            };
            all.push((self.terms.and(*present, kept), item.clone()));
        }
        Ok(Items { all, is_dense: name == "take_while" && receiver.is_dense })
    }

    /// `fold(first, |sum, item| ..)`
    pub(crate) fn fold(
        &mut self,
        receiver: &Items,
        first: Value,
        closure: &Expr,
        scope: &Scope,
    ) -> Result<Out, Why> {
        let (mut sum, mut ok) = (first, self.terms.truth(true));
        for (present, item) in &receiver.all {
            let given = [sum.clone(), item.clone()];
            let out = self.apply_closure(closure, &given, scope)?;
            let later = self.terms.implies(*present, out.ok);
            ok = self.terms.and(ok, later);
            let next = self.terms.choice(*present, &out.value, &sum);
            sum = next.ok_or("a fold of values of several types")?;
        }
        Ok(Out { value: sum, ok })
    }
}
