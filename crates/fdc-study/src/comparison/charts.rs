//! The pictures of a comparison.

use fdc_core::spectrum::Bug;
use fdc_draw::plot::critical_difference::MeanRank;
use fdc_draw::plot::heat::HeatRow;
use fdc_draw::plot::line::{Point, Reference, Series};
use fdc_draw::{CriticalDifference, HeatMap, LineChart, Svg};
use rayon::prelude::*;
use statrs::distribution::{ContinuousCDF as _, Normal};

use super::Comparison;
use super::significance::Significance;
use super::tables::CurveMeasure;
use crate::measures::{At, MetricValues};
use crate::stats::posthoc::Adjustment;
use crate::stats::{ALPHA, bootstrap};

/// Replicates behind each point's interval: fewer than a table's, since the eye sees no third digit.
const REPLICATES: usize = 2_000;

/// A picture with what it is called and what it shows.
#[derive(Clone, Debug)]
pub struct Figure {
    /// For a file: `map`, `acc-at-1`.
    pub name: String,
    /// Below it.
    pub caption: String,
    /// The picture.
    pub svg: Svg,
}

/// All pictures, in the order of a report: curves, critical differences, changes of rank from the
/// start, and, if `to_against` is set, against the metric that all are set against.
pub fn all(comparison: &Comparison, significance: &Significance, to_against: bool) -> Vec<Figure> {
    let mut pictures = Vec::new();
    let mut add = |name: &str, caption: String, svg: Svg| {
        let name = name.to_owned();
        pictures.push(Figure { name, caption, svg });
    };
    for measure in CurveMeasure::map_first() {
        let (name, what) = match measure {
            CurveMeasure::Map => ("map".to_owned(), "mAP".to_owned()),
            CurveMeasure::Acc(_) => {
                let name = measure.name();
                (
                    name.replace('@', "-at-"),
                    format!("{name}, summed over bugs,"),
                )
            }
        };
        let caption = format!(
            "{what} after each added test; 95 % bootstrap intervals. The dotted line: all \
             tests of the pool."
        );
        add(&name, caption, curve(comparison, measure).svg());
    }
    if let Some(chart) = critical_difference(comparison, significance) {
        let caption = format!(
            "Mean ranks by {}, 1 is best; a bar joins metrics that do not differ at {ALPHA}.",
            significance.measure.text(comparison)
        );
        add("critical-difference", caption, chart.svg());
    }
    let tests = comparison.compared_after_text();
    let caption = format!(
        "Change of the first faulty method's rank from the failing test alone to {tests} more, a \
         bug a row; blue is better."
    );
    add("rank-change", caption, rank_changes(comparison, None).svg());
    if to_against {
        let other = &comparison.metrics[significance.against].metric;
        let caption = format!(
            "Rank of the first faulty method after {tests}, less that with {other}, a bug a row; \
             blue is better than {other}."
        );
        let chart = rank_changes(comparison, Some(significance.against));
        add("rank-change-against", caption, chart.svg());
    }
    pictures
}

/// A measure after each number of tests, with 95 % bootstrap intervals clustered by bug.
pub fn curve(comparison: &Comparison, measure: CurveMeasure) -> LineChart {
    let order = comparison.by_area();
    let bugs = comparison.bugs().len();
    let series = order.par_iter().enumerate().map(|(index, &place)| {
        let point = |tests: usize| {
            let x = tests as f64;
            let y = measure.of(&comparison.metrics[place].total(At::Tests(tests)));
            let values = comparison.column(place, |bug| measure.of(bug.at(At::Tests(tests))));
            // acc@n is a sum over bugs, mAP a mean.
            let is_mean = measure == CurveMeasure::Map;
            let scale = if is_mean { 1.0 } else { bugs as f64 };
            match bootstrap::mean(&values, REPLICATES) {
                Ok(band) => Point::with_band(x, y, band.low * scale, band.high * scale),
                Err(_) => Point::new(x, y),
            }
        };
        Series {
            name: comparison.metrics[place].metric.clone(),
            points: (0..=comparison.tests).map(point).collect(),
            emphasis: index == 0,
        }
    });
    let full = comparison.metrics[order[0]].total(At::Full);
    LineChart {
        title: format!("{} by number of tests added, {bugs} bugs", measure.name()),
        x_label: "tests added".to_owned(),
        y_label: match measure {
            CurveMeasure::Map => "mean average precision".to_owned(),
            CurveMeasure::Acc(_) => format!("bugs ({})", measure.name()),
        },
        series: series.collect(),
        reference: Some(Reference {
            name: "all tests".to_owned(),
            y: measure.of(&full),
        }),
        y_include: vec![0.0],
    }
}

