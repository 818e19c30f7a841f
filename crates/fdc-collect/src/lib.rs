//! Runs a project's own tests and measures what each covers, into a case file. An ecosystem is a
//! file (its module comment is its manual page, `fdc explain NAME`) and a line in [`ECOSYSTEMS`].
#![forbid(unsafe_code)]

pub mod affected;
mod batch;
mod cargo;
mod changes;
pub mod digests;
mod error;
mod failed;
pub mod filter;
pub mod git;
mod go;
mod isolated;
mod junit;
pub mod llvm;
mod measured;
mod mutate;
mod options;
mod orphans;
mod passed_through;
mod plan;
pub mod process;
mod pytest;
mod reported;
mod rerun;
pub mod settings;
mod since_measured;
mod spool;
mod stamps;
mod system;
mod test_names;
mod touched;
mod watch;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fdc_case::parts;
use fdc_case::recording::{Judgement, Recording, RecordingCounts, TestRun};
use fdc_core::Outcome;
use fdc_core::evidence::TestPlace;
use fdc_core::metric::module_comment;
use fdc_core::naming::entry_named;
use fdc_source::{Sources, TestSource};

pub use changes::{AffectedSince, affected_since};
pub use error::{Cause, Result, RunError};
pub use failed::{failed_in_output, failed_in_reports};
pub use junit::{Java, beside_agent};
pub use mutate::{MutateCounts, MutateOptions, mutate};
pub use options::CollectOptions;
pub use passed_through::{PassedThrough, pass_through};
pub use process::TemporaryFolder;
pub use pytest::{interpreter, leave_plugin, python_answer};
pub use reported::{ReportedRun, take_in};
pub use rerun::Rerun;
pub use since_measured::affected_since_measured;
pub use watch::Watch;

use batch::Batch;
use changes::TestsOf;
use isolated::Isolated;
use measured::MeasuredSources;
use process::check_system;
use settings::Setting;

/// What a test may take where nobody set a limit: so many times what it took, and so long on top.
const TIMES: u32 = 10;
const MARGIN: Duration = Duration::from_secs(5);

fn usual_limit(took: Duration) -> Duration {
    took * TIMES + MARGIN
}

const PASS: Judgement = Judgement::Judged(Outcome::Pass);
const FAIL: Judgement = Judgement::Judged(Outcome::Fail);

/// A kind of project whose tests can be measured.
#[derive(Debug)]
pub struct Ecosystem {
    /// The name on the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Whether a folder looks like the root of such a project.
    pub detect: fn(&Path) -> bool,
    /// The options that only this ecosystem has.
    pub settings: &'static [Setting],
    /// Checks that all tools are there.
    open: fn(&CollectOptions) -> Result<Tests>,
    /// The tests whose own source a changed file is.
    tests_of: fn(&str) -> TestsOf,
    /// Its tests, if one process of them can try many mutants.
    warm: Option<mutate::OpenBatch>,
    /// Builds its tests for processes that try one mutant after the other.
    served: Option<mutate::OpenServed>,
    /// Builds its tests with all mutants in them, if it can.
    woven: Option<mutate::BuildWoven>,
    source: &'static str,
}

impl Ecosystem {
    /// The manual page: the module comment of the ecosystem's source file.
    pub fn manual(&self) -> String {
        module_comment(self.source)
    }
}

/// All ecosystems.
pub static ECOSYSTEMS: &[Ecosystem] = &[
    pytest::ECOSYSTEM,
    junit::ECOSYSTEM,
    cargo::ECOSYSTEM,
    go::ECOSYSTEM,
];

/// The ecosystem of that name, or the nearest known name.
pub fn ecosystem_named(name: &str) -> Result<&'static Ecosystem, Option<&'static str>> {
    entry_named(ECOSYSTEMS, |ecosystem| ecosystem.name, name)
}

/// The ecosystem that a folder looks like; there may be none, or several.
pub fn ecosystem_of(root: &Path) -> Result<&'static Ecosystem> {
    let fitting = ECOSYSTEMS.iter().filter(|e| (e.detect)(root));
    let (which, fitting) = match fitting.collect::<Vec<_>>() {
        one if one.len() == 1 => return Ok(one[0]),
        none if none.is_empty() => ("no project that fdc knows", ECOSYSTEMS.iter().collect()),
        several => ("several kinds of project", several),
    };
    let names: Vec<&str> = fitting.iter().map(|ecosystem| ecosystem.name).collect();
    let message = format!("{} looks like {which}", root.display());
    let hint = format!("name the kind: fdc collect {}", names.join(" | "));
    Err(RunError::usage(message, hint))
}

