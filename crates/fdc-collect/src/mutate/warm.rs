//! Mutants in copies of a process that has everything loaded: it is started once a job, told of its
//! share, and reports through the spool.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fdc_case::mutants::{Fate, Kill};
use fdc_core::evidence::FailureRecord;
use fdc_core::named::Named;
use serde::Serialize;

use super::draw::Candidate;
use super::project_copy::copy_project;
use super::{Harm, Overhead, TestTime, Trial, Tried, UNFIT, UNJUDGED, left_out};
use crate::CollectOptions;
use crate::batch::Batch;
use crate::error::{Result, RunError};
use crate::isolated::{LARGEST_FILE, MEMORY};
use crate::plan::Plan;
use crate::process::{
    ProcessGroup, ToolLog, end_strays, log_to, make_folder, status_text, write_file,
};
use crate::spool::{Event, KilledBy, Spool};

/// Opens the tests of an ecosystem that can keep such a process.
pub(crate) type OpenBatch = fn(&CollectOptions) -> Result<Box<dyn Batch>>;

/// Said of a mutant without a test that can be judged.
const NO_FATE: &str = "unjudged";
const PAUSE: Duration = Duration::from_millis(5);
/// Starts in a row without a mutant before we stop trying.
const FRUITLESS_STARTS: u32 = 3;

#[derive(Serialize)]
struct Told<'p> {
    original: &'p Path,
    tests: Vec<&'p str>,
    limits: Vec<f64>,
    memory: u64,
    file: u64,
    mutants: Vec<ToldMutant<'p>>,
}

#[derive(Serialize)]
struct ToldMutant<'p> {
    id: u64,
    path: &'p str,
    bytes: (usize, usize),
    replacement: &'p str,
    tests: Vec<usize>,
}

enum News<'c> {
    /// With the seconds that its tests take without it, if they are known.
    Tried(&'c Candidate, Tried, Option<f64>),
    /// It cannot be put into a running process.
    Unapplied(&'c Candidate),
    Note(String),
}

/// Tries them; those that have to be tried cold.
pub(super) fn run<'c>(
    trial: &mut Trial,
    open: OpenBatch,
    candidates: &[&'c Candidate],
) -> Result<Vec<&'c Candidate>> {
    let jobs = trial.jobs().min(candidates.len());
    let (options, limits, work) = (&trial.options.run, trial.limits, trial.work);
    let left_out = [options.case.clone(), work.to_owned()];
    let (mut unapplied, mut overhead) = (Vec::new(), Overhead::default());
    trial.in_jobs(
        jobs,
        &|job| {
            let share: BTreeMap<u64, &Candidate> = (0..)
                .zip(candidates.iter().copied())
                .skip(job.number)
                .step_by(jobs)
                .collect();
            let worker = Worker {
                options,
                limits,
                folder: work.join(format!("warm-{}", job.number)),
                stopped: &job.stop(),
            };
            worker.run(open, share, &left_out, &|news| job.tell(news))
        },
        &mut |trial, news| {
            match news {
                News::Tried(candidate, tried, without) => {
                    overhead.count(&tried, without);
                    trial.record(candidate, tried)?;
                }
                News::Unapplied(candidate) => unapplied.push(candidate),
                News::Note(note) => trial.watch.note(&note),
            }
            Ok(())
        },
    )?;
    overhead.tell(trial.watch);
    match trial.is_over() {
        true => Ok(Vec::new()),
        false => Ok(unapplied),
    }
}

struct Worker<'w> {
    options: &'w CollectOptions,
    limits: &'w HashMap<String, TestTime>,
    /// For its copy of the project and all its files.
    folder: PathBuf,
    stopped: &'w (dyn Fn() -> bool + Sync),
}

