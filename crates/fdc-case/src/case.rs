//! An open case: what is in it.

use std::collections::{BTreeMap, HashMap};
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fdc_core::rows::Rows;
use fdc_core::spectrum::{Bug, Element, Fault, Method, MethodId, Outcome, Program, Test};
use fdc_core::{Spectrum, Verdict};
use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, Row, Transaction};

use crate::checksum::Part;
use crate::database::open_database;
use crate::error::{FileError, Result};
use crate::lock::{Lock, holders, resolved};
use crate::recording::{COLLECTING, COMPLETE, PLANNED, RUN, SOURCES, STATE};
use crate::special::refuse_special_file;
use crate::{SQLITE_MAGIC, evidence, loading, mutants, schema};

/// An open case file.
#[derive(Debug)]
pub struct Case {
    pub(crate) path: PathBuf,
    pub(crate) connection: Connection,
    /// What was at the path when it was opened.
    pub(crate) file: Option<FileIdentity>,
}

/// What [`Case::moment`] holds.
#[derive(Debug)]
pub struct Moment<'c>(#[expect(dead_code, reason = "held, not used")] Transaction<'c>);

impl Case {
    /// The case file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a case for reading and writing (for reading alone where the file cannot be written).
    pub fn open(path: &Path) -> Result<Self> {
        if !path.exists() {
            let missing = std::io::ErrorKind::NotFound.into();
            return Err(FileError::io(path, "open it")(missing));
        }
        refuse_special_file(path)?;
        check_length(path)?;
        let connection = open_database(path, OpenFlags::SQLITE_OPEN_READ_WRITE);
        let case = Case {
            path: path.to_owned(),
            connection: connection.map_err(|error| sql_error(path, &error))?,
            file: file_identity(path),
        };
        case.check()?;
        Ok(case)
    }

    /// Everything needed to rank and select; labels that are not undone are on their tests, and
    /// virtual tests that are not undone are tests of origin [`VIRTUAL`](fdc_core::spectrum::VIRTUAL) after all others.
    pub fn spectrum(&self) -> Result<Spectrum> {
        let _moment = self.moment()?;
        let mut spectrum = self.measured()?;
        self.add_virtual_tests(&mut spectrum)?;
        Ok(spectrum)
    }

    /// The same without virtual tests. Neither has mutants: [`Self::add_kills`].
    pub fn measured(&self) -> Result<Spectrum> {
        let _moment = self.moment()?;
        let (program, fault) = self.sql(read_program)?;
        let tests = self.sql(read_tests)?;
        let rows = self.read_rows(program.elements.len(), &tests)?;
        let bug = self.sql(|c| {
            let subject = about(c, "subject")?;
            let version = about(c, "version")?;
            Ok(subject.map(|subject| Bug {
                subject,
                version: version.and_then(|text| text.parse().ok()).unwrap_or(0),
            }))
        })?;
        let history = self.sql(|c| evidence::read_history(c, program.files.len()))?;
        let put_together = || Spectrum::new(bug, program, tests, rows, fault);
        let check = || self.check_whole(&Part::SPECTRUM);
        let (spectrum, whole) = loading::beside(put_together, check);
        let spectrum = spectrum.map_err(|error| FileError::inconsistent(&self.path, &error))?;
        whole?;
        Ok(Spectrum {
            history,
            ..spectrum
        })
    }

    /// Adds what mutants showed to the case's own spectrum. There may be many, each with many failures,
    /// so only who hears them reads them.
    pub fn add_kills(&self, spectrum: &mut Spectrum) -> Result<()> {
        spectrum.mutants = mutants::joined(&self.mutants()?, spectrum);
        Ok(())
    }

