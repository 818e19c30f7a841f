//! Mutants that are built all at once, each behind a switch that a test's process reads from its
//! environment: after one build a mutant costs the tests that run its line, and nothing else.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::time::Instant;

use fdc_case::mutants::{Fate, Kill};

use super::draw::Candidate;
use super::guarded_copy::GuardedCopy;
use super::outcomes::Failed;
use super::project_copy::copy_project;
use super::woven_sources::WovenSources;
use super::{
    Harm, Overhead, Silent, TestTime, Trial, Tried, UNFIT, UNJUDGED, has_passed, left_out,
    tells_of_hang,
};
use crate::error::{Result, RunError};
use crate::filter::Filter;
use crate::isolated::{EndedTest, Isolated, PlannedTest, Ran, Surroundings};
use crate::process::{empty_folder, end_strays, make_folder};
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
    let Some(mut ground) = Ground::built(trial, build, "woven", &numbered)? else {
        return left_cold(trial, candidates.to_vec());
    };
    let Baseline { unfit, shy } = baseline(trial, build, &ground, candidates)?;
    ground.copy.let_be();
    let ground = ground;
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
    let woven: Vec<_> = woven.into_iter().enumerate().collect();
    let mut overhead = Overhead::default();
    trial.share_out(
        &woven,
        &|_| Ok(()),
        &|job, (), (at, (number, candidate))| {
            let stop = job.stop();
            let judged = candidate.tests.iter().filter(|test| !unfit.contains(*test));
            let asked = Asked {
                job: job.number,
                number: *number,
                tests: judged.collect(),
                limits,
                stop: &stop,
            };
            let tried = ground.attempt(&asked)?;
            let without = match Overhead::looks_at(*at) {
                true => ground.without(&asked)?,
                false => None,
            };
            Ok((tried, without))
        },
        &mut |trial, ((_, (_, candidate)), (tried, without))| {
            overhead.count(&tried, without);
            trial.record(candidate, tried)
        },
    )?;
    overhead.tell(trial.watch);
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
    /// They fail, or are not there.
    unfit: HashSet<String>,
    /// They fail only because of the switches.
    shy: HashSet<String>,
}

fn baseline(
    trial: &mut Trial,
    build: BuildWoven,
    ground: &Ground,
    candidates: &[&Candidate],
) -> Result<Baseline> {
    let tests: HashSet<&String> = candidates.iter().flat_map(|one| &one.tests).collect();
    let Wanting { failing, missing } = ground.pass(trial, tests.into_iter().collect())?;
    let words = left_out(&missing, UNJUDGED);
    words.iter().for_each(|words| trial.watch.note(words));
    let mut baseline = Baseline {
        unfit: missing,
        shy: HashSet::new(),
    };
    if failing.is_empty() || trial.is_over() {
        return Ok(baseline);
    }
    let Some(plain) = Ground::built(trial, build, "plain", &[])? else {
        baseline.shy = failing;
        return Ok(baseline);
    };
    let unfit = plain.pass(trial, failing.iter().collect())?.failing;
    let words = left_out(&unfit, UNFIT);
    words.iter().for_each(|words| trial.watch.note(words));
    baseline.unfit.extend(unfit);
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
    /// Where they run.
    copy: GuardedCopy,
    /// All jobs' tests run in the one copy. Who has to undo something has it for itself.
    in_use: RwLock<()>,
}

/// The tests that do not pass without a mutant.
#[derive(Default)]
struct Wanting {
    failing: HashSet<String>,
    missing: HashSet<String>,
}

