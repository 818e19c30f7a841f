//! What must hold for any data.

use fdc_core::Named as _;
use fdc_study::stats::bootstrap;
use fdc_study::stats::effect::A12;
use fdc_study::stats::friedman::{Friedman, ImanDavenport, Ties};
use fdc_study::stats::groups::HomogeneousGroups;
use fdc_study::stats::posthoc::{self, Adjustment};
use fdc_study::stats::ranks::RankTable;
use fdc_study::stats::wilcoxon::SignedRank;
use fdc_study::stats::{PairTable, ScoreMatrix};
use proptest::prelude::*;

/// p-values with ties, zeros, ones and very small ones.
fn p_value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 0.0..=1.0_f64,
        2 => (0.0..300.0_f64).prop_map(|e| 10.0_f64.powf(-e)),
        2 => (0_u8..=20).prop_map(|n| f64::from(n) / 20.0),
    ]
}

fn p_table(metrics: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = PairTable> {
    metrics.prop_flat_map(|k| {
        prop::collection::vec(p_value(), k * (k - 1) / 2).prop_map(move |p| PairTable::new(k, p))
    })
}

/// Rows of scores from few levels, so that ties are common.
fn rows() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (2_usize..=6, 2_usize..=12).prop_flat_map(|(k, n)| {
        let score = (0_u8..8).prop_map(|v| f64::from(v) / 8.0);
        prop::collection::vec(prop::collection::vec(score, k), n)
    })
}

fn matrix(rows: &[Vec<f64>]) -> ScoreMatrix {
    ScoreMatrix::new((0..rows[0].len()).map(|m| format!("m{m}")), rows).unwrap()
}

