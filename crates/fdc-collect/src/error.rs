use std::path::Path;

use fdc_case::FileError;

use crate::process::ToolLog;

/// What a run gives, or why it cannot go on.
pub type Result<T, E = RunError> = std::result::Result<T, E>;

/// Why a collection or a generation cannot go on. What was done before is kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The case file, or another file.
    #[error(transparent)]
    File(#[from] FileError),
    /// It cannot be done so.
    #[error("{message}")]
    Refused {
        /// Whose matter it is.
        cause: Cause,
        /// What is wrong.
        message: String,
        /// What to do, with the end of a tool's own words if it said something; may be empty.
        hint: String,
    },
    /// Somebody asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Why something is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// What is asked for does not go together.
    Usage,
    /// What was given cannot be used.
    Input,
    /// There is no test to measure.
    NoTests,
    /// The project does not compile.
    Build,
    /// An outside tool is missing or failed.
    Tool,
}

impl RunError {
    /// What is asked for does not go together.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        RunError::refused(Cause::Usage, message, hint)
    }

    /// What was given cannot be used.
    pub fn input(message: impl Into<String>, hint: impl Into<String>) -> Self {
        RunError::refused(Cause::Input, message, hint)
    }

    pub(crate) fn no_tests(message: String, hint: &str) -> Self {
        RunError::refused(Cause::NoTests, message, hint)
    }

    pub(crate) fn build(message: impl Into<String>, hint: impl Into<String>) -> Self {
        RunError::refused(Cause::Build, message, hint)
    }

    /// An outside tool is missing or failed.
    pub fn tool(message: impl Into<String>, hint: impl Into<String>) -> Self {
        RunError::refused(Cause::Tool, message, hint)
    }

    /// A tool failed; the hint shows the end of its log.
    pub fn failed(message: impl Into<String>, log: &ToolLog) -> Self {
        RunError::tool(message, log.ending())
    }

    /// The system refused to do something with `path`.
    pub fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let error = FileError::io(path, doing);
        move |source| RunError::File(error(source))
    }

    fn refused(cause: Cause, message: impl Into<String>, hint: impl Into<String>) -> Self {
        RunError::Refused {
            cause,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// Whose matter it is, unless it is a file or an interruption.
    pub fn cause(&self) -> Option<Cause> {
        match self {
            RunError::Refused { cause, .. } => Some(*cause),
            _ => None,
        }
    }

    /// What to do about it.
    pub fn advice(&self) -> Option<&str> {
        match self {
            RunError::File(error) => error.advice(),
            RunError::Refused { hint, .. } => (!hint.is_empty()).then_some(hint),
            RunError::Interrupted => None,
        }
    }
}
