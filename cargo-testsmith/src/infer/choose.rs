//! Which of many clauses a person would write: few for each function, the strongest and
//! plainest, and none that a handful of calls may have shown by chance.

use crate::stateful::{Fate, Learned};
use std::collections::{BTreeMap, BTreeSet};
use testsmith_infer::{Contract, Form, Kind, query_of};
use testsmith_model::observation::{Occasion, Term};
use testsmith_model::relation::Relation;
use testsmith_model::{Callee, OpId, OperationKind, Plan, TypeId};

/// Clauses of one function.
const MOST_CLAUSES: usize = 5;
/// Many calls that all give the same answers are one call; whether a number is always this
/// one takes more of them.
const LEAST_DIFFERENT: usize = 2;
const LEAST_DIFFERENT_OF_A_CONSTANT: usize = 5;
/// What is harder to read than this, or says less, is left out.
pub(super) const MOST_COST: usize = 8;

/// What a group of clauses is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    Function(OpId),
    Type(TypeId),
}

/// The clauses of one function or type that are worth writing down, the best first.
pub(super) struct Chosen<'l> {
    pub(super) about: About,
    pub(super) contracts: Vec<&'l Contract>,
}

/// What is chosen from.
pub(super) struct Choice<'c> {
    /// Only what contains this in its path.
    pub(super) path: Option<&'c str>,
    /// Also what nothing was tried against.
    pub(super) untried: bool,
}

impl Choice<'_> {
    pub(super) fn of<'l>(&self, plan: &Plan, learned: &'l Learned) -> Vec<Chosen<'l>> {
        let (instances, types) = (instances(plan, learned), types(plan, learned));
        let mut groups: BTreeMap<About, Vec<(usize, &Contract)>> = BTreeMap::new();
        for (contract, _, fate) in &learned.contracts {
            let about = match learned.data.occasion(contract) {
                Occasion::Call { op } => About::Function(*op),
                Occasion::Values { types } if types.len() == 1 => About::Type(types[0]),
                Occasion::Values { .. } | Occasion::Pair { .. } => continue,
            };
            if !self.admits(*fate)
                || !self.is_meant(plan, about, &instances)
                || matches!(about, About::Type(ty) if !types.contains(&ty))
            {
                continue;
            }
            let cost = cost(learned, contract);
            if cost <= MOST_COST && is_supported(plan, learned, contract) {
                groups.entry(about).or_default().push((cost, contract));
            }
        }
        let chosen = |(about, mut found): (About, Vec<(usize, &'l Contract)>)| {
            found.sort_by_key(|(cost, contract)| (contract.clause.kind, *cost));
            let mut contracts: Vec<&Contract> = vec![];
            for (_, contract) in found {
                let of_kind = contracts.iter().filter(|c| c.clause.kind == contract.clause.kind);
                let again = contracts.iter().any(|known| says_the_same(learned, known, contract));
                if of_kind.count() < MOST_CLAUSES && !again {
                    contracts.push(contract);
                }
            }
            Chosen { about, contracts }
        };
        groups.into_iter().map(chosen).collect()
    }

    fn admits(&self, fate: Fate) -> bool {
        match fate {
            Fate::Holds | Fate::Needed => true,
            Fate::Untried => self.untried,
            Fate::Refuted => false,
        }
    }

    fn is_meant(&self, plan: &Plan, about: About, instances: &BTreeMap<String, OpId>) -> bool {
        let path = match about {
            About::Function(op) => {
                let operation = plan.operation(op);
                let own = matches!(
                    operation.kind,
                    OperationKind::Free
                        | OperationKind::Inherent
                        | OperationKind::LocalTrait
                        | OperationKind::ForeignTrait
                ) && operation.core
                    && !operation.derived;
                // Another instance of the same function was seen more often.
                if !own || instances.get(&operation.path()) != Some(&op) {
                    return false;
                }
                format!("{}::{}", owner(&operation.callee), operation.callee.name())
            }
            About::Type(ty) => plan.ty(ty).ty.to_string(),
        };
        self.path.is_none_or(|wanted| path.contains(wanted))
    }
}

/// Whether it was seen in calls that differ; what takes nothing can only be called in one
/// way.
pub(super) fn is_supported(plan: &Plan, learned: &Learned, contract: &Contract) -> bool {
    let takes_nothing = match learned.data.occasion(contract) {
        Occasion::Call { op } => plan.operation(*op).inputs.is_empty(),
        Occasion::Values { .. } | Occasion::Pair { .. } => false,
    };
    let least = match contract.clause.atom.form {
        _ if takes_nothing => 1,
        Form::Constant { .. } => LEAST_DIFFERENT_OF_A_CONSTANT,
        _ => LEAST_DIFFERENT,
    };
    learned.data.different(contract) >= least
}

