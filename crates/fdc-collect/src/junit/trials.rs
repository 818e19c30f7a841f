//! A JVM that tries mutants one after the other, and how we talk to it.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use fdc_core::evidence::FailureRecord;

use super::agent;
use super::launch::Launch;
use crate::error::{Result, RunError};
use crate::mutate::{Attempted, tells_of_hang};
use crate::plan::Plan;
use crate::process::{ProcessGroup, empty_folder, make_folder, write_file};
use crate::settings::join_paths;
use crate::spool::{Event, Spool};
use crate::{CollectOptions, FAIL};

/// A process that answers lines with lines.
pub(super) struct Talk {
    /// Ends with the talk.
    _process: ProcessGroup,
    input: ChildStdin,
    lines: Receiver<String>,
}

const PAUSE: Duration = Duration::from_millis(50);

impl Talk {
    /// What it complains of goes to a log.
    pub(super) fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let file = std::fs::File::options().create(true).append(true).open(log);
        command.stderr(file.map_err(RunError::io(log, "write it"))?);
        let (process, input, output) = ProcessGroup::with_pipes(command).map_err(|error| {
            let program = command.get_program().to_string_lossy();
            RunError::tool(
                format!("cannot run {program}: {error}"),
                "check that it is installed",
            )
        })?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            // What is no text ends the talk as the end of the process does.
            for line in BufReader::new(output).lines().map_while(|line| line.ok()) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Talk {
            _process: process,
            input,
            lines,
        })
    }

    /// If nobody listens any more, the answer is missing, too.
    pub(super) fn say(&mut self, line: &str) {
        let _ = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
    }

    /// The next line; none if there will be none.
    pub(super) fn hear(&mut self, stop: &dyn Fn() -> bool) -> Result<Option<String>> {
        loop {
            match self.lines.recv_timeout(PAUSE) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if stop() => return Err(RunError::Interrupted),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

const PROGRAM: &str = "fdc.junit.Trials";
/// Mutants may ask for all memory that there is.
const DEFAULTS: &[&str] = &[
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:MetaspaceSize=256m",
    "-XX:TieredStopAtLevel=1",
    "-Xshare:auto",
    "-Xmx2g",
];
/// How long a JVM may be silent after its own watchdog should have ended it.
const GRACE: Duration = Duration::from_secs(20);

/// The JVMs of one launch, one at a time.
pub(super) struct Trials {
    pub(super) launch: Launch,
    pub(super) jars: [PathBuf; 2],
    /// Folders with the classes that have all mutants.
    pub(super) woven: Vec<PathBuf>,
    /// With the time that each may take.
    pub(super) tests: HashMap<String, (usize, Duration)>,
    /// For files on the way.
    pub(super) folder: PathBuf,
    jvm: Option<Jvm>,
    requests: u64,
}

struct Jvm {
    talk: Talk,
    spool: Spool,
}

impl Trials {
    pub(super) fn new(
        launch: Launch,
        jars: [PathBuf; 2],
        woven: Vec<PathBuf>,
        tests: &[(String, Duration)],
        folder: PathBuf,
    ) -> Self {
        let numbered = tests.iter().enumerate();
        let tests = numbered.map(|(at, (name, limit))| (name.clone(), (at, *limit)));
        Trials {
            launch,
            jars,
            woven,
            tests: tests.collect(),
            folder,
            jvm: None,
            requests: 0,
        }
    }

    /// Runs tests with a mutant, 0 for none, and with classes of its own.
    pub(super) fn attempt(
        &mut self,
        mutant: u32,
        own: Option<&Path>,
        tests: &[&str],
        stop: &dyn Fn() -> bool,
    ) -> Result<Attempted> {
        let known = tests.iter().filter_map(|test| self.tests.get(*test));
        let places: Vec<String> = known.clone().map(|(at, _)| at.to_string()).collect();
        let limit: Duration = known.map(|(_, limit)| *limit).sum();
        let mut ended = Attempted::default();
        if places.is_empty() {
            return Ok(ended);
        }
        let (is_new, mut jvm) = match self.jvm.take() {
            Some(jvm) => (false, jvm),
            None => (true, self.start()?),
        };
        self.requests += 1;
        let classes = own.map_or_else(String::new, |own| own.to_string_lossy().into_owned());
        let request = format!(
            "{}\t{mutant}\t{classes}\t{}",
            self.requests,
            places.join(",")
        );
        jvm.talk.say(&request);
        let (stays, leaves) = (
            format!("fdc {} stays", self.requests),
            format!("fdc {} leaves", self.requests),
        );
        let begun = Instant::now();
        let is_late = || begun.elapsed() > limit + GRACE;
        let reply = loop {
            match jvm.talk.hear(&|| stop() || is_late()) {
                Err(RunError::Interrupted) if !stop() => break None,
                Ok(Some(line)) if line != stays && line != leaves => {}
                reply => break reply?,
            }
        };
        let mut open = None;
        jvm.spool.read(&mut |_, event| {
            match event {
                Event::Begin { test } => open = Some(test),
                Event::End(end) => {
                    open = None;
                    ended.hung |= tells_of_hang(end.note.as_deref());
                    if end.outcome == FAIL {
                        let failure = end.failure.as_ref().map(FailureRecord::from);
                        ended.failed.push((end.test, failure));
                    } else {
                        ended.passed.insert(end.test);
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        jvm.spool.clear();
        let is_silent = open.is_none() && ended.failed.is_empty() && ended.passed.is_empty();
        if reply.is_none() && !is_new && is_silent && !is_late() {
            // It had ended before: what the last mutant has left behind did that.
            return self.attempt(mutant, own, tests, stop);
        }
        if reply.is_none() {
            ended.hung |= is_late();
            ended.crashed = !ended.hung;
            ended.failed.extend(open.map(|test| (test, None)));
        }
        if reply == Some(stays) {
            self.jvm = Some(jvm);
        }
        Ok(ended)
    }

    fn start(&self) -> Result<Jvm> {
        make_folder(&self.folder)?;
        let launch = &self.launch;
        let mut plan = Plan::of(&CollectOptions::default(), false);
        for (key, paths) in [("project", &launch.project), ("woven", &self.woven)] {
            let lines = paths.iter().map(|path| path.to_string_lossy());
            lines.for_each(|path| plan.line(key, &path));
        }
        let class_path = join_paths(&launch.paths)?;
        plan.line(
            "property",
            &format!("java.class.path={}", class_path.to_string_lossy()),
        );
        launch
            .properties
            .iter()
            .for_each(|property| plan.line("property", property));
        let mut tests: Vec<_> = self.tests.iter().collect();
        tests.sort_by_key(|(_, (at, _))| *at);
        for (name, (_, limit)) in tests {
            plan.line("test", &format!("{} {name}", limit.as_secs_f64()));
        }
        let path = self.folder.join("plan");
        write_file(&path, plan.text)?;
        let spool = Spool::create(&self.folder.join("spool"))?;
        let temporary = self.folder.join("tmp");
        empty_folder(&temporary)?;
        let mut command = Command::new(&launch.java);
        if let Some(variables) = &launch.variables {
            command.env_clear().envs(variables.iter().cloned());
            command
                .env_remove("JAVA_TOOL_OPTIONS")
                .env_remove("JDK_JAVA_OPTIONS");
        }
        command
            .env("FDC_PLAN", &path)
            .env("FDC_SPOOL", &spool.folder)
            .env("TMPDIR", &temporary);
        command.current_dir(&launch.folder);
        command.args(DEFAULTS);
        let chooses = |one: &String| one.starts_with("-XX:+Use") && one.ends_with("GC");
        if !launch.arguments.iter().any(chooses) {
            command.arg("-XX:+UseSerialGC");
        }
        command.arg(format!("-Djava.io.tmpdir={}", temporary.display()));
        command.args(&launch.arguments);
        command.arg(agent::option(&self.jars[0]));
        let is_library = |path: &&PathBuf| !launch.project.contains(path);
        let libraries = launch.paths.iter().filter(is_library);
        let libraries = libraries.chain([&self.jars[1]]);
        command.arg("-cp").arg(join_paths(libraries)?).arg(PROGRAM);
        let talk = Talk::start(&mut command, &self.folder.join("output.log"))?;
        Ok(Jvm { talk, spool })
    }

    /// Whether a JVM is there.
    pub(super) fn runs(&self) -> bool {
        self.jvm.is_some()
    }

    /// Ends it until it is needed again.
    pub(super) fn rest(&mut self) {
        self.jvm = None;
    }
}
