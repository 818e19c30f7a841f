//! What the pytest plug-in asks where the program `fdc` is not installed.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use fdc::Watch;
use fdc::watch::{ReportedRequest, reported, stale};
use pyo3::prelude::*;

use crate::error::detached;

/// Nobody looks on: the plug-in says what is to be said.
struct Unwatched;

impl Watch for Unwatched {
    fn note(&self, _: &str) {}

    fn asked_to_stop(&self) -> bool {
        false
    }
}

/// The measured tests of a case that changes since have made stale; None if all may be.
#[pyfunction]
pub(crate) fn stale_tests(
    py: Python<'_>,
    case: PathBuf,
    root: PathBuf,
) -> PyResult<Option<Vec<String>>> {
    detached(py, move || stale(&case, &root))
}

/// Puts what the plug-in reported to a folder into the case; the lines for the end of the run. began:
/// when its tests began, in nanoseconds since 1970.
#[pyfunction]
pub(crate) fn take_in_run(
    py: Python<'_>,
    folder: PathBuf,
    root: PathBuf,
    case: PathBuf,
    began: u64,
) -> PyResult<Vec<String>> {
    let began = SystemTime::UNIX_EPOCH + Duration::from_nanos(began);
    let request = ReportedRequest {
        folder,
        root,
        case,
        began,
    };
    let brief = detached(py, move || reported(&request, &Unwatched))?;
    Ok(brief.map_or_else(Vec::new, |brief| brief.lines()))
}
