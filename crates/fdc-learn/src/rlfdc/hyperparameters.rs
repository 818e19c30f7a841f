//! Everything a training can be told, in one place; saved with the model.

use fdc_core::Formula;
use fdc_core::ranking::RankingOptions;
use serde::{Deserialize, Serialize};

use super::network::{AdamOptions, Shape};
use crate::learner::{OptionValues, TrainingOption};

/// The hyper-parameters of a training. The defaults are the paper's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hyperparameters {
    /// Which inputs the network has: full, or an ablation (split, cover, simple).
    pub network: String,
    /// Episodes per training version.
    pub episodes: u32,
    /// `K`: tests added in an episode, fewer where the pool is smaller.
    pub picks: u32,
    /// `N`: transitions kept; learning starts when more picks than that were made.
    pub ring: u32,
    /// `L`: picks between learning steps.
    pub learn_every: u32,
    /// `C`: learning steps between copies of the head to the target.
    pub copy_every: u32,
    /// Transitions in a learning step, drawn with replacement.
    pub batch: u32,
    /// gamma: what a later reward is worth.
    pub discount: f64,
    /// sigma: the share of picks made at random.
    pub exploration: f64,
    /// Which tests random picks are drawn from.
    #[serde(default)]
    pub explore: Exploring,
    /// Adam's.
    pub learning_rate: f64,
    /// Which network picks and values the best action of the next state.
    pub target: TargetRule,
    /// Which failing test of a version a training starts from.
    pub failing: FailingTest,
    /// What a pick is worth.
    pub reward: Reward,
    /// The suspiciousness formula behind the ranks.
    pub formula: String,
    /// Of the initial weights, the random picks and the batches.
    pub seed: u64,
    /// Further trainings with other seeds; the one that earns most on the training's bugs is kept.
    #[serde(default)]
    pub restarts: u32,
}

/// How the goal of a learning step values the next state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetRule {
    /// The target picks and values: what the paper's algorithm prints.
    Target,
    /// The online network picks, the target values (van Hasselt, Guez, Silver 2016, Deep
    /// reinforcement learning with double Q-learning).
    Double,
    /// The online network picks and values: the ablation regular-q.
    Regular,
}

/// The failing test that episodes start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailingTest {
    /// The first in file order.
    First,
    /// One drawn at random.
    Random,
    /// Each in turn, as a training version of its own.
    All,
}

/// What random picks are drawn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exploring {
    /// All candidates, as in the paper.
    #[default]
    All,
    /// Those that cover a suspicious line, while there are any. In large pools few do.
    Suspects,
}

/// What a pick is worth; `r`: the best rank of a faulty method after it, `r0`: at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reward {
    /// (r0 - r) / r0, the paper's.
    Relative,
    /// 1/r - 1/r0: what the first places gain counts most.
    Reciprocal,
}

impl Reward {
    /// Of a pick that led from the first rank to this one.
    pub(super) fn of(self, first_rank: f64, rank: f64) -> f64 {
        match self {
            Reward::Relative => (first_rank - rank) / first_rank,
            Reward::Reciprocal => 1.0 / rank - 1.0 / first_rank,
        }
    }
}

impl Default for Hyperparameters {
    fn default() -> Self {
        Hyperparameters {
            network: Shape::Full.id().to_owned(),
            episodes: 30,
            picks: 10,
            ring: 100,
            learn_every: 5,
            copy_every: 20,
            batch: 32,
            discount: 0.9,
            exploration: 0.1,
            explore: Exploring::All,
            learning_rate: 1e-3,
            target: TargetRule::Target,
            failing: FailingTest::First,
            reward: Reward::Relative,
            formula: "ochiai".to_owned(),
            seed: 0,
            restarts: 0,
        }
    }
}

