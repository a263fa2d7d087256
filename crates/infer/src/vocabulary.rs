//! What can be asked of the values of a plan: its public queries.
//!
//! A query only looks at its value: `&self`, alone or with one or two more values of the
//! tuple, and an answer that is one number. Whether it keeps to that is seen when it is asked.

use crate::data::positions;
use crate::table::Class;
use std::collections::BTreeMap;
use testsmith_model::call::Treatment;
use testsmith_model::observation::{Occasion, Term, Watch};
use testsmith_model::{Mode, OpId, Operation, OperationKind, Plan, Ty, TypeId};

/// Questions before a call, and after it.
const MAX_TERMS: usize = 40;
/// Pairs of calls that are looked at.
const MAX_PAIRS: usize = 300;
/// Tuples of types whose values are looked at.
const MAX_VALUES: usize = 64;

/// How a value is read as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Answer,
    Number {
        least: i64,
    },
    Char,
    Order,
    /// By this method, which says yes or no.
    Variant(&'static str),
    Length,
    /// One of the names of an enum without fields, and whether two can be compared.
    Name {
        of: TypeId,
        equal: bool,
    },
}

impl Reading {
    pub(crate) fn class(self) -> Class {
        match self {
            Reading::Answer | Reading::Variant(_) => Class::Answer,
            Reading::Number { least } => Class::Number { least },
            Reading::Char | Reading::Length => Class::Number { least: 0 },
            Reading::Order => Class::Number { least: -1 },
            Reading::Name { of, equal } => Class::Name { of: of.0, equal },
        }
    }
}

/// How values of a type of the plan are read, and behind how many references.
pub(crate) fn reading_of(plan: &Plan, ty: TypeId) -> Option<(Reading, usize)> {
    let info = plan.ty(ty);
    let (of, behind) = match info.pointee {
        Some((pointee, false)) => (pointee, 1),
        _ => (ty, 0),
    };
    let named = plan.ty(of);
    if named.variants.is_empty() {
        return reading(&info.ty);
    }
    let equal = named.abilities.partial_eq;
    Some((Reading::Name { of, equal }, behind))
}

/// How values of a type are read whatever the plan says of it.
pub(crate) fn reading(ty: &Ty) -> Option<(Reading, usize)> {
    match ty {
        Ty::Prim(name) => {
            let reading = match name.as_str() {
                "bool" => Reading::Answer,
                "char" => Reading::Char,
                "str" => Reading::Length,
                "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => Reading::Number { least: 0 },
                "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
                    Reading::Number { least: i64::MIN + 1 }
                }
                _ => return None,
            };
            Some((reading, 0))
        }
        Ty::Slice(_) => Some((Reading::Length, 0)),
        Ty::Ref { mutable: false, inner, .. } => {
            let (reading, behind) = reading(inner)?;
            Some((reading, behind + 1))
        }
        Ty::Adt { path, .. } => {
            let word = ["std::", "core::", "alloc::"].iter().find_map(|of| path.strip_prefix(of));
            let reading = match word?.rsplit("::").next()? {
                "Option" => Reading::Variant("is_some"),
                "Result" => Reading::Variant("is_ok"),
                "Ordering" if path.contains("cmp") => Reading::Order,
                "String" | "Vec" | "VecDeque" | "BTreeSet" | "BTreeMap" | "HashSet" | "HashMap" => {
                    Reading::Length
                }
                _ => return None,
            };
            Some((reading, 0))
        }
        _ => None,
    }
}

/// The queries of each type.
#[derive(Default)]
struct Queries {
    /// Without a further value.
    alone: BTreeMap<TypeId, Vec<OpId>>,
    /// With one of another type.
    with: BTreeMap<(TypeId, TypeId), Vec<OpId>>,
    /// With two of others.
    with_two: BTreeMap<[TypeId; 3], Vec<OpId>>,
}

/// What is watched of the calls and values of a plan. `fit` says whether an operation was
/// called and never panicked.
pub fn watches(plan: &Plan, fit: &dyn Fn(OpId) -> bool) -> Vec<Watch> {
    let queries = Queries::of(plan, fit);
    let mut all: Vec<Watch> = plan
        .op_ids()
        .filter_map(|op| queries.watch_of_call(plan, op))
        .filter(|watch| !watch.before.is_empty() || !watch.after.is_empty())
        .collect();
    let pairs = watches_of_pairs(plan, &all);
    all.extend(queries.watches_of_values(plan));
    all.extend(pairs);
    all
}

/// The types of the tuple of an occasion.
pub(crate) fn tuple(plan: &Plan, occasion: &Occasion) -> Vec<TypeId> {
    let of_call = |op: OpId| {
        let operation = plan.operation(op);
        operation.inputs.iter().map(|input| input.ty).chain([operation.output])
    };
    match occasion {
        Occasion::Values { types } => types.clone(),
        Occasion::Call { op } => of_call(*op).collect(),
        Occasion::Pair { first, second } => {
            of_call(*first).chain(of_call(*second).skip(1)).collect()
        }
    }
}

