//! cosmic-ray — the session of Cosmic Ray, an SQLite database: which tests fail with which mutant, for
//! Python.
//!
//! ```text
//! cosmic-ray init config.toml session.sqlite && cosmic-ray exec config.toml session.sqlite
//! fdc import case.fdc --mutants session.sqlite -o with-mutants.fdc
//! ```
//! The session keeps what the tests printed, and the failing tests are found in there: let
//! `test-command` be pytest, without `-x` and `--maxfail`, which stop at the first failure, and without
//! `--no-summary`, which does not name tests. Sessions of such runs are refused.
//!
//! Killed is killed, survived survived, a timeout hung. Mutants with which pytest could not even collect
//! the tests, or Cosmic Ray failed, are crashed; incompetent ones are broken. Those without a result
//! are left out.

use std::path::Path;

use fdc_case::mutants::Fate;
use fdc_case::recording::Judgement;
use fdc_case::{FileError, Result};
use fdc_core::spectrum::Outcome;
use rusqlite::Row;

use super::{ForeignMutant, ForeignPlace, Identity, KillMatrix, unknown_fate};
use crate::input::InputSample;
use crate::pytest_output::{self, stopped_early};
use crate::sqlite::{open_tables, visit_rows};
use crate::text::MAX_LINE;
use crate::{Format, Reader};

pub(crate) const FORMAT: Format = Format {
    name: "cosmic-ray",
    summary: "Cosmic Ray's session of pytest runs: mutants, for --mutants",
    detect,
    reader: Reader::Mutants(read),
    endings: &[],
    write: None,
    source: include_str!("cosmic_ray.rs"),
};

const DAMAGED: &str = "the file is damaged or cut off: run cosmic-ray again";
const FATES: &str = "killed, survived, incompetent";
const RESULTS: &str = "
    SELECT module_path, operator_name, occurrence, start_pos_row, definition_name,
        worker_outcome, test_outcome, output, diff
    FROM mutation_specs LEFT JOIN work_results ON work_results.job_id = mutation_specs.job_id
    ORDER BY module_path, start_pos_row, start_pos_col, operator_name, occurrence";

fn detect(sample: &InputSample) -> bool {
    let holds = |words: &[u8]| sample.head.windows(words.len()).any(|own| own == words);
    sample.head.starts_with(b"SQLite format 3\0")
        && holds(b"mutation_specs")
        && holds(b"work_results")
}

/// Reads a session.
pub fn read(path: &Path) -> Result<KillMatrix> {
    let connection = open_tables(path, not_ours)?;
    let mut matrix = KillMatrix::default();
    let problem = visit_rows(&connection, RESULTS, |row| {
        let job = Job::of(row)?;
        Ok(job.add_to(&mut matrix, path).err())
    });
    match problem.map_err(|error| not_ours(path, &error))? {
        Some(problem) => Err(problem),
        None => check_named(path, &matrix).map(|()| matrix),
    }
}

/// Tests that are never named cannot have failed.
fn check_named(path: &Path, matrix: &KillMatrix) -> Result<()> {
    let any = |fate| matrix.mutants.iter().any(|own| own.fate == fate);
    if any(Fate::Killed) || !any(Fate::Crashed) {
        return Ok(());
    }
    let error = FileError::bad(
        path,
        "the names of failing tests in pytest's output",
        "none",
    );
    Err(error.hint("let test-command be pytest, without --no-summary, and run cosmic-ray again"))
}

/// A mutant and its result.
struct Job {
    module: String,
    operator: String,
    occurrence: i64,
    line: i64,
    definition: Option<String>,
    worker: String,
    outcome: String,
    output: String,
    diff: String,
}

