//! Mutants that are built all at once, each behind a switch that a test's process reads from its
//! environment: after one build a mutant costs the tests that run its line, and nothing else.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use fdc_case::mutants::{Fate, Kill};

use super::draw::Candidate;
use super::project_copy::copy_project;
use super::woven_sources::WovenSources;
use super::{Silent, TestTime, Trial, Tried, has_passed, tells_of_hang};
use crate::error::{Result, RunError};
use crate::filter::Filter;
use crate::isolated::{EndedTest, Isolated, PlannedTest, Ran, Surroundings};
use crate::process::{empty_folder, make_folder};
use crate::{Cause, CollectOptions, FAIL, Watch};

/// The variable that names the mutant to switch on.
pub(crate) const VARIABLE: &str = "FDC_MUTANT";

/// Builds the tests of a copy with all mutants that a compiler takes; none if it takes no copy of this
/// kind.
pub(crate) type BuildWoven =
    fn(&CollectOptions, &mut WovenSources, &dyn Watch) -> Result<Option<Box<dyn Isolated>>>;

/// Tries them; those that have to be tried cold.
pub(super) fn run<'c>(
    trial: &mut Trial,
    build: BuildWoven,
    candidates: &[&'c Candidate],
) -> Result<Vec<&'c Candidate>> {
    let all: BTreeMap<u32, &Candidate> = (1..).zip(candidates.iter().copied()).collect();
    let numbered: Vec<(u32, &Candidate)> = all.iter().map(|(&at, &one)| (at, one)).collect();
    let Some(ground) = Ground::built(trial, build, "woven", &numbered)? else {
        return left_cold(trial, candidates.to_vec());
    };
    let Baseline { unfit, shy, took } = baseline(trial, build, &ground, candidates)?;
    let is_shy = |one: &Candidate| one.tests.iter().any(|test| shy.contains(test));
    let is_woven = |number: &u32, one: &Candidate| ground.numbers.contains(number) && !is_shy(one);
    let (woven, cold): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|(number, one)| is_woven(number, one));
    trial.watch.note(&format!(
        "{} mutants are built at once, {} by themselves",
        woven.len(),
        cold.len()
    ));
    let limits = trial.limits;
    let (mut spent, mut alone) = (0.0, 0.0);
    trial.share_out(
        &woven,
        &|_| Ok(()),
        &|job, (), (number, candidate)| {
            let stop = job.stop();
            ground.attempt(job.number, *number, candidate, &unfit, limits, &stop)
        },
        &mut |trial, ((_, candidate), tried)| {
            if matches!(tried.fate, Fate::Killed | Fate::Survived) {
                let tests = candidate.tests.iter().filter_map(|test| took.get(test));
                alone += tests.sum::<f64>();
                spent += tried.seconds;
            }
            trial.record(candidate, tried)
        },
    )?;
    trial.watch.note(&format!(
        "their tests took {spent:.1} s; without mutants they take {alone:.1} s"
    ));
    left_cold(trial, cold.into_iter().map(|(_, one)| one).collect())
}

fn left_cold<'c>(trial: &Trial, left: Vec<&'c Candidate>) -> Result<Vec<&'c Candidate>> {
    match trial.is_over() {
        true => Ok(Vec::new()),
        false => Ok(left),
    }
}

/// How tests fare without any mutant.
#[derive(Default)]
struct Baseline {
    /// They fail.
    unfit: HashSet<String>,
    /// They fail only because of the switches.
    shy: HashSet<String>,
    /// What those that pass take, in seconds.
    took: HashMap<String, f64>,
}

fn baseline(
    trial: &mut Trial,
    build: BuildWoven,
    ground: &Ground,
    candidates: &[&Candidate],
) -> Result<Baseline> {
    let tests: HashSet<&String> = candidates.iter().flat_map(|one| &one.tests).collect();
    let (took, failing) = ground.pass(trial, tests.into_iter().collect())?;
    let mut baseline = Baseline {
        took,
        ..Baseline::default()
    };
    if failing.is_empty() || trial.is_over() {
        return Ok(baseline);
    }
    let Some(plain) = Ground::built(trial, build, "plain", &[])? else {
        baseline.shy = failing.into_iter().collect();
        return Ok(baseline);
    };
    let (_, unfit) = plain.pass(trial, failing.iter().collect())?;
    if let Some(first) = unfit.first() {
        let count = unfit.len();
        let text = "fail in a copy of the project without any change, and do not count";
        let note = format!("{count} tests {text}; the first is {first}");
        trial.watch.note(&note);
    }
    baseline.unfit = unfit.into_iter().collect();
    let failing = failing.into_iter();
    let shy = failing.filter(|test| !baseline.unfit.contains(test));
    baseline.shy = shy.collect();
    Ok(baseline)
}

