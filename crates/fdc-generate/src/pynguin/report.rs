//! The report lines of the search, summed up.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use fdc_formats::FormatError;
use serde::Deserialize;

use crate::error::GenerateError;
use crate::summary::Search;

#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Line {
    Start {
        class: String,
        groups: u64,
    },
    Round {
        class: String,
        groups: u64,
    },
    End {
        class: String,
        evaluations: u64,
        generations: u64,
        native_seconds: f64,
    },
}

/// What the lines tell of a module; all 0 if there are none.
pub fn read(path: &Path, module: &str) -> Result<Search, GenerateError> {
    let mut search = Search::default();
    if !path.exists() {
        return Ok(search);
    }
    let text = std::fs::read_to_string(path).map_err(GenerateError::io(path, "read it"))?;
    for (number, line) in (1..).zip(text.lines()) {
        let line: Line = serde_json::from_str(line).map_err(|error| {
            FormatError::bad(path, "a report line of the search", error.to_string())
                .at(format_args!("line {number}"))
                .hint("remove the folder, or write to another one with -o")
        })?;
        match line {
            Line::Start { class, groups } if class == module => {
                search.groups = Some([groups, groups]);
            }
            Line::Round { class, groups } if class == module => {
                search.rounds += 1;
                if let Some([_, after]) = &mut search.groups {
                    *after = groups;
                }
            }
            Line::End {
                class,
                evaluations,
                generations,
                native_seconds,
            } if class == module => {
                search.evaluations = evaluations;
                search.generations_done = generations;
                search.native_seconds = native_seconds;
            }
            _ => {}
        }
    }
    Ok(search)
}

/// Puts the lines of one search behind those of the others.
pub fn append(from: &Path, to: &Path) -> Result<(), GenerateError> {
    let lines = std::fs::read(from).map_err(GenerateError::io(from, "read it"))?;
    let written = OpenOptions::new()
        .create(true)
        .append(true)
        .open(to)
        .and_then(|mut file| file.write_all(&lines));
    written.map_err(GenerateError::io(to, "write it"))
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
        assert_eq!(read(&path, "c").unwrap(), Search::default());
        std::fs::write(&path, "{\"event\":\"pause\"}\n").unwrap();
        let error = read(&path, "a").unwrap_err().to_string();
        assert!(error.contains("line 1: expected a report line"), "{error}");
    }
}
