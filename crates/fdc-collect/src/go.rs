//! go — every test and subtest of a Go module alone, with its coverage.
//!
//! ```text
//! fdc collect go
//! fdc collect go --only 'parser/*' -- -tags=integration ./...
//! ```
//! Needs Go 1.21 or later on the PATH. The test program of every package is built once
//! (`go test -c`), with coverage of all packages of the module, or of the workspace's modules
//! (`go.work`) in the root. Each test then runs in a process of its own, in its package's folder.
//! Several run at a time, also of one package: if tests share files or ports, use `--jobs 1`.
//!
//! Tests are named `folder/TestX/sub`: the package's folder relative to the root (`.` for the root
//! itself) and the name that Go prints. Tests, examples and the seeds of fuzz tests are run;
//! benchmarks are not. A first run of a test finds its subtests. If it has any, these are run one by
//! one instead, down to those without subtests of their own. A test whose subtests all pass though
//! it fails is measured itself as well. If a subtest takes the program down, the test is run again
//! without those seen so far, to find the ones behind it. A subtest that does not run when it is
//! chosen alone is measured with its whole test, and its note says so.
//!
//! A test that panics, calls `os.Exit`, or hangs until `--timeout` counts as failing, and what it
//! ran until then is kept, to the last block. Go itself writes no profile in these cases. A small
//! file therefore joins every test package while it is built (`-overlay`; nothing is written into
//! the project) and keeps the counters in a file. This works on 64-bit Linux, unless the program's
//! symbols are stripped or `-overlay` is among the user's flags. Else, or if `TestMain` itself
//! fails, such a test has no coverage, and its note says so. The time of `--timeout` begins anew
//! with each subtest that begins or ends.
//!
//! A line counts if it holds code of a block of the profile: something other than blanks, comments,
//! brackets, commas and semicolons, between the columns where the block begins and ends. So `} else
//! {` and a closing brace are no lines. It ran if one of its blocks did. What packages run while
//! they are loaded (`init`, values of variables) belongs to no test, as long as the counters are
//! kept as said above; what `TestMain` runs belongs to all.
//! Counters do not tell what ran after a failure: a `String` or `Error` that a failed check prints
//! counts for the failing test, and so do deferred calls and `t.Cleanup`.
//! Generated code is code. Go does not measure `_test.go` files, so `--include-tests` adds none;
//! without it, files in folders named `test` or `tests` are left out.
//!
//! After `--` come packages, whose tests alone are run, and flags of `go test`: those of the build
//! (`-tags`, `-race`, `-mod`, ...), `-short`, `-cpu`, `-parallel`, `-shuffle`, `-coverpkg` (what is
//! measured), and `-args`. Those that choose tests have options of fdc instead. A word given to
//! `--only` that names a test (`Test...`) is looked for among the tests; any other may be part of a
//! subtest's name, so all tests run once to find out.
//!
//! If some packages do not build, the tests of the others are measured; then the compiler's words
//! are shown and the exit code is 4. Folders with a `go.mod` of their own that the workspace does
//! not join are other projects: name them with `--root`. So are modules outside the root.

mod arguments;
mod blocks;
mod build;
mod counters;
mod events;
mod panic;
mod runner;
mod woven;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::changes::TestsOf;
use crate::error::{Result, RunError};
use crate::filter::{self, Filter};
use crate::isolated::{Isolated, PlannedTest, Ran, Surroundings};
use crate::options::CollectOptions;
use crate::process::{answer, capture};
use crate::watch::Watch;
use crate::{Ecosystem, Tests};
use arguments::Arguments;
use blocks::Sources;
use build::{Built, Toolchain};
use runner::Runner;

pub(crate) const ECOSYSTEM: Ecosystem = Ecosystem {
    name: "go",
    summary: "Go: tests, subtests, examples and fuzz seeds of a module or workspace",
    detect: |root| root.join("go.mod").is_file() || root.join("go.work").is_file(),
    settings: &[],
    open,
    tests_of,
    warm: None,
    served: None,
    woven: Some(woven::build),
    source: include_str!("go.rs"),
};

/// The oldest Go whose test programs report and measure as we need it.
const OLDEST: (u32, u32) = (1, 21);

fn open(options: &CollectOptions) -> Result<Tests> {
    let arguments = Arguments::of(&options.arguments)?;
    let install =
        "install Go 1.21 or later (go.dev, or your system's packages) and put it on the PATH";
    let mut go = Command::new("go");
    let version = answer(go.args(["env", "GOVERSION"]).current_dir(&options.root));
    let Some(version) = version else {
        return Err(RunError::tool("the go command does not run", install));
    };
    if version_of(&version).is_some_and(|version| version < OLDEST) {
        let message = format!("expected Go 1.21 or later, found {version}");
        return Err(RunError::tool(message, install));
    }
    let options = options.clone();
    Ok(Tests::Isolated(Box::new(|watch| {
        Ok(Box::new(Go::build(options, arguments, watch)?))
    })))
}

