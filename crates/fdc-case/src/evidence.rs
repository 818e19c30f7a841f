//! How tests failed and how often files changed, as the case keeps it.

use fdc_core::evidence::{FailureRecord, FileHistory, Frame, TestPlace};
use fdc_core::spectrum::Test;
use rusqlite::{Connection, params};

use crate::case::for_each_row;

/// Calls of a stack that are kept: the innermost ones of a runaway recursion say it all.
const MOST_FRAMES: usize = 500;
/// Characters of a message that are kept.
const LONGEST_MESSAGE: usize = 10_000;

/// Puts a test's failure in the place of the one before.
pub(crate) fn replace(
    connection: &Connection,
    test: i64,
    failure: Option<&FailureRecord>,
) -> rusqlite::Result<()> {
    forget(connection, test)?;
    let Some(failure) = failure else {
        return Ok(());
    };
    let message = failure.message.as_ref();
    let message = message.map(|all| all.chars().take(LONGEST_MESSAGE).collect::<String>());
    connection
        .prepare_cached("INSERT INTO failure (test, exception, message) VALUES (?, ?, ?)")?
        .execute(params![test, failure.exception, message])?;
    if let Some(place) = &failure.source {
        keep_place(connection, test, place)?;
    }
    let mut insert = connection.prepare_cached("INSERT INTO frame VALUES (?, ?, ?, ?, ?)")?;
    for (depth, frame) in failure.frames.iter().take(MOST_FRAMES).enumerate() {
        let Frame {
            place,
            function,
            line,
        } = frame;
        insert.execute(params![test, depth as i64, place, function, line])?;
    }
    Ok(())
}

/// Notes where a failing test stands.
fn keep_place(connection: &Connection, test: i64, place: &TestPlace) -> rusqlite::Result<()> {
    let statement = "INSERT INTO failure (test, file, first_line, last_line) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET file = excluded.file, first_line = excluded.first_line,
        last_line = excluded.last_line";
    connection.prepare_cached(statement)?.execute(params![
        test,
        place.file,
        place.first,
        place.last
    ])?;
    Ok(())
}

/// Notes where the failing tests stand of which it is not known yet, as far as they are found by name.
pub(crate) fn find_places(
    connection: &Connection,
    find: impl Fn(&str) -> Option<TestPlace>,
) -> rusqlite::Result<()> {
    let statement = "SELECT id, name FROM test WHERE outcome = 'fail'
        AND id NOT IN (SELECT test FROM failure WHERE file IS NOT NULL)";
    let mut found = Vec::new();
    for_each_row(connection, statement, |row| {
        let name: String = row.get(1)?;
        found.extend(find(&name).map(|place| (row.get::<_, i64>(0), place)));
        Ok(())
    })?;
    found
        .into_iter()
        .try_for_each(|(test, place)| keep_place(connection, test?, &place))
}

/// Forgets how a test failed.
pub(crate) fn forget(connection: &Connection, test: i64) -> rusqlite::Result<()> {
    for table in ["failure", "frame"] {
        connection
            .prepare_cached(&format!("DELETE FROM {table} WHERE test = ?"))?
            .execute([test])?;
    }
    Ok(())
}

/// Puts the history of files, by their number, in the place of the one before.
pub(crate) fn replace_history(
    connection: &Connection,
    history: impl Iterator<Item = (u32, FileHistory)>,
) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM history", [])?;
    let mut insert = connection.prepare("INSERT INTO history VALUES (?, ?, ?, ?)")?;
    for (file, known) in history {
        let FileHistory {
            commits,
            commits_since_change,
            days_since_change,
        } = known;
        insert.execute(params![
            file,
            commits,
            commits_since_change,
            days_since_change
        ])?;
    }
    Ok(())
}

/// The history of so many files; empty if nothing is known, as in files before schema 5.
pub(crate) fn read_history(
    connection: &Connection,
    files: usize,
) -> rusqlite::Result<Vec<Option<FileHistory>>> {
    let mut history = Vec::new();
    if version(connection)? < 5 {
        return Ok(history);
    }
    for_each_row(connection, "SELECT * FROM history", |row| {
        history.resize(files, None);
        if let Some(known) = history.get_mut(row.get::<_, i64>(0)? as usize) {
            *known = Some(FileHistory {
                commits: row.get(1)?,
                commits_since_change: row.get(2)?,
                days_since_change: row.get(3)?,
            });
        }
        Ok(())
    })?;
    Ok(history)
}

pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Puts failures on their tests; files before schema 4 have none.
pub(crate) fn read(connection: &Connection, tests: &mut [Test]) -> rusqlite::Result<()> {
    let statement = match version(connection)? {
        ..4 => return Ok(()),
        4..7 => "SELECT test, exception, message, NULL, NULL, NULL FROM failure",
        _ => "SELECT test, exception, message, file, first_line, last_line FROM failure",
    };
    for_each_row(connection, statement, |row| {
        let file: Option<String> = row.get(3)?;
        let place = |file| -> rusqlite::Result<TestPlace> {
            let (first, last) = (row.get(4)?, row.get(5)?);
            Ok(TestPlace { file, first, last })
        };
        // A negative number is far beyond the tests as well.
        if let Some(test) = tests.get_mut(row.get::<_, i64>(0)? as usize) {
            test.failure = Some(FailureRecord {
                exception: row.get(1)?,
                message: row.get(2)?,
                frames: Vec::new(),
                source: file.map(place).transpose()?,
            });
        }
        Ok(())
    })?;
    let statement = "SELECT test, place, function, line FROM frame ORDER BY test, depth";
    for_each_row(connection, statement, |row| {
        let test = tests.get_mut(row.get::<_, i64>(0)? as usize);
        if let Some(failure) = test.and_then(|test| test.failure.as_mut()) {
            failure.frames.push(Frame {
                place: row.get(1)?,
                function: row.get(2)?,
                line: row.get(3)?,
            });
        }
        Ok(())
    })
}
