//! The exported bytes are those that onnxruntime was asked about, and it gave our values.
//!
//! If the export changes on purpose: run `golden/check_onnx.py --record` (its head says how).

use fdc_learn::rlfdc::network::Shape;
use fdc_learn::rlfdc::onnx;
use serde_json::Value;

#[path = "../golden/subjects.rs"]
mod subjects;

/// Tolerance 1e-5 of the value or of 1, whichever is larger.
#[test]
fn exported_networks_have_the_values_that_onnxruntime_gave() {
    let golden: Value = serde_json::from_str(include_str!("../golden/onnx.json")).unwrap();
    let runs = golden["runs"].as_array().unwrap();
    assert_eq!(runs.len(), Shape::ALL.len());
    for run in runs {
        let shape = Shape::from_id(run["shape"].as_str().unwrap()).unwrap();
        let network = subjects::network(shape);
        let digest = format!("{:016x}", fnv1a(&onnx::export(&network, "golden")));
        assert_eq!(digest, run["digest"].as_str().unwrap(), "{shape:?}");

        for ((state, actions), expected) in subjects::probes()
            .iter()
            .zip(run["values"].as_array().unwrap())
        {
            let mut values = vec![0.0; actions.len()];
            network.at(*state).values(actions, &mut values);
            assert_eq!(values.len(), expected.as_array().unwrap().len());
            for (value, expected) in values.iter().zip(expected.as_array().unwrap()) {
                let expected = expected.as_f64().unwrap();
                assert!(
                    (f64::from(*value) - expected).abs() <= 1e-5 * expected.abs().max(1.0),
                    "{value} {expected}"
                );
            }
        }
    }
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}
