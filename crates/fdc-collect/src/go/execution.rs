//! One run of a test program: its process, what it reported, and its profile.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use super::build::Program;
use super::counters::VARIABLE;
use super::events::{Events, MARK};
use crate::error::{CollectError, Log};
use crate::process::{Ending, Group, log_to, status_text};

/// What is to be run.
pub struct Order<'o> {
    /// The program.
    pub program: &'o Program,
    /// `-test.run`.
    pub run: &'o str,
    /// `-test.skip`, if any.
    pub skip: Option<&'o str>,
    /// Further flags, and what follows them.
    pub flags: &'o [String],
    /// Whether a profile is wanted.
    pub measure: bool,
    /// A folder that is empty.
    pub folder: &'o Path,
    /// How long nothing may happen.
    pub patience: Option<Duration>,
    /// Whether somebody asked to stop.
    pub stop: &'o dyn Fn() -> bool,
}

/// What came of it.
#[derive(Debug)]
pub struct Execution {
    /// What the tests did.
    pub events: Events,
    /// How the process ended; none: it was killed because it took too long.
    pub status: Option<ExitStatus>,
    /// The profile, if one was asked for and there is one.
    pub profile: Option<String>,
    /// How long it took.
    pub seconds: f64,
    errors: Log,
}

const PROFILE: &str = "profile";
const COUNTERS: &str = "counters";

/// Runs a test program.
pub fn execute(order: &Order) -> Result<Execution, CollectError> {
    let file = |name: &str| order.folder.join(name);
    let (output, errors, data) = (file("stdout"), file("stderr"), file("data"));
    std::fs::create_dir_all(&data).map_err(CollectError::io(&data, "make it"))?;
    let mut command = Command::new(&order.program.binary);
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
    command
        .current_dir(&order.program.folder)
        .env("PWD", &order.program.folder);
    log_to(&mut command, &errors)?;
    let out = std::fs::File::create(&output).map_err(CollectError::io(&output, "write it"))?;
    command.stdout(out);
    let begun = Instant::now();
    let mut group =
        Group::spawn(&mut command).map_err(CollectError::io(&order.program.binary, "start it"))?;
    let status = wait(&mut group, order, &output)?;
    let seconds = begun.elapsed().as_secs_f64();
    let text = std::fs::read(&output).map_err(CollectError::io(&output, "read it"))?;
    let profile = if order.measure { profile(order)? } else { None };
    Ok(Execution {
        events: Events::of(&text),
        status,
        profile,
        seconds,
        errors: Log { path: errors },
    })
}

impl Execution {
    /// Whether a top-level test came to its end, whatever it found.
    pub fn ended(&self, test: &str) -> bool {
        // Go's test programs end with 0 or 1; a panic ends with 2, after it was reported as FAIL.
        let in_order = matches!(self.status.and_then(|status| status.code()), Some(0 | 1));
        in_order
            && self
                .events
                .test(test)
                .is_some_and(|seen| seen.verdict.is_some())
    }

    /// Whether it was killed because nothing happened for too long.
    pub fn timed_out(&self) -> bool {
        self.status.is_none()
    }

    /// Whether all is well.
    pub fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// How the process ended, in words: the reason of a panic if it gave one.
    pub fn last_words(&self) -> String {
        let said = self.errors.tail();
        let reason = said.lines().find(|line| {
            [
                "panic: ",
                "fatal error: ",
                "runtime: goroutine stack exceeds",
            ]
            .iter()
            .any(|start| line.starts_with(start))
        });
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

/// Waits as long as something happens: each report of the test framework starts the time anew.
fn wait(
    group: &mut Group,
    order: &Order,
    output: &Path,
) -> Result<Option<ExitStatus>, CollectError> {
    let mut pause = Duration::from_micros(500);
    let mut heard = Reports::of(output);
    let mut since = Instant::now();
    loop {
        let ended = group.ended();
        if let Some(status) =
            ended.map_err(CollectError::io(&order.program.binary, "wait for it"))?
        {
            return Ok(Some(status));
        }
        if let Some(patience) = order.patience {
            if heard.anything_new() {
                since = Instant::now();
            } else if since.elapsed() > patience {
                group.kill();
                return Ok(None);
            }
        }
        if (order.stop)() {
            group.kill();
            return Err(CollectError::Interrupted);
        }
        std::thread::sleep(pause);
        pause = (pause * 3 / 2).min(Duration::from_millis(20));
    }
}

/// The reports of the test framework in a growing file.
struct Reports {
    path: PathBuf,
    read: u64,
}

impl Reports {
    fn of(path: &Path) -> Self {
        Reports {
            path: path.to_owned(),
            read: 0,
        }
    }

    fn anything_new(&mut self) -> bool {
        let mut look = || {
            if std::fs::metadata(&self.path)?.len() == self.read {
                return Ok(false);
            }
            let mut file = std::fs::File::open(&self.path)?;
            file.seek(SeekFrom::Start(self.read))?;
            let mut bytes = Vec::new();
            self.read += file.read_to_end(&mut bytes)? as u64;
            Ok::<_, std::io::Error>(bytes.contains(&MARK))
        };
        look().unwrap_or(false)
    }
}

/// The profile that Go wrote, or the one that can be made from what is left.
fn profile(order: &Order) -> Result<Option<String>, CollectError> {
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
    let mut load = Command::new(&order.program.binary);
    load.args(["-test.run=^$", &profile_flag(order)])
        .args(order.flags);
    load.env(VARIABLE, counters.load(&kept))
        .env("GOCOVERDIR", order.folder);
    load.current_dir(&order.program.folder)
        .env("PWD", &order.program.folder);
    quietly(&mut load, order)?;
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

/// Runs a command that is no test. It may hang: `TestMain` runs.
fn quietly(command: &mut Command, order: &Order) -> Result<(), CollectError> {
    const ENOUGH: Duration = Duration::from_secs(60);
    log_to(command, &order.folder.join("load.log"))?;
    let program = PathBuf::from(command.get_program());
    let mut group = Group::spawn(command).map_err(CollectError::io(&program, "start it"))?;
    let ending = group.wait(Some(order.patience.unwrap_or(ENOUGH)), order.stop);
    match ending.map_err(CollectError::io(&program, "wait for it"))? {
        Ending::By(_) | Ending::TimedOut => Ok(()),
        Ending::Stopped => Err(CollectError::Interrupted),
    }
}
