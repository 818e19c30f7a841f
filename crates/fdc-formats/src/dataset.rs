//! dataset — one JSON object per bug, plain or zstd-compressed.
//!
//! ```json
//! {"subject":"Lang","version":1,
//!  "methods":["pkg.Class#method(argument.Types)", ...],
//!  "elements":[[method_index,line], ...],
//!  "tests":[{"name":"pkg.ClassTest#test","outcome":"fail"}, ...],
//!  "coverage":[[e,e,...], ...],
//!  "faulty_methods":[method_index, ...], "faulty_elements":[element_index, ...]}
//! ```
//! A test's outcome is "pass", "fail", "unknown" or left out; "origin" may say who wrote it. A row of
//! coverage lists the elements a test covers: the first index as it is, then differences. "files" with
//! "method_files" (an index per method) may name source files; else the class stands for the file.
//! "subject", "version" and the faulty parts may be left out. Other keys are passed over.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use fdc_core::Spectrum;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Bug, Element, Fault, Method, MethodId, Outcome, Program, Test};
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::input::{InputSample, read_bytes};
use crate::{Format, Reader};
use fdc_case::{FileError, Result, write_whole};

pub(crate) const FORMAT: Format = Format {
    name: "dataset",
    summary: "JSON object per bug, plain or .zst",
    detect,
    reader: Reader::Matrix(|path| parse(path, &read_bytes(path)?)),
    endings: &["json"],
    write: Some(write),
    source: include_str!("dataset.rs"),
};

fn detect(sample: &InputSample) -> bool {
    let text = sample.text().trim_start();
    let mut keys = ["subject", "methods", "tests", "coverage", "elements"].into_iter();
    text.starts_with('{') && keys.any(|key| text.contains(&format!("\"{key}\"")))
}

/// Reads a dataset object; `path` is for messages.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Spectrum> {
    let document = serde_json::from_slice::<Document>(bytes);
    let document = document.map_err(|error| json_error(path, &error))?;
    document.into_spectrum(path)
}

#[derive(Deserialize, Serialize)]
struct Document {
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    methods: Vec<String>,
    elements: Vec<(u32, u32)>,
    tests: Vec<TestEntry>,
    coverage: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    faulty_methods: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    faulty_elements: Option<Vec<u32>>,
    files: Option<Vec<String>>,
    method_files: Option<Vec<u32>>,
}

#[derive(Deserialize, Serialize)]
struct TestEntry {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<OutcomeEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum OutcomeEntry {
    Pass,
    Fail,
    Unknown,
}

/// A row as runs, straight from the differences: no list of millions of numbers in between.
struct Row(Vec<Range<u32>>);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Runs;
        impl<'de> Visitor<'de> for Runs {
            type Value = Row;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of element indices (the first absolute, then differences)")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Row, A::Error> {
                let mut runs: Vec<Range<u32>> = Vec::new();
                let too_large = || de::Error::custom("an element index beyond 4294967294");
                // Millions of numbers go through here, most of them 1.
                while let Some(number) = numbers.next_element::<u32>()? {
                    match (runs.last_mut(), number) {
                        (Some(run), 1) => {
                            run.end = run.end.checked_add(1).ok_or_else(too_large)?;
                        }
                        (Some(_), 0) => {
                            let twice = "a difference of 0: element listed twice";
                            return Err(de::Error::custom(twice));
                        }
                        (last, _) => {
                            let last = last.map_or(0, |run| run.end - 1);
                            let end = last.checked_add(number).and_then(|e| e.checked_add(1));
                            let end = end.ok_or_else(too_large)?;
                            runs.push(end - 1..end);
                        }
                    }
                }
                Ok(Row(runs))
            }
        }
        deserializer.deserialize_seq(Runs)
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut last = None;
        serializer.collect_seq(self.0.iter().cloned().flatten().map(|element| {
            let before = last.replace(element);
            element - before.unwrap_or(0)
        }))
    }
}

impl Document {
    fn into_spectrum(self, path: &Path) -> Result<Spectrum> {
        let bad = |place: String, expected: String, found: String| {
            let hint = "the file is inconsistent: make it again with the tool that wrote it";
            Err(FileError::bad(path, expected, found).at(place).hint(hint))
        };
        let (files, file_of) = match (self.files, self.method_files) {
            (Some(files), Some(file_of)) => (files, file_of),
            _ => files_of_classes(&self.methods),
        };
        if file_of.len() != self.methods.len() {
            let expected = format!("a file for each of the {} methods", self.methods.len());
            return bad("method_files".into(), expected, file_of.len().to_string());
        }
        let methods = self.methods.into_iter().zip(file_of);
        let element = |(method, line)| {
            let method = MethodId(method);
            Element { method, line }
        };
        let program = Program {
            files,
            methods: methods.map(|(name, file)| Method { name, file }).collect(),
            elements: self.elements.into_iter().map(element).collect(),
            labels: Vec::new(),
        };
        if self.coverage.len() != self.tests.len() {
            let expected = format!("a row for each of the {} tests", self.tests.len());
            let found = format!("{} rows", self.coverage.len());
            return bad("coverage".into(), expected, found);
        }
        let width = program.elements.len() as u32;
        let mut rows = Rows::new(width);
        for (number, (row, test)) in self.coverage.into_iter().zip(&self.tests).enumerate() {
            if let Err(error) = rows.push(row.0) {
                let place = format!("coverage row {number} (test {})", test.name);
                let expected = format!("element indices below {width}");
                return bad(place, expected, error.to_string());
            }
        }
        let tests = self.tests.into_iter().map(TestEntry::into_test).collect();
        let bug = self.subject.map(|subject| Bug {
            subject,
            version: self.version.unwrap_or(0),
        });
        let fault = self.faulty_methods.map(|mut methods| {
            methods.sort_unstable();
            methods.dedup();
            Fault {
                methods: methods.into_iter().map(MethodId).collect(),
                elements: self.faulty_elements.unwrap_or_default(),
                is_mutant: false,
            }
        });
        Spectrum::new(bug, program, tests, rows, fault)
            .map_err(|error| FileError::inconsistent(path, &error))
    }
}

