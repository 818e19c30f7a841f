//! A case file that grows test by test while a collector runs.
//!
//! Every finished test is committed by itself, so a killed collector loses at most the tests under
//! way and the next one goes on. A lock file beside the case keeps a second collector out; it goes
//! when the process ends, however it ends. What is in memory grows with the program's lines, never
//! with the number of tests. [`Recording::finish`] puts tests and lines into a fixed order, so the
//! case does not depend on the order in which tests happened to end.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use fdc_core::spectrum::Outcome;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::{Case, about, push_joined, row, schema, sql_error};
use crate::error::FileError;

/// How a test that was run is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It passed or failed.
    Judged(Outcome),
    /// Skipped, expected to fail, or an assumption did not hold: no part of the case.
    Skipped,
}

impl Judgement {
    /// As a test stores it.
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Judgement::Judged(outcome) => Some(outcome),
            Judgement::Skipped => None,
        }
    }

    /// What holds of two runs of one test: a failure wins over a success, and both over a skip.
    pub fn worse(self, other: Self) -> Self {
        match self {
            Judgement::Skipped => other,
            Judgement::Judged(Outcome::Pass) if other.outcome().is_some() => other,
            known => known,
        }
    }
}

/// One run of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestRun<'a> {
    /// The test's identity.
    pub name: &'a str,
    /// How it ended.
    pub judgement: Judgement,
    /// How long it took.
    pub seconds: Option<f64>,
    /// Why it failed or was skipped, in a line.
    pub note: Option<&'a str>,
}

/// How far a recording is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Tests measured.
    pub tests: u64,
    /// Of these, failing ones.
    pub failing: u64,
    /// Of these, tests whose outcome changed from run to run.
    pub flaky: u64,
    /// Tests that were skipped.
    pub skipped: u64,
    /// Lines known.
    pub elements: u64,
}

/// A case file open for a collector.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    connection: Connection,
    files: HashMap<String, u32>,
    methods: HashMap<String, u32>,
    elements: HashMap<(u32, u32), u32>,
    tests: i64,
    _lock: Lock,
}

/// Held until the recording ends; the system lets go of it when the process does.
#[derive(Debug)]
struct Lock {
    path: PathBuf,
    _file: File,
}

impl Recording {
    /// Opens the case, or makes it. `about` says how it is measured; a case that was made
    /// another way, by the first entry, is refused.
    pub fn open(path: &Path, notes: &[(&str, &str)]) -> Result<Self, FileError> {
        let lock = Lock::take(path)?;
        // An empty file is as good as none.
        if std::fs::metadata(path).is_ok_and(|file| file.len() > 0) {
            Case::open(path)?;
        }
        let mut connection = Connection::open(path).map_err(|error| sql_error(path, &error))?;
        let opened = start(&mut connection, notes).map_err(|error| sql_error(path, &error))?;
        if let Some((key, found)) = opened {
            let expected = format!("a case with {key} {:?}", notes[0].1);
            return Err(FileError::bad(path, expected, format!("{found:?}"))
                .hint("write to another file with -o, or remove this one"));
        }
        let mut recording = Recording {
            path: path.to_owned(),
            connection,
            files: HashMap::new(),
            methods: HashMap::new(),
            elements: HashMap::new(),
            tests: 0,
            _lock: lock,
        };
        recording.load()?;
        Ok(recording)
    }

    /// The case file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A note on how the case is measured.
    pub fn about(&self, key: &str) -> Result<Option<String>, FileError> {
        self.sql(|c| about(c, key))
    }

    /// Writes a note on how the case is measured.
    pub fn set_about(&self, key: &str, value: &str) -> Result<(), FileError> {
        let statement = "INSERT OR REPLACE INTO about VALUES (?, ?)";
        self.sql(|c| c.execute(statement, [key, value]).map(drop))
    }

    /// The element of that line; made if new. A method's name is one over the whole program.
    pub fn element(&mut self, file: &str, method: &str, line: u32) -> Result<u32, FileError> {
        let method = match self.methods.get(method) {
            Some(&id) => id,
            None => self.add_method(file, method)?,
        };
        if let Some(&id) = self.elements.get(&(method, line)) {
            return Ok(id);
        }
        let id = self.elements.len() as u32;
        self.begin()?;
        self.sql(|c| {
            c.prepare_cached("INSERT INTO element (id, method, line) VALUES (?, ?, ?)")?
                .execute(params![id, method, line])
        })?;
        self.elements.insert((method, line), id);
        Ok(id)
    }

