//! The metrics that can be asked for by name: the learned ones and the hand-made ones.

use std::path::Path;

use fdc_core::metric::{self, Entry, Kind, METRICS, Metric, MetricError, Specification};
use fdc_core::naming::nearest;

use crate::LEARNERS;
use crate::learner::{self, LearnedModel};
use crate::model_file::{self, ModelFileError};

/// The metric unless another is asked for.
pub const DEFAULT: &str = "sharp";

/// Why there is no such metric.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// A wrong name or parameter.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// A model that cannot be read.
    #[error(transparent)]
    Model(#[from] ModelFileError),
    /// A model beside a metric that was not learned.
    #[error(
        "a model goes with a learned metric ({}), not with {metric}",
        learner::names()
    )]
    NotLearned {
        /// The metric.
        metric: String,
    },
}

/// Every metric's entry, the learned ones first.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    let learned = LEARNERS.iter().map(|learner| learner.entry());
    learned.chain(METRICS)
}

/// The metric asked for; where only a model is named, the metric of that model.
pub fn asked_for(text: Option<&str>, model: Option<&Path>) -> Result<Metric, CatalogueError> {
    match (text, model) {
        (None, Some(path)) => {
            let (learner, model) = learner::read(path)?;
            Ok(of_model(learner.name(), &*model))
        }
        (text, _) => parse(text.unwrap_or(DEFAULT), model),
    }
}

/// The metric of a specification such as `weight:alpha=0.3`; a learned one with the model in
/// `model`, or else the built-in one.
pub fn parse(text: &str, model: Option<&Path>) -> Result<Metric, CatalogueError> {
    let specification: Specification = text.parse()?;
    let name = &*specification.name;
    match (model, learner::named(name)) {
        (Some(path), Some(learner)) => {
            let model = model_file::read(path, |bytes| learner.read(bytes))?;
            Ok(of_model(&specification.text, &*model))
        }
        (Some(_), None) => Err(CatalogueError::NotLearned {
            metric: name.to_owned(),
        }),
        (None, Some(learner)) => Ok(learner.entry().build(&specification)?),
        (None, None) => {
            let entry = metric::entry(METRICS, name).map_err(|_| MetricError::UnknownMetric {
                name: name.to_owned(),
                nearest: nearest(name, entries().map(|entry| entry.name)),
            })?;
            Ok(entry.build(&specification)?)
        }
    }
}

/// The metric that a model makes, under a label.
pub fn of_model(label: &str, model: &dyn LearnedModel) -> Metric {
    Metric::new(label, Kind::Agnostic(model.metric()))
}
