//! tcm — test coverage matrix in one text file, as FLITSR reads and writes it.
//!
//! ```text
//! #tests
//! test_name PASSED
//! other_test FAILED java.lang.AssertionError
//!
//! #uuts
//! package.Class:method(types):12
//! package.Class:method(types):13 | 1
//!
//! #matrix
//! 0 1
//! 0 3 1 2
//! ```
//! A test is PASSED, FAILED or ERROR (a failure too); what follows is passed over. An element is
//! `class:method:line` (the method becomes `class#method`), `path/file:function:line`
//! (`path/file::function`), `file:line`, or any name, which is then a method of its own. ` | 1` after
//! it, with whatever ids, marks it as faulty. A row of the matrix, one for each test, lists pairs of
//! an element's index, from 0, and how often it ran; an element that ran 0 times is not covered. An
//! empty line is a row without elements. `#metadata` and `#groups` are passed over.
//!
//! Written counts are 1 and fault ids 0; every test needs an outcome. FLITSR itself wants test names
//! without spaces.

use std::collections::HashMap;
use std::iter::{Enumerate, Peekable};
use std::path::Path;
use std::str::Lines;

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Fault, Outcome, Program, ProgramBuilder, Test};

use crate::Format;
use crate::dataset::file_of_method;
use crate::input::{InputSample, read_bytes};
use crate::text::{
    DAMAGED, bad_line, is_digits, judged_test, known_fault, line_number, outcomes_to_write, quoted,
    unwritable, utf8,
};
use fdc_case::{FileError, Result, write_whole};

pub(crate) const FORMAT: Format = Format {
    name: "tcm",
    summary: "FLITSR's test coverage matrix: #tests, #uuts, #matrix",
    detect,
    reader: crate::Reader::Matrix(|path| parse(path, &read_bytes(path)?)),
    endings: &["tcm"],
    write: Some(write),
    source: include_str!("tcm.rs"),
};

const HEADERS: [&str; 5] = ["#tests", "#uuts", "#matrix", "#metadata", "#groups"];

fn detect(sample: &InputSample) -> bool {
    let text = sample.text().trim_start();
    text.lines().next().is_some_and(is_header)
}

/// Reads a TCM file; `path` is for messages.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Spectrum> {
    let mut reader = Reader {
        path,
        lines: utf8(path, bytes)?.lines().enumerate().peekable(),
    };
    let (mut tests, mut elements, mut rows) = (None, None, None);
    while let Some((number, line)) = reader.next_filled() {
        let header = line.trim_end();
        let again = match header {
            "#tests" => tests.replace(reader.tests()?).is_some(),
            "#uuts" => elements.replace(reader.elements()?).is_some(),
            "#matrix" => {
                let (Some(tests), Some(elements)) = (&tests, &elements) else {
                    let expected = "#tests and #uuts before #matrix";
                    return Err(reader.bad(number, expected, "#matrix first"));
                };
                rows.replace(reader.matrix(tests, elements)?).is_some()
            }
            "#metadata" | "#groups" => {
                while reader.next_in_section().is_some() {}
                false
            }
            _ => {
                let expected = match (&rows, &tests) {
                    (Some(_), Some(tests)) => {
                        format!("the end after a row for each of the {} tests", tests.len())
                    }
                    _ => "a section #tests, #uuts or #matrix".into(),
                };
                return Err(reader.bad(number, expected, quoted(line)));
            }
        };
        if again {
            let found = format!("{header} again");
            return Err(reader.bad(number, "each section once", found));
        }
    }
    let missing = match (&tests, &elements) {
        (None, _) => "no #tests",
        (_, None) => "no #uuts",
        _ => "no #matrix",
    };
    let (Some(tests), Some((program, fault)), Some(rows)) = (tests, elements, rows) else {
        let expected = "the sections #tests, #uuts and #matrix";
        return Err(FileError::bad(path, expected, missing).hint(DAMAGED));
    };
    Spectrum::new(None, program, tests, rows, fault)
        .map_err(|error| FileError::inconsistent(path, &error))
}

