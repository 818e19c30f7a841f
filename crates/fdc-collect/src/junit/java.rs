//! The Java that runs the tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{Result, RunError};
use crate::process::{path_in, when_written};

const OLDEST: u32 = 8;

/// A Java program that fits.
#[derive(Clone, Debug)]
pub struct Java {
    /// The program.
    pub program: PathBuf,
    /// Its home, where it was named by that.
    pub home: Option<PathBuf>,
    /// Its major version: 8, 17, ...
    pub version: u32,
}

impl Java {
    /// The one named, that of `JAVA_HOME`, or `java`; checked to run and to be new enough.
    pub fn find(named: Option<&Path>) -> Result<Self> {
        let chosen = named.map(Path::to_owned);
        let chosen = chosen.or_else(|| path_in("JAVA_HOME"));
        let (program, home) = match chosen {
            Some(path) if path.is_dir() => (path.join("bin/java"), Some(path)),
            Some(path) => {
                let home = path.parent().and_then(Path::parent).map(Path::to_owned);
                (path, home)
            }
            None => ("java".into(), None),
        };
        let version = Java::check(&program)?;
        Ok(Java {
            program,
            home,
            version,
        })
    }

    /// A tool of the same JDK.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.program.with_file_name(name)
    }

    fn check(program: &Path) -> Result<u32> {
        let name = program.display();
        let mut command = Command::new(program);
        command.arg("-version").env_remove("JAVA_TOOL_OPTIONS");
        let hint = "install a JDK (8 to 25), or name one with --java or JAVA_HOME";
        let cannot = |error| RunError::tool(format!("cannot run {name}: {error}"), hint);
        let output = when_written(|| command.stdin(Stdio::null()).output()).map_err(cannot)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let Some(version) = version_in(&said).filter(|_| output.status.success()) else {
            let first = said.lines().next().unwrap_or("nothing").to_owned();
            let message = format!("{name} does not show its version; it says: {first}");
            return Err(RunError::tool(message, hint));
        };
        if version < OLDEST {
            let message = format!("{name} is Java {version}; Java {OLDEST} or newer is needed");
            return Err(RunError::tool(message, hint));
        }
        Ok(version)
    }
}

/// The major version in what `java -version` prints: `"1.8.0_392"` is 8, `"17.0.15"` is 17.
fn version_in(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("version \"")?;
    let (version, _) = rest.split_once('"')?;
    let mut parts = version.split(['.', '-', '_', '+']);
    match parts.next()?.parse().ok()? {
        1 => parts.next()?.parse().ok(),
        major => Some(major),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_all_times_are_understood() {
        for (text, version) in [
            ("java version \"1.8.0_392\"\nJava(TM) SE", Some(8)),
            ("java version \"1.7.0\"", Some(7)),
            ("openjdk version \"17.0.15\" 2025-04-15", Some(17)),
            ("openjdk version \"25\" 2025-09-16", Some(25)),
            ("openjdk version \"26-ea\" 2026-03-17", Some(26)),
            ("Unrecognized option", None),
        ] {
            assert_eq!(version_in(text), version, "{text}");
        }
    }

    #[test]
    fn a_java_that_is_not_there_is_said_with_what_to_do() {
        let error = Java::find(Some(Path::new("/nowhere/bin/java"))).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("cannot run /nowhere/bin/java")
        );
        assert!(error.advice().unwrap().contains("--java"));
    }
}
