//! Parts of one whole, each made on a machine of its own: which there are, and how parts of a case
//! become one case.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fdc_core::Shard;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Transaction, params, params_from_iter};

use crate::case::{Case, for_each_row, sql_error};
use crate::checksum::Part;
use crate::database::open_database;
use crate::error::{FileError, Result};
use crate::mutants;
use crate::recording::{COMPLETE, SOURCES, STATE, note, tidy};
use crate::renumber::rewrite;
use crate::whole::replace_whole;
use crate::{row, schema};

/// Notes that say which part of the tests, or of the mutants, a case holds.
pub const SHARD: &str = "shard";
/// The same of mutants.
pub const MUTANT_SHARD: &str = "shard of mutants";
/// Where the project was is no matter: each machine has its own place for it.
const ROOT: &str = "root";
const OTHER_PARTS: &str = "merge parts that one command made, each with another --shard K/N";

/// Puts parts in order, all of one division, each once; whatever is wrong is told by the file.
pub fn in_order<T>(mut parts: Vec<(PathBuf, Shard, T)>) -> Result<Vec<(PathBuf, Shard, T)>> {
    let Some((first, shard, _)) = parts.first() else {
        return Ok(parts);
    };
    let (first, shard, of) = (first.clone(), *shard, shard.of());
    if let Some((path, other, _)) = parts.iter().find(|(_, other, _)| other.of() != of) {
        let expected = format!("a part of {of}, as {} is", first.display());
        return Err(FileError::bad(path, expected, other.to_string()).hint(OTHER_PARTS));
    }
    parts.sort_by(|a, b| (a.1.number(), &a.0).cmp(&(b.1.number(), &b.0)));
    if let Some([one, two]) = parts.array_windows().find(|[one, two]| one.1 == two.1) {
        let expected = "each part once";
        let found = format!("{}, which {} is as well", two.1, one.0.display());
        return Err(FileError::bad(&two.0, expected, found).hint("leave out one of them"));
    }
    let missing = shard
        .siblings()
        .filter(|shard| parts.iter().all(|(_, own, _)| own != shard));
    let missing: Vec<String> = missing.map(|shard| shard.to_string()).collect();
    if !missing.is_empty() {
        let found = format!("{}; missing: {}", parts.len(), missing.join(", "));
        let error = FileError::bad(&first, format!("all {of} parts"), found);
        return Err(error.hint("name all parts, and make those that are missing"));
    }
    Ok(parts)
}

/// What a merged case holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergedCase {
    /// Tests that were measured.
    pub tests: u64,
    /// Mutants.
    pub mutants: u64,
}

