//! What EvoSuite needs: Java 8, its jar, and our jars and library before it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fdc_collect::process::path_in;
use fdc_collect::settings::{Setting, SettingKind, absolute, join_paths};
use fdc_collect::{Java, Result, RunError, beside_agent};

use crate::java::repository;
use crate::options::{Criterion, GenerateOptions};

pub(super) const JAVA8: Setting = Setting::new(SettingKind::Tool, "java8", "HOME")
    .help("Home of the Java 8 JDK that EvoSuite runs on [default: JAVA8_HOME, or what is found]");

pub(super) const EVOSUITE: Setting = Setting::new(SettingKind::Tool, "evosuite", "JAR")
    .help("EvoSuite's jar [default: EVOSUITE_JAR, or that of your Maven repository]");

const JARS: [&str; 2] = ["fdc-evosuite.jar", "fdc-fitness.jar"];
const LIBRARY: &str = "libfdc_jni.so";
const VERSION: u32 = 8;

#[derive(Clone, Debug)]
pub(super) struct EvosuiteTools {
    /// The Java 8 that runs it.
    pub(super) java: PathBuf,
    pub(super) home: PathBuf,
    /// The native library; none where EvoSuite is not guided.
    pub(super) library: Option<PathBuf>,
    /// Our jars first.
    pub(super) class_path: OsString,
}

impl EvosuiteTools {
    pub(super) fn find(options: &GenerateOptions) -> Result<Self> {
        let jar = evosuite(options)?;
        let home = java8(options)?;
        let (library, jars) = match options.search.criterion {
            Criterion::Line => (None, Vec::new()),
            Criterion::Metric(_) => {
                let folder = beside_agent(&[JARS[0], JARS[1], LIBRARY])?;
                let jars = JARS.iter().map(|jar| folder.join(jar)).collect();
                (Some(folder.join(LIBRARY)), jars)
            }
        };
        Ok(EvosuiteTools {
            java: home.join("bin/java"),
            home,
            library,
            class_path: join_paths(jars.into_iter().chain([jar]))?,
        })
    }
}

fn evosuite(options: &GenerateOptions) -> Result<PathBuf> {
    match named(options, &EVOSUITE, "EVOSUITE_JAR") {
        None => repository::EVOSUITE.find(),
        Some((path, _)) if path.is_file() => absolute(&path),
        Some((path, whence)) => {
            let message = format!("{whence}: {} does not exist", path.display());
            let hint = "name EvoSuite's jar, or leave it out to take it from your Maven repository";
            Err(RunError::tool(message, hint))
        }
    }
}

fn java8(options: &GenerateOptions) -> Result<PathBuf> {
    if let Some((home, whence)) = named(options, &JAVA8, "JAVA8_HOME") {
        return fits(&home).map_err(|found| {
            let home = home.display();
            let expected = "expected the home of a Java 8 JDK";
            let message = format!("{whence} {home}: {expected}, found {found}");
            let hint = "EvoSuite runs on Java 8 only: name its home folder";
            RunError::tool(message, hint)
        });
    }
    let mut places: Vec<PathBuf> = path_in("JAVA_HOME").into_iter().collect();
    for folder in [
        "/usr/lib/jvm",
        "/usr/java",
        "/Library/Java/JavaVirtualMachines",
    ] {
        places.extend(of_version_8(Path::new(folder)));
    }
    // What the project's own script made is beside the jars' folder.
    let jars = beside_agent(&JARS).ok();
    places.extend(jars.and_then(|folder| Some(folder.parent()?.join("java8/home"))));
    let found = places.iter().find_map(|home| fits(home).ok());
    found.ok_or_else(|| {
        let message = "no Java 8 JDK was found, and EvoSuite runs on nothing else";
        let hint =
            "install one (often openjdk-8-jdk), and name its home with --java8 or JAVA8_HOME";
        RunError::tool(message, hint)
    })
}

/// What the option or else the variable names, and which of them did.
fn named(
    options: &GenerateOptions,
    option: &Setting,
    variable: &'static str,
) -> Option<(PathBuf, String)> {
    let named = options.settings.path(option.name);
    let named = named.map(|path| (path.to_owned(), format!("--{}", option.name)));
    named.or_else(|| Some((path_in(variable)?, variable.to_owned())))
}

/// Folders whose names say Java 8, in order.
fn of_version_8(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let is_8 = |name: &String| {
        let marks = ["-8", "1.8", "jdk8", "jre8", "zulu8"];
        marks.iter().any(|mark| name.contains(mark))
    };
    let mut names: Vec<String> = names.filter(is_8).collect();
    names.sort();
    let homes = |name: String| {
        let home = folder.join(name);
        [home.clone(), home.join("Contents/Home")]
    };
    names.into_iter().flat_map(homes).collect()
}

/// The home, absolute; or what was found instead.
fn fits(home: &Path) -> Result<PathBuf, String> {
    if !home.join("bin/java").is_file() {
        return Err("no bin/java in it".to_owned());
    }
    let java = Java::find(Some(home)).map_err(|error| error.to_string())?;
    if java.version != VERSION {
        return Err(format!("Java {}", java.version));
    }
    // EvoSuite attaches to the JVM it runs in.
    if !home.join("lib/tools.jar").is_file() {
        return Err("a runtime without lib/tools.jar".to_owned());
    }
    std::path::absolute(home).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use fdc_collect::Cause;
    use fdc_collect::settings::Settings;

    use super::*;

    #[test]
    fn a_home_that_is_no_java_8_is_said_with_what_was_found() {
        let folder = tempfile::tempdir().unwrap();
        let options = GenerateOptions {
            settings: Settings::default().with("java8", folder.path()),
            ..GenerateOptions::default()
        };
        let error = java8(&options).unwrap_err();
        let expected = format!(
            "--java8 {}: expected the home of a Java 8 JDK, found no bin/java in it",
            folder.path().display()
        );
        assert_eq!(error.to_string(), expected);
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        let java = folder.path().join("bin/java");
        std::fs::write(&java, "#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2\n").unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&java, executable).unwrap();
        let error = java8(&options).unwrap_err();
        assert!(error.to_string().ends_with("found Java 17"), "{error}");
        assert_eq!(error.cause(), Some(Cause::Tool));
    }

    #[test]
    fn a_jar_that_is_named_and_not_there_is_an_error() {
        let options = GenerateOptions {
            settings: Settings::default().with("evosuite", "/nowhere/evosuite.jar"),
            ..GenerateOptions::default()
        };
        let error = evosuite(&options).unwrap_err();
        assert_eq!(
            error.to_string(),
            "--evosuite: /nowhere/evosuite.jar does not exist"
        );
    }
}
