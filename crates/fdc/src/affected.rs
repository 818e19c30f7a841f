//! affected: the tests that a change may make end otherwise.

mod test_tool;

use std::path::{Path, PathBuf};

use fdc_case::Case;
use fdc_collect::affected::{TestFunction, WhyAffected};
use fdc_collect::{Ecosystem, affected_since, ecosystem_named, ecosystem_of};
use fdc_source::Sources;
use serde::Serialize;

use crate::error::{Failure, Result};
use crate::input::roots;

pub use test_tool::TestTool;

/// Which case, and changes since when.
#[derive(Debug)]
pub struct AffectedRequest {
    /// The case file.
    pub case: PathBuf,
    /// A Git revision; what changed since counts, besides what changed since the case was measured.
    pub since: Option<String>,
    /// The project's root; where the case was collected, if left out.
    pub source: Option<PathBuf>,
    /// Whether tests are left out that are only affected because a file may concern any test.
    pub only_covered: bool,
}

/// Affected tests.
#[derive(Debug, Serialize)]
pub struct AffectedReply {
    /// The kind of project.
    pub ecosystem: &'static str,
    /// Since when, in words.
    pub since: String,
    /// Tests of the case.
    pub all: usize,
    /// Changed files.
    pub changed_files: usize,
    /// Those affected, by name.
    pub tests: Vec<AffectedTest>,
    /// Tests of the case whose source is gone.
    pub gone: Vec<String>,
    /// Test functions that have changed or are new.
    pub functions: Vec<ChangedFunction>,
    /// Changed functions that no test ran.
    pub not_run: Vec<UnrunFunction>,
    /// Changed files that may concern any test.
    pub any_test: Vec<String>,
    /// Changed files that are taken to concern none.
    pub unseen: Vec<String>,
    /// What a person should know.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// What decides on how tests are named for tools.
    #[serde(skip)]
    root: PathBuf,
}

/// A test of the case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AffectedTest {
    /// Its id.
    pub name: String,
    /// How it ended; none if it was skipped or is not known.
    pub outcome: Option<&'static str>,
    /// Why, as a word: own-source, ran-function, ran-file, mentions, below, any-test, not-measured.
    pub why: &'static str,
    /// The changed file.
    pub file: Option<String>,
    /// The changed function or name.
    pub what: Option<String>,
}

/// A test function, or a file of tests, that the change is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedFunction {
    /// Relative to the root.
    pub file: String,
    /// Qualified as sources are; none stands for all of a new file.
    pub function: Option<String>,
    /// Whether the case does not know it.
    pub is_new: bool,
}

/// A changed function that no test ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnrunFunction {
    /// Relative to the root.
    pub file: String,
    /// Qualified as sources are.
    pub function: String,
    /// First line, when the case was measured.
    pub first: u32,
    /// Last line.
    pub last: u32,
}

/// Which tests are affected by what has changed.
pub fn affected(request: &AffectedRequest) -> Result<AffectedReply> {
    let case = Case::open(&request.case)?;
    let _moment = case.moment()?;
    let sources = roots(&case, request.source.as_deref())?.project;
    let root = sources.as_ref().map_or(Path::new("."), Sources::root);
    let ecosystem = ecosystem(&case, root)?;
    let found = affected_since(ecosystem, &case, root, request.since.as_deref(), "--since")?;
    let spectrum = case.measured()?;
    let affected = found.affected;
    let mut tests: Vec<AffectedTest> = affected
        .tests
        .iter()
        .filter(|(id, _)| !affected.gone.contains(id))
        .filter(|(_, why)| !request.only_covered || !matches!(why, WhyAffected::AnyTest(_)))
        .map(|(id, why)| {
            let test = spectrum.test(*id);
            let (word, file, what) = told(why);
            AffectedTest {
                name: test.name.clone(),
                outcome: test.outcome.map(fdc_core::Outcome::name),
                why: word,
                file,
                what,
            }
        })
        .collect();
    tests.extend(affected.skipped.into_iter().map(|name| AffectedTest {
        name,
        outcome: None,
        why: "own-source",
        file: None,
        what: None,
    }));
    tests.sort_by(|one, other| one.name.cmp(&other.name));
    let gone = affected
        .gone
        .iter()
        .map(|id| spectrum.test(*id).name.clone());
    let gone: Vec<String> = gone.collect();
    let functions = affected.sources.into_iter();
    let unrun = affected.unrun.into_iter();
    let mut notes = found.notes;
    notes.extend(case.interruption()?);
    Ok(AffectedReply {
        ecosystem: ecosystem.name,
        since: found.since,
        all: spectrum.tests.len(),
        changed_files: affected.files,
        tests,
        gone,
        functions: functions.map(changed_function).collect(),
        not_run: unrun
            .map(|(file, function, first, last)| UnrunFunction {
                file,
                function,
                first,
                last,
            })
            .collect(),
        any_test: affected.any_test,
        unseen: affected.unseen,
        notes,
        root: root.to_owned(),
    })
}

fn ecosystem(case: &Case, root: &Path) -> Result<&'static Ecosystem> {
    match case.about("collector")? {
        None => Ok(ecosystem_of(root)?),
        Some(name) => ecosystem_named(&name).map_err(|_| {
            Failure::input(format!(
                "the case is of a collector {name:?}, which is not known"
            ))
            .hint("a newer fdc made it: update fdc")
        }),
    }
}

fn told(why: &WhyAffected) -> (&'static str, Option<String>, Option<String>) {
    match why {
        WhyAffected::OwnSource(file) => ("own-source", Some(file.clone()), None),
        WhyAffected::RanFunction(file, name) => {
            ("ran-function", Some(file.clone()), Some(name.clone()))
        }
        WhyAffected::RanFile(file) => ("ran-file", Some(file.clone()), None),
        WhyAffected::Mentions(name, file) => ("mentions", Some(file.clone()), Some(name.clone())),
        WhyAffected::Below(file) => ("below", Some(file.clone()), None),
        WhyAffected::AnyTest(file) => ("any-test", Some(file.clone()), None),
        WhyAffected::NotMeasured => ("not-measured", None, None),
    }
}

fn changed_function(own: TestFunction) -> ChangedFunction {
    ChangedFunction {
        file: own.file,
        function: own.function,
        is_new: own.is_new,
    }
}