    /// As long as it is held, everything is read as of one moment: a collector may be writing, and
    /// number everything anew. Moments may be nested.
    pub fn moment(&self) -> Result<Option<Moment<'_>>> {
        let connection = &self.connection;
        let first = connection.is_autocommit();
        let moment = first.then(|| connection.unchecked_transaction());
        let moment = moment.transpose();
        Ok(moment
            .map_err(|error| sql_error(&self.path, &error))?
            .map(Moment))
    }

    /// A note on where the case comes from.
    pub fn about(&self, key: &str) -> Result<Option<String>> {
        self.sql(|c| about(c, key))
    }

    pub(crate) fn all_notes(&self) -> Result<BTreeMap<String, String>> {
        self.sql(|c| {
            let mut query = c.prepare("SELECT key, value FROM about")?;
            let notes = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            notes.collect()
        })
    }

    /// The digests of the sources that were measured, by their paths, as far as they were noted.
    pub fn source_digests(&self) -> Result<HashMap<String, String>> {
        let lines = self.about(SOURCES)?.unwrap_or_default();
        let known = lines.lines().filter_map(|line| {
            let (digest, path) = line.split_once("  ")?;
            Some((path.to_owned(), digest.to_owned()))
        });
        Ok(known.collect())
    }

    /// What to know of a case that a collector has not finished, in a sentence.
    pub fn interruption(&self) -> Result<Option<String>> {
        if self.about(STATE)?.as_deref() != Some(COLLECTING) {
            return Ok(None);
        }
        let run = self.about(RUN)?.and_then(|run| run.parse().ok());
        let run: u32 = run.unwrap_or(1);
        let statement =
            "SELECT count(*) + (SELECT count(*) FROM skipped) FROM test WHERE runs >= ?";
        let done: u32 = self.sql(|c| c.query_row(statement, [run], |row| row.get(0)))?;
        let tests = match self.about(PLANNED)? {
            Some(planned) => format!("{done} of {planned} tests"),
            None => format!("{done} tests"),
        };
        let again = if run > 1 {
            " in another run of its tests,"
        } else {
            ""
        };
        let path = self.path.display();
        Ok(Some(match Lock::is_held(&self.path) {
            true => {
                format!("{path}: the collection is still running,{again} with {tests} done so far")
            }
            false => format!(
                "{path}: the collection was interrupted{again} after {tests}; \
                 run the same fdc collect again to finish it"
            ),
        }))
    }

    /// Per test in order, why it failed or that it hung, in a line, where a collector wrote that
    /// down; files before schema 2 have none.
    pub fn notes(&self) -> Result<Vec<Option<String>>> {
        if self.sql(evidence::version)? < 2 {
            return Ok(Vec::new());
        }
        self.column("SELECT note FROM test ORDER BY id")
    }

    /// The tests that a collector skipped, by name.
    pub fn skipped(&self) -> Result<Vec<String>> {
        self.column("SELECT name FROM skipped ORDER BY name")
    }

    pub(crate) fn column<T: FromSql>(&self, statement: &str) -> Result<Vec<T>> {
        self.sql(|c| {
            let mut query = c.prepare(statement)?;
            query.query_map([], |row| row.get(0))?.collect()
        })
    }

    fn check(&self) -> Result<()> {
        let number =
            |pragma| self.sql(|c| c.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)));
        let (application, version) = (number("application_id")?, number("user_version")?);
        let (expected, found, hint) = if application != i64::from(schema::APPLICATION_ID) {
            let found = "another SQLite database".to_owned();
            let hint = "make a case of it with `fdc import`";
            ("a case file".to_owned(), found, hint)
        } else if version > schema::VERSION {
            let expected = format!("a case file of schema {} or older", schema::VERSION);
            let hint = "a newer fdc wrote it: update fdc";
            (expected, format!("schema {version}"), hint)
        } else {
            return Ok(());
        };
        Err(FileError::bad(&self.path, expected, found).hint(hint))
    }

    fn read_rows(&self, elements: usize, tests: &[Test]) -> Result<Rows> {
        let (rows, problem) = self.sql(|c| loading::read_rows(c, elements as u32))?;
        let count = rows.len();
        let found = match problem {
            Some(problem) => problem,
            None if count == tests.len() => return Ok(rows),
            None => format!("{count} rows for {} tests", tests.len()),
        };
        let test = tests.get(count).map_or("?", |test| &test.name);
        let expected = format!("a row over {elements} elements for each test");
        Err(FileError::bad(&self.path, expected, found)
            .at(format_args!("table coverage, row {count} (test {test})"))
            .hint("the case file is damaged: import or collect it again"))
    }

    pub(crate) fn sql<T>(&self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        run(&self.connection).map_err(|error| sql_error(&self.path, &error))
    }
}

