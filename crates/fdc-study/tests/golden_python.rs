//! Agreement with scipy 1.17.1, scikit-posthocs 0.17.1 and statsmodels 0.15.0,
//! run on 2026-11-15 on the matrices of `support`.

mod support;

use fdc_study::stats::effect::A12;
use fdc_study::stats::friedman::{Friedman, ImanDavenport, Ties};
use fdc_study::stats::posthoc::{self, Adjustment};
use fdc_study::stats::ranks::RankTable;
use fdc_study::stats::studentised::{Freedom, upper_quantile};
use fdc_study::stats::wilcoxon::{NullDistribution, SignedRank, WilcoxonOptions, Zeros};
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
    assert_all_close(ranks.means(), expected.mean_ranks, TOLERANCE);
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

/// `scikit_posthocs.posthoc_nemenyi_friedman`; both sides integrate numerically,
/// hence the wider tolerance.
#[test]
fn nemenyi_by_studentised_range_agrees_with_scikit_posthocs() {
    assert_all_close(
        posthoc::nemenyi_range_p_values(&RankTable::new(&matrix(&UNTIED))).values(),
        &[
            0.997_428_100_186_593_2,
            0.650_954_428_132_094_7,
            0.143_533_805_369_087_77,
            0.527_434_393_897_533_9,
            0.092_643_122_861_033_49,
            0.767_542_429_847_207_6,
        ],
        1e-7,
    );
    assert_all_close(
        posthoc::nemenyi_range_p_values(&RankTable::new(&matrix(&TIED))).values(),
        &[
            0.439_913_437_967_629_6,
            0.388_334_013_896_764_14,
            0.066_758_800_800_755_36,
            0.124_582_587_882_029_8,
            0.999_988_479_219_128_6,
            0.885_478_960_062_431_1,
            0.961_612_230_883_621,
            0.916_448_149_368_160_9,
            0.976_379_066_653_536_9,
            0.999_091_309_302_485_4,
        ],
        1e-7,
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

/// `scipy.stats.studentized_range.isf(alpha, k, inf) / sqrt(2)`, and finite
/// degrees of freedom.
#[test]
fn quantiles_of_the_studentised_range_agree_with_scipy() {
    let metrics = [2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50];
    for (alpha, expected) in [
        (
            0.05,
            [
                1.959_963_984_540_053_4,
                2.343_700_586_378_409,
                2.569_031_772_546_482,
                2.727_774_370_870_376_3,
                2.849_705_419_610_001_6,
                2.948_320_017_529_674_4,
                3.030_878_449_614_413,
                3.101_730_341_303_380_5,
                3.163_683_577_053_373,
                3.543_799_131_517_781_5,
                3.992_343_290_009_407_6,
            ],
        ),
        (
            0.10,
            [
                1.644_853_626_951_472_2,
                2.052_292_730_496_775_5,
                2.291_341_496_888_056_6,
                2.459_515_764_271_418_3,
                2.588_520_601_922_348,
                2.692_732_100_967_759_4,
                2.779_883_608_152_978,
                2.854_606_431_198_025_3,
                2.919_888_840_061_538_4,
                3.319_233_059_548_415,
                3.787_749_614_194_587_4,
            ],
        ),
    ] {
        for (k, expected) in metrics.into_iter().zip(expected) {
            let q = upper_quantile(alpha, k, Freedom::Infinite).unwrap();
            assert_close(q / std::f64::consts::SQRT_2, expected, 1e-7);
        }
    }
    for (k, df, expected) in [
        (3, 2.0, 8.330_782_645_637_044),
        (3, 10.0, 3.876_776_750_013_158),
        (10, 30.0, 4.824_141_286_183_106),
        (2, 4.0, 3.926_486_322_955_114_3),
    ] {
        let q = upper_quantile(0.05, k, Freedom::Finite(df)).unwrap();
        assert_close(q, expected, 1e-6);
    }
}

const X: [f64; 12] = [
    0.358, 0.499, -0.576, -0.02, -0.23, -1.437, 0.279, -1.091, 0.572, -1.259, -0.259, 1.276,
];
const Y: [f64; 12] = [
    1.54, 0.671, -0.133, 0.926, 1.159, -0.762, 2.129, 1.749, 0.001, 1.737, 0.633, 0.64,
];

/// `scipy.stats.wilcoxon(x, y, method="exact")` and `method="asymptotic"`.
#[test]
fn wilcoxon_without_ties_agrees_with_scipy() {
    let test = SignedRank::new(&X, &Y, WilcoxonOptions::default()).unwrap();
    assert_eq!((test.statistic(), test.z), (7.0, None));
    assert_close(test.p, 0.009_277_343_75, TOLERANCE);
    let normal = |continuity| {
        let options = WilcoxonOptions {
            distribution: NullDistribution::Normal,
            continuity,
            ..WilcoxonOptions::default()
        };
        SignedRank::new(&X, &Y, options).unwrap().p
    };
    assert_close(normal(true), 0.013_471_197_018_213_17, TOLERANCE);
    assert_close(normal(false), 0.012_063_323_418_854_825, TOLERANCE);
}

/// `scipy.stats.wilcoxon(x, y, zero_method, correction, method="asymptotic")`
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
    for (zeros, continuity, statistic, z, p) in [
        (
            Zeros::Wilcox,
            true,
            227.5,
            -1.429_595_189_496_775_3,
            0.152_833_237_003_758_23,
        ),
        (
            Zeros::Wilcox,
            false,
            227.5,
            -1.437_811_253_804_228,
            0.150_487_615_379_080_79,
        ),
        (
            Zeros::Pratt,
            true,
            302.5,
            -1.341_993_266_566_270_4,
            0.179_598_178_911_800_63,
        ),
        (
            Zeros::Pratt,
            false,
            302.5,
            -1.348_736_951_322_884_8,
            0.177_421_472_270_825_4,
        ),
        (
            Zeros::Split,
            true,
            310.0,
            -1.340_622_190_911_268,
            0.180_043_148_686_906_85,
        ),
        (
            Zeros::Split,
            false,
            310.0,
            -1.347_358_985_840_470_4,
            0.177_864_643_160_629_78,
        ),
    ] {
        let options = WilcoxonOptions {
            zeros,
            continuity,
            ..WilcoxonOptions::default()
        };
        let test = SignedRank::new(&x, &y, options).unwrap();
        assert_eq!(test.statistic(), statistic, "{zeros:?}");
        assert_close(test.z.unwrap(), z, TOLERANCE);
        assert_close(test.p, p, TOLERANCE);
    }
}

/// `scipy.stats.mannwhitneyu(x, y).statistic / (len(x) * len(y))`.
#[test]
fn a12_agrees_with_scipy() {
    let a12 = |x: &[f64], y: &[f64]| A12::unpaired(x, y).unwrap().value();
    assert_close(a12(&X, &Y), 0.173_611_111_111_111_1, TOLERANCE);
    let x = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
    let y = [2.0, 7.0, 1.0, 8.0, 2.0, 8.0];
    assert_close(a12(&x, &y), 0.4375, TOLERANCE);
}
