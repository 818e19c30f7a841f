//! Tries a project's tests on mutants: small changes of the lines that they run. Which tests fail with
//! which change goes into the case.
//!
//! All of it happens in copies of the project, beside the case while the run lasts. An ecosystem that
//! can keep a process with everything loaded tries mutants in copies of that process (*warm*). One
//! whose tests are built has all mutants built at once, each behind a switch (*woven*); where a process
//! can load a project anew, one tries many of them (*served*). Elsewhere, and for what can be done in
//! none of these ways, the changed file is put into a copy of the project, and the collector runs the
//! tests without measuring them (*cold*).

mod cold;
mod draw;
mod guarded_copy;
mod jobs;
mod outcomes;
mod project_copy;
mod served;
mod warm;
mod woven;
mod woven_sources;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fdc_case::mutants::{Fate, Kill, Mutant, MutantRecording};
use fdc_case::parts;
use fdc_core::Spectrum;

use crate::error::{Result, RunError};
use crate::process::{check_system, empty_folder, end_strays};
use crate::{CollectOptions, Ecosystem, Watch, explain_full_disk, usual_limit};
use draw::{Candidate, Draw};
pub(crate) use project_copy::copy_project;
pub(crate) use served::{Attempted, OpenServed, Program, Served, ServedGround, Server, folder_of};
pub(crate) use warm::OpenBatch;
pub(crate) use woven::{BuildWoven, VARIABLE, relative_to};
pub(crate) use woven_sources::{Place, WovenSources};

/// What to try, and for how long.
#[derive(Clone, Debug, Default)]
pub struct MutateOptions {
    /// How tests are run: root, case, jobs, arguments, settings. `timeout` is what a test may take;
    /// if left out, ten times what it took, and five seconds.
    pub run: CollectOptions,
    /// How many mutants the case shall have, those it has included; all if left out.
    pub number: Option<usize>,
    /// When to stop.
    pub budget: Option<Duration>,
    /// What the draw begins with.
    pub seed: u64,
    /// Each mutant has a build or a start of its own, even where many could share one.
    pub alone: bool,
}

/// What was asked for and what there is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MutateCounts {
    /// Mutants that were to be tried.
    pub planned: usize,
    /// Of these, those that were tried, in this run or before.
    pub done: usize,
    /// All that could be drawn from.
    pub possible: usize,
}

/// Tries mutants that the case does not have yet; a later call goes on where this ended.
pub fn mutate(
    ecosystem: &Ecosystem,
    options: &MutateOptions,
    watch: &dyn Watch,
) -> Result<MutateCounts> {
    check_system("mutating")?;
    let options = &MutateOptions {
        run: CollectOptions {
            settings: options.run.settings.resolved(ecosystem.settings, None)?,
            ..options.run.clone()
        },
        ..options.clone()
    };
    let case = &options.run.case;
    let mut recording = MutantRecording::open(case)?;
    check_collector(&recording, ecosystem)?;
    let spectrum = recording.case().spectrum()?;
    let draw = Draw::of(&spectrum, &options.run.root, options.seed);
    let stale = recording.forget_stale(|path, digest| draw.is_current(path, digest))?;
    if stale > 0 {
        watch.note(&format!(
            "{stale} mutants are of older sources and were forgotten"
        ));
    }
    take_shard(options, &mut recording)?;
    let done = recording.done()?;
    let wanted = options.number.unwrap_or(usize::MAX);
    let mut left: Vec<&Candidate> = draw.candidates.iter().take(wanted).collect();
    left.retain(|candidate| options.run.shard.holds(&candidate.change.name()));
    let planned = left.len();
    left.retain(|candidate| !done.contains(&candidate.change));
    let limits = limits(&recording, &spectrum, options.run.timeout)?;
    watch.note(&cost(&draw, planned, left.len(), &left, &limits));
    let work = work_folder(case);
    if work.exists() {
        end_strays(&work);
    }
    let mut trial = Trial {
        ecosystem,
        options,
        limits: &limits,
        work: &work,
        watch,
        recording: &mut recording,
        deadline: options.budget.map(|budget| Instant::now() + budget),
        done: 0,
        incidents: Incidents::default(),
    };
    let tried = match left.is_empty() {
        true => Ok(()),
        false => empty_folder(&work).and_then(|()| trial.run(&left)),
    };
    let tried = tried.map_err(|error| explain_full_disk(error, &work));
    let counts = MutateCounts {
        planned,
        done: planned - left.len() + trial.done,
        possible: draw.candidates.len(),
    };
    trial
        .incidents
        .words()
        .iter()
        .for_each(|words| watch.note(words));
    // Best effort: the next run empties it.
    let _ = std::fs::remove_dir_all(&work);
    recording.finish()?;
    tried.map(|()| counts)
}

