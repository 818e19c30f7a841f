//! A metric as a fitness for test generators: the value of a new test, or of a whole suite of new
//! tests, beside a failing test. Rows are sets of elements; no outcome is needed.
//!
//! A row is words of 64 bits: element `e` is bit `e % 64` of word `e / 64`; others are ignored.
//!
//! There are three ways to a value: by counts ([`ByCounts`]), by rows ([`ByRows`]), and by a suite that is
//! built for every call.

mod kept;
mod partition;
mod pool;
mod rollout;
mod whole;

use std::sync::{Mutex, PoisonError};

use crate::counts::ByCounts;
use crate::coverage::TestId;
use crate::metric::{Agnostic, Kind, Metric};
use crate::spectrum::Spectrum;
use crate::suite::Suite;
use kept::Kept;
use pool::Pool;
use rollout::{MOST_NUMBERS, Rollout};
use whole::Whole;

/// Picks of a roll-out at the most.
const PICKS: usize = 10;

/// A metric with its own account of `T`, over rows of elements: a value costs the candidate's row alone.
pub trait ByRows: Send + Sync {
    /// The value of one more test.
    fn value(&self, row: &[u64]) -> f64;

    /// Puts a test into `T`.
    fn keep(&mut self, row: &[u64]);

    /// The same account, to try out picks on.
    fn copy(&self) -> Box<dyn ByRows>;
}

/// `T`, a failing test and the new tests kept so far, seen through one metric.
pub struct Fitness {
    metric: Box<dyn Agnostic>,
    by_rows: Option<Box<dyn ByRows>>,
    /// The method of every element.
    method_of: Vec<u32>,
    kept: Kept,
    /// Memory of past calls: as many as threads were at work at once.
    idle: Mutex<Vec<Scratch>>,
}

#[derive(Default)]
struct Scratch {
    pool: Pool,
    rollout: Rollout,
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitnessError {
    /// A metric that needs to know how candidates end.
    #[error(
        "metric {0} looks at outcomes, which new tests do not have: expected one that sees coverage alone"
    )]
    SeesOutcomes(String),
    /// Nothing that a row could cover.
    #[error("expected at least one element, found none")]
    NoElements,
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
        if !method_of.is_empty() {
            check(failing.len(), method_of.len().div_ceil(64))?;
        }
        let start = Whole::new(&[failing.to_vec()], &[], 0, &method_of);
        Self::beside(metric, &start.suite(), method_of, failing)
    }

    /// The same with a test of a spectrum, whose other tests and names a metric may learn of.
    pub fn of_spectrum(
        metric: Metric,
        spectrum: &Spectrum,
        failing: TestId,
    ) -> Result<Self, FitnessError> {
        let coverage = &spectrum.coverage;
        let method_of = spectrum.program.method_of().collect();
        let suite = Suite::new(coverage, failing);
        Self::beside(metric, &suite, method_of, &coverage.bits(failing))
    }

    fn beside(
        metric: Metric,
        suite: &Suite<'_>,
        method_of: Vec<u32>,
        failing: &[u64],
    ) -> Result<Self, FitnessError> {
        let Kind::Agnostic(own) = metric.kind else {
            return Err(FitnessError::SeesOutcomes(metric.label));
        };
        if method_of.is_empty() {
            return Err(FitnessError::NoElements);
        }
        Ok(Fitness {
            by_rows: own.by_rows(suite, &method_of),
            metric: own,
            kept: Kept::new(method_of.len(), failing),
            method_of,
            idle: Mutex::default(),
        })
    }

    /// Number of elements, `n`.
    pub fn elements(&self) -> usize {
        self.method_of.len()
    }

    /// Words of one row.
    pub fn words(&self) -> usize {
        self.kept.words()
    }

    /// New tests kept so far.
    pub fn kept(&self) -> usize {
        self.kept.rows.len() - 1
    }

    /// Ambiguity groups among the elements that the failing test covers.
    pub fn groups(&self) -> usize {
        self.kept.partition.suspicious
    }

    /// Puts a test into `T`.
    pub fn keep(&mut self, row: &[u64]) -> Result<(), FitnessError> {
        self.check(row.len(), 1)?;
        self.kept.keep(row);
        if let Some(by_rows) = &mut self.by_rows {
            by_rows.keep(row);
        }
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
        if let Some(by_rows) = &self.by_rows {
            return Ok(by_rows.value(row));
        }
        Ok(match self.metric.by_counts() {
            Some(metric) => self.work(|Scratch { pool, .. }| {
                pool.fill(&self.kept, row, 1, metric.scope());
                metric.value(&pool.suite(), &pool.test(0))
            }),
            None => self.whole(row, 1).of_test(&*self.metric),
        })
    }

    /// The value of a suite of `tests` rows, end to end. A metric that measures suites gives the
    /// value of the matrix of `T` and the suite; for any other it is the mean of at most ten greedy
    /// picks from the suite, beginning with `T`. 0 for no tests.
    pub fn of_suite(&self, rows: &[u64], tests: usize) -> Result<f64, FitnessError> {
        self.check(rows.len(), tests)?;
        if let Some(by_rows) = &self.by_rows {
            return Ok(picked_by_rows(by_rows.copy(), rows, self.words(), tests));
        }
        Ok(match self.metric.by_counts() {
            Some(metric) => self.work(|Scratch { pool, rollout }| {
                pool.fill(&self.kept, rows, tests, metric.scope());
                if self.metric.measures_suites() {
                    matrix(metric, pool, tests)
                } else {
                    rollout.mean(metric, pool, PICKS, MOST_NUMBERS)
                }
            }),
            None => self.whole(rows, tests).of_suite(&*self.metric, PICKS),
        })
    }

    /// A value as something to make small, 0..=1.
    pub fn loss(&self, value: f64) -> f64 {
        self.metric.loss(value)
    }

    fn check(&self, found: usize, tests: usize) -> Result<(), FitnessError> {
        check(found, self.words().saturating_mul(tests))
    }

    fn whole(&self, rows: &[u64], tests: usize) -> Whole {
        Whole::new(&self.kept.rows, rows, tests, &self.method_of)
    }

    fn work<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let mut scratch = waiting.unwrap_or_default();
        let result = work(&mut scratch);
        idle().push(scratch);
        result
    }
}

