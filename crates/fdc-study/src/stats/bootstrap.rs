//! Percentile bootstrap intervals of a mean, with whole clusters (bugs) drawn:
//! runs on the same bug are not independent (B. Efron, R. Tibshirani, *An
//! Introduction to the Bootstrap*, 1993; A. Davison,
//! D. Hinkley, *Bootstrap Methods and their Application*, 1997).
//!
//! Each replicate has a generator of its own, seeded from the seed and the
//! replicate's number, so the result depends on neither the number of threads
//! nor the order in which replicates are computed.

use std::collections::BTreeMap;

use fdc_core::coverage::mix;

use super::error::{StatsError, check_at_least, check_finite, check_length, check_level};

/// How intervals are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BootstrapOptions {
    /// Number of replicates, at least 2.
    pub replicates: usize,
    /// Share of replicates inside the interval, between 0 and 1.
    pub level: f64,
    /// Of the draws.
    pub seed: u64,
}

impl Default for BootstrapOptions {
    fn default() -> Self {
        Self {
            replicates: 10_000,
            level: 0.95,
            seed: 0,
        }
    }
}

/// An estimate and its interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Interval {
    /// The mean of the sample itself.
    pub estimate: f64,
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// Interval of the mean of the clusters' means, as mAP is defined (over a bug's failing tests, then
/// over bugs); `clusters[i]` says which cluster `values[i]` belongs to. With one cluster the
/// interval is a point.
pub fn mean<K: Ord>(
    values: &[f64],
    clusters: &[K],
    options: BootstrapOptions,
) -> Result<Interval, StatsError> {
    check_length("clusters", values.len(), clusters.len())?;
    check_at_least("values", 1, values.len())?;
    check_at_least("replicates", 2, options.replicates)?;
    check_level("confidence level", options.level)?;
    check_finite("sample", 1, values)?;
    // In the order of keys, so that the order of the values' clusters does not matter.
    let mut totals: BTreeMap<&K, (f64, usize)> = BTreeMap::new();
    for (value, key) in values.iter().zip(clusters) {
        let (sum, count) = totals.entry(key).or_default();
        *sum += value;
        *count += 1;
    }
    let totals = totals.into_values();
    let totals: Vec<f64> = totals.map(|(sum, count)| sum / count as f64).collect();
    let share = totals.len() as f64;
    let mut means: Vec<f64> = (0..options.replicates)
        .map(|replicate| {
            let mut generator = SplitMix64::of_replicate(options.seed, replicate);
            let draws = totals.iter().map(|_| totals[generator.below(totals.len())]);
            draws.sum::<f64>() / share
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let outside = (1.0 - options.level) / 2.0;
    Ok(Interval {
        estimate: totals.iter().sum::<f64>() / share,
        low: quantile(&means, outside),
        high: quantile(&means, 1.0 - outside),
    })
}

/// Interval of the mean difference x - y of paired values. Both members of a
/// pair are always drawn together.
pub fn mean_difference<K: Ord>(
    x: &[f64],
    y: &[f64],
    clusters: &[K],
    options: BootstrapOptions,
) -> Result<Interval, StatsError> {
    check_length("paired sample", x.len(), y.len())?;
    let differences: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    mean(&differences, clusters, options)
}

/// Linear interpolation between order statistics (R. Hyndman, Y. Fan, *Sample
/// quantiles in statistical packages*, 1996, definition 7), as NumPy and R.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// SplitMix64 (G. Steele, D. Lea, C. Flood, *Fast splittable pseudorandom
/// number generators*, OOPSLA 2014).
struct SplitMix64(u64);

impl SplitMix64 {
    /// The generator of one replicate. The state is scrambled, since
    /// neighbouring states would give overlapping sequences.
    fn of_replicate(seed: u64, replicate: usize) -> Self {
        Self(mix(mix(seed) ^ replicate as u64))
    }

    fn next(&mut self) -> u64 {
        let number = mix(self.0);
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        number
    }

    /// A number below `bound` > 0, without bias (D. Lemire, *Fast random
    /// integer generation in an interval*, 2019).
    fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        let rejected = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.next()) * u128::from(bound);
            if product as u64 >= rejected {
                return (product >> 64) as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs for seed 1234567, as listed for SplitMix64 on Rosetta Code
    /// ("Pseudo-random numbers/Splitmix64").
    #[test]
    fn the_generator_is_splitmix64() {
        let mut generator = SplitMix64(1_234_567);
        assert_eq!(generator.next(), 6_457_827_717_110_365_317);
        assert_eq!(generator.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn the_same_seed_gives_the_same_interval_and_another_seed_another() {
        let values: Vec<f64> = (0..40).map(|i| f64::from(i * i % 17)).collect();
        let clusters: Vec<usize> = (0..40).map(|i| i / 3).collect();
        let with = |seed| {
            let options = BootstrapOptions {
                seed,
                replicates: 500,
                ..BootstrapOptions::default()
            };
            mean(&values, &clusters, options).unwrap()
        };
        assert_eq!(with(7), with(7));
        assert_ne!(with(7), with(8));
    }

    #[test]
    fn weighting_by_clusters_is_the_mean_of_means() {
        let options = BootstrapOptions::default();
        let found = mean(&[0.0, 0.0, 0.0, 1.0], &["a", "a", "a", "b"], options).unwrap();
        assert_eq!(found.estimate, 0.5);
        assert_eq!((found.low, found.high), (0.0, 1.0));
    }

    #[test]
    fn one_cluster_gives_a_point() {
        let found = mean(&[1.0, 2.0], &[0, 0], BootstrapOptions::default()).unwrap();
        assert_eq!((found.low, found.high), (1.5, 1.5));
    }

    #[test]
    fn copies_within_a_cluster_do_not_narrow_the_interval() {
        let values: Vec<f64> = (0..30).map(|i| f64::from(i % 7)).collect();
        let keys: Vec<usize> = (0..30).collect();
        let options = BootstrapOptions::default();
        let single = mean(&values, &keys, options).unwrap();
        let doubled_values: Vec<f64> = values.iter().chain(&values).copied().collect();
        let doubled_keys: Vec<usize> = keys.iter().chain(&keys).copied().collect();
        assert_eq!(
            single,
            mean(&doubled_values, &doubled_keys, options).unwrap()
        );
    }

    /// For a mean of many values the interval is close to ±1.96 standard errors.
    #[test]
    fn the_interval_has_the_width_of_the_normal_one() {
        let n = 400;
        let values: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
        let keys: Vec<usize> = (0..n).collect();
        let found = mean(&values, &keys, BootstrapOptions::default()).unwrap();
        let half = 1.959_964 * (1.0 / 12.0 / n as f64).sqrt();
        assert!((found.high - 0.5 - half).abs() < 0.1 * half, "{found:?}");
        assert!((0.5 - found.low - half).abs() < 0.1 * half, "{found:?}");
    }

    #[test]
    fn a_constant_difference_has_no_width() {
        let found = mean_difference(
            &[1.0, 2.0, 3.0],
            &[0.5, 1.5, 2.5],
            &[0, 1, 2],
            BootstrapOptions::default(),
        );
        let found = found.unwrap();
        assert_eq!((found.low, found.estimate, found.high), (0.5, 0.5, 0.5));
    }

    #[test]
    fn bad_options_are_refused() {
        let with = |options| mean(&[1.0], &[0], options).is_err();
        assert!(with(BootstrapOptions {
            level: 1.0,
            ..BootstrapOptions::default()
        }));
        assert!(with(BootstrapOptions {
            replicates: 1,
            ..BootstrapOptions::default()
        }));
        assert!(mean(&[], &[0; 0], BootstrapOptions::default()).is_err());
    }
}
