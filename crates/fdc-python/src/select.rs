//! Picking the tests to run, label or look at next.

use std::path::PathBuf;

use fdc_core::failing::failing_test;
use fdc_core::{Selection, Start};
use fdc_learn::catalogue;
use pyo3::prelude::*;

use crate::error::detached;
use crate::pick::Pick;
use crate::rank::one_of;
use crate::spectrum::{Names, Spectrum};

/// The tests to run, label or look at next, the best first.
///
/// failing: the failing test to start from; may be left out when exactly one fails. metric:
/// `fdc.metrics()` lists them; "sharp" unless given, or that of the model. model: a file that `fdc
/// train` wrote. number: how many tests; None for all. reveal: a picked test joins with its true
/// outcome, as in experiments. start: what is known at first, besides the failing test: the tests
/// that a person "labelled", or all tests of "known" outcome. origin: only tests that were written by
/// these ("human", "pynguin", ...) are picked.
#[pyfunction]
#[pyo3(signature = (spectrum, failing=None, metric=None, model=None, number=Some(10), reveal=false, *, start="labelled", origin=None), text_signature = "(spectrum, failing=None, metric=None, model=None, number=10, reveal=False, *, start='labelled', origin=None)")]
#[allow(clippy::too_many_arguments)] // Python's keywords, each with a default.
pub fn select(
    py: Python<'_>,
    spectrum: &Spectrum,
    failing: Option<&str>,
    metric: Option<&str>,
    model: Option<PathBuf>,
    number: Option<usize>,
    reveal: bool,
    start: &str,
    origin: Option<Names>,
) -> PyResult<Vec<Pick>> {
    let start = match one_of("start", start)? {
        _ if reveal => Start::Revealing,
        start => start,
    };
    let origins = origin.map_or_else(Vec::new, Names::into_vec);
    detached(py, || {
        let metric = catalogue::asked_for(metric, model.as_deref())?;
        let spectrum = spectrum.inner();
        let failing = failing_test(spectrum, failing)?;
        let mut selection = Selection::begin(spectrum, failing, start, &origins);
        let mut picks = Vec::new();
        while picks.len() < number.unwrap_or(usize::MAX)
            && let Some(pick) = selection.best(&metric)
        {
            let test = spectrum.test(pick.test);
            let verdict = test.verdict().filter(|_| reveal);
            selection.add(pick.test, verdict);
            picks.push(Pick {
                test: test.name.clone(),
                score: pick.score,
                outcome: verdict.map(|verdict| verdict.outcome.name()),
            });
        }
        Ok(picks)
    })
}