/// Notes which part of the mutants the case holds; it is of one part, or of all.
fn take_shard(options: &MutateOptions, recording: &mut MutantRecording) -> Result<()> {
    let case = recording.case();
    let path = case.path().display();
    let shard = options.run.shard;
    let asked = (!shard.is_whole()).then(|| shard.to_string());
    if let Some(part) = case.about(parts::SHARD)?.filter(|_| asked.is_some()) {
        let message = format!("{path} holds part {part} of the tests");
        let hint = "merge the parts of the tests first: fdc merge PART... -o WHOLE";
        return Err(RunError::usage(message, hint));
    }
    let found = case.about(parts::MUTANT_SHARD)?;
    if let Some(part) = found.as_ref().filter(|_| found != asked) {
        let message = format!("{path} holds part {part} of the mutants");
        let hint = "give the same --shard, or a copy of the case without mutants";
        return Err(RunError::usage(message, hint));
    }
    match asked {
        Some(part) => Ok(recording.keep_shard(&part)?),
        None => Ok(()),
    }
}

fn check_collector(recording: &MutantRecording, ecosystem: &Ecosystem) -> Result<()> {
    let found = recording.case().about("collector")?;
    if found.as_deref() == Some(ecosystem.name) {
        return Ok(());
    }
    let how = found.map_or("was imported".to_owned(), |found| format!("is of {found}"));
    let message = format!(
        "{} {how}, and mutants need a case that fdc collect {} has made",
        recording.case().path().display(),
        ecosystem.name
    );
    Err(RunError::usage(message, "run fdc collect first"))
}

/// What each test may take, by name.
fn limits(
    recording: &MutantRecording,
    spectrum: &Spectrum,
    asked: Option<Duration>,
) -> Result<HashMap<String, TestTime>> {
    let seconds = recording.case().seconds()?;
    let tests = spectrum.tests.iter().zip(seconds);
    let times = tests.map(|(test, took)| {
        let took = took.unwrap_or_default();
        let limit = asked.unwrap_or(usual_limit(took));
        (test.name.clone(), TestTime { took, limit })
    });
    Ok(times.collect())
}

#[derive(Clone, Copy, Debug)]
struct TestTime {
    took: Duration,
    limit: Duration,
}

fn cost(
    draw: &Draw,
    planned: usize,
    left: usize,
    candidates: &[&Candidate],
    times: &HashMap<String, TestTime>,
) -> String {
    let tests = candidates.iter().flat_map(|candidate| &candidate.tests);
    let took = |test: &String| times.get(test).map_or(Duration::ZERO, |time| time.took);
    let (mut runs, mut time) = (0u64, Duration::ZERO);
    for test in tests {
        runs += 1;
        time += took(test);
    }
    let possible = draw.candidates.len();
    let methods = match draw.methods {
        1 => "1 method".to_owned(),
        more => format!("{more} methods"),
    };
    let done = match planned - left {
        0 => String::new(),
        done => format!(", {done} of them done before"),
    };
    format!(
        "{planned} of {possible} mutants in {methods}{done}; \
         {runs} test runs, which took {:.0} s when they were measured",
        time.as_secs_f64()
    )
}

/// Python shows where objects are in memory, which is another place in every run.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split("0x");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_hexdigit());
        let digits = digits.unwrap_or(part.len());
        let is_address = digits >= ADDRESS_DIGITS;
        plain += "0x";
        plain += if is_address { "..." } else { &part[..digits] };
        plain += &part[digits..];
    }
    plain
}

/// Shorter numbers are most likely part of what went wrong.
const ADDRESS_DIGITS: usize = 8;

/// A folder beside the case, there while mutants are tried.
fn work_folder(case: &Path) -> PathBuf {
    let name = case.file_name().unwrap_or_default().to_string_lossy();
    case.with_file_name(format!("{name}.mutants"))
}

fn has_passed(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// Whether a collector's note on a failure says that the test did not end.
pub(crate) fn tells_of_hang(note: Option<&str>) -> bool {
    note.is_some_and(|note| note.starts_with("timed out"))
}

/// Whether it says that the process ended in the test.
fn tells_of_crash(note: Option<&str>) -> bool {
    note.is_some_and(|note| note.starts_with("the process ended in it"))
}

/// Of thousands of collections nobody wants to hear.
struct Silent<'s>(&'s (dyn Fn() -> bool + Sync));

impl Watch for Silent<'_> {
    fn note(&self, _: &str) {}

    fn asked_to_stop(&self) -> bool {
        (self.0)()
    }
}

/// What became of a candidate.
struct Tried {
    /// None: no test that runs it can be judged.
    fate: Option<Fate>,
    seconds: f64,
    kills: Vec<Kill>,
    harm: Harm,
}

/// What its tests did beside their work; it was undone.
#[derive(Clone, Copy, Debug, Default)]
struct Harm {
    /// Files of the project's copy are not as they were.
    damaged: bool,
    /// Processes went on after the tests.
    left_running: bool,
}

/// What tests take with mutants beside what they take without: looked at for one mutant in so many.
#[derive(Debug, Default)]
struct Overhead {
    with: f64,
    without: f64,
}

impl Overhead {
    const EVERY: usize = 20;