/// Tells a file from another one that takes its place.
pub(crate) type FileIdentity = (u64, u64);

/// Of the file at a path, if there is one.
pub(crate) fn file_identity(path: &Path) -> Option<FileIdentity> {
    std::fs::metadata(path).ok().map(|data| identity(&data))
}

/// By its metadata; always the same where the system does not tell.
#[cfg(unix)]
pub(crate) fn identity(data: &Metadata) -> FileIdentity {
    use std::os::unix::fs::MetadataExt as _;
    (data.dev(), data.ino())
}

#[cfg(not(unix))]
pub(crate) fn identity(_: &Metadata) -> FileIdentity {
    (0, 0)
}

impl Drop for Case {
    fn drop(&mut self) {
        // Best effort: while others have the case open its log stays, and the last of them ends it.
        let _ = end_log(&self.connection);
    }
}

/// Ends the log of a case that is complete, so that it is one file again.
fn end_log(connection: &Connection) -> rusqlite::Result<()> {
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if mode == "wal" && about(connection, STATE)?.as_deref() == Some(COMPLETE) {
        connection.busy_timeout(Duration::ZERO)?;
        connection.pragma_update(None, "journal_mode", "DELETE")?;
    }
    Ok(())
}

/// SQLite notices missing pages only when it reads them; the header tells at once.
fn check_length(path: &Path) -> Result<()> {
    let mut header = [0; 100];
    let file = File::open(path).map_err(FileError::io(path, "open it"))?;
    let data = file.metadata().map_err(FileError::io(path, "read it"))?;
    let length = data.len();
    if (&file).read_exact(&mut header).is_err() || !header.starts_with(SQLITE_MAGIC) {
        return Err(FileError::bad(path, "a case file", "something else")
            .hint("make a case with `fdc import`"));
    }
    let page_size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size => u64::from(size),
    };
    let pages = u32::from_be_bytes([header[28], header[29], header[30], header[31]]);
    let whole = page_size * u64::from(pages);
    // A collector that was stopped leaves pages in the log, which SQLite takes from there.
    let mut log = resolved(path).into_os_string();
    log.push("-wal");
    let in_log = std::fs::metadata(&log).is_ok_and(|log| log.len() > 0);
    if length >= whole || in_log {
        return Ok(());
    }
    let error = FileError::bad(path, format!("{whole} bytes"), length.to_string());
    Err(error.hint("the case file is cut off: copy, import or collect it again"))
}

fn read_program(connection: &Connection) -> rusqlite::Result<(Program, Option<Fault>)> {
    let mut fault = Fault::default();
    let statement = "SELECT id, path FROM file ORDER BY id";
    let files = numbered(connection, statement, |_, row| row.get(1))?;
    let statement = "SELECT id, file, name, faulty FROM method ORDER BY id";
    let methods = numbered(connection, statement, |id, row| {
        if row.get(3)? {
            fault.methods.push(MethodId(id));
        }
        let (file, name) = (row.get(1)?, row.get(2)?);
        Ok(Method { name, file })
    })?;
    let mut labels: Vec<String> = Vec::new();
    let statement = "SELECT id, method, line, label, faulty FROM element ORDER BY id";
    let elements = numbered(connection, statement, |id, row| {
        if row.get(4)? {
            fault.elements.push(id);
        }
        labels.extend(row.get::<_, Option<String>>(3)?);
        Ok(Element {
            method: MethodId(row.get(1)?),
            line: row.get(2)?,
        })
    })?;
    let program = Program {
        files,
        methods,
        elements,
        labels,
    };
    let known = about(connection, "fault_known")?.is_some();
    Ok((program, known.then_some(fault)))
}

