//! Metrics on many bugs whose faults are known.

use std::ffi::OsStr;
use std::path::PathBuf;

use fdc::evaluate::{EvaluateRequest, EvaluationEnd};
use fdc_core::formula::Formula;
use fdc_core::ranking::RankingOptions;
use fdc_learn::protocol::Protocol;
use pyo3::prelude::*;

use crate::error::{exception, one_of, one_of_but, parsed, unknown};
use crate::progress::{warn, watched};
use crate::spectrum::OneOrMany;

/// Results of an evaluation. They can be passed on to `fdc.compare`.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq)]
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    /// The folder of the results.
    pub results: PathBuf,
    /// Whether they were complete before.
    pub before: bool,
    /// Files that could not be read, and why.
    pub left_out: Vec<String>,
    /// What a person should know, a sentence each.
    pub notes: Vec<String>,
}

#[pymethods]
impl Evaluated {
    fn __fspath__(&self) -> &OsStr {
        self.results.as_os_str()
    }

    fn __repr__(&self) -> String {
        format!("Evaluated({})", self.results.display())
    }
}

/// Runs metrics on bugs whose faults are known, and keeps the results in a folder.
///
/// An interrupted evaluation (Ctrl-C) keeps what was done, and the same call goes on with it.
///
/// data: bugs with known faults, files or folders of files. metrics: a list, or one text with commas
/// between: "total,fdg:alpha=0.3". out: the folder for the results. protocol: which bugs learned
/// metrics are trained on, "none" (the built-in model), "cross-version", "cross-project" or
/// "leave-one-out". tests: how many to add in a run. seeds: trainings of each learned metric; with
/// ties="random" also orders of the tests. ties: which of equally good tests is added, "file" or
/// "random". max_failing: failing tests of a bug to start from, the first in file order. formula, tie,
/// aggregate: how methods are ranked. shard: part "K/N" of the work; `fdc.merge` makes one of all
/// parts. progress: is called with a `Progress` now and then.
#[pyfunction]
#[pyo3(signature = (data, metrics, out, *, protocol="none", tests=10, seeds=1, ties="file", max_failing=None, formula="ochiai", tie="max", aggregate="max", shard=None, progress=None))]
#[allow(clippy::too_many_arguments)] // Python's keywords, each with a default.
pub(crate) fn evaluate(
    py: Python<'_>,
    data: OneOrMany<PathBuf>,
    metrics: OneOrMany<String>,
    out: PathBuf,
    protocol: &str,
    tests: usize,
    seeds: u64,
    ties: &str,
    max_failing: Option<usize>,
    formula: &str,
    tie: &str,
    aggregate: &str,
    shard: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Evaluated> {
    let (data, metrics) = (data.into_vec(), metrics.into_vec().join(","));
    let formula = Formula::named(formula).map_err(|nearest| {
        let list = "fdc.formulas() lists all formulas";
        exception(unknown("formula", formula, nearest, list))
    })?;
    let request = EvaluateRequest {
        data: &data,
        metrics: &metrics,
        protocol: one_of_but("protocol", protocol, Protocol::All)?,
        tests,
        seeds,
        ties: one_of("ties", ties)?,
        max_failing,
        ranking: RankingOptions {
            formula,
            aggregate: one_of("aggregate", aggregate)?,
            tie: one_of("tie", tie)?,
        },
        shard: parsed("shard", shard)?,
        out: &out,
    };
    let work = |watch: &dyn fdc::Watch| fdc::evaluate::evaluate(&request, watch);
    let (reply, notes) = watched(py, progress, work)?;
    let left_out = left_out(py, &reply.broken)?;
    Ok(Evaluated {
        before: reply.end == EvaluationEnd::DoneBefore,
        left_out,
        notes,
        results: out,
    })
}

/// Files that could not be read, with a warning for each.
pub(crate) fn left_out<E: std::fmt::Display>(
    py: Python<'_>,
    broken: &[E],
) -> PyResult<Vec<String>> {
    let broken: Vec<String> = broken.iter().map(ToString::to_string).collect();
    for error in &broken {
        warn(py, &format!("left out: {error}"))?;
    }
    Ok(broken)
}
