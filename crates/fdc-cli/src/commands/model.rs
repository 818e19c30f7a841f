//! `fdc model`: what a learned model is, and its export.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use fdc::model::{Model, model};
use fdc_learn::LEARNERS;
use fdc_learn::learner::{self, Learner};
use fdc_learn::model_file::{ModelFileError, ModelProblem};

use crate::commands::explain::passages;
use crate::commands::select::SelectFormat;
use crate::exit::{Exit, Result};
use crate::output::{put, put_json, write};

#[derive(Debug, Subcommand)]
pub(crate) enum ModelAction {
    /// Show what a model is: shape, hyper-parameters, data digest
    Show {
        /// A model file, or sharp or rlfdc for a built-in model
        #[arg(default_value = "sharp")]
        file: PathBuf,
        /// How to print
        #[arg(long, default_value = "table")]
        format: SelectFormat,
    },
    /// Write a model as ONNX
    Export {
        /// A model file of rlfdc (default: the built-in model)
        file: Option<PathBuf>,
        /// The ONNX file to write
        #[arg(long, short, value_name = "FILE")]
        out: PathBuf,
    },
}

pub(crate) fn run(action: &ModelAction) -> Result<Exit> {
    match action {
        ModelAction::Show { file, format } => {
            let model = model(file)?;
            match format {
                SelectFormat::Json => put_json(&model.document(), None)?,
                SelectFormat::Table => put(&text(&model, file), None)?,
            }
        }
        ModelAction::Export { file, out } => {
            let mut built_in = LEARNERS.iter().map(|learner| learner.built_in());
            let bytes = match file {
                None => built_in.find_map(|model| model.onnx()),
                Some(path) => Some(exported(path)?),
            };
            write(out, bytes.unwrap_or_default())?;
        }
    }
    Ok(Exit::Done)
}

fn exported(path: &Path) -> Result<Vec<u8>> {
    let (learner, model) = learner::read(path)?;
    let exports = |own: &&&dyn Learner| own.built_in().onnx().is_some();
    let exportable = LEARNERS.iter().filter(exports).map(|own| own.name());
    let exportable: Vec<&str> = exportable.collect();
    Ok(model.onnx().ok_or_else(|| ModelFileError {
        path: path.to_owned(),
        problem: ModelProblem::Kind {
            expected: exportable.join(", "),
            found: learner.name().to_owned(),
        },
    })?)
}

fn text(model: &Model, file: &Path) -> String {
    let (metric, origin) = (model.metric, model.origin());
    let (file, summary) = (file.display(), model.summary());
    let (version, digest) = (&origin.fdc_version, &origin.data_digest);
    let mut text = format!(
        "{file}: a model of {metric}, {summary}\ntrained by fdc {version} on data of digest {digest}\n\nhyper-parameters:\n"
    );
    for (key, value) in origin.hyperparameters.as_object().into_iter().flatten() {
        let plain = value.as_str().map_or(value.to_string(), str::to_owned);
        text += &format!("  {key:<14} {plain}\n");
    }
    text + "\n" + &passages(&model.features())
}