/// A copy of the project whose tests are built and can be run one by one.
struct Ground {
    tests: Box<dyn Isolated>,
    planned: HashMap<String, PlannedTest>,
    /// The mutants that can be switched on.
    numbers: HashSet<u32>,
    folder: PathBuf,
}

impl Ground {
    fn built(
        trial: &Trial,
        build: BuildWoven,
        name: &str,
        mutants: &[(u32, &Candidate)],
    ) -> Result<Option<Self>> {
        if trial.is_over() {
            return Ok(None);
        }
        let (run, folder) = (&trial.options.run, trial.work.join(name));
        let root = folder.join("project");
        copy_project(&run.root, &root, &[run.case.clone(), trial.work.to_owned()])?;
        let root = root.canonicalize().unwrap_or(root);
        let options = CollectOptions {
            case: folder.join("case"),
            filter: Filter::default(),
            timeout: None,
            changed_since: None,
            outcomes_only: true,
            copied_from: Some(run.root.clone()),
            root: root.clone(),
            ..run.clone()
        };
        make_folder(&options.work())?;
        let mut sources = WovenSources::of(&root, mutants)?;
        let (watch, deadline) = (trial.watch, trial.deadline);
        let stop = || watch.asked_to_stop() || has_passed(deadline);
        let tests = match build(&options, &mut sources, &Silent(&stop)) {
            Err(RunError::Interrupted) if !watch.asked_to_stop() => None,
            // The cold way has words for it.
            Err(error) if error.cause() == Some(Cause::Tool) => None,
            tests => tests?,
        };
        let planned = |test: &PlannedTest| (test.name.clone(), test.clone());
        Ok(tests.map(|tests| Ground {
            planned: tests.tests().iter().map(planned).collect(),
            tests,
            numbers: sources.numbers().into_iter().collect(),
            folder,
        }))
    }

    /// Of these tests, what those that pass as it is take, and those that fail.
    fn pass(
        &self,
        trial: &mut Trial,
        mut tests: Vec<&String>,
    ) -> Result<(HashMap<String, f64>, Vec<String>)> {
        tests.sort();
        let limits = trial.limits;
        let (mut took, mut failing) = (HashMap::new(), Vec::new());
        trial.share_out(
            &tests,
            &|_| Ok(()),
            &|job, (), test| {
                let begun = Instant::now();
                let ended = self.run(job.number, test, None, limits, &job.stop())?;
                let passed = ended.is_some_and(|ended| ended.judgement != FAIL);
                Ok(passed.then(|| begun.elapsed().as_secs_f64()))
            },
            &mut |_, (test, seconds)| {
                match seconds {
                    Some(seconds) => drop(took.insert((*test).clone(), seconds)),
                    None => failing.push((*test).clone()),
                }
                Ok(())
            },
        )?;
        failing.sort();
        Ok((took, failing))
    }

    fn attempt(
        &self,
        job: usize,
        number: u32,
        candidate: &Candidate,
        unfit: &HashSet<String>,
        limits: &HashMap<String, TestTime>,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Tried> {
        let begun = Instant::now();
        let mut tried = Tried {
            fate: Fate::Survived,
            seconds: 0.0,
            kills: Vec::new(),
        };
        for test in candidate.tests.iter().filter(|test| !unfit.contains(*test)) {
            let ended = self.run(job, test, Some(number), limits, stopped)?;
            let Some(failed) = ended.filter(|ended| ended.judgement == FAIL) else {
                continue;
            };
            tried.kills.push(Kill {
                test: test.clone(),
                failure: failed.failure.unwrap_or_default(),
            });
            tried.fate = Fate::Killed;
            if tells_of_hang(failed.note.as_deref()) {
                tried.fate = Fate::Hung;
                break;
            }
        }
        tried.seconds = begun.elapsed().as_secs_f64();
        Ok(tried)
    }

    /// Runs a test; none if there is no such test, or none that can be run by itself.
    fn run(
        &self,
        job: usize,
        test: &str,
        mutant: Option<u32>,
        limits: &HashMap<String, TestTime>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<EndedTest>> {
        let folder = self.folder.join(format!("job-{job}"));
        empty_folder(&folder)?;
        let surroundings = Surroundings {
            measure: false,
            folder: &folder,
            limit: limits.get(test).map(|time| time.limit),
            mutant,
            stop,
        };
        let planned = self.planned.get(test).cloned();
        let Some(planned) = planned.or_else(|| self.tests.part_named(test)) else {
            return Ok(None);
        };
        match self.tests.run(&planned, &surroundings)? {
            Ran::Whole(ended) => Ok(Some(ended)),
            Ran::Parts(_) => Ok(None),
        }
    }
}

/// A path relative to a copy, of a file that a tool named.
pub(crate) fn relative_to(root: &Path, folder: &Path, named: &str) -> Option<String> {
    let path = folder.join(named);
    let path = path.strip_prefix(root).ok()?;
    Some(path.to_string_lossy().into_owned())
}
