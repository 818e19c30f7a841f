//! Percentile bootstrap intervals of a mean over bugs. A value is a bug's own mean over its runs,
//! which are not independent: whole bugs are drawn (B. Efron, R. Tibshirani, *An Introduction to
//! the Bootstrap*, 1993; A. Davison, D. Hinkley, *Bootstrap Methods and their Application*, 1997).
//!
//! Each replicate has a generator of its own, seeded from the replicate's number, so the result
//! depends on neither the number of threads nor the order in which replicates are computed.

use fdc_core::coverage::mix;

use super::error::{Result, check_at_least, check_finite};

/// Replicates behind an interval in a table.
pub const REPLICATES: usize = 10_000;
/// Share of replicates inside the interval.
const LEVEL: f64 = 0.95;

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

/// Interval of the mean of the bugs' values, from 2 or more replicates. With one bug, a point.
pub fn mean(values: &[f64], replicates: usize) -> Result<Interval> {
    check_at_least("values", 1, values.len())?;
    check_at_least("replicates", 2, replicates)?;
    check_finite("sample", 1, values)?;
    let count = values.len();
    let mean = |replicate| {
        let mut generator = SplitMix64::of_replicate(replicate);
        let draws = values.iter().map(|_| values[generator.below(count)]);
        draws.sum::<f64>() / count as f64
    };
    let mut means: Vec<f64> = (0..replicates).map(mean).collect();
    means.sort_by(f64::total_cmp);
    let outside = (1.0 - LEVEL) / 2.0;
    Ok(Interval {
        estimate: values.iter().sum::<f64>() / count as f64,
        low: quantile(&means, outside),
        high: quantile(&means, 1.0 - outside),
    })
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
    /// The generator of one replicate, scrambled: neighbouring states give overlapping sequences.
    fn of_replicate(replicate: usize) -> Self {
        Self(mix(mix(0) ^ replicate as u64))
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
    fn the_interval_is_the_same_each_time_and_replicates_differ() {
        let values: Vec<f64> = (0..40).map(|i| f64::from(i * i % 17)).collect();
        assert_eq!(mean(&values, 500).unwrap(), mean(&values, 500).unwrap());
        assert_ne!(mean(&values, 500).unwrap(), mean(&values, 501).unwrap());
        let found = mean(&[0.0, 1.0], REPLICATES).unwrap();
        assert_eq!((found.low, found.estimate, found.high), (0.0, 0.5, 1.0));
    }

    #[test]
    fn one_bug_gives_a_point() {
        let found = mean(&[1.5], REPLICATES).unwrap();
        assert_eq!((found.low, found.high), (1.5, 1.5));
    }

    /// For a mean of many values the interval is close to ±1.96 standard errors.
    #[test]
    fn the_interval_has_the_width_of_the_normal_one() {
        let n = 400;
        let values: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
        let found = mean(&values, REPLICATES).unwrap();
        let half = 1.959_964 * (1.0 / 12.0 / n as f64).sqrt();
        assert!((found.high - 0.5 - half).abs() < 0.1 * half, "{found:?}");
        assert!((0.5 - found.low - half).abs() < 0.1 * half, "{found:?}");
    }

    #[test]
    fn a_constant_value_has_no_width() {
        let found = mean(&[0.5; 3], REPLICATES).unwrap();
        assert_eq!((found.low, found.estimate, found.high), (0.5, 0.5, 0.5));
    }

    #[test]
    fn too_little_is_refused() {
        assert!(mean(&[1.0], 1).is_err());
        assert!(mean(&[], REPLICATES).is_err());
        assert!(mean(&[f64::NAN], REPLICATES).is_err());
    }
}
