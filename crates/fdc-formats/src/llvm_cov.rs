//! llvm-cov — LLVM's coverage as JSON, as `llvm-cov export` writes it (Rust, C, C++, Swift).
//!
//! ```text
//! llvm-profdata merge -sparse adds.profraw -o adds.profdata
//! llvm-cov export target/debug/deps/shop-1a2b -instr-profile=adds.profdata > adds.json
//! ```
//! `data[].files[].segments` say from which place on which count holds. A line has a count if a region
//! is open at its start or begins on it; the count is the largest of these, as in LLVM's own reports
//! (gaps between regions do not begin one). An export has no tests: run each test alone, and give the
//! files together, in a folder or with a manifest. Functions come from the source where it is found,
//! else from the export, with Rust's names made readable. `-summary-only` exports have no lines.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

use crate::input::InputSample;
use crate::line_matrix::LineMatrix;
use crate::reading::LinesInput;
use crate::text::{MAX_LINE, quoted};
use crate::{Format, Reader};
use fdc_case::{FileError, Result};
use fdc_source::{FunctionLines, LineSet};

pub(crate) const FORMAT: Format = Format {
    name: "llvm-cov",
    summary: "llvm-cov export as JSON, one per test",
    detect,
    reader: Reader::Lines(|input, matrix| parse(input, &input.bytes()?, matrix)),
    endings: &[],
    write: None,
    source: include_str!("llvm_cov.rs"),
};

const DAMAGED: &str = "the file is damaged or cut off: run llvm-cov export again";

fn detect(sample: &InputSample) -> bool {
    let text: String = sample.text().split_whitespace().collect();
    let keys = [
        "\"segments\":",
        "llvm.coverage.json.export",
        "\"branches\":",
        "\"functions\":[",
    ];
    text.starts_with("{\"data\":[") && keys.iter().any(|key| text.contains(key))
        || text.starts_with("{\"data\":[{\"files\":[")
}

#[derive(Deserialize)]
struct Export<'j> {
    #[serde(borrow)]
    data: Vec<Data<'j>>,
}

#[derive(Deserialize)]
struct Data<'j> {
    #[serde(borrow)]
    files: Vec<File<'j>>,
    #[serde(borrow, default)]
    functions: Vec<FunctionEntry<'j>>,
}

#[derive(Deserialize)]
struct File<'j> {
    #[serde(borrow)]
    filename: Cow<'j, str>,
    segments: Option<Vec<Segment>>,
}

/// Line, column, count, whether it has one, starts a region, is a gap (missing before LLVM 11).
#[derive(Clone, Copy, Deserialize)]
struct Segment(
    u32,
    serde::de::IgnoredAny,
    u64,
    bool,
    bool,
    #[serde(default)] bool,
);

impl Segment {
    fn line(&self) -> u32 {
        self.0
    }

    fn starts_region(&self) -> bool {
        self.3 && self.4 && !self.5
    }
}

#[derive(Deserialize)]
struct FunctionEntry<'j> {
    #[serde(borrow)]
    name: Cow<'j, str>,
    #[serde(borrow)]
    filenames: Vec<Cow<'j, str>>,
    /// First line, column, last line, column, count, file, expanded file, kind.
    regions: Vec<Vec<u64>>,
}

/// Reads an export.
pub fn parse(input: &LinesInput, bytes: &[u8], matrix: &mut LineMatrix) -> Result<()> {
    let test = input.test_named(matrix, "");
    let export: Export = serde_json::from_slice(bytes).map_err(|error| {
        let expected = "data with files and their segments";
        FileError::bad(input.path, expected, error.to_string()).hint(DAMAGED)
    })?;
    for data in &export.data {
        for measured in &data.files {
            let (executable, covered) = line_counts(checked_segments(input.path, measured)?);
            let file = matrix.file(&measured.filename);
            matrix.executable(file, &executable);
            matrix.cover(test, file, covered);
        }
        for function in &data.functions {
            // The first region is the whole function, in its first file.
            let region = function.regions.first().map(|region| &**region);
            let (Some(path), Some(&[first, _, last, ..])) = (function.filenames.first(), region)
            else {
                continue;
            };
            let limit = |line: u64| u32::try_from(line).ok().filter(|&line| line <= MAX_LINE);
            if let (Some(first), Some(last)) = (limit(first), limit(last)) {
                let file = matrix.file(path);
                let lines = FunctionLines::Span(first, last.max(first));
                matrix.function(file, readable_name(&function.name), false, lines);
            }
        }
    }
    Ok(())
}

/// A Rust name without hash and instance; any other as it is, without the file before C's statics.
pub(crate) fn readable_name(name: &str) -> String {
    if let Ok(demangled) = rustc_demangle::try_demangle(name) {
        return format!("{demangled:#}");
    }
    match name.rsplit_once(':') {
        Some((file, function)) if file.contains('.') && !function.is_empty() => function.to_owned(),
        _ => name.to_owned(),
    }
}

fn checked_segments<'e>(path: &Path, file: &'e File) -> Result<&'e [Segment]> {
    let bad = |expected: &str, found: String, hint: &str| {
        let at = format!("file {}", quoted(&file.filename));
        FileError::bad(path, expected, found).at(at).hint(hint)
    };
    let segments = file.segments.as_ref().ok_or_else(|| {
        let hint = "export again without -summary-only";
        bad("segments", "none".into(), hint)
    })?;
    if let Some(beyond) = segments.iter().find(|segment| segment.line() > MAX_LINE) {
        let expected = format!("lines up to {MAX_LINE}");
        return Err(bad(&expected, format!("line {}", beyond.line()), DAMAGED));
    }
    let mut pairs = segments.windows(2);
    if let Some(pair) = pairs.find(|pair| pair[0].line() > pair[1].line()) {
        let found = format!("line {} after line {}", pair[1].line(), pair[0].line());
        return Err(bad("ascending segments", found, DAMAGED));
    }
    Ok(segments)
}

/// Lines that could be run and lines that were, by LLVM's rule. The segment that holds at the start
/// of a line is the last one of the lines before.
fn line_counts(segments: &[Segment]) -> (LineSet, LineSet) {
    let mut executable: Vec<Range<u32>> = Vec::new();
    let mut covered: Vec<Range<u32>> = Vec::new();
    let mut put = |lines: Range<u32>, count: u64| {
        if count > 0 {
            covered.push(lines.clone());
        }
        executable.push(lines);
    };
    let mut wrapped: Option<Segment> = None;
    for on_line in segments.chunk_by(|a, b| a.line() == b.line()) {
        let line = on_line[0].line();
        let open = wrapped.filter(|open| open.3);
        if let Some(open) = open {
            put(open.line() + 1..line, open.2);
        }
        let begun = on_line.iter().filter(|segment| segment.starts_region());
        let begun = begun.map(|segment| segment.2).max();
        let skipped = !on_line[0].3 && on_line[0].4;
        let gap_with_count = on_line.iter().any(|segment| segment.3 && segment.4);
        if (!skipped && (open.is_some() || begun.is_some())) || gap_with_count {
            let at_start = wrapped.map_or(0, |open| open.2);
            put(line..line + 1, begun.unwrap_or(0).max(at_start));
        }
        wrapped = on_line.last().copied();
    }
    let set = |runs: Vec<Range<u32>>| runs.into_iter().collect();
    (set(executable), set(covered))
}
