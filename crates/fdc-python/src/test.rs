//! A test and what is known of it.

use pyo3::prelude::*;

/// A test.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq, hash)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Test {
    /// Its name, unique in its spectrum.
    pub name: String,
    /// "pass", "fail", or None if nobody knows. A person's verdict goes before what was measured.
    pub outcome: Option<&'static str>,
    /// Whether its outcome changes from run to run.
    pub flaky: bool,
    /// Who wrote it, where that is known ("human", "evosuite", "pynguin", ...).
    pub origin: Option<String>,
}

#[pymethods]
impl Test {
    fn __repr__(&self) -> String {
        format!("Test({}: {})", self.name, self.outcome.unwrap_or("unknown"))
    }
}

impl From<&fdc_core::spectrum::Test> for Test {
    fn from(test: &fdc_core::spectrum::Test) -> Self {
        Test {
            name: test.name.clone(),
            outcome: test.verdict().map(|verdict| verdict.outcome.name()),
            flaky: test.flaky,
            origin: test.origin.clone(),
        }
    }
}
