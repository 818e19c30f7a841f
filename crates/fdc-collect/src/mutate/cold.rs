//! Mutants by the collector itself: the changed file in a copy of the project, the tests that run it,
//! and nothing measured. It works for every ecosystem, at the price of a build or a start per mutant.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use fdc_case::Case;
use fdc_case::mutants::{Fate, Kill};
use fdc_core::Outcome;
use fdc_core::evidence::FailureRecord;

use super::draw::Candidate;
use super::project_copy::copy_project;
use super::{Silent, TestTime, Trial, Tried, has_passed, tells_of_hang};
use crate::error::{Cause, Result, RunError};
use crate::filter::Filter;
use crate::{CollectOptions, Ecosystem, collect};

/// Tries them all, as many at the same time as jobs are asked for.
pub(super) fn run(trial: &mut Trial, candidates: &[&Candidate]) -> Result<()> {
    let (ecosystem, options) = (trial.ecosystem, &trial.options.run);
    let (limits, work) = (trial.limits, trial.work);
    let left_out = [options.case.clone(), work.to_owned()];
    trial.share_out(
        candidates,
        &|job| {
            let mut worker = Worker {
                ecosystem,
                options,
                limits,
                root: work.join(format!("cold-{}", job.number)),
                case: work.join(format!("cold-{}.fdc", job.number)),
                unfit: HashSet::new(),
            };
            worker.prepare(&left_out, candidates, &job.stop())?;
            Ok(worker)
        },
        &|job, worker, candidate| worker.attempt(candidate, &job.stop()),
        &mut |trial, (candidate, tried)| trial.record(candidate, tried),
    )
}

/// Of these tests, those that fail in a copy of the project without any change.
pub(super) fn unfit(trial: &Trial, tests: &[String]) -> Result<HashSet<String>> {
    let options = &trial.options.run;
    let worker = Worker {
        ecosystem: trial.ecosystem,
        options,
        limits: trial.limits,
        root: trial.work.join("plain"),
        case: trial.work.join("plain.fdc"),
        unfit: HashSet::new(),
    };
    let left_out = [options.case.clone(), trial.work.to_owned()];
    copy_project(&options.root, &worker.root, &left_out)?;
    let (watch, deadline) = (trial.watch, trial.deadline);
    let stop = || watch.asked_to_stop() || has_passed(deadline);
    Ok(worker.failing(tests, &stop)?.into_keys().collect())
}

type Stop<'s> = &'s (dyn Fn() -> bool + Sync);

struct Worker<'w> {
    ecosystem: &'w Ecosystem,
    options: &'w CollectOptions,
    limits: &'w HashMap<String, TestTime>,
    /// Its copy of the project.
    root: PathBuf,
    /// Where the collector writes.
    case: PathBuf,
    /// Tests that fail in the copy without any change.
    unfit: HashSet<String>,
}

impl Worker<'_> {
    /// Copies the project and runs all tests that will be needed, without a change.
    fn prepare(
        &mut self,
        left_out: &[PathBuf],
        candidates: &[&Candidate],
        stop: Stop,
    ) -> Result<()> {
        copy_project(&self.options.root, &self.root, left_out)?;
        let tests: HashSet<&String> = candidates.iter().flat_map(|one| &one.tests).collect();
        let mut tests: Vec<String> = tests.into_iter().cloned().collect();
        tests.sort();
        self.unfit = self.failing(&tests, stop)?.into_keys().collect();
        Ok(())
    }

    fn attempt(&self, candidate: &Candidate, stop: Stop) -> Result<Tried> {
        let begun = Instant::now();
        let path = self.root.join(&candidate.change.path);
        let io = |doing| RunError::io(&path, doing);
        let text = std::fs::read_to_string(&path).map_err(io("read it"))?;
        let range = candidate.change.range();
        let changed = [
            &text[..range.start],
            &candidate.change.replacement,
            &text[range.end..],
        ];
        std::fs::write(&path, changed.concat()).map_err(io("write it"))?;
        let mut tests = candidate.tests.clone();
        tests.retain(|test| !self.unfit.contains(test));
        let failing = match tests.is_empty() {
            true => Ok(HashMap::new()),
            false => self.failing(&tests, stop),
        };
        std::fs::write(&path, &text).map_err(RunError::io(&path, "write it"))?;
        let (fate, kills) = match failing {
            Ok(mut failing) => {
                let (mut fate, mut kills) = (Fate::Survived, Vec::new());
                for test in tests {
                    let Some(Failed { failure, hung }) = failing.remove(&test) else {
                        continue;
                    };
                    kills.push(Kill { test, failure });
                    fate = if hung { Fate::Hung } else { Fate::Killed };
                    // As if those after it had not been run.
                    if hung {
                        break;
                    }
                }
                (fate, kills)
            }
            // Without the change it can be built, so the change is why it cannot.
            Err(error) if matches!(error.cause(), Some(Cause::Tool | Cause::NoTests)) => {
                (Fate::Broken, Vec::new())
            }
            Err(error) => return Err(error),
        };
        Ok(Tried {
            fate,
            seconds: begun.elapsed().as_secs_f64(),
            kills,
        })
    }

    /// Of these tests, those that fail in the copy as it is, and how.
    fn failing(&self, tests: &[String], stop: Stop) -> Result<HashMap<String, Failed>> {
        remove_case(&self.case);
        let limits = tests.iter().filter_map(|test| self.limits.get(test));
        let options = CollectOptions {
            root: self.root.clone(),
            case: self.case.clone(),
            filter: Filter {
                only: tests.to_vec(),
                exclude: Vec::new(),
            },
            timeout: limits.map(|time| time.limit).max(),
            jobs: Some(1),
            runs: 1,
            changed_since: None,
            outcomes_only: true,
            copied_from: Some(self.options.root.clone()),
            ..self.options.clone()
        };
        collect(self.ecosystem, &options, &Silent(stop))?;
        let case = Case::open(&self.case)?;
        let tests = case.measured()?.tests.into_iter().zip(case.notes()?);
        let failing = tests.filter(|(test, _)| test.outcome == Some(Outcome::Fail));
        let failing = failing.map(|(test, note)| {
            let hung = tells_of_hang(note.as_deref());
            let failure = test.failure.unwrap_or_default();
            (test.name, Failed { failure, hung })
        });
        Ok(failing.collect())
    }
}

struct Failed {
    failure: FailureRecord,
    /// It did not end.
    hung: bool,
}

fn remove_case(case: &Path) {
    for ending in ["", "-wal", "-shm"] {
        let mut path = case.to_owned().into_os_string();
        path.push(ending);
        // Best effort: one that stays is refused by the collector, or goes on.
        let _ = std::fs::remove_file(path);
    }
}