/// The rows of a table in the order of their ids, which count from 0 without gaps; anything else is
/// a damaged file.
fn numbered<T>(
    connection: &Connection,
    statement: &str,
    mut read: impl FnMut(u32, &Row) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let mut all = Vec::new();
    for_each_row(connection, statement, |row| {
        let id: i64 = row.get(0)?;
        if id != all.len() as i64 {
            return Err(rusqlite::Error::IntegralValueOutOfRange(0, id));
        }
        all.push(read(all.len() as u32, row)?);
        Ok(())
    })?;
    Ok(all)
}

pub(crate) fn for_each_row(
    connection: &Connection,
    statement: &str,
    mut visit: impl FnMut(&Row) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let mut query = connection.prepare(statement)?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        visit(row)?;
    }
    Ok(())
}

fn read_tests(connection: &Connection) -> rusqlite::Result<Vec<Test>> {
    let statement = "SELECT id, name, outcome, origin, flaky FROM test ORDER BY id";
    let mut tests = numbered(connection, statement, |_, row| {
        let outcome: Option<String> = row.get(2)?;
        Ok(Test {
            name: row.get(1)?,
            outcome: outcome.as_deref().and_then(outcome_named),
            flaky: row.get(4)?,
            origin: row.get(3)?,
            ..Test::default()
        })
    })?;
    evidence::read(connection, &mut tests)?;
    let statement = "SELECT test, verdict, weight FROM label WHERE undone = 0 ORDER BY id";
    for_each_row(connection, statement, |row| {
        let test: i64 = row.get(0)?;
        let verdict = read_verdict(row, 1, 2)?;
        // A negative number is far beyond the tests as well.
        if let Some(test) = tests.get_mut(test as usize) {
            test.label = verdict;
        }
        Ok(())
    })?;
    Ok(tests)
}

/// A verdict and its weight, by column; none if there is none.
pub(crate) fn read_verdict(
    row: &Row,
    outcome: usize,
    weight: usize,
) -> rusqlite::Result<Option<Verdict>> {
    let name: Option<String> = row.get(outcome)?;
    let Some(outcome) = name.as_deref().and_then(outcome_named) else {
        return Ok(None);
    };
    let trust: f64 = row.get(weight)?;
    if !(0.0..=1.0).contains(&trust) {
        let found = format!("a verdict of weight {trust}, which must be from 0 to 1");
        let kind = rusqlite::types::Type::Real;
        return Err(rusqlite::Error::FromSqlConversionFailure(
            weight,
            kind,
            found.into(),
        ));
    }
    Ok(Some(Verdict { outcome, trust }))
}

fn outcome_named(name: &str) -> Option<Outcome> {
    let mut outcomes = [Outcome::Pass, Outcome::Fail].into_iter();
    outcomes.find(|outcome| outcome.name() == name)
}

pub(crate) fn about(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    let mut query = connection.prepare("SELECT value FROM about WHERE key = ?")?;
    let mut rows = query.query([key])?;
    rows.next()?.map(|row| row.get(0)).transpose()
}

pub(crate) fn sql_error(path: &Path, error: &rusqlite::Error) -> FileError {
    use rusqlite::ErrorCode;
    if error.sqlite_error_code() == Some(ErrorCode::DiskFull) {
        return FileError::bad(path, "room to write", "a full disk")
            .hint("make room and run the same command again; what was written before is kept");
    }
    let hint = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            let found = holders(path).unwrap_or_else(|| "another program".to_owned());
            let found = format!("{found} at work on it");
            return FileError::bad(path, "a case that nobody else is writing to", found)
                .hint("wait for that to end, and run the same command again");
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            "check that the file and its folder can be written"
        }
        _ => "the case file is damaged: import or collect it again",
    };
    FileError::bad(path, "a whole case file", error.to_string()).hint(hint)
}
