//! `fdc collect`: runs a project's own tests and measures what each of them covers.

use fdc::collect::{CollectRequest, collect};
use fdc_collect::CollectOptions;
use fdc_collect::filter::Filter;

use crate::args::collect::CollectArguments;
use crate::exit::{Exit, Problem};
use crate::interrupt;
use crate::output::note;
use crate::progress::Bar;

/// Runs the command.
pub fn run(arguments: CollectArguments, quiet: bool) -> Result<Exit, Problem> {
    let case = arguments.out.display().to_string();
    interrupt::listen()?;
    let request = CollectRequest {
        ecosystem: arguments.ecosystem,
        options: CollectOptions {
            root: arguments.root,
            case: arguments.out,
            filter: Filter {
                only: arguments.only,
                exclude: arguments.exclude,
            },
            timeout: arguments.timeout,
            jobs: arguments.jobs.map(usize::from),
            runs: arguments.rerun,
            changed_since: arguments.changed_since,
            include_tests: arguments.include_tests,
            arguments: arguments.arguments,
            settings: arguments.settings.given,
        },
    };
    let collected = collect(request, &Bar::new(quiet))?;
    let mut counts = format!("{} tests ({} failing", collected.tests, collected.failing);
    if collected.flaky > 0 {
        counts += &format!(", {} flaky", collected.flaky);
    }
    counts += ")";
    if collected.skipped > 0 {
        counts += &format!(", {} skipped", collected.skipped);
    }
    let next = match collected.failing {
        0 => "no test fails: nothing to rank yet".to_owned(),
        _ => format!("next: fdc rank {case}"),
    };
    let lines = collected.elements;
    note(quiet, &format!("{case}: {counts}, {lines} lines\n{next}"));
    Ok(Exit::Done)
}
