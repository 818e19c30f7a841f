//! The model file: a network with all that is needed to know what it is.
//!
//! [safetensors](https://github.com/huggingface/safetensors), so that PyTorch reads and writes it:
//! the tensors are those of [`TensorSpec::all`](crate::network::TensorSpec::all), `f32`, and fit
//! `load_state_dict` of two `nn.Sequential`s called `embed` and `head`.
//!
//! | metadata | value |
//! |---|---|
//! | `format_version` | `1` |
//! | `kind` | `rlfdc`, or `rlfdc-checkpoint` ([`Checkpoint`]) |
//! | `network` | which inputs: an id of [`Shape`] |
//! | `hyperparameters` | JSON: what the training was told |
//! | `features` | JSON: what the inputs mean |
//! | `data_digest` | digest of the training data |
//! | `fdc_version` | the program that wrote the file |
//!
//! The same model always gives the same bytes. Whatever a reader does not know it refuses: a file
//! is never repaired, completed or read in part.

mod checkpoint;
mod container;
pub(crate) mod container_io;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::hyperparameters::Hyperparameters;
use crate::network::{Network, Shape, TensorMismatch};
use container::Container;

pub use checkpoint::Checkpoint;
pub use container_io::kind;

pub const FORMAT_VERSION: u32 = 1;
const MODEL_KIND: &str = "rlfdc";
const MODEL_KEYS: [&str; 7] = [
    "format_version",
    "kind",
    "network",
    "hyperparameters",
    "features",
    "data_digest",
    "fdc_version",
];

/// A network and where it comes from.
#[derive(Clone, Debug)]
pub struct Model {
    pub network: Network,
    pub origin: Origin,
}

/// Where a model comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// What the training was told, the seed included.
    pub hyperparameters: Value,
    /// What the inputs of the network mean.
    pub features: Value,
    /// Digest of the training data.
    pub data_digest: String,
    /// Version of the program that trained it.
    pub fdc_version: String,
}

impl Origin {
    /// `K`, the tests added in an episode of the training; the usual number where that is unknown.
    pub fn picks(&self) -> u32 {
        let told = self.hyperparameters.get("picks").and_then(Value::as_u64);
        told.and_then(|picks| u32::try_from(picks).ok())
            .unwrap_or_else(|| Hyperparameters::default().picks)
    }
}

impl Model {
    /// Reads a file that [`Model::write`] or PyTorch wrote.
    pub fn read(path: &Path) -> Result<Self, ModelFileError> {
        container_io::read(path, Self::from_bytes)
    }

    /// Replaces the file as a whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), ModelFileError> {
        container_io::write(path, self.to_bytes())
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelProblem> {
        let container = Container::open(bytes)?;
        let (shape, origin) = open(&container, MODEL_KIND, &MODEL_KEYS)?;
        let network = Network::from_tensors(shape, &container.tensors()?)?;
        Ok(Self { network, origin })
    }

    /// The file's bytes; a weight that is NaN or infinite is refused.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelProblem> {
        container::encode(
            &metadata(MODEL_KIND, self.network.shape(), &self.origin),
            &self.network.tensors(),
        )
    }
}

/// A model file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("model file {}: {problem}", path.display())]
pub struct ModelFileError {
    pub path: PathBuf,
    #[source]
    pub problem: ModelProblem,
}

