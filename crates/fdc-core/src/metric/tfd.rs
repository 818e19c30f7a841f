//! tfd — the number of ambiguity groups that `T` with the candidate makes of all n elements.
//!
//! Test for diagnosis (Gonzalez-Sanchez, Piel, Abreu, Gross, van Gemund 2011, Prioritizing tests
//! for software fault diagnosis; Baudry, Fleurey, Le Traon 2006, Improving test suites for efficient
//! fault localization). Range 1..=n.

use super::{Agnostic, Entry, Kind, score_each};
use crate::census::{Census, Labels};
use crate::counts::{ByCounts, Scope, SuiteCounts, TestCounts};
use crate::coverage::TestId;
use crate::suite::Suite;

pub(super) const ENTRY: Entry = Entry {
    name: "tfd",
    summary: "ambiguity groups of the suite",
    aware: false,
    parameters: &[],
    source: include_str!("tfd.rs"),
    make: |_| Ok(Kind::Agnostic(Box::new(Tfd))),
};

struct Tfd;

impl Agnostic for Tfd {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        let labels = suite.group_labels();
        score_each(
            candidates,
            || labels.census(),
            |census, test| groups_with(suite, &labels, census, test) as f64,
        )
    }

    fn measures_suites(&self) -> bool {
        true
    }

    fn loss(&self, value: f64) -> f64 {
        1.0 / (1.0 + value)
    }

    fn by_counts(&self) -> Option<&dyn ByCounts> {
        Some(self)
    }
}

impl ByCounts for Tfd {
    fn scope(&self) -> Scope {
        Scope::Everything
    }

    fn value(&self, suite: &SuiteCounts, test: &TestCounts) -> f64 {
        (suite.groups + test.cuts) as f64
    }
}

/// Number of groups once the test has joined: every group it covers in part becomes two.
pub(super) fn groups_with(
    suite: &Suite<'_>,
    labels: &Labels<'_>,
    census: &mut Census,
    test: TestId,
) -> usize {
    let groups = suite.groups();
    let mut count = groups.count();
    labels.count(census, test, |group, covered| {
        count += usize::from(covered < groups.size(group));
    });
    count
}
