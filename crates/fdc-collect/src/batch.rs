//! Ecosystems whose tests run many to a process, which reports through the spool.
//!
//! A process that ends before it has said goodbye (a test killed it, hung, or left by itself) is
//! started again for the tests that are left; the test it was in has failed.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use fdc_case::FileError;
use fdc_case::recording::TestRun;
use fdc_core::evidence::FailureRecord;
use fdc_source::ProjectMethods;

use crate::error::{Result, RunError};
use crate::plan::Plan;
use crate::process::{ProcessGroup, ToolLog, log_to, note_down, status_text, write_file};
use crate::spool::{End, Event, Spool, Unit};
use crate::{Collection, FAIL, noted_at};

/// An ecosystem whose tests run many to a process.
pub(crate) trait Batch {
    /// The command that runs the tests. The plan and the spool are given to it in `FDC_PLAN` and
    /// `FDC_SPOOL`; `work` is a folder for files of its own.
    fn command(&self, work: &Path) -> Result<Command>;

    /// Adds what this ecosystem's processes have to be told.
    fn plan(&self, _plan: &mut Plan) {}

    /// A unit's source as a path relative to the project's root; none if it is not of the program.
    fn source(&self, unit: &Unit) -> Option<String> {
        Some(unit.file.clone())
    }

    /// Whether the processes leave out test code themselves. They know more than its path tells.
    fn knows_test_code(&self) -> bool {
        false
    }

    /// Whether a command that ends so may have run no test: there are none, or none is left.
    fn may_be_silent(&self, status: ExitStatus) -> bool {
        status.success()
    }

    /// Whether the command failed beyond failing tests: a build that fails, a wrong option.
    fn failure(&self, status: ExitStatus, log: &ToolLog) -> Option<RunError>;
}

/// How long a process may be silent after its own watchdog should have ended it.
const GRACE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);
/// Tests under way that a process may lose in a row before we stop trying.
const FRUITLESS_STARTS: u32 = 3;

/// Runs all tests that are not done in this pass.
pub(crate) fn collect(batch: &dyn Batch, collection: Collection) -> Result<()> {
    let options = collection.options;
    let mut recorder = Recorder::new(batch, collection);
    let (recording, run) = (&recorder.collection.recording, recorder.collection.run);
    recording.for_each_run_at_least(run, |_| recorder.before += 1)?;
    // Side by side, each for a share of the tests.
    let shares = options.jobs.unwrap_or(1).max(1);
    let mut running = Vec::new();
    for number in 0..shares {
        running.push(Share::start(&mut recorder, (number, shares))?);
    }
    while !running.is_empty() {
        if recorder.collection.watch.asked_to_stop() {
            return Err(RunError::Interrupted);
        }
        let mut news = false;
        let mut at = 0;
        while at < running.len() {
            let share: &mut Share = &mut running[at];
            // Asked before the last read, so that nothing written before its end is missed.
            let ended = share.process.ended()?;
            news |= share.read(&mut recorder)?;
            match ended {
                Some(status) => {
                    if share.ended(&mut recorder, status)? {
                        running.remove(at);
                        continue;
                    }
                    let fruitless = share.fruitless;
                    let next = Share::start(&mut recorder, share.part)?;
                    *share = Share { fruitless, ..next };
                }
                None => share.check_time(options.timeout),
            }
            at += 1;
        }
        if !news {
            std::thread::sleep(PAUSE);
        }
    }
    Ok(())
}

/// Records what processes have reported that somebody else started, and that have ended.
pub(crate) fn take_in(batch: &dyn Batch, collection: Collection, spool: &mut Spool) -> Result<()> {
    let mut recorder = Recorder::new(batch, collection);
    spool.read(&mut |file, event| match event {
        Event::Unit(unit) => recorder.unit(file.to_owned(), unit),
        Event::End(end) => recorder.end(file, &end),
        Event::Judged(end) => recorder.judged(&end),
        Event::Trouble { message } => {
            recorder.collection.watch.note(&message);
            Ok(())
        }
        _ => Ok(()),
    })?;
    Ok(())
}

struct Share {
    /// Its number, and how many there are.
    part: (usize, usize),
    process: ProcessGroup,
    spool: Spool,
    log: ToolLog,
    /// Tests that began and have not ended.
    open: BTreeMap<String, Instant>,
    finished_before: u64,
    fruitless: u32,
}

