//! The pool: the case with the new tests that can be relied on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fdc_case::{Case, NewTest};
use fdc_core::{Outcome, Suite as TestSuite};

use crate::error::GenerateError;
use crate::folder::Folder;
use crate::options::{Options, Oracle};
use crate::suite::{Suite, Version};
use crate::summary::Reason;
use crate::target::Target;
use crate::trial::{Fate, Trial};
use fdc_collect::Watch;

/// New tests, sorted out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    /// Those to rely on, by name.
    pub kept: Vec<NewTest>,
    /// The others.
    pub removed: BTreeMap<String, Reason>,
    /// Lines they ran that the case does not have.
    pub outside: u64,
}

impl Pool {
    /// Builds the suite, tries its tests, asks the oracle, and cuts the sources to what is kept.
    pub fn of(
        suite: &mut dyn Suite,
        origin: &str,
        options: &Options,
        target: &Target,
        folder: &Folder,
        watch: &dyn Watch,
    ) -> Result<Self, GenerateError> {
        let mut pool = Pool::default();
        let asks = options.oracle != Oracle::None;
        watch.stage("compiling the tests", 0);
        pool.build(suite, folder, Version::Faulty)?;
        if asks && pool.build(suite, folder, Version::Fixed)? {
            pool.build(suite, folder, Version::Faulty)?;
        }
        let trial = |suite: &dyn Suite, version| {
            Trial::run(suite, version, options.timeout, target, folder, watch)
        };
        let found = trial(suite, Version::Faulty)?;
        pool.outside = found.outside;
        for test in found.tests {
            let known = target.spectrum().test_named(&test.name).is_some();
            let reason = match test.fate {
                _ if known => Reason::Known,
                // EvoSuite writes an empty test where it made none.
                Fate::Passes if test.elements.is_empty() => Reason::Empty,
                Fate::Passes => {
                    pool.kept.push(NewTest {
                        name: test.name,
                        outcome: None,
                        origin: origin.to_owned(),
                        elements: test.elements,
                    });
                    continue;
                }
                Fate::Fails => Reason::Failing,
                Fate::Flaky => Reason::Flaky,
                Fate::Hangs => Reason::Hanging,
                Fate::Skipped => Reason::Skipped,
            };
            pool.removed.insert(test.name, reason);
        }
        pool.cut(suite);
        if asks && !pool.kept.is_empty() {
            pool.build(suite, folder, Version::Fixed)?;
            let found = trial(suite, Version::Fixed)?;
            pool.judge(&found);
            pool.cut(suite);
        }
        Ok(pool)
    }

    /// Writes the case with the kept tests, whole or not at all.
    pub fn write(&self, target: &Target, path: &Path, tool: &str) -> Result<(), GenerateError> {
        let notes = [("generator", tool), ("fdc", env!("CARGO_PKG_VERSION"))];
        Ok(Case::open(target.case())?.extend(path, &self.kept, &notes)?)
    }

    /// Groups of suspects without the kept tests and with them.
    pub fn groups(&self, target: &Target, path: &Path) -> Result<[u64; 2], GenerateError> {
        let spectrum = fdc_case::read(path)?;
        let mut suite = TestSuite::new(&spectrum.coverage, target.failing());
        let before = suite.suspicious_groups() as u64;
        let old = target.spectrum().tests.len();
        spectrum
            .coverage
            .tests()
            .skip(old)
            .for_each(|test| suite.add(test));
        Ok([before, suite.suspicious_groups() as u64])
    }

    /// How many of the lines that the failing test covers there are, and a kept test covers.
    pub fn covered(&self, target: &Target) -> [u64; 2] {
        let covered: BTreeSet<u32> = self
            .kept
            .iter()
            .flat_map(|test| test.elements.iter().copied())
            .collect();
        let suspicious = target.spectrum().coverage.elements(target.failing());
        let both = suspicious
            .iter()
            .filter(|element| covered.contains(element));
        [suspicious.len() as u64, both.count() as u64]
    }

    /// Whether something had to be taken out.
    fn build(
        &mut self,
        suite: &mut dyn Suite,
        folder: &Folder,
        version: Version,
    ) -> Result<bool, GenerateError> {
        let refused = suite.build(folder, version)?;
        let some = !refused.is_empty();
        self.kept.retain(|test| !refused.contains(&test.name));
        let refused = refused.into_iter();
        self.removed
            .extend(refused.map(|test| (test, Reason::NotCompiling)));
        Ok(some)
    }

    /// Takes the outcomes from the fixed version.
    fn judge(&mut self, found: &Trial) {
        let fates: BTreeMap<&str, Fate> = found
            .tests
            .iter()
            .map(|test| (test.name.as_str(), test.fate))
            .collect();
        for mut test in std::mem::take(&mut self.kept) {
            let reason = match fates.get(test.name.as_str()) {
                Some(Fate::Passes) => Ok(Outcome::Pass),
                Some(Fate::Fails) => Ok(Outcome::Fail),
                Some(Fate::Flaky) => Err(Reason::Flaky),
                Some(Fate::Hangs) => Err(Reason::Hanging),
                Some(Fate::Skipped) | None => Err(Reason::Skipped),
            };
            match reason {
                Ok(outcome) => {
                    test.outcome = Some(outcome);
                    self.kept.push(test);
                }
                Err(reason) => {
                    self.removed.insert(test.name, reason);
                }
            }
        }
    }

    fn cut(&self, suite: &mut dyn Suite) {
        let removed = self.removed.keys().cloned().collect();
        let kept = self.kept.iter().map(|test| test.name.clone()).collect();
        suite.remove(&removed, &kept);
    }
}
