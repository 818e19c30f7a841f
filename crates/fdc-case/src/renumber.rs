//! What a recording forgets and puts in order: tests to measure again, and new numbers for
//! everything, with rows of coverage to match.

use std::collections::HashMap;
use std::ops::Range;

use rusqlite::{OptionalExtension as _, Transaction, params};

use crate::case::for_each_row;
use crate::{evidence, row};

/// Where lines are now, per element: nowhere, or with which method's name at which number.
pub(crate) type Places = Vec<Option<(String, u32)>>;

/// Asks for every element of the program, by file, method and line, where it is now.
pub(crate) fn places_of(
    transaction: &Transaction,
    place: impl Fn(&str, &str, u32) -> Option<(String, u32)>,
) -> rusqlite::Result<Places> {
    let mut query = transaction.prepare(
        "SELECT path, name, line FROM element JOIN method ON method.id = element.method
         JOIN file ON file.id = method.file ORDER BY element.id",
    )?;
    let places = query.query_map([], |row| {
        let (file, method) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
        Ok(place(file, method, row.get(2)?))
    })?;
    places.collect()
}

/// Gives lines that have moved their numbers and methods. A method that has no line any more goes with
/// the next [`rewrite`].
pub(crate) fn relocate(transaction: &Transaction, places: &Places) -> rusqlite::Result<()> {
    let mut find = transaction.prepare("SELECT id FROM method WHERE name = ?")?;
    let mut make = transaction.prepare(
        "INSERT INTO method (id, file, name)
         SELECT (SELECT max(id) + 1 FROM method), file, ?
         FROM method WHERE id = (SELECT method FROM element WHERE id = ?) RETURNING id",
    )?;
    let mut update = transaction.prepare("UPDATE element SET method = ?, line = ? WHERE id = ?")?;
    for (id, place) in (0i64..).zip(places) {
        let Some((name, line)) = place else { continue };
        let known = find.query_row([name], |row| row.get(0)).optional()?;
        let method: i64 = match known {
            Some(method) => method,
            None => make.query_row(params![name, id], |row| row.get(0))?,
        };
        update.execute(params![method, line, id])?;
    }
    Ok(())
}

/// Marks the tests that cover a line that is gone, or are stale themselves; how many.
pub(crate) fn mark_stale(
    transaction: &Transaction,
    places: &Places,
    stale: &impl Fn(&str) -> bool,
) -> rusqlite::Result<u64> {
    let is_gone = |element: u32| matches!(places.get(element as usize), Some(None));
    let mut runs = Vec::new();
    let mut tests = Vec::new();
    let statement = "SELECT id, name, elements FROM test JOIN coverage ON test = id WHERE runs > 0";
    for_each_row(transaction, statement, |row| {
        runs.clear();
        decode(row.get_ref(2)?.as_blob()?, &mut runs)?;
        let name: String = row.get(1)?;
        let mut touched = runs.iter().cloned().flatten();
        if stale(&name) || touched.any(is_gone) {
            tests.push(row.get::<_, i64>(0)?);
        }
        Ok(())
    })?;
    let nothing = row::encode(&[]);
    for &test in &tests {
        for statement in [
            "UPDATE test SET outcome = NULL, runs = 0, flaky = 0 WHERE id = ?",
            "UPDATE label SET undone = 1 WHERE test = ?",
            "UPDATE skip SET undone = 1 WHERE test = ?",
        ] {
            transaction.prepare_cached(statement)?.execute([test])?;
        }
        evidence::forget(transaction, test)?;
        let statement = "UPDATE coverage SET elements = ? WHERE test = ?";
        let mut update = transaction.prepare_cached(statement)?;
        update.execute(params![nothing, test])?;
    }
    Ok(tests.len() as u64)
}

