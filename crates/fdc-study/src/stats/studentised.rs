//! The studentised range: the distribution of (largest - smallest) / s over k
//! standard normal variables, the reference of Nemenyi's test.

use super::error::{StatsError, check_at_least, check_level};
use super::tail;
use statrs::function::gamma::ln_gamma;

/// Degrees of freedom of the variance estimate `s`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Freedom {
    /// The variance is known, as it is for ranks (Nemenyi 1963; Demšar 2006,
    /// table 5).
    Infinite,
    /// A finite number, at least 1. scmamp's `nemenyiTest` uses k(N-1).
    Finite(f64),
}

/// P(Q > q) for the range Q of `k` ≥ 2 metrics. With infinite freedom the
/// result keeps its relative precision down to 1e-300; with finite freedom it
/// is good to about 1e-10 absolute.
///
/// With Φ, φ the normal distribution and density and z the largest of the k
/// variables (H. L. Harter, *Tables of range and studentized range*, Annals of
/// Mathematical Statistics 31, 1960):
/// P(Q > q) = k ∫ φ(z) (Φ(z)^(k-1) - (Φ(z) - Φ(z-q))^(k-1)) dz,
/// whose integrand is never negative, so that nothing cancels.
pub fn survival(q: f64, k: usize, freedom: Freedom) -> f64 {
    assert!(k >= 2, "a range needs two variables");
    if q <= 0.0 {
        return 1.0;
    }
    match freedom {
        Freedom::Infinite => survival_known_variance(q, k),
        Freedom::Finite(df) => survival_estimated_variance(q, k, df),
    }
}

/// The q with P(Q > q) = `alpha`.
pub fn upper_quantile(alpha: f64, k: usize, freedom: Freedom) -> Result<f64, StatsError> {
    check_level("significance level", alpha)?;
    check_at_least("metrics", 2, k)?;
    if let Freedom::Finite(df) = freedom
        && (df < 1.0 || !df.is_finite())
    {
        return Err(StatsError::OutOfRange {
            what: "degrees of freedom",
            expected: "a finite number, at least 1",
            found: df,
        });
    }
    // The logarithm of the tail is smooth and strictly decreasing.
    let excess = |q: f64| (survival(q, k, freedom).max(f64::MIN_POSITIVE) / alpha).ln();
    let (mut low, mut high) = (0.0, 4.0);
    while excess(high) > 0.0 {
        low = high;
        high *= 2.0;
    }
    Ok(root_between(excess, low, high))
}

/// The zero of a decreasing function by false position, the weight of an end
/// that stays put halved each time (the Illinois rule: M. Dowell, P. Jarratt,
/// BIT 11, 1971).
fn root_between(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let (mut at_low, mut at_high) = (f(low), f(high));
    let mut previous = 0.0;
    for _ in 0..100 {
        let middle = (low * at_high - high * at_low) / (at_high - at_low);
        let value = f(middle);
        if value.abs() < 1e-14 || high - low < 1e-14 * high {
            return middle;
        }
        if value > 0.0 {
            (low, at_low) = (middle, value);
            if previous > 0.0 {
                at_high /= 2.0;
            }
        } else {
            (high, at_high) = (middle, value);
            if previous < 0.0 {
                at_low /= 2.0;
            }
        }
        previous = value;
    }
    0.5 * (low + high)
}

/// Trapezoidal rule over the whole line, which converges geometrically for a
/// smooth integrand that vanishes at both ends like a normal density. The peak
/// lies between 0 and q/2 + 3 for any k in use, and 12 beyond it nothing is
/// left.
fn survival_known_variance(q: f64, k: usize) -> f64 {
    const STEP: f64 = 1.0 / 16.0;
    let others = (k - 1) as f64;
    let steps = ((q / 2.0 + 28.0) / STEP) as usize;
    let sum: f64 = (0..=steps)
        .map(|i| {
            let z = -12.0 + i as f64 * STEP;
            let below = tail::normal(-z);
            // The share of Φ(z) that lies more than q below the largest.
            let beyond = (tail::normal(q - z) / below).min(1.0);
            density(z) * below.powf(others) * -(others * (-beyond).ln_1p()).exp_m1()
        })
        .sum();
    (k as f64 * STEP * sum).min(1.0)
}

/// Mean of the known-variance tail at q·s over the distribution of s, where
/// df·s² is chi-square; integrated over t = ln s, so that both ends vanish.
fn survival_estimated_variance(q: f64, k: usize, df: f64) -> f64 {
    let width = (2.0 * df).sqrt().recip();
    let step = width / 4.0;
    let half = df / 2.0;
    let log_constant = std::f64::consts::LN_2 + half * half.ln() - ln_gamma(half);
    let weight = |t: f64| (log_constant + df * t - half * (2.0 * t).exp()).exp();
    let term = |t: f64| weight(t) * survival_known_variance(q * t.exp(), k);
    let mut sum = term(0.0);
    for direction in [-1.0, 1.0] {
        for i in 1.. {
            let t = direction * i as f64 * step;
            if weight(t) < 1e-16 {
                break;
            }
            sum += term(t);
        }
    }
    (sum * step).min(1.0)
}

fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mpmath 1.3.0, the integral above by `quad` with 400 digits.
    #[test]
    fn the_tail_agrees_with_mpmath_down_to_1e_273() {
        for (q, k, expected) in [
            (1.0, 3, 0.759_287_358_770_661_2),
            (3.5, 5, 0.096_338_463_965_426_77),
            (10.0, 9, 5.533_579_746_175_857e-11),
            (25.0, 5, 6.231_942_781_979_911e-69),
            (50.0, 4, 4.980_103_542_717_914e-273),
        ] {
            let found = survival(q, k, Freedom::Infinite);
            assert!(
                (found / expected - 1.0).abs() < 1e-9,
                "q {q} k {k}: expected {expected:e}, found {found:e}"
            );
        }
    }

    #[test]
    fn two_metrics_reduce_to_the_normal_distribution() {
        for q in [0.01, 0.5, 2.0, 7.0] {
            let normal = tail::normal_two_sided(q / std::f64::consts::SQRT_2);
            assert!((survival(q, 2, Freedom::Infinite) / normal - 1.0).abs() < 1e-10);
        }
    }

    #[test]
    fn no_range_is_certain_to_be_exceeded() {
        assert_eq!(survival(0.0, 5, Freedom::Infinite), 1.0);
        assert!(survival(1e-9, 50, Freedom::Infinite) > 1.0 - 1e-9);
    }

    #[test]
    fn quantiles_invert_the_tail_down_to_tiny_levels() {
        for alpha in [0.999, 0.5, 0.05, 1e-10, 1e-290] {
            let q = upper_quantile(alpha, 5, Freedom::Infinite).unwrap();
            assert!((survival(q, 5, Freedom::Infinite) / alpha - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_level_outside_the_unit_interval_is_refused() {
        assert!(upper_quantile(0.0, 3, Freedom::Infinite).is_err());
        assert!(upper_quantile(f64::NAN, 3, Freedom::Infinite).is_err());
        assert!(upper_quantile(0.05, 1, Freedom::Infinite).is_err());
        assert!(upper_quantile(0.05, 3, Freedom::Finite(0.5)).is_err());
    }
}
