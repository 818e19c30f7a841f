//! Metrics side by side.

use std::path::PathBuf;

use fdc::Failure;
use fdc::compare::{CompareReply, CompareRequest};
use fdc_draw::{Cell, ColumnKind, Table};
use fdc_study::comparison::significance::{Measure, SignificanceOptions};
use fdc_study::comparison::tables::{self, Digits};
use fdc_study::comparison::{charts, report};
use fdc_study::stats::posthoc::Adjustment;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::{detached, exception, missing, one_of, one_of_but, wrong};
use crate::figure::Figure;
use crate::spectrum::OneOrMany;

/// Metrics side by side, with statistics. In a notebook it shows the findings, a table and a plot.
#[pyclass(frozen, module = "fdc")]
pub struct Comparison {
    reply: CompareReply,
    /// Whether the metric to compare with was named.
    to_against: bool,
}

/// The tables that there are, the first by default.
const TABLES: [&str; 6] = [
    "summary",
    "accuracy",
    "contrasts",
    "pairs",
    "projects",
    "changes",
];

/// Compares metrics by their results.
///
/// results: folders of `fdc.evaluate`, their .parquet files, or published ranks; several are joined.
/// metrics: which of them, a list or one text with commas between; all, if left out. against: the
/// metric to compare the others with; the best by area, if left out. bugs: two metrics to compare bug
/// by bug. measure: what the significance tests compare, "ap" or "area". ties: the rule for equal
/// values in Friedman's test, "ignored" or "corrected". posthoc: the adjustment for many pairs,
/// "nemenyi", "holm", "shaffer" or "bergmann-hommel".
#[pyfunction]
#[pyo3(signature = (results, metrics=None, against=None, *, bugs=None, measure="ap", ties="ignored", posthoc=None))]
#[allow(clippy::too_many_arguments)] // Python's keywords, each with a default.
pub(crate) fn compare(
    py: Python<'_>,
    results: OneOrMany<PathBuf>,
    metrics: Option<OneOrMany<String>>,
    against: Option<&str>,
    bugs: Option<(String, String)>,
    measure: &str,
    ties: &str,
    posthoc: Option<&str>,
) -> PyResult<Comparison> {
    let (results, metrics) = (
        results.into_vec(),
        metrics.map(|all| all.into_vec().join(",")),
    );
    let posthoc = posthoc.map(|name| one_of_but("posthoc", name, Adjustment::Unadjusted));
    let request = CompareRequest {
        results: &results,
        metrics: metrics.as_deref(),
        against,
        bugs: bugs.as_ref().map(|(from, to)| [&**from, &**to]),
        significance: SignificanceOptions {
            measure: one_of("measure", measure)?,
            ties: one_of("ties", ties)?,
            posthoc: posthoc.transpose()?,
        },
    };
    Ok(Comparison {
        reply: detached(py, || fdc::compare::compare(&request))?,
        to_against: against.is_some(),
    })
}

#[pymethods]
impl Comparison {
    /// The metrics, the best by area first.
    #[getter]
    fn metrics(&self) -> Vec<String> {
        let comparison = &self.reply.comparison;
        let order = comparison.by_area().into_iter();
        let name = |place: usize| comparison.metrics[place].metric.clone();
        order.map(name).collect()
    }

    /// The bugs that all of the metrics have, as (project, number).
    #[getter]
    fn bugs(&self) -> Vec<(String, u32)> {
        let bugs = self.reply.comparison.bugs();
        bugs.map(|bug| (bug.subject.clone(), bug.version)).collect()
    }

    /// The finding, in a sentence.
    #[getter]
    fn verdict(&self) -> String {
        self.reply.significance.verdict(&self.reply.comparison)
    }

    /// The paragraph for an article; why there is none, if no test can be made.
    #[getter]
    fn paragraph(&self) -> String {
        match &self.reply.significance.advice {
            Ok(advice) => advice.paragraph.clone(),
            Err(_) => self.reply.significance.why_not().unwrap_or_default(),
        }
    }

