//! ddu — density, diversity and uniqueness of `T` with the candidate, multiplied.
//!
//! (1 - abs(1 - 2 rho)) * diversity * uniqueness (Perez, Abreu, van Deursen 2017, A test-suite
//! diagnosability metric for spectrum-based fault localization approaches): rho = ones / cells;
//! diversity = 1 - sum of c(c-1) over groups of c identical rows / (k(k-1)) for k tests;
//! uniqueness = ambiguity groups / n. The RLFDC paper prints plain rho; DDU's authors normalise
//! it, and so does this. Range 0..=1.

use std::collections::HashMap;

use super::{Agnostic, Entry, Kind, entbug, score_each, tfd};
use crate::counts::{ByCounts, Scope, SuiteCounts, TestCounts};
use crate::coverage::TestId;
use crate::suite::Suite;

pub(super) const ENTRY: Entry = Entry {
    name: "ddu",
    summary: "density x diversity x uniqueness of the suite",
    aware: false,
    parameters: &[],
    source: include_str!("ddu.rs"),
    make: |_| Ok(Kind::Agnostic(Box::new(Ddu))),
};

struct Ddu;

impl Agnostic for Ddu {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        let coverage = suite.coverage();
        let mut twins: HashMap<u32, u64> = HashMap::new();
        for &test in suite.tests() {
            *twins.entry(coverage.row_identity(test)).or_default() += 1;
        }
        let same_now: u64 = twins.values().map(|&c| c * (c - 1)).sum();
        let k = suite.tests().len() as u64 + 1;
        let elements = coverage.element_count() as u64;
        let labels = suite.group_labels();
        score_each(
            candidates,
            || labels.census(),
            |census, test| {
                let twins_of_test = twins.get(&coverage.row_identity(test)).copied();
                let same = same_now + 2 * twins_of_test.unwrap_or(0);
                let groups = tfd::groups_with(suite, &labels, census, test) as u64;
                let density = entbug::density_with(suite, test);
                product(density, diversity(same, k), groups, elements)
            },
        )
    }

    fn measures_suites(&self) -> bool {
        true
    }

    fn loss(&self, value: f64) -> f64 {
        1.0 - value
    }

    fn by_counts(&self) -> Option<&dyn ByCounts> {
        Some(self)
    }
}

impl ByCounts for Ddu {
    fn scope(&self) -> Scope {
        Scope::Everything
    }

    fn value(&self, suite: &SuiteCounts, test: &TestCounts) -> f64 {
        let tests = suite.tests + 1;
        let density = entbug::density(suite.ones + test.total, tests, suite.elements);
        let same = suite.twins + 2 * test.twins;
        let groups = suite.groups + test.cuts;
        product(density, diversity(same, tests), groups, suite.elements)
    }
}

/// Of `tests` tests; `same` is the sum of c(c-1) over groups of c identical rows.
fn diversity(same: u64, tests: u64) -> f64 {
    1.0 - same as f64 / (tests * (tests - 1)) as f64
}

fn product(density: f64, diversity: f64, groups: u64, elements: u64) -> f64 {
    let uniqueness = groups as f64 / elements.max(1) as f64;
    density * diversity * uniqueness
}
