//! A line of the program.

use pyo3::prelude::*;

/// A line that coverage is measured on. Its number is its place in `Spectrum.elements`.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq, hash)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    /// Path relative to the project's root, or class where no path is known.
    pub file: String,
    /// Line number; in inputs that name statements freely, the statement's number in order.
    pub line: u32,
    /// The method or function it belongs to.
    pub method: String,
}

#[pymethods]
impl Element {
    fn __repr__(&self) -> String {
        format!("Element({}:{} in {})", self.file, self.line, self.method)
    }
}
