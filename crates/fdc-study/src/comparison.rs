//! Metrics side by side, on the bugs that all of them have.
//!
//! | question | home |
//! |---|---|
//! | where runs come from: results folders, Parquet, published ranks; several joined | [`input`] |
//! | how good is each metric, after how many tests | [`tables`] |
//! | is the difference more than chance, and how large is it | [`significance`] |
//! | which bugs got better or worse | [`changes`] |
//! | pictures | [`charts`] |
//! | everything on one page | [`report`] |
//!
//! All of it is pure: runs in, [`fdc_draw::Table`]s, charts and pages out; only [`input`] reads.

pub mod changes;
pub mod charts;
pub mod input;
pub mod report;
pub mod significance;
pub mod tables;

use std::collections::{BTreeMap, BTreeSet};

use fdc_core::naming::nearest;
use fdc_core::spectrum::Bug;

use crate::measures::{At, BugValues, MetricValues};
use crate::run::StudyRun;

use input::ResultsInput;

/// The number of added tests that metrics are compared after, where runs are that long.
pub const COMPARED_AFTER: usize = 10;

/// Everything that was read: the metrics of all inputs.
#[derive(Clone, Debug)]
pub struct Field {
    entrants: Vec<Entrant>,
    /// What the reader should know about how inputs were joined, a sentence each.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
struct Entrant {
    /// The metric's name before inputs were told apart.
    plain: String,
    values: MetricValues,
    sizes_known: bool,
}

/// Metrics with the same bugs and the same number of tests.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The metrics, in the order asked for, each with the same bugs and `tests`.
    pub metrics: Vec<MetricValues>,
    /// Added tests: the least that any of the metrics was run for.
    pub tests: usize,
    /// Whether the number of ranked methods is known, and with it EXAM and wasted effort.
    pub sizes_known: bool,
    /// Bugs that not all of the metrics have.
    pub left_out: Vec<UncomparedBug>,
}

/// A bug that is not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncomparedBug {
    /// The bug.
    pub bug: Bug,
    /// The metrics that do not have it.
    pub missing: Vec<String>,
}

/// Why metrics cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComparisonError {
    /// No such metric in the results.
    #[error("no results of metric '{name}'")]
    UnknownMetric {
        /// What was asked for.
        name: String,
        /// What may have been meant.
        nearest: Option<String>,
        /// What there is.
        known: Vec<String>,
    },
    /// A metric was asked for twice.
    #[error("metric '{0}' is listed twice")]
    Twice(String),
    /// There are no runs at all.
    #[error("there is no run in the results")]
    NoRuns,
    /// No bug was run with every metric.
    #[error("no bug has results of all of {}", .0.join(", "))]
    NoCommonBug(Vec<String>),
}

impl Field {
    /// Joins inputs. A metric that several inputs have on the same bug becomes several metrics,
    /// `rlfdc@before` and `rlfdc@after`; on different bugs it is one.
    pub fn new(inputs: &[ResultsInput]) -> Self {
        let clashing = clashing_metrics(inputs);
        let mut joined: Vec<(String, &str, Vec<&StudyRun>)> = Vec::new();
        for input in inputs {
            for run in &input.runs {
                let plain = &*run.unit.metric;
                let name = if clashing.contains(plain) {
                    format!("{plain}@{}", input.name)
                } else {
                    plain.to_owned()
                };
                match joined.iter_mut().find(|(known, ..)| *known == name) {
                    Some((_, _, runs)) => runs.push(run),
                    None => joined.push((name, plain, vec![run])),
                }
            }
        }
        let entrant = |(name, plain, runs): (String, &str, Vec<&StudyRun>)| Entrant {
            plain: plain.to_owned(),
            sizes_known: runs.iter().all(|run| run.methods > 0),
            values: MetricValues::of(&name, &runs),
        };
        let mut notes = Vec::new();
        if !clashing.is_empty() {
            let names: Vec<&str> = clashing.into_iter().collect();
            notes.push(format!(
                "several inputs have results of {} on the same bugs; they are told apart by the \
                 input's name behind an @",
                names.join(", ")
            ));
        }
        Field {
            entrants: joined.into_iter().map(entrant).collect(),
            notes,
        }
    }

    /// The metrics' names, in the order of their first runs.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entrants.iter().map(|entrant| &*entrant.values.metric)
    }

    /// The metrics that a name stands for: the one of that name, else all that had it before
    /// inputs were told apart, else the one that differs in case only.
    pub fn named(&self, name: &str) -> Result<Vec<String>, ComparisonError> {
        let names = |fits: &dyn Fn(&Entrant) -> bool| -> Vec<String> {
            let found = self.entrants.iter().filter(|entrant| fits(entrant));
            found.map(|entrant| entrant.values.metric.clone()).collect()
        };
        let same = names(&|entrant| entrant.values.metric == name);
        let plain = names(&|entrant| entrant.plain == name);
        let folded = names(&|entrant| entrant.values.metric.eq_ignore_ascii_case(name));
        match (same.len(), plain.len(), folded.len()) {
            (1.., ..) => Ok(same),
            (_, 1.., _) => Ok(plain),
            (_, _, 1) => Ok(folded),
            _ => Err(ComparisonError::UnknownMetric {
                name: name.to_owned(),
                nearest: nearest(name, self.names()).map(str::to_owned),
                known: self.names().map(str::to_owned).collect(),
            }),
        }
    }

    /// Compares these metrics; all of them if none is listed.
    pub fn compare(&self, asked: &[String]) -> Result<Comparison, ComparisonError> {
        let mut chosen: Vec<&Entrant> = Vec::new();
        for name in asked {
            for metric in self.named(name)? {
                if chosen.iter().any(|known| known.values.metric == metric) {
                    return Err(ComparisonError::Twice(metric));
                }
                let mut entrants = self.entrants.iter();
                chosen.extend(entrants.find(|entrant| entrant.values.metric == metric));
            }
        }
        if asked.is_empty() {
            chosen = self.entrants.iter().collect();
        }
        Comparison::of(&chosen)
    }
}

