//! case — `case.fdc`, an SQLite database that any SQLite tool opens.
//!
//! Holds files, methods, elements, tests with outcomes and flaky marks, coverage rows, every label
//! ever given (who, when, verdict, weight, undone), virtual tests, mutants with the tests that fail with
//! each, and how the case was measured.
//! It is written in transactions: a kill loses at most the write under way, and an import is either
//! whole or not there. `PRAGMA user_version` is the schema version; a file of a newer schema is
//! refused, one of an older schema is brought up to date when it is opened for writing.
//!
//! A checksum in it tells damage. If you change a case with another tool, tell fdc that this was meant:
//! `INSERT OR REPLACE INTO about VALUES ('checksum', 'none yet')`.

use crate::{Format, Reader};

pub(crate) const FORMAT: Format = Format {
    name: "case",
    summary: "fdc's case file, an SQLite database",
    detect: |sample| fdc_case::is_case(&sample.head),
    reader: Reader::Matrix(fdc_case::read),
    endings: &["fdc"],
    write: Some(|spectrum, path| fdc_case::import(spectrum, path, &[])),
    source: include_str!("case.rs"),
};
