//! `case.fdc`: the file, the recording of a collection, the answers of people; and whole-or-nothing
//! writes for everybody.
//!
//! | concept | home |
//! |---|---|
//! | an open case, and a case made of a spectrum | [`Case`], [`import`] |
//! | a collection that is written test by test | [`recording`] |
//! | what people answered | [`answers`] |
//! | tables and migrations | `schema` |
//! | how a row of coverage is encoded | [`row`] |
//! | a file that is whole or not there | [`write_whole`] |
#![forbid(unsafe_code)]

pub mod answers;
mod error;
mod extension;
pub mod recording;
pub mod row;
mod schema;
mod whole;

use std::fs::File;
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use fdc_core::coverage::TestId;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Bug, Element, Fault, Method, MethodId, Outcome, Program, Test, VIRTUAL};
use fdc_core::{Spectrum, Verdict};
use rusqlite::{Connection, OpenFlags, params};

pub use error::FileError;
pub use extension::NewTest;
pub use whole::{replace_whole, write_whole};

const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// Whether a file that begins so is a case file.
pub fn is_case(head: &[u8]) -> bool {
    head.starts_with(SQLITE_MAGIC)
        && head.get(68..72) == Some(&schema::APPLICATION_ID.to_be_bytes()[..])
}

/// Reads a case file.
pub fn read(path: &Path) -> Result<Spectrum, FileError> {
    Case::open(path)?.spectrum()
}

/// Makes a case file of the spectrum, whole or not at all; an existing file is replaced.
pub fn write(spectrum: &Spectrum, path: &Path) -> Result<(), FileError> {
    import(spectrum, path, &[])
}

/// [`write()`], with notes on where the case comes from, stored in its `about` table.
pub fn import(spectrum: &Spectrum, path: &Path, about: &[(&str, &str)]) -> Result<(), FileError> {
    replace_whole(path, |draft| {
        // The system says better than SQLite why a file cannot be made.
        File::create(draft).map_err(FileError::io(path, "write it"))?;
        let mut connection = Connection::open(draft).map_err(|e| sql_error(path, &e))?;
        fill(&mut connection, spectrum, about).map_err(|error| sql_error(path, &error))?;
        let closed = connection.close();
        closed.map_err(|(_, error)| sql_error(path, &error))
    })
}

fn fill(
    connection: &mut Connection,
    spectrum: &Spectrum,
    about: &[(&str, &str)],
) -> rusqlite::Result<()> {
    // The file is not in place yet, so there is nothing a rollback journal could save.
    connection.pragma_update(None, "journal_mode", "OFF")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    schema::prepare(connection)?;
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT INTO about VALUES (?, ?)")?;
        for (key, value) in about {
            insert.execute([key, value])?;
        }
        if let Some(bug) = &spectrum.bug {
            insert.execute(["subject", &bug.subject])?;
            insert.execute(["version", &bug.version.to_string()])?;
        }
        if spectrum.fault.is_some() {
            insert.execute(["fault_known", "1"])?;
        }
        let program = &spectrum.program;
        let mut insert = transaction.prepare("INSERT INTO file VALUES (?, ?)")?;
        for (id, path) in program.files.iter().enumerate() {
            insert.execute(params![id as i64, path])?;
        }
        let fault = spectrum.fault.clone().unwrap_or_default();
        let mut insert = transaction.prepare("INSERT INTO method VALUES (?, ?, ?, ?)")?;
        for (id, method) in program.methods.iter().enumerate() {
            let faulty = fault.methods.contains(&MethodId(id as u32));
            insert.execute(params![id as i64, method.file, method.name, faulty])?;
        }
        let mut insert = transaction.prepare("INSERT INTO element VALUES (?, ?, ?, ?, ?)")?;
        for (id, element) in program.elements.iter().enumerate() {
            let faulty = fault.elements.contains(&(id as u32));
            let label = program.labels.get(id);
            insert.execute(params![
                id as i64,
                element.method.0,
                element.line,
                label,
                faulty
            ])?;
        }
        let mut insert = transaction.prepare(
            "INSERT INTO test (id, name, outcome, origin, flaky) VALUES (?, ?, ?, ?, ?)",
        )?;
        let mut insert_row = transaction.prepare("INSERT INTO coverage VALUES (?, ?)")?;
        let writer = RowWriter::new(spectrum);
        // Virtual tests are answers; without their verdicts they would be tests to label.
        let real = |test: &Test| test.origin.as_deref() != Some(VIRTUAL);
        let tests = spectrum.tests.iter().filter(|test| real(test));
        for (id, test) in tests.enumerate() {
            let outcome = test.outcome.map(Outcome::name);
            insert.execute(params![
                id as i64,
                test.name,
                outcome,
                test.origin,
                test.flaky
            ])?;
            insert_row.execute(params![id as i64, writer.encode(TestId(id as u32))])?;
        }
    }
    transaction.commit()
}

