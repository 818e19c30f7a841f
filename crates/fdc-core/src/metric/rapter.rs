//! rapter — minus the expected size of the ambiguity that is left.
//!
//! -sum of g(g-1) / (2n) over the groups of `T` with the candidate (Gonzalez-Sanchez, Abreu, Gross,
//! van Gemund 2011, Prioritizing tests for fault localization through ambiguity group reduction).
//! Range -(n-1)/2..=0. Summed as integers, divided once.

use super::{Agnostic, Entry, Kind, score_each};
use crate::counts::{ByCounts, Scope, SuiteCounts, TestCounts};
use crate::coverage::TestId;
use crate::suite::Suite;

pub(super) const ENTRY: Entry = Entry {
    name: "rapter",
    summary: "minus the ambiguity that is left",
    aware: false,
    parameters: &[],
    source: include_str!("rapter.rs"),
    make: |_| Ok(Kind::Agnostic(Box::new(Rapter))),
};

struct Rapter;

impl Agnostic for Rapter {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        let groups = suite.groups();
        let pairs = groups.sizes().map(|size| size * size.saturating_sub(1));
        let pairs_now: u64 = pairs.sum();
        let elements = suite.coverage().element_count() as u64;
        let labels = suite.group_labels();
        score_each(
            candidates,
            || labels.census(),
            |census, test| {
                let mut pairs = pairs_now;
                labels.count(census, test, |group, covered| {
                    // g(g-1) = c(c-1) + (g-c)(g-c-1) + 2c(g-c)
                    pairs -= 2 * covered * (groups.size(group) - covered);
                });
                left(pairs, elements)
            },
        )
    }

    fn by_counts(&self) -> Option<&dyn ByCounts> {
        Some(self)
    }
}

impl ByCounts for Rapter {
    fn scope(&self) -> Scope {
        Scope::Everything
    }

    fn value(&self, suite: &SuiteCounts, test: &TestCounts) -> f64 {
        left(suite.pairs - 2 * test.parted, suite.elements)
    }
}

/// Minus the sum of `g(g-1)`, `pairs`, over `2n`.
fn left(pairs: u64, elements: u64) -> f64 {
    -(pairs as f64) / (2.0 * elements.max(1) as f64)
}
