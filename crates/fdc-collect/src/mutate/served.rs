//! Mutants in processes that stay: most are in the program already, each behind a switch, and the others
//! are built by themselves, one at a time. A process has libraries loaded, and the project anew for each
//! mutant.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fdc_case::mutants::{Fate, Kill};
use fdc_core::evidence::FailureRecord;

use super::cold;
use super::draw::Candidate;
use super::guarded_copy::GuardedCopy;
use super::outcomes::Failed;
use super::project_copy::copy_project;
use super::woven_sources::WovenSources;
use super::{Harm, Overhead, Silent, TestTime, Trial, Tried, UNFIT, has_passed, left_out};
use crate::error::{Cause, Result, RunError};
use crate::filter::Filter;
use crate::process::make_folder;
use crate::{CollectOptions, Watch};

/// Builds the tests of a copy, and weaves mutants into them; none if they cannot be built so.
pub(crate) type OpenServed =
    fn(ServedGround, &mut WovenSources, &dyn Watch) -> Result<Option<Box<dyn Served>>>;

/// Where and for what tests are built.
pub(crate) struct ServedGround {
    /// The root is a copy of the project.
    pub(crate) options: CollectOptions,
    /// All tests, with the time that each may take.
    pub(crate) tests: Vec<(String, Duration)>,
    /// The files that have mutants, woven in or not.
    pub(crate) files: BTreeSet<String>,
    /// A folder for files on the way.
    pub(crate) work: PathBuf,
}

pub(crate) trait Served: Sync {
    /// What one of several jobs runs tests with. The first has the copy, others one of their own.
    fn server(&self, job: usize) -> Result<Box<dyn Server + '_>>;

    /// Whether the collector could try a mutant: it builds what it runs.
    fn builds(&self) -> bool;
}

type Stop<'s> = &'s (dyn Fn() -> bool + Sync);

pub(crate) trait Server: Send {
    /// Builds the file with a change of its own; whether a compiler takes it.
    fn build(&mut self, path: &str, text: &str, stop: Stop) -> Result<bool>;

    fn attempt(&mut self, program: Program, tests: &[&str], stop: Stop) -> Result<Attempted>;
}

/// What tests are run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// No mutant.
    Plain,
    /// One that is woven in.
    Switched(u32),
    /// What was built last.
    Built,
}

/// How tests ended.
#[derive(Debug, Default)]
pub(crate) struct Attempted {
    /// Those that failed, and how.
    pub(crate) failed: Vec<(String, Option<FailureRecord>)>,
    /// Those that did not.
    pub(crate) passed: HashSet<String>,
    /// One took too long, and those after it were not run.
    pub(crate) hung: bool,
    /// The process ended in the last one.
    pub(crate) crashed: bool,
}

/// Tries them; those that have to be tried cold.
pub(super) fn run<'c>(
    trial: &mut Trial,
    open: OpenServed,
    candidates: &[&'c Candidate],
) -> Result<Vec<&'c Candidate>> {
    let all: Vec<(u32, &Candidate)> = (1..).zip(candidates.iter().copied()).collect();
    let Some((served, woven)) = opened(trial, open, &all)? else {
        return left(trial, candidates.to_vec());
    };
    let jobs = trial.jobs().min(candidates.len());
    let mut servers = Vec::new();
    for job in 0..jobs {
        let server = served.server(job)?;
        let folder = folder_of(trial.work, job);
        let copy = GuardedCopy::of(&folder.join("project"), folder.join("spare"))?;
        servers.push(Mutex::new(Place { server, copy }));
    }
    let Baseline { unfit, shy } = baseline(trial, &*served, &servers, candidates)?;
    servers.iter().for_each(|place| locked(place).copy.let_be());
    if trial.is_over() {
        return Ok(Vec::new());
    }
    let is_shy = |one: &Candidate| one.tests.iter().any(|test| shy.contains(test));
    let (cold, tried): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, one)| is_shy(one));
    let together = tried.iter().filter(|(one, _)| woven.contains(one)).count();
    trial.watch.note(&format!(
        "{together} mutants are built at once, {} by themselves",
        tried.len() + cold.len() - together
    ));
    let root = trial.options.run.root.clone();
    let numbered: Vec<(usize, (u32, &Candidate))> = tried.into_iter().enumerate().collect();
    let mut overhead = Overhead::default();
    trial.share_out(
        &numbered,
        &|_| Ok(()),
        &|job, (), (at, (number, candidate))| {
            let mut place = locked(&servers[job.number]);
            let mut attempt = Attempt {
                place: &mut place,
                candidate,
                tests: fit(candidate, &unfit),
                stop: &job.stop(),
            };
            if !woven.contains(number) {
                return Ok((attempt.by_itself(&root)?, None));
            }
            let without = match Overhead::looks_at(*at) {
                true => attempt.without()?,
                false => None,
            };
            Ok((attempt.tried(Program::Switched(*number))?, without))
        },
        &mut |trial, ((_, (_, candidate)), (tried, without))| {
            overhead.count(&tried, without);
            trial.record(candidate, tried)
        },
    )?;
    overhead.tell(trial.watch);
    let cold: Vec<&Candidate> = cold.into_iter().map(|(_, one)| one).collect();
    left(trial, cold)
}

