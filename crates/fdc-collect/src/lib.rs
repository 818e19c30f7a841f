//! Runs a project's own tests and measures what each of them covers, into a case file. One file per
//! ecosystem; its module comment is its manual page (`fdc explain NAME`). To add one, write the file
//! and a line in [`ECOSYSTEMS`].
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod cargo;
mod changes;
mod each;
mod error;
pub mod filter;
mod go;
mod junit;
pub mod llvm;
mod options;
mod plan;
pub mod process;
mod pytest;
mod session;
mod spool;
mod system;
mod watch;

use std::path::{Path, PathBuf};

use fdc_case::recording::{Recording, RecordingCounts};
use fdc_core::metric::module_comment;
use fdc_core::naming::nearest;

pub use error::{CollectError, Log};
pub use junit::{Java, beside_agent};
pub use options::{JavaOptions, Options};
pub use pytest::interpreter;
pub use watch::Watch;

use changes::TestsOf;
use each::Each;
use session::Session;

/// A kind of project whose tests can be measured.
#[derive(Debug)]
pub struct Ecosystem {
    /// The name on the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Whether a folder looks like the root of such a project.
    pub detect: fn(&Path) -> bool,
    /// Checks that all tools are there.
    open: fn(&Options) -> Result<Kind, CollectError>,
    /// The tests whose own source a changed file is.
    tests_of: fn(&str) -> TestsOf,
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
    ECOSYSTEMS
        .iter()
        .find(|ecosystem| ecosystem.name == name)
        .ok_or_else(|| nearest(name, ECOSYSTEMS.iter().map(|ecosystem| ecosystem.name)))
}

/// The ecosystem that a folder looks like; there may be none, or several.
pub fn ecosystem_of(root: &Path) -> Result<&'static Ecosystem, CollectError> {
    let fitting: Vec<_> = ECOSYSTEMS.iter().filter(|e| (e.detect)(root)).collect();
    match fitting.as_slice() {
        [only] => Ok(only),
        several => {
            let pick = if several.is_empty() {
                ECOSYSTEMS.iter().collect()
            } else {
                fitting.clone()
            };
            let names: Vec<_> = pick.iter().map(|ecosystem| ecosystem.name).collect();
            let message = if several.is_empty() {
                format!("{} looks like no project that fdc knows", root.display())
            } else {
                format!("{} looks like several kinds of project", root.display())
            };
            let hint = format!("name the kind: fdc collect {}", names.join(" | "));
            Err(CollectError::usage(message, hint))
        }
    }
}

/// How an ecosystem's tests are run.
enum Kind {
    /// Many to a process.
    Session(Box<dyn Session>),
    /// A process each.
    Each(Box<dyn Each>),
}

/// Which time the tests are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Coverage and outcomes.
    Measure,
    /// The n-th run, for its outcomes alone.
    Again(u32),
}

impl Pass {
    /// Calls with the name of every test that this pass need not run any more.
    fn for_each_done(
        self,
        recording: &Recording,
        visit: impl FnMut(&str) -> Result<(), CollectError>,
    ) -> Result<(), CollectError> {
        let runs = match self {
            Pass::Measure => 1,
            Pass::Again(run) => run,
        };
        recording.for_each_run_at_least(runs, visit)
    }
}

/// Runs the tests and writes the case. What is measured is in the case file at once; a later call
/// goes on where this one ended.
pub fn collect(
    ecosystem: &Ecosystem,
    options: &Options,
    watch: &dyn Watch,
) -> Result<RecordingCounts, CollectError> {
    let kind = (ecosystem.open)(options)?;
    let new = !options.case.exists();
    let root = options.root.to_string_lossy();
    let about = [
        ("collector", ecosystem.name),
        ("root", &*root),
        ("fdc", env!("CARGO_PKG_VERSION")),
    ];
    let mut recording = Recording::open(&options.case, &about)?;
    let work = Work::create(options)?;
    let ran = run_all(
        ecosystem,
        &kind,
        options,
        &mut recording,
        &work.folder,
        watch,
    );
    let progress = recording.counts()?;
    let nothing = progress.tests + progress.skipped == 0;
    if nothing && new {
        drop(recording);
        // Best effort: an empty case is of no use to anybody.
        for ending in ["", "-wal", "-shm"] {
            let mut path = options.case.clone().into_os_string();
            path.push(ending);
            let _ = std::fs::remove_file(path);
        }
        return Err(ran.err().unwrap_or_else(|| no_tests(options)));
    }
    ran?;
    let progress = recording.finish(options.filter.is_empty())?;
    if let Kind::Each(each) = &kind
        && let Some(complaint) = each.complaint()
    {
        return Err(complaint);
    }
    work.remove();
    Ok(progress)
}

fn run_all(
    ecosystem: &Ecosystem,
    kind: &Kind,
    options: &Options,
    recording: &mut Recording,
    work: &Path,
    watch: &dyn Watch,
) -> Result<(), CollectError> {
    if let Some(revision) = &options.changed_since {
        changes::forget_stale(options, revision, ecosystem.tests_of, recording, watch)?;
    }
    for run in 1..=options.runs.max(1) {
        let pass = if run == 1 {
            Pass::Measure
        } else {
            Pass::Again(run)
        };
        let ran = match kind {
            Kind::Session(session) => {
                session::collect(&**session, options, pass, recording, work, watch)
            }
            Kind::Each(each) => each::collect(&**each, options, pass, recording, work, watch),
        };
        ran.map_err(|error| explain_full_disk(error, work))?;
    }
    Ok(())
}

fn no_tests(options: &Options) -> CollectError {
    let root = options.root.display();
    if options.filter.is_empty() {
        let hint =
            "name the project's folder with --root; arguments for its test command go after --";
        CollectError::no_tests(format!("no tests found in {root}"), hint)
    } else {
        let hint =
            "a pattern with * or ? must match the whole name of a test, another any part of it";
        CollectError::no_tests(
            format!("no test in {root} matches --only and --exclude"),
            hint,
        )
    }
}

/// A full disk shows itself in many ways; say the one thing that helps.
fn explain_full_disk(error: CollectError, work: &Path) -> CollectError {
    if matches!(error, CollectError::Tool { .. }) && process::disk_is_full(work) {
        let message = format!("the disk is full: {error}");
        return CollectError::tool(
            message,
            "make room and run the same command again: it goes on",
        );
    }
    error
}

/// A folder beside the case for what outside tools write; removed when all went well.
struct Work {
    folder: PathBuf,
}

impl Work {
    fn create(options: &Options) -> Result<Self, CollectError> {
        let folder = options.work();
        if folder.exists() {
            end_orphans(&folder);
            std::fs::remove_dir_all(&folder).map_err(CollectError::io(&folder, "empty it"))?;
        }
        std::fs::create_dir_all(&folder).map_err(CollectError::io(&folder, "make it"))?;
        Ok(Work { folder })
    }

    fn remove(self) {
        // Best effort: the case is complete.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Ends the tests that a collector which was killed has left running.
fn end_orphans(work: &Path) {
    for entry in std::fs::read_dir(work).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with(session::PROCESS) {
            let id = std::fs::read_to_string(entry.path()).unwrap_or_default();
            if let Ok(id) = id.parse() {
                process::end_orphan(id, work);
            }
        }
    }
}
