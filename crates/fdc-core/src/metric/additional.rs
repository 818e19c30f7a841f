//! additional — the elements a candidate covers that no test of `T` covers yet.
//!
//! The classic "additional" prioritisation (Rothermel et al. 2001, Prioritizing test cases for
//! regression testing). Range 0..=n; 0 for all once everything is covered.

use super::{Agnostic, Census, Entry, Kind, score_each};
use crate::counts::{ByCounts, Scope, SuiteCounts, TestCounts};
use crate::coverage::TestId;
use crate::suite::Suite;

pub(super) const ENTRY: Entry = Entry {
    name: "additional",
    summary: "elements the test covers that no chosen test covers",
    aware: false,
    parameters: &[],
    source: include_str!("additional.rs"),
    make: |_| Ok(Kind::Agnostic(Box::new(Additional))),
};

struct Additional;

impl Agnostic for Additional {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        let coverage = suite.coverage();
        let mut labels = vec![0; coverage.column_count()];
        for &test in suite.tests() {
            let row = coverage.row(test);
            row.for_each(|column| labels[column as usize] = Census::NONE);
        }
        let scratch = || Census::new(1);
        score_each(candidates, scratch, |census, test| {
            let mut new = 0;
            let row = coverage.row(test);
            census.count(row, &labels, coverage.weights(), |_, covered| new = covered);
            new as f64
        })
    }

    fn by_counts(&self) -> Option<&dyn ByCounts> {
        Some(self)
    }
}

impl ByCounts for Additional {
    fn scope(&self) -> Scope {
        Scope::Everything
    }

    fn value(&self, _: &SuiteCounts, test: &TestCounts) -> f64 {
        test.new as f64
    }
}