/// A mutant to try.
struct Asked<'a> {
    job: usize,
    number: u32,
    tests: Vec<&'a String>,
    limits: &'a HashMap<String, TestTime>,
    stop: &'a (dyn Fn() -> bool + Sync),
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
            Err(error) if matches!(error.cause(), Some(Cause::Build | Cause::Tool)) => None,
            tests => tests?,
        };
        let Some(tests) = tests else { return Ok(None) };
        let planned = |test: &PlannedTest| (test.name.clone(), test.clone());
        Ok(Some(Ground {
            planned: tests.tests().iter().map(planned).collect(),
            tests,
            numbers: sources.numbers().into_iter().collect(),
            copy: GuardedCopy::of(&root, folder.join("spare"))?,
            in_use: RwLock::new(()),
            folder,
        }))
    }

    fn pass(&self, trial: &mut Trial, mut tests: Vec<&String>) -> Result<Wanting> {
        tests.sort();
        let limits = trial.limits;
        let mut wanting = Wanting::default();
        trial.share_out(
            &tests,
            &|_| Ok(()),
            &|job, (), test| {
                let ended = self.run(job.number, test, None, limits, &job.stop())?;
                Ok(ended.map(|ended| ended.judgement != FAIL))
            },
            &mut |_, (test, passed)| {
                match passed {
                    Some(true) => {}
                    Some(false) => drop(wanting.failing.insert((*test).clone())),
                    None => drop(wanting.missing.insert((*test).clone())),
                }
                Ok(())
            },
        )?;
        end_strays(&self.folder);
        Ok(wanting)
    }

    /// Tries a mutant, beside those of other jobs. If the copy is not as it was afterwards, nobody can
    /// tell whose tests did it: then each of them is tried again by itself.
    fn attempt(&self, asked: &Asked) -> Result<Tried> {
        {
            let _beside = self.in_use.read().unwrap_or_else(PoisonError::into_inner);
            let tried = self.try_tests(asked, Some(asked.number))?;
            if self.copy.damage().is_none() {
                return Ok(tried);
            }
        }
        let _alone = self.in_use.write().unwrap_or_else(PoisonError::into_inner);
        self.copy.mend(&self.copy.damage())?;
        let mut tried = self.try_tests(asked, Some(asked.number))?;
        let damage = self.copy.damage();
        tried.harm.damaged = !damage.is_none();
        self.copy.mend(&damage)?;
        Ok(tried)
    }

    /// What its tests take without it, in seconds, if all pass.
    fn without(&self, asked: &Asked) -> Result<Option<f64>> {
        let _beside = self.in_use.read().unwrap_or_else(PoisonError::into_inner);
        let tried = self.try_tests(asked, None)?;
        Ok((tried.fate == Some(Fate::Survived)).then_some(tried.seconds))
    }

    fn try_tests(&self, asked: &Asked, mutant: Option<u32>) -> Result<Tried> {
        let Asked {
            job,
            tests,
            limits,
            stop,
            ..
        } = asked;
        let begun = Instant::now();
        let mut tried = Tried {
            fate: (!tests.is_empty()).then_some(Fate::Survived),
            seconds: 0.0,
            kills: Vec::new(),
            harm: Harm::default(),
        };
        for test in tests {
            let ended = match self.run(*job, test, mutant, limits, stop) {
                Err(RunError::Interrupted) => return Err(RunError::Interrupted),
                // Without its folder no test starts.
                Err(_) if !self.copy.damage().is_none() => None,
                ended => ended?,
            };
            let failed = match ended {
                None => Failed::not_run(),
                Some(ended) if ended.judgement == FAIL => Failed {
                    hung: tells_of_hang(ended.note.as_deref()),
                    failure: ended.failure.unwrap_or_default(),
                    crashed: false,
                },
                Some(_) => continue,
            };
            tried.kills.push(Kill {
                test: (*test).clone(),
                failure: failed.failure,
            });
            tried.fate = Some(Fate::Killed);
            if failed.hung {
                tried.fate = Some(Fate::Hung);
                break;
            }
        }
        tried.seconds = begun.elapsed().as_secs_f64();
        tried.harm.left_running = end_strays(&self.job_folder(*job));
        Ok(tried)
    }

    fn job_folder(&self, job: usize) -> PathBuf {
        self.folder.join(format!("job-{job}"))
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
        let folder = self.job_folder(job);
        empty_folder(&folder)?;
        let surroundings = Surroundings {
            measure: false,
            folder: &folder,
            limit: limits.get(test).map(|time| time.limit),
            mutant,
            contained: true,
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
