//! rlfdc's model: a network and where it comes from. The tensors of its file are those of
//! [`TensorSpec::all`](super::network::TensorSpec::all) and fit `load_state_dict` of two
//! `nn.Sequential`s called `embed` and `head`.

#[cfg(test)]
mod tests;

use fdc_core::metric::Agnostic;
use serde_json::{Map, Value, json};

use super::network::{Network, Shape};
use super::{Hyperparameters, Rlfdc, landscape, onnx};
use crate::learner::{LearnedModel, Passage};
use crate::model_file::{self, Container, ModelProblem, Origin, Result, Tensor, encode};

const KIND: &str = "rlfdc";
pub(super) const NETWORK: &str = "network";

/// A network and where it comes from.
#[derive(Clone, Debug)]
pub struct RlfdcModel {
    /// What was learned.
    pub network: Network,
    /// Where it comes from.
    pub origin: Origin,
}

impl RlfdcModel {
    /// From the bytes of a file that [`LearnedModel::to_bytes`] or PyTorch made.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (container, origin) = model_file::open(bytes, KIND, &[NETWORK])?;
        let network = Network::from_tensors(shape(&container)?, &container.tensors()?)?;
        Ok(Self { network, origin })
    }

    /// `K`, the tests added in an episode of the training; the usual number where that is unknown.
    pub(super) fn picks(&self) -> u32 {
        let told = self.origin.hyperparameters.get("picks");
        told.and_then(Value::as_u64)
            .and_then(|picks| u32::try_from(picks).ok())
            .unwrap_or_else(|| Hyperparameters::default().picks)
    }
}

impl LearnedModel for RlfdcModel {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn metric(&self) -> Box<dyn Agnostic> {
        Box::new(Rlfdc::new(self.network.clone(), self.picks()))
    }

    fn to_bytes(&self) -> Result<Vec<u8>> {
        let metadata = metadata(KIND, self.network.shape(), &self.origin);
        encode(&metadata, &self.network.tensors())
    }

    fn summary(&self) -> String {
        let tensors = self.network.tensors();
        let weights: usize = tensors.iter().map(|tensor| tensor.data.len()).sum();
        let (shape, tensors) = (self.network.shape().id(), tensors.len());
        format!("network {shape}, {weights} weights in {tensors} tensors")
    }

    fn contents(&self) -> Map<String, Value> {
        let tensors = self.network.tensors();
        let shape = |tensor: &Tensor| json!({"name": tensor.name, "shape": tensor.shape});
        let weights: usize = tensors.iter().map(|tensor| tensor.data.len()).sum();
        Map::from_iter([
            ("network".to_owned(), self.network.shape().id().into()),
            ("weights".to_owned(), weights.into()),
            ("tensors".to_owned(), tensors.iter().map(shape).collect()),
        ])
    }

    fn features(&self) -> Vec<Passage> {
        let mut text = String::new();
        for (key, list) in self.origin.features.as_object().into_iter().flatten() {
            text += &format!("{key}:\n");
            for item in list.as_array().into_iter().flatten() {
                let plain = item
                    .as_str()
                    .map_or_else(|| item.to_string(), str::to_owned);
                text += &format!("  {plain}\n");
            }
        }
        vec![Passage::Text(text)]
    }

    fn explain(&self) -> Vec<Passage> {
        landscape::explain(&self.network)
    }

    fn onnx(&self) -> Option<Vec<u8>> {
        Some(onnx::export(&self.network, &self.origin.fdc_version))
    }
}

/// The inputs that a file's network has.
pub(super) fn shape(container: &Container<'_>) -> Result<Shape> {
    let found = container.text(NETWORK)?;
    Shape::from_id(found).ok_or_else(|| ModelProblem::Network {
        expected: Shape::ALL.map(Shape::id).join(", "),
        found: found.to_owned(),
    })
}

pub(super) fn metadata(kind: &str, shape: Shape, origin: &Origin) -> Vec<(&'static str, String)> {
    model_file::metadata(kind, Some((NETWORK, shape.id().to_owned())), origin)
}
