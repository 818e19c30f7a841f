//! The plain way: a coverage and a suite are built for every call. Any result-agnostic metric works
//! so; those that need counts alone have a faster way, and this is their twin in tests.

use crate::coverage::{Coverage, TestId};
use crate::metric::Agnostic;
use crate::rows::Rows;
use crate::suite::Suite;

/// `T` and new tests as a coverage of their own.
pub(super) struct Whole {
    coverage: Coverage,
    kept: usize,
}

impl Whole {
    /// From the rows of `T`, the failing test's first, and those of the new tests, end to end.
    pub(super) fn new(kept: &[Vec<u64>], new: &[u64], tests: usize, method_of: &[u32]) -> Self {
        let words = method_of.len().div_ceil(64);
        let width = method_of.len() as u32;
        let mut rows = Rows::new(width);
        let new = (0..tests).map(|test| &new[test * words..][..words]);
        for row in kept.iter().map(Vec::as_slice).chain(new) {
            let has = |element: &u32| row[*element as usize / 64] >> (element % 64) & 1 == 1;
            rows.push_columns((0..width).filter(has))
                .expect("elements ascend and are in range");
        }
        Whole {
            coverage: Coverage::with_methods(rows, method_of.iter().copied()),
            kept: kept.len(),
        }
    }

    /// The value of the only new test.
    pub(super) fn of_test(&self, metric: &dyn Agnostic) -> f64 {
        metric.score(&self.suite(), &self.new_tests())[0]
    }

    /// The value of all new tests together.
    pub(super) fn of_suite(&self, metric: &dyn Agnostic, most_picks: usize) -> f64 {
        let mut suite = self.suite();
        let mut left = self.new_tests();
        if metric.measures_suites() {
            let Some(last) = left.pop() else {
                return 0.0;
            };
            left.into_iter().for_each(|test| suite.add(test));
            return metric.score(&suite, &[last])[0];
        }
        let picks = left.len().min(most_picks);
        let mut total = 0.0;
        for _ in 0..picks {
            let values = metric.score(&suite, &left);
            let best = super::best(&values);
            total += values[best];
            suite.add(left.remove(best));
        }
        total / picks.max(1) as f64
    }

    pub(super) fn suite(&self) -> Suite<'_> {
        let mut tests = self.coverage.tests().take(self.kept);
        let failing = tests.next().expect("the failing test is the first");
        let mut suite = Suite::new(&self.coverage, failing);
        tests.for_each(|test| suite.add(test));
        suite
    }

    fn new_tests(&self) -> Vec<TestId> {
        self.coverage.tests().skip(self.kept).collect()
    }
}
