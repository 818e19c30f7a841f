//! The output folder: what is in it, and how it is taken up again after a stop.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use fdc_case::{FileError, write_whole};
use fdc_collect::process::{empty_folder, make_folder, read_file};
use fdc_collect::{Result, RunError};
use serde_json::{Value, json};

use crate::Generator;
use crate::options::GenerateOptions;
use crate::summary::Summary;
use crate::target::Target;

const OPTIONS: &str = "options.json";
const SUMMARY: &str = "summary.json";

/// An output folder in use. It holds `tests/`, `classes/`, `logs/`, `pool.fdc`, `rounds.jsonl`,
/// `kept.rows`, `options.json` and, once all is done, `summary.json`; `work/` while at work.
pub(crate) struct OutputFolder {
    path: PathBuf,
    _lock: File,
}

impl OutputFolder {
    /// Makes the folder, or takes up one that was made with the same options.
    pub(crate) fn open(
        generator: &Generator,
        options: &GenerateOptions,
        target: &Target,
    ) -> Result<Self> {
        let path = options.out.clone();
        let mut record = json!({
            "schema": 1,
            "tool": generator.name,
            "case": target.case.to_string_lossy(),
            "case_digest": target.digest,
            "failing": target.failing_name(),
        });
        if let (Value::Object(all), Value::Object(own)) =
            (&mut record, options.record(generator.settings))
        {
            all.extend(own);
        }
        let file = path.join(OPTIONS);
        if file.exists() {
            check_same(&path, &file, &record)?;
        } else {
            check_empty(&path)?;
            make_folder(&path)?;
            write_json(&file, &record)?;
        }
        let lock = File::open(&file).map_err(RunError::io(&file, "open it"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!("{}: another fdc is at work there", path.display());
                return Err(RunError::usage(message, "wait for it to end"));
            }
            Err(TryLockError::Error(error)) => {
                return Err(RunError::io(&file, "lock it")(error));
            }
        }
        for made in ["logs", "work"] {
            make_folder(&path.join(made))?;
        }
        Ok(OutputFolder { path, _lock: lock })
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// A file or folder for the time of the work.
    pub(crate) fn work(&self, name: &str) -> PathBuf {
        self.path.join("work").join(name)
    }

    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.path.join("logs").join(format!("{name}.log"))
    }

    /// An empty folder for the time of the work.
    pub(crate) fn fresh(&self, name: &str) -> Result<PathBuf> {
        let path = self.work(name);
        empty_folder(&path)?;
        Ok(path)
    }

    pub(crate) fn summary(&self) -> Result<Option<Summary>> {
        let path = self.at(SUMMARY);
        if !path.exists() {
            return Ok(None);
        }
        let text = read_file(&path)?;
        let summary = serde_json::from_slice(&text).map_err(|error| {
            FileError::bad(&path, "a summary of this fdc", error.to_string())
                .hint("remove the folder, or write to another one with -o")
        })?;
        Ok(Some(summary))
    }

    /// Writes the summary, and with it the folder is complete.
    pub(crate) fn finish(self, summary: &Summary) -> Result<()> {
        write_json(&self.at(SUMMARY), summary)?;
        // Best effort: all that counts is in place.
        let _ = std::fs::remove_dir_all(self.path.join("work"));
        Ok(())
    }
}

fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), FileError> {
    let text = serde_json::to_string_pretty(value).expect("plain data becomes JSON");
    write_whole(path, |out| writeln!(out, "{text}"))
}

fn check_empty(path: &Path) -> Result<()> {
    let entries = std::fs::read_dir(path).into_iter().flatten();
    if entries.count() == 0 {
        return Ok(());
    }
    let message = format!("{}: the folder is not empty", path.display());
    Err(RunError::usage(message, "name a new folder with -o"))
}

fn check_same(path: &Path, file: &Path, record: &Value) -> Result<()> {
    let text = read_file(file)?;
    let known: Value = serde_json::from_slice(&text)
        .map_err(|error| FileError::bad(file, "options as JSON", error.to_string()))?;
    let keys = record.as_object().into_iter().flat_map(|all| all.keys());
    let Some(key) = keys.into_iter().find(|&key| known[key] != record[key]) else {
        return Ok(());
    };
    let (path, known, here) = (path.display(), &known[key], &record[key]);
    let message = format!(
        "{path}: the folder was made with other options: {key} is {known} there, {here} here"
    );
    let hint = "name a new folder with -o, or remove this one";
    Err(RunError::usage(message, hint))
}
