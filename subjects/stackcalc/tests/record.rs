//! The clauses reach a tool through rustdoc JSON, and nobody else.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use serde_json::Value;
use testsmith::contracts::{Kind, Record};

/// Both tests write the same file.
static TURN: Mutex<()> = Mutex::new(());

/// A rustdoc that may use what is not stable. Only rustdoc gets to see the
/// variable: build scripts could change what they do because of it.
fn rustdoc() -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rustdoc-json");
    std::fs::write(&path, "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n").expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

/// The items of the crate by name, as rustdoc JSON has them.
fn items(hidden: bool) -> Vec<(String, Value)> {
    let mut flags = vec!["-Z", "unstable-options", "--output-format", "json", "--cap-lints=allow"];
    flags.extend(hidden.then_some("--document-hidden-items"));
    let status = Command::new(env!("CARGO"))
        .args(["rustdoc", "--quiet", "--offline", "--lib", "--"])
        .args(flags)
        .env("RUSTDOC", rustdoc())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .expect("cargo runs");
    assert!(status.success());
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    let text = std::fs::read_to_string(target.join("doc/subject_stackcalc.json")).expect("written");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let index = json["index"].as_object().expect("an index");
    let named = index.values().filter_map(|item| Some((item["name"].as_str()?, item)));
    named.map(|(name, item)| (name.to_owned(), item.clone())).collect()
}

/// The records by the name of the item they speak of.
fn records() -> BTreeMap<String, Vec<Record>> {
    let mut records: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for (name, item) in items(true) {
        if !name.starts_with(Record::NAME_PREFIX) {
            continue;
        }
        let inner = &item["inner"];
        let value = inner["assoc_const"]["value"].as_str();
        let value = value.or_else(|| inner["constant"]["const"]["expr"].as_str());
        let record = Record::from_literal(value.expect("a value")).expect("a record");
        records.entry(record.name.clone()).or_default().push(record);
    }
    records
}

#[test]
fn every_clause_of_the_crate_is_in_its_rustdoc_json() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let records = records();
    let push = &records["push"][0];
    assert_eq!((push.item.as_str(), push.pure, push.model), ("fn", false, false));
    assert_eq!(push.precheck.as_deref(), Some("__testsmith_requires_push"));
    let clauses: Vec<(Kind, u32, &str)> = push
        .clauses
        .iter()
        .map(|clause| (clause.kind, clause.index, clause.text.as_str()))
        .collect();
    assert_eq!(clauses[0], (Kind::Requires, 0, "!self.is_full()"));
    assert_eq!(push.clauses[0].message.as_deref(), Some("the stack is full"));
    assert_eq!(clauses[1], (Kind::Ensures, 1, "self.m_size() == old(self.m_size()) + 1"));
    assert!(push.clauses[0].place.contains("src/stack.rs:"));
    assert!(records["m_size"][0].model && records["size"].iter().all(|record| record.pure));
    assert_eq!(records["Stack"][0].item, "type");
    assert_eq!(records["Stack"][0].clauses.len(), 2);
    assert_eq!(records["Operator::apply"][0].item, "trait-fn");
    assert_eq!(records["<SumAll as Operator>::apply"][0].clauses.len(), 1);
    let all: usize = records.values().flatten().map(|record| record.clauses.len()).sum();
    assert!(all > 200, "only {all} clauses");
}

#[test]
fn the_users_own_documentation_shows_none_of_it() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let items = items(false);
    assert!(items.iter().any(|(name, _)| name == "push"));
    let ours: Vec<&String> =
        items.iter().map(|(name, _)| name).filter(|name| name.starts_with("__")).collect();
    assert!(ours.is_empty(), "{ours:?}");
    let push = items.iter().find(|(name, item)| name == "push" && !item["docs"].is_null());
    assert_eq!(push.map(|(_, item)| item["docs"].as_str()), Some(Some("Puts an operand on top.")));
}