/// How far a clause is from what a person would write.
pub(super) fn cost(learned: &Learned, contract: &Contract) -> usize {
    let (data, watch) = (&learned.data, contract.watch);
    let form = |form: Form| match form {
        Form::Says { .. } => 0,
        Form::Constant { relation: Relation::Equal }
        | Form::Pair { relation: Relation::Equal, .. } => 0,
        Form::Means { .. } => 1,
        Form::Pair { .. } => 4,
        // A bound that happens to hold.
        Form::Constant { .. } => 5,
    };
    let atom = contract.clause.atom;
    let query = |column: u16| query_of(&data.term(watch, column.into()));
    // Two queries that have nothing to do with each other may be in step by chance.
    let mixed = match (query(atom.a), query(atom.b)) {
        (Some(a), Some(b)) if a != b => match atom.form {
            // What an answer means for a number is a law of the type.
            Form::Means { .. } => 1,
            Form::Pair { relation: Relation::Equal, .. } => 3,
            _ => 6,
        },
        _ => 0,
    };
    // An argument of the call need not be one that the query is meant for.
    let with = |column: u16| {
        let term = data.term(watch, column.into());
        matches!(term, Term::With { .. } | Term::WithTwo { .. })
    };
    let mixed = mixed + usize::from(atom.a != atom.b && with(atom.a) && with(atom.b));
    let when = contract.clause.when.map_or(0, |when| match when.form {
        // That an argument is zero is seldom what matters.
        Form::Constant { .. } if query(when.a).is_none() => MOST_COST,
        form_before => 2 + form(form_before),
    });
    form(atom.form) + mixed + when + data.words(contract).len() / 40
}

/// Whether two clauses are about the same answers under the same condition, of which the
/// first is the stronger one.
fn says_the_same(learned: &Learned, known: &Contract, other: &Contract) -> bool {
    let (one, two) = (known.clause, other.clause);
    if known.watch != other.watch || one.kind != two.kind {
        return false;
    }
    let before = learned.data.watches[known.watch].before.len();
    // A promise about one answer after the call is enough, unless it is an equation.
    let promised = |column: u16| usize::from(column) >= before;
    let weak = matches!(
        two.atom.form,
        Form::Pair { relation, .. } | Form::Constant { relation } if relation != Relation::Equal
    );
    let settled = one.when.is_none() && one.atom.a == two.atom.a && promised(one.atom.a);
    one.when == two.when && one.atom == two.atom
        || settled && (weak || two.when.is_some())
        || one.kind == Kind::Requires && one.when.is_none() && weak && one.atom.a == two.atom.a
}

/// Of the instances of each function, the one that was seen the most.
pub(super) fn instances(plan: &Plan, learned: &Learned) -> BTreeMap<String, OpId> {
    let mut best: BTreeMap<String, (u64, OpId)> = BTreeMap::new();
    for (contract, ..) in &learned.contracts {
        if let Occasion::Call { op } = learned.data.occasion(contract) {
            let path = plan.operation(*op).path();
            let one = best.entry(path).or_insert((contract.support, *op));
            if contract.support > one.0 {
                *one = (contract.support, *op);
            }
        }
    }
    best.into_iter().map(|(path, (_, op))| (path, op)).collect()
}

/// Of the instances of each generic type, the one that was seen the most.
pub(super) fn types(plan: &Plan, learned: &Learned) -> BTreeSet<TypeId> {
    let mut best: BTreeMap<String, (u64, TypeId)> = BTreeMap::new();
    for (contract, ..) in &learned.contracts {
        if let Occasion::Values { types } = learned.data.occasion(contract)
            && let [ty] = types[..]
        {
            let name = plan.ty(ty).ty.path().unwrap_or_default().to_owned();
            let one = best.entry(name).or_insert((contract.support, ty));
            if contract.support > one.0 {
                *one = (contract.support, ty);
            }
        }
    }
    best.into_values().map(|(_, ty)| ty).collect()
}

/// The type or module that a function belongs to.
pub(super) fn owner(callee: &Callee) -> String {
    match callee {
        Callee::Item { module, .. } => module.clone(),
        _ => callee.of().map(ToString::to_string).unwrap_or_default(),
    }
}
