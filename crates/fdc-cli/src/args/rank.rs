//! The command line of `rank`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fdc::rank::ScoreSource;
use fdc_core::{Aggregate, Level, TiePolicy};

use super::choice;
use super::input::InputArguments;

/// How `rank` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RankFormat {
    /// For people
    Table,
    /// For programs (schemas/rank.schema.json)
    Json,
    /// `rank,score,name`
    Csv,
    /// `name;suspiciousness_value`, as GZoltar writes rankings
    Gzoltar,
    /// SARIF 2.1.0, for code scanning; places up to 5 are warnings, later ones notes
    Sarif,
    /// One offline page with the source of the first suspects
    Html,
}

/// Options of `rank`.
#[derive(Args, Debug)]
pub struct RankArguments {
    /// The input.
    #[command(flatten)]
    pub input: InputArguments,
    /// Use only this failing test and all passing ones (repeatable; default: all failing tests)
    #[arg(long, value_name = "TEST")]
    pub failing: Vec<String>,
    /// sharp, which is learned from past bugs, or a formula (`fdc list formulas`)
    #[arg(long, default_value = "sharp", value_parser = choice::score_source(), hide_possible_values = true)]
    pub formula: ScoreSource,
    /// Place of equal scores: max is the worst place of the tie
    #[arg(long, default_value = "max", value_parser = choice::choice::<TiePolicy>())]
    pub tie: TiePolicy,
    /// How a formula's line scores are combined into those of methods and files (default: max)
    #[arg(long, value_parser = choice::choice::<Aggregate>())]
    pub aggregate: Option<Aggregate>,
    /// What to rank
    #[arg(long, default_value = "method", value_parser = choice::choice::<Level>())]
    pub level: Level,
    /// How to print
    #[arg(long, default_value = "table")]
    pub format: RankFormat,
    /// How many places to print (default: 10 for table and sarif, 100 for html, all otherwise)
    #[arg(long, short = 'n', value_name = "N")]
    pub top: Option<usize>,
    /// Source lines to show of each suspect (default: 12 for table, 60 for html)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub lines: Option<u32>,
    /// Show no source
    #[arg(long, conflicts_with = "lines")]
    pub no_source: bool,
    /// Count flaky tests as well (default: only those named by --failing)
    #[arg(long)]
    pub include_flaky: bool,
    /// Write to this file instead of the terminal
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Exit with code 1 if there is a suspect
    #[arg(long)]
    pub exit_code: bool,
}
