use std::path::{Path, PathBuf};

use fdc_core::spectrum::SpectrumError;

/// What was read or written, or why that failed.
pub type Result<T, E = FileError> = std::result::Result<T, E>;

/// Why an input or output failed: which file, where in it, what was expected and what was found.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system refused.
    #[error("{}: cannot {doing}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried, e.g. "read it".
        doing: &'static str,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The content is not what it should be.
    #[error("{}: {}expected {expected}, found {found}", path.display(), place_prefix(.place))]
    Bad {
        /// The file or folder.
        path: PathBuf,
        /// Where in it, e.g. "line 3" (empty: the whole).
        place: String,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
        /// What to do.
        hint: String,
    },
}

impl FileError {
    /// Content that is not what it should be; add [`Self::at`] and [`Self::hint`].
    pub fn bad(path: &Path, expected: impl Into<String>, found: impl Into<String>) -> Self {
        FileError::Bad {
            path: path.to_owned(),
            place: String::new(),
            expected: expected.into(),
            found: found.into(),
            hint: String::new(),
        }
    }

    /// Says where.
    pub fn at(mut self, where_in_file: impl std::fmt::Display) -> Self {
        if let FileError::Bad { place, .. } = &mut self {
            *place = where_in_file.to_string();
        }
        self
    }

    /// Says what to do.
    pub fn hint(mut self, advice: impl Into<String>) -> Self {
        if let FileError::Bad { hint, .. } = &mut self {
            *hint = advice.into();
        }
        self
    }

    /// What to do about it, if there is more to say than the message does.
    pub fn advice(&self) -> Option<&str> {
        match self {
            FileError::Bad { hint, .. } if !hint.is_empty() => Some(hint),
            FileError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                Some("check the path; relative ones start from the current folder")
            }
            _ => None,
        }
    }

    /// The system refused to do something with `path`.
    pub fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| FileError::Io {
            path,
            doing,
            source,
        }
    }

    /// Parts that were read well but do not fit together.
    pub fn inconsistent(path: &Path, error: &SpectrumError) -> Self {
        let hint = match error {
            SpectrumError::Duplicate { what: "test", .. } => {
                "give every test a name of its own, e.g. with its class or parameters"
            }
            SpectrumError::Duplicate { .. } => {
                "give every method a name of its own, with its class and parameter types"
            }
            _ => "make the input again with the tool that wrote it",
        };
        FileError::bad(path, "a consistent matrix", error.to_string()).hint(hint)
    }
}

fn place_prefix(place: &str) -> String {
    let colon = if place.is_empty() { "" } else { ": " };
    format!("{place}{colon}")
}
