//! Long work: it runs on a thread of its own, while the calling one tells `progress=` how far it is
//! and looks out for Ctrl-C.

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use fdc::{Failure, FailureKind, Watch};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

use crate::error::{caught, exception};

/// How far long work is.
#[pyclass(frozen, get_all, skip_from_py_object, module = "fdc", eq)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// What is being done; empty where there is only one thing.
    pub stage: String,
    /// Steps that are done.
    pub done: u64,
    /// Steps in all; None if nobody knows yet.
    pub total: Option<u64>,
    /// The last step.
    pub step: String,
}

#[pymethods]
impl Progress {
    fn __str__(&self) -> String {
        let of = self.total.map_or("?".to_owned(), |total| total.to_string());
        let words = [&self.stage, &self.step].map(|text| text.as_str());
        let words: Vec<&str> = words.into_iter().filter(|text| !text.is_empty()).collect();
        let words = words.join(": ");
        format!("{}/{of} {words}", self.done).trim_end().to_owned()
    }

    fn __repr__(&self) -> String {
        format!("Progress({})", self.__str__())
    }
}

/// How often signals are looked for.
const PATIENCE: Duration = Duration::from_millis(50);
/// As much as a main thread has.
const STACK: usize = 8 << 20;

/// Does long work without holding the interpreter; what it gives, and what a person should know of it.
/// A signal or an exception of `progress` ends it where nothing is lost, and is raised then.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Watch) -> Result<T, Failure> + Send,
) -> PyResult<(T, Vec<String>)> {
    let looked_on = LookedOn::default();
    let mut trouble = None;
    let answer = thread::scope(|scope| {
        let work = || {
            let answer = caught(|| work(&looked_on));
            looked_on.tell(|state| state.ended = true);
            answer
        };
        let worker = thread::Builder::new().stack_size(STACK);
        let worker = worker.spawn_scoped(scope, work).map_err(|error| {
            Failure::new(
                FailureKind::NoAccess,
                format!("no thread to work on: {error}"),
            )
        })?;
        loop {
            let (news, ended) = py.detach(|| looked_on.wait());
            if trouble.is_none() {
                let told = py.check_signals().and_then(|()| tell(progress, news));
                trouble = told.err();
                looked_on.stop.store(trouble.is_some(), Ordering::SeqCst);
            }
            if ended {
                return worker
                    .join()
                    .unwrap_or_else(|panic| caught(|| std::panic::resume_unwind(panic)));
            }
        }
    });
    let (notes, warnings) = looked_on.said();
    if let Some(error) = trouble {
        match answer {
            Err(failure) if failure.kind != FailureKind::Interrupted => {
                error.set_cause(py, Some(exception(failure)));
            }
            _ => {}
        }
        return Err(error);
    }
    for warning in warnings {
        warn(py, &warning)?;
    }
    Ok((answer.map_err(exception)?, notes))
}

/// Says something that must not be overlooked.
pub(crate) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)
}

fn tell(progress: Option<&Bound<'_, PyAny>>, news: Option<Progress>) -> PyResult<()> {
    match (progress, news) {
        (Some(progress), Some(news)) => progress.call1((news,)).map(drop),
        _ => Ok(()),
    }
}

/// What the working thread says, and the calling one hears.
#[derive(Default)]
struct LookedOn {
    state: Mutex<State>,
    changed: Condvar,
    stop: AtomicBool,
}

#[derive(Default)]
struct State {
    progress: Progress,
    notes: Vec<String>,
    warnings: Vec<String>,
    /// There is progress that was not told.
    news: bool,
    ended: bool,
}

impl LookedOn {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    fn advance(&self, change: impl FnOnce(&mut Progress)) {
        self.tell(|state| {
            change(&mut state.progress);
            state.news = true;
        });
    }

    /// The progress, if there is any, at the latest when signals are to be looked for; and whether the
    /// work has ended.
    fn wait(&self) -> (Option<Progress>, bool) {
        let nothing = |state: &mut State| !state.news && !state.ended;
        let waited = self
            .changed
            .wait_timeout_while(self.state(), PATIENCE, nothing);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let news = std::mem::take(&mut state.news).then(|| state.progress.clone());
        (news, state.ended)
    }

    fn said(self) -> (Vec<String>, Vec<String>) {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        (state.notes, state.warnings)
    }
}

impl Watch for LookedOn {
    fn stage(&self, title: &str, steps: u64) {
        self.advance(|progress| {
            *progress = Progress {
                stage: title.to_owned(),
                total: (steps > 0).then_some(steps),
                ..Progress::default()
            };
        });
    }

    fn planned(&self, steps: u64) {
        self.advance(|progress| progress.total = Some(steps));
    }

    fn finished(&self, step: &str) {
        self.advance(|progress| {
            progress.done += 1;
            step.clone_into(&mut progress.step);
        });
    }

    fn at(&self, done: u64, what: &str) {
        self.advance(|progress| {
            progress.done = done;
            what.clone_into(&mut progress.step);
        });
    }

    fn note(&self, text: &str) {
        self.tell(|state| state.notes.push(text.to_owned()));
    }

    fn warn(&self, text: &str) {
        self.tell(|state| state.warnings.push(text.to_owned()));
    }

    fn asked_to_stop(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }
}
