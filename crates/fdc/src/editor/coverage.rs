//! Coverage as an editor's own view of it asks: by file, and by line for all tests or one.

use fdc_core::coverage::TestId;
use serde::Serialize;

use super::{Document, EditorCase};

/// What was measured of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CoveredFile {
    /// Below the project's root.
    pub path: String,
    /// Its measured lines.
    pub lines: u32,
    /// Of these, lines that a test runs.
    pub covered: u32,
    /// The tests that run a line of it, by their places in [`EditorCase::tests`].
    pub tests: Vec<u32>,
}

/// A measured line where it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CoveredLine {
    /// From 1.
    pub line: u32,
    /// The tests that run it; of one test, 0 or 1.
    pub tests: u32,
}

impl EditorCase {
    /// The files of the program that are found.
    pub fn covered_files(&self) -> Vec<CoveredFile> {
        let coverage = &self.spectrum.coverage;
        let Some(sources) = &self.roots.project else {
            return Vec::new();
        };
        let mut files = vec![CoveredFile::empty(); self.spectrum.program.files.len()];
        // By column, the files that have lines of it, with how many.
        let mut of_columns: Vec<Vec<(u32, u32)>> = vec![Vec::new(); coverage.column_count()];
        for &(file, _, element) in &self.elements {
            files[file as usize].lines += 1;
            let own = &mut of_columns[coverage.column_of(element as usize) as usize];
            match own.last_mut() {
                Some((last, lines)) if *last == file => *lines += 1,
                _ => own.push((file, 1)),
            }
        }
        let mut run = vec![false; coverage.column_count()];
        for (place, test) in (0..).zip(self.real_tests()) {
            coverage.row(test).for_each(|column| {
                let first = !std::mem::replace(&mut run[column as usize], true);
                for &(file, lines) in &of_columns[column as usize] {
                    let file = &mut files[file as usize];
                    file.covered += if first { lines } else { 0 };
                    if file.tests.last() != Some(&place) {
                        file.tests.push(place);
                    }
                }
            });
        }
        for (file, name) in files.iter_mut().zip(&self.spectrum.program.files) {
            file.path = sources.read(name).map_or_else(String::new, |own| own.path);
        }
        files.retain(|file| !file.path.is_empty() && file.lines > 0);
        files
    }

    /// The measured lines of a document where they are now, with the tests that run them; none if the
    /// document is of another version, or there is no such test.
    pub fn covered_lines(
        &self,
        document: &Document,
        test: Option<&str>,
    ) -> Option<Vec<CoveredLine>> {
        let coverage = &self.spectrum.coverage;
        let named = |name: &str| {
            let is_it = |id: &TestId| self.spectrum.test(*id).name == name;
            self.real_tests().find(is_it)
        };
        let tests: Vec<TestId> = match test {
            Some(name) => vec![named(name)?],
            None => self.real_tests().collect(),
        };
        let mut counts = vec![0; coverage.column_count()];
        for test in tests {
            let row = coverage.row(test);
            row.for_each(|column| counts[column as usize] += 1);
        }
        let mut lines: Vec<CoveredLine> = Vec::new();
        for (line, element) in document.measured_lines(self)? {
            let tests = counts[coverage.column_of(element as usize) as usize];
            match lines.last_mut() {
                Some(last) if last.line == line => last.tests = last.tests.max(tests),
                _ => lines.push(CoveredLine { line, tests }),
            }
        }
        Some(lines)
    }
}

impl CoveredFile {
    fn empty() -> Self {
        CoveredFile {
            path: String::new(),
            lines: 0,
            covered: 0,
            tests: Vec::new(),
        }
    }
}