enum Tests {
    /// Many to a process.
    Batch(Box<dyn Batch>),
    /// A process each; they are built first.
    Isolated(Box<BuildTests>),
}

type BuildTests = dyn FnOnce(&dyn Watch) -> Result<Box<dyn Isolated>>;

/// One pass over the tests: what it is told, and where it records and reports.
struct Collection<'c> {
    options: &'c CollectOptions,
    /// Which time the tests are run; from 1.
    run: u32,
    recording: &'c mut Recording,
    /// A folder for files on the way.
    work: &'c Path,
    watch: &'c dyn Watch,
}

impl Collection<'_> {
    /// The first time coverage is measured, later the outcomes alone are looked at.
    fn measures(&self) -> bool {
        self.run == 1 && !self.options.outcomes_only
    }

    /// So many tests shall be run in this pass, those that were before included.
    fn plan(&mut self, tests: u64) -> Result<()> {
        self.watch.planned(tests);
        Ok(self.recording.plan(tests, self.run)?)
    }

    fn record(&mut self, run: &TestRun, mut elements: Vec<u32>) -> Result<()> {
        match self.run == 1 {
            true => drop(self.recording.record(run, &mut elements)?),
            false => self.recording.record_again(run.name, run.judgement)?,
        }
        self.watch.finished(run.name);
        Ok(())
    }
}

/// Runs the tests and writes the case, each result at once; a later call goes on where this ended.
pub fn collect(
    ecosystem: &Ecosystem,
    options: &CollectOptions,
    watch: &dyn Watch,
) -> Result<RecordingCounts> {
    check_system("collecting")?;
    let options = &CollectOptions {
        settings: options.settings.resolved(ecosystem.settings, None)?,
        ..options.clone()
    };
    let tests = (ecosystem.open)(options)?;
    let new = !options.case.exists();
    let root = options.root.to_string_lossy();
    let about = [
        ("collector", ecosystem.name),
        ("root", &*root),
        ("fdc", env!("CARGO_PKG_VERSION")),
    ];
    let mut recording = Recording::open(&options.case, &about)?;
    let counts = recording.counts()?;
    if counts.tests + counts.skipped == 0 {
        note_sources(options, &mut recording)?;
        note_shard(options, &mut recording)?;
    }
    check_shard(options, &recording)?;
    if !options.outcomes_only {
        rerun::note_options(ecosystem, options, &mut recording)?;
    }
    let began = SystemTime::now();
    let work = options.work();
    if work.exists() {
        end_orphans(&work);
    }
    process::empty_folder(&work)?;
    let ran = run_all(ecosystem, tests, options, &mut recording, &work, watch);
    let ran = ran.map_err(|error| explain_full_disk(error, &work));
    let counts = recording.counts()?;
    let nothing = counts.tests + counts.skipped == 0;
    // A part may be empty: there are more machines than files of tests.
    if nothing && new && (ran.is_err() || options.shard.is_whole()) {
        drop(recording);
        // Best effort: an empty case is of no use to anybody.
        for ending in ["", "-wal", "-shm"] {
            let mut path = options.case.clone().into_os_string();
            path.push(ending);
            let _ = std::fs::remove_file(path);
        }
        return Err(ran.err().unwrap_or_else(|| no_tests(options)));
    }
    let complaint = ran?;
    let (history, note) = git::history(&options.root);
    note.iter().for_each(|note| watch.note(note));
    recording.keep_history(&history)?;
    find_test_places(options, &mut recording)?;
    if !options.outcomes_only {
        let digests = digests::digests(&options.root, recording.files(), began);
        recording.keep_sources(&digests)?;
    }
    let counts = recording.finish(options.filter.is_empty())?;
    if let Some(complaint) = complaint {
        return Err(complaint);
    }
    // Best effort: the case is complete.
    let _ = std::fs::remove_dir_all(&work);
    Ok(counts)
}

fn note_shard(options: &CollectOptions, recording: &mut Recording) -> Result<()> {
    if options.shard.is_whole() || options.outcomes_only {
        return Ok(());
    }
    Ok(recording.keep_note(parts::SHARD, &options.shard.to_string())?)
}

