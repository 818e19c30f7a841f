//! `fdc model`: what a learned model is, and its export.

use std::fmt::Write as _;
use std::path::Path;

use fdc_learn::LEARNERS;
use fdc_learn::learner::{self, LearnedModel};
use fdc_learn::model_file::{ModelFileError, ModelProblem};
use serde_json::{Value, json};

use crate::args::model::ModelAction;
use crate::args::select::SelectFormat;
use crate::commands::explain::passages;
use crate::exit::{Exit, Problem};
use crate::output::{put, put_json};

/// Runs the command.
pub fn run(action: &ModelAction) -> Result<Exit, Problem> {
    match action {
        ModelAction::Show { file, format } => {
            // A built-in model by its metric's name, else a file.
            let built_in = file.to_str().and_then(learner::named);
            let read;
            let (metric, model) = match built_in {
                Some(learner) => (learner.name(), learner.built_in()),
                None => {
                    read = learner::read(file)?;
                    (read.0.name(), &*read.1)
                }
            };
            match format {
                SelectFormat::Json => put_json(&document(metric, model), None)?,
                SelectFormat::Table => put(&text(metric, model, file), None)?,
            }
        }
        ModelAction::Export { file, out } => {
            let bytes = match file {
                None => LEARNERS
                    .iter()
                    .find_map(|learner| learner.built_in().onnx()),
                Some(path) => Some(exported(path)?),
            };
            let bytes = bytes.unwrap_or_default();
            fdc_case::write_whole(out, |file| file.write_all(&bytes))?;
        }
    }
    Ok(Exit::Done)
}

/// The ONNX bytes of the model in a file.
fn exported(path: &Path) -> Result<Vec<u8>, Problem> {
    let (learner, model) = learner::read(path)?;
    let exportable = LEARNERS
        .iter()
        .filter(|own| own.built_in().onnx().is_some());
    let exportable: Vec<&str> = exportable.map(|own| own.name()).collect();
    Ok(model.onnx().ok_or_else(|| ModelFileError {
        path: path.to_owned(),
        problem: ModelProblem::Kind {
            expected: exportable.join(", "),
            found: learner.name().to_owned(),
        },
    })?)
}

fn document(metric: &str, model: &dyn LearnedModel) -> Value {
    let origin = model.origin();
    let mut document = json!({
        "schema": 1,
        "metric": metric,
        "hyperparameters": origin.hyperparameters,
        "features": origin.features,
        "data_digest": origin.data_digest,
        "fdc_version": origin.fdc_version,
    });
    if let Some(fields) = document.as_object_mut() {
        fields.extend(model.contents());
    }
    document
}

fn text(metric: &str, model: &dyn LearnedModel, file: &Path) -> String {
    let origin = model.origin();
    let mut text = format!(
        "{}: a model of {metric}, {}\ntrained by fdc {} on data of digest {}\n\nhyper-parameters:\n",
        file.display(),
        model.summary(),
        origin.fdc_version,
        origin.data_digest,
    );
    for (key, value) in origin.hyperparameters.as_object().into_iter().flatten() {
        let plain = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let _ = writeln!(text, "  {key:<14} {plain}");
    }
    text + "\n" + &passages(&model.features())
}
