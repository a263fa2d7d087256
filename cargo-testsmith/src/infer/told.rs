//! Clauses as they are told: for people, for programs, and as attributes.

use super::choose::{instances, owner};
use crate::stateful::{Fate, Learned, Tried};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use testsmith_infer::{Contract, Data, Kind};
use testsmith_model::observation::{Occasion, Unfit};
use testsmith_model::{OpId, Plan};
use testsmith_store::Contract as Stored;

/// A clause as it is told.
#[derive(Serialize)]
struct ToldClause {
    kind: &'static str,
    clause: String,
    /// Calls in which it was seen to hold.
    support: u64,
    /// Calls that were made against it, and what came of them.
    tried: u64,
    refused: u64,
    fate: &'static str,
    /// In how many calls of an independent search it holds, and in how many not.
    #[serde(skip_serializing_if = "Option::is_none")]
    checked: Option<(u64, u64)>,
}

/// All clauses by type, and there by function; the invariants of the type have no function.
pub(super) struct Told {
    types: BTreeMap<String, BTreeMap<String, Vec<ToldClause>>>,
    unfit: Vec<(String, Unfit)>,
}

impl Told {
    pub(super) fn new(
        plan: &Plan,
        learned: &Learned,
        path: Option<&str>,
        checked: Option<&Data<'_>>,
    ) -> Told {
        let mut types: BTreeMap<String, BTreeMap<String, Vec<ToldClause>>> = BTreeMap::new();
        let chosen = instances(plan, learned);
        for (contract, tried, fate) in &learned.contracts {
            let (of, function) = match learned.data.occasion(contract) {
                Occasion::Call { op } if chosen.values().any(|one| one == op) => {
                    let callee = &plan.operation(*op).callee;
                    (owner(callee), callee.name().to_owned())
                }
                // Another instance of the same function was seen more often.
                Occasion::Call { .. } => continue,
                Occasion::Values { types } if types.len() == 1 => {
                    (plan.ty(types[0]).ty.to_string(), String::new())
                }
                Occasion::Values { .. } | Occasion::Pair { .. } => continue,
            };
            if path.is_some_and(|path| !format!("{of}::{function}").contains(path)) {
                continue;
            }
            let functions = types.entry(of).or_default();
            let checked = checked.map(|checked| checked.tally(contract));
            let clause = ToldClause { checked, ..told(learned, contract, *tried, *fate) };
            functions.entry(function).or_default().push(clause);
        }
        let unfit = learned.data.unfit.iter();
        let unfit = unfit.map(|(op, why)| (plan.operation(*op).path(), *why)).collect();
        Told { types, unfit }
    }

