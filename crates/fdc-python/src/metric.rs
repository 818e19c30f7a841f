//! The metrics that tests are chosen by.

use fdc_core::metric::Entry;
use fdc_learn::catalogue;
use pyo3::prelude::*;

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
