//! Model files: what was learned, with all that is needed to know what it is.
//!
//! [safetensors](https://github.com/huggingface/safetensors), so that PyTorch reads and writes it;
//! which tensors there are, all `f32`, is the learned metric's own.
//!
//! | metadata | value |
//! |---|---|
//! | `format_version` | `1` |
//! | `kind` | the learned metric's name; `rlfdc-checkpoint` for a training under way |
//! | `network` | rlfdc alone: which inputs, an id of [`Shape`](crate::rlfdc::network::Shape) |
//! | `hyperparameters` | JSON: what the training was told |
//! | `features` | JSON: what the inputs mean |
//! | `data_digest` | digest of the training data |
//! | `fdc_version` | the program that wrote the file |
//! | `checksum` | SHA-256 of the file with 64 zeros in its place; files of PyTorch need none |
//!
//! The same model always gives the same bytes. Whatever a reader does not know it refuses: a file
//! is never repaired, completed or read in part.

mod container;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use fdc_case::FileError;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

pub(crate) use container::{Container, encode};

const FORMAT_VERSION: u32 = 1;
/// A model takes some kilobytes; what is larger than this is something else.
const MOST_BYTES: u64 = 16 << 20;
pub(crate) const CHECKSUM: &str = "checksum";
/// The metadata of every kind of file, in the order they are written.
const KEYS: [&str; 6] = [
    "format_version",
    "kind",
    "hyperparameters",
    "features",
    "data_digest",
    "fdc_version",
];

pub(crate) type Result<T, E = ModelProblem> = std::result::Result<T, E>;

/// Where a model comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// What the training was told, the seed included.
    pub hyperparameters: Value,
    /// What the inputs mean.
    pub features: Value,
    /// Digest of the training data.
    pub data_digest: String,
    /// Version of the program that trained it.
    pub fdc_version: String,
}

/// A named array in PyTorch's layout: a weight is (outputs, inputs), row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// As in PyTorch's `state_dict`.
    pub name: String,
    /// Its dimensions.
    pub shape: Vec<usize>,
    /// Its numbers, the last dimension fastest.
    pub data: Vec<f32>,
}

/// Why tensors are not those of a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message is the documentation")]
pub enum TensorMismatch {
    #[error("tensor `{0}` is missing")]
    Missing(String),
    #[error("tensor `{0}` is unknown or there twice")]
    Extra(String),
    #[error("tensor `{name}`: expected shape {expected:?}, found {found:?}")]
    Shape {
        name: String,
        expected: Vec<usize>,
        found: Vec<usize>,
    },
}

/// A model file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("model file {}: {problem}", path.display())]
pub struct ModelFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: ModelProblem,
}

/// What is wrong with a model; [`ModelProblem::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message is the documentation")]
pub enum ModelProblem {
    #[error("cannot be read: {0}")]
    Read(io::Error),
    #[error("cannot be written: {0}")]
    Write(io::Error),
    #[error("expected at most {0} bytes, found more")]
    TooLarge(u64),
    #[error("expected a safetensors file, found something else ({0})")]
    NotSafetensors(String),
    #[error("expected {expected} bytes, found {found}: the file is cut short")]
    Truncated { expected: u64, found: u64 },
    #[error("expected {expected} bytes, found {found}: something follows the last tensor")]
    Trailing { expected: u64, found: u64 },
    #[error("its content is not what its checksum says: the file is damaged")]
    Damaged,
    #[error("metadata `{0}` is missing")]
    MissingKey(String),
    #[error("metadata `{0}` is unknown")]
    UnknownKey(String),
    #[error("metadata `{key}`: expected JSON, found {found:?}")]
    NotJson { key: String, found: String },
    #[error("expected format version {expected}, found {found:?}")]
    FormatVersion { expected: u32, found: String },
    #[error("expected a model of kind {expected:?}, found {found:?}")]
    Kind { expected: String, found: String },
    #[error("expected a network of {expected}, found {found:?}")]
    Network { expected: String, found: String },
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
            Self::TooLarge(_) | Self::NotSafetensors(_) => {
                "give a file that `fdc train` wrote, usually called *.safetensors"
            }
            Self::Truncated { .. } | Self::Trailing { .. } => "copy or download the file again",
            Self::Damaged => "copy or download it again; remove a checkpoint, and train again",
            Self::MissingKey(_) | Self::UnknownKey(_) | Self::NotJson { .. } => {
                "weights from elsewhere need the metadata of a model file; train with `fdc train` to see one"
            }
            Self::FormatVersion { .. } | Self::Network { .. } | Self::Features => {
                "the file is from another version of fdc: update fdc, or train the model again"
            }
            Self::Kind { .. } => {
                "a model is of one metric, and a checkpoint is for `fdc train --resume`"
            }
            Self::Tensor(_) => "the file holds a network of another shape than it says",
            Self::Type { .. } => "store the weights as 32-bit floats",
            Self::NotFinite { .. } => {
                "the training diverged: train again with a smaller learning rate"
            }
        }
    }
}

