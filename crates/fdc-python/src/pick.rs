//! A chosen test.

use pyo3::prelude::*;

/// A test that was picked.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq)]
#[derive(Clone, Debug, PartialEq)]
pub struct Pick {
    /// The test's name.
    pub test: String,
    /// Its value under the metric when it was picked; higher is better.
    pub score: f64,
    /// "pass" or "fail" if outcomes were revealed and this one is known, else None.
    pub outcome: Option<&'static str>,
}

#[pymethods]
impl Pick {
    fn __repr__(&self) -> String {
        format!("Pick({}, score {})", self.test, self.score)
    }
}
