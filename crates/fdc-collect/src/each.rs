//! Ecosystems whose tests get a process each: a queue of tests, workers, and one who records.

use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};

use fdc_case::recording::{Judgement, Recording, TestRun};
use fdc_source::ProjectMethods;

use crate::Pass;
use crate::error::CollectError;
use crate::options::Options;
use crate::watch::Watch;

/// An ecosystem whose tests get a process each.
pub trait Each: Sync {
    /// Builds what is needed and lists the tests that the options ask for. A test that may turn
    /// out to consist of parts is listed if any of its parts may be asked for.
    fn tests(&self, watch: &dyn Watch) -> Result<Vec<Planned>, CollectError>;

    /// Runs one test, in a folder of its own that is empty.
    fn run(&self, test: &Planned, run: &RunOptions) -> Result<Run, CollectError>;

    /// What kept some tests from being measured, to be said when all others are done.
    fn complaint(&self) -> Option<CollectError> {
        None
    }
}

/// A test to be run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Planned {
    /// Its identity.
    pub name: String,
    /// The program that runs it, an index into the ecosystem's own list.
    pub program: usize,
    /// What the program calls it.
    pub selector: String,
}

/// How one test is to be run.
pub struct RunOptions<'r> {
    /// Measure coverage, or find out the outcome alone.
    pub measure: bool,
    /// A folder for files of this run, empty at its start.
    pub folder: &'r Path,
    /// Whether somebody asked to stop.
    pub stop: &'r (dyn Fn() -> bool + Sync),
}

/// What came of a run.
#[derive(Debug)]
pub enum Run {
    /// The test ended.
    Ended {
        /// How.
        judgement: Judgement,
        /// How long it took.
        seconds: f64,
        /// Why it failed or was skipped.
        note: Option<String>,
        /// What it covered.
        files: Vec<FileLines>,
    },
    /// It consists of parts, which are to be run instead.
    Parts(Vec<Planned>),
}

/// The lines of a file that could run, ascending, and whether each did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileLines {
    /// Path relative to the project's root.
    pub file: String,
    /// Line and whether it ran.
    pub lines: Vec<(u32, bool)>,
}

/// Runs all tests that are not done in this pass.
pub fn collect(
    each: &dyn Each,
    options: &Options,
    pass: Pass,
    recording: &mut Recording,
    work: &Path,
    watch: &dyn Watch,
) -> Result<(), CollectError> {
    let mut tests = each.tests(watch)?;
    if tests.is_empty() {
        return Ok(());
    }
    let mut done = HashSet::new();
    pass.for_each_done(recording, |name| {
        done.insert(name.to_owned());
        Ok(())
    })?;
    tests.retain(|test| !done.contains(&test.name));
    let mut planned = (done.len() + tests.len()) as u64;
    watch.planned(planned);
    let queue = Queue::of(tests);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let asked = || stop.load(std::sync::atomic::Ordering::Relaxed);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        for worker in 0..options.jobs.unwrap_or_else(cores).max(1) {
            let (sender, queue, asked) = (sender.clone(), &queue, &asked);
            let folder = work.join(format!("worker-{worker}"));
            scope.spawn(move || {
                while let Some(test) = queue.take() {
                    let run = run_in(each, &test, pass, &folder, asked);
                    if sender.send((test, run)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut recorder = Recorder {
            recording,
            functions: ProjectMethods::new(&options.root, options.include_tests),
            known: HashSet::new(),
        };
        let mut take = |test: &Planned, run: Run, watch: &dyn Watch| {
            match run {
                Run::Parts(parts) => {
                    let new = parts.into_iter().filter(|part| !done.contains(&part.name));
                    let new = new.filter(|part| options.filter.keeps(&part.name));
                    let new: Vec<Planned> = new.collect();
                    // Parts that are done are among those counted already.
                    planned = (planned + new.len() as u64).saturating_sub(1);
                    watch.planned(planned);
                    queue.add(new);
                }
                ended if options.filter.keeps(&test.name) => {
                    recorder.record(test, ended, pass)?;
                    watch.finished(&test.name);
                }
                _ => {}
            }
            Ok(())
        };
        let mut trouble = None;
        loop {
            let pause = std::time::Duration::from_millis(50);
            let received = receiver.recv_timeout(pause);
            if trouble.is_none() && watch.asked_to_stop() {
                trouble = Some(CollectError::Interrupted);
            }
            match received {
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Ok((test, run)) => {
                    if trouble.is_none() {
                        let taken = run.and_then(|run| take(&test, run, watch));
                        trouble = taken.err();
                    }
                    queue.finished();
                }
            }
            if trouble.is_some() {
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
                queue.clear();
            }
        }
        trouble.map_or(Ok(()), Err)
    })
}

fn run_in(
    each: &dyn Each,
    test: &Planned,
    pass: Pass,
    folder: &Path,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Run, CollectError> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(CollectError::io(folder, "empty it"))?;
    }
    std::fs::create_dir_all(folder).map_err(CollectError::io(folder, "make it"))?;
    let run = RunOptions {
        measure: pass == Pass::Measure,
        folder,
        stop,
    };
    each.run(test, &run)
}

struct Recorder<'r> {
    recording: &'r mut Recording,
    functions: ProjectMethods,
    /// Programs and files whose lines that no test has covered yet are in the case as well. Not
    /// every program has the same lines of a file.
    known: HashSet<(usize, String)>,
}

impl Recorder<'_> {
    fn record(&mut self, test: &Planned, run: Run, pass: Pass) -> Result<(), CollectError> {
        let Run::Ended {
            judgement,
            seconds,
            note,
            files,
        } = run
        else {
            return Ok(());
        };
        if pass != Pass::Measure {
            return Ok(self.recording.record_again(&test.name, judgement)?);
        }
        let mut elements = Vec::new();
        for FileLines { file, lines } in &files {
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
            judgement,
            seconds: Some(seconds),
            note: note.as_deref(),
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
    waiting: VecDeque<Planned>,
    /// Taken, and not yet recorded: may still add parts.
    under_way: usize,
}

impl Queue {
    fn of(tests: Vec<Planned>) -> Self {
        Queue {
            state: Mutex::new(QueueState {
                waiting: tests.into(),
                under_way: 0,
            }),
            news: Condvar::new(),
        }
    }

    /// The next test; none once all are done.
    fn take(&self) -> Option<Planned> {
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

    fn add(&self, tests: Vec<Planned>) {
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
