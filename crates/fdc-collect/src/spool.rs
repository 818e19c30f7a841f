//! The spool: how processes that run many tests report, while they run.
//!
//! Every measuring process appends lines of JSON to a file of its own in the spool folder, and goes
//! on in a new one when it is large. We read what is there; a last line without its end is not
//! finished yet. A file is removed once its process has gone on to the next.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use fdc_case::FileError;
use fdc_case::recording::{Judgement, TestRun};
use fdc_core::evidence::{FailureRecord, Frame, TestPlace};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::error::{Result, RunError};
use crate::process::{empty_folder, read_from};
use crate::{FAIL, PASS};

#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "event", rename_all = "lowercase")]
pub(crate) enum Event {
    /// The process is about to run so many tests.
    Plan {
        tests: u64,
    },
    Begin {
        test: String,
    },
    /// A file or class whose lines later events refer to.
    Unit(Unit),
    End(End),
    /// A test that was run without being measured.
    Judged(End),
    /// A test that was under way when another one ended the process: it has to be run again.
    Abandoned {
        test: String,
    },
    /// Something a person should know.
    Trouble {
        message: String,
    },
    /// The tests that fail without any change, and what became of that run.
    Baseline {
        fate: String,
        failing: Vec<String>,
        /// Not among the tests that are there.
        #[serde(default)]
        missing: Vec<String>,
    },
    /// A mutant is about to be tried.
    Mutating {
        id: u64,
    },
    /// It has been.
    Mutant {
        id: u64,
        /// The name of a [`Fate`](fdc_case::mutants::Fate); another if it could not be tried so.
        fate: String,
        seconds: f64,
        kills: Vec<KilledBy>,
        /// It changed files of the project's copy, which were put back.
        #[serde(default)]
        damaged: bool,
        /// It left processes running, which were ended.
        #[serde(default)]
        left_running: bool,
        /// What its tests take without it, if that was looked at.
        #[serde(default)]
        without: Option<f64>,
    },
    /// The process has run all it should.
    Bye,
}

/// A test that failed with a mutant.
#[derive(Debug, Deserialize, PartialEq)]
pub(crate) struct KilledBy {
    pub(crate) test: String,
    pub(crate) note: Option<String>,
    pub(crate) failure: Option<Failed>,
}

#[derive(Debug, Deserialize, PartialEq)]
pub(crate) struct Unit {
    /// Its number in this spool file.
    pub(crate) id: u64,
    /// Path of the source, as the process knows it.
    pub(crate) file: String,
    pub(crate) class: Option<String>,
    /// Probes by function, end to end. Without, probes are line numbers.
    pub(crate) functions: Option<Vec<UnitFunction>>,
}

#[derive(Debug, Deserialize, PartialEq)]
pub(crate) struct UnitFunction {
    /// Qualified name with parameter types.
    pub(crate) name: String,
    /// A line for each probe.
    pub(crate) lines: Vec<u32>,
}

#[derive(Debug, Deserialize, PartialEq)]
pub(crate) struct End {
    pub(crate) test: String,
    #[serde(deserialize_with = "judgement")]
    pub(crate) outcome: Judgement,
    pub(crate) seconds: Option<f64>,
    /// Per unit: first probe and number of probes, again and again.
    #[serde(default)]
    pub(crate) cover: BTreeMap<String, Vec<u32>>,
    /// Why it failed or was skipped.
    pub(crate) note: Option<String>,
    #[serde(default)]
    pub(crate) failure: Option<Failed>,
}

#[derive(Debug, Deserialize, PartialEq)]
pub(crate) struct Failed {
    exception: Option<String>,
    message: Option<String>,
    /// Class or file, function, line; innermost first.
    frames: Vec<(String, String, i64)>,
    /// The test's own file, first and last line.
    place: Option<(String, u32, u32)>,
}

impl End {
    /// As it is recorded.
    pub(crate) fn run<'r>(&'r self, failure: Option<&'r FailureRecord>) -> TestRun<'r> {
        TestRun {
            name: &self.test,
            judgement: self.outcome,
            seconds: self.seconds,
            note: self.note.as_deref(),
            failure,
        }
    }
}

impl From<&Failed> for FailureRecord {
    fn from(failed: &Failed) -> Self {
        let place = |(file, first, last)| TestPlace { file, first, last };
        FailureRecord {
            exception: failed.exception.clone(),
            message: failed.message.clone(),
            frames: failed.frames.iter().cloned().map(Frame::from).collect(),
            source: failed.place.clone().map(place),
        }
    }
}

fn judgement<'de, D: Deserializer<'de>>(from: D) -> Result<Judgement, D::Error> {
    match &*String::deserialize(from)? {
        "pass" => Ok(PASS),
        "fail" => Ok(FAIL),
        "skip" => Ok(Judgement::Skipped),
        other => Err(D::Error::unknown_variant(other, &["pass", "fail", "skip"])),
    }
}

pub(crate) struct Spool {
    pub(crate) folder: PathBuf,
    files: BTreeMap<PathBuf, Tail>,
    /// Per process: whether it has said goodbye.
    goodbyes: HashMap<String, bool>,
}

#[derive(Debug, Default)]
struct Tail {
    offset: u64,
    line: u64,
    rest: Vec<u8>,
}

impl Spool {
    /// An empty spool in a folder, which is made.
    pub(crate) fn create(folder: &Path) -> Result<Self> {
        empty_folder(folder)?;
        Ok(Spool::in_folder(folder))
    }

