//! Ecosystems whose tests get a process each: a queue of tests, workers, and one who records.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use fdc_case::recording::{Judgement, Recording, TestRun};
use fdc_core::evidence::FailureRecord;
use fdc_source::ProjectMethods;

use crate::Collection;
use crate::error::{Result, RunError};
use crate::mutate::VARIABLE;
use crate::process::{ProcessGroup, empty_folder};

/// A project's tests, built, that get a process each.
pub(crate) trait Isolated: Sync {
    /// The tests that the options ask for; one that may consist of parts if any may be asked for.
    fn tests(&self) -> &[PlannedTest];

    fn run(&self, test: &PlannedTest, surroundings: &Surroundings) -> Result<Ran>;

    /// A part of a test, by its whole name.
    fn part_named(&self, _name: &str) -> Option<PlannedTest> {
        None
    }

    /// What kept some tests from being measured, to be said when all others are done.
    fn complaint(&self) -> Option<RunError> {
        None
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlannedTest {
    pub(crate) name: String,
    /// The program that runs it, an index into the ecosystem's own list.
    pub(crate) program: usize,
    /// What the program calls it.
    pub(crate) selector: String,
    /// Whether it was found by looking into another test.
    pub(crate) part: bool,
}

pub(crate) struct Surroundings<'r> {
    /// Measure coverage, or find out the outcome alone.
    pub(crate) measure: bool,
    /// A folder for files of this run, empty at its start.
    pub(crate) folder: &'r Path,
    /// How long the test may take.
    pub(crate) limit: Option<Duration>,
    /// The mutant to switch on, in a build that has any.
    pub(crate) mutant: Option<u32>,
    /// The code is not the project's own, and may do anything.
    pub(crate) contained: bool,
    pub(crate) stop: &'r (dyn Fn() -> bool + Sync),
}

impl Surroundings<'_> {
    /// Starts a test's program in a group of its own. `memory` is what it may use if it is contained,
    /// in bytes.
    pub(crate) fn spawn(
        &self,
        command: &mut Command,
        memory: Option<u64>,
    ) -> io::Result<ProcessGroup> {
        command.envs(self.mutant.map(|number| (VARIABLE, number.to_string())));
        if !self.contained {
            return ProcessGroup::spawn(command);
        }
        // What tests leave behind goes with the folder, and who is of this test can be told by it.
        let temporary = self.folder.join("tmp");
        std::fs::create_dir_all(&temporary)?;
        command.env("TMPDIR", &temporary);
        let group = ProcessGroup::spawn(command)?;
        group.limit(memory, LARGEST_FILE);
        Ok(group)
    }
}

/// What contained tests may use, in bytes: memory, beyond what tests of their kind begin with, and a
/// file.
pub(crate) const MEMORY: u64 = 2 << 30;
pub(crate) const LARGEST_FILE: u64 = 256 << 20;

pub(crate) enum Ran {
    Whole(EndedTest),
    /// It consists of parts, which are to be run instead.
    Parts(Vec<PlannedTest>),
}

pub(crate) struct EndedTest {
    pub(crate) judgement: Judgement,
    pub(crate) seconds: f64,
    /// Why it failed or was skipped.
    pub(crate) note: Option<String>,
    /// How it failed, where the run told.
    pub(crate) failure: Option<FailureRecord>,
    pub(crate) files: Vec<RanLines>,
}

/// The lines of a file that could run, ascending, and whether each did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RanLines {
    /// Path relative to the project's root.
    pub(crate) file: String,
    pub(crate) lines: Vec<(u32, bool)>,
}

/// Lines of files, put together from several places: one that ran anywhere ran.
#[derive(Debug, Default)]
pub(crate) struct LinesOfFiles {
    files: BTreeMap<String, BTreeMap<u32, bool>>,
}

impl LinesOfFiles {
    pub(crate) fn add(&mut self, file: &str, lines: impl IntoIterator<Item = (u32, bool)>) {
        let known = match self.files.get_mut(file) {
            Some(known) => known,
            None => self.files.entry(file.to_owned()).or_default(),
        };
        for (line, ran) in lines {
            *known.entry(line).or_default() |= ran;
        }
    }

    /// By path and line.
    pub(crate) fn sorted(self) -> Vec<RanLines> {
        let files = self.files.into_iter().map(|(file, lines)| RanLines {
            file,
            lines: lines.into_iter().collect(),
        });
        files.collect()
    }
}

