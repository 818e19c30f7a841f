//! A class path: its entries, and which classes each of them holds.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use fdc_collect::process::read_file;
use fdc_collect::settings::{absolute, join_paths};
use fdc_collect::{Result, RunError};
use fdc_formats::jacoco::{class_in_archive, classes_in_archive};

/// A class path whose entries are all there; absolute, `lib/*` spelt out.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassPath {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    path: PathBuf,
    /// As in `org/x/A.class`; none for a folder, which is asked directly.
    classes: Option<BTreeSet<String>>,
}

const DEEPEST: usize = 60;

impl ClassPath {
    pub(crate) fn read(text: &OsStr, option: &str) -> Result<Self> {
        let mut class_path = ClassPath::default();
        for path in std::env::split_paths(text).filter(|path| !path.as_os_str().is_empty()) {
            let path = absolute(&path)?;
            if path.file_name() == Some(OsStr::new("*")) {
                let folder = path.parent().unwrap_or(&path);
                let entries = std::fs::read_dir(folder);
                let entries = entries.map_err(RunError::io(folder, "list it"))?;
                let paths = entries.flatten().map(|entry| entry.path());
                let is_jar = |end: &OsStr| end.eq_ignore_ascii_case("jar");
                let jars = paths.filter(|path| path.extension().is_some_and(is_jar));
                let mut jars: Vec<PathBuf> = jars.collect();
                jars.sort();
                let mut jars = jars.into_iter();
                jars.try_for_each(|jar| class_path.push(jar, option))?;
            } else {
                class_path.push(path, option)?;
            }
        }
        if class_path.entries.is_empty() {
            let message = format!("{option} names nothing");
            let hint = "give the folders and jars of the code under test and its libraries";
            return Err(RunError::usage(message, hint));
        }
        Ok(class_path)
    }

    fn push(&mut self, path: PathBuf, option: &str) -> Result<()> {
        if !path.exists() {
            let message = format!("{option}: {} does not exist", path.display());
            let hint = "compile the code first, or correct it";
            return Err(RunError::usage(message, hint));
        }
        let mut classes = None;
        if !path.is_dir() {
            let names = classes_in_archive(&read_file(&path)?).map_err(|problem| {
                let (path, expected) = (path.display(), "a jar or a folder of classes");
                let message = format!("{path}: expected {expected}, found {problem}");
                RunError::input(message, format!("correct {option}"))
            })?;
            classes = Some(names.into_iter().collect());
        }
        self.entries.push(Entry { path, classes });
        Ok(())
    }

    /// All of it with further entries before and behind, as Java takes it.
    pub(crate) fn joined(&self, first: Option<&PathBuf>, last: &[PathBuf]) -> Result<OsString> {
        let own = self.entries.iter().map(|entry| &entry.path);
        join_paths(first.into_iter().chain(own).chain(last))
    }

    /// The entry that a class is taken from: `org.x.A$B`.
    pub(crate) fn find(&self, class: &str) -> Option<&Path> {
        let name = file_name(class);
        let holds = |entry: &&Entry| match &entry.classes {
            Some(classes) => classes.contains(&name),
            None => entry.path.join(&name).is_file(),
        };
        self.entries.iter().find(holds).map(|entry| &*entry.path)
    }

    /// The Java version that a class was compiled for: 8, 17, ...
    pub(crate) fn java_of(&self, class: &str) -> Option<u16> {
        let (entry, name) = (self.find(class)?, file_name(class));
        let bytes = match entry.is_dir() {
            true => std::fs::read(entry.join(name)).ok()?,
            false => class_in_archive(&std::fs::read(entry).ok()?, &name).ok()??,
        };
        // Version 45 of the format was Java 1.
        let major = u16::from_be_bytes(bytes.get(6..8)?.try_into().ok()?);
        major.checked_sub(44)
    }
}

/// The files below a folder whose names end so, as in `org/x/A.class`, in order.
pub(crate) fn files_ending(folder: &Path, ending: &str) -> Vec<String> {
    let mut names = Vec::new();
    files_below(folder, "", 0, &mut |name| {
        if name.ends_with(ending) {
            names.push(name.to_owned());
        }
    });
    names.sort();
    names
}

fn files_below(folder: &Path, relative: &str, depth: usize, visit: &mut dyn FnMut(&str)) {
    let entries = std::fs::read_dir(folder);
    for entry in entries.into_iter().flatten().flatten() {
        let name = format!("{relative}{}", entry.file_name().to_string_lossy());
        // Links are not followed: they may go round in circles.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEEPEST => {
                files_below(&entry.path(), &format!("{name}/"), depth + 1, visit);
            }
            Ok(kind) if kind.is_file() => visit(&name),
            _ => {}
        }
    }
}

fn file_name(class: &str) -> String {
    format!("{}.class", class.replace('.', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_found_with_the_java_they_were_compiled_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("org/x");
        std::fs::create_dir_all(&at).unwrap();
        std::fs::write(at.join("A$B.class"), [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61]).unwrap();
        let path = ClassPath::read(folder.path().as_os_str(), "--classpath").unwrap();
        assert_eq!(path.find("org.x.A$B"), Some(folder.path()));
        assert_eq!(path.java_of("org.x.A$B"), Some(17));
        assert_eq!(path.find("org.x.A"), None);
        assert_eq!(files_ending(folder.path(), ".class"), ["org/x/A$B.class"]);
    }

    #[test]
    fn entries_that_are_not_there_or_no_jars_are_named() {
        let message = |text: &str| {
            let error = ClassPath::read(OsStr::new(text), "--classpath").unwrap_err();
            error.to_string()
        };
        assert_eq!(
            message("/nowhere/a.jar"),
            "--classpath: /nowhere/a.jar does not exist"
        );
        assert_eq!(message(""), "--classpath names nothing");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.jar");
        std::fs::write(&file, "no jar").unwrap();
        let found = message(&file.to_string_lossy());
        assert!(
            found.contains("expected a jar or a folder of classes, found"),
            "{found}"
        );
    }
}