    /// What earlier runs have left of functions and types that the crate still has.
    pub(super) fn stored(plan: &Plan, contracts: Vec<Stored>, path: Option<&str>) -> Told {
        let by_call: BTreeMap<String, OpId> =
            plan.op_ids().map(|op| (plan.operation(op).call.full(), op)).collect();
        // Of the instances of a function, the one that was seen the most.
        let mut best: BTreeMap<String, (u64, OpId)> = BTreeMap::new();
        for contract in &contracts {
            if let Some(op) = by_call.get(&contract.operation) {
                let one = best.entry(plan.operation(*op).path()).or_insert((contract.support, *op));
                if contract.support > one.0 {
                    *one = (contract.support, *op);
                }
            }
        }
        let is_type = |name: &str| plan.types.iter().any(|info| info.ty.to_string() == name);
        let mut types: BTreeMap<String, BTreeMap<String, Vec<ToldClause>>> = BTreeMap::new();
        for contract in contracts {
            let (of, function) = match by_call.get(&contract.operation) {
                Some(op) if best.values().any(|(_, one)| one == op) => {
                    let callee = &plan.operation(*op).callee;
                    (owner(callee), callee.name().to_owned())
                }
                Some(_) => continue,
                None if is_type(&contract.operation) => (contract.operation.clone(), String::new()),
                None => continue,
            };
            if path.is_some_and(|path| !format!("{of}::{function}").contains(path)) {
                continue;
            }
            let functions = types.entry(of).or_default();
            functions.entry(function).or_default().extend(ToldClause::stored(contract));
        }
        let kinds = [Kind::Requires, Kind::Ensures, Kind::Invariant].map(Kind::word);
        let order = |clause: &ToldClause| {
            let kind = kinds.iter().position(|kind| *kind == clause.kind);
            (kind, clause.clause.contains(" ==> "), clause.clause.len())
        };
        for clauses in types.values_mut().flat_map(BTreeMap::values_mut) {
            clauses.sort_by_key(order);
        }
        Told { types, unfit: vec![] }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// How many clauses there are.
    pub(super) fn len(&self) -> usize {
        self.types.values().flat_map(BTreeMap::values).map(Vec::len).sum()
    }

    pub(super) fn text(&self, summary: &str) -> String {
        let mut text = String::new();
        for (of, functions) in &self.types {
            let _ = writeln!(text, "{of}");
            for (function, clauses) in functions {
                if !function.is_empty() {
                    let _ = writeln!(text, "  {function}");
                }
                let (gone, kept): (Vec<_>, Vec<_>) =
                    clauses.iter().partition(|clause| clause.fate == Fate::Refuted.word());
                let (plain, conditional): (Vec<_>, Vec<_>) =
                    kept.into_iter().partition(|clause| !clause.clause.contains(" ==> "));
                for clause in plain.iter().chain(conditional.iter().take(MOST_CONDITIONAL)) {
                    let _ = writeln!(text, "    {}", clause.line());
                }
                if let Some(more) =
                    conditional.len().checked_sub(MOST_CONDITIONAL).filter(|n| *n > 0)
                {
                    let _ = writeln!(
                        text,
                        "    and {more} promises under a condition; --format json has all"
                    );
                }
                if !gone.is_empty() {
                    let clauses: Vec<&str> = gone
                        .iter()
                        .take(MOST_REFUTED)
                        .map(|clause| clause.clause.as_str())
                        .collect();
                    let more = gone.len() - clauses.len();
                    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                    let _ = writeln!(text, "    refuted   {}{more}", clauses.join("; "));
                }
            }
            text.push('\n');
        }
        for (path, why) in &self.unfit {
            let why = match why {
                Unfit::Panics => "it panics",
                Unfit::Wavers => "it does not answer the same twice",
                Unfit::Changes => "it changes its value",
            };
            let _ = writeln!(text, "not asked: {path}, because {why}");
        }
        text.push_str(summary);
        text
    }

    pub(super) fn print_events(&self) {
        for (of, functions) in &self.types {
            for (function, clauses) in functions {
                for clause in clauses {
                    let event = serde_json::json!({
                        "event": "clause", "type": of, "function": function, "clause": clause,
                    });
                    println!("{event}");
                }
            }
        }
    }

    /// Attributes, each above the name of its function.
    pub(super) fn rust(&self) -> String {
        let mut text = String::new();
        for (of, functions) in &self.types {
            let _ = writeln!(text, "// {of}");
            for (function, clauses) in functions {
                let kept = clauses.iter().filter(|clause| {
                    clause.fate != Fate::Refuted.word() && clause.fate != Fate::Untried.word()
                });
                let lines: Vec<String> =
                    kept.map(|clause| format!("#[{}({})]", clause.kind, clause.clause)).collect();
                if lines.is_empty() {
                    continue;
                }
                let head = if function.is_empty() { "the type" } else { function.as_str() };
                let _ = writeln!(text, "// {head}\n{}", lines.join("\n"));
            }
            text.push('\n');
        }
        text
    }
}

/// What a search has seen, in a sentence or two.
pub(super) fn summary(learned: &Learned, failures: usize) -> String {
    let refuted = learned.contracts.iter().filter(|(.., fate)| *fate == Fate::Refuted).count();
    let (rows, calls) = learned.data.size();
    let mut text = format!(
        "{} clauses from {calls} observations ({rows} different), {refuted} refuted in {} rounds; \
         {failures} failures seen on the way, which `cargo testsmith` reports\n",
        learned.contracts.len(),
        learned.rounds,
    );
    if learned.data.unkept > 0 {
        let _ = writeln!(text, "{} different answers had no room", learned.data.unkept);
    }
    text
}

/// Promises under a condition that are shown for one function.
const MOST_CONDITIONAL: usize = 6;
/// Refuted clauses that are shown for one function.
const MOST_REFUTED: usize = 4;

impl ToldClause {
    /// As it was left; none if it is of a later version's kind.
    fn stored(contract: Stored) -> Option<ToldClause> {
        let kinds = [Kind::Requires, Kind::Ensures, Kind::Invariant].map(Kind::word);
        let fates = [Fate::Holds, Fate::Needed, Fate::Untried, Fate::Refuted].map(Fate::word);
        Some(ToldClause {
            kind: kinds.into_iter().find(|kind| *kind == contract.kind)?,
            clause: contract.clause,
            support: contract.support,
            tried: contract.tried,
            refused: 0,
            fate: fates.into_iter().find(|fate| *fate == contract.fate)?,
            checked: None,
        })
    }

    fn line(&self) -> String {
        let ToldClause { kind, clause, support, tried, refused, fate, .. } = self;
        let word = match *kind {
            "requires" => "needs",
            "ensures" => "promises",
            _ => "always",
        };
        let tries = match *fate {
            "needed" if refused == tried => format!(", refused in {tried} calls without it"),
            "needed" => format!(", failed in {tried} calls without it"),
            "untried" if *kind == "requires" => ", no values found to try without it".to_owned(),
            _ if *tried > 0 => format!(", {tried} calls against it"),
            _ => String::new(),
        };
        format!("{word:<9} {clause}  (seen {support} times{tries})")
    }
}

fn told(learned: &Learned, contract: &Contract, tried: Tried, fate: Fate) -> ToldClause {
    ToldClause {
        kind: match contract.clause.kind {
            Kind::Requires => "requires",
            Kind::Ensures => "ensures",
            Kind::Invariant => "invariant",
        },
        clause: learned.data.words(contract),
        support: contract.support,
        tried: tried.calls,
        refused: tried.refused,
        fate: fate.word(),
        checked: None,
    }
}
