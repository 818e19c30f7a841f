//! manifest — a list of coverage files, one per test, with outcomes.
//!
//! ```text
//! test,outcome,path
//! tests/test_cart.py::test_add,pass,cov/add.info
//! tests/test_cart.py::test_sum,fail,cov/sum.info
//! ```
//! Comma-separated, the header as shown. The outcome is pass, fail, error (a failure too), skip
//! (the test is left out) or empty (unknown). Paths are relative to the manifest, and lead to files
//! below its folder or below `--source`; each may be of any format that holds lines. A test may stand
//! in several rows: its lines are united.

use std::path::{Path, PathBuf};

use crate::input::{InputSample, read_bytes};
use crate::text::{bad_line, csv_records, quoted, utf8};
use crate::{FORMATS, Format, Reader};
use fdc_case::recording::Judgement;
use fdc_case::{FileError, Result, refuse_special_file, write_whole};
use fdc_core::spectrum::Outcome;

pub(crate) const MANIFEST: Format = Format {
    name: "manifest",
    summary: "list test,outcome,path of coverage files, one per test",
    detect: detect_manifest,
    reader: Reader::Listing(manifest),
    endings: &[],
    write: None,
    source: include_str!("listing.rs"),
};

pub(crate) const FOLDER: Format = Format {
    name: "folder",
    summary: "folder of coverage files named after the tests, one per test",
    detect: |sample| sample.is_folder,
    reader: Reader::Listing(folder),
    endings: &[],
    write: None,
    source: FOLDER_MANUAL,
};

const FOLDER_MANUAL: &str = "\
//! folder — a folder of coverage files, each named after its test.
//!
//! ```text
//! cov/TestCart/adds.info
//! cov/TestCart/sums.info
//! ```
//! The name of a test is the file's, without its ending; folders inside the folder stand before it,
//! separated by `/`: here `TestCart/adds` and `TestCart/sums`. Each file may be of any format that
//! holds lines. Files whose names start with a dot, pipes and devices are passed over. Outcomes come from JUnit
//! reports (`--outcomes`) or from `--failed`. A folder with a `manifest.csv` is read by that manifest.
";

/// The manifest of a folder that was written by us.
pub(crate) const MANIFEST_FILE: &str = "manifest.csv";

const EXAMPLE: &str = "`fdc explain manifest` shows an example";
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedFile {
    pub(crate) test: String,
    /// How it ended, if the list says.
    pub(crate) judgement: Option<Judgement>,
    pub(crate) path: PathBuf,
}

/// What a test is called if its file alone says: the file's name without its ending.
pub(crate) fn test_of_file(name: &str) -> &str {
    // Anything else after a dot is part of the test's name.
    let is_known = |ending| {
        let holds_lines = |format: &&Format| matches!(format.reader, Reader::Lines(_));
        let mut formats = FORMATS.iter().filter(holds_lines);
        formats.any(|format| format.endings.contains(&ending))
    };
    let name = name.strip_suffix(".zst").unwrap_or(name);
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && is_known(ending) => stem,
        _ => name,
    }
}

fn detect_manifest(sample: &InputSample) -> bool {
    let first_line = sample.text().lines().next().unwrap_or_default();
    let mut names = first_line.split(',').map(str::trim);
    ["test", "outcome", "path"].map(Some) == [names.next(), names.next(), names.next()]
}

/// Writes a manifest: test, outcome, path.
pub(crate) fn write_manifest(
    path: &Path,
    records: impl Iterator<Item = [String; 3]>,
) -> Result<()> {
    write_whole(path, |out| {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(["test", "outcome", "path"])?;
        for record in records {
            csv.write_record(record)?;
        }
        csv.flush()
    })
}

fn manifest(path: &Path) -> Result<Vec<ListedFile>> {
    let bytes = read_bytes(path)?;
    let text = utf8(path, &bytes)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut listed = Vec::new();
    let mut header = true;
    for record in csv_records(text).into_records() {
        let record = record.map_err(|error| {
            FileError::bad(path, "comma-separated values", error.to_string()).hint(EXAMPLE)
        })?;
        let line = record.position().map_or(0, |position| position.line());
        let line = line as usize;
        let bad = |expected: &str, found| bad_line(path, line, expected, found, EXAMPLE);
        if header {
            if record.iter().ne(["test", "outcome", "path"]) {
                let names: Vec<_> = record.iter().collect();
                let found = quoted(&names.join(","));
                return Err(bad("the header test,outcome,path", found));
            }
            header = false;
            continue;
        }
        if record.len() != 3 {
            return Err(bad("3 cells", record.len().to_string()));
        }
        let judgement = match &*record[1].to_ascii_lowercase() {
            "pass" | "passed" => Some(Judgement::Judged(Outcome::Pass)),
            "fail" | "failed" | "error" => Some(Judgement::Judged(Outcome::Fail)),
            "skip" | "skipped" => Some(Judgement::Skipped),
            "" | "unknown" => None,
            _ => {
                let expected = "the outcome pass, fail, error, skip or nothing";
                return Err(bad(expected, quoted(&record[1])));
            }
        };
        if record[0].is_empty() || record[2].is_empty() {
            let found = format!("{} and {}", quoted(&record[0]), quoted(&record[2]));
            return Err(bad("a test and a path", found));
        }
        let file = folder.join(&record[2]);
        // It would be waited for, perhaps forever.
        refuse_special_file(&file)?;
        listed.push(ListedFile {
            test: record[0].to_owned(),
            judgement,
            path: file,
        });
    }
    if listed.is_empty() {
        let found = if header { "an empty file" } else { "no test" };
        let expected = "the header test,outcome,path and a row for each test";
        return Err(FileError::bad(path, expected, found).hint(EXAMPLE));
    }
    Ok(listed)
}

pub(crate) fn folder(path: &Path) -> Result<Vec<ListedFile>> {
    let own = path.join(MANIFEST_FILE);
    if own.is_file() {
        return manifest(&own);
    }
    let mut listed = Vec::new();
    find(path, "", &mut listed)?;
    listed.sort_by(|a, b| (&a.test, &a.path).cmp(&(&b.test, &b.path)));
    if listed.is_empty() {
        let error = FileError::bad(path, "a coverage file for each test", "an empty folder");
        return Err(error.hint("`fdc explain folder` shows what it should hold"));
    }
    if let Some(pair) = listed.windows(2).find(|pair| pair[0].test == pair[1].test) {
        let names = [&pair[0].path, &pair[1].path].map(|path| path.display().to_string());
        let found = format!("{} and {}", names[0], names[1]);
        let expected = format!("one file for the test {}", quoted(&pair[0].test));
        return Err(FileError::bad(path, expected, found)
            .hint("keep one of the two, or list the files in a manifest"));
    }
    Ok(listed)
}

fn find(folder: &Path, prefix: &str, listed: &mut Vec<ListedFile>) -> Result<()> {
    let entries = std::fs::read_dir(folder).map_err(FileError::io(folder, "open it"))?;
    for entry in entries {
        let path = entry.map_err(FileError::io(folder, "list it"))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            find(&path, &format!("{prefix}{name}/"), listed)?;
        } else {
            listed.push(ListedFile {
                test: format!("{prefix}{}", test_of_file(&name)),
                judgement: None,
                path: path.clone(),
            });
        }
    }
    Ok(())
}
