//! Why a test is worth asking for: what it covers of the suspects and how it cuts them.

use std::collections::BTreeMap;

use fdc_core::coverage::TestId;
use fdc_core::{Metric, Suite};
use fdc_draw::text::counted;
use fdc_learn::sharp::Prospect;
use serde::Serialize;

use crate::rank::percent;

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
    /// The probability that it fails, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fails: Option<f64>,
}

impl Reason {
    /// Of a test beside the suite, chosen by the metric or, where that is known, for what its
    /// outcome is expected to tell.
    pub fn new(
        metric: &Metric,
        suite: &Suite<'_>,
        test: TestId,
        prospect: Option<Prospect>,
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
        Reason {
            covers: covered.values().sum(),
            suspicious: coverage.total(suite.failing()),
            splits: cuts.clone().count(),
            groups: suite.suspicious_groups(),
            largest_split: cuts.max_by_key(|parts| parts[0] + parts[1]),
            metric_says: match prospect {
                Some(prospect) => Some(telling(prospect)),
                None => metric.explain(suite, test),
            },
            fails: prospect.map(|prospect| prospect.fails),
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        let suspicious = counted(self.suspicious, "suspicious line");
        let words = format!("covers {} of {suspicious}", self.covers);
        let Some([inside, outside]) = self.largest_split else {
            return words + ", splits no group of suspects";
        };
        let (whole, groups) = (inside + outside, counted(self.groups as u64, "group"));
        let splits = format!(", splits {} of {groups}", self.splits);
        words + &splits + &format!(" (largest: {whole} into {inside} and {outside})")
    }
}

fn telling(Prospect { fails, bits }: Prospect) -> String {
    let fail = percent(fails);
    format!(
        "its outcome is expected to tell {bits:.3} bits of where the fault is; it fails with {fail}"
    )
}
