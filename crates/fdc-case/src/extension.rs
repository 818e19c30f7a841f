//! A copy of a case, answers and their history too, with more tests or with what else became known.

use std::path::Path;

use fdc_core::Spectrum;
use fdc_core::spectrum::Outcome;
use rusqlite::{Transaction, params};

use crate::case::Case;
use crate::checksum::Part;
use crate::error::Result;
use crate::import::edit;
use crate::mutants::{Mutant, add_imported};
use crate::whole::replace_whole;
use crate::{evidence, row};

/// A test to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTest {
    /// Its identity; no other test of the case has it.
    pub name: String,
    /// How it ended, if that is known.
    pub outcome: Option<Outcome>,
    /// Who wrote it.
    pub origin: String,
    /// The elements it covers, ascending, each once.
    pub elements: Vec<u32>,
}

impl Case {
    /// Writes a copy with further tests and notes, whole or not at all; an existing file is
    /// replaced, the case itself stays as it is.
    pub fn extend(&self, to: &Path, tests: &[NewTest], notes: &[(&str, &str)]) -> Result<()> {
        replace_whole(to, |draft| {
            self.copy_to(draft)?;
            edit(to, draft, notes, |copy| add(copy, tests))
        })
    }

    /// Writes a copy with the outcomes and the history of a spectrum that was read from it, with
    /// mutants that other tools tried, and with further notes, whole or not at all.
    pub fn update(
        &self,
        to: &Path,
        spectrum: &Spectrum,
        mutants: &[Mutant],
        notes: &[(&str, &str)],
    ) -> Result<()> {
        replace_whole(to, |draft| {
            self.copy_to(draft)?;
            edit(to, draft, notes, |copy| {
                update(copy, spectrum)?;
                add_imported(copy, mutants)
            })
        })
    }

    fn copy_to(&self, draft: &Path) -> Result<usize> {
        self.check_whole(&Part::ALL)?;
        self.sql(|c| c.execute("VACUUM INTO ?", [draft.to_string_lossy()]))
    }
}

fn update(copy: &Transaction, spectrum: &Spectrum) -> rusqlite::Result<()> {
    let mut update = copy.prepare("UPDATE test SET outcome = ? WHERE id = ? AND name = ?")?;
    // Virtual tests are no rows of this table.
    for (id, test) in (0u32..).zip(&spectrum.tests) {
        let outcome = test.outcome.map(Outcome::name);
        if update.execute(params![outcome, id, test.name])? == 1 {
            evidence::replace(copy, id.into(), test.failure.as_ref())?;
        }
    }
    evidence::replace_history(copy, spectrum.known_history())
}

fn add(copy: &Transaction, tests: &[NewTest]) -> rusqlite::Result<()> {
    let first: i64 = copy.query_row("SELECT count(*) FROM test", [], |r| r.get(0))?;
    let statement = "INSERT INTO test (id, name, outcome, origin) VALUES (?, ?, ?, ?)";
    let mut insert = copy.prepare(statement)?;
    let mut insert_row = copy.prepare("INSERT INTO coverage VALUES (?, ?)")?;
    for (id, test) in (first..).zip(tests) {
        let outcome = test.outcome.map(Outcome::name);
        insert.execute(params![id, test.name, outcome, test.origin])?;
        let elements = test.elements.iter().copied();
        insert_row.execute(params![id, row::encode_elements(elements)])?;
    }
    Ok(())
}
