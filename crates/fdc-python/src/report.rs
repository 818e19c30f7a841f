//! A case in one document.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use fdc::Failure;
use fdc::report::{Permalinks, ReportDocument, ReportFormat, ReportRequest, session_map};
use fdc_core::Named as _;
use fdc_draw::Page;
use fdc_source::Roots;
use pyo3::prelude::*;

use crate::error::{detached, exception, note_words, one_of, wrong};
use crate::figure::Figure;
use crate::session::{Opening, checked, scoring};
use crate::spectrum::OneOrMany;

/// A case as it stood when it was asked for: what failed, the suspects with their source, the map, the
/// next test, every answer. A notebook shows the page in a frame of its own.
#[pyclass(frozen, module = "fdc")]
pub struct Report {
    session: Mutex<fdc::label::Session>,
    roots: Roots,
    case: PathBuf,
    title: String,
    command: String,
    suspects: usize,
    permalinks: Option<Permalinks>,
    /// What a person should know of the case, a sentence each.
    notes: Vec<String>,
}

/// How high a notebook shows it, in CSS pixels.
const HEIGHT: u32 = 640;

/// Reports on a case, with the answers that it holds.
///
/// case: the case file; it is only looked at. failing, metric, model, origin, start, trust, source,
/// formula, tie, aggregate, faults: as for `Session`. suspects: so many at the most. since: a Git
/// revision that was good; what changed since is suspected more. permalinks: the address of a commit
/// that Markdown links to, such as "https://github.com/OWNER/REPO/blob/COMMIT". title: the heading.
#[pyfunction]
#[pyo3(signature = (case, failing=None, metric=None, *, model=None, origin=None, start="known", trust=1.0, source=None, suspects=20, formula="sharp", tie="max", aggregate=None, faults="auto", since=None, permalinks=None, title=None))]
#[allow(clippy::too_many_arguments)] // Python's keywords, each with a default.
pub(crate) fn report(
    py: Python<'_>,
    case: PathBuf,
    failing: Option<String>,
    metric: Option<String>,
    model: Option<PathBuf>,
    origin: Option<OneOrMany<String>>,
    start: &str,
    trust: f64,
    source: Option<PathBuf>,
    suspects: usize,
    formula: &str,
    tie: &str,
    aggregate: Option<&str>,
    faults: &str,
    since: Option<String>,
    permalinks: Option<&str>,
    title: Option<String>,
) -> PyResult<Report> {
    let command = call(
        &case,
        &[
            ("failing", failing.as_deref(), None),
            ("metric", metric.as_deref(), None),
            ("model", model.as_deref().and_then(Path::to_str), None),
            ("start", Some(start), Some("known")),
            ("source", source.as_deref().and_then(Path::to_str), None),
            ("formula", Some(formula), Some("sharp")),
            ("tie", Some(tie), Some("max")),
            ("aggregate", aggregate, None),
            ("faults", Some(faults), Some("auto")),
            ("since", since.as_deref(), None),
            ("permalinks", permalinks, None),
        ],
    );
    let opening = Opening {
        failing,
        metric,
        model,
        origins: origin.map_or_else(Vec::new, OneOrMany::into_vec),
        start: one_of("start", start)?,
        trust: checked(trust)?,
        who: None,
        source,
        scoring: scoring(formula, tie, aggregate, faults)?,
    };
    let permalinks = permalinks.map(|address| {
        let parsed = address.parse::<Permalinks>();
        parsed.map_err(|why| wrong(format!("permalinks: {why}, found {address:?}")))
    });
    let permalinks = permalinks.transpose()?;
    detached(py, || {
        let mut session = opening.open(fdc::label::Session::look, &case)?;
        let mut notes = Vec::from_iter(session.interruption()?);
        let source = opening.source.as_deref();
        if let Some(revision) = &since {
            notes.extend(session.mark_changed(source, revision)?);
        }
        let roots = session.roots(source)?;
        let name = case.file_name().unwrap_or_default().to_string_lossy();
        Ok(Report {
            session: Mutex::new(session),
            roots,
            title: title.unwrap_or_else(|| format!("Suspects in {name}")),
            command,
            case,
            suspects,
            permalinks,
            notes,
        })
    })
}

#[pymethods]
impl Report {
    /// The page: it opens offline.
    #[getter]
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        self.text(py, ReportFormat::Html)
    }

    /// For a comment on a pull request.
    #[getter]
    fn markdown(&self, py: Python<'_>) -> PyResult<String> {
        self.text(py, ReportFormat::Markdown)
    }

    /// The suspects as a map: areas are lines that the failing test runs, shades are suspicion.
    #[getter]
    fn map(&self, py: Python<'_>) -> PyResult<Figure> {
        let (svg, caption) = detached(py, || Ok(session_map(&self.session())))?;
        Ok(Figure::new(&svg, caption))
    }

    /// What a person should know of the case and its sources, a sentence each.
    #[getter]
    fn notes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let report = self.made(py, ReportFormat::Markdown)?;
        let words = report.notes.iter().map(note_words);
        Ok(self.notes.iter().cloned().chain(words).collect())
    }

    /// Writes it. format: "html", "markdown", "sarif", "annotations" or "gitlab"; by the ending of the
    /// path (.html, .md, .sarif), if left out.
    #[pyo3(signature = (path, format=None))]
    fn write(&self, py: Python<'_>, path: PathBuf, format: Option<&str>) -> PyResult<()> {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let format = match format {
            Some(name) => one_of("format", name)?,
            None => ReportFormat::by_ending(&ending).ok_or_else(|| {
                let name = path.display();
                let message = format!("{name}: expected a name that ends in .html, .sarif or .md");
                let names: Vec<&str> = ReportFormat::all().map(|own| own.name()).collect();
                let hint = format!("format= says what to write: {}", names.join(", "));
                exception(Failure::usage(message).hint(hint))
            })?,
        };
        let text = self.text(py, format)?;
        detached(py, || {
            Ok(fdc_case::write_whole(&path, |file| {
                file.write_all(text.as_bytes())
            })?)
        })
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        Ok(Page::framed(&self.html(py)?, HEIGHT))
    }

    fn __repr__(&self) -> String {
        format!("Report({})", self.case.display())
    }
}

impl Report {
    fn session(&self) -> std::sync::MutexGuard<'_, fdc::label::Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn made(&self, py: Python<'_>, format: ReportFormat) -> PyResult<fdc::report::Report> {
        detached(py, || {
            Ok(fdc::report::report(&ReportRequest {
                session: &self.session(),
                roots: &self.roots,
                title: self.title.clone(),
                suspects: self.suspects,
                command: self.command.clone(),
                format,
                permalinks: self.permalinks.clone(),
            }))
        })
    }

    fn text(&self, py: Python<'_>, format: ReportFormat) -> PyResult<String> {
        Ok(match self.made(py, format)?.document {
            ReportDocument::Text(text) => text,
            ReportDocument::Json(json) => format!("{json:#}\n"),
        })
    }
}

/// The call that makes the report again: its options that are no defaults.
fn call(case: &Path, options: &[(&str, Option<&str>, Option<&str>)]) -> String {
    let mut call = format!("fdc.report({:?}", case.display().to_string());
    for (name, given, default) in options {
        if let Some(given) = given.filter(|_| given != default) {
            call += &format!(", {name}={given:?}");
        }
    }
    call + ")"
}
