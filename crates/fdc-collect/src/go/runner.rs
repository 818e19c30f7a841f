//! How one test becomes one record, or turns out to consist of subtests.

use fdc_case::recording::Judgement;
use fdc_core::spectrum::Outcome;

use super::ALONE;
use super::arguments::Arguments;
use super::blocks::Sources;
use super::build::{Built, Program};
use super::events::{Events, Seen, Verdict, pattern};
use super::execution::{Execution, Order, execute};
use crate::each::{FileLines, Planned, Run, RunOptions};
use crate::error::CollectError;
use crate::options::Options;

/// One worker's view of a test to run.
pub struct Runner<'r> {
    /// What the user asked for.
    pub options: &'r Options,
    /// What the user adds.
    pub arguments: &'r Arguments,
    /// What was built.
    pub built: &'r Built,
    /// The source files.
    pub sources: &'r Sources,
    /// Its program.
    pub program: &'r Program,
    /// How it is run.
    pub run: &'r RunOptions<'r>,
}

/// How often a test is run again to find subtests behind one that takes the program down.
const MOST_ROUNDS: usize = 50;
/// Longer arguments are refused by the system.
const LONGEST_PATTERN: usize = 100_000;

impl Runner<'_> {
    /// Runs a top-level test, and finds out whether it has parts.
    pub fn look_into(&self, test: &str, program: usize) -> Result<Run, CollectError> {
        let execution = self.execute(test, None, "whole")?;
        let Some(seen) = execution.events.test(test) else {
            if execution.succeeded() {
                return Ok(Run::Parts(Vec::new()));
            }
            return Ok(self.ended(&Seen::default(), &execution, false, None));
        };
        if !execution.events.has_parts(test) {
            return Ok(self.ended(seen, &execution, true, None));
        }
        let mut all = execution.events.clone();
        let mut whole = execution.ended(test);
        for round in 0..MOST_ROUNDS {
            let skip = standing_names(&all, test)
                .map(pattern)
                .collect::<Vec<_>>()
                .join("|");
            if whole || skip.is_empty() || skip.len() > LONGEST_PATTERN {
                break;
            }
            let again = self.execute(test, Some(&skip), &format!("round-{round}"))?;
            let known = all.seen().len();
            all.join(&again.events);
            whole = again.ended(test) || all.seen().len() == known;
        }
        let parts = all
            .standing()
            .into_iter()
            .map(|seen| self.planned(&seen.name, program));
        Ok(Run::Parts(parts.collect()))
    }

    /// Runs a test or subtest to be recorded as it is.
    pub fn alone(&self, test: &str, program: usize) -> Result<Run, CollectError> {
        let execution = self.execute(test, None, "alone")?;
        let top = test.split('/').next().unwrap_or(test);
        if let Some(seen) = execution.events.test(test) {
            let trusted = test == top;
            return Ok(self.ended(seen, &execution, trusted, None));
        }
        let with = self.execute(top, None, "with")?;
        match with.events.test(test) {
            Some(seen) => {
                let note = format!("measured with all of {top}, because it does not run alone");
                Ok(self.ended(seen, &with, false, Some(note)))
            }
            // Its name changes from run to run.
            None if test != top => Ok(Run::Parts(vec![self.planned(top, program)])),
            None => Ok(self.ended(&Seen::default(), &with, true, None)),
        }
    }

    fn planned(&self, test: &str, program: usize) -> Planned {
        Planned {
            name: format!("{}/{test}", self.program.package),
            program,
            selector: format!("{ALONE}{test}"),
        }
    }

    fn execute(
        &self,
        test: &str,
        skip: Option<&str>,
        folder: &str,
    ) -> Result<Execution, CollectError> {
        let folder = self.run.folder.join(folder);
        std::fs::create_dir_all(&folder).map_err(CollectError::io(&folder, "make it"))?;
        let arguments = self.arguments;
        let flags: Vec<String> = [&arguments.program[..], &arguments.own].concat();
        execute(&Order {
            program: self.program,
            run: &pattern(test),
            skip,
            flags: &flags,
            measure: self.run.measure && skip.is_none(),
            folder: &folder,
            patience: self.options.timeout,
            stop: &|| (self.run.stop)(),
        })
    }

    /// What is recorded of a test. The end of the process concerns it unless it is a part: what is
    /// around a part may fail just because the other parts did not run.
    fn ended(&self, seen: &Seen, execution: &Execution, whole: bool, note: Option<String>) -> Run {
        let top = seen.name.split('/').next().unwrap_or_default();
        let around_passed = execution
            .events
            .test(top)
            .is_some_and(|top| top.verdict == Some(Verdict::Pass));
        let (judgement, why) = match seen.verdict {
            Some(Verdict::Skip) => (Judgement::Skipped, seen.words.clone()),
            Some(Verdict::Pass) if execution.succeeded() || !(whole || around_passed) => {
                (Judgement::Judged(Outcome::Pass), None)
            }
            Some(Verdict::Pass) => {
                let why = format!(
                    "passed, but the process ended badly: {}",
                    execution.last_words()
                );
                (Judgement::Judged(Outcome::Fail), Some(why))
            }
            Some(Verdict::Fail) if execution.ended(top) => {
                (Judgement::Judged(Outcome::Fail), seen.words.clone())
            }
            _ => (
                Judgement::Judged(Outcome::Fail),
                Some(self.death(execution)),
            ),
        };
        let profile = execution.profile.as_deref();
        let read = |text| {
            self.sources
                .lines(&self.options.root, &self.built.packages, text)
        };
        let files: Option<Vec<FileLines>> = profile.and_then(read);
        let lost = self.run.measure && files.is_none() && judgement != Judgement::Skipped;
        let lost = lost.then(|| "no coverage: the test program left no profile".to_owned());
        let notes: Vec<String> = [why, note, lost].into_iter().flatten().collect();
        Run::Ended {
            judgement,
            seconds: execution.seconds,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
            files: files.unwrap_or_default(),
        }
    }

    fn death(&self, execution: &Execution) -> String {
        match self.options.timeout {
            Some(timeout) if execution.timed_out() => {
                format!("timed out after {} s", timeout.as_secs_f64())
            }
            _ => execution.last_words(),
        }
    }
}

/// All parts that can be skipped to see what else there is.
fn standing_names<'e>(events: &'e Events, test: &str) -> impl Iterator<Item = &'e str> {
    let standing = events.standing().into_iter();
    standing
        .map(|seen| seen.name.as_str())
        .filter(move |name| *name != test)
}
