//! How places are computed, the same for every command that ranks.

use clap::Args;
use fdc_core::formula::Formula;
use fdc_core::ranking::RankingOptions;
use fdc_core::{Aggregate, TiePolicy};

use super::choice;

/// How places are computed.
#[derive(Args, Debug)]
pub(crate) struct ScoringArguments {
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

impl ScoringArguments {
    pub(crate) fn options(&self) -> RankingOptions {
        RankingOptions {
            formula: self.formula,
            aggregate: self.aggregate,
            tie: self.tie,
        }
    }
}
