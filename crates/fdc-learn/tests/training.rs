//! A whole training agrees with the same training in PyTorch.
//!
//! If the training changes on purpose: run `golden/replay_training.py` (its head says how).

use fdc_learn::model_file::Tensor;
use serde_json::Value;

#[path = "../golden/traced.rs"]
#[allow(dead_code, reason = "the trace itself is for the example")]
mod traced;

/// Errors of the learning steps, relative to the error itself (seen: 5e-7).
const LOSS_TOLERANCE: f32 = 5e-6;
/// Weights after 80 learning steps, which move them by up to 0.1 (seen: 1.3e-7).
const WEIGHT_TOLERANCE: f32 = 2e-6;

#[test]
fn the_first_fifty_learning_steps_agree_with_pytorch_under_every_target_rule() {
    let golden: Value = serde_json::from_str(include_str!("../golden/training.json")).unwrap();
    let runs = golden["runs"].as_array().unwrap();
    assert_eq!(runs.len(), traced::RULES.len());
    for (run, (name, rule)) in runs.iter().zip(traced::RULES) {
        assert_eq!(run["rule"], name);
        let training = traced::train(rule);
        assert_eq!(run["steps"], training.losses.len());
        let losses = numbers(&run["losses"]);
        assert_eq!(losses.len(), 50);
        for (step, (ours, torch)) in training.losses.iter().zip(&losses).enumerate() {
            assert!(
                (ours - torch).abs() <= LOSS_TOLERANCE * torch,
                "{name}, step {step}: {ours} {torch}"
            );
        }
        if let Some(last) = run["final"].as_array() {
            compare(&training.last.tensors(), last);
        }
    }
    assert!(runs[0]["final"].is_array());
}

fn compare(ours: &[Tensor], torch: &[Value]) {
    assert_eq!(ours.len(), torch.len());
    for (tensor, golden) in ours.iter().zip(torch) {
        assert_eq!(golden["name"], *tensor.name);
        let expected = numbers(&golden["data"]);
        assert_eq!(tensor.data.len(), expected.len());
        for (weight, expected) in tensor.data.iter().zip(expected) {
            assert!(
                (weight - expected).abs() <= WEIGHT_TOLERANCE,
                "{}: {weight} {expected}",
                tensor.name
            );
        }
    }
}

fn numbers(list: &Value) -> Vec<f32> {
    let numbers = list.as_array().unwrap().iter();
    numbers.map(|n| n.as_f64().unwrap() as f32).collect()
}
