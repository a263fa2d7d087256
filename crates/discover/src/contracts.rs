//! Reads the contracts that the `testsmith` library leaves in the
//! documentation: hidden constants with a text of a fixed form.

use rustdoc_types::{Crate, Id, Item, ItemEnum, Type};
use std::collections::{HashMap, HashSet};
use testsmith_model::api::{Clause, Contract, guard_name};

const PREFIX: &str = "__TESTSMITH_CONTRACT_";
const VERSION: &str = "testsmith-contract 1";

/// All records of the crate, ordered by name. Records of a later version are
/// left out rather than misread.
pub fn read(krate: &Crate) -> Vec<Contract> {
    let ours = krate.index.values().filter(|item| {
        item.crate_id == 0 && item.name.as_deref().is_some_and(|name| name.starts_with(PREFIX))
    });
    let owners = owners(krate);
    let literal = ours.filter_map(|item| match &item.inner {
        ItemEnum::AssocConst { value, .. } => Some((item.id, value.clone()?)),
        ItemEnum::Constant { const_, .. } => Some((item.id, const_.expr.clone())),
        _ => None,
    });
    let read = |(id, text): (Id, String)| {
        let literal = syn::parse_str::<syn::LitStr>(&text).ok()?;
        let of = owners.get(&id).cloned().unwrap_or_default();
        Some(Contract { of, ..record(&literal.value())? })
    };
    let mut contracts: Vec<Contract> = literal.filter_map(read).collect();
    contracts.sort_by(|a, b| (&a.name, &a.of).cmp(&(&b.name, &b.of)));
    contracts
}

/// The last word of the type whose `impl` block an item stands in.
fn owners(krate: &Crate) -> HashMap<Id, String> {
    let mut owners = HashMap::new();
    for item in krate.index.values().filter(|item| item.crate_id == 0) {
        let ItemEnum::Impl(block) = &item.inner else { continue };
        let Type::ResolvedPath(path) = &block.for_ else { continue };
        let name = path.path.rsplit("::").next().unwrap_or_default();
        owners.extend(block.items.iter().map(|id| (*id, name.to_owned())));
    }
    owners
}

/// The functions that have a companion beside them, in the same module, trait
/// or impl block. It is looked for and not believed: a record says what was
/// written, a function that is there was also compiled.
pub fn guarded(krate: &Crate) -> HashSet<Id> {
    let mut guarded = HashSet::new();
    for container in krate.index.values().filter(|item| item.crate_id == 0) {
        let ids = match &container.inner {
            ItemEnum::Module(module) => &module.items,
            ItemEnum::Impl(block) => &block.items,
            ItemEnum::Trait(definition) => &definition.items,
            _ => continue,
        };
        let is_function = |item: &&Item| matches!(item.inner, ItemEnum::Function(_));
        let functions = ids.iter().filter_map(|id| krate.index.get(id)).filter(is_function);
        let named: Vec<(&str, Id)> =
            functions.filter_map(|item| Some((item.name.as_deref()?, item.id))).collect();
        let names: HashSet<&str> = named.iter().map(|(name, _)| *name).collect();
        let has_guard = |name: &str| names.contains(guard_name(name).as_str());
        guarded.extend(named.iter().filter(|(name, _)| has_guard(name)).map(|(_, id)| *id));
    }
    guarded
}

fn record(text: &str) -> Option<Contract> {
    let mut lines = text.lines();
    if lines.next() != Some(VERSION) {
        return None;
    }
    let mut contract = Contract::default();
    for line in lines {
        match line.split_once(' ') {
            Some(("item", item)) => contract.item = item.to_owned(),
            Some(("name", name)) => contract.name = unescape(name),
            Some(("clause", rest)) => contract.clauses.extend(clause(rest)),
            // What exists for specifications only may be asked like what is pure.
            _ if line == "pure" || line == "model" => contract.pure = true,
            // Lines with other keys are to be skipped.
            _ => {}
        }
    }
    Some(contract)
}

/// `kind; gate; index; place; text; message`
fn clause(line: &str) -> Option<Clause> {
    let parts: Vec<&str> = line.split("; ").collect();
    let [kind, _gate, index, place, text, rest @ ..] = parts.as_slice() else { return None };
    Some(Clause {
        kind: (*kind).to_owned(),
        index: index.parse().ok()?,
        place: unescape(place),
        text: unescape(text),
        message: unescape(&rest.join("; ")),
    })
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.trim_end_matches(';').chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => out.push(match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some(',') => ';',
                Some(other) => other,
                None => '\\',
            }),
            (c, false) => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_clause_by_clause() {
        let text = "testsmith-contract 1\nitem fn\nname spend\nprecheck __x\nlater key\n\
                    clause requires; default; 0; src/lib.rs:3:5; a\\, b; no such coin";
        let contract = record(text).unwrap();
        assert_eq!((contract.item.as_str(), contract.name.as_str()), ("fn", "spend"));
        let [clause] = contract.clauses.as_slice() else { panic!("one clause") };
        assert_eq!((clause.kind.as_str(), clause.text.as_str()), ("requires", "a; b"));
        assert_eq!(clause.message, "no such coin");
        assert_eq!(record("testsmith-contract 2\nitem fn"), None);
    }
}
