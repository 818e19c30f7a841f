//! The command line of `train`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fdc_core::formula::Formula;

use super::choice;

/// What `train` trains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Recipe {
    /// The paper's Q-network, by reinforcement
    Rlfdc,
    /// How likely a suspicious method is faulty, by likelihood (takes none of the hyper-parameters)
    Sharp,
}

/// Which network picks and values the next state's best action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TargetName {
    /// The target picks and values
    Target,
    /// The online network picks, the target values
    Double,
    /// The online network does both
    Regular,
}

/// Which failing test episodes start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailingName {
    /// The first in file order
    First,
    /// One drawn at random
    Random,
    /// Each in turn
    All,
}

/// What a pick is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RewardName {
    /// (r0 - r) / r0
    Relative,
    /// 1/r - 1/r0
    Reciprocal,
}

/// Options of `train`.
#[derive(Args, Debug)]
pub struct TrainArguments {
    /// Bugs with known faults: files, or folders of files
    #[arg(value_name = "DATA", required = true)]
    pub data: Vec<PathBuf>,
    /// The model file; with a protocol of several models, a folder for them
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// What to train: the network of rlfdc, or the distribution of sharp
    #[arg(long, default_value = "rlfdc")]
    pub recipe: Recipe,
    /// Which bugs each model learns from
    #[arg(long, default_value = "all")]
    pub protocol: ProtocolName,
    /// Go on where an interrupted training left off
    #[arg(long)]
    pub resume: bool,
    /// Write a line of JSON per episode
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Draw the learning curve (.svg)
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Inputs of the network: full, or for ablations split, cover, simple (no embedding)
    #[arg(long, default_value = "full", help_heading = "Hyper-parameters")]
    pub network: String,
    /// Episodes per version
    #[arg(long, default_value_t = 30, help_heading = "Hyper-parameters")]
    pub episodes: u32,
    /// K: tests added in an episode
    #[arg(long, default_value_t = 10, help_heading = "Hyper-parameters")]
    pub picks: u32,
    /// N: transitions kept
    #[arg(long, default_value_t = 100, help_heading = "Hyper-parameters")]
    pub ring: u32,
    /// L: picks between learning steps
    #[arg(long, default_value_t = 5, help_heading = "Hyper-parameters")]
    pub learn_every: u32,
    /// C: learning steps between copies to the target
    #[arg(long, default_value_t = 20, help_heading = "Hyper-parameters")]
    pub copy_every: u32,
    /// Transitions in a learning step
    #[arg(long, default_value_t = 32, help_heading = "Hyper-parameters")]
    pub batch: u32,
    /// What a later reward is worth
    #[arg(long, default_value_t = 0.9, help_heading = "Hyper-parameters")]
    pub discount: f64,
    /// Share of picks made at random
    #[arg(long, default_value_t = 0.1, help_heading = "Hyper-parameters")]
    pub exploration: f64,
    /// Adam's learning rate
    #[arg(long, default_value_t = 1e-3, help_heading = "Hyper-parameters")]
    pub learning_rate: f64,
    /// Which network picks and values the next state's best action
    #[arg(long, default_value = "target", help_heading = "Hyper-parameters")]
    pub target: TargetName,
    /// Which failing test episodes start from
    #[arg(long, default_value = "first", help_heading = "Hyper-parameters")]
    pub failing: FailingName,
    /// What a pick is worth
    #[arg(long, default_value = "relative", help_heading = "Hyper-parameters")]
    pub reward: RewardName,
    /// Suspiciousness formula behind the ranks
    #[arg(long, default_value = "ochiai", value_parser = choice::formula(), hide_possible_values = true, help_heading = "Hyper-parameters")]
    pub formula: &'static Formula,
    /// Seed of everything random
    #[arg(long, default_value_t = 0, help_heading = "Hyper-parameters")]
    pub seed: u64,
}

/// How `train` divides the bugs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProtocolName {
    /// One model from all bugs
    All,
    /// Five models per project, each from four fifths of its versions
    CrossVersion,
    /// One model per project, from that project
    CrossProject,
    /// One model per project, from all other projects
    LeaveOneOut,
}
