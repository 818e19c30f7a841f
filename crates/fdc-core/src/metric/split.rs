//! split — how evenly the candidate cuts the ambiguity groups among the suspicious elements.
//!
//! Sum over the groups of AG(T) inside S (what the failing test covers) of (g/n) * min(covered, not
//! covered by the candidate). The first action feature of RLFDC; its paper prints AG of `T` with
//! the candidate, which would make every term 0, and g in place of g/n: n is the number of elements
//! of the whole program, so that values of large and small programs are comparable for a network. By
//! itself, split chooses the same with and without it. Range 0..=n/2. Summed as integers, divided once.

use super::{Agnostic, Entry, Kind};
use crate::counts::{ByCounts, SuiteCounts, TestCounts};
use crate::coverage::TestId;
use crate::suite::Suite;

pub(super) const ENTRY: Entry = Entry {
    name: "split",
    summary: "how evenly the test cuts groups of suspects",
    aware: false,
    parameters: &[],
    source: include_str!("split.rs"),
    make: |_| Ok(Kind::Agnostic(Box::new(SplitMetric))),
};

struct SplitMetric;

impl Agnostic for SplitMetric {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        candidates.iter().map(|&test| suite.split(test)).collect()
    }

    fn by_counts(&self) -> Option<&dyn ByCounts> {
        Some(self)
    }
}

impl ByCounts for SplitMetric {
    fn value(&self, suite: &SuiteCounts, test: &TestCounts) -> f64 {
        suite.split(test)
    }
}