/// What `fdc train` offers to set.
pub(super) static OPTIONS: &[TrainingOption] = {
    use OptionValues::{Formula, OneOf, Real, Text, Whole};
    &[
        option(
            "network",
            "full",
            "Inputs of the network: full, or for ablations split, cover, simple (no embedding)",
            Text,
        ),
        option("episodes", "30", "Episodes per version", Whole),
        option("picks", "10", "K: tests added in an episode", Whole),
        option("ring", "100", "N: transitions kept", Whole),
        option("learn_every", "5", "L: picks between learning steps", Whole),
        option(
            "copy_every",
            "20",
            "C: learning steps between copies to the target",
            Whole,
        ),
        option("batch", "32", "Transitions in a learning step", Whole),
        option("discount", "0.9", "What a later reward is worth", Real),
        option("exploration", "0.1", "Share of picks made at random", Real),
        option(
            "explore",
            "all",
            "Which tests random picks are drawn from",
            OneOf(&[
                ("all", "All candidates"),
                ("suspects", "Those that cover a suspicious line"),
            ]),
        ),
        option("learning_rate", "0.001", "Adam's learning rate", Real),
        option(
            "target",
            "target",
            "Which network picks and values the next state's best action",
            OneOf(&[
                ("target", "The target picks and values"),
                ("double", "The online network picks, the target values"),
                ("regular", "The online network does both"),
            ]),
        ),
        option(
            "failing",
            "first",
            "Which failing test episodes start from",
            OneOf(&[
                ("first", "The first in file order"),
                ("random", "One drawn at random"),
                ("all", "Each in turn"),
            ]),
        ),
        option(
            "reward",
            "relative",
            "What a pick is worth",
            OneOf(&[("relative", "(r0 - r) / r0"), ("reciprocal", "1/r - 1/r0")]),
        ),
        option(
            "formula",
            "ochiai",
            "Suspiciousness formula behind the ranks",
            Formula,
        ),
        option("seed", "0", "Seed of everything random", Whole),
        option(
            "restarts",
            "0",
            "Further trainings with other seeds; the one that earns most in training is kept",
            Whole,
        ),
    ]
};

const fn option(
    name: &'static str,
    default: &'static str,
    summary: &'static str,
    values: OptionValues,
) -> TrainingOption {
    TrainingOption {
        name,
        default,
        summary,
        values,
    }
}

/// The hyper-parameters must pass their check.
impl Hyperparameters {
    pub(super) fn shape(&self) -> Shape {
        Shape::from_id(&self.network).expect("checked")
    }

    pub(super) fn adam(&self) -> AdamOptions {
        AdamOptions {
            learning_rate: self.learning_rate,
            ..AdamOptions::default()
        }
    }

    /// How rewards rank: this formula, the largest line score, the worst place of a tie.
    pub(super) fn ranking(&self) -> RankingOptions {
        RankingOptions {
            formula: Formula::named(&self.formula).expect("checked"),
            ..RankingOptions::default()
        }
    }

    /// As JSON, for the model file.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("plain fields")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::Trainer as _;

    #[test]
    fn the_defaults_are_in_range_and_come_back_from_json() {
        let default = Hyperparameters::default();
        assert_eq!(default.check(), Ok(()));
        let back: Hyperparameters = serde_json::from_value(default.to_json()).unwrap();
        assert_eq!(back, default);
    }

    #[test]
    fn every_value_outside_its_range_is_refused_by_name() {
        type Change = fn(&mut Hyperparameters);
        let changes: [(&str, &str, Change); 17] = [
            ("episodes", "0", |h| h.episodes = 0),
            ("picks", "0", |h| h.picks = 0),
            ("ring", "0", |h| h.ring = 0),
            ("learn_every", "0", |h| h.learn_every = 0),
            ("copy_every", "0", |h| h.copy_every = 0),
            ("batch", "0", |h| h.batch = 0),
            ("discount", "-0.1", |h| h.discount = -0.1),
            ("discount", "1.1", |h| h.discount = 1.1),
            ("discount", "NaN", |h| h.discount = f64::NAN),
            ("exploration", "-0.1", |h| h.exploration = -0.1),
            ("exploration", "2", |h| h.exploration = 2.0),
            ("learning_rate", "0", |h| h.learning_rate = 0.0),
            ("learning_rate", "-1", |h| h.learning_rate = -1.0),
            ("learning_rate", "inf", |h| h.learning_rate = f64::INFINITY),
            ("learning_rate", "NaN", |h| h.learning_rate = f64::NAN),
            ("network", "huge", |h| h.network = "huge".into()),
            ("formula", "astrology", |h| h.formula = "astrology".into()),
        ];
        for (name, found, change) in changes {
            let mut changed = Hyperparameters::default();
            change(&mut changed);
            let refusal = changed.check().unwrap_err();
            assert_eq!((refusal.name, &*refusal.found), (name, found));
            let message = refusal.to_string();
            assert!(
                message.contains(name) && message.contains(found),
                "{message}"
            );
        }
    }

    #[test]
    fn the_ends_of_the_ranges_are_allowed() {
        let ends = Hyperparameters {
            discount: 0.0,
            exploration: 1.0,
            batch: 1,
            ring: 1,
            ..Hyperparameters::default()
        };
        assert_eq!(ends.check(), Ok(()));
    }
}
