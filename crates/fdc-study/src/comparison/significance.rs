//! Is the difference between metrics more than chance, and how large is it? Blocks are bugs.

use fdc_core::Named;
use rayon::prelude::*;

use super::Comparison;
use crate::measures::{At, BugValues};
use crate::stats::advice::{self, AdviceOptions, Finding, Many, StatisticalAdvice, list};
use crate::stats::bootstrap::{self, Interval, REPLICATES};
use crate::stats::effect::{A12, wins};
use crate::stats::friedman::Ties;
use crate::stats::posthoc::Adjustment;
use crate::stats::{ALPHA, Result, ScoreMatrix, StatsError};

/// The value of a bug that tests compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Average precision after ten tests.
    #[default]
    Ap,
    /// Mean average precision after 1..10 tests.
    Area,
}

impl Named for Measure {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Ap, "ap", "Average precision after ten tests"),
        (
            Self::Area,
            "area",
            "Mean average precision after 1 to 10 tests",
        ),
    ];
}

impl Measure {
    /// Both.
    pub const ALL: [Measure; 2] = [Measure::Ap, Measure::Area];

    /// In words, for the paragraph.
    pub fn text(self, comparison: &Comparison) -> String {
        let after = comparison.compared_after();
        match self {
            Measure::Ap => {
                let after = comparison.compared_after_text();
                format!("average precision after {after}")
            }
            Measure::Area if after > 1 => {
                format!("area (mean average precision after 1 to {after} tests)")
            }
            Measure::Area => "area".to_owned(),
        }
    }

    /// A bug's value. Rank tests see equal values as ties, and equal fractions summed in another
    /// order differ in their last digits, so those are rounded away.
    pub fn of(self, bug: &BugValues, after: usize) -> f64 {
        let value = match self {
            Measure::Ap => bug.at(At::Tests(after)).ap,
            Measure::Area => bug.area(),
        };
        (value * 1e12).round() / 1e12
    }
}

/// What is asked of the statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SignificanceOptions {
    /// The value of a bug.
    pub measure: Measure,
    /// The rule for ties in Friedman's test.
    pub ties: Ties,
    /// The adjustment for many pairs; `None`: the strongest that can be computed.
    pub posthoc: Option<Adjustment>,
}

/// What the statistics say about a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Significance {
    /// The value of a bug that was tested.
    pub measure: Measure,
    /// The metric that the others are set against: its place in the comparison.
    pub against: usize,
    /// A metric each, in the comparison's order.
    pub estimates: Vec<Estimate>,
    /// A metric each; `None` at the place of `against`.
    pub contrasts: Vec<Option<Contrast>>,
    /// The test, or why there is none.
    pub advice: Result<StatisticalAdvice>,
}

/// How good a metric is, with 95 % bootstrap intervals clustered by bug.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// mAP after ten tests.
    pub map: Interval,
    /// Area.
    pub area: Interval,
}

/// A metric against the one they are all set against, bug by bug. Positive is better than that one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contrast {
    /// Mean difference of AP after ten tests.
    pub map: Interval,
    /// Mean difference of area.
    pub area: Interval,
    /// The share of bugs on which it is better, ties counting half.
    pub wins: f64,
    /// Its values against the other's.
    pub effect: A12,
    /// p-value of the pair: adjusted for many metrics, Wilcoxon's for two; `None` where the
    /// metrics as a whole do not differ or there is no test.
    pub p: Option<f64>,
}

impl Contrast {
    pub(super) fn difference(&self, measure: Measure) -> &Interval {
        match measure {
            Measure::Ap => &self.map,
            Measure::Area => &self.area,
        }
    }
}

