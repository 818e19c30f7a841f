//! Runs `fdc` and keeps what it said.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex};

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
    let stderr = text(output.stderr);
    assert_eq!(unknown_options(arguments, &stderr), [""; 0], "{stderr}");
    Run {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr,
    }
}

/// Options of other programs that messages name.
const FOREIGN: &[&str] = &["--cov-context", "--formatter", "--includes"];

/// Options that a message names, and that neither the command that said it has, nor the one that
/// the message names before them: nobody can follow such advice.
fn unknown_options<'a>(arguments: &[&str], message: &'a str) -> Vec<&'a str> {
    let own = arguments.first().copied().unwrap_or_default();
    let own_tool = arguments.get(1).copied().unwrap_or_default();
    let typed = |option: &str| {
        arguments
            .iter()
            .any(|argument| argument.starts_with(option))
    };
    let mut unknown = Vec::new();
    for part in message.split(['`', '\n']) {
        let mut words = part.strip_prefix("fdc ").unwrap_or_default().split(' ');
        let (command, tool) = match words.next() {
            Some(command) if !command.is_empty() => (command, words.next().unwrap_or_default()),
            _ => (own, own_tool),
        };
        for option in options_in(part) {
            let known = FOREIGN.contains(&option) || typed(option);
            if !known && !options_of(command, tool).contains(option) {
                unknown.push(option);
            }
        }
    }
    unknown
}

/// The Python for tests of pytest; none, loudly, where it is not made.
pub(crate) fn python() -> Option<String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), Into::into);
    let python = target.join("venv-python/bin/python");
    if !python.exists() {
        eprintln!("SKIPPED: no {}; run python/environment", python.display());
        return None;
    }
    Some(python.to_str().unwrap().to_owned())
}

/// What begins with `--` and a letter.
fn options_in(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("--").filter_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let letters = text[at + 2..].find(|c: char| !(c.is_ascii_lowercase() || c == '-'));
        let end = letters.map_or(text.len(), |length| at + 2 + length);
        let whole = before.is_none_or(|c| !(c.is_alphanumeric() || c == '-'));
        (whole && end > at + 2 && !text[at + 2..].starts_with('-')).then(|| &text[at..end])
    })
}

/// The options in a command's help.
fn options_of(command: &str, tool: &str) -> BTreeSet<String> {
    static KNOWN: LazyLock<Mutex<BTreeMap<String, BTreeSet<String>>>> =
        LazyLock::new(Mutex::default);
    let words = match command {
        "" => vec!["--help"],
        "generate" | "model" => vec![command, tool, "--help"],
        _ => vec![command, "--help"],
    };
    let mut known = KNOWN.lock().unwrap();
    let options = known.entry(words.join(" ")).or_insert_with(|| {
        let output = self::command(&testdata(), &words).output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        options_in(&help).map(str::to_owned).collect()
    });
    options.clone()
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
