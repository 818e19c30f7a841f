//! What each test ran, file by file, for formats of lines that can be written.

use fdc_case::{FileError, Result};
use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use std::collections::BTreeMap;
use std::path::Path;

use crate::text::{MAX_LINE, unwritable};

/// The lines of a program, ready to be laid out per test.
pub(crate) struct TestLines<'s> {
    spectrum: &'s Spectrum,
    /// Per file: by line, its elements, and the method of the first.
    files: Vec<BTreeMap<u32, (Vec<u32>, u32)>>,
    /// Per element, how many tests ran it.
    hits: Vec<u32>,
}

/// A file as a test, or all of them, ran it.
pub(crate) struct FileLines {
    /// Its index in the program.
    pub file: usize,
    pub path: String,
    /// In ascending order.
    pub lines: Vec<RunLine>,
    /// In the order of their first lines.
    pub functions: Vec<FunctionSpan>,
}

pub(crate) struct RunLine {
    pub number: u32,
    pub ran: bool,
    /// Tests that ran it, of those that are told of.
    pub hits: u32,
    pub method: u32,
}

pub(crate) struct FunctionSpan {
    pub method: u32,
    /// Without the file.
    pub name: String,
    pub first: u32,
    pub last: u32,
}

impl<'s> TestLines<'s> {
    /// Of a spectrum that is to be written to `path`; what a format of lines cannot hold is an error.
    pub(crate) fn of(spectrum: &'s Spectrum, path: &Path) -> Result<Self> {
        let program = &spectrum.program;
        if spectrum.tests.is_empty() || program.elements.is_empty() {
            let (tests, elements) = (spectrum.tests.len(), program.elements.len());
            let found = format!("{tests} tests and {elements} elements");
            let error = FileError::bad(path, "a test and an element to write", found);
            return Err(error.hint("the dataset and case formats hold empty matrices"));
        }
        for file in &program.files {
            plain(path, "file", file, |name| !name.is_empty())?;
        }
        for method in &program.methods {
            plain(path, "method", &method.name, |_| true)?;
        }
        let mut files = vec![BTreeMap::new(); program.files.len()];
        for (element, id) in program.elements.iter().zip(0u32..) {
            if !(1..=MAX_LINE).contains(&element.line) {
                let expected = format!("lines from 1 to {MAX_LINE}");
                let error = FileError::bad(path, expected, format!("line {}", element.line));
                return Err(error.hint("the dataset and case formats hold any line"));
            }
            let file = program.methods[element.method.index()].file as usize;
            let known = files[file].entry(element.line);
            let (elements, _) = known.or_insert((Vec::new(), element.method.0));
            elements.push(id);
        }
        let mut hits = vec![0; program.elements.len()];
        for test in spectrum.coverage.tests() {
            for element in spectrum.coverage.elements(test) {
                hits[element as usize] += 1;
            }
        }
        Ok(TestLines {
            spectrum,
            files,
            hits,
        })
    }

    /// The files that a test ran a line of; so that nothing is lost, those that no test ran come with the
    /// first test, and a test that ran nothing has a file.
    pub(crate) fn files_of(&self, test: TestId) -> Vec<FileLines> {
        let row = self.spectrum.coverage.elements(test);
        let ran = |element: u32| row.binary_search(&element).is_ok();
        let touched = |file: &usize| {
            let mut elements = self.files[*file].values().flat_map(|(own, _)| own);
            elements.any(|&element| ran(element))
        };
        let unrun = |file: &usize| {
            let mut elements = self.files[*file].values().flat_map(|(own, _)| own);
            test.0 == 0 && elements.all(|&element| self.hits[element as usize] == 0)
        };
        let known = (0..self.files.len()).filter(|&file| !self.files[file].is_empty());
        let mut files: Vec<usize> = known.clone().filter(|f| touched(f) || unrun(f)).collect();
        if files.is_empty() {
            files.extend(known.take(1));
        }
        let files = files.into_iter();
        let file = |file| self.file(file, |element| u32::from(ran(element)));
        files.map(file).collect()
    }

    /// All files, with what all tests ran.
    pub(crate) fn merged(&self) -> Vec<FileLines> {
        let known = (0..self.files.len()).filter(|&file| !self.files[file].is_empty());
        let file = |file| self.file(file, |element| self.hits[element as usize]);
        known.map(file).collect()
    }

    fn file(&self, file: usize, hits: impl Fn(u32) -> u32) -> FileLines {
        let program = &self.spectrum.program;
        let path = &program.files[file];
        let mut spans: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        let lines = self.files[file]
            .iter()
            .map(|(&number, (elements, method))| {
                let span = spans.entry(*method).or_insert((number, number));
                span.1 = number;
                let hits = elements.iter().map(|&element| hits(element)).max();
                let hits = hits.unwrap_or(0);
                RunLine {
                    number,
                    ran: hits > 0,
                    hits,
                    method: *method,
                }
            });
        let lines: Vec<RunLine> = lines.collect();
        // Readers take the first line of a Python function for that of its `def`.
        let above = u32::from(path.ends_with(".py"));
        let functions = spans.into_iter().map(|(method, (first, last))| {
            let name = &program.methods[method as usize].name;
            let inside = name.split_once("::").map(|(_, inside)| inside);
            let name = inside.filter(|_| path.contains(['/', '.'])).unwrap_or(name);
            FunctionSpan {
                method,
                name: name.to_owned(),
                first: (first - above).max(1),
                last,
            }
        });
        let mut functions: Vec<FunctionSpan> = functions.collect();
        functions.sort_by_key(|function| (function.first, function.method));
        FileLines {
            file,
            path: path.clone(),
            lines,
            functions,
        }
    }
}

/// A name of one line without blanks around it, which is as it should be otherwise.
pub(crate) fn plain(
    path: &Path,
    what: &str,
    name: &str,
    right: impl Fn(&str) -> bool,
) -> Result<()> {
    let fits = name.trim() == name && !name.contains(char::is_control) && right(name);
    match fits {
        true => Ok(()),
        false => Err(unwritable(path, what, name)),
    }
}
