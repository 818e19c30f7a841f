//! Do two metrics differ? Wilcoxon's signed-rank test for pairs, two-sided
//! (F. Wilcoxon, *Individual comparisons by ranking methods*, Biometrics
//! Bulletin 1, 1945).

use super::error::{StatsError, check_at_least, check_finite, check_length};
use super::ranks::rank_descending;
use super::tail;

/// What happens to pairs without a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zeros {
    /// They are dropped before ranking (Wilcoxon 1945; scipy `wilcox`; R).
    #[default]
    Wilcox,
    /// They are ranked, then their ranks are dropped (J. Pratt, JASA 54, 1959;
    /// normal approximation by E. Cureton, JASA 62, 1967; scipy `pratt`).
    Pratt,
    /// They are ranked, and half their rank sum goes to either side (Demšar
    /// 2006, section 3.1.3; scipy `zsplit`).
    Split,
}

/// Where the p-value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NullDistribution {
    /// Exact for up to [`EXACT_PAIRS`] differences without zeros and ties,
    /// normal otherwise.
    #[default]
    Auto,
    /// All 2^n signs are equally likely. Refused with zeros, ties or more than
    /// [`EXACT_PAIRS`] differences.
    Exact,
    /// Normal approximation with correction for ties.
    Normal,
}

/// The most differences for which the exact distribution is counted: up to
/// there all counts fit a u64.
pub const EXACT_PAIRS: usize = 50;

/// How the test is done; the default is what R's `wilcox.test` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WilcoxonOptions {
    /// What happens to pairs without a difference.
    pub zeros: Zeros,
    /// Where the p-value comes from.
    pub distribution: NullDistribution,
    /// Whether the normal approximation moves the rank sum by ½ towards its
    /// mean.
    pub continuity: bool,
}

impl Default for WilcoxonOptions {
    fn default() -> Self {
        Self {
            zeros: Zeros::default(),
            distribution: NullDistribution::default(),
            continuity: true,
        }
    }
}

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
    pub fn new(x: &[f64], y: &[f64], options: WilcoxonOptions) -> Result<Self, StatsError> {
        check_length("paired sample", x.len(), y.len())?;
        check_at_least("pairs", 1, x.len())?;
        check_finite("first sample", x)?;
        check_finite("second sample", y)?;
        let differences: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
        let zeros = differences.iter().filter(|&&d| d == 0.0).count();
        let ranked: Vec<f64> = match options.zeros {
            Zeros::Wilcox => differences.into_iter().filter(|&d| d != 0.0).collect(),
            Zeros::Pratt | Zeros::Split => differences,
        };
        Self::of_differences(&ranked, x.len(), zeros, options)
    }

    fn of_differences(
        differences: &[f64],
        pairs: usize,
        zeros: usize,
        options: WilcoxonOptions,
    ) -> Result<Self, StatsError> {
        // Descending ranks of the negated magnitudes: rank 1 is the smallest.
        let magnitudes: Vec<f64> = differences.iter().map(|d| -d.abs()).collect();
        let (ranks, all_ties) = rank_descending(&magnitudes);
        let sum_where = |keep: fn(f64) -> bool| -> f64 {
            let kept = differences.iter().zip(&ranks).filter(|(d, _)| keep(**d));
            kept.map(|(_, rank)| rank).sum()
        };
        let half_of_zeros = match options.zeros {
            Zeros::Split => sum_where(|d| d == 0.0) / 2.0,
            Zeros::Wilcox | Zeros::Pratt => 0.0,
        };
        let mut result = Self {
            pairs,
            zeros,
            tied: count_tied(differences),
            r_plus: sum_where(|d| d > 0.0) + half_of_zeros,
            r_minus: sum_where(|d| d < 0.0) + half_of_zeros,
            z: None,
            p: 1.0,
        };
        if pairs == zeros {
            return Ok(result);
        }
        let exact_fits = zeros == 0 && result.tied == 0;
        let exact = match options.distribution {
            NullDistribution::Normal => false,
            NullDistribution::Auto => exact_fits && pairs <= EXACT_PAIRS,
            NullDistribution::Exact if !exact_fits => {
                return Err(StatsError::NotExact {
                    zeros,
                    tied: result.tied,
                });
            }
            NullDistribution::Exact if pairs > EXACT_PAIRS => {
                return Err(StatsError::TooMany {
                    what: "pairs for the exact signed-rank distribution",
                    expected: EXACT_PAIRS,
                    found: pairs,
                });
            }
            NullDistribution::Exact => true,
        };
        if exact {
            result.p = exact_two_sided(differences.len(), result.statistic() as usize);
        } else {
            let z = z_score(&result, differences.len(), all_ties, options);
            result.z = Some(z);
            result.p = tail::normal_two_sided(z);
        }
        Ok(result)
    }
}

