//! coverage.py — the data file `.coverage` of coverage.py, an SQLite database.
//!
//! The tests are the *contexts*. Measure with them:
//!
//! ```text
//! pytest --cov=shop --cov-context=test                    with pytest-cov
//! coverage run --context=... or dynamic_context = test_function in .coveragerc
//! ```
//! pytest-cov writes the contexts `tests/test_x.py::test_m|setup`, `|run` and `|teardown`: they are
//! one test. Other contexts are tests as they are spelled. The empty context is what ran at import
//! time: it is in no test. Both line and branch measurements are read. A file without contexts is one
//! test if a manifest or a folder says which.
//!
//! The file knows no outcomes: add the report of `pytest --junitxml=report.xml` with `--outcomes`.
//! Paths are made relative to `--source`; lines outside functions are no elements. Schema 7 is read,
//! which coverage.py 5.0 to 7 write.
//!
//! Written is the same schema, with the context `TEST|run` for each test, so that coverage.py's own
//! `report --contexts` and `html --show-contexts` work on it. It holds lines that ran, and no outcomes.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use rusqlite::{Connection, OpenFlags, Row, params};

use crate::input::InputSample;
use crate::line_matrix::{FileIndex, LineMatrix, TestIndex};
use crate::reading::LinesInput;
use crate::sqlite::{open_tables, visit_rows};
use crate::test_lines::{TestLines, plain};
use crate::text::MAX_LINE;
use crate::{Format, Reader};
use fdc_case::{FileError, Result, open_database, replace_whole};
use fdc_core::Spectrum;
use fdc_source::LineSet;

pub(crate) const FORMAT: Format = Format {
    name: "coverage.py",
    summary: "coverage.py's .coverage file; its contexts are the tests",
    detect,
    reader: Reader::Lines(read),
    endings: &["coverage", "db", "sqlite", "dat"],
    write: Some(write),
    source: include_str!("coverage_py.rs"),
};

const SCHEMA: i64 = 7;
const PHASES: [&str; 3] = ["|setup", "|run", "|teardown"];
const DAMAGED: &str = "the file is damaged or cut off: run coverage again";

fn detect(sample: &InputSample) -> bool {
    let name = b"coverage_schema";
    sample.head.starts_with(b"SQLite format 3\0")
        && sample.head.windows(name.len()).any(|bytes| bytes == name)
}

/// Reads a data file.
pub fn read(input: &LinesInput<'_>, matrix: &mut LineMatrix<'_>) -> Result<()> {
    let path = input.path;
    let database = Database {
        path,
        connection: open_tables(path, not_ours)?,
    };
    database.check_schema()?;
    let contexts = database.contexts()?;
    let named = contexts.values().filter_map(|name| name.as_deref());
    let named: BTreeSet<&str> = named.collect();
    input.check_tests(named.len())?;
    if named.is_empty() && !input.listed {
        return Err(FileError::bad(path, "a context for each test", "none")
            .hint("measure with contexts: pytest --cov-context=test, or dynamic_context"));
    }
    let mut tests: HashMap<i64, TestIndex> = HashMap::new();
    for (&context, name) in &contexts {
        // Without contexts everything that ran is the one test's.
        if let Some(name) = name.as_deref().or(named.is_empty().then_some("")) {
            tests.insert(context, input.test_named(matrix, name));
        }
    }
    let files = database.files(matrix)?;
    database.cover(&tests, &files, matrix)
}

struct Database<'p> {
    path: &'p Path,
    connection: Connection,
}

