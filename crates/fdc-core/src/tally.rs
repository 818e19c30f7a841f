//! Counts per column of the judged tests that cover it, kept up to date test by test.

use crate::coverage::{Coverage, TestId};
use crate::spectrum::{Outcome, Spectrum};

/// A test's outcome and how far it is to be believed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// What was said.
    pub outcome: Outcome,
    /// Probability that it is right: p in 0..=1 goes to its outcome's count, 1-p to the other's.
    pub trust: f64,
}

impl Verdict {
    /// A verdict beyond doubt.
    pub fn certain(outcome: Outcome) -> Self {
        Verdict {
            outcome,
            trust: 1.0,
        }
    }
}

/// `ef` and `ep` per column, `F` and `P` in all, in whole [`UNITS`]: sums do not depend on the order
/// of tests, so columns that are equal on paper are equal in bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    failed: i64,
    passed: i64,
    covered_failed: Vec<i64>,
    covered_passed: Vec<i64>,
}

/// Of one full verdict; trust is rounded to them.
const UNITS: i64 = 1 << 32;

fn weight(units: i64) -> f64 {
    units as f64 / UNITS as f64
}

/// One element's counts: what every formula is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counts {
    /// Failing tests that cover it.
    pub ef: f64,
    /// Passing tests that cover it.
    pub ep: f64,
    /// Failing tests that do not.
    pub nf: f64,
    /// Passing tests that do not.
    pub np: f64,
}

impl Tally {
    /// No test yet.
    pub fn new(coverage: &Coverage) -> Self {
        Tally {
            failed: 0,
            passed: 0,
            covered_failed: vec![0; coverage.column_count()],
            covered_passed: vec![0; coverage.column_count()],
        }
    }

    /// Over the given failing tests (also those without a verdict) and all passing ones.
    pub fn of_failing(spectrum: &Spectrum, failing: &[TestId]) -> Self {
        Self::of_judged(spectrum, failing, spectrum.passing_tests())
    }

    /// Of these failing and passing tests.
    pub fn of_judged(
        spectrum: &Spectrum,
        failing: &[TestId],
        passing: impl Iterator<Item = TestId>,
    ) -> Self {
        let fails = Verdict::certain(Outcome::Fail);
        let verdict = |test: TestId| spectrum.test(test).verdict().unwrap_or(fails);
        let judged = failing.iter().copied().chain(passing);
        let mut tally = Tally::new(&spectrum.coverage);
        tally.add_all(&spectrum.coverage, judged.map(|test| (test, verdict(test))));
        tally
    }

    /// Counts a judged test.
    pub fn add(&mut self, coverage: &Coverage, test: TestId, verdict: Verdict) {
        let trust = (verdict.trust * UNITS as f64).round() as i64;
        let (fail, pass) = match verdict.outcome {
            Outcome::Fail => (trust, UNITS - trust),
            Outcome::Pass => (UNITS - trust, trust),
        };
        self.failed += fail;
        self.passed += pass;
        let row = coverage.row(test);
        if fail != 0 {
            row.for_each(|column| self.covered_failed[column as usize] += fail);
        }
        if pass != 0 {
            row.for_each(|column| self.covered_passed[column as usize] += pass);
        }
    }

    /// Counts many judged tests: beyond doubt by the ends of runs (less work), others by line.
    pub fn add_all(
        &mut self,
        coverage: &Coverage,
        tests: impl IntoIterator<Item = (TestId, Verdict)>,
    ) {
        let columns = coverage.column_count();
        let mut changes = [vec![0i32; columns + 1], vec![0i32; columns + 1]];
        for (test, verdict) in tests {
            if verdict.trust != 1.0 {
                self.add(coverage, test, verdict);
                continue;
            }
            let [fails, passes] = &mut changes;
            let (all, change) = match verdict.outcome {
                Outcome::Fail => (&mut self.failed, fails),
                Outcome::Pass => (&mut self.passed, passes),
            };
            *all += UNITS;
            coverage.row(test).for_each_range(|range| {
                change[range.start as usize] += 1;
                change[range.end as usize] -= 1;
            });
        }
        let counts = [&mut self.covered_failed, &mut self.covered_passed];
        for (counts, change) in counts.into_iter().zip(&changes) {
            let mut covering = 0;
            for (count, change) in counts.iter_mut().zip(change) {
                covering += i64::from(*change);
                *count += covering * UNITS;
            }
        }
    }

    /// `F`: weight of failing tests.
    pub fn failed(&self) -> f64 {
        weight(self.failed)
    }

    /// `P`: weight of passing tests.
    pub fn passed(&self) -> f64 {
        weight(self.passed)
    }

    /// `(ef, ep)` of a column.
    #[inline]
    pub fn covered(&self, column: usize) -> (f64, f64) {
        (
            weight(self.covered_failed[column]),
            weight(self.covered_passed[column]),
        )
    }

    /// All four counts of a column.
    #[inline]
    pub fn counts(&self, column: usize) -> Counts {
        let (ef, ep) = self.covered(column);
        Counts {
            ef,
            ep,
            nf: weight(self.failed - self.covered_failed[column]),
            np: weight(self.passed - self.covered_passed[column]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Rows;

    #[test]
    fn a_half_trusted_verdict_counts_on_both_sides_and_whole_ones_stay_integers() {
        let mut rows = Rows::new(2);
        rows.push_columns([0]).unwrap();
        rows.push_columns([0, 1]).unwrap();
        let coverage = Coverage::new(rows);
        let mut tally = Tally::new(&coverage);
        for _ in 0..1_000_000 {
            tally.add(&coverage, TestId(0), Verdict::certain(Outcome::Fail));
        }
        assert_eq!(tally.counts(0).ef, 1_000_000.0);
        let doubtful = Verdict {
            outcome: Outcome::Pass,
            trust: 0.75,
        };
        tally.add(&coverage, TestId(1), doubtful);
        let mut at_once = Tally::new(&coverage);
        let fails = std::iter::repeat_n((TestId(0), Verdict::certain(Outcome::Fail)), 1_000_000);
        at_once.add_all(&coverage, fails.chain([(TestId(1), doubtful)]));
        assert_eq!(at_once, tally);
        assert_eq!(
            tally.counts(1),
            Counts {
                ef: 0.25,
                ep: 0.75,
                nf: 1_000_000.0,
                np: 0.0
            }
        );
    }
}