    /// What a person should know about the inputs, a sentence each.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.reply.notes.clone()
    }

    /// The tables that there are: names for the methods below.
    #[getter]
    fn tables(&self) -> Vec<&'static str> {
        let there = |name: &&str| self.table(name).is_ok();
        TABLES.into_iter().filter(there).collect()
    }

    /// A table as columns, by their names. "summary" has every measure after ten tests; "accuracy" all
    /// numbers of tests (None in `tests`: all of a bug's); "contrasts" the differences and whether
    /// they are chance; "pairs" each pair; "projects" the area by project; "changes" each bug.
    #[pyo3(signature = (table="summary"))]
    fn to_dict<'py>(&self, py: Python<'py>, table: &str) -> PyResult<Bound<'py, PyDict>> {
        let table = self.table(table).map_err(exception)?;
        let columns = PyDict::new(py);
        for (place, column) in table.columns.iter().enumerate() {
            let cells = table.rows.iter().map(|row| row.get(place));
            let counts = column.name == "tests";
            let values = cells.map(|cell| value(py, cell, column.kind, counts));
            let values = values.collect::<PyResult<Vec<_>>>()?;
            columns.set_item(&column.name, PyList::new(py, values)?)?;
        }
        Ok(columns)
    }

    /// A table as a list of rows, each a dict by the names of the columns.
    #[pyo3(signature = (table="summary"))]
    fn to_dicts<'py>(&self, py: Python<'py>, table: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let columns = self.to_dict(py, table)?;
        let rows = self.table(table).map_err(exception)?.rows.len();
        let row = |number: usize| {
            let row = PyDict::new(py);
            for (name, values) in &columns {
                row.set_item(name, values.get_item(number)?)?;
            }
            Ok(row)
        };
        (0..rows).map(row).collect()
    }

    /// A table as a Polars frame; needs the package polars.
    #[pyo3(signature = (table="summary"))]
    fn to_polars<'py>(&self, py: Python<'py>, table: &str) -> PyResult<Bound<'py, PyAny>> {
        self.frame(py, "polars", table)
    }

    /// A table as a pandas frame; needs the package pandas.
    #[pyo3(signature = (table="summary"))]
    fn to_pandas<'py>(&self, py: Python<'py>, table: &str) -> PyResult<Bound<'py, PyAny>> {
        self.frame(py, "pandas", table)
    }

    /// The names of the plots: "map" and "acc-at-1" to "acc-at-10" are curves over the number of tests,
    /// "critical-difference" compares mean ranks, "rank-change" has a row for every bug.
    #[getter]
    fn figures(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let drawn = detached(py, || Ok(self.drawn()))?;
        Ok(drawn.into_iter().map(|own| own.name).collect())
    }

    /// One of the plots.
    #[pyo3(signature = (name="map"))]
    fn figure(&self, py: Python<'_>, name: &str) -> PyResult<Figure> {
        let drawn = detached(py, || Ok(self.drawn()))?;
        match drawn.iter().find(|own| own.name == name) {
            Some(own) => Ok(Figure::new(&own.svg, &own.caption)),
            None => {
                let names: Vec<&str> = drawn.iter().map(|own| &*own.name).collect();
                let expected = names.join(", ");
                Err(wrong(format!(
                    "figure: expected one of {expected}, found {name:?}"
                )))
            }
        }
    }

    /// Everything on one page that opens offline.
    #[getter]
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || {
            let reply = &self.reply;
            let pictures = self.drawn();
            let changes = reply.changes_or_closest();
            let contents = report::Contents {
                title: &reply.title,
                pictures: &pictures,
                changes: changes.as_ref(),
                digits: Digits::Rounded,
                notes: &reply.notes,
                command: "fdc.compare(...).write(...)",
            };
            Ok(report::page(&reply.comparison, &reply.significance, &contents).html())
        })
    }

    /// Writes that page.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let html = self.html(py)?;
        detached(py, || {
            Ok(fdc_case::write_whole(&path, |file| {
                file.write_all(html.as_bytes())
            })?)
        })
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let CompareReply {
            comparison,
            significance,
            changes,
            notes,
            ..
        } = &self.reply;
        detached(py, || {
            Ok(report::cell(comparison, significance, changes.as_ref(), notes).html())
        })
    }

    fn __str__(&self) -> String {
        let facts = report::facts(&self.reply.comparison);
        format!("{facts} {}", self.verdict())
    }

    fn __repr__(&self) -> String {
        let (metrics, bugs) = (
            self.metrics().join(", "),
            self.reply.comparison.bugs().len(),
        );
        format!("Comparison({metrics}; {bugs} bugs)")
    }
}

impl Comparison {
    fn drawn(&self) -> Vec<charts::Figure> {
        let reply = &self.reply;
        charts::all(&reply.comparison, &reply.significance, self.to_against)
    }

    fn table(&self, name: &str) -> Result<Table, Failure> {
        let CompareReply {
            comparison,
            significance,
            ..
        } = &self.reply;
        let several = comparison.metrics.len() > 1;
        let measures: [Measure; 1] = [significance.measure];
        let table = match name {
            "summary" => Some(tables::summary(comparison, Digits::Exact)),
            "accuracy" => Some(tables::accuracy(comparison, Digits::Exact)),
            "contrasts" => several.then(|| tables::contrasts(comparison, significance, &measures)),
            "pairs" => tables::pairs(comparison, significance),
            "projects" => Some(tables::projects(comparison)),
            "changes" => {
                let changes = self.reply.changes_or_closest();
                changes.map(|changes| changes.table(|_| true))
            }
            _ => {
                let expected = TABLES.join(", ");
                let message = format!("table: expected one of {expected}, found {name:?}");
                return Err(Failure::input(message));
            }
        };
        table.ok_or_else(|| {
            let message = format!("there is no table of {name} for these metrics");
            Failure::input(message).hint("`tables` lists those that there are")
        })
    }

    fn frame<'py>(
        &self,
        py: Python<'py>,
        package: &'static str,
        table: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = self.to_dict(py, table)?;
        let module = py.import(package).map_err(|_| missing(package))?;
        module.call_method1("DataFrame", (columns,))
    }
}

/// A cell as Python has it; None for what is no number among numbers.
fn value<'py>(
    py: Python<'py>,
    cell: Option<&Cell>,
    kind: ColumnKind,
    counts: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let number = cell.and_then(Cell::value).filter(|value| value.is_finite());
    Ok(match (kind, number) {
        (ColumnKind::Text, _) => cell.map(Cell::shown).into_pyobject(py)?.into_any(),
        (ColumnKind::Number, Some(number)) if counts => {
            (number as u64).into_pyobject(py)?.into_any()
        }
        (ColumnKind::Number, number) => number.into_pyobject(py)?.into_any(),
    })
}
