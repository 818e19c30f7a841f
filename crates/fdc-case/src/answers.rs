//! What people said: verdicts on tests, verdicts on parts of the program (virtual tests), and tests
//! they could not judge. Every answer stays in the file; an undone one no longer counts.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fdc_core::coverage::{Coverage, TestId};
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Test, VIRTUAL};
use fdc_core::{Spectrum, Verdict};
use rusqlite::{Connection, ErrorCode, Params, Transaction, TransactionBehavior, params};

use crate::case::{Case, file_identity, read_verdict, sql_error};
use crate::checksum::{DAMAGED, Part};
use crate::error::{FileError, Result};
use crate::{row, schema};

/// How long to wait for another program that writes to the case.
const PATIENCE: Duration = Duration::from_secs(5);

/// Larger than the number of any answer so far.
const NEXT_NUMBER: &str = "(SELECT 1 + coalesce(max(number), 0) FROM (
    SELECT number FROM label UNION ALL
    SELECT number FROM virtual_test UNION ALL
    SELECT number FROM skip))";

/// An answer as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Its number, to undo it with.
    pub id: AnswerId,
    /// What it is about: a test's name, or what a virtual test says of itself.
    pub subject: String,
    /// The test, if it is about one.
    pub test: Option<TestId>,
    /// What a virtual test is about, whatever it says of it.
    pub topic: Option<String>,
    /// What was said; `None` if the test was skipped.
    pub verdict: Option<Verdict>,
    /// Who said it.
    pub who: String,
    /// When, UTC in ISO 8601.
    pub at: String,
    /// Whether it was taken back.
    pub undone: bool,
}

/// Which answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerId {
    /// A verdict on a test.
    Label(i64),
    /// A verdict on a part of the program.
    Virtual(i64),
    /// No verdict on a test.
    Skip(i64),
}

/// A verdict on a part of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct VirtualTest<'a> {
    /// What kind of statement it is: `call`, `method`, `near`.
    pub kind: &'a str,
    /// The statement in words.
    pub subject: &'a str,
    /// What it is about: of statements about the same, the last counts.
    pub topic: &'a str,
    /// What it is about, ascending.
    pub elements: &'a [u32],
    /// What was said.
    pub verdict: Verdict,
}

impl Case {
    /// Makes the case ready to take answers: a file of an older schema is brought up to date, and
    /// other programs that write at the same time are waited for. A case that cannot be written is
    /// an error now, and not at the first answer.
    pub fn take_answers(&mut self) -> Result<()> {
        if self.sql(|c| c.is_readonly("main"))? {
            let found = "a file that can only be read";
            return Err(
                FileError::bad(&self.path, "a case that takes answers", found)
                    .hint("check that the file and its folder can be written"),
            );
        }
        let failed = |error: rusqlite::Error| sql_error(&self.path, &error);
        self.connection.busy_timeout(PATIENCE).map_err(failed)?;
        // Answers find their test by the index of names.
        let checked = "PRAGMA integrity_check('test')";
        let found: String = self.sql(|c| c.query_row(checked, [], |row| row.get(0)))?;
        if found != "ok" {
            return Err(FileError::bad(&self.path, "a whole case file", found).hint(DAMAGED));
        }
        schema::prepare(&mut self.connection).map_err(failed)?;
        self.sql(|c| match try_to_write(c) {
            // That passes.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(()),
            tried => tried,
        })
    }

    /// Makes the case ready to show its answers: only a file of an older schema is written to.
    pub fn show_answers(&mut self) -> Result<()> {
        match self.sql(schema::is_current)? {
            true => Ok(()),
            false => self.take_answers(),
        }
    }

    /// Stores a verdict on the test of that name; none if the case no longer has it. `at` is UTC in
    /// ISO 8601.
    pub fn add_label(
        &self,
        test: &str,
        verdict: Verdict,
        who: &str,
        at: &str,
    ) -> Result<Option<AnswerId>> {
        let statement = format!(
            "INSERT INTO label (test, verdict, weight, who, at, number)
             SELECT id, ?, ?, ?, ?, {NEXT_NUMBER} FROM test WHERE name = ?"
        );
        let (outcome, trust) = (verdict.outcome.name(), verdict.trust);
        let id = self.insert(None, &statement, params![outcome, trust, who, at, test])?;
        Ok(id.map(AnswerId::Label))
    }

