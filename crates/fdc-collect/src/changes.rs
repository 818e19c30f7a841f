//! What changed since a revision, and which tests have to be measured again.
//!
//! A test is measured again if it covers a line of a changed file, or if the change is in the file
//! that holds the test. A changed file that is neither code we know nor a test's own file, such as
//! `conftest.py` or a build file, may concern any test: then all are measured again. Texts and
//! pictures concern none. What a test depends on without running a line of it (a constant, a data
//! file that is read) is not seen.

use std::path::Path;

use fdc_case::recording::Recording;

use crate::error::Result;
use crate::git::changed_files;
use crate::options::CollectOptions;
use crate::watch::Watch;

/// Which tests a changed file is the home of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TestsOf {
    Beginning(String),
    Containing(String),
    /// Code that may hold tests: those whose identity contains this; any if no line is known.
    Code(String),
    None,
    /// Cannot be told: any test may depend on it.
    All,
}

/// Forgets what the changes since the revision have made stale.
pub(crate) fn forget_stale(
    options: &CollectOptions,
    revision: &str,
    tests_of: fn(&str) -> TestsOf,
    recording: &mut Recording,
    watch: &dyn Watch,
) -> Result<()> {
    let files = changed_files(&options.root, revision)?;
    let mut beginnings = Vec::new();
    let mut parts = Vec::new();
    let mut all = None;
    for file in &files {
        match tests_of(file) {
            TestsOf::Beginning(beginning) => beginnings.push(beginning),
            TestsOf::Containing(part) => parts.push(part),
            TestsOf::Code(part) => {
                parts.push(part);
                if !recording.knows_file(file) {
                    all = all.or(Some(file));
                }
            }
            TestsOf::None => {}
            TestsOf::All if recording.knows_file(file) || is_prose(file) => {}
            TestsOf::All => all = all.or(Some(file)),
        }
    }
    let stale = |test: &str| {
        all.is_some()
            || beginnings.iter().any(|start| test.starts_with(start))
            || parts.iter().any(|part| test.contains(part))
    };
    let count = recording.forget(|file| files.iter().any(|changed| changed == file), stale)?;
    let why = all.map(|file| format!(" ({file} may concern any test)"));
    let (changed, why) = (files.len(), why.unwrap_or_default());
    watch.note(&format!(
        "{changed} files changed since {revision}: {count} tests to measure again{why}"
    ));
    Ok(())
}

fn is_prose(file: &str) -> bool {
    const ENDINGS: [&str; 11] = [
        "md", "rst", "txt", "adoc", "html", "css", "png", "jpg", "svg", "fdc", "log",
    ];
    let ending = Path::new(file).extension().and_then(|end| end.to_str());
    let mut own = [".fdc.lock", ".fdc-wal", ".fdc-shm"].into_iter();
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
        || file.starts_with(".git")
        || own.any(|own| file.ends_with(own))
        || file.contains(".fdc.work/")
}
