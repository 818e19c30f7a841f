//! What else is known of past bugs: how their tests failed, and how often their files changed. One JSON
//! object per bug and line, plain or zstd-compressed (`.jsonl`, `.jsonl.zst`):
//!
//! ```json
//! {"subject":"Lang","version":1,
//!  "tests":[{"name":"pkg.ClassTest#test", "exception":"java.lang.Error", "message":"expected 3",
//!            "frames":[["pkg.Class","method",684], ...]}],
//!  "history":{"files":{"Class.java":{"commits":41, "commits_since_change":17,
//!                                    "days_since_change":12.4}, ...}}}
//! ```
//! Frames are class or file, function and line, innermost first. Files stand by their name without
//! folder; `commits_since_change` counts the change itself: 1 is the newest commit. Everything but the
//! names may be left out or null; other keys are passed over.

use std::collections::HashMap;
use std::path::Path;

use fdc_case::Result;
use fdc_core::evidence::{FailureRecord, FileHistory, Frame};
use fdc_core::spectrum::{Bug, Spectrum};
use serde::Deserialize;

use crate::dataset::json_error;
use crate::read_bytes;

/// What is known of one bug.
#[derive(Debug)]
pub(crate) struct BugEvidence {
    pub(crate) bug: Bug,
    /// By the test's name.
    failures: HashMap<String, FailureRecord>,
    /// By the file's name without folder.
    history: HashMap<String, FileHistory>,
}

impl BugEvidence {
    /// Joins it with the bug's tests and files; what is of others says nothing.
    pub(crate) fn add_to(mut self, spectrum: &mut Spectrum) {
        for test in &mut spectrum.tests {
            if let Some(failure) = self.failures.remove(&test.name) {
                test.failure = Some(failure);
            }
        }
        if !self.history.is_empty() {
            let files = spectrum.program.files.iter();
            spectrum.history = files.map(|file| self.history_of(file)).collect();
        }
    }

    /// Of a path, or of a class where the program has no paths.
    fn history_of(&self, file: &str) -> Option<FileHistory> {
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let class = || format!("{}.java", name.rsplit('.').next().unwrap_or(name));
        let known = self.history.get(name);
        known.or_else(|| self.history.get(&class())).copied()
    }
}

#[derive(Deserialize)]
struct BugEntry {
    subject: String,
    version: u32,
    tests: Vec<TestEntry>,
    history: Option<HistoryEntry>,
}

#[derive(Deserialize)]
struct HistoryEntry {
    files: HashMap<String, FileEntry>,
}

#[derive(Deserialize)]
struct FileEntry {
    commits: u32,
    commits_since_change: u32,
    days_since_change: f64,
}

#[derive(Deserialize)]
struct TestEntry {
    name: String,
    exception: Option<String>,
    message: Option<String>,
    frames: Option<Vec<(String, String, i64)>>,
}

/// Reads a file of them.
pub(crate) fn read(path: &Path) -> Result<Vec<BugEvidence>> {
    let bytes = read_bytes(path)?;
    let lines = bytes.split(|&byte| byte == b'\n');
    let filled = lines
        .zip(1..)
        .filter(|(line, _)| !line.trim_ascii().is_empty());
    filled
        .map(|(line, number)| {
            let entry = serde_json::from_slice::<BugEntry>(line);
            let error = |error| json_error(path, &error).at(format!("line {number}"));
            Ok(entry.map_err(error)?.into())
        })
        .collect()
}

impl From<BugEntry> for BugEvidence {
    fn from(entry: BugEntry) -> Self {
        let failure = |test: TestEntry| {
            let frames = test.frames.unwrap_or_default().into_iter();
            let record = FailureRecord {
                exception: test.exception,
                message: test.message,
                frames: frames.map(Frame::from).collect(),
                source: None,
            };
            (test.name, record)
        };
        let history = |(name, file): (String, FileEntry)| {
            let known = FileHistory {
                commits: file.commits,
                commits_since_change: file.commits_since_change.saturating_sub(1),
                days_since_change: file.days_since_change,
            };
            (name, known)
        };
        let files = entry.history.map(|history| history.files);
        BugEvidence {
            bug: Bug {
                subject: entry.subject,
                version: entry.version,
            },
            failures: entry.tests.into_iter().map(failure).collect(),
            history: files.into_iter().flatten().map(history).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bugs_are_read_line_by_line_and_a_broken_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("evidence.jsonl");
        let line = r#"{"subject":"S","version":2,"tests":[{"name":"t","exception":null,"frames":[["pkg.C","m",-2]],"calls":[]}]}"#;
        std::fs::write(&path, format!("{line}\n\n{line}\n")).unwrap();
        let read_back = read(&path).unwrap();
        assert_eq!(read_back.len(), 2);
        let record = &read_back[1].failures["t"];
        assert_eq!(record.frames[0].line, 0);
        assert_eq!(record.message, None);
        std::fs::write(&path, format!("{line}\n{{}}\n")).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }

    #[test]
    fn files_are_joined_by_their_name_and_classes_by_that_of_their_file() {
        let line = br#"{"subject":"S","version":2,"tests":[],"history":{"commits":9,"files":{
            "Cart.java":{"commits":4,"of_last_100":4,"commits_since_change":1,"days_since_change":0.5},
            "tax.py":{"commits":1,"of_last_100":1,"commits_since_change":9,"days_since_change":80.0}}}}"#;
        let evidence = BugEvidence::from(serde_json::from_slice::<BugEntry>(line).unwrap());
        let since = |file| Some(evidence.history_of(file)?.commits_since_change);
        assert_eq!(since("org.x.Cart"), Some(0));
        assert_eq!(since("src/org/x/Cart.java"), Some(0));
        assert_eq!(since("shop/tax.py"), Some(8));
        assert_eq!(since("org.x.Tax"), None);
    }
}
