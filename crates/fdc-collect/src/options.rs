use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fdc_core::Shard;

use crate::filter::Filter;
use crate::settings::Settings;

/// Everything a collection can be told.
#[derive(Clone, Debug, Default)]
pub struct CollectOptions {
    /// The project's root; absolute.
    pub root: PathBuf,
    /// The case file to write or go on with; absolute.
    pub case: PathBuf,
    /// Which tests.
    pub filter: Filter,
    /// Which part of these, if several machines share them.
    pub shard: Shard,
    /// How long a test may take.
    pub timeout: Option<Duration>,
    /// Tests, or processes of tests, at the same time; none: as the ecosystem likes.
    pub jobs: Option<usize>,
    /// How often each test is run in all, to find flaky ones; at least 1.
    pub runs: u32,
    /// Measure again only what changed since this revision.
    pub changed_since: Option<String>,
    /// Measure again the tests that are affected by what changed since they were measured.
    pub since_measured: bool,
    /// Measure again these tests as well: parts of their names, or patterns of the whole.
    pub again: Vec<String>,
    /// Find out how tests end, and measure nothing.
    pub outcomes_only: bool,
    /// The project that the root is a copy of, if it is one: tools are looked for there.
    pub copied_from: Option<PathBuf>,
    /// Test code counts as code.
    pub include_tests: bool,
    /// Further arguments for the project's own test command.
    pub arguments: Vec<OsString>,
    /// The ecosystem's own options.
    pub settings: Settings,
}

impl CollectOptions {
    /// Where the project's own tools are, such as a virtual environment.
    pub(crate) fn home(&self) -> &Path {
        self.copied_from.as_deref().unwrap_or(&self.root)
    }

    /// A folder beside the case for what is made on the way; empty at the start of a collection.
    pub(crate) fn work(&self) -> PathBuf {
        let name = self.case.file_name().unwrap_or_default().to_string_lossy();
        self.case.with_file_name(format!("{name}.work"))
    }
}