/// How what is inside of an option or a result is read; of a pair the first.
pub(crate) fn inside(ty: &Ty) -> Option<Reading> {
    let Ty::Adt { path, .. } = ty else { return None };
    let option = matches!(path.as_str(), "std::option::Option" | "core::option::Option");
    let result = matches!(path.as_str(), "std::result::Result" | "core::result::Result");
    let of = ty.type_arg(0).filter(|_| option || result)?;
    let of = match of {
        Ty::Tuple(items) if option && items.len() == 2 => &items[0],
        of => of,
    };
    reading(of).map(|(reading, _)| reading)
}

/// Pairs of calls on one value of which the second gives a number: that may be what the
/// first was given, or follow what it gave.
fn watches_of_pairs(plan: &Plan, calls: &[Watch]) -> Vec<Watch> {
    let changing = |watch: &&Watch| match watch.occasion {
        Occasion::Call { op } => {
            plan.operation(op).inputs.first().is_some_and(|input| input.mode == Mode::Exclusive)
        }
        _ => false,
    };
    let number = |ty: TypeId| {
        let ty = &plan.ty(ty).ty;
        let plain = reading(ty).is_some_and(|(reading, _)| is_number(reading));
        plain || inside(ty).is_some_and(is_number)
    };
    let mut all = vec![];
    for two in calls.iter().filter(changing) {
        let Occasion::Call { op: second } = two.occasion else { continue };
        let (to, gives) = (plan.operation(second).inputs[0].ty, plan.operation(second).output);
        if !number(gives) {
            continue;
        }
        for one in calls.iter().filter(changing) {
            let Occasion::Call { op: first } = one.occasion else { continue };
            if plan.operation(first).inputs[0].ty == to && all.len() < MAX_PAIRS {
                all.push(watch_of_pair(plan, [first, second], [one, two]));
            }
        }
    }
    all
}

fn is_number(reading: Reading) -> bool {
    matches!(reading, Reading::Number { .. } | Reading::Char | Reading::Length)
}

fn watch_of_pair(plan: &Plan, ops: [OpId; 2], calls: [&Watch; 2]) -> Watch {
    let [first, second] = ops;
    let occasion = Occasion::Pair { first, second };
    let types = tuple(plan, &occasion);
    let [one, two] = ops.map(|op| plan.operation(op).inputs.len());
    let of_value = |term: &&Term| matches!(term, Term::Query { at: 0, .. });
    let result = |at: usize| {
        let ty = &plan.ty(types[at]).ty;
        let at = at as u8;
        let itself = reading(ty).map(|_| Term::Itself { at });
        itself.into_iter().chain(inside(ty).map(|_| Term::Inside { at }))
    };
    let given = |term: &&Term| matches!(term, Term::Itself { .. });
    let own = calls[0].before.iter().filter(|term| of_value(term) || given(term)).copied();
    let others = calls[1].before.iter().filter_map(|term| match *term {
        Term::Itself { at } if at > 0 => Some(Term::Itself { at: at + one as u8 }),
        _ => None,
    });
    let before = own.chain(result(one)).chain(others).collect();
    let after = calls[1].after.iter().filter(of_value).copied().chain(result(one + two)).collect();
    Watch { occasion, before, after }
}

impl Queries {
    fn of(plan: &Plan, fit: &dyn Fn(OpId) -> bool) -> Queries {
        let mut queries = Queries::default();
        for op in plan.op_ids().filter(|op| fit(*op)) {
            let operation = plan.operation(op);
            if !is_query(plan, operation) {
                continue;
            }
            let of = operation.inputs[0].ty;
            let others: Vec<TypeId> = operation.inputs[1..].iter().map(|input| input.ty).collect();
            match others[..] {
                [] => queries.alone.entry(of).or_default().push(op),
                [with] => queries.with.entry((of, with)).or_default().push(op),
                [with, and] => queries.with_two.entry([of, with, and]).or_default().push(op),
                _ => {}
            }
        }
        queries
    }

    fn alone(&self, ty: TypeId) -> &[OpId] {
        self.alone.get(&ty).map_or(&[], Vec::as_slice)
    }

    fn with(&self, of: TypeId, with: TypeId) -> &[OpId] {
        self.with.get(&(of, with)).map_or(&[], Vec::as_slice)
    }

    /// All questions about a tuple of these types, at positions that are wanted.
    fn terms(&self, plan: &Plan, types: &[TypeId], wanted: impl Fn(usize) -> bool) -> Vec<Term> {
        let mut terms = vec![];
        for (n, ty) in types.iter().enumerate().filter(|(n, _)| wanted(*n)) {
            let at = n as u8;
            if reading_of(plan, *ty).is_some() {
                terms.push(Term::Itself { at });
            }
            terms.extend(self.alone(*ty).iter().map(|op| Term::Query { op: *op, at }));
        }
        for (n, of) in types.iter().enumerate() {
            for (m, other) in types.iter().enumerate().filter(|(m, _)| *m != n) {
                if !wanted(n) && !wanted(m) {
                    continue;
                }
                let (at, with) = (n as u8, m as u8);
                let asked = self.with(*of, *other).iter();
                terms.extend(asked.map(|op| Term::With { op: *op, at, with }));
                let info = plan.ty(*of);
                let plain = reading_of(plan, *of).is_some() || info.may_borrow();
                if n < m && of == other && info.abilities.partial_eq && !plain {
                    terms.push(Term::Equal { at, with });
                }
            }
        }
        terms.extend(self.terms_of_three(types, &wanted));
        terms
    }

