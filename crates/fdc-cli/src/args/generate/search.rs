//! What every search for tests can be told.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::args::choice::seconds;

/// How to search.
#[derive(Args, Debug)]
pub struct SearchArguments {
    /// What tests are searched by: line (the tool's own line coverage), or a metric that does not see
    /// outcomes, such as rlfdc, entbug, ddu, tfd (`fdc list metrics`)
    #[arg(long, value_name = "METRIC", default_value = "rlfdc")]
    pub criterion: String,
    /// Model file for a learned metric [default: the built-in one]
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// What a candidate is [default: test; with --criterion line, suite]
    #[arg(long)]
    pub level: Option<LevelName>,
    /// Seconds to search, over all classes or modules
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    pub budget: Duration,
    /// Generations to search instead: such a run can be repeated
    #[arg(long, value_name = "N", conflicts_with = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    pub generations: Option<u64>,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// Names of levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LevelName {
    /// One test; the best is kept, and the next is searched beside it
    Test,
    /// A whole suite
    Suite,
}
