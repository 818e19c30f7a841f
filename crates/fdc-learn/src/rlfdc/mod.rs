//! rlfdc — the value that a network trained by reinforcement on past bugs gives a candidate.
//!
//! The network sees the state, (tests added so far, ambiguity groups inside S), and the action,
//! (split, cover) of the candidate; `fdc explain split` and `cover` describe those. Its reward
//! in training was how far the faulty method rose in the ranking (the RLFDC paper). The built-in
//! model was trained on real bugs (`fdc list models`); `fdc train` makes others, `--model FILE`
//! uses them. Values have no unit; only their order counts.
//!
//! A training's episodes add K tests (`picks`, 10), so the network never saw more than K-1 tests
//! added: from there on it sees K-1, however many there are.

mod appraisal;
mod checkpoint;
pub mod environment;
pub mod hyperparameters;
mod landscape;
pub mod model;
pub mod network;
pub mod onnx;
mod plan;
mod random;
mod replay;
#[cfg(test)]
mod tests;
pub mod train;

use std::sync::OnceLock;

use fdc_core::Suite;
use fdc_core::counts::{ByCounts, SuiteCounts, TestCounts};
use fdc_core::coverage::TestId;
use fdc_core::metric::{Agnostic, Entry, Kind};

use crate::learner::{self, LearnedModel, Learner, Trainer, TrainingOption};
use crate::model_file::Result;

use environment::{ActionCache, action, state};
use network::{Action, Network, Scorer, State};

pub use hyperparameters::Hyperparameters;
pub use model::RlfdcModel;

/// The line in the table of learned metrics.
pub const LEARNER: RlfdcLearner = RlfdcLearner;

const BUILT_IN: &[u8] = include_bytes!("../../../../models/rlfdc.safetensors");

/// The metric's entry, with the built-in model.
pub const ENTRY: Entry = Entry {
    name: "rlfdc",
    summary: "learned by reinforcement from past bugs",
    aware: false,
    parameters: &[],
    source: include_str!("mod.rs"),
    make: |_| Ok(Kind::Agnostic(built_in().metric())),
};

/// The model in the program itself.
pub fn built_in() -> &'static RlfdcModel {
    static MODEL: OnceLock<RlfdcModel> = OnceLock::new();
    MODEL.get_or_init(|| RlfdcModel::from_bytes(BUILT_IN).expect("the built-in model is whole"))
}

/// How rlfdc is learned.
pub struct RlfdcLearner;

impl Learner for RlfdcLearner {
    fn entry(&self) -> &'static Entry {
        &ENTRY
    }

    fn built_in(&self) -> &'static dyn LearnedModel {
        built_in()
    }

    fn read(&self, bytes: &[u8]) -> Result<Box<dyn LearnedModel>> {
        Ok(Box::new(RlfdcModel::from_bytes(bytes)?))
    }

    fn options(&self) -> &'static [TrainingOption] {
        hyperparameters::OPTIONS
    }

    fn has_episodes(&self) -> bool {
        true
    }

    fn trainer(&self, options: &[(String, String)]) -> Result<Box<dyn Trainer>, String> {
        Ok(Box::new(learner::with_options::<Hyperparameters>(options)?))
    }
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
        let number = |&test: &TestId| {
            let action = action(suite, test);
            let number = cache.number(action, actions.len());
            if number == actions.len() {
                actions.push(action);
            }
            number
        };
        let numbers: Vec<usize> = candidates.iter().map(number).collect();
        let mut values = vec![0.0; actions.len()];
        self.at(state(suite)).values(&actions, &mut values);
        let values = numbers.into_iter().map(|number| values[number]);
        values.map(f64::from).collect()
    }

    fn by_counts(&self) -> Option<&dyn ByCounts> {
        Some(self)
    }
}

impl ByCounts for Rlfdc {
    fn value(&self, suite: &SuiteCounts, test: &TestCounts) -> f64 {
        let scorer = self.at(counted_state(suite));
        f64::from(scorer.value(counted_action(suite, test)))
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
