//! The sources of a project's copy with all mutants in them, and what compilers refuse taken out again.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use fdc_source::{Alternative, Language, Woven, weave};

use super::draw::Candidate;
use crate::error::{Result, RunError};
use crate::process::{make_folder, write_file};

/// A file of the copy and a place in it, in bytes.
pub(crate) type Place = (String, Range<usize>);

pub(crate) struct WovenSources<'c> {
    /// The copy.
    pub(crate) root: PathBuf,
    files: BTreeMap<String, WovenFile<'c>>,
    /// What files of the project get at their end, mutants or not.
    endings: BTreeMap<String, String>,
    /// Files that are not of the project.
    further: BTreeMap<String, String>,
}

struct WovenFile<'c> {
    language: Language,
    original: String,
    mutants: Vec<(u32, &'c Candidate)>,
    woven: Woven,
}

impl<'c> WovenSources<'c> {
    /// Those of a copy, with these mutants as far as they can be switched on and off.
    pub(crate) fn of(root: &Path, mutants: &[(u32, &'c Candidate)]) -> Result<Self> {
        let mut files: BTreeMap<String, WovenFile> = BTreeMap::new();
        for &(number, candidate) in mutants.iter().filter(|(_, one)| one.scope.is_some()) {
            let path = &candidate.change.path;
            let Some(language) = Language::of_path(path) else {
                continue;
            };
            if !files.contains_key(path) {
                let full = root.join(path);
                let text = std::fs::read_to_string(&full);
                let file = WovenFile {
                    language,
                    original: text.map_err(RunError::io(&full, "read it"))?,
                    mutants: Vec::new(),
                    woven: Woven::default(),
                };
                files.insert(path.clone(), file);
            }
            if let Some(file) = files.get_mut(path) {
                file.mutants.push((number, candidate));
            }
        }
        files.values_mut().for_each(WovenFile::weave);
        Ok(WovenSources {
            root: root.to_owned(),
            files,
            endings: BTreeMap::new(),
            further: BTreeMap::new(),
        })
    }

    /// The mutants that are in the sources.
    pub(crate) fn numbers(&self) -> BTreeSet<u32> {
        let files = self.files.values();
        let numbers = files.flat_map(|file| file.woven.numbers.iter().copied());
        numbers.collect()
    }

    /// The files that have mutants, relative to the copy.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter();
        let mutated = files.filter(|(_, file)| !file.woven.numbers.is_empty());
        mutated.map(|(path, _)| path.as_str())
    }

    /// A file as it is now, with its mutants.
    pub(crate) fn text_of(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(|file| &*file.woven.text)
    }

    /// Puts a text behind the last line of a file.
    pub(crate) fn end_with(&mut self, path: &str, ending: &str) {
        self.endings.insert(path.to_owned(), ending.to_owned());
    }

    /// Writes into another folder from now on.
    pub(crate) fn write_below(&mut self, root: &Path) {
        self.root = root.to_owned();
    }

    /// Adds a file to the copy.
    pub(crate) fn add(&mut self, path: String, text: String) {
        self.further.insert(path, text);
    }

    /// Writes what differs from what the copy has: compilers go by the time of files.
    pub(crate) fn write(&self) -> Result<()> {
        let ending = |path: &str| self.endings.get(path).map_or("", String::as_str);
        for (path, file) in &self.files {
            self.write_file(path, &[&file.woven.text, ending(path)].concat())?;
        }
        for (path, ending) in &self.endings {
            if self.files.contains_key(path) {
                continue;
            }
            let full = self.root.join(path);
            let text = std::fs::read_to_string(&full);
            let text = text.map_err(RunError::io(&full, "read it"))?;
            if !text.ends_with(ending.as_str()) {
                self.write_file(path, &(text + ending))?;
            }
        }
        let mut further = self.further.iter();
        further.try_for_each(|(path, text)| self.write_file(path, text))
    }

    fn write_file(&self, path: &str, text: &str) -> Result<()> {
        let full = self.root.join(path);
        if std::fs::read_to_string(&full).is_ok_and(|found| found == text) {
            return Ok(());
        }
        full.parent().map_or(Ok(()), make_folder)?;
        write_file(&full, text)
    }

    /// Takes out the mutants to blame for errors: those at their places, or, after so many rounds that
    /// this does not seem to lead anywhere, all of the files. Whether there are any.
    pub(crate) fn leave_out_blamed(&mut self, errors: &[Vec<Place>], by_place: bool) -> bool {
        let mut blamed = match by_place {
            true => self.blamed(errors),
            false => BTreeSet::new(),
        };
        if blamed.is_empty() {
            blamed = self.of_files(errors);
        }
        self.leave_out(&blamed);
        !blamed.is_empty()
    }

    /// The mutants to blame for errors. Each error is told by its places, the likeliest first; the
    /// first of them with a mutant counts.
    fn blamed(&self, errors: &[Vec<Place>]) -> BTreeSet<u32> {
        let blamed = |(path, place): &Place| {
            let file = self.files.get(path)?;
            Some(file.woven.blamed(place)).filter(|found| !found.is_empty())
        };
        let errors = errors.iter();
        let found = errors.filter_map(|places| places.iter().find_map(blamed));
        found.flatten().collect()
    }

    /// The mutants of all files that errors are in.
    fn of_files(&self, errors: &[Vec<Place>]) -> BTreeSet<u32> {
        let places = errors.iter().flatten();
        let files = places.filter_map(|(path, _)| self.files.get(path));
        let numbers = files.flat_map(|file| file.woven.numbers.iter().copied());
        numbers.collect()
    }

    /// Takes mutants out again.
    fn leave_out(&mut self, numbers: &BTreeSet<u32>) {
        for file in self.files.values_mut() {
            let before = file.mutants.len();
            file.mutants.retain(|(number, _)| !numbers.contains(number));
            if file.mutants.len() < before {
                file.weave();
            }
        }
    }
}

impl WovenFile<'_> {
    fn weave(&mut self) {
        let alternatives = self.mutants.iter().filter_map(|(number, candidate)| {
            Some(Alternative {
                number: *number,
                bytes: candidate.change.range(),
                replacement: &candidate.change.replacement,
                scope: candidate.scope.as_ref()?,
            })
        });
        let alternatives: Vec<Alternative> = alternatives.collect();
        self.woven = weave(self.language, &self.original, &alternatives);
    }
}
