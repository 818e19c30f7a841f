use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;
use serde_json::json;
use std::fs;

use super::*;
use crate::model_file::{Tensor, TensorMismatch};
use crate::rlfdc::checkpoint::Checkpoint;
use crate::rlfdc::network::{Action, Adam, AdamOptions, State, TargetHead, TrainingSample};

fn model(shape: Shape) -> RlfdcModel {
    let origin = Origin {
        hyperparameters: json!({"gamma": 0.9, "seed": 1}),
        features: json!(["split", "cover \"quoted\" \u{e9}"]),
        data_digest: "sha256:00".to_owned(),
        fdc_version: "0.1.0".to_owned(),
    };
    RlfdcModel {
        network: Network::random(shape, &mut Pcg64::seed_from_u64(5)),
        origin,
    }
}

fn checkpoint() -> Checkpoint {
    let RlfdcModel {
        mut network,
        origin,
    } = model(Shape::Full);
    let (mut adam, target) = (
        Adam::new(AdamOptions::default(), &network),
        TargetHead::of(&network),
    );
    network.learn(&mut adam, &[SAMPLE]);
    Checkpoint {
        network,
        target,
        adam,
        kept: Some(Network::random(Shape::Full, &mut Pcg64::seed_from_u64(3))),
        origin,
        progress: json!({"versions": 3}),
    }
}

const SAMPLE: TrainingSample = TrainingSample {
    state: State {
        added: 1.0,
        groups: 4.0,
    },
    action: Action {
        split: 0.2,
        cover: 0.7,
    },
    goal: 0.5,
};

/// The bytes of a file with the given metadata changed, or left out where the value is `None`.
fn with_metadata(key: &'static str, value: Option<&str>) -> Vec<u8> {
    let model = model(Shape::Full);
    let mut metadata = metadata(KIND, Shape::Full, &model.origin);
    metadata.retain(|(name, _)| *name != key);
    metadata.extend(value.map(|value| (key, value.to_owned())));
    encode(&metadata, &model.network.tensors()).unwrap()
}

fn with_tensors(change: impl FnOnce(&mut Vec<Tensor>)) -> Vec<u8> {
    let model = model(Shape::Full);
    let mut tensors = model.network.tensors();
    change(&mut tensors);
    encode(&metadata(KIND, Shape::Full, &model.origin), &tensors).unwrap()
}

/// Replaces text in the header by text of the same length.
fn with_header_text(from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = model(Shape::Full).to_bytes().unwrap();
    let place = bytes
        .windows(from.len())
        .position(|window| window == from.as_bytes())
        .unwrap();
    bytes[place..place + to.len()].copy_from_slice(to.as_bytes());
    bytes
}

fn refusal(bytes: &[u8]) -> ModelProblem {
    let problem = RlfdcModel::from_bytes(bytes).unwrap_err();
    assert!(!problem.hint().is_empty());
    problem
}

#[test]
fn a_model_comes_back_as_it_was() {
    for shape in Shape::ALL {
        let model = model(shape);
        let again = RlfdcModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.origin, model.origin);
        assert_eq!(again.network.shape(), shape);
        assert_eq!(again.network.tensors(), model.network.tensors());
    }
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    let bytes = model(Shape::Full).to_bytes().unwrap();
    assert_eq!(model(Shape::Full).to_bytes().unwrap(), bytes);
    assert_eq!(
        RlfdcModel::from_bytes(&bytes).unwrap().to_bytes().unwrap(),
        bytes
    );
    let header = String::from_utf8_lossy(&bytes[8..]);
    assert!(
        header.starts_with("{\"__metadata__\":{\"format_version\":\"1\",\"kind\":\"rlfdc\","),
        "{header}"
    );
    assert_eq!(u64::from_le_bytes(bytes[..8].try_into().unwrap()) % 8, 0);
}

#[test]
fn a_file_is_replaced_and_leaves_nothing_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.safetensors");
    fs::write(&path, "old").unwrap();
    let model = model(Shape::Full);
    model_file::write(&path, model.to_bytes()).unwrap();
    assert_eq!(
        model_file::read(&path, RlfdcModel::from_bytes)
            .unwrap()
            .network
            .tensors(),
        model.network.tensors()
    );
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_failed_write_keeps_the_old_content_and_leaves_nothing_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.safetensors");
    fs::create_dir(&path).unwrap();
    let error = model_file::write(&path, model(Shape::Full).to_bytes()).unwrap_err();
    assert!(matches!(error.problem, ModelProblem::Write(_)));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);

    let absent = directory.path().join("absent/model.safetensors");
    let error = model_file::write(&absent, model(Shape::Full).to_bytes()).unwrap_err();
    assert!(error.to_string().contains("absent"), "{error}");
}

