//! watch: a test command as it is, and where to look, in a few lines, if it fails.

mod arguments;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use fdc_case::{Case, FileError, resolved};
use fdc_collect::filter::{Filter, matches};
use fdc_collect::settings::absolute;
use fdc_collect::{
    Cause, CollectOptions, Ecosystem, RunError, affected_since_measured, collect, ecosystem_named,
    ecosystem_of, failed_in_output, failed_in_reports, leave_plugin, pass_through, take_in,
};
use fdc_core::{Level, Outcome};

use crate::error::{Failure, Result};
use crate::input::{Input, InputRequest};
use crate::progress::Watch;
use crate::rank::{Brief, RankRequest, Scoring, rank};

/// A test command to run, and what to measure if it fails.
#[derive(Debug)]
pub struct WatchRequest {
    /// The program and its arguments; at least the program.
    pub command: Vec<OsString>,
    /// The project's root.
    pub root: PathBuf,
    /// The case file, which is made if it is not there.
    pub case: PathBuf,
    /// How long measuring may take, after the failing tests themselves.
    pub budget: Duration,
    /// This program, for what has to call it.
    pub program: PathBuf,
}

/// How the command ended.
#[derive(Debug)]
pub struct WatchReply {
    /// As the system tells.
    pub status: ExitStatus,
    /// Where to look, if it failed and nobody has said so yet.
    pub brief: Option<Brief>,
}

/// Runs the command. Whatever goes wrong afterwards is told in the reply: the command has run.
pub fn watch(request: &WatchRequest, watch: &dyn Watch) -> Result<WatchReply> {
    let root = canonical(&request.root)?;
    let case = resolved(&absolute(&request.case)?);
    let (program, arguments) = match request.command.split_first() {
        Some(command) => command,
        None => return Err(Failure::usage("there is no command to run")),
    };
    let mut words = request.command.iter();
    let named = words.find_map(|word| arguments::ecosystem_of_command(word));
    let ecosystem = match named {
        Some(name) => ecosystem_named(name).map_err(|_| Failure::usage("no such ecosystem"))?,
        None => ecosystem_of(&root)?,
    };
    let mut command = Command::new(program);
    command.args(arguments);
    if ecosystem.name == "pytest" {
        // It measures in the run itself, and says where to look.
        let plugin = leave_plugin(&mut command, &case, &request.program)?;
        let status = command
            .status()
            .map_err(FileError::io(Path::new(program), "run it"))?;
        drop(plugin);
        let brief = None;
        return Ok(WatchReply { status, brief });
    }
    let began = SystemTime::now();
    let ended = pass_through(&mut command)?;
    let status = ended.status;
    if status.success() || watch.asked_to_stop() {
        let brief = None;
        return Ok(WatchReply { status, brief });
    }
    let mut failed = failed_in_output(&ended.output);
    failed.extend(failed_in_reports(&root, began));
    let options = CollectOptions {
        root,
        case,
        since_measured: true,
        runs: 1,
        arguments: arguments::of_collector(ecosystem.name, arguments),
        ..CollectOptions::default()
    };
    let told = &request.case;
    if failed.is_empty() {
        // A build that fails, most of the time.
        let note = "no failing test is named in what the command printed: nothing is measured";
        let brief = Some(Brief::without(note.to_owned(), told));
        return Ok(WatchReply { status, brief });
    }
    let brief = match measure(ecosystem, &options, &failed, request.budget, watch) {
        Ok(()) => brief(&options, told, &|test| {
            failed.iter().any(|own| matches(own, test))
        }),
        Err(error) => Err(error),
    };
    let brief = brief.unwrap_or_else(|failure| Brief::without(failure.message, told));
    let brief = Some(brief);
    Ok(WatchReply { status, brief })
}

/// The failing tests first, however long they take; then what else is not up to date, as long as the
/// budget lasts.
fn measure(
    ecosystem: &'static Ecosystem,
    options: &CollectOptions,
    failed: &[String],
    budget: Duration,
    watch: &dyn Watch,
) -> Result<()> {
    let is_up_to_date = is_up_to_date(ecosystem, options);
    let said = Mutex::default();
    let stage = |until| Stage {
        watch,
        said: &said,
        until,
    };
    let first = CollectOptions {
        again: failed.to_vec(),
        filter: Filter {
            only: failed.to_vec(),
            exclude: Vec::new(),
        },
        ..options.clone()
    };
    match collect(ecosystem, &first, &stage(None)) {
        // The command names them otherwise; they are among all tests.
        Err(error) if error.cause() == Some(Cause::NoTests) => {}
        ended => {
            ended?;
        }
    }
    if is_up_to_date {
        return Ok(());
    }
    match collect(
        ecosystem,
        options,
        &stage(Instant::now().checked_add(budget)),
    ) {
        Err(RunError::Interrupted) if !watch.asked_to_stop() => {
            watch.note(&format!(
                "not all tests are measured after {} s: the next failing run goes on, or fdc collect; --budget allows more",
                budget.as_secs()
            ));
            Ok(())
        }
        ended => Ok(ended.map(drop)?),
    }
}

