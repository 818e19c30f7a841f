//! How places are computed, the same for every command that ranks.

use clap::Args;
use fdc::rank::{ScoreSource, Scoring};
use fdc_core::formula::Formula;
use fdc_core::ranking::RankingOptions;
use fdc_core::{Aggregate, TiePolicy};
use fdc_learn::sharp::Faults;

use super::choice;
use crate::exit::Failure;

/// How places are computed.
#[derive(Args, Debug)]
pub(crate) struct ScoringArguments {
    /// sharp, which is learned from past bugs, or a formula (`fdc list formulas`)
    #[arg(long, default_value = "sharp", value_parser = choice::score_source(), hide_possible_values = true)]
    pub formula: ScoreSource,
    /// Place of equal scores: max is the worst place of the tie
    #[arg(long, default_value = "max", value_parser = choice::choice::<TiePolicy>())]
    pub tie: TiePolicy,
    /// How a formula's line scores are combined into those of methods and files (default: max)
    #[arg(long, value_parser = choice::choice::<Aggregate>())]
    pub aggregate: Option<Aggregate>,
    /// How many faults the failing tests show; if several, suspects come in groups
    #[arg(long, default_value = "auto", value_parser = choice::choice::<Faults>())]
    pub faults: Faults,
}

impl ScoringArguments {
    /// As the verbs take them.
    pub(crate) fn scoring(&self) -> Result<Scoring, Failure> {
        Scoring::new(self.formula, self.aggregate, self.tie, self.faults)
    }
}

/// How places are computed where metrics are compared: by a formula, as in the paper.
#[derive(Args, Debug)]
pub(crate) struct FormulaArguments {
    /// Suspiciousness formula (`fdc list formulas`)
    #[arg(long, default_value = "ochiai", value_parser = choice::formula(), hide_possible_values = true)]
    pub formula: &'static Formula,
    /// Place of equal scores: max is the worst place of the tie
    #[arg(long, default_value = "max", value_parser = choice::choice::<TiePolicy>())]
    pub tie: TiePolicy,
    /// How line scores are combined into those of methods and files
    #[arg(long, default_value = "max", value_parser = choice::choice::<Aggregate>())]
    pub aggregate: Aggregate,
}

impl FormulaArguments {
    pub(crate) fn options(&self) -> RankingOptions {
        RankingOptions {
            formula: self.formula,
            aggregate: self.aggregate,
            tie: self.tie,
        }
    }
}