impl Worker<'_> {
    fn run<'c>(
        &self,
        open: OpenBatch,
        mut share: BTreeMap<u64, &'c Candidate>,
        left_out: &[PathBuf],
        news: &dyn Fn(News<'c>),
    ) -> Result<()> {
        let root = self.folder.join("project");
        copy_project(&self.options.root, &root, left_out)?;
        let batch = open(&CollectOptions {
            root: root.clone(),
            copied_from: Some(self.options.root.clone()),
            ..self.options.clone()
        })?;
        let mut fruitless = 0;
        while !share.is_empty() && !(self.stopped)() {
            let before = share.len();
            self.start(&*batch, &root, &mut share, news)?;
            fruitless = if share.len() < before {
                0
            } else {
                fruitless + 1
            };
            if fruitless == FRUITLESS_STARTS {
                let message = "the tests' process ends again and again without trying a mutant";
                return Err(RunError::failed(message, &self.log()));
            }
        }
        Ok(())
    }

    fn log(&self) -> ToolLog {
        ToolLog(self.folder.join("output.log"))
    }

    /// Runs one process until it ends; what it has tried is taken out of its share.
    fn start<'c>(
        &self,
        batch: &dyn Batch,
        root: &Path,
        share: &mut BTreeMap<u64, &'c Candidate>,
        news: &dyn Fn(News<'c>),
    ) -> Result<()> {
        let told = self.folder.join("mutants.json");
        write_file(&told, self.told(share))?;
        let options = CollectOptions {
            root: root.to_owned(),
            timeout: None,
            jobs: None,
            ..self.options.clone()
        };
        let mut plan = Plan::of(&options, false);
        batch.plan(&mut plan);
        plan.line("mutants", &told.to_string_lossy());
        let plan_file = self.folder.join("plan");
        write_file(&plan_file, plan.text)?;
        let mut spool = Spool::create(&self.folder.join("spool"))?;
        let temporary = self.folder.join("tmp");
        make_folder(&temporary)?;
        let mut command = batch.command(&self.folder)?;
        command.env("FDC_PLAN", &plan_file);
        command.env("FDC_SPOOL", &spool.folder);
        // What tests leave behind goes with the folder.
        command.env("TMPDIR", &temporary);
        log_to(&mut command, &self.log().0)?;
        let mut process = ProcessGroup::spawn(&mut command).map_err(|error| {
            let program = command.get_program().to_string_lossy();
            let message = format!("cannot run {program}: {error}");
            RunError::tool(message, "check that it is installed")
        })?;
        let mut under_way = None;
        loop {
            // Asked before the last read, so that nothing written before its end is missed.
            let ended = process.ended()?;
            let heard = spool.read(&mut |_, event| {
                take(event, share, &mut under_way, news);
                Ok(())
            })?;
            if let Some(status) = ended {
                end_strays(&self.folder);
                if spool.all_said_goodbye() {
                    return Ok(());
                }
                if let Some(failure) = batch.failure(status, &self.log()) {
                    return Err(failure);
                }
                if let Some(candidate) = under_way.and_then(|id| share.remove(&id)) {
                    let note = status_text(status);
                    news(News::Note(format!(
                        "{}:{}: the tests' process ended with a mutant ({note})",
                        candidate.change.path, candidate.line
                    )));
                    let tried = Tried {
                        fate: Some(Fate::Crashed),
                        seconds: 0.0,
                        kills: Vec::new(),
                        harm: Harm::default(),
                    };
                    news(News::Tried(candidate, tried, None));
                }
                return Ok(());
            }
            if (self.stopped)() {
                process.kill();
                return Ok(());
            }
            if !heard {
                std::thread::sleep(PAUSE);
            }
        }
    }

    fn told(&self, share: &BTreeMap<u64, &Candidate>) -> String {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut tests: Vec<&str> = Vec::new();
        let mut mutants = Vec::new();
        for (&id, candidate) in share {
            let mut own = Vec::new();
            for test in &candidate.tests {
                let at = *numbers.entry(test).or_insert_with(|| {
                    tests.push(test);
                    tests.len() - 1
                });
                own.push(at);
            }
            mutants.push(ToldMutant {
                id,
                path: &candidate.change.path,
                bytes: candidate.change.bytes,
                replacement: &candidate.change.replacement,
                tests: own,
            });
        }
        let limit = |test: &&str| self.limits[*test].limit.as_secs_f64();
        let told = Told {
            original: &self.options.root,
            limits: tests.iter().map(limit).collect(),
            tests,
            memory: MEMORY,
            file: LARGEST_FILE,
            mutants,
        };
        serde_json::to_string(&told).expect("plain data")
    }
}

fn take<'c>(
    event: Event,
    share: &mut BTreeMap<u64, &'c Candidate>,
    under_way: &mut Option<u64>,
    news: &dyn Fn(News<'c>),
) {
    match event {
        Event::Mutating { id } => *under_way = Some(id),
        Event::Mutant {
            id,
            fate,
            seconds,
            kills,
            damaged,
            left_running,
            without,
        } => {
            *under_way = None;
            let Some(candidate) = share.remove(&id) else {
                return;
            };
            let fate = match Fate::named(&fate) {
                None if fate != NO_FATE => return news(News::Unapplied(candidate)),
                fate => fate,
            };
            let tried = Tried {
                fate,
                seconds,
                kills: kills.into_iter().map(kill).collect(),
                harm: Harm {
                    damaged,
                    left_running,
                },
            };
            news(News::Tried(candidate, tried, without));
        }
        Event::Baseline {
            fate,
            failing,
            missing,
        } => {
            if fate == Fate::Crashed.name() || fate == Fate::Hung.name() {
                let text = "the tests do not run to their end in a copy of the project";
                news(News::Note(format!("{text}: {fate}")));
            }
            for (tests, why) in [(failing, UNFIT), (missing, UNJUDGED)] {
                let words = left_out(&tests.into_iter().collect(), why);
                words.into_iter().for_each(|words| news(News::Note(words)));
            }
        }
        Event::Trouble { message } => news(News::Note(message)),
        _ => {}
    }
}

fn kill(killed: KilledBy) -> Kill {
    let known = killed.failure.as_ref().map(FailureRecord::from);
    let failure = known.unwrap_or(FailureRecord {
        message: killed.note,
        ..FailureRecord::default()
    });
    Kill {
        test: killed.test,
        failure,
    }
}
