//! Parts of a training of many models: each part is a folder of models, and a note on all of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fdc_case::FileError;
use fdc_case::parts::in_order;
use fdc_core::Shard;
use serde::{Deserialize, Serialize};

use crate::error::{Failure, Result};

const PART: &str = "part.json";
const ENDING: &str = "safetensors";

/// What is trained in all parts together, and which of these this is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct ModelsPart {
    pub(crate) shard: String,
    pub(crate) fdc: String,
    pub(crate) recipe: String,
    pub(crate) options: BTreeMap<String, String>,
    pub(crate) protocol: String,
    /// Digest of the model to start from.
    pub(crate) base: Option<String>,
    /// Digest of the bugs.
    pub(crate) data: String,
    /// All models, by name.
    pub(crate) models: Vec<String>,
}

impl ModelsPart {
    /// Notes it in a folder, which must not be another part's.
    pub(crate) fn note(&self, folder: &Path) -> Result<()> {
        let path = folder.join(PART);
        if path.exists() && read(folder)? != *self {
            let message = format!("{} holds models of other options", folder.display());
            return Err(Failure::usage(message).hint("train each part into a folder of its own"));
        }
        let text = serde_json::to_string_pretty(self).expect("plain texts") + "\n";
        Ok(fdc_case::write_whole(&path, |file| {
            file.write_all(text.as_bytes())
        })?)
    }
}

/// Where the model of a division is.
pub(crate) fn model_in(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.{ENDING}"))
}

/// Where its training is kept while it is under way.
pub(crate) fn checkpoint_of(model: &Path) -> PathBuf {
    let mut path = model.as_os_str().to_owned();
    path.push(".checkpoint");
    path.into()
}

pub(crate) fn is_part(folder: &Path) -> bool {
    folder.join(PART).is_file()
}

/// Copies the models of all parts into one folder; how many there are.
pub(crate) fn merge(parts: &[PathBuf], to: &Path) -> Result<usize> {
    let open = |path: &PathBuf| {
        let part = read(path)?;
        let shard: Option<Shard> = part.shard.parse().ok();
        Ok((path.clone(), shard.ok_or_else(|| damaged(path))?, part))
    };
    let parts = in_order(parts.iter().map(open).collect::<Result<_, FileError>>()?)?;
    let Some((first, _, whole)) = parts.first() else {
        return Ok(0);
    };
    let mut models = Vec::new();
    for (path, shard, part) in &parts {
        let like_first = ModelsPart {
            shard: whole.shard.clone(),
            ..part.clone()
        };
        if like_first != *whole {
            let expected = format!("a part of the same training as {}", first.display());
            let error = FileError::bad(path, expected, "one of other options, data or version");
            return Err(error.hint("`part.json` in each folder tells them").into());
        }
        for name in part.models.iter().filter(|name| shard.holds(name)) {
            let model = model_in(path, name);
            if !model.is_file() || checkpoint_of(&model).exists() {
                let error =
                    FileError::bad(path, format!("the model {name}"), "an interrupted training");
                return Err(error.hint("train this part to its end").into());
            }
            models.push(model);
        }
    }
    std::fs::create_dir_all(to).map_err(FileError::io(to, "make the folder"))?;
    for model in &models {
        let bytes = std::fs::read(model).map_err(FileError::io(model, "read it"))?;
        let name = model.file_name().unwrap_or_default();
        fdc_case::write_whole(&to.join(name), |file| file.write_all(&bytes))?;
    }
    Ok(models.len())
}

fn read(folder: &Path) -> Result<ModelsPart, FileError> {
    let path = folder.join(PART);
    let bytes = std::fs::read(&path).map_err(FileError::io(&path, "read it"))?;
    serde_json::from_slice(&bytes).map_err(|_| damaged(folder))
}

fn damaged(folder: &Path) -> FileError {
    FileError::bad(folder, "a part of a training", "something else")
        .hint("train this part again, into a new folder")
}
