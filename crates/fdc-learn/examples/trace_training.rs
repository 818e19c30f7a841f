//! Traces a training for each target rule, for `golden/replay_training.py` to repeat in PyTorch.
//!
//!     cargo run --release -p fdc-learn --example trace_training TRACE.json

use std::error::Error;
use std::fs;

use serde_json::json;

#[path = "../golden/traced.rs"]
mod traced;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os()
        .nth(1)
        .ok_or("usage: trace_training TRACE.json")?;
    let runs = traced::RULES.map(|(name, rule)| {
        let traced = traced::train(rule);
        json!({
            "rule": name,
            "hyperparameters": traced.options.to_json(),
            "initial": traced::tensors_json(&traced.initial.tensors()),
            "situations": traced.situations,
            "steps": traced.steps,
            "losses": traced.losses,
            "final": traced::tensors_json(&traced.last.tensors()),
        })
    });
    fs::write(file, json!({ "runs": runs }).to_string())?;
    Ok(())
}
