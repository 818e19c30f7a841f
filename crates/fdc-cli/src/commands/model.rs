//! `fdc model`: what a learned model is, and its export.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use fdc_learn::{Model, onnx, rlfdc};
use serde_json::{Value, json};

use crate::args::{ModelAction, SelectFormat};
use crate::exit::{Exit, Problem};
use crate::output::{put, put_json};

/// Runs the command.
pub fn run(action: &ModelAction) -> Result<Exit, Problem> {
    match action {
        ModelAction::Show { file, format } => {
            let model = load(file.as_deref())?;
            match format {
                SelectFormat::Json => put_json(&document(&model), None)?,
                SelectFormat::Table => put(&text(&model, file.as_deref()), None)?,
            }
        }
        ModelAction::Export { file, out } => {
            let model = load(file.as_deref())?;
            let bytes = onnx::export(&model.network, &model.origin.fdc_version);
            fdc_formats::write_whole(out, |file| file.write_all(&bytes))?;
        }
    }
    Ok(Exit::Done)
}

fn load(file: Option<&Path>) -> Result<Cow<'static, Model>, Problem> {
    Ok(match file {
        None => Cow::Borrowed(rlfdc::built_in()),
        Some(path) => Cow::Owned(Model::read(path)?),
    })
}

fn document(model: &Model) -> Value {
    let tensors = model.network.tensors();
    json!({
        "schema": 1,
        "metric": "rlfdc",
        "network": model.network.shape().id(),
        "weights": tensors.iter().map(|tensor| tensor.data.len()).sum::<usize>(),
        "tensors": tensors.iter().map(|t| json!({"name": t.name, "shape": t.shape})).collect::<Vec<_>>(),
        "hyperparameters": model.origin.hyperparameters,
        "features": model.origin.features,
        "data_digest": model.origin.data_digest,
        "fdc_version": model.origin.fdc_version,
    })
}

fn text(model: &Model, file: Option<&Path>) -> String {
    let name = file.map_or("built-in model".into(), |path| path.display().to_string());
    let tensors = model.network.tensors();
    let weights: usize = tensors.iter().map(|tensor| tensor.data.len()).sum();
    let origin = &model.origin;
    let mut text = format!(
        "{name}: rlfdc, network {}, {weights} weights in {} tensors\ntrained by fdc {} on data of digest {}\n",
        model.network.shape().id(),
        tensors.len(),
        origin.fdc_version,
        origin.data_digest,
    );
    for (title, value) in [
        ("hyper-parameters", &origin.hyperparameters),
        ("inputs", &origin.features),
    ] {
        let _ = writeln!(text, "\n{title}:");
        for (key, value) in value.as_object().into_iter().flatten() {
            match value.as_array() {
                Some(list) => {
                    let _ = writeln!(text, "  {key}:");
                    for item in list {
                        let _ = writeln!(text, "    {}", plain(item));
                    }
                }
                None => {
                    let _ = writeln!(text, "  {key:<14} {}", plain(value));
                }
            }
        }
    }
    text
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