/// Rows over elements again, from rows over merged columns.
struct RowWriter<'s> {
    spectrum: &'s Spectrum,
    /// Per column, its elements as runs.
    runs: Vec<Vec<Range<u32>>>,
}

impl<'s> RowWriter<'s> {
    fn new(spectrum: &'s Spectrum) -> Self {
        let mut runs: Vec<Vec<Range<u32>>> = vec![Vec::new(); spectrum.coverage.column_count()];
        for element in 0..spectrum.program.elements.len() {
            let runs = &mut runs[spectrum.coverage.column_of(element) as usize];
            push_joined(runs, element as u32..element as u32 + 1);
        }
        RowWriter { spectrum, runs }
    }

    fn encode(&self, test: TestId) -> Vec<u8> {
        let mut pieces: Vec<Range<u32>> = Vec::new();
        let row = self.spectrum.coverage.row(test);
        row.for_each(|column| pieces.extend_from_slice(&self.runs[column as usize]));
        pieces.sort_unstable_by_key(|run| run.start);
        let mut runs = Vec::with_capacity(pieces.len());
        for piece in pieces {
            push_joined(&mut runs, piece);
        }
        row::encode(&runs)
    }
}

fn push_joined(runs: &mut Vec<Range<u32>>, next: Range<u32>) {
    match runs.last_mut() {
        Some(run) if run.end == next.start => run.end = next.end,
        _ => runs.push(next),
    }
}

/// An open case file.
#[derive(Debug)]
pub struct Case {
    path: PathBuf,
    connection: Connection,
}

impl Case {
    /// The case file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a case for reading and writing (for reading alone where the file cannot be written).
    pub fn open(path: &Path) -> Result<Self, FileError> {
        if !path.exists() {
            let missing = std::io::ErrorKind::NotFound.into();
            return Err(FileError::io(path, "open it")(missing));
        }
        check_length(path)?;
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(|error| sql_error(path, &error))?;
        let case = Case {
            path: path.to_owned(),
            connection,
        };
        case.check()?;
        Ok(case)
    }

    /// Everything needed to rank and select; labels that are not undone are on their tests, and
    /// virtual tests that are not undone are tests of origin [`VIRTUAL`] after all others.
    pub fn spectrum(&self) -> Result<Spectrum, FileError> {
        let mut spectrum = self.measured()?;
        self.add_virtual_tests(&mut spectrum)?;
        Ok(spectrum)
    }

    /// The same without virtual tests.
    pub fn measured(&self) -> Result<Spectrum, FileError> {
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
        Spectrum::new(bug, program, tests, rows, fault)
            .map_err(|error| FileError::inconsistent(&self.path, &error))
    }

    /// Stores a measured outcome.
    pub fn set_outcome(&self, test: TestId, outcome: Option<Outcome>) -> Result<(), FileError> {
        self.sql(|c| {
            let outcome = outcome.map(Outcome::name);
            let statement = "UPDATE test SET outcome = ? WHERE id = ?";
            c.execute(statement, params![outcome, test.0]).map(drop)
        })
    }

