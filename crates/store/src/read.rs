//! Gives back what is stored.

use crate::condition::Condition;
use crate::{Contract, Error, Finding, Kept, Object, Observation, Seen, Store, Transition, Value};
use rusqlite::{Row, ToSql, params_from_iter};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// How much of what there is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    pub sequences: u64,
    pub components: u64,
    pub objects: u64,
    pub observations: u64,
    pub transitions: u64,
    pub contracts: u64,
    pub refuted: u64,
    pub findings: u64,
    /// Objects of each type, the most first.
    pub types: Vec<(String, u64)>,
}

impl Store {
    /// The crates of which something is stored.
    pub fn crates(&self) -> Result<Vec<String>, Error> {
        let sql = "SELECT crate FROM sequences UNION SELECT crate FROM contracts
            UNION SELECT crate FROM transitions ORDER BY 1";
        self.list(sql, &[], |row| row.get(0))
    }

    pub fn components(&self, krate: &str) -> Result<Vec<Value>, Error> {
        let sql = "SELECT s.steps, c.slot FROM components c JOIN sequences s ON s.id = c.sequence
            WHERE s.crate = ?1 ORDER BY c.place, s.id";
        self.list(sql, &[&krate], |row| Ok(Value { steps: row.get(0)?, slot: row.get(1)? }))
    }

    pub fn findings(&self, krate: &str) -> Result<Vec<Finding>, Error> {
        let sql = "SELECT f.name, f.class, f.operation, f.severity, s.steps
            FROM findings f JOIN sequences s ON s.id = f.sequence
            WHERE f.crate = ?1 ORDER BY f.name";
        self.list(sql, &[&krate], |row| {
            Ok(Finding {
                name: row.get(0)?,
                class: row.get(1)?,
                operation: row.get(2)?,
                severity: row.get(3)?,
                steps: row.get(4)?,
            })
        })
    }

    pub fn contracts(&self, krate: &str) -> Result<Vec<Contract>, Error> {
        let sql = "SELECT operation, kind, clause, support, tried, fate FROM contracts
            WHERE crate = ?1 ORDER BY operation, kind, clause";
        self.list(sql, &[&krate], |row| {
            Ok(Contract {
                operation: row.get(0)?,
                kind: row.get(1)?,
                clause: row.get(2)?,
                support: row.get::<_, i64>(3)? as u64,
                tried: row.get::<_, i64>(4)? as u64,
                fate: row.get(5)?,
            })
        })
    }

    pub fn transitions(&self, krate: &str) -> Result<Vec<Transition>, Error> {
        let sql = "SELECT operation, predicate, was, became, times FROM transitions
            WHERE crate = ?1 ORDER BY operation, predicate, was, became";
        self.list(sql, &[&krate], |row| {
            Ok(Transition {
                operation: row.get(0)?,
                predicate: row.get(1)?,
                was: row.get(2)?,
                became: row.get(3)?,
                times: row.get::<_, i64>(4)? as u64,
            })
        })
    }