    /// Questions about one value that take two others.
    fn terms_of_three(&self, types: &[TypeId], wanted: &impl Fn(usize) -> bool) -> Vec<Term> {
        let mut terms = vec![];
        let others = |not: usize| (0..types.len()).filter(move |n| *n != not);
        for at in 0..types.len() {
            for with in others(at) {
                for and in others(at).filter(|and| *and != with) {
                    let asked = self.with_two.get(&[types[at], types[with], types[and]]);
                    if [at, with, and].iter().any(|n| wanted(*n)) {
                        let [at, with, and] = [at, with, and].map(|n| n as u8);
                        let asked = asked.map_or(&[][..], Vec::as_slice).iter();
                        terms.extend(asked.map(|op| Term::WithTwo { op: *op, at, with, and }));
                    }
                }
            }
        }
        terms
    }

    fn watch_of_call(&self, plan: &Plan, op: OpId) -> Option<Watch> {
        let operation = plan.operation(op);
        let kind = operation.kind;
        let own = matches!(
            kind,
            OperationKind::Free | OperationKind::Inherent | OperationKind::LocalTrait
        );
        if !own || !operation.core || operation.call.has_closures() || operation.panics_by_design {
            return None;
        }
        let mut types: Vec<TypeId> = operation.inputs.iter().map(|input| input.ty).collect();
        // To ask the operation itself would say nothing.
        let itself = |term: &Term| query_of(term) == Some(op);
        let mut before = self.terms(plan, &types, |_| true);
        before.retain(|term| !itself(term));
        before.truncate(MAX_TERMS);
        types.push(operation.output);
        let result = types.len() - 1;
        let changed =
            |n: usize| operation.inputs.get(n).is_none_or(|input| input.mode == Mode::Exclusive);
        let mut after = self.terms(plan, &types, changed);
        // Of a result that was just made, questions with others say little.
        let between = |term: &Term| {
            let about = positions(term);
            about.len() > 1 && about.contains(&result)
        };
        after.retain(|term| !itself(term) && !between(term));
        after.truncate(MAX_TERMS);
        Some(Watch { occasion: Occasion::Call { op }, before, after })
    }

    /// Each type with queries alone, and pairs of types that can be asked about together.
    fn watches_of_values(&self, plan: &Plan) -> Vec<Watch> {
        let asked = |ty: &TypeId| !plan.ty(*ty).may_borrow();
        let singles: Vec<TypeId> = self.alone.keys().copied().filter(asked).collect();
        let equal = singles.iter().filter(|ty| plan.ty(**ty).abilities.partial_eq);
        let mut pairs: Vec<(TypeId, TypeId)> = equal.map(|ty| (*ty, *ty)).collect();
        let with = self.with.keys().filter(|(a, b)| {
            let plain = reading_of(plan, *b).is_some();
            asked(a) && asked(b) && !plain
        });
        pairs.extend(with);
        pairs.sort();
        pairs.dedup();
        // Pairs first: they are rarer, and a sequence has room for a few tuples only.
        let pairs = pairs.into_iter().map(|(a, b)| vec![a, b]);
        let tuples = pairs.chain(singles.into_iter().map(|ty| vec![ty]));
        let watch = |types: Vec<TypeId>| {
            let mut before = self.terms(plan, &types, |_| true);
            before.truncate(MAX_TERMS);
            Watch { occasion: Occasion::Values { types }, before, after: vec![] }
        };
        tuples.take(MAX_VALUES).map(watch).collect()
    }
}

/// Whether an operation only looks, by its signature.
fn is_query(plan: &Plan, operation: &Operation) -> bool {
    let kind = matches!(
        operation.kind,
        OperationKind::Inherent | OperationKind::LocalTrait | OperationKind::Field
    );
    let looks = |n: usize| match operation.inputs.get(n) {
        None => true,
        Some(input) if input.mode == Mode::Shared => true,
        Some(input) => n > 0 && input.mode == Mode::Own && plan.ty(input.ty).abilities.copy,
    };
    kind && (1..=3).contains(&operation.inputs.len())
        && (0..3).all(looks)
        && operation.acquires.is_empty()
        && operation.call.result == Treatment::Kept
        && !operation.call.has_closures()
        && !operation.panics_by_design
        && reading_of(plan, operation.output).is_some()
}

/// The query that a question asks.
pub fn query_of(term: &Term) -> Option<OpId> {
    match term {
        Term::Query { op, .. } | Term::With { op, .. } | Term::WithTwo { op, .. } => Some(*op),
        Term::Itself { .. } | Term::Inside { .. } | Term::Equal { .. } => None,
    }
}
