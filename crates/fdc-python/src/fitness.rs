//! A metric as a fitness for test generators.

use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

use fdc::Failure;
use fdc_core::failing::failing_test;
use fdc_learn::catalogue;
use pyo3::prelude::*;

use crate::error::{detached, exception};
use crate::row;
use crate::spectrum::Spectrum;

/// The value of a new test, or of a whole suite of new tests, beside a failing test; microseconds a
/// call. Higher values are better; `loss` turns one round for tools that minimise.
///
/// subject: a Spectrum, or how many elements there are (then each is a method of its own). failing:
/// the failing test, a name (may be left out when exactly one fails) or a row. metric: one that does
/// not see outcomes; `fdc.metrics()` lists them. model: a file that `fdc train` wrote.
///
/// A row is the numbers of the elements that a test covers (any iterable of int), or bits: bytes,
/// bytearray, memoryview or a numpy array of uint8, where element e is bit e % 8 of byte e // 8; or
/// a numpy array of bool with a value for every element. Bits are quickest.
#[pyclass(frozen, module = "fdc")]
pub struct Fitness {
    inner: RwLock<fdc_core::fitness::Fitness>,
    elements: usize,
}

#[derive(FromPyObject)]
enum Subject<'py> {
    Spectrum(Bound<'py, Spectrum>),
    Elements(i64),
}

#[pymethods]
impl Fitness {
    #[new]
    #[pyo3(signature = (subject, failing=None, metric="rlfdc", model=None))]
    fn new(
        subject: Subject<'_>,
        failing: Option<&Bound<'_, PyAny>>,
        metric: &str,
        model: Option<PathBuf>,
    ) -> PyResult<Self> {
        let method_of: Vec<u32> = match &subject {
            Subject::Spectrum(spectrum) => spectrum.get().inner().program.method_of().collect(),
            Subject::Elements(count) => (0..row::count(*count)?).collect(),
        };
        let elements = method_of.len();
        let metric = || catalogue::parse(metric, model.as_deref()).map_err(exception);
        let name: Option<String> = failing.and_then(|failing| failing.extract().ok());
        let inner = match (&subject, failing, name) {
            (_, Some(row), None) => {
                let words = row::words(row, elements)?;
                fdc_core::fitness::Fitness::new(metric()?, method_of, &words)
            }
            (Subject::Spectrum(spectrum), _, name) => {
                let spectrum = spectrum.get().inner();
                let test = failing_test(spectrum, name.as_deref()).map_err(exception)?;
                fdc_core::fitness::Fitness::of_spectrum(metric()?, spectrum, test)
            }
            (Subject::Elements(_), ..) => {
                let failure = Failure::input("expected the failing test's row, found none");
                let hint = "a name needs a Spectrum to find it in";
                return Err(exception(failure.hint(hint)));
            }
        };
        Ok(Fitness {
            inner: RwLock::new(inner.map_err(exception)?),
            elements,
        })
    }

    /// The value of one test, given the failing test and the tests kept so far.
    fn of_test(&self, py: Python<'_>, row: &Bound<'_, PyAny>) -> PyResult<f64> {
        let words = row::words(row, self.elements)?;
        self.ask(py, |inner| Ok(inner.of_test(&words)?))
    }

    /// The value of each of several tests alone, given the failing test and the tests kept so far.
    fn of_tests(&self, py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let (words, tests) = self.rows(rows)?;
        self.ask(py, |inner| {
            let mut values = vec![0.0; tests];
            inner.of_tests(&words, &mut values)?;
            Ok(values)
        })
    }

    /// The value of a suite of tests as a whole; 0 for none.
    fn of_suite(&self, py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<f64> {
        let (words, tests) = self.rows(rows)?;
        self.ask(py, |inner| Ok(inner.of_suite(&words, tests)?))
    }

    /// Keeps a test: later values are given it, too.
    fn keep(&self, py: Python<'_>, row: &Bound<'_, PyAny>) -> PyResult<()> {
        let words = row::words(row, self.elements)?;
        detached(py, || {
            let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
            Ok(inner.keep(&words)?)
        })
    }

    /// A value as something to make small, 0..1.
    fn loss(&self, py: Python<'_>, value: f64) -> PyResult<f64> {
        self.ask(py, |inner| Ok(inner.loss(value)))
    }

    /// How many elements there are.
    #[getter]
    fn elements(&self) -> usize {
        self.elements
    }

    /// How many new tests were kept.
    #[getter]
    fn kept(&self, py: Python<'_>) -> PyResult<usize> {
        self.ask(py, |inner| Ok(inner.kept()))
    }

    /// Ambiguity groups among the elements that the failing test covers: sets that the failing test
    /// and the kept ones do not tell apart.
    #[getter]
    fn groups(&self, py: Python<'_>) -> PyResult<usize> {
        self.ask(py, |inner| Ok(inner.groups()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (kept, elements) = (self.kept(py)?, self.elements);
        Ok(format!("Fitness({elements} elements, {kept} tests kept)"))
    }
}

impl Fitness {
    /// A panic while something is kept may leave a test half joined, and no call can tell; the next
    /// answer is then as good as the panic's own report.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&fdc_core::fitness::Fitness) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        detached(py, || {
            question(&self.inner.read().unwrap_or_else(PoisonError::into_inner))
        })
    }

    /// Rows end to end, and how many.
    fn rows(&self, rows: &Bound<'_, PyAny>) -> PyResult<(Vec<u64>, usize)> {
        let mut words = Vec::new();
        let mut tests = 0;
        for row in rows.try_iter()? {
            row::append(&row?, self.elements, &mut words)?;
            tests += 1;
        }
        Ok((words, tests))
    }
}
