//! How one test becomes one record, or turns out to consist of subtests.

use fdc_case::recording::Judgement;

use super::Go;
use super::build::GoProgram;
use super::events::{SeenTest, pattern};
use super::execution::Execution;
use super::panic;
use crate::error::RunError;
use crate::isolated::{EndedTest, PlannedTest, Ran, Surroundings};
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
    pub(crate) fn look_into(&self, planned: &PlannedTest) -> Result<Ran, RunError> {
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
    pub(crate) fn alone(&self, planned: &PlannedTest) -> Result<Ran, RunError> {
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
    fn ended(
        &self,
        seen: &SeenTest,
        execution: &Execution,
        whole: bool,
        note: Option<String>,
    ) -> Ran {
        let top = seen.name.split('/').next().unwrap_or_default();
        let around = execution.events.test(top);
        let around_passed = around.is_some_and(|top| top.verdict == Some(PASS));
        let (judgement, why) = match seen.verdict {
            Some(Judgement::Skipped) => (Judgement::Skipped, seen.words.clone()),
            Some(PASS) if execution.succeeded() || !(whole || around_passed) => (PASS, None),
            Some(PASS) => {
                let end = execution.last_words();
                let why = format!("passed, but the process ended badly: {end}");
                (FAIL, Some(why))
            }
            Some(FAIL) if execution.ended(top) => (FAIL, seen.words.clone()),
            _ => (FAIL, Some(self.death(execution))),
        };
        let (root, packages) = (&self.go.options.root, &self.go.built.packages);
        let read = |text| self.go.sources.lines(root, packages, text);
        let files = execution.profile.as_deref().and_then(read);
        let lost = self.surroundings.measure && files.is_none() && judgement != Judgement::Skipped;
        let lost = lost.then(|| "no coverage: the test program left no profile".to_owned());
        let notes: Vec<String> = [why, note, lost].into_iter().flatten().collect();
        Ran::Whole(EndedTest {
            judgement,
            seconds: execution.seconds,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
            failure: (judgement == FAIL)
                .then(|| panic::failure(&execution.errors(), root))
                .flatten(),
            files: files.unwrap_or_default(),
        })
    }

    fn death(&self, execution: &Execution) -> String {
        match self.go.options.timeout {
            Some(timeout) if execution.timed_out() => {
                format!("timed out after {} s", timeout.as_secs_f64())
            }
            _ => execution.last_words(),
        }
    }
}
