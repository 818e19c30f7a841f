//! A metric as a fitness for test generators: the value of a new test, or of a whole suite of new
//! tests, beside a failing test. Rows are sets of elements; no outcome is needed.
//!
//! A row is given as words of 64 bits: element `e` is bit `e % 64` of word `e / 64`. Bits past the
//! last element are ignored.

use crate::coverage::{Coverage, TestId};
use crate::metric::{Agnostic, Kind, Metric};
use crate::rows::Rows;
use crate::suite::Suite;

/// Picks of a roll-out at the most.
const PICKS: usize = 10;

/// `T`, a failing test and the new tests kept so far, seen through one metric.
pub struct Fitness {
    metric: Box<dyn Agnostic>,
    /// The method of every element.
    method_of: Vec<u32>,
    /// The failing test's row first, then the kept ones.
    rows: Vec<Vec<u64>>,
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitnessError {
    /// A metric that needs to know how candidates end.
    #[error(
        "metric {metric} looks at outcomes, which new tests do not have: expected one that sees coverage alone"
    )]
    SeesOutcomes {
        /// Its name.
        metric: String,
    },
    /// Rows of another length than the elements need.
    #[error("expected rows of {expected} words, found {found} words")]
    Length {
        /// Words of one row.
        expected: usize,
        /// What was given.
        found: usize,
    },
}

impl Fitness {
    /// `T = {failing}`; `method_of` has the method of every element.
    pub fn new(metric: Metric, method_of: Vec<u32>, failing: &[u64]) -> Result<Self, FitnessError> {
        let label = metric.label().to_owned();
        let Kind::Agnostic(metric) = metric.into_kind() else {
            return Err(FitnessError::SeesOutcomes { metric: label });
        };
        let mut fitness = Fitness {
            metric,
            method_of,
            rows: Vec::new(),
        };
        fitness.keep(failing)?;
        Ok(fitness)
    }

    /// Number of elements, `n`.
    pub fn elements(&self) -> usize {
        self.method_of.len()
    }

    /// Words of one row.
    pub fn words(&self) -> usize {
        self.method_of.len().div_ceil(64)
    }

    /// New tests kept so far.
    pub fn kept(&self) -> usize {
        self.rows.len() - 1
    }

    /// Ambiguity groups among the elements that the failing test covers.
    pub fn groups(&self) -> usize {
        let coverage = self.coverage(&[], 0);
        self.suite(&coverage).suspicious_groups()
    }

    /// Puts a test into `T`.
    pub fn keep(&mut self, row: &[u64]) -> Result<(), FitnessError> {
        self.check(row.len(), 1)?;
        self.rows.push(row.to_vec());
        Ok(())
    }

    /// The value of each of several tests alone, given `T`; `rows` end to end.
    pub fn of_tests(&self, rows: &[u64], values: &mut [f64]) -> Result<(), FitnessError> {
        self.check(rows.len(), values.len())?;
        let words = self.words();
        for (test, value) in values.iter_mut().enumerate() {
            *value = self.of_test(&rows[test * words..][..words])?;
        }
        Ok(())
    }

    /// The value of one test, given `T`.
    pub fn of_test(&self, row: &[u64]) -> Result<f64, FitnessError> {
        self.check(row.len(), 1)?;
        let coverage = self.coverage(row, 1);
        let suite = self.suite(&coverage);
        let tests: Vec<TestId> = coverage.tests().skip(self.rows.len()).collect();
        Ok(self.metric.score(&suite, &tests)[0])
    }

    /// The value of a suite of `tests` rows, end to end. A metric that measures suites gives the
    /// value of the matrix of `T` and the suite; for any other it is the mean of at most ten greedy
    /// picks from the suite, beginning with `T`. 0 for no tests.
    pub fn of_suite(&self, rows: &[u64], tests: usize) -> Result<f64, FitnessError> {
        self.check(rows.len(), tests)?;
        let coverage = self.coverage(rows, tests);
        let mut suite = self.suite(&coverage);
        let mut left: Vec<TestId> = coverage.tests().skip(self.rows.len()).collect();
        if self.metric.measures_suites() {
            let Some(last) = left.pop() else {
                return Ok(0.0);
            };
            left.into_iter().for_each(|test| suite.add(test));
            return Ok(self.metric.score(&suite, &[last])[0]);
        }
        let picks = left.len().min(PICKS);
        let mut total = 0.0;
        for _ in 0..picks {
            let values = self.metric.score(&suite, &left);
            let mut best = 0;
            for (place, value) in values.iter().enumerate() {
                if *value > values[best] {
                    best = place;
                }
            }
            total += values[best];
            suite.add(left.remove(best));
        }
        Ok(total / picks.max(1) as f64)
    }

    /// A value as something to make small, 0..=1.
    pub fn loss(&self, value: f64) -> f64 {
        self.metric.loss(value)
    }

