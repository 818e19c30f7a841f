//! Which tests there are, from nextest if it is there, else from the test programs themselves.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::build::{Build, Compilation, TargetKind, TestProgram};
use super::toolchain::cargo;
use crate::error::Result;
use crate::isolated::PlannedTest;
use crate::process::{answer, capture, status_text};

/// What a program says when asked for its tests must come within this time.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn tests(
    compilation: &Compilation,
    build: &Build,
    harness_arguments: &[OsString],
) -> Result<Vec<PlannedTest>> {
    let watch = compilation.watch;
    let nextest = from_nextest(compilation)?;
    let mut tests = Vec::new();
    for (number, program) in build.tests.iter().enumerate() {
        if program.kind == TargetKind::Bench {
            watch.note(&format!("{}: benches are not measured", title(program)));
            continue;
        }
        let selectors = match &nextest {
            Some(suites) => suites.get(&program.executable).cloned(),
            None => from_program(compilation, program, harness_arguments)?,
        };
        let Some(selectors) = selectors else {
            let what = "a test harness of its own that lists no tests; not measured";
            watch.note(&format!("{}: {what}", title(program)));
            continue;
        };
        let planned = |selector: String| PlannedTest {
            name: name(program, &selector),
            program: number,
            selector,
            part: false,
        };
        tests.extend(selectors.into_iter().map(planned));
    }
    make_unique(&mut tests, &build.tests);
    tests.sort();
    Ok(tests)
}

fn name(program: &TestProgram, selector: &str) -> String {
    let (package, target) = (&program.package, &program.target);
    match program.kind {
        TargetKind::Library => format!("{package}::{selector}"),
        TargetKind::Integration => format!("{package}::{target}::{selector}"),
        TargetKind::Binary => format!("{package}::bin/{target}::{selector}"),
        TargetKind::Example => format!("{package}::example/{target}::{selector}"),
        TargetKind::Bench => format!("{package}::bench/{target}::{selector}"),
    }
}

/// A module of the library can have the name of a file in `tests/`.
fn make_unique(tests: &mut [PlannedTest], programs: &[TestProgram]) {
    let mut counts: HashMap<String, u32> = HashMap::new();
    for test in tests.iter() {
        *counts.entry(test.name.clone()).or_default() += 1;
    }
    for test in tests {
        let program = &programs[test.program];
        if counts[&test.name] > 1 && program.kind == TargetKind::Integration {
            let (package, target) = (&program.package, &program.target);
            test.name = format!("{package}::test/{target}::{}", test.selector);
        }
    }
}

fn title(program: &TestProgram) -> String {
    format!("{} ({})", program.package, program.target)
}

/// Asks a program; none if it does not answer as Rust's own harness does.
fn from_program(
    compilation: &Compilation,
    program: &TestProgram,
    arguments: &[OsString],
) -> Result<Option<Vec<String>>> {
    let mut command = program.command();
    command.args(["--list", "--format", "terse"]);
    command.args(arguments);
    command.env("LLVM_PROFILE_FILE", "/dev/null");
    let (base, watch) = (compilation.file("list"), compilation.watch);
    let (stop, cannot) = (|| watch.asked_to_stop(), program.cannot_start());
    let (status, text, _) = capture(&mut command, &base, Some(PATIENCE), &stop, cannot)?;
    let listed = status.is_some_and(|status| status.success());
    Ok(listed.then(|| parse_terse(&text)).flatten())
}

/// The lines `NAME: test`; none if there are others.
fn parse_terse(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.rsplit_once(": ")? {
            (name, "test") => names.push(name.to_owned()),
            (_, "benchmark" | "bench") => {}
            _ => return None,
        }
    }
    Some(names)
}

