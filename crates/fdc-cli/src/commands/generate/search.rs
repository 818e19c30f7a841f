//! What to search by, checked before anything is started.

use fdc_core::fitness::FitnessError;
use fdc_core::metric::Kind;
use fdc_generate::{Budget, Criterion, Level, Options};
use fdc_learn::catalogue;

use super::absolute;
use crate::args::generate::search::{LevelName, SearchArguments};
use crate::exit::Problem;

/// The options that the arguments stand for; the others are as they are unless told.
pub fn options(arguments: &SearchArguments) -> Result<Options, Problem> {
    let model = arguments.model.as_deref();
    let criterion = if arguments.criterion == Criterion::Line.name() {
        Criterion::Line
    } else {
        let metric = catalogue::parse(&arguments.criterion, model)?;
        if matches!(metric.kind(), Kind::Aware(_)) {
            let metric = metric.label().to_owned();
            let message = FitnessError::SeesOutcomes { metric }.to_string();
            return Err(Problem::usage(message).hint("`fdc list metrics` says which do"));
        }
        Criterion::Metric(arguments.criterion.clone())
    };
    let level = match arguments.level {
        Some(LevelName::Test) => Level::Test,
        Some(LevelName::Suite) => Level::Suite,
        None if criterion == Criterion::Line => Level::Suite,
        None => Level::Test,
    };
    Ok(Options {
        criterion,
        model: model.map(absolute).transpose()?,
        level,
        budget: match arguments.generations {
            Some(generations) => Budget::Generations(generations),
            None => Budget::Seconds(arguments.budget.as_secs_f64()),
        },
        seed: arguments.seed,
        ..Options::default()
    })
}