/// Mean ranks, with bars that join what does not differ; `None` for fewer than three metrics.
pub fn critical_difference(
    comparison: &Comparison,
    significance: &Significance,
) -> Option<CriticalDifference> {
    let many = significance.many()?;
    let ranked = comparison.metrics.iter().zip(&many.mean_ranks);
    let (groups, ruler) = match &many.pairs {
        Some(pairs) => {
            let nemenyi = pairs.adjustment == Adjustment::Nemenyi;
            let length = || nemenyi_difference(comparison);
            (pairs.groups.bars.clone(), nemenyi.then(length))
        }
        // The metrics as a whole do not differ.
        None => (vec![(0..comparison.metrics.len()).collect()], None),
    };
    let (measure, bugs) = (significance.measure.text(comparison), comparison.bugs());
    let entry = |(metric, &mean_rank): (&MetricValues, &f64)| MeanRank {
        name: metric.metric.clone(),
        mean_rank,
    };
    Some(CriticalDifference {
        title: format!("Mean ranks by {measure}, {} bugs", bugs.len()),
        entries: ranked.map(entry).collect(),
        groups,
        critical_difference: ruler,
    })
}

/// Change of the first faulty rank per bug: from start to ten tests, or from another metric there.
pub fn rank_changes(comparison: &Comparison, against: Option<usize>) -> HeatMap {
    let after = At::Tests(comparison.compared_after());
    let mut order = comparison.by_area();
    order.retain(|&place| Some(place) != against);
    let rank = |own: usize, bug: &Bug, at: At| comparison.metrics[own].bugs[bug].at(at).first_rank;
    let rows = comparison.bugs().map(|bug| {
        let change = |&place: &usize| {
            let before = match against {
                None => rank(place, bug, At::Tests(0)),
                Some(other) => rank(other, bug, after),
            };
            rank(place, bug, after) - before
        };
        HeatRow {
            group: bug.subject.clone(),
            name: bug.version.to_string(),
            values: order.iter().map(change).collect(),
        }
    });
    let tests = comparison.compared_after_text();
    let name = |&place: &usize| comparison.metrics[place].metric.clone();
    HeatMap {
        title: match against {
            None => format!("Places gained by the first faulty method with {tests}"),
            Some(other) => {
                let name = &comparison.metrics[other].metric;
                format!("Places of the first faulty method against {name}, after {tests}")
            }
        },
        row_noun: "bug",
        column_label: "metric".to_owned(),
        value_label: "change of rank (fewer is better)".to_owned(),
        columns: order.iter().map(name).collect(),
        rows: rows.collect(),
    }
}

/// The difference of mean ranks from which pairs differ by Nemenyi (p times the number of pairs).
fn nemenyi_difference(comparison: &Comparison) -> f64 {
    let k = comparison.metrics.len() as f64;
    let n = comparison.bugs().len() as f64;
    let pairs = k * (k - 1.0) / 2.0;
    let z = Normal::standard().inverse_cdf(1.0 - ALPHA / pairs / 2.0);
    z * (k * (k + 1.0) / (6.0 * n)).sqrt()
}