    /// A spool that somebody else has filled.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Spool {
            folder: folder.to_owned(),
            files: BTreeMap::new(),
            goodbyes: HashMap::new(),
        }
    }

    /// Whether anybody has reported, and all who did have said goodbye.
    pub(crate) fn all_said_goodbye(&self) -> bool {
        !self.goodbyes.is_empty() && self.goodbyes.values().all(|&said| said)
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.goodbyes.is_empty()
    }

    /// Calls with what is new and its file: numbers of units are per file. Whether there was any.
    pub(crate) fn read(&mut self, to: &mut impl FnMut(&Path, Event) -> Result<()>) -> Result<bool> {
        let mut news = false;
        for path in self.paths()? {
            let process = process_of(&path);
            self.goodbyes.entry(process.clone()).or_insert(false);
            let tail = self.files.entry(path.clone()).or_default();
            while let Some(events) = tail.next_events(&path)? {
                news = true;
                for event in events {
                    if event == Event::Bye {
                        self.goodbyes.insert(process.clone(), true);
                    }
                    to(&path, event)?;
                }
            }
        }
        Ok(news)
    }

    /// Removes the files that their process has left behind for a newer one, read to their end.
    pub(crate) fn clear(&mut self) -> Vec<PathBuf> {
        let mut last: HashMap<String, PathBuf> = HashMap::new();
        let mut old = Vec::new();
        for path in self.files.keys() {
            if let Some(before) = last.insert(process_of(path), path.clone()) {
                old.push(before);
            }
        }
        for path in &old {
            self.files.remove(path);
            // Best effort: the whole folder goes in the end.
            let _ = std::fs::remove_file(path);
        }
        old
    }

    fn paths(&self) -> Result<Vec<PathBuf>> {
        let listed = std::fs::read_dir(&self.folder);
        let listed = listed.map_err(RunError::io(&self.folder, "list it"))?;
        let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
        paths.sort();
        Ok(paths)
    }
}

/// The process that writes a file: its name up to the first `-`.
fn process_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('-').next().unwrap_or_default().to_owned()
}

const CHUNK: u64 = 1 << 20;

impl Tail {
    /// The events of the next piece of a file; none at its present end.
    fn next_events(&mut self, path: &Path) -> Result<Option<Vec<Event>>> {
        let bytes = read_from(path, self.offset, CHUNK).map_err(RunError::io(path, "read it"))?;
        if bytes.is_empty() {
            return Ok(None);
        }
        self.offset += bytes.len() as u64;
        self.rest.extend_from_slice(&bytes);
        let end = self.rest.iter().rposition(|&byte| byte == b'\n');
        let rest = self.rest.split_off(end.map_or(0, |end| end + 1));
        let lines = std::mem::replace(&mut self.rest, rest);
        let lines = lines.split(|&byte| byte == b'\n');
        let mut events = Vec::new();
        for line in lines.filter(|line| !line.is_empty()) {
            self.line += 1;
            events.push(serde_json::from_slice(line).map_err(|error| {
                FileError::bad(path, "an event of the spool", error.to_string())
                    .at(format_args!("line {}", self.line))
                    .hint("the tests' process wrote something else into the spool")
            })?);
        }
        Ok(Some(events))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write as _;

    fn append(path: &Path, text: &str) {
        let file = File::options().create(true).append(true).open(path);
        file.unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn news(spool: &mut Spool) -> Vec<Event> {
        let mut events = Vec::new();
        let read = spool.read(&mut |_, event| {
            events.push(event);
            Ok(())
        });
        assert_eq!(read.unwrap(), !events.is_empty());
        events
    }

    #[test]
    fn a_line_is_taken_when_its_end_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::create(&folder.path().join("spool")).unwrap();
        assert!(spool.is_silent() && news(&mut spool).is_empty());
        let path = spool.folder.join("7-a.jsonl");
        append(&path, "{\"event\":\"plan\",\"tests\":2}\n{\"event\":\"beg");
        assert_eq!(news(&mut spool), [Event::Plan { tests: 2 }]);
        append(&path, "in\",\"test\":\"t\"}\n");
        assert_eq!(news(&mut spool), [Event::Begin { test: "t".into() }]);
        assert!(!spool.all_said_goodbye());
        append(&path, "{\"event\":\"abandoned\",\"test\":\"t\"}\n");
        assert_eq!(news(&mut spool), [Event::Abandoned { test: "t".into() }]);
        append(&path, "{\"event\":\"bye\"}\n");
        assert_eq!(news(&mut spool), [Event::Bye]);
        assert!(spool.all_said_goodbye());
    }

    #[test]
    fn files_left_behind_are_removed_and_one_goodbye_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::create(&folder.path().join("spool")).unwrap();
        let (first, second) = (
            spool.folder.join("7-1.jsonl"),
            spool.folder.join("7-2.jsonl"),
        );
        append(&first, "{\"event\":\"plan\",\"tests\":2}\n");
        append(&second, "{\"event\":\"bye\"}\n");
        assert_eq!(news(&mut spool).len(), 2);
        assert_eq!(spool.clear(), std::slice::from_ref(&first));
        assert!(!first.exists() && second.exists());
        assert!(spool.all_said_goodbye());
    }

    #[test]
    fn something_else_in_the_spool_is_an_error_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::create(&folder.path().join("spool")).unwrap();
        append(
            &spool.folder.join("7-1.jsonl"),
            "{\"event\":\"bye\"}\nhello\n",
        );
        let error = spool.read(&mut |_, _| Ok(())).unwrap_err().to_string();
        assert!(
            error.contains("7-1.jsonl: line 2: expected an event of the spool"),
            "{error}"
        );
    }
}
