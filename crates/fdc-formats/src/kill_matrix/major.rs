//! major — the kill map of Major, a folder: which tests fail with which mutant, for Java.
//!
//! ```text
//! killMap.csv    TestNo,MutantNo,[FAIL | TIME | EXC]
//! testMap.csv    TestNo,TestName,...                        org.x.CartTest[adds]
//! mutants.log    12:AOR:+(int,int):-(int,int):org.x.Cart@add(int,int):31:a + b |==> a - b
//! covMap.csv     TestNo,MutantNo                            may be left out
//! kill.csv       MutantNo,[FAIL | TIME | EXC | LIVE]        may be left out
//! ```
//! Major writes killMap.csv if it is told to export the kill map (`exportKillMap="true"`). Without,
//! there is only kill.csv, which does not tell which tests fail, and is refused. Give the folder, or one
//! of the files in it.
//!
//! A mutant with a row in the kill map is killed, or hung if all its rows say TIME; all others survived.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use fdc_case::mutants::Fate;
use fdc_case::{FileError, Result};
use fdc_core::evidence::FailureRecord;

use super::{ForeignMutant, ForeignPlace, Identity, KillMatrix};
use crate::input::{InputSample, read_bytes};
use crate::text::{
    DAMAGED, MAX_LINE, bad_line, csv_records, filled_lines, line_number, quoted, utf8,
};
use crate::{Format, Reader};

pub(crate) const FORMAT: Format = Format {
    name: "major",
    summary: "folder with Major's kill map: mutants, for --mutants",
    detect,
    reader: Reader::Mutants(read),
    endings: &[],
    write: None,
    source: include_str!("major.rs"),
};

const KILLS: &str = "killMap.csv";
const TESTS: &str = "testMap.csv";
const COVERED: &str = "covMap.csv";
const MUTANTS: &str = "mutants.log";
const KILLED_ONLY: &str = "kill.csv";
const BECOMES: &str = "|==>";
const EXPORT: &str = "let Major export the kill map, with exportKillMap=\"true\", and run it again";

fn detect(sample: &InputSample) -> bool {
    if sample.is_folder {
        let has = |name| member(&sample.path, name).is_some();
        return has(KILLS) || has(KILLED_ONLY) && has(MUTANTS);
    }
    let first = sample.text().lines().next().unwrap_or_default();
    let is_log = first.contains(BECOMES) && first.split(':').count() > 4;
    ["TestNo,", "MutantNo,"]
        .iter()
        .any(|head| first.starts_with(head))
        || is_log
}

/// Reads the folder that a path is or is in.
pub fn read(path: &Path) -> Result<KillMatrix> {
    if !path.is_dir() {
        std::fs::File::open(path).map_err(FileError::io(path, "open it"))?;
    }
    let folder = match path.is_dir() {
        true => path,
        false => match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        },
    };
    let optional = |name: &str| {
        let path = member(folder, name);
        path.map(|path| Ok((read_bytes(&path)?, path))).transpose()
    };
    let Some((kills, kills_path)) = optional(KILLS)? else {
        let expected = format!("{KILLS}, the tests that fail with each mutant");
        let found = match member(folder, KILLED_ONLY) {
            Some(_) => "kill.csv, which only tells that some test failed",
            None => "none",
        };
        return Err(FileError::bad(path, expected, found).hint(EXPORT));
    };
    let required = |name: &str, what: &str| {
        optional(name)?.ok_or_else(|| {
            let error = FileError::bad(path, format!("{name}, {what}"), "none");
            error.hint("put it beside the kill map: Major writes both")
        })
    };
    let (tests, tests_path) = required(TESTS, "the names of the tests")?;
    let (mutants, mutants_path) = required(MUTANTS, "what the mutants are")?;
    let covered = optional(COVERED)?;
    let covered = covered.as_ref().map(|(bytes, path)| (&**path, &**bytes));
    parse(
        (&kills_path, &kills),
        (&tests_path, &tests),
        (&mutants_path, &mutants),
        covered,
    )
}

type Member<'m> = (&'m Path, &'m [u8]);

