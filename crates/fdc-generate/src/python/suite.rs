//! Generated pytest files as a suite.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fdc_case::write_whole;
use fdc_collect::process::{empty_folder, make_folder, write_file};
use fdc_collect::settings::Settings;
use fdc_collect::{CollectOptions, Ecosystem, Result, RunError};
use fdc_source::{Language, functions};

use super::Interpreter;
use crate::folder::OutputFolder;
use crate::suite::{GeneratedSuite, Version};

pub(crate) struct PytestSuite {
    interpreter: Interpreter,
    /// The folder of the files in test names: the origin.
    folder: &'static str,
    /// Texts by file name.
    files: BTreeMap<String, String>,
    /// The module under test by file name.
    units: BTreeMap<String, String>,
    /// Folders that modules are imported from, relative to a project's.
    imports: BTreeSet<PathBuf>,
}

impl PytestSuite {
    /// Without tests yet; they will be called `folder/test_x.py::test_0`.
    pub(crate) fn new(interpreter: Interpreter, folder: &'static str) -> Self {
        PytestSuite {
            interpreter,
            folder,
            files: BTreeMap::new(),
            units: BTreeMap::new(),
            imports: BTreeSet::new(),
        }
    }

    pub(crate) fn add(&mut self, path: &Path, module: &str, import: &Path) -> Result<()> {
        let text = std::fs::read_to_string(path).map_err(RunError::io(path, "read it"))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.files.insert(name.clone().into_owned(), text);
        self.units.insert(name.into_owned(), module.to_owned());
        self.imports.insert(import.to_owned());
        Ok(())
    }

    fn project(&self, version: Version) -> &Path {
        match (version, &self.interpreter.fixed) {
            (Version::Fixed, Some(fixed)) => fixed,
            _ => &self.interpreter.project,
        }
    }

    /// A configuration of its own, so that the project's does not choose or change tests; and the
    /// version under test before any other that is installed.
    fn surroundings(&self, version: Version) -> [(&'static str, String); 2] {
        let project = self.project(version);
        let folders = self.imports.iter().map(|folder| {
            let folder = project.join(folder);
            serde_json::to_string(&folder.to_string_lossy()).expect("text becomes JSON")
        });
        let folders: Vec<String> = folders.collect();
        let conftest = format!("import sys\n\nsys.path[:0] = [{}]\n", folders.join(", "));
        [
            ("pytest.ini", "[pytest]\n".to_owned()),
            ("conftest.py", conftest),
        ]
    }

    fn write(&self, folder: &Path) -> Result<()> {
        let tests = folder.join(self.folder);
        make_folder(&tests)?;
        for (name, text) in &self.files {
            write_whole(&tests.join(name), |file| file.write_all(text.as_bytes()))?;
        }
        Ok(())
    }
}

impl GeneratedSuite for PytestSuite {
    fn ecosystem(&self) -> &'static Ecosystem {
        fdc_collect::ecosystem_named("pytest").expect("pytest is an ecosystem")
    }

    fn build(&mut self, folder: &OutputFolder, version: Version) -> Result<Vec<String>> {
        let place = folder.fresh(place(version))?;
        self.write(&place)?;
        for (name, text) in self.surroundings(version) {
            write_file(&place.join(name), text)?;
        }
        Ok(Vec::new())
    }

    fn run(&self, folder: &OutputFolder, version: Version) -> Result<CollectOptions> {
        let mut argument = OsString::from("--rootdir=");
        argument.push(folder.work(place(version)));
        Ok(CollectOptions {
            root: self.project(version).to_owned(),
            settings: Settings::default().with("python", &self.interpreter.python),
            arguments: vec![argument, folder.work(place(version)).into_os_string()],
            ..CollectOptions::default()
        })
    }

    fn remove(&mut self, tests: &BTreeSet<String>, _kept: &BTreeSet<String>) {
        let prefix = format!("{}/", self.folder);
        for test in tests {
            let place = test.strip_prefix(&prefix).unwrap_or(test).split_once("::");
            if let Some((file, name)) = place
                && let Some(text) = self.files.get_mut(file)
                && let Some(fewer) = without(text, name)
            {
                *text = fewer;
            }
        }
    }

    fn finish(&mut self, folder: &OutputFolder) -> Result<()> {
        let has_tests = |text: &str| {
            let all = functions(Language::Python, text);
            all.iter()
                .any(|function| function.name.starts_with("test_"))
        };
        self.files.retain(|_, text| has_tests(text));
        let to = folder.at("tests");
        empty_folder(&to)?;
        self.write(&to)
    }

    fn unit(&self, test: &str) -> String {
        let file = test.split("::").next().unwrap_or(test);
        let name = file.rsplit('/').next().unwrap_or(file);
        self.units.get(name).map_or(name, |unit| unit).to_owned()
    }
}

fn place(version: Version) -> &'static str {
    match version {
        Version::Faulty => "suite",
        Version::Fixed => "fixed-suite",
    }
}

/// The text without a function, and without the empty lines before it.
fn without(text: &str, name: &str) -> Option<String> {
    let all = functions(Language::Python, text);
    let function = all.into_iter().find(|function| function.name == name)?;
    let before = text[..function.bytes.start].trim_end();
    let after = text[function.bytes.end..].trim_start_matches([' ', '\n']);
    Some(match (before.is_empty(), after.is_empty()) {
        (_, true) => format!("{before}\n"),
        (true, false) => after.to_owned(),
        (false, false) => format!("{before}\n\n\n{after}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_cut_and_the_others_stay() {
        let text = "import x\n\n\ndef test_0():\n    a()\n\n    b()\n\n\ndef test_1():\n    c()\n";
        let first = without(text, "test_0").unwrap();
        assert_eq!(first, "import x\n\n\ndef test_1():\n    c()\n");
        assert_eq!(without(&first, "test_1").unwrap(), "import x\n");
        assert_eq!(without(text, "test_2"), None);
    }
}
