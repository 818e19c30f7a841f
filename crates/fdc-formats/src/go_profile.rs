//! go — Go coverage profiles, as `go test -coverprofile` writes them.
//!
//! ```text
//! mode: set
//! example.org/shop/cart.go:3.24,5.2 1 1
//! ```
//! A block is `file:line.column,line.column statements count`. A line belongs to it if it holds code of
//! it: not only blanks, comments, brackets, commas and semicolons. Without the source all lines from the
//! first to the last do. A line ran if any of its blocks did, by a count above 0. Blocks without
//! statements are passed over. A profile has no tests: run each test alone (`go test -run '^TestX$' -coverprofile=TestX.out`)
//! and give the files together, in a folder or with a manifest. Functions come from the source; the
//! module's path before the file is found to be the folder `--source`.

pub mod code;

use std::collections::BTreeMap;
use std::path::Path;

use crate::input::InputSample;
use crate::line_matrix::LineMatrix;
use crate::reading::LinesInput;
use crate::text::{MAX_LINE, bad_line, filled_lines, line_number, quoted, utf8};
use crate::{Format, Reader};
use fdc_case::Result;
use fdc_source::LineSet;

use code::Code;

pub(crate) const FORMAT: Format = Format {
    name: "go",
    summary: "Go coverage profile, one per test",
    detect,
    reader: Reader::Lines(|input, matrix| parse(input, &input.bytes()?, matrix)),
    endings: &["out", "cov", "txt", "profile", "coverprofile"],
    write: None,
    source: include_str!("go_profile.rs"),
};

const MODES: [&str; 3] = ["set", "count", "atomic"];
const DAMAGED: &str = "the file is damaged or cut off: run go test -coverprofile again";

fn detect(sample: &InputSample) -> bool {
    let mode = sample.text().strip_prefix("mode: ");
    mode.is_some_and(|mode| MODES.iter().any(|known| mode.starts_with(known)))
}

/// Reads a profile.
pub fn parse(input: &LinesInput, bytes: &[u8], matrix: &mut LineMatrix) -> Result<()> {
    let test = input.test_named(matrix, "");
    let project = matrix.project();
    for (file, blocks) in blocks_of(input.path, bytes)? {
        let source = project.find(file).and_then(|path| project.text(&path));
        let code = source.map(|text| Code::of(text.as_bytes()));
        let lines = |blocks: &mut dyn Iterator<Item = &Block>| -> LineSet {
            match &code {
                Some(code) => {
                    let lines = blocks.flat_map(|block| code.lines(block));
                    lines.map(|line| line..line + 1).collect()
                }
                None => blocks.map(|block| block.start.0..block.end.0 + 1).collect(),
            }
        };
        let executable = lines(&mut blocks.iter());
        let covered = lines(&mut blocks.iter().filter(|block| block.ran));
        let file = matrix.file(file);
        matrix.executable(file, &executable);
        matrix.cover(test, file, covered);
    }
    Ok(())
}

/// The blocks of a profile that hold statements, by file as Go spells it; `path` is for messages.
fn blocks_of<'b>(path: &Path, bytes: &'b [u8]) -> Result<BTreeMap<&'b str, Vec<Block<'b>>>> {
    let text = utf8(path, bytes)?;
    let mut lines = filled_lines(text);
    let bad = |number: usize, expected: &str, found: &str| {
        let found = match found {
            "" => "an empty file".to_owned(),
            found => quoted(found),
        };
        bad_line(path, number, expected, found, DAMAGED)
    };
    let (number, first) = lines.next().unwrap_or((1, ""));
    let mode = first.strip_prefix("mode: ").unwrap_or_default().trim();
    if !MODES.contains(&mode) {
        return Err(bad(number, "mode: set, count or atomic", first));
    }
    let mut files: BTreeMap<&str, Vec<Block>> = BTreeMap::new();
    for (number, line) in lines {
        // Profiles that were joined with cat have the line again.
        if line.starts_with("mode: ") {
            continue;
        }
        let expected = "file:line.column,line.column statements count";
        let block = Block::of(line).ok_or_else(|| bad(number, expected, line))?;
        let blocks = files.entry(block.file).or_default();
        if block.statements > 0 {
            blocks.push(block);
        }
    }
    Ok(files)
}

/// A line of a profile: `file:line.column,line.column statements count`.
#[derive(Debug, PartialEq, Eq)]
pub struct Block<'p> {
    /// The file, as Go spells it: import path and name.
    pub file: &'p str,
    /// Line and column of its first character, from 1.
    pub start: (u32, u32),
    /// Line and column after its last character.
    pub end: (u32, u32),
    /// How many statements it holds.
    pub statements: u32,
    /// Whether it ran.
    pub ran: bool,
}

impl<'p> Block<'p> {
    /// Reads a line; none if it is something else.
    pub fn of(line: &'p str) -> Option<Self> {
        let (file, rest) = line.trim().rsplit_once(':')?;
        let mut cells = rest.split(' ');
        let (start, end) = cells.next()?.split_once(',')?;
        let place = |text: &str| {
            let (line, column) = text.split_once('.')?;
            let line = line_number(line).filter(|&line| line <= MAX_LINE)?;
            Some((line, line_number(column)?))
        };
        let (start, end) = (place(start)?, place(end)?);
        let statements = line_number(cells.next()?)?;
        let count: u64 = cells.next()?.parse().ok()?;
        let whole = cells.next().is_none() && !file.is_empty() && start.0 <= end.0;
        whole.then_some(Block {
            file,
            start,
            end,
            statements,
            ran: count > 0,
        })
    }
}
