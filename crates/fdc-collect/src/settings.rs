//! Options that belong to one ecosystem or generator, declared beside it: the command line builds its
//! arguments, its help and its checks from the declarations.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::error::{Result, RunError};

/// An option as it is declared.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// As in `--name`.
    pub name: &'static str,
    /// What help calls its value.
    pub value: &'static str,
    /// A line of help.
    pub help: &'static str,
    /// What its value is.
    pub kind: SettingKind,
    /// How often it may be given.
    pub given: Given,
}

impl Setting {
    /// One that may be left out.
    pub const fn new(kind: SettingKind, name: &'static str, value: &'static str) -> Self {
        Setting {
            name,
            value,
            help: "",
            kind,
            given: Given::AtMostOnce,
        }
    }

    /// The same with this help.
    pub const fn help(self, help: &'static str) -> Self {
        Setting { help, ..self }
    }

    /// The same, given otherwise.
    pub const fn given(self, given: Given) -> Self {
        Setting { given, ..self }
    }
}

/// What the value of an option is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// A name.
    Text,
    /// One of these names, with a line on each; the first one by default.
    Choice(&'static [(&'static str, &'static str)]),
    /// Where a tool is, left as it is: a program without a folder is looked for on the PATH. It
    /// decides how something is done, not what comes out.
    Tool,
    /// A file or folder; made absolute.
    Path,
    /// Several in one value, as a class path is; each made absolute.
    PathList,
    /// A project's folder; by default where the case was collected, else the current one.
    Project,
}

/// How often an option may be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// Once, or not at all.
    AtMostOnce,
    /// Once; it must be there.
    Once,
    /// Once, without its name.
    Plainly,
    /// Again and again.
    Repeatedly,
}

/// The values that were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    values: BTreeMap<&'static str, Vec<OsString>>,
}

impl Settings {
    /// Puts these values in the place of those of before.
    pub fn set(&mut self, name: &'static str, values: impl IntoIterator<Item = OsString>) {
        self.values.insert(name, values.into_iter().collect());
    }

    /// The same with one more value.
    pub fn with(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.values.entry(name).or_default().push(value.into());
        self
    }

    /// Whether there is a value.
    pub fn has(&self, name: &str) -> bool {
        !self.all(name).is_empty()
    }

    /// All values of an option.
    pub fn all(&self, name: &str) -> &[OsString] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    /// The first value, if there is one.
    pub fn one(&self, name: &str) -> Option<&OsStr> {
        self.all(name).first().map(OsString::as_os_str)
    }

    /// The first value as a path.
    pub fn path(&self, name: &str) -> Option<&Path> {
        self.one(name).map(Path::new)
    }

    /// All values as paths.
    pub fn paths(&self, name: &str) -> Vec<PathBuf> {
        self.all(name).iter().map(PathBuf::from).collect()
    }

    /// All values as text.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let text = |value: &OsString| value.to_string_lossy().into_owned();
        self.all(name).iter().map(text).collect()
    }

    /// Values that mean the same from every folder, by what they are declared to be.
    pub fn resolved(&self, declared: &[Setting], project: Option<&Path>) -> Result<Self> {
        let mut settings = self.clone();
        for setting in declared {
            if setting.kind == SettingKind::Project && !settings.has(setting.name) {
                let project = project.unwrap_or(Path::new("."));
                settings.set(setting.name, [project.into()]);
            }
            for value in settings.values.get_mut(setting.name).into_iter().flatten() {
                *value = match setting.kind {
                    SettingKind::Text | SettingKind::Choice(_) | SettingKind::Tool => continue,
                    SettingKind::Path | SettingKind::Project => absolute(Path::new(value))?.into(),
                    SettingKind::PathList => {
                        let paths = std::env::split_paths(value);
                        let paths = paths.filter(|path| !path.as_os_str().is_empty());
                        let paths = paths.map(|path| absolute(&path));
                        join_paths(paths.collect::<Result<Vec<_>, _>>()?)?
                    }
                };
            }
        }
        Ok(settings)
    }
}

/// A path that means the same from every folder.
pub fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(RunError::io(path, "find it"))
}

/// A class path of these.
pub fn join_paths<P: AsRef<OsStr>>(paths: impl IntoIterator<Item = P>) -> Result<OsString> {
    std::env::join_paths(paths)
        .map_err(|error| RunError::usage(error.to_string(), "rename the folder"))
}
