//! A program's elements, its tests with their outcomes, and the coverage between.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fdc::{Failure, Input, InputRequest};
use fdc_core::coverage::TestId;
use fdc_core::failing::test_named;
use fdc_formats::format_named;
use fdc_source::Sources;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{detached, exception, unknown};
use crate::row;
use crate::values::{Element, Test};

mod matrix;

use matrix::{Elements, GivenOutcome};

/// Which test covers which line, and how each test ended.
///
/// Made by `Spectrum.read` from coverage that was measured, or from data at hand by
/// `Spectrum.from_rows` and `Spectrum.from_matrix`. It does not change.
#[pyclass(frozen, module = "fdc")]
pub struct Spectrum {
    inner: Arc<fdc_core::Spectrum>,
    notes: Vec<String>,
    /// Where the sources of its files are, if they are anywhere.
    sources: Option<Arc<Sources>>,
}

#[derive(FromPyObject)]
pub(crate) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub(crate) fn into_vec(self) -> Vec<T> {
        match self {
            OneOrMany::One(only) => vec![only],
            OneOrMany::Many(all) => all,
        }
    }
}

/// A test by its name or its number.
#[derive(FromPyObject)]
enum TestName {
    Number(i64),
    Name(String),
}

impl Spectrum {
    /// What is wrapped.
    pub fn inner(&self) -> &fdc_core::Spectrum {
        &self.inner
    }

    /// The same, to be kept, with the place of its sources.
    pub(crate) fn shared(&self) -> (Arc<fdc_core::Spectrum>, Option<Arc<Sources>>) {
        (Arc::clone(&self.inner), self.sources.clone())
    }

    fn find(&self, test: &TestName) -> PyResult<TestId> {
        match test {
            TestName::Name(name) => test_named(&self.inner, name).map_err(exception),
            TestName::Number(number) => {
                let count = self.inner.tests.len();
                let known = u32::try_from(*number).ok();
                let known = known.filter(|&number| (number as usize) < count);
                known.map(TestId).ok_or_else(|| {
                    let message = format!("test {number} is out of range: there are {count}");
                    exception(Failure::input(message).hint("tests are counted from 0"))
                })
            }
        }
    }
}

#[pymethods]
impl Spectrum {
    /// Reads coverage in any supported format, or a case file.
    ///
    /// paths: a file or folder, or several that belong together. format: its name if it shall not
    /// be recognised by content. outcomes: reports of outcomes, such as JUnit XML. source: the folder of the sources; where a
    /// case was collected, else the current one, if it is left out. classes: class files, for JaCoCo. include_tests: test code counts as code under test.
    /// failed: the tests that failed, if the input does not say; all others passed.
    #[staticmethod]
    #[pyo3(signature = (paths, *, format=None, outcomes=Vec::new(), source=None, classes=Vec::new(), include_tests=false, failed=Vec::new()), text_signature = "(paths, *, format=None, outcomes=(), source=None, classes=(), include_tests=False, failed=())")]
    #[allow(clippy::too_many_arguments)] // Python's keywords, each with a default.
    fn read(
        py: Python<'_>,
        paths: OneOrMany<PathBuf>,
        format: Option<&str>,
        outcomes: Vec<PathBuf>,
        source: Option<PathBuf>,
        classes: Vec<PathBuf>,
        include_tests: bool,
        failed: Vec<String>,
    ) -> PyResult<Self> {
        detached(py, || {
            let mut input = Input::read(InputRequest {
                inputs: paths.into_vec(),
                from: format.map(named_format).transpose()?,
                outcomes,
                failed,
                source,
                classes,
                include_tests,
                since: None,
            })?;
            // By which model it will be ranked is not known yet.
            if let Err(error) = input.add_kills() {
                let words = format!("what mutants showed is left out: {error}");
                input.notes.push(words);
            }
            let sources = input.sources()?;
            Ok(Spectrum {
                inner: Arc::new(input.spectrum),
                notes: input.notes,
                sources: sources.map(Arc::new),
            })
        })
    }

