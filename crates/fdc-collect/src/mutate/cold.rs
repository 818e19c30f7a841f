//! Mutants by the collector itself: the changed file in a copy of the project, the tests that run it,
//! and nothing measured. It works for every ecosystem, at the price of a build or a start per mutant.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fdc_case::Case;
use fdc_case::mutants::{Fate, Kill};

use super::draw::Candidate;
use super::guarded_copy::GuardedCopy;
use super::outcomes::{Failed, Judges, Outcomes, Seen};
use super::project_copy::copy_project;
use super::{Harm, TestTime, Trial, Tried, UNFIT, UNJUDGED, has_passed, left_out};
use crate::error::{Cause, Result, RunError};
use crate::filter::Filter;
use crate::process::end_strays;
use crate::{CollectOptions, Ecosystem, Watch, collect};

/// Tries them all, as many at the same time as jobs are asked for.
pub(super) fn run(trial: &mut Trial, candidates: &[&Candidate]) -> Result<()> {
    let (ecosystem, options) = (trial.ecosystem, &trial.options.run);
    let (limits, work) = (trial.limits, trial.work);
    let tests: HashSet<&String> = candidates.iter().flat_map(|one| &one.tests).collect();
    let mut tests: Vec<String> = tests.into_iter().cloned().collect();
    tests.sort();
    let (notes, is_told) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    trial.share_out(
        candidates,
        &|job| {
            let name = format!("cold-{}", job.number);
            let worker = Worker::of(ecosystem, options, limits, work, &name)?;
            let worker = worker.prepared(&tests, &job.stop())?;
            // All of them find the same, and the others may be done before the first one has begun.
            if !is_told.swap(true, Ordering::Relaxed) {
                let told = [
                    left_out(&worker.judges.unfit, UNFIT),
                    left_out(&worker.judges.unjudged, UNJUDGED),
                ];
                let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
                notes.extend(told.into_iter().flatten());
            }
            Ok(worker)
        },
        &|job, worker, candidate| worker.attempt(candidate, &job.stop()),
        &mut |trial, (candidate, tried)| {
            let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
            notes.drain(..).for_each(|note| trial.watch.note(&note));
            trial.record(candidate, tried)
        },
    )
}

/// Of these tests, those that cannot be judged in a copy of the project without any change.
pub(super) fn unfit(trial: &Trial, tests: &[String]) -> Result<HashSet<String>> {
    let options = &trial.options.run;
    let (watch, deadline) = (trial.watch, trial.deadline);
    let stop = || watch.asked_to_stop() || has_passed(deadline);
    let worker = Worker::of(trial.ecosystem, options, trial.limits, trial.work, "plain")?;
    let judges = worker.prepared(tests, &stop)?.judges;
    let told = [
        left_out(&judges.unfit, UNFIT),
        left_out(&judges.unjudged, UNJUDGED),
    ];
    told.iter().flatten().for_each(|note| watch.note(note));
    Ok(judges.unfit.into_iter().chain(judges.unjudged).collect())
}

type Stop<'s> = &'s (dyn Fn() -> bool + Sync);

struct Worker<'w> {
    ecosystem: &'w Ecosystem,
    options: &'w CollectOptions,
    limits: &'w HashMap<String, TestTime>,
    /// For its copy of the project and what the collector makes.
    folder: PathBuf,
    root: PathBuf,
    copy: GuardedCopy,
    judges: Judges,
}

/// What the collector brought back.
struct Ran {
    outcomes: Outcomes,
    /// Why it could not go on to the end.
    failed: Option<RunError>,
    /// What it had to say.
    notes: Vec<String>,
}

impl Ran {
    fn cause(&self) -> Option<Cause> {
        self.failed.as_ref().and_then(RunError::cause)
    }

    /// Python compiles a module when a test imports it.
    fn is_broken(&self) -> bool {
        let is_syntax = |note: &String| {
            let collected = note.contains(" could not be collected: ");
            collected
                && ["SyntaxError", "IndentationError"]
                    .iter()
                    .any(|own| note.contains(own))
        };
        self.cause() == Some(Cause::Build) || self.notes.iter().any(is_syntax)
    }
}

impl<'w> Worker<'w> {
    /// With a copy of its own.
    fn of(
        ecosystem: &'w Ecosystem,
        options: &'w CollectOptions,
        limits: &'w HashMap<String, TestTime>,
        work: &Path,
        name: &str,
    ) -> Result<Self> {
        let folder = work.join(name);
        let root = folder.join("project");
        copy_project(
            &options.root,
            &root,
            &[options.case.clone(), work.to_owned()],
        )?;
        Ok(Worker {
            ecosystem,
            options,
            limits,
            copy: GuardedCopy::of(&root, folder.join("spare"))?,
            judges: Judges::default(),
            folder,
            root,
        })
    }

    /// Runs all tests that will be needed, without a change.
    fn prepared(mut self, tests: &[String], stop: Stop) -> Result<Self> {
        let Ran {
            mut outcomes,
            failed,
            ..
        } = self.run(tests, self.limit(tests), stop)?;
        // Without the tests that are asked for there is nothing to judge by, and that is said.
        if let Some(error) = failed
            && error.cause() != Some(Cause::NoTests)
        {
            return Err(error);
        }
        let patterns = Judges::patterns_for_missing(tests, &outcomes);
        if !patterns.is_empty() {
            // Nothing is found if the tests are gone for good.
            outcomes.extend(self.run(&patterns, self.limit(tests), stop)?.outcomes);
        }
        self.judges = Judges::of(tests, &outcomes);
        self.copy.let_be();
        Ok(self)
    }

