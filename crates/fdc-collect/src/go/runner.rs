//! How one test becomes one record, or turns out to consist of subtests; and one run of a test
//! program: its process, what it reported, and its profile.

use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use fdc_case::recording::Judgement;

use super::Go;
use super::build::GoProgram;
use super::counters::VARIABLE;
use super::events::{Events, MARK, SeenTest, pattern};
use super::panic;
use crate::error::{Result, RunError};
use crate::isolated::{EndedTest, MEMORY, PlannedTest, Ran, Surroundings};
use crate::process::{
    ToolLog, log_to, make_folder, output_to, read_file, read_from, run, status_text,
};
use crate::{FAIL, PASS};

pub(crate) struct Runner<'r> {
    pub(crate) go: &'r Go,
    pub(crate) program: &'r GoProgram,
    pub(crate) surroundings: &'r Surroundings<'r>,
}

/// How often a test is run again to find subtests behind one that takes the program down.
const MOST_ROUNDS: usize = 50;
/// Longer arguments are refused by the system.
const LONGEST_PATTERN: usize = 100_000;

impl Runner<'_> {
    /// Runs a top-level test, and finds out whether it has parts.
    pub(crate) fn look_into(&self, planned: &PlannedTest) -> Result<Ran> {
        let test = &*planned.selector;
        let execution = self.execute(test, None, "whole")?;
        let Some(seen) = execution.events.test(test) else {
            if execution.succeeded() {
                return Ok(Ran::Parts(Vec::new()));
            }
            return Ok(self.ended(&SeenTest::default(), &execution, false, None));
        };
        if !execution.events.has_parts(test) {
            return Ok(self.ended(seen, &execution, true, None));
        }
        let mut all = execution.events.clone();
        let mut whole = execution.ended(test);
        for round in 0..MOST_ROUNDS {
            // All parts that can be skipped to see what else there is.
            let standing = all.standing().into_iter().map(|seen| seen.name.as_str());
            let patterns = standing.filter(|name| *name != test).map(pattern);
            let skip = patterns.collect::<Vec<_>>().join("|");
            if whole || skip.is_empty() || skip.len() > LONGEST_PATTERN {
                break;
            }
            let again = self.execute(test, Some(&skip), &format!("round-{round}"))?;
            let known = all.count();
            all.join(&again.events);
            whole = again.ended(test) || all.count() == known;
        }
        let parts = all.standing().into_iter();
        let parts = parts.map(|seen| self.part(&seen.name, planned));
        Ok(Ran::Parts(parts.collect()))
    }

    /// Runs a test or subtest to be recorded as it is.
    pub(crate) fn alone(&self, planned: &PlannedTest) -> Result<Ran> {
        let test = &*planned.selector;
        let execution = self.execute(test, None, "alone")?;
        let top = test.split('/').next().unwrap_or(test);
        if let Some(seen) = execution.events.test(test) {
            return Ok(self.ended(seen, &execution, test == top, None));
        }
        let with = self.execute(top, None, "with")?;
        match with.events.test(test) {
            Some(seen) => {
                let note = format!("measured with all of {top}, because it does not run alone");
                Ok(self.ended(seen, &with, false, Some(note)))
            }
            // Its name changes from run to run.
            None if test != top => Ok(Ran::Parts(vec![self.part(top, planned)])),
            None => Ok(self.ended(&SeenTest::default(), &with, true, None)),
        }
    }

    fn part(&self, test: &str, of: &PlannedTest) -> PlannedTest {
        PlannedTest {
            name: format!("{}/{test}", self.program.package),
            program: of.program,
            selector: test.to_owned(),
            part: true,
        }
    }
    /// What is recorded of a test. The end of the process concerns it unless it is a part: what is
    /// around a part may fail just because the other parts did not run.
    fn ended(&self, seen: &SeenTest, run: &Execution, whole: bool, note: Option<String>) -> Ran {
        let top = seen.name.split('/').next().unwrap_or_default();
        let around = run.events.test(top);
        let around_passed = around.is_some_and(|top| top.verdict == Some(PASS));
        let (judgement, why) = match seen.verdict {
            Some(Judgement::Skipped) => (Judgement::Skipped, seen.words.clone()),
            Some(PASS) if run.succeeded() || !(whole || around_passed) => (PASS, None),
            Some(PASS) => {
                let end = run.last_words();
                let why = format!("passed, but the process ended badly: {end}");
                (FAIL, Some(why))
            }
            Some(FAIL) if run.ended(top) => (FAIL, seen.words.clone()),
            _ => (FAIL, Some(self.death(run))),
        };
        let (root, packages) = (&self.go.options.root, &self.go.built.packages);
        let read = |text| self.go.sources.lines(root, packages, text);
        let files = run.profile.as_deref().and_then(read);
        let lost = self.surroundings.measure && files.is_none() && judgement != Judgement::Skipped;
        let lost = lost.then(|| "no coverage: the test program left no profile".to_owned());
        let notes: Vec<String> = [why, note, lost].into_iter().flatten().collect();
        let failed = judgement == FAIL;
        let failure = failed.then(|| {
            let panicked = panic::failure(&run.errors.tail(), root);
            let report = seen.report.as_ref().filter(|_| seen.verdict == Some(FAIL));
            panicked.or_else(|| Some(report?.failure(&self.program.folder, root)))
        });
        Ran::Whole(EndedTest {
            judgement,
            seconds: run.seconds,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
            failure: failure.flatten(),
            files: files.unwrap_or_default(),
        })
    }

    fn death(&self, execution: &Execution) -> String {
        match self.surroundings.limit {
            Some(timeout) if execution.status.is_none() => {
                format!("timed out after {} s", timeout.as_secs_f64())
            }
            _ => execution.last_words(),
        }
    }

    /// Runs a test program. Each report of the test framework starts its time anew.
    fn execute(&self, test: &str, skip: Option<&str>, folder: &str) -> Result<Execution> {
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
        let memory = (!self.go.arguments.has_sanitizer()).then_some(MEMORY);
        let group = self.surroundings.spawn(&mut command, memory);
        let mut group = group.map_err(self.cannot_start())?;
        let mut read = 0;
        let mut heard = || {
            let news = read_from(&output, read, u64::MAX).unwrap_or_default();
            read += news.len() as u64;
            news.contains(&MARK)
        };
        let patience = self.surroundings.limit;
        let status = group.wait(patience, self.surroundings.stop, &mut heard)?;
        let seconds = begun.elapsed().as_secs_f64();
        let profile = measure.then(|| self.profile(&folder)).transpose()?;
        Ok(Execution {
            events: Events::of(&read_file(&output)?),
            status,
            profile: profile.flatten(),
            seconds,
            errors: ToolLog(errors),
        })
    }

    /// The profile that Go wrote, or the one that can be made from what is left.
    fn profile(&self, folder: &Path) -> Result<Option<String>> {
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
        let limit = Some(self.surroundings.limit.unwrap_or(ENOUGH));
        let (stop, cannot) = (self.surroundings.stop, self.cannot_start());
        run(&mut load, limit, stop, cannot)?;
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

struct Execution {
    events: Events,
    /// How the process ended; none: it was killed because it took too long.
    status: Option<ExitStatus>,
    /// The profile, if one was asked for and there is one.
    profile: Option<String>,
    seconds: f64,
    errors: ToolLog,
}

const PROFILE: &str = "profile";
const COUNTERS: &str = "counters";

impl Execution {
    /// Whether a top-level test came to its end, whatever it found.
    fn ended(&self, test: &str) -> bool {
        // Go's test programs end with 0 or 1; a panic ends with 2, after it was reported as FAIL.
        let in_order = matches!(self.status.and_then(|status| status.code()), Some(0 | 1));
        let seen = self.events.test(test);
        in_order && seen.is_some_and(|seen| seen.verdict.is_some())
    }

    fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// How the process ended, in words: the reason of a panic if it gave one.
    fn last_words(&self) -> String {
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
