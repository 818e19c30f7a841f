//! Parts of an evaluation, each made on a machine of its own, and one folder of results made of them.
//!
//! A part is a results folder with the key `shard` in its options, and `part.json` beside its table:
//! which of all units it holds, with the number of records of each.

use std::path::{Path, PathBuf};

use fdc_case::FileError;
use fdc_case::parts::in_order;
use fdc_core::Shard;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ResultsError, StudyResults, difference, options, read_json};
use crate::evaluate::StudyUnit;
use crate::run::StudyRun;

const PART: &str = "part.json";
const SHARD: &str = "shard";

/// What is needed to put the records of a part between those of others.
#[derive(Debug, Deserialize, Serialize)]
struct ResultsPart {
    /// Units of all parts.
    units: usize,
    /// By place of each unit of this part among all: how many records it has.
    records: Vec<(usize, usize)>,
}

impl StudyUnit {
    /// Whether a part holds the unit. Units that share a training stay together, else those of a bug.
    pub fn is_in(&self, shard: Shard) -> bool {
        let StudyUnit {
            metric,
            division,
            seed,
            subject,
            version,
        } = self;
        match division.is_empty() {
            true => shard.holds(&format!("{subject} {version}")),
            false => shard.holds(&format!("{metric} {division} {seed}")),
        }
    }
}

/// Notes what a part holds: how many records of each unit, those of other parts left out.
pub(super) fn note(folder: &Path, records: &[Option<usize>]) -> Result<(), FileError> {
    let own = records.iter().enumerate();
    let part = ResultsPart {
        units: records.len(),
        records: own
            .filter_map(|(at, count)| Some((at, (*count)?)))
            .collect(),
    };
    let text = serde_json::to_string(&part).expect("plain numbers") + "\n";
    fdc_case::write_whole(&folder.join(PART), |file| file.write_all(text.as_bytes()))
}

/// Whether a folder holds results, whole or in part.
pub fn is_results(folder: &Path) -> bool {
    folder.join(super::OPTIONS).is_file()
}

/// Makes one folder of results of its parts, in any order: the same bytes as if everything had been
/// evaluated there. How many records it holds.
pub fn merge(parts: &[PathBuf], to: &Path) -> Result<usize, ResultsError> {
    let parts = parts.iter().map(|path| open(path));
    let parts = in_order(parts.collect::<Result<Vec<_>, FileError>>()?)?;
    let Some((first, _, (whole, _))) = parts.first() else {
        return Ok(0);
    };
    let units = read_part(first)?.units;
    let mut records: Vec<Option<Vec<StudyRun>>> = (0..units).map(|_| None).collect();
    for (path, _, (options, table)) in &parts {
        if let Some(difference) = difference(options, whole) {
            return Err(ResultsError::OtherOptions {
                folder: path.clone(),
                difference,
            });
        }
        let mut table = table.iter();
        for (at, count) in read_part(path)?.records {
            let own: Vec<StudyRun> = table.by_ref().take(count).cloned().collect();
            match records.get_mut(at) {
                Some(place @ None) if own.len() == count => *place = Some(own),
                _ => return Err(damaged(path).into()),
            }
        }
        if table.next().is_some() {
            return Err(damaged(path).into());
        }
    }
    let records: Option<Vec<Vec<StudyRun>>> = records.into_iter().collect();
    let records = records.ok_or_else(|| damaged(first))?.concat();
    let results = StudyResults::<StudyRun>::open_with(to, whole)?;
    results.replace(&records)?;
    Ok(records.len())
}

type OpenPart = (PathBuf, Shard, (Value, Vec<StudyRun>));

/// A part with the options of the whole, and its records.
fn open(folder: &Path) -> Result<OpenPart, FileError> {
    let mut options = options(folder)?;
    let shard = options.as_object_mut().and_then(|keys| keys.remove(SHARD));
    let Some(shard) = shard else {
        let error = FileError::bad(folder, "a part of results", "whole results");
        return Err(error.hint("`fdc evaluate --shard K/N` makes parts"));
    };
    let shard = shard.as_str().and_then(|text| text.parse().ok());
    let shard = shard.ok_or_else(|| damaged(folder))?;
    let records = super::read(folder)?;
    Ok((folder.to_owned(), shard, (options, records)))
}

fn read_part(folder: &Path) -> Result<ResultsPart, FileError> {
    let value = read_json(&folder.join(PART))?;
    serde_json::from_value(value).map_err(|_| damaged(folder))
}

fn damaged(folder: &Path) -> FileError {
    FileError::bad(folder, "a part of these results", "other records")
        .hint("evaluate this part again, into a new folder")
}
