//! Bergmann and Hommel's adjustment, exactly.
//!
//! A set of pairwise hypotheses "i and j do not differ" is *exhaustive* when exactly its members
//! can be true together. Equality is transitive, so such sets are the partitions of the metrics
//! into classes of equals: every pair inside a class is in the set, no other is. That replaces the
//! recursion of García and Herrera (JMLR 9, 2008, pp. 2680-2682) by 21 147 partitions of nine.
//!
//! The adjusted p-value of pair i is the largest |I| · min{p_j : j ∈ I} over the exhaustive sets I
//! that hold i, at most 1 (ibid.). It is not always in the order of the raw p-values.

use super::error::{Result, StatsError};
use super::pairs::{PairTable, pair_count, pair_index};

/// The largest number of metrics that is enumerated.
pub const MAX_METRICS: usize = 9;

/// Bergmann–Hommel adjusted p-values. Refused above [`MAX_METRICS`] metrics.
pub fn adjust(raw: &PairTable) -> Result<PairTable> {
    let metrics = raw.metrics();
    if metrics > MAX_METRICS {
        return Err(StatsError::TooMany {
            what: "metrics for Bergmann–Hommel",
            expected: MAX_METRICS,
            found: metrics,
        });
    }
    let p = raw.values();
    let mut adjusted = vec![0.0_f64; p.len()];
    for_each_exhaustive_set(metrics, |set| {
        let lowest = pairs_of(set).map(|i| p[i]).fold(f64::INFINITY, f64::min);
        let value = (lowest * f64::from(set.count_ones())).min(1.0);
        for pair in pairs_of(set) {
            adjusted[pair] = adjusted[pair].max(value);
        }
    });
    Ok(PairTable::new(metrics, adjusted))
}

/// Calls `visit` once with the bit mask (in pair order) of each non-empty exhaustive set.
fn for_each_exhaustive_set(metrics: usize, mut visit: impl FnMut(u64)) {
    debug_assert!(pair_count(metrics) <= 64);
    let mut classes = Vec::with_capacity(metrics);
    place_metric(metrics, 0, 0, &mut classes, &mut visit);
}

/// Puts metric `next` into each class in turn, then into one of its own; each
/// partition comes up once because classes are ordered by their first member.
/// `classes` holds bit masks of metrics, `set` the pairs inside classes so far.
fn place_metric(
    metrics: usize,
    next: usize,
    set: u64,
    classes: &mut Vec<u32>,
    visit: &mut impl FnMut(u64),
) {
    if next == metrics {
        if set != 0 {
            visit(set);
        }
        return;
    }
    for class in 0..classes.len() {
        let members = classes[class];
        let inside = (0..next).filter(|&m| members >> m & 1 == 1);
        let joined = inside.fold(set, |set, m| set | 1 << pair_index(metrics, m, next));
        classes[class] |= 1 << next;
        place_metric(metrics, next + 1, joined, classes, visit);
        classes[class] = members;
    }
    classes.push(1 << next);
    place_metric(metrics, next + 1, set, classes, visit);
    classes.pop();
}

/// The places of the bits set, lowest first.
fn pairs_of(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let pair = set.trailing_zeros() as usize;
            set &= set - 1;
            pair
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exhaustive_sets_number_one_less_than_the_bell_numbers() {
        let count = |metrics| {
            let mut count = 0;
            for_each_exhaustive_set(metrics, |_| count += 1);
            count
        };
        let counts: Vec<usize> = (1..=9).map(count).collect();
        assert_eq!(counts, [0, 1, 4, 14, 51, 202, 876, 4139, 21146]);
    }

    #[test]
    fn two_metrics_are_not_adjusted() {
        let raw = PairTable::new(2, vec![0.03]);
        assert_eq!(adjust(&raw).unwrap(), raw);
    }

    #[test]
    fn ten_metrics_are_refused() {
        let raw = PairTable::from_fn(10, |_, _| 0.5);
        assert!(matches!(adjust(&raw), Err(StatsError::TooMany { .. })));
    }
}
