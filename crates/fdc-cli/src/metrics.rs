//! The metrics that can be asked for by name.

use fdc_core::metric::{self, Entry, Metric, Specification};

use crate::exit::Problem;

/// The metric used unless told.
pub const DEFAULT: &str = "weight:alpha=0.3";

/// Every metric's entry.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    metric::METRICS.iter()
}

/// The metric of a specification such as `weight:alpha=0.3`.
pub fn parse(text: &str) -> Result<Metric, Problem> {
    let specification: Specification = text.parse()?;
    let entry = metric::entry(metric::METRICS, &specification.name)?;
    Ok(entry.build(&specification)?)
}
