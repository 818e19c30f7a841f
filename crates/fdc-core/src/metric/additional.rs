//! additional — the elements a candidate covers that no test of `T` covers yet.
//!
//! The classic "additional" prioritisation (Rothermel et al. 2001, Prioritizing test cases for
//! regression testing). Range 0..=n; 0 for all once everything is covered.

use super::{Agnostic, Entry, Kind, score_each};
use crate::census::Labels;
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
            row.for_each(|column| labels[column as usize] = Labels::NONE);
        }
        let labels = Labels::new(coverage, labels);
        score_each(
            candidates,
            || labels.census(),
            |census, test| {
                let mut new = 0;
                labels.count(census, test, |_, covered| new = covered);
                new as f64
            },
        )
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