    fn attempt(&mut self, candidate: &Candidate, stop: Stop) -> Result<Tried> {
        let begun = Instant::now();
        let judged = candidate.tests.iter();
        let tests: Vec<&String> = judged.filter(|test| self.judges.judges(test)).collect();
        let mut tried = Tried {
            fate: None,
            seconds: 0.0,
            kills: Vec::new(),
            harm: Harm::default(),
        };
        if tests.is_empty() {
            return Ok(tried);
        }
        let mut patterns: Vec<String> =
            tests.iter().map(|test| self.judges.pattern(test)).collect();
        patterns.dedup();
        let relative = Path::new(&candidate.change.path);
        let path = self.root.join(relative);
        let text = std::fs::read_to_string(&path).map_err(RunError::io(&path, "read it"))?;
        let range = candidate.change.range();
        let changed = [
            &text[..range.start],
            &candidate.change.replacement,
            &text[range.end..],
        ];
        self.write(relative, &changed.concat())?;
        let ran = self.run(&patterns, self.limit(tests.iter().copied()), stop);
        tried.harm.left_running = end_strays(&self.folder);
        let damage = self.copy.damage();
        tried.harm.damaged = !damage.is_none();
        self.copy.mend(&damage)?;
        self.write(relative, &text)?;
        let ran = ran?;
        tried.seconds = begun.elapsed().as_secs_f64();
        if ran.is_broken() {
            tried.fate = Some(Fate::Broken);
            return Ok(tried);
        }
        // A tool that fails when everything compiles was taken down by the tests.
        let is_down = ran.failed.is_some() && ran.cause() != Some(Cause::NoTests);
        let mut fate = if is_down {
            Fate::Crashed
        } else {
            Fate::Survived
        };
        for test in tests {
            let not_run = Failed::not_run();
            let failed = match self.judges.seen(test, &ran.outcomes) {
                Seen::Failed(failed) => failed,
                Seen::Missing if !is_down => &not_run,
                Seen::Missing | Seen::Passed => continue,
            };
            tried.kills.push(Kill {
                test: test.clone(),
                failure: failed.failure.clone(),
            });
            fate = match failed {
                Failed { hung: true, .. } => Fate::Hung,
                Failed { crashed: true, .. } => Fate::Crashed,
                _ if is_down => Fate::Crashed,
                _ => Fate::Killed,
            };
            // As if those after it had not been run.
            if failed.hung || failed.crashed {
                break;
            }
        }
        tried.fate = Some(fate);
        Ok(tried)
    }

    fn write(&mut self, path: &Path, text: &str) -> Result<()> {
        let full = self.root.join(path);
        std::fs::write(&full, text).map_err(RunError::io(&full, "write it"))?;
        self.copy.renew(path);
        Ok(())
    }

    fn limit<'t>(&self, tests: impl IntoIterator<Item = &'t String>) -> Option<Duration> {
        let limits = tests.into_iter().filter_map(|test| self.limits.get(test));
        limits.map(|time| time.limit).max()
    }

    /// Runs tests that match in the copy as it is.
    fn run(&self, patterns: &[String], limit: Option<Duration>, stop: Stop) -> Result<Ran> {
        let case = self.folder.join("case.fdc");
        remove_case(&case);
        let options = CollectOptions {
            root: self.root.clone(),
            case: case.clone(),
            filter: Filter {
                only: patterns.to_vec(),
                exclude: Vec::new(),
            },
            timeout: limit,
            jobs: Some(1),
            runs: 1,
            changed_since: None,
            outcomes_only: true,
            copied_from: Some(self.options.root.clone()),
            ..self.options.clone()
        };
        let watch = Listening {
            stop,
            notes: Mutex::new(Vec::new()),
        };
        let failed = match collect(self.ecosystem, &options, &watch) {
            Ok(_) => None,
            Err(error) => match error.cause() {
                Some(Cause::Build | Cause::Tool | Cause::NoTests) => Some(error),
                None if !matches!(error, RunError::Interrupted)
                    && !self.copy.damage().is_none() =>
                {
                    Some(error)
                }
                _ => return Err(error),
            },
        };
        let outcomes = match case.exists() {
            true => Outcomes::of(&Case::open(&case)?)?,
            false => Outcomes::default(),
        };
        let notes = watch.notes.into_inner();
        Ok(Ran {
            outcomes,
            failed,
            notes: notes.unwrap_or_else(PoisonError::into_inner),
        })
    }
}

/// Of thousands of collections nobody wants to hear; we do.
struct Listening<'l> {
    stop: Stop<'l>,
    notes: Mutex<Vec<String>>,
}

impl Watch for Listening<'_> {
    fn note(&self, text: &str) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push(text.to_owned());
    }

    fn asked_to_stop(&self) -> bool {
        (self.stop)()
    }
}

fn remove_case(case: &Path) {
    for ending in ["", "-wal", "-shm"] {
        let mut path = case.to_owned().into_os_string();
        path.push(ending);
        // Best effort: one that stays is refused by the collector, or goes on.
        let _ = std::fs::remove_file(path);
    }
}
