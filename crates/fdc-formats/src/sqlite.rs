//! What the formats that are SQLite databases share.

use std::path::Path;

use fdc_case::{FileError, Result, open_database, refuse_special_file};
use rusqlite::{Connection, OpenFlags, Row};

/// Opens a database for reading; `refused` says what it should be.
pub(crate) fn open_tables(
    path: &Path,
    refused: impl FnOnce(&Path, &rusqlite::Error) -> FileError,
) -> Result<Connection> {
    refuse_special_file(path)?;
    // A missing file has its own message.
    std::fs::File::open(path).map_err(FileError::io(path, "open it"))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    open_database(path, flags).map_err(|error| refused(path, &error))
}

/// Visits every row; the visit may say what is wrong with it, which ends the walk.
pub(crate) fn visit_rows<E>(
    connection: &Connection,
    query: &str,
    mut visit: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<E>>,
) -> rusqlite::Result<Option<E>> {
    let mut statement = connection.prepare(query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Some(found) = visit(row)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
