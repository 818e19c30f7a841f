//! `fdc evaluate`: metrics on many bugs, resumable.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use fdc_core::Named as _;
use fdc_formats::collection::{CollectedBug, Collection, digest_of};
use fdc_learn::protocol::Protocol;
use fdc_study::contender::{Contender, specifications};
use fdc_study::evaluate::{Bugs, Evaluation, Unit, Work};
use fdc_study::results::{Record, Results};
use fdc_study::run::Revealing;
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use crate::args::evaluate::{EvaluateArguments, EvaluationProtocol};
use crate::commands::rank::value_name;
use crate::commands::train::{progress_bar, report_broken};
use crate::exit::{Exit, Problem};
use crate::interrupt;
use crate::output::note;

/// Runs the command.
pub fn run(arguments: &EvaluateArguments, quiet: bool) -> Result<Exit, Problem> {
    let evaluation = evaluation(arguments)?;
    let collection = Collection::read(&arguments.data)?;
    if collection.bugs.is_empty() {
        report_broken(&collection);
        return Err(Problem::input("there is no bug in the data")
            .hint("give files of `fdc explain dataset`, or folders of them"));
    }
    let results = Results::open(&arguments.out, &options(arguments, &collection))?;
    if results.is_complete() {
        note(
            quiet,
            &format!("{}: complete already", arguments.out.display()),
        );
        return Ok(report_broken(&collection));
    }
    interrupt::listen()?;
    let work = Revealing {
        tests: arguments.tests,
    };
    if evaluate(&evaluation, &work, (&collection).into(), results, quiet)?.is_none() {
        note(quiet, "interrupted: run the same command again to go on");
        return Ok(Exit::Interrupted);
    }
    note(
        quiet,
        &format!(
            "{0}: done; `fdc compare {0}` tells",
            arguments.out.display()
        ),
    );
    Ok(report_broken(&collection))
}

/// Does what is left and writes the table; the records, if all was done.
pub fn evaluate<W: Work>(
    evaluation: &Evaluation,
    work: &W,
    bugs: Bugs<'_>,
    results: Results<W::Record>,
    quiet: bool,
) -> Result<Option<Vec<W::Record>>, Problem> {
    let units = evaluation.units(bugs);
    let done: HashSet<Unit> = results.finished().cloned().collect();
    let bar = progress_bar(units.len(), quiet);
    bar.inc(done.len() as u64);
    let results = Mutex::new((results, None));
    let complete = evaluation.evaluate(work, bugs, &done, &interrupt::ASKED, &|unit, records| {
        bar.set_message(format!("{} {} {}", unit.metric, unit.subject, unit.version));
        let mut guard = results
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let (results, trouble) = &mut *guard;
        if let Err(error) = results.keep(unit, records) {
            trouble.get_or_insert(error);
            interrupt::ASKED.store(true, Ordering::SeqCst);
        }
        bar.inc(1);
    });
    bar.finish_and_clear();
    let (results, trouble) = results
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(error) = trouble {
        return Err(error.into());
    }
    if !complete {
        return Ok(None);
    }
    let records = results.complete(&units)?;
    note_skipped(bugs.pool, &records, quiet);
    Ok(Some(records))
}

/// Names the bugs that no run could be made on.
pub fn note_skipped<R: Record>(pool: &Collection, records: &[R], quiet: bool) {
    let ran: HashSet<_> = records.iter().map(Record::bug).collect();
    let skipped = pool.bugs.iter().filter(|bug| !ran.contains(&bug.bug));
    let skipped: Vec<String> = skipped
        .map(|bug| format!("{} {}", bug.bug.subject, bug.bug.version))
        .collect();
    if !skipped.is_empty() {
        note(
            quiet,
            &format!(
                "left out, no faulty method can be ranked or no failing test covers anything: {}",
                skipped.join(", ")
            ),
        );
    }
}

fn evaluation(arguments: &EvaluateArguments) -> Result<Evaluation, Problem> {
    Ok(Evaluation {
        contenders: contenders(&arguments.metrics)?,
        protocol: match arguments.protocol {
            EvaluationProtocol::None => None,
            EvaluationProtocol::CrossVersion => Some(Protocol::CrossVersion),
            EvaluationProtocol::CrossProject => Some(Protocol::CrossProject),
            EvaluationProtocol::LeaveOneOut => Some(Protocol::LeaveOneOut),
        },
        seeds: arguments.seeds,
        max_failing: arguments.max_failing,
        starters: None,
        ranking: arguments.scoring.options(),
    })
}

/// A list with commas between, some of which belong to parameters: `fdg:alpha=0.3,scale=minmax,tfd`.
pub fn contenders(list: &str) -> Result<Vec<Contender>, Problem> {
    let mut contenders: Vec<Contender> = Vec::new();
    for specification in specifications(list) {
        if contenders.iter().any(|known| known.label == specification) {
            return Err(Problem::usage(format!(
                "metric {specification} is listed twice"
            )));
        }
        contenders.push(Contender::parse(&specification)?);
    }
    Ok(contenders)
}

/// Everything that decides the results, for the results folder.
fn options(arguments: &EvaluateArguments, collection: &Collection) -> Value {
    json!({
        "schema": 1,
        "fdc": env!("CARGO_PKG_VERSION"),
        "metrics": arguments.metrics,
        "protocol": value_name(arguments.protocol),
        "tests": arguments.tests,
        "seeds": arguments.seeds,
        "max_failing": arguments.max_failing,
        "formula": arguments.scoring.formula.name,
        "tie": arguments.scoring.tie.name(),
        "aggregate": arguments.scoring.aggregate.name(),
        "built_in_model": fdc_learn::rlfdc::built_in().origin.data_digest,
        "inputs": inputs(collection),
    })
}

/// The digest of every bug.
pub fn inputs(collection: &Collection) -> Map<String, Value> {
    let digest = |bug: &CollectedBug| {
        let digest = digest_of(std::iter::once((&bug.bug, &bug.spectrum)));
        let name = format!("{} {}", bug.bug.subject, bug.bug.version);
        (name, Value::from(digest))
    };
    let digests: Vec<(String, Value)> = collection.bugs.par_iter().map(digest).collect();
    digests.into_iter().collect()
}
