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
use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;

use crate::input::{Sample, read_bytes};
use crate::line_matrix::LineMatrix;
use crate::lines::{FileLines, MAX_LINE};
use crate::methods::{Extent, Function};
use crate::reading::LinesInput;
use crate::text::quoted;
use crate::{Format, Reader};
use fdc_case::FileError;

pub(crate) const FORMAT: Format = Format {
    name: "llvm-cov",
    summary: "llvm-cov export as JSON, one per test",
    detect,
    reader: Reader::Lines(read),
    write: None,
    source: include_str!("llvm_cov.rs"),
};

const DAMAGED: &str = "the file is damaged or cut off: run llvm-cov export again";

fn detect(sample: &Sample) -> bool {
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

/// Line, column, count, whether it has one, whether a region starts, whether it is a gap (missing
/// before LLVM 11).
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
pub fn read(input: &LinesInput<'_>, matrix: &mut LineMatrix<'_>) -> Result<(), FileError> {
    parse(input, &read_bytes(input.path)?, matrix)
}

/// Reads an export from memory.
pub fn parse(
    input: &LinesInput<'_>,
    bytes: &[u8],
    matrix: &mut LineMatrix<'_>,
) -> Result<(), FileError> {
    let test = input.test_named(matrix, "");
    let export = export(input.path, bytes)?;
    for data in &export.data {
        for (path, lines) in lines_of_data(input.path, data)? {
            let file = matrix.file(&path);
            matrix.executable(file, &lines.executable);
            matrix.cover(test, file, lines.covered);
        }
        for function in &data.functions {
            // The first region is the whole function, in its first file.
            let Some(path) = function.filenames.first() else {
                continue;
            };
            let Some(&[first, _, last, ..]) = function.regions.first().map(|region| &**region)
            else {
                continue;
            };
            let limit = |line: u64| u32::try_from(line).ok().filter(|&line| line <= MAX_LINE);
            if let (Some(first), Some(last)) = (limit(first), limit(last)) {
                let file = matrix.file(path);
                let function = Function {
                    name: readable_name(&function.name),
                    qualified: false,
                    extent: Extent::Span(first, last.max(first)),
                };
                matrix.function(file, function);
            }
        }
    }
    Ok(())
}

/// The lines of an export by file; `path` is for messages.
pub fn lines_of_export(
    path: &std::path::Path,
    bytes: &[u8],
) -> Result<BTreeMap<String, FileLines>, FileError> {
    let mut all: BTreeMap<String, FileLines> = BTreeMap::new();
    for data in &export(path, bytes)?.data {
        for (file, lines) in lines_of_data(path, data)? {
            let known = all.entry(file).or_default();
            known.executable.unite(&lines.executable);
            known.covered.unite(&lines.covered);
        }
    }
    Ok(all)
}

/// A Rust name without its hash and instance; any other name as it is, but for the file that C's
/// static functions have before them.
pub fn readable_name(name: &str) -> String {
    if let Ok(demangled) = rustc_demangle::try_demangle(name) {
        return format!("{demangled:#}");
    }
    match name.rsplit_once(':') {
        Some((file, function)) if file.contains('.') && !function.is_empty() => function.to_owned(),
        _ => name.to_owned(),
    }
}

fn export<'b>(path: &std::path::Path, bytes: &'b [u8]) -> Result<Export<'b>, FileError> {
    serde_json::from_slice(bytes).map_err(|error| {
        let expected = "data with files and their segments";
        FileError::bad(path, expected, error.to_string()).hint(DAMAGED)
    })
}

fn lines_of_data(
    path: &std::path::Path,
    data: &Data<'_>,
) -> Result<Vec<(String, FileLines)>, FileError> {
    let mut all = Vec::new();
    for file in &data.files {
        let bad = |expected: String, found: String, hint: &str| {
            let at = format!("file {}", quoted(&file.filename));
            FileError::bad(path, expected, found).at(at).hint(hint)
        };
        let segments = file.segments.as_ref().ok_or_else(|| {
            let hint = "export again without -summary-only";
            bad("segments".into(), "none".into(), hint)
        })?;
        if let Some(beyond) = segments.iter().find(|segment| segment.line() > MAX_LINE) {
            let expected = format!("lines up to {MAX_LINE}");
            return Err(bad(expected, format!("line {}", beyond.line()), DAMAGED));
        }
        if let Some(pair) = segments
            .windows(2)
            .find(|pair| pair[0].line() > pair[1].line())
        {
            let found = format!("line {} after line {}", pair[1].line(), pair[0].line());
            return Err(bad("ascending segments".into(), found, DAMAGED));
        }
        all.push((file.filename.clone().into_owned(), line_counts(segments)));
    }
    Ok(all)
}

/// LLVM's rule. The segment that holds at the start of a line is the last one of the lines before.
fn line_counts(segments: &[Segment]) -> FileLines {
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
        if let Some(open) = wrapped.filter(|open| open.3) {
            put(open.line() + 1..line, open.2);
        }
        let begun = on_line.iter().filter(|segment| segment.starts_region());
        let begun = begun.map(|segment| segment.2).max();
        let skipped = !on_line[0].3 && on_line[0].4;
        let open = wrapped.filter(|open| open.3);
        let gap_with_count = on_line.iter().any(|segment| segment.3 && segment.4);
        if (!skipped && (open.is_some() || begun.is_some())) || gap_with_count {
            let at_start = wrapped.map_or(0, |open| open.2);
            put(line..line + 1, begun.unwrap_or(0).max(at_start));
        }
        wrapped = on_line.last().copied();
    }
    FileLines {
        executable: executable.into_iter().collect(),
        covered: covered.into_iter().collect(),
    }
}
