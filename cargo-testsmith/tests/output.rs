//! What programs read: the documented keys and no others, the exit codes, and
//! what the command line and the configuration mean.

mod support;

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use support::{Fixture, root, stderr, stdout};

/// The keys that `docs/output.md` tells of, by event.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join("docs/output.md")).expect("it is documented");
    let mut keys: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut event = String::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            event = title.to_owned();
        } else if let Some(key) = line.strip_prefix("| `").and_then(|rest| rest.split('`').next()) {
            keys.entry(event.clone()).or_default().insert(key.to_owned());
        }
    }
    keys
}

/// The paths of all keys in a value. What is empty or null has all keys below.
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>, open: &mut BTreeSet<String>) {
    match value {
        // A stored sequence is a format of its own.
        Value::Object(map) if !path.ends_with("sequence") => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                found.insert(path.clone());
                keys(value, &path, found, open);
            }
        }
        Value::Array(items) if items.is_empty() => {
            open.insert(format!("{path}[]."));
        }
        Value::Array(items) => {
            items.iter().for_each(|item| keys(item, &format!("{path}[]"), found, open));
        }
        Value::Null => {
            open.insert(format!("{path}."));
        }
        _ => {}
    }
}

#[test]
fn the_output_has_the_documented_keys_and_no_others() {
    let fixture = Fixture::copy("shelf");
    let output = fixture.run(&["--calls", "60000", "--max-tests", "3", "--format", "json"]);
    assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut open: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut summary = Value::Null;
    for line in stdout(&output).lines() {
        let mut event: Value = serde_json::from_str(line).expect("one object a line");
        let map = event.as_object_mut().expect("an object");
        let name = map.remove("event").expect("every object says what it is");
        let name = name.as_str().expect("a word").to_owned();
        let (found, open) =
            (found.entry(name.clone()).or_default(), open.entry(name.clone()).or_default());
        keys(&event, "", found, open);
        if name == "summary" {
            summary = event;
        }
    }
    for (event, documented) in documented() {
        let found = found.remove(&event).unwrap_or_default();
        let open = &open[&event];
        let undocumented: Vec<&String> = found.difference(&documented).collect();
        assert!(undocumented.is_empty(), "{event}: {undocumented:?}");
        let below = |key: &&String| !open.iter().any(|open| key.starts_with(open.as_str()));
        let missing: Vec<&String> = documented.difference(&found).filter(below).collect();
        assert!(missing.is_empty(), "{event}: {missing:?}");
    }
    assert!(found.is_empty(), "undocumented events: {found:?}");
    let stored = std::fs::read(fixture.path().join("testsmith.out/summary.json"));
    let stored: Value = serde_json::from_slice(&stored.expect("it is there")).expect("JSON");
    assert_eq!(stored, summary);
    for file in summary["tests"]["files"].as_array_mut().expect("a list") {
        let path = file["path"].as_str().expect("a text");
        let inside = path.rsplit_once("/shelf/").map_or(path, |(_, inside)| inside).to_owned();
        file["path"] = inside.into();
    }
    insta::assert_json_snapshot!("summary", summary);
}

#[test]
fn paths_choose_what_is_called_and_told() {
    let fixture = Fixture::copy("shelf");
    std::fs::write(fixture.path().join("testsmith.toml"), "calls = 60000\n").expect("writable");
    let run = |args: &[&str]| fixture.run(&[&["--quiet", "--no-write"], args].concat());
    let only = run(&["--only", "Shelf::"]);
    assert_eq!(only.status.code(), Some(100), "{}{}", stdout(&only), stderr(&only));
    assert!(stdout(&only).contains("swap_with_last"), "{}", stdout(&only));
    assert!(!stdout(&only).contains("Label"), "{}", stdout(&only));
    let skip = run(&["--skip", "swap_with_last", "--skip", "Label"]);
    assert_eq!(skip.status.code(), Some(0), "{}{}", stdout(&skip), stderr(&skip));
    let none = run(&["--only", "Shelf::tke"]);
    assert_eq!(none.status.code(), Some(2), "{}", stderr(&none));
    assert!(stderr(&none).contains("did you mean shelf::Shelf::take?"), "{}", stderr(&none));
    let list = stdout(&fixture.run(&["list", "--quiet", "--only", "Board", "--skip", "price"]));
    assert!(list.contains("shelf::Board {"), "{list}");
    assert!(!list.contains("Shelf::take") && !list.contains("price"), "{list}");
    std::fs::write(fixture.path().join("testsmith.toml"), "call = 60000\n").expect("writable");
    let wrong = run(&[]);
    assert_eq!(wrong.status.code(), Some(2), "{}", stderr(&wrong));
    assert!(stderr(&wrong).contains("line 1") && stderr(&wrong).contains("unknown field `call`"));
}
