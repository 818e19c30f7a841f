//! `fdc evaluate`: metrics on many bugs, resumable.

use fdc::evaluate::{EvaluateRequest, EvaluationEnd, evaluate};

use crate::args::evaluate::EvaluateArguments;
use crate::commands::train::report_broken;
use crate::exit::{Exit, Problem};
use crate::interrupt;
use crate::output::note;
use crate::progress::Bar;

/// Runs the command.
pub fn run(arguments: &EvaluateArguments, quiet: bool) -> Result<Exit, Problem> {
    interrupt::listen()?;
    let request = EvaluateRequest {
        data: &arguments.data,
        metrics: &arguments.metrics,
        protocol: arguments.protocol,
        tests: arguments.tests,
        seeds: arguments.seeds,
        max_failing: arguments.max_failing,
        ranking: arguments.scoring.options(),
        out: &arguments.out,
    };
    let reply = evaluate(&request, &Bar::new(quiet))?;
    let out = arguments.out.display();
    match reply.end {
        EvaluationEnd::Done => note(quiet, &format!("{out}: done; see `fdc compare {out}`")),
        EvaluationEnd::DoneBefore => note(quiet, &format!("{out}: complete already")),
        EvaluationEnd::Interrupted => {
            note(quiet, "interrupted: run the same command again to resume");
            return Ok(Exit::Interrupted);
        }
    }
    Ok(report_broken(&reply.broken))
}
