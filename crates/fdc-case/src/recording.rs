//! A case file that grows test by test while a collector runs.
//!
//! Every finished test is committed by itself, so a killed collector loses at most the tests under
//! way and the next one goes on. A lock keeps a second collector out. People may look at the case and
//! answer meanwhile: nothing is locked for longer than a commit takes. What is in memory grows with
//! the program's lines, never with the number of tests. [`Recording::finish`] puts tests and lines
//! into a fixed order, so the case does not depend on the order in which tests happened to end.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use fdc_core::evidence::{FailureRecord, FileHistory, TestPlace};
use fdc_core::spectrum::Outcome;
use rusqlite::TransactionBehavior::Immediate;
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension as _, Params, Transaction, params,
};

use crate::case::{Case, about, file_identity, sql_error};
use crate::checksum::Part;
use crate::database::open_database;
use crate::error::{FileError, Result};
use crate::lock::Lock;
use crate::renumber::{mark_stale, places_of, relocate, rewrite};
use crate::special::refuse_special_file;
use crate::{evidence, row, schema};

/// Notes on how far a collection is: [`COLLECTING`] or [`COMPLETE`]; how many tests it shall have;
/// and for which time they are run.
pub(crate) const STATE: &str = "state";
pub(crate) const COLLECTING: &str = "collecting";
pub(crate) const COMPLETE: &str = "complete";
pub(crate) const PLANNED: &str = "planned";
pub(crate) const RUN: &str = "run";
/// A line a file: the digest of its text, two blanks, its path.
pub(crate) const SOURCES: &str = "sources";

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
    /// What is in the maps and not in the file yet; it is written with the next test.
    new: Vec<NewRow>,
    tests: i64,
    /// Whether the file says that all tests are in it.
    complete: bool,
    _lock: Lock,
}

#[derive(Debug)]
enum NewRow {
    File(u32, String),
    Method(u32, u32, String),
    Element(u32, u32, u32),
}

/// How long to wait for another program that writes to the case.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

