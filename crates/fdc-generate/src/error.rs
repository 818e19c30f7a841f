use std::path::Path;

use fdc_case::FileError;
use fdc_collect::CollectError;

/// Why a generation cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// A file of ours, or one that was given.
    #[error(transparent)]
    File(#[from] FileError),
    /// The tests could not be run.
    #[error(transparent)]
    Collect(Box<CollectError>),
    /// The command line asks for something that does not go together.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// What was given cannot be used.
    #[error("{message}")]
    Input {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// An outside tool is missing or failed.
    #[error("{message}")]
    Tool {
        /// What is wrong.
        message: String,
        /// What to do, with the end of the tool's own words if it said something.
        hint: String,
    },
    /// Somebody asked to stop. What was made is kept; the same command goes on.
    #[error("interrupted")]
    Interrupted,
}

impl GenerateError {
    /// The command line asks for something that does not go together.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        let (message, hint) = (message.into(), hint.into());
        GenerateError::Usage { message, hint }
    }

    /// What was given cannot be used.
    pub fn input(message: impl Into<String>, hint: impl Into<String>) -> Self {
        let (message, hint) = (message.into(), hint.into());
        GenerateError::Input { message, hint }
    }

    /// An outside tool is missing or failed.
    pub fn tool(message: impl Into<String>, hint: impl Into<String>) -> Self {
        let (message, hint) = (message.into(), hint.into());
        GenerateError::Tool { message, hint }
    }

    /// The system refused to do something with `path`.
    pub fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let error = FileError::io(path, doing);
        move |source| GenerateError::File(error(source))
    }

    /// Whether somebody asked to stop.
    pub fn is_interruption(&self) -> bool {
        match self {
            GenerateError::Interrupted => true,
            GenerateError::Collect(error) => matches!(**error, CollectError::Interrupted),
            _ => false,
        }
    }

    /// What to do about it.
    pub fn advice(&self) -> Option<&str> {
        match self {
            GenerateError::File(error) => error.advice(),
            GenerateError::Collect(error) => error.advice(),
            GenerateError::Usage { hint, .. }
            | GenerateError::Input { hint, .. }
            | GenerateError::Tool { hint, .. } => (!hint.is_empty()).then_some(hint),
            GenerateError::Interrupted => None,
        }
    }
}

impl From<CollectError> for GenerateError {
    fn from(error: CollectError) -> Self {
        GenerateError::Collect(Box::new(error))
    }
}