/// Writes a TCM file.
pub fn write(spectrum: &Spectrum, path: &Path) -> Result<()> {
    let outcomes = outcomes_to_write(spectrum, path)?;
    let tests = spectrum.tests.iter().zip(outcomes).map(|(test, outcome)| {
        let line = test_line(&test.name, outcome);
        line.ok_or_else(|| unwritable(path, "test", &test.name))
    });
    let tests = tests.collect::<Result<Vec<_>, _>>()?;
    let mut faulty = vec![false; spectrum.program.elements.len()];
    for &element in spectrum.fault.iter().flat_map(|fault| &fault.elements) {
        faulty[element as usize] = true;
    }
    let elements = faulty.into_iter().enumerate().map(|(index, faulty)| {
        let method = spectrum.method_name(spectrum.program.elements[index].method);
        let line = element_line(&spectrum.program, index, faulty);
        line.ok_or_else(|| unwritable(path, "method", method))
    });
    let elements = elements.collect::<Result<Vec<_>, _>>()?;
    write_whole(path, |file| {
        for (header, lines) in [("#tests", &tests), ("\n#uuts", &elements)] {
            writeln!(file, "{header}")?;
            lines.iter().try_for_each(|line| writeln!(file, "{line}"))?;
        }
        writeln!(file, "\n#matrix")?;
        for test in 0..tests.len() as u32 {
            let mut space = "";
            for element in spectrum.coverage.elements(TestId(test)) {
                write!(file, "{space}{element} 1")?;
                space = " ";
            }
            writeln!(file)?;
        }
        Ok(())
    })
}

fn is_header(line: &str) -> bool {
    HEADERS.contains(&line.trim_end())
}

struct Reader<'a> {
    path: &'a Path,
    lines: Peekable<Enumerate<Lines<'a>>>,
}

impl<'a> Reader<'a> {
    fn bad(&self, line: usize, expected: impl Into<String>, found: impl Into<String>) -> FileError {
        bad_line(self.path, line, expected, found, DAMAGED)
    }

    fn next_filled(&mut self) -> Option<(usize, &'a str)> {
        let next = self.lines.find(|(_, line)| !line.trim().is_empty());
        next.map(|(index, line)| (index + 1, line))
    }

    /// The next line of a section, which ends with an empty line or the next section's name.
    fn next_in_section(&mut self) -> Option<(usize, &'a str)> {
        let inside = |line: &str| !line.trim().is_empty() && !is_header(line);
        let next = self.lines.next_if(|(_, line)| inside(line));
        next.map(|(index, line)| (index + 1, line))
    }

    fn tests(&mut self) -> Result<Vec<Test>> {
        let mut tests = Vec::new();
        let mut known = HashMap::new();
        while let Some((number, line)) = self.next_in_section() {
            let (name, outcome) = parse_test(line).ok_or_else(|| {
                let expected = "a test's name and PASSED, FAILED or ERROR";
                self.bad(number, expected, quoted(line))
            })?;
            if let Some(first) = known.insert(name, number) {
                let found = format!("{} again, first on line {first}", quoted(name));
                let hint = "give every test a name of its own, e.g. with its class or parameters";
                return Err(self.bad(number, "each test once", found).hint(hint));
            }
            tests.push(judged_test(name, outcome));
        }
        if tests.is_empty() {
            let expected = "one test per line after #tests";
            return Err(FileError::bad(self.path, expected, "no test").hint(DAMAGED));
        }
        Ok(tests)
    }

    fn elements(&mut self) -> Result<(Program, Option<Fault>)> {
        let mut program = ProgramBuilder::default();
        let mut fault = Fault::default();
        let mut known = HashMap::new();
        let mut lines = Vec::new();
        while let Some((number, line)) = self.next_in_section() {
            let uut = parse_uut(line).ok_or_else(|| {
                let expected = "an element, with a line number up to 4294967295 and a fault id \
                                after ` | ` if it has these";
                self.bad(number, expected, quoted(line))
            })?;
            if let Some(first) = known.insert(uut.name, number) {
                let found = format!("{} again, first on line {first}", quoted(uut.name));
                let hint = "give every element a name of its own, e.g. with its line";
                return Err(self.bad(number, "each element once", found).hint(hint));
            }
            lines.push(uut);
        }
        if lines.is_empty() {
            let expected = "one element per line after #uuts";
            return Err(FileError::bad(self.path, expected, "no element").hint(DAMAGED));
        }
        // Labels are for all elements or none.
        let labelled = lines.iter().any(|uut| uut.line.is_none());
        for (index, uut) in lines.into_iter().enumerate() {
            let method = program.method(&uut.method, || uut.file());
            let label = labelled.then(|| uut.name.to_owned());
            program.element(method, uut.line_at(index), label);
            if uut.faulty {
                fault.elements.push(index as u32);
                fault.methods.push(method);
            }
        }
        let fault = (!fault.elements.is_empty()).then(|| known_fault(fault));
        Ok((program.finish(), fault))
    }

