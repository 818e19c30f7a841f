//! Errors as exceptions. All are `fdc.FdcError`, and what Python calls such a thing: a wrong value,
//! a file that cannot be read, a name that is not there. Message and advice are the program's.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use fdc_case::FileError;
use fdc_core::failing::FailingError;
use fdc_core::fitness::FitnessError;
use fdc_core::metric::MetricError;
use fdc_core::spectrum::SpectrumError;
use fdc_draw::text::printable_name;
use fdc_learn::catalogue::CatalogueError;
use fdc_learn::model_file::{ModelFileError, ModelProblem};
use pyo3::prelude::*;

/// Which exception it becomes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `fdc.InputError`, a `ValueError`.
    Input,
    /// `fdc.FileError`, an `OSError`.
    File,
    /// `fdc.UnknownError`, a `KeyError`.
    Unknown,
    /// `fdc.BugError`, a `RuntimeError`.
    Bug,
}

/// Why a call cannot be answered.
#[derive(Debug)]
pub struct Problem {
    kind: Kind,
    message: String,
    hint: Option<String>,
}

impl Problem {
    /// A problem without advice.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Problem {
            kind,
            message: message.into(),
            hint: None,
        }
    }

    /// Adds what to do.
    pub fn hint(mut self, advice: impl Into<String>) -> Self {
        self.hint = Some(advice.into());
        self
    }

    /// A name that is not in a table.
    pub fn unknown(what: &str, name: &str, nearest: Option<&str>, list: &str) -> Self {
        let guess = nearest.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
        let message = format!("unknown {what} {name:?}{guess}");
        Problem::new(Kind::Unknown, message).hint(list)
    }
}

/// Runs long work without holding the interpreter. A panic becomes an exception.
pub fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Problem> + Send,
) -> PyResult<T> {
    let answer = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    let answer = answer.unwrap_or_else(|panic| Err(bug(&*panic)));
    Ok(answer?)
}

fn bug(panic: &(dyn Any + Send)) -> Problem {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Problem::new(Kind::Bug, format!("a bug in fdc: {text}"))
        .hint("please report it, with what you called")
}

impl From<Problem> for PyErr {
    fn from(problem: Problem) -> Self {
        let name = match problem.kind {
            Kind::Input => "InputError",
            Kind::File => "FileError",
            Kind::Unknown => "UnknownError",
            Kind::Bug => "BugError",
        };
        Python::attach(|py| {
            let made = py
                .import("fdc.errors")
                .and_then(|module| module.getattr(name))
                .and_then(|class| class.call1((problem.message, problem.hint)));
            made.map_or_else(|error| error, PyErr::from_value)
        })
    }
}

impl From<FileError> for Problem {
    fn from(error: FileError) -> Self {
        let kind = match &error {
            FileError::Io { .. } => Kind::File,
            FileError::Bad { .. } => Kind::Input,
        };
        Problem {
            kind,
            message: error.to_string(),
            hint: error.advice().map(str::to_owned),
        }
    }
}

impl From<FailingError> for Problem {
    fn from(error: FailingError) -> Self {
        let kind = match &error {
            FailingError::Unknown { .. } => Kind::Unknown,
            _ => Kind::Input,
        };
        let (message, hint) = match &error {
            FailingError::Several { count, .. } => (
                format!("{count} tests fail: name one with failing="),
                error.advice(),
            ),
            FailingError::None { .. } => (
                error.to_string(),
                "name the failing one with failing=, or set outcomes with failed=".to_owned(),
            ),
            _ => (error.to_string(), error.advice()),
        };
        Problem::new(kind, printable_name(&message)).hint(printable_name(&hint))
    }
}

impl From<MetricError> for Problem {
    fn from(error: MetricError) -> Self {
        let kind = match &error {
            MetricError::UnknownMetric { .. } => Kind::Unknown,
            _ => Kind::Input,
        };
        Problem::new(kind, error.to_string())
            .hint("fdc.metrics() lists all metrics with their parameters")
    }
}

impl From<ModelFileError> for Problem {
    fn from(error: ModelFileError) -> Self {
        let kind = match &error.problem {
            ModelProblem::Read(_) => Kind::File,
            _ => Kind::Input,
        };
        Problem::new(kind, error.to_string()).hint(error.problem.hint())
    }
}

impl From<CatalogueError> for Problem {
    fn from(error: CatalogueError) -> Self {
        match error {
            CatalogueError::Metric(error) => error.into(),
            CatalogueError::Model(error) => error.into(),
            CatalogueError::NotLearned { .. } => Problem::new(Kind::Input, error.to_string())
                .hint("leave model= out, or choose by sharp or rlfdc"),
        }
    }
}

impl From<FitnessError> for Problem {
    fn from(error: FitnessError) -> Self {
        let problem = Problem::new(Kind::Input, error.to_string());
        match error {
            FitnessError::SeesOutcomes { .. } => {
                problem.hint("fdc.metrics() says which metrics see outcomes")
            }
            FitnessError::NoElements | FitnessError::Length { .. } => problem,
        }
    }
}

impl From<SpectrumError> for Problem {
    fn from(error: SpectrumError) -> Self {
        Problem::new(Kind::Input, error.to_string())
    }
}
