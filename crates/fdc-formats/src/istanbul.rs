//! istanbul — Istanbul's JSON (`coverage-final.json`), as nyc, c8, Jest and Vitest write it.
//!
//! ```text
//! {"/home/me/shop/cart.js": {"path": "/home/me/shop/cart.js",
//!   "statementMap": {"0": {"start": {"line": 2, "column": 2}, "end": {"line": 2, "column": 19}}},
//!   "fnMap": {"0": {"name": "add", "loc": {...}}}, "branchMap": {},
//!   "s": {"0": 3}, "f": {"0": 3}, "b": {}}}
//! ```
//! A statement counts for the line it starts on, as in Istanbul's own line coverage; a line ran if one
//! of its statements did. The file has no tests: make one per test, and give the files together, in a
//! folder or with a manifest. Functions come from the source where it is found, else from `fnMap`.
//! Lines outside functions run when a module is loaded: they are no elements.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

use crate::input::InputSample;
use crate::line_matrix::LineMatrix;
use crate::reading::LinesInput;
use crate::text::{DAMAGED, MAX_LINE, quoted};
use crate::{Format, Reader};
use fdc_case::{FileError, Result};
use fdc_source::FunctionLines;

pub(crate) const FORMAT: Format = Format {
    name: "istanbul",
    summary: "Istanbul/c8 coverage-final.json, one per test",
    detect,
    reader: Reader::Lines(|input, matrix| parse(input, &input.bytes()?, matrix)),
    endings: &["json"],
    write: None,
    source: include_str!("istanbul.rs"),
};

fn detect(sample: &InputSample) -> bool {
    let text = sample.text().trim_start();
    text.starts_with('{') && text.contains("\"statementMap\"")
}

#[derive(Deserialize)]
struct FileCoverage<'j> {
    #[serde(borrow)]
    path: Cow<'j, str>,
    #[serde(rename = "statementMap")]
    statements: BTreeMap<Cow<'j, str>, Span>,
    #[serde(rename = "fnMap", default)]
    functions: BTreeMap<Cow<'j, str>, FunctionEntry<'j>>,
    s: BTreeMap<Cow<'j, str>, f64>,
}

#[derive(Deserialize)]
struct FunctionEntry<'j> {
    #[serde(borrow)]
    name: Cow<'j, str>,
    loc: Span,
}

#[derive(Deserialize)]
struct Span {
    start: Place,
    end: Place,
}

/// Columns may be missing or null, and some tools write no end.
#[derive(Deserialize)]
struct Place {
    line: Option<u32>,
}

/// Reads a file.
pub fn parse(input: &LinesInput, bytes: &[u8], matrix: &mut LineMatrix) -> Result<()> {
    let files = serde_json::from_slice::<BTreeMap<Cow<str>, FileCoverage>>(bytes);
    let files = files.map_err(|error| {
        let expected = "path -> statementMap, fnMap, s";
        FileError::bad(input.path, expected, error.to_string()).hint(DAMAGED)
    })?;
    let test = input.test_named(matrix, "");
    for coverage in files.into_values() {
        let bad = |expected: &str, found: String| {
            let at = format!("file {}", quoted(&coverage.path));
            let error = FileError::bad(input.path, expected, found);
            error.at(at).hint(DAMAGED)
        };
        let mut lines: BTreeMap<u32, bool> = BTreeMap::new();
        for (id, span) in &coverage.statements {
            let found = || format!("statement {} without", quoted(id));
            let line = span.start.line.filter(|&line| line <= MAX_LINE);
            let expected = format!("a line up to {MAX_LINE} of each statement");
            let line = line.ok_or_else(|| bad(&expected, found()))?;
            let count = coverage.s.get(id);
            let count = count.ok_or_else(|| bad("a count in s of each statement", found()))?;
            *lines.entry(line).or_default() |= *count > 0.0;
        }
        let file = matrix.file(&coverage.path);
        matrix.lines(test, file, &lines);
        for function in coverage.functions.values() {
            let Some(first) = function.loc.start.line.filter(|&line| line <= MAX_LINE) else {
                continue;
            };
            let last = function.loc.end.line.unwrap_or(first);
            let lines = FunctionLines::Span(first, last.clamp(first, MAX_LINE));
            matrix.function(file, function.name.clone().into_owned(), false, lines);
        }
    }
    Ok(())
}
