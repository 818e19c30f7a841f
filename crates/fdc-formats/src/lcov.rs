//! lcov — LCOV tracefiles (`.info`), a section per source file.
//!
//! ```text
//! TN:tests_add
//! SF:src/cart.c
//! FN:3,7,add
//! FNDA:1,add
//! DA:4,1
//! DA:5,0
//! end_of_record
//! ```
//! Written by lcov/geninfo, `llvm-cov export -format=lcov`, coverage.py, Jest, c8, nyc and others. The
//! test is the section's `TN:`; sections without one belong to the test that the file is named after
//! (one file per test: several files, a manifest or a folder). A line that stands twice counts as run
//! if it did once. Functions come from the source under `--source` where it is found, else from `FN:`
//! (`FNL:` and `FNA:` in newer files). Branches and totals are passed over.
//!
//! Written are a section per test and file that it ran a line of, with the lines of that file that any
//! test ran, and no outcomes. Lines that no test ran are not known to most cases, so totals look better
//! than they are.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::input::{InputSample, open, read_error};
use crate::line_matrix::LineMatrix;
use crate::reading::LinesInput;
use crate::test_lines::{TestLines, plain};
use crate::text::{DAMAGED, MAX_LINE, bad_line, is_digits, line_number, quoted, utf8};
use crate::{Format, Reader};
use fdc_case::{FileError, Result, write_whole};
use fdc_core::Spectrum;
use fdc_source::FunctionLines;

pub(crate) const FORMAT: Format = Format {
    name: "lcov",
    summary: "LCOV tracefile; TN: names the test, or the file's name does",
    detect,
    reader: Reader::Lines(|input, matrix| parse(input, BufReader::new(open(input.path)?), matrix)),
    endings: &["info", "lcov", "tracefile"],
    write: Some(write),
    source: include_str!("lcov.rs"),
};

const LINE: &str = "DA:line,count with a line up to 2000000";
const FUNCTION: &str = "FN:line[,last line],name";
const SPAN: &str = "FNL:number,line[,last line]";
const NAMED: &str = "FNA:number,count,name with the number of an FNL";

fn detect(sample: &InputSample) -> bool {
    let mut lines = sample.text().lines();
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| line.starts_with("TN:") || line.starts_with("SF:"))
}

/// Reads a tracefile, line by line: it may be large.
pub fn parse(input: &LinesInput, mut content: impl BufRead, matrix: &mut LineMatrix) -> Result<()> {
    let mut tracefile = Tracefile {
        input,
        matrix,
        number: 0,
        test: String::new(),
        tests: BTreeSet::new(),
        section: None,
        sections: 0,
    };
    let mut line = Vec::new();
    let mut bytes = 0;
    loop {
        line.clear();
        match content.read_until(b'\n', &mut line) {
            Ok(0) => return tracefile.finish(),
            Ok(count) => bytes += count as u64,
            Err(error) => return Err(read_error(input.path, bytes, error)),
        }
        tracefile.add(&line)?;
    }
}

struct Tracefile<'i, 'm, 'p> {
    input: &'i LinesInput<'i>,
    matrix: &'m mut LineMatrix<'p>,
    number: usize,
    test: String,
    tests: BTreeSet<String>,
    section: Option<Section>,
    sections: usize,
}

/// What is gathered of a source file.
#[derive(Default)]
struct Section {
    file: String,
    line: usize,
    lines: BTreeMap<u32, bool>,
    functions: BTreeMap<String, (u32, Option<u32>)>,
    /// `FNL` gives numbers to spans, `FNA` names to numbers.
    spans: HashMap<String, (u32, Option<u32>)>,
}

