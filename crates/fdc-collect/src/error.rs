use std::path::{Path, PathBuf};

use fdc_case::FileError;

/// Why a collector cannot go on. What was measured before stays in the case file.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// The case file, or another file of ours.
    #[error(transparent)]
    File(#[from] FileError),
    /// The command line asks for something that does not go together.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// There is nothing to measure.
    #[error("{message}")]
    NoTests {
        /// Where was looked.
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
    /// Somebody asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl CollectError {
    /// An outside tool is missing or failed.
    pub fn tool(message: impl Into<String>, hint: impl Into<String>) -> Self {
        CollectError::Tool {
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// The command line asks for something that does not go together.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        CollectError::Usage {
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// There is nothing to measure.
    pub fn no_tests(message: impl Into<String>, hint: impl Into<String>) -> Self {
        CollectError::NoTests {
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// A tool failed; the hint shows the end of its log.
    pub fn failed(message: impl Into<String>, log: &Log) -> Self {
        CollectError::tool(message, log.ending())
    }

    /// The system refused to do something with `path`.
    pub fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let error = FileError::io(path, doing);
        move |source| CollectError::File(error(source))
    }

    /// What to do about it.
    pub fn advice(&self) -> Option<&str> {
        match self {
            CollectError::File(error) => error.advice(),
            CollectError::Usage { hint, .. }
            | CollectError::NoTests { hint, .. }
            | CollectError::Tool { hint, .. } => (!hint.is_empty()).then_some(hint),
            CollectError::Interrupted => None,
        }
    }
}

/// What outside tools printed, in a file.
#[derive(Clone, Debug)]
pub struct Log {
    /// The file.
    pub path: PathBuf,
}

const ENDING_BYTES: usize = 16_384;
const ENDING_LINES: usize = 15;

impl Log {
    /// The last lines, and where the rest is.
    pub fn ending(&self) -> String {
        let lines = self.last_lines(ENDING_LINES);
        if lines.is_empty() {
            return format!("it printed nothing ({})", self.path.display());
        }
        format!(
            "its last words (all of them: {}):\n    {}",
            self.path.display(),
            lines.join("\n    ")
        )
    }

    /// The last lines that are not blank.
    pub fn last_lines(&self, count: usize) -> Vec<String> {
        let text = self.tail();
        let lines = text.lines().map(str::trim_end);
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        let first = lines.len().saturating_sub(count);
        lines[first..].iter().map(|&line| line.to_owned()).collect()
    }

    /// The end of the log as text; empty if it cannot be read.
    pub fn tail(&self) -> String {
        use std::io::{Read as _, Seek as _, SeekFrom};
        let read = || {
            let mut file = std::fs::File::open(&self.path)?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(ENDING_BYTES as u64)))?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok::<_, std::io::Error>(String::from_utf8_lossy(&bytes).into_owned())
        };
        read().unwrap_or_default()
    }
}
