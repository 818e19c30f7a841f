//! Ranking the suspects.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fdc::rank::RankRequest;
use fdc_case::FileError;
use fdc_source::Sources;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::error::{detached, exception, note_words, one_of};
use crate::session::scoring;
use crate::spectrum::{OneOrMany, Spectrum};
use crate::values::Suspect;

/// The suspects, the most suspicious first: a list. In a notebook it shows the first of them, with the
/// heat of their lines.
///
/// formula: "sharp", how likely each is faulty, learned from past bugs; or a formula of the counts
/// of failing and passing tests, `fdc.formulas()` lists them. level: "method", "line" or "file". failing: the failing
/// tests to rank by, a name or several; all of them unless given. tie: the place of equal scores,
/// "max" (the worst of the tie), "min", "average" or "expected". aggregate: how a formula's line
/// scores are combined into those of methods and files, "max" (the default), "mean" or "sum". faults: how many the
/// failing tests show, "one", "many" or "auto"; of several, each suspect tells which it is suspected of. top: so many at the most. include_flaky: counts
/// flaky tests too. since: a Git revision that was good: what changed since is suspected more. source:
/// the project's root; that of the spectrum, if left out. model: a model of "sharp" to rank by, a file that `fdc train` wrote.
#[pyfunction]
#[pyo3(signature = (spectrum, formula="sharp", level="method", failing=None, *, tie="max", aggregate=None, faults="auto", top=None, include_flaky=false, since=None, source=None, model=None), text_signature = "(spectrum, formula='sharp', level='method', failing=None, *, tie='max', aggregate=None, faults='auto', top=None, include_flaky=False, since=None, source=None, model=None)")]
#[allow(clippy::too_many_arguments)] // Python's keywords, each with a default.
pub(crate) fn rank<'py>(
    py: Python<'py>,
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
    source: Option<PathBuf>,
    model: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    let scoring = scoring(formula, tie, aggregate, faults)?;
    let scoring = match &model {
        Some(path) => scoring.by_model(path).map_err(exception)?,
        None => scoring,
    };
    let request = RankRequest {
        failing: failing.map_or_else(Vec::new, OneOrMany::into_vec),
        level: one_of("level", level)?,
        scoring,
        include_flaky,
        top,
    };
    let drawing = detached(py, || {
        let (mut inner, sources) = spectrum.shared();
        if let Some(revision) = since {
            let own = sources.as_deref().map(Sources::root);
            let root = source.as_deref().or(own).unwrap_or(Path::new("."));
            fdc::since::mark_changed(Arc::make_mut(&mut inner), root, revision)?;
        }
        let sources = match &source {
            Some(root) => {
                let below = Sources::below(root, None);
                let below = below.map_err(FileError::io(root, "look for sources in it"))?;
                Some(Arc::new(below))
            }
            None => sources,
        };
        Ok(Drawing {
            spectrum: inner,
            sources,
            request,
        })
    })?;
    let places = detached(py, || {
        let reply = fdc::rank::rank(&drawing.spectrum, None, &drawing.request)?;
        Ok(reply.suspects.places)
    })?;
    let places = places.into_iter().map(Suspect::from);
    let places = PyList::new(
        py,
        places
            .map(|own| Py::new(py, own))
            .collect::<PyResult<Vec<_>>>()?,
    )?;
    let class = py.import("fdc.ranking")?.getattr("Ranking")?;
    class.call1((places, drawing))
}

/// A ranking as a notebook shows it, drawn when it is asked for.
#[pyclass(frozen, module = "fdc._fdc")]
pub struct Drawing {
    spectrum: Arc<fdc_core::Spectrum>,
    sources: Option<Arc<Sources>>,
    request: RankRequest,
}

#[pymethods]
impl Drawing {
    /// As HTML for the output of a cell.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || {
            let sources = self.sources.as_deref();
            let reply = fdc::rank::rank(&self.spectrum, sources, &self.request)?;
            let notes: Vec<String> = reply.notes.iter().map(note_words).collect();
            Ok(reply.suspects.cell(&reply.ranked, &notes).html())
        })
    }
}
