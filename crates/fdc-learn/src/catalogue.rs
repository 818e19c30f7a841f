//! The metrics that can be asked for by name: the learned ones and the hand-made ones.

use std::path::Path;

use fdc_core::metric::{self, Agnostic, Entry, Kind, METRICS, Metric, MetricError, Specification};
use fdc_core::naming::nearest;

use crate::model_file::{self, ModelFileError};
use crate::sharp::model::SharpModel;
use crate::sharp::{self, Sharp};
use crate::{Model, Rlfdc, rlfdc};

/// The metric used unless told.
pub const DEFAULT: &str = "sharp";

const LEARNED: [&Entry; 2] = [&sharp::ENTRY, &rlfdc::ENTRY];

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
    #[error("a model goes with a learned metric (sharp, rlfdc), not with {metric}")]
    NotLearned {
        /// The metric.
        metric: String,
    },
}

/// Every metric's entry, the learned ones first.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    LEARNED.into_iter().chain(METRICS)
}

/// The metric asked for; where only a model is named, the metric of that model.
pub fn asked_for(text: Option<&str>, model: Option<&Path>) -> Result<Metric, CatalogueError> {
    match (text, model) {
        (Some(text), _) => parse(text, model),
        (None, None) => parse(DEFAULT, None),
        (None, Some(path)) => {
            let is_sharp = model_file::kind(path)? == sharp::model::KIND;
            let name = if is_sharp {
                sharp::ENTRY.name
            } else {
                rlfdc::ENTRY.name
            };
            parse(name, model)
        }
    }
}

/// The metric of a specification such as `weight:alpha=0.3`; a learned one with the model in
/// `model`, or else the built-in one.
pub fn parse(text: &str, model: Option<&Path>) -> Result<Metric, CatalogueError> {
    let specification: Specification = text.parse()?;
    let name = &*specification.name;
    let Some(path) = model else {
        let learned = LEARNED.into_iter().find(|entry| entry.name == name);
        let entry = match learned {
            Some(entry) => entry,
            None => metric::entry(METRICS, name).map_err(|_| unknown(name))?,
        };
        return Ok(entry.build(&specification)?);
    };
    let trained: Box<dyn Agnostic> = if name == sharp::ENTRY.name {
        Box::new(Sharp::new(SharpModel::read(path)?))
    } else if name == rlfdc::ENTRY.name {
        Box::new(Rlfdc::of(&Model::read(path)?))
    } else {
        return Err(CatalogueError::NotLearned {
            metric: name.to_owned(),
        });
    };
    Ok(Metric::new(specification.text, Kind::Agnostic(trained)))
}

fn unknown(name: &str) -> MetricError {
    MetricError::UnknownMetric {
        name: name.to_owned(),
        nearest: nearest(name, entries().map(|entry| entry.name)),
    }
}