    /// A note on where the case comes from.
    pub fn about(&self, key: &str) -> Result<Option<String>, FileError> {
        self.sql(|c| about(c, key))
    }

    /// Per test in order, why it failed or that it hung, in a line, where a collector wrote that
    /// down.
    pub fn notes(&self) -> Result<Vec<Option<String>>, FileError> {
        self.sql(|c| {
            let mut query = c.prepare("SELECT note FROM test ORDER BY id")?;
            query.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// The tests that a collector skipped, by name.
    pub fn skipped(&self) -> Result<Vec<String>, FileError> {
        self.sql(|c| {
            let mut query = c.prepare("SELECT name FROM skipped ORDER BY name")?;
            query.query_map([], |row| row.get(0))?.collect()
        })
    }

    fn check(&self) -> Result<(), FileError> {
        let number =
            |pragma| self.sql(|c| c.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)));
        let (application, version) = (number("application_id")?, number("user_version")?);
        if application != i64::from(schema::APPLICATION_ID) {
            return Err(
                FileError::bad(&self.path, "a case file", "another SQLite database")
                    .hint("make a case of it with `fdc import`"),
            );
        }
        if version > schema::VERSION {
            let expected = format!("a case file of schema {} or older", schema::VERSION);
            return Err(
                FileError::bad(&self.path, expected, format!("schema {version}"))
                    .hint("a newer fdc wrote it: update fdc"),
            );
        }
        Ok(())
    }

    fn read_rows(&self, elements: usize, tests: &[Test]) -> Result<Rows, FileError> {
        let mut rows = Rows::new(elements as u32);
        let mut runs = Vec::new();
        let mut problem = None;
        self.sql(|c| {
            let mut query = c.prepare("SELECT test, elements FROM coverage ORDER BY test")?;
            let mut found = query.query([])?;
            while let Some(row) = found.next()? {
                let test: i64 = row.get(0)?;
                runs.clear();
                let decoded = if test == rows.len() as i64 {
                    row::decode(row.get_ref(1)?.as_blob()?, &mut runs)
                } else {
                    Err("the row of another test")
                };
                let pushed = decoded
                    .map_err(str::to_owned)
                    .and_then(|()| rows.push(runs.drain(..)).map_err(|e| e.to_string()));
                if let Err(found) = pushed {
                    problem = Some(found);
                    break;
                }
            }
            Ok(())
        })?;
        let problem = problem.or_else(|| {
            (rows.len() != tests.len())
                .then(|| format!("{} rows for {} tests", rows.len(), tests.len()))
        });
        match problem {
            None => Ok(rows),
            Some(found) => {
                let test = tests.get(rows.len()).map_or("?", |test| &test.name);
                let expected = format!("a row over {elements} elements for each test");
                Err(FileError::bad(&self.path, expected, found)
                    .at(format_args!(
                        "table coverage, row {} (test {test})",
                        rows.len()
                    ))
                    .hint("the case file is damaged: import or collect it again"))
            }
        }
    }

    fn sql<T>(&self, run: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, FileError> {
        run(&self.connection).map_err(|error| sql_error(&self.path, &error))
    }
}

/// SQLite notices missing pages only when it reads them; the header tells at once.
fn check_length(path: &Path) -> Result<(), FileError> {
    let mut header = [0; 100];
    let file = File::open(path).map_err(FileError::io(path, "open it"))?;
    let length = file
        .metadata()
        .map_err(FileError::io(path, "read it"))?
        .len();
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
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let in_log = std::fs::metadata(&log).is_ok_and(|log| log.len() > 0);
    if length >= whole || in_log {
        return Ok(());
    }
    Err(
        FileError::bad(path, format!("{whole} bytes"), format!("{length}"))
            .hint("the case file is cut off: copy, import or collect it again"),
    )
}

fn read_program(connection: &Connection) -> rusqlite::Result<(Program, Option<Fault>)> {
    let mut program = Program::default();
    let mut fault = Fault::default();
    let mut query = connection.prepare("SELECT id, path FROM file ORDER BY id")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        in_order(row, program.files.len())?;
        program.files.push(row.get(1)?);
    }
    let mut query = connection.prepare("SELECT id, file, name, faulty FROM method ORDER BY id")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        in_order(row, program.methods.len())?;
        if row.get(3)? {
            fault.methods.push(MethodId(program.methods.len() as u32));
        }
        let (file, name) = (row.get(1)?, row.get(2)?);
        program.methods.push(Method { name, file });
    }
    let statement = "SELECT id, method, line, label, faulty FROM element ORDER BY id";
    let mut query = connection.prepare(statement)?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        in_order(row, program.elements.len())?;
        if row.get(4)? {
            fault.elements.push(program.elements.len() as u32);
        }
        let label: Option<String> = row.get(3)?;
        program.labels.extend(label);
        program.elements.push(Element {
            method: MethodId(row.get(1)?),
            line: row.get(2)?,
        });
    }
    let known = about(connection, "fault_known")?.is_some();
    Ok((program, known.then_some(fault)))
}

