//! Ecosystems whose tests run many to a process, which reports through the spool.
//!
//! A process that ends before it has said goodbye (a test killed it, hung, or left by itself) is
//! started again for the tests that are left; the test it was in has failed.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use fdc_case::FileError;
use fdc_case::recording::{Judgement, Recording, TestRun};
use fdc_core::spectrum::Outcome;
use fdc_source::ProjectMethods;

use crate::Pass;
use crate::error::{CollectError, Log};
use crate::options::Options;
use crate::plan::Plan;
use crate::process::{Group, log_to, status_text};
use crate::spool::{End, EndOutcome, Event, Spool, Unit};
use crate::watch::Watch;

/// An ecosystem whose tests run many to a process.
pub trait Session {
    /// The command that runs the tests. The plan and the spool are given to it in `FDC_PLAN` and
    /// `FDC_SPOOL`; `work` is a folder for files of its own.
    fn command(&self, work: &Path) -> Result<Command, CollectError>;

    /// How many such commands to run side by side, each for a share of the tests.
    fn shards(&self) -> usize {
        1
    }

    /// Adds what this ecosystem's processes have to be told.
    fn plan(&self, _plan: &mut Plan) -> Result<(), CollectError> {
        Ok(())
    }

    /// The source of a unit as a path relative to the project's root; none if the unit is not part
    /// of the program.
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

    /// Whether the command's own end is a failure beyond failing tests: a build that fails, a wrong
    /// option.
    fn failure(&self, status: ExitStatus, log: &Log) -> Option<CollectError>;
}

/// How long a process may be silent after its own watchdog should have ended it.
const GRACE: Duration = Duration::from_secs(10);
/// Files in the work folder with the number of a process group begin so.
pub const PROCESS: &str = "process-";
const PAUSE: Duration = Duration::from_millis(20);
/// Tests under way that a process may lose in a row before we stop trying.
const FRUITLESS_STARTS: u32 = 3;

/// Runs all tests that are not done in this pass.
pub fn collect(
    session: &dyn Session,
    options: &Options,
    pass: Pass,
    recording: &mut Recording,
    work: &Path,
    watch: &dyn Watch,
) -> Result<(), CollectError> {
    let shards = session.shards().max(1);
    let mut recorder = Recorder {
        session,
        recording,
        functions: ProjectMethods::new(
            &options.root,
            options.include_tests || session.knows_test_code(),
        ),
        units: HashMap::new(),
        pass,
        limit: options.timeout,
        finished: 0,
        planned: BTreeMap::new(),
    };
    let mut running = Vec::new();
    for shard in 0..shards {
        running.push(Shard::start(&mut recorder, options, work, shard, shards)?);
    }
    while !running.is_empty() {
        if watch.asked_to_stop() {
            return Err(CollectError::Interrupted);
        }
        let mut news = false;
        let mut at = 0;
        while at < running.len() {
            let shard: &mut Shard = &mut running[at];
            // Asked before the last read, so that nothing written before its end is missed.
            let ended = shard.process.ended();
            let ended = ended.map_err(CollectError::io(&shard.log.path, "wait for it"))?;
            news |= shard.read(&mut recorder, watch)?;
            match ended {
                Some(status) => match shard.ended(&mut recorder, status, watch)? {
                    Next::Done => {
                        running.remove(at);
                        continue;
                    }
                    Next::Again => shard.restart(&mut recorder, options, work)?,
                },
                None => shard.check_time(&mut recorder)?,
            }
            at += 1;
        }
        if !news {
            std::thread::sleep(PAUSE);
        }
    }
    Ok(())
}

/// What happens after a process has ended.
enum Next {
    Done,
    Again,
}

/// One command at work, with what it has under way.
struct Shard {
    number: usize,
    of: usize,
    process: Group,
    spool: Spool,
    log: Log,
    /// Tests that began and have not ended.
    open: BTreeMap<String, Instant>,
    finished_before: u64,
    fruitless: u32,
}

