//! Mutants: small changes of the program, and which tests fail with each. They are told by the names of
//! files, methods and tests, because they stay when the case is measured again: what tests noticed
//! before a failure helps to place it.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fdc_core::Spectrum;
use fdc_core::evidence::{FailureRecord, Frame};
use fdc_core::mutants::MutantRecord;
use fdc_core::named::Named;
use rusqlite::TransactionBehavior::Immediate;
use rusqlite::{Connection, OpenFlags, Transaction, params};

use crate::case::{Case, file_identity, for_each_row, sql_error};
use crate::checksum::Part;
use crate::database::open_database;
use crate::error::{FileError, Result};
use crate::lock::Lock;
use crate::parts::MUTANT_SHARD;
use crate::recording::{PATIENCE, note};
use crate::{evidence, schema};

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// A test failed.
    Killed,
    /// No test that runs the line noticed it.
    Survived,
    /// A test did not end, and was killed; the tests after it were not run.
    Hung,
    /// The tests' process ended; the tests after it were not run.
    Crashed,
    /// It cannot be built.
    Broken,
}

impl Named for Fate {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (Fate::Killed, "killed", "a test failed"),
        (Fate::Survived, "survived", "no test noticed it"),
        (Fate::Hung, "hung", "a test did not end"),
        (Fate::Crashed, "crashed", "the tests' process ended"),
        (Fate::Broken, "broken", "it cannot be built"),
    ];
}

/// A change of one place of a file. Two with the same place, replacement and digest are the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceChange {
    /// The file, relative to the project's root.
    pub path: String,
    /// What is replaced, in bytes of the file: first, and the one after the last. Both are 0 if another
    /// tool made the change and does not tell.
    pub bytes: (usize, usize),
    /// By what.
    pub replacement: String,
    /// Of the file as it was; [`Self::imported_digest`] if another tool made the change.
    pub digest: String,
}

/// Tools do not tell of which version of a file their mutants are.
const IMPORTED: &str = "imported:";

impl SourceChange {
    /// What stands for the digest of a file that another tool changed.
    pub fn imported_digest(tool: &str) -> String {
        format!("{IMPORTED}{tool}")
    }

    /// What tells it from all others of a project, as text.
    pub fn name(&self) -> String {
        let (first, last) = self.bytes;
        format!("{}:{first}-{last}:{}", self.path, self.replacement)
    }

    /// What is replaced.
    pub fn range(&self) -> Range<usize> {
        self.bytes.0..self.bytes.1
    }
}

/// A mutant, and what tests noticed of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutant {
    /// The change.
    pub change: SourceChange,
    /// The changed method.
    pub method: String,
    /// The line that the change begins on.
    pub line: u32,
    /// The kind of change.
    pub mutator: String,
    /// What was replaced.
    pub original: String,
    /// What became of it.
    pub fate: Fate,
    /// How many tests run the line, and so were to be run.
    pub tests: u32,
    /// What running them took.
    pub seconds: f64,
    /// The tests that failed, by name.
    pub kills: Vec<Kill>,
}

/// A test that failed with a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kill {
    /// The test.
    pub test: String,
    /// How it failed, as far as that is known.
    pub failure: FailureRecord,
}

/// A case that mutants are added to. Each is committed by itself, so a killed run loses those under way
/// alone.
#[derive(Debug)]
pub struct MutantRecording {
    case: Case,
    _lock: Lock,
}

impl MutantRecording {
    /// Opens a complete case. A collector is kept out meanwhile.
    pub fn open(path: &Path) -> Result<Self> {
        let lock = Lock::take(path, "mutate")?;
        let case = Case::open(path)?;
        case.check_whole(&Part::ALL)?;
        if let Some(interruption) = case.interruption()? {
            return Err(FileError::bad(path, "a complete case", interruption)
                .hint("finish the collection first"));
        }
        drop(case);
        let failed = |error: rusqlite::Error| sql_error(path, &error);
        let mut case = Case {
            connection: open_database(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failed)?,
            path: path.to_owned(),
            file: file_identity(path),
        };
        case.connection.busy_timeout(PATIENCE).map_err(failed)?;
        schema::prepare(&mut case.connection).map_err(failed)?;
        Ok(MutantRecording { case, _lock: lock })
    }

