//! s3 — how evenly the candidate cuts the elements of equal standing, weighted by failures.
//!
//! Over the elements that some test of `T` covers, grouped by equal (ef, ep): sum of ef * min(covered,
//! not covered by the candidate) / F; 0 if the candidate covers none or all of those elements
//! (Hao, Xie, Zhang, Wang, Sun, Mei 2010, Test input reduction for result inspection to facilitate
//! fault localization). Range 0..=n/2.

use super::{Aware, Census, Entry, Kind, Results, score_each};
use crate::coverage::TestId;
use crate::metric::flint::Standing;
use crate::suite::Suite;

pub(super) const ENTRY: Entry = Entry {
    name: "s3",
    summary: "how evenly the test cuts elements of equal standing",
    aware: true,
    parameters: &[],
    source: include_str!("s3.rs"),
    make: |_| Ok(Kind::Aware(Box::new(S3))),
};

struct S3;

impl Aware for S3 {
    fn score(&self, suite: &Suite<'_>, results: Results<'_>, candidates: &[TestId]) -> Vec<f64> {
        let coverage = suite.coverage();
        let mut covered = vec![false; coverage.column_count()];
        for &test in suite.tests() {
            coverage
                .row(test)
                .for_each(|column| covered[column as usize] = true);
        }
        let standing = Standing::new(coverage, results.tally, |column| covered[column]);
        let all: u64 = standing.sizes.iter().sum();
        score_each(
            candidates,
            || {
                (
                    Census::new(standing.sizes.len()),
                    vec![0; standing.sizes.len()],
                )
            },
            |(census, counts), test| {
                let mut touched = 0;
                let row = coverage.row(test);
                census.count(row, &standing.labels, coverage.weights(), |class, count| {
                    counts[class as usize] = count;
                    touched += count;
                });
                let mut sum = 0.0;
                for (class, count) in counts.iter_mut().enumerate() {
                    let count = std::mem::take(count);
                    let (ef, _) = standing.counts[class];
                    sum += ef * count.min(standing.sizes[class] - count) as f64;
                }
                if touched == 0 || touched == all || results.tally.failed() == 0.0 {
                    0.0
                } else {
                    sum / results.tally.failed()
                }
            },
        )
    }
}
