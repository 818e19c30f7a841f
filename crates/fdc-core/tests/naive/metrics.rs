//! Every metric of the specification, as its formula is written there.

use std::collections::BTreeMap;

use fdc_core::tally::Counts;

use super::formulas::{ochiai, tarantula};
use super::{Chosen, ratio};

/// A metric with parameters and its twin.
pub(crate) struct Twin {
    pub specification: &'static str,
    /// Whether scores agree to the bit; else they are sums of fractions and agree to 12 digits.
    pub exact: bool,
    pub value: fn(&Chosen<'_>, usize) -> f64,
}

const fn exact(specification: &'static str, value: fn(&Chosen<'_>, usize) -> f64) -> Twin {
    Twin {
        specification,
        exact: true,
        value,
    }
}

const fn summed(specification: &'static str, value: fn(&Chosen<'_>, usize) -> f64) -> Twin {
    Twin {
        specification,
        exact: false,
        value,
    }
}

pub(crate) static TWINS: &[Twin] = &[
    exact("total", total),
    exact("additional", additional),
    exact("entbug", density),
    exact("ddu", ddu),
    exact("tfd", tfd),
    exact("rapter", rapter),
    exact("cover", cover),
    exact("split", split),
    exact("weight", |chosen, t| weight(0.5, chosen, t)),
    exact("weight:alpha=0", |chosen, t| weight(0.0, chosen, t)),
    exact("weight:alpha=0.1", |chosen, t| weight(0.1, chosen, t)),
    exact("weight:alpha=0.3", |chosen, t| weight(0.3, chosen, t)),
    exact("weight:alpha=0.7", |chosen, t| weight(0.7, chosen, t)),
    exact("weight:alpha=0.9", |chosen, t| weight(0.9, chosen, t)),
    exact("weight:alpha=1", |chosen, t| weight(1.0, chosen, t)),
    exact("prox", prox),
    exact("s3", s3),
    summed("fdg", |chosen, t| fdg(0.5, Scale::None, chosen, t)),
    summed("fdg:alpha=0", |chosen, t| fdg(0.0, Scale::None, chosen, t)),
    summed("fdg:alpha=0.3", |chosen, t| {
        fdg(0.3, Scale::None, chosen, t)
    }),
    summed("fdg:alpha=1", |chosen, t| fdg(1.0, Scale::None, chosen, t)),
    summed("fdg:scale=minmax", |chosen, t| {
        fdg(0.5, Scale::MinMax, chosen, t)
    }),
    summed("fdg:alpha=0.9,scale=minmax", |chosen, t| {
        fdg(0.9, Scale::MinMax, chosen, t)
    }),
    summed("fdg-split", |chosen, t| fdg_split(Scale::None, chosen, t)),
    summed("fdg-split:scale=minmax", |chosen, t| {
        fdg_split(Scale::MinMax, chosen, t)
    }),
    summed("fdg-cover", |chosen, t| fdg_cover(Scale::None, chosen, t)),
    summed("fdg-cover:scale=minmax", |chosen, t| {
        fdg_cover(Scale::MinMax, chosen, t)
    }),
    summed("flint", flint),
];

fn total(chosen: &Chosen<'_>, t: usize) -> f64 {
    ones(chosen.row(t)) as f64
}

fn additional(chosen: &Chosen<'_>, t: usize) -> f64 {
    let new = |&element: &usize| {
        chosen.covers(t, element)
            && chosen
                .tests()
                .iter()
                .all(|&test| !chosen.covers(test, element))
    };
    (0..chosen.n()).filter(new).count() as f64
}

/// 1 − abs(1 − 2ρ): entbug, and the first factor of ddu.
fn density(chosen: &Chosen<'_>, t: usize) -> f64 {
    let tests = chosen.tests_with(t);
    let covered: usize = tests.iter().map(|&test| ones(chosen.row(test))).sum();
    let rho = ratio(covered as f64, (tests.len() * chosen.n()) as f64);
    1.0 - (1.0 - 2.0 * rho).abs()
}

fn ddu(chosen: &Chosen<'_>, t: usize) -> f64 {
    let tests = chosen.tests_with(t);
    let mut identical: BTreeMap<&[bool], usize> = BTreeMap::new();
    for &test in &tests {
        *identical.entry(chosen.row(test)).or_default() += 1;
    }
    let same: usize = identical.values().map(|c| c * (c - 1)).sum();
    let k = tests.len();
    let diversity = 1.0 - same as f64 / (k * (k - 1)) as f64;
    let uniqueness = ratio(chosen.groups(&tests).len() as f64, chosen.n() as f64);
    density(chosen, t) * diversity * uniqueness
}

fn tfd(chosen: &Chosen<'_>, t: usize) -> f64 {
    chosen.groups(&chosen.tests_with(t)).len() as f64
}

fn rapter(chosen: &Chosen<'_>, t: usize) -> f64 {
    let groups = chosen.groups(&chosen.tests_with(t));
    let pairs: usize = groups
        .iter()
        .map(|group| group.len() * (group.len() - 1))
        .sum();
    -ratio(pairs as f64, 2.0 * chosen.n() as f64)
}

fn cover(chosen: &Chosen<'_>, t: usize) -> f64 {
    jaccard(chosen.row(t), chosen.row(chosen.f()))
}

