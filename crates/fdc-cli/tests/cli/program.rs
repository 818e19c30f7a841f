//! Runs `fdc` and keeps what it said.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs in the folder of test data.
pub(crate) fn fdc(arguments: &[&str]) -> Run {
    fdc_in(&testdata(), arguments)
}

/// Runs in a folder.
pub(crate) fn fdc_in(folder: &Path, arguments: &[&str]) -> Run {
    let output = command(folder, arguments)
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Run {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// The program, not yet started, with no wishes about colour from outside. The test data is no Git
/// repository: what is known of ours differs from clone to clone.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fdc"));
    command.current_dir(folder).args(arguments);
    command.env("GIT_CEILING_DIRECTORIES", testdata());
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command
}

impl Run {
    /// What it printed, if all went well.
    #[track_caller]
    pub(crate) fn done(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self.stdout
    }

    /// The JSON it printed, if all went well.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.done()).expect("JSON")
    }
}

pub(crate) fn testdata() -> PathBuf {
    root().join("testdata")
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository")
}

/// The names in the first column of a `fdc list`.
pub(crate) fn listed(what: &str) -> Vec<String> {
    let table = fdc(&["list", what]).done();
    let lines = table.lines().skip(1);
    let names: Vec<String> = lines
        .filter_map(|line| Some(line.split("  ").next()?.to_owned()))
        .collect();
    assert!(names.len() > 2, "{table}");
    names
}