    /// The case itself.
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// Forgets the mutants of files that are not as they were; how many. Those of other tools stay until
    /// the next import, because nobody can tell.
    pub fn forget_stale(&mut self, is_current: impl Fn(&str, &str) -> bool) -> Result<usize> {
        self.write(|transaction| {
            let mut stale: Vec<i64> = Vec::new();
            let statement = "SELECT id, path, digest FROM mutant";
            for_each_row(transaction, statement, |row| {
                let (path, digest): (String, String) = (row.get(1)?, row.get(2)?);
                if !digest.starts_with(IMPORTED) && !is_current(&path, &digest) {
                    stale.push(row.get(0)?);
                }
                Ok(())
            })?;
            for id in &stale {
                transaction.execute("DELETE FROM kill WHERE mutant = ?", [id])?;
                transaction.execute("DELETE FROM mutant WHERE id = ?", [id])?;
            }
            Ok(stale.len())
        })
    }

    /// The changes that are done.
    pub fn done(&self) -> Result<HashSet<SourceChange>> {
        let mut done = HashSet::new();
        self.case.sql(|c| {
            for_each_row(
                c,
                "SELECT path, first, last, replacement, digest FROM mutant",
                |row| {
                    done.insert(SourceChange {
                        path: row.get(0)?,
                        bytes: (
                            row.get::<_, i64>(1)? as usize,
                            row.get::<_, i64>(2)? as usize,
                        ),
                        replacement: row.get(3)?,
                        digest: row.get(4)?,
                    });
                    Ok(())
                },
            )
        })?;
        Ok(done)
    }

    /// Notes that the case is to hold this part of the mutants.
    pub fn keep_shard(&self, shard: &str) -> Result<()> {
        self.case.sql(|c| note(c, MUTANT_SHARD, shard))
    }

    /// Stores a mutant; one that is there already is replaced.
    pub fn record(&mut self, mutant: &Mutant) -> Result<()> {
        self.write(|transaction| insert(transaction, mutant))
    }

    /// Ends the recording: mutants in the order of their places, whatever the order they were made in.
    pub fn finish(mut self) -> Result<()> {
        self.write(put_in_order)
    }

    fn write<T>(&mut self, run: impl FnOnce(&Transaction) -> rusqlite::Result<T>) -> Result<T> {
        self.case.sql(|c| {
            let transaction = Transaction::new_unchecked(c, Immediate)?;
            Part::Mutated.forget(&transaction)?;
            let written = run(&transaction)?;
            transaction.commit()?;
            Ok(written)
        })
    }
}

impl Case {
    /// The mutants that were tried, by place; none in files before schema 9.
    pub fn mutants(&self) -> Result<Vec<Mutant>> {
        let _moment = self.moment()?;
        let mutants = self.sql(read)?;
        self.check_whole(&[Part::Mutated])?;
        Ok(mutants)
    }

    /// How long each test took, in order, where a collector measured it.
    pub fn seconds(&self) -> Result<Vec<Option<Duration>>> {
        let seconds: Vec<Option<f64>> = self.column("SELECT seconds FROM test ORDER BY id")?;
        let duration = |seconds: Option<f64>| Duration::try_from_secs_f64(seconds?).ok();
        Ok(seconds.into_iter().map(duration).collect())
    }
}

/// The mutants whose tests were all run, with methods and tests as a spectrum numbers them. What has
/// another name by now is left out.
pub(crate) fn joined(mutants: &[Mutant], spectrum: &Spectrum) -> Arc<[MutantRecord]> {
    if mutants.is_empty() {
        return Arc::default();
    }
    let (methods, tests) = spectrum.by_names();
    let of = |mutant: &Mutant| {
        let kill = |kill: &Kill| Some((*tests.get(&*kill.test)?, kill.failure.clone()));
        let mut kills: Vec<_> = mutant.kills.iter().filter_map(kill).collect();
        kills.sort_by_key(|(test, _)| *test);
        let whole = match mutant.fate {
            Fate::Killed => !kills.is_empty(),
            Fate::Survived => true,
            Fate::Hung | Fate::Crashed | Fate::Broken => false,
        };
        let method = *methods.get(&*mutant.method)?;
        whole.then_some(MutantRecord {
            method,
            line: mutant.line,
            kills,
        })
    };
    mutants.iter().filter_map(of).collect()
}