impl Recording {
    /// Opens the case, or makes it. `notes` say how it is measured; a case that was made another
    /// way, by the first of them, is refused.
    pub fn open(path: &Path, notes: &[(&str, &str)]) -> Result<Self> {
        refuse_special_file(path)?;
        let lock = Lock::take(path, "collect")?;
        // An empty file is as good as none.
        if std::fs::metadata(path).is_ok_and(|file| file.len() > 0) {
            Case::open(path)?.check_whole(&Part::ALL)?;
        }
        let failed = |error: rusqlite::Error| sql_error(path, &error);
        let mut case = Case {
            connection: open_database(path, OpenFlags::default()).map_err(failed)?,
            path: path.to_owned(),
            file: file_identity(path),
        };
        case.connection.busy_timeout(PATIENCE).map_err(failed)?;
        if let Some((key, found)) = start(&mut case.connection, notes).map_err(failed)? {
            let expected = format!("a case with {key} {:?}", notes[0].1);
            return Err(FileError::bad(path, expected, format!("{found:?}"))
                .hint("write to another file with -o, or remove this one"));
        }
        let mut recording = Recording {
            complete: case.about(STATE)?.as_deref() == Some(COMPLETE),
            case,
            new: Vec::new(),
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
    pub fn element(&mut self, file: &str, method: &str, line: u32) -> u32 {
        let method = match self.methods.get(method) {
            Some(&id) => id,
            None => self.add_method(file, method),
        };
        if let Some(&id) = self.elements.get(&(method, line)) {
            return id;
        }
        let id = self.elements.len() as u32;
        self.new.push(NewRow::Element(id, method, line));
        self.elements.insert((method, line), id);
        id
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
            self.write(|c| {
                let statement = "INSERT OR REPLACE INTO skipped VALUES (?, ?)";
                execute(c, statement, [run.name, reason])
            })?;
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
        self.write(|c| {
            execute(
                c,
                "INSERT INTO test (id, name, outcome, runs, seconds, note)
                 VALUES (?1, ?2, ?3, 1, ?4, ?5)
                 ON CONFLICT (id) DO UPDATE SET
                     outcome = ?3, runs = 1, seconds = ?4, note = ?5, flaky = 0",
                params![id, run.name, outcome.name(), run.seconds, run.note],
            )?;
            let statement = "INSERT OR REPLACE INTO coverage VALUES (?, ?)";
            execute(c, statement, params![id, row])?;
            evidence::replace(c, id, run.failure)
        })?;
        self.tests = self.tests.max(id + 1);
        Ok(true)
    }

    /// So many tests shall be run for the given time, those that were before included.
    pub fn plan(&mut self, tests: u64, run: u32) -> Result<()> {
        self.case.sql(|c| {
            note(c, PLANNED, &tests.to_string())?;
            note(c, RUN, &run.to_string())
        })
    }

    /// Stores how another run of a measured test ended; a changed outcome makes it flaky.
    pub fn record_again(&mut self, name: &str, judgement: Judgement) -> Result<()> {
        let outcome = match judgement {
            Judgement::Judged(outcome) => outcome.name(),
            Judgement::Skipped => "skipped",
        };
        self.write(|c| {
            let statement =
                "UPDATE test SET runs = runs + 1, flaky = flaky OR outcome IS NOT ? WHERE name = ?";
            execute(c, statement, [outcome, name])
        })
    }

    /// Stores how a test that is measured already ended this time, as its outcome from now on; whether
    /// there is such a test. What it covers stays.
    pub fn judge(&mut self, run: &TestRun) -> Result<bool> {
        let known: Option<i64> = self.case.sql(|c| {
            c.prepare_cached("SELECT id FROM test WHERE name = ? AND runs > 0")?
                .query_row([run.name], |row| row.get(0))
                .optional()
        })?;
        self.write(|c| {
            let Some(test) = known else {
                // Skipped before: it is to be measured.
                return execute(c, "DELETE FROM skipped WHERE name = ?", [run.name]);
            };
            let outcome = run.judgement.outcome().map(Outcome::name);
            let statement = "UPDATE test SET outcome = ?, seconds = ?, note = ? WHERE id = ?";
            execute(c, statement, params![outcome, run.seconds, run.note, test])?;
            evidence::replace(c, test, run.failure)
        })?;
        Ok(known.is_some())
    }

    /// A note on how the case was measured.
    pub fn about(&self, key: &str) -> Result<Option<String>> {
        self.case.about(key)
    }

    /// Keeps a note on how the case was measured.
    pub fn keep_note(&mut self, key: &str, value: &str) -> Result<()> {
        self.case.sql(|c| note(c, key, value))
    }

    /// Whether any measured test is one of those.
    pub fn any_measured(&self, is_it: impl Fn(&str) -> bool) -> Result<bool> {
        let mut found = false;
        self.for_each_run_at_least(1, |test| found |= is_it(test))?;
        Ok(found)
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
    pub fn keep_history(&mut self, history: &HashMap<String, FileHistory>) -> Result<()> {
        if !self.new.is_empty() {
            self.write(|_| Ok(()))?;
        }
        let known = self.files.iter();
        let known = known.filter_map(|(path, &file)| Some((file, *history.get(path)?)));
        self.case.sql(|c| {
            Part::Measured.forget(c)?;
            evidence::replace_history(c, known)
        })
    }

    /// Notes the digests of the sources that were measured, by their paths, in the place of those
    /// noted before.
    pub fn keep_sources(&self, digests: &BTreeMap<String, String>) -> Result<()> {
        self.case.sql(|c| note(c, SOURCES, &source_lines(digests)))
    }

    /// Notes where failing tests stand, as far as that is not known yet and `find` tells by name.
    pub fn find_test_places(&mut self, find: impl Fn(&str) -> Option<TestPlace>) -> Result<()> {
        self.case.sql(|c| {
            Part::Measured.forget(c)?;
            evidence::find_places(c, find)
        })
    }

    /// The case itself, as far as it is written.
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// Notes how the case is measured, in place of what was noted before.
    pub fn note(&mut self, notes: &[(&str, String)]) -> Result<()> {
        let mut notes = notes.iter();
        self.write(|c| notes.try_for_each(|(key, value)| note(c, key, value)))
    }

    /// Forgets what was measured of these tests and lines. `place` tells by file, method and line where
    /// a line is now, with its method's name; one that is nowhere goes, and every test that covers it or
    /// is `stale` has to be measured again. Its labels are undone, since they were given for other code.
    /// How many tests that are.
    pub fn forget(
        &mut self,
        place: impl Fn(&str, &str, u32) -> Option<(String, u32)>,
        stale: impl Fn(&str) -> bool,
    ) -> Result<u64> {
        let count = self.write(|transaction| {
            let places = places_of(transaction, place)?;
            let count = mark_stale(transaction, &places, &stale)?;
            relocate(transaction, &places)?;
            rewrite(transaction, |element| places[element].is_some(), |_| true)?;
            transaction.execute("DELETE FROM skipped", [])?;
            Part::Answered.keep(transaction)?;
            Ok(count)
        })?;
        self.load()?;
        Ok(count)
    }

    /// Ends the recording: tests in the order of their names, lines in the order of their files. If
    /// the run was of all tests, those that were not seen any more are dropped.
    pub fn finish(mut self, all_tests: bool) -> Result<RecordingCounts> {
        self.write(|transaction| {
            rewrite(transaction, |_| true, |runs| runs > 0 || !all_tests)?;
            note(transaction, STATE, COMPLETE)?;
            let statement = "DELETE FROM about WHERE key IN ('measured', ?, ?)";
            execute(transaction, statement, [PLANNED, RUN])?;
            Part::ALL.iter().try_for_each(|part| part.keep(transaction))
        })?;
        tidy(&self.case.connection);
        self.counts()
    }

    /// Writes what is new, and more, as a whole.
    fn write<T>(&mut self, more: impl FnOnce(&Transaction) -> rusqlite::Result<T>) -> Result<T> {
        let (new, complete) = (&self.new, self.complete);
        let written = self.case.sql(|c| {
            // Reading first and writing later would fail if somebody answered in between.
            let transaction = Transaction::new_unchecked(c, Immediate)?;
            new.iter().try_for_each(|row| row.insert(&transaction))?;
            if complete {
                note(&transaction, STATE, COLLECTING)?;
                Part::Measured.forget(&transaction)?;
            }
            let written = more(&transaction)?;
            transaction.commit()?;
            Ok(written)
        })?;
        self.new.clear();
        self.complete = false;
        Ok(written)
    }

    fn add_method(&mut self, file: &str, name: &str) -> u32 {
        let file = match self.files.get(file) {
            Some(&id) => id,
            None => {
                let id = self.files.len() as u32;
                self.new.push(NewRow::File(id, file.to_owned()));
                self.files.insert(file.to_owned(), id);
                id
            }
        };
        let id = self.methods.len() as u32;
        self.new.push(NewRow::Method(id, file, name.to_owned()));
        self.methods.insert(name.to_owned(), id);
        id
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

impl NewRow {
    fn insert(&self, connection: &Connection) -> rusqlite::Result<()> {
        match self {
            NewRow::File(id, path) => {
                let statement = "INSERT INTO file (id, path) VALUES (?, ?)";
                execute(connection, statement, params![id, path])
            }
            NewRow::Method(id, file, name) => {
                let statement = "INSERT INTO method (id, file, name) VALUES (?, ?, ?)";
                execute(connection, statement, params![id, file, name])
            }
            NewRow::Element(id, method, line) => {
                let statement = "INSERT INTO element (id, method, line) VALUES (?, ?, ?)";
                execute(connection, statement, params![id, method, line])
            }
        }
    }
}

fn execute(connection: &Connection, statement: &str, values: impl Params) -> rusqlite::Result<()> {
    connection
        .prepare_cached(statement)?
        .execute(values)
        .map(drop)
}

pub(crate) fn note(connection: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    execute(
        connection,
        "INSERT OR REPLACE INTO about VALUES (?, ?)",
        [key, value],
    )
}

/// Digests of sources by their paths, as a note keeps them.
pub(crate) fn source_lines(digests: &BTreeMap<String, String>) -> String {
    // A path with the end of a line in it would be read as two.
    let plain = digests.iter().filter(|(path, _)| !path.contains('\n'));
    let lines = plain.map(|(path, digest)| format!("{digest}  {path}\n"));
    lines.collect()
}

/// Lays out the file by its content alone, whatever the order it was written in.
pub(crate) fn tidy(connection: &Connection) {
    // Best effort: all is in the file. Somebody may be reading it, or the disk may be full.
    let _ = connection.execute_batch("VACUUM");
}

/// Brings the file to the present schema and writes the notes. The first note of a case that
/// exists must be the same; else its key and what it is.
fn start(
    connection: &mut Connection,
    notes: &[(&str, &str)],
) -> rusqlite::Result<Option<(String, String)>> {
    schema::prepare(connection)?;
    // Readers see whole tests while we write, and a commit does not wait for the disk. Where somebody
    // reads just now, commits wait for readers instead.
    match connection.pragma_update(None, "journal_mode", "WAL") {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
        set => set?,
    }
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
    for (key, value) in notes {
        note(connection, key, value)?;
    }
    // A case that is complete stays so until something new is recorded.
    if about(connection, STATE)?.is_none() {
        note(connection, STATE, COLLECTING)?;
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