impl Database<'_> {
    fn check_schema(&self) -> Result<()> {
        let query = "SELECT version FROM coverage_schema";
        let version = self.connection.query_row(query, [], |row| row.get(0));
        let version: i64 = version.map_err(|error| not_ours(self.path, &error))?;
        if version != SCHEMA {
            let expected = format!("a data file of schema {SCHEMA}");
            let error = FileError::bad(self.path, expected, format!("schema {version}"));
            return Err(error.hint("measure again with coverage.py 5.0 to 7"));
        }
        Ok(())
    }

    /// By number, the test; `None` for what ran at import time.
    fn contexts(&self) -> Result<HashMap<i64, Option<String>>> {
        let mut contexts: Vec<(i64, String)> = Vec::new();
        self.each("SELECT id, context FROM context", |row| {
            contexts.push((row.get(0)?, row.get(1)?));
            Ok(None)
        })?;
        // `--context=nightly` stands before every dynamic context, and alone at import time.
        let front = |(_, name): &(_, String)| {
            let (front, _) = without_phase(name).split_once('|')?;
            Some(front.to_owned())
        };
        let fronts: BTreeSet<String> = contexts.iter().filter_map(front).collect();
        let test = |name: String| {
            let at_import = name.is_empty() || fronts.contains(&name);
            (!at_import).then(|| without_phase(&name).to_owned())
        };
        let contexts = contexts.into_iter();
        Ok(contexts.map(|(id, name)| (id, test(name))).collect())
    }

    fn files(&self, matrix: &mut LineMatrix<'_>) -> Result<HashMap<i64, FileIndex>> {
        let mut files = HashMap::new();
        self.each("SELECT id, path FROM file ORDER BY id", |row| {
            let path: String = row.get(1)?;
            files.insert(row.get(0)?, matrix.file(&path));
            Ok(None)
        })?;
        Ok(files)
    }

    /// With branch coverage the lines are in `arc`, else in `line_bits`.
    fn cover(
        &self,
        tests: &HashMap<i64, TestIndex>,
        files: &HashMap<i64, FileIndex>,
        matrix: &mut LineMatrix<'_>,
    ) -> Result<()> {
        let place = |context: i64, file: i64| match (tests.get(&context), files.get(&file)) {
            (test, Some(&file)) => Ok(test.map(|&test| (test, file))),
            _ => Err(format!("file {file}, which does not exist")),
        };
        let bits = "SELECT context_id, file_id, numbits FROM line_bits";
        self.each(bits, |row| {
            let bits = row.get_ref(2)?.as_blob()?;
            if bits.len() > (MAX_LINE / 8) as usize {
                return Ok(Some(format!("{} bytes of numbits", bits.len())));
            }
            match place(row.get(0)?, row.get(1)?) {
                Ok(Some((test, file))) => matrix.cover(test, file, lines_of_bits(bits)),
                Ok(None) => {}
                Err(found) => return Ok(Some(found)),
            }
            Ok(None)
        })?;
        let mut group: Option<(i64, i64)> = None;
        let mut lines: Vec<u32> = Vec::new();
        let mut flush = |group: Option<(i64, i64)>, lines: &mut Vec<u32>| {
            if let Some((context, file)) = group
                && let Some((test, file)) = place(context, file)?
            {
                lines.sort_unstable();
                matrix.cover(test, file, lines.iter().copied().collect());
            }
            lines.clear();
            Ok::<_, String>(())
        };
        let arcs = "SELECT context_id, file_id, fromno, tono FROM arc ORDER BY context_id, file_id";
        self.each(arcs, |row| {
            let next = (row.get(0)?, row.get(1)?);
            if group != Some(next) {
                if let Err(found) = flush(group, &mut lines) {
                    return Ok(Some(found));
                }
                group = Some(next);
            }
            for column in [2, 3] {
                // Negative numbers are the entry and the exit of a code object.
                let line: i64 = row.get(column)?;
                match u32::try_from(line) {
                    Ok(line) if line > MAX_LINE => return Ok(Some(format!("line {line}"))),
                    Ok(line) if line > 0 => lines.push(line),
                    _ => {}
                }
            }
            Ok(None)
        })?;
        flush(group, &mut lines).map_err(|found| self.bad(arcs, found))
    }

    /// Visits every row; the visit may say what is wrong with it.
    fn each(
        &self,
        query: &str,
        visit: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<String>>,
    ) -> Result<()> {
        let visited = visit_rows(&self.connection, query, visit);
        match visited.map_err(|error| sql_error(self.path, &error))? {
            None => Ok(()),
            Some(found) => Err(self.bad(query, found)),
        }
    }

    fn bad(&self, query: &str, found: String) -> FileError {
        let table = query.split("FROM ").nth(1).unwrap_or_default();
        let table = table.split(' ').next().unwrap_or_default();
        let expected = format!("files and lines up to {MAX_LINE}");
        let error = FileError::bad(self.path, expected, found);
        error.at(format_args!("table {table}")).hint(DAMAGED)
    }
}

fn not_ours(path: &Path, error: &rusqlite::Error) -> FileError {
    FileError::bad(
        path,
        "coverage.py's table coverage_schema",
        error.to_string(),
    )
    .hint("this is not a data file of coverage.py, or it is damaged")
}