    /// Whether the test needs no measuring any more.
    pub fn is_done(&self, test: &str) -> Result<bool, FileError> {
        self.sql(|c| {
            c.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM test WHERE name = ?1 AND runs > 0)
                     OR EXISTS (SELECT 1 FROM skipped WHERE name = ?1)",
            )?
            .query_row([test], |row| row.get(0))
        })
    }

    /// Calls with the name of every test that needs no measuring any more.
    pub fn for_each_done<E: From<FileError>>(
        &self,
        mut visit: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let statement = "SELECT name FROM test WHERE runs > 0 UNION SELECT name FROM skipped";
        self.for_each_name(statement, &mut visit)
    }

    /// Calls with the name of every test that was run fewer than `runs` times.
    pub fn for_each_run_at_least<E: From<FileError>>(
        &self,
        runs: u32,
        mut visit: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let statement =
            format!("SELECT name FROM test WHERE runs >= {runs} UNION SELECT name FROM skipped");
        self.for_each_name(&statement, &mut visit)
    }

    /// Stores a test with the elements it covers, in any order; whether it was new. A test that is
    /// done already is left as it is.
    pub fn record(&mut self, run: &TestRun, elements: &mut Vec<u32>) -> Result<bool, FileError> {
        if self.is_done(run.name)? {
            return Ok(false);
        }
        let Judgement::Judged(outcome) = run.judgement else {
            let reason = run.note.unwrap_or_default();
            let statement = "INSERT OR REPLACE INTO skipped VALUES (?, ?)";
            self.sql(|c| c.prepare_cached(statement)?.execute([run.name, reason]))?;
            return Ok(true);
        };
        elements.sort_unstable();
        elements.dedup();
        let mut runs = Vec::new();
        for &element in elements.iter() {
            push_joined(&mut runs, element..element + 1);
        }
        let known: Option<i64> = self.sql(|c| {
            c.prepare_cached("SELECT id FROM test WHERE name = ?")?
                .query_row([run.name], |row| row.get(0))
                .optional()
        })?;
        let id = known.unwrap_or(self.tests);
        self.begin()?;
        self.sql(|c| {
            c.prepare_cached(
                "INSERT INTO test (id, name, outcome, runs, seconds, note)
                 VALUES (?1, ?2, ?3, 1, ?4, ?5)
                 ON CONFLICT (id) DO UPDATE SET
                     outcome = ?3, runs = 1, seconds = ?4, note = ?5, flaky = 0",
            )?
            .execute(params![id, run.name, outcome.name(), run.seconds, run.note])?;
            c.prepare_cached("INSERT OR REPLACE INTO coverage VALUES (?, ?)")?
                .execute(params![id, row::encode(&runs)])
        })?;
        self.commit()?;
        self.tests = self.tests.max(id + 1);
        Ok(true)
    }

    /// Stores how another run of a measured test ended; a changed outcome makes it flaky.
    pub fn record_again(&mut self, name: &str, judgement: Judgement) -> Result<(), FileError> {
        let outcome = match judgement {
            Judgement::Judged(outcome) => outcome.name(),
            Judgement::Skipped => "skipped",
        };
        self.sql(|c| {
            c.prepare_cached(
                "UPDATE test SET runs = runs + 1, flaky = flaky OR outcome IS NOT ?2
                 WHERE name = ?1",
            )?
            .execute([name, outcome])
            .map(drop)
        })
    }

    /// How far the recording is.
    pub fn progress(&self) -> Result<Progress, FileError> {
        let (tests, failing, flaky, skipped): (i64, i64, i64, i64) = self.sql(|c| {
            c.query_row(
                "SELECT count(*), count(*) FILTER (WHERE outcome = 'fail'),
                        count(*) FILTER (WHERE flaky), (SELECT count(*) FROM skipped)
                 FROM test WHERE runs > 0",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
            )
        })?;
        Ok(Progress {
            tests: tests as u64,
            failing: failing as u64,
            flaky: flaky as u64,
            skipped: skipped as u64,
            elements: self.elements.len() as u64,
        })
    }

    /// Whether the program has lines in this file.
    pub fn knows_file(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }

    /// Forgets what was measured in these files and of these tests: their lines go, and every test
    /// that covers one of them or is `stale` has to be measured again. Its labels are undone, since
    /// they were given for other code. How many tests that are.
    pub fn forget(
        &mut self,
        changed: impl Fn(&str) -> bool,
        stale: impl Fn(&str) -> bool,
    ) -> Result<u64, FileError> {
        self.commit()?;
        let path = self.path.clone();
        let mut forget = || {
            let transaction = self.connection.transaction()?;
            let count = mark_stale(&transaction, &changed, &stale)?;
            rewrite(&transaction, |file| !changed(file), |_| true)?;
            transaction.execute("DELETE FROM skipped", [])?;
            transaction.commit()?;
            Ok(count)
        };
        let count = forget().map_err(|error| sql_error(&path, &error))?;
        self.load()?;
        Ok(count)
    }

    /// Ends the recording: tests in the order of their names, lines in the order of their files. If
    /// the run was of all tests, those that were not seen any more are dropped.
    pub fn finish(mut self, all_tests: bool) -> Result<Progress, FileError> {
        self.commit()?;
        let path = self.path.clone();
        let mut finish = || {
            let transaction = self.connection.transaction()?;
            rewrite(&transaction, |_| true, |runs| runs > 0 || !all_tests)?;
            transaction.execute_batch(
                "INSERT OR REPLACE INTO about VALUES ('state', 'complete');
                 DELETE FROM about WHERE key = 'measured';",
            )?;
            transaction.commit()?;
            self.connection
                .pragma_update(None, "journal_mode", "DELETE")
        };
        finish().map_err(|error| sql_error(&path, &error))?;
        self.progress()
    }

    /// New lines are committed with the first test that is recorded after them.
    fn begin(&self) -> Result<(), FileError> {
        self.sql(|c| match c.is_autocommit() {
            true => c.execute_batch("BEGIN"),
            false => Ok(()),
        })
    }

    fn commit(&self) -> Result<(), FileError> {
        self.sql(|c| match c.is_autocommit() {
            true => Ok(()),
            false => c.execute_batch("COMMIT"),
        })
    }

    fn add_method(&mut self, file: &str, name: &str) -> Result<u32, FileError> {
        self.begin()?;
        let file = match self.files.get(file) {
            Some(&id) => id,
            None => {
                let id = self.files.len() as u32;
                let statement = "INSERT INTO file (id, path) VALUES (?, ?)";
                self.sql(|c| c.prepare_cached(statement)?.execute(params![id, file]))?;
                self.files.insert(file.to_owned(), id);
                id
            }
        };
        let id = self.methods.len() as u32;
        let statement = "INSERT INTO method (id, file, name) VALUES (?, ?, ?)";
        self.sql(|c| {
            c.prepare_cached(statement)?
                .execute(params![id, file, name])
        })?;
        self.methods.insert(name.to_owned(), id);
        Ok(id)
    }

    fn load(&mut self) -> Result<(), FileError> {
        let names = |statement: &'static str| {
            self.sql(|c| {
                let mut query = c.prepare(statement)?;
                let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
                rows.collect::<rusqlite::Result<HashMap<String, u32>>>()
            })
        };
        let files = names("SELECT path, id FROM file")?;
        let methods = names("SELECT name, id FROM method")?;
        (self.files, self.methods) = (files, methods);
        self.elements = self.sql(|c| {
            let mut query = c.prepare("SELECT method, line, id FROM element")?;
            let rows = query.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
            rows.collect()
        })?;
        let statement = "SELECT coalesce(max(id) + 1, 0) FROM test";
        self.tests = self.sql(|c| c.query_row(statement, [], |row| row.get(0)))?;
        Ok(())
    }

    fn for_each_name<E: From<FileError>>(
        &self,
        statement: &str,
        visit: &mut impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut trouble = None;
        self.sql(|c| {
            let mut query = c.prepare(statement)?;
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                let name: String = row.get(0)?;
                if let Err(error) = visit(&name) {
                    trouble = Some(error);
                    break;
                }
            }
            Ok(())
        })?;
        trouble.map_or(Ok(()), Err)
    }

    fn sql<T>(&self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, FileError> {
        run(&self.connection).map_err(|error| sql_error(&self.path, &error))
    }
}

