//! `case.fdc`: the file, the recording of a collection, the answers of people; and whole-or-nothing
//! writes for everybody.
//!
//! | concept | home |
//! |---|---|
//! | an open case | [`Case`] |
//! | a case made of a spectrum | [`import`] |
//! | a collection that is written test by test | [`recording`] |
//! | who is at work on a case | `lock` |
//! | what people answered | [`answers`] |
//! | how tests failed | `evidence` |
//! | small changes of the program, and which tests noticed them | [`mutants`] |
//! | parts of a whole, made on several machines | [`parts`] |
//! | tables and migrations | `schema` |
//! | how a row of coverage is encoded | [`row`] |
//! | all rows at once, by all threads | `loading` |
//! | a file that is whole or not there | [`write_whole`] |
//! | what is settled before a file is replaced | `replaced` |
//! | damage that nobody would notice | `checksum` |
//! | an SQLite file from anywhere | [`open_database`] |
//! | a reader that may panic | [`fenced`] |
//! | what is no plain file | [`special_file`] |
#![forbid(unsafe_code)]

pub mod answers;
mod case;
mod checksum;
mod database;
mod error;
mod evidence;
mod extension;
mod fence;
mod import;
mod loading;
mod lock;
pub mod mutants;
pub mod parts;
pub mod recording;
mod renumber;
mod replaced;
pub mod row;
mod schema;
mod special;
mod whole;

use std::path::Path;

use fdc_core::Spectrum;

pub use case::{Case, Moment};
pub use database::open_database;
pub use error::{FileError, Result};
pub use extension::NewTest;
pub use fence::{caught, fenced};
pub use import::{import, import_with_mutants};
pub use lock::resolved;
pub use special::{refuse_special_file, special_file};
pub use whole::{is_stream, replace_whole, write_whole};

const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// Whether a file that begins so is a case file.
pub fn is_case(head: &[u8]) -> bool {
    head.starts_with(SQLITE_MAGIC)
        && head.get(68..72) == Some(&schema::APPLICATION_ID.to_be_bytes()[..])
}

/// Reads a case file, with what mutants showed.
pub fn read(path: &Path) -> Result<Spectrum> {
    let case = Case::open(path)?;
    let _moment = case.moment()?;
    let mut spectrum = case.spectrum()?;
    case.add_kills(&mut spectrum)?;
    Ok(spectrum)
}

#[cfg(test)]
mod tests;
