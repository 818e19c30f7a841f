//! Picking the tests to run, label or look at next.

use std::path::PathBuf;

use fdc::rank::Scoring;
use fdc::select::{SelectRequest, Step};
use fdc_learn::catalogue;
use pyo3::prelude::*;

use crate::error::{detached, one_of};
use crate::spectrum::{OneOrMany, Spectrum};
use crate::values::Pick;

/// The tests to run, label or look at next, the best first.
///
/// failing: the failing test to start from; all that fail, if it is left out. metric:
/// `fdc.metrics()` lists them; "sharp" unless given, or that of the model. With "sharp"
/// a pick's score is what its outcome is expected to tell of where the fault is, in bits. model: a file that `fdc
/// train` wrote. number: how many tests; None for all. reveal: a picked test joins with its true
/// outcome, as in experiments. start: what is known at first, besides the failing test: the tests
/// that a person "labelled", or all tests of "known" outcome. origin: only tests that were written by
/// these ("human", "pynguin", ...) are picked.
#[pyfunction]
#[pyo3(signature = (spectrum, failing=None, metric=None, model=None, number=Some(10), reveal=false, *, start="labelled", origin=None), text_signature = "(spectrum, failing=None, metric=None, model=None, number=10, reveal=False, *, start='labelled', origin=None)")]
#[allow(clippy::too_many_arguments)] // Python's keywords, each with a default.
pub(crate) fn select(
    py: Python<'_>,
    spectrum: &Spectrum,
    failing: Option<&str>,
    metric: Option<&str>,
    model: Option<PathBuf>,
    number: Option<usize>,
    reveal: bool,
    start: &str,
    origin: Option<OneOrMany<String>>,
) -> PyResult<Vec<Pick>> {
    let start = one_of("start", start)?;
    detached(py, || {
        let metric = catalogue::asked_for(metric, model.as_deref())?;
        let request = SelectRequest {
            failing: failing.map(str::to_owned),
            origins: origin.map_or_else(Vec::new, OneOrMany::into_vec),
            start,
            reveal,
            number,
            explain: false,
            scoring: Scoring::default().beside_model(model.as_deref())?,
            ..SelectRequest::by(metric)
        };
        let reply = fdc::select::select(spectrum.inner(), &request)?;
        let pick = |step: Step| {
            Some(Pick {
                test: step.added?,
                score: step.score?,
                outcome: step.outcome,
            })
        };
        Ok(reply.steps.into_iter().filter_map(pick).collect())
    })
}