impl Significance {
    /// Tests the metrics of a comparison; `against` is a place in it.
    ///
    /// Fails where the options do not fit the number of metrics (Bergmann and Hommel's adjustment
    /// of more than nine). One metric, or one bug, is no failure: there is no test then.
    pub fn of(comparison: &Comparison, against: usize, how: SignificanceOptions) -> Result<Self> {
        let after = comparison.compared_after();
        let advice = match advise(comparison, how) {
            Err(error @ StatsError::TooFew { .. }) => Err(error),
            other => Ok(other?),
        };
        let value = |metric: usize, measure: Measure| {
            comparison.column(metric, |bug| measure.of(bug, after))
        };
        let places: Vec<usize> = (0..comparison.metrics.len()).collect();
        let estimates = places.par_iter().map(|&metric| {
            let interval = |measure| bootstrap::mean(&value(metric, measure), REPLICATES);
            Ok(Estimate {
                map: interval(Measure::Ap)?,
                area: interval(Measure::Area)?,
            })
        });
        let contrasts = places.par_iter().map(|&metric| {
            if metric == against {
                return Ok(None);
            }
            let difference = |measure| {
                let (x, y) = (value(metric, measure), value(against, measure));
                let differences: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
                bootstrap::mean(&differences, REPLICATES)
            };
            let [x, y] = [metric, against].map(|metric| value(metric, how.measure));
            let advice = advice.as_ref().ok();
            Ok(Some(Contrast {
                map: difference(Measure::Ap)?,
                area: difference(Measure::Area)?,
                wins: wins(&x, &y)?,
                effect: A12::of(&x, &y)?,
                p: advice.and_then(|advice| pair_p(advice, metric, against)),
            }))
        });
        Ok(Significance {
            measure: how.measure,
            against,
            estimates: estimates.collect::<Result<_>>()?,
            contrasts: contrasts.collect::<Result<_>>()?,
            advice,
        })
    }

    /// The tests of more than two metrics.
    pub fn many(&self) -> Option<&Many> {
        match &self.advice.as_ref().ok()?.finding {
            Finding::Many(many) => Some(many),
            Finding::Two(_) => None,
        }
    }

    /// Which metric is best by area, and which others differ from the reference: 2 or 3 sentences.
    pub fn verdict(&self, comparison: &Comparison) -> String {
        let name = |place: usize| comparison.metrics[place].metric.clone();
        let best = comparison.best();

        let Interval {
            estimate,
            low,
            high,
        } = &self.estimates[best].area;
        let mut text = format!(
            "{} has the best area, {estimate:.4} (95 % interval {low:.4} to {high:.4}).",
            name(best)
        );
        let (mut lower, mut higher, mut alike) = (Vec::new(), Vec::new(), Vec::new());
        for place in comparison.by_area() {
            let Some(contrast) = &self.contrasts[place] else {
                continue;
            };
            let difference = contrast.difference(self.measure).estimate;
            match contrast.p {
                Some(p) if p <= ALPHA && difference < 0.0 => lower.push(name(place)),
                Some(p) if p <= ALPHA => higher.push(name(place)),
                _ => alike.push(name(place)),
            }
        }
        if self.advice.is_err() {
            return text;
        }
        let measure = self.measure.text(comparison);
        let against = name(self.against);
        for (word, names) in [("better", &lower), ("worse", &higher)] {
            if !names.is_empty() {
                text += &format!(
                    " By {measure}, {against} is {word} than {}: more than chance (p at most {ALPHA}).",
                    list(names)
                );
            }
        }
        if !alike.is_empty() {
            text += &format!(" The test does not tell {against} from {}.", list(&alike));
        }
        text
    }

    /// Why there is no test, in words.
    pub fn why_not(&self) -> Option<String> {
        let error = self.advice.as_ref().err()?;
        Some(format!("No test of significance: {error}."))
    }
}

fn advise(comparison: &Comparison, options: SignificanceOptions) -> Result<StatisticalAdvice> {
    let after = comparison.compared_after();
    let metrics = comparison.metrics.iter();
    let names = metrics.map(|metric| metric.metric.clone());
    let rows = comparison.bugs().map(|bug| {
        let metrics = comparison.metrics.iter();
        let value = metrics.map(|metric| options.measure.of(&metric.bugs[bug], after));
        value.collect::<Vec<f64>>()
    });
    let scores = ScoreMatrix::new(names, rows)?;
    let options = AdviceOptions {
        ties: options.ties,
        adjustment: options.posthoc,
        measure: &options.measure.text(comparison),
    };
    advice::advise(&scores, options)
}

fn pair_p(advice: &StatisticalAdvice, a: usize, b: usize) -> Option<f64> {
    match &advice.finding {
        Finding::Two(two) => Some(two.test.p),
        Finding::Many(many) => Some(many.pairs.as_ref()?.adjusted.get(a, b)),
    }
}
