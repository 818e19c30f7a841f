//! cargo — Rust projects
//!
//! Builds the tests once with `-C instrument-coverage`, then runs every test in a process of its
//! own. Linux; with a recent rustc no further tools are needed.
//!
//! ```text
//! fdc collect cargo
//! fdc collect cargo -- --workspace --features serde
//! fdc collect cargo --only '*::parser::*' --timeout 30 -- -p my-crate
//! ```
//!
//! # Building
//! Arguments after `--` are cargo's: packages, features, targets, profile. Those after a second
//! `--` are the test harness's when it lists the tests, such as `--include-ignored`. The build goes
//! to `target/fdc`, so other builds stay as they are. Only the crates of the workspace are
//! compiled with coverage, through a wrapper around rustc; the flags that the project and its
//! user have set stay in force. If the build fails, nothing is measured and rustc's words are shown.
//!
//! # Tests
//! If cargo-nextest is installed it lists the tests, and its default filter holds. Else the test
//! programs are asked. A test is named after its package, then its path:
//!
//! | test | name |
//! |---|---|
//! | in the library | `package::module::test` |
//! | in `tests/file.rs` | `package::file::test`; `package::test/file::test` if the library has one of that name |
//! | in a program | `package::bin/name::module::test` |
//! | in an example | `package::example/name::module::test` |
//!
//! Ignored tests are skipped. Documentation tests and benches are not measured. A target with
//! `harness = false` is measured if it can be asked for its tests as Rust's own harness can, and is
//! named in a note if not. A test runs in the folder and with the variables that cargo would give
//! it; a `runner` in cargo's configuration is not used.
//!
//! A test that ends the process (abort, stack overflow, `exit`) fails, and so does one that takes
//! longer than `--timeout`. What it ran until then counts.
//!
//! # Lines
//! The lines are those of `llvm-cov`: all copies of a generic function count for its one source, a
//! macro counts for the line that calls it. Programs of the workspace that a test starts count too.
//! Standard library, dependencies and generated sources are left out. After a call that panics, the
//! lines up to the next branch count as run: rustc counts per block, not per line.
//!
//! # LLVM's tools
//! fdc itself reads raw profiles of version 9 and 10 and mappings of version 6 and 7 (checked with
//! rustc 1.80 and 1.95). For others (checked with rustc 1.70) `llvm-profdata` and `llvm-cov` are needed, of the LLVM that rustc
//! has. They are looked for in this order: LLVM_PROFDATA and LLVM_COV, the toolchain (`rustup
//! component add llvm-tools`), PATH, PATH with LLVM's number (`llvm-cov-22`). If LLVM_PROFDATA or
//! LLVM_COV is set, the tools are used in any case; the lines are the same.

mod build;
pub(crate) mod bytes;
mod coverage;
mod environment;
mod lcov;
mod lines;
mod listing;
pub(crate) mod mapping;
mod meter;
pub(crate) mod profile;
mod sources;
mod toolchain;
mod verdict;

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Instant;

use build::{Build, Compilation};
use environment::Environment;
use meter::Meter;
use toolchain::{Compiler, Places};

use fdc_case::recording::Judgement;

use crate::changes::TestsOf;
use crate::each::{Each, Planned, Run, RunOptions};
use crate::error::{CollectError, Log};
use crate::options::Options;
use crate::process::{Ending, Group};
use crate::session::PROCESS;
use crate::watch::Watch;
use crate::{Ecosystem, Kind};

/// The entry in the table of ecosystems.
pub const ECOSYSTEM: Ecosystem = Ecosystem {
    name: "cargo",
    summary: "Rust: every test in a process of its own, built with -C instrument-coverage",
    detect: |root| root.join("Cargo.toml").is_file(),
    open,
    tests_of,
    source: include_str!("cargo.rs"),
};

fn open(options: &Options) -> Result<Kind, CollectError> {
    let compiler = Compiler::of(&options.root)?;
    let after = options.arguments.iter().skip_while(|word| *word != "--");
    Ok(Kind::Each(Box::new(Cargo {
        options: options.clone(),
        compiler,
        harness_arguments: after.skip(1).cloned().collect(),
        ready: OnceLock::new(),
    })))
}

