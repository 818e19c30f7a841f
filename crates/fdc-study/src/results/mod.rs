//! Results on disk: a folder with
//! - `options.json`: everything asked for, resolved, with versions and input digests;
//! - `journal.jsonl`: finished units while the work is under way, a line each with its checksum;
//! - `part.json`: what a part of the results holds ([`parts`]);
//! - `results.parquet`: the records, once all are done ([`table`] lists the columns of runs,
//!   [`labellings`] those of labellings).
//!
//! A folder holds results of one set of options; it refuses to be mixed with others.

mod columns;
pub mod labellings;
pub mod options;
pub mod parts;
pub mod table;

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use fdc_case::FileError;
use fdc_core::Shard;
use fdc_core::spectrum::Bug;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::evaluate::StudyUnit;
use options::ResultsOptions;

const OPTIONS: &str = "options.json";
const JOURNAL: &str = "journal.jsonl";
const TABLE: &str = "results.parquet";

/// What work leaves behind, and its table.
pub trait Record: Clone + Send + Serialize + DeserializeOwned {
    /// On which bug.
    fn bug(&self) -> Bug;

    /// Writes a table, whole or not at all.
    fn write(path: &Path, records: &[Self]) -> Result<(), FileError>;

    /// Reads it back.
    fn read(path: &Path) -> Result<Vec<Self>, FileError>;
}

/// Results being gathered, in a folder or in memory.
pub struct StudyResults<R> {
    /// The folder and its journal.
    place: Option<(PathBuf, File)>,
    finished: HashMap<StudyUnit, Vec<R>>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Finished<R> {
    unit: StudyUnit,
    #[serde(rename = "runs")]
    records: Vec<R>,
}

/// Why a results folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// It holds results of other options.
    #[error("{}: holds results of other options: {difference}", folder.display())]
    OtherOptions {
        /// The folder.
        folder: PathBuf,
        /// The first option that differs.
        difference: String,
    },
    /// It cannot be read or written.
    #[error(transparent)]
    Format(#[from] FileError),
}

impl<R: Record> StudyResults<R> {
    /// Opens a folder for these options: a new one, or one that holds the same options.
    pub fn open(folder: &Path, options: &ResultsOptions<'_>) -> Result<Self, ResultsError> {
        Self::open_with(
            folder,
            &serde_json::to_value(options).expect("plain fields"),
        )
    }

    fn open_with(folder: &Path, options: &Value) -> Result<Self, ResultsError> {
        std::fs::create_dir_all(folder).map_err(FileError::io(folder, "make the folder"))?;
        let path = folder.join(OPTIONS);
        if path.exists() {
            let found = read_json(&path)?;
            if let Some(difference) = difference(&found, options) {
                return Err(ResultsError::OtherOptions {
                    folder: folder.to_owned(),
                    difference,
                });
            }
        } else {
            let text = serde_json::to_string_pretty(options).expect("plain JSON") + "\n";
            fdc_case::write_whole(&path, |file| file.write_all(text.as_bytes()))?;
        }
        let (journal, finished) = open_journal(&folder.join(JOURNAL))?;
        Ok(StudyResults {
            place: Some((folder.to_owned(), journal)),
            finished,
        })
    }

    /// Kept nowhere else.
    pub fn in_memory() -> Self {
        StudyResults {
            place: None,
            finished: HashMap::new(),
        }
    }

    /// The records, if they were complete on disk before.
    pub fn table(&self) -> Option<Result<Vec<R>, FileError>> {
        let (folder, _) = self.place.as_ref()?;
        let table = folder.join(TABLE);
        let read = table.exists().then(|| R::read(&table))?;
        if read.is_ok() {
            // Best effort: opening made it, or a kill left it beside the table.
            let _ = std::fs::remove_file(folder.join(JOURNAL));
        }
        Some(read)
    }

    /// Units finished so far.
    pub fn finished(&self) -> impl Iterator<Item = &StudyUnit> {
        self.finished.keys()
    }

    /// Keeps a finished unit; if there is a folder, it is on disk when this returns.
    pub fn keep(&mut self, unit: StudyUnit, records: Vec<R>) -> Result<(), ResultsError> {
        let finished = Finished { unit, records };
        if let Some((folder, journal)) = &mut self.place {
            let entry = serde_json::to_string(&finished).expect("plain fields");
            let line = format!("{} {entry}\n", checksum(entry.as_bytes()));
            let written = journal.write_all(line.as_bytes());
            written.map_err(FileError::io(&folder.join(JOURNAL), "write it"))?;
        }
        self.finished.insert(finished.unit, finished.records);
        Ok(())
    }