impl Tracefile<'_, '_, '_> {
    fn add(&mut self, line: &[u8]) -> Result<()> {
        self.number += 1;
        let line = utf8(self.input.path, line);
        let line = line.map_err(|error| error.at(format_args!("line {}", self.number)))?;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if line == "end_of_record" {
            let Some(section) = self.section.take() else {
                return Err(self.bad("SF: before the end of a section", line));
            };
            self.put(section);
            return Ok(());
        }
        let Some((key, value)) = line.split_once(':') else {
            return Err(self.bad("a record such as DA:12,1", line));
        };
        let read = match (key, &mut self.section) {
            ("TN", None) => {
                // lcov marks a test's name so where the code was matched by a diff.
                let name = value.trim();
                self.test = name.strip_suffix(",diff").unwrap_or(name).to_owned();
                Ok(())
            }
            ("SF", None) => {
                self.section = Some(Section {
                    file: value.trim().to_owned(),
                    line: self.number,
                    ..Section::default()
                });
                Ok(())
            }
            ("TN" | "SF", Some(_)) => Err("end_of_record before the next section"),
            ("DA", Some(section)) => section.add_line(value).ok_or(LINE),
            ("FN", Some(section)) => section.add_function(value).ok_or(FUNCTION),
            ("FNL", Some(section)) => section.add_span(value).ok_or(SPAN),
            ("FNA", Some(section)) => section.add_named(value).ok_or(NAMED),
            (_, None) => Err("TN: or SF: at the start of a section"),
            // Branches, conditions, totals, versions: nothing a line needs.
            _ if key.bytes().all(|byte| byte.is_ascii_uppercase()) => Ok(()),
            _ => Err("a record such as DA:12,1"),
        };
        read.map_err(|expected| self.bad(expected, line))
    }

    fn put(&mut self, section: Section) {
        self.sections += 1;
        if !self.test.is_empty() {
            self.tests.insert(self.test.clone());
        }
        let test = self.input.test_named(self.matrix, &self.test);
        let file = self.matrix.file(&section.file);
        self.matrix.lines(test, file, &section.lines);
        for (name, (first, last)) in section.functions {
            let lines = match last {
                Some(last) => FunctionLines::Span(first, last),
                None => FunctionLines::From(first),
            };
            let name = crate::llvm_cov::readable_name(&name);
            self.matrix.function(file, name, false, lines);
        }
    }

    fn finish(self) -> Result<()> {
        let path = self.input.path;
        if let Some(section) = &self.section {
            let line = section.line;
            let found = format!("the end of the file in the section of line {line}");
            return Err(FileError::bad(path, "end_of_record", found).hint(DAMAGED));
        }
        if self.sections == 0 {
            let error = FileError::bad(path, "a section SF: ... end_of_record", "none");
            let hint = "nothing was measured: check the tool's options for what to include";
            return Err(error.hint(hint));
        }
        self.input.check_tests(self.tests.len())
    }

    fn bad(&self, expected: &str, found: &str) -> FileError {
        let path = self.input.path;
        bad_line(path, self.number, expected, quoted(found), DAMAGED)
    }
}

impl Section {
    fn add_line(&mut self, value: &str) -> Option<()> {
        let mut cells = value.split(',');
        let (line, run) = (limited_line(cells.next()?)?, count(cells.next()?)?);
        *self.lines.entry(line).or_default() |= run;
        Some(())
    }

    /// `line[,last],name`; the name may hold commas, and may be a number.
    fn add_function(&mut self, value: &str) -> Option<()> {
        let (first, rest) = value.split_once(',').filter(|(_, rest)| !rest.is_empty())?;
        let first = limited_line(first)?;
        let cells = rest.split_once(',');
        let with_last = cells.and_then(|(last, name)| Some((name, limited_line(last)?)));
        let (name, last) = match with_last {
            Some((name, last)) => (name, Some(last.max(first))),
            None => (rest, None),
        };
        self.functions.insert(name.to_owned(), (first, last));
        Some(())
    }

    /// `number,line[,last]`.
    fn add_span(&mut self, value: &str) -> Option<()> {
        let mut cells = value.split(',');
        let number = cells.next().filter(|number| is_digits(number))?;
        let first = limited_line(cells.next()?)?;
        let last = match cells.next() {
            Some(last) => Some(limited_line(last)?.max(first)),
            None => None,
        };
        self.spans.insert(number.to_owned(), (first, last));
        Some(())
    }

    /// `number,count,name`.
    fn add_named(&mut self, value: &str) -> Option<()> {
        let mut cells = value.splitn(3, ',');
        let span = *self.spans.get(cells.next()?)?;
        count(cells.next()?)?;
        self.functions.insert(cells.next()?.to_owned(), span);
        Some(())
    }
}

/// Writes a tracefile, a section per test and file.
pub fn write(spectrum: &Spectrum, path: &Path) -> Result<()> {
    let lines = TestLines::of(spectrum, path)?;
    for test in &spectrum.tests {
        plain(path, "test", &test.name, |name| {
            !name.ends_with(",diff") && !name.is_empty()
        })?;
    }
    write_whole(path, |out| {
        for (id, test) in spectrum.coverage.tests().zip(&spectrum.tests) {
            for file in lines.files_of(id) {
                writeln!(out, "TN:{}\nSF:{}", test.name, file.path)?;
                for function in &file.functions {
                    let (first, last, name) = (function.first, function.last, &function.name);
                    writeln!(out, "FN:{first},{last},{name}")?;
                }
                let ran = file.lines.iter().filter(|line| line.ran).count();
                for line in &file.lines {
                    writeln!(out, "DA:{},{}", line.number, u8::from(line.ran))?;
                }
                let found = file.lines.len();
                writeln!(out, "LF:{found}\nLH:{ran}\nend_of_record")?;
            }
        }
        Ok(())
    })
}

fn limited_line(text: &str) -> Option<u32> {
    line_number(text.trim()).filter(|&line| line <= MAX_LINE)
}

/// Whether a count is above 0; some tools write negative or fractional ones.
fn count(text: &str) -> Option<bool> {
    let count: f64 = text.trim().parse().ok()?;
    (!count.is_nan()).then_some(count > 0.0)
}
