use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use fdc_collect::process::read_file;
use fdc_collect::{Result, RunError};
use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use sha2::{Digest as _, Sha256};

/// What new tests are made for: a case, and the failing test to start from.
#[derive(Debug)]
pub struct Target {
    /// Absolute.
    pub(crate) case: PathBuf,
    pub(crate) spectrum: Spectrum,
    pub(crate) failing: TestId,
    elements: HashMap<String, BTreeMap<u32, u32>>,
    /// The case file's SHA-256.
    pub(crate) digest: String,
    /// Where the case was collected.
    pub project: Option<PathBuf>,
}

impl Target {
    /// Of a case file that was read already.
    pub fn new(case: &Path, spectrum: Spectrum, failing: TestId) -> Result<Self> {
        let case = std::path::absolute(case).map_err(RunError::io(case, "find it"))?;
        let bytes = read_file(&case)?;
        let digest = Sha256::digest(&bytes);
        let mut elements: HashMap<String, BTreeMap<u32, u32>> = HashMap::new();
        for (number, element) in (0..).zip(&spectrum.program.elements) {
            let method = &spectrum.program.methods[element.method.index()];
            let lines = elements.entry(method.name.clone()).or_default();
            lines.insert(element.line, number);
        }
        Ok(Target {
            case,
            spectrum,
            failing,
            elements,
            digest: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            project: None,
        })
    }

    pub(crate) fn failing_name(&self) -> &str {
        &self.spectrum.test(self.failing).name
    }

    /// The case's element for a line that was measured, by method and line.
    pub(crate) fn element(&self, method: &str, line: u32) -> Option<u32> {
        self.elements.get(method)?.get(&line).copied()
    }

    /// The names of the methods that the failing test covers, in the case's order.
    pub(crate) fn suspects(&self) -> Vec<&str> {
        let program = &self.spectrum.program;
        let mut covered = vec![false; program.methods.len()];
        for element in self.spectrum.coverage.elements(self.failing) {
            covered[program.elements[element as usize].method.index()] = true;
        }
        let methods = program.methods.iter().zip(covered);
        let covered = methods.filter(|(_, covered)| *covered);
        covered.map(|(method, _)| method.name.as_str()).collect()
    }
}
