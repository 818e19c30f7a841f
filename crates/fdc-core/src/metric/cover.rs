//! cover — Jaccard similarity of the candidate's and the failing test's rows, over all elements.
//!
//! The second action feature of RLFDC. Its paper says distance and means similarity: a test like
//! the failing one that passes exonerates much of what it shares with it. Range 0..=1; does not
//! change as `T` grows.

use super::{Agnostic, Entry, Kind};
use crate::counts::{ByCounts, SuiteCounts, TestCounts};
use crate::coverage::TestId;
use crate::suite::Suite;

pub(super) const ENTRY: Entry = Entry {
    name: "cover",
    summary: "similarity to the failing test",
    aware: false,
    parameters: &[],
    source: include_str!("cover.rs"),
    make: |_| Ok(Kind::Agnostic(Box::new(Cover))),
};

struct Cover;

impl Agnostic for Cover {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        candidates.iter().map(|&test| suite.cover(test)).collect()
    }

    fn by_counts(&self) -> Option<&dyn ByCounts> {
        Some(self)
    }
}

impl ByCounts for Cover {
    fn value(&self, suite: &SuiteCounts, test: &TestCounts) -> f64 {
        suite.cover(test)
    }
}