    fn matrix(&mut self, tests: &[Test], (program, _): &(Program, Option<Fault>)) -> Result<Rows> {
        let mut rows = Rows::new(program.elements.len() as u32);
        let mut columns = Vec::new();
        for test in tests {
            let Some((index, line)) = self.lines.next() else {
                let expected = format!("a row for each of the {} tests", tests.len());
                let found = format!("the end of the file after {} rows", rows.len());
                let error = FileError::bad(self.path, expected, found);
                return Err(error.at("#matrix").hint(DAMAGED));
            };
            let bad = |expected: String, found: String| {
                let error = FileError::bad(self.path, expected, found);
                let at = format!("line {} (test {})", index + 1, quoted(&test.name));
                error.at(at).hint(DAMAGED)
            };
            columns.clear();
            let mut words = line.split_ascii_whitespace();
            while let Some(word) = words.next() {
                let element = line_number(word).filter(|&element| element < rows.width());
                columns.push(element.ok_or_else(|| {
                    let expected = format!("the index of an element, below {}", rows.width());
                    bad(expected, quoted(word))
                })?);
                let count = words.next();
                let runs = count.filter(|count| is_digits(count)).ok_or_else(|| {
                    let found = count.map_or("the end of the line".into(), quoted);
                    bad(format!("how often element {word} ran"), found)
                })?;
                if runs.bytes().all(|digit| digit == b'0') {
                    columns.pop();
                }
            }
            columns.sort_unstable();
            rows.push_columns(columns.iter().copied()).map_err(|_| {
                let twice = columns.windows(2).find(|pair| pair[0] == pair[1]);
                let element = twice.map_or(0, |pair| pair[0]);
                let found = format!("element {element} twice");
                bad("each element once".into(), found)
            })?;
        }
        Ok(rows)
    }
}

/// Test names may hold spaces, so the first space that an outcome follows ends the name.
fn parse_test(line: &str) -> Option<(&str, Outcome)> {
    let line = line.trim_end();
    line.match_indices(' ').find_map(|(space, _)| {
        let outcome = match line[space + 1..].split(' ').next()? {
            "PASSED" => Outcome::Pass,
            "FAILED" | "ERROR" => Outcome::Fail,
            _ => return None,
        };
        (space > 0).then_some((&line[..space], outcome))
    })
}

fn test_line(name: &str, outcome: Outcome) -> Option<String> {
    let word = match outcome {
        Outcome::Pass => "PASSED",
        Outcome::Fail => "FAILED",
    };
    let line = format!("{name} {word}");
    let good = !name.contains('\n') && parse_test(&line)?.0 == name;
    good.then_some(line)
}

/// A line of `#uuts`, understood.
struct Uut<'a> {
    /// The line without the mark of faults.
    name: &'a str,
    method: String,
    line: Option<u32>,
    faulty: bool,
}

fn parse_uut(text: &str) -> Option<Uut<'_>> {
    let text = text.trim_end();
    if text.ends_with(" |") {
        return None;
    }
    let (name, faulty) = match text.split_once(" | ") {
        Some((name, _)) => (name, true),
        None => (text, false),
    };
    let (qualified, line) = match name.rsplit_once(':') {
        Some((qualified, line)) if is_digits(line) => (qualified, Some(line_number(line)?)),
        _ => (name, None),
    };
    let method = match qualified.split_once(':') {
        Some((path, method)) if !path.is_empty() && !method.is_empty() && !method.contains(':') => {
            let is_path = path.contains(['/', '\\']);
            let joint = if is_path { "::" } else { "#" };
            format!("{path}{joint}{method}")
        }
        _ => qualified.to_owned(),
    };
    (!method.is_empty()).then_some(Uut {
        name,
        method,
        line,
        faulty,
    })
}

impl Uut<'_> {
    /// The line, or the element's number in order where it has none.
    fn line_at(&self, index: usize) -> u32 {
        self.line.unwrap_or(index as u32 + 1)
    }

    fn file(&self) -> String {
        let method = &self.method;
        // `file:line`: no method is named, only the file.
        if self.line.is_some() && !method.contains(['#', '(']) && !method.contains("::") {
            return method.clone();
        }
        file_of_method(method).to_owned()
    }
}

/// The line of `#uuts` that reads back as this element, best one that FLITSR can split, too.
fn element_line(program: &Program, index: usize, faulty: bool) -> Option<String> {
    let element = program.elements[index];
    let (method, line) = (&program.methods[element.method.index()].name, element.line);
    let split = |joint: &str| {
        let (path, name) = method.split_once(joint)?;
        Some(format!("{path}:{name}:{line}"))
    };
    let names = [
        program.labels.get(index).cloned(),
        split("::"),
        split("#"),
        Some(format!("{method}:{line}")),
    ];
    names.into_iter().flatten().find_map(|name| {
        let text = format!("{name}{}", if faulty { " | 0" } else { "" });
        let uut = parse_uut(&text).filter(|uut| uut.name == name && uut.faulty == faulty)?;
        let same = &uut.method == method && uut.line_at(index) == line;
        let one_line = !text.contains('\n') && !is_header(&text) && !text.trim().is_empty();
        (same && one_line).then_some(text)
    })
}