/// The two first numbers in `go1.26.8` or `devel go1.27-abc`.
fn version_of(text: &str) -> Option<(u32, u32)> {
    let (_, numbers) = text.split_once("go")?;
    let mut numbers = numbers.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn tests_of(file: &str) -> TestsOf {
    let (folder, name) = file.rsplit_once('/').unwrap_or((".", file));
    let package = match folder.split_once("testdata") {
        Some((before, after)) if after.is_empty() || after.starts_with('/') => {
            before.trim_end_matches('/')
        }
        _ if name.ends_with("_test.go") => folder,
        _ => return TestsOf::All,
    };
    let package = if package.is_empty() { "." } else { package };
    TestsOf::Beginning(format!("{package}/"))
}

struct Go {
    options: CollectOptions,
    arguments: Arguments,
    built: Built,
    /// The packages whose programs do not list their tests, and what they say instead.
    silent: Vec<(String, String)>,
    tests: Vec<PlannedTest>,
    sources: Sources,
}

impl Isolated for Go {
    fn tests(&self) -> &[PlannedTest] {
        &self.tests
    }

    fn run(&self, test: &PlannedTest, surroundings: &Surroundings) -> Result<Ran> {
        let runner = Runner {
            go: self,
            program: &self.built.programs[test.program],
            surroundings,
        };
        match test.part {
            true => runner.alone(test),
            false => runner.look_into(test),
        }
    }

    fn part_named(&self, name: &str) -> Option<PlannedTest> {
        let (program, selector) = self.test_named(name)?;
        Some(PlannedTest {
            name: name.to_owned(),
            program,
            selector: selector.to_owned(),
            part: true,
        })
    }

    fn complaint(&self) -> Option<RunError> {
        if !self.built.failures.is_empty() {
            return Some(failure(&self.built.failures));
        }
        // Whoever tries mutants sees that tests were not run.
        let told = self.options.copied_from.is_none();
        let (package, words) = self.silent.first().filter(|_| told)?;
        let message = format!("the tests of {package} cannot be listed");
        Some(RunError::tool(message, words))
    }
}

impl Go {
    fn build(options: CollectOptions, arguments: Arguments, watch: &dyn Watch) -> Result<Self> {
        let work = options.work().join("go");
        let toolchain = Toolchain {
            root: &options.root,
            work: &work,
            arguments: &arguments,
            measures: !options.outcomes_only,
            lints: options.copied_from.is_none(),
            watch,
        };
        let built = toolchain.build()?;
        if built.programs.is_empty() && !built.failures.is_empty() {
            return Err(failure(&built.failures));
        }
        for (package, words) in &built.failures {
            let what = "does not build; its tests are left out";
            watch.note(&format!("{package} {what}:\n    {words}"));
        }
        if options.include_tests {
            watch.note("Go does not measure _test.go files: --include-tests adds none");
        }
        let (mut tests, mut silent) = (Vec::new(), Vec::new());
        for (at, program) in built.programs.iter().enumerate() {
            match list(program, &work, watch)? {
                Ok(names) => tests.extend(names.into_iter().map(|name| PlannedTest {
                    name: format!("{}/{name}", program.package),
                    program: at,
                    selector: name,
                    part: false,
                })),
                Err(words) => {
                    let what = "its tests cannot be listed";
                    watch.note(&format!("{}: {what}:\n    {words}", program.package));
                    silent.push((program.package.clone(), words));
                }
            }
        }
        tests.retain(|test| may_hold(&options.filter, &test.name));
        Ok(Go {
            options,
            arguments,
            built,
            silent,
            tests,
            sources: Sources::default(),
        })
    }
}

impl Go {
    /// The program of a test, and what the program calls it.
    fn test_named<'n>(&self, name: &'n str) -> Option<(usize, &'n str)> {
        let programs = self.built.programs.iter().enumerate();
        let mut found = programs.filter_map(|(at, program)| {
            let rest = name.strip_prefix(&program.package)?.strip_prefix('/')?;
            names_test(rest).then_some((at, rest))
        });
        found.next()
    }
}

fn failure(failures: &[(String, String)]) -> RunError {
    let words = failures.first().map_or("", |(_, words)| words);
    let names: Vec<&str> = failures.iter().map(|(package, _)| &**package).collect();
    let count = names.len();
    let message = match names[..] {
        [package] => format!("{package} does not build"),
        _ => format!("{count} packages do not build: {}", names.join(", ")),
    };
    RunError::build(message, words)
}

