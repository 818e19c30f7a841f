//! What sharp learned: how likely each suspicious method is faulty, a line's share within its method,
//! how far the likelihoods can be trusted. And its file.

use std::sync::Arc;

use fdc_core::metric::Agnostic;
use serde_json::{Map, Value, json};

use super::Sharp;
use super::answers::{FailureOdds, ODDS_COUNT, ODDS_FEATURES};
use super::calibration::Calibration;
use super::features::{COUNT, FEATURES, Feature, OptionalGroups, VARIANTS};
use super::kills::{KILL_COUNT, KILL_FEATURES};
use super::linear::LinearSoftmax;
use super::lines::{LINE_COUNT, LINE_FEATURES};
use crate::learner::{LearnedModel, Passage};
use crate::model_file::{self, ModelProblem, Origin, Tensor, encode};

const KIND: &str = "sharp";
/// The tensors of a model file, with their shapes.
const PARTS: [(&str, &[usize]); 11] = [
    ("method.weight", &[VARIANTS, COUNT]),
    ("method.mean", &[VARIANTS, COUNT]),
    ("method.scale", &[VARIANTS, COUNT]),
    ("line.weight", &[LINE_COUNT]),
    ("line.mean", &[LINE_COUNT]),
    ("line.scale", &[LINE_COUNT]),
    ("trust", &[VARIANTS, 4]),
    ("odds", &[ODDS_COUNT]),
    ("kills.weight", &[KILL_COUNT]),
    ("kills.mean", &[KILL_COUNT]),
    ("kills.scale", &[KILL_COUNT]),
];

/// A distribution over suspicious methods, by what is known of them ([`OptionalGroups::number`]).
pub type Prior = [LinearSoftmax<COUNT>; VARIANTS];

/// How far likelihoods can be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trust {
    /// From a method's likelihood to the probability that it is faulty.
    pub method: Calibration,
    /// From the likelihood of the first five methods to the probability that one of them is.
    pub first_five: Calibration,
}

/// What was learned and where it comes from.
#[derive(Clone, Debug)]
pub struct SharpModel {
    /// How likely each suspicious method is faulty.
    pub prior: Prior,
    /// A line's share within its method.
    pub lines: LinearSoftmax<LINE_COUNT>,
    /// By what is known, as the prior.
    pub trust: [Trust; VARIANTS],
    /// How likely a test fails if a method is faulty.
    pub odds: FailureOdds,
    /// How much the mutants of before say; nothing, if it was learned without any.
    pub kills: LinearSoftmax<KILL_COUNT>,
    /// Where it comes from.
    pub origin: Origin,
}

impl SharpModel {
    /// Whether mutants of before change what it says.
    pub fn hears_kills(&self) -> bool {
        self.kills != LinearSoftmax::UNIFORM
    }

    /// From the bytes of its file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelProblem> {
        let (container, origin) = model_file::open(bytes, KIND, &[])?;
        let tensors = container.tensors()?;
        model_file::check_tensors(PARTS.into_iter(), &tensors)?;
        if origin.features != features_json() {
            return Err(ModelProblem::Features);
        }
        let data = PARTS.map(|(part, _)| {
            let tensor = tensors.iter().find(|tensor| tensor.name == part);
            &tensor.expect("checked to be there").data[..]
        });
        for part in [2, 5, 10] {
            if let Some(place) = data[part].iter().position(|&scale| scale <= 0.0) {
                return Err(ModelProblem::NotFinite {
                    name: PARTS[part].0.into(),
                    place,
                    found: data[part][place],
                });
            }
        }
        Ok(SharpModel {
            prior: std::array::from_fn(|variant| LinearSoftmax {
                weight: row(data[0], variant),
                mean: row(data[1], variant),
                scale: row(data[2], variant),
            }),
            lines: LinearSoftmax {
                weight: row(data[3], 0),
                mean: row(data[4], 0),
                scale: row(data[5], 0),
            },
            trust: std::array::from_fn(|variant| {
                let [a, b, c, d] = row(data[6], variant);
                let calibration = |shift, slope| Calibration { shift, slope };
                Trust {
                    method: calibration(a, b),
                    first_five: calibration(c, d),
                }
            }),
            odds: FailureOdds(row(data[7], 0)),
            kills: LinearSoftmax {
                weight: row(data[8], 0),
                mean: row(data[9], 0),
                scale: row(data[10], 0),
            },
            origin,
        })
    }

    /// What the tensors of [`PARTS`] hold.
    fn data(&self) -> [Vec<f32>; 11] {
        let of = |part: fn(&LinearSoftmax<COUNT>) -> [f32; COUNT]| {
            self.prior.iter().flat_map(part).collect()
        };
        let trust = self.trust.iter().flat_map(|trust| {
            let (one, five) = (trust.method, trust.first_five);
            [one.shift, one.slope, five.shift, five.slope]
        });
        [
            of(|prior| prior.weight),
            of(|prior| prior.mean),
            of(|prior| prior.scale),
            self.lines.weight.to_vec(),
            self.lines.mean.to_vec(),
            self.lines.scale.to_vec(),
            trust.collect(),
            self.odds.0.to_vec(),
            self.kills.weight.to_vec(),
            self.kills.mean.to_vec(),
            self.kills.scale.to_vec(),
        ]
    }
}

