//! One run of a test program: its process, what it reported, and its profile.

use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use super::build::GoProgram;
use super::counters::VARIABLE;
use super::events::{Events, MARK};
use crate::error::RunError;
use crate::process::{
    ProcessGroup, ToolLog, log_to, make_folder, output_to, read_file, read_from, run, status_text,
};

pub(crate) struct Order<'o> {
    pub(crate) program: &'o GoProgram,
    pub(crate) run: &'o str,
    pub(crate) skip: Option<&'o str>,
    /// Further flags, and what follows them.
    pub(crate) flags: &'o [String],
    pub(crate) measure: bool,
    pub(crate) folder: &'o Path,
    /// How long nothing may happen.
    pub(crate) patience: Option<Duration>,
    pub(crate) stop: &'o dyn Fn() -> bool,
}

#[derive(Debug)]
pub(crate) struct Execution {
    pub(crate) events: Events,
    /// How the process ended; none: it was killed because it took too long.
    pub(crate) status: Option<ExitStatus>,
    /// The profile, if one was asked for and there is one.
    pub(crate) profile: Option<String>,
    pub(crate) seconds: f64,
    errors: ToolLog,
}

const PROFILE: &str = "profile";
const COUNTERS: &str = "counters";

/// Runs a test program. It may go on as long as something happens: each report of the test framework
/// starts the time anew.
pub(crate) fn execute(order: &Order) -> Result<Execution, RunError> {
    let file = |name: &str| order.folder.join(name);
    let (output, errors, data) = (file("stdout"), file("stderr"), file("data"));
    make_folder(&data)?;
    let mut command = order.program.command();
    let run = format!("-test.run={}", order.run);
    command.args(["-test.v=test2json", "-test.paniconexit0", &run]);
    if let Some(skip) = order.skip {
        command.arg(format!("-test.skip={skip}"));
    }
    if order.measure {
        command.arg(profile_flag(order));
        if let Some(counters) = &order.program.counters {
            command.env(VARIABLE, counters.keep(&file(COUNTERS)));
        }
    }
    // Where Go puts data of programs that end without a profile; else it complains.
    command.env("GOCOVERDIR", &data);
    command.args(order.flags);
    output_to(&mut command, &output, &errors)?;
    let begun = Instant::now();
    let mut group = ProcessGroup::spawn(&mut command).map_err(cannot_start(order))?;
    let mut read = 0;
    let mut heard = || {
        let news = read_from(&output, read, u64::MAX).unwrap_or_default();
        read += news.len() as u64;
        news.contains(&MARK)
    };
    let status = group.wait(order.patience, order.stop, &mut heard)?;
    let seconds = begun.elapsed().as_secs_f64();
    let text = read_file(&output)?;
    let profile = if order.measure { profile(order)? } else { None };
    Ok(Execution {
        events: Events::of(&text),
        status,
        profile,
        seconds,
        errors: ToolLog { path: errors },
    })
}

fn cannot_start(order: &Order) -> impl FnOnce(std::io::Error) -> RunError {
    RunError::io(&order.program.binary, "start it")
}

impl Execution {
    /// Whether a top-level test came to its end, whatever it found.
    pub(crate) fn ended(&self, test: &str) -> bool {
        // Go's test programs end with 0 or 1; a panic ends with 2, after it was reported as FAIL.
        let in_order = matches!(self.status.and_then(|status| status.code()), Some(0 | 1));
        let seen = self.events.test(test);
        in_order && seen.is_some_and(|seen| seen.verdict.is_some())
    }

    /// Whether it was killed because nothing happened for too long.
    pub(crate) fn timed_out(&self) -> bool {
        self.status.is_none()
    }

    pub(crate) fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// What it wrote to stderr, the end of it.
    pub(crate) fn errors(&self) -> String {
        self.errors.tail()
    }

    /// How the process ended, in words: the reason of a panic if it gave one.
    pub(crate) fn last_words(&self) -> String {
        let said = self.errors.tail();
        let starts = [
            "panic: ",
            "fatal error: ",
            "runtime: goroutine stack exceeds",
        ];
        let mut lines = said.lines();
        let reason = lines.find(|line| starts.iter().any(|start| line.starts_with(start)));
        match (reason, self.status) {
            (Some(reason), _) => reason.chars().take(300).collect(),
            (None, Some(status)) => match said.lines().rfind(|line| !line.trim().is_empty()) {
                Some(line) => {
                    let line: String = line.trim().chars().take(250).collect();
                    format!("{}: {line}", status_text(status))
                }
                None => status_text(status),
            },
            (None, None) => "killed".to_owned(),
        }
    }
}

/// The profile that Go wrote, or the one that can be made from what is left.
fn profile(order: &Order) -> Result<Option<String>, RunError> {
    let path = order.folder.join(PROFILE);
    if let Ok(text) = std::fs::read_to_string(&path)
        && !text.is_empty()
    {
        return Ok(Some(text));
    }
    let kept = order.folder.join(COUNTERS);
    let Some(counters) = order.program.counters.as_ref().filter(|_| kept.is_file()) else {
        return Ok(None);
    };
    // A command that is no test. It may hang: `TestMain` runs.
    const ENOUGH: Duration = Duration::from_secs(60);
    let mut load = order.program.command();
    load.args(["-test.run=^$", &profile_flag(order)])
        .args(order.flags);
    load.env(VARIABLE, counters.load(&kept))
        .env("GOCOVERDIR", order.folder);
    log_to(&mut load, &order.folder.join("load.log"))?;
    let limit = Some(order.patience.unwrap_or(ENOUGH));
    run(&mut load, limit, order.stop, cannot_start(order))?;
    Ok(std::fs::read_to_string(&path)
        .ok()
        .filter(|text| !text.is_empty()))
}

fn profile_flag(order: &Order) -> String {
    format!(
        "-test.coverprofile={}",
        order.folder.join(PROFILE).display()
    )
}
