//! Writes a small trained network of every shape as model file and as ONNX, and the values it
//! gives, for `golden/check_onnx.py` to compare with PyTorch and onnxruntime.
//!
//!     cargo run --release --example export_models DIRECTORY

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use fdc_learn::LearnedModel as _;
use fdc_learn::model_file::{self, Origin};
use fdc_learn::rlfdc::network::Shape;
use fdc_learn::rlfdc::{RlfdcModel, onnx};
use serde_json::json;

#[path = "../golden/subjects.rs"]
mod subjects;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = PathBuf::from(
        std::env::args_os()
            .nth(1)
            .ok_or("usage: export_models DIRECTORY")?,
    );
    fs::create_dir_all(&directory)?;
    for shape in Shape::ALL {
        let network = subjects::network(shape);
        let mut probes = Vec::new();
        for (state, actions) in subjects::probes() {
            let mut values = vec![0.0; actions.len()];
            network.at(state).values(&actions, &mut values);
            let pairs: Vec<_> = actions
                .iter()
                .map(|action| [action.split, action.cover])
                .collect();
            probes.push(
                json!({"state": [state.added, state.groups], "actions": pairs, "values": values}),
            );
        }
        let values = json!({"shape": shape.id(), "probes": probes});
        fs::write(
            directory.join(format!("{}.json", shape.id())),
            values.to_string(),
        )?;
        fs::write(
            directory.join(format!("{}.onnx", shape.id())),
            onnx::export(&network, "golden"),
        )?;
        let origin = Origin {
            hyperparameters: json!({}),
            features: json!({}),
            data_digest: String::new(),
            fdc_version: "golden".to_owned(),
        };
        let path = directory.join(format!("{}.safetensors", shape.id()));
        model_file::write(&path, RlfdcModel { network, origin }.to_bytes())?;
    }
    Ok(())
}