    fn looks_at(at: usize) -> bool {
        at.is_multiple_of(Self::EVERY)
    }

    fn count(&mut self, tried: &Tried, without: Option<f64>) {
        let ended = matches!(tried.fate, Some(Fate::Killed | Fate::Survived));
        if let Some(without) = without.filter(|_| ended) {
            self.with += tried.seconds;
            self.without += without;
        }
    }

    fn tell(&self, watch: &dyn Watch) {
        if self.without > 0.0 {
            watch.note(&format!(
                "of one mutant in {} the tests took {:.1} s; without it they take {:.1} s",
                Self::EVERY,
                self.with,
                self.without
            ));
        }
    }
}

/// How many mutants of a run did more than pass or fail.
#[derive(Debug, Default)]
struct Incidents {
    hung: usize,
    crashed: usize,
    damaged: usize,
    left_running: usize,
    unjudged: usize,
}

impl Incidents {
    fn count(&mut self, tried: &Tried) {
        self.hung += usize::from(tried.fate == Some(Fate::Hung));
        self.crashed += usize::from(tried.fate == Some(Fate::Crashed));
        self.damaged += usize::from(tried.harm.damaged);
        self.left_running += usize::from(tried.harm.left_running);
        self.unjudged += usize::from(tried.fate.is_none());
    }

    /// A sentence each, of those that there were.
    fn words(&self) -> Vec<String> {
        let all = [
            (self.hung, "did not end, and were stopped"),
            (self.crashed, "ended the tests' process"),
            (
                self.damaged,
                "changed files of the project's copy, which were put back",
            ),
            (
                self.left_running,
                "left processes running, which were ended",
            ),
            (
                self.unjudged,
                "are run by no test that can be judged, and do not count",
            ),
        ];
        let all = all.iter().filter(|(count, _)| *count > 0);
        all.map(|(count, what)| format!("mutants that {what}: {count}"))
            .collect()
    }
}

/// One run over the mutants that are left.
struct Trial<'t> {
    ecosystem: &'t Ecosystem,
    options: &'t MutateOptions,
    limits: &'t HashMap<String, TestTime>,
    work: &'t Path,
    watch: &'t dyn Watch,
    recording: &'t mut MutantRecording,
    deadline: Option<Instant>,
    /// Mutants that were tried in this run.
    done: usize,
    incidents: Incidents,
}

impl Trial<'_> {
    fn run(&mut self, left: &[&Candidate]) -> Result<()> {
        self.watch.stage("mutants", left.len() as u64);
        let Ecosystem {
            warm,
            served,
            woven,
            ..
        } = self.ecosystem;
        let cold = match (warm, served, woven) {
            _ if self.options.alone => left.to_vec(),
            (Some(open), ..) => warm::run(self, *open, left)?,
            (None, Some(open), _) => served::run(self, *open, left)?,
            (None, None, Some(build)) => woven::run(self, *build, left)?,
            (None, None, None) => left.to_vec(),
        };
        if cold.is_empty() {
            return Ok(());
        }
        cold::run(self, &cold)
    }

    /// Whether to hand out no more mutants.
    fn is_over(&self) -> bool {
        has_passed(self.deadline)
    }

    fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.options.run.jobs.unwrap_or_else(cores).max(1)
    }

    fn record(&mut self, candidate: &Candidate, tried: Tried) -> Result<()> {
        self.incidents.count(&tried);
        self.done += 1;
        let place = format!("{}:{}", candidate.change.path, candidate.line);
        let Some(fate) = tried.fate else {
            self.watch.finished(&place);
            return Ok(());
        };
        let mut kills = tried.kills;
        for kill in &mut kills {
            let message = kill.failure.message.as_mut();
            message
                .into_iter()
                .for_each(|text| *text = without_addresses(text));
        }
        kills.sort_by(|one, other| one.test.cmp(&other.test));
        self.recording.record(&Mutant {
            change: candidate.change.clone(),
            method: candidate.method.clone(),
            line: candidate.line,
            mutator: candidate.mutator.to_owned(),
            original: candidate.original.clone(),
            fate,
            tests: candidate.tests.len() as u32,
            seconds: tried.seconds,
            kills,
        })?;
        self.watch.finished(&place);
        Ok(())
    }
}

/// What to say of tests that are left out; none if there are none.
fn left_out(tests: &HashSet<String>, why: &str) -> Option<String> {
    let first = tests.iter().min()?;
    Some(format!("{} tests {why}; the first is {first}", tests.len()))
}

const UNFIT: &str = "fail in a copy of the project without any change, and do not count";
const UNJUDGED: &str =
    "are not found in a copy of the project by their names, and cannot be judged";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_left_out_and_other_numbers_stay() {
        for (text, expected) in [
            ("<f at 0x7fe677769760>()", "<f at 0x...>()"),
            ("0x10 == 0xff and 0x7fe677769760", "0x10 == 0xff and 0x..."),
            ("none", "none"),
            ("0x", "0x"),
        ] {
            assert_eq!(without_addresses(text), expected);
        }
    }
}
