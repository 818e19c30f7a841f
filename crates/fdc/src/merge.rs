//! merge: makes one case, one folder of results or one folder of models of the parts that several
//! machines made with `--shard`.

pub(crate) mod models;

use std::path::{Path, PathBuf};

use fdc_case::FileError;
use fdc_case::parts::{MergedCase, merge_cases};
use fdc_study::results::parts as results;

use crate::error::{Failure, Result};

/// What parts have become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    /// A case.
    Case(MergedCase),
    /// Results of an evaluation, with so many records.
    Results(usize),
    /// So many models.
    Models(usize),
}

/// Merges parts, given in any order; what comes out does not depend on it. All parts have to be there,
/// each once, and be of the same options, sources and version of fdc.
pub fn merge(parts: &[PathBuf], out: &Path) -> Result<Merged> {
    let Some(first) = parts.first() else {
        return Err(Failure::usage("there are no parts to merge"));
    };
    let folder = std::fs::metadata(first).map_err(FileError::io(first, "open it"))?;
    Ok(if !folder.is_dir() {
        Merged::Case(merge_cases(parts, out)?)
    } else if results::is_results(first) {
        Merged::Results(results::merge(parts, out)?)
    } else if models::is_part(first) {
        Merged::Models(models::merge(parts, out)?)
    } else {
        let error = FileError::bad(first, "a part that --shard made", "another folder");
        let hint = "name case files, or folders of `fdc evaluate` or `fdc train`";
        return Err(error.hint(hint).into());
    })
}
