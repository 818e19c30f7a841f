//! One whole of parts that several machines made.

use std::ffi::OsStr;
use std::path::PathBuf;

use pyo3::prelude::*;

use crate::error::detached;

/// What parts have become. It can be passed on wherever the path of the whole is taken.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq)]
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The whole: a case file, or a folder.
    pub out: PathBuf,
    /// "case", "results" or "models".
    pub kind: &'static str,
    /// Tests of a case, runs of results, or models.
    pub count: u64,
}

#[pymethods]
impl Merged {
    fn __fspath__(&self) -> &OsStr {
        self.out.as_os_str()
    }

    fn __repr__(&self) -> String {
        let (out, kind, count) = (self.out.display(), self.kind, self.count);
        format!("Merged({out}: {kind}, {count})")
    }
}

/// Makes one case, or one folder of results or models, of the parts that were made with `shard`: the
/// same bytes as in one piece.
///
/// parts: all of them, in any order. Parts of other options, sources or versions are refused.
#[pyfunction]
pub(crate) fn merge(py: Python<'_>, parts: Vec<PathBuf>, out: PathBuf) -> PyResult<Merged> {
    use fdc::merge::Merged as Whole;
    let whole = detached(py, || fdc::merge::merge(&parts, &out))?;
    let (kind, count) = match whole {
        Whole::Case(case) => ("case", case.tests),
        Whole::Results(records) => ("results", records as u64),
        Whole::Models(models) => ("models", models as u64),
    };
    Ok(Merged { out, kind, count })
}
