//! A training that can go on: the network, its target, Adam's state and how far it got.
//!
//! A model file of kind `rlfdc-checkpoint` with more in it: tensors `adam.mean.*` and
//! `adam.square.*` (PyTorch's `exp_avg`, `exp_avg_sq`) beside each weight, `target.head.*`, with
//! restarts `kept.*` (the best network so far), and
//! metadata `optimizer` (Adam's numbers) and `progress` (the training loop's own).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::model::{NETWORK, metadata, shape};
use super::network::{Adam, AdamOptions, Network, TargetHead};
use crate::model_file::{self, CHECKSUM, Container, ModelProblem, Origin, Result, Tensor, encode};

const KIND: &str = "rlfdc-checkpoint";
const MEAN: &str = "adam.mean.";
const SQUARE: &str = "adam.square.";
const TARGET: &str = "target.";
const KEPT: &str = "kept.";

#[derive(Serialize, Deserialize)]
struct Optimizer {
    #[serde(flatten)]
    options: AdamOptions,
    steps: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    pub network: Network,
    pub target: TargetHead,
    pub adam: Adam,
    /// The best network of earlier trainings, with restarts.
    pub kept: Option<Network>,
    pub origin: Origin,
    /// Whatever else the training loop needs to go on: versions done, the generator's state.
    pub progress: Value,
}

impl Checkpoint {
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let keys = [NETWORK, "optimizer", "progress"];
        let (container, origin) = model_file::open(bytes, KIND, &keys)?;
        container.text(CHECKSUM)?;
        let shape = shape(&container)?;
        let Optimizer { options, steps } = optimizer(&container)?;
        let progress = container.json("progress")?;
        let mut tensors = container.tensors()?;
        let parts = [MEAN, SQUARE, TARGET, KEPT];
        let [mean, square, target, kept] = parts.map(|own| taken(&mut tensors, own));
        let kept = (!kept.is_empty()).then(|| Network::from_tensors(shape, &kept));
        Ok(Self {
            network: Network::from_tensors(shape, &tensors)?,
            target: TargetHead::from_tensors(shape, &target)?,
            adam: Adam::resume(options, shape, steps, [&mean, &square])?,
            kept: kept.transpose()?,
            origin,
            progress,
        })
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let (options, steps) = (self.adam.options(), self.adam.steps());
        let mut metadata = metadata(KIND, self.network.shape(), &self.origin);
        metadata.push(("optimizer", json!(Optimizer { options, steps }).to_string()));
        metadata.push(("progress", self.progress.to_string()));
        let mut tensors = self.network.tensors();
        tensors.extend(prefixed(TARGET, self.target.tensors()));
        let kept = self.kept.iter().flat_map(Network::tensors);
        tensors.extend(prefixed(KEPT, kept.collect()));
        let [mean, square] = self.adam.moments();
        tensors.extend(prefixed(MEAN, mean));
        tensors.extend(prefixed(SQUARE, square));
        encode(&metadata, &tensors)
    }
}

fn optimizer(container: &Container<'_>) -> Result<Optimizer> {
    let json = container.json("optimizer")?;
    Optimizer::deserialize(&json).map_err(|_| ModelProblem::NotJson {
        key: "optimizer".to_owned(),
        found: json.to_string(),
    })
}

fn prefixed(prefix: &str, tensors: Vec<Tensor>) -> impl Iterator<Item = Tensor> {
    tensors.into_iter().map(move |tensor| Tensor {
        name: format!("{prefix}{}", tensor.name),
        ..tensor
    })
}

/// Moves the tensors with a prefix out, without it.
fn taken(tensors: &mut Vec<Tensor>, prefix: &str) -> Vec<Tensor> {
    let prefixed = tensors.extract_if(.., |tensor| tensor.name.starts_with(prefix));
    prefixed
        .map(|tensor| Tensor {
            name: tensor.name[prefix.len()..].to_owned(),
            ..tensor
        })
        .collect()
}