/// Runs all tests that are not done in this pass.
pub(crate) fn collect(isolated: &dyn Isolated, mut collection: Collection) -> Result<()> {
    let Collection {
        options,
        watch,
        work,
        ..
    } = collection;
    let mut tests = isolated.tests().to_vec();
    // Parts of a test stay together.
    tests.retain(|test| options.shard.holds(&test.name));
    if tests.is_empty() {
        return Ok(());
    }
    let mut done = HashSet::new();
    let recording = &collection.recording;
    recording.for_each_run_at_least(collection.run, |name| {
        done.insert(name.to_owned());
    })?;
    tests.retain(|test| !done.contains(&test.name));
    let mut planned = (done.len() + tests.len()) as u64;
    collection.plan(planned)?;
    let mut left = tests.len();
    let (hand_out, waiting) = mpsc::channel();
    let waiting = Mutex::new(waiting);
    let stop = AtomicBool::new(false);
    let asked = || stop.load(Ordering::Relaxed);
    let next = || {
        let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.recv().ok().filter(|_| !asked())
    };
    let measure = collection.measures();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        for worker in 0..options.jobs.unwrap_or_else(cores).max(1) {
            let (sender, next, asked) = (sender.clone(), &next, &asked);
            let folder = work.join(format!("worker-{worker}"));
            scope.spawn(move || {
                let surroundings = Surroundings {
                    measure,
                    folder: &folder,
                    limit: options.timeout,
                    mutant: None,
                    contained: options.copied_from.is_some(),
                    stop: asked,
                };
                while let Some(test) = next() {
                    let emptied = empty_folder(&folder);
                    let ran = emptied.and_then(|()| isolated.run(&test, &surroundings));
                    if sender.send((test, ran)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let add = |tests: Vec<PlannedTest>| {
            // Nobody takes them any more only if all workers are gone.
            tests.into_iter().for_each(|test| drop(hand_out.send(test)));
        };
        add(tests);
        let mut functions = ProjectMethods::new(&options.root, options.include_tests);
        let mut known = HashSet::new();
        let mut take = |test: &PlannedTest, ran: Ran| -> Result<usize> {
            match ran {
                Ran::Parts(mut parts) => {
                    let keeps = |name: &str| !done.contains(name) && options.filter.keeps(name);
                    parts.retain(|part| keeps(&part.name));
                    let new = parts.len();
                    // Parts that are done are among those counted already.
                    planned = (planned + new as u64).saturating_sub(1);
                    collection.plan(planned)?;
                    add(parts);
                    return Ok(new);
                }
                Ran::Whole(ended) if options.filter.keeps(&test.name) => {
                    let recording = &mut *collection.recording;
                    let files = ended.files.iter().filter(|_| measure);
                    let elements =
                        covered(recording, &mut functions, &mut known, test.program, files);
                    let run = TestRun {
                        name: &test.name,
                        judgement: ended.judgement,
                        seconds: Some(ended.seconds),
                        note: ended.note.as_deref(),
                        failure: ended.failure.as_ref(),
                    };
                    collection.record(&run, elements)?;
                }
                Ran::Whole(_) => {}
            }
            Ok(0)
        };
        let mut result = Ok(());
        while left > 0 && result.is_ok() {
            match receiver.recv_timeout(Duration::from_millis(50)) {
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Ok((test, ran)) => match ran.and_then(|ran| take(&test, ran)) {
                    Ok(new) => left = left - 1 + new,
                    Err(error) => result = Err(error),
                },
            }
            if result.is_ok() && watch.asked_to_stop() {
                result = Err(RunError::Interrupted);
            }
        }
        stop.store(true, Ordering::Relaxed);
        drop(hand_out);
        result
    })
}

/// The elements that a test covers. `known` are programs and files whose lines that no test has
/// covered yet are in the case as well; not every program has the same lines of a file.
fn covered<'f>(
    recording: &mut Recording,
    functions: &mut ProjectMethods,
    known: &mut HashSet<(usize, String)>,
    program: usize,
    files: impl Iterator<Item = &'f RanLines>,
) -> Vec<u32> {
    let mut elements = Vec::new();
    for RanLines { file, lines } in files {
        let new = known.insert((program, file.clone()));
        for &(line, covered) in lines.iter().filter(|(_, covered)| *covered || new) {
            if let Some(method) = functions.method(file, line) {
                let element = recording.element(file, &method, line);
                elements.extend(covered.then_some(element));
            }
        }
    }
    elements
}
