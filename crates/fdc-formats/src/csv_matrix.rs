//! csv — matrix as a table with a row per statement and a column per test.
//!
//! ```text
//! method,statement,faulty,t0,t1,t2
//! shop.Cart#add(int),12,0,1,1,0
//! shop.Cart#add(int),13,1,1,0,0
//! outcome,,,fail,pass,unknown
//! ```
//! A statement is a line number or a name such as `s12`, whose line is then the number it ends in,
//! if that tells all statements of each method apart, else its place in the file, from 1. A cell is
//! 1 where the test covers the statement, else 0. The column `faulty` may be left out. The last row
//! may give the outcomes: pass, fail, error (a failure too), or unknown, which an empty cell means
//! too. Without that row none is known; `--failed NAME` names the tests that failed, all others then passed. The file of a
//! method is what its name says: `path::function`, `package.Class#method`.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use csv::StringRecord;
use fdc_core::Spectrum;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Fault, MethodId, Outcome, Program, ProgramBuilder, Test};

use crate::dataset::file_of_method;
use crate::input::{InputSample, read_bytes};
use crate::text::{bad_line, csv_records, is_digits, known_fault, line_number, quoted, utf8};
use crate::{Format, Reader};
use fdc_case::row::push_joined;
use fdc_case::{FileError, Result};

pub(crate) const FORMAT: Format = Format {
    name: "csv",
    summary: "table method,statement,[faulty,]test,... of 0 and 1",
    detect,
    reader: Reader::Matrix(|path| parse(path, &read_bytes(path)?)),
    endings: &[],
    write: None,
    source: include_str!("csv_matrix.rs"),
};

const HEADER: &str = "the header method,statement,[faulty,] and a name for each test";
const CELLS: &str = "correct the row: as many cells as the header has, separated by commas";

fn detect(sample: &InputSample) -> bool {
    let first_line = sample.text().lines().next().unwrap_or_default();
    let cells = first_line.split(',').map(str::trim);
    let mut names = cells.map(|name| name.trim_matches('"'));
    names.next() == Some("method") && names.next() == Some("statement")
}

/// Reads a CSV matrix; `path` is for messages.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Spectrum> {
    let text = utf8(path, bytes)?;
    let mut records = csv_records(text);
    let mut lines = LineCounter {
        bytes: text.as_bytes(),
        at: 0,
        line: 1,
    };
    let mut record = StringRecord::new();
    let mut next = |record: &mut StringRecord| match records.read_record(record) {
        Ok(true) => Ok(Some(lines.of(record))),
        Ok(false) => Ok(None),
        Err(error) => {
            Err(FileError::bad(path, "comma-separated values", error.to_string()).hint(CELLS))
        }
    };
    let line = next(&mut record)?.unwrap_or(1);
    let mut table = Table::new(path, &record, line)?;
    while let Some(line) = next(&mut record)? {
        table.add(&record, line)?;
    }
    table.finish()
}

struct Table<'p> {
    path: &'p Path,
    has_faulty: bool,
    tests: Vec<Test>,
    /// Per test, the elements it covers.
    covered: Vec<Vec<Range<u32>>>,
    builder: ProgramBuilder,
    statements: Vec<(MethodId, String)>,
    /// The line of the file where each statement of a method stands.
    known: HashMap<(MethodId, String), usize>,
    fault: Fault,
    outcomes_at: Option<usize>,
}

impl<'p> Table<'p> {
    fn new(path: &'p Path, header: &StringRecord, line: usize) -> Result<Self> {
        let bad = |expected: &str, found: String, hint| bad_line(path, line, expected, found, hint);
        let example = "`fdc explain csv` shows an example";
        if header.is_empty() {
            return Err(bad(HEADER, "an empty file".into(), example));
        }
        if header.get(0) != Some("method") || header.get(1) != Some("statement") {
            let names: Vec<_> = header.iter().collect();
            return Err(bad(HEADER, quoted(&names.join(",")), example));
        }
        let has_faulty = header.get(2) == Some("faulty");
        let mut tests = Vec::new();
        let mut known = HashMap::new();
        let columns = (1..).zip(header).skip(cells_before_tests(has_faulty));
        for (column, name) in columns {
            if name.is_empty() {
                let found = format!("nothing in column {column}");
                let hint = "name the test in the header";
                return Err(bad("a name for each test", found, hint));
            }
            if let Some(first) = known.insert(name, column) {
                let found = format!("{} in columns {first} and {column}", quoted(name));
                let hint = "give every test a name of its own, e.g. with its class or parameters";
                return Err(bad("each test once", found, hint));
            }
            tests.push(Test {
                name: name.to_owned(),
                ..Test::default()
            });
        }
        if tests.is_empty() {
            return Err(bad(HEADER, "no test".into(), example));
        }
        Ok(Table {
            path,
            has_faulty,
            covered: vec![Vec::new(); tests.len()],
            tests,
            builder: ProgramBuilder::default(),
            statements: Vec::new(),
            known: HashMap::new(),
            fault: Fault::default(),
            outcomes_at: None,
        })
    }