/// Reads a file; an error names it.
pub fn read<T>(path: &Path, parse: impl FnOnce(&[u8]) -> Result<T>) -> Result<T, ModelFileError> {
    let read = || {
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(ModelProblem::Read)?;
        let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(ModelProblem::Read)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(ModelProblem::TooLarge(MOST_BYTES));
        }
        let parsed = fdc_case::caught(|| parse(&bytes));
        parsed.unwrap_or_else(|panic| Err(ModelProblem::NotSafetensors(panic)))
    };
    read().map_err(at(path))
}

/// Replaces a file as a whole or not at all; an error names it.
pub fn write(path: &Path, bytes: Result<Vec<u8>>) -> Result<(), ModelFileError> {
    let write = || {
        let bytes = bytes?;
        let written = fdc_case::write_whole(path, |file| file.write_all(&bytes));
        written.map_err(|error| {
            ModelProblem::Write(match error {
                FileError::Io { source, .. } => source,
                other => io::Error::other(other),
            })
        })
    };
    write().map_err(at(path))
}

/// SHA-256 in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The kind that a file says it is.
pub(crate) fn kind(bytes: &[u8]) -> Result<String> {
    let container = Container::open(bytes)?;
    check_version(&container)?;
    container.text("kind").map(str::to_owned)
}

/// A file of this kind, with the keys in `own` beside those of every kind; the worst is told first.
pub(crate) fn open<'a>(raw: &'a [u8], kind: &str, own: &[&str]) -> Result<(Container<'a>, Origin)> {
    let container = Container::open(raw)?;
    check_version(&container)?;
    let found = container.text("kind")?;
    if found != kind {
        return Err(ModelProblem::Kind {
            expected: kind.to_owned(),
            found: found.to_owned(),
        });
    }
    let origin = Origin {
        hyperparameters: container.json("hyperparameters")?,
        features: container.json("features")?,
        data_digest: container.text("data_digest")?.to_owned(),
        fdc_version: container.text("fdc_version")?.to_owned(),
    };
    let known = |key: &&str| KEYS.contains(key) || own.contains(key) || *key == CHECKSUM;
    let unknown = container.keys().find(|key| !known(key)).map(str::to_owned);
    match unknown {
        Some(key) => Err(ModelProblem::UnknownKey(key)),
        None => Ok((container, origin)),
    }
}

/// What a file says of itself; `own` stands behind the kind.
pub(crate) fn metadata(
    kind: &str,
    own: Option<(&'static str, String)>,
    origin: &Origin,
) -> Vec<(&'static str, String)> {
    let values = [
        FORMAT_VERSION.to_string(),
        kind.to_owned(),
        origin.hyperparameters.to_string(),
        origin.features.to_string(),
        origin.data_digest.clone(),
        origin.fdc_version.clone(),
    ];
    let mut metadata: Vec<_> = KEYS.into_iter().zip(values).collect();
    metadata.splice(2..2, own);
    metadata
}

/// Whether there is exactly one tensor of each name, with its shape, and no other.
pub(crate) fn check_tensors<'a>(
    expected: impl Iterator<Item = (&'a str, &'a [usize])>,
    tensors: &[Tensor],
) -> Result<(), TensorMismatch> {
    let mut left: Vec<&Tensor> = tensors.iter().collect();
    for (name, shape) in expected {
        let Some(place) = left.iter().position(|tensor| tensor.name == name) else {
            return Err(TensorMismatch::Missing(name.to_owned()));
        };
        let tensor = left.remove(place);
        if tensor.shape != shape || tensor.data.len() != shape.iter().product::<usize>() {
            return Err(TensorMismatch::Shape {
                name: name.to_owned(),
                expected: shape.to_vec(),
                found: tensor.shape.clone(),
            });
        }
    }
    match left.first() {
        Some(tensor) => Err(TensorMismatch::Extra(tensor.name.clone())),
        None => Ok(()),
    }
}

fn check_version(container: &Container<'_>) -> Result<()> {
    let (found, expected) = (container.text("format_version")?, FORMAT_VERSION);
    let found = found.to_owned();
    let fits = found == expected.to_string();
    fits.then_some(())
        .ok_or(ModelProblem::FormatVersion { expected, found })
}

fn at(path: &Path) -> impl FnOnce(ModelProblem) -> ModelFileError {
    |problem| ModelFileError {
        path: path.to_owned(),
        problem,
    }
}
