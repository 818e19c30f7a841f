//! Many bugs at once: every spectrum under some folders, in a fixed order, the broken ones listed.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use fdc_core::Spectrum;
use fdc_core::spectrum::{Bug, Outcome};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use fdc_case::{Case, FileError, Result, refuse_special_file};

use crate::{detect, evidence};

/// Endings of the files that are taken from a folder; a file named outright may have any.
const ENDINGS: [&str; 3] = [".json", ".json.zst", ".fdc"];
/// Endings of files that tell more of bugs.
const EVIDENCE_ENDINGS: [&str; 2] = [".jsonl", ".jsonl.zst"];

/// Spectra with known bug numbers, projects by name, versions by number.
#[derive(Debug)]
pub struct Collection {
    /// What could be read.
    pub bugs: Vec<CollectedBug>,
    /// What could not.
    pub broken: Vec<FileError>,
    /// What a person should know of what was read, a sentence each.
    pub notes: Vec<String>,
}

/// One bug and where it came from.
#[derive(Clone, Debug)]
pub struct CollectedBug {
    /// The file.
    pub path: PathBuf,
    /// Which bug; where the input does not say, the file's name and 0.
    pub bug: Bug,
    /// Its spectrum.
    pub spectrum: Spectrum,
}

impl Collection {
    /// Reads every spectrum in the given files and folders (and folders in them), and what files of
    /// evidence among them tell of the bugs. An unreadable folder, or one bug in two files,
    /// is an error; an unreadable file is listed.
    pub fn read(paths: &[PathBuf]) -> Result<Self> {
        let mut files = Vec::new();
        let (mut bugs, mut broken) = (Vec::new(), Vec::new());
        for path in paths {
            find(path, &mut files, &mut broken)?;
        }
        files.sort();
        files.dedup();
        let is_evidence = |path: &PathBuf| has_ending(path, &EVIDENCE_ENDINGS);
        let (evidence, files): (Vec<PathBuf>, Vec<PathBuf>) =
            files.into_iter().partition(is_evidence);
        let read = |path: PathBuf| {
            let reading = detect(&path)?.reading(&path)?;
            let spectrum = reading.spectrum;
            let bug = spectrum.bug.clone();
            let bug = CollectedBug {
                bug: bug.unwrap_or_else(|| bug_of_file(&path)),
                path,
                spectrum,
            };
            Ok((bug, reading.notes))
        };
        let mut notes = Vec::new();
        for outcome in files.into_par_iter().map(read).collect::<Vec<_>>() {
            match outcome {
                Ok((bug, of_file)) => {
                    bugs.push(bug);
                    notes.extend(of_file);
                }
                Err(error) => broken.push(error),
            }
        }
        bugs.sort_by(|a, b| a.bug.cmp(&b.bug));
        let mut pairs = bugs.windows(2);
        if let Some([first, second]) = pairs.find(|pair| pair[0].bug == pair[1].bug) {
            let (Bug { subject, version }, path) = (&first.bug, first.path.display());
            let found = format!("{subject} {version}, which is also in {path}");
            let error = FileError::bad(&second.path, "each bug once", found);
            return Err(error.hint("give one pool of tests at a time"));
        }
        for path in evidence {
            match evidence::read(&path) {
                Ok(found) => {
                    for own in found {
                        let place = bugs.binary_search_by(|bug| bug.bug.cmp(&own.bug));
                        if let Ok(place) = place {
                            own.add_to(&mut bugs[place].spectrum);
                        }
                    }
                }
                Err(error) => broken.push(error),
            }
        }
        Ok(Collection {
            bugs,
            broken,
            notes,
        })
    }

    /// Adds the mutants of cases that at least one test noticed, each as a bug of its own; `paths` are
    /// case files, or folders of them.
    pub fn add_mutants(&mut self, paths: &[PathBuf]) -> Result<()> {
        let mut files = Vec::new();
        for path in paths {
            find(path, &mut files, &mut self.broken)?;
        }
        files.sort();
        files.dedup();
        let read = |path: &PathBuf| {
            let case = Case::open(path)?;
            let _moment = case.moment()?;
            let mut spectrum = case.measured()?;
            case.add_kills(&mut spectrum)?;
            Ok(spectrum)
        };
        let spectra: Vec<_> = files.par_iter().map(read).collect();
        for (path, spectrum) in files.into_iter().zip(spectra) {
            match spectrum {
                Ok(spectrum) => self.add_mutants_of(&path, &spectrum),
                Err(error) => self.broken.push(error),
            }
        }
        Ok(())
    }