/// Makes one case of its parts, in any order: with the same content as if it had been made in one
/// piece. An existing file is replaced, whole or not at all.
pub fn merge_cases(paths: &[PathBuf], to: &Path) -> Result<MergedCase> {
    let open = |path: &PathBuf| {
        let case = Case::open(path)?;
        case.check_part()?;
        let tests = shard(&case, SHARD)?;
        let of_mutants = shard(&case, MUTANT_SHARD)?;
        match of_mutants.or(tests) {
            Some(own) => Ok((path.clone(), own, (case, of_mutants.is_some()))),
            None => Err(FileError::bad(path, "a part of a case", "a whole one")
                .hint("`fdc collect --shard K/N` and `fdc mutate --shard K/N` make parts")),
        }
    };
    let parts = paths.iter().map(open).collect::<Result<Vec<_>>>()?;
    let parts = in_order(parts)?;
    let of_mutants = parts.first().is_some_and(|(.., (_, own))| *own);
    if let Some((path, ..)) = parts.iter().find(|(.., (_, own))| *own != of_mutants) {
        let kind =
            |of_mutants| ["a part of the tests", "a part of the mutants"][usize::from(of_mutants)];
        let error = FileError::bad(path, kind(of_mutants), kind(!of_mutants));
        return Err(error.hint(OTHER_PARTS));
    }
    let cases: Vec<Case> = parts.into_iter().map(|(.., (case, _))| case).collect();
    let notes = same_notes(&cases, of_mutants)?;
    let mut merged = None;
    replace_whole(to, |draft| {
        let failed = |error: rusqlite::Error| sql_error(to, &error);
        let mut connection = open_database(draft, OpenFlags::default()).map_err(failed)?;
        schema::prepare(&mut connection).map_err(failed)?;
        // As a collector leaves it, to the byte.
        connection
            .pragma_update(None, "journal_mode", "WAL")
            .map_err(failed)?;
        let transaction = connection.transaction().map_err(failed)?;
        let whole = match of_mutants {
            true => &cases[..1],
            false => &cases[..],
        };
        let mut joined = Joined::new(&transaction, to);
        whole.iter().try_for_each(|case| joined.add(case))?;
        for case in &cases {
            for mutant in case.mutants()? {
                mutants::insert(&transaction, &mutant).map_err(failed)?;
            }
        }
        let finish = || {
            rewrite(&transaction, |_| true, |_| true)?;
            for (key, value) in &notes {
                note(&transaction, key, value)?;
            }
            note(&transaction, STATE, COMPLETE)?;
            mutants::put_in_order(&transaction)?;
            Part::ALL
                .iter()
                .try_for_each(|part| part.keep(&transaction))?;
            let count = |table: &str| {
                let statement = format!("SELECT count(*) FROM {table}");
                transaction.query_row(&statement, [], |row| row.get::<_, u32>(0))
            };
            Ok(MergedCase {
                tests: count("test")?.into(),
                mutants: count("mutant")?.into(),
            })
        };
        merged = Some(finish().map_err(failed)?);
        transaction.commit().map_err(failed)?;
        tidy(&connection);
        connection
            .pragma_update(None, "journal_mode", "DELETE")
            .map_err(failed)?;
        connection.close().map_err(|(_, error)| failed(error))
    })?;
    Ok(merged.expect("counted before the file was put in place"))
}

impl Case {
    /// Refuses what cannot be a part of another case.
    fn check_part(&self) -> Result<()> {
        self.check_whole(&Part::ALL)?;
        if !self.sql(schema::is_current)? {
            let error = FileError::bad(&self.path, "a case of this fdc", "an older one");
            return Err(error.hint("make all parts with the same fdc"));
        }
        if let Some(interruption) = self.interruption()? {
            return Err(FileError::bad(&self.path, "a complete part", interruption)
                .hint("finish the collection first"));
        }
        let answered = "SELECT EXISTS (SELECT 1 FROM label) OR EXISTS (SELECT 1 FROM virtual_test)
            OR EXISTS (SELECT 1 FROM skip)";
        if self.sql(|c| c.query_row(answered, [], |row| row.get::<_, bool>(0)))? {
            let error = FileError::bad(&self.path, "a part without answers", "answers");
            return Err(error.hint("answers belong to the whole case: merge first, then answer"));
        }
        Ok(())
    }
}

fn shard(case: &Case, key: &str) -> Result<Option<Shard>> {
    let Some(text) = case.about(key)? else {
        return Ok(None);
    };
    let shard = text.parse();
    let damaged = |found| FileError::bad(&case.path, "a part K/N", found).at(format!("note {key}"));
    shard.map(Some).map_err(damaged)
}

/// The notes of the whole: those of all parts, which have to agree.
fn same_notes(cases: &[Case], of_mutants: bool) -> Result<BTreeMap<String, String>> {
    let own = if of_mutants { MUTANT_SHARD } else { SHARD };
    let mut notes = BTreeMap::new();
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate() {
        let mut of_case = case.all_notes()?;
        // Parts of the mutants hold the same tests, parts of the tests do not.
        let differs = |key: &str| Part::ALL.iter().any(|part| part.key() == key);
        let same = |key: &str| of_mutants && key == Part::Measured.key();
        of_case.retain(|key, _| *key != own && (same(key) || !differs(key)));
        for (path, digest) in case.source_digests()? {
            let known = sources.entry(path).or_insert_with(|| digest.clone());
            if *known != digest {
                let error = FileError::bad(&case.path, "parts of the same sources", "other ones");
                return Err(error.hint("make all parts of one state of the project"));
            }
        }
        of_case.remove(SOURCES);
        if at == 0 {
            notes = of_case;
            continue;
        }
        let keys = notes
            .keys()
            .chain(of_case.keys())
            .filter(|key| *key != ROOT);
        let mut differing = keys.filter(|key| notes.get(*key) != of_case.get(*key));
        if let Some(key) = differing.next() {
            let value = |notes: &BTreeMap<String, String>| match notes.get(key) {
                Some(value) => format!("{key} {value:?}"),
                None => format!("no {key}"),
            };
            return Err(FileError::bad(&case.path, value(&notes), value(&of_case))
                .hint("make all parts with the same options, of one state of the project"));
        }
    }
    if !sources.is_empty() {
        notes.insert(SOURCES.to_owned(), crate::recording::source_lines(&sources));
    }
    Ok(notes)
}