/// Ids count from 0 without gaps; anything else is a damaged file.
fn in_order(row: &rusqlite::Row<'_>, expected: usize) -> rusqlite::Result<()> {
    let id: i64 = row.get(0)?;
    if id == expected as i64 {
        Ok(())
    } else {
        Err(rusqlite::Error::IntegralValueOutOfRange(0, id))
    }
}

fn read_tests(connection: &Connection) -> rusqlite::Result<Vec<Test>> {
    let statement = "SELECT id, name, outcome, origin, flaky FROM test ORDER BY id";
    let mut query = connection.prepare(statement)?;
    let mut rows = query.query([])?;
    let mut tests: Vec<Test> = Vec::new();
    while let Some(row) = rows.next()? {
        in_order(row, tests.len())?;
        let outcome: Option<String> = row.get(2)?;
        tests.push(Test {
            name: row.get(1)?,
            outcome: outcome.as_deref().and_then(outcome_named),
            label: None,
            flaky: row.get(4)?,
            origin: row.get(3)?,
        });
    }
    let statement = "SELECT test, verdict, weight FROM label WHERE undone = 0 ORDER BY id";
    let mut query = connection.prepare(statement)?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let (test, verdict, trust): (i64, String, f64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let test = usize::try_from(test)
            .ok()
            .and_then(|test| tests.get_mut(test));
        if let (Some(test), Some(outcome)) = (test, outcome_named(&verdict)) {
            test.label = Some(Verdict { outcome, trust });
        }
    }
    Ok(tests)
}

fn outcome_named(name: &str) -> Option<Outcome> {
    [Outcome::Pass, Outcome::Fail]
        .into_iter()
        .find(|outcome| outcome.name() == name)
}

fn about(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    let mut query = connection.prepare("SELECT value FROM about WHERE key = ?")?;
    let mut rows = query.query([key])?;
    rows.next()?.map(|row| row.get(0)).transpose()
}

fn sql_error(path: &Path, error: &rusqlite::Error) -> FileError {
    use rusqlite::ErrorCode;
    if error.sqlite_error_code() == Some(ErrorCode::DiskFull) {
        return FileError::bad(path, "room to write", "a full disk")
            .hint("make room and run the same command again; what was written before is kept");
    }
    let hint = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another program is writing to the case: wait for it to end"
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            "check that the file and its folder can be written"
        }
        _ => "the case file is damaged: import or collect it again",
    };
    FileError::bad(path, "a whole case file", error.to_string()).hint(hint)
}

#[cfg(test)]
mod tests;
