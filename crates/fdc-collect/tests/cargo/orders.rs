//! What a collector in a process of its own is told, and what it answers.

use std::path::Path;
use std::process::Command;

use fdc_collect::filter::Filter;
use fdc_collect::{CollectOptions, Watch, collect, ecosystem_named};

/// The options of a collection as text; empty: not given. Lists are separated by commas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Orders {
    pub only: String,
    pub exclude: String,
    pub timeout: String,
    pub jobs: String,
    pub runs: String,
    pub since: String,
    /// For cargo, separated by blanks.
    pub arguments: String,
    /// Further variables of the process.
    pub variables: Vec<(String, String)>,
}

/// What a collector did.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Tests that ended, by name.
    pub finished: Vec<String>,
    pub notes: Vec<String>,
    /// The message and the advice.
    pub error: Option<String>,
}

impl Orders {
    /// A process that carries them out.
    pub(crate) fn command(&self, root: &Path) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["collector", "--exact", "--nocapture"]);
        // These would reach the project's build, or the tools' choice.
        for name in ["CARGO_TARGET_DIR", "RUSTFLAGS", "LLVM_PROFDATA", "LLVM_COV"] {
            command.env_remove(name);
        }
        command.env("TEST_ROOT", root);
        for (name, value) in [
            ("TEST_ONLY", &self.only),
            ("TEST_EXCLUDE", &self.exclude),
            ("TEST_TIMEOUT", &self.timeout),
            ("TEST_JOBS", &self.jobs),
            ("TEST_RUNS", &self.runs),
            ("TEST_SINCE", &self.since),
            ("TEST_ARGUMENTS", &self.arguments),
        ] {
            command.env(name, value);
        }
        command.envs(self.variables.iter().cloned());
        command
    }
}

impl Report {
    /// What a process printed; `\x1f` stands for line ends inside a message.
    pub(crate) fn read(output: &str) -> Self {
        let mut report = Report::default();
        for line in output.lines() {
            match line.split_once('\x1e') {
                Some(("finished", test)) => report.finished.push(test.to_owned()),
                Some(("note", note)) => report.notes.push(note.replace('\x1f', "\n")),
                Some(("error", error)) => report.error = Some(error.replace('\x1f', "\n")),
                _ => {}
            }
        }
        report.finished.sort();
        report
    }
}

/// Does what the variables say; nothing without them.
pub(crate) fn carry_out() {
    let given = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let Some(root) = given("TEST_ROOT") else {
        return;
    };
    let list = |name: &str| {
        let text = given(name).unwrap_or_default();
        let words = text.split(',').filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let options = CollectOptions {
        root: root.clone().into(),
        case: Path::new(&root).join("case.fdc"),
        filter: Filter {
            only: list("TEST_ONLY"),
            exclude: list("TEST_EXCLUDE"),
        },
        timeout: given("TEST_TIMEOUT").map(|s| std::time::Duration::from_secs(s.parse().unwrap())),
        jobs: given("TEST_JOBS").map(|jobs| jobs.parse().unwrap()),
        runs: given("TEST_RUNS").map_or(1, |runs| runs.parse().unwrap()),
        changed_since: given("TEST_SINCE"),
        arguments: given("TEST_ARGUMENTS").map_or(Vec::new(), |words| {
            words.split(' ').map(Into::into).collect()
        }),
        ..CollectOptions::default()
    };
    let ecosystem = ecosystem_named("cargo").unwrap();
    println!();
    if let Err(error) = collect(ecosystem, &options, &Printer) {
        let message = format!("{error}\n{}", error.advice().unwrap_or_default());
        say("error", &message);
    }
}

fn say(what: &str, text: &str) {
    println!("{what}\x1e{}", text.replace('\n', "\x1f"));
}

struct Printer;

impl Watch for Printer {
    fn finished(&self, test: &str) {
        say("finished", test);
    }

    fn note(&self, text: &str) {
        say("note", text);
    }

    fn asked_to_stop(&self) -> bool {
        false
    }
}
