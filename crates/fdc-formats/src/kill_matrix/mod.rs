//! Kill matrices of other mutation tools: which tests fail with which mutant. A file per tool reads its
//! report; `joined.rs` finds the methods and tests of the coverage that it is about.

pub mod cargo_mutants;
pub mod cosmic_ray;
mod joined;
pub mod major;
pub mod mutmut;
pub mod pit;
pub mod stryker;

use std::collections::HashMap;
use std::path::Path;

use fdc_case::mutants::{Fate, Mutant};
use fdc_case::{FileError, Result, fenced};
use fdc_core::Spectrum;
use fdc_core::evidence::FailureRecord;

use crate::input::{InputSample, forget};
use crate::text::quoted;
use crate::{FORMATS, Format, Reader};

/// Mutants that another tool tried, as a case keeps them.
#[derive(Debug)]
pub struct ImportedMutants {
    /// Those whose method and tests are known.
    pub mutants: Vec<Mutant>,
    /// How many there are and what was left out, in a sentence.
    pub note: String,
}

/// Reads a kill matrix, recognised by content, and joins it to the coverage by names.
pub fn read_mutants(path: &Path, spectrum: &Spectrum) -> Result<ImportedMutants> {
    let sample = InputSample::of(path)?;
    let format = FORMATS.iter().find(|format| (format.detect)(&sample));
    let Some((format, Reader::Mutants(read))) = format.map(|own| (own, own.reader)) else {
        // What was read of a pipe to recognise it has no reader.
        forget(path);
        let found = format.map(|own| format!("format {}", own.name));
        let found = found.unwrap_or_else(|| sample.describe());
        let error = FileError::bad(path, "the kill matrix of a mutation tool", found);
        return Err(error.hint("pit, stryker, cosmic-ray and major are read: `fdc list formats`"));
    };
    let matrix = fenced(path, || read(path))?;
    joined::join(path, format.name, &matrix, spectrum)
}

/// A kill matrix where coverage or outcomes should be.
pub(crate) fn misplaced(path: &Path, format: &Format) -> FileError {
    let found = format!("format {}, which is about mutants", format.name);
    FileError::bad(path, "coverage, or outcomes of tests", found)
        .hint("give it beside the coverage: `fdc import COVERAGE --mutants FILE -o case.fdc`")
}

/// A tool's report that only tells whether any test failed.
fn without_tests(path: &Path, tool: &str) -> FileError {
    let found = format!("a report of {tool}, which only tells that some test failed");
    FileError::bad(path, "which tests fail with each mutant", found)
        .hint("use `fdc mutate` instead: it runs all tests that run the changed line")
}

/// A report of mutants, as it names files, classes and tests.
#[derive(Debug, Default)]
pub struct KillMatrix {
    mutants: Vec<ForeignMutant>,
    /// By the number that kills have.
    tests: Vec<String>,
    numbers: HashMap<String, usize>,
    /// Mutants that were not tried.
    left_out: usize,
}

impl KillMatrix {
    /// The number of the test of that name.
    fn test(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.tests.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.tests.len() - 1);
        self.tests.len() - 1
    }
}

/// A mutant as its tool tells of it.
#[derive(Debug)]
struct ForeignMutant {
    place: ForeignPlace,
    mutator: String,
    /// What was replaced; empty if the tool does not tell.
    original: String,
    /// By what, or what was done.
    replacement: String,
    identity: Identity,
    fate: Fate,
    /// How many tests run the line, if the tool tells.
    tests: Option<u32>,
    /// Tests that failed, by number.
    kills: Vec<(usize, FailureRecord)>,
}

/// Where a mutant is, as far as its tool tells.
#[derive(Debug, Default)]
struct ForeignPlace {
    /// Java's binary name.
    class: Option<String>,
    file: Option<String>,
    /// Without class and types.
    method: Option<String>,
    line: u32,
}

/// What tells a mutant from others of its file.
#[derive(Debug)]
enum Identity {
    /// What it replaces, in bytes.
    Bytes(usize, usize),
    /// The tool's own name of it.
    Key(String),
}

/// An unknown word for what became of a mutant.
fn unknown_fate(path: &Path, place: impl std::fmt::Display, known: &str, found: &str) -> FileError {
    let expected = format!("one of the outcomes {known}");
    FileError::bad(path, expected, quoted(found))
        .at(place)
        .hint("the file is damaged, or of a version of the tool that is not known yet")
}