/// Mean n(n+1)/4 and variance (n(n+1)(2n+1) - Σ(t³-t)/2) / 24 of a rank sum;
/// Pratt's leaves out the ranks of the zeros.
fn z_score(result: &SignedRank, ranked: usize, all_ties: f64, options: WilcoxonOptions) -> f64 {
    let n = ranked as f64;
    let mut mean = n * (n + 1.0) / 4.0;
    let mut variance = n * (n + 1.0) * (2.0 * n + 1.0);
    let mut ties = all_ties;
    if options.zeros == Zeros::Pratt {
        let zeros = result.zeros as f64;
        mean -= zeros * (zeros + 1.0) / 4.0;
        variance -= zeros * (zeros + 1.0) * (2.0 * zeros + 1.0);
        ties -= zeros * zeros * zeros - zeros;
    }
    let deviation = (variance - ties / 2.0) / 24.0;
    let distance = mean - result.statistic();
    let shift = if options.continuity { 0.5 } else { 0.0 };
    // `distance` is never negative; a rank sum at its mean stays there.
    -(distance - shift).max(0.0) / deviation.sqrt()
}

/// 2 P(R ≤ statistic), at most 1, from the number of subsets of 1..=n with
/// each sum.
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

fn count_tied(differences: &[f64]) -> usize {
    let mut magnitudes: Vec<f64> = differences
        .iter()
        .map(|d| d.abs())
        .filter(|&d| d != 0.0)
        .collect();
    magnitudes.sort_by(f64::total_cmp);
    magnitudes
        .chunk_by(|a, b| a == b)
        .filter(|tie| tie.len() > 1)
        .map(<[f64]>::len)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_samples_do_not_differ() {
        for zeros in [Zeros::Wilcox, Zeros::Pratt, Zeros::Split] {
            let options = WilcoxonOptions {
                zeros,
                ..WilcoxonOptions::default()
            };
            let test = SignedRank::new(&[1.0, 2.0], &[1.0, 2.0], options).unwrap();
            assert_eq!((test.p, test.zeros, test.z), (1.0, 2, None));
        }
    }

    #[test]
    fn the_smallest_exact_p_of_five_pairs_is_one_sixteenth() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0];
        let test = SignedRank::new(&x, &[0.0; 5], WilcoxonOptions::default()).unwrap();
        assert_eq!((test.p, test.r_plus, test.r_minus), (0.0625, 15.0, 0.0));
    }

    #[test]
    fn exact_is_refused_with_ties() {
        let options = WilcoxonOptions {
            distribution: NullDistribution::Exact,
            ..WilcoxonOptions::default()
        };
        let error = SignedRank::new(&[1.0, 1.0, 0.0], &[0.0; 3], options).unwrap_err();
        assert_eq!(error, StatsError::NotExact { zeros: 1, tied: 2 });
    }

    #[test]
    fn samples_of_different_length_are_refused() {
        assert!(SignedRank::new(&[1.0], &[1.0, 2.0], WilcoxonOptions::default()).is_err());
    }
}
