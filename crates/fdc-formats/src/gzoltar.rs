//! gzoltar — GZoltar's text report: a folder with `spectra.csv`, `matrix.txt` and `tests.csv`.
//!
//! - `spectra.csv`: the header `name`, then an element a line,
//!   `package$Class$Inner#method(types):line`; without a package it starts with `$`. The method
//!   becomes `package.Class$Inner#method(types)`, its file `package.Class`. Names of another form
//!   are taken as `method:line`. FLITSR's mark of a faulty element, `:1` after the line, is read.
//! - `matrix.txt`: a line a test, `0` or `1` for each element, then `+` (pass) or `-` (fail).
//! - `tests.csv`: the header `name,outcome,runtime,stacktrace`, then a line a test, in the order of
//!   the matrix, not quoted; the outcome is PASS, FAIL or ERROR (a failure too). Names may hold
//!   commas. Without this file the tests are called t0, t1, ...
//!
//! Give the folder, a folder with `sfl/txt/` in it, or one of the files; each may be
//! zstd-compressed, with or without `.zst` after its name. Written are the three files, without
//! runtimes, stack traces and marks of faults; every test needs an outcome.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Fault, Outcome, Program, ProgramBuilder, Test};

use crate::dataset::file_of_method;
use crate::input::{InputSample, open, read_bytes, read_error};
use crate::text::{
    bad_line, filled_lines, judged_test, known_fault, line_number, outcomes_to_write, quoted,
    unwritable, utf8,
};
use crate::{Format, Reader};
use fdc_case::row::push_joined;
use fdc_case::{FileError, Result, write_whole};

pub(crate) const FORMAT: Format = Format {
    name: "gzoltar",
    summary: "GZoltar's folder of spectra.csv, matrix.txt and tests.csv",
    detect,
    reader: Reader::Matrix(read),
    endings: &[""],
    write: Some(write),
    source: include_str!("gzoltar.rs"),
};

const SPECTRA: &str = "spectra.csv";
const MATRIX: &str = "matrix.txt";
const TESTS: &str = "tests.csv";
const TESTS_HEADER: &str = "name,outcome,runtime,stacktrace";
const AGAIN: &str = "the files are damaged or not of one run: make them again with GZoltar";

fn detect(sample: &InputSample) -> bool {
    if sample.is_folder {
        return folder_of(&sample.path).is_some();
    }
    let first_line = sample.text().lines().next().unwrap_or_default().trim();
    match member_name(&sample.path) {
        Some(SPECTRA) => first_line.is_empty() || first_line == "name",
        Some(TESTS) => first_line.is_empty() || first_line.starts_with("name,outcome"),
        Some(_) => first_line.bytes().all(|byte| b"01+- \t".contains(&byte)),
        None => false,
    }
}

/// Reads a report, given by its folder or one of its files.
pub fn read(path: &Path) -> Result<Spectrum> {
    std::fs::metadata(path).map_err(FileError::io(path, "open it"))?;
    let missing = |path: &Path, found: &str| {
        let expected = format!("a folder with {SPECTRA} and {MATRIX}, or one of these files");
        FileError::bad(path, expected, found)
            .hint("`fdc explain gzoltar` shows what the files look like")
    };
    let folder = folder_of(path).ok_or_else(|| missing(path, "none of them"))?;
    let required = |name: &str| {
        let found = format!("no {name}");
        member(&folder, name).ok_or_else(|| missing(&folder, &found))
    };
    let (spectra, matrix) = (required(SPECTRA)?, required(MATRIX)?);
    let tests = member(&folder, TESTS);
    let spectra_bytes = read_bytes(&spectra)?;
    let test_bytes = tests.as_deref().map(read_bytes).transpose()?;
    let lines = BufReader::with_capacity(1 << 20, open(&matrix)?);
    let tests = tests.as_deref().zip(test_bytes.as_deref());
    parse((&spectra, &spectra_bytes), (&matrix, lines), tests)
}

/// Reads a report from its files' contents; the paths are for messages.
pub fn parse(
    spectra: (&Path, &[u8]),
    matrix: (&Path, impl BufRead),
    tests: Option<(&Path, &[u8])>,
) -> Result<Spectrum> {
    let (program, fault) = parse_elements(spectra.0, utf8(spectra.0, spectra.1)?)?;
    let named = tests.map(|(path, bytes)| parse_tests(path, utf8(path, bytes)?));
    let named = named.transpose()?;
    let width = program.elements.len() as u32;
    let (rows, outcomes) = parse_matrix(matrix.0, matrix.1, width, named.as_deref())?;
    let tests = named.unwrap_or_else(|| {
        let unnamed = outcomes.into_iter().enumerate();
        let test = |(index, outcome)| judged_test(&format!("t{index}"), outcome);
        unnamed.map(test).collect()
    });
    Spectrum::new(None, program, tests, rows, fault)
        .map_err(|error| FileError::inconsistent(spectra.0, &error))
}