fn left<'c>(trial: &Trial, left: Vec<&'c Candidate>) -> Result<Vec<&'c Candidate>> {
    match trial.is_over() {
        true => Ok(Vec::new()),
        false => Ok(left),
    }
}

/// Those of the tests that pass without a mutant.
fn passing(server: &mut dyn Server, tests: &[&str], stop: Stop) -> Result<HashSet<String>> {
    let (mut left, mut passed) = (tests.to_vec(), HashSet::new());
    while !left.is_empty() {
        let ended = server.attempt(Program::Plain, &left, stop)?;
        let failed: HashSet<&str> = ended.failed.iter().map(|(test, _)| &**test).collect();
        let before = left.len();
        left.retain(|test| !failed.contains(test) && !ended.passed.contains(*test));
        let has_ended_early = ended.hung || ended.crashed;
        passed.extend(ended.passed);
        // One that ends the process, or takes too long, has kept the others waiting.
        if !has_ended_early || left.len() == before {
            break;
        }
    }
    Ok(passed)
}

/// What one job has for itself.
struct Place<'s> {
    server: Box<dyn Server + 's>,
    /// Where its tests run.
    copy: GuardedCopy,
}

/// For the copy of a job, and what else it needs.
pub(crate) fn folder_of(work: &Path, job: usize) -> PathBuf {
    work.join(format!("served-{job}"))
}

fn locked<'p, 's>(place: &'p Mutex<Place<'s>>) -> MutexGuard<'p, Place<'s>> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

fn fit<'c>(candidate: &'c Candidate, unfit: &HashSet<String>) -> Vec<&'c str> {
    let tests = candidate.tests.iter().filter(|test| !unfit.contains(*test));
    tests.map(String::as_str).collect()
}

type Opened = (Box<dyn Served>, BTreeSet<u32>);

fn opened(trial: &Trial, open: OpenServed, all: &[(u32, &Candidate)]) -> Result<Option<Opened>> {
    let (run, folder) = (&trial.options.run, folder_of(trial.work, 0));
    let root = folder.join("project");
    copy_project(&run.root, &root, &[run.case.clone(), trial.work.to_owned()])?;
    let root = root.canonicalize().unwrap_or(root);
    let options = CollectOptions {
        case: folder.join("case"),
        filter: Filter::default(),
        timeout: None,
        jobs: None,
        changed_since: None,
        outcomes_only: true,
        copied_from: Some(run.root.clone()),
        root: root.clone(),
        ..run.clone()
    };
    let names: BTreeSet<&String> = all.iter().flat_map(|(_, one)| &one.tests).collect();
    let limit = |name: &String| trial.limits.get(name).map(|time: &TestTime| time.limit);
    let tests = names
        .into_iter()
        .map(|name| (name.clone(), limit(name).unwrap_or_default()))
        .collect();
    let files = all.iter().map(|(_, one)| one.change.path.clone());
    let ground = ServedGround {
        options,
        tests,
        files: files.collect(),
        work: trial.work.to_owned(),
    };
    make_folder(&folder)?;
    let mut sources = WovenSources::of(&root, all)?;
    let (watch, deadline) = (trial.watch, trial.deadline);
    let stop = || watch.asked_to_stop() || has_passed(deadline);
    let served = match open(ground, &mut sources, &Silent(&stop)) {
        Err(RunError::Interrupted) if !watch.asked_to_stop() => None,
        // The cold way has words for it.
        Err(error) if matches!(error.cause(), Some(Cause::Build | Cause::Tool)) => None,
        served => served?,
    };
    Ok(served.map(|served| (served, sources.numbers())))
}

/// How tests fare without any mutant.
#[derive(Default)]
struct Baseline {
    /// They fail.
    unfit: HashSet<String>,
    /// They fail only here.
    shy: HashSet<String>,
}

