//! By how much two metrics differ: how often one beats the other.

use super::error::{Result, check_at_least, check_finite, check_pairs};
use super::ranks::rank_descending;

/// Vargha and Delaney's Â12 (A. Vargha, H. Delaney, *A critique and improvement of the CL common
/// language effect size statistics of McGraw and Wong*, Journal of Educational and Behavioral
/// Statistics 25, 2000): the chance that a value of the first sample exceeds one of the second, a
/// tie counting half. 0.5 is no effect, 1 means that the first always wins.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct A12(f64);

impl A12 {
    /// Every value of `x` against every value of `y`, by the rank sum of `x` among both samples.
    pub fn of(x: &[f64], y: &[f64]) -> Result<Self> {
        check_at_least("values", 1, x.len().min(y.len()))?;
        check_finite("first sample", 1, x)?;
        check_finite("second sample", 1, y)?;
        let both: Vec<f64> = x.iter().chain(y).copied().collect();
        let (m, n) = (x.len() as f64, y.len() as f64);
        // Rank 1 is the highest here, so the sum counts how often x is beaten.
        let rank_sum: f64 = rank_descending(&both).0[..x.len()].iter().sum();
        let beaten = rank_sum - m * (m + 1.0) / 2.0;
        Ok(Self(1.0 - beaten / (m * n)))
    }

    /// The estimate, within 0..=1.
    pub fn value(self) -> f64 {
        self.0
    }

    /// How large the effect is, whichever side it favours, by Vargha and Delaney's (2000) bounds:
    /// small from 0.56, medium from 0.64, large from 0.71, and the mirror image below 0.5.
    pub fn magnitude(self) -> &'static str {
        // The published bounds have two decimals; 1e-9 keeps 0.44 and 0.56 on the same side.
        match (self.0 - 0.5).abs() + 1e-9 {
            distance if distance < 0.06 => "negligible",
            distance if distance < 0.14 => "small",
            distance if distance < 0.21 => "medium",
            _ => "large",
        }
    }
}

/// The share of pairs (bugs) in which `x` beats its partner in `y`, a tie counting half. Bugs of very
/// different difficulty draw [`A12`] towards 0.5, and not this; A12's bounds do not apply to it.
pub fn wins(x: &[f64], y: &[f64]) -> Result<f64> {
    check_pairs(x, y)?;
    let won = x.iter().zip(y).map(|(x, y)| match x.total_cmp(y) {
        _ if x == y => 0.5,
        std::cmp::Ordering::Greater => 1.0,
        _ => 0.0,
    });
    Ok(won.sum::<f64>() / x.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_are_those_of_the_paper_on_both_sides() {
        for (value, expected) in [
            (0.5, "negligible"),
            (0.559, "negligible"),
            (0.56, "small"),
            (0.44, "small"),
            (0.64, "medium"),
            (0.36, "medium"),
            (0.71, "large"),
            (0.29, "large"),
            (1.0, "large"),
        ] {
            assert_eq!(A12(value).magnitude(), expected, "{value}");
        }
    }

    #[test]
    fn a_tie_counts_half() {
        assert_eq!(A12::of(&[1.0, 2.0], &[1.0]).unwrap().value(), 0.75);
        assert_eq!(wins(&[1.0, 2.0], &[1.0, 3.0]).unwrap(), 0.25);
        assert_eq!(wins(&[0.0], &[-0.0]).unwrap(), 0.5);
    }

    #[test]
    fn empty_samples_are_refused() {
        assert!(A12::of(&[], &[1.0]).is_err());
        assert!(wins(&[], &[]).is_err());
    }
}
