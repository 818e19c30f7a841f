//! New tests tried: run three times by the collector, and what they cover.

use std::io::Write as _;
use std::path::Path;

use fdc_case::Case;
use fdc_collect::{Cause, Result, RunError, Watch};
use fdc_core::Outcome;
use fdc_core::spectrum::Element;

use crate::Generation;
use crate::suite::{GeneratedSuite, Version};
use crate::summary::RemovalReason;
use crate::target::Target;

const RUNS: u32 = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TriedTest {
    pub(crate) name: String,
    /// Its outcome, or why it cannot be relied on.
    pub(crate) fate: Result<Outcome, RemovalReason>,
    /// The case's elements it covers, ascending.
    pub(crate) elements: Vec<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trial {
    pub(crate) tests: Vec<TriedTest>,
    pub(crate) outside: u64,
}

impl Trial {
    /// Runs the tests on a version. A trial that was interrupted goes on.
    pub(crate) fn run(
        suite: &dyn GeneratedSuite,
        version: Version,
        generation: &Generation,
    ) -> Result<Self> {
        let Generation { folder, watch, .. } = *generation;
        let (name, title) = match version {
            Version::Faulty => ("trial", "trying the tests"),
            Version::Fixed => ("oracle", "running them on the fixed version"),
        };
        let mut options = suite.run(folder, version)?;
        options.case = folder.work(&format!("{name}.fdc"));
        options.runs = RUNS;
        options.timeout = Some(generation.options.timeout);
        watch.stage(title, 0);
        let log = folder.log(name);
        let log = std::fs::File::create(&log).map_err(RunError::io(&log, "write it"))?;
        let look = TrialWatch { watch, log };
        match fdc_collect::collect(suite.ecosystem(), &options, &look) {
            Ok(_) => Trial::read(&options.case, generation.target),
            Err(error) if error.cause() == Some(Cause::NoTests) => Ok(Trial::default()),
            Err(error) => Err(error),
        }
    }

    fn read(path: &Path, target: &Target) -> Result<Self> {
        let case = Case::open(path)?;
        let (spectrum, notes) = (case.spectrum()?, case.notes()?);
        let program = &spectrum.program;
        let place = |element: &Element| {
            let method = &program.methods[element.method.index()];
            target.element(&method.name, element.line)
        };
        let places: Vec<Option<u32>> = program.elements.iter().map(place).collect();
        let mut outside = vec![false; places.len()];
        let mut tests = Vec::new();
        for (id, note) in spectrum.coverage.tests().zip(notes) {
            let test = spectrum.test(id);
            // The collector says so, and JUnit does of a limit that the test itself sets.
            let late = note.is_some_and(|note| note.contains("timed out after"));
            let fate = match test.outcome {
                _ if test.flaky => Err(RemovalReason::Flaky),
                Some(Outcome::Pass) => Ok(Outcome::Pass),
                _ if late => Err(RemovalReason::Hanging),
                _ => Ok(Outcome::Fail),
            };
            let mut elements = Vec::new();
            for element in spectrum.coverage.elements(id) {
                match places[element as usize] {
                    Some(place) => elements.push(place),
                    None => outside[element as usize] = true,
                }
            }
            elements.sort_unstable();
            tests.push(TriedTest {
                name: test.name.clone(),
                fate,
                elements,
            });
        }
        let skipped = case.skipped()?.into_iter().map(|name| TriedTest {
            name,
            fate: Err(RemovalReason::Skipped),
            elements: Vec::new(),
        });
        tests.extend(skipped);
        tests.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Trial {
            tests,
            outside: outside.into_iter().filter(|&outside| outside).count() as u64,
        })
    }
}

/// The collector's words go to a log: what counts of them is in the summary.
struct TrialWatch<'w> {
    watch: &'w dyn Watch,
    log: std::fs::File,
}

impl Watch for TrialWatch<'_> {
    fn planned(&self, tests: u64) {
        self.watch.planned(tests * u64::from(RUNS));
    }

    fn finished(&self, test: &str) {
        self.watch.finished(test);
    }

    fn note(&self, text: &str) {
        // Best effort: a log that cannot be written must not end the trial.
        let _ = writeln!(&self.log, "{text}");
    }

    fn asked_to_stop(&self) -> bool {
        self.watch.asked_to_stop()
    }
}
