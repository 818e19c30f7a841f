//! A metric as a fitness for test generators: the value of a test, or of a whole suite of new tests,
//! beside a failing test. The candidates are rows of the same coverage; no outcome is needed.

use crate::coverage::{Coverage, TestId};
use crate::metric::Agnostic;
use crate::suite::Suite;

/// Picks of a roll-out at the most.
const PICKS: usize = 10;

/// The value of one test, given the failing test and the tests kept so far.
pub fn of_test(metric: &dyn Agnostic, suite: &Suite<'_>, test: TestId) -> f64 {
    metric.score(suite, &[test])[0]
}

/// The value of a suite: a greedy roll-out from the failing test over its tests, the mean value of at
/// most ten picks. 0 for no tests.
pub fn of_suite(
    metric: &dyn Agnostic,
    coverage: &Coverage,
    failing: TestId,
    tests: &[TestId],
) -> f64 {
    let mut suite = Suite::new(coverage, failing);
    let mut left: Vec<TestId> = tests
        .iter()
        .copied()
        .filter(|&test| test != failing)
        .collect();
    left.sort_unstable();
    left.dedup();
    let picks = left.len().min(PICKS);
    let mut total = 0.0;
    for _ in 0..picks {
        let values = metric.score(&suite, &left);
        let mut best = 0;
        for (place, value) in values.iter().enumerate() {
            if *value > values[best] {
                best = place;
            }
        }
        total += values[best];
        suite.add(left.remove(best));
    }
    total / picks.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{Kind, METRICS, Metric};
    use crate::rows::Rows;

    fn coverage() -> Coverage {
        let mut rows = Rows::new(6);
        for columns in [vec![0, 1, 2, 3], vec![0, 1, 5], vec![2], vec![], vec![0, 1]] {
            rows.push_columns(columns).unwrap();
        }
        Coverage::new(rows)
    }

    fn metric(name: &str) -> Box<dyn Agnostic> {
        match Metric::parse(name).unwrap().into_kind() {
            Kind::Agnostic(metric) => metric,
            Kind::Aware(_) => panic!("{name} sees outcomes"),
        }
    }

    /// split on {0,1,2,3} of 6 elements: 4/6*2 for tests 1 and 4 alike, then 2/6*1 for test 2.
    #[test]
    fn a_suite_is_worth_the_mean_of_its_greedy_picks() {
        let coverage = coverage();
        let split = metric("split");
        let suite = Suite::new(&coverage, TestId(0));
        assert_eq!(of_test(&*split, &suite, TestId(1)), 8.0 / 6.0);
        let value = of_suite(&*split, &coverage, TestId(0), &[TestId(2), TestId(1)]);
        assert_eq!(value, (8.0 / 6.0 + 2.0 / 6.0) / 2.0);
        // Order, repetition and the failing test itself do not matter; no tests are worth nothing.
        let again = [TestId(1), TestId(2), TestId(2), TestId(0)];
        assert_eq!(of_suite(&*split, &coverage, TestId(0), &again), value);
        assert_eq!(of_suite(&*split, &coverage, TestId(0), &[]), 0.0);
    }

    #[test]
    fn every_result_agnostic_metric_is_a_fitness() {
        let coverage = coverage();
        let tests: Vec<TestId> = coverage.tests().collect();
        for entry in METRICS.iter().filter(|entry| !entry.aware) {
            let value = of_suite(&*metric(entry.name), &coverage, TestId(0), &tests);
            assert!(value.is_finite(), "{}", entry.name);
        }
    }
}
