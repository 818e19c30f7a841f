use std::collections::BTreeSet;

use fdc_collect::{CollectOptions, Ecosystem, Result};

use crate::folder::OutputFolder;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// The one they were made on, with the fault.
    Faulty,
    /// The one without, for an oracle.
    Fixed,
}

/// New tests as sources (or as what they were compiled to) that can be run, and cut.
pub(crate) trait GeneratedSuite {
    fn ecosystem(&self) -> &'static Ecosystem;

    /// Makes them ready to run on a version; others leave all sources: their names.
    fn build(&mut self, folder: &OutputFolder, version: Version) -> Result<Vec<String>>;

    /// How to run them. Case, repetitions and time are set by the caller.
    fn run(&self, folder: &OutputFolder, version: Version) -> Result<CollectOptions>;

    /// Takes tests out of the sources, unless another run of one (another parameter) is kept.
    fn remove(&mut self, tests: &BTreeSet<String>, kept: &BTreeSet<String>);

    /// Puts the sources into the folder's `tests`, and what they were compiled to into `classes`.
    fn finish(&mut self, folder: &OutputFolder) -> Result<()>;

    /// The class or module that a test belongs to in the summary.
    fn unit(&self, test: &str) -> String;
}
