//! Agreement with scipy 1.17.1, scikit-posthocs 0.17.1 and statsmodels 0.15.0,
//! run on 2026-11-15 on the matrices of `support`.

mod support;

use fdc_study::stats::effect::A12;
use fdc_study::stats::friedman::{Friedman, ImanDavenport, Ties};
use fdc_study::stats::posthoc::{self, Adjustment};
use fdc_study::stats::ranks::RankTable;
use fdc_study::stats::wilcoxon::SignedRank;
use support::{TIED, UNTIED, assert_all_close, assert_close, matrix};

const TOLERANCE: f64 = 1e-9;

struct Omnibus {
    mean_ranks: &'static [f64],
    /// Demšar's formula on `scipy.stats.rankdata`, `chi2.sf`, `f.sf`.
    ignored: [f64; 4],
    /// `scipy.stats.friedmanchisquare`, then Iman–Davenport and `f.sf`.
    corrected: [f64; 4],
}

#[track_caller]
fn check_omnibus(ranks: &RankTable, expected: &Omnibus) {
    assert_all_close(&ranks.means, expected.mean_ranks, TOLERANCE);
    for (ties, values) in [
        (Ties::Ignored, expected.ignored),
        (Ties::Corrected, expected.corrected),
    ] {
        let friedman = Friedman::new(ranks, ties).unwrap();
        let f = ImanDavenport::new(&friedman);
        let found = [friedman.chi_square, friedman.p, f.f, f.p];
        assert_all_close(&found, &values, TOLERANCE);
    }
}

#[test]
fn friedman_without_ties_agrees_with_scipy() {
    let untied = [
        7.05,
        0.070_321_062_840_022_85,
        2.911_504_424_778_761_4,
        0.058_360_220_910_232_82,
    ];
    check_omnibus(
        &RankTable::new(&matrix(&UNTIED)),
        &Omnibus {
            mean_ranks: &[3.0, 3.125, 2.25, 1.625],
            ignored: untied,
            corrected: untied,
        },
    );
}

#[test]
fn friedman_with_ties_agrees_with_scipy_under_either_rule() {
    check_omnibus(
        &RankTable::new(&matrix(&TIED)),
        &Omnibus {
            mean_ranks: &[
                4.428_571_428_571_429,
                3.0,
                2.928_571_428_571_428_4,
                2.214_285_714_285_714_4,
                2.428_571_428_571_428_4,
            ],
            ignored: [
                8.371_428_571_428_577,
                0.078_881_646_652_092_25,
                2.558_951_965_065_505,
                0.064_620_179_979_065_16,
            ],
            corrected: [
                9.451_612_903_225_8,
                0.050_751_046_165_074_16,
                3.057_391_304_347_823_4,
                0.036_068_514_367_828_17,
            ],
        },
    );
}

/// `scipy.stats.norm.sf`, then `statsmodels.stats.multitest.multipletests` with
/// methods "holm" and "bonferroni".
#[test]
fn raw_holm_and_bonferroni_p_values_agree_with_statsmodels() {
    let raw = posthoc::raw_p_values(&RankTable::new(&matrix(&TIED)));
    assert_all_close(
        raw.values(),
        &[
            0.090_968_947_975_357_75,
            0.075_926_962_982_557_56,
            0.008_793_539_075_659_159,
            0.017_960_477_526_078_73,
            0.932_646_638_965_875_9,
            0.352_542_137_499_712_97,
            0.498_962_298_603_760_85,
            0.398_024_719_506_937_96,
            0.554_113_130_069_445_5,
            0.799_846_105_662_473_6,
        ],
        TOLERANCE,
    );
    let adjusted = |method: Adjustment| method.adjust(&raw).unwrap();
    assert_all_close(
        adjusted(Adjustment::Holm).values(),
        &[
            0.636_782_635_827_504_3,
            0.607_415_703_860_460_5,
            0.087_935_390_756_591_6,
            0.161_644_297_734_708_6,
            1.0,
            1.0,
            1.0,
            1.0,
            1.0,
            1.0,
        ],
        TOLERANCE,
    );
    assert_all_close(
        &adjusted(Adjustment::Nemenyi).values()[..4],
        &[
            0.909_689_479_753_577_5,
            0.759_269_629_825_575_7,
            0.087_935_390_756_591_6,
            0.179_604_775_260_787_33,
        ],
        TOLERANCE,
    );
}

const X: [f64; 12] = [
    0.358, 0.499, -0.576, -0.02, -0.23, -1.437, 0.279, -1.091, 0.572, -1.259, -0.259, 1.276,
];
const Y: [f64; 12] = [
    1.54, 0.671, -0.133, 0.926, 1.159, -0.762, 2.129, 1.749, 0.001, 1.737, 0.633, 0.64,
];

/// `scipy.stats.wilcoxon(x, y, method="exact")`.
#[test]
fn wilcoxon_without_ties_agrees_with_scipy() {
    let test = SignedRank::new(&X, &Y).unwrap();
    assert_eq!((test.statistic(), test.z), (7.0, None));
    assert_close(test.p, 0.009_277_343_75, TOLERANCE);
}

/// `scipy.stats.wilcoxon(x, y, "wilcox", correction=True, method="asymptotic")`
/// on forty pairs with zeros and ties.
#[test]
fn wilcoxon_with_zeros_and_ties_agrees_with_scipy() {
    #[rustfmt::skip]
    let x = [
        -1.0, 1.0, -1.0, 7.0, 6.0, -0.0, 3.0, -4.0, 6.0, -3.0, 2.0, 2.0, -3.0, 3.0, 6.0, -4.0, 4.0,
        0.0, 2.0, -1.0, -1.0, -5.0, -2.0, 2.0, 1.0, -1.0, 4.0, 0.0, -1.0, 4.0, 1.0, 3.0, -5.0, -1.0,
        3.0, -0.0, -2.0, 1.0, -1.0, 2.0,
    ];
    #[rustfmt::skip]
    let y = [
        4.0, 4.0, 12.0, 5.0, 6.0, -6.0, 2.0, -1.0, -0.0, -1.0, 4.0, 7.0, 10.0, 2.0, -2.0, -4.0, -4.0,
        7.0, 1.0, 1.0, -1.0, 9.0, -1.0, 3.0, 0.0, 1.0, 1.0, -1.0, 6.0, 1.0, 3.0, 2.0, 2.0, -7.0, 1.0,
        3.0, -2.0, 4.0, 5.0, 2.0,
    ];
    let test = SignedRank::new(&x, &y).unwrap();
    assert_eq!(test.statistic(), 227.5);
    assert_close(test.z.unwrap(), -1.429_595_189_496_775_3, TOLERANCE);
    assert_close(test.p, 0.152_833_237_003_758_23, TOLERANCE);
}

/// `scipy.stats.mannwhitneyu(x, y).statistic / (len(x) * len(y))`.
#[test]
fn a12_agrees_with_scipy() {
    let a12 = |x: &[f64], y: &[f64]| A12::of(x, y).unwrap().value();
    assert_close(a12(&X, &Y), 0.173_611_111_111_111_1, TOLERANCE);
    let x = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
    let y = [2.0, 7.0, 1.0, 8.0, 2.0, 8.0];
    assert_close(a12(&x, &y), 0.4375, TOLERANCE);
}