/// By the usual layout of packages; a file elsewhere may concern any test.
fn tests_of(file: &str) -> TestsOf {
    let parts: Vec<&str> = file.split('/').collect();
    let Some((stem, folders)) = parts.split_last() else {
        return TestsOf::All;
    };
    if folders.first() == Some(&"target") {
        return TestsOf::None;
    }
    let Some(stem) = stem.strip_suffix(".rs") else {
        return TestsOf::All;
    };
    let is_home = |folder: &&&str| matches!(**folder, "src" | "tests" | "examples" | "benches");
    let Some(home) = folders.iter().find(is_home) else {
        return TestsOf::All;
    };
    let inside = folders.iter().skip_while(|folder| *folder != home).skip(1);
    let inside: Vec<&str> = inside.copied().collect();
    match (*home, inside.as_slice(), &stem) {
        ("tests", [], file) | ("tests", [file], &"main") => {
            TestsOf::Containing(format!("{file}::"))
        }
        ("examples", [], file) | ("examples", [file], &"main") => {
            TestsOf::Code(format!("::example/{file}::"))
        }
        ("benches", ..) => TestsOf::None,
        ("src", [], &"lib") => TestsOf::Code("::".to_owned()),
        ("src", [], &"main") => TestsOf::Code("::bin/".to_owned()),
        ("src", ["bin"], file) | ("src", ["bin", file], &"main") => {
            TestsOf::Code(format!("::bin/{file}::"))
        }
        ("src", modules, &"mod") => TestsOf::Code(format!("::{}::", modules.join("::"))),
        ("src", modules, module) => {
            let modules = modules.iter().chain([module]).copied();
            TestsOf::Code(format!("::{}::", modules.collect::<Vec<_>>().join("::")))
        }
        _ => TestsOf::All,
    }
}

struct Cargo {
    options: Options,
    compiler: Compiler,
    harness_arguments: Vec<OsString>,
    ready: OnceLock<Ready>,
}

/// Everything built and listed.
struct Ready {
    build: Build,
    environments: Vec<Environment>,
    meter: Meter,
    tests: Vec<Planned>,
}

impl Each for Cargo {
    fn tests(&self, watch: &dyn Watch) -> Result<Vec<Planned>, CollectError> {
        if self.ready.get().is_none() {
            let ready = self.prepare(watch)?;
            // Nobody else sets it: tests are listed by one thread.
            let _ = self.ready.set(ready);
        }
        let tests = self.ready.get().map(|ready| ready.tests.clone());
        let mut tests = tests.unwrap_or_default();
        tests.retain(|test| self.options.filter.keeps(&test.name));
        Ok(tests)
    }

    fn run(&self, test: &Planned, run: &RunOptions) -> Result<Run, CollectError> {
        let Some(ready) = self.ready.get() else {
            return Ok(Run::Parts(Vec::new()));
        };
        let program = &ready.build.tests[test.program];
        let mut command = listing::command_in(program, &ready.environments[test.program]);
        command.args(["--exact", &test.selector, "--nocapture"]);
        command.args(self.ignored_flag());
        // Continuous mode: the counters are in the file even if the process is killed.
        command.env("LLVM_PROFILE_FILE", run.folder.join("%p%c.profraw"));
        let (output, errors) = (run.folder.join("stdout"), run.folder.join("stderr"));
        let create = |path: &Path| File::create(path).map_err(CollectError::io(path, "write it"));
        command.stdout(create(&output)?).stderr(create(&errors)?);
        let cannot = |error: std::io::Error| {
            let message = format!(
                "{} cannot be started: {error}",
                program.executable.display()
            );
            CollectError::tool(message, "")
        };
        let start = Instant::now();
        let mut group = Group::spawn(&mut command).map_err(cannot)?;
        note_down(&group, run.folder)?;
        let limit = self.options.timeout;
        let ending = group.wait(limit, run.stop).map_err(cannot)?;
        let seconds = start.elapsed().as_secs_f64();
        // What the test left running would go on writing profiles.
        group.kill();
        if ending == Ending::Stopped {
            return Err(CollectError::Interrupted);
        }
        let tail = |path: PathBuf| Log { path }.tail();
        let (judgement, mut note) = verdict::judge(
            ending,
            limit.map_or(0.0, |limit| limit.as_secs_f64()),
            &tail(output),
            &tail(errors),
            &test.selector,
        );
        let mut files = Vec::new();
        if run.measure && matches!(judgement, Judgement::Judged(_)) {
            let measured = ready.meter.lines(test.program, group.id(), run.folder)?;
            files = measured.files;
            note = match (note, measured.lost) {
                (Some(note), Some(lost)) => Some(format!("{note}; {lost}")),
                (note, lost) => note.or(lost),
            };
        }
        Ok(Run::Ended {
            judgement,
            seconds,
            note,
            files,
        })
    }
}