/// Adds mutants that other tools tried, in the place of those that the same tools brought before.
pub(crate) fn add_imported(draft: &Transaction, mutants: &[Mutant]) -> rusqlite::Result<()> {
    if mutants.is_empty() {
        return Ok(());
    }
    let tools: BTreeSet<&str> = mutants.iter().map(|own| &*own.change.digest).collect();
    for digest in tools {
        let own = "SELECT id FROM mutant WHERE digest = ?";
        let statement = format!("DELETE FROM kill WHERE mutant IN ({own})");
        draft.execute(&statement, [digest])?;
        draft.execute("DELETE FROM mutant WHERE digest = ?", [digest])?;
    }
    mutants.iter().try_for_each(|own| insert(draft, own))?;
    put_in_order(draft)
}

pub(crate) fn put_in_order(transaction: &Transaction) -> rusqlite::Result<()> {
    let mutants = read(transaction)?;
    for table in ["kill", "mutant", "mutant_test"] {
        transaction.execute(&format!("DELETE FROM {table}"), [])?;
    }
    mutants
        .iter()
        .try_for_each(|mutant| insert(transaction, mutant))?;
    Part::Mutated.keep(transaction)
}

pub(crate) fn insert(transaction: &Transaction, mutant: &Mutant) -> rusqlite::Result<()> {
    let SourceChange {
        path,
        bytes,
        replacement,
        digest,
    } = &mutant.change;
    let place = params![path, bytes.0 as i64, bytes.1 as i64, replacement];
    let same = "path = ? AND first = ? AND last = ? AND replacement = ?";
    let statement =
        format!("DELETE FROM kill WHERE mutant IN (SELECT id FROM mutant WHERE {same})");
    transaction.prepare_cached(&statement)?.execute(place)?;
    let statement = format!("DELETE FROM mutant WHERE {same}");
    transaction.prepare_cached(&statement)?.execute(place)?;
    let statement = "INSERT INTO mutant (path, first, last, replacement, digest, method, line,
        mutator, original, fate, tests, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    transaction.prepare_cached(statement)?.execute(params![
        path,
        bytes.0 as i64,
        bytes.1 as i64,
        replacement,
        digest,
        mutant.method,
        mutant.line,
        mutant.mutator,
        mutant.original,
        mutant.fate.name(),
        mutant.tests,
        mutant.seconds
    ])?;
    let id = transaction.last_insert_rowid();
    for kill in &mutant.kills {
        let statement = "INSERT OR IGNORE INTO mutant_test (name) VALUES (?)";
        transaction
            .prepare_cached(statement)?
            .execute([&kill.test])?;
        let statement = "INSERT OR REPLACE INTO kill
            SELECT ?, id, ?, ?, ? FROM mutant_test WHERE name = ?";
        let FailureRecord {
            exception,
            message,
            frames,
            ..
        } = &kill.failure;
        let frames = frames_text(frames);
        transaction
            .prepare_cached(statement)?
            .execute(params![id, exception, message, frames, kill.test])?;
    }
    Ok(())
}

fn read(connection: &Connection) -> rusqlite::Result<Vec<Mutant>> {
    if evidence::version(connection)? < 9 {
        return Ok(Vec::new());
    }
    let mut mutants: Vec<Mutant> = Vec::new();
    let mut ids: Vec<i64> = Vec::new();
    let statement =
        "SELECT path, first, last, replacement, digest, method, line, mutator, original,
        fate, tests, seconds, id FROM mutant ORDER BY path, first, last, line, replacement";
    for_each_row(connection, statement, |row| {
        let fate: String = row.get(9)?;
        ids.push(row.get(12)?);
        mutants.push(Mutant {
            change: SourceChange {
                path: row.get(0)?,
                bytes: (
                    row.get::<_, i64>(1)? as usize,
                    row.get::<_, i64>(2)? as usize,
                ),
                replacement: row.get(3)?,
                digest: row.get(4)?,
            },
            method: row.get(5)?,
            line: row.get(6)?,
            mutator: row.get(7)?,
            original: row.get(8)?,
            fate: Fate::named(&fate).unwrap_or(Fate::Broken),
            tests: row.get(10)?,
            seconds: row.get(11)?,
            kills: Vec::new(),
        });
        Ok(())
    })?;
    let statement = "SELECT name, exception, message, frames FROM kill
        JOIN mutant_test ON mutant_test.id = kill.test WHERE mutant = ? ORDER BY name";
    let mut query = connection.prepare(statement)?;
    for (mutant, id) in mutants.iter_mut().zip(ids) {
        let mut rows = query.query([id])?;
        while let Some(row) = rows.next()? {
            let frames: String = row.get(3)?;
            mutant.kills.push(Kill {
                test: row.get(0)?,
                failure: FailureRecord {
                    exception: row.get(1)?,
                    message: row.get(2)?,
                    frames: frames.lines().map(frame).collect(),
                    source: None,
                },
            });
        }
    }
    Ok(mutants)
}

