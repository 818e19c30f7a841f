//! random — a number drawn for each candidate, by seed.
//!
//! The baseline that every metric should beat. The same seed gives the same order; a candidate's
//! number depends on the seed, the failing test and itself alone. Range 0..1.

use super::{Agnostic, Entry, Kind, Parameter};
use crate::coverage::{TestId, mix};
use crate::suite::Suite;

pub(super) const ENTRY: Entry = Entry {
    name: "random",
    summary: "a number drawn by seed: the baseline",
    aware: false,
    parameters: &[Parameter {
        name: "seed",
        default: "0",
        summary: "a whole number",
    }],
    source: include_str!("random.rs"),
    make: |parameters| {
        let seed = parameters.text("seed").parse();
        let seed = seed.map_err(|_| parameters.bad("seed", "a whole number"))?;
        Ok(Kind::Agnostic(Box::new(Random { seed })))
    },
};

struct Random {
    seed: u64,
}

impl Agnostic for Random {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        let run = mix(self.seed ^ mix(u64::from(suite.failing().0)));
        let draw = |test: &TestId| (mix(run ^ u64::from(test.0)) >> 11) as f64;
        let value = |test| draw(test) / (1u64 << 53) as f64;
        candidates.iter().map(value).collect()
    }
}
