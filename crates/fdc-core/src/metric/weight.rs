//! weight — alpha * split + (1 - alpha) * cover.
//!
//! The fixed mixture that RLFDC's ablation compares its network with, alpha in .1, .3, .5, .7, .9.

use super::{Agnostic, Entry, Kind, Parameter};
use crate::counts::{ByCounts, SuiteCounts, TestCounts};
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

impl Weight {
    fn mix(&self, split: f64, cover: f64) -> f64 {
        self.alpha * split + (1.0 - self.alpha) * cover
    }
}

impl Agnostic for Weight {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        let value = |&test: &TestId| self.mix(suite.split(test), suite.cover(test));
        candidates.iter().map(value).collect()
    }

    fn by_counts(&self) -> Option<&dyn ByCounts> {
        Some(self)
    }
}

impl ByCounts for Weight {
    fn value(&self, suite: &SuiteCounts, test: &TestCounts) -> f64 {
        self.mix(suite.split(test), suite.cover(test))
    }
}
