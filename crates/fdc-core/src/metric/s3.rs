//! s3 — how evenly the candidate cuts the elements of equal standing, weighted by failures.
//!
//! Over the elements that some test of `T` covers, grouped by equal (ef, ep): sum of ef * min(covered,
//! not covered by the candidate) / F; 0 if the candidate covers none or all of those elements
//! (Hao, Xie, Zhang, Wang, Sun, Mei 2010, Test input reduction for result inspection to facilitate
//! fault localization). Range 0..=n/2.

use super::{Aware, Entry, Judged, Kind};
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
    fn score(&self, suite: &Suite<'_>, judged: Judged<'_>, candidates: &[TestId]) -> Vec<f64> {
        let coverage = suite.coverage();
        let mut covered = vec![false; coverage.column_count()];
        for &test in suite.tests() {
            let row = coverage.row(test);
            row.for_each(|column| covered[column as usize] = true);
        }
        let standing = Standing::new(coverage, judged.tally, |column| covered[column]);
        let all: u64 = standing.sizes.iter().sum();
        standing.score(coverage, candidates, |covered| {
            let touched: u64 = covered.iter().sum();
            if touched == 0 || touched == all || judged.tally.failed() == 0.0 {
                return 0.0;
            }
            let mut sum = 0.0;
            for (class, &count) in covered.iter().enumerate() {
                let (ef, _) = standing.counts[class];
                sum += ef * count.min(standing.sizes[class] - count) as f64;
            }
            sum / judged.tally.failed()
        })
    }
}
