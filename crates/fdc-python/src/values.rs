//! Values that Python reads, and the lists of formulas and metrics.

use fdc_core::formula::FORMULAS;
use fdc_core::metric::Entry;
use fdc_learn::catalogue;
use pyo3::prelude::*;
use serde_json::Value;

/// A document as Python has it: dicts, lists, texts and numbers.
pub(crate) fn json(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    let read = py
        .import("json")?
        .call_method1("loads", (value.to_string(),))?;
    Ok(read.unbind())
}

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

/// A method, line or file in a ranking.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq)]
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    /// What it is called.
    pub name: String,
    /// The file it is in.
    pub file: String,
    /// How suspicious it is under the formula.
    pub score: f64,
    /// The probability that it is faulty; None for formulas, lines and files.
    pub probability: Option<f64>,
    /// The facts that weighed most, in words; empty for formulas, lines and files.
    pub why: Vec<String>,
    /// The number of the fault that it is suspected of, from 1; None if the failing tests show one.
    pub fault: Option<usize>,
    /// Its place, from 1. Equal scores share a place (default: the worst).
    pub rank: f64,
    /// Its measured lines, ascending; empty if the input has no source lines.
    pub lines: Vec<u32>,
}

#[pymethods]
impl Suspect {
    fn __repr__(&self) -> String {
        let Suspect {
            name, rank, score, ..
        } = self;
        format!("Suspect({name}, rank {rank}, score {score})")
    }
}

impl From<fdc::Suspect> for Suspect {
    fn from(suspect: fdc::Suspect) -> Self {
        Suspect {
            name: suspect.name,
            file: suspect.file,
            score: suspect.score,
            probability: suspect.probability,
            why: suspect.reasons,
            fault: suspect.fault,
            rank: suspect.rank,
            lines: suspect.lines,
        }
    }
}

/// A test that was picked.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq)]
#[derive(Clone, Debug, PartialEq)]
pub struct Pick {
    /// The test's name.
    pub test: String,
    /// Its value under the metric when it was picked; higher is better.
    pub score: f64,
    /// "pass" or "fail" if outcomes were revealed and this one is known, else None.
    pub outcome: Option<&'static str>,
}

#[pymethods]
impl Pick {
    fn __repr__(&self) -> String {
        format!("Pick({}, score {})", self.test, self.score)
    }
}

/// A suspiciousness formula.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq, hash)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Formula {
    /// What to pass as `formula`.
    pub name: &'static str,
    /// The formula, in ef, ep, nf, np, F = ef+nf, P = ep+np.
    pub text: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
}

#[pymethods]
impl Formula {
    fn __repr__(&self) -> String {
        format!("Formula({}: {})", self.name, self.text)
    }
}

/// All suspiciousness formulas, the default first.
#[pyfunction]
pub(crate) fn formulas() -> Vec<Formula> {
    let formula = |entry: &fdc_core::formula::Formula| Formula {
        name: entry.name,
        text: entry.text,
        citation: entry.citation,
    };
    FORMULAS.iter().map(formula).collect()
}

/// A metric: how good it would be to have a test's outcome. Higher is better.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq, hash)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Metric {
    /// What to pass as `metric`; parameters follow, as in "weight:alpha=0.3".
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Whether it looks at the outcomes of the tests chosen so far. Such a metric is no fitness for
    /// new tests, whose outcomes nobody knows.
    pub sees_outcomes: bool,
    /// Its parameters as (name, default, meaning).
    pub parameters: Vec<(&'static str, &'static str, &'static str)>,
    /// The manual page.
    pub manual: String,
}

#[pymethods]
impl Metric {
    fn __repr__(&self) -> String {
        format!("Metric({}: {})", self.name, self.summary)
    }
}

/// All metrics, the learned ones first; the first is the default of `select`.
#[pyfunction]
pub(crate) fn metrics() -> Vec<Metric> {
    let metric = |entry: &Entry| {
        let parameters = entry.parameters.iter();
        Metric {
            name: entry.name,
            summary: entry.summary,
            sees_outcomes: entry.aware,
            parameters: parameters.map(|p| (p.name, p.default, p.summary)).collect(),
            manual: entry.manual(),
        }
    };
    catalogue::entries().map(metric).collect()
}
