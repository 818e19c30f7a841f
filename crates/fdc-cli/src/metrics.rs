//! The metrics that can be asked for by name: the hand-made ones and the learned one.

use std::path::Path;

use fdc_core::metric::{self, Entry, Kind, METRICS, Metric, MetricError, Specification};
use fdc_core::naming::nearest;
use fdc_learn::{Model, Rlfdc, rlfdc};

use crate::exit::Problem;

/// The metric used unless told.
pub const DEFAULT: &str = "rlfdc";

/// Every metric's entry, the learned one first.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    std::iter::once(&rlfdc::ENTRY).chain(METRICS)
}

/// The metric of a specification such as `weight:alpha=0.3`; a learned one with the model in
/// `model`, or else the built-in one.
pub fn parse(text: &str, model: Option<&Path>) -> Result<Metric, Problem> {
    let specification: Specification = text.parse()?;
    let name = &specification.name;
    if name != rlfdc::ENTRY.name {
        if model.is_some() {
            let message = format!("--model goes with the metric rlfdc, not with {name}");
            return Err(Problem::usage(message));
        }
        let entry = metric::entry(METRICS, name).map_err(|_| unknown(name))?;
        return Ok(entry.build(&specification)?);
    }
    match model {
        None => Ok(rlfdc::ENTRY.build(&specification)?),
        Some(path) => {
            let network = Model::read(path)?.network;
            let kind = Kind::Agnostic(Box::new(Rlfdc::new(network)));
            Ok(Metric::new(specification.text, kind))
        }
    }
}

fn unknown(name: &str) -> MetricError {
    MetricError::UnknownMetric {
        name: name.to_owned(),
        nearest: nearest(name, entries().map(|entry| entry.name)),
    }
}