/// Writes the three files into a folder, made if it is not there.
pub fn write(spectrum: &Spectrum, folder: &Path) -> Result<()> {
    let outcomes = outcomes_to_write(spectrum, folder)?;
    let elements = spectrum.program.elements.iter().map(|element| {
        let method = spectrum.method_name(element.method);
        let name = element_name(method, element.line);
        name.ok_or_else(|| unwritable(folder, "method", method))
    });
    let names = elements.collect::<Result<Vec<_>, _>>()?;
    let judged = spectrum.tests.iter().zip(&outcomes);
    let tests = judged.map(|(test, &outcome)| {
        let line = test_line(&test.name, outcome);
        line.ok_or_else(|| unwritable(folder, "test", &test.name))
    });
    let tests = tests.collect::<Result<Vec<_>, _>>()?;
    let fresh = !folder.exists();
    std::fs::create_dir_all(folder).map_err(FileError::io(folder, "make the folder"))?;
    let write_lines = |name: &str, header: &str, lines: &[String]| {
        write_whole(&folder.join(name), |file| {
            writeln!(file, "{header}")?;
            lines.iter().try_for_each(|line| writeln!(file, "{line}"))
        })
    };
    let write_all = || {
        write_lines(TESTS, TESTS_HEADER, &tests)?;
        write_lines(SPECTRA, "name", &names)?;
        write_whole(&folder.join(MATRIX), |file| {
            let mut line = Vec::new();
            for (test, outcome) in outcomes.iter().enumerate() {
                line.clear();
                line.resize(names.len() * 2, b' ');
                line.iter_mut().step_by(2).for_each(|value| *value = b'0');
                for element in spectrum.coverage.elements(TestId(test as u32)) {
                    line[element as usize * 2] = b'1';
                }
                line.extend_from_slice(&[sign(*outcome), b'\n']);
                file.write_all(&line)?;
            }
            Ok(())
        })
    };
    write_all().inspect_err(|_| {
        // Best effort: the error to report is the first one.
        if fresh {
            for name in [TESTS, SPECTRA, MATRIX] {
                let _ = std::fs::remove_file(folder.join(name));
            }
            let _ = std::fs::remove_dir(folder);
        }
    })
}

/// Which of the three files a path is by its name.
fn member_name(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(".zst").unwrap_or(name);
    let mut members = [SPECTRA, MATRIX, TESTS].into_iter();
    members.find(|&known| known == name)
}

fn member(folder: &Path, name: &str) -> Option<PathBuf> {
    let paths = [folder.join(name), folder.join(format!("{name}.zst"))];
    paths.into_iter().find(|path| path.is_file())
}

fn folder_of(path: &Path) -> Option<PathBuf> {
    let folder = if path.is_dir() {
        path
    } else {
        member_name(path)?;
        path.parent()?
    };
    let places = [folder.to_owned(), folder.join("sfl").join("txt")];
    let has_some = |folder: &PathBuf| {
        let mut names = [SPECTRA, MATRIX].into_iter();
        names.any(|name| member(folder, name).is_some())
    };
    places.into_iter().find(has_some)
}

fn parse_elements(path: &Path, text: &str) -> Result<(Program, Option<Fault>)> {
    let mut lines = filled_lines(text);
    expect_header(path, lines.next(), "name")?;
    let mut program = ProgramBuilder::default();
    let mut known = HashMap::new();
    let mut fault = Fault::default();
    for (number, text) in lines {
        let place = parse_element(text).ok_or_else(|| {
            let expected = "package$Class#method(types):line, with a line up to 4294967295";
            let hint = "the file is damaged or cut off: make it again with GZoltar";
            bad_line(path, number, expected, quoted(text), hint)
        })?;
        let method = program.method(&place.method, || file_of_method(&place.method).to_owned());
        if let Some(first) = known.insert((method, place.line), number) {
            let found = format!("{} again, first on line {first}", quoted(text));
            return Err(bad_line(path, number, "each element once", found, AGAIN));
        }
        if place.faulty {
            fault.elements.push(known.len() as u32 - 1);
            fault.methods.push(method);
        }
        program.element(method, place.line, None);
    }
    if known.is_empty() {
        let expected = "one element per line after the header";
        return Err(FileError::bad(path, expected, "no element")
            .hint("GZoltar instrumented no class: check its --includes"));
    }
    let fault = (!fault.elements.is_empty()).then(|| known_fault(fault));
    Ok((program.finish(), fault))
}