impl Cargo {
    fn prepare(&self, watch: &dyn Watch) -> Result<Ready, CollectError> {
        let workspace = build::workspace(&self.options.root)?;
        if !workspace.workspace_root.starts_with(&self.options.root) {
            let (root, whole) = (&self.options.root, &workspace.workspace_root);
            watch.note(&format!(
                "{} is part of the workspace {}: lines outside of it do not count; --root {} has all",
                root.display(),
                whole.display(),
                whole.display()
            ));
        }
        let compilation = Compilation::new(&self.options, &workspace)?;
        let folder = workspace.target_folder();
        watch.note(&format!(
            "building the tests with coverage in {}",
            folder.display()
        ));
        let build = compilation.build(&workspace, watch)?;
        let host = &self.compiler.host;
        let environments = environment::environments(&compilation, &build, host, watch)?;
        let arguments = &self.harness_arguments;
        let tests = listing::tests(&compilation, &build, &environments, arguments, watch)?;
        let sources = workspace.sources(&self.options.root);
        let places = Places::of(&self.options.root, &self.compiler);
        let meter = Meter::new(&build, sources, self.compiler.clone(), places)?;
        Ok(Ready {
            build,
            environments,
            meter,
            tests,
        })
    }

    fn ignored_flag(&self) -> Option<&OsString> {
        let mut arguments = self.harness_arguments.iter();
        arguments.find(|word| *word == "--include-ignored" || *word == "--ignored")
    }
}

/// Notes down what runs, for the next collector should this one be killed.
fn note_down(group: &Group, folder: &Path) -> Result<(), CollectError> {
    let worker = folder.file_name().unwrap_or_default().to_string_lossy();
    let path = folder.with_file_name(format!("{PROCESS}{worker}"));
    std::fs::write(&path, group.id().to_string()).map_err(CollectError::io(&path, "write it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_the_home_of_its_tests() {
        let containing = |part: &str| TestsOf::Containing(part.into());
        let code = |part: &str| TestsOf::Code(part.into());
        for (file, expected) in [
            ("tests/basket.rs", containing("basket::")),
            ("crates/shop/tests/basket/main.rs", containing("basket::")),
            ("tests/common/mod.rs", TestsOf::All),
            ("src/price/tax.rs", code("::price::tax::")),
            ("crates/shop/src/price/mod.rs", code("::price::")),
            ("src/lib.rs", code("::")),
            ("src/main.rs", code("::bin/")),
            ("src/bin/till.rs", code("::bin/till::")),
            ("examples/tour.rs", code("::example/tour::")),
            ("benches/speed.rs", TestsOf::None),
            ("target/debug/build/x/out/made.rs", TestsOf::None),
            ("build.rs", TestsOf::All),
            ("Cargo.toml", TestsOf::All),
            ("Cargo.lock", TestsOf::All),
            ("src/rates.csv", TestsOf::All),
        ] {
            assert_eq!(tests_of(file), expected, "{file}");
        }
    }
}
