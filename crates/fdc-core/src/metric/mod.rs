//! FDC metrics: how much a candidate test would sharpen the diagnosis. One file each; its module
//! comment is its manual page (`fdc explain NAME`). To add one, write the file and a line in
//! [`METRICS`].
//!
//! A metric of kind [`Kind::Agnostic`] is handed a [`Suite`], in which there are no outcomes: it
//! cannot look at them. One of kind [`Kind::Aware`] also gets [`Judged`], the outcomes of the
//! tests already in `T`; no metric is handed a candidate's outcome.

use std::fmt;

use rayon::prelude::*;

use crate::counts::ByCounts;
use crate::coverage::TestId;
use crate::fitness::ByRows;
use crate::naming::entry_named;
use crate::suite::Suite;
use crate::tally::Tally;

pub mod additional;
pub mod assumed;
pub mod cover;
pub mod ddu;
pub mod entbug;
pub mod fdg;
pub mod flint;
pub mod prox;
pub mod random;
pub mod rapter;
pub mod s3;
pub mod split;
pub mod tfd;
pub mod total;
pub mod weight;

/// A metric that sees coverage alone. Higher is better.
pub trait Agnostic: Send + Sync {
    /// The values of all candidates, in their order.
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64>;

    /// Whether a candidate's value is that of the whole matrix of `T` with it, rather than what it
    /// adds: such a metric measures a suite at once.
    fn measures_suites(&self) -> bool {
        false
    }

    /// The value as something to make small, 0..=1, for search tools that minimise.
    fn loss(&self, value: f64) -> f64 {
        1.0 / (1.0 + value.exp())
    }

    /// The metric as one that needs counts alone, if it is: as a fitness it is then much faster.
    fn by_counts(&self) -> Option<&dyn ByCounts> {
        None
    }

    /// The metric as one that keeps its own account of `T` over rows of elements, if it can: as a
    /// fitness it is then much faster. The suite is the failing test alone, in a coverage of all that
    /// is known at the start; `method_of` has the method of every element.
    fn by_rows(&self, _suite: &Suite<'_>, _method_of: &[u32]) -> Option<Box<dyn ByRows>> {
        None
    }

    /// Why a candidate has its value, for developers, beyond what it covers and splits.
    fn explain(&self, _suite: &Suite<'_>, _candidate: TestId) -> Option<String> {
        None
    }
}

/// A metric that also sees the outcomes of the tests in `T`. Higher is better.
pub trait Aware: Send + Sync {
    /// The values of all candidates, in their order.
    fn score(&self, suite: &Suite<'_>, judged: Judged<'_>, candidates: &[TestId]) -> Vec<f64>;
}

/// The judged tests of `T`, and no other.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// Counts over the judged tests.
    pub tally: &'a Tally,
    /// The failing ones, in order of joining.
    pub failing: &'a [TestId],
}

/// What a metric may see.
pub enum Kind {
    /// Coverage alone.
    Agnostic(Box<dyn Agnostic>),
    /// Also the outcomes in `T`.
    Aware(Box<dyn Aware>),
}

/// A metric with its parameters set, ready to score.
pub struct Metric {
    /// How it was asked for.
    pub label: String,
    /// What it may see.
    pub kind: Kind,
}

impl Metric {
    /// A metric under a label (its specification, `weight:alpha=0.3`).
    pub fn new(label: impl Into<String>, kind: Kind) -> Self {
        Metric {
            label: label.into(),
            kind,
        }
    }

    /// One of [`METRICS`] from its specification, `name` or `name:key=value,key=value`.
    pub fn parse(specification: &str) -> Result<Self> {
        let specification: Specification = specification.parse()?;
        let entry = entry(METRICS, &specification.name)?;
        entry.build(&specification)
    }

    /// Why a candidate has its value, in words, if there is more to say than what it covers.
    pub fn explain(&self, suite: &Suite<'_>, candidate: TestId) -> Option<String> {
        match &self.kind {
            Kind::Agnostic(metric) => metric.explain(suite, candidate),
            Kind::Aware(_) => None,
        }
    }