impl Share {
    fn start(recorder: &mut Recorder, part: (usize, usize)) -> Result<Self> {
        let collection = &recorder.collection;
        let (number, of) = part;
        let file = |name: &str| collection.work.join(name);
        let log = ToolLog(file(&format!("output-{number}.log")));
        let spool = Spool::create(&file(&format!("spool-{number}")))?;
        let others = |file: &PathBuf| !file.starts_with(&spool.folder);
        recorder.units.retain(|file, _| others(file));
        recorder.planned.remove(&number);
        let path = file(&format!("plan-{number}"));
        let mut plan = Plan::of(collection.options, collection.measures());
        let shard = collection.options.shard.divided(number as u32, of as u32);
        if shard.1 > 1 {
            plan.line("shard", &format!("{} {}", shard.0, shard.1));
        }
        recorder.batch.plan(&mut plan);
        let recording = &collection.recording;
        recording.for_each_run_at_least(collection.run, |name| plan.line("skip", name))?;
        write_file(&path, plan.text)?;
        let mut command = recorder.batch.command(collection.work)?;
        command.env("FDC_PLAN", &path);
        command.env("FDC_SPOOL", &spool.folder);
        log_to(&mut command, &log.0)?;
        let process = ProcessGroup::spawn(&mut command).map_err(|error| {
            let program = command.get_program().to_string_lossy();
            let message = format!("cannot run {program}: {error}");
            RunError::tool(message, "check that it is installed")
        })?;
        note_down(&process, &noted_at(collection.work, number))?;
        Ok(Share {
            process,
            part,
            spool,
            log,
            open: BTreeMap::new(),
            finished_before: recorder.finished,
            fruitless: 0,
        })
    }

    /// Takes in what the process has reported; whether there was anything.
    fn read(&mut self, recorder: &mut Recorder) -> Result<bool> {
        let open = &mut self.open;
        let number = self.part.0;
        let news = self.spool.read(&mut |file, event| {
            match event {
                Event::Plan { tests } => recorder.plan(number, file, tests)?,
                Event::Begin { test } => {
                    open.insert(test, Instant::now());
                }
                Event::Unit(unit) => recorder.unit(file.to_owned(), unit)?,
                Event::End(end) => {
                    open.remove(&end.test);
                    recorder.planned.entry(number).or_default().finished += 1;
                    recorder.end(file, &end)?;
                }
                Event::Abandoned { test } => {
                    open.remove(&test);
                }
                Event::Trouble { message } => recorder.collection.watch.note(&message),
                // Nobody was asked to try mutants, or to leave a test unmeasured.
                Event::Judged(_)
                | Event::Baseline { .. }
                | Event::Mutating { .. }
                | Event::Mutant { .. } => {}
                Event::Bye => {}
            }
            Ok(())
        })?;
        for old in self.spool.clear() {
            recorder.units.remove(&old);
        }
        Ok(news)
    }

    /// A process that its own watchdog did not end in time is ended from here.
    fn check_time(&mut self, limit: Option<Duration>) {
        let late = |start: &Instant| limit.is_some_and(|limit| start.elapsed() > limit + GRACE);
        if self.open.values().any(late) {
            self.process.kill();
        }
    }

    /// What is left to do after the process has ended; whether that is nothing.
    fn ended(&mut self, recorder: &mut Recorder, status: ExitStatus) -> Result<bool> {
        let lost = std::mem::take(&mut self.open);
        let ending = status_text(status);
        let how = match recorder.collection.options.timeout {
            Some(limit) if lost.values().any(|start| start.elapsed() > limit) => {
                format!("timed out after {} s", limit.as_secs_f64())
            }
            _ => format!("the process ended in it ({ending})"),
        };
        for test in lost.keys() {
            recorder.collection.watch.note(&format!(
                "{test}: {how}; it counts as failed, what it covered is lost"
            ));
            let run = TestRun {
                name: test,
                judgement: FAIL,
                seconds: None,
                note: Some(&how),
                failure: None,
            };
            recorder.finish(&run, Vec::new())?;
        }
        if let Some(failure) = recorder.batch.failure(status, &self.log) {
            return Err(failure);
        }
        if self.spool.is_silent() && !recorder.batch.may_be_silent(status) {
            let message = format!("the tests' command ended before any test ({ending})");
            return Err(RunError::failed(message, &self.log));
        }
        if lost.is_empty() && (self.spool.all_said_goodbye() || self.spool.is_silent()) {
            return Ok(true);
        }
        self.fruitless += 1;
        if recorder.finished > self.finished_before {
            self.fruitless = 0;
        }
        if self.fruitless < FRUITLESS_STARTS {
            return Ok(false);
        }
        let again = format!("the tests' process ends again and again ({ending})");
        let message = format!("{again} without finishing a test");
        Err(RunError::failed(message, &self.log))
    }
}