/// Bergmann–Hommel by definition: try every set of pairs, keep those closed
/// under transitivity.
fn naive_bergmann_hommel(raw: &PairTable) -> Vec<f64> {
    let pairs: Vec<(usize, usize, f64)> = raw.iter().collect();
    let mut adjusted = vec![0.0_f64; pairs.len()];
    for set in 1_u32..1 << pairs.len() {
        let inside = |a: usize, b: usize| {
            let wanted = (a.min(b), a.max(b));
            let place = pairs
                .iter()
                .position(|&(i, j, _)| (i, j) == wanted)
                .unwrap();
            set >> place & 1 == 1
        };
        let k = raw.metrics();
        let distinct = |a: usize, b: usize, c: usize| a != b && b != c && a != c;
        let closed = (0..k).all(|a| {
            (0..k).all(|b| {
                (0..k).all(|c| !(distinct(a, b, c) && inside(a, b) && inside(b, c)) || inside(a, c))
            })
        });
        if !closed {
            continue;
        }
        let members: Vec<usize> = (0..pairs.len()).filter(|&i| set >> i & 1 == 1).collect();
        let lowest = members.iter().map(|&i| pairs[i].2).fold(1.0, f64::min);
        for &i in &members {
            adjusted[i] = adjusted[i].max((lowest * members.len() as f64).min(1.0));
        }
    }
    adjusted
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn stronger_adjustments_give_smaller_p_values(raw in p_table(2..=9)) {
        let adjusted = Adjustment::all().map(|method| method.adjust(&raw).unwrap());
        let [none, nemenyi, holm, shaffer, bergmann] = &adjusted.collect::<Vec<_>>()[..] else {
            panic!("another number of adjustments");
        };
        for i in 0..raw.values().len() {
            prop_assert!(none.values()[i] <= bergmann.values()[i]);
            prop_assert!(bergmann.values()[i] <= shaffer.values()[i]);
            prop_assert!(shaffer.values()[i] <= holm.values()[i]);
            prop_assert!(holm.values()[i] <= nemenyi.values()[i]);
            prop_assert!(nemenyi.values()[i] <= 1.0);
        }
    }

    #[test]
    fn bergmann_hommel_equals_its_naive_twin(raw in p_table(2..=5)) {
        let found = Adjustment::BergmannHommel.adjust(&raw).unwrap();
        prop_assert_eq!(found.values(), naive_bergmann_hommel(&raw));
    }

    #[test]
    fn adjusted_p_values_follow_a_permutation_of_the_metrics(
        (raw, order) in p_table(2..=7).prop_flat_map(|raw| {
            let order: Vec<usize> = (0..raw.metrics()).collect();
            (Just(raw), Just(order).prop_shuffle())
        })
    ) {
        let permuted = PairTable::from_fn(raw.metrics(), |i, j| raw.get(order[i], order[j]));
        for method in Adjustment::all() {
            let direct = method.adjust(&raw).unwrap();
            for (i, j, p) in method.adjust(&permuted).unwrap().iter() {
                prop_assert_eq!(p, direct.get(order[i], order[j]));
            }
        }
    }

    #[test]
    fn tests_do_not_depend_on_the_order_of_blocks_and_metrics(
        (rows, block_order, metric_order) in rows().prop_flat_map(|rows| {
            let blocks: Vec<usize> = (0..rows.len()).collect();
            let metrics: Vec<usize> = (0..rows[0].len()).collect();
            (Just(rows), Just(blocks).prop_shuffle(), Just(metrics).prop_shuffle())
        })
    ) {
        let shuffled: Vec<Vec<f64>> = block_order
            .iter()
            .map(|&b| metric_order.iter().map(|&m| rows[b][m]).collect())
            .collect();
        let (direct, other) = (RankTable::new(&matrix(&rows)), RankTable::new(&matrix(&shuffled)));
        for (place, &m) in metric_order.iter().enumerate() {
            prop_assert_eq!(other.means[place], direct.means[m]);
        }
        for ties in [Ties::Ignored, Ties::Corrected] {
            let (a, b) = (Friedman::new(&direct, ties).unwrap(), Friedman::new(&other, ties).unwrap());
            prop_assert!((a.chi_square - b.chi_square).abs() < 1e-9);
            let (a, b) = (ImanDavenport::new(&a), ImanDavenport::new(&b));
            prop_assert!((a.p - b.p).abs() < 1e-9);
            prop_assert!((0.0..=1.0).contains(&a.p));
        }
        let (a, b) = (posthoc::raw_p_values(&direct), posthoc::raw_p_values(&other));
        for (i, j, p) in b.iter() {
            prop_assert!((p - a.get(metric_order[i], metric_order[j])).abs() < 1e-12);
        }
    }

    #[test]
    fn correcting_for_ties_never_lowers_the_statistic(rows in rows()) {
        let ranks = RankTable::new(&matrix(&rows));
        let ignored = Friedman::new(&ranks, Ties::Ignored).unwrap();
        let corrected = Friedman::new(&ranks, Ties::Corrected).unwrap();
        prop_assert!(corrected.chi_square >= ignored.chi_square);
        let most = (ranks.blocks * (ranks.means.len() - 1)) as f64;
        prop_assert!(corrected.chi_square <= most * (1.0 + 1e-12));
    }

    #[test]
    fn bars_join_exactly_what_does_not_differ(raw in p_table(2..=8)) {
        let k = raw.metrics();
        let mean_ranks: Vec<f64> = (0..k).map(|m| ((m * 5) % 7) as f64).collect();
        let groups = HomogeneousGroups::new(&mean_ranks, &raw);
        for (i, j, p) in raw.iter() {
            let joined = groups.bars.iter().any(|bar| bar.contains(&i) && bar.contains(&j));
            let listed = groups.unjoined.contains(&(i, j));
            prop_assert_eq!(p > 0.05, joined || listed);
            prop_assert!(!(joined && listed));
        }
        for (a, bar) in groups.bars.iter().enumerate() {
            for (b, other) in groups.bars.iter().enumerate() {
                prop_assert!(a == b || !bar.iter().all(|m| other.contains(m)), "not maximal");
            }
        }
    }

    #[test]
    fn exact_wilcoxon_equals_counting_all_signs(signs in prop::collection::vec(any::<bool>(), 1..=10)) {
        let n = signs.len();
        let x: Vec<f64> = signs
            .iter()
            .enumerate()
            .map(|(i, &up)| (i + 1) as f64 * if up { 1.0 } else { -1.0 })
            .collect();
        let test = SignedRank::new(&x, &vec![0.0; n]).unwrap();
        let as_extreme = (0_u32..1 << n)
            .filter(|set| {
                let sum: usize = (0..n).filter(|i| set >> i & 1 == 1).map(|i| i + 1).sum();
                sum as f64 <= test.statistic()
            })
            .count();
        let expected = (2.0 * as_extreme as f64 / f64::from(1_u32 << n)).min(1.0);
        prop_assert!((test.p - expected).abs() < 1e-12);
    }

    #[test]
    fn a12_equals_counting_and_mirrors(
        x in prop::collection::vec((0_u8..6).prop_map(f64::from), 1..20),
        y in prop::collection::vec((0_u8..6).prop_map(f64::from), 1..20),
    ) {
        let mut won = 0.0;
        for a in &x {
            for b in &y {
                won += if a > b { 1.0 } else if a == b { 0.5 } else { 0.0 };
            }
        }
        let found = A12::of(&x, &y).unwrap();
        prop_assert!((found.value() - won / (x.len() * y.len()) as f64).abs() < 1e-12);
        let mirrored = A12::of(&y, &x).unwrap();
        prop_assert!((found.value() + mirrored.value() - 1.0).abs() < 1e-12);
        prop_assert_eq!(found.magnitude(), mirrored.magnitude());
    }

    #[test]
    fn a_bootstrap_interval_lies_within_the_range_of_the_values(
        values in prop::collection::vec(-5.0..5.0_f64, 1..30),
    ) {
        let found = bootstrap::mean(&values, 50).unwrap();
        let lowest = values.iter().copied().fold(f64::INFINITY, f64::min) - 1e-12;
        let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) + 1e-12;
        prop_assert!(lowest <= found.low && found.low <= found.high && found.high <= highest);
    }
}

#[test]
fn bergmann_hommel_of_nine_metrics_takes_less_than_a_second() {
    let raw = PairTable::from_fn(9, |i, j| 1.0 / (1 + i * 7 + j * 13) as f64);
    let start = std::time::Instant::now();
    let adjusted = Adjustment::BergmannHommel.adjust(&raw).unwrap();
    let elapsed = start.elapsed();
    eprintln!("Bergmann–Hommel, 9 metrics: {elapsed:?}");
    assert!(elapsed.as_secs_f64() < 1.0, "{elapsed:?}");
    assert!(adjusted.values().iter().all(|p| (0.0..=1.0).contains(p)));
}