fn expect_header(path: &Path, line: Option<(usize, &str)>, header: &str) -> Result<()> {
    let (number, found) = match line {
        Some((_, found)) if found.trim() == header => return Ok(()),
        Some((number, found)) => (number, quoted(found)),
        None => (1, "an empty file".to_owned()),
    };
    let expected = format!("the header {header:?}");
    let hint = "the first line must be the header that GZoltar 1.7 writes";
    Err(bad_line(path, number, expected, found, hint))
}

/// A line of `spectra.csv`, understood.
#[derive(Debug, PartialEq)]
struct Place {
    method: String,
    line: u32,
    faulty: bool,
}

fn parse_element(text: &str) -> Option<Place> {
    if let Some(place) = parse_java_element(text) {
        return Some(place);
    }
    let (method, line) = text.rsplit_once(':')?;
    if method.is_empty() {
        return None;
    }
    Some(Place {
        method: method.to_owned(),
        line: line_number(line)?,
        faulty: false,
    })
}

fn parse_java_element(text: &str) -> Option<Place> {
    let (class, rest) = text.split_once('#').filter(|(class, _)| is_class(class))?;
    // The first `$` that can end the package; further ones belong to nested classes.
    let simple = class.rfind('.').map_or(0, |dot| dot + 1);
    let dollar = simple + class[simple..].find('$')?;
    let (package, class) = (&class[..dollar], &class[dollar + 1..]);
    let dot = if package.is_empty() { "" } else { "." };
    let mut fields = rest.splitn(3, ':');
    let (method, line) = (fields.next()?, line_number(fields.next()?)?);
    Some(Place {
        method: format!("{package}{dot}{class}#{method}"),
        line,
        faulty: fields.next().is_some(),
    })
}

fn is_class(name: &str) -> bool {
    let mut letters = name.chars();
    letters.all(|c| c.is_alphanumeric() || "._$-".contains(c))
}

/// The line of `spectra.csv` that reads back as this element; GZoltar's own form if possible.
fn element_name(method: &str, line: u32) -> Option<String> {
    let java = method.split_once('#').filter(|(class, _)| is_class(class));
    let java = java.map(|(class, rest)| {
        let (package, class) = class.rsplit_once('.').unwrap_or(("", class));
        format!("{package}${class}#{rest}:{line}")
    });
    let meant = Place {
        method: method.to_owned(),
        line,
        faulty: false,
    };
    let forms = java.into_iter().chain([format!("{method}:{line}")]);
    let mut forms = forms.filter(|name| !name.contains('\n'));
    forms.find(|name| parse_element(name).as_ref() == Some(&meant))
}

fn parse_tests(path: &Path, text: &str) -> Result<Vec<Test>> {
    let mut lines = filled_lines(text);
    expect_header(path, lines.next(), TESTS_HEADER)?;
    let mut tests = Vec::new();
    let mut known = HashMap::new();
    for (number, line) in lines {
        let bad = |expected, found, hint| Err(bad_line(path, number, expected, found, hint));
        let Some((name, outcome)) = split_test(line) else {
            let expected = "name,outcome,runtime,stacktrace with the outcome PASS, FAIL or ERROR";
            let hint = "correct the outcome, or leave the test out here and in matrix.txt";
            return bad(expected, quoted(line), hint);
        };
        if name.is_empty() {
            return bad("a test's name before the first comma", quoted(line), AGAIN);
        }
        if let Some(first) = known.insert(name, number) {
            let found = format!("{} again, first on line {first}", quoted(name));
            let hint = "give every test a name of its own, e.g. with its class or parameters";
            return bad("each test once", found, hint);
        }
        tests.push(judged_test(name, outcome));
    }
    if tests.is_empty() {
        let expected = "one test per line after the header";
        return Err(FileError::bad(path, expected, "no test")
            .hint("GZoltar ran no test: check its list of test methods"));
    }
    Ok(tests)
}

/// The name and outcome of a line of `tests.csv`. Names may hold commas, so the first comma that an
/// outcome and a runtime follow ends the name.
fn split_test(line: &str) -> Option<(&str, Outcome)> {
    line.match_indices(',').find_map(|(comma, _)| {
        let mut fields = line[comma + 1..].splitn(3, ',');
        let outcome = match fields.next()?.trim_end() {
            "PASS" => Outcome::Pass,
            "FAIL" | "ERROR" => Outcome::Fail,
            _ => return None,
        };
        let mut runtime = fields.next().unwrap_or_default().trim().bytes();
        let is_number = runtime.all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        is_number.then_some((&line[..comma], outcome))
    })
}

