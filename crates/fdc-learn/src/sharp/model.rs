//! The learned part of sharp: how likely each suspicious method is the faulty one. And its file.

use fdc_core::metric::Agnostic;
use serde_json::{Map, Value, json};

use super::Sharp;
use super::features::{COUNT, FEATURES, Feature, FeatureRow};
use crate::learner::{LearnedModel, Passage};
use crate::model_file::{self, ModelProblem, Origin, Tensor, encode};

const KIND: &str = "sharp";
/// The tensors of a model file.
const PARTS: [&str; 3] = ["prior.weight", "prior.mean", "prior.scale"];

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
    pub fn distribution(&self, methods: &[FeatureRow]) -> Vec<f64> {
        let mut likely: Vec<f64> = methods.iter().map(|row| self.form(row)).collect();
        softmax(&mut likely);
        likely
    }

    fn form(&self, row: &FeatureRow) -> f64 {
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
    /// From the bytes of its file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelProblem> {
        let (container, origin) = model_file::open(bytes, KIND, &[])?;
        let tensors = container.tensors()?;
        model_file::check_tensors(PARTS.map(|part| (part, &[COUNT][..])).into_iter(), &tensors)?;
        if origin.features != features_json() {
            return Err(ModelProblem::Features);
        }
        let [weight, mean, scale] = PARTS.map(|part| {
            let tensor = tensors.iter().find(|tensor| tensor.name == part);
            let row: Option<[f32; COUNT]> = tensor.and_then(|own| own.data[..].try_into().ok());
            row.expect("checked to be there, of this length")
        });
        if let Some(place) = scale.iter().position(|&scale| scale <= 0.0) {
            return Err(ModelProblem::NotFinite {
                name: "prior.scale".into(),
                place,
                found: scale[place],
            });
        }
        let prior = Prior {
            weight,
            mean,
            scale,
        };
        Ok(SharpModel { prior, origin })
    }
}

impl LearnedModel for SharpModel {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn metric(&self) -> Box<dyn Agnostic> {
        Box::new(Sharp::new(self.prior.clone()))
    }

    fn to_bytes(&self) -> Result<Vec<u8>, ModelProblem> {
        let Prior {
            weight,
            mean,
            scale,
        } = &self.prior;
        let tensor = |(name, data): (&str, &[f32; COUNT])| Tensor {
            name: name.to_owned(),
            shape: vec![COUNT],
            data: data.to_vec(),
        };
        let tensors = PARTS.into_iter().zip([weight, mean, scale]).map(tensor);
        let metadata = model_file::metadata(KIND, None, &self.origin);
        encode(&metadata, &tensors.collect::<Vec<_>>())
    }

    fn summary(&self) -> String {
        format!("a distribution over suspicious methods from {COUNT} features")
    }

    fn contents(&self) -> Map<String, Value> {
        let Prior {
            weight,
            mean,
            scale,
        } = &self.prior;
        let parts = [("weight", weight), ("mean", mean), ("scale", scale)];
        parts
            .map(|(name, row)| (name.to_owned(), json!(row)))
            .into_iter()
            .collect()
    }

    /// The weight of each feature of a suspicious method.
    fn features(&self) -> Vec<Passage> {
        let row = |(feature, weight): (&Feature, f32)| {
            vec![
                format!("{weight:+.3}"),
                feature.name.into(),
                feature.formula.into(),
            ]
        };
        vec![Passage::Columns {
            headings: [">weight", "feature", "which is"].map(str::to_owned).into(),
            rows: FEATURES.iter().zip(self.prior.weight).map(row).collect(),
        }]
    }

    fn explain(&self) -> Vec<Passage> {
        let heading = "\nWhat makes a suspicious method likely, in the built-in model (per standard \
                       deviation):\n\n";
        let mut passages = vec![Passage::Text(heading.to_owned())];
        passages.extend(self.features());
        passages
    }
}

/// What the inputs mean, for the model file.
pub fn features_json() -> serde_json::Value {
    let features = FEATURES
        .iter()
        .map(|f| json!({"name": f.name, "formula": f.formula}));
    json!({ "method": features.collect::<Vec<_>>() })
}
