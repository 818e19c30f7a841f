//! A case made of a spectrum.

use std::ops::Range;
use std::path::Path;

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use fdc_core::spectrum::{MethodId, Outcome, Test, VIRTUAL};
use rusqlite::{OpenFlags, Transaction, params};

use crate::case::sql_error;
use crate::checksum::Part;
use crate::database::open_database;
use crate::error::Result;
use crate::mutants::{Mutant, add_imported};
use crate::recording::note;
use crate::whole::replace_whole;
use crate::{evidence, row, schema};

/// Makes a case file of the spectrum, whole or not at all; an existing file is replaced. `about` are
/// notes on where the case comes from.
pub fn import(spectrum: &Spectrum, path: &Path, about: &[(&str, &str)]) -> Result<()> {
    import_with_mutants(spectrum, &[], path, about)
}

/// The same, with mutants that other tools tried.
pub fn import_with_mutants(
    spectrum: &Spectrum,
    mutants: &[Mutant],
    path: &Path,
    about: &[(&str, &str)],
) -> Result<()> {
    replace_whole(path, |draft| {
        edit(path, draft, about, |draft| {
            fill(draft, spectrum)?;
            add_imported(draft, mutants)
        })
    })
}

/// Changes a draft of a case in one transaction; `path` is for messages.
pub(crate) fn edit(
    path: &Path,
    draft: &Path,
    about: &[(&str, &str)],
    change: impl FnOnce(&Transaction) -> rusqlite::Result<()>,
) -> Result<()> {
    let edited = || {
        let mut connection = open_database(draft, OpenFlags::default())?;
        // The file is not in place yet, so there is nothing a rollback journal could save.
        connection.pragma_update(None, "journal_mode", "OFF")?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        schema::prepare(&mut connection)?;
        let transaction = connection.transaction()?;
        for (key, value) in about {
            note(&transaction, key, value)?;
        }
        change(&transaction)?;
        Part::Measured.keep(&transaction)?;
        transaction.commit()?;
        connection.close().map_err(|(_, error)| error)
    };
    edited().map_err(|error| sql_error(path, &error))
}

fn fill(transaction: &Transaction, spectrum: &Spectrum) -> rusqlite::Result<()> {
    if let Some(bug) = &spectrum.bug {
        note(transaction, "subject", &bug.subject)?;
        note(transaction, "version", &bug.version.to_string())?;
    }
    if spectrum.fault.is_some() {
        note(transaction, "fault_known", "1")?;
    }
    let program = &spectrum.program;
    let mut insert = transaction.prepare("INSERT INTO file VALUES (?, ?)")?;
    for (id, path) in (0i64..).zip(&program.files) {
        insert.execute(params![id, path])?;
    }
    evidence::replace_history(transaction, spectrum.known_history())?;
    let fault = spectrum.fault.clone().unwrap_or_default();
    let mut insert = transaction.prepare("INSERT INTO method VALUES (?, ?, ?, ?)")?;
    for (id, method) in (0u32..).zip(&program.methods) {
        let faulty = fault.methods.contains(&MethodId(id));
        insert.execute(params![id, method.file, method.name, faulty])?;
    }
    let mut insert = transaction.prepare("INSERT INTO element VALUES (?, ?, ?, ?, ?)")?;
    for (id, element) in (0u32..).zip(&program.elements) {
        let faulty = fault.elements.contains(&id);
        let (method, label) = (element.method.0, program.labels.get(id as usize));
        insert.execute(params![id, method, element.line, label, faulty])?;
    }
    let statement = "INSERT INTO test (id, name, outcome, origin, flaky) VALUES (?, ?, ?, ?, ?)";
    let mut insert = transaction.prepare(statement)?;
    let mut insert_row = transaction.prepare("INSERT INTO coverage VALUES (?, ?)")?;
    let runs = runs_of_columns(spectrum);
    // Virtual tests are answers; without their verdicts they would be tests to label.
    let real = |test: &&Test| test.origin.as_deref() != Some(VIRTUAL);
    for (id, test) in (0u32..).zip(spectrum.tests.iter().filter(real)) {
        let outcome = test.outcome.map(Outcome::name);
        insert.execute(params![id, test.name, outcome, test.origin, test.flaky])?;
        evidence::replace(transaction, id.into(), test.failure.as_ref())?;
        insert_row.execute(params![id, encode(spectrum, &runs, TestId(id))])?;
    }
    Ok(())
}

/// Per column, its elements as runs.
fn runs_of_columns(spectrum: &Spectrum) -> Vec<Vec<Range<u32>>> {
    let mut runs: Vec<Vec<Range<u32>>> = vec![Vec::new(); spectrum.coverage.column_count()];
    for element in 0..spectrum.program.elements.len() {
        let runs = &mut runs[spectrum.coverage.column_of(element) as usize];
        row::push_joined(runs, element as u32..element as u32 + 1);
    }
    runs
}

/// A row over elements again, from one over merged columns.
fn encode(spectrum: &Spectrum, runs: &[Vec<Range<u32>>], test: TestId) -> Vec<u8> {
    let mut pieces: Vec<Range<u32>> = Vec::new();
    let row = spectrum.coverage.row(test);
    row.for_each(|column| pieces.extend_from_slice(&runs[column as usize]));
    pieces.sort_unstable_by_key(|run| run.start);
    let mut joined = Vec::with_capacity(pieces.len());
    for piece in pieces {
        row::push_joined(&mut joined, piece);
    }
    row::encode(&joined)
}
