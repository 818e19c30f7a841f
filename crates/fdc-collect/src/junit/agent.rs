//! The Java agent: where it is, and how a JVM is told of it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use crate::error::{Result, RunError};
use crate::process::{ToolLog, write_file};

/// The main class that runs tests from a plain class path.
pub(crate) const LAUNCHER: &str = "fdc.junit.Main";
/// How it ends when there is no test to run.
pub(crate) const NO_TESTS: i32 = 3;
/// The agent, and what it puts beside the tests: it has to be in the same folder.
const JARS: [&str; 2] = ["fdc-agent.jar", "fdc-junit.jar"];

#[cfg(feature = "bundled")]
const BUNDLED: [&[u8]; 2] = [
    include_bytes!("../../../../target/java/fdc-agent.jar"),
    include_bytes!("../../../../target/java/fdc-junit.jar"),
];

#[derive(Clone, Debug)]
pub(crate) enum Agent {
    Folder(PathBuf),
    #[cfg(feature = "bundled")]
    Bundled,
}

impl Agent {
    pub(crate) fn find() -> Result<Self> {
        let found = beside_agent(&JARS).map(Agent::Folder);
        #[cfg(feature = "bundled")]
        return Ok(found.unwrap_or(Agent::Bundled));
        #[cfg(not(feature = "bundled"))]
        found
    }

    /// The agent, then launcher and listeners, written to `work` if they are inside this program.
    pub(crate) fn jars(&self, work: &Path) -> Result<[PathBuf; 2]> {
        let folder = match self {
            Agent::Folder(folder) => folder.as_path(),
            #[cfg(feature = "bundled")]
            Agent::Bundled => {
                for (name, bytes) in JARS.iter().zip(BUNDLED) {
                    write_file(&work.join(name), bytes)?;
                }
                work
            }
        };
        let _ = work;
        Ok(JARS.map(|jar| folder.join(jar)))
    }
}

/// Where an installed program has its jars, as seen from its own folder, `bin`. The wheel puts them
/// there, into whatever environment it is installed in.
const INSTALLED: &str = "../share/fdc/java";

/// The folder with all of these files, where the agent's jars are looked for as well: `FDC_JAVA`, or
/// `share/fdc/java` beside the program's folder, or beside the program, in `java` there or one up.
pub fn beside_agent(files: &[&str]) -> Result<PathBuf> {
    let named = std::env::var_os("FDC_JAVA").map(PathBuf::from);
    let beside = std::env::current_exe().ok();
    let beside = beside.and_then(|program| program.canonicalize().ok());
    let beside = beside.and_then(|program| program.parent().map(Path::to_owned));
    let folders: Vec<PathBuf> = match (named, beside) {
        (Some(folder), _) => vec![folder],
        (None, Some(folder)) => {
            // In a build the program is in target/release or, in tests, one deeper.
            let java = [INSTALLED, "java", "../java", "../../java"].map(|path| folder.join(path));
            java.into_iter().chain([folder]).collect()
        }
        (None, None) => Vec::new(),
    };
    let whole = |folder: &&PathBuf| files.iter().all(|file| folder.join(file).is_file());
    if let Some(folder) = folders.iter().find(whole) {
        return Ok(folder.canonicalize().unwrap_or_else(|_| folder.clone()));
    }
    let looked: Vec<_> = folders.iter().map(|f| f.display().to_string()).collect();
    let (files, looked) = (files.join(" and "), looked.join(", "));
    let message = format!("{files} were not found in {looked}");
    let hint = "make them with `make java` and name their folder in FDC_JAVA, \
                or put them beside the program";
    Err(RunError::tool(message, hint))
}

/// An init script that gives the agent, named in `FDC_AGENT`, to every test task of a Gradle build.
pub(crate) fn init_script(work: &Path) -> Result<PathBuf> {
    const SCRIPT: &str = include_str!("../../../../java/gradle/fdc.init.gradle");
    let path = work.join("fdc.init.gradle");
    write_file(&path, SCRIPT)?;
    Ok(path)
}

/// The option that gives a JVM the agent.
pub(crate) fn option(agent: &Path) -> OsString {
    let mut option = OsString::from("-javaagent:");
    option.push(agent);
    option
}

/// The same in an environment variable, after what is there already.
pub(crate) fn tool_options(agent: &Path) -> OsString {
    let mut options = std::env::var_os("JAVA_TOOL_OPTIONS").unwrap_or_default();
    if !options.is_empty() {
        options.push(" ");
    }
    // The variable is split at blanks unless they are quoted.
    options.push("\"");
    options.push(option(agent));
    options.push("\"");
    options
}

/// What is wrong when the launcher ends before it has run the tests. It says why in its last line.
pub(crate) fn launcher_failure(status: ExitStatus, log: &ToolLog) -> Option<RunError> {
    const WRONG_USE: i32 = 2;
    const JUNIT_MISSING: i32 = 4;
    if !matches!(status.code(), Some(WRONG_USE | JUNIT_MISSING)) {
        return None;
    }
    let words = log.last_lines(1).pop().unwrap_or_default();
    let message = format!("the tests could not be started: {words}");
    let hint = format!("everything it said: {}", log.0.display());
    Some(RunError::tool(message, hint))
}
