//! `evaluate`: runs metrics on many bugs whose faults are known, and keeps what came of it in a
//! folder, where an interrupted evaluation is resumed.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use fdc_case::FileError;
use fdc_core::ranking::RankingOptions;
use fdc_core::{Shard, TieBreak};
use fdc_formats::collection::Collection;
use fdc_learn::protocol::Protocol;
use fdc_study::contender::{Contender, specifications};
use fdc_study::evaluate::{Bugs, Evaluation, Event, StudyUnit, Work, check_size};
use fdc_study::results::options::ResultsOptions;
use fdc_study::results::{Record, StudyResults};
use fdc_study::run::Revealing;

use crate::train::read_bugs;
use crate::{Failure, Result, Watch};

/// Which metrics on which bugs.
pub struct EvaluateRequest<'a> {
    /// Bugs with known faults: files, or folders of files.
    pub data: &'a [PathBuf],
    /// The metrics, with commas between; some commas belong to parameters.
    pub metrics: &'a str,
    /// Which bugs learned metrics are trained on.
    pub protocol: Protocol,
    /// Tests to add in a run.
    pub tests: usize,
    /// Trainings of each metric that depends on a seed.
    pub seeds: u64,
    /// Which of equally good tests is added; with random orders each seed has one.
    pub ties: TieBreak,
    /// Failing tests of a bug to start from, the first in file order; `None`: all.
    pub max_failing: Option<usize>,
    /// How methods are ranked.
    pub ranking: RankingOptions,
    /// Which part of the work is done here, if several machines share it.
    pub shard: Shard,
    /// Folder for the results.
    pub out: &'a Path,
}

/// What became of an evaluation.
pub struct EvaluateReply {
    /// How it ended.
    pub end: EvaluationEnd,
    /// Files that could not be read.
    pub broken: Vec<FileError>,
}

/// How an evaluation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationEnd {
    /// The results are complete now.
    Done,
    /// They were complete before.
    DoneBefore,
    /// Somebody asked to stop: the same request goes on.
    Interrupted,
}

/// Does what is left of the evaluation in the request's folder.
pub fn evaluate(request: &EvaluateRequest<'_>, watch: &dyn Watch) -> Result<EvaluateReply> {
    let evaluation = Evaluation {
        by_distribution: false,
        contenders: contenders(request.metrics)?,
        protocol: request.protocol,
        seeds: request.seeds,
        ties: request.ties,
        max_failing: request.max_failing,
        starters: None,
        ranking: request.ranking,
        shard: request.shard,
    };
    check_size(request.tests, request.seeds).map_err(Failure::usage)?;
    let collection = read_bugs(request.data, &[], "there is no bug in the data", watch)?;
    let bugs = Bugs::from(&collection);
    let tests = request.tests;
    let options = ResultsOptions::new(&evaluation, tests, bugs);
    let results = StudyResults::open(request.out, &options)?;
    let end = if done_before(&results, watch)?.is_some() {
        EvaluationEnd::DoneBefore
    } else {
        match records(&evaluation, &Revealing { tests }, bugs, results, watch)? {
            Some(_) => EvaluationEnd::Done,
            None => EvaluationEnd::Interrupted,
        }
    };
    Ok(EvaluateReply {
        end,
        broken: collection.broken,
    })
}

/// The records of results that are complete; those of a damaged table are made again.
pub(crate) fn done_before<R: Record>(
    results: &StudyResults<R>,
    watch: &dyn Watch,
) -> Result<Option<Vec<R>>> {
    match results.table().transpose() {
        Err(error @ FileError::Bad { .. }) => {
            watch.note(&format!("{error}: everything is evaluated again"));
            Ok(None)
        }
        records => Ok(records?),
    }
}

/// Does what is left and completes the results; the records, or `None` if somebody asked to stop.
pub(crate) fn records<W: Work>(
    evaluation: &Evaluation,
    work: &W,
    bugs: Bugs<'_>,
    results: StudyResults<W::Record>,
    watch: &dyn Watch,
) -> Result<Option<Vec<W::Record>>> {
    let units = evaluation.units(bugs);
    let done: HashSet<StudyUnit> = results.finished().cloned().collect();
    let own = units.iter().filter(|unit| unit.is_in(evaluation.shard));
    watch.stage("", own.count() as u64);
    watch.at(done.len() as u64, "");
    let failed = AtomicBool::new(false);
    let stop = || failed.load(Ordering::SeqCst) || watch.asked_to_stop();
    let results = Mutex::new((results, None));
    let trainings = Mutex::new(Trainings::new());
    let complete = evaluation.evaluate(work, bugs, &done, &stop, &|event| {
        let (unit, records) = match event {
            Event::Finished(unit, records) => (unit, records),
            Event::Trained {
                metric,
                model,
                seed,
                warning,
            } => {
                let mut trainings = trainings.lock().unwrap_or_else(PoisonError::into_inner);
                let (count, warned) = trainings.entry(metric.to_owned()).or_default();
                *count += 1;
                warned.extend(warning.map(|text| format!("{model} with seed {seed}: {text}")));
                return;
            }
        };
        let name = format!("{} {} {}", unit.metric, unit.subject, unit.version);
        let mut guard = results.lock().unwrap_or_else(PoisonError::into_inner);
        let (results, trouble) = &mut *guard;
        if let Err(error) = results.keep(unit, records) {
            trouble.get_or_insert(error);
            failed.store(true, Ordering::SeqCst);
        }
        watch.finished(&name);
    });
    note_trainings(
        trainings
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
        watch,
    );
    let results = results.into_inner();
    let (results, trouble) = results.unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = trouble {
        return Err(error.into());
    }
    if !complete {
        return Ok(None);
    }
    let records = results.complete(&units, evaluation.shard)?;
    // A part has not all bugs.
    if evaluation.shard.is_whole() {
        note_skipped(bugs.pool, &records, watch);
    }
    Ok(Some(records))
}

/// Per metric, how often it was trained, and what to know of which model.
type Trainings = BTreeMap<String, (usize, Vec<String>)>;

/// Says how many models of a metric hardly learned, with one of them.
fn note_trainings(trainings: Trainings, watch: &dyn Watch) {
    for (metric, (count, mut warned)) in trainings {
        warned.sort();
        if let Some(first) = warned.first() {
            let stuck = warned.len();
            watch.note(&format!(
                "{metric}: {stuck} of {count} trained models have hardly learned, such as {first}"
            ));
        }
    }
}

/// Names the bugs that no run could be made on.
fn note_skipped<R: Record>(pool: &Collection, records: &[R], watch: &dyn Watch) {
    let ran: HashSet<_> = records.iter().map(Record::bug).collect();
    let skipped = pool.bugs.iter().filter(|bug| !ran.contains(&bug.bug));
    let skipped: Vec<String> = skipped
        .map(|bug| format!("{} {}", bug.bug.subject, bug.bug.version))
        .collect();
    if !skipped.is_empty() {
        watch.note(&format!(
            "left out, no faulty method can be ranked or no failing test covers anything: {}",
            skipped.join(", ")
        ));
    }
}

fn contenders(list: &str) -> Result<Vec<Contender>> {
    let mut contenders: Vec<Contender> = Vec::new();
    for specification in specifications(list) {
        if contenders.iter().any(|known| known.label == specification) {
            let message = format!("metric {specification} is listed twice");
            return Err(Failure::usage(message));
        }
        contenders.push(Contender::parse(&specification)?);
    }
    Ok(contenders)
}
