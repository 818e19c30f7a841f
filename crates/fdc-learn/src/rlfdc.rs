//! rlfdc — the value that a network trained by reinforcement on past bugs gives a candidate.
//!
//! The network sees the state, (tests added so far, ambiguity groups inside S), and the action,
//! (split, cover) of the candidate; `fdc explain split` and `cover` tell what those are. Its reward
//! in training was how far the faulty method rose in the ranking (the RLFDC paper). The built-in
//! model was trained on real bugs (`fdc list models`); `fdc train` makes others, `--model FILE`
//! uses them. Values have no unit; only their order counts.
//!
//! A training's episodes add K tests (`picks`, 10), so the network never saw more than K-1 tests
//! added: from there on it is told K-1, however many there are.

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use fdc_core::Suite;
use fdc_core::counts::{ByCounts, SuiteCounts, TestCounts};
use fdc_core::coverage::TestId;
use fdc_core::metric::{Agnostic, Entry, Kind};

use crate::environment::{ActionCache, action, state};
use crate::model_file::Model;
use crate::network::{Action, Network, Scorer, State};

/// The built-in model's file.
const BUILT_IN: &[u8] = include_bytes!("../../../models/rlfdc.safetensors");

/// The metric's entry, with the built-in model.
pub const ENTRY: Entry = Entry {
    name: "rlfdc",
    summary: "learned by reinforcement from past bugs",
    aware: false,
    parameters: &[],
    source: include_str!("rlfdc.rs"),
    make: |_| Ok(Kind::Agnostic(Box::new(Rlfdc::of(built_in())))),
};

/// The model in the program itself.
pub fn built_in() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| Model::from_bytes(BUILT_IN).expect("the built-in model is whole"))
}

/// A network as a metric.
#[derive(Clone, Debug)]
pub struct Rlfdc {
    network: Network,
    /// The largest number of added tests that the network met in its training.
    most_added: f32,
}

impl Rlfdc {
    /// With this network, trained in episodes of `picks` tests.
    pub fn new(network: Network, picks: u32) -> Self {
        Rlfdc {
            network,
            most_added: picks.saturating_sub(1) as f32,
        }
    }

    /// With a model's network.
    pub fn of(model: &Model) -> Self {
        Rlfdc::new(model.network.clone(), model.origin.picks())
    }

    /// The network's values in a state.
    fn at(&self, state: State) -> Scorer<'_> {
        self.network.at(State {
            added: state.added.min(self.most_added),
            ..state
        })
    }
}

impl Agnostic for Rlfdc {
    fn score(&self, suite: &Suite<'_>, candidates: &[TestId]) -> Vec<f64> {
        let mut cache = ActionCache::new(candidates.len());
        let mut actions = Vec::new();
        let number_of: Vec<usize> = candidates
            .iter()
            .map(|&test| {
                let action = action(suite, test);
                let number = cache.number(action, actions.len());
                if number == actions.len() {
                    actions.push(action);
                }
                number
            })
            .collect();
        let mut values = vec![0.0; actions.len()];
        self.at(state(suite)).values(&actions, &mut values);
        number_of
            .into_iter()
            .map(|number| f64::from(values[number]))
            .collect()
    }

    fn by_counts(&self) -> Option<&dyn ByCounts> {
        Some(self)
    }
}

impl ByCounts for Rlfdc {
    fn value(&self, suite: &SuiteCounts, test: &TestCounts) -> f64 {
        f64::from(
            self.at(counted_state(suite))
                .value(counted_action(suite, test)),
        )
    }

    fn values(&self, suite: &SuiteCounts, tests: &[TestCounts], values: &mut [f64]) {
        const BATCH: usize = 32;
        let scorer = self.at(counted_state(suite));
        for (tests, values) in tests.chunks(BATCH).zip(values.chunks_mut(BATCH)) {
            let (mut actions, mut scores) = ([Action::default(); BATCH], [0.0; BATCH]);
            for (action, test) in actions.iter_mut().zip(tests) {
                *action = counted_action(suite, test);
            }
            scorer.values(&actions[..tests.len()], &mut scores[..tests.len()]);
            for (value, score) in values.iter_mut().zip(scores) {
                *value = f64::from(score);
            }
        }
    }
}

fn counted_state(suite: &SuiteCounts) -> State {
    State {
        added: (suite.tests - 1) as f32,
        groups: suite.suspicious_groups as f32,
    }
}

fn counted_action(suite: &SuiteCounts, test: &TestCounts) -> Action {
    Action {
        split: suite.split(test) as f32,
        cover: suite.cover(test) as f32,
    }
}
