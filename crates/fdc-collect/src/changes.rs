//! What changed since a case was measured, or since a revision: which tests that affects, and which
//! have to be measured again. Both are the same question, answered in `affected`.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use fdc_case::Case;
use fdc_case::recording::Recording;
use fdc_source::{Language, Outline, display_name};

use crate::Ecosystem;
use crate::affected::{Affected, affected, is_file, touched};
use crate::error::Result;
use crate::measured::{ChangedFile, MeasuredSources, changes};
use crate::options::CollectOptions;
use crate::touched::Touched;
use crate::watch::Watch;

/// Which tests a changed file is the home of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TestsOf {
    Beginning(String),
    Containing(String),
    /// Code that may hold tests: those whose identity contains this.
    Code(String),
    /// It may concern all tests below this folder, which ends in `/` or is empty.
    Below(String),
    None,
    /// Cannot be told: any test may depend on it.
    All,
}

/// Affected tests, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffectedSince {
    /// Which they are.
    pub affected: Affected,
    /// Since when, in words.
    pub since: String,
    /// What a person should know about how they were found.
    pub notes: Vec<String>,
}

/// The tests of a case that are affected by what has changed in the project since the case was measured,
/// and since the revision, if one is named; `option` is what names it.
pub fn affected_since(
    ecosystem: &Ecosystem,
    case: &Case,
    root: &Path,
    revision: Option<&str>,
    option: &str,
) -> Result<AffectedSince> {
    let measured = MeasuredSources::of_case(case)?;
    let changes = changes(root, measured.as_ref(), revision, option)?;
    let (spectrum, skipped) = (case.measured()?, case.skipped()?);
    let affected = affected(&spectrum, &skipped, ecosystem.tests_of, root, &changes)?;
    Ok(AffectedSince {
        affected,
        since: changes.since,
        notes: changes.notes,
    })
}

/// Forgets what the changes since the revision have made stale.
pub(crate) fn forget_stale(
    options: &CollectOptions,
    revision: &str,
    tests_of: fn(&str) -> TestsOf,
    recording: &mut Recording,
    watch: &dyn Watch,
) -> Result<()> {
    const OPTION: &str = "--changed-since";
    let case = recording.case();
    let measured = MeasuredSources::of_case(case)?;
    let changes = changes(&options.root, measured.as_ref(), Some(revision), OPTION)?;
    let (spectrum, skipped) = (case.measured()?, case.skipped()?);
    let found = affected(&spectrum, &skipped, tests_of, &options.root, &changes)?;
    let names = found.tests.keys();
    let stale: HashSet<&str> = names.map(|id| &*spectrum.tests[id.index()].name).collect();
    let files: Vec<MovedFile> = changes.files.iter().map(MovedFile::of).collect();
    let by_path: HashMap<&str, &MovedFile> = files.iter().map(|f| (&*f.path, f)).collect();
    let place = |file: &str, method: &str, line: u32| {
        let by_class = || files.iter().find(|moved| is_file(file, &moved.path));
        match by_path.get(file).copied().or_else(by_class) {
            Some(moved) => moved.place(method, line),
            None => Some((method.to_owned(), line)),
        }
    };
    let count = recording.forget(place, |test| stale.contains(test))?;
    let why = found.any_test.first();
    let why = why.map(|file| format!(" ({file} may concern any test)"));
    changes.notes.iter().for_each(|note| watch.note(note));
    let (changed, why) = (found.files, why.unwrap_or_default());
    watch.note(&format!(
        "{changed} files changed since {revision}: {count} tests to measure again{why}"
    ));
    Ok(())
}

/// A changed file, with where its lines went.
struct MovedFile {
    path: String,
    /// None if everything in it is to be measured again.
    touched: Option<Touched>,
    /// Which function had a line, and which has it now.
    outlines: Option<(Language, Outline, Outline)>,
}

impl MovedFile {
    fn of(file: &ChangedFile) -> Self {
        let touched = touched(file).filter(|touched| !touched.statements);
        let texts = file.measured.text().zip(file.now.as_deref());
        let outlines = Language::of_path(&file.path).zip(texts);
        MovedFile {
            path: file.path.clone(),
            touched: touched.filter(|_| texts.is_some()),
            outlines: outlines.map(|(language, (before, now))| {
                let (before, now) = (Outline::of(language, before), Outline::of(language, now));
                (language, before, now)
            }),
        }
    }

    /// The method and number that a line has now, if it is as it was.
    fn place(&self, method: &str, line: u32) -> Option<(String, u32)> {
        let touched = self.touched.as_ref().filter(|own| !own.holds(line))?;
        let new = *touched.moved.get(&line)?;
        let mut name = method.to_owned();
        if let Some((language, before, now)) = &self.outlines {
            let of = |outline: &Outline, line| {
                let function = outline.at(line)?;
                Some(display_name(*language, &self.path, function))
            };
            // Other names, such as the compiler's own, do not have lines in them.
            if of(before, line).as_deref() == Some(method) {
                name = of(now, new)?;
            }
        }
        Some((name, new))
    }
}

/// Files that no test depends on.
pub(crate) fn is_prose(file: &str) -> bool {
    const ENDINGS: [&str; 14] = [
        "md", "rst", "txt", "adoc", "html", "css", "png", "jpg", "svg", "fdc", "log", "pyc", "pyi",
        "typed",
    ];
    const NAMES: [&str; 9] = [
        "AUTHORS",
        "CHANGELOG",
        "CHANGES",
        "CONTRIBUTING",
        "COPYING",
        "HISTORY",
        "LICENSE",
        "NOTICE",
        "README",
    ];
    const TOOLS: [&str; 5] = [
        ".editorconfig",
        ".pre-commit-config.yaml",
        ".readthedocs.yaml",
        ".readthedocs.yml",
        ".travis.yml",
    ];
    const FOLDERS: [&str; 6] = [
        ".git",
        "docs/",
        "doc/",
        ".pytest_cache/",
        ".hypothesis/",
        ".mypy_cache/",
    ];
    let path = Path::new(file);
    let ending = path.extension().and_then(|end| end.to_str());
    let name = path.file_name().and_then(|name| name.to_str());
    let mut own = [".fdc.lock", ".fdc-wal", ".fdc-shm"].into_iter();
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
        || own.any(|own| file.ends_with(own))
        || file.contains(".fdc.work/")
        || name.is_some_and(|name| NAMES.contains(&name) || TOOLS.contains(&name))
        || FOLDERS.iter().any(|folder| file.starts_with(folder))
}