    /// The values of all candidates, in their order.
    pub fn score(&self, suite: &Suite<'_>, judged: Judged<'_>, tests: &[TestId]) -> Vec<f64> {
        match &self.kind {
            Kind::Agnostic(metric) => metric.score(suite, tests),
            Kind::Aware(metric) => metric.score(suite, judged, tests),
        }
    }
}

impl fmt::Debug for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Metric({})", self.label)
    }
}

/// A parameter of a metric.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its value unless given.
    pub default: &'static str,
    /// What it does, with its range.
    pub summary: &'static str,
}

/// A metric that can be asked for by name.
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Whether it sees the outcomes of the tests in `T`.
    pub aware: bool,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// The source file; its module comment is the manual page.
    pub source: &'static str,
    /// Makes it from its parameters.
    pub make: fn(&Parameters<'_>) -> Result<Kind>,
}

impl Entry {
    /// The metric with the specification's parameters.
    pub fn build(&self, specification: &Specification) -> Result<Metric> {
        let assumes = |key: &str| self.aware && key == assumed::PARAMETER.name;
        let is_known = |key: &str| self.parameters.iter().any(|known| known.name == key);
        let mut keys = specification.parameters.iter().map(|(key, _)| key);
        if let Some(key) = keys.find(|key| !assumes(key) && !is_known(key)) {
            return Err(MetricError::UnknownParameter {
                metric: self.name,
                parameter: key.clone(),
                known: self.parameters.iter().map(|p| p.name).collect(),
            });
        }
        let parameters = Parameters {
            entry: self,
            given: &specification.parameters,
        };
        let kind = assumed::apply((self.make)(&parameters)?, &parameters)?;
        Ok(Metric::new(specification.text.clone(), kind))
    }

    /// The manual page: the module comment of the metric's source file.
    pub fn manual(&self) -> String {
        module_comment(self.source)
    }
}

/// The leading `//!` lines of a source file, without their marks.
pub fn module_comment(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    lines.fold(String::new(), |page, line| {
        page + line.strip_prefix(' ').unwrap_or(line) + "\n"
    })
}

/// The hand-made metrics.
pub static METRICS: &[Entry] = &[
    total::ENTRY,
    additional::ENTRY,
    entbug::ENTRY,
    ddu::ENTRY,
    tfd::ENTRY,
    rapter::ENTRY,
    cover::ENTRY,
    split::ENTRY,
    weight::ENTRY,
    fdg::ENTRY,
    fdg::SPLIT_ENTRY,
    fdg::COVER_ENTRY,
    prox::ENTRY,
    s3::ENTRY,
    flint::ENTRY,
    random::ENTRY,
];

/// The entry of that name in a table.
pub fn entry<'a>(table: &'a [Entry], name: &str) -> Result<&'a Entry> {
    let found = entry_named(table, |entry| entry.name, name);
    let name = name.to_owned();
    found.map_err(|nearest| MetricError::UnknownMetric { name, nearest })
}

/// A metric as asked for, taken apart: `name:key=value,key=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    /// The whole text.
    pub text: String,
    /// The metric's name.
    pub name: String,
    /// Parameters in the order given.
    pub parameters: Vec<(String, String)>,
}

impl std::str::FromStr for Specification {
    type Err = MetricError;

    fn from_str(text: &str) -> Result<Self> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut parameters: Vec<(String, String)> = Vec::new();
        for part in rest.split(',').filter(|part| !part.is_empty()) {
            let malformed = || MetricError::Malformed {
                text: text.to_owned(),
                part: part.to_owned(),
            };
            let (key, value) = part.split_once('=').ok_or_else(malformed)?;
            if parameters.iter().any(|(known, _)| known == key) {
                return Err(malformed());
            }
            parameters.push((key.to_owned(), value.to_owned()));
        }
        Ok(Specification {
            text: text.to_owned(),
            name: name.to_owned(),
            parameters,
        })
    }
}

