//! Labelling a case: which test to look at, and what was said of it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fdc::label::advice::Advice;
use fdc::label::protocol::{Reply, Request, Said, handle};
use fdc::label::view::Question as NextTest;
use fdc::label::{SessionOptions, View, logged_in};
use fdc::rank::{ScoreSource, Scoring};
use fdc::report::{session_cell, session_map};
use fdc::{Failure, FailureKind};
use fdc_core::Metric;
use fdc_learn::catalogue;
use pyo3::prelude::*;

use crate::error::{detached, exception, one_of, unknown, wrong};
use crate::figure::Figure;
use crate::spectrum::OneOrMany;
use crate::values::{Suspect, json};

/// A case being labelled: it names the test whose outcome would tell most, and you say how that test
/// should end. Every answer is in the case file before it counts, so nothing is lost, and the next
/// session goes on from there; it is the session of `fdc label`.
///
///     with fdc.Session("case.fdc") as session:
///         while session.next and not session.advice.stop:
///             print(session.next.test, session.next.why)
///             session.answer(input("pass, fail or skip? "))
///
/// case: the case file. failing: start from this failing test alone; from all that fail, if left out.
/// metric, model: what tests are chosen by. origin: choose only from tests of these origins. start:
/// what is known at first, all tests of "known" outcome or only what was "labelled". trust: how far
/// answers are believed, 0.5 to 1. who: who answers. source: the project's root; where the case was
/// collected, if left out. suspects: so many are told. formula, tie, aggregate, faults: how methods are
/// ranked, as for `rank`. run: proposed tests are run instead of asked for, as the collector did.
#[pyclass(frozen, module = "fdc")]
pub struct Session {
    held: Mutex<Option<Held>>,
    case: PathBuf,
    suspects: usize,
}

struct Held {
    session: fdc::label::Session,
    view: View,
}

/// How often a test that runs is looked at.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// A test to look at, and what its answers would do.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq)]
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The test.
    pub test: String,
    /// Its value under the metric, where it is a number; higher is better.
    pub score: Option<f64>,
    /// What it covers of the suspects, and what it tells apart.
    pub why: String,
    /// What it runs of the first suspects, as (method, lines).
    pub covers: Vec<(String, Vec<u32>)>,
    /// Methods among the first places that would move if it passes, as (method, place now, then).
    pub if_passes: Vec<(String, f64, f64)>,
    /// The same if it fails.
    pub if_fails: Vec<(String, f64, f64)>,
}

#[pymethods]
impl Question {
    fn __repr__(&self) -> String {
        format!("Question({}: {})", self.test, self.why)
    }
}

/// An answer that somebody gave.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq)]
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What to pass to `undo`.
    pub id: String,
    /// The test, or the statement.
    pub subject: String,
    /// "pass", "fail" or "skip".
    pub verdict: &'static str,
    /// How far it is believed; None for what was skipped.
    pub trust: Option<f64>,
    /// Who said it.
    pub who: String,
    /// When.
    pub at: String,
    /// Whether it was taken back.
    pub undone: bool,
}

#[pymethods]
impl Answer {
    fn __repr__(&self) -> String {
        let undone = if self.undone { ", taken back" } else { "" };
        format!("Answer({}: {}{undone})", self.subject, self.verdict)
    }
}

/// Whether to stop.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc")]
pub struct StopAdvice {
    /// Why to stop: "nothing-left", "top-cannot-change", "settled" or "little-to-learn"; None to go on.
    pub stop: Option<String>,
    /// In words.
    pub words: String,
}

#[pymethods]
impl StopAdvice {
    fn __str__(&self) -> &str {
        &self.words
    }

