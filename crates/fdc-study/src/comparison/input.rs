//! Where compared runs come from: results folders, their Parquet files, published ranks.

use std::path::{Path, PathBuf};

use fdc_case::FileError;
use fdc_formats::InputSample;
use serde_json::Value;

use crate::run::StudyRun;
use crate::{published, results};

/// The runs of one file or folder.
#[derive(Clone, Debug)]
pub struct ResultsInput {
    /// A short name that tells it from the other inputs.
    pub name: String,
    /// Its runs.
    pub runs: Vec<StudyRun>,
    /// What it was made with, if it is a results folder.
    pub options: Option<Value>,
}

impl ResultsInput {
    /// Reads inputs; each is recognised by its content.
    pub fn read_all(paths: &[PathBuf]) -> Result<Vec<ResultsInput>, FileError> {
        let short: Vec<String> = paths.iter().map(|path| short_name(path)).collect();
        let name = |index: usize| {
            let unique = short.iter().filter(|&other| *other == short[index]).count() == 1;
            match unique {
                true => short[index].clone(),
                false => paths[index].display().to_string(),
            }
        };
        let inputs = paths.iter().enumerate().map(|(index, path)| {
            Ok(ResultsInput {
                name: name(index),
                runs: read(path)?,
                options: path.is_dir().then(|| results::options(path).ok()).flatten(),
            })
        });
        inputs.collect()
    }
}

/// Options in which results folders differ, a sentence each: it may be the very point, or a slip.
pub fn differences(inputs: &[ResultsInput]) -> Vec<String> {
    let known = inputs.iter();
    let mut known = known.filter_map(|input| Some((&*input.name, input.options.as_ref()?)));
    let mut notes = Vec::new();
    let Some((first_name, first)) = known.next() else {
        return notes;
    };
    for (name, options) in known {
        let keys = "protocol tests seeds max_failing formula tie aggregate";
        for key in keys.split(' ').filter(|&key| first[key] != options[key]) {
            let (here, there) = (&first[key], &options[key]);
            notes.push(format!(
                "{key} is {here} in {first_name}, {there} in {name}"
            ));
        }
        let changed = changed_inputs(first, options);
        if changed > 0 {
            notes.push(format!(
                "the data of {changed} bugs differ between {first_name} and {name}"
            ));
        }
    }
    notes
}

/// Bugs that both were run on, with different data.
fn changed_inputs(a: &Value, b: &Value) -> usize {
    let (Some(a), Some(b)) = (a["inputs"].as_object(), b["inputs"].as_object()) else {
        return 0;
    };
    let changed = |(bug, digest): &(&String, &Value)| b.get(*bug).is_some_and(|b| b != *digest);
    a.iter().filter(changed).count()
}

fn read(path: &Path) -> Result<Vec<StudyRun>, FileError> {
    const EXPECTED: &str = "a results folder, its results.parquet, or published ranks in CSV";
    let bad = |found: &str| {
        FileError::bad(path, EXPECTED, found)
            .hint("make results with `fdc evaluate DATA --metrics ... -o FOLDER`")
    };
    if path.is_dir() {
        let mut files = ["results.parquet", "journal.jsonl"].iter();
        if files.any(|name| path.join(name).exists()) {
            return results::read(path);
        }
        return Err(bad("a folder without results.parquet"));
    }
    let sample = InputSample::of(path)?;
    if sample.head.starts_with(b"PAR1") {
        results::read(path)
    } else if sample.text().starts_with("metric,subject,version,run") {
        published::read(path)
    } else {
        Err(bad(&sample.describe()))
    }
}

/// The folder's name or the file's without its endings; `results.parquet` goes by its folder.
fn short_name(path: &Path) -> String {
    let named = match path.file_name() {
        Some(name) if name == "results.parquet" => path.parent().unwrap_or(path),
        _ => path,
    };
    let named = named.canonicalize().unwrap_or_else(|_| named.to_owned());
    let name = named.file_name().unwrap_or_default().to_string_lossy();
    if path.is_dir() {
        return name.into_owned();
    }
    let mut name = &*name;
    for ending in [".zst", ".csv", ".parquet"] {
        name = name.strip_suffix(ending).unwrap_or(name);
    }
    name.to_owned()
}