/// A metric's parameters, with defaults filled in.
pub struct Parameters<'a> {
    entry: &'a Entry,
    given: &'a [(String, String)],
}

impl Parameters<'_> {
    /// A parameter's text.
    pub fn text(&self, name: &str) -> &str {
        let given = self.given.iter().find(|(key, _)| key == name);
        given.map_or_else(|| self.default_of(name), |(_, value)| value)
    }

    /// A number in 0..=1.
    pub fn share(&self, name: &str) -> Result<f64> {
        let value = self.text(name).parse::<f64>().ok();
        let share = value.filter(|value| (0.0..=1.0).contains(value));
        share.ok_or_else(|| self.bad(name, "a number from 0 to 1"))
    }

    /// The error for a value that is not what was expected.
    pub fn bad(&self, name: &str, expected: &str) -> MetricError {
        MetricError::BadValue {
            metric: self.entry.name,
            parameter: name.to_owned(),
            expected: expected.to_owned(),
            found: self.text(name).to_owned(),
        }
    }

    fn default_of(&self, name: &str) -> &'static str {
        let mut declared = self.entry.parameters.iter().chain([&assumed::PARAMETER]);
        let known = declared.find(|parameter| parameter.name == name);
        let known = known.expect("metrics read only parameters they declare");
        known.default
    }
}

type Result<T, E = MetricError> = std::result::Result<T, E>;

/// A metric was asked for wrongly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetricError {
    /// No metric of that name.
    #[error("unknown metric {name:?}{}", did_you_mean(.nearest))]
    UnknownMetric {
        /// What was asked for.
        name: String,
        /// The likely meant one.
        nearest: Option<&'static str>,
    },
    /// A parameter the metric does not have.
    #[error("metric {metric} has no parameter {parameter:?} (it has: {})", listed(.known))]
    UnknownParameter {
        /// The metric.
        metric: &'static str,
        /// What was given.
        parameter: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// A value outside its range.
    #[error("metric {metric}: expected {expected} for {parameter}, found {found:?}")]
    BadValue {
        /// The metric.
        metric: &'static str,
        /// The parameter.
        parameter: String,
        /// What was expected.
        expected: String,
        /// What was given.
        found: String,
    },
    /// Not of the form `name:key=value,...`.
    #[error("metric {text:?}: expected key=value, each key once, found {part:?}")]
    Malformed {
        /// The whole specification.
        text: String,
        /// The part that does not fit.
        part: String,
    },
}

fn did_you_mean(nearest: &Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.join(", "),
    }
}

/// Scores in parallel, each thread with its own scratch space; the same with any number of threads.
pub(crate) fn score_each<S: Send>(
    candidates: &[TestId],
    scratch: impl Fn() -> S + Sync + Send,
    score: impl Fn(&mut S, TestId) -> f64 + Sync + Send,
) -> Vec<f64> {
    candidates
        .par_iter()
        .with_min_len(512)
        .map_init(scratch, |scratch, &test| score(scratch, test))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_table_has_unique_names_summaries_and_manual_pages() {
        let names: HashSet<_> = METRICS.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), METRICS.len());
        for entry in METRICS {
            assert!(!entry.summary.is_empty());
            assert!(entry.manual().contains(entry.name), "{}", entry.name);
            let metric = Metric::parse(entry.name).expect("defaults are valid");
            assert_eq!(matches!(metric.kind, Kind::Aware(_)), entry.aware);
        }
    }

    #[test]
    fn wrong_specifications_say_what_is_wrong() {
        let message = |text: &str| Metric::parse(text).unwrap_err().to_string();
        assert_eq!(
            message("slpit"),
            "unknown metric \"slpit\"; did you mean \"split\"?"
        );
        assert!(message("weight:beta=1").contains("no parameter \"beta\" (it has: alpha)"));
        assert!(message("weight:alpha=2").contains("a number from 0 to 1 for alpha, found \"2\""));
        assert!(message("weight:alpha").contains("expected key=value"));
        assert!(message("total:alpha=1").contains("it has: none"));
    }
}
