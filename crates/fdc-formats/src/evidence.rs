//! How the failing tests of past bugs failed, one JSON object per bug and line, plain or
//! zstd-compressed (`.jsonl`, `.jsonl.zst`):
//!
//! ```json
//! {"subject":"Lang","version":1,
//!  "tests":[{"name":"pkg.ClassTest#test", "exception":"java.lang.Error", "message":"expected 3",
//!            "frames":[["pkg.Class","method",684], ...]}]}
//! ```
//! Frames are class or file, function and line, innermost first. Everything but the names may be left
//! out or null; other keys are passed over.

use std::path::Path;

use fdc_case::Result;
use fdc_core::evidence::{FailureRecord, Frame};
use fdc_core::spectrum::Bug;
use serde::Deserialize;

use crate::dataset::json_error;
use crate::read_bytes;

/// What is known of the failing tests of one bug.
#[derive(Debug)]
pub(crate) struct BugEvidence {
    pub(crate) bug: Bug,
    /// By the test's name.
    pub(crate) failures: Vec<(String, FailureRecord)>,
}

#[derive(Deserialize)]
struct BugEntry {
    subject: String,
    version: u32,
    tests: Vec<TestEntry>,
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
            };
            (test.name, record)
        };
        BugEvidence {
            bug: Bug {
                subject: entry.subject,
                version: entry.version,
            },
            failures: entry.tests.into_iter().map(failure).collect(),
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
        let (name, record) = &read_back[1].failures[0];
        assert_eq!((&**name, record.frames[0].line), ("t", 0));
        assert_eq!(record.message, None);
        std::fs::write(&path, format!("{line}\n{{}}\n")).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }
}
