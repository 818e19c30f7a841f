//! Ranking the suspects.

use fdc::rank::RankRequest;
use fdc_core::Formula;
use fdc_core::ranking::RankingOptions;
use pyo3::prelude::*;

use crate::error::{detached, exception, one_of, unknown};
use crate::spectrum::{OneOrMany, Spectrum};
use crate::suspect::Suspect;

/// The suspects, the most suspicious first: what the failing tests run and passing tests do not.
///
/// formula: `fdc.formulas()` lists them. level: "method", "line" or "file". failing: the failing
/// tests to rank by, a name or several; all of them unless given. tie: the place of equal scores,
/// "max" (the worst of the tie), "min", "average" or "expected". aggregate: how line scores go up
/// to methods and files, "max", "mean" or "sum". top: so many at the most. include_flaky: counts
/// flaky tests too.
#[pyfunction]
#[pyo3(signature = (spectrum, formula="ochiai", level="method", failing=None, *, tie="max", aggregate="max", top=None, include_flaky=false))]
#[allow(clippy::too_many_arguments)] // Python's keywords, each with a default.
pub(crate) fn rank(
    py: Python<'_>,
    spectrum: &Spectrum,
    formula: &str,
    level: &str,
    failing: Option<OneOrMany<String>>,
    tie: &str,
    aggregate: &str,
    top: Option<usize>,
    include_flaky: bool,
) -> PyResult<Vec<Suspect>> {
    let formula = Formula::named(formula).map_err(|nearest| {
        let list = "fdc.formulas() lists all formulas";
        exception(unknown("formula", formula, nearest, list))
    })?;
    let request = RankRequest {
        failing: failing.map_or_else(Vec::new, OneOrMany::into_vec),
        level: one_of("level", level)?,
        options: RankingOptions {
            formula,
            aggregate: one_of("aggregate", aggregate)?,
            tie: one_of("tie", tie)?,
        },
        include_flaky,
        top,
    };
    detached(py, || {
        let reply = fdc::rank::rank(spectrum.inner(), None, &request)?;
        let places = reply.suspects.places.into_iter();
        Ok(places.map(Suspect::from).collect())
    })
}
