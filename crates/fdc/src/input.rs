//! What a verb works on: coverage with its tests' outcomes, and the sources of what was measured.

use std::path::{Path, PathBuf};

use fdc_case::mutants::Mutant;
use fdc_case::{Case, FileError};
use fdc_collect::{Rerun, git};
use fdc_core::failing::test_named;
use fdc_core::{Outcome, Spectrum};
use fdc_formats::{Format, Project, read_inputs, read_mutants};
use fdc_source::{Roots, Sources};

use crate::error::{Failure, FailureKind, Remedy, Result};
use crate::since::mark_changed;

/// Where coverage and outcomes come from.
#[derive(Debug, Default)]
pub struct InputRequest {
    /// A case file, or files and folders of any format that belong together.
    pub inputs: Vec<PathBuf>,
    /// The format, where it shall not be recognised by content.
    pub from: Option<&'static Format>,
    /// Reports of outcomes (`junit`, `pytest-output`, `cargo-output`), or folders of them.
    pub outcomes: Vec<PathBuf>,
    /// Tests that failed; if there are any, all tests without an outcome passed.
    pub failed: Vec<String>,
    /// The project's root; where the case was collected or the current folder, if left out.
    pub source: Option<PathBuf>,
    /// Class files that JaCoCo measured: folders or jars.
    pub classes: Vec<PathBuf>,
    /// Whether test code counts as code under test.
    pub include_tests: bool,
    /// A Git revision that was good: methods that changed since are marked.
    pub since: Option<String>,
}

/// What was read.
pub struct Input {
    /// Program, tests, coverage.
    pub spectrum: Spectrum,
    /// What a person should know about it, a sentence each.
    pub notes: Vec<String>,
    /// Mutants that other tools tried.
    pub mutants: Vec<Mutant>,
    /// Open, if coverage comes from a case file.
    case: Option<Case>,
    source: Option<PathBuf>,
}

impl Input {
    /// Reads everything; a case file is opened once.
    pub fn read(request: InputRequest) -> Result<Self> {
        let root = request.source.as_deref().unwrap_or(Path::new("."));
        if !root.is_dir() {
            let message = format!("{}: there is no folder of sources", root.display());
            return Err(Failure::new(FailureKind::NoAccess, message)
                .remedy(Remedy::NameSources(root.to_owned())));
        }
        let project = Project::new(root)
            .with_classes(request.classes)
            .with_tests(request.include_tests);
        let inputs = &request.inputs;
        let reading = read_inputs(inputs, request.from, &request.outcomes, &project)?;
        let mut spectrum = reading.spectrum;
        for name in &request.failed {
            let test = test_named(&spectrum, name)?;
            spectrum.tests[test.index()].outcome = Some(Outcome::Fail);
        }
        if !request.failed.is_empty() {
            for test in &mut spectrum.tests {
                test.outcome.get_or_insert(Outcome::Pass);
            }
        }
        let mut input = Input {
            spectrum,
            notes: reading.notes,
            mutants: Vec::new(),
            case: reading.case,
            source: request.source,
        };
        if let Some(revision) = &request.since {
            let sources = input.sources()?;
            let root = sources.as_ref().map_or(Path::new("."), Sources::root);
            let note = mark_changed(&mut input.spectrum, root, revision)?;
            input.notes.extend(note);
        }
        Ok(input)
    }

    /// Adds the kill matrices of other mutation tools: files of the formats `pit`, `stryker`,
    /// `cosmic-ray`, `major`.
    pub fn add_mutants(&mut self, reports: &[PathBuf]) -> Result<()> {
        for report in reports {
            let imported = read_mutants(report, &self.spectrum)?;
            self.mutants.extend(imported.mutants);
            self.notes.push(imported.note);
        }
        Ok(())
    }

    /// Adds what mutants showed before, if coverage comes from a case.
    pub fn add_kills(&mut self) -> Result<()> {
        let case = self.case.as_ref();
        Ok(case.map_or(Ok(()), |case| case.add_kills(&mut self.spectrum))?)
    }

    /// What runs the tests of a case that was collected.
    pub fn rerun(&self) -> Result<Rerun> {
        let Some(case) = &self.case else {
            let message = "only the tests of a case that `fdc collect` has made can be run";
            return Err(Failure::usage(message));
        };
        Ok(Rerun::of(case, self.source.as_deref())?)
    }

    /// Adds what Git tells of the files below the project's root, if the root was named, is in a
    /// repository, and nothing is known.
    pub fn add_history(&mut self) {
        let root = self
            .source
            .as_deref()
            .filter(|root| git::is_repository(root));
        let Some(root) = root.filter(|_| self.spectrum.history.is_empty()) else {
            return;
        };
        let (history, note) = git::history(root);
        self.notes.extend(note);
        let files = self.spectrum.program.files.iter();
        let known: Vec<_> = files.map(|file| history.get(file).copied()).collect();
        if known.iter().any(Option::is_some) {
            self.spectrum.history = known;
        }
    }

    /// The case file that coverage comes from, if it does.
    pub fn case(&self) -> Option<&Case> {
        self.case.as_ref()
    }

    /// Where the sources of the program are.
    pub fn sources(&self) -> Result<Option<Sources>> {
        sources(self.case.as_ref(), self.source.as_deref())
    }
}

/// The roots of a case: the project's, and the tests that were generated beside it.
pub(crate) fn roots(case: &Case, source: Option<&Path>) -> Result<Roots> {
    let folder = match case.path().parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // A folder of that name may be anything; what a generation finished has a summary.
    let generated = folder.join("summary.json").is_file();
    let tests = generated.then(|| Sources::below(&folder.join("tests"), None).ok());
    Ok(Roots {
        project: sources(Some(case), source)?,
        tests: tests.flatten(),
    })
}

/// The project's root: `source`, else where the case was collected, else the current folder.
fn sources(case: Option<&Case>, source: Option<&Path>) -> Result<Option<Sources>> {
    // Sources are as old as the coverage or older, or they are not what was measured.
    let measured = case.map_or(Ok(None), Case::measured_at)?;
    if let Some(folder) = source {
        let refused = |error| {
            let error = FileError::io(folder, "look for sources in it")(error);
            Failure::from(error).remedy(Remedy::NameRoot)
        };
        return Sources::below(folder, measured).map_err(refused).map(Some);
    }
    let root = case.map_or(Ok(None), |case| case.about("root"))?;
    // The case may come from another machine, and then its root is not here.
    let collected = root.and_then(|root| Sources::below(Path::new(&root), measured).ok());
    Ok(collected.or_else(|| Sources::below(Path::new("."), measured).ok()))
}