#[test]
fn what_is_not_there_or_far_too_large_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.safetensors");
    assert!(matches!(
        model_file::read(&path, RlfdcModel::from_bytes)
            .unwrap_err()
            .problem,
        ModelProblem::Read(_)
    ));
    fs::File::create(&path).unwrap().set_len(17 << 20).unwrap();
    assert!(matches!(
        model_file::read(&path, RlfdcModel::from_bytes)
            .unwrap_err()
            .problem,
        ModelProblem::TooLarge(_)
    ));
}

#[test]
fn every_truncation_is_refused() {
    let bytes = model(Shape::Simple).to_bytes().unwrap();
    for length in 0..bytes.len() {
        let problem = refusal(&bytes[..length]);
        assert!(
            matches!(problem, ModelProblem::Truncated { .. }),
            "{length}: {problem}"
        );
    }
}

#[test]
fn bytes_after_the_end_are_refused() {
    let mut bytes = model(Shape::Full).to_bytes().unwrap();
    bytes.push(0);
    assert!(matches!(refusal(&bytes), ModelProblem::Trailing { .. }));
}

#[test]
fn other_files_are_refused() {
    for bytes in [
        &b"PK\x03\x04 a zip file"[..],
        b"{\"json\": 1}        ",
        b"\x05\0\0\0\0\0\0\0{oops",
        &[0; 64],
    ] {
        assert!(
            matches!(refusal(bytes), ModelProblem::NotSafetensors(_)),
            "{bytes:?}"
        );
    }
    // A header that contradicts itself.
    let bytes = with_header_text("\"shape\":[16,2]", "\"shape\":[61,2]");
    assert!(matches!(refusal(&bytes), ModelProblem::NotSafetensors(_)));
}

#[test]
fn other_versions_kinds_and_networks_are_refused() {
    let version = refusal(&with_metadata("format_version", Some("2")));
    assert_eq!(
        version.to_string(),
        "expected format version 1, found \"2\""
    );
    let kind = refusal(&with_metadata("kind", Some("lstm")));
    assert_eq!(
        kind.to_string(),
        "expected a model of kind \"rlfdc\", found \"lstm\""
    );
    let network = refusal(&with_metadata("network", Some("huge")));
    assert_eq!(
        network.to_string(),
        "expected a network of full, split, cover, simple, found \"huge\""
    );
}

#[test]
fn metadata_must_be_complete_known_and_json() {
    for key in [
        "format_version",
        "kind",
        NETWORK,
        "hyperparameters",
        "features",
        "data_digest",
        "fdc_version",
    ] {
        assert!(
            matches!(refusal(&with_metadata(key, None)), ModelProblem::MissingKey(k) if k == key)
        );
    }
    assert!(matches!(
        refusal(&with_metadata("colour", Some("red"))),
        ModelProblem::UnknownKey(_)
    ));
    for key in ["hyperparameters", "features"] {
        assert!(
            matches!(refusal(&with_metadata(key, Some("{1"))), ModelProblem::NotJson { key: k, .. } if k == key)
        );
    }
}

#[test]
fn tensors_must_be_those_of_the_network() {
    use TensorMismatch::{Extra, Missing, Shape};
    let missing = with_tensors(|tensors| drop(tensors.pop()));
    assert!(
        matches!(refusal(&missing), ModelProblem::Tensor(Missing(name)) if name == "head.4.bias")
    );
    let extra = with_tensors(|tensors| {
        tensors.push(Tensor {
            name: "head.6.bias".to_owned(),
            shape: vec![1],
            data: vec![0.0],
        })
    });
    assert!(matches!(refusal(&extra), ModelProblem::Tensor(Extra(name)) if name == "head.6.bias"));
    let turned = with_tensors(|tensors| tensors[4].shape.reverse());
    let turned = refusal(&turned);
    assert!(matches!(turned, ModelProblem::Tensor(Shape { .. })));
    assert_eq!(
        turned.to_string(),
        "tensor `head.0.weight`: expected shape [16, 18], found [18, 16]"
    );
}

