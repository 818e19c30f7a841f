//! What EvoSuite needs: Java 8, its jar, and our jars and library before it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fdc_collect::{Java, beside_agent};

use crate::error::GenerateError;
use crate::java::repository::EVOSUITE;
use crate::options::{Criterion, Options};

const JARS: [&str; 2] = ["fdc-evosuite.jar", "fdc-fitness.jar"];
const LIBRARY: &str = "libfdc_jni.so";
const VERSION: u32 = 8;

/// All that is needed to start EvoSuite.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The Java 8 that runs it.
    pub java: PathBuf,
    /// Its home.
    pub home: PathBuf,
    /// The native library; none where EvoSuite is not guided.
    pub library: Option<PathBuf>,
    /// The class path: our jars first.
    pub class_path: OsString,
}

impl Tools {
    /// Looks for everything.
    pub fn find(options: &Options) -> Result<Self, GenerateError> {
        let jar = evosuite(options)?;
        let home = java8(options)?;
        let (library, jars) = match options.criterion {
            Criterion::Line => (None, Vec::new()),
            Criterion::Metric(_) => {
                let folder = beside_agent(&[JARS[0], JARS[1], LIBRARY])?;
                let jars = JARS.iter().map(|jar| folder.join(jar)).collect();
                (Some(folder.join(LIBRARY)), jars)
            }
        };
        let paths = jars.into_iter().chain([jar]);
        let class_path = std::env::join_paths(paths)
            .map_err(|error| GenerateError::usage(error.to_string(), "rename the folder"))?;
        Ok(Tools {
            java: home.join("bin/java"),
            home,
            library,
            class_path,
        })
    }
}

fn evosuite(options: &Options) -> Result<PathBuf, GenerateError> {
    let named = options.java.evosuite.clone();
    let named = named.map(|path| (path, "--evosuite"));
    let variable = variable("EVOSUITE_JAR").map(|path| (path, "EVOSUITE_JAR"));
    match named.or(variable) {
        None => EVOSUITE.find(),
        Some((path, _)) if path.is_file() => {
            std::path::absolute(&path).map_err(GenerateError::io(&path, "find it"))
        }
        Some((path, whence)) => {
            let message = format!("{whence}: {} does not exist", path.display());
            let hint = "name EvoSuite's jar, or leave it out to take it from your Maven repository";
            Err(GenerateError::tool(message, hint))
        }
    }
}

fn java8(options: &Options) -> Result<PathBuf, GenerateError> {
    let named = options.java.java8.clone().map(|path| (path, "--java8"));
    let named = named.or_else(|| variable("JAVA8_HOME").map(|path| (path, "JAVA8_HOME")));
    if let Some((home, whence)) = named {
        return fits(&home).map_err(|found| {
            let message = format!(
                "{whence} {}: expected the home of a Java 8 JDK, found {found}",
                home.display()
            );
            GenerateError::tool(
                message,
                "EvoSuite runs on Java 8 only: name its home folder",
            )
        });
    }
    let mut places: Vec<PathBuf> = variable("JAVA_HOME").into_iter().collect();
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
        let message = "no Java 8 JDK was found, and EvoSuite runs on no other";
        let hint =
            "install one (often openjdk-8-jdk), and name its home with --java8 or JAVA8_HOME";
        GenerateError::tool(message, hint)
    })
}

fn variable(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

/// Folders whose names say Java 8, in order.
fn of_version_8(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter(|name| {
            let marks = ["-8", "1.8", "jdk8", "jre8", "zulu8"];
            marks.iter().any(|mark| name.contains(mark))
        })
        .collect();
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
    use super::*;

    #[test]
    fn a_home_that_is_no_java_8_is_said_with_what_was_found() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = Options::default();
        options.java.java8 = Some(folder.path().to_owned());
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
        assert!(matches!(error, GenerateError::Tool { .. }));
    }

    #[test]
    fn a_jar_that_is_named_and_not_there_is_an_error() {
        let mut options = Options::default();
        options.java.evosuite = Some("/nowhere/evosuite.jar".into());
        let error = evosuite(&options).unwrap_err();
        assert_eq!(
            error.to_string(),
            "--evosuite: /nowhere/evosuite.jar does not exist"
        );
    }
}
