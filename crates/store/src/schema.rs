//! The tables, and how an older store becomes a newer one.
//!
//! Plain SQL that PostgreSQL runs as it stands: numbers are given by us, and nothing
//! depends on how a database gives them. What only SQLite knows is in `open`.

/// What a store is, by name.
pub(crate) const META: &str =
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)";
pub(crate) const PUT_META: &str = "INSERT INTO meta (name, value) VALUES (?1, ?2)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value";

/// What takes a store of version `n` to version `n + 1`, in its place in the list.
pub(crate) const MIGRATIONS: &[&[&str]] = &[SEQUENCES, STATES, PATHS];

/// Version 1: sequences, and the values in them that the next run starts from.
const SEQUENCES: &[&str] = &[
    "CREATE TABLE sequences (
        id BIGINT PRIMARY KEY,
        crate TEXT NOT NULL,
        identity TEXT NOT NULL,
        steps TEXT NOT NULL,
        UNIQUE (crate, identity))",
    "CREATE TABLE components (
        sequence BIGINT NOT NULL REFERENCES sequences (id),
        slot BIGINT NOT NULL,
        place BIGINT NOT NULL,
        PRIMARY KEY (sequence, slot))",
    "CREATE TABLE findings (
        crate TEXT NOT NULL,
        name TEXT NOT NULL,
        class TEXT NOT NULL,
        operation TEXT NOT NULL,
        severity TEXT NOT NULL,
        sequence BIGINT NOT NULL REFERENCES sequences (id),
        PRIMARY KEY (crate, name))",
];

/// Version 2: objects with what was observed of them, transitions, contracts.
const STATES: &[&str] = &[
    "CREATE TABLE objects (
        id BIGINT PRIMARY KEY,
        crate TEXT NOT NULL,
        sequence BIGINT NOT NULL REFERENCES sequences (id),
        slot BIGINT NOT NULL,
        type TEXT NOT NULL,
        identity TEXT NOT NULL,
        UNIQUE (sequence, slot))",
    "CREATE INDEX objects_by_type ON objects (crate, type)",
    "CREATE TABLE predicates (
        id BIGINT PRIMARY KEY,
        crate TEXT NOT NULL,
        text TEXT NOT NULL,
        UNIQUE (crate, text))",
    "CREATE TABLE observations (
        predicate BIGINT NOT NULL REFERENCES predicates (id),
        object BIGINT NOT NULL REFERENCES objects (id),
        other BIGINT REFERENCES objects (id),
        value BIGINT NOT NULL,
        moment TEXT NOT NULL,
        call TEXT NOT NULL)",
    "CREATE INDEX observations_by_value ON observations (predicate, value, object)",
    "CREATE INDEX observations_by_object ON observations (object)",
    "CREATE TABLE transitions (
        crate TEXT NOT NULL,
        operation TEXT NOT NULL,
        predicate TEXT NOT NULL,
        was BIGINT NOT NULL,
        became BIGINT NOT NULL,
        times BIGINT NOT NULL,
        PRIMARY KEY (crate, operation, predicate, was, became))",
    "CREATE TABLE contracts (
        crate TEXT NOT NULL,
        operation TEXT NOT NULL,
        kind TEXT NOT NULL,
        clause TEXT NOT NULL,
        support BIGINT NOT NULL,
        tried BIGINT NOT NULL,
        fate TEXT NOT NULL,
        PRIMARY KEY (crate, operation, kind, clause))",
];

/// Version 3: ways to the objects of a type in their order, and to one answer of an object.
const PATHS: &[&str] = &[
    "DROP INDEX objects_by_type",
    "DROP INDEX observations_by_object",
    "CREATE INDEX objects_in_order ON objects (crate, type, id)",
    "CREATE INDEX observations_of_object ON observations (object, predicate, value)",
];
