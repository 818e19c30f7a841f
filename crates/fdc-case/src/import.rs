//! A case made of a spectrum.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use fdc_core::spectrum::{MethodId, Outcome, Test, VIRTUAL};
use rusqlite::{Connection, params};

use crate::case::sql_error;
use crate::error::FileError;
use crate::whole::replace_whole;
use crate::{evidence, row, schema};

/// Makes a case file of the spectrum, whole or not at all; an existing file is replaced. `about` are
/// notes on where the case comes from.
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
            evidence::replace(&transaction, id as i64, test.failure.as_ref())?;
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
            row::push_joined(runs, element as u32..element as u32 + 1);
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
            row::push_joined(&mut runs, piece);
        }
        row::encode(&runs)
    }
}
