//! The pool: the case with the new tests that can be relied on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fdc_case::{Case, NewTest};
use fdc_collect::Result;
use fdc_core::{Outcome, Suite};

use crate::Generation;
use crate::folder::OutputFolder;
use crate::suite::{GeneratedSuite, Version};
use crate::summary::RemovalReason;
use crate::target::Target;
use crate::trial::Trial;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NewTests {
    /// Those to rely on, by name.
    pub(crate) kept: Vec<NewTest>,
    pub(crate) removed: BTreeMap<String, RemovalReason>,
    pub(crate) outside: u64,
}

impl NewTests {
    /// Builds the suite, tries its tests, asks the oracle, and cuts the sources to what is kept.
    pub(crate) fn of(suite: &mut dyn GeneratedSuite, generation: &Generation) -> Result<Self> {
        let folder = generation.folder;
        let mut tests = NewTests::default();
        let asks = generation.options.has_oracle();
        generation.watch.stage("compiling the tests", 0);
        tests.build(suite, folder, Version::Faulty)?;
        if asks && tests.build(suite, folder, Version::Fixed)? {
            tests.build(suite, folder, Version::Faulty)?;
        }
        let found = Trial::run(suite, Version::Faulty, generation)?;
        tests.outside = found.outside;
        for test in found.tests {
            let known = generation.target.spectrum.test_named(&test.name);
            let reason = match test.fate {
                _ if known.is_some() => RemovalReason::Known,
                // EvoSuite writes an empty test where it made none.
                Ok(Outcome::Pass) if test.elements.is_empty() => RemovalReason::Empty,
                Ok(Outcome::Pass) => {
                    tests.kept.push(NewTest {
                        name: test.name,
                        outcome: None,
                        origin: generation.generator.name.to_owned(),
                        elements: test.elements,
                    });
                    continue;
                }
                Ok(Outcome::Fail) => RemovalReason::Failing,
                Err(reason) => reason,
            };
            tests.removed.insert(test.name, reason);
        }
        tests.cut(suite);
        if asks && !tests.kept.is_empty() {
            tests.build(suite, folder, Version::Fixed)?;
            tests.judge(&Trial::run(suite, Version::Fixed, generation)?);
            tests.cut(suite);
        }
        Ok(tests)
    }

    /// Writes the case with the kept tests, whole or not at all.
    pub(crate) fn write(&self, target: &Target, path: &Path, tool: &str) -> Result<()> {
        let notes = [("generator", tool), ("fdc", env!("CARGO_PKG_VERSION"))];
        Ok(Case::open(&target.case)?.extend(path, &self.kept, &notes)?)
    }

    /// Groups of suspects without the kept tests and with them.
    pub(crate) fn groups(&self, target: &Target, path: &Path) -> Result<[u64; 2]> {
        let spectrum = fdc_case::read(path)?;
        let mut suite = Suite::new(&spectrum.coverage, target.failing);
        let before = suite.suspicious_groups() as u64;
        let old = target.spectrum.tests.len();
        let new = spectrum.coverage.tests().skip(old);
        new.for_each(|test| suite.add(test));
        Ok([before, suite.suspicious_groups() as u64])
    }

    /// How many of the lines that the failing test covers there are, and a kept test covers.
    pub(crate) fn covered(&self, target: &Target) -> [u64; 2] {
        let covered = self.kept.iter().flat_map(|test| &test.elements);
        let covered: BTreeSet<u32> = covered.copied().collect();
        let suspicious = target.spectrum.coverage.elements(target.failing);
        let both = suspicious.iter().filter(|it| covered.contains(it));
        [suspicious.len() as u64, both.count() as u64]
    }

    /// Whether something had to be taken out.
    fn build(
        &mut self,
        suite: &mut dyn GeneratedSuite,
        folder: &OutputFolder,
        version: Version,
    ) -> Result<bool> {
        let refused = suite.build(folder, version)?;
        let some = !refused.is_empty();
        self.kept.retain(|test| !refused.contains(&test.name));
        let reason = RemovalReason::NotCompiling;
        let refused = refused.into_iter().map(|test| (test, reason));
        self.removed.extend(refused);
        Ok(some)
    }

    fn judge(&mut self, found: &Trial) {
        let fates = found.tests.iter().map(|test| (&test.name, test.fate));
        let fates: BTreeMap<&String, _> = fates.collect();
        for mut test in std::mem::take(&mut self.kept) {
            let fate = fates.get(&test.name).copied();
            match fate.unwrap_or(Err(RemovalReason::Skipped)) {
                Ok(outcome) => {
                    test.outcome = Some(outcome);
                    self.kept.push(test);
                }
                Err(reason) => drop(self.removed.insert(test.name, reason)),
            }
        }
    }

    fn cut(&self, suite: &mut dyn GeneratedSuite) {
        let removed = self.removed.keys().cloned().collect();
        let kept = self.kept.iter().map(|test| test.name.clone()).collect();
        suite.remove(&removed, &kept);
    }
}
