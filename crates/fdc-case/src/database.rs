//! SQLite files from anywhere: their tables are data, and nothing in them is run.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

/// Code that a schema can hold and that runs when its tables are used.
const COMPUTED: &str = "
    SELECT tables.name FROM pragma_table_list AS tables
    JOIN pragma_table_xinfo(tables.name) AS columns
    WHERE tables.type IN ('view', 'virtual') OR columns.hidden > 1 LIMIT 1";

/// Opens an SQLite file whose schema may come from anybody. Views, virtual tables and computed
/// columns, which can take forever, are refused; triggers do not run.
pub fn open_database(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    // A connection is never used by two threads at once.
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        connection.set_db_config(setting, on)?;
    }
    let found = {
        let mut query = connection.prepare(COMPUTED)?;
        let mut rows = query.query([])?;
        let name = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        rows.next()?.map(name).transpose()?
    };
    match found {
        None => Ok(connection),
        Some(name) => Err(refused(&name)),
    }
}

fn refused(name: &str) -> rusqlite::Error {
    let message = format!("{name}, which is computed and no plain table");
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    rusqlite::Error::SqliteFailure(code, Some(message))
}