#[derive(Deserialize)]
struct NextestList {
    #[serde(rename = "rust-suites")]
    suites: BTreeMap<String, NextestSuite>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct NextestSuite {
    binary_path: PathBuf,
    #[serde(default)]
    testcases: BTreeMap<String, NextestCase>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct NextestCase {
    kind: Option<String>,
    filter_match: NextestMatch,
}

#[derive(Deserialize)]
struct NextestMatch {
    status: String,
    reason: Option<String>,
}

/// Asks nextest, which knows the project's own filters; none if it is not there or fails.
fn from_nextest(compilation: &Compilation) -> Result<Option<BTreeMap<PathBuf, Vec<String>>>> {
    let root = &compilation.options.root;
    if answer(cargo(root).args(["nextest", "--version"])).is_none() {
        return Ok(None);
    }
    let command = compilation.cargo(&["nextest", "list", "--message-format", "json"]);
    let (status, text, log) = compilation.run(command, "nextest")?;
    let suites = status.success().then(|| parse_nextest(&text)).flatten();
    if suites.is_none() {
        let (how, words) = (status_text(status), log.last_lines(3).join(" / "));
        compilation.watch.note(&format!(
            "cargo nextest list did not work ({how}: {words}); the test programs are asked instead"
        ));
    }
    Ok(suites)
}

fn parse_nextest(text: &str) -> Option<BTreeMap<PathBuf, Vec<String>>> {
    let list: NextestList = serde_json::from_str(text).ok()?;
    let wanted = |case: &NextestCase| {
        // Ignored tests are run too: the harness then tells why they are.
        let ignored = case.filter_match.reason.as_deref() == Some("ignored");
        let matches = case.filter_match.status == "matches" || ignored;
        matches && case.kind.as_deref().unwrap_or("test") == "test"
    };
    let suite = |suite: NextestSuite| {
        let cases = suite.testcases.into_iter();
        let names = cases.filter(|(_, case)| wanted(case)).map(|(name, _)| name);
        (suite.binary_path, names.collect())
    };
    Some(list.suites.into_values().map(suite).collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn program(kind: TargetKind, target: &str) -> TestProgram {
        TestProgram {
            package: "shop".into(),
            folder: "/shop".into(),
            variables: None,
            kind,
            target: target.into(),
            executable: format!("/shop/target/{target}").into(),
        }
    }

    #[test]
    fn a_test_is_named_by_package_file_and_path() {
        for (kind, target, expected) in [
            (TargetKind::Library, "shop", "shop::tests::adds"),
            (
                TargetKind::Integration,
                "basket",
                "shop::basket::tests::adds",
            ),
            (TargetKind::Binary, "shop", "shop::bin/shop::tests::adds"),
            (
                TargetKind::Example,
                "tour",
                "shop::example/tour::tests::adds",
            ),
        ] {
            assert_eq!(name(&program(kind, target), "tests::adds"), expected);
        }
    }

    #[test]
    fn a_module_and_a_file_of_the_same_name_do_not_share_an_identity() {
        let programs = [
            program(TargetKind::Library, "shop"),
            program(TargetKind::Integration, "basket"),
        ];
        let planned = |number: usize, selector: &str| PlannedTest {
            name: name(&programs[number], selector),
            program: number,
            selector: selector.into(),
            part: false,
        };
        let mut tests = [
            planned(0, "basket::adds"),
            planned(1, "adds"),
            planned(1, "sums"),
        ];
        make_unique(&mut tests, &programs);
        let names: Vec<&str> = tests.iter().map(|test| &*test.name).collect();
        assert_eq!(
            names,
            [
                "shop::basket::adds",
                "shop::test/basket::adds",
                "shop::basket::sums"
            ]
        );
    }

    #[test]
    fn only_a_list_of_tests_is_a_list() {
        let terse = "tests::a: test\nb - should panic: test\nc: benchmark\n";
        let expected = vec!["tests::a".to_owned(), "b - should panic".to_owned()];
        assert_eq!(parse_terse(terse), Some(expected));
        assert_eq!(parse_terse(""), Some(Vec::new()));
        assert_eq!(parse_terse("Usage: bench [options]\n"), None);
        assert_eq!(parse_terse("hello\n"), None);
    }

    #[test]
    fn nextest_tells_which_tests_its_filters_keep() {
        let case =
            |status: &str| format!(r#"{{"kind":"test","ignored":false,"filter-match":{status}}}"#);
        let keep = case(r#"{"status":"matches"}"#);
        let drop = case(r#"{"status":"mismatch","reason":"default-filter"}"#);
        let ignored = case(r#"{"status":"mismatch","reason":"ignored"}"#);
        let text = format!(
            r#"{{"test-count":3,"rust-suites":{{"shop":{{"binary-path":"/t/shop-1","testcases":{{"a":{keep},"b":{drop},"c":{ignored}}}}}}}}}"#
        );
        let suites = parse_nextest(&text).unwrap();
        assert_eq!(suites[Path::new("/t/shop-1")], ["a", "c"]);
        assert!(parse_nextest("{}").is_none());
    }
}