    fn __repr__(&self) -> String {
        format!("StopAdvice({})", self.words)
    }
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (case, failing=None, metric=None, *, model=None, origin=None, start="known", trust=1.0, who=None, source=None, suspects=20, formula="sharp", tie="max", aggregate=None, faults="auto", run=false), text_signature = "(case, failing=None, metric=None, *, model=None, origin=None, start='known', trust=1.0, who=None, source=None, suspects=20, formula='sharp', tie='max', aggregate=None, faults='auto', run=False)")]
    #[allow(clippy::too_many_arguments)] // Python's keywords, each with a default.
    fn new(
        py: Python<'_>,
        case: PathBuf,
        failing: Option<String>,
        metric: Option<String>,
        model: Option<PathBuf>,
        origin: Option<OneOrMany<String>>,
        start: &str,
        trust: f64,
        who: Option<String>,
        source: Option<PathBuf>,
        suspects: usize,
        formula: &str,
        tie: &str,
        aggregate: Option<&str>,
        faults: &str,
        run: bool,
    ) -> PyResult<Self> {
        let opening = Opening {
            failing,
            metric,
            model,
            origins: origin.map_or_else(Vec::new, OneOrMany::into_vec),
            start: one_of("start", start)?,
            trust: checked(trust)?,
            who,
            source,
            scoring: scoring(formula, tie, aggregate, faults)?,
        };
        let held = detached(py, || {
            let mut session = opening.open(fdc::label::Session::open, &case)?;
            if run {
                session.run_proposed(opening.source.as_deref())?;
            }
            let view = View::new(&session, suspects);
            Ok(Held { session, view })
        })?;
        Ok(Session {
            held: Mutex::new(Some(held)),
            case,
            suspects,
        })
    }

    /// The test to look at next; None if no test is left to ask about.
    #[getter]
    fn next(&self, py: Python<'_>) -> PyResult<Option<Question>> {
        self.ask(py, |held| Ok(held.view.next.as_ref().map(question)))
    }

    /// The first suspects. Their lines are those that a failing test runs.
    #[getter]
    fn suspects(&self, py: Python<'_>) -> PyResult<Vec<Suspect>> {
        self.ask(py, |held| {
            let suspects = held.view.suspects.iter().cloned();
            Ok(suspects.map(Suspect::from).collect())
        })
    }

    /// Whether to stop, and why. Takes longer than an answer.
    #[getter]
    fn advice(&self, py: Python<'_>) -> PyResult<StopAdvice> {
        let advice = self.ask(py, |held| Ok(Advice::new(&held.session)))?;
        let stop = serde_json::to_value(advice.stop).ok();
        Ok(StopAdvice {
            stop: stop.and_then(|name| Some(name.as_str()?.to_owned())),
            words: advice.words(),
        })
    }

    /// Every answer that was ever given, in order.
    #[getter]
    fn answers(&self, py: Python<'_>) -> PyResult<Vec<Answer>> {
        self.ask(py, |held| {
            let answers = held.view.answers.iter().map(|own| Answer {
                id: own.id.clone(),
                subject: own.subject.clone(),
                verdict: own.verdict,
                trust: own.trust,
                who: own.who.clone(),
                at: own.at.clone(),
                undone: own.undone,
            });
            Ok(answers.collect())
        })
    }

    /// Answers that do not fit together, a sentence each.
    #[getter]
    fn doubts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.ask(py, |held| Ok(held.view.doubts.clone()))
    }

    /// How many tests may be asked for.
    #[getter]
    fn left(&self, py: Python<'_>) -> PyResult<usize> {
        self.ask(py, |held| Ok(held.view.left))
    }

    /// The failing tests that everything starts from.
    #[getter]
    fn failing(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.ask(py, |held| {
            let first = std::iter::once(&held.view.failing);
            Ok(first.chain(&held.view.also_failing).cloned().collect())
        })
    }

    /// The whole state, as `fdc label --json-lines` gives it.
    #[getter]
    fn state(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let state = self.ask(py, |held| {
            serde_json::to_value(&held.view).map_err(|error| Failure::input(error.to_string()))
        })?;
        json(py, &state)
    }

    /// Says how a test should end: "pass", "fail" or "skip"; the next question. test: its name; the
    /// test asked about, if left out.
    #[pyo3(signature = (verdict, test=None))]
    fn answer(
        &self,
        py: Python<'_>,
        verdict: &str,
        test: Option<String>,
    ) -> PyResult<Option<Question>> {
        let verdict = match verdict {
            "pass" => Said::Pass,
            "fail" => Said::Fail,
            "skip" => Said::Skip,
            _ => {
                let expected = "expected one of pass, fail, skip";
                return Err(wrong(format!("verdict: {expected}, found {verdict:?}")));
            }
        };
        self.request(py, Request::Answer { verdict, test })
    }

    /// Says that nobody can tell how a test should end; it is not asked for again.
    #[pyo3(signature = (test=None))]
    fn skip(&self, py: Python<'_>, test: Option<String>) -> PyResult<Option<Question>> {
        self.answer(py, "skip", test)
    }

    /// Takes an answer back: the last, or the one of this id.
    #[pyo3(signature = (id=None))]
    fn undo(&self, py: Python<'_>, id: Option<String>) -> PyResult<Option<Question>> {
        self.request(py, Request::Undo { id })
    }

    /// Says that a method is fine.
    fn fine(&self, py: Python<'_>, method: String) -> PyResult<Option<Question>> {
        self.request(py, Request::Fine { method })
    }

    /// Says that the fault is in a file.
    fn near(&self, py: Python<'_>, file: String) -> PyResult<Option<Question>> {
        self.request(py, Request::Near { file })
    }

    /// Says whether a method did what it should in a test.
    fn call(
        &self,
        py: Python<'_>,
        test: String,
        method: String,
        right: bool,
    ) -> PyResult<Option<Question>> {
        let request = Request::Call {
            test,
            method,
            right,
        };
        self.request(py, request)
    }

    /// Waits for the tests that are run, until a person has to judge or no outcome tells much; only of
    /// a session with run=True.
    fn run(&self, py: Python<'_>) -> PyResult<Option<Question>> {
        loop {
            let goes_on = self.ask(py, |held| {
                let session = &mut held.session;
                if session.runs().is_some() {
                    session.refresh()?;
                }
                Ok(session.runs().is_some_and(|runs| runs.running.is_some()))
            })?;
            if !goes_on {
                return self.request(py, Request::Run);
            }
            // Ctrl-C leaves the test that runs to the next call, or to `close`.
            py.check_signals()?;
            py.detach(|| std::thread::sleep(BETWEEN_LOOKS));
        }
    }

    /// Takes over what others have answered meanwhile.
    fn refresh(&self, py: Python<'_>) -> PyResult<Option<Question>> {
        self.request(py, Request::Show)
    }

    /// The suspects as a map: areas are lines that the failing test runs, shades are suspicion.
    #[getter]
    fn map(&self, py: Python<'_>) -> PyResult<Figure> {
        let (svg, caption) = self.ask(py, |held| Ok(session_map(&held.session)))?;
        Ok(Figure::new(&svg, caption))
    }

    /// Closes the case file. Every answer is in it already.
    fn close(&self, py: Python<'_>) {
        // Tests that run are ended, which may take a moment.
        py.detach(|| drop(self.locked().take()));
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) {
        self.close(py);
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(
            py,
            |held| Ok(session_cell(&held.session, &held.view).html()),
        )
    }

    fn __repr__(&self) -> String {
        format!("Session({})", self.case.display())
    }
}