impl Job {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let text = |column| {
            let text: rusqlite::Result<Option<String>> = row.get(column);
            text.map(Option::unwrap_or_default)
        };
        // Versions differ in whether they keep the name or the value of an outcome.
        let word = |column| text(column).map(|own| own.to_lowercase().replace('_', "-"));
        Ok(Job {
            module: text(0)?,
            operator: text(1)?,
            occurrence: row.get::<_, Option<i64>>(2)?.unwrap_or(0),
            line: row.get::<_, Option<i64>>(3)?.unwrap_or(0),
            definition: row.get(4)?,
            worker: word(5)?,
            outcome: word(6)?,
            output: text(7)?,
            diff: text(8)?,
        })
    }

    fn add_to(self, matrix: &mut KillMatrix, path: &Path) -> Result<()> {
        let place = format!(
            "mutant {} {} of {}",
            self.operator, self.occurrence, self.module
        );
        let Some(fate) = self.fate(path, &place)? else {
            matrix.left_out += 1;
            return Ok(());
        };
        let line = u32::try_from(self.line)
            .ok()
            .filter(|&line| line <= MAX_LINE);
        let line = line.ok_or_else(|| {
            let expected = format!("a line number up to {MAX_LINE}");
            let error = FileError::bad(path, expected, self.line.to_string());
            error.at(&place).hint(DAMAGED)
        })?;
        if stopped_early(&self.output) {
            let expected = "all tests that fail with a mutant";
            let error = FileError::bad(path, expected, "pytest stopping after the first");
            let hint = "leave out -x and --maxfail in test-command, and run cosmic-ray again";
            return Err(error.at(&place).hint(hint));
        }
        let mut kills = Vec::new();
        if fate == Fate::Killed {
            // What is not pytest's names no tests.
            let results = pytest_output::parse(path, self.output.as_bytes());
            let failed = |result: &crate::outcomes::TestResult| {
                result.judgement == Judgement::Judged(Outcome::Fail)
            };
            for result in results.unwrap_or_default().into_iter().filter(failed) {
                let test = matrix.test(&result.name);
                kills.push((test, result.failure.unwrap_or_default()));
            }
        }
        let (original, replacement) = changed(&self.diff);
        let operator = self.operator.rsplit('/').next().unwrap_or_default();
        matrix.mutants.push(ForeignMutant {
            place: ForeignPlace {
                class: None,
                file: Some(self.module),
                method: self.definition,
                line,
            },
            mutator: operator.to_owned(),
            original,
            replacement,
            identity: Identity::Key(format!("{operator} {}", self.occurrence)),
            // pytest ended before it had a test to name.
            fate: match fate {
                Fate::Killed if kills.is_empty() => Fate::Crashed,
                fate => fate,
            },
            tests: None,
            kills,
        });
        Ok(())
    }

    /// What became of it; nothing if there is no result.
    fn fate(&self, path: &Path, place: &str) -> Result<Option<Fate>> {
        Ok(Some(match (&*self.worker, &*self.outcome) {
            ("" | "no-test" | "skipped", _) => return Ok(None),
            ("exception" | "abnormal", _) => Fate::Crashed,
            (_, "killed") if self.output.trim() == "timeout" => Fate::Hung,
            (_, "killed") => Fate::Killed,
            (_, "survived") => Fate::Survived,
            (_, "incompetent") => Fate::Broken,
            (_, other) => return Err(unknown_fate(path, place, FATES, other)),
        }))
    }
}

/// The lines of a diff that go, and those that come.
fn changed(diff: &str) -> (String, String) {
    let lines = || diff.lines().skip_while(|line| !line.starts_with("@@"));
    let marked = |mark| {
        let own = lines().filter_map(|line| line.strip_prefix(mark));
        let own: Vec<&str> = own.map(str::trim).collect();
        own.join("\n")
    };
    (marked('-'), marked('+'))
}

fn not_ours(path: &Path, error: &rusqlite::Error) -> FileError {
    let expected = "Cosmic Ray's tables mutation_specs and work_results";
    FileError::bad(path, expected, error.to_string()).hint(DAMAGED)
}