fn split(chosen: &Chosen<'_>, t: usize) -> f64 {
    let evenness = |group: &Vec<usize>| {
        let covered = chosen.covered(group, t);
        group.len() * covered.min(group.len() - covered)
    };
    let sum: usize = chosen.suspicious_groups().iter().map(evenness).sum();
    ratio(sum as f64, chosen.n() as f64)
}

fn weight(alpha: f64, chosen: &Chosen<'_>, t: usize) -> f64 {
    alpha * split(chosen, t) + (1.0 - alpha) * cover(chosen, t)
}

fn prox(chosen: &Chosen<'_>, t: usize) -> f64 {
    let failing = chosen.failing();
    let similarity = |&test: &usize| jaccard(chosen.row(t), chosen.row(test));
    failing.iter().map(similarity).sum::<f64>() / failing.len() as f64
}

fn s3(chosen: &Chosen<'_>, t: usize) -> f64 {
    let tests = chosen.tests();
    let known: Vec<usize> = (0..chosen.n())
        .filter(|&element| tests.iter().any(|&test| chosen.covers(test, element)))
        .collect();
    let covered = chosen.covered(&known, t);
    if covered == 0 || covered == known.len() {
        return 0.0;
    }
    // Counts are not negative, so their bits sort as they do.
    let mut standing: BTreeMap<(u64, u64), Vec<usize>> = BTreeMap::new();
    for element in known {
        let Counts { ef, ep, .. } = chosen.counts(element);
        standing
            .entry((ef.to_bits(), ep.to_bits()))
            .or_default()
            .push(element);
    }
    let mut sum = 0.0;
    for ((ef, _), group) in standing {
        let covered = chosen.covered(&group, t);
        sum += f64::from_bits(ef) * covered.min(group.len() - covered) as f64;
    }
    sum / chosen.judged().0
}

#[derive(Clone, Copy)]
enum Scale {
    None,
    MinMax,
}

fn fdg(alpha: f64, scale: Scale, chosen: &Chosen<'_>, t: usize) -> f64 {
    alpha * fdg_split(scale, chosen, t) + (1.0 - alpha) * fdg_cover(scale, chosen, t)
}

fn fdg_split(scale: Scale, chosen: &Chosen<'_>, t: usize) -> f64 {
    let w = suspiciousness(scale, chosen);
    let total: f64 = w.iter().sum();
    let mut group_size = vec![0; chosen.n()];
    for group in chosen.groups(&chosen.tests_with(t)) {
        for &element in &group {
            group_size[element] = group.len();
        }
    }
    let mut ambiguity = 0.0;
    for element in 0..chosen.n() {
        ambiguity += ratio(w[element], total) * (group_size[element] - 1) as f64;
    }
    1.0 - ratio(ambiguity, chosen.n() as f64 - 1.0)
}

fn fdg_cover(scale: Scale, chosen: &Chosen<'_>, t: usize) -> f64 {
    let w = suspiciousness(scale, chosen);
    let mut sum = 0.0;
    for (element, &w) in w.iter().enumerate() {
        if chosen.covers(t, element) {
            sum += w;
        }
    }
    ratio(sum, chosen.n() as f64)
}

fn suspiciousness(scale: Scale, chosen: &Chosen<'_>) -> Vec<f64> {
    let mut w: Vec<f64> = (0..chosen.n())
        .map(|element| ochiai(chosen.counts(element)))
        .collect();
    if let Scale::MinMax = scale {
        let low = w.iter().copied().fold(f64::INFINITY, f64::min);
        let high = w.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for w in &mut w {
            *w = ratio(*w - low, high - low);
        }
    }
    w
}

fn flint(chosen: &Chosen<'_>, t: usize) -> f64 {
    let (failed, passed) = chosen.judged();
    let share_failing = failed / (failed + passed);
    let if_passes = looked_ahead(chosen, t, 0.0, 1.0);
    let if_fails = looked_ahead(chosen, t, 1.0, 0.0);
    let mut entropy = 0.0;
    for (passes, fails) in if_passes.iter().zip(&if_fails) {
        let share = share_failing * fails + (1.0 - share_failing) * passes;
        if share > 0.0 {
            entropy -= share * share.log2();
        }
    }
    -entropy
}

/// The normalised tarantula scores once `t` has failed (or passed).
fn looked_ahead(chosen: &Chosen<'_>, t: usize, fails: f64, passes: f64) -> Vec<f64> {
    let score = |element: usize| {
        let mut counts = chosen.counts(element);
        if chosen.covers(t, element) {
            counts.ef += fails;
            counts.ep += passes;
        } else {
            counts.nf += fails;
            counts.np += passes;
        }
        tarantula(counts)
    };
    let scores: Vec<f64> = (0..chosen.n()).map(score).collect();
    let total: f64 = scores.iter().sum();
    scores.iter().map(|&score| ratio(score, total)).collect()
}

fn ones(row: &[bool]) -> usize {
    row.iter().filter(|&&covered| covered).count()
}

fn jaccard(a: &[bool], b: &[bool]) -> f64 {
    let both = a.iter().zip(b).filter(|&(&a, &b)| a && b).count();
    let either = a.iter().zip(b).filter(|&(&a, &b)| a || b).count();
    ratio(both as f64, either as f64)
}
