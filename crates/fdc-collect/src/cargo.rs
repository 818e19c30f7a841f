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
//! lines up to the next branch count as run: rustc counts per block, not per line. Counters do not
//! tell what ran after a failure: a `Debug` or `Display` that the panic's message prints counts for the
//! failing test, and so does `drop` while the stack is unwound.
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
mod woven;

use std::ffi::OsString;
use std::time::Instant;

use build::{Build, Compilation};
use meter::CoverageReader;
use toolchain::{Compiler, ToolPlaces};

use fdc_case::recording::Judgement;

use crate::changes::TestsOf;
use crate::error::Result;
use crate::isolated::{EndedTest, Isolated, MEMORY, PlannedTest, Ran, Surroundings};
use crate::options::CollectOptions;
use crate::process::{ToolLog, note_down, output_to};
use crate::watch::Watch;
use crate::{Ecosystem, FAIL, Tests, noted_at};

pub(crate) const ECOSYSTEM: Ecosystem = Ecosystem {
    name: "cargo",
    summary: "Rust: every test in a process of its own, built with -C instrument-coverage",
    detect: |root| root.join("Cargo.toml").is_file(),
    settings: &[],
    open,
    tests_of,
    warm: None,
    served: None,
    woven: Some(woven::build),
    source: include_str!("cargo.rs"),
};

fn open(options: &CollectOptions) -> Result<Tests> {
    let compiler = Compiler::of(&options.root)?;
    let options = options.clone();
    Ok(Tests::Isolated(Box::new(|watch| {
        Ok(Box::new(Cargo::build(options, compiler, watch)?))
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
    options: CollectOptions,
    build: Build,
    /// None if nothing is measured.
    reader: Option<CoverageReader>,
    tests: Vec<PlannedTest>,
    /// `--include-ignored` or `--ignored`, if the user gave it to the test harness.
    ignored: Option<OsString>,
}

impl Isolated for Cargo {
    fn tests(&self) -> &[PlannedTest] {
        &self.tests
    }

    fn run(&self, test: &PlannedTest, surroundings: &Surroundings) -> Result<Ran> {
        let folder = surroundings.folder;
        let program = &self.build.tests[test.program];
        let mut command = program.command();
        command.args(["--exact", &test.selector, "--nocapture"]);
        command.args(&self.ignored);
        // Continuous mode: the counters are in the file even if the process is killed.
        command.env("LLVM_PROFILE_FILE", folder.join("%p%c.profraw"));
        let (output, errors) = (folder.join("stdout"), folder.join("stderr"));
        output_to(&mut command, &output, &errors)?;
        let start = Instant::now();
        let group = surroundings.spawn(&mut command, Some(MEMORY));
        let mut group = group.map_err(program.cannot_start())?;
        let worker = folder.file_name().unwrap_or_default().to_string_lossy();
        note_down(&group, &noted_at(&self.options.work(), worker))?;
        let limit = surroundings.limit;
        let status = group.wait(limit, surroundings.stop, &mut || false)?;
        let seconds = start.elapsed().as_secs_f64();
        let errors = ToolLog(errors).tail();
        let (judgement, mut note) = verdict::judge(
            status,
            limit.map_or(0.0, |limit| limit.as_secs_f64()),
            &ToolLog(output).tail(),
            &errors,
            &test.selector,
        );
        let failed = judgement == FAIL;
        let failure = failed.then(|| verdict::failure(&errors, &test.selector));
        let mut files = Vec::new();
        let reader = self.reader.as_ref().filter(|_| surroundings.measure);
        if let Some(reader) = reader
            && matches!(judgement, Judgement::Judged(_))
        {
            match reader.lines(test.program, group.id(), folder)? {
                Ok(measured) => files = measured,
                Err(lost) => {
                    note = Some(note.map_or(lost.clone(), |note| format!("{note}; {lost}")))
                }
            }
        }
        Ok(Ran::Whole(EndedTest {
            judgement,
            seconds,
            note,
            failure: failure.flatten(),
            files,
        }))
    }
}

impl Cargo {
    fn build(options: CollectOptions, compiler: Compiler, watch: &dyn Watch) -> Result<Self> {
        let workspace = build::workspace(&options.root)?;
        let (root, whole) = (&options.root, &workspace.workspace_root);
        if !whole.starts_with(root) {
            let (root, whole) = (root.display(), whole.display());
            watch.note(&format!(
                "{root} is part of the workspace {whole}: lines outside of it do not count; --root {whole} has all"
            ));
        }
        let compilation = Compilation::new(&options, &workspace, watch)?;
        let folder = workspace.target_folder();
        let folder = folder.display();
        let how = match options.outcomes_only {
            true => "without coverage",
            false => "with coverage",
        };
        watch.note(&format!("building the tests {how} in {folder}"));
        let mut cargo = Cargo::of(&compilation, compilation.build(&workspace)?, &compiler)?;
        cargo.tests.retain(|test| options.filter.keeps(&test.name));
        if options.outcomes_only {
            return Ok(cargo);
        }
        let sources = workspace.sources(root);
        let places = ToolPlaces::of(root, &compiler);
        let reader = CoverageReader::new(&cargo.build, sources, compiler, places)?;
        cargo.reader = Some(reader);
        Ok(cargo)
    }

    /// All tests of a build; nothing is measured.
    fn of(compilation: &Compilation, mut build: Build, compiler: &Compiler) -> Result<Self> {
        environment::learn(compilation, &mut build, &compiler.host)?;
        let options = compilation.options.clone();
        let after = options.arguments.iter().skip_while(|word| *word != "--");
        let arguments: Vec<OsString> = after.skip(1).cloned().collect();
        let tests = listing::tests(compilation, &build, &arguments)?;
        let mut arguments = arguments.into_iter();
        let ignored = arguments.find(|word| *word == "--include-ignored" || *word == "--ignored");
        Ok(Cargo {
            options,
            build,
            reader: None,
            tests,
            ignored,
        })
    }
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
