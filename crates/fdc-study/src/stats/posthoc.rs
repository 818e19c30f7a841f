//! Which pairs of metrics differ: z scores of mean-rank differences and p-values adjusted for the
//! number of pairs. Definitions follow S. García and F. Herrera, *An extension on "Statistical
//! comparisons of classifiers over multiple data sets" for all pairwise comparisons*, JMLR 9, 2008
//! (below: GH08), and J. Demšar, *Statistical comparisons of classifiers over multiple data sets*,
//! JMLR 7, 2006.

use fdc_core::Named;

use super::bergmann;
use super::error::Result;
use super::pairs::{PairTable, pair_count};
use super::ranks::RankTable;
use super::tail;

/// How p-values of all pairs are adjusted so that the chance of any false
/// finding stays below the level. Adjusted values grow from the last variant to
/// the second: Bergmann–Hommel ≤ Shaffer ≤ Holm ≤ Nemenyi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjustment {
    /// The raw p-values.
    Unadjusted,
    /// Nemenyi as GH08 has it: p times the number of pairs (Bonferroni).
    Nemenyi,
    /// S. Holm, *A simple sequentially rejective multiple test procedure*,
    /// Scandinavian Journal of Statistics 6, 1979.
    Holm,
    /// Static version of J. Shaffer, *Modified sequentially rejective multiple
    /// test procedures*, JASA 81, 1986.
    Shaffer,
    /// G. Bergmann and G. Hommel, *Improvements of general multiple test
    /// procedures for redundant systems of hypotheses*, 1988; exact, for up to
    /// [`bergmann::MAX_METRICS`] metrics.
    BergmannHommel,
}

/// The least powerful first.
impl Named for Adjustment {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Unadjusted, "none", "No adjustment"),
        (Self::Nemenyi, "nemenyi", "Nemenyi"),
        (Self::Holm, "holm", "Holm"),
        (Self::Shaffer, "shaffer", "Shaffer, static"),
        (
            Self::BergmannHommel,
            "bergmann-hommel",
            "Bergmann and Hommel, up to 9 metrics",
        ),
    ];
}

impl Adjustment {
    /// Name for running text.
    pub fn display_name(self) -> &'static str {
        match self {
            Self::Unadjusted => "no",
            Self::Nemenyi => "Nemenyi's",
            Self::Holm => "Holm's",
            Self::Shaffer => "Shaffer's static",
            Self::BergmannHommel => "Bergmann and Hommel's",
        }
    }

    /// The most powerful adjustment that can be computed for `metrics`.
    pub fn strongest(metrics: usize) -> Self {
        if metrics <= bergmann::MAX_METRICS {
            Self::BergmannHommel
        } else {
            Self::Shaffer
        }
    }

    /// Adjusted p-values, capped at 1. They do not depend on the order of
    /// equal p-values. Fails only for Bergmann–Hommel with too many metrics.
    pub fn adjust(self, raw: &PairTable) -> Result<PairTable> {
        let pairs = raw.values().len();
        Ok(match self {
            Self::Unadjusted => raw.clone(),
            Self::Nemenyi => PairTable::from_fn(raw.metrics(), |i, j| {
                (raw.get(i, j) * pairs as f64).min(1.0)
            }),
            Self::Holm => step_down(raw, |place| pairs - place),
            Self::Shaffer => {
                let true_at_most = shaffer_multipliers(raw.metrics());
                step_down(raw, |place| true_at_most[place])
            }
            Self::BergmannHommel => bergmann::adjust(raw)?,
        })
    }
}

/// Two-sided normal p-value of each pair's z = |Ri - Rj| / sqrt(k(k+1) / (6N)) (Demšar 2006, p. 12);
/// scmamp's `friedmanPost`.
pub fn raw_p_values(ranks: &RankTable) -> PairTable {
    let k = ranks.means.len() as f64;
    let scale = (k * (k + 1.0) / (6.0 * ranks.blocks as f64)).sqrt();
    let means = &ranks.means;
    PairTable::from_fn(means.len(), |i, j| {
        tail::normal_two_sided((means[i] - means[j]).abs() / scale)
    })
}

/// For each place in the order of p-values, smallest first: how many of the pairwise hypotheses can
/// be true at most, once those before it are false (Shaffer's t_i; GH08, p. 2680).
fn shaffer_multipliers(metrics: usize) -> Vec<usize> {
    let pairs = pair_count(metrics);
    let possible = possible_true_counts(metrics);
    let most = |place: usize| {
        let mut counts = (0..=pairs - place).rev();
        let most = counts.find(|&count| possible[count]);
        most.expect("no true hypothesis is always possible")
    };
    (0..pairs).map(most).collect()
}

/// Multiplies the p-values, smallest first, and keeps the running maximum.
fn step_down(raw: &PairTable, multiplier: impl Fn(usize) -> usize) -> PairTable {
    let p = raw.values();
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = vec![0.0; p.len()];
    let mut highest = 0.0_f64;
    for (place, &pair) in order.iter().enumerate() {
        highest = highest.max(p[pair] * multiplier(place) as f64).min(1.0);
        adjusted[pair] = highest;
    }
    PairTable::new(raw.metrics(), adjusted)
}

/// Which numbers of pairwise hypotheses can be true together: a class of j equal metrics makes
/// j(j-1)/2 of them true, S(k) = ∪ {C(j,2) + s : s ∈ S(k-j)} (GH08, p. 2680).
fn possible_true_counts(metrics: usize) -> Vec<bool> {
    let size = pair_count(metrics) + 1;
    let mut possible: Vec<Vec<bool>> = Vec::with_capacity(metrics + 1);
    for k in 0..=metrics {
        let mut counts = vec![false; size];
        counts[0] = true;
        for class in 2..=k {
            let inside = pair_count(class);
            let rest: &Vec<bool> = &possible[k - class];
            for count in 0..size - inside {
                counts[count + inside] |= rest[count];
            }
        }
        possible.push(counts);
    }
    possible.pop().expect("one entry per number of metrics")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: classes of 5 make 0, 1, 2, 3, 4, 6 or 10 pairs equal.
    #[test]
    fn shaffer_multipliers_of_five_metrics() {
        assert_eq!(shaffer_multipliers(5), [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]);
        assert_eq!(shaffer_multipliers(2), [1]);
        assert!(shaffer_multipliers(1).is_empty());
    }

    #[test]
    fn names_are_unique() {
        for (place, method) in Adjustment::all().enumerate() {
            assert!(
                Adjustment::all()
                    .skip(place + 1)
                    .all(|other| other.name() != method.name())
            );
        }
    }

    #[test]
    fn equal_p_values_get_equal_adjusted_ones() {
        let raw = PairTable::new(3, vec![0.02, 0.02, 0.02]);
        for method in Adjustment::all() {
            let adjusted = method.adjust(&raw).unwrap();
            assert!(adjusted.values().windows(2).all(|p| p[0] == p[1]));
        }
    }
}