    /// The objects that satisfy a condition, the oldest first.
    pub fn objects(
        &self,
        krate: &str,
        condition: &Condition,
        most: usize,
    ) -> Result<Vec<Object>, Error> {
        let types = "SELECT DISTINCT type FROM objects WHERE crate = ?1 ORDER BY 1";
        let types: Vec<String> = self.list(types, &[&krate], |row| row.get(0))?;
        let meant = |ty: &&String| condition.means(ty);
        let types: Vec<String> = types.iter().filter(meant).map(|ty| quoted(ty)).collect();
        let predicates = "SELECT text, id FROM predicates WHERE crate = ?1 ORDER BY id";
        let predicates: HashMap<String, i64> = self
            .list(predicates, &[&krate], |row| Ok((row.get(0)?, row.get(1)?)))?
            .into_iter()
            .collect();
        let mut sql = format!(
            "SELECT s.steps, o.slot, o.type, o.identity FROM objects o
            JOIN sequences s ON s.id = o.sequence
            WHERE o.crate = ?1 AND o.type IN ({})",
            types.join(", ")
        );
        if types.is_empty() {
            return Ok(vec![]);
        }
        for test in &condition.tests {
            let texts = predicate_texts(&test.query);
            let ids = texts.iter().filter_map(|text| predicates.get(text));
            let ids: Vec<String> = ids.map(i64::to_string).collect();
            if ids.is_empty() {
                return Ok(vec![]);
            }
            sql += &format!(
                " AND EXISTS (SELECT 1 FROM observations v WHERE v.object = o.id
                AND v.other IS NULL AND v.predicate IN ({}) AND v.value {} {})",
                ids.join(", "),
                test.relation,
                test.number
            );
        }
        sql += " ORDER BY o.id LIMIT ?2";
        self.list(&sql, &[&krate, &(most as i64)], object)
    }

    /// All objects of a crate with what was seen of them.
    pub fn seen(&self, krate: &str) -> Result<Seen, Error> {
        let sql = "SELECT o.id, s.steps, o.slot, o.type, o.identity FROM objects o
            JOIN sequences s ON s.id = o.sequence WHERE o.crate = ?1 ORDER BY o.id";
        let objects: Vec<(i64, Object)> = self.list(sql, &[&krate], |row| {
            let value = Value { steps: row.get(1)?, slot: row.get(2)? };
            let object = Object { value, ty: row.get(3)?, identity: row.get(4)? };
            Ok((row.get(0)?, object))
        })?;
        let numbers: HashMap<i64, usize> =
            objects.iter().enumerate().map(|(n, (id, _))| (*id, n)).collect();
        let sql = "SELECT p.text, v.object, v.other, v.value, v.moment, v.call
            FROM observations v JOIN predicates p ON p.id = v.predicate
            WHERE p.crate = ?1 ORDER BY v.object, p.id";
        let number = |id: i64| numbers.get(&id).copied().unwrap_or(usize::MAX);
        let observations = self.list(sql, &[&krate], |row| {
            Ok(Observation {
                predicate: row.get(0)?,
                object: number(row.get(1)?),
                other: row.get::<_, Option<i64>>(2)?.map(number),
                value: row.get(3)?,
                moment: row.get(4)?,
                call: row.get(5)?,
            })
        })?;
        let objects = objects.into_iter().map(|(_, object)| object).collect();
        Ok(Seen { objects, observations, transitions: self.transitions(krate)? })
    }

    pub fn stats(&self, krate: &str) -> Result<Stats, Error> {
        let count = |sql: &str| -> Result<u64, Error> {
            let all = self.list(sql, &[&krate], |row| row.get::<_, i64>(0))?;
            Ok(all.first().map_or(0, |n| *n as u64))
        };
        let types = "SELECT type, COUNT(*) FROM objects WHERE crate = ?1
            GROUP BY type ORDER BY 2 DESC, 1";
        Ok(Stats {
            sequences: count("SELECT COUNT(*) FROM sequences WHERE crate = ?1")?,
            components: count(
                "SELECT COUNT(*) FROM components c JOIN sequences s ON s.id = c.sequence
                WHERE s.crate = ?1",
            )?,
            objects: count("SELECT COUNT(*) FROM objects WHERE crate = ?1")?,
            observations: count(
                "SELECT COUNT(*) FROM observations v JOIN objects o ON o.id = v.object
                WHERE o.crate = ?1",
            )?,
            transitions: count("SELECT COUNT(*) FROM transitions WHERE crate = ?1")?,
            contracts: count("SELECT COUNT(*) FROM contracts WHERE crate = ?1")?,
            refuted: count("SELECT COUNT(*) FROM contracts WHERE crate = ?1 AND fate = 'refuted'")?,
            findings: count("SELECT COUNT(*) FROM findings WHERE crate = ?1")?,
            types: self
                .list(types, &[&krate], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?,
        })
    }

    /// Takes in all of another store, of all its crates.
    pub fn merge(&mut self, other: &Store) -> Result<Kept, Error> {
        let mut all = Kept::default();
        let mut add = |kept: Kept| {
            all.stored += kept.stored;
            all.dropped += kept.dropped;
        };
        for krate in other.crates()? {
            let mut components = self.components(&krate)?;
            let known: BTreeSet<(String, u32)> =
                components.iter().map(|value| (value.steps.clone(), value.slot)).collect();
            let new = other.components(&krate)?.into_iter();
            components.extend(new.filter(|v| !known.contains(&(v.steps.clone(), v.slot))));
            add(self.put_components(&krate, &components)?);
            add(self.put_seen(&krate, &other.seen(&krate)?)?);
            add(self.put_contracts(&krate, &told_by_both(self, other, &krate)?)?);
            let mut findings = self.findings(&krate)?;
            let names: BTreeSet<String> = findings.iter().map(|f| f.name.clone()).collect();
            findings
                .extend(other.findings(&krate)?.into_iter().filter(|f| !names.contains(&f.name)));
            add(self.put_findings(&krate, &findings)?);
        }
        Ok(all)
    }

    fn list<T>(
        &self,
        sql: &str,
        given: &[&dyn ToSql],
        read: impl Fn(&Row) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Error> {
        let run = || -> rusqlite::Result<Vec<T>> {
            let mut statement = self.connection.prepare(sql)?;
            let rows = statement.query_map(params_from_iter(given), |row| read(row))?;
            rows.collect()
        };
        run().map_err(|error| Error::of(&self.file, &error))
    }
}

/// Contracts of the other that this one does not know better: what one of them has refuted
/// is refuted, and calls and tries add up.
fn told_by_both(ours: &Store, other: &Store, krate: &str) -> Result<Vec<Contract>, Error> {
    let known = ours.contracts(krate)?;
    let both = |theirs: Contract| {
        let same = |c: &&Contract| {
            (&c.operation, &c.kind, &c.clause) == (&theirs.operation, &theirs.kind, &theirs.clause)
        };
        match known.iter().find(same) {
            None => theirs,
            Some(own) => {
                let refuted = [own, &theirs].into_iter().find(|c| c.fate == "refuted");
                let fate = refuted.or((own.tried > theirs.tried).then_some(own));
                let fate = fate.unwrap_or(&theirs).fate.clone();
                let (support, tried) = (own.support + theirs.support, own.tried + theirs.tried);
                Contract { support, tried, fate, ..theirs }
            }
        }
    };
    Ok(other.contracts(krate)?.into_iter().map(both).collect())
}

/// A text as SQL writes it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// How the predicate of a query may be written: a method, a field, or what it gives by its
/// variant or length.
fn predicate_texts(query: &str) -> [String; 3] {
    let (first, rest) = query.split_once('.').unwrap_or((query, ""));
    let rest = if rest.is_empty() { String::new() } else { format!(".{rest}()") };
    [format!("$.{first}(){rest}"), format!("$.{first}{rest}"), format!("$.{first}().len()")]
}

fn object(row: &Row) -> rusqlite::Result<Object> {
    let value = Value { steps: row.get(0)?, slot: row.get(1)? };
    Ok(Object { value, ty: row.get(2)?, identity: row.get(3)? })
}
