//! What runs amount to: acc@n, mAP, area, first rank, EXAM, wasted effort, over bugs.
//!
//! A bug's value is the mean over its runs (failing tests, seeds); a study's is the sum (acc@n) or
//! the mean (everything else) over bugs.

use std::collections::BTreeMap;
use std::fmt;

use fdc_core::spectrum::Bug;

use crate::run::{Standing, StudyRun};

/// The `n` of acc@n.
pub const ACC_AT: [u32; 4] = [1, 3, 5, 10];

/// A point of a study: so many tests added, or the whole pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    /// After so many added tests.
    Tests(usize),
    /// With all tests of the pool.
    Full,
}

/// `0`, `1`, ..., `full`.
impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Tests(tests) => tests.fmt(f),
            At::Full => f.write_str("full"),
        }
    }
}

/// Values at one point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Values {
    /// acc@1, acc@3, acc@5, acc@10: for a bug the share of its runs, for a study the sum over bugs.
    pub acc: [f64; 4],
    /// Average precision.
    pub ap: f64,
    /// Rank of the first faulty method.
    pub first_rank: f64,
    /// First rank / methods.
    pub exam: f64,
    /// Expected non-faulty methods seen before the first faulty one.
    pub wasted: f64,
}

impl Values {
    /// Of one standing among so many methods.
    pub fn of(standing: &Standing, methods: u32) -> Self {
        let first_rank = standing.ranks.iter().copied().fold(f64::INFINITY, f64::min);
        Values {
            acc: ACC_AT.map(|n| f64::from(u8::from(first_rank <= f64::from(n)))),
            ap: average_precision(&standing.ranks),
            first_rank,
            exam: first_rank / f64::from(methods.max(1)),
            wasted: standing.wasted,
        }
    }

    fn add(&mut self, other: &Values) {
        for (sum, value) in self.acc.iter_mut().zip(other.acc) {
            *sum += value;
        }
        self.ap += other.ap;
        self.first_rank += other.first_rank;
        self.exam += other.exam;
        self.wasted += other.wasted;
    }

    fn scaled(&self, factor: f64) -> Self {
        Values {
            acc: self.acc.map(|value| value * factor),
            ap: self.ap * factor,
            first_rank: self.first_rank * factor,
            exam: self.exam * factor,
            wasted: self.wasted * factor,
        }
    }
}

/// Mean over the faulty methods of (its place among the faulty ones, worst of ties) / rank.
pub fn average_precision(ranks: &[f64]) -> f64 {
    let precision = |&rank: &f64| {
        let place = ranks.iter().filter(|&&other| other <= rank).count();
        place as f64 / rank
    };
    ranks.iter().map(precision).sum::<f64>() / ranks.len().max(1) as f64
}

/// One metric's values per bug.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricValues {
    /// The metric.
    pub metric: String,
    /// Added tests of the longest run.
    pub tests: usize,
    /// Per bug, in order: after 0..=tests, then with the full pool.
    pub bugs: BTreeMap<Bug, BugValues>,
}

/// One bug's values under one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct BugValues {
    /// After 0..=tests added tests.
    pub steps: Vec<Values>,
    /// With the full pool.
    pub full: Values,
    /// Runs behind them.
    pub runs: usize,
}

impl BugValues {
    /// At a point; after the last step, the last.
    pub fn at(&self, at: At) -> &Values {
        match at {
            At::Tests(tests) => &self.steps[tests.min(self.steps.len() - 1)],
            At::Full => &self.full,
        }
    }

    /// Mean AP after 1..=10 added tests (fewer where fewer were added).
    pub fn area(&self) -> f64 {
        let steps = &self.steps[1..self.steps.len().min(11)];
        steps.iter().map(|values| values.ap).sum::<f64>() / steps.len().max(1) as f64
    }
}

impl MetricValues {
    /// Of a metric's runs.
    pub fn of(metric: &str, runs: &[&StudyRun]) -> Self {
        let tests = runs.iter().map(|run| run.steps.len() - 1).max();
        let tests = tests.unwrap_or(0);
        let mut bugs: BTreeMap<Bug, Vec<&StudyRun>> = BTreeMap::new();
        for run in runs {
            bugs.entry(run.unit.bug()).or_default().push(run);
        }
        let bugs = bugs.into_iter();
        MetricValues {
            metric: metric.to_owned(),
            tests,
            bugs: bugs
                .map(|(bug, runs)| (bug, bug_values(&runs, tests)))
                .collect(),
        }
    }

    /// Only the bugs that `keep` holds of.
    pub fn filtered(&self, keep: impl Fn(&Bug) -> bool) -> Self {
        let bugs = self.bugs.iter().filter(|(bug, _)| keep(bug));
        MetricValues {
            metric: self.metric.clone(),
            tests: self.tests,
            bugs: bugs
                .map(|(bug, values)| (bug.clone(), values.clone()))
                .collect(),
        }
    }

    /// The points of the study, in order.
    pub fn points(&self) -> impl Iterator<Item = At> + use<> {
        (0..=self.tests).map(At::Tests).chain([At::Full])
    }

    /// acc@n summed over bugs, everything else averaged.
    pub fn total(&self, at: At) -> Values {
        let mut sum = Values::default();
        for bug in self.bugs.values() {
            sum.add(bug.at(at));
        }
        let mean = sum.scaled(1.0 / self.bugs.len().max(1) as f64);
        Values {
            acc: sum.acc,
            ..mean
        }
    }

    /// Mean area over bugs: the one number to compare metrics by.
    pub fn area(&self) -> f64 {
        self.bugs.values().map(BugValues::area).sum::<f64>() / self.bugs.len().max(1) as f64
    }
}

fn bug_values(runs: &[&StudyRun], tests: usize) -> BugValues {
    let share = 1.0 / runs.len() as f64;
    let mean = |standing: &dyn Fn(&StudyRun) -> Values| {
        let mut sum = Values::default();
        for run in runs {
            sum.add(&standing(run));
        }
        sum.scaled(share)
    };
    let step = |step: usize| {
        mean(&|run| Values::of(&run.steps[step.min(run.steps.len() - 1)], run.methods))
    };
    BugValues {
        steps: (0..=tests).map(step).collect(),
        full: mean(&|run| Values::of(&run.full, run.methods)),
        runs: runs.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precision_takes_the_worst_place_of_tied_faulty_methods() {
        assert_eq!(average_precision(&[1.0]), 1.0);
        assert_eq!(average_precision(&[2.0, 2.0]), 1.0);
        assert_eq!(
            average_precision(&[4.0, 2.0]),
            (2.0 / 4.0 + 1.0 / 2.0) / 2.0
        );
    }
}
