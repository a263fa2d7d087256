//! A store on disk: what it keeps, and what it says of files that are not as they should be.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testsmith_store::*;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn value(steps: &str, slot: u32) -> Value {
    Value { steps: steps.to_owned(), slot }
}

/// A list of this length.
fn list(n: i64) -> (Object, Vec<(&'static str, i64)>) {
    let value = value(&format!("push {n}"), 3);
    let object = Object { value, ty: "a::List<i32>".into(), identity: format!("{n}") };
    (object, vec![("$.len()", n), ("$.is_empty()", i64::from(n == 0))])
}

fn lists(range: std::ops::Range<i64>) -> Seen {
    let mut seen = Seen::default();
    for (n, (object, answers)) in range.map(list).enumerate() {
        seen.objects.push(object);
        for (predicate, value) in answers {
            let (predicate, moment) = (predicate.to_owned(), "end".to_owned());
            let call = String::new();
            seen.observations.push(Observation {
                predicate,
                object: n,
                other: None,
                value,
                moment,
                call,
            });
        }
    }
    seen
}

fn contract(clause: &str, tried: u64, fate: &str) -> Contract {
    Contract {
        operation: "a::List::push".into(),
        kind: "requires".into(),
        clause: clause.into(),
        support: 10,
        tried,
        fate: fate.into(),
    }
}

fn why(file: &Path) -> Error {
    Store::open(file).err().expect("it cannot be opened")
}

#[test]
fn components_come_back_in_their_order_and_the_latest_are_kept() {
    let folder = folder();
    let file = folder.path().join(FILE);
    let mut store = Store::open(&file).expect("a new one");
    let all: Vec<Value> =
        (0..MAX_COMPONENTS as u32 + 5).map(|n| value(&n.to_string(), n)).collect();
    let kept = store.put_components("a", &all).expect("written");
    assert_eq!(kept, Kept { stored: MAX_COMPONENTS, dropped: 5 });
    store.put_components("b", &[value("x", 0)]).expect("written");
    drop(store);
    let store = Store::open(&file).expect("it is there");
    assert_eq!(store.components("a").expect("read"), all[5..]);
    assert_eq!(store.components("b").expect("read"), [value("x", 0)]);
    assert_eq!(store.stats("a").expect("read").sequences, MAX_COMPONENTS as u64);
}

#[test]
fn objects_are_found_by_what_was_seen_of_them() {
    let folder = folder();
    let mut store = Store::open(&folder.path().join(FILE)).expect("a new one");
    store.put_seen("a", &lists(0..6)).expect("written");
    // Known objects stay as they are.
    store.put_seen("a", &lists(4..7)).expect("written");
    let found = |text: &str, most: usize| -> Vec<String> {
        let condition = Condition::parse(text).expect("well formed");
        let objects = store.objects("a", &condition, most).expect("read");
        objects.into_iter().map(|object| object.identity).collect()
    };
    assert_eq!(found("List: !is_empty && len > 3", 9), ["4", "5", "6"]);
    assert_eq!(found("List: len != 2", 3), ["0", "1", "3"]);
    assert_eq!(found("a::List<i32>: is_empty", 9), ["0"]);
    assert_eq!(found("ist: is_empty", 9), [""; 0], "a type is named by a whole word");
    assert_eq!(store.stats("a").expect("read").observations, 14);
    assert_eq!(store.seen("a").expect("read").observations.len(), 14);
}

#[test]
fn too_many_objects_make_the_oldest_go_and_that_is_told() {
    let folder = folder();
    let mut store = Store::open(&folder.path().join(FILE)).expect("a new one");
    store.put_seen("a", &lists(0..10)).expect("written");
    let most = MAX_OBJECTS as i64;
    let kept = store.put_seen("a", &lists(10..most + 4)).expect("written");
    assert_eq!(kept, Kept { stored: MAX_OBJECTS - 6, dropped: 4 });
    let stats = store.stats("a").expect("read");
    assert_eq!((stats.objects, stats.sequences), (most as u64, most as u64));
    assert_eq!(stats.observations, 2 * most as u64, "nothing is said of what is gone");
}

#[test]
fn merging_adds_what_is_new_and_keeps_what_was_refuted() {
    let folder = folder();
    let mut one = Store::open(&folder.path().join("one")).expect("a new one");
    let mut two = Store::open(&folder.path().join("two")).expect("a new one");
    one.put_components("a", &[value("x", 0), value("y", 1)]).expect("written");
    two.put_components("a", &[value("y", 1), value("z", 2)]).expect("written");
    one.put_contracts("a", &[contract("p", 3, "refuted"), contract("q", 1, "untried")])
        .expect("written");
    two.put_contracts("a", &[contract("p", 9, "holds"), contract("q", 5, "needed")])
        .expect("written");
    two.put_seen("b", &lists(0..3)).expect("written");
    one.merge(&two).expect("merged");
    assert_eq!(one.components("a").expect("read"), [value("x", 0), value("y", 1), value("z", 2)]);
    let fates: Vec<(String, u64)> =
        one.contracts("a").expect("read").into_iter().map(|c| (c.fate, c.tried)).collect();
    assert_eq!(fates, [("refuted".to_owned(), 12), ("needed".to_owned(), 6)]);
    assert_eq!(one.stats("b").expect("read").objects, 3);
}

#[test]
fn a_store_of_an_earlier_version_is_brought_up_to_date() {
    let folder = folder();
    let file = folder.path().join(FILE);
    let old = rusqlite::Connection::open(&file).expect("a database");
    old.execute_batch(include_str!("version_1.sql")).expect("as version 1 made it");
    drop(old);
    let mut store = Store::open(&file).expect("brought up to date");
    assert_eq!(store.components("a").expect("read"), [value("kept", 7)]);
    store.put_seen("a", &lists(0..2)).expect("what is new works");
    assert_eq!(store.stats("a").expect("read").objects, 2);
}

#[test]
fn files_that_are_no_store_are_told_apart_and_left_alone() {
    let folder = folder();
    let file = folder.path().join(FILE);
    std::fs::write(&file, "all work and no play makes it no database at all ".repeat(100))
        .expect("writable");
    let before = std::fs::read(&file).expect("there");
    assert!(matches!(why(&file), Error::Damaged { .. }));
    assert_eq!(std::fs::read(&file).expect("there"), before);

    std::fs::remove_file(&file).expect("there");
    let other = rusqlite::Connection::open(&file).expect("a database");
    other.execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)").expect("made");
    drop(other);
    assert!(matches!(why(&file), Error::Foreign { .. }));
    let other = rusqlite::Connection::open(&file).expect("a database");
    let rows: i64 = other.query_row("SELECT x FROM theirs", [], |row| row.get(0)).expect("there");
    assert_eq!(rows, 1);
    let word = "CREATE TABLE meta (name TEXT, value TEXT); INSERT INTO meta VALUES ('owner', 'me')";
    other.execute_batch(word).expect("made");
    drop(other);
    assert!(matches!(why(&file), Error::Foreign { .. }), "a table of that name is not enough");

    std::fs::remove_file(&file).expect("there");
    drop(Store::open(&file).expect("a new one"));
    let newer = rusqlite::Connection::open(&file).expect("a database");
    newer.execute("UPDATE meta SET value = '99' WHERE name = 'version'", []).expect("changed");
    drop(newer);
    assert!(matches!(why(&file), Error::Newer { version: 99, .. }));
    assert!(why(&file).to_string().contains("a newer testsmith"));
    let folder = folder.path().join("no such folder").join(FILE);
    assert!(matches!(why(&folder), Error::Unreachable { .. }));
}

