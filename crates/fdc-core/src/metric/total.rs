//! total — the number of elements a candidate covers.
//!
//! The classic "total" prioritisation (Rothermel et al. 2001, Prioritizing test cases for
//! regression testing). Looks neither at `T` nor at the failing test. Range 0..=n.

use super::{Agnostic, Entry, Kind};
use crate::counts::{ByCounts, SuiteCounts, TestCounts};
use crate::coverage::TestId;
use crate::suite::Suite;

pub(super) const ENTRY: Entry = Entry {
    name: "total",
    summary: "elements the test covers",
    aware: false,
    parameters: &[],
    source: include_str!("total.rs"),
    make: |_| Ok(Kind::Agnostic(Box::new(Total))),
};

struct Total;

impl Agnostic for Total {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        let total = |&test: &TestId| suite.coverage().total(test) as f64;
        candidates.iter().map(total).collect()
    }

    fn by_counts(&self) -> Option<&dyn ByCounts> {
        Some(self)
    }
}

impl ByCounts for Total {
    fn value(&self, _: &SuiteCounts, test: &TestCounts) -> f64 {
        test.total as f64
    }
}
