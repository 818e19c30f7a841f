//! What changed since a revision, and which tests have to be measured again.
//!
//! A test is measured again if it covers a line of a changed file, or if the change is in the file
//! that holds the test. A changed file that is neither code we know nor a test's own file, such as
//! `conftest.py` or a build file, may concern any test: then all are measured again. Texts and
//! pictures concern none. What a test depends on without running a line of it (a constant, a data
//! file that is read) is not seen.

use std::path::Path;
use std::process::Command;

use fdc_case::recording::Recording;

use crate::error::RunError;
use crate::options::CollectOptions;
use crate::process::answer;
use crate::watch::Watch;

/// Which tests a changed file is the home of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TestsOf {
    Beginning(String),
    Containing(String),
    /// Code that may hold tests itself: those whose identity contains this, and if no line of the
    /// file is known, any test may depend on it.
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
) -> Result<(), RunError> {
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
    let why = match all {
        Some(file) => format!(" ({file} may concern any test)"),
        None => String::new(),
    };
    watch.note(&format!(
        "{} files changed since {revision}: {count} tests to measure again{why}",
        files.len()
    ));
    Ok(())
}

/// Paths relative to the root, with those not under version control yet.
fn changed_files(root: &Path, revision: &str) -> Result<Vec<String>, RunError> {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(root).args(arguments);
        answer(&mut command)
    };
    if git(&["rev-parse", "--git-dir"]).is_none() {
        let message = format!("{} is not in a Git repository", root.display());
        return Err(RunError::usage(
            message,
            "leave out --changed-since to measure all tests",
        ));
    }
    if git(&[
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &format!("{revision}^{{commit}}"),
    ])
    .is_none()
    {
        let message = format!("Git knows no revision {revision:?}");
        return Err(RunError::usage(
            message,
            "name a commit, branch or tag, such as HEAD~1 or main",
        ));
    }
    let changed = git(&[
        "diff",
        "--name-only",
        "--relative",
        "--no-renames",
        "-z",
        revision,
        "--",
    ]);
    let new = git(&["ls-files", "--others", "--exclude-standard", "-z"]);
    let (Some(changed), Some(new)) = (changed, new) else {
        return Err(RunError::tool(
            "git diff failed",
            "run it by hand to see why",
        ));
    };
    let names = changed.split('\0').chain(new.split('\0'));
    let mut files: Vec<String> = names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

fn is_prose(file: &str) -> bool {
    const ENDINGS: [&str; 11] = [
        "md", "rst", "txt", "adoc", "html", "css", "png", "jpg", "svg", "fdc", "log",
    ];
    let ending = Path::new(file)
        .extension()
        .and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
        || file.starts_with(".git")
        || [".fdc.lock", ".fdc-wal", ".fdc-shm"]
            .iter()
            .any(|own| file.ends_with(own))
        || file.contains(".fdc.work/")
}
