//! Model files of kinds other than RLFDC's: the same container, their own tensors.

use std::path::Path;

use super::container::{self, Container};
use super::{FORMAT_VERSION, ModelFileError, ModelProblem, Origin, at};
use crate::network::{Tensor, TensorMismatch};

const KEYS: [&str; 6] = [
    "format_version",
    "kind",
    "hyperparameters",
    "features",
    "data_digest",
    "fdc_version",
];

pub fn read<T>(
    path: &Path,
    parse: impl FnOnce(&[u8]) -> Result<T, ModelProblem>,
) -> Result<T, ModelFileError> {
    container::read(path)
        .and_then(|bytes| parse(&bytes))
        .map_err(at(path))
}

pub fn write(path: &Path, bytes: Result<Vec<u8>, ModelProblem>) -> Result<(), ModelFileError> {
    bytes
        .and_then(|bytes| container::write(path, &bytes))
        .map_err(at(path))
}

/// The kind that a model file says it is.
pub fn kind(path: &Path) -> Result<String, ModelFileError> {
    read(path, |bytes| {
        Container::open(bytes)?.text("kind").map(str::to_owned)
    })
}

pub fn open(bytes: &[u8], kind: &'static str) -> Result<(Origin, Vec<Tensor>), ModelProblem> {
    let container = Container::open(bytes)?;
    let version = container.text("format_version")?;
    if version != FORMAT_VERSION.to_string() {
        return Err(ModelProblem::FormatVersion {
            expected: FORMAT_VERSION,
            found: version.to_owned(),
        });
    }
    let found = container.text("kind")?;
    if found != kind {
        return Err(ModelProblem::Kind {
            expected: kind,
            found: found.to_owned(),
        });
    }
    let origin = Origin {
        hyperparameters: container.json("hyperparameters")?,
        features: container.json("features")?,
        data_digest: container.text("data_digest")?.to_owned(),
        fdc_version: container.text("fdc_version")?.to_owned(),
    };
    if let Some(key) = container.keys().find(|key| !KEYS.contains(key)) {
        return Err(ModelProblem::UnknownKey {
            key: key.to_owned(),
        });
    }
    Ok((origin, container.tensors()?))
}

/// The named vectors, and nothing else, each of its length.
pub fn vectors<const N: usize>(
    tensors: &[Tensor],
    specs: [(String, usize); N],
) -> Result<[Vec<f32>; N], ModelProblem> {
    let known = |tensor: &Tensor| specs.iter().any(|(name, _)| *name == tensor.name);
    if let Some(tensor) = tensors.iter().find(|tensor| !known(tensor)) {
        let name = tensor.name.clone();
        return Err(TensorMismatch::Extra { name }.into());
    }
    let mut found: [Vec<f32>; N] = std::array::from_fn(|_| Vec::new());
    for ((name, length), values) in specs.into_iter().zip(&mut found) {
        let Some(tensor) = tensors.iter().find(|tensor| tensor.name == name) else {
            return Err(TensorMismatch::Missing { name }.into());
        };
        if tensor.shape != [length] {
            return Err(TensorMismatch::Shape {
                name,
                expected: vec![length],
                found: tensor.shape.clone(),
            }
            .into());
        }
        values.clone_from(&tensor.data);
    }
    Ok(found)
}

pub fn encode(kind: &str, origin: &Origin, tensors: &[Tensor]) -> Result<Vec<u8>, ModelProblem> {
    let values = [
        FORMAT_VERSION.to_string(),
        kind.to_owned(),
        origin.hyperparameters.to_string(),
        origin.features.to_string(),
        origin.data_digest.clone(),
        origin.fdc_version.clone(),
    ];
    let metadata: Vec<_> = KEYS.into_iter().zip(values).collect();
    container::encode(&metadata, tensors)
}