/// A row of a matrix.
fn row<const N: usize>(data: &[f32], number: usize) -> [f32; N] {
    let row = data[number * N..][..N].try_into();
    row.expect("the shape was checked")
}

impl LearnedModel for SharpModel {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn metric(&self) -> Box<dyn Agnostic> {
        Box::new(Sharp::new(self.prior))
    }

    fn localiser(&self) -> Option<Arc<SharpModel>> {
        Some(Arc::new(self.clone()))
    }

    fn to_bytes(&self) -> Result<Vec<u8>, ModelProblem> {
        let tensor = |((name, shape), data): ((&str, &[usize]), Vec<f32>)| Tensor {
            name: name.to_owned(),
            shape: shape.to_vec(),
            data,
        };
        let tensors = PARTS.into_iter().zip(self.data()).map(tensor);
        let metadata = model_file::metadata(KIND, None, &self.origin);
        encode(&metadata, &tensors.collect::<Vec<_>>())
    }

    fn summary(&self) -> String {
        format!("a distribution over suspicious methods from {COUNT} features")
    }

    fn contents(&self) -> Map<String, Value> {
        let parts = PARTS.into_iter().zip(self.data());
        parts
            .map(|((name, _), data)| (name.to_owned(), json!(data)))
            .collect()
    }

    /// The weight of each feature of a suspicious method, by what is known; then those of lines, and
    /// of the log-odds that a test fails.
    fn features(&self) -> Vec<Passage> {
        let weight = |known: OptionalGroups, feature: usize| match known.has(&FEATURES[feature]) {
            true => format!("{:+.3}", self.prior[known.number()].weight[feature]),
            false => "-".to_owned(),
        };
        let all = [(true, true), (true, false), (false, true), (false, false)]
            .map(|(names, trace)| OptionalGroups { names, trace });
        let row = |(number, feature): (usize, &Feature)| {
            let weights = all.iter().map(|&known| weight(known, number));
            let words = [feature.name, feature.formula].map(str::to_owned);
            weights.chain(words).collect()
        };
        let headings = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let simple = |what: &str, features: &[Feature], weights: &[f32]| {
            let rows = features.iter().zip(weights).map(|(feature, weight)| {
                let words = [feature.name, feature.formula].map(str::to_owned);
                let weight = format!("{weight:+.3}");
                std::iter::once(weight).chain(words).collect()
            });
            Passage::Columns {
                headings: headings(&[">weight", what, "which is"]),
                rows: rows.collect(),
            }
        };
        let gap = || Passage::Text("\n".to_owned());
        vec![
            Passage::Columns {
                headings: headings(&[
                    ">weight",
                    ">no trace",
                    ">no names",
                    ">neither",
                    "feature of a method",
                    "which is",
                ]),
                rows: FEATURES.iter().enumerate().map(row).collect(),
            },
            gap(),
            simple("feature of a line", &LINE_FEATURES, &self.lines.weight),
            gap(),
            simple("a test fails", &ODDS_FEATURES, &self.odds.0),
            gap(),
            simple("after mutants", &KILL_FEATURES, &self.kills.weight),
        ]
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
    let list = |features: &[Feature]| -> Vec<Value> {
        let named = features.iter();
        named
            .map(|f| json!({"name": f.name, "formula": f.formula}))
            .collect()
    };
    json!({
        "method": list(&FEATURES),
        "line": list(&LINE_FEATURES),
        "outcome": list(&ODDS_FEATURES),
        "kills": list(&KILL_FEATURES),
    })
}