#[test]
fn weights_must_be_finite_f32() {
    let other = with_header_text("\"F32\"", "\"I32\"");
    assert!(
        matches!(refusal(&other), ModelProblem::Type { name, found } if name == "embed.0.weight" && found == "I32")
    );

    for number in [f32::NAN, f32::INFINITY] {
        let mut bytes = model(Shape::Full).to_bytes().unwrap();
        let last = bytes.len() - 4;
        bytes[last..].copy_from_slice(&number.to_le_bytes());
        assert!(
            matches!(refusal(&bytes), ModelProblem::NotFinite { name, .. } if name == "head.4.bias")
        );
    }
}

#[test]
fn a_network_that_diverged_is_not_written() {
    let mut model = model(Shape::Full);
    let mut tensors = model.network.tensors();
    tensors[3].data[7] = f32::NAN;
    model.network = Network::from_tensors(Shape::Full, &tensors).unwrap();
    let problem = model.to_bytes().unwrap_err();
    assert_eq!(
        problem.to_string(),
        "tensor `embed.2.bias`: expected finite numbers, found NaN at place 7"
    );
}

#[test]
fn flipping_any_byte_of_the_header_never_panics() {
    let bytes = model(Shape::Simple).to_bytes().unwrap();
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    for place in 0..header {
        for flip in [0x01, 0x20, 0x80] {
            let mut broken = bytes.clone();
            broken[place] ^= flip;
            let _ = RlfdcModel::from_bytes(&broken);
        }
    }
}

#[test]
fn a_checkpoint_goes_on_as_if_nothing_had_happened() {
    let mut straight = checkpoint();
    let bytes = straight.to_bytes().unwrap();
    let mut again = Checkpoint::from_bytes(&bytes).unwrap();
    assert_eq!(again.to_bytes().unwrap(), bytes);
    assert_eq!(again.progress, straight.progress);
    assert_eq!(again.target.tensors(), straight.target.tensors());
    straight.network.learn(&mut straight.adam, &[SAMPLE]);
    again.network.learn(&mut again.adam, &[SAMPLE]);
    assert_eq!(again.to_bytes().unwrap(), straight.to_bytes().unwrap());
}

#[test]
fn a_checkpoint_is_not_a_model_nor_the_other_way_round() {
    let problem = refusal(&checkpoint().to_bytes().unwrap());
    assert!(matches!(problem, ModelProblem::Kind { .. }), "{problem}");
    let problem = Checkpoint::from_bytes(&model(Shape::Full).to_bytes().unwrap()).unwrap_err();
    assert!(matches!(problem, ModelProblem::Kind { .. }), "{problem}");
}

#[test]
fn a_checkpoint_is_written_and_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("checkpoint.safetensors");
    model_file::write(&path, checkpoint().to_bytes()).unwrap();
    assert_eq!(
        model_file::read(&path, Checkpoint::from_bytes)
            .unwrap()
            .to_bytes()
            .unwrap(),
        checkpoint().to_bytes().unwrap()
    );
}

#[test]
fn a_damaged_file_is_refused() {
    let (model, checkpoint) = (model(Shape::Full), checkpoint());
    let files = [model.to_bytes().unwrap(), checkpoint.to_bytes().unwrap()];
    for (number, whole) in files.iter().enumerate() {
        for place in (0..whole.len()).step_by(11) {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << (place % 8);
            let refused = match number {
                0 => RlfdcModel::from_bytes(&bytes).is_err(),
                _ => Checkpoint::from_bytes(&bytes).is_err(),
            };
            assert!(refused, "file {number}, byte {place}");
        }
    }
}

#[test]
fn a_model_of_pytorch_needs_no_checksum_and_a_checkpoint_does() {
    let without = |bytes: Vec<u8>| {
        let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let text = std::str::from_utf8(&bytes[8..header]).unwrap();
        let place = text.find(",\"checksum\"").unwrap();
        let end = place + text[place..].find('}').unwrap();
        let text = [&text[..place], &text[end..]].concat();
        let length = (text.len() as u64).to_le_bytes();
        [&length, text.as_bytes(), &bytes[header..]].concat()
    };
    RlfdcModel::from_bytes(&without(model(Shape::Full).to_bytes().unwrap())).unwrap();
    let problem = Checkpoint::from_bytes(&without(checkpoint().to_bytes().unwrap())).unwrap_err();
    assert!(matches!(problem, ModelProblem::MissingKey(key) if key == "checksum"));
}
