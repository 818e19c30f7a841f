//! Ecosystems whose tests get a process each: a queue of tests, workers, and one who records.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use fdc_case::recording::{Judgement, Recording, TestRun};
use fdc_core::evidence::FailureRecord;
use fdc_source::ProjectMethods;

use crate::Collection;
use crate::error::RunError;
use crate::process::empty_folder;

/// A project's tests, built, that get a process each.
pub(crate) trait Isolated: Sync {
    /// The tests that the options ask for. A test that may turn out to consist of parts is listed if
    /// any of its parts may be asked for.
    fn tests(&self) -> &[PlannedTest];

    fn run(&self, test: &PlannedTest, surroundings: &Surroundings) -> Result<Ran, RunError>;

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
    pub(crate) stop: &'r (dyn Fn() -> bool + Sync),
}

#[derive(Debug)]
pub(crate) enum Ran {
    Whole(EndedTest),
    /// It consists of parts, which are to be run instead.
    Parts(Vec<PlannedTest>),
}

#[derive(Debug)]
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
pub(crate) fn collect(isolated: &dyn Isolated, collection: Collection) -> Result<(), RunError> {
    let Collection { options, watch, .. } = collection;
    let mut tests = isolated.tests().to_vec();
    if tests.is_empty() {
        return Ok(());
    }
    let mut done = HashSet::new();
    collection.for_each_done(|name| {
        done.insert(name.to_owned());
        Ok(())
    })?;
    tests.retain(|test| !done.contains(&test.name));
    let mut planned = (done.len() + tests.len()) as u64;
    watch.planned(planned);
    let queue = Queue::of(tests);
    let stop = AtomicBool::new(false);
    let asked = || stop.load(Ordering::Relaxed);
    let measure = collection.measures();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        for worker in 0..options.jobs.unwrap_or_else(cores).max(1) {
            let (sender, queue, asked) = (sender.clone(), &queue, &asked);
            let folder = collection.work.join(format!("worker-{worker}"));
            scope.spawn(move || {
                let surroundings = Surroundings {
                    measure,
                    folder: &folder,
                    stop: asked,
                };
                while let Some(test) = queue.take() {
                    let emptied = empty_folder(&folder);
                    let ran = emptied.and_then(|()| isolated.run(&test, &surroundings));
                    if sender.send((test, ran)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut recorder = Recorder {
            recording: collection.recording,
            functions: ProjectMethods::new(&options.root, options.include_tests),
            known: HashSet::new(),
        };
        let mut take = |test: &PlannedTest, ran: Ran| {
            match ran {
                Ran::Parts(parts) => {
                    let new = parts.into_iter().filter(|part| !done.contains(&part.name));
                    let new = new.filter(|part| options.filter.keeps(&part.name));
                    let new: Vec<PlannedTest> = new.collect();
                    // Parts that are done are among those counted already.
                    planned = (planned + new.len() as u64).saturating_sub(1);
                    watch.planned(planned);
                    queue.add(new);
                }
                Ran::Whole(ended) if options.filter.keeps(&test.name) => {
                    recorder.record(test, ended, measure)?;
                    watch.finished(&test.name);
                }
                Ran::Whole(_) => {}
            }
            Ok(())
        };
        let mut trouble = None;
        loop {
            let received = receiver.recv_timeout(Duration::from_millis(50));
            if trouble.is_none() && watch.asked_to_stop() {
                trouble = Some(RunError::Interrupted);
            }
            match received {
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Ok((test, ran)) => {
                    if trouble.is_none() {
                        trouble = ran.and_then(|ran| take(&test, ran)).err();
                    }
                    queue.finished();
                }
            }
            if trouble.is_some() {
                stop.store(true, Ordering::Relaxed);
                queue.clear();
            }
        }
        trouble.map_or(Ok(()), Err)
    })
}

struct Recorder<'r> {
    recording: &'r mut Recording,
    functions: ProjectMethods,
    /// Programs and files whose lines that no test has covered yet are in the case as well. Not
    /// every program has the same lines of a file.
    known: HashSet<(usize, String)>,
}

impl Recorder<'_> {
    fn record(
        &mut self,
        test: &PlannedTest,
        ended: EndedTest,
        measure: bool,
    ) -> Result<(), RunError> {
        if !measure {
            return Ok(self.recording.record_again(&test.name, ended.judgement)?);
        }
        let mut elements = Vec::new();
        for RanLines { file, lines } in &ended.files {
            let new = self.known.insert((test.program, file.clone()));
            for &(line, covered) in lines {
                if !covered && !new {
                    continue;
                }
                let Some(method) = self.functions.method(file, line) else {
                    continue;
                };
                let element = self.recording.element(file, &method, line)?;
                if covered {
                    elements.push(element);
                }
            }
        }
        let run = TestRun {
            name: &test.name,
            judgement: ended.judgement,
            seconds: Some(ended.seconds),
            note: ended.note.as_deref(),
            failure: ended.failure.as_ref(),
        };
        self.recording.record(&run, &mut elements)?;
        Ok(())
    }
}

/// Tests to run; parts of tests are added as they are found.
struct Queue {
    state: Mutex<QueueState>,
    news: Condvar,
}

struct QueueState {
    waiting: VecDeque<PlannedTest>,
    /// Taken, and not yet recorded: may still add parts.
    under_way: usize,
}

impl Queue {
    fn of(tests: Vec<PlannedTest>) -> Self {
        Queue {
            state: Mutex::new(QueueState {
                waiting: tests.into(),
                under_way: 0,
            }),
            news: Condvar::new(),
        }
    }

    /// The next test; none once all are done.
    fn take(&self) -> Option<PlannedTest> {
        let mut state = self.lock();
        loop {
            if let Some(test) = state.waiting.pop_front() {
                state.under_way += 1;
                return Some(test);
            }
            if state.under_way == 0 {
                return None;
            }
            state = self
                .news
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn add(&self, tests: Vec<PlannedTest>) {
        self.lock().waiting.extend(tests);
        self.news.notify_all();
    }

    fn finished(&self) {
        self.lock().under_way -= 1;
        self.news.notify_all();
    }

    fn clear(&self) {
        self.lock().waiting.clear();
        self.news.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