impl Lock {
    fn take(case: &Path) -> Result<Self, FileError> {
        let name = case.file_name().unwrap_or_default().to_string_lossy();
        let path = case.with_file_name(format!("{name}.lock"));
        let file = File::create(&path).map_err(FileError::io(&path, "write it"))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { path, _file: file }),
            Err(TryLockError::WouldBlock) => {
                let expected = "a case that nobody else is collecting";
                let found = "another `fdc collect` at work on it";
                Err(FileError::bad(case, expected, found)
                    .hint("wait for it to end, or write to another file with -o"))
            }
            Err(TryLockError::Error(error)) => Err(FileError::io(&path, "lock it")(error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Best effort: an empty lock file that nobody holds does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Brings the file to the present schema and writes the notes. The first note of a case that
/// exists must be the same; else its key and what it is.
fn start(
    connection: &mut Connection,
    notes: &[(&str, &str)],
) -> rusqlite::Result<Option<(String, String)>> {
    schema::prepare(connection)?;
    // Readers see whole tests while we write, and a commit does not wait for the disk.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let measured: bool =
        connection.query_row("SELECT EXISTS (SELECT 1 FROM test)", [], |row| row.get(0))?;
    if let Some((key, value)) = notes.first() {
        match about(connection, key)? {
            Some(found) if found == *value => {}
            None if !measured => {}
            found => {
                let found = found.unwrap_or_else(|| "imported".to_owned());
                return Ok(Some(((*key).to_owned(), found)));
            }
        }
    }
    for note in notes.iter().chain(&[("state", "collecting")]) {
        let statement = "INSERT OR REPLACE INTO about VALUES (?, ?)";
        connection.execute(statement, [note.0, note.1])?;
    }
    Ok(None)
}

/// Marks the tests that cover a changed file, or are stale themselves; how many.
fn mark_stale(
    transaction: &Transaction,
    changed: &impl Fn(&str) -> bool,
    stale: &impl Fn(&str) -> bool,
) -> rusqlite::Result<u64> {
    let gone = elements_of(transaction, changed)?;
    let mut runs = Vec::new();
    let mut tests = Vec::new();
    let statement = "SELECT id, name, elements FROM test JOIN coverage ON test = id WHERE runs > 0";
    let mut query = transaction.prepare(statement)?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        runs.clear();
        decode(row.get_ref(2)?.as_blob()?, &mut runs)?;
        let name: String = row.get(1)?;
        let touched = runs.iter().cloned().flatten();
        if stale(&name)
            || touched
                .into_iter()
                .any(|e| gone.get(e as usize) == Some(&true))
        {
            tests.push(row.get::<_, i64>(0)?);
        }
    }
    let nothing = row::encode(&[]);
    for &test in &tests {
        let statement = "UPDATE test SET outcome = NULL, runs = 0, flaky = 0 WHERE id = ?";
        transaction.prepare_cached(statement)?.execute([test])?;
        transaction
            .prepare_cached("UPDATE coverage SET elements = ? WHERE test = ?")?
            .execute(params![nothing, test])?;
        for table in ["label", "skip"] {
            transaction
                .prepare_cached(&format!("UPDATE {table} SET undone = 1 WHERE test = ?"))?
                .execute([test])?;
        }
    }
    Ok(tests.len() as u64)
}

/// Per element, whether its file is chosen.
fn elements_of(
    transaction: &Transaction,
    chosen: impl Fn(&str) -> bool,
) -> rusqlite::Result<Vec<bool>> {
    let mut query = transaction.prepare(
        "SELECT path FROM element JOIN method ON method.id = element.method
         JOIN file ON file.id = method.file ORDER BY element.id",
    )?;
    let mut rows = query.query([])?;
    let mut flags = Vec::new();
    while let Some(row) = rows.next()? {
        flags.push(chosen(row.get_ref(0)?.as_str()?));
    }
    Ok(flags)
}

/// Numbers everything anew in a fixed order, without the files and tests that are not kept.
fn rewrite(
    transaction: &Transaction,
    keep_file: impl Fn(&str) -> bool,
    keep_test: impl Fn(i64) -> bool,
) -> rusqlite::Result<()> {
    // Rows and what points to them get their numbers one after the other.
    transaction.pragma_update(None, "defer_foreign_keys", true)?;
    let kept = elements_of(transaction, keep_file)?;
    let mut places = vec![None; kept.len()];
    let mut files = Numbering::new(transaction, "file")?;
    let mut methods = Numbering::new(transaction, "method")?;
    let mut elements = Numbering::new(transaction, "element")?;
    let mut query = transaction.prepare(
        "SELECT element.id, file.id, method.id FROM element
         JOIN method ON method.id = element.method JOIN file ON file.id = method.file
         ORDER BY path, line, name, element.id",
    )?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let element: i64 = row.get(0)?;
        if kept[element as usize] {
            files.add(row.get(1)?)?;
            methods.add(row.get(2)?)?;
            places[element as usize] = Some(elements.add(element)? as u32);
        }
    }
    drop(rows);
    let mut tests = Numbering::new(transaction, "test")?;
    let mut query = transaction.prepare("SELECT id, runs FROM test ORDER BY name")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        if keep_test(row.get(1)?) {
            tests.add(row.get(0)?)?;
        }
    }
    drop(rows);
    for (table, key) in [("coverage", "test"), ("virtual_test", "id")] {
        rewrite_rows(transaction, table, key, &places)?;
    }
    files.refer("method", "file")?;
    methods.refer("element", "method")?;
    tests.refer("coverage", "test")?;
    tests.refer("label", "test")?;
    tests.refer("skip", "test")?;
    for numbering in [files, methods, elements, tests] {
        numbering.apply()?;
    }
    Ok(())
}