/// The top-level tests of a program, or what it says instead.
fn list(
    program: &build::GoProgram,
    work: &Path,
    watch: &dyn Watch,
) -> Result<Result<Vec<String>, String>> {
    const ENOUGH: Duration = Duration::from_secs(300);
    let mut command = program.command();
    command.arg("-test.list=^(Test|Example|Fuzz)");
    command.env("GOCOVERDIR", work);
    let cannot = RunError::io(&program.binary, "start it");
    let stop = || watch.asked_to_stop();
    let base = work.join("list");
    let (status, text, log) = capture(&mut command, &base, Some(ENOUGH), &stop, cannot)?;
    if !status.is_some_and(|status| status.success()) {
        return Ok(Err(log.last_lines(15).join("\n    ")));
    }
    // TestMain may print, too.
    let is_name =
        |line: &&str| names_test(line) && line.chars().all(|c| c.is_alphanumeric() || c == '_');
    let names = text.lines().map(str::trim).filter(is_name);
    Ok(Ok(names.map(str::to_owned).collect()))
}

fn names_test(word: &str) -> bool {
    let mut starts = ["Test", "Example", "Fuzz"].into_iter();
    starts.any(|start| word.starts_with(start))
}

/// Whether a test or a subtest of it may be meant.
fn may_hold(filter: &Filter, test: &str) -> bool {
    let excluded = |pattern: &String| {
        let whole = !pattern.contains(['*', '?']) || pattern.ends_with('*');
        whole && filter::matches(pattern, test)
    };
    let asked = |pattern: &String| {
        if pattern.contains(['*', '?']) {
            return filter::matches(pattern, test) || may_begin(pattern, test);
        }
        // Up to the name of the test, if the pattern has one.
        let mut elements = pattern.split_inclusive('/');
        let head: usize = match elements.clone().position(names_test) {
            Some(at) => elements.by_ref().take(at + 1).map(str::len).sum(),
            None => return true,
        };
        match pattern[..head].strip_suffix('/') {
            Some(whole) => test.ends_with(whole),
            None => test.contains(pattern.as_str()),
        }
    };
    (filter.only.is_empty() || filter.only.iter().any(asked))
        && !filter.exclude.iter().any(excluded)
}

/// Whether a pattern may match something that starts with the test's name and a slash.
fn may_begin(pattern: &str, test: &str) -> bool {
    let mut rest = pattern.chars();
    for c in test.chars().chain(['/']) {
        match rest.next() {
            Some('*') => return true,
            Some(p) if p == '?' || p == c => {}
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_looked_into_if_a_part_may_be_meant() {
        let filter = |only: &str, exclude: &str| Filter {
            only: only.split_whitespace().map(str::to_owned).collect(),
            exclude: exclude.split_whitespace().map(str::to_owned).collect(),
        };
        for (only, exclude, test, expected) in [
            ("", "", "a/TestX", true),
            ("TestX", "", "a/TestX", true),
            ("TestX", "", "a/TestXY", true),
            ("TestX", "", "a/TestY", false),
            ("TestX/sub", "", "a/TestX", true),
            ("TestX/sub", "", "a/TestXY", false),
            ("a/TestX/sub", "", "a/TestX", true),
            ("b/TestX/sub", "", "a/TestX", false),
            ("sub", "", "a/TestY", true),
            ("a/*", "", "a/TestX", true),
            ("b/*", "", "a/TestX", false),
            ("a/TestX/s?b", "", "a/TestX", true),
            ("a/TestX?", "", "a/TestX", true),
            ("a/TestX", "", "a/TestX", true),
            ("", "TestX", "a/TestX", false),
            ("", "*TestX", "a/TestX", true),
            ("", "a/*", "a/TestX", false),
        ] {
            let filter = filter(only, exclude);
            assert_eq!(may_hold(&filter, test), expected, "{filter:?} on {test}");
        }
    }

    #[test]
    fn a_test_file_concerns_its_package_and_testdata_the_one_around_it() {
        let of = |package: &str| TestsOf::Beginning(package.to_owned());
        for (file, expected) in [
            ("x_test.go", of("./")),
            ("a/b/x_test.go", of("a/b/")),
            ("a/testdata/b/c.json", of("a/")),
            ("testdata/c.json", of("./")),
            ("a/testdatabase/c.json", TestsOf::All),
            ("a/x.go", TestsOf::All),
            ("go.sum", TestsOf::All),
        ] {
            assert_eq!(tests_of(file), expected, "{file}");
        }
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(version_of("go1.26.8"), Some((1, 26)));
        assert_eq!(version_of("devel go1.27-abcdef Mon"), Some((1, 27)));
        assert_eq!(version_of("go2"), None);
        assert!(version_of("go1.9.1") < Some(OLDEST));
    }
}
