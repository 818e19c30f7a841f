//! Do metrics differ at all? Friedman's rank test, and Iman and Davenport's less conservative one.

use fdc_core::Named;

use super::error::{StatsError, check_at_least};
use super::ranks::RankTable;
use super::tail;

/// What tied values within a block do to Friedman's statistic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// Midranks go into the formula for untied ranks (J. Demšar, *Statistical comparisons of
    /// classifiers over multiple data sets*, JMLR 7, 2006, p. 11); what R's scmamp does.
    #[default]
    Ignored,
    /// The statistic is divided by 1 - Σ(t³ - t) / (N k (k² - 1)) (W. J. Conover,
    /// *Practical Nonparametric Statistics*, 1999); what `scipy.stats.friedmanchisquare` and R's
    /// `friedman.test` do.
    Corrected,
}

impl Named for Ties {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Ignored, "ignored", "No correction, as scmamp"),
        (Self::Corrected, "corrected", "Corrected, as scipy"),
    ];
}

/// Friedman's test (M. Friedman, *The use of ranks to avoid the assumption of
/// normality implicit in the analysis of variance*, JASA 32, 1937).
#[derive(Clone, Debug, PartialEq)]
pub struct Friedman {
    /// Number of blocks, N.
    pub blocks: usize,
    /// χ², from 0 (equal mean ranks) to N(k-1) (every block ranks alike).
    pub chi_square: f64,
    /// k - 1.
    pub df: usize,
    /// P(χ²(df) ≥ chi_square).
    pub p: f64,
    /// The rule for ties that was used.
    pub ties: Ties,
}

impl Friedman {
    /// The test over the ranks of at least two blocks and two metrics. When
    /// every block is one big tie there is no evidence of a difference: the
    /// statistic is 0 and p is 1 under either rule (scipy gives NaN).
    pub fn new(ranks: &RankTable, ties: Ties) -> Result<Self, StatsError> {
        check_at_least("blocks", 2, ranks.blocks)?;
        check_at_least("metrics", 2, ranks.means.len())?;
        let (n, k) = (ranks.blocks as f64, ranks.means.len() as f64);
        let middle = (k + 1.0) / 2.0;
        // Σ (R - middle)² = Σ R² - k(k+1)²/4, without the cancellation.
        let spread: f64 = ranks.means.iter().map(|r| (r - middle).powi(2)).sum();
        let uncorrected = 12.0 * n / (k * (k + 1.0)) * spread;
        let chi_square = match ties {
            Ties::Ignored => uncorrected,
            Ties::Corrected => {
                let untied = 1.0 - ranks.tie_sum / (n * k * (k * k - 1.0));
                let corrected = (untied > 0.0).then(|| uncorrected / untied);
                corrected.unwrap_or(0.0)
            }
        };
        let df = ranks.means.len() - 1;
        Ok(Self {
            blocks: ranks.blocks,
            chi_square,
            df,
            p: tail::chi_square(chi_square, df),
            ties,
        })
    }
}

/// Iman and Davenport's F (R. Iman, J. Davenport, *Approximations of the critical region of the
/// Friedman statistic*, Communications in Statistics A9, 1980): (N-1) χ² / (N(k-1) - χ²).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImanDavenport {
    /// The statistic; infinite when every block ranks the metrics alike.
    pub f: f64,
    /// k - 1.
    pub df1: usize,
    /// (k - 1)(N - 1).
    pub df2: usize,
    /// P(F(df1, df2) ≥ f); 0 when `f` is infinite.
    pub p: f64,
}

impl ImanDavenport {
    /// The F that follows from Friedman's χ², under the same rule for ties.
    pub fn new(friedman: &Friedman) -> Self {
        let n = friedman.blocks as f64;
        let most = n * friedman.df as f64;
        let room = most - friedman.chi_square;
        // Agreement in all blocks leaves no room but for rounding.
        let f = if room <= most * 1e-12 {
            f64::INFINITY
        } else {
            (n - 1.0) * friedman.chi_square / room
        };
        let (df1, df2) = (friedman.df, friedman.df * (friedman.blocks - 1));
        Self {
            f,
            df1,
            df2,
            p: tail::fisher(f, df1, df2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::matrix::ScoreMatrix;
    use super::*;

    fn ranks(rows: &[[f64; 3]]) -> RankTable {
        RankTable::new(&ScoreMatrix::new(["a", "b", "c"], rows).unwrap())
    }

    #[test]
    fn equal_values_everywhere_are_no_evidence() {
        let table = ranks(&[[1.0; 3]; 4]);
        for ties in [Ties::Ignored, Ties::Corrected] {
            let test = Friedman::new(&table, ties).unwrap();
            assert_eq!((test.chi_square, test.p), (0.0, 1.0));
            let f = ImanDavenport::new(&test);
            assert_eq!((f.f, f.p), (0.0, 1.0));
        }
    }

    #[test]
    fn agreement_in_all_blocks_gives_an_infinite_f() {
        let table = ranks(&[[3.0, 2.0, 1.0]; 5]);
        let test = Friedman::new(&table, Ties::Ignored).unwrap();
        assert!((test.chi_square - 10.0).abs() < 1e-12);
        let f = ImanDavenport::new(&test);
        assert_eq!((f.f, f.p), (f64::INFINITY, 0.0));
    }

    #[test]
    fn one_block_is_too_few() {
        let table = ranks(&[[3.0, 2.0, 1.0]]);
        assert!(Friedman::new(&table, Ties::Ignored).is_err());
    }
}
