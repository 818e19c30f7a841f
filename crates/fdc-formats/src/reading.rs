//! Several inputs read together: coverage of one test or of many, lists of files, outcomes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use fdc_core::Spectrum;

use crate::input::{InputSample, read_bytes};
use crate::kill_matrix::misplaced;
use crate::line_matrix::{LineMatrix, TestIndex};
use crate::listing::{self, ListedFile, test_of_file};
use crate::outcomes::{Joined, TestResult, join};
use crate::project::Project;
use crate::text::quoted;
use crate::{Format, LinesReader, Reader, detect, recognise};
use fdc_case::recording::Judgement;
use fdc_case::{Case, FileError, Result, fenced, special_file};

/// What was read, and what a person should know about it.
#[derive(Debug)]
pub struct Reading {
    /// The matrix.
    pub spectrum: Spectrum,
    /// The case file it was read from, open.
    pub case: Option<Case>,
    /// Notes, a sentence each.
    pub notes: Vec<String>,
}

/// A file with the lines that one test ran, or several.
#[derive(Debug)]
pub struct LinesInput<'a> {
    /// The file.
    pub path: &'a Path,
    /// The test, where the file does not name its tests.
    pub test: &'a str,
    /// Whether a manifest or a folder says that all of it is of this one test.
    pub listed: bool,
}

impl LinesInput<'_> {
    /// The file's bytes, decompressed.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>> {
        read_bytes(self.path)
    }

    /// The test that the file calls so; `""` where it gives no name.
    pub(crate) fn test_named(&self, matrix: &mut LineMatrix<'_>, own_name: &str) -> TestIndex {
        let unnamed = self.listed || own_name.is_empty();
        matrix.test(if unnamed { self.test } else { own_name })
    }

    /// A file that a list gives to one test names at most one.
    pub(crate) fn check_tests(&self, own_names: usize) -> Result<()> {
        if !self.listed || own_names <= 1 {
            return Ok(());
        }
        let expected = format!("the coverage of one test, {}", quoted(self.test));
        let error = FileError::bad(self.path, expected, format!("that of {own_names} tests"));
        Err(error.hint("give the file itself instead of a manifest or folder"))
    }
}

/// Reads inputs that belong together, each recognised by content unless `from` says what they are.
pub fn read_inputs(
    inputs: &[PathBuf],
    from: Option<&Format>,
    outcomes: &[PathBuf],
    project: &Project,
) -> Result<Reading> {
    let first = inputs.first().map_or(Path::new(""), |path| path);
    let mut gathered = Inputs {
        matrix: LineMatrix::new(project),
        results: Vec::new(),
        files_of_tests: HashMap::new(),
        coverage_files: 0,
    };
    for path in outcomes {
        gathered.add_outcomes(path)?;
    }
    for path in inputs {
        let format = from.map_or_else(|| detect(path), Ok)?;
        if let Reader::Matrix(read) = format.reader {
            return gathered.whole_matrix(path, format, read, inputs);
        }
        gathered.add(path, format)?;
    }
    if gathered.coverage_files == 0 {
        return Err(FileError::bad(first, "coverage", "outcomes of tests alone")
            .hint("give the coverage as well; `fdc list formats` shows what is read"));
    }
    gathered.finish(first)
}

/// Formats that do not tell where they end: a file that was cut off between two lines looks whole, so
/// what was read of it is told.
const ENDLESS: [&str; 2] = [crate::tcm::FORMAT.name, crate::csv_matrix::FORMAT.name];

struct Inputs<'p> {
    matrix: LineMatrix<'p>,
    results: Vec<TestResult>,
    /// Which file a test was named after, so that no two are.
    files_of_tests: HashMap<String, PathBuf>,
    coverage_files: usize,
}

