//! A case with more tests: a copy of everything, labels and their history too, and the new tests.

use std::path::Path;

use fdc_core::spectrum::Outcome;
use rusqlite::{Connection, params};

use crate::case::Case;
use crate::error::Result;
use crate::import::edit;
use crate::whole::replace_whole;
use crate::{row, schema};

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
            let copied = |c: &Connection| c.execute("VACUUM INTO ?", [draft.to_string_lossy()]);
            self.sql(copied)?;
            edit(to, draft, |copy| add(copy, tests, notes))
        })
    }
}

fn add(
    connection: &mut Connection,
    tests: &[NewTest],
    notes: &[(&str, &str)],
) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "OFF")?;
    schema::prepare(connection)?;
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT OR REPLACE INTO about VALUES (?, ?)")?;
        for (key, value) in notes {
            insert.execute([key, value])?;
        }
        let first: i64 = transaction.query_row("SELECT count(*) FROM test", [], |r| r.get(0))?;
        let statement = "INSERT INTO test (id, name, outcome, origin) VALUES (?, ?, ?, ?)";
        let mut insert = transaction.prepare(statement)?;
        let mut insert_row = transaction.prepare("INSERT INTO coverage VALUES (?, ?)")?;
        for (id, test) in (first..).zip(tests) {
            let outcome = test.outcome.map(Outcome::name);
            insert.execute(params![id, test.name, outcome, test.origin])?;
            let elements = test.elements.iter().copied();
            insert_row.execute(params![id, row::encode_elements(elements)])?;
        }
    }
    transaction.commit()
}
