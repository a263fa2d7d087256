//! Opens a store, makes it, or brings it up to date; all that only SQLite knows.

use crate::schema::{META, MIGRATIONS, PUT_META};
use crate::{Error, Store};
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(2);
/// By this a store is told from other databases.
const OWNER: &str = "testsmith";

impl Store {
    /// Opens a store, or makes one where there is none. A file that is marked as not
    /// writable is only read.
    pub fn open(file: &Path) -> Result<Store, Error> {
        let read_only = std::fs::metadata(file).is_ok_and(|meta| meta.permissions().readonly());
        if read_only { Store::open_to_read(file) } else { Store::open_as(file, false) }
    }

    /// Opens a store that is there, and changes nothing in it.
    pub fn open_to_read(file: &Path) -> Result<Store, Error> {
        if !file.exists() {
            let why = "there is no such file".to_owned();
            return Err(Error::Unreachable { file: file.to_owned(), why });
        }
        Store::open_as(file, true)
    }

    fn open_as(file: &Path, read_only: bool) -> Result<Store, Error> {
        let fail = |error: rusqlite::Error| Error::of(file, &error);
        let how = if read_only {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        } else {
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
        };
        let connection = Connection::open_with_flags(file, how).map_err(fail)?;
        connection.busy_timeout(PATIENCE).map_err(fail)?;
        let mut store = Store { connection, file: file.to_owned(), read_only };
        let version = store.version()?;
        if version > MIGRATIONS.len() {
            let known = MIGRATIONS.len();
            return Err(Error::Newer { file: file.to_owned(), version, known });
        }
        if !read_only {
            // A reader is never kept waiting, and a process that is killed leaves
            // whole transactions only.
            store
                .connection
                .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")
                .map_err(fail)?;
            if version < MIGRATIONS.len() {
                store.migrate()?;
            }
        }
        Ok(store)
    }

    /// The version of what is there; 0 of an empty file.
    fn version(&self) -> Result<usize, Error> {
        let fail = |error: rusqlite::Error| Error::of(&self.file, &error);
        let count = |sql: &str| self.connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        let tables = count("SELECT COUNT(*) FROM sqlite_master").map_err(fail)?;
        if tables == 0 {
            return Ok(0);
        }
        let ours = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'meta'";
        if count(ours).map_err(fail)? == 0 {
            return Err(Error::Foreign { file: self.file.clone() });
        }
        let said = |name: &str| {
            let sql = "SELECT value FROM meta WHERE name = ?1";
            self.connection.query_row(sql, [name], |row| row.get::<_, String>(0)).optional()
        };
        match (said("owner"), said("version")) {
            (Ok(Some(owner)), Ok(Some(version))) if owner == OWNER => version
                .parse()
                .map_err(|_| Error::Damaged { file: self.file.clone(), why: "no version".into() }),
            (Err(error), _) if error.sqlite_error_code().is_none() => Err(fail(error)),
            _ => Err(Error::Foreign { file: self.file.clone() }),
        }
    }

    /// Brings the store up to date, all of it or nothing.
    fn migrate(&mut self) -> Result<(), Error> {
        let file = self.file.clone();
        let fail = |error: rusqlite::Error| Error::of(&file, &error);
        let begin = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(begin).map_err(fail)?;
        let run = || -> rusqlite::Result<()> {
            transaction.execute(META, [])?;
            // Another run may have been faster.
            let sql = "SELECT value FROM meta WHERE name = 'version'";
            let version: Option<String> =
                transaction.query_row(sql, [], |row| row.get(0)).optional()?;
            let version = version.and_then(|text| text.parse().ok()).unwrap_or(0);
            for migration in MIGRATIONS.iter().skip(version) {
                for statement in *migration {
                    transaction.execute(statement, [])?;
                }
            }
            transaction.execute(PUT_META, ["owner", OWNER])?;
            transaction.execute(PUT_META, ["version", &MIGRATIONS.len().to_string()])?;
            Ok(())
        };
        run().map_err(fail)?;
        transaction.commit().map_err(fail)
    }
}
