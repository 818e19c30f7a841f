//! stryker — the JSON report of Stryker (StrykerJS, Stryker.NET, Stryker4s): which tests fail with which
//! mutant.
//!
//! ```text
//! {"schemaVersion": "2", "files": {"src/cart.js": {"source": "...", "mutants": [
//!    {"id": "3", "mutatorName": "ArithmeticOperator", "replacement": "a - b", "status": "Killed",
//!     "location": {"start": {"line": 4, "column": 10}, "end": {"line": 4, "column": 15}},
//!     "coveredBy": ["0", "1"], "killedBy": ["0"]}]}},
//!  "testFiles": {"test/cart.test.js": {"tests": [{"id": "0", "name": "cart adds"}]}}}
//! ```
//! Run it with `coverageAnalysis: "perTest"`, `disableBail: true` and the reporter `json`. Without
//! `disableBail` Stryker stops at the first test that fails with a mutant; such reports are refused,
//! and so are those without `killedBy`.
//!
//! Killed is killed, Survived and NoCoverage survived, Timeout hung, RuntimeError crashed, CompileError
//! broken. Mutants that are Ignored or Pending are left out. Tests are named by their titles.

use std::collections::BTreeMap;
use std::path::Path;

use fdc_case::mutants::Fate;
use fdc_case::{FileError, Result};
use fdc_core::evidence::FailureRecord;
use fdc_source::{Language, Outline};
use serde::Deserialize;

use super::{ForeignMutant, ForeignPlace, Identity, KillMatrix, unknown_fate};
use crate::dataset::json_problem;
use crate::input::{InputSample, read_bytes};
use crate::text::{DAMAGED, MAX_LINE};
use crate::{Format, Reader};

pub(crate) const FORMAT: Format = Format {
    name: "stryker",
    summary: "Stryker's JSON report with all killers: mutants, for --mutants",
    detect,
    reader: Reader::Mutants(|path| parse(path, &read_bytes(path)?)),
    endings: &[],
    write: None,
    source: include_str!("stryker.rs"),
};

const PER_TEST: &str =
    "run Stryker with coverageAnalysis perTest, disableBail true and the reporter json";
const NO_BAIL: &str = "run Stryker with disableBail true, so that it runs all tests on each mutant";
const FATES: &str =
    "Killed, Survived, NoCoverage, Timeout, RuntimeError, CompileError, Ignored, Pending";

fn detect(sample: &InputSample) -> bool {
    let text = sample.text().trim_start();
    let has = |key| text.contains(key);
    text.starts_with('{')
        && (has("\"mutatorName\"")
            || has("\"mutants\"") && has("\"files\"")
            || has("\"schemaVersion\"") && has("\"thresholds\""))
}

#[derive(Deserialize)]
struct Report {
    files: BTreeMap<String, MutatedFile>,
    #[serde(rename = "testFiles", default)]
    test_files: BTreeMap<String, TestFile>,
    #[serde(default)]
    config: serde_json::Value,
}

#[derive(Deserialize)]
struct MutatedFile {
    #[serde(default)]
    source: String,
    mutants: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    id: String,
    mutator_name: String,
    replacement: Option<String>,
    description: Option<String>,
    location: Span,
    status: String,
    killed_by: Option<Vec<String>>,
    covered_by: Option<Vec<String>>,
    tests_completed: Option<f64>,
}

#[derive(Deserialize)]
struct Span {
    start: Position,
    end: Position,
}

/// Both from 1.
#[derive(Clone, Copy, Deserialize)]
struct Position {
    line: u32,
    /// In units of UTF-16.
    column: u32,
}

#[derive(Deserialize)]
struct TestFile {
    tests: Vec<TestTitle>,
}

#[derive(Deserialize)]
struct TestTitle {
    id: String,
    name: String,
}

/// Reads a report; `path` is for messages.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<KillMatrix> {
    let report: Report = serde_json::from_slice(bytes).map_err(|error| {
        json_problem(path, &error, "a report as `fdc explain stryker` describes")
    })?;
    report.check_killers(path)?;
    let tests = report.tests();
    let mut matrix = KillMatrix::default();
    for (file, mutated) in &report.files {
        let text = SourceText::of(&mutated.source);
        let language = Language::of_path(file);
        let outline = language.map(|own| Outline::of(own, &mutated.source));
        for entry in &mutated.mutants {
            let place = format!("file {file}, mutant {}", entry.id);
            let Some(fate) = entry.fate(path, &place)? else {
                matrix.left_out += 1;
                continue;
            };
            let line = entry.location.start.line;
            if line > MAX_LINE {
                let expected = format!("a line number up to {MAX_LINE}");
                let error = FileError::bad(path, expected, line.to_string());
                return Err(error.at(place).hint(DAMAGED));
            }
            let mut kills = Vec::new();
            for id in entry.killers() {
                let Some(name) = tests.get(&**id) else {
                    let expected = "the killers' names in testFiles";
                    let error = FileError::bad(path, expected, format!("no test {id}"));
                    return Err(error.at(place).hint(PER_TEST));
                };
                kills.push((matrix.test(name), FailureRecord::default()));
            }
            let method = outline.as_ref().and_then(|own| own.at(line));
            matrix.mutants.push(entry.mutant(
                fate,
                ForeignPlace {
                    class: None,
                    file: Some(file.clone()),
                    method: method.map(|own| last_name(&own.name).to_owned()),
                    line,
                },
                &text,
                kills,
            ));
        }
    }
    Ok(matrix)
}

