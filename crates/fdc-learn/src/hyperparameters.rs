//! Everything a training can be told, in one place; saved with the model.

use fdc_core::Formula;
use fdc_core::ranking::RankingOptions;
use serde::{Deserialize, Serialize};

use crate::network::{AdamOptions, Shape};

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

/// What a pick is worth; `r` is the best rank among the faulty methods after it, `r0` that with
/// the failing test alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reward {
    /// (r0 - r) / r0, the paper's.
    Relative,
    /// 1/r - 1/r0: what the first places gain counts most.
    Reciprocal,
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
            learning_rate: 1e-3,
            target: TargetRule::Target,
            failing: FailingTest::First,
            reward: Reward::Relative,
            formula: "ochiai".to_owned(),
            seed: 0,
        }
    }
}

/// A hyper-parameter outside its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("hyper-parameter {name}: expected {expected}, found {found}")]
pub struct BadHyperparameter {
    /// Which.
    pub name: &'static str,
    /// Its range.
    pub expected: &'static str,
    /// What was given.
    pub found: String,
}

impl Hyperparameters {
    /// Checks every range.
    pub fn check(&self) -> Result<(), BadHyperparameter> {
        let whole = [
            ("episodes", self.episodes),
            ("picks", self.picks),
            ("ring", self.ring),
            ("learn_every", self.learn_every),
            ("copy_every", self.copy_every),
            ("batch", self.batch),
        ];
        for (name, value) in whole {
            ensure(value > 0, name, "a whole number from 1", value)?;
        }
        for (name, value) in [
            ("discount", self.discount),
            ("exploration", self.exploration),
        ] {
            ensure(
                (0.0..=1.0).contains(&value),
                name,
                "a number from 0 to 1",
                value,
            )?;
        }
        let rate = self.learning_rate;
        ensure(
            rate > 0.0 && rate.is_finite(),
            "learning_rate",
            "a number above 0",
            rate,
        )?;
        let known = Shape::from_id(&self.network).is_some();
        ensure(
            known,
            "network",
            "full, split, cover or simple",
            &self.network,
        )?;
        let known = Formula::named(&self.formula).is_ok();
        ensure(
            known,
            "formula",
            "a name of `fdc list formulas`",
            &self.formula,
        )
    }

    /// The network's inputs.
    ///
    /// # Panics
    /// If [`Self::check`] would fail.
    pub fn shape(&self) -> Shape {
        Shape::from_id(&self.network).expect("checked")
    }

    /// Adam with this learning rate.
    pub fn adam(&self) -> AdamOptions {
        AdamOptions {
            learning_rate: self.learning_rate,
            ..AdamOptions::default()
        }
    }

    /// How rewards rank: this formula, the largest line score, the worst place of a tie.
    ///
    /// # Panics
    /// If [`Self::check`] would fail.
    pub fn ranking(&self) -> RankingOptions {
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

fn ensure(
    holds: bool,
    name: &'static str,
    expected: &'static str,
    found: impl std::fmt::Display,
) -> Result<(), BadHyperparameter> {
    if holds {
        return Ok(());
    }
    let found = found.to_string();
    Err(BadHyperparameter {
        name,
        expected,
        found,
    })
}