/// A case holds one part of the tests.
fn check_shard(options: &CollectOptions, recording: &Recording) -> Result<()> {
    let found = recording.about(parts::SHARD)?;
    let asked = Some(options.shard).filter(|shard| !shard.is_whole());
    if options.outcomes_only || found == asked.map(|shard| shard.to_string()) {
        return Ok(());
    }
    let part =
        |shard: Option<String>| shard.map_or("all tests".to_owned(), |own| format!("part {own}"));
    let message = format!(
        "{} is of {} and not of {}",
        options.case.display(),
        part(found),
        part(asked.map(|shard| shard.to_string()))
    );
    Err(RunError::usage(
        message,
        "write each part to a file of its own with -o",
    ))
}

/// Notes where failing tests stand whose run did not tell.
fn find_test_places(options: &CollectOptions, recording: &mut Recording) -> Result<()> {
    let Ok(sources) = Sources::below(&options.root, None) else {
        return Ok(());
    };
    Ok(recording.find_test_places(|test| {
        let TestSource {
            path, first, lines, ..
        } = sources.test(test)?;
        let last = first + (lines.len() as u32).saturating_sub(1);
        let file = path;
        Some(TestPlace { file, first, last })
    })?)
}

/// Runs all passes; what kept some tests from being measured.
fn run_all(
    ecosystem: &Ecosystem,
    tests: Tests,
    options: &CollectOptions,
    recording: &mut Recording,
    work: &Path,
    watch: &dyn Watch,
) -> Result<Option<RunError>> {
    since_measured::keep_up(options, ecosystem.tests_of, recording)?;
    if let Some(revision) = &options.changed_since {
        changes::forget_stale(options, revision, ecosystem.tests_of, recording, watch)?;
        note_sources(options, recording)?;
    }
    let mut all_passes = |collect: &dyn Fn(Collection) -> Result<()>| {
        (1..=options.runs.max(1)).try_for_each(|run| {
            collect(Collection {
                options,
                run,
                recording: &mut *recording,
                work,
                watch,
            })
        })
    };
    match tests {
        Tests::Batch(batch) => {
            all_passes(&|collection| batch::collect(&*batch, collection))?;
            Ok(None)
        }
        Tests::Isolated(build) => {
            let isolated = build(watch)?;
            all_passes(&|collection| isolated::collect(&*isolated, collection))?;
            Ok(isolated.complaint())
        }
    }
}

/// Notes which sources are measured, as far as Git tells.
fn note_sources(options: &CollectOptions, recording: &mut Recording) -> Result<()> {
    if !options.outcomes_only
        && let Some(now) = MeasuredSources::now(&options.root)
    {
        recording.note(&now.notes())?;
    }
    Ok(())
}

fn no_tests(options: &CollectOptions) -> RunError {
    let root = options.root.display();
    let mut message = format!("no tests found in {root}");
    let mut hint =
        "name the project's folder with --root; arguments for its test command go after --";
    if !options.filter.is_empty() {
        message = format!("no test in {root} matches --only and --exclude");
        hint = "a pattern with * or ? must match the whole name of a test, another any part of it";
    }
    RunError::no_tests(message, hint)
}

/// A full disk shows itself in many ways; say the one thing that helps.
fn explain_full_disk(error: RunError, work: &Path) -> RunError {
    if matches!(error.cause(), Some(Cause::Build | Cause::Tool)) && process::disk_is_full(work) {
        let message = format!("the disk is full: {error}");
        let hint = "make room and run the same command again: it resumes";
        return RunError::tool(message, hint);
    }
    error
}

/// Files in the work folder with the number of a process group begin so.
const PROCESS: &str = "process-";

/// Ends the tests that a collector which was killed has left running.
fn end_orphans(work: &Path) {
    for entry in std::fs::read_dir(work).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PROCESS) {
            process::end_orphan(&entry.path(), work);
        }
    }
}

fn noted_at(work: &Path, number: impl std::fmt::Display) -> PathBuf {
    work.join(format!("{PROCESS}{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ecosystems_and_of_their_options_are_unique() {
        let mut names: Vec<&str> = ECOSYSTEMS.iter().map(|e| e.name).collect();
        let settings = ECOSYSTEMS.iter().flat_map(|e| e.settings);
        names.extend(settings.map(|setting| setting.name));
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{names:?}");
    }
}
