//! flint — minus the entropy, in bits, of the tarantula distribution looked ahead.
//!
//! The scores are normalised to sum 1, once as if the candidate passes and once as if it fails; the
//! two distributions are averaged, weighted by the share of failing tests in `T` (Yoo, Harman,
//! Clark 2013, Fault localization prioritization: comparing information-theoretic and
//! coverage-based approaches). Range -log2(n)..=0.

use super::{Aware, Entry, Judged, Kind, score_each};
use crate::census::Labels;
use crate::coverage::{Coverage, TestId};
use crate::formula::{Formula, ratio};
use crate::suite::Suite;
use crate::tally::{Counts, Tally};

pub(super) const ENTRY: Entry = Entry {
    name: "flint",
    summary: "minus the expected entropy of the diagnosis",
    aware: true,
    parameters: &[],
    source: include_str!("flint.rs"),
    make: |_| Ok(Kind::Aware(Box::new(Flint))),
};

struct Flint;

impl Aware for Flint {
    fn score(&self, suite: &Suite<'_>, judged: Judged<'_>, candidates: &[TestId]) -> Vec<f64> {
        let (coverage, tally) = (suite.coverage(), judged.tally);
        let standing = Standing::new(coverage, tally, |_| true);
        let all = tally.failed() + tally.passed();
        let share_failing = ratio(tally.failed(), all);
        let if_passes = LookAhead::new(&standing, tally, 0.0, 1.0);
        let if_fails = LookAhead::new(&standing, tally, 1.0, 0.0);
        standing.score(coverage, candidates, |covered| {
            let pass_total = if_passes.total(&standing, covered);
            let fail_total = if_fails.total(&standing, covered);
            let mut entropy = 0.0;
            for (class, &covered) in covered.iter().enumerate() {
                let sides = [(1, covered), (0, standing.sizes[class] - covered)];
                for (side, elements) in sides {
                    let fails = ratio(if_fails.scores[class][side], fail_total);
                    let passes = ratio(if_passes.scores[class][side], pass_total);
                    let share = share_failing * fails + (1.0 - share_failing) * passes;
                    if share > 0.0 {
                        entropy -= elements as f64 * share * share.log2();
                    }
                }
            }
            -entropy
        })
    }
}

/// Tarantula scores per class of equal counts, covered or not, were the test to end one way.
struct LookAhead {
    scores: Vec<[f64; 2]>,
}

impl LookAhead {
    fn new(standing: &Standing, tally: &Tally, fails: f64, passes: f64) -> Self {
        let tarantula = Formula::named("tarantula").expect("in the table");
        let (failed, passed) = (tally.failed() + fails, tally.passed() + passes);
        let score = |ef: f64, ep: f64| {
            tarantula.value(Counts {
                ef,
                ep,
                nf: (failed - ef).max(0.0),
                np: (passed - ep).max(0.0),
            })
        };
        let both = |&(ef, ep): &(f64, f64)| [score(ef, ep), score(ef + fails, ep + passes)];
        LookAhead {
            scores: standing.counts.iter().map(both).collect(),
        }
    }

    fn total(&self, standing: &Standing, covered: &[u64]) -> f64 {
        let classes = self.scores.iter().zip(covered).zip(&standing.sizes);
        let total = |(([out, inside], &covered), &size): ((&[f64; 2], &u64), &u64)| {
            inside * covered as f64 + out * (size - covered) as f64
        };
        classes.map(total).sum()
    }
}

/// Columns classed by equal (ef, ep), classes in ascending order of the counts.
pub(super) struct Standing {
    pub labels: Vec<u32>,
    pub counts: Vec<(f64, f64)>,
    /// Elements per class.
    pub sizes: Vec<u64>,
}

impl Standing {
    pub(super) fn new(coverage: &Coverage, tally: &Tally, keep: impl Fn(usize) -> bool) -> Self {
        let taking = || (0..coverage.column_count()).filter(|&column| keep(column));
        let mut counts: Vec<(f64, f64)> = taking().map(|column| tally.covered(column)).collect();
        let order = |a: &(f64, f64), b: &(f64, f64)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
        counts.sort_by(order);
        counts.dedup();
        let mut labels = vec![Labels::NONE; coverage.column_count()];
        let mut sizes = vec![0; counts.len()];
        for column in taking() {
            let own = tally.covered(column);
            let class = counts.partition_point(|known| order(known, &own).is_lt());
            labels[column] = class as u32;
            sizes[class] += u64::from(coverage.weights()[column]);
        }
        Standing {
            labels,
            counts,
            sizes,
        }
    }

    /// Values of candidates, made of how many elements of each class a candidate covers.
    pub(super) fn score(
        &self,
        coverage: &Coverage,
        candidates: &[TestId],
        value: impl Fn(&[u64]) -> f64 + Sync + Send,
    ) -> Vec<f64> {
        let labels = Labels::new(coverage, &self.labels);
        let scratch = || (labels.census(), vec![0; self.sizes.len()]);
        score_each(candidates, scratch, |(census, covered), test| {
            covered.fill(0);
            labels.count(census, test, |class, count| covered[class as usize] = count);
            value(covered)
        })
    }
}
