//! go — Go coverage profiles, as `go test -coverprofile` writes them.
//!
//! ```text
//! mode: set
//! example.org/shop/cart.go:3.24,5.2 1 1
//! ```
//! A block is `file:line.column,line.column statements count`. Its lines, first to last, count as run
//! if the count is above 0, or if another block on the line ran. Blocks without statements are passed
//! over. A profile has no tests: run each test alone (`go test -run '^TestX$' -coverprofile=TestX.out`)
//! and give the files together, in a folder or with a manifest. Functions come from the source; the
//! module's path before the file is found to be the folder `--source`.

use std::collections::BTreeMap;

use crate::error::FormatError;
use crate::input::{Sample, read_bytes};
use crate::line_matrix::LineMatrix;
use crate::lines::{FileLines, MAX_LINE};
use crate::reading::LinesInput;
use crate::text::{filled_lines, line_number, quoted, utf8};
use crate::{Format, Reader};

pub(crate) const FORMAT: Format = Format {
    name: "go",
    summary: "Go coverage profile, one per test",
    detect,
    reader: Reader::Lines(read),
    write: None,
    source: include_str!("go_profile.rs"),
};

const MODES: [&str; 3] = ["set", "count", "atomic"];
const DAMAGED: &str = "the file is damaged or cut off: run go test -coverprofile again";

fn detect(sample: &Sample) -> bool {
    let mode = sample.text().strip_prefix("mode: ");
    mode.is_some_and(|mode| MODES.iter().any(|known| mode.starts_with(known)))
}

/// Reads a profile.
pub fn read(input: &LinesInput<'_>, matrix: &mut LineMatrix<'_>) -> Result<(), FormatError> {
    parse(input, &read_bytes(input.path)?, matrix)
}

/// Reads a profile from memory.
pub fn parse(
    input: &LinesInput<'_>,
    bytes: &[u8],
    matrix: &mut LineMatrix<'_>,
) -> Result<(), FormatError> {
    let test = input.test_named(matrix, "");
    for (file, lines) in lines_of_profile(input.path, bytes)? {
        let file = matrix.file(&file);
        matrix.executable(file, &lines.executable);
        matrix.cover(test, file, lines.covered);
    }
    Ok(())
}

/// The lines of a profile by file, as Go spells it; `path` is for messages.
pub fn lines_of_profile(
    path: &std::path::Path,
    bytes: &[u8],
) -> Result<BTreeMap<String, FileLines>, FormatError> {
    let text = utf8(path, bytes)?;
    let mut lines = filled_lines(text);
    let bad = |number: usize, expected: &str, found: &str| {
        let found = match found {
            "" => "an empty file".to_owned(),
            found => quoted(found),
        };
        let error = FormatError::bad(path, expected, found);
        error.at(format_args!("line {number}")).hint(DAMAGED)
    };
    let (number, first) = lines.next().unwrap_or((1, ""));
    let mode = first.strip_prefix("mode: ").unwrap_or_default().trim();
    if !MODES.contains(&mode) {
        return Err(bad(number, "mode: set, count or atomic", first));
    }
    let mut runs: BTreeMap<&str, [Vec<std::ops::Range<u32>>; 2]> = BTreeMap::new();
    for (number, line) in lines {
        // Profiles that were joined with cat have the line again.
        if line.starts_with("mode: ") {
            continue;
        }
        let expected = "file:line.column,line.column statements count";
        let block = block(line).ok_or_else(|| bad(number, expected, line))?;
        let [executable, covered] = runs.entry(block.file).or_default();
        if block.statements == 0 {
            continue;
        }
        executable.push(block.lines.clone());
        if block.ran {
            covered.push(block.lines);
        }
    }
    let lines = runs.into_iter().map(|(file, [executable, covered])| {
        let lines = FileLines {
            executable: executable.into_iter().collect(),
            covered: covered.into_iter().collect(),
        };
        (file.to_owned(), lines)
    });
    Ok(lines.collect())
}

struct Block<'l> {
    file: &'l str,
    lines: std::ops::Range<u32>,
    statements: u32,
    ran: bool,
}

fn block(line: &str) -> Option<Block<'_>> {
    let (file, rest) = line.trim().rsplit_once(':')?;
    let mut cells = rest.split(' ');
    let (start, end) = cells.next()?.split_once(',')?;
    let place = |text: &str| {
        let (line, column) = text.split_once('.')?;
        line_number(column)?;
        line_number(line).filter(|&line| line <= MAX_LINE)
    };
    let (first, last) = (place(start)?, place(end)?);
    let statements = line_number(cells.next()?)?;
    let count: u64 = cells.next()?.parse().ok()?;
    if cells.next().is_some() || file.is_empty() || first > last {
        return None;
    }
    Some(Block {
        file,
        lines: first..last + 1,
        statements,
        ran: count > 0,
    })
}
