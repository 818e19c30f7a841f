//! `fdc model`: what a learned model is, and its export.

use std::fmt::Write as _;
use std::path::Path;

use fdc_learn::model_file::{self, Origin};
use fdc_learn::sharp::model::SharpModel;
use fdc_learn::{Model, onnx, rlfdc, sharp};
use serde_json::{Value, json};

use crate::args::model::ModelAction;
use crate::args::select::SelectFormat;
use crate::commands::explain::prior_table;
use crate::exit::{Exit, Problem};
use crate::output::{put, put_json};

/// Runs the command.
pub fn run(action: &ModelAction) -> Result<Exit, Problem> {
    match action {
        ModelAction::Show { file, format } => {
            let model = Shown::load(file)?;
            match format {
                SelectFormat::Json => put_json(&model.document(), None)?,
                SelectFormat::Table => put(&model.text(file), None)?,
            }
        }
        ModelAction::Export { file, out } => {
            let model = match file {
                None => rlfdc::built_in().clone(),
                Some(path) => Model::read(path)?,
            };
            let bytes = onnx::export(&model.network, &model.origin.fdc_version);
            fdc_case::write_whole(out, |file| file.write_all(&bytes))?;
        }
    }
    Ok(Exit::Done)
}

/// A model of either kind.
enum Shown {
    Rlfdc(Box<Model>),
    Sharp(Box<SharpModel>),
}

impl Shown {
    /// A built-in model by its metric's name, else a file.
    fn load(file: &Path) -> Result<Self, Problem> {
        if file == Path::new(sharp::ENTRY.name) {
            return Ok(Shown::Sharp(Box::new(sharp::built_in().clone())));
        }
        if file == Path::new(rlfdc::ENTRY.name) {
            return Ok(Shown::Rlfdc(Box::new(rlfdc::built_in().clone())));
        }
        Ok(if model_file::kind(file)? == sharp::model::KIND {
            Shown::Sharp(Box::new(SharpModel::read(file)?))
        } else {
            Shown::Rlfdc(Box::new(Model::read(file)?))
        })
    }

    fn origin(&self) -> &Origin {
        match self {
            Shown::Rlfdc(model) => &model.origin,
            Shown::Sharp(model) => &model.origin,
        }
    }

    fn document(&self) -> Value {
        let origin = self.origin();
        let mut document = json!({
            "schema": 1,
            "hyperparameters": origin.hyperparameters,
            "features": origin.features,
            "data_digest": origin.data_digest,
            "fdc_version": origin.fdc_version,
        });
        let own = match self {
            Shown::Rlfdc(model) => {
                let tensors = model.network.tensors();
                let shapes = tensors
                    .iter()
                    .map(|t| json!({"name": t.name, "shape": t.shape}));
                json!({
                    "metric": "rlfdc",
                    "network": model.network.shape().id(),
                    "weights": tensors.iter().map(|tensor| tensor.data.len()).sum::<usize>(),
                    "tensors": shapes.collect::<Vec<_>>(),
                })
            }
            Shown::Sharp(model) => json!({
                "metric": "sharp",
                "weight": model.prior.weight,
                "mean": model.prior.mean,
                "scale": model.prior.scale,
            }),
        };
        if let (Some(fields), Value::Object(own)) = (document.as_object_mut(), own) {
            fields.extend(own);
        }
        document
    }

    fn text(&self, file: &Path) -> String {
        let (origin, name) = (self.origin(), file.display());
        let mut text = match self {
            Shown::Rlfdc(model) => {
                let tensors = model.network.tensors();
                let weights: usize = tensors.iter().map(|tensor| tensor.data.len()).sum();
                let shape = model.network.shape().id();
                format!(
                    "{name}: a model of rlfdc, network {shape}, {weights} weights in {} tensors\n",
                    tensors.len()
                )
            }
            Shown::Sharp(_) => format!(
                "{name}: a model of sharp, a distribution over suspicious methods from {} features\n",
                sharp::features::COUNT
            ),
        };
        let _ = writeln!(
            text,
            "trained by fdc {} on data of digest {}\n\nhyper-parameters:",
            origin.fdc_version, origin.data_digest
        );
        for (key, value) in origin.hyperparameters.as_object().into_iter().flatten() {
            let _ = writeln!(text, "  {key:<14} {}", plain(value));
        }
        text.push('\n');
        match self {
            Shown::Sharp(model) => text.push_str(&prior_table(&model.prior)),
            Shown::Rlfdc(_) => {
                for (key, list) in origin.features.as_object().into_iter().flatten() {
                    let _ = writeln!(text, "{key}:");
                    for item in list.as_array().into_iter().flatten() {
                        let _ = writeln!(text, "  {}", plain(item));
                    }
                }
            }
        }
        text
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
