//! That the statements are plain SQL: all that a store asks of SQLite is written down with its
//! values, and asked of PostgreSQL, which has to answer the same.
//!
//! `TESTSMITH_POSTGRES` is what `psql` is to connect to; the database has to sort texts byte by
//! byte, as one of the locale `C` does. Without it only the words of the statements are looked at.

use crate::schema::{META, MIGRATIONS, PUT_META};
use crate::{Condition, Contract, Finding, Object, Observation, Seen, Store, Transition, Value};
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params_from_iter};
use std::cell::RefCell;
use std::io::Write;
use std::process::{Command, Stdio};

const VARIABLE: &str = "TESTSMITH_POSTGRES";
/// A schema of its own, which is gone in the end.
const SCHEMA: &str = "testsmith_plain_sql";
/// What only SQLite knows.
const FOREIGN: [&str; 8] =
    ["PRAGMA", "AUTOINCREMENT", "INSERT OR", "REPLACE INTO", "ROWID", "IFNULL", "GLOB", "LIKE"];

thread_local! {
    static STATEMENTS: RefCell<Vec<String>> = const { RefCell::new(vec![]) };
}

fn note(event: TraceEvent) {
    if let TraceEvent::Stmt(statement, _) = event
        && let Some(text) = statement.expanded_sql()
        && !["BEGIN", "COMMIT"].iter().any(|word| text.starts_with(word))
    {
        STATEMENTS.with_borrow_mut(|all| all.push(text));
    }
}

fn seen() -> Seen {
    let mut seen = Seen::default();
    for n in 0..40u32 {
        let value = Value { steps: format!("push '{n}'"), slot: n % 3 };
        let ty = ["a::List<i32>", "a::list", "a::Set"][n as usize % 3].to_owned();
        seen.objects.push(Object { value, ty, identity: format!("{n}") });
        let mut add = |predicate: &str, other, value| {
            let (predicate, moment) = (predicate.to_owned(), "end".to_owned());
            let (object, call) = (n as usize, String::new());
            seen.observations.push(Observation { predicate, object, other, value, moment, call });
        };
        add("$.len()", None, i64::from(n) - 3);
        add("$.is_empty()", None, i64::from(n == 3));
        add("$ == $", Some(0), i64::from(n == 0));
    }
    let (operation, predicate) = ("a::List::push".to_owned(), "$.len()".to_owned());
    seen.transitions.push(Transition { operation, predicate, was: 0, became: 1, times: 7 });
    seen
}

/// All that a store can be asked to do.
fn use_all(store: &mut Store) -> Result<(), crate::Error> {
    let krate = "a 1.0.0";
    let steps = || "[\"it's\"]".to_owned();
    store.put_components(krate, &[Value { steps: steps(), slot: 1 }])?;
    let text = |text: &str| text.to_owned();
    let finding = Finding {
        name: text("one"),
        class: text("panic at 'x'"),
        operation: text("a::f"),
        severity: text("violation"),
        steps: steps(),
    };
    store.put_findings(krate, &[finding])?;
    for fate in ["holds", "refuted"] {
        let contract = Contract {
            operation: text("a::f"),
            kind: text("requires"),
            clause: text("n > 0"),
            support: 3,
            tried: 1,
            fate: text(fate),
        };
        store.put_contracts(krate, &[contract])?;
    }
    // Twice, because what is known takes another way.
    store.put_seen(krate, &seen())?;
    store.put_seen(krate, &seen())?;
    for text in ["List", "List: len > 5 && !is_empty", "a::Set: len == 2", "list: len != 4"] {
        store.objects(krate, &Condition::parse(text)?, 10)?;
    }
    store.crates()?;
    store.components(krate)?;
    store.findings(krate)?;
    store.contracts(krate)?;
    store.seen(krate)?;
    store.stats(krate)?;
    store.forget_contracts(krate)
}

/// Every statement, from the empty database on.
fn statements() -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut store = Store::open(&folder.path().join(crate::FILE)).expect("a new store");
    store.connection.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(note));
    use_all(&mut store).expect("a store that can be used");
    let meta = PUT_META.replace("?1", "'owner'").replace("?2", "'testsmith'");
    let first = std::iter::once(META).chain(MIGRATIONS.iter().flat_map(|all| all.iter().copied()));
    let first = first.map(str::to_owned).chain([meta.clone(), meta]);
    first.chain(STATEMENTS.take()).collect()
}

/// What SQLite answers to each, a line for a row.
fn answers(statements: &[String]) -> Vec<Vec<String>> {
    let connection = Connection::open_in_memory().expect("a database in memory");
    let answer = |statement: &String| -> rusqlite::Result<Vec<String>> {
        let mut statement = connection.prepare(statement)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter([0i64; 0]))?;
        let mut lines = vec![];
        while let Some(row) = rows.next()? {
            let text = |n| -> rusqlite::Result<String> {
                Ok(match row.get_ref(n)? {
                    ValueRef::Null => String::new(),
                    ValueRef::Integer(n) => n.to_string(),
                    other => other.as_str()?.to_owned(),
                })
            };
            let columns: Result<Vec<String>, _> = (0..columns).map(text).collect();
            lines.push(columns?.join("|"));
        }
        Ok(lines)
    };
    statements.iter().map(|one| answer(one).expect("it was run before")).collect()
}

/// What PostgreSQL answers to each.
fn answers_of(server: &str, statements: &[String]) -> Vec<Vec<String>> {
    const MARK: &str = "-- next";
    const LINE: &str = "-- next\n";
    let mut script = format!("DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA};\n");
    script += &format!("SET search_path TO {SCHEMA};\n");
    for statement in statements {
        script += &format!("\\echo '{MARK}'\n{statement};\n");
    }
    script += &format!("\\echo '{MARK}'\nDROP SCHEMA {SCHEMA} CASCADE;\n");
    let mut psql = Command::new("psql");
    psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", server, "-f", "-"]);
    psql.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = psql.spawn().expect("psql is there if a server is named");
    let mut input = child.stdin.take().expect("it was asked for");
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let output = child.wait_with_output().expect("psql ends");
    writer.join().expect("no panic").expect("psql reads it all");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "PostgreSQL does not run it: {errors}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let pieces = text.split(LINE).skip(1).take(statements.len());
    pieces.map(|piece| piece.lines().map(str::to_owned).collect()).collect()
}

#[test]
fn every_statement_is_plain_sql_and_postgresql_answers_the_same() {
    let statements = statements();
    assert!(statements.len() > 200, "{} statements", statements.len());
    for statement in &statements {
        let found = FOREIGN.iter().find(|word| statement.to_uppercase().contains(*word));
        assert_eq!(found, None, "{statement}");
    }
    let ours = answers(&statements);
    let Ok(server) = std::env::var(VARIABLE) else {
        eprintln!("skipped: {VARIABLE} names no PostgreSQL server");
        return;
    };
    let theirs = answers_of(&server, &statements);
    for ((statement, ours), theirs) in statements.iter().zip(&ours).zip(&theirs) {
        assert_eq!(ours, theirs, "{statement}");
    }
    assert_eq!(ours.len(), theirs.len());
}
