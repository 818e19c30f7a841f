//! Why a test is worth asking for: what it covers of the suspects and how it cuts them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fdc_core::coverage::TestId;
use fdc_core::printable::counted;
use fdc_core::ranking::Ranker;
use fdc_core::{Coverage, Metric, Outcome, Suite, Tally, Verdict};
use serde::Serialize;

/// What a test does among the suspicious elements, before it joins.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// Suspicious elements it covers.
    pub covers: u64,
    /// Suspicious elements.
    pub suspicious: u64,
    /// Groups of suspects it cuts.
    pub splits: usize,
    /// Groups of suspects.
    pub groups: usize,
    /// Sizes of the two parts of the largest group it cuts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_split: Option<[u64; 2]>,
    /// What the metric itself says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric_says: Option<String>,
    /// Methods that share the highest score.
    pub tied_before: usize,
    /// The same if it passes.
    pub tied_if_it_passes: usize,
    /// The same if it fails.
    pub tied_if_it_fails: usize,
}

impl Reason {
    /// Of a test beside the suite, with the counts so far.
    pub fn new(
        metric: &Metric,
        ranker: &Ranker,
        suite: &Suite<'_>,
        tally: &Tally,
        test: TestId,
    ) -> Self {
        let coverage = suite.coverage();
        let mut covered: BTreeMap<u32, u64> = BTreeMap::new();
        coverage.row(test).for_each(|column| {
            let group = suite.groups().labels()[column as usize];
            if suite.is_suspicious(group) {
                *covered.entry(group).or_default() +=
                    u64::from(coverage.weights()[column as usize]);
            }
        });
        let cuts = covered.iter().filter_map(|(&group, &inside)| {
            let outside = suite.groups().size(group) - inside;
            (outside > 0).then_some([inside, outside])
        });
        let tied_if = |outcome| {
            let mut tally = tally.clone();
            tally.add(coverage, test, Verdict::certain(outcome));
            tied_at_top(ranker, &tally, coverage)
        };
        Reason {
            covers: covered.values().sum(),
            suspicious: coverage.total(suite.failing()),
            splits: cuts.clone().count(),
            groups: suite.suspicious_groups(),
            largest_split: cuts.max_by_key(|parts| parts[0] + parts[1]),
            metric_says: metric.explain(suite, test),
            tied_before: tied_at_top(ranker, tally, coverage),
            tied_if_it_passes: tied_if(Outcome::Pass),
            tied_if_it_fails: tied_if(Outcome::Fail),
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        let suspicious = counted(self.suspicious, "suspicious line");
        let mut words = format!("covers {} of {suspicious}", self.covers);
        match self.largest_split {
            Some([inside, outside]) => {
                let _ = write!(
                    words,
                    ", splits {} of {} (largest: {} into {inside} and {outside})",
                    self.splits,
                    counted(self.groups as u64, "group"),
                    inside + outside,
                );
            }
            None => words.push_str(", splits no group of suspects"),
        }
        words
    }
}

fn tied_at_top(ranker: &Ranker, tally: &Tally, coverage: &Coverage) -> usize {
    let scores = ranker.scores(tally, coverage);
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter().filter(|&&score| score == top).count()
}
