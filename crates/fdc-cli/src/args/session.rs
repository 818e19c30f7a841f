//! What a labelling session is opened with, the same in the terminal, on the page and in a report.

use std::path::PathBuf;

use clap::Args;
use fdc_core::Start;

use super::choice;
use super::scoring::ScoringArguments;
use super::select::ChoiceArguments;

/// The case and how it is asked and ranked.
#[derive(Args, Debug)]
pub struct SessionArguments {
    /// The case file; every answer is stored in it at once
    #[arg(value_name = "CASE")]
    pub case: PathBuf,
    /// What is asked for.
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// What is known at the start
    #[arg(long, default_value = "known", value_parser = choice::choice::<Start>())]
    pub start: Start,
    /// How far answers are believed, 0.5 to 1: each adds this much to the count of its outcome, and
    /// the rest to the other
    #[arg(long, value_name = "P", default_value = "1", value_parser = trust)]
    pub trust: f64,
    /// Who gives the answers [default: the user who is logged in]
    #[arg(long, value_name = "NAME")]
    pub who: Option<String>,
    /// Root folder of the project that was measured, for its sources (default: where the case was
    /// collected, else the current folder)
    #[arg(long, value_name = "FOLDER")]
    pub source: Option<PathBuf>,
    /// How many suspects to show
    #[arg(long, value_name = "N", default_value = "20")]
    pub suspects: usize,
    /// How places are computed.
    #[command(flatten)]
    pub scoring: ScoringArguments,
}

fn trust(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(trust) if (0.5..=1.0).contains(&trust) => Ok(trust),
        _ => Err("expected a number from 0.5 to 1".to_owned()),
    }
}