impl Comparison {
    /// Of the runs of one evaluation: all its metrics.
    #[cfg(test)]
    fn of_runs(runs: &[StudyRun]) -> Result<Self, ComparisonError> {
        let input = ResultsInput {
            name: String::new(),
            runs: runs.to_vec(),
            options: None,
        };
        Field::new(&[input]).compare(&[])
    }

    fn of(entrants: &[&Entrant]) -> Result<Self, ComparisonError> {
        let all: BTreeSet<&Bug> = entrants.iter().flat_map(|e| e.values.bugs.keys()).collect();
        let all = all.into_iter().map(|bug| {
            let lacking = entrants.iter().filter(|e| !e.values.bugs.contains_key(bug));
            let missing = lacking.map(|e| e.values.metric.clone()).collect();
            let bug = bug.clone();
            UncomparedBug { bug, missing }
        });
        let (common, left_out): (Vec<_>, Vec<_>) = all.partition(|own| own.missing.is_empty());
        let common: BTreeSet<Bug> = common.into_iter().map(|own| own.bug).collect();
        let Some(tests) = entrants.iter().map(|e| e.values.tests).min() else {
            return Err(ComparisonError::NoRuns);
        };
        if common.is_empty() {
            let names = entrants.iter().map(|e| e.values.metric.clone());
            return Err(ComparisonError::NoCommonBug(names.collect()));
        }
        let trimmed = |entrant: &&Entrant| {
            let mut values = entrant.values.filtered(|bug| common.contains(bug));
            values.tests = tests;
            for bug in values.bugs.values_mut() {
                bug.steps.truncate(tests + 1);
            }
            values
        };
        Ok(Comparison {
            metrics: entrants.iter().map(trimmed).collect(),
            tests,
            sizes_known: entrants.iter().all(|entrant| entrant.sizes_known),
            left_out,
        })
    }

    /// The bugs, in order.
    pub fn bugs(&self) -> impl ExactSizeIterator<Item = &Bug> {
        self.metrics[0].bugs.keys()
    }

    /// The projects and how many bugs of each are compared, by name.
    pub fn projects(&self) -> BTreeMap<&str, usize> {
        let mut projects = BTreeMap::new();
        for bug in self.bugs() {
            *projects.entry(&*bug.subject).or_default() += 1;
        }
        projects
    }

    /// The bugs of one project only.
    pub fn of_project(&self, project: &str) -> Comparison {
        let of_project = |bug: &Bug| bug.subject == project;
        let metrics = self.metrics.iter();
        let metrics = metrics.map(|metric| metric.filtered(of_project));
        Comparison {
            metrics: metrics.collect(),
            left_out: Vec::new(),
            ..*self
        }
    }

    /// The place of a metric of exactly this name.
    pub fn place(&self, metric: &str) -> Option<usize> {
        let mut metrics = self.metrics.iter();
        metrics.position(|values| values.metric == metric)
    }

    /// The best metric by area; the first of equal ones.
    pub fn best(&self) -> usize {
        self.by_area()[0]
    }

    /// The metrics, best area first.
    pub fn by_area(&self) -> Vec<usize> {
        let areas: Vec<f64> = self.metrics.iter().map(MetricValues::area).collect();
        let mut order: Vec<usize> = (0..areas.len()).collect();
        order.sort_by(|&a, &b| areas[b].total_cmp(&areas[a]));
        order
    }

    /// The number of tests after which metrics are compared.
    pub fn compared_after(&self) -> usize {
        self.tests.min(COMPARED_AFTER)
    }

    /// That number in words.
    pub fn compared_after_text(&self) -> String {
        tests_text(self.compared_after())
    }

    /// After 0, 1, ... tests, and with the full pool.
    pub fn points(&self) -> Vec<At> {
        self.metrics[0].points().collect()
    }

    /// One value per bug, in the order of bugs.
    pub fn column(&self, metric: usize, value: impl Fn(&BugValues) -> f64) -> Vec<f64> {
        self.metrics[metric].bugs.values().map(value).collect()
    }
}

/// `one test`, `ten tests`, `12 tests`.
pub fn tests_text(tests: usize) -> String {
    const WORDS: [&str; 11] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    let digits = tests.to_string();
    let number = WORDS.get(tests).map_or(&*digits, |word| word);
    format!("{number} test{}", if tests == 1 { "" } else { "s" })
}

/// Metrics that two inputs have on the same bug.
fn clashing_metrics(inputs: &[ResultsInput]) -> BTreeSet<&str> {
    let mut seen: BTreeMap<(&str, &str, u32), usize> = BTreeMap::new();
    let mut clashing = BTreeSet::new();
    for (number, input) in inputs.iter().enumerate() {
        for run in &input.runs {
            let key = (&*run.unit.metric, &*run.unit.subject, run.unit.version);
            if *seen.entry(key).or_insert(number) != number {
                clashing.insert(&*run.unit.metric);
            }
        }
    }
    clashing
}

#[cfg(test)]
mod tests;
