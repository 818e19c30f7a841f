//! The command line of `select`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fdc_core::Start;

use super::choice;
use super::input::InputArguments;
use super::scoring::ScoringArguments;

/// How many tests to choose; without a number, every candidate: that prioritises a whole suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(pub Option<usize>);

/// How `select` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SelectFormat {
    /// For people
    Table,
    /// For programs (schemas/select.schema.json)
    Json,
}

/// Options of `select`.
#[derive(Args, Debug)]
pub struct SelectArguments {
    /// The input.
    #[command(flatten)]
    pub input: InputArguments,
    /// What is chosen by, and from what.
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// How many tests to choose: a number, or all
    #[arg(long, short = 'n', value_name = "N", default_value = "10", value_parser = count)]
    pub number: Count,
    /// For evaluation: add each chosen test's true outcome and show the ranking after it
    #[arg(long, conflicts_with = "start")]
    pub reveal: bool,
    /// What is known at the start
    #[arg(long, default_value = "labelled", value_parser = choice::choice::<Start>())]
    pub start: Start,
    /// Stop early once three tests in a row change nothing: the first five places with --reveal,
    /// the groups of suspects without it
    #[arg(long)]
    pub until_stable: bool,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_seconds: Option<u32>,
    /// How places are computed.
    #[command(flatten)]
    pub scoring: ScoringArguments,
    /// How to print
    #[arg(long, default_value = "table")]
    pub format: SelectFormat,
    /// Write to this file instead of the terminal
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// How the next test is chosen.
#[derive(Args, Debug)]
pub struct ChoiceArguments {
    /// The failing test to start from (default: the only one that fails)
    #[arg(long, value_name = "TEST")]
    pub failing: Option<String>,
    /// The metric to choose by, with parameters as in weight:alpha=0.3 (`fdc list metrics`)
    /// [default: that of --model, else sharp]
    #[arg(long, value_parser = choice::metric(), hide_possible_values = true)]
    pub metric: Option<String>,
    /// The model of a learned metric (default: the built-in one)
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Choose only from tests of this origin, such as evosuite (repeatable)
    #[arg(long, value_name = "ORIGIN")]
    pub origin: Vec<String>,
}

fn count(text: &str) -> Result<Count, String> {
    if text == "all" {
        return Ok(Count(None));
    }
    let number = text.parse();
    let number = number.map_err(|_| "expected a number or `all`".to_owned())?;
    Ok(Count(Some(number)))
}
