//! Gives back what is stored.

use crate::condition::{Condition, Test};
use crate::{Contract, Error, Finding, Kept, Object, Observation, Seen, Store, Transition, Value};
use rusqlite::{Row, ToSql, params_from_iter};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// Fewer observations than these are faster to look up than objects are to try.
const FEW: i64 = 500;

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
        let Some(tests) = self.tests(krate, condition)? else { return Ok(vec![]) };
        let mut found: Vec<(i64, Object)> = vec![];
        let types = self.types(krate)?;
        let sql = objects_of(&tests, self.rarest(&tests)?);
        // One type at a time, so that an index gives its objects in their order.
        for ty in types.iter().filter(|ty| condition.means(ty)) {
            let given: [&dyn ToSql; 3] = [&krate, ty, &(most as i64)];
            found.extend(self.list(&sql, &given, |row| Ok((row.get(4)?, object(row)?)))?);
        }
        found.sort_by_key(|(id, _)| *id);
        Ok(found.into_iter().take(most).map(|(_, object)| object).collect())
    }

    /// The types of a crate's objects: from each to the next one, past all objects between.
    fn types(&self, krate: &str) -> Result<Vec<String>, Error> {
        let mut types: Vec<String> = vec![];
        loop {
            let sql = "SELECT MIN(type) FROM objects WHERE crate = ?1 AND type > ?2";
            let last = types.last().map_or("", String::as_str);
            let next = self.list(sql, &[&krate, &last], |row| row.get::<_, Option<String>>(0))?;
            match next.into_iter().flatten().next() {
                Some(ty) => types.push(ty),
                None => return Ok(types),
            }
        }
    }

    /// What each test of a condition asks of an observation; nothing if one asks for what was
    /// never observed.
    fn tests(&self, krate: &str, condition: &Condition) -> Result<Option<Vec<String>>, Error> {
        let sql = "SELECT text, id FROM predicates WHERE crate = ?1 ORDER BY id";
        let predicates: HashMap<String, i64> =
            self.list(sql, &[&krate], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect();
        let asks = |test: &Test| {
            let texts = predicate_texts(&test.query);
            let ids = texts.iter().filter_map(|text| predicates.get(text));
            let ids: Vec<String> = ids.map(i64::to_string).collect();
            let (relation, number) = (&test.relation, test.number);
            let ids = (!ids.is_empty()).then(|| ids.join(", "))?;
            Some(format!("v.predicate IN ({ids}) AND v.value {relation} {number}"))
        };
        Ok(condition.tests.iter().map(asks).collect())
    }

    /// The test that so few observations pass that they are the shortest way to the objects.
    fn rarest(&self, tests: &[String]) -> Result<Option<usize>, Error> {
        let mut rarest = (FEW, None);
        for (place, test) in tests.iter().enumerate() {
            let sql = format!(
                "SELECT COUNT(*) FROM (SELECT 1 FROM observations v WHERE {test} LIMIT ?1) few"
            );
            let count = self.list(&sql, &[&FEW], |row| row.get::<_, i64>(0))?;
            let count = count.first().copied().unwrap_or(FEW);
            if count < rarest.0 {
                rarest = (count, Some(place));
            }
        }
        Ok(rarest.1)
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

/// The objects of a type that pass all tests, in their order; they are looked up from the
/// rarest test if there is one, and tried one after another if there is none.
fn objects_of(tests: &[String], rarest: Option<usize>) -> String {
    let mut sql = "SELECT s.steps, o.slot, o.type, o.identity, o.id FROM objects o
        JOIN sequences s ON s.id = o.sequence WHERE o.crate = ?1 AND o.type = ?2"
        .to_owned();
    for (place, test) in tests.iter().enumerate() {
        sql += &if Some(place) == rarest {
            format!(
                " AND o.id IN (SELECT v.object FROM observations v
                WHERE v.other IS NULL AND {test})"
            )
        } else {
            format!(
                " AND EXISTS (SELECT 1 FROM observations v
                WHERE v.object = o.id AND v.other IS NULL AND {test})"
            )
        };
    }
    sql + " ORDER BY o.id LIMIT ?3"
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