impl TestEntry {
    fn into_test(self) -> Test {
        let outcome = match self.outcome {
            Some(OutcomeEntry::Pass) => Some(Outcome::Pass),
            Some(OutcomeEntry::Fail) => Some(Outcome::Fail),
            Some(OutcomeEntry::Unknown) | None => None,
        };
        Test {
            name: self.name,
            outcome,
            origin: self.origin,
            ..Test::default()
        }
    }
}

fn files_of_classes(methods: &[String]) -> (Vec<String>, Vec<u32>) {
    let mut files: Vec<String> = Vec::new();
    let mut known = std::collections::HashMap::new();
    let file_of = methods.iter().map(|method| {
        let file = file_of_method(method);
        *known.entry(file).or_insert_with(|| {
            files.push(file.to_owned());
            files.len() as u32 - 1
        })
    });
    let file_of = file_of.collect();
    (files, file_of)
}

/// Where a method's name says it lives: `path::function`, else the outermost class of
/// `pkg.Class$Inner#method(...)`, else the qualifier before the last dot.
pub(crate) fn file_of_method(name: &str) -> &str {
    if let Some((path, _)) = name.split_once("::") {
        return path;
    }
    if let Some((class, _)) = name.split_once('#') {
        // `$Proxy` is a class of its own, `Outer$Inner` is in the file of `Outer`.
        let mut dollars = class.match_indices('$').map(|(at, _)| at);
        let inner = dollars.find(|&at| at > 0 && !class[..at].ends_with(['.', '$']));
        return &class[..inner.unwrap_or(class.len())];
    }
    let plain = name.split('(').next().unwrap_or(name);
    let qualifier = plain.rsplit_once('.');
    qualifier.map_or("(unknown)", |(qualifier, _)| qualifier)
}

pub(crate) fn json_error(path: &Path, error: &serde_json::Error) -> FileError {
    json_problem(path, error, "a bug as `fdc explain dataset` describes")
}

/// What is wrong with JSON, where `expected` is the document.
pub(crate) fn json_problem(path: &Path, error: &serde_json::Error, expected: &str) -> FileError {
    let place = format!("line {}, column {}", error.line(), error.column());
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text).to_owned();
    let (expected, found, hint) = match error.classify() {
        serde_json::error::Category::Eof => (
            "more JSON",
            "the end of the file".to_owned(),
            "the file is cut off: copy or make it again",
        ),
        serde_json::error::Category::Data => (
            expected,
            what,
            "correct the value there, or name the right format with --from",
        ),
        _ => (
            "valid JSON in UTF-8",
            what,
            "the file is damaged or not JSON: make it again, or name its format with --from",
        ),
    };
    FileError::bad(path, expected, found).at(place).hint(hint)
}

/// Writes the spectrum as a dataset object (compressed if the name ends in `.zst`).
pub fn write(spectrum: &Spectrum, path: &Path) -> Result<()> {
    let (bug, fault) = (spectrum.bug.as_ref(), spectrum.fault.as_ref());
    let Program {
        methods, elements, ..
    } = &*spectrum.program;
    let row = |test| {
        let elements = spectrum.coverage.elements(test).into_iter();
        Row(elements.map(|element| element..element + 1).collect())
    };
    let document = Document {
        subject: bug.map(|bug| bug.subject.clone()),
        version: bug.map(|bug| bug.version),
        methods: methods.iter().map(|method| method.name.clone()).collect(),
        elements: elements.iter().map(|e| (e.method.0, e.line)).collect(),
        tests: spectrum.tests.iter().map(TestEntry::from).collect(),
        coverage: spectrum.coverage.tests().map(row).collect(),
        faulty_methods: fault.map(|fault| fault.methods.iter().map(|method| method.0).collect()),
        faulty_elements: fault.map(|fault| fault.elements.clone()),
        files: Some(spectrum.program.files.clone()),
        method_files: Some(methods.iter().map(|method| method.file).collect()),
    };
    write_whole(path, |file| {
        if path.extension().is_some_and(|extension| extension == "zst") {
            let mut encoder = zstd::Encoder::new(file, 3)?;
            encoder.include_checksum(true)?;
            serde_json::to_writer(&mut encoder, &document)?;
            encoder.finish()?;
        } else {
            serde_json::to_writer(file, &document)?;
        }
        Ok(())
    })
}

impl From<&Test> for TestEntry {
    fn from(test: &Test) -> Self {
        let outcome = test.verdict().map(|verdict| match verdict.outcome {
            Outcome::Pass => OutcomeEntry::Pass,
            Outcome::Fail => OutcomeEntry::Fail,
        });
        TestEntry {
            name: test.name.clone(),
            outcome,
            origin: test.origin.clone(),
        }
    }
}