/// What parts measured, put together under new numbers.
struct Joined<'t> {
    connection: &'t Transaction<'t>,
    to: &'t Path,
    files: BTreeMap<String, i64>,
    methods: BTreeMap<String, i64>,
    elements: BTreeMap<(i64, i64), u32>,
    tests: i64,
}

impl<'t> Joined<'t> {
    fn new(connection: &'t Transaction<'t>, to: &'t Path) -> Self {
        Joined {
            connection,
            to,
            files: BTreeMap::new(),
            methods: BTreeMap::new(),
            elements: BTreeMap::new(),
            tests: 0,
        }
    }

    fn add(&mut self, case: &Case) -> Result<()> {
        let failed = |error: rusqlite::Error| sql_error(self.to, &error);
        let _moment = case.moment()?;
        if let Some(test) = self.known_test(&case.connection).map_err(failed)? {
            let expected = "tests that no other part has";
            return Err(FileError::bad(&case.path, expected, test).hint(OTHER_PARTS));
        }
        let (files, elements) = self.add_program(&case.connection).map_err(failed)?;
        self.add_tests(&case.connection, &elements)
            .map_err(failed)?;
        self.add_history(&case.connection, &files).map_err(failed)
    }

    /// A test of a part that is there already.
    fn known_test(&self, part: &Connection) -> rusqlite::Result<Option<String>> {
        let statement = "SELECT EXISTS (SELECT 1 FROM test WHERE name = ?1)
            OR EXISTS (SELECT 1 FROM skipped WHERE name = ?1)";
        let mut known = None;
        for_each_row(
            part,
            "SELECT name FROM test UNION SELECT name FROM skipped",
            |row| {
                let name: String = row.get(0)?;
                let mut query = self.connection.prepare_cached(statement)?;
                if query.query_row([&name], |row| row.get(0))? {
                    known = Some(name);
                }
                Ok(())
            },
        )?;
        Ok(known)
    }

    /// By their numbers in the part: files and elements.
    fn add_program(&mut self, part: &Connection) -> rusqlite::Result<(Vec<i64>, Vec<u32>)> {
        let (mut files, mut methods, mut elements) = (Vec::new(), Vec::new(), Vec::new());
        for_each_row(part, "SELECT path FROM file ORDER BY id", |row| {
            let path: String = row.get(0)?;
            let next = self.files.len() as i64;
            let id = *self.files.entry(path.clone()).or_insert(next);
            if id == next {
                let statement = "INSERT INTO file (id, path) VALUES (?, ?)";
                self.connection
                    .prepare_cached(statement)?
                    .execute(params![id, path])?;
            }
            files.push(id);
            Ok(())
        })?;
        for_each_row(part, "SELECT file, name FROM method ORDER BY id", |row| {
            let (file, name): (i64, String) = (row.get(0)?, row.get(1)?);
            let next = self.methods.len() as i64;
            let id = *self.methods.entry(name.clone()).or_insert(next);
            if id == next {
                let statement = "INSERT INTO method (id, file, name) VALUES (?, ?, ?)";
                let file = of_part(&files, file)?;
                self.connection
                    .prepare_cached(statement)?
                    .execute(params![id, file, name])?;
            }
            methods.push(id);
            Ok(())
        })?;
        for_each_row(
            part,
            "SELECT method, line FROM element ORDER BY id",
            |row| {
                let (method, line) = (of_part(&methods, row.get(0)?)?, row.get(1)?);
                let next = self.elements.len() as u32;
                let id = *self.elements.entry((method, line)).or_insert(next);
                if id == next {
                    let statement = "INSERT INTO element (id, method, line) VALUES (?, ?, ?)";
                    self.connection
                        .prepare_cached(statement)?
                        .execute(params![id, method, line])?;
                }
                elements.push(id);
                Ok(())
            },
        )?;
        Ok((files, elements))
    }