    fn check(&self, found: usize, rows: usize) -> Result<(), FitnessError> {
        let expected = self.words().saturating_mul(rows);
        if found == expected {
            Ok(())
        } else {
            Err(FitnessError::Length { expected, found })
        }
    }

    /// `T` and then the new tests.
    fn coverage(&self, new: &[u64], tests: usize) -> Coverage {
        let (n, words) = (self.elements() as u32, self.words());
        let mut rows = Rows::new(n);
        let kept = self.rows.iter().map(Vec::as_slice);
        let new = (0..tests).map(|test| &new[test * words..][..words]);
        for row in kept.chain(new) {
            let has = |element: &u32| row[*element as usize / 64] >> (element % 64) & 1 == 1;
            rows.push_columns((0..n).filter(has))
                .expect("elements ascend and are in range");
        }
        Coverage::with_methods(rows, self.method_of.iter().copied())
    }

    fn suite<'c>(&self, coverage: &'c Coverage) -> Suite<'c> {
        let mut tests = coverage.tests().take(self.rows.len());
        let failing = tests.next().expect("the failing test is the first");
        let mut suite = Suite::new(coverage, failing);
        tests.for_each(|test| suite.add(test));
        suite
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::METRICS;

    /// Bits of the elements.
    fn row(elements: &[u32]) -> Vec<u64> {
        vec![elements.iter().fold(0, |bits, element| bits | 1 << element)]
    }

    fn fitness(metric: &str) -> Fitness {
        let metric = Metric::parse(metric).unwrap();
        Fitness::new(metric, (0..6).collect(), &row(&[0, 1, 2, 3])).unwrap()
    }

    /// split on {0,1,2,3} of 6 elements: 4/6*2 for a test of 0 and 1, then 2/6*1 for one of 2.
    #[test]
    fn a_suite_is_worth_the_mean_of_its_greedy_picks() {
        let mut split = fitness("split");
        let suite = [row(&[2]), row(&[0, 1, 5])].concat();
        let value = split.of_suite(&suite, 2).unwrap();
        assert_eq!(value, (8.0 / 6.0 + 2.0 / 6.0) / 2.0);
        assert_eq!(split.of_suite(&[], 0), Ok(0.0));
        assert_eq!(split.of_test(&row(&[0, 1])), Ok(8.0 / 6.0));
        assert_eq!(split.groups(), 1);
        split.keep(&row(&[0, 1])).unwrap();
        assert_eq!((split.kept(), split.groups()), (1, 2));
        assert_eq!(split.of_test(&row(&[0, 1])), Ok(0.0));
        assert_eq!(split.of_test(&row(&[2])), Ok(2.0 / 6.0));
    }

    /// Groups of {f} and both tests: {0,1}, {2}, {3}, {4}, {5}.
    #[test]
    fn a_metric_of_suites_measures_the_matrix() {
        let suite = [row(&[2]), row(&[0, 1, 5])].concat();
        let tfd = fitness("tfd");
        assert_eq!(tfd.of_suite(&suite, 2), Ok(5.0));
        assert_eq!(tfd.loss(5.0), 1.0 / 6.0);
        let entbug = fitness("entbug");
        let density: f64 = 8.0 / 18.0;
        let value = entbug.of_suite(&suite, 2).unwrap();
        assert_eq!(value, 1.0 - (1.0 - 2.0 * density).abs());
        assert_eq!(entbug.loss(value), 1.0 - value);
    }

    #[test]
    fn every_result_agnostic_metric_is_a_fitness_and_no_other() {
        for entry in METRICS {
            let metric = Metric::parse(entry.name).unwrap();
            let made = Fitness::new(metric, (0..6).collect(), &row(&[0, 1]));
            match made {
                Ok(made) => {
                    assert!(!entry.aware);
                    let value = made.of_suite(&[row(&[0]), row(&[1, 2])].concat(), 2);
                    assert!((0.0..=1.0).contains(&made.loss(value.unwrap())));
                }
                Err(error) => {
                    assert!(entry.aware);
                    assert!(error.to_string().contains(entry.name));
                }
            }
        }
    }

    #[test]
    fn over_no_elements_every_test_still_has_a_value() {
        let metric = Metric::parse("tfd").unwrap();
        let fitness = Fitness::new(metric, Vec::new(), &[]).unwrap();
        let mut values = [7.0; 3];
        fitness.of_tests(&[], &mut values).unwrap();
        assert_eq!(values, [0.0; 3]);
        assert_eq!(fitness.of_suite(&[], 3), Ok(0.0));
    }

    #[test]
    fn rows_of_another_length_are_refused() {
        let fitness = fitness("rapter");
        let wrong = FitnessError::Length {
            expected: 2,
            found: 3,
        };
        assert_eq!(fitness.of_suite(&[0; 3], 2), Err(wrong));
        assert!(fitness.of_test(&[]).is_err());
    }
}
