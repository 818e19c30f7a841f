//! fdg — fault diagnosability gain: how much the suspiciousness-weighted groups shrink, and how
//! much suspiciousness the candidate covers.
//!
//! fdg = alpha * (1 - 1/(n-1) * sum over groups of T with the candidate of p(group) (g-1))
//!     + (1-alpha) * sum of w_j over the covered elements / n,
//! w = ochiai over `T`, p = w / sum of w (An, Yoo 2022, FDG: a precise measurement of fault
//! diagnosability gain of test cases). `scale=minmax` first scales w to 0..1, as older published
//! code does. fdg-split and fdg-cover are the two halves alone. Range 0..=1.
//!
//! Elements of one group share a weight. Sums are taken as whole numbers per distinct weight and
//! then over the weights, ascending, so equal candidates get equal bits.

use super::{Aware, Entry, Judged, Kind, Parameter, score_each};
use crate::census::Census;
use crate::coverage::TestId;
use crate::formula::{Formula, ratio};
use crate::suite::Suite;

const SCALE: Parameter = Parameter {
    name: "scale",
    default: "none",
    summary: "none, or minmax: weights scaled to 0..1 first",
};

pub(super) const ENTRY: Entry = Entry {
    name: "fdg",
    summary: "fault diagnosability gain",
    aware: true,
    parameters: &[
        Parameter {
            name: "alpha",
            default: "0.5",
            summary: "share of the splitting half, 0 to 1",
        },
        SCALE,
    ],
    source: include_str!("fdg.rs"),
    make: |parameters| {
        let alpha = parameters.share("alpha")?;
        make(parameters, move |split, cover| {
            alpha * split + (1.0 - alpha) * cover
        })
    },
};

pub(super) const SPLIT_ENTRY: Entry = Entry {
    name: "fdg-split",
    summary: "the splitting half of fdg",
    aware: true,
    parameters: &[SCALE],
    source: include_str!("fdg.rs"),
    make: |parameters| make(parameters, |split, _| split),
};

pub(super) const COVER_ENTRY: Entry = Entry {
    name: "fdg-cover",
    summary: "the covering half of fdg",
    aware: true,
    parameters: &[SCALE],
    source: include_str!("fdg.rs"),
    make: |parameters| make(parameters, |_, cover| cover),
};

fn make(
    parameters: &super::Parameters<'_>,
    combine: impl Fn(f64, f64) -> f64 + Send + Sync + 'static,
) -> Result<Kind, super::MetricError> {
    let min_max = match parameters.text("scale") {
        "none" => false,
        "minmax" => true,
        _ => return Err(parameters.bad("scale", "none or minmax")),
    };
    Ok(Kind::Aware(Box::new(Fdg { combine, min_max })))
}

struct Fdg<C> {
    combine: C,
    min_max: bool,
}

impl<C: Fn(f64, f64) -> f64 + Send + Sync> Aware for Fdg<C> {
    fn score(&self, suite: &Suite<'_>, judged: Judged<'_>, candidates: &[TestId]) -> Vec<f64> {
        let (groups, labels) = (suite.groups(), suite.group_labels());
        let n = suite.coverage().element_count() as f64;
        let weights = GroupWeights::new(suite, judged, self.min_max);
        let total: f64 = weights.sum(&weights.elements);
        let scratch = || Scratch {
            census: labels.census(),
            pairs: Vec::new(),
            covered: Vec::new(),
        };
        score_each(candidates, scratch, |scratch, test| {
            scratch.pairs.clone_from(&weights.pairs);
            scratch.covered.clear();
            scratch.covered.resize(weights.distinct.len(), 0);
            let (pairs, in_row) = (&mut scratch.pairs, &mut scratch.covered);
            labels.count(&mut scratch.census, test, |group, covered| {
                let class = weights.class_of[group as usize] as usize;
                // g(g-1) = c(c-1) + (g-c)(g-c-1) + 2c(g-c)
                pairs[class] -= 2 * covered * (groups.size(group) - covered);
                in_row[class] += covered;
            });
            let ambiguity = ratio(ratio(weights.sum(pairs), total), n - 1.0);
            (self.combine)(1.0 - ambiguity, ratio(weights.sum(in_row), n))
        })
    }
}

struct Scratch {
    census: Census,
    pairs: Vec<u64>,
    covered: Vec<u64>,
}

/// Suspiciousness of the groups, by distinct value.
struct GroupWeights {
    /// Ascending.
    distinct: Vec<f64>,
    class_of: Vec<u32>,
    /// Per distinct weight: sum of g(g-1), and elements.
    pairs: Vec<u64>,
    elements: Vec<u64>,
}

impl GroupWeights {
    fn new(suite: &Suite<'_>, judged: Judged<'_>, min_max: bool) -> Self {
        let groups = suite.groups();
        let ochiai = Formula::default_formula();
        let mut values: Vec<f64> = (0..groups.count() as u32)
            .map(|group| {
                let column = groups.columns(group)[0] as usize;
                ochiai.value(judged.tally.counts(column))
            })
            .collect();
        if min_max {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for value in &mut values {
                *value = ratio(*value - low, high - low);
            }
        }
        let mut distinct = values.clone();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let class = |value: &f64| distinct.partition_point(|known| known < value) as u32;
        let class_of: Vec<u32> = values.iter().map(class).collect();
        let (mut pairs, mut elements) = (vec![0; distinct.len()], vec![0; distinct.len()]);
        for (size, &class) in groups.sizes().zip(&class_of) {
            pairs[class as usize] += size * size.saturating_sub(1);
            elements[class as usize] += size;
        }
        GroupWeights {
            distinct,
            class_of,
            pairs,
            elements,
        }
    }

    fn sum(&self, counts: &[u64]) -> f64 {
        let weighted = |(&weight, &count): (&f64, &u64)| weight * count as f64;
        self.distinct.iter().zip(counts).map(weighted).sum()
    }
}
