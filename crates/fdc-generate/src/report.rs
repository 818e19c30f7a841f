//! The report that a search writes while it goes on, one JSON object a line.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use fdc_case::FileError;
use fdc_collect::process::read_file;
use fdc_collect::{Result, RunError};
use serde::Deserialize;

use crate::summary::SearchSummary;

#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub(crate) enum SearchEvent {
    Start {
        groups: u64,
    },
    Round {
        kept: bool,
        groups: u64,
    },
    End {
        evaluations: u64,
        generations: u64,
        native_seconds: f64,
    },
}

/// A line of a report on several classes or modules.
#[derive(Deserialize)]
struct ReportLine {
    class: String,
    #[serde(flatten)]
    event: SearchEvent,
}

impl SearchSummary {
    pub(crate) fn take_in(&mut self, event: &SearchEvent) {
        match *event {
            SearchEvent::Start { groups } => self.groups = Some([groups, groups]),
            SearchEvent::Round { groups, .. } => {
                self.rounds += 1;
                if let Some([_, after]) = &mut self.groups {
                    *after = groups;
                }
            }
            SearchEvent::End {
                evaluations,
                generations,
                native_seconds,
            } => {
                self.evaluations = evaluations;
                self.generations_done = generations;
                self.native_seconds = native_seconds;
            }
        }
    }
}

/// What the lines tell of a module; all 0 if there are none.
pub(crate) fn read(path: &Path, module: &str) -> Result<SearchSummary> {
    let mut search = SearchSummary::default();
    if !path.exists() {
        return Ok(search);
    }
    let text = std::fs::read_to_string(path).map_err(RunError::io(path, "read it"))?;
    for (number, line) in (1..).zip(text.lines()) {
        let line: ReportLine = serde_json::from_str(line).map_err(|error| {
            FileError::bad(path, "a report line of the search", error.to_string())
                .at(format_args!("line {number}"))
                .hint("remove the folder, or write to another one with -o")
        })?;
        if line.class == module {
            search.take_in(&line.event);
        }
    }
    Ok(search)
}

/// Puts the lines of one search behind those of the others.
pub(crate) fn append(from: &Path, to: &Path) -> Result<()> {
    let lines = read_file(from)?;
    let file = OpenOptions::new().create(true).append(true).open(to);
    let written = file.and_then(|mut file| file.write_all(&lines));
    written.map_err(RunError::io(to, "write it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_module_are_summed_up() {
        let folder = tempfile::tempdir().unwrap();
        let (path, part) = (folder.path().join("all"), folder.path().join("part"));
        let lines = r#"{"event":"start","class":"a","elements":9,"known":4,"groups":2}
{"event":"round","class":"a","round":1,"value":0.5,"kept":true,"groups":3}
{"event":"round","class":"a","round":2,"value":null,"kept":false,"groups":3}
{"event":"end","class":"a","evaluations":7,"generations":5,"native_seconds":0.25,"tests":1}
"#;
        std::fs::write(&part, lines).unwrap();
        append(&part, &path).unwrap();
        std::fs::write(&part, lines.replace("\"a\"", "\"b\"")).unwrap();
        append(&part, &path).unwrap();
        let search = read(&path, "a").unwrap();
        assert_eq!((search.rounds, search.evaluations), (2, 7));
        assert_eq!((search.generations_done, search.native_seconds), (5, 0.25));
        assert_eq!(search.groups, Some([2, 3]));
        assert_eq!(read(&path, "c").unwrap(), SearchSummary::default());
        std::fs::write(&path, "{\"event\":\"pause\"}\n").unwrap();
        let error = read(&path, "a").unwrap_err().to_string();
        assert!(error.contains("line 1: expected a report line"), "{error}");
    }
}
