//! Takes in what a run leaves, each kind in one transaction.

use crate::{Contract, Error, Finding, Kept, MAX_COMPONENTS, MAX_OBJECTS, Seen, Store, Value};
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

impl Store {
    /// Replaces the components of a crate by the latest of these, each once.
    pub fn put_components(&mut self, krate: &str, all: &[Value]) -> Result<Kept, Error> {
        let latest = &all[all.len().saturating_sub(MAX_COMPONENTS)..];
        self.change(|on| {
            let sql = "DELETE FROM components WHERE sequence IN
                (SELECT id FROM sequences WHERE crate = ?1)";
            on.execute(sql, [krate])?;
            let sql = "INSERT INTO components (sequence, slot, place) VALUES (?1, ?2, ?3)
                ON CONFLICT (sequence, slot) DO NOTHING";
            for (place, Value { steps, slot }) in latest.iter().enumerate() {
                let sequence = sequence(on, krate, steps)?;
                on.prepare_cached(sql)?.execute(params![sequence, slot, place as i64])?;
            }
            sweep(on)
        })?;
        Ok(Kept { stored: latest.len(), dropped: all.len() - latest.len() })
    }

    /// Replaces the findings of a crate.
    pub fn put_findings(&mut self, krate: &str, all: &[Finding]) -> Result<Kept, Error> {
        self.change(|on| {
            on.execute("DELETE FROM findings WHERE crate = ?1", [krate])?;
            let sql = "INSERT INTO findings (crate, name, class, operation, severity, sequence)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (crate, name) DO NOTHING";
            for Finding { name, class, operation, severity, steps } in all {
                let sequence = sequence(on, krate, steps)?;
                let mut insert = on.prepare_cached(sql)?;
                insert.execute(params![krate, name, class, operation, severity, sequence])?;
            }
            sweep(on)
        })?;
        Ok(Kept { stored: all.len(), dropped: 0 })
    }

    /// Takes contracts in; of one that is known already, the latest word counts.
    pub fn put_contracts(&mut self, krate: &str, all: &[Contract]) -> Result<Kept, Error> {
        self.change(|on| {
            let sql = "INSERT INTO contracts (crate, operation, kind, clause, support, tried, fate)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                ON CONFLICT (crate, operation, kind, clause) DO UPDATE SET
                support = excluded.support, tried = excluded.tried, fate = excluded.fate";
            for Contract { operation, kind, clause, support, tried, fate } in all {
                let (support, tried) = (*support as i64, *tried as i64);
                let mut insert = on.prepare_cached(sql)?;
                insert.execute(params![krate, operation, kind, clause, support, tried, fate])?;
            }
            Ok(())
        })?;
        Ok(Kept { stored: all.len(), dropped: 0 })
    }

    /// Forgets the contracts of a crate, because it has changed.
    pub fn forget_contracts(&mut self, krate: &str) -> Result<(), Error> {
        self.change(|on| on.execute("DELETE FROM contracts WHERE crate = ?1", [krate]).map(drop))
    }

    /// Takes objects in with what was seen of them. Objects that are known stay as they
    /// are; the oldest make way for new ones.
    pub fn put_seen(&mut self, krate: &str, seen: &Seen) -> Result<Kept, Error> {
        let first = seen.objects.len().saturating_sub(MAX_OBJECTS);
        let mut dropped = first;
        self.change(|on| {
            let ids = put_objects(on, krate, seen, first)?;
            put_observations(on, krate, seen, &ids)?;
            let sql = "INSERT INTO transitions (crate, operation, predicate, was, became, times)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                ON CONFLICT (crate, operation, predicate, was, became)
                DO UPDATE SET times = transitions.times + excluded.times";
            for one in &seen.transitions {
                let mut insert = on.prepare_cached(sql)?;
                let times = one.times as i64;
                let (operation, predicate) = (&one.operation, &one.predicate);
                insert.execute(params![krate, operation, predicate, one.was, one.became, times])?;
            }
            dropped += make_way(on, krate)?;
            sweep(on)
        })?;
        Ok(Kept { stored: seen.objects.len() - first, dropped })
    }

    /// One change, all of it or nothing.
    fn change(
        &mut self,
        make: impl FnOnce(&Transaction) -> rusqlite::Result<()>,
    ) -> Result<(), Error> {
        if self.read_only {
            return Err(Error::ReadOnly { file: self.file.clone() });
        }
        let file = self.file.clone();
        let fail = |error: rusqlite::Error| Error::of(&file, &error);
        let begin = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(begin).map_err(fail)?;
        make(&transaction).map_err(fail)?;
        transaction.commit().map_err(fail)
    }
}