/// Reads the files' bytes; the paths are for messages.
pub fn parse(
    kills: Member<'_>,
    tests: Member<'_>,
    mutants: Member<'_>,
    covered: Option<Member<'_>>,
) -> Result<KillMatrix> {
    let mut matrix = KillMatrix::default();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for (_, row) in rows(tests)? {
        let name = matrix.test(&test_name(&row[1]));
        numbers.insert(row[0].clone(), name);
    }
    let mut failed: HashMap<String, Vec<(usize, bool)>> = HashMap::new();
    for (line, row) in rows(kills)? {
        let Some(&test) = numbers.get(&row[0]) else {
            let expected = format!("the number of a test of {TESTS}");
            return Err(bad_line(kills.0, line, expected, quoted(&row[0]), DAMAGED));
        };
        let hung = row.get(2).is_some_and(|reason| reason.starts_with("TIME"));
        failed.entry(row[1].clone()).or_default().push((test, hung));
    }
    let mut run_by: HashMap<String, u32> = HashMap::new();
    for (_, row) in covered.map_or(Ok(Vec::new()), rows)? {
        *run_by.entry(row[1].clone()).or_default() += 1;
    }
    let text = utf8(mutants.0, mutants.1)?;
    for (number, line) in filled_lines(text) {
        let (id, mut mutant) = mutant(line).ok_or_else(|| {
            let expected = "number:operator:from:to:class@method:line:before |==> after";
            bad_line(mutants.0, number, expected, quoted(line), DAMAGED)
        })?;
        let rows = failed.remove(id).unwrap_or_default();
        mutant.fate = match rows.is_empty() {
            true => Fate::Survived,
            false if rows.iter().all(|&(_, hung)| hung) => Fate::Hung,
            false => Fate::Killed,
        };
        let kill = |(test, _)| (test, FailureRecord::default());
        mutant.kills = rows.into_iter().map(kill).collect();
        mutant.tests = covered.map(|_| run_by.get(id).copied().unwrap_or(0));
        matrix.mutants.push(mutant);
    }
    if let Some(number) = failed.keys().min() {
        let expected = format!("the numbers of mutants of {MUTANTS}");
        return Err(FileError::bad(kills.0, expected, quoted(number)).hint(DAMAGED));
    }
    Ok(matrix)
}

/// The rows after the header, numbered by line; each has two cells or more.
fn rows((path, bytes): Member<'_>) -> Result<Vec<(usize, Vec<String>)>> {
    let text = utf8(path, bytes)?;
    let mut rows = Vec::new();
    for record in csv_records(text).records() {
        let record = record.map_err(|error| {
            let error = FileError::bad(path, "comma-separated cells", error.to_string());
            error.hint(DAMAGED)
        })?;
        let line = record.position().map_or(0, |place| place.line() as usize);
        let cells: Vec<String> = record.iter().map(str::to_owned).collect();
        if cells.len() < 2 {
            let found = quoted(&cells.join(","));
            return Err(bad_line(path, line, "two cells or more", found, DAMAGED));
        }
        let is_header = rows.is_empty() && !cells[0].starts_with(|c: char| c.is_ascii_digit());
        if !is_header {
            rows.push((line, cells));
        }
    }
    Ok(rows)
}

/// A line of the log: its number, and what it says.
fn mutant(line: &str) -> Option<(&str, ForeignMutant)> {
    let mut parts = line.splitn(7, ':');
    let (id, operator) = (parts.next()?, parts.next()?);
    let (unit, line) = (parts.nth(2)?, line_number(parts.next()?)?);
    let (before, after) = parts.next()?.split_once(BECOMES)?;
    // Newer versions put the place in the file between.
    let before = match before.split_once(':') {
        Some((place, rest)) if line_number(place.trim()).is_some() => rest,
        _ => before,
    };
    let (class, method) = match unit.split_once('@') {
        Some((class, method)) => (class, method.split('(').next()),
        None => (unit, None),
    };
    let mutant = ForeignMutant {
        place: ForeignPlace {
            class: Some(class.to_owned()),
            file: None,
            method: method.map(str::to_owned),
            line,
        },
        mutator: operator.to_owned(),
        original: before.trim().to_owned(),
        replacement: after.trim().to_owned(),
        identity: Identity::Key(id.to_owned()),
        fate: Fate::Survived,
        tests: None,
        kills: Vec::new(),
    };
    (line <= MAX_LINE).then_some((id, mutant))
}

/// `org.x.CartTest[adds]` is `org.x.CartTest#adds`.
fn test_name(text: &str) -> String {
    match text.strip_suffix(']').and_then(|own| own.split_once('[')) {
        Some((class, method)) => format!("{class}#{method}"),
        None => text.to_owned(),
    }
}

/// A file of the folder, in any case: versions differ.
fn member(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    entries.sort();
    entries.into_iter().find(|path| {
        let own = path.file_name().unwrap_or_default().to_string_lossy();
        own.eq_ignore_ascii_case(name) && path.is_file()
    })
}