struct Recorder<'r> {
    batch: &'r dyn Batch,
    collection: Collection<'r>,
    functions: ProjectMethods,
    /// Per spool file, its units.
    units: HashMap<PathBuf, HashMap<u64, Probes>>,
    finished: u64,
    /// Tests that need not be run in this pass.
    before: u64,
    /// By share, what its present process is about to run.
    planned: BTreeMap<usize, Planned>,
}

#[derive(Default)]
struct Planned {
    files: BTreeMap<PathBuf, u64>,
    finished: u64,
}

enum Probes {
    /// One for each.
    Listed(Vec<u32>),
    /// Probes are line numbers of this file; looked up when first covered.
    Lines(String, HashMap<u32, Option<u32>>),
    /// No part of the program.
    Foreign,
}

impl<'r> Recorder<'r> {
    fn new(batch: &'r dyn Batch, collection: Collection<'r>) -> Self {
        let options = collection.options;
        let tests_are_code = options.include_tests || batch.knows_test_code();
        Recorder {
            batch,
            collection,
            functions: ProjectMethods::new(&options.root, tests_are_code),
            units: HashMap::new(),
            finished: 0,
            before: 0,
            planned: BTreeMap::new(),
        }
    }

    fn plan(&mut self, share: usize, file: &Path, tests: u64) -> Result<()> {
        let planned = self.planned.entry(share).or_default();
        planned.files.insert(file.to_owned(), tests);
        let left = |planned: &Planned| {
            let tests: u64 = planned.files.values().sum();
            tests.saturating_sub(planned.finished)
        };
        let left: u64 = self.planned.values().map(left).sum();
        self.collection.plan(self.before + self.finished + left)
    }

    fn unit(&mut self, file: PathBuf, unit: Unit) -> Result<()> {
        let recording = &mut *self.collection.recording;
        let probes = match (self.batch.source(&unit), unit.functions) {
            (None, _) => Probes::Foreign,
            (Some(source), None) => Probes::Lines(source, HashMap::new()),
            (Some(source), Some(functions)) => {
                let mut elements = Vec::new();
                for function in &functions {
                    for &line in &function.lines {
                        elements.push(recording.element(&source, &function.name, line));
                    }
                }
                Probes::Listed(elements)
            }
        };
        self.units.entry(file).or_default().insert(unit.id, probes);
        Ok(())
    }

    fn end(&mut self, file: &Path, end: &End) -> Result<()> {
        let elements = match self.collection.measures() {
            true => self.covered(file, end)?,
            false => Vec::new(),
        };
        let failure = end.failure.as_ref().map(FailureRecord::from);
        self.finish(&end.run(failure.as_ref()), elements)
    }

    fn judged(&mut self, end: &End) -> Result<()> {
        let failure = end.failure.as_ref().map(FailureRecord::from);
        let run = end.run(failure.as_ref());
        self.collection.recording.judge(&run)?;
        Ok(())
    }

    fn finish(&mut self, run: &TestRun, elements: Vec<u32>) -> Result<()> {
        self.finished += 1;
        self.collection.record(run, elements)
    }

    fn covered(&mut self, file: &Path, end: &End) -> Result<Vec<u32>> {
        let recording = &mut *self.collection.recording;
        let mut elements = Vec::new();
        let mut units = self.units.get_mut(file);
        for (id, runs) in &end.cover {
            let unit = id.parse().ok();
            let probes = unit.and_then(|id: u64| units.as_mut()?.get_mut(&id));
            let Some(probes) = probes else {
                let found = format!("test {:?} covers unit {id:?}", end.test);
                let expected = "a unit that was told before";
                return Err(FileError::bad(file, expected, found).into());
            };
            for run in runs.chunks_exact(2) {
                for probe in run[0]..run[0].saturating_add(run[1]) {
                    match probes {
                        Probes::Listed(known) => elements.extend(known.get(probe as usize)),
                        Probes::Lines(source, known) => {
                            if let Entry::Vacant(new) = known.entry(probe) {
                                let method = self.functions.method(source, probe);
                                let element =
                                    method.map(|name| recording.element(source, &name, probe));
                                new.insert(element);
                            }
                            elements.extend(known[&probe]);
                        }
                        Probes::Foreign => {}
                    }
                }
            }
        }
        Ok(elements)
    }
}
