//! What runs amount to: acc@n, mAP, area, first rank, EXAM, wasted effort, over bugs.
//!
//! A bug's value is the mean over its runs; a study's, the sum (acc@n) or mean (others) over bugs.

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

    /// Every value made of two.
    fn joined(&self, other: &Values, join: impl Fn(f64, f64) -> f64) -> Self {
        Values {
            acc: std::array::from_fn(|n| join(self.acc[n], other.acc[n])),
            ap: join(self.ap, other.ap),
            first_rank: join(self.first_rank, other.first_rank),
            exam: join(self.exam, other.exam),
            wasted: join(self.wasted, other.wasted),
        }
    }

    /// The sum, and the mean.
    fn sum_and_mean(all: impl ExactSizeIterator<Item = Values>) -> [Self; 2] {
        let factor = 1.0 / all.len().max(1) as f64;
        let add = |sum: Values, own: Values| sum.joined(&own, |sum, own| sum + own);
        let sum = all.fold(Values::default(), add);
        [sum, sum.joined(&sum, |sum, _| sum * factor)]
    }

    /// Over bugs: acc@n summed, everything else averaged.
    fn total(bugs: impl ExactSizeIterator<Item = Values>) -> Self {
        let [sum, mean] = Self::sum_and_mean(bugs);
        Values {
            acc: sum.acc,
            ..mean
        }
    }
}

/// The lowest and the highest total of a seed: of a training, of an order of tests, or of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
    /// How many seeds there are.
    pub seeds: usize,
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
    /// By seed, after 0..=tests added tests.
    pub by_seed: BTreeMap<u64, Vec<Values>>,
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
        let values = |(bug, runs): (Bug, Vec<&StudyRun>)| (bug, bug_values(&runs, tests));
        MetricValues {
            metric: metric.to_owned(),
            tests,
            bugs: bugs.into_iter().map(values).collect(),
        }
    }

    /// Only the bugs that `keep` holds of.
    pub fn filtered(&self, keep: impl Fn(&Bug) -> bool) -> Self {
        let bugs = self.bugs.iter().filter(|(bug, _)| keep(bug));
        let bugs = bugs.map(|(bug, own)| (bug.clone(), own.clone()));
        MetricValues {
            metric: self.metric.clone(),
            tests: self.tests,
            bugs: bugs.collect(),
        }
    }

    /// The points of the study, in order.
    pub fn points(&self) -> impl Iterator<Item = At> + use<> {
        (0..=self.tests).map(At::Tests).chain([At::Full])
    }

    /// acc@n summed over bugs, everything else averaged.
    pub fn total(&self, at: At) -> Values {
        Values::total(self.bugs.values().map(|bug| *bug.at(at)))
    }

    /// How far the totals of single seeds lie apart after so many tests; none with one seed.
    pub fn spread(&self, tests: usize, measure: impl Fn(&Values) -> f64) -> Option<Spread> {
        let first = self.bugs.values().next()?;
        let everywhere = |seed: &&u64| self.bugs.values().all(|bug| bug.by_seed.contains_key(seed));
        let seeds = first.by_seed.keys().filter(everywhere);
        let totals = seeds.map(|seed| {
            let of = |bug: &BugValues| {
                let steps = &bug.by_seed[seed];
                steps[tests.min(steps.len() - 1)]
            };
            measure(&Values::total(self.bugs.values().map(of)))
        });
        let totals: Vec<f64> = totals.collect();
        (totals.len() > 1).then(|| Spread {
            low: totals.iter().copied().fold(f64::INFINITY, f64::min),
            high: totals.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            seeds: totals.len(),
        })
    }

    /// [`Self::spread`] of the mean average precision.
    pub fn map_spread(&self, tests: usize) -> Option<Spread> {
        self.spread(tests, |values| values.ap)
    }

    /// Mean area over bugs: the one number to compare metrics by.
    pub fn area(&self) -> f64 {
        self.bugs.values().map(BugValues::area).sum::<f64>() / self.bugs.len().max(1) as f64
    }
}

fn bug_values(runs: &[&StudyRun], tests: usize) -> BugValues {
    let mean = |runs: &[&StudyRun], standing: &dyn Fn(&StudyRun) -> &Standing| {
        let of = |run: &&StudyRun| Values::of(standing(run), run.methods);
        let [_, mean] = Values::sum_and_mean(runs.iter().map(of));
        mean
    };
    let steps = |runs: &[&StudyRun]| -> Vec<Values> {
        let step = |step: usize| mean(runs, &|run| &run.steps[step.min(run.steps.len() - 1)]);
        (0..=tests).map(step).collect()
    };
    let mut seeds: BTreeMap<u64, Vec<&StudyRun>> = BTreeMap::new();
    for run in runs {
        seeds.entry(run.unit.seed).or_default().push(run);
    }
    BugValues {
        steps: steps(runs),
        full: mean(runs, &|run| &run.full),
        runs: runs.len(),
        by_seed: seeds
            .into_iter()
            .map(|(seed, runs)| (seed, steps(&runs)))
            .collect(),
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
