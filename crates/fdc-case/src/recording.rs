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

use fdc_core::evidence::{FailureRecord, FileHistory};
use fdc_core::spectrum::Outcome;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Params, params};

use crate::case::{Case, about, file_identity, sql_error};
use crate::database::open_database;
use crate::error::{FileError, Result};
use crate::renumber::{mark_stale, rewrite};
use crate::special::refuse_special_file;
use crate::{evidence, row, schema};

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
    /// How it failed, where the run told.
    pub failure: Option<&'a FailureRecord>,
}

/// What a recording holds so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordingCounts {
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
    case: Case,
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
    /// Opens the case, or makes it. `notes` say how it is measured; a case that was made another
    /// way, by the first of them, is refused.
    pub fn open(path: &Path, notes: &[(&str, &str)]) -> Result<Self> {
        refuse_special_file(path)?;
        let lock = Lock::take(path)?;
        // An empty file is as good as none.
        if std::fs::metadata(path).is_ok_and(|file| file.len() > 0) {
            Case::open(path)?;
        }
        let failed = |error: rusqlite::Error| sql_error(path, &error);
        let mut case = Case {
            connection: open_database(path, OpenFlags::default()).map_err(failed)?,
            path: path.to_owned(),
            file: file_identity(path),
        };
        if let Some((key, found)) = start(&mut case.connection, notes).map_err(failed)? {
            let expected = format!("a case with {key} {:?}", notes[0].1);
            return Err(FileError::bad(path, expected, format!("{found:?}"))
                .hint("write to another file with -o, or remove this one"));
        }
        let mut recording = Recording {
            case,
            files: HashMap::new(),
            methods: HashMap::new(),
            elements: HashMap::new(),
            tests: 0,
            _lock: lock,
        };
        recording.load()?;
        Ok(recording)
    }

    /// The element of that line; made if new. A method's name is one over the whole program.
    pub fn element(&mut self, file: &str, method: &str, line: u32) -> Result<u32> {
        let method = match self.methods.get(method) {
            Some(&id) => id,
            None => self.add_method(file, method)?,
        };
        if let Some(&id) = self.elements.get(&(method, line)) {
            return Ok(id);
        }
        let id = self.elements.len() as u32;
        self.begin()?;
        let statement = "INSERT INTO element (id, method, line) VALUES (?, ?, ?)";
        self.execute(statement, params![id, method, line])?;
        self.elements.insert((method, line), id);
        Ok(id)
    }

    fn is_done(&self, test: &str) -> Result<bool> {
        self.case.sql(|c| {
            c.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM test WHERE name = ?1 AND runs > 0)
                     OR EXISTS (SELECT 1 FROM skipped WHERE name = ?1)",
            )?
            .query_row([test], |row| row.get(0))
        })
    }

    /// Calls with the name of every test that was run at least so many times, or was skipped.
    pub fn for_each_run_at_least(&self, runs: u32, mut visit: impl FnMut(&str)) -> Result<()> {
        self.case.sql(|c| {
            let statement = "SELECT name FROM test WHERE runs >= ? UNION SELECT name FROM skipped";
            let mut query = c.prepare(statement)?;
            let mut rows = query.query([runs])?;
            while let Some(row) = rows.next()? {
                visit(row.get_ref(0)?.as_str()?);
            }
            Ok(())
        })
    }

    /// Stores a test with the elements it covers, in any order; whether it was new. A test that is
    /// done already is left as it is.
    pub fn record(&mut self, run: &TestRun, elements: &mut Vec<u32>) -> Result<bool> {
        if self.is_done(run.name)? {
            return Ok(false);
        }
        let Judgement::Judged(outcome) = run.judgement else {
            let reason = run.note.unwrap_or_default();
            let statement = "INSERT OR REPLACE INTO skipped VALUES (?, ?)";
            self.execute(statement, [run.name, reason])?;
            return Ok(true);
        };
        elements.sort_unstable();
        elements.dedup();
        let row = row::encode_elements(elements.iter().copied());
        let known: Option<i64> = self.case.sql(|c| {
            c.prepare_cached("SELECT id FROM test WHERE name = ?")?
                .query_row([run.name], |row| row.get(0))
                .optional()
        })?;
        let id = known.unwrap_or(self.tests);
        self.begin()?;
        self.execute(
            "INSERT INTO test (id, name, outcome, runs, seconds, note)
             VALUES (?1, ?2, ?3, 1, ?4, ?5)
             ON CONFLICT (id) DO UPDATE SET
                 outcome = ?3, runs = 1, seconds = ?4, note = ?5, flaky = 0",
            params![id, run.name, outcome.name(), run.seconds, run.note],
        )?;
        let statement = "INSERT OR REPLACE INTO coverage VALUES (?, ?)";
        self.execute(statement, params![id, row])?;
        self.case.sql(|c| evidence::replace(c, id, run.failure))?;
        self.commit()?;
        self.tests = self.tests.max(id + 1);
        Ok(true)
    }

    /// Stores how another run of a measured test ended; a changed outcome makes it flaky.
    pub fn record_again(&mut self, name: &str, judgement: Judgement) -> Result<()> {
        let outcome = match judgement {
            Judgement::Judged(outcome) => outcome.name(),
            Judgement::Skipped => "skipped",
        };
        let statement =
            "UPDATE test SET runs = runs + 1, flaky = flaky OR outcome IS NOT ? WHERE name = ?";
        self.execute(statement, [outcome, name])
    }

    /// What is recorded so far.
    pub fn counts(&self) -> Result<RecordingCounts> {
        let statement = "SELECT count(*), count(*) FILTER (WHERE outcome = 'fail'),
                                count(*) FILTER (WHERE flaky), (SELECT count(*) FROM skipped)
                         FROM test WHERE runs > 0";
        let counts = |row: &rusqlite::Row| {
            Ok(RecordingCounts {
                tests: row.get::<_, u32>(0)?.into(),
                failing: row.get::<_, u32>(1)?.into(),
                flaky: row.get::<_, u32>(2)?.into(),
                skipped: row.get::<_, u32>(3)?.into(),
                elements: self.elements.len() as u64,
            })
        };
        self.case.sql(|c| c.query_row(statement, [], counts))
    }

    /// Whether the program has lines in this file.
    pub fn knows_file(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }

    /// The files that the program has lines in, in no order.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(|path| &**path)
    }

    /// Keeps what version control tells of files, and nothing else of what was told before.
    pub fn keep_history(&self, history: &HashMap<String, FileHistory>) -> Result<()> {
        let known = self.files.iter();
        let known = known.filter_map(|(path, &file)| Some((file, *history.get(path)?)));
        self.case.sql(|c| evidence::replace_history(c, known))
    }

    /// Forgets what was measured in these files and of these tests: their lines go, and every test
    /// that covers one of them or is `stale` has to be measured again. Its labels are undone, since
    /// they were given for other code. How many tests that are.
    pub fn forget(
        &mut self,
        changed: impl Fn(&str) -> bool,
        stale: impl Fn(&str) -> bool,
    ) -> Result<u64> {
        self.commit()?;
        let count = self.case.sql(|c| {
            let transaction = c.unchecked_transaction()?;
            let count = mark_stale(&transaction, &changed, &stale)?;
            rewrite(&transaction, |file| !changed(file), |_| true)?;
            transaction.execute("DELETE FROM skipped", [])?;
            transaction.commit()?;
            Ok(count)
        })?;
        self.load()?;
        Ok(count)
    }

    /// Ends the recording: tests in the order of their names, lines in the order of their files. If
    /// the run was of all tests, those that were not seen any more are dropped.
    pub fn finish(self, all_tests: bool) -> Result<RecordingCounts> {
        self.commit()?;
        self.case.sql(|c| {
            let transaction = c.unchecked_transaction()?;
            rewrite(&transaction, |_| true, |runs| runs > 0 || !all_tests)?;
            transaction.execute_batch(
                "INSERT OR REPLACE INTO about VALUES ('state', 'complete');
                 DELETE FROM about WHERE key = 'measured';",
            )?;
            transaction.commit()?;
            c.pragma_update(None, "journal_mode", "DELETE")
        })?;
        self.counts()
    }

    /// New lines are committed with the first test that is recorded after them.
    fn begin(&self) -> Result<()> {
        self.transact(true, "BEGIN")
    }

    fn commit(&self) -> Result<()> {
        self.transact(false, "COMMIT")
    }

    fn transact(&self, outside: bool, statement: &str) -> Result<()> {
        self.case.sql(|c| match c.is_autocommit() == outside {
            true => c.execute_batch(statement),
            false => Ok(()),
        })
    }

    fn execute(&self, statement: &str, values: impl Params) -> Result<()> {
        let run = |c: &Connection| c.prepare_cached(statement)?.execute(values);
        self.case.sql(run).map(drop)
    }

    fn add_method(&mut self, file: &str, name: &str) -> Result<u32> {
        self.begin()?;
        let file = match self.files.get(file) {
            Some(&id) => id,
            None => {
                let id = self.files.len() as u32;
                let statement = "INSERT INTO file (id, path) VALUES (?, ?)";
                self.execute(statement, params![id, file])?;
                self.files.insert(file.to_owned(), id);
                id
            }
        };
        let id = self.methods.len() as u32;
        let statement = "INSERT INTO method (id, file, name) VALUES (?, ?, ?)";
        self.execute(statement, params![id, file, name])?;
        self.methods.insert(name.to_owned(), id);
        Ok(id)
    }

    fn load(&mut self) -> Result<()> {
        let names = |statement: &'static str| {
            self.case.sql(|c| {
                let mut query = c.prepare(statement)?;
                let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
                rows.collect::<rusqlite::Result<HashMap<String, u32>>>()
            })
        };
        let files = names("SELECT path, id FROM file")?;
        let methods = names("SELECT name, id FROM method")?;
        (self.files, self.methods) = (files, methods);
        self.elements = self.case.sql(|c| {
            let mut query = c.prepare("SELECT method, line, id FROM element")?;
            let rows = query.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
            rows.collect()
        })?;
        let statement = "SELECT coalesce(max(id) + 1, 0) FROM test";
        let next = |c: &Connection| c.query_row(statement, [], |row| row.get(0));
        self.tests = self.case.sql(next)?;
        Ok(())
    }
}

impl Lock {
    fn take(case: &Path) -> Result<Self> {
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

#[cfg(test)]
mod tests;