impl Inputs<'_> {
    fn add(&mut self, path: &Path, format: &Format) -> Result<()> {
        match format.reader {
            Reader::Matrix(_) => Err(one_matrix(path, format)),
            Reader::Mutants(_) => {
                // A missing file has its own message.
                InputSample::of(path)?;
                Err(misplaced(path, format))
            }
            Reader::Outcomes(read) => {
                self.results.extend(fenced(path, || read(path))?);
                Ok(())
            }
            Reader::Listing(list) => {
                let listed = list(path)?;
                if !path.is_dir() {
                    self.check_inside(path, &listed)?;
                }
                self.add_listed(&listed, None)
            }
            Reader::Lines(_) if path.is_dir() => {
                self.add_listed(&listing::folder(path)?, Some(format))
            }
            Reader::Lines(read) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let test = test_of_file(&name);
                let before = self.matrix.tests.len();
                self.add_lines(path, test, false, read)?;
                let named_after_file = self.matrix.tests[before..].iter().any(|t| t.name == test)
                    || self.files_of_tests.contains_key(test);
                let note = || self.files_of_tests.insert(test.to_owned(), path.to_owned());
                let Some(known) = named_after_file.then(note).flatten() else {
                    return Ok(());
                };
                let found = format!("{} as well", known.display());
                let expected = format!("one file for the test {}", quoted(test));
                Err(FileError::bad(path, expected, found)
                    .hint("name the tests in a manifest: `fdc explain manifest`"))
            }
        }
    }

    fn add_lines(
        &mut self,
        path: &Path,
        test: &str,
        listed: bool,
        read: LinesReader,
    ) -> Result<()> {
        self.coverage_files += 1;
        let input = LinesInput { path, test, listed };
        fenced(path, || read(&input, &mut self.matrix))
    }

    /// A manifest names files of the project or beside itself, and no others: it may come from
    /// anybody.
    fn check_inside(&self, manifest: &Path, files: &[ListedFile]) -> Result<()> {
        let folder = manifest.parent().unwrap_or(manifest);
        let folder = Path::new(".").join(folder).canonicalize().ok();
        let root = self.matrix.project().root.canonicalize().ok();
        let allowed: Vec<PathBuf> = folder.into_iter().chain(root).collect();
        // What is not there has its own message.
        let real = |file: &ListedFile| file.path.canonicalize().ok();
        let is_outside = |path: &PathBuf| !allowed.iter().any(|folder| path.starts_with(folder));
        let Some(outside) = files.iter().filter_map(real).find(is_outside) else {
            return Ok(());
        };
        let expected = "files below its own folder or the project's root";
        let error = FileError::bad(manifest, expected, outside.display().to_string());
        Err(error.hint("move the files there, or name the project's root with --source"))
    }

    /// What is no plain file would be waited for, perhaps forever.
    fn passes_over(&mut self, path: &Path) -> bool {
        let kind = special_file(path);
        if let Some(kind) = kind {
            self.matrix
                .note(format!("{} is {kind}: it is passed over", path.display()));
        }
        kind.is_some()
    }

    fn add_listed(&mut self, files: &[ListedFile], forced: Option<&Format>) -> Result<()> {
        for file in files {
            if file.judgement == Some(Judgement::Skipped) || self.passes_over(&file.path) {
                continue;
            }
            let format = forced.map_or_else(|| detect(&file.path), Ok)?;
            match format.reader {
                Reader::Lines(read) => {
                    let test = self.matrix.test(&file.test);
                    self.add_lines(&file.path, &file.test, true, read)?;
                    if let Some(judgement) = file.judgement {
                        self.matrix.judge(test, judgement);
                    }
                }
                Reader::Outcomes(read) => {
                    let path = &file.path;
                    self.results.extend(fenced(path, || read(path))?);
                }
                Reader::Mutants(_) => return Err(misplaced(&file.path, format)),
                Reader::Matrix(_) | Reader::Listing(_) => {
                    let found = format!("format {}", format.name);
                    let expected = format!("the coverage of one test, {}", quoted(&file.test));
                    return Err(FileError::bad(&file.path, expected, found)
                        .hint("give this file itself to fdc"));
                }
            }
        }
        Ok(())
    }

    fn add_outcomes(&mut self, path: &Path) -> Result<()> {
        if path.is_dir() {
            let listed = listing::folder(path)?;
            for file in listed {
                if !self.passes_over(&file.path) {
                    self.add_outcomes(&file.path)?;
                }
            }
            return Ok(());
        }
        let known = recognise(path).map(|format| format.reader);
        let results = match known {
            Ok(Reader::Outcomes(read)) => fenced(path, || read(path))?,
            // Its message says what was expected.
            _ => crate::junit::parse(path, &read_bytes(path)?)?,
        };
        self.results.extend(results);
        Ok(())
    }

    /// An input that is a matrix of its own takes outcomes, and nothing else beside it.
    fn whole_matrix(
        mut self,
        path: &Path,
        format: &Format,
        read: fn(&Path) -> Result<Spectrum>,
        inputs: &[PathBuf],
    ) -> Result<Reading> {
        for other in inputs.iter().filter(|other| *other != path) {
            let beside = detect(other)?;
            match beside.reader {
                Reader::Outcomes(read) => self.results.extend(fenced(other, || read(other))?),
                Reader::Mutants(_) => return Err(misplaced(other, beside)),
                _ => return Err(one_matrix(path, format)),
            }
        }
        if inputs.iter().filter(|other| *other == path).count() > 1 {
            return Err(one_matrix(path, format));
        }
        let case = (format.name == crate::case::FORMAT.name).then(|| Case::open(path));
        let case = case.transpose()?;
        let mut spectrum = match &case {
            Some(case) => case.spectrum()?,
            None => fenced(path, || read(path))?,
        };
        let names: Vec<&str> = spectrum.tests.iter().map(|test| &*test.name).collect();
        let joined = join(&names, &self.results)?;
        for (test, told) in joined.judged {
            let test = &mut spectrum.tests[test];
            test.flaky |= told.flaky;
            test.outcome = told.judgement.outcome();
            test.failure = told.failure;
        }
        let mut notes = joined.notes;
        if ENDLESS.contains(&format.name) {
            let (tests, lines) = (spectrum.tests.len(), spectrum.program.elements.len());
            let path = path.display();
            notes.push(format!(
                "{path}: {tests} tests and {lines} elements were read"
            ));
        }
        if let Some(case) = &case {
            notes.extend(case.interruption()?);
        }
        Ok(Reading {
            spectrum,
            case,
            notes,
        })
    }

    fn finish(mut self, path: &Path) -> Result<Reading> {
        let names: Vec<&str> = self.matrix.tests.iter().map(|test| &*test.name).collect();
        let Joined { judged, notes } = join(&names, &self.results)?;
        for note in notes {
            self.matrix.note(note);
        }
        for (test, told) in judged {
            self.matrix.judge(TestIndex(test), told.judgement);
            self.matrix.tests[test].flaky |= told.flaky;
            self.matrix.tests[test].failure = told.failure;
        }
        if self.matrix.tests.len() == 1 {
            let name = quoted(&self.matrix.tests[0].name);
            self.matrix.note(format!(
                "the coverage is of one test, {name}: give one file per test, or a format that names its tests"
            ));
        }
        let (spectrum, notes) = self.matrix.finish(path)?;
        if spectrum.program.elements.is_empty() {
            let found = format!("none in the coverage of {} tests", spectrum.tests.len());
            let error = FileError::bad(path, "a line of code that is not a test's", found);
            let hint = "measure the code under test; --include-tests counts test code as well";
            return Err(error.hint(hint));
        }
        Ok(Reading {
            spectrum,
            case: None,
            notes,
        })
    }
}

fn one_matrix(path: &Path, format: &Format) -> FileError {
    let found = format!("format {}, which is a matrix of its own", format.name);
    FileError::bad(path, "coverage that can be joined with other files", found)
        .hint("give this file alone, or with reports of outcomes")
}
