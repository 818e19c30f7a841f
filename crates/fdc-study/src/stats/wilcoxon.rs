//! Do two metrics differ? Wilcoxon's signed-rank test for pairs, two-sided
//! (F. Wilcoxon, *Individual comparisons by ranking methods*, Biometrics
//! Bulletin 1, 1945), as R's `wilcox.test` does it: pairs without a difference are
//! dropped, and the normal approximation corrects for ties and continuity.

use super::error::{Result, check_pairs};
use super::ranks::rank_descending;
use super::tail;

/// The most differences for which the exact distribution is counted, where
/// there are neither zeros nor ties: up to there all counts fit a u64.
pub const EXACT_PAIRS: usize = 50;

/// The result for pairs (x, y) and their differences x - y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// Number of pairs given.
    pub pairs: usize,
    /// How many of them do not differ.
    pub zeros: usize,
    /// How many nonzero differences share their absolute value with another.
    pub tied: usize,
    /// Rank sum of the pairs with x > y.
    pub r_plus: f64,
    /// Rank sum of the pairs with x < y.
    pub r_minus: f64,
    /// The z score of the smaller rank sum (≤ 0); none for an exact p-value.
    pub z: Option<f64>,
    /// Two-sided p-value; 1 when no pair differs.
    pub p: f64,
}

impl SignedRank {
    /// The test statistic: the smaller of the two rank sums.
    pub fn statistic(&self) -> f64 {
        self.r_plus.min(self.r_minus)
    }

    /// Tests paired samples of the same length, at least one pair. Differences
    /// tie when they are equal as f64: those of decimal fractions (0.3 - 0.2 and
    /// 0.2 - 0.1) need not, so scale such data to integers first.
    pub fn new(x: &[f64], y: &[f64]) -> Result<Self> {
        check_pairs(x, y)?;
        let differences = x.iter().zip(y).map(|(x, y)| x - y);
        let differences: Vec<f64> = differences.filter(|&d| d != 0.0).collect();
        // Descending ranks of the negated magnitudes: rank 1 is the smallest.
        let magnitudes: Vec<f64> = differences.iter().map(|d| -d.abs()).collect();
        let (ranks, ties) = rank_descending(&magnitudes);
        let sum_where = |keep: fn(f64) -> bool| -> f64 {
            let kept = differences.iter().zip(&ranks).filter(|(d, _)| keep(**d));
            // The sum of nothing would be -0.
            kept.fold(0.0, |sum, (_, rank)| sum + rank)
        };
        let mut result = Self {
            pairs: x.len(),
            zeros: x.len() - differences.len(),
            tied: count_tied(magnitudes),
            r_plus: sum_where(|d| d > 0.0),
            r_minus: sum_where(|d| d < 0.0),
            z: None,
            p: 1.0,
        };
        let n = differences.len();
        if n > 0 && result.zeros == 0 && result.tied == 0 && n <= EXACT_PAIRS {
            result.p = exact_two_sided(n, result.statistic() as usize);
        } else if n > 0 {
            let z = z_score(n as f64, result.statistic(), ties);
            result.z = Some(z);
            result.p = tail::normal_two_sided(z);
        }
        Ok(result)
    }
}

/// By mean n(n+1)/4 and variance (n(n+1)(2n+1) - Σ(t³-t)/2) / 24 of a rank sum, ½ nearer its mean.
fn z_score(n: f64, statistic: f64, ties: f64) -> f64 {
    let mean = n * (n + 1.0) / 4.0;
    let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - ties / 2.0) / 24.0;
    // The distance is never negative; a rank sum at its mean stays there.
    -(mean - statistic - 0.5).max(0.0) / variance.sqrt()
}

/// 2 P(R ≤ statistic), at most 1, from the number of subsets of 1..=n with each sum.
fn exact_two_sided(n: usize, statistic: usize) -> f64 {
    let mut subsets = vec![0_u64; statistic + 1];
    subsets[0] = 1;
    for rank in 1..=n {
        for sum in (rank..=statistic).rev() {
            subsets[sum] += subsets[sum - rank];
        }
    }
    let below: u64 = subsets.iter().sum();
    (2.0 * below as f64 / (n as f64).exp2()).min(1.0)
}

fn count_tied(mut magnitudes: Vec<f64>) -> usize {
    magnitudes.sort_by(f64::total_cmp);
    let groups = magnitudes.chunk_by(|a, b| a == b).map(<[f64]>::len);
    groups.filter(|&size| size > 1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_samples_do_not_differ() {
        let test = SignedRank::new(&[1.0, 2.0], &[1.0, 2.0]).unwrap();
        assert_eq!((test.p, test.zeros, test.z), (1.0, 2, None));
    }

    #[test]
    fn the_smallest_exact_p_of_five_pairs_is_one_sixteenth() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0];
        let test = SignedRank::new(&x, &[0.0; 5]).unwrap();
        assert_eq!((test.p, test.r_plus, test.r_minus), (0.0625, 15.0, 0.0));
    }

    #[test]
    fn zeros_or_ties_are_never_exact() {
        let test = SignedRank::new(&[1.0, 1.0, 0.0], &[0.0; 3]).unwrap();
        assert_eq!((test.zeros, test.tied), (1, 2));
        assert!(test.z.is_some());
        assert!(SignedRank::new(&[1.0, 1.0], &[0.0; 2]).unwrap().z.is_some());
        assert!(SignedRank::new(&[1.0, 0.0], &[0.0; 2]).unwrap().z.is_some());
    }

    #[test]
    fn samples_of_different_length_are_refused() {
        assert!(SignedRank::new(&[1.0], &[1.0, 2.0]).is_err());
    }
}