/// A call a line, innermost first: line number, function and file, with tabs between.
fn frames_text(frames: &[Frame]) -> String {
    let line = |frame: &Frame| {
        let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        let (function, place) = (plain(&frame.function), plain(&frame.place));
        format!("{}\t{function}\t{place}\n", frame.line)
    };
    frames.iter().take(KEPT_FRAMES).map(line).collect()
}

fn frame(line: &str) -> Frame {
    let mut parts = line.splitn(3, '\t');
    let mut part = || parts.next().unwrap_or_default();
    let line = part().parse().unwrap_or(0);
    let (function, place) = (part().to_owned(), part().to_owned());
    Frame {
        place,
        function,
        line,
    }
}

/// There are thousands of failures: the innermost calls have to do.
const KEPT_FRAMES: usize = 20;

#[cfg(test)]
mod tests {
    use fdc_core::evidence::Frame;

    use super::*;
    use crate::recording::{Judgement, Recording, TestRun};
    use fdc_core::Outcome;

    fn case(folder: &Path) -> std::path::PathBuf {
        let path = folder.join("case.fdc");
        let mut recording = Recording::open(&path, &[("collector", "pytest")]).unwrap();
        let element = recording.element("a.py", "a.py::f", 2);
        let run = TestRun {
            name: "t",
            judgement: Judgement::Judged(Outcome::Pass),
            seconds: Some(0.5),
            note: None,
            failure: None,
        };
        recording.record(&run, &mut vec![element]).unwrap();
        recording.finish(true).unwrap();
        path
    }

    fn mutant(place: usize, fate: Fate, tests: &[&str]) -> Mutant {
        let kill = |test: &&str| Kill {
            test: (*test).to_owned(),
            failure: FailureRecord {
                exception: Some("E".into()),
                message: Some("no\nyes".into()),
                frames: vec![Frame {
                    place: "a.py".into(),
                    function: "f".into(),
                    line: 2,
                }],
                source: None,
            },
        };
        Mutant {
            change: SourceChange {
                path: "a.py".into(),
                bytes: (place, place + 1),
                replacement: "-".into(),
                digest: "d".into(),
            },
            method: "a.py::f".into(),
            line: 2,
            mutator: "arithmetic".into(),
            original: "+".into(),
            fate,
            tests: 2,
            seconds: 0.25,
            kills: tests.iter().map(kill).collect(),
        }
    }

