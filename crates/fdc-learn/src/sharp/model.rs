//! The learned part of sharp: how likely each suspicious method is the faulty one. And its file.

use std::path::Path;

use serde_json::json;

use super::features::{COUNT, FEATURES, Row};
use crate::model_file::{ModelFileError, ModelProblem, Origin, container_io};
use crate::network::Tensor;

/// Kind of model file.
pub const KIND: &str = "sharp";

/// A distribution over suspicious methods: softmax of a linear form of standardised features.
#[derive(Clone, Debug, PartialEq)]
pub struct Prior {
    /// Weight of each standardised feature.
    pub weight: [f32; COUNT],
    /// Mean of each feature over the training data.
    pub mean: [f32; COUNT],
    /// Standard deviation of each feature over the training data.
    pub scale: [f32; COUNT],
}

/// A prior and where it comes from.
#[derive(Clone, Debug)]
pub struct SharpModel {
    /// What was learned.
    pub prior: Prior,
    /// Where it comes from.
    pub origin: Origin,
}

impl Prior {
    /// Equal likelihoods: nothing learned.
    pub const UNIFORM: Prior = Prior {
        weight: [0.0; COUNT],
        mean: [0.0; COUNT],
        scale: [1.0; COUNT],
    };

    /// The likelihood of each method to be the faulty one; they sum to 1.
    pub fn distribution(&self, methods: &[Row]) -> Vec<f64> {
        let mut likely: Vec<f64> = methods.iter().map(|row| self.form(row)).collect();
        softmax(&mut likely);
        likely
    }

    fn form(&self, row: &Row) -> f64 {
        let terms = row
            .iter()
            .zip(&self.weight)
            .zip(self.mean.iter().zip(&self.scale));
        terms
            .map(|((&value, &weight), (&mean, &scale))| {
                f64::from(weight) * (value - f64::from(mean)) / f64::from(scale)
            })
            .sum()
    }
}

/// exp and normalise, in place.
pub(super) fn softmax(values: &mut [f64]) {
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for value in &mut *values {
        *value = libm::exp(*value - highest);
        sum += *value;
    }
    for value in values {
        *value /= sum;
    }
}

impl SharpModel {
    /// Reads a model file.
    pub fn read(path: &Path) -> Result<Self, ModelFileError> {
        container_io::read(path, Self::from_bytes)
    }

    /// Replaces the file as a whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), ModelFileError> {
        container_io::write(path, self.to_bytes())
    }

    /// From a file's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelProblem> {
        let (origin, tensors) = container_io::open(bytes, KIND)?;
        let specs = ["weight", "mean", "scale"].map(|part| (format!("prior.{part}"), COUNT));
        let [weight, mean, scale] = container_io::vectors(&tensors, specs)?;
        if origin.features != features_json() {
            return Err(ModelProblem::Features);
        }
        let row = |values: Vec<f32>| values.try_into().expect("checked to be of this length");
        let prior = Prior {
            weight: row(weight),
            mean: row(mean),
            scale: row(scale),
        };
        if let Some(place) = prior.scale.iter().position(|&scale| scale <= 0.0) {
            return Err(ModelProblem::NotFinite {
                name: "prior.scale".into(),
                place,
                found: prior.scale[place],
            });
        }
        Ok(SharpModel { prior, origin })
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelProblem> {
        let tensor = |part: &str, data: &[f32]| Tensor {
            name: format!("prior.{part}"),
            shape: vec![COUNT],
            data: data.to_vec(),
        };
        let tensors = [
            tensor("weight", &self.prior.weight),
            tensor("mean", &self.prior.mean),
            tensor("scale", &self.prior.scale),
        ];
        container_io::encode(KIND, &self.origin, &tensors)
    }
}

/// What the inputs mean, for the model file.
pub fn features_json() -> serde_json::Value {
    let features = FEATURES
        .iter()
        .map(|f| json!({"name": f.name, "formula": f.formula}));
    json!({ "method": features.collect::<Vec<_>>() })
}