#[test]
fn a_store_cut_short_is_damaged_and_not_lost() {
    let folder = folder();
    let file = folder.path().join(FILE);
    let mut store = Store::open(&file).expect("a new one");
    store.put_seen("a", &lists(0..500)).expect("written");
    drop(store);
    let bytes = std::fs::read(&file).expect("there");
    let cut = &bytes[..bytes.len() / 2];
    std::fs::write(&file, cut).expect("writable");
    let error = match Store::open(&file) {
        Err(error) => error,
        Ok(store) => store.seen("a").expect_err("half of it is gone"),
    };
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
    assert_eq!(std::fs::read(&file).expect("there"), cut);
}

#[test]
fn a_store_that_may_not_be_written_is_read() {
    let folder = folder();
    let file = folder.path().join(FILE);
    let mut store = Store::open(&file).expect("a new one");
    store.put_components("a", &[value("x", 0)]).expect("written");
    drop(store);
    let mut permissions = std::fs::metadata(&file).expect("there").permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).expect("ours");
    let mut store = Store::open(&file).expect("it can be read");
    assert_eq!(store.components("a").expect("read"), [value("x", 0)]);
    let error = store.put_components("a", &[]).expect_err("it may not be written");
    assert!(matches!(error, Error::ReadOnly { .. }), "{error}");
    assert_eq!(store.components("a").expect("read"), [value("x", 0)]);
}

#[test]
fn while_another_writes_it_is_read_and_not_written() {
    let folder = folder();
    let file = folder.path().join(FILE);
    let mut store = Store::open(&file).expect("a new one");
    store.put_components("a", &[value("x", 0)]).expect("written");
    let other = rusqlite::Connection::open(&file).expect("a database");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes");
    let mut second = Store::open(&file).expect("it can be read");
    assert_eq!(second.components("a").expect("read"), [value("x", 0)]);
    let error = second.put_components("a", &[]).expect_err("it is locked");
    assert!(matches!(error, Error::Locked { .. }), "{error}");
    other.execute_batch("ROLLBACK").expect("over");
    second.put_components("a", &[]).expect("nobody else writes any more");
}

/// Not a test of its own: writes without end, as the child of the next one.
#[test]
fn writes_until_it_is_killed() {
    let Some(file) = std::env::var_os("TESTSMITH_STORE_TO_FILL").map(PathBuf::from) else { return };
    let mut store = Store::open(&file).expect("a new one");
    let mut told = std::io::stderr();
    for n in 0.. {
        store.put_seen("a", &lists(100 * n..100 * n + 100)).expect("written");
        writeln!(told, "{}", 100 * n + 100).expect("somebody listens");
    }
}

#[test]
fn a_writer_that_is_killed_leaves_whole_transactions_only() {
    let folder = folder();
    let file = folder.path().join(FILE);
    for wait in [1, 3, 7] {
        let mut child = Command::new(std::env::current_exe().expect("this test"))
            .args(["writes_until_it_is_killed", "--exact", "--nocapture"])
            .env("TESTSMITH_STORE_TO_FILL", &file)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let said = lines.map_while(Result::ok).take(wait).last().expect("it writes");
        child.kill().expect("it runs");
        child.wait().expect("it is over");
        let said: u64 = said.parse().expect("a number");
        let stats = Store::open(&file).expect("never corrupt").stats("a").expect("read");
        assert!(stats.objects >= said, "{} of {said} objects", stats.objects);
        assert_eq!(stats.objects % 100, 0, "a transaction is whole");
        assert_eq!(stats.observations, 2 * stats.objects);
    }
}