    /// Stores a verdict on a part of the program, if the case is as it was when
    /// [`Self::changes_elsewhere`] said `as_of`: its elements may have other numbers since.
    pub fn add_virtual_test(
        &self,
        test: &VirtualTest<'_>,
        as_of: i64,
        who: &str,
        at: &str,
    ) -> Result<Option<AnswerId>> {
        let row = row::encode_elements(test.elements.iter().copied());
        let Verdict { outcome, trust } = test.verdict;
        let statement = format!(
            "INSERT INTO virtual_test
                 (kind, subject, topic, elements, verdict, weight, who, at, number)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, {NEXT_NUMBER})"
        );
        let (kind, subject, topic, outcome) = (test.kind, test.subject, test.topic, outcome.name());
        let values = params![kind, subject, topic, row, outcome, trust, who, at];
        let id = self.insert(Some(as_of), &statement, values)?;
        Ok(id.map(AnswerId::Virtual))
    }

    /// Notes that the test of that name was looked at and not judged; none if the case no longer has
    /// it.
    pub fn add_skip(&self, test: &str, who: &str, at: &str) -> Result<Option<AnswerId>> {
        let statement = format!(
            "INSERT INTO skip (test, who, at, number)
             SELECT id, ?, ?, {NEXT_NUMBER} FROM test WHERE name = ?"
        );
        let id = self.insert(None, &statement, params![who, at, test])?;
        Ok(id.map(AnswerId::Skip))
    }

    /// Stores an answer, if there is what it is about. The first one also keeps when the case was
    /// measured: the file's own time tells that only as long as nothing is written to it.
    fn insert(
        &self,
        as_of: Option<i64>,
        statement: &str,
        values: impl Params,
    ) -> Result<Option<i64>> {
        self.check_in_place()?;
        let measured = since_1970(&self.path).map(|since| since.as_nanos().to_string());
        self.sql(|c| {
            // From here on nobody else writes.
            let transaction = Transaction::new_unchecked(c, TransactionBehavior::Immediate)?;
            if as_of.is_some_and(|as_of| data_version(c) != Ok(as_of)) {
                return Ok(None);
            }
            if let Some(measured) = measured {
                let note = "INSERT OR IGNORE INTO about VALUES ('measured', ?)";
                transaction.execute(note, [measured])?;
            }
            let stored = transaction.execute(statement, values)? == 1;
            let id = transaction.last_insert_rowid();
            Part::Answered.keep(&transaction)?;
            transaction.commit()?;
            Ok(stored.then_some(id))
        })
    }

    /// An answer to a file that another one has taken the place of would be lost.
    fn check_in_place(&self) -> Result<()> {
        if self.file == file_identity(&self.path) {
            return Ok(());
        }
        let found = "another file in its place";
        Err(
            FileError::bad(&self.path, "the case that was opened", found)
                .hint("the answer was not stored: open the case again"),
        )
    }

    /// When the coverage was measured, as far as is known.
    pub fn measured_at(&self) -> Result<Option<SystemTime>> {
        let noted = self.about("measured")?.and_then(|text| text.parse().ok());
        let since = noted.map(Duration::from_nanos);
        let since = since.or_else(|| since_1970(&self.path));
        Ok(since.map(|since| UNIX_EPOCH + since))
    }

    /// Takes an answer back; it stays in the history. Whether it still counted.
    pub fn undo(&self, answer: AnswerId) -> Result<bool> {
        let (table, id) = match answer {
            AnswerId::Label(id) => ("label", id),
            AnswerId::Virtual(id) => ("virtual_test", id),
            AnswerId::Skip(id) => ("skip", id),
        };
        let statement = format!("UPDATE {table} SET undone = 1 WHERE id = ? AND undone = 0");
        self.sql(|c| {
            let transaction = Transaction::new_unchecked(c, TransactionBehavior::Immediate)?;
            let counted = transaction.execute(&statement, [id])? == 1;
            Part::Answered.keep(&transaction)?;
            transaction.commit()?;
            Ok(counted)
        })
    }

    /// All answers, in the order given. The case must have been made ready by
    /// [`Self::take_answers`] or [`Self::show_answers`].
    pub fn answers(&self) -> Result<Vec<Answer>> {
        self.check_whole(&[Part::Answered])?;
        self.sql(|c| {
            let mut query = c.prepare(
                "SELECT 'label', label.id, name, test, verdict, weight, who, at, undone, NULL, number
                 FROM label JOIN test ON test.id = test
                 UNION ALL
                 SELECT 'virtual', id, subject, NULL, verdict, weight, who, at, undone,
                     coalesce(topic, subject), number
                 FROM virtual_test
                 UNION ALL
                 SELECT 'skip', skip.id, name, test, NULL, NULL, who, at, undone, NULL, number
                 FROM skip JOIN test ON test.id = test
                 ORDER BY 11",
            )?;
            let answers = query.query_map([], |row| {
                let id = row.get(1)?;
                let id = match row.get_ref(0)?.as_str()? {
                    "label" => AnswerId::Label(id),
                    "virtual" => AnswerId::Virtual(id),
                    _ => AnswerId::Skip(id),
                };
                Ok(Answer {
                    id,
                    subject: row.get(2)?,
                    test: row.get::<_, Option<u32>>(3)?.map(TestId),
                    verdict: read_verdict(row, 4, 5)?,
                    who: row.get(6)?,
                    at: row.get(7)?,
                    undone: row.get(8)?,
                    topic: row.get(9)?,
                })
            })?;
            answers.collect()
        })
    }

    /// A number that changes when another program (or another connection) has written to the case.
    pub fn changes_elsewhere(&self) -> Result<i64> {
        self.sql(data_version)
    }

    /// Puts the virtual tests that count after the others, of those about the same the last; the
    /// coverage without them, if there is any.
    pub fn add_virtual_tests(&self, spectrum: &mut Spectrum) -> Result<Option<Arc<Coverage>>> {
        let mut rows = Rows::new(spectrum.program.elements.len() as u32);
        let mut tests = Vec::new();
        let mut problem = None;
        self.sql(|c| {
            // Files of an older schema have no topics.
            let topics = c.column_exists(None, "virtual_test", "topic")?;
            let topic = if topics { "coalesce(topic, subject)" } else { "subject" };
            let mut query = c.prepare(&format!(
                "SELECT id, subject, elements, verdict, weight FROM virtual_test
                 WHERE id IN (SELECT max(id) FROM virtual_test WHERE undone = 0 GROUP BY kind, {topic})
                 ORDER BY id"
            ))?;
            let mut found = query.query([])?;
            while let Some(stored) = found.next()? {
                let (id, subject): (i64, String) = (stored.get(0)?, stored.get(1)?);
                let elements = stored.get_ref(2)?.as_blob()?;
                if let Err(found) = row::push_decoded(elements, &mut rows) {
                    problem = Some((id, found));
                    break;
                }
                tests.push(Test {
                    name: format!("{VIRTUAL} {id}: {subject}"),
                    label: read_verdict(stored, 3, 4)?,
                    origin: Some(VIRTUAL.to_owned()),
                    ..Test::default()
                });
            }
            Ok(())
        })?;
        if let Some((id, found)) = problem {
            let expected = "a row over the program's elements";
            return Err(FileError::bad(&self.path, expected, found)
                .at(format_args!("table virtual_test, row {id}"))
                .hint("the case file is damaged: import or collect it again"));
        }
        if tests.is_empty() {
            return Ok(None);
        }
        let before = spectrum.grow(tests, &rows);
        let before = before.map_err(|error| FileError::inconsistent(&self.path, &error))?;
        Ok(Some(before))
    }
}

/// Writes, and takes it back: whether the folder takes SQLite's journal shows only then.
fn try_to_write(connection: &Connection) -> rusqlite::Result<()> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    transaction.pragma_update(None, "user_version", schema::VERSION)?;
    transaction.rollback()
}

fn data_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "data_version", |row| row.get(0))
}

/// When a file was last written.
fn since_1970(path: &Path) -> Option<Duration> {
    let written = std::fs::metadata(path).and_then(|meta| meta.modified());
    written.ok()?.duration_since(UNIX_EPOCH).ok()
}
