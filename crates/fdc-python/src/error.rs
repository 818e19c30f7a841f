//! Failures as exceptions. All are `fdc.FdcError`, and what Python calls such a thing: a wrong
//! value, a file that cannot be read, a name that is not there.

use std::panic::{AssertUnwindSafe, catch_unwind};

use fdc::{Failure, FailureKind, Remedy};
use fdc_core::Named;
use pyo3::prelude::*;

/// Runs long work without holding the interpreter. A panic becomes an exception.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let answer = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    let answer = answer.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let message = format!("a bug in fdc: {}", text.unwrap_or("no message"));
        let failure = Failure::new(FailureKind::Bug, message);
        Err(failure.hint("please report it, with what you called"))
    });
    answer.map_err(exception)
}

pub(crate) fn exception(failure: impl Into<Failure>) -> PyErr {
    let failure = failure.into();
    let name = match failure.kind {
        FailureKind::Usage | FailureKind::BadInput => "InputError",
        FailureKind::NoAccess => "FileError",
        FailureKind::UnknownName => "UnknownError",
        FailureKind::Bug => "BugError",
        FailureKind::OutsideTool | FailureKind::Interrupted => "FdcError",
    };
    let (message, hint) = words(failure);
    Python::attach(|py| {
        let class = py
            .import("fdc.errors")
            .and_then(|module| module.getattr(name));
        let made = class.and_then(|class| class.call1((message, hint)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

/// That a value is not what it should be.
pub(crate) fn wrong(message: impl Into<String>) -> PyErr {
    exception(Failure::input(message))
}

/// What is wrong and what to do, in Python's words.
fn words(failure: Failure) -> (String, Option<String>) {
    let mut message = failure.message;
    let hint = failure.remedy.map(|remedy| match remedy {
        Remedy::Words(words) => words,
        Remedy::NameFailing { count, listed } => {
            message = format!("{count} tests fail: name one with failing=");
            listed
        }
        Remedy::GiveOutcomes => {
            "name the failing one with failing=, or set outcomes with failed=".to_owned()
        }
        Remedy::NameSources(path) => {
            message = format!("{}: source names no folder", path.display());
            "give the folder of the sources that were measured".to_owned()
        }
        Remedy::NameRoot => "source takes the project's root folder".to_owned(),
        Remedy::ListMetrics | Remedy::ExplainMetric(_) => {
            "fdc.metrics() lists all metrics with their parameters".to_owned()
        }
        Remedy::ListSeeing => "fdc.metrics() says which metrics see outcomes".to_owned(),
        Remedy::LeaveModelOut => "leave model= out, or choose by sharp or rlfdc".to_owned(),
    });
    (message, hint)
}

/// A name that is not in a table.
pub(crate) fn unknown(what: &str, name: &str, nearest: Option<&str>, list: &str) -> Failure {
    let guess = nearest.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
    let message = format!("unknown {what} {name:?}{guess}");
    Failure::new(FailureKind::UnknownName, message).hint(list)
}

/// The value of that name.
pub(crate) fn one_of<T: Named>(what: &str, name: &str) -> PyResult<T> {
    T::named(name).ok_or_else(|| {
        let names: Vec<&str> = T::TABLE.iter().map(|(_, name, _)| *name).collect();
        let expected = names.join(", ");
        wrong(format!(
            "{what}: expected one of {expected}, found {name:?}"
        ))
    })
}
