//! Counts that describe `T` and a candidate beside it, and metrics that need nothing else. A
//! generator's fitness values such a metric without building a [`Suite`](crate::Suite).

use crate::suite::jaccard;

/// `T` in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuiteCounts {
    /// Number of elements, `n`.
    pub elements: u64,
    /// Tests in `T`, the failing one included.
    pub tests: u64,
    /// Covered cells of the matrix `T`.
    pub ones: u64,
    /// Sum of `c(c-1)` over the sets of `c` tests of `T` with equal rows.
    pub twins: u64,
    /// Ambiguity groups in the metric's scope.
    pub groups: u64,
    /// Sum of `g(g-1)` over the groups (size `g`) in the metric's scope.
    pub pairs: u64,
    /// Elements that the failing test covers.
    pub suspects: u64,
    /// Ambiguity groups among those.
    pub suspicious_groups: u64,
}

/// A candidate in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestCounts {
    /// Elements it covers.
    pub total: u64,
    /// Elements it and the failing test cover.
    pub shared: u64,
    /// Tests of `T` with the same row.
    pub twins: u64,
    /// Sum over the groups among the suspects of `g * min(covered, not covered)`.
    pub balance: u64,
    /// Groups in the metric's scope that it covers in part.
    pub cuts: u64,
    /// Sum over the groups in the metric's scope of `covered * not covered`.
    pub parted: u64,
    /// Elements in the metric's scope that it covers and no test of `T` does.
    pub new: u64,
}

impl SuiteCounts {
    /// The metric split.
    pub fn split(&self, test: &TestCounts) -> f64 {
        test.balance as f64 / self.elements.max(1) as f64
    }

    /// The metric cover.
    pub fn cover(&self, test: &TestCounts) -> f64 {
        jaccard(test.shared, test.total, self.suspects)
    }
}

/// Which ambiguity groups a metric asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those among the elements that the failing test covers.
    Suspects,
    /// All.
    Everything,
}

/// A metric that needs counts alone. Its values are those of its
/// [`score`](crate::metric::Agnostic::score), in bits.
pub trait ByCounts {
    /// Which groups it asks about; fewer are counted faster.
    fn scope(&self) -> Scope {
        Scope::Suspects
    }

    /// The value of a candidate.
    fn value(&self, suite: &SuiteCounts, test: &TestCounts) -> f64;

    /// The values of candidates, in their order.
    fn values(&self, suite: &SuiteCounts, tests: &[TestCounts], values: &mut [f64]) {
        for (test, value) in tests.iter().zip(values) {
            *value = self.value(suite, test);
        }
    }
}
