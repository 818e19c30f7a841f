//! entbug — how near the density of `T` with the candidate comes to one half.
//!
//! 1 - abs(1 - 2 rho), rho = ones / cells of the matrix of `T` and the candidate, over all n
//! elements (Campos, Abreu, Fraser, d'Amorim 2013, Entropy-based test generation for improved
//! fault localization). Range 0..=1. Published code divided by the cell count from before the
//! candidate joined, which makes it equal to `total`; this one does not.

use super::{Agnostic, Entry, Kind};
use crate::counts::{ByCounts, SuiteCounts, TestCounts};
use crate::coverage::TestId;
use crate::suite::Suite;

pub(super) const ENTRY: Entry = Entry {
    name: "entbug",
    summary: "nearness of the suite's density to one half",
    aware: false,
    parameters: &[],
    source: include_str!("entbug.rs"),
    make: |_| Ok(Kind::Agnostic(Box::new(EntBug))),
};

struct EntBug;

impl Agnostic for EntBug {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        let with = |&test: &TestId| density_with(suite, test);
        candidates.iter().map(with).collect()
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

impl ByCounts for EntBug {
    fn value(&self, suite: &SuiteCounts, test: &TestCounts) -> f64 {
        density(suite.ones + test.total, suite.tests + 1, suite.elements)
    }
}

/// Normalised density of `T` with the test; 0 over no elements.
pub(super) fn density_with(suite: &Suite<'_>, test: TestId) -> f64 {
    let coverage = suite.coverage();
    let ones = suite.ones() + coverage.total(test);
    let tests = suite.tests().len() as u64 + 1;
    density(ones, tests, coverage.element_count() as u64)
}

/// Normalised density of a matrix; 0 over no elements.
pub(super) fn density(ones: u64, tests: u64, elements: u64) -> f64 {
    let cells = tests * elements;
    if cells == 0 {
        return 0.0;
    }
    let density = ones as f64 / cells as f64;
    1.0 - (1.0 - 2.0 * density).abs()
}