/// New numbers for the rows of a table; rows without one are deleted.
struct Numbering<'t> {
    transaction: &'t Transaction<'t>,
    table: &'static str,
    known: HashMap<i64, i64>,
}

impl<'t> Numbering<'t> {
    fn new(transaction: &'t Transaction, table: &'static str) -> rusqlite::Result<Self> {
        transaction.execute_batch(&format!(
            "DROP TABLE IF EXISTS temp.{table}_number;
             CREATE TEMP TABLE {table}_number (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);"
        ))?;
        Ok(Numbering {
            transaction,
            table,
            known: HashMap::new(),
        })
    }

    fn add(&mut self, old: i64) -> rusqlite::Result<i64> {
        if let Some(&new) = self.known.get(&old) {
            return Ok(new);
        }
        let new = self.known.len() as i64;
        let statement = format!("INSERT INTO temp.{}_number VALUES (?, ?)", self.table);
        self.transaction
            .prepare_cached(&statement)?
            .execute([old, new])?;
        self.known.insert(old, new);
        Ok(new)
    }

    /// Renumbers a column of another table that points here.
    fn refer(&self, table: &str, column: &str) -> rusqlite::Result<()> {
        renumber(self.transaction, table, column, self.table)
    }

    fn apply(self) -> rusqlite::Result<()> {
        renumber(self.transaction, self.table, "id", self.table)
    }
}