fn baseline(
    trial: &mut Trial,
    served: &dyn Served,
    servers: &[Mutex<Place>],
    candidates: &[&Candidate],
) -> Result<Baseline> {
    let tests: BTreeSet<&String> = candidates.iter().flat_map(|one| &one.tests).collect();
    let mut classes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for test in &tests {
        let class = test.split('#').next().unwrap_or(test);
        classes.entry(class).or_default().push(test);
    }
    let classes: Vec<Vec<&str>> = classes.into_values().collect();
    let mut passed: HashSet<String> = HashSet::new();
    trial.share_out(
        &classes,
        &|_| Ok(()),
        &|job, (), tests| {
            let server = &mut locked(&servers[job.number]).server;
            let stop = job.stop();
            let passed = passing(&mut **server, tests, &stop)?;
            // Libraries stay, and some know classes by their names.
            let again: Vec<&str> = tests
                .iter()
                .copied()
                .filter(|test| passed.contains(*test))
                .collect();
            passing(&mut **server, &again, &stop)
        },
        &mut |_, (_, ended)| {
            passed.extend(ended);
            Ok(())
        },
    )?;
    let failing = tests.into_iter().filter(|test| !passed.contains(*test));
    let failing: Vec<String> = failing.cloned().collect();
    if failing.is_empty() || trial.is_over() {
        return Ok(Baseline::default());
    }
    if !served.builds() {
        let unfit: HashSet<String> = failing.into_iter().collect();
        let words = left_out(&unfit, UNFIT);
        words.iter().for_each(|words| trial.watch.note(words));
        let shy = HashSet::new();
        return Ok(Baseline { unfit, shy });
    }
    let unfit = match cold::unfit(trial, &failing) {
        Err(RunError::Interrupted) if trial.is_over() => return Ok(Baseline::default()),
        unfit => unfit?,
    };
    let shy = failing.into_iter().filter(|test| !unfit.contains(test));
    Ok(Baseline {
        shy: shy.collect(),
        unfit,
    })
}

struct Attempt<'a, 'p> {
    place: &'a mut Place<'p>,
    candidate: &'a Candidate,
    tests: Vec<&'a str>,
    stop: Stop<'a>,
}

impl Attempt<'_, '_> {
    /// Builds it first.
    fn by_itself(&mut self, root: &Path) -> Result<Tried> {
        let begun = Instant::now();
        let change = &self.candidate.change;
        let path = root.join(&change.path);
        let text = std::fs::read_to_string(&path).map_err(RunError::io(&path, "read it"))?;
        let range = change.range();
        let changed = [
            &text[..range.start],
            &change.replacement,
            &text[range.end..],
        ]
        .concat();
        if self.place.server.build(&change.path, &changed, self.stop)? {
            return self.tried(Program::Built);
        }
        Ok(Tried {
            fate: Some(Fate::Broken),
            seconds: begun.elapsed().as_secs_f64(),
            kills: Vec::new(),
            harm: Harm::default(),
        })
    }

    /// What its tests take without it, in seconds, if all pass.
    fn without(&mut self) -> Result<Option<f64>> {
        let begun = Instant::now();
        let ended = self
            .place
            .server
            .attempt(Program::Plain, &self.tests, self.stop)?;
        let passed = ended.failed.is_empty() && !ended.crashed;
        Ok(passed.then(|| begun.elapsed().as_secs_f64()))
    }

    fn tried(&mut self, program: Program) -> Result<Tried> {
        let begun = Instant::now();
        let mut tried = Tried {
            fate: None,
            seconds: 0.0,
            kills: Vec::new(),
            harm: Harm::default(),
        };
        if self.tests.is_empty() {
            return Ok(tried);
        }
        let ended = self.place.server.attempt(program, &self.tests, self.stop)?;
        tried.seconds = begun.elapsed().as_secs_f64();
        let damage = self.place.copy.damage();
        tried.harm.damaged = !damage.is_none();
        self.place.copy.mend(&damage)?;
        let all_ran = !ended.hung && !ended.crashed;
        let mut how: HashMap<String, _> = ended.failed.into_iter().collect();
        for &test in &self.tests {
            let failure = match how.remove(test) {
                Some(failure) => failure.unwrap_or_default(),
                None if all_ran && !ended.passed.contains(test) => Failed::not_run().failure,
                None => continue,
            };
            let test = test.to_owned();
            tried.kills.push(Kill { test, failure });
        }
        tried.fate = Some(match ended.crashed {
            _ if ended.hung => Fate::Hung,
            true => Fate::Crashed,
            false if tried.kills.is_empty() => Fate::Survived,
            false => Fate::Killed,
        });
        Ok(tried)
    }
}
