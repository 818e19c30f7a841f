//! Ranking the suspects.

use std::path::PathBuf;

use fdc::rank::{RankRequest, ScoreSource, Scoring};
use pyo3::prelude::*;

use crate::error::{detached, exception, one_of, unknown};
use crate::spectrum::{OneOrMany, Spectrum};
use crate::values::Suspect;

/// The suspects, the most suspicious first.
///
/// formula: "sharp", how likely each is faulty, learned from past bugs; or a formula of the counts
/// of failing and passing tests, `fdc.formulas()` lists them. level: "method", "line" or "file". failing: the failing
/// tests to rank by, a name or several; all of them unless given. tie: the place of equal scores,
/// "max" (the worst of the tie), "min", "average" or "expected". aggregate: how a formula's line
/// scores are combined into those of methods and files, "max" (the default), "mean" or "sum". faults: how many the
/// failing tests show, "one", "many" or "auto"; of several, each suspect tells which it is suspected of. top: so many at the most. include_flaky: counts
/// flaky tests too. since: a Git revision that was good: what changed since in the project's root,
/// source, is suspected more. model: a model of "sharp" to rank by, a file that `fdc train` wrote.
#[pyfunction]
#[pyo3(signature = (spectrum, formula="sharp", level="method", failing=None, *, tie="max", aggregate=None, faults="auto", top=None, include_flaky=false, since=None, source=PathBuf::from("."), model=None), text_signature = "(spectrum, formula='sharp', level='method', failing=None, *, tie='max', aggregate=None, faults='auto', top=None, include_flaky=False, since=None, source='.', model=None)")]
#[allow(clippy::too_many_arguments)] // Python's keywords, each with a default.
pub(crate) fn rank(
    py: Python<'_>,
    spectrum: &Spectrum,
    formula: &str,
    level: &str,
    failing: Option<OneOrMany<String>>,
    tie: &str,
    aggregate: Option<&str>,
    faults: &str,
    top: Option<usize>,
    include_flaky: bool,
    since: Option<&str>,
    source: PathBuf,
    model: Option<PathBuf>,
) -> PyResult<Vec<Suspect>> {
    let scores = ScoreSource::named(formula).map_err(|nearest| {
        let list = "fdc.formulas() lists all formulas";
        exception(unknown("formula", formula, nearest, list))
    })?;
    let aggregate = aggregate
        .map(|name| one_of("aggregate", name))
        .transpose()?;
    let scoring = Scoring::new(
        scores,
        aggregate,
        one_of("tie", tie)?,
        one_of("faults", faults)?,
    )
    .and_then(|own| match &model {
        Some(path) => own.by_model(path),
        None => Ok(own),
    });
    let request = RankRequest {
        failing: failing.map_or_else(Vec::new, OneOrMany::into_vec),
        level: one_of("level", level)?,
        scoring: scoring.map_err(exception)?,
        include_flaky,
        top,
    };
    detached(py, || {
        let mut marked = None;
        if let Some(revision) = since {
            let marked = marked.insert(spectrum.inner().clone());
            fdc::since::mark_changed(marked, &source, revision)?;
        }
        let spectrum = marked.as_ref().unwrap_or(spectrum.inner());
        let reply = fdc::rank::rank(spectrum, None, &request)?;
        let places = reply.suspects.places.into_iter();
        Ok(places.map(Suspect::from).collect())
    })
}