fn check(found: usize, expected: usize) -> Result<(), FitnessError> {
    match found == expected {
        true => Ok(()),
        false => Err(FitnessError::Length { expected, found }),
    }
}

/// The value of `T` with all of the pool.
fn matrix(metric: &dyn ByCounts, pool: &mut Pool, tests: usize) -> f64 {
    let Some(last) = tests.checked_sub(1) else {
        return 0.0;
    };
    (0..last).for_each(|test| pool.join(test));
    metric.value(&pool.suite(), &pool.test(last))
}

/// The mean value of at most [`PICKS`] greedy picks; 0 for no tests.
fn picked_by_rows(mut account: Box<dyn ByRows>, rows: &[u64], words: usize, tests: usize) -> f64 {
    let mut left: Vec<&[u64]> = (0..tests)
        .map(|test| &rows[test * words..][..words])
        .collect();
    let picks = tests.min(PICKS);
    let mut total = 0.0;
    for _ in 0..picks {
        let values: Vec<f64> = left.iter().map(|row| account.value(row)).collect();
        let best = best(&values);
        total += values[best];
        account.keep(left.remove(best));
    }
    total / picks.max(1) as f64
}

/// The place of the largest value, the first of equal ones.
fn best(values: &[f64]) -> usize {
    let mut best = 0;
    for (place, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = place;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::METRICS;
    use proptest::prelude::*;

    /// Bits of the elements.
    fn row(elements: &[u32]) -> Vec<u64> {
        vec![elements.iter().fold(0, |bits, element| bits | 1 << element)]
    }

    fn fitness(metric: &str) -> Fitness {
        let metric = Metric::parse(metric).unwrap();
        Fitness::new(metric, (0..6).collect(), &row(&[0, 1, 2, 3])).unwrap()
    }

    fn any_row(elements: usize) -> impl Strategy<Value = Vec<u64>> {
        // Runs of lines, single lines, nothing, everything, and bits past the end.
        let words = elements.div_ceil(64);
        prop_oneof![
            4 => prop::collection::vec(any::<u64>(), words),
            4 => prop::collection::vec(0u32..64, words).prop_map(|ends| {
                ends.iter().map(|end| u64::MAX << end).collect()
            }),
            1 => Just(vec![0; words]),
            1 => Just(vec![u64::MAX; words]),
            1 => Just(vec![0x11; words]),
        ]
    }

    fn any_rows() -> impl Strategy<Value = (usize, Vec<Vec<u64>>)> {
        prop_oneof![1usize..6, 60usize..70, 1usize..300]
            .prop_flat_map(|n| (Just(n), prop::collection::vec(any_row(n), 2..16)))
    }

    proptest! {
        /// Every registered metric, whichever way it takes; rows are used twice so that there are
        /// twins.
        #[test]
        fn counts_give_the_values_of_whole_suites_in_bits(
            (elements, rows) in any_rows(),
            kept in 0usize..5,
            again in any::<prop::sample::Index>(),
        ) {
            let mut rows = rows;
            rows.push(rows[again.index(rows.len())].clone());
            let method_of: Vec<u32> = (0..elements as u32).map(|element| element / 3).collect();
            for entry in METRICS.iter().filter(|entry| !entry.aware) {
                let metric = Metric::parse(entry.name).unwrap();
                let mut fitness = Fitness::new(metric, method_of.clone(), &rows[0]).unwrap();
                let mut new = rows[1..].to_vec();
                for row in new.drain(..kept.min(rows.len() - 2)) {
                    fitness.keep(&row).unwrap();
                }
                let whole = |rows: &[u64], tests| fitness.whole(rows, tests);
                for row in &new {
                    let expected = whole(row, 1).of_test(&*fitness.metric);
                    let value = fitness.of_test(row).unwrap();
                    prop_assert_eq!(value.to_bits(), expected.to_bits(), "{}", entry.name);
                }
                let suite = new.concat();
                let expected = whole(&suite, new.len()).of_suite(&*fitness.metric, PICKS);
                let value = fitness.of_suite(&suite, new.len()).unwrap();
                prop_assert_eq!(value.to_bits(), expected.to_bits(), "{}", entry.name);
                if let (Some(metric), false) = (fitness.metric.by_counts(), fitness.metric.measures_suites()) {
                    let mut pool = Pool::default();
                    pool.fill(&fitness.kept, &suite, new.len(), metric.scope());
                    let value = Rollout::default().mean(metric, &mut pool, PICKS, 0);
                    prop_assert_eq!(value.to_bits(), expected.to_bits(), "{} untabled", entry.name);
                }
                let groups = whole(&[], 0).suite().suspicious_groups();
                prop_assert_eq!(fitness.groups(), groups);
            }
        }
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
    fn there_is_no_fitness_over_no_elements() {
        let metric = Metric::parse("tfd").unwrap();
        let made = Fitness::new(metric, Vec::new(), &[]);
        assert_eq!(made.err(), Some(FitnessError::NoElements));
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