/// Numbers everything anew in a fixed order, without the elements and tests that are not kept.
pub(crate) fn rewrite(
    transaction: &Transaction,
    keep_element: impl Fn(usize) -> bool,
    keep_test: impl Fn(i64) -> bool,
) -> rusqlite::Result<()> {
    // Rows and what points to them get their numbers one after the other.
    transaction.pragma_update(None, "defer_foreign_keys", true)?;
    let count: u32 = transaction.query_row("SELECT count(*) FROM element", [], |row| row.get(0))?;
    let mut places = vec![None; count as usize];
    let mut files = Numbering::new(transaction, "file")?;
    let mut methods = Numbering::new(transaction, "method")?;
    let mut elements = Numbering::new(transaction, "element")?;
    let statement = "SELECT element.id, file.id, method.id FROM element
         JOIN method ON method.id = element.method JOIN file ON file.id = method.file
         ORDER BY path, line, name, element.id";
    for_each_row(transaction, statement, |row| {
        let element: i64 = row.get(0)?;
        if keep_element(element as usize) {
            files.add(row.get(1)?)?;
            methods.add(row.get(2)?)?;
            places[element as usize] = Some(elements.add(element)? as u32);
        }
        Ok(())
    })?;
    let mut tests = Numbering::new(transaction, "test")?;
    let statement = "SELECT id, runs FROM test ORDER BY name";
    for_each_row(transaction, statement, |row| {
        if keep_test(row.get(1)?) {
            tests.add(row.get(0)?)?;
        }
        Ok(())
    })?;
    for (table, key) in [("coverage", "test"), ("virtual_test", "id")] {
        rewrite_rows(transaction, table, key, &places)?;
    }
    files.renumber("method", "file")?;
    files.renumber("history", "file")?;
    methods.renumber("element", "method")?;
    for table in ["coverage", "label", "skip", "failure", "frame"] {
        tests.renumber(table, "test")?;
    }
    for numbering in [files, methods, elements, tests] {
        numbering.renumber(numbering.table, "id")?;
    }
    Ok(())
}

/// New numbers for the rows of a table; rows without one are deleted.
struct Numbering<'t> {
    transaction: &'t Transaction<'t>,
    table: &'static str,
    known: HashMap<i64, i64>,
}

impl<'t> Numbering<'t> {
    fn new(transaction: &'t Transaction, table: &'static str) -> rusqlite::Result<Self> {
        transaction.execute_batch(&format!(
            "DROP TABLE IF EXISTS temp.{table}_number;
             CREATE TEMP TABLE {table}_number (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);"
        ))?;
        Ok(Numbering {
            transaction,
            table,
            known: HashMap::new(),
        })
    }

    fn add(&mut self, old: i64) -> rusqlite::Result<i64> {
        if let Some(&new) = self.known.get(&old) {
            return Ok(new);
        }
        let new = self.known.len() as i64;
        let statement = format!("INSERT INTO temp.{}_number VALUES (?, ?)", self.table);
        let mut insert = self.transaction.prepare_cached(&statement)?;
        insert.execute([old, new])?;
        self.known.insert(old, new);
        Ok(new)
    }

    /// Renumbers a column that points here, through negative numbers, since two rows must never
    /// share one in between.
    fn renumber(&self, table: &str, column: &str) -> rusqlite::Result<()> {
        let numbers = self.table;
        self.transaction.execute_batch(&format!(
            "DELETE FROM {table} WHERE {column} NOT IN (SELECT old FROM temp.{numbers}_number);
             UPDATE {table} SET {column} =
                 -1 - (SELECT new FROM temp.{numbers}_number WHERE old = {column});
             UPDATE {table} SET {column} = -1 - {column};"
        ))
    }
}

/// Rewrites rows of elements under their new numbers; elements that are gone are dropped.
fn rewrite_rows(
    transaction: &Transaction,
    table: &str,
    key: &str,
    places: &[Option<u32>],
) -> rusqlite::Result<()> {
    let mut keys = transaction.prepare(&format!("SELECT {key} FROM {table}"))?;
    let keys = keys.query_map([], |row| row.get(0))?;
    let keys: Vec<i64> = keys.collect::<rusqlite::Result<_>>()?;
    let read = format!("SELECT elements FROM {table} WHERE {key} = ?");
    let write = format!("UPDATE {table} SET elements = ? WHERE {key} = ?");
    let (mut runs, mut elements) = (Vec::new(), Vec::new());
    for id in keys {
        runs.clear();
        let mut query = transaction.prepare_cached(&read)?;
        let blob: Vec<u8> = query.query_row([id], |row| row.get(0))?;
        decode(&blob, &mut runs)?;
        elements.clear();
        let old = runs.drain(..).flatten();
        elements.extend(old.filter_map(|e| places.get(e as usize).copied().flatten()));
        elements.sort_unstable();
        let blob = row::encode_elements(elements.iter().copied());
        let mut update = transaction.prepare_cached(&write)?;
        update.execute(params![blob, id])?;
    }
    Ok(())
}

fn decode(blob: &[u8], runs: &mut Vec<Range<u32>>) -> rusqlite::Result<()> {
    row::decode(blob, runs).map_err(|what| {
        let kind = rusqlite::types::Type::Blob;
        rusqlite::Error::FromSqlConversionFailure(0, kind, what.into())
    })
}
