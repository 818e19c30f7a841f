//! One run of a test program: its process, what it reported, and its profile.

use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use super::counters::VARIABLE;
use super::events::{Events, MARK, pattern};
use super::runner::Runner;
use crate::error::RunError;
use crate::process::{
    ProcessGroup, ToolLog, log_to, make_folder, output_to, read_file, read_from, run, status_text,
};

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

impl Runner<'_> {
    /// Runs a test program. It may go on as long as something happens: each report of the test
    /// framework starts the time anew.
    pub(crate) fn execute(
        &self,
        test: &str,
        skip: Option<&str>,
        folder: &str,
    ) -> Result<Execution, RunError> {
        let folder = self.surroundings.folder.join(folder);
        let measure = self.surroundings.measure && skip.is_none();
        let file = |name: &str| folder.join(name);
        let (output, errors, data) = (file("stdout"), file("stderr"), file("data"));
        make_folder(&data)?;
        let mut command = self.program.command();
        let run = format!("-test.run={}", pattern(test));
        command.args(["-test.v=test2json", "-test.paniconexit0", &run]);
        command.args(skip.map(|skip| format!("-test.skip={skip}")));
        if measure {
            command.arg(profile_flag(&folder));
            if let Some(counters) = &self.program.counters {
                command.env(VARIABLE, counters.order("keep", &file(COUNTERS)));
            }
        }
        // Where Go puts data of programs that end without a profile; else it complains.
        command.env("GOCOVERDIR", &data);
        command.args(self.flags());
        output_to(&mut command, &output, &errors)?;
        let begun = Instant::now();
        let mut group = ProcessGroup::spawn(&mut command).map_err(self.cannot_start())?;
        let mut read = 0;
        let mut heard = || {
            let news = read_from(&output, read, u64::MAX).unwrap_or_default();
            read += news.len() as u64;
            news.contains(&MARK)
        };
        let patience = self.go.options.timeout;
        let status = group.wait(patience, self.surroundings.stop, &mut heard)?;
        let seconds = begun.elapsed().as_secs_f64();
        Ok(Execution {
            events: Events::of(&read_file(&output)?),
            status,
            profile: if measure {
                self.profile(&folder)?
            } else {
                None
            },
            seconds,
            errors: ToolLog { path: errors },
        })
    }

    /// The profile that Go wrote, or the one that can be made from what is left.
    fn profile(&self, folder: &Path) -> Result<Option<String>, RunError> {
        let path = folder.join(PROFILE);
        let written = || {
            let text = std::fs::read_to_string(&path);
            text.ok().filter(|text| !text.is_empty())
        };
        let kept = folder.join(COUNTERS);
        let counters = self.program.counters.as_ref().filter(|_| kept.is_file());
        let (None, Some(counters)) = (written(), counters) else {
            return Ok(written());
        };
        // A command that is no test. It may hang: `TestMain` runs.
        const ENOUGH: Duration = Duration::from_secs(60);
        let mut load = self.program.command();
        load.args(["-test.run=^$", &profile_flag(folder)]);
        load.args(self.flags());
        load.env(VARIABLE, counters.order("load", &kept));
        load.env("GOCOVERDIR", folder);
        log_to(&mut load, &folder.join("load.log"))?;
        let limit = Some(self.go.options.timeout.unwrap_or(ENOUGH));
        run(
            &mut load,
            limit,
            self.surroundings.stop,
            self.cannot_start(),
        )?;
        Ok(written())
    }

    /// Further flags, and what follows them.
    fn flags(&self) -> impl Iterator<Item = &String> {
        let arguments = &self.go.arguments;
        arguments.program.iter().chain(&arguments.own)
    }

    fn cannot_start(&self) -> impl FnOnce(std::io::Error) -> RunError {
        RunError::io(&self.program.binary, "start it")
    }
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

fn profile_flag(folder: &Path) -> String {
    format!("-test.coverprofile={}", folder.join(PROFILE).display())
}
