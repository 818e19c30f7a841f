//! Checksums of a case, so that damage never changes a result in silence: one over what was measured,
//! from the end of a collection or import until the next one begins, one over what people answered, and
//! one over mutants.

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use sha2::{Digest as _, Sha256};

use crate::case::{Case, about, for_each_row};
use crate::error::{FileError, Result};
use crate::evidence;
use crate::recording::note;

/// What to do with a case that is not what was written.
pub(crate) const DAMAGED: &str = "the case file is damaged: copy, import or collect it again";

/// Stands where there is nothing to check yet, so that a checksum that is missing is damage.
const NONE_YET: &str = "none yet";

/// What a checksum is over.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Measured,
    Answered,
    Mutated,
}

impl Part {
    pub(crate) const ALL: [Part; 3] = [Part::Measured, Part::Answered, Part::Mutated];
    /// What a ranking is made of.
    pub(crate) const SPECTRUM: [Part; 2] = [Part::Measured, Part::Answered];

    /// The note in the case.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Part::Measured => "checksum",
            Part::Answered => "checksum of answers",
            Part::Mutated => "checksum of mutants",
        }
    }

    /// Everything that counts, by tables and never by their indexes.
    fn rows(self) -> &'static [&'static str] {
        match self {
            Part::Measured => &[
                "SELECT * FROM about WHERE key IN ('subject', 'version', 'fault_known') ORDER BY key",
                "SELECT * FROM file NOT INDEXED ORDER BY id",
                "SELECT * FROM method NOT INDEXED ORDER BY id",
                "SELECT * FROM element ORDER BY id",
                "SELECT * FROM test NOT INDEXED ORDER BY id",
                "SELECT * FROM coverage ORDER BY test",
                "SELECT * FROM skipped ORDER BY name",
                "SELECT * FROM failure ORDER BY test",
                "SELECT * FROM frame ORDER BY test, depth",
                "SELECT * FROM history ORDER BY file",
            ],
            Part::Answered => &[
                "SELECT * FROM about WHERE key = 'measured'",
                "SELECT * FROM label ORDER BY id",
                "SELECT * FROM virtual_test ORDER BY id",
                "SELECT * FROM skip ORDER BY id",
            ],
            Part::Mutated => &[
                "SELECT * FROM mutant NOT INDEXED ORDER BY id",
                "SELECT * FROM mutant_test NOT INDEXED ORDER BY id",
                "SELECT * FROM kill ORDER BY mutant, test",
            ],
        }
    }

    fn sum(self, connection: &Connection) -> rusqlite::Result<String> {
        let mut hash = Sha256::new();
        for statement in self.rows() {
            hash.update(statement);
            // One call a row: most values are small.
            let mut bytes = Vec::new();
            for_each_row(connection, statement, |row| {
                bytes.clear();
                for column in 0..row.as_ref().column_count() {
                    add(&mut bytes, row.get_ref(column)?);
                }
                hash.update(&bytes);
                Ok(())
            })?;
        }
        let digest = hash.finalize();
        let digits = digest.iter().take(8).map(|byte| format!("{byte:02x}"));
        Ok(digits.collect())
    }

    /// Notes what is there now.
    pub(crate) fn keep(self, connection: &Connection) -> rusqlite::Result<()> {
        note(connection, self.key(), &self.sum(connection)?)
    }

    /// It is going to change.
    pub(crate) fn forget(self, connection: &Connection) -> rusqlite::Result<()> {
        note(connection, self.key(), NONE_YET)
    }

    fn is_whole(self, connection: &Connection) -> rusqlite::Result<bool> {
        let told = about(connection, self.key())?;
        let version = evidence::version(connection)?;
        if version < 9 && matches!(self, Part::Mutated) {
            return Ok(told.is_none());
        }
        match (version, told.as_deref()) {
            // The first schema that has them leaves them out while there is nothing to check.
            (..=7, None) | (8..=9, Some(NONE_YET)) => Ok(true),
            (7..=9, Some(told)) => Ok(told == self.sum(connection)?),
            _ => Ok(false),
        }
    }
}

impl Case {
    /// Refuses a case that is not what its checksums say, as far as it has them: while it is collected
    /// and in older files there is none.
    pub(crate) fn check_whole(&self, parts: &[Part]) -> Result<()> {
        let _moment = self.moment()?;
        let whole = self.sql(|c| {
            for part in parts {
                if !part.is_whole(c)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })?;
        whole.then_some(()).ok_or_else(|| {
            FileError::bad(&self.path, "what its checksum says", "other content").hint(DAMAGED)
        })
    }
}

fn add(to: &mut Vec<u8>, value: ValueRef) {
    let (kind, bytes): (u8, &[u8]) = match value {
        ValueRef::Null => (0, &[]),
        ValueRef::Integer(number) => (1, &number.to_le_bytes()),
        ValueRef::Real(number) => (2, &number.to_bits().to_le_bytes()),
        ValueRef::Text(text) => (3, text),
        ValueRef::Blob(blob) => (4, blob),
    };
    to.push(kind);
    to.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    to.extend_from_slice(bytes);
}
