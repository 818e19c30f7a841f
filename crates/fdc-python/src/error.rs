//! Failures as exceptions. All are `fdc.FdcError`, and what Python calls such a thing: a wrong
//! value, a file that cannot be read, a name that is not there.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;

use fdc::rank::RankNote;
use fdc::{Failure, FailureKind, Remedy};
use fdc_core::Named;
use pyo3::prelude::*;

/// Runs long work without holding the interpreter. A panic becomes an exception.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(exception)
}

/// What work gives; a panic is a failure.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let message = format!("a bug in fdc: {}", text.unwrap_or("no message"));
        let failure = Failure::new(FailureKind::Bug, message);
        Err(failure.hint("please report it, with what you called"))
    })
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
    raised(name, message, hint)
}

/// That a package is missing which only this needs.
pub(crate) fn missing(package: &str) -> PyErr {
    let hint = format!("pip install {package}");
    let message = format!("the package {package} is not installed, and frames of it need it");
    raised("PackageError", message, Some(hint))
}

fn raised(name: &str, message: String, hint: Option<String>) -> PyErr {
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
    let mut message = match failure.kind {
        FailureKind::Usage => keywords(&failure.message),
        _ => failure.message,
    };
    let hint = failure.remedy.map(|remedy| match remedy {
        Remedy::Words(words) => keywords(&words),
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

/// Options of the command line as Python's keywords: `--max-failing` is `max_failing=`. What stands
/// between backticks is a command, and stays one.
pub(crate) fn keywords(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for (number, part) in text.split('`').enumerate() {
        if number > 0 {
            words.push('`');
        }
        if number % 2 == 1 {
            words += part;
            continue;
        }
        let mut rest = part;
        while let Some(at) = rest.find("--") {
            let (before, after) = (&rest[..at], &rest[at + 2..]);
            let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
            let length = after.find(|c| !is_name(c)).unwrap_or(after.len());
            words += before;
            match length > 0 && before.chars().next_back().is_none_or(|c| " (".contains(c)) {
                true => words += &format!("{}=", after[..length].replace('-', "_")),
                false => words += &rest[at..at + 2 + length],
            }
            rest = &after[length..];
        }
        words += &rest.replace(" -o", " out=");
    }
    words
}

/// What to know beside a ranking, in Python's words.
pub(crate) fn note_words(note: &RankNote) -> String {
    match note {
        RankNote::Words(words) => words.clone(),
        RankNote::SeveralFaults(faults) => format!(
            "no method explains all failing tests: {faults} faults are likely; faults=\"one\" ranks them as one"
        ),
        RankNote::FlakyLeftOut(1) => {
            "1 flaky test is left out; include_flaky=True counts it".into()
        }
        RankNote::FlakyLeftOut(n) => {
            format!("{n} flaky tests are left out; include_flaky=True counts them")
        }
        RankNote::SourcesMissing { missing, of } => format!(
            "the source of {missing} of the first {of} suspects was not found; name the project's root with source="
        ),
        RankNote::FilesMissing { missing, of } => format!(
            "{missing} of {of} suspects have no known file; name the project's root with source="
        ),
    }
}

/// A name that is not in a table.
pub(crate) fn unknown(what: &str, name: &str, nearest: Option<&str>, list: &str) -> Failure {
    let guess = nearest.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
    let message = format!("unknown {what} {name:?}{guess}");
    Failure::new(FailureKind::UnknownName, message).hint(list)
}

/// The value of that name.
pub(crate) fn one_of<T: Named>(what: &str, name: &str) -> PyResult<T> {
    among(what, name, |_| true)
}

/// The same, where one of the values is not for this call.
pub(crate) fn one_of_but<T: Named>(what: &str, name: &str, left_out: T) -> PyResult<T> {
    among(what, name, |value| value != left_out)
}

/// A value that is written in a way of its own; its default, if none is given.
pub(crate) fn parsed<T: FromStr<Err = String> + Default>(
    what: &str,
    text: Option<&str>,
) -> PyResult<T> {
    let value = text.map(|text| text.parse().map_err(|why| (text, why)));
    let value = value.transpose();
    let value = value.map_err(|(text, why)| wrong(format!("{what}: {why}, found {text:?}")))?;
    Ok(value.unwrap_or_default())
}

fn among<T: Named>(what: &str, name: &str, keep: impl Fn(T) -> bool) -> PyResult<T> {
    T::named(name).filter(|value| keep(*value)).ok_or_else(|| {
        let names: Vec<&str> = T::all().filter(|value| keep(*value)).map(T::name).collect();
        let expected = names.join(", ");
        wrong(format!(
            "{what}: expected one of {expected}, found {name:?}"
        ))
    })
}
