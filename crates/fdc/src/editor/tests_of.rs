//! Which tests run a function, or a line.

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use serde::Serialize;

use super::{EditorCase, EditorTest, fails, is_real};

/// How many tests run something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RunBy {
    pub(super) tests: u32,
    /// Of these, failing ones.
    pub(super) failing: u32,
}

/// Whose tests are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestsOf {
    /// A method, by its name.
    Method(String),
    /// A measured line of a file below the project's root.
    Line(String, u32),
    /// These, by their names.
    Named(Vec<String>),
}

/// Tests with what is known of them, the failing ones first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestList {
    /// What they have in common.
    pub title: String,
    /// In the order of the case, but for the failing ones.
    pub tests: Vec<EditorTest>,
}

/// By method, in one pass over the coverage.
pub(super) fn run_by(spectrum: &Spectrum) -> Vec<RunBy> {
    let coverage = &spectrum.coverage;
    let methods = coverage.methods();
    let mut of_columns: Vec<Vec<u32>> = vec![Vec::new(); coverage.column_count()];
    for (&method, columns) in methods.units().iter().zip(methods.iter()) {
        for &(column, _) in columns {
            of_columns[column as usize].push(method);
        }
    }
    let mut run_by = vec![RunBy::default(); spectrum.program.methods.len()];
    let mut last = vec![None; run_by.len()];
    for test in coverage.tests() {
        if !is_real(spectrum.test(test).origin.as_deref()) {
            continue;
        }
        let fails = u32::from(fails(spectrum, test));
        coverage.row(test).for_each(|column| {
            for &method in &of_columns[column as usize] {
                let method = method as usize;
                if last[method].replace(test) != Some(test) {
                    run_by[method].tests += 1;
                    run_by[method].failing += fails;
                }
            }
        });
    }
    run_by
}

impl EditorCase {
    /// The tests that run something; none if the case does not know it.
    pub fn tests_of(&self, what: &TestsOf) -> Option<TestList> {
        let (title, mut tests) = match what {
            TestsOf::Method(name) => {
                let methods = &self.spectrum.program.methods;
                let method = methods.iter().position(|method| method.name == *name)? as u32;
                let elements = (0..).zip(&self.spectrum.program.elements);
                let own = elements.filter(|(_, element)| element.method.0 == method);
                let tests = self.that_run(own.map(|(number, _)| number));
                (format!("Tests that run {name}"), tests)
            }
            TestsOf::Line(path, line) => {
                let files = self.files_of(path);
                let tests = self.that_run_line(&files, *line)?;
                (format!("Tests that run {path}:{line}"), tests)
            }
            TestsOf::Named(names) => {
                let named = |test: &TestId| names.contains(&self.spectrum.test(*test).name);
                (
                    "Tests".to_owned(),
                    self.real_tests().filter(named).collect(),
                )
            }
        };
        tests.sort_by_key(|&test| !self.fails(test));
        let tests = tests.into_iter().map(|test| self.test(test)).collect();
        Some(TestList { title, tests })
    }

    /// None if the line was not measured.
    pub(super) fn that_run_line(&self, files: &[u32], line: u32) -> Option<Vec<TestId>> {
        let measured = files.iter().flat_map(|&file| self.measured_in(file));
        let own = measured.filter(|element| element.1 == line);
        let elements: Vec<u32> = own.map(|element| element.2).collect();
        (!elements.is_empty()).then(|| self.that_run(elements))
    }

    fn that_run(&self, elements: impl IntoIterator<Item = u32>) -> Vec<TestId> {
        let coverage = &self.spectrum.coverage;
        let columns = elements.into_iter();
        let mut columns: Vec<u32> = columns.map(|e| coverage.column_of(e as usize)).collect();
        columns.sort_unstable();
        columns.dedup();
        let runs = |test: &TestId| {
            let row = coverage.row(*test);
            columns.iter().any(|&column| row.contains(column))
        };
        self.real_tests().filter(runs).collect()
    }
}