/// What is wrong with a model; [`ModelProblem::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ModelProblem {
    #[error("cannot be read: {0}")]
    Read(io::Error),
    #[error("cannot be written: {0}")]
    Write(io::Error),
    #[error("expected at most {expected} bytes, found more")]
    TooLarge { expected: u64 },
    #[error("expected a safetensors file, found something else ({found})")]
    NotSafetensors { found: String },
    #[error("expected {expected} bytes, found {found}: the file is cut short")]
    Truncated { expected: u64, found: u64 },
    #[error("expected {expected} bytes, found {found}: something follows the last tensor")]
    Trailing { expected: u64, found: u64 },
    #[error("metadata `{key}` is missing")]
    MissingKey { key: String },
    #[error("metadata `{key}` is unknown")]
    UnknownKey { key: String },
    #[error("metadata `{key}`: expected JSON, found {found:?}")]
    NotJson { key: String, found: String },
    #[error("expected format version {expected}, found {found:?}")]
    FormatVersion { expected: u32, found: String },
    #[error("expected a model of kind {expected:?}, found {found:?}")]
    Kind {
        expected: &'static str,
        found: String,
    },
    #[error("expected a network of {}, found {found:?}", Shape::ALL.map(Shape::id).join(", "))]
    Network { found: String },
    #[error("the features it was trained on are not those of this program")]
    Features,
    #[error(transparent)]
    Tensor(#[from] TensorMismatch),
    #[error("tensor `{name}`: expected type F32, found {found}")]
    Type { name: String, found: String },
    #[error("tensor `{name}`: expected finite numbers, found {found} at place {place}")]
    NotFinite {
        name: String,
        place: usize,
        found: f32,
    },
}

impl ModelProblem {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Read(_) => "check that the file exists and may be read",
            Self::Write(_) => "check that the directory exists, may be written to and has room",
            Self::TooLarge { .. } | Self::NotSafetensors { .. } => {
                "give a file that `fdc train` wrote, usually called *.safetensors"
            }
            Self::Truncated { .. } | Self::Trailing { .. } => "copy or download the file again",
            Self::MissingKey { .. } | Self::UnknownKey { .. } | Self::NotJson { .. } => {
                "weights from elsewhere need the metadata of a model file; train with `fdc train` to see one"
            }
            Self::FormatVersion { .. } | Self::Network { .. } | Self::Features => {
                "the file is from another version of fdc: update fdc, or train the model again"
            }
            Self::Kind { .. } => {
                "a model is of one metric (rlfdc or sharp), and a checkpoint is for `fdc train --resume`"
            }
            Self::Tensor(_) => "the file holds a network of another shape than it says",
            Self::Type { .. } => "store the weights as 32-bit floats",
            Self::NotFinite { .. } => {
                "the training diverged: train again with a smaller learning rate"
            }
        }
    }
}

fn at(path: &Path) -> impl FnOnce(ModelProblem) -> ModelFileError {
    |problem| ModelFileError {
        path: path.to_owned(),
        problem,
    }
}

/// Checks what every kind of file has, in the order in which a reader wants to know.
fn open(
    container: &Container,
    kind: &'static str,
    keys: &[&str],
) -> Result<(Shape, Origin), ModelProblem> {
    let version = container.text("format_version")?;
    if version != FORMAT_VERSION.to_string() {
        let found = version.to_owned();
        return Err(ModelProblem::FormatVersion {
            expected: FORMAT_VERSION,
            found,
        });
    }
    let found = container.text("kind")?;
    if found != kind {
        return Err(ModelProblem::Kind {
            expected: kind,
            found: found.to_owned(),
        });
    }
    let network = container.text("network")?;
    let shape = Shape::from_id(network);
    let shape = shape.ok_or_else(|| ModelProblem::Network {
        found: network.to_owned(),
    })?;
    let origin = Origin {
        hyperparameters: container.json("hyperparameters")?,
        features: container.json("features")?,
        data_digest: container.text("data_digest")?.to_owned(),
        fdc_version: container.text("fdc_version")?.to_owned(),
    };
    match container.keys().find(|key| !keys.contains(key)) {
        Some(key) => Err(ModelProblem::UnknownKey {
            key: key.to_owned(),
        }),
        None => Ok((shape, origin)),
    }
}

fn metadata(kind: &str, shape: Shape, origin: &Origin) -> Vec<(&'static str, String)> {
    let values = [
        FORMAT_VERSION.to_string(),
        kind.to_owned(),
        shape.id().to_owned(),
        origin.hyperparameters.to_string(),
        origin.features.to_string(),
        origin.data_digest.clone(),
        origin.fdc_version.clone(),
    ];
    MODEL_KEYS.into_iter().zip(values).collect()
}