impl Shard {
    fn start(
        recorder: &mut Recorder,
        options: &Options,
        work: &Path,
        number: usize,
        of: usize,
    ) -> Result<Self, CollectError> {
        let log = Log {
            path: work.join(format!("output-{number}.log")),
        };
        let spool = Spool::create(&work.join(format!("spool-{number}")))?;
        let process = launch(recorder, options, work, &spool, &log, (number, of))?;
        Ok(Shard {
            number,
            of,
            process,
            spool,
            log,
            open: BTreeMap::new(),
            finished_before: recorder.finished,
            fruitless: 0,
        })
    }

    fn restart(
        &mut self,
        recorder: &mut Recorder,
        options: &Options,
        work: &Path,
    ) -> Result<(), CollectError> {
        let folder = self.spool.folder();
        recorder.units.retain(|file, _| !file.starts_with(folder));
        self.spool = Spool::create(self.spool.folder().to_owned().as_path())?;
        self.finished_before = recorder.finished;
        let part = (self.number, self.of);
        self.process = launch(recorder, options, work, &self.spool, &self.log, part)?;
        Ok(())
    }

    /// Takes in what the process has reported.
    fn read(&mut self, recorder: &mut Recorder, watch: &dyn Watch) -> Result<bool, CollectError> {
        let open = &mut self.open;
        let number = self.number;
        let news = self.spool.read(&mut |(file, event)| {
            match event {
                Event::Plan { tests } => recorder.plan(number, &file, tests, watch),
                Event::Begin { test } => {
                    open.insert(test, Instant::now());
                }
                Event::Unit(unit) => recorder.unit(file, unit)?,
                Event::End(end) => {
                    open.remove(&end.test);
                    recorder.end(&file, &end)?;
                    watch.finished(&end.test);
                }
                Event::Abandoned { test } => {
                    open.remove(&test);
                }
                Event::Trouble { message } => watch.note(&message),
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
    fn check_time(&mut self, recorder: &mut Recorder) -> Result<(), CollectError> {
        let Some(limit) = recorder.limit else {
            return Ok(());
        };
        let late = self
            .open
            .values()
            .any(|start| start.elapsed() > limit + GRACE);
        if late {
            self.process.kill();
        }
        Ok(())
    }

    fn ended(
        &mut self,
        recorder: &mut Recorder,
        status: ExitStatus,
        watch: &dyn Watch,
    ) -> Result<Next, CollectError> {
        let lost = std::mem::take(&mut self.open);
        let how = match recorder.limit {
            Some(limit) if lost.values().any(|start| start.elapsed() > limit) => {
                format!("timed out after {} s", limit.as_secs_f64())
            }
            _ => format!("the process ended in it ({})", status_text(status)),
        };
        for test in lost.keys() {
            recorder.end(
                Path::new(""),
                &End {
                    test: test.clone(),
                    outcome: EndOutcome::Fail,
                    seconds: None,
                    cover: BTreeMap::new(),
                    note: Some(how.clone()),
                },
            )?;
            watch.note(&format!(
                "{test}: {how}; it counts as failed, what it covered is lost"
            ));
            watch.finished(test);
        }
        if let Some(failure) = recorder.session.failure(status, &self.log) {
            return Err(failure);
        }
        if self.spool.is_silent() && !recorder.session.may_be_silent(status) {
            let message = format!(
                "the tests' command ended before any test ({})",
                status_text(status)
            );
            return Err(CollectError::failed(message, &self.log));
        }
        if lost.is_empty() && (self.spool.all_said_goodbye() || self.spool.is_silent()) {
            return Ok(Next::Done);
        }
        if recorder.finished > self.finished_before {
            self.fruitless = 0;
            return Ok(Next::Again);
        }
        self.fruitless += 1;
        if self.fruitless < FRUITLESS_STARTS {
            return Ok(Next::Again);
        }
        let message = format!(
            "the tests' process ends again and again ({}) without finishing a test",
            status_text(status)
        );
        Err(CollectError::failed(message, &self.log))
    }
}

fn launch(
    recorder: &mut Recorder,
    options: &Options,
    work: &Path,
    spool: &Spool,
    log: &Log,
    (number, of): (usize, usize),
) -> Result<Group, CollectError> {
    let path = work.join(format!("plan-{number}"));
    let mut plan = Plan::create(&path, options, recorder.pass == Pass::Measure)?;
    if of > 1 {
        plan.line("shard", &format!("{number} {of}"))?;
    }
    recorder.session.plan(&mut plan)?;
    recorder
        .pass
        .for_each_done(recorder.recording, |name| plan.line("skip", name))?;
    plan.finish()?;
    let mut command = recorder.session.command(work)?;
    command
        .env("FDC_PLAN", &path)
        .env("FDC_SPOOL", spool.folder());
    log_to(&mut command, &log.path)?;
    let group = Group::spawn(&mut command).map_err(|error| {
        let program = command.get_program().to_string_lossy().into_owned();
        CollectError::tool(
            format!("cannot run {program}: {error}"),
            "check that it is installed",
        )
    })?;
    // For the next collector, should this one be killed.
    let path = work.join(format!("{PROCESS}{number}"));
    std::fs::write(&path, group.id().to_string()).map_err(CollectError::io(&path, "write it"))?;
    Ok(group)
}

/// Takes events into the case.
struct Recorder<'r> {
    session: &'r dyn Session,
    recording: &'r mut Recording,
    functions: ProjectMethods,
    /// Per spool file, its units.
    units: HashMap<PathBuf, HashMap<u64, Probes>>,
    pass: Pass,
    limit: Option<Duration>,
    finished: u64,
    planned: BTreeMap<(usize, PathBuf), u64>,
}

/// The elements behind a unit's probes.
enum Probes {
    /// One for each.
    Listed(Vec<u32>),
    /// Probes are line numbers of this file; looked up when first covered.
    Lines(String, HashMap<u32, Option<u32>>),
    /// No part of the program.
    Foreign,
}

impl Recorder<'_> {
    fn plan(&mut self, shard: usize, file: &Path, tests: u64, watch: &dyn Watch) {
        self.planned.insert((shard, file.to_owned()), tests);
        let known = self
            .recording
            .counts()
            .map_or(0, |counts| counts.tests + counts.skipped);
        let known = known.saturating_sub(self.finished);
        watch.planned(known + self.planned.values().sum::<u64>());
    }

    fn unit(&mut self, file: PathBuf, unit: Unit) -> Result<(), CollectError> {
        let probes = match (self.session.source(&unit), unit.functions) {
            (None, _) => Probes::Foreign,
            (Some(source), None) => Probes::Lines(source, HashMap::new()),
            (Some(source), Some(functions)) => {
                let mut elements = Vec::new();
                for function in &functions {
                    for &line in &function.lines {
                        elements.push(self.recording.element(&source, &function.name, line)?);
                    }
                }
                Probes::Listed(elements)
            }
        };
        self.units.entry(file).or_default().insert(unit.id, probes);
        Ok(())
    }

    fn end(&mut self, file: &Path, end: &End) -> Result<(), CollectError> {
        self.finished += 1;
        let judgement = match end.outcome {
            EndOutcome::Pass => Judgement::Judged(Outcome::Pass),
            EndOutcome::Fail => Judgement::Judged(Outcome::Fail),
            EndOutcome::Skip => Judgement::Skipped,
        };
        if self.pass != Pass::Measure {
            return Ok(self.recording.record_again(&end.test, judgement)?);
        }
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
                            let element = match known.get(&probe) {
                                Some(&element) => element,
                                None => {
                                    let method = self.functions.method(source, probe);
                                    let element = method
                                        .map(|name| self.recording.element(source, &name, probe))
                                        .transpose()?;
                                    known.insert(probe, element);
                                    element
                                }
                            };
                            elements.extend(element);
                        }
                        Probes::Foreign => {}
                    }
                }
            }
        }
        let run = TestRun {
            name: &end.test,
            judgement,
            seconds: end.seconds,
            note: end.note.as_deref(),
        };
        self.recording.record(&run, &mut elements)?;
        Ok(())
    }
}