/// The line of `tests.csv` that reads back as this test.
fn test_line(name: &str, outcome: Outcome) -> Option<String> {
    let word = match outcome {
        Outcome::Pass => "PASS",
        Outcome::Fail => "FAIL",
    };
    let line = format!("{name},{word},0,");
    let good = !name.is_empty() && !name.contains('\n') && split_test(&line)?.0 == name;
    good.then_some(line)
}

fn sign(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Pass => b'+',
        Outcome::Fail => b'-',
    }
}

/// Reads the matrix line by line: it may be far larger than the rows it becomes.
fn parse_matrix(
    path: &Path,
    mut content: impl BufRead,
    width: u32,
    named: Option<&[Test]>,
) -> Result<(Rows, Vec<Outcome>)> {
    let mut rows = Rows::new(width);
    let mut outcomes = Vec::new();
    let mut runs = Vec::new();
    let mut line = Vec::new();
    let mut number = 0;
    let mut bytes = 0;
    loop {
        line.clear();
        let length = content.read_until(b'\n', &mut line);
        match length.map_err(|error| read_error(path, bytes, error))? {
            0 => break,
            length => bytes += length as u64,
        }
        number += 1;
        let row = line.trim_ascii();
        if row.is_empty() {
            continue;
        }
        let bad = |expected: String, found| bad_line(path, number, expected, found, AGAIN);
        let (count, outcome) = parse_row(row, width, &mut runs).map_err(|(column, token)| {
            bad("0 or 1".into(), quoted(&token)).at(format_args!("line {number}, column {column}"))
        })?;
        let outcome = outcome.filter(|_| count == width as usize).ok_or_else(|| {
            let end = outcome.map_or("no sign".into(), |o| char::from(sign(o)).to_string());
            let expected = format!("{width} values, one for each element, then + or -");
            bad(expected, format!("{count} values, then {end}"))
        })?;
        if let Some(tests) = named {
            let Some(test) = tests.get(outcomes.len()) else {
                let expected = format!("the end, as {TESTS} has {} tests", tests.len());
                return Err(bad(expected, "one more row".into()));
            };
            if test.outcome != Some(outcome) {
                let name = quoted(&test.name);
                let expected = test.outcome.map_or("?", |known| match known {
                    Outcome::Pass => "+, as tests.csv says PASS",
                    Outcome::Fail => "-, as tests.csv says FAIL",
                });
                let found = char::from(sign(outcome)).to_string();
                return Err(bad(format!("{expected} of {name}"), found));
            }
        }
        let pushed = rows.push(runs.drain(..));
        pushed.map_err(|error| bad("ascending elements".into(), error.to_string()))?;
        outcomes.push(outcome);
    }
    let expected = match named {
        Some(tests) if tests.len() > outcomes.len() => {
            format!("a row for each of the {} tests of {TESTS}", tests.len())
        }
        None if outcomes.is_empty() => "a row for each test".into(),
        _ => return Ok((rows, outcomes)),
    };
    let found = format!("the end after {} rows", outcomes.len());
    Err(bad_line(path, number + 1, expected, found, AGAIN))
}

/// Reads `0 1 1 ... +` into runs of ones: the number of values, and the outcome if a sign ends the
/// row. The error is the column, from 1, and the word there.
fn parse_row(
    row: &[u8],
    width: u32,
    runs: &mut Vec<Range<u32>>,
) -> Result<(usize, Option<Outcome>), (usize, String)> {
    runs.clear();
    let (outcome, values) = match row.split_last() {
        Some((b'+', values)) => (Some(Outcome::Pass), values),
        Some((b'-', values)) => (Some(Outcome::Fail), values),
        _ => (None, row),
    };
    let mut count = 0;
    let mut at = 0;
    while at < values.len() {
        let value = match (values[at], values.get(at + 1)) {
            (b' ' | b'\t', _) => {
                at += 1;
                continue;
            }
            (value @ (b'0' | b'1'), None | Some(b' ' | b'\t')) => value,
            _ => {
                let rest = &values[at..];
                let end = rest.iter().position(|byte| b" \t".contains(byte));
                let token = &rest[..end.unwrap_or(rest.len()).min(300)];
                return Err((at + 1, String::from_utf8_lossy(token).into_owned()));
            }
        };
        if value == b'1' && count < width as usize {
            let element = count as u32;
            push_joined(runs, element..element + 1);
        }
        count += 1;
        at += 2;
    }
    Ok((count, outcome))
}
