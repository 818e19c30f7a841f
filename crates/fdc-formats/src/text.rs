//! What the formats made of lines of text share.

use std::path::Path;

use fdc_core::Spectrum;
use fdc_core::spectrum::{Fault, Outcome, Test};

use fdc_case::{FileError, Result};

const QUOTED_CHARS: usize = 60;
/// The largest line number that is read: more is damage, and an element each would fill the memory.
pub(crate) const MAX_LINE: u32 = 2_000_000;

pub(crate) const DAMAGED: &str =
    "the file is damaged or cut off: make it again with the tool that wrote it";

/// The bytes as text; the error names the first byte that is not UTF-8.
pub(crate) fn utf8<'b>(path: &Path, bytes: &'b [u8]) -> Result<&'b str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let line = 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count();
        FileError::bad(path, "UTF-8 text", format!("byte {:#04x}", bytes[at]))
            .at(format_args!("line {line}, byte {at} of the file"))
            .hint("convert the file to UTF-8")
    })
}

/// What is wrong on a line of a file, and what to do.
pub(crate) fn bad_line(
    path: &Path,
    line: usize,
    expected: impl Into<String>,
    found: impl Into<String>,
    hint: &str,
) -> FileError {
    let error = FileError::bad(path, expected, found);
    error.at(format_args!("line {line}")).hint(hint)
}

/// A fault with each of its methods once, in order.
pub(crate) fn known_fault(mut fault: Fault) -> Fault {
    fault.methods.sort_unstable();
    fault.methods.dedup();
    fault
}

/// Comma-separated cells without the blanks around them; rows may differ in length.
pub(crate) fn csv_records(text: &str) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes())
}

pub(crate) fn judged_test(name: &str, outcome: Outcome) -> Test {
    Test {
        name: name.to_owned(),
        outcome: Some(outcome),
        ..Test::default()
    }
}

/// The lines that are not blank, numbered from 1.
pub(crate) fn filled_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = (1..).zip(text.lines());
    numbered.filter(|(_, line)| !line.trim().is_empty())
}

/// A line number: decimal digits, up to `u32::MAX`.
pub(crate) fn line_number(text: &str) -> Option<u32> {
    is_digits(text).then(|| text.parse().ok()).flatten()
}

pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A piece of the input, quoted for a message and cut if it is long.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARS) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?} and more", &text[..end]),
    }
}

/// What is written of a spectrum to a format that wants an outcome for each test.
pub(crate) fn outcomes_to_write(spectrum: &Spectrum, path: &Path) -> Result<Vec<Outcome>> {
    if spectrum.tests.is_empty() || spectrum.program.elements.is_empty() {
        let (tests, elements) = (spectrum.tests.len(), spectrum.program.elements.len());
        let found = format!("{tests} tests and {elements} elements");
        let error = FileError::bad(path, "a test and an element to write", found);
        return Err(error.hint("the dataset and case formats hold empty matrices"));
    }
    let outcome = |test: &Test| {
        let verdict = test.verdict().ok_or_else(|| {
            let found = format!("no outcome of test {}", quoted(&test.name));
            FileError::bad(path, "the outcome of every test", found)
                .hint("the dataset and case formats can leave outcomes open: write one of these")
        })?;
        Ok(verdict.outcome)
    };
    spectrum.tests.iter().map(outcome).collect()
}

/// A name that a format has no way to write.
pub(crate) fn unwritable(path: &Path, what: &str, name: &str) -> FileError {
    let expected = format!("{what} names that can be read back");
    FileError::bad(path, expected, quoted(name))
        .hint("the dataset and case formats hold any name: write one of these")
}
