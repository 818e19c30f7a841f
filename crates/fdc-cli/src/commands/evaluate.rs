//! `fdc evaluate`: metrics on many bugs, resumable.

use std::path::PathBuf;

use clap::Args;
use fdc::evaluate::{EvaluateRequest, EvaluationEnd, evaluate};
use fdc_core::{Shard, TieBreak};
use fdc_learn::protocol::Protocol;

use crate::args::choice;
use crate::args::scoring::FormulaArguments;
use crate::commands::train::report_broken;
use crate::exit::{Exit, Result};
use crate::output::note;
use crate::progress::Bar;

#[derive(Args, Debug)]
pub(crate) struct EvaluateArguments {
    /// Bugs with known faults: files, or folders of files
    #[arg(value_name = "DATA", required = true)]
    pub data: Vec<PathBuf>,
    /// Metrics to run, with commas between: total,fdg:alpha=0.3,rlfdc:network=simple; no-answers and
    /// no-answers:ranking=sharp rank without choosing tests
    #[arg(long, required = true)]
    pub metrics: String,
    /// Which bugs learned metrics are trained on (none: the built-in model)
    #[arg(long, default_value = "none", value_parser = choice::choice_but(Protocol::All))]
    pub protocol: Protocol,
    /// Tests to add in a run
    #[arg(long, default_value_t = 10)]
    pub tests: usize,
    /// Trainings of each learned metric, with seeds 0, 1, ...; with --ties random also orders of the
    /// tests, for every metric
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: u64,
    /// Which of equally good tests to add
    #[arg(long, default_value = "file", value_parser = choice::choice::<TieBreak>())]
    pub ties: TieBreak,
    /// Failing tests of a bug to start from, the first in file order (default: all)
    #[arg(long, value_name = "N")]
    pub max_failing: Option<usize>,
    /// How places are computed.
    #[command(flatten)]
    pub scoring: FormulaArguments,
    /// Evaluate part K of N alone, on this machine; `fdc merge` makes one of all parts
    #[arg(long, value_name = "K/N", default_value_t = Shard::WHOLE, hide_default_value = true)]
    pub shard: Shard,
    /// Folder for the results; an interrupted run resumes there
    #[arg(long, short, value_name = "FOLDER")]
    pub out: PathBuf,
}

pub(crate) fn run(arguments: &EvaluateArguments, quiet: bool) -> Result<Exit> {
    let request = EvaluateRequest {
        data: &arguments.data,
        metrics: &arguments.metrics,
        protocol: arguments.protocol,
        tests: arguments.tests,
        seeds: arguments.seeds,
        ties: arguments.ties,
        max_failing: arguments.max_failing,
        ranking: arguments.scoring.options(),
        shard: arguments.shard,
        out: &arguments.out,
    };
    let reply = evaluate(&request, &Bar::new(quiet)?)?;
    let out = arguments.out.display();
    match reply.end {
        EvaluationEnd::Done if !arguments.shard.is_whole() => {
            note(
                quiet,
                &format!(
                    "{out}: part {} is done; put all parts together with `fdc merge`",
                    arguments.shard
                ),
            );
        }
        EvaluationEnd::Done => note(quiet, &format!("{out}: done; see `fdc compare {out}`")),
        EvaluationEnd::DoneBefore => note(quiet, &format!("{out}: complete already")),
        EvaluationEnd::Interrupted => {
            note(quiet, "interrupted: run the same command again to resume");
            return Ok(Exit::Interrupted);
        }
    }
    Ok(report_broken(&reply.broken))
}
