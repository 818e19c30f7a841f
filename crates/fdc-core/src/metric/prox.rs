//! prox — mean Jaccard similarity of the candidate with every failing test in `T`.
//!
//! Proximity (Bandyopadhyay, Ghosh 2011, Proximity based weighting of test cases to improve
//! spectrum based fault localization). Range 0..=1.

use super::{Aware, Entry, Judged, Kind, score_each};
use crate::census::Labels;
use crate::coverage::TestId;
use crate::suite::{Suite, jaccard};

pub(super) const ENTRY: Entry = Entry {
    name: "prox",
    summary: "similarity to the failing tests known so far",
    aware: true,
    parameters: &[],
    source: include_str!("prox.rs"),
    make: |_| Ok(Kind::Aware(Box::new(Prox))),
};

struct Prox;

impl Aware for Prox {
    fn score(&self, suite: &Suite<'_>, judged: Judged<'_>, candidates: &[TestId]) -> Vec<f64> {
        let coverage = suite.coverage();
        let mut sums = vec![0.0; candidates.len()];
        for &failing in judged.failing {
            let mut labels = vec![Labels::NONE; coverage.column_count()];
            let row = coverage.row(failing);
            row.for_each(|column| labels[column as usize] = 0);
            let total = coverage.total(failing);
            let labels = Labels::new(coverage, labels);
            let similarities = score_each(
                candidates,
                || labels.census(),
                |census, test| {
                    let mut shared = 0;
                    labels.count(census, test, |_, count| shared = count);
                    jaccard(shared, coverage.total(test), total)
                },
            );
            for (sum, similarity) in sums.iter_mut().zip(similarities) {
                *sum += similarity;
            }
        }
        let failing = judged.failing.len().max(1) as f64;
        sums.into_iter().map(|sum| sum / failing).collect()
    }
}
