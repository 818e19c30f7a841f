//! What has to be settled before a file takes the place of another: a case may hold answers, and
//! SQLite may have left a log beside it that would be taken for the new file's.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rusqlite::{ErrorCode, OpenFlags, OptionalExtension as _};

use crate::case::sql_error;
use crate::database::open_database;
use crate::error::{FileError, Result};
use crate::{SQLITE_MAGIC, schema};

/// Makes sure that nothing is lost with the file at a path, and that nothing of it stays.
pub(crate) fn settle(path: &Path) -> Result<()> {
    if !begins_with(path, SQLITE_MAGIC) {
        return remove_logs(path);
    }
    let answers = match fold_in(path) {
        Ok(answers) => answers,
        Err(error) if is_damaged(&error) => return remove_logs(path),
        Err(error) => return Err(sql_error(path, &error)),
    };
    if answers > 0 {
        let s = if answers == 1 { "" } else { "s" };
        let found = format!("a case with {answers} answer{s} of people");
        return Err(
            FileError::bad(path, "a file that may be replaced", found).hint(
                "write to another file, or remove this one if the answers are no longer needed",
            ),
        );
    }
    Ok(())
}

/// Lets SQLite take what is in its logs into the file itself; the number of answers in it.
fn fold_in(path: &Path) -> rusqlite::Result<u32> {
    let connection = open_database(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let own = number("application_id")? == i64::from(schema::APPLICATION_ID);
    let mut answers = 0;
    for table in ["label", "virtual_test", "skip"] {
        let known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?";
        let known: Option<i64> = connection
            .query_row(known, [table], |row| row.get(0))
            .optional()?;
        if own && known.is_some() {
            let count = format!("SELECT count(*) FROM {table} WHERE undone = 0");
            answers += connection.query_row(&count, [], |row| row.get::<_, u32>(0))?;
        }
    }
    if answers == 0 && !logs(path).is_empty() {
        // Fails while another program has the case open.
        connection.pragma_update(None, "journal_mode", "DELETE")?;
    }
    Ok(answers)
}

fn is_damaged(error: &rusqlite::Error) -> bool {
    use ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(
        error.sqlite_error_code(),
        Some(DatabaseCorrupt | NotADatabase)
    )
}

/// The logs that SQLite left beside a file; other files may have such names too.
fn logs(path: &Path) -> Vec<PathBuf> {
    const BEGINNINGS: [(&str, &[u8]); 3] = [
        ("-wal", &[0x37, 0x7f, 0x06, 0x82]),
        ("-wal", &[0x37, 0x7f, 0x06, 0x83]),
        ("-journal", &[0xd9, 0xd5, 0x05, 0xf9]),
    ];
    let found = BEGINNINGS.iter().filter_map(|(ending, beginning)| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        begins_with(Path::new(&name), beginning).then(|| name.into())
    });
    found.collect()
}

/// Removes logs of a file that is gone, or that nothing can be read from.
fn remove_logs(path: &Path) -> Result<()> {
    for log in logs(path) {
        std::fs::remove_file(&log).map_err(FileError::io(&log, "remove it"))?;
    }
    Ok(())
}

fn begins_with(path: &Path, beginning: &[u8]) -> bool {
    let mut found = vec![0; beginning.len()];
    let is_file = std::fs::metadata(path).is_ok_and(|data| data.is_file());
    let mut read = || File::open(path)?.read_exact(&mut found);
    is_file && read().is_ok() && found == beginning
}
