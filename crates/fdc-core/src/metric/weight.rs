//! weight — alpha * split + (1 - alpha) * cover.
//!
//! The fixed mixture that RLFDC's ablation compares its network with, alpha in .1, .3, .5, .7, .9.

use super::{Agnostic, Entry, Kind, Parameter};
use crate::coverage::TestId;
use crate::suite::Suite;

pub(super) const ENTRY: Entry = Entry {
    name: "weight",
    summary: "a fixed mixture of split and cover",
    aware: false,
    parameters: &[Parameter {
        name: "alpha",
        default: "0.5",
        summary: "share of split, 0 to 1",
    }],
    source: include_str!("weight.rs"),
    make: |parameters| {
        let alpha = parameters.share("alpha")?;
        Ok(Kind::Agnostic(Box::new(Weight { alpha })))
    },
};

struct Weight {
    alpha: f64,
}

impl Agnostic for Weight {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        let mix = |&test: &TestId| {
            self.alpha * suite.split(test) + (1.0 - self.alpha) * suite.cover(test)
        };
        candidates.iter().map(mix).collect()
    }
}