    fn add_tests(&mut self, part: &Connection, elements: &[u32]) -> rusqlite::Result<()> {
        let first = self.tests;
        let statement = "SELECT name, outcome, origin, flaky, runs, seconds, note, elements
            FROM test LEFT JOIN coverage ON test = id ORDER BY id";
        let (mut runs, mut row_of_test) = (Vec::new(), Vec::<u32>::new());
        for_each_row(part, statement, |row| {
            let statement =
                "INSERT INTO test (id, name, outcome, origin, flaky, runs, seconds, note)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
            let mut values = vec![Value::Integer(self.tests)];
            for column in 0..7 {
                values.push(row.get(column)?);
            }
            let mut insert = self.connection.prepare_cached(statement)?;
            insert.execute(params_from_iter(values))?;
            runs.clear();
            let blob = row.get_ref(7)?.as_blob()?;
            row::decode(blob, &mut runs).map_err(damaged)?;
            row_of_test.clear();
            for element in runs.drain(..).flatten() {
                row_of_test.push(
                    *elements
                        .get(element as usize)
                        .ok_or_else(|| damaged(BEYOND))?,
                );
            }
            row_of_test.sort_unstable();
            let blob = row::encode_elements(row_of_test.iter().copied());
            let statement = "INSERT INTO coverage VALUES (?, ?)";
            let mut insert = self.connection.prepare_cached(statement)?;
            insert.execute(params![self.tests, blob])?;
            self.tests += 1;
            Ok(())
        })?;
        self.copy(part, "skipped", None)?;
        for table in ["failure", "frame"] {
            self.copy(part, table, Some(first))?;
        }
        Ok(())
    }

    /// The rows of a table; if its first column is a test's number, with what is added to it.
    fn copy(&self, part: &Connection, table: &str, added: Option<i64>) -> rusqlite::Result<()> {
        for_each_row(part, &format!("SELECT * FROM {table}"), |row| {
            let columns = row.as_ref().column_count();
            let marks = vec!["?"; columns].join(", ");
            let statement = format!("INSERT INTO {table} VALUES ({marks})");
            let mut insert = self.connection.prepare_cached(&statement)?;
            let mut values = (0..columns)
                .map(|column| row.get(column))
                .collect::<Result<Vec<_>, _>>()?;
            if let (Some(added), Some(Value::Integer(test))) = (added, values.first_mut()) {
                *test += added;
            }
            insert.execute(params_from_iter(values)).map(drop)
        })
    }

    fn add_history(&self, part: &Connection, files: &[i64]) -> rusqlite::Result<()> {
        for_each_row(part, "SELECT * FROM history", |row| {
            let statement = "INSERT OR IGNORE INTO history VALUES (?, ?, ?, ?)";
            let file = of_part(files, row.get(0)?)?;
            let (commits, since, days): (Value, Value, Value) =
                (row.get(1)?, row.get(2)?, row.get(3)?);
            let mut insert = self.connection.prepare_cached(statement)?;
            insert
                .execute(params![file, commits, since, days])
                .map(drop)
        })
    }
}

const BEYOND: &str = "a number that nothing has";

fn of_part(numbers: &[i64], number: i64) -> rusqlite::Result<i64> {
    let found = usize::try_from(number).ok().and_then(|at| numbers.get(at));
    found.copied().ok_or_else(|| damaged(BEYOND))
}

fn damaged(what: &'static str) -> rusqlite::Error {
    let kind = rusqlite::types::Type::Blob;
    rusqlite::Error::FromSqlConversionFailure(0, kind, what.into())
}