impl Report {
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.files.values().flat_map(|file| &file.mutants)
    }

    /// Each mutant has to have all tests that fail with it.
    fn check_killers(&self, path: &Path) -> Result<()> {
        let killed = || self.entries().filter(|own| own.status == "Killed");
        if killed().next().is_some() && killed().all(|own| own.killers().is_empty()) {
            let expected = "killedBy, the tests that fail with each mutant";
            return Err(FileError::bad(path, expected, "none").hint(PER_TEST));
        }
        let never_stopped = self.config.get("disableBail") == Some(&true.into());
        let several = killed().any(|own| own.killers().len() > 1);
        let could_be = killed().any(|own| own.covering() > 1);
        if could_be && !several && !never_stopped {
            let expected = "all tests that fail with a mutant";
            let found = "at most one of each, where several run it";
            return Err(FileError::bad(path, expected, found).hint(NO_BAIL));
        }
        Ok(())
    }

    /// By id, with the file before the title.
    fn tests(&self) -> BTreeMap<&str, String> {
        let files = self.test_files.iter();
        let tests = files.flat_map(|(file, own)| own.tests.iter().map(move |test| (file, test)));
        let named = tests.map(|(file, test)| (&*test.id, format!("{file}/{}", test.name)));
        named.collect()
    }
}

impl Entry {
    fn killers(&self) -> &[String] {
        self.killed_by.as_deref().unwrap_or_default()
    }

    fn covering(&self) -> usize {
        self.covered_by.as_ref().map_or(0, Vec::len)
    }

    /// What became of it; nothing if it was not tried.
    fn fate(&self, path: &Path, place: &str) -> Result<Option<Fate>> {
        Ok(Some(match &*self.status {
            "Killed" => Fate::Killed,
            "Survived" | "NoCoverage" => Fate::Survived,
            "Timeout" => Fate::Hung,
            "RuntimeError" => Fate::Crashed,
            "CompileError" => Fate::Broken,
            "Ignored" | "Pending" => return Ok(None),
            other => return Err(unknown_fate(path, place, FATES, other)),
        }))
    }

    fn mutant(
        &self,
        fate: Fate,
        place: ForeignPlace,
        text: &SourceText<'_>,
        kills: Vec<(usize, FailureRecord)>,
    ) -> ForeignMutant {
        let bytes = text
            .byte(self.location.start)
            .zip(text.byte(self.location.end));
        let bytes = bytes.filter(|(first, last)| first < last);
        let original = bytes.and_then(|(first, last)| text.text.get(first..last));
        let described = self.replacement.as_ref().or(self.description.as_ref());
        // What is covered by nothing in particular, such as constants, is run by all tests.
        let covering = self
            .covering()
            .max(self.tests_completed.unwrap_or(0.0) as usize);
        ForeignMutant {
            place,
            mutator: self.mutator_name.clone(),
            original: original.unwrap_or_default().to_owned(),
            replacement: described.cloned().unwrap_or_default(),
            identity: match bytes {
                Some((first, last)) => Identity::Bytes(first, last),
                None => Identity::Key(self.id.clone()),
            },
            fate,
            tests: Some(covering as u32),
            kills,
        }
    }
}

/// A file's source, by lines and columns. A line may be all of a minified file, so that none is walked
/// once per mutant.
struct SourceText<'t> {
    text: &'t str,
    /// Where each line begins, in units of UTF-16; at the end, where the next one would.
    starts: Vec<usize>,
    /// By unit, the byte; empty if they are the same.
    bytes: Vec<usize>,
}

impl<'t> SourceText<'t> {
    fn of(text: &'t str) -> Self {
        let (mut starts, mut bytes, mut unit) = (vec![0], Vec::new(), 0);
        let is_plain = text.is_ascii();
        for (at, letter) in text.char_indices() {
            let width = letter.len_utf16();
            unit += width;
            if !is_plain {
                bytes.extend(std::iter::repeat_n(at, width));
            }
            if letter == '\n' {
                starts.push(unit);
            }
        }
        starts.push(unit + 1);
        if !is_plain {
            bytes.push(text.len());
        }
        SourceText {
            text,
            starts,
            bytes,
        }
    }

    fn byte(&self, position: Position) -> Option<usize> {
        let line = position.line.checked_sub(1)? as usize;
        let (start, next) = (*self.starts.get(line)?, *self.starts.get(line + 1)?);
        let unit = start + position.column.checked_sub(1)? as usize;
        let unit = (unit < next).then_some(unit)?;
        match self.bytes.is_empty() {
            true => Some(unit),
            false => self.bytes.get(unit).copied(),
        }
    }
}

fn last_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