/// Through negative numbers, since two rows must never share one in between.
fn renumber(
    transaction: &Transaction,
    table: &str,
    column: &str,
    numbers: &str,
) -> rusqlite::Result<()> {
    transaction.execute_batch(&format!(
        "DELETE FROM {table} WHERE {column} NOT IN (SELECT old FROM temp.{numbers}_number);
         UPDATE {table} SET {column} =
             -1 - (SELECT new FROM temp.{numbers}_number WHERE old = {column});
         UPDATE {table} SET {column} = -1 - {column};"
    ))
}

/// Rewrites rows of elements under their new numbers; elements that are gone are dropped.
fn rewrite_rows(
    transaction: &Transaction,
    table: &str,
    key: &str,
    places: &[Option<u32>],
) -> rusqlite::Result<()> {
    let mut keys = transaction.prepare(&format!("SELECT {key} FROM {table}"))?;
    let keys: Vec<i64> = keys
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let read = format!("SELECT elements FROM {table} WHERE {key} = ?");
    let write = format!("UPDATE {table} SET elements = ? WHERE {key} = ?");
    let (mut runs, mut elements) = (Vec::new(), Vec::new());
    for id in keys {
        runs.clear();
        let blob: Vec<u8> = transaction
            .prepare_cached(&read)?
            .query_row([id], |row| row.get(0))?;
        decode(&blob, &mut runs)?;
        elements.clear();
        let old = runs.drain(..).flatten();
        elements.extend(old.filter_map(|e| places.get(e as usize).copied().flatten()));
        elements.sort_unstable();
        for &element in &elements {
            push_joined(&mut runs, element..element + 1);
        }
        let blob = row::encode(&runs);
        transaction
            .prepare_cached(&write)?
            .execute(params![blob, id])?;
    }
    Ok(())
}

fn decode(blob: &[u8], runs: &mut Vec<std::ops::Range<u32>>) -> rusqlite::Result<()> {
    row::decode(blob, runs).map_err(|what| {
        let kind = rusqlite::types::Type::Blob;
        rusqlite::Error::FromSqlConversionFailure(0, kind, what.into())
    })
}

#[cfg(test)]
mod tests;
