//! Upper tails of the reference distributions, each with full relative
//! precision (checked against mpmath with 50 digits in the tests below).

use statrs::function::{beta::beta_reg, erf::erfc, gamma::gamma_ur};

/// P(|Z| > |z|), the two-sided p-value of a z score; 1 at z = 0.
pub(super) fn normal_two_sided(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// P(X > x) for a chi-square X with `df` > 0 degrees of freedom.
pub(super) fn chi_square(x: f64, df: usize) -> f64 {
    match x {
        ..=0.0 => 1.0,
        f64::INFINITY => 0.0,
        _ => gamma_ur(df as f64 / 2.0, x / 2.0),
    }
}

/// P(X > x) for an F-distributed X with `df1`, `df2` > 0 degrees of freedom.
pub(super) fn fisher(x: f64, df1: usize, df2: usize) -> f64 {
    let (d1, d2) = (df1 as f64, df2 as f64);
    match x {
        ..=0.0 => 1.0,
        f64::INFINITY => 0.0,
        _ => beta_reg(d2 / 2.0, d1 / 2.0, d2 / (d2 + d1 * x)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(found: f64, expected: f64) {
        assert!(
            (found / expected - 1.0).abs() < 1e-10,
            "expected {expected:e}, found {found:e}"
        );
    }

    /// mpmath 1.3.0, `erfc(z / sqrt(2)) / 2`, 50 digits.
    #[test]
    fn the_normal_tail_agrees_with_mpmath_down_to_1e_300() {
        let normal = |z| normal_two_sided(z) / 2.0;
        assert_close(normal(0.1), 0.460_172_162_722_971);
        assert_close(normal(1.0), 0.158_655_253_931_457_05);
        assert_close(normal(3.0), 0.001_349_898_031_630_094_5);
        assert_close(normal(8.0), 6.220_960_574_271_784e-16);
        assert_close(normal(20.0), 2.753_624_118_606_233_7e-89);
        assert_close(normal(37.0), 5.725_571_222_524_577e-300);
        assert_close(normal_two_sided(-20.0), 2.0 * 2.753_624_118_606_233_7e-89);
        assert_eq!(normal_two_sided(0.0), 1.0);
    }

    /// mpmath 1.3.0, `gammainc(df / 2, x / 2, inf, regularized=True)`.
    #[test]
    fn the_chi_square_tail_agrees_with_mpmath_down_to_1e_296() {
        assert_close(chi_square(1.0, 1), 0.317_310_507_862_914_1);
        assert_close(chi_square(5.0, 49), 0.999_999_999_999_999_8);
        assert_close(chi_square(39.647, 4), 5.120_555_353_243_128e-8);
        assert_close(chi_square(431.2439, 4), 4.923_561_859_500_781e-92);
        assert_close(chi_square(486.5529, 4), 5.423_277_009_942_152_6e-104);
        assert_close(chi_square(1300.0, 8), 2.350_615_283_795_917_6e-275);
        assert_close(chi_square(1370.0, 3), 9.525_699_965_408_665e-297);
        assert_eq!(chi_square(0.0, 4), 1.0);
        assert_eq!(chi_square(f64::INFINITY, 4), 0.0);
    }

    /// mpmath 1.3.0, `betainc(df2 / 2, df1 / 2, 0, df2 / (df2 + df1 x),
    /// regularized=True)`.
    #[test]
    fn the_f_tail_agrees_with_mpmath() {
        assert_close(fisher(0.5, 3, 21), 0.686_319_741_749_066_7);
        assert_close(fisher(3.69, 3, 39), 0.019_744_099_689_488_886);
        assert_close(fisher(14.309, 4, 116), 1.592_582_052_014_946e-9);
        assert_close(fisher(155.1626, 4, 1400), 6.029_305_350_947_779e-110);
        assert_close(fisher(185.6167, 4, 1400), 1.087_431_817_147_883_5e-127);
        assert_eq!(fisher(0.0, 3, 21), 1.0);
        assert_eq!(fisher(f64::INFINITY, 3, 21), 0.0);
        assert_eq!(fisher(900.0, 8, 2800), 0.0, "1.8e-766 underflows");
    }
}