impl Session {
    fn locked(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut Held) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        detached(py, || match &mut *self.locked() {
            Some(held) => question(held),
            None => {
                let message = format!("{}: the session is closed", self.case.display());
                Err(Failure::new(FailureKind::Usage, message).hint("open another one"))
            }
        })
    }

    fn request(&self, py: Python<'_>, request: Request) -> PyResult<Option<Question>> {
        self.ask(py, |held| {
            let reply = handle(&mut held.session, request, self.suspects)?;
            if let Reply::State(view) = reply {
                held.view = *view;
            }
            Ok(held.view.next.as_ref().map(question))
        })
    }
}

/// What a case is opened with, to label it or to look at it.
pub(crate) struct Opening {
    pub(crate) failing: Option<String>,
    pub(crate) metric: Option<String>,
    pub(crate) model: Option<PathBuf>,
    pub(crate) origins: Vec<String>,
    pub(crate) start: fdc_core::Start,
    pub(crate) trust: f64,
    pub(crate) who: Option<String>,
    pub(crate) source: Option<PathBuf>,
    pub(crate) scoring: Scoring,
}

type Open = fn(&Path, Option<&str>, Metric, SessionOptions) -> Result<fdc::label::Session, Failure>;

impl Opening {
    pub(crate) fn open(&self, open: Open, case: &Path) -> Result<fdc::label::Session, Failure> {
        let model = self.model.as_deref();
        let metric = catalogue::asked_for(self.metric.as_deref(), model)?;
        let options = SessionOptions {
            start: self.start,
            origins: self.origins.clone(),
            trust: self.trust,
            who: self.who.clone().unwrap_or_else(logged_in),
            scoring: self.scoring.beside_model(model)?,
        };
        let mut session = open(case, self.failing.as_deref(), metric, options)?;
        session.look_up_calls(self.source.as_deref())?;
        Ok(session)
    }
}

/// How places are computed, by Python's keywords.
pub(crate) fn scoring(
    formula: &str,
    tie: &str,
    aggregate: Option<&str>,
    faults: &str,
) -> PyResult<Scoring> {
    let scores = ScoreSource::named(formula).map_err(|nearest| {
        let list = "fdc.formulas() lists all formulas";
        exception(unknown("formula", formula, nearest, list))
    })?;
    let aggregate = aggregate.map(|name| one_of("aggregate", name));
    let (tie, faults) = (one_of("tie", tie)?, one_of("faults", faults)?);
    Scoring::new(scores, aggregate.transpose()?, tie, faults).map_err(exception)
}

pub(crate) fn checked(trust: f64) -> PyResult<f64> {
    match (0.5..=1.0).contains(&trust) {
        true => Ok(trust),
        false => Err(wrong(format!(
            "trust: expected a number from 0.5 to 1, found {trust}"
        ))),
    }
}

fn question(next: &NextTest) -> Question {
    let moves = |answered: &fdc::label::outlook::Answered| {
        let moves = answered.moves.iter();
        let moves = moves.map(|own| (own.method.clone(), own.from, own.to));
        moves.collect()
    };
    let covers = next.covers.iter();
    Question {
        test: next.test.clone(),
        score: next.score,
        why: next.reason.words(),
        covers: covers
            .map(|own| (own.method.clone(), own.lines.clone()))
            .collect(),
        if_passes: moves(&next.if_passes),
        if_fails: moves(&next.if_fails),
    }
}