    fn add_mutants_of(&mut self, path: &Path, spectrum: &Spectrum) {
        let name = name_of(path);
        let subject = name.strip_suffix(".fdc").unwrap_or(&name);
        let mutants = spectrum.mutants.iter().enumerate();
        let noticed = mutants.filter(|(_, mutant)| !mutant.kills.is_empty());
        let before = self.bugs.len();
        self.bugs.extend(noticed.map(|(number, _)| {
            let spectrum = spectrum.with_mutant(number, subject);
            let bug = spectrum.bug.clone();
            CollectedBug {
                path: path.to_owned(),
                bug: bug.unwrap_or_else(|| bug_of_file(path)),
                spectrum,
            }
        }));
        if self.bugs.len() == before {
            let expected = "mutants that a test noticed";
            let error = FileError::bad(path, expected, "none").hint("run fdc mutate on it first");
            self.broken.push(error);
        }
    }

    /// A digest of all that was read: the same for the same bugs, whatever their files.
    pub fn digest(&self) -> String {
        digest_of(self.bugs.iter().map(|bug| (&bug.bug, &bug.spectrum)))
    }
}

/// SHA-256 over the contents of spectra, in hexadecimal.
pub fn digest_of<'a>(bugs: impl Iterator<Item = (&'a Bug, &'a Spectrum)>) -> String {
    let mut hash = Sha256::new();
    for (bug, spectrum) in bugs {
        text(&mut hash, &bug.subject);
        number(&mut hash, bug.version);
        for method in &spectrum.program.methods {
            text(&mut hash, &method.name);
        }
        number(&mut hash, spectrum.program.elements.len() as u32);
        for element in &spectrum.program.elements {
            number(&mut hash, element.method.0);
            number(&mut hash, element.line);
        }
        number(&mut hash, spectrum.tests.len() as u32);
        for id in spectrum.coverage.tests() {
            let test = spectrum.test(id);
            text(&mut hash, &test.name);
            let outcome = match test.verdict().map(|verdict| verdict.outcome) {
                Some(Outcome::Pass) => 0,
                Some(Outcome::Fail) => 1,
                None => 2,
            };
            number(&mut hash, outcome);
            let elements = spectrum.coverage.elements(id);
            number(&mut hash, elements.len() as u32);
            for element in elements {
                number(&mut hash, element);
            }
        }
        for method in spectrum.fault.iter().flat_map(|fault| &fault.methods) {
            number(&mut hash, method.0);
        }
        if spectrum.fault.as_ref().is_some_and(|fault| fault.is_mutant) {
            hash.update(b"mutant");
        }
        let failures = spectrum.tests.iter().flat_map(|test| &test.failure);
        for frame in failures.flat_map(|failure| &failure.frames) {
            text(&mut hash, &frame.place);
            number(&mut hash, frame.line);
        }
        for (file, known) in (0..).zip(&spectrum.history) {
            let Some(known) = known else { continue };
            number(&mut hash, file);
            number(&mut hash, known.commits);
            number(&mut hash, known.commits_since_change);
            hash.update(known.days_since_change.to_le_bytes());
        }
    }
    let digest = hash.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn text(hash: &mut Sha256, text: &str) {
    number(hash, text.len() as u32);
    hash.update(text.as_bytes());
}

fn number(hash: &mut Sha256, number: u32) {
    hash.update(number.to_le_bytes());
}

fn find(path: &Path, files: &mut Vec<PathBuf>, broken: &mut Vec<FileError>) -> Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let list = std::fs::read_dir(path).map_err(FileError::io(path, "list it"))?;
    for entry in list {
        let entry = entry.map_err(FileError::io(path, "list it"))?.path();
        let taken = has_ending(&entry, &ENDINGS) || has_ending(&entry, &EVIDENCE_ENDINGS);
        if entry.is_dir() {
            find(&entry, files, broken)?;
        } else if taken && !name_of(&entry).starts_with('.') {
            match refuse_special_file(&entry) {
                Ok(()) => files.push(entry),
                Err(error) => broken.push(error),
            }
        }
    }
    Ok(())
}

fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let name = name_of(path);
    endings.iter().any(|ending| name.ends_with(ending))
}

fn bug_of_file(path: &Path) -> Bug {
    let name = name_of(path);
    let subject = name.split('.').next().unwrap_or(&name).to_owned();
    Bug {
        subject,
        version: 0,
    }
}
