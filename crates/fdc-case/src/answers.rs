//! What people said: verdicts on tests, verdicts on parts of the program (virtual tests), and tests
//! they could not judge. Every answer stays in the file; an undone one no longer counts.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fdc_core::coverage::{Coverage, TestId};
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Test, VIRTUAL};
use fdc_core::{Spectrum, Verdict};
use rusqlite::{Params, params};

use crate::case::{Case, outcome_named, sql_error};
use crate::error::{FileError, Result};
use crate::{row, schema};

/// How long to wait for another program that writes to the case.
const PATIENCE: Duration = Duration::from_secs(5);

/// An answer as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Its number, to undo it with.
    pub id: AnswerId,
    /// What it is about: a test's name, or what a virtual test says of itself.
    pub subject: String,
    /// The test, if it is about one.
    pub test: Option<TestId>,
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
    /// What it is about, ascending.
    pub elements: &'a [u32],
    /// What was said.
    pub verdict: Verdict,
}

impl Case {
    /// Makes the case ready to take answers: a file of an older schema is brought up to date, and
    /// other programs that write at the same time are waited for.
    pub fn take_answers(&mut self) -> Result<()> {
        let failed = |error: rusqlite::Error| sql_error(&self.path, &error);
        self.connection.busy_timeout(PATIENCE).map_err(failed)?;
        schema::prepare(&mut self.connection).map_err(failed)
    }

    /// Stores a verdict on a test. `at` is UTC in ISO 8601.
    pub fn add_label(
        &self,
        test: TestId,
        verdict: Verdict,
        who: &str,
        at: &str,
    ) -> Result<AnswerId> {
        let id = self.insert(
            "INSERT INTO label (test, verdict, weight, who, at) VALUES (?, ?, ?, ?, ?)",
            params![test.0, verdict.outcome.name(), verdict.trust, who, at],
        )?;
        Ok(AnswerId::Label(id))
    }

    /// Stores a verdict on a part of the program.
    pub fn add_virtual_test(
        &self,
        test: &VirtualTest<'_>,
        who: &str,
        at: &str,
    ) -> Result<AnswerId> {
        let row = row::encode_elements(test.elements.iter().copied());
        let Verdict { outcome, trust } = test.verdict;
        let id = self.insert(
            "INSERT INTO virtual_test (kind, subject, elements, verdict, weight, who, at)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
            params![test.kind, test.subject, row, outcome.name(), trust, who, at],
        )?;
        Ok(AnswerId::Virtual(id))
    }

    /// Notes that a test was looked at and not judged.
    pub fn add_skip(&self, test: TestId, who: &str, at: &str) -> Result<AnswerId> {
        let statement = "INSERT INTO skip (test, who, at) VALUES (?, ?, ?)";
        let id = self.insert(statement, params![test.0, who, at])?;
        Ok(AnswerId::Skip(id))
    }

    /// Stores an answer. The first one also keeps when the case was measured: the file's own time
    /// tells that only as long as nothing is written to it.
    fn insert(&self, statement: &str, values: impl Params) -> Result<i64> {
        let measured = since_1970(&self.path).map(|since| since.as_nanos().to_string());
        self.sql(|c| {
            let transaction = c.unchecked_transaction()?;
            if let Some(measured) = measured {
                let note = "INSERT OR IGNORE INTO about VALUES ('measured', ?)";
                transaction.execute(note, [measured])?;
            }
            transaction.execute(statement, values)?;
            let id = transaction.last_insert_rowid();
            transaction.commit()?;
            Ok(id)
        })
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
        self.sql(|c| Ok(c.execute(&statement, [id])? == 1))
    }

    /// All answers, in the order given. The case must have been made ready by
    /// [`Self::take_answers`].
    pub fn answers(&self) -> Result<Vec<Answer>> {
        self.sql(|c| {
            let mut query = c.prepare(
                "SELECT 'label', label.id, name, test, verdict, weight, who, at, undone
                 FROM label JOIN test ON test.id = test
                 UNION ALL
                 SELECT 'virtual', id, subject, NULL, verdict, weight, who, at, undone
                 FROM virtual_test
                 UNION ALL
                 SELECT 'skip', skip.id, name, test, NULL, NULL, who, at, undone
                 FROM skip JOIN test ON test.id = test
                 ORDER BY 8, 2",
            )?;
            let answers = query.query_map([], |row| {
                let id = row.get(1)?;
                let id = match row.get_ref(0)?.as_str()? {
                    "label" => AnswerId::Label(id),
                    "virtual" => AnswerId::Virtual(id),
                    _ => AnswerId::Skip(id),
                };
                let outcome: Option<String> = row.get(4)?;
                let outcome = outcome.as_deref().and_then(outcome_named);
                let verdict = outcome.zip(row.get(5)?);
                Ok(Answer {
                    id,
                    subject: row.get(2)?,
                    test: row.get::<_, Option<u32>>(3)?.map(TestId),
                    verdict: verdict.map(|(outcome, trust)| Verdict { outcome, trust }),
                    who: row.get(6)?,
                    at: row.get(7)?,
                    undone: row.get(8)?,
                })
            })?;
            answers.collect()
        })
    }

    /// A number that changes when another program (or another connection) has written to the case.
    pub fn changes_elsewhere(&self) -> Result<i64> {
        self.sql(|c| c.pragma_query_value(None, "data_version", |row| row.get(0)))
    }

    /// Puts the virtual tests that count after the others; the coverage without them, if there is
    /// any.
    pub fn add_virtual_tests(&self, spectrum: &mut Spectrum) -> Result<Option<Coverage>> {
        let mut rows = Rows::new(spectrum.program.elements.len() as u32);
        let mut tests = Vec::new();
        let mut problem = None;
        self.sql(|c| {
            let mut query = c.prepare(
                "SELECT id, subject, elements, verdict, weight FROM virtual_test
                 WHERE undone = 0 ORDER BY id",
            )?;
            let mut found = query.query([])?;
            while let Some(stored) = found.next()? {
                let (id, subject): (i64, String) = (stored.get(0)?, stored.get(1)?);
                let elements = stored.get_ref(2)?.as_blob()?;
                if let Err(found) = row::push_decoded(elements, &mut rows) {
                    problem = Some((id, found));
                    break;
                }
                let verdict: String = stored.get(3)?;
                let trust = stored.get(4)?;
                tests.push(Test {
                    name: format!("{VIRTUAL} {id}: {subject}"),
                    label: outcome_named(&verdict).map(|outcome| Verdict { outcome, trust }),
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

/// When a file was last written.
fn since_1970(path: &Path) -> Option<Duration> {
    let written = std::fs::metadata(path).and_then(|meta| meta.modified());
    written.ok()?.duration_since(UNIX_EPOCH).ok()
}