/// The objects from the first on, with the number of each; whether it is new stands beside.
fn put_objects(
    on: &Transaction,
    krate: &str,
    seen: &Seen,
    first: usize,
) -> rusqlite::Result<HashMap<usize, (i64, bool)>> {
    let mut ids = HashMap::new();
    let find = "SELECT id FROM objects WHERE sequence = ?1 AND slot = ?2";
    let sql = "INSERT INTO objects (id, crate, sequence, slot, type, identity)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut next = next_id(on, "objects")?;
    for (n, object) in seen.objects.iter().enumerate().skip(first) {
        let sequence = sequence(on, krate, &object.value.steps)?;
        let slot = object.value.slot;
        let known = on
            .prepare_cached(find)?
            .query_row(params![sequence, slot], |row| row.get(0))
            .optional()?;
        let id = match known {
            Some(id) => id,
            None => {
                let mut insert = on.prepare_cached(sql)?;
                insert.execute(params![next, krate, sequence, slot, object.ty, object.identity])?;
                next += 1;
                next - 1
            }
        };
        ids.insert(n, (id, known.is_none()));
    }
    Ok(ids)
}

/// What was seen of new objects; of the others it is known.
fn put_observations(
    on: &Transaction,
    krate: &str,
    seen: &Seen,
    ids: &HashMap<usize, (i64, bool)>,
) -> rusqlite::Result<()> {
    let mut predicates: HashMap<&str, i64> = HashMap::new();
    let sql = "INSERT INTO observations (predicate, object, other, value, moment, call)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    for one in &seen.observations {
        let other = one.other.map(|other| ids.get(&other));
        let (Some(&(object, new)), true) = (ids.get(&one.object), other != Some(None)) else {
            continue;
        };
        let other = other.flatten().map(|(id, new)| (*id, *new));
        if !new && !other.is_some_and(|(_, new)| new) {
            continue;
        }
        let predicate = match predicates.get(one.predicate.as_str()) {
            Some(id) => *id,
            None => {
                let id = predicate(on, krate, &one.predicate)?;
                predicates.insert(&one.predicate, id);
                id
            }
        };
        let mut insert = on.prepare_cached(sql)?;
        let other = other.map(|(id, _)| id);
        insert.execute(params![predicate, object, other, one.value, one.moment, one.call])?;
    }
    Ok(())
}

fn predicate(on: &Transaction, krate: &str, text: &str) -> rusqlite::Result<i64> {
    let find = "SELECT id FROM predicates WHERE crate = ?1 AND text = ?2";
    if let Some(id) = on.query_row(find, [krate, text], |row| row.get(0)).optional()? {
        return Ok(id);
    }
    let id = next_id(on, "predicates")?;
    let sql = "INSERT INTO predicates (id, crate, text) VALUES (?1, ?2, ?3)";
    on.execute(sql, params![id, krate, text])?;
    Ok(id)
}

/// The number of a sequence, which is taken in if it is new.
fn sequence(on: &Transaction, krate: &str, steps: &str) -> rusqlite::Result<i64> {
    let identity = identity(steps);
    let find = "SELECT id FROM sequences WHERE crate = ?1 AND identity = ?2";
    let known = on
        .prepare_cached(find)?
        .query_row([krate, identity.as_str()], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    let id = next_id(on, "sequences")?;
    let sql = "INSERT INTO sequences (id, crate, identity, steps) VALUES (?1, ?2, ?3, ?4)";
    on.prepare_cached(sql)?.execute(params![id, krate, identity, steps])?;
    Ok(id)
}

/// Two hashes of one text, so that no two texts are taken for one.
fn identity(steps: &str) -> String {
    // The default hasher of std has fixed keys when made by `new`.
    let hash = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, steps).hash(&mut hasher);
        hasher.finish()
    };
    format!("{:016x}{:016x}", hash(0), hash(1))
}

/// Numbers are given by us, so that every database gives the same.
fn next_id(on: &Transaction, table: &str) -> rusqlite::Result<i64> {
    let sql = format!("SELECT COALESCE(MAX(id), 0) + 1 FROM {table}");
    on.prepare_cached(&sql)?.query_row([], |row| row.get(0))
}

/// Lets the oldest objects of a crate go while there are too many.
fn make_way(on: &Transaction, krate: &str) -> rusqlite::Result<usize> {
    let count = "SELECT COUNT(*) FROM objects WHERE crate = ?1";
    let count: i64 = on.query_row(count, [krate], |row| row.get(0))?;
    let surplus = count - MAX_OBJECTS as i64;
    if surplus <= 0 {
        return Ok(0);
    }
    let last = "SELECT id FROM objects WHERE crate = ?1 ORDER BY id LIMIT 1 OFFSET ?2";
    let last: i64 = on.query_row(last, params![krate, surplus - 1], |row| row.get(0))?;
    let old = "SELECT id FROM objects WHERE crate = ?1 AND id <= ?2";
    let sql = format!("DELETE FROM observations WHERE object IN ({old}) OR other IN ({old})");
    on.execute(&sql, params![krate, last])?;
    on.execute("DELETE FROM objects WHERE crate = ?1 AND id <= ?2", params![krate, last])?;
    Ok(surplus as usize)
}

/// Lets go of sequences that nothing needs any more.
fn sweep(on: &Transaction) -> rusqlite::Result<()> {
    let sql = "DELETE FROM sequences WHERE id NOT IN (SELECT sequence FROM components)
        AND id NOT IN (SELECT sequence FROM findings)
        AND id NOT IN (SELECT sequence FROM objects)";
    on.execute(sql, []).map(drop)
}