fn sql_error(path: &Path, error: &rusqlite::Error) -> FileError {
    FileError::bad(path, "a data file of coverage.py", error.to_string()).hint(DAMAGED)
}

fn without_phase(context: &str) -> &str {
    let stripped = PHASES.iter().find_map(|phase| context.strip_suffix(phase));
    stripped.unwrap_or(context)
}

/// Bit `n % 8` of byte `n / 8` is line `n`.
fn lines_of_bits(bits: &[u8]) -> LineSet {
    let lines = bits.iter().enumerate().flat_map(|(at, &byte)| {
        let set = (0..8).filter(move |bit| byte & (1 << bit) != 0);
        set.map(move |bit| at as u32 * 8 + bit)
    });
    lines.collect()
}

/// What coverage.py makes of an empty file.
const TABLES: &str = "
CREATE TABLE coverage_schema (version integer);
CREATE TABLE meta (key text, value text, unique (key));
CREATE TABLE file (id integer primary key, path text, unique (path));
CREATE TABLE context (id integer primary key, context text, unique (context));
CREATE TABLE line_bits (
    file_id integer, context_id integer, numbits blob,
    foreign key (file_id) references file (id),
    foreign key (context_id) references context (id),
    unique (file_id, context_id)
);
CREATE TABLE arc (
    file_id integer, context_id integer, fromno integer, tono integer,
    foreign key (file_id) references file (id),
    foreign key (context_id) references context (id),
    unique (file_id, context_id, fromno, tono)
);
CREATE TABLE tracer (
    file_id integer primary key, tracer text,
    foreign key (file_id) references file (id)
);
";

/// Writes a data file.
pub fn write(spectrum: &Spectrum, path: &Path) -> Result<()> {
    let lines = TestLines::of(spectrum, path)?;
    for test in &spectrum.tests {
        let is_phase = |name: &str| PHASES.iter().any(|phase| name.ends_with(phase));
        plain(path, "test", &test.name, |name| {
            !name.is_empty() && !is_phase(name)
        })?;
    }
    replace_whole(path, |draft| {
        let written = fill(spectrum, &lines, draft);
        let cannot = |error: rusqlite::Error| {
            FileError::bad(path, "room to write a data file", error.to_string())
                .hint("check the disk and the folder")
        };
        written.map_err(cannot)
    })
}

fn fill(spectrum: &Spectrum, lines: &TestLines, draft: &Path) -> rusqlite::Result<()> {
    let mut connection = open_database(draft, OpenFlags::default())?;
    // The file is not in place yet, so there is nothing a rollback journal could save.
    connection.pragma_update(None, "journal_mode", "OFF")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    transaction.execute("INSERT INTO coverage_schema VALUES (?)", [SCHEMA])?;
    transaction.execute("INSERT INTO meta VALUES ('has_arcs', '0')", [])?;
    let mut insert = transaction.prepare("INSERT INTO file VALUES (?, ?)")?;
    for (id, file) in (1i64..).zip(&spectrum.program.files) {
        insert.execute(params![id, file])?;
    }
    drop(insert);
    let mut context = transaction.prepare("INSERT INTO context VALUES (?, ?)")?;
    let mut bits = transaction.prepare("INSERT INTO line_bits VALUES (?, ?, ?)")?;
    for (test, id) in spectrum.tests.iter().zip(spectrum.coverage.tests()) {
        let number = i64::from(id.0) + 1;
        context.execute(params![number, format!("{}|run", test.name)])?;
        for file in lines.files_of(id) {
            let ran = file.lines.iter().filter(|line| line.ran);
            let bytes = bits_of(ran.map(|line| line.number));
            if !bytes.is_empty() {
                bits.execute(params![file.file as i64 + 1, number, bytes])?;
            }
        }
    }
    drop((context, bits));
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)
}

/// The inverse of [`lines_of_bits`].
fn bits_of(lines: impl Iterator<Item = u32>) -> Vec<u8> {
    let mut bits: Vec<u8> = Vec::new();
    for line in lines {
        let byte = line as usize / 8;
        if bits.len() <= byte {
            bits.resize(byte + 1, 0);
        }
        bits[byte] |= 1 << (line % 8);
    }
    bits
}