fn is_up_to_date(ecosystem: &Ecosystem, options: &CollectOptions) -> bool {
    let known = || -> Result<bool> {
        let case = Case::open(&options.case)?;
        let none = affected_since_measured(&case, &options.root, ecosystem)?
            .is_some_and(|tests| tests.is_empty());
        Ok(none && case.interruption()?.is_none())
    };
    // A case that cannot be read is refused when it is written.
    known().unwrap_or(false)
}

/// Of two collections that follow each other the same is noted once. What is measured beside the
/// failing tests stops when time is up.
struct Stage<'w> {
    watch: &'w dyn Watch,
    said: &'w Mutex<BTreeSet<String>>,
    until: Option<Instant>,
}

impl Watch for Stage<'_> {
    fn stage(&self, title: &str, steps: u64) {
        self.watch.stage(title, steps);
    }

    fn planned(&self, steps: u64) {
        self.watch.planned(steps);
    }

    fn finished(&self, step: &str) {
        self.watch.finished(step);
    }

    fn at(&self, done: u64, what: &str) {
        self.watch.at(done, what);
    }

    fn note(&self, text: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.insert(text.to_owned()) {
            self.watch.note(text);
        }
    }

    fn asked_to_stop(&self) -> bool {
        self.watch.asked_to_stop() || self.until.is_some_and(|until| Instant::now() > until)
    }
}

/// What a plug-in of the project's own test runner has reported.
#[derive(Debug)]
pub struct ReportedRequest {
    /// The folder that it reported to.
    pub folder: PathBuf,
    /// The project's root.
    pub root: PathBuf,
    /// The case file, which is made if it is not there.
    pub case: PathBuf,
    /// When its tests began.
    pub began: SystemTime,
}

/// Puts the run into the case; where to look, if a test failed.
pub fn reported(request: &ReportedRequest, watch: &dyn Watch) -> Result<Option<Brief>> {
    let options = CollectOptions {
        root: canonical(&request.root)?,
        case: resolved(&absolute(&request.case)?),
        ..CollectOptions::default()
    };
    let run = take_in(&options, &request.folder, request.began, watch)?;
    if run.failing.is_empty() {
        return Ok(None);
    }
    brief(&options, &request.case, &|test| {
        run.failing
            .binary_search_by(|own| (**own).cmp(test))
            .is_ok()
    })
    .map(Some)
}

/// The measured tests of a pytest case that changes since have made stale; none, if all may be.
pub fn stale(case: &Path, root: &Path) -> Result<Option<Vec<String>>> {
    let ecosystem = ecosystem_named("pytest").map_err(|_| Failure::usage("no such ecosystem"))?;
    Ok(affected_since_measured(
        &Case::open(case)?,
        &canonical(root)?,
        ecosystem,
    )?)
}

/// Of the failing tests of the case that are meant.
fn brief(options: &CollectOptions, told: &Path, is_it: &dyn Fn(&str) -> bool) -> Result<Brief> {
    let input = Input::read(InputRequest {
        inputs: vec![options.case.clone()],
        source: Some(options.root.clone()),
        ..InputRequest::default()
    })?;
    let tests = input.spectrum.tests.iter();
    let failing = tests.filter(|test| test.outcome == Some(Outcome::Fail) && is_it(&test.name));
    let failing: Vec<String> = failing.map(|test| test.name.clone()).collect();
    if failing.is_empty() {
        let note = "the failing tests passed when they were measured, or could not be measured";
        return Ok(Brief::without(note.to_owned(), told));
    }
    let request = RankRequest {
        failing,
        level: Level::Method,
        scoring: Scoring::default(),
        include_flaky: false,
        top: None,
    };
    let sources = input.sources()?;
    let mut reply = match rank(&input.spectrum, sources.as_ref(), &request) {
        Ok(reply) => reply,
        // That nothing can be suspected is an answer.
        Err(failure) => return Ok(Brief::without(failure.message, told)),
    };
    Ok(Brief::of(&mut reply, &way_to(&options.root), told))
}

/// The way from the current folder to the root, if it is below.
fn way_to(root: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let below = here
        .ok()
        .and_then(|here| Some(root.strip_prefix(here).ok()?.to_owned()));
    below.unwrap_or_else(|| root.to_owned())
}

fn canonical(root: &Path) -> Result<PathBuf> {
    Ok(root
        .canonicalize()
        .map_err(FileError::io(root, "open it"))?)
}