    fn add(&mut self, record: &StringRecord, line: usize) -> Result<()> {
        let before_tests = cells_before_tests(self.has_faulty);
        let path = self.path;
        let bad = |expected: &str, found, hint| Err(bad_line(path, line, expected, found, hint));
        if let Some(outcomes) = self.outcomes_at {
            let expected = format!("the end after the outcomes on line {outcomes}");
            let names: Vec<_> = record.iter().collect();
            let hint = "the row of outcomes comes last";
            return bad(&expected, quoted(&names.join(",")), hint);
        }
        if record.len() != before_tests + self.tests.len() {
            let expected = format!("{} cells", before_tests + self.tests.len());
            return bad(&expected, record.len().to_string(), CELLS);
        }
        let (method, statement) = (&record[0], &record[1]);
        if method == "outcome" && statement.is_empty() {
            return self.add_outcomes(record, line);
        }
        if method.is_empty() || statement.is_empty() {
            let found = format!("{} and {}", quoted(method), quoted(statement));
            let hint = "name both, or drop the row";
            return bad("a method and a statement", found, hint);
        }
        if is_digits(statement) && line_number(statement).is_none() {
            let expected = "a line number up to 4294967295";
            return bad(expected, quoted(statement), "correct the second cell");
        }
        let file = || file_of_method(method).to_owned();
        let id = self.builder.method(method, file);
        let key = (id, statement.to_owned());
        if let Some(&first) = self.known.get(&key) {
            let twice = format!("{} {}", quoted(method), quoted(statement));
            let found = format!("{twice} again, first on line {first}");
            let hint = "drop or rename one of the two";
            return bad("each statement once", found, hint);
        }
        let element = self.statements.len() as u32;
        let mut faulty = false;
        for (index, cell) in record.iter().enumerate().skip(2) {
            let one = match cell {
                "0" => false,
                "1" => true,
                _ => {
                    let found = format!("{} in column {}", quoted(cell), index + 1);
                    return bad("0 or 1", found, "correct the cell");
                }
            };
            if index < before_tests {
                faulty = one;
            } else if one {
                let runs = &mut self.covered[index - before_tests];
                push_joined(runs, element..element + 1);
            }
        }
        if faulty {
            self.fault.elements.push(element);
            self.fault.methods.push(id);
        }
        self.statements.push(key.clone());
        self.known.insert(key, line);
        Ok(())
    }

    fn add_outcomes(&mut self, record: &StringRecord, line: usize) -> Result<()> {
        self.outcomes_at = Some(line);
        let words = record.iter().skip(cells_before_tests(self.has_faulty));
        for (word, test) in words.zip(&mut self.tests) {
            test.outcome = match &*word.to_ascii_lowercase() {
                "pass" => Some(Outcome::Pass),
                "fail" | "error" => Some(Outcome::Fail),
                "unknown" | "" => None,
                _ => {
                    let found = format!("{} for test {}", quoted(word), quoted(&test.name));
                    let expected = "the outcome pass, fail, error or unknown";
                    let hint = "correct the outcome, or leave the cell empty";
                    return Err(bad_line(self.path, line, expected, found, hint));
                }
            };
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Spectrum> {
        if self.statements.is_empty() {
            let error = FileError::bad(self.path, "a row for each statement", "no statement");
            let hint = "the file is cut off, or nothing was covered: make it again";
            return Err(error.hint(hint));
        }
        let mut rows = Rows::new(self.statements.len() as u32);
        for runs in std::mem::take(&mut self.covered) {
            rows.push(runs).map_err(|error| {
                FileError::bad(self.path, "ascending statements", error.to_string())
            })?;
        }
        let fault = known_fault(std::mem::take(&mut self.fault));
        let fault = self.has_faulty.then_some(fault);
        let (path, tests) = (self.path, std::mem::take(&mut self.tests));
        Spectrum::new(None, self.program(), tests, rows, fault)
            .map_err(|error| FileError::inconsistent(path, &error))
    }

    fn program(mut self) -> Program {
        let mut statements = self.statements.iter();
        let all_numbers = statements.all(|(_, statement)| is_digits(statement));
        let lines = numbers_at_the_end(&self.statements);
        let lines = lines.unwrap_or_else(|| (1..=self.statements.len() as u32).collect());
        for ((method, statement), line) in self.statements.into_iter().zip(lines) {
            let label = (!all_numbers).then_some(statement);
            self.builder.element(method, line, label);
        }
        self.builder.finish()
    }
}

fn cells_before_tests(has_faulty: bool) -> usize {
    2 + usize::from(has_faulty)
}

/// Counts lines up to where records start; the csv crate counts blank lines before as part of one.
struct LineCounter<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl LineCounter<'_> {
    fn of(&mut self, record: &StringRecord) -> usize {
        let start = record.position().map_or(0, |place| place.byte() as usize);
        while self.at < self.bytes.len()
            && (self.at < start || b"\r\n".contains(&self.bytes[self.at]))
        {
            self.line += usize::from(self.bytes[self.at] == b'\n');
            self.at += 1;
        }
        self.line
    }
}

/// The numbers the statements end in, if all have one and no method has one twice.
fn numbers_at_the_end(statements: &[(MethodId, String)]) -> Option<Vec<u32>> {
    let mut seen = HashSet::new();
    let number = |(method, statement): &(MethodId, String)| {
        let name = statement.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = line_number(&statement[name.len()..])?;
        seen.insert((*method, number)).then_some(number)
    };
    statements.iter().map(number).collect()
}