    #[test]
    fn mutants_are_read_by_place_as_they_were_written_and_one_replaces_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = case(folder.path());
        let (one, two) = (
            mutant(7, Fate::Killed, &["t", "u"]),
            mutant(3, Fate::Survived, &[]),
        );
        let mut recording = MutantRecording::open(&path).unwrap();
        recording.record(&mutant(7, Fate::Hung, &["x"])).unwrap();
        recording.record(&one).unwrap();
        recording.record(&two).unwrap();
        assert_eq!(recording.done().unwrap().len(), 2);
        recording.finish().unwrap();
        let read = Case::open(&path).unwrap();
        assert_eq!(read.mutants().unwrap(), [two, one]);
        assert_eq!(read.seconds().unwrap(), [Some(Duration::from_millis(500))]);
    }

    #[test]
    fn a_collector_that_comes_second_is_told_of_mutants() {
        let folder = tempfile::tempdir().unwrap();
        let path = case(folder.path());
        let recording = MutantRecording::open(&path).unwrap();
        let error = Recording::open(&path, &[("collector", "pytest")]).unwrap_err();
        let id = std::process::id();
        let found = format!("found another `fdc mutate` at work on it (process {id})");
        assert!(error.to_string().ends_with(&found), "{error}");
        drop(recording);
        Recording::open(&path, &[("collector", "pytest")]).unwrap();
    }

    #[test]
    fn the_same_mutants_give_the_same_file_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let all = [
            mutant(1, Fate::Killed, &["t"]),
            mutant(5, Fate::Killed, &["a", "t"]),
        ];
        let mut sums = Vec::new();
        for (name, order) in [("forth", [0, 1]), ("back", [1, 0])] {
            let folder = folder.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            let path = case(&folder);
            let mut recording = MutantRecording::open(&path).unwrap();
            order
                .iter()
                .for_each(|&at| recording.record(&all[at]).unwrap());
            recording.finish().unwrap();
            sums.extend(
                Case::open(&path)
                    .unwrap()
                    .about("checksum of mutants")
                    .unwrap(),
            );
        }
        assert_eq!(sums[0], sums[1]);
    }

    #[test]
    fn mutants_of_a_file_that_changed_are_forgotten_and_a_new_collection_keeps_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = case(folder.path());
        let mut recording = MutantRecording::open(&path).unwrap();
        recording.record(&mutant(1, Fate::Killed, &["t"])).unwrap();
        recording.finish().unwrap();
        let mut again = Recording::open(&path, &[("collector", "pytest")]).unwrap();
        again.forget(|_, _, _| None, |_| true).unwrap();
        again.finish(true).unwrap();
        assert_eq!(Case::open(&path).unwrap().mutants().unwrap().len(), 1);
        let mut recording = MutantRecording::open(&path).unwrap();
        assert_eq!(
            recording.forget_stale(|_, digest| digest == "d").unwrap(),
            0
        );
        assert_eq!(
            recording.forget_stale(|_, digest| digest == "e").unwrap(),
            1
        );
        recording.finish().unwrap();
        assert!(Case::open(&path).unwrap().mutants().unwrap().is_empty());
    }

    #[test]
    fn imported_mutants_outlast_changes_and_the_next_import_of_the_tool_replaces_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = case(folder.path());
        let mut recording = MutantRecording::open(&path).unwrap();
        recording.record(&mutant(1, Fate::Killed, &["t"])).unwrap();
        recording.finish().unwrap();
        let imported = |tool: &str, line| {
            let mut imported = mutant(0, Fate::Killed, &["t", "u"]);
            imported.change.bytes = (0, 0);
            imported.change.digest = SourceChange::imported_digest(tool);
            imported.change.replacement = format!("{tool} {line}");
            imported.line = line;
            imported
        };
        let add = |from: &Path, to: &Path, mutants: &[Mutant]| {
            let known = Case::open(from).unwrap();
            let spectrum = known.spectrum().unwrap();
            known.update(to, &spectrum, mutants, &[]).unwrap();
        };
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        let pit = [imported("pit", 10), imported("pit", 9)];
        let major = imported("major", 3);
        let both = [&pit[..], std::slice::from_ref(&major)].concat();
        add(&path, &first, &both);
        let mut recording = MutantRecording::open(&first).unwrap();
        assert_eq!(recording.forget_stale(|_, _| false).unwrap(), 1);
        recording.finish().unwrap();
        let [ten, nine] = pit;
        let kept = Case::open(&first).unwrap().mutants().unwrap();
        assert_eq!(kept, [major.clone(), nine, ten]);
        let again = imported("pit", 4);
        add(&first, &second, std::slice::from_ref(&again));
        let kept = Case::open(&second).unwrap().mutants().unwrap();
        assert_eq!(kept, [major, again]);
    }

    #[test]
    fn damage_to_mutants_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = case(folder.path());
        let mut recording = MutantRecording::open(&path).unwrap();
        recording.record(&mutant(1, Fate::Killed, &["t"])).unwrap();
        recording.finish().unwrap();
        let connection = Connection::open(&path).unwrap();
        connection
            .execute("UPDATE mutant SET fate = 'survived'", [])
            .unwrap();
        drop(connection);
        let case = Case::open(&path).unwrap();
        // Who hears no mutants is not kept from work by damaged ones.
        let mut spectrum = case.spectrum().unwrap();
        let heard = case.add_kills(&mut spectrum).unwrap_err();
        for error in [case.mutants().unwrap_err(), heard] {
            assert!(error.to_string().contains("checksum"), "{error}");
        }
    }
}