    /// From a row for every test: the numbers of the elements it covers, or bits (see `Fitness`).
    ///
    /// outcomes: for every test "pass", "fail" or None; True stands for pass, False for fail.
    /// elements: how many there are, or (file, line, method) for each. tests: their names.
    #[staticmethod]
    #[pyo3(signature = (rows, outcomes, elements, *, tests=None))]
    fn from_rows(
        rows: &Bound<'_, PyAny>,
        outcomes: Vec<Option<GivenOutcome>>,
        elements: Elements,
        tests: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let program = elements.into_program()?;
        let count = program.elements.len();
        let read = rows.try_iter()?.map(|row| {
            let words = row::words(&row?, count)?;
            Ok(row::numbers(&words, count))
        });
        let read = read.collect::<PyResult<Vec<_>>>()?;
        matrix::spectrum(program, &read, outcomes, tests)
    }

    /// From a matrix of 0 and 1 (lists or a numpy array), a row for every test.
    ///
    /// outcomes, tests: as in `from_rows`. elements: (file, line, method) for every column.
    #[staticmethod]
    #[pyo3(signature = (matrix, outcomes, *, elements=None, tests=None))]
    fn from_matrix(
        matrix: &Bound<'_, PyAny>,
        outcomes: Vec<Option<GivenOutcome>>,
        elements: Option<Elements>,
        tests: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let rows = matrix::flags(matrix)?;
        let width = rows.first().map_or(0, Vec::len);
        let elements = elements.unwrap_or(Elements::Count(width as i64));
        let program = elements.into_program()?;
        let rows = matrix::covered(&rows, program.elements.len())?;
        matrix::spectrum(program, &rows, outcomes, tests)
    }

    /// Writes it: as a case file, or in another format that can be written.
    #[pyo3(signature = (path, format="case"))]
    fn write(&self, py: Python<'_>, path: PathBuf, format: &str) -> PyResult<()> {
        detached(py, || {
            let Some(write) = named_format(format)?.write else {
                let failure = Failure::input(format!("format {format} is read, not written"));
                return Err(failure.hint("`fdc list formats` tells which can be written"));
            };
            Ok(write(&self.inner, Path::new(&path))?)
        })
    }

    /// The tests, in order: a new list each time.
    #[getter]
    fn tests(&self) -> Vec<Test> {
        self.inner.tests.iter().map(Test::from).collect()
    }

    /// Names of the methods and functions, in order: a new list each time.
    #[getter]
    fn methods(&self) -> Vec<String> {
        let methods = self.inner.program.methods.iter();
        methods.map(|method| method.name.clone()).collect()
    }

    /// The elements, in order: a new list each time.
    #[getter]
    fn elements(&self) -> Vec<Element> {
        let program = &self.inner.program;
        let element = |element: &fdc_core::spectrum::Element| {
            let method = &program.methods[element.method.index()];
            Element {
                file: program.files[method.file as usize].clone(),
                line: element.line,
                method: method.name.clone(),
            }
        };
        program.elements.iter().map(element).collect()
    }

    /// Names of the failing tests, flaky ones left out.
    #[getter]
    fn failing(&self) -> Vec<String> {
        let failing = self.inner.failing_tests();
        failing.map(|id| self.inner.test(id).name.clone()).collect()
    }

    /// What a person should know about the input, a sentence each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// The numbers of the elements that a test covers, ascending. test: its name or number.
    fn coverage(&self, test: TestName) -> PyResult<Vec<u32>> {
        let test = self.find(&test)?;
        Ok(self.inner.coverage.elements(test))
    }

    /// The same as bits: element e is bit e % 8 of byte e // 8.
    fn row<'py>(&self, py: Python<'py>, test: TestName) -> PyResult<Bound<'py, PyBytes>> {
        let words = self.inner.coverage.bits(self.find(&test)?);
        let elements = self.inner.program.elements.len();
        Ok(PyBytes::new(py, &row::bytes(&words, elements)))
    }

    fn __repr__(&self) -> String {
        format!(
            "Spectrum({} tests, {} failing, {} elements, {} methods)",
            self.inner.tests.len(),
            self.inner.failing_tests().count(),
            self.inner.program.elements.len(),
            self.inner.program.methods.len(),
        )
    }
}

fn named_format(name: &str) -> Result<&'static fdc_formats::Format, Failure> {
    format_named(name).map_err(|nearest| {
        let hint = "`fdc list formats` shows all formats";
        unknown("format", name, nearest, hint)
    })
}