    /// All records in the order of `units`, as a table on disk in the journal's place. Of a part, units
    /// of other parts have none.
    pub fn complete(mut self, units: &[StudyUnit], shard: Shard) -> Result<Vec<R>, ResultsError> {
        let own = units.iter().map(|unit| self.finished.remove(unit));
        let own: Vec<Option<Vec<R>>> = own.collect();
        if let Some((folder, _)) = self.place.as_ref().filter(|_| !shard.is_whole()) {
            let counts = own.iter().map(|records| records.as_ref().map(Vec::len));
            parts::note(folder, &counts.collect::<Vec<_>>())?;
        }
        let records: Vec<R> = own.into_iter().flatten().flatten().collect();
        self.replace(&records)?;
        Ok(records)
    }

    /// Puts a table on disk in the journal's place.
    fn replace(&self, records: &[R]) -> Result<(), ResultsError> {
        if let Some((folder, _)) = &self.place {
            R::write(&folder.join(TABLE), records)?;
            let journal = folder.join(JOURNAL);
            std::fs::remove_file(&journal).map_err(FileError::io(&journal, "remove it"))?;
        }
        Ok(())
    }
}

/// The records in a results folder, or in the Parquet file itself.
pub fn read<R: Record>(path: &Path) -> Result<Vec<R>, FileError> {
    let table = match path.is_dir() {
        true => path.join(TABLE),
        false => path.to_owned(),
    };
    if !table.exists() && path.join(JOURNAL).exists() {
        let found = "an evaluation that was interrupted";
        let error = FileError::bad(path, "complete results", found);
        return Err(error.hint("run the same `fdc evaluate` again: it resumes"));
    }
    R::read(&table)
}

/// The options that a results folder was made with.
pub fn options(folder: &Path) -> Result<Value, FileError> {
    read_json(&folder.join(OPTIONS))
}

fn open_journal<R: Record>(path: &Path) -> Result<(File, HashMap<StudyUnit, Vec<R>>), FileError> {
    let mut options = OpenOptions::new();
    let opened = options.create(true).read(true).append(true).open(path);
    let mut file = opened.map_err(FileError::io(path, "write it"))?;
    let mut bytes = Vec::new();
    let read = file.read_to_end(&mut bytes);
    read.map_err(FileError::io(path, "read it"))?;
    let mut finished = HashMap::new();
    let mut whole = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        // A kill leaves the last line half written; from there on, or from where a line is damaged,
        // units are done again.
        let Some(entry) = entry_of(line).and_then(|entry| serde_json::from_slice(entry).ok())
        else {
            break;
        };
        let entry: Finished<R> = entry;
        whole += line.len();
        finished.insert(entry.unit, entry.records);
    }
    let cut = file.set_len(whole as u64);
    cut.map_err(FileError::io(path, "write it"))?;
    Ok((file, finished))
}

/// What a line of the journal holds, if it is whole.
fn entry_of(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_suffix(b"\n")?;
    let (found, entry) = line.split_at_checked(CHECKSUM)?;
    let entry = entry.strip_prefix(b" ")?;
    (found == checksum(entry).as_bytes()).then_some(entry)
}

/// Characters of a checksum: enough to notice damage.
const CHECKSUM: usize = 16;

fn checksum(bytes: &[u8]) -> String {
    let mut digest = fdc_learn::model_file::digest(bytes);
    digest.truncate(CHECKSUM);
    digest
}

fn read_json(path: &Path) -> Result<Value, FileError> {
    let bytes = std::fs::read(path).map_err(FileError::io(path, "read it"))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        FileError::bad(path, "options in JSON", error.to_string())
            .hint("the results folder is damaged: evaluate into a new one")
    })
}

/// The first key that differs, with both values.
fn difference(found: &Value, asked: &Value) -> Option<String> {
    let (found, asked) = (found.as_object()?, asked.as_object()?);
    let mut keys = found.keys().chain(asked.keys());
    let key = keys.find(|key| found.get(*key) != asked.get(*key))?;
    let short = |value: Option<&Value>| {
        let text = value.map_or("nothing".into(), Value::to_string);
        text.chars().take(60).collect::<String>()
    };
    let (there, here) = (short(found.get(key)), short(asked.get(key)));
    Some(format!("{key} is {there} there, {here} here"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_line_of_a_journal_is_not_taken() {
        let entry = r#"{"unit":1,"runs":[0.25]}"#;
        let line = format!("{} {entry}\n", checksum(entry.as_bytes()));
        assert_eq!(entry_of(line.as_bytes()), Some(entry.as_bytes()));
        for bit in 0..8 * line.len() {
            let mut bytes = line.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(entry_of(&bytes), None, "bit {bit}");
        }
        for length in 0..line.len() {
            assert_eq!(entry_of(&line.as_bytes()[..length]), None);
        }
    }
}
