//! `fdc collect pytest` on small projects, with a real pytest. It runs in the virtual environment that
//! python/environment makes under target/; without that the tests say so and are skipped.

mod notes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fdc_case::recording::RecordingCounts;
use fdc_collect::filter::Filter;
use fdc_collect::settings::Settings;
use fdc_collect::{Cause, CollectOptions, RunError, affected_since, collect, ecosystem_named};
use fdc_core::spectrum::Outcome;

use notes::Notes;

const SHOP: &str = "RATE = 3


def price(count):
    if count < 0:
        raise ValueError('count')
    return count * RATE


def opened(name):
    return name.upper()
";

const TESTS: &str = "import os, time
import pytest, shop


@pytest.fixture(scope='module')
def door():
    return shop.opened('x')


@pytest.mark.parametrize('count', [1, -1])
def test_price(count):
    assert shop.price(count) == 3


def test_door(door):
    assert door == 'X'


def test_later():
    pytest.skip('not today')
";

struct Project {
    folder: tempfile::TempDir,
    options: CollectOptions,
}

/// Outcome and lines per test.
type Rows = BTreeMap<String, (Outcome, Vec<String>)>;

impl Project {
    /// With `shop.py` and a test module; none, loudly, where there is no pytest.
    fn new(tests: &str) -> Option<Project> {
        let python = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../venv-python/bin/python");
        if !python.exists() {
            eprintln!("SKIPPED: no {}; run python/environment", python.display());
            return None;
        }
        let project = Project::with(python);
        project.write("shop.py", SHOP);
        project.write("test_shop.py", tests);
        Some(project)
    }

    fn with(python: PathBuf) -> Project {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir(&root).unwrap();
        let options = CollectOptions {
            root: root.canonicalize().unwrap(),
            case: folder.path().join("case.fdc"),
            runs: 1,
            settings: Settings::default().with("python", python),
            ..CollectOptions::default()
        };
        Project { folder, options }
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.options.root.join(name), text).unwrap();
    }

    fn collect(&self) -> (Result<RecordingCounts, RunError>, Notes) {
        let notes = Notes::default();
        let ecosystem = ecosystem_named("pytest").unwrap();
        let collected = collect(ecosystem, &self.options, &notes);
        (collected, notes)
    }

    fn rows(&self) -> Rows {
        let spectrum = fdc_case::read(&self.options.case).unwrap();
        let element = |&at: &u32| {
            let element = spectrum.program.elements[at as usize];
            format!("{}:{}", spectrum.method_name(element.method), element.line)
        };
        let tests = spectrum.tests.iter().zip(spectrum.coverage.tests());
        tests
            .map(|(test, id)| {
                let lines = spectrum.coverage.elements(id);
                let lines = lines.iter().map(element).collect();
                (test.name.clone(), (test.outcome.unwrap(), lines))
            })
            .collect()
    }
}

fn row(outcome: Outcome, lines: &[&str]) -> (Outcome, Vec<String>) {
    (outcome, lines.iter().map(|&line| line.to_owned()).collect())
}

#[test]
fn tests_outcomes_and_lines_of_functions_are_in_the_case() {
    let Some(project) = Project::new(TESTS) else {
        return;
    };
    let (collected, notes) = project.collect();
    let progress = collected.unwrap();
    assert_eq!(
        (progress.tests, progress.failing, progress.skipped),
        (3, 1, 1)
    );
    assert_eq!(notes.notes(), [""; 0]);
    let expected = [
        (
            "test_shop.py::test_price[1]",
            row(Outcome::Pass, &["shop.py::price:5", "shop.py::price:7"]),
        ),
        (
            "test_shop.py::test_price[-1]",
            row(Outcome::Fail, &["shop.py::price:5", "shop.py::price:6"]),
        ),
        (
            "test_shop.py::test_door",
            row(Outcome::Pass, &["shop.py::opened:11"]),
        ),
    ];
    let expected: Rows = expected
        .map(|(name, row)| (name.to_owned(), row))
        .into_iter()
        .collect();
    assert_eq!(project.rows(), expected);
    let left: Vec<_> = project.folder.path().read_dir().unwrap().collect();
    assert_eq!(left.len(), 2, "the project and the case: {left:?}");
}

#[test]
fn a_test_that_kills_the_process_or_hangs_costs_only_itself() {
    let tests = format!(
        "{TESTS}
def test_kill():
    os.kill(os.getpid(), 9)


def test_hang():
    shop.price(1)
    time.sleep(600)


def test_last():
    shop.opened('x')
"
    );
    let Some(mut project) = Project::new(&tests) else {
        return;
    };
    project.options.timeout = Some(Duration::from_secs(3));
    let (collected, notes) = project.collect();
    let progress = collected.unwrap();
    assert_eq!((progress.tests, progress.failing), (6, 3));
    assert_eq!(notes.tests().len(), 7);
    assert!(
        notes.notes()[0].contains("test_kill: the process ended in it (signal SIGKILL)"),
        "{:?}",
        notes.notes()
    );
    let rows = project.rows();
    assert_eq!(rows["test_shop.py::test_kill"], row(Outcome::Fail, &[]));
    let hang = row(Outcome::Fail, &["shop.py::price:5", "shop.py::price:7"]);
    assert_eq!(rows["test_shop.py::test_hang"], hang);
    let last = row(Outcome::Pass, &["shop.py::opened:11"]);
    assert_eq!(rows["test_shop.py::test_last"], last);
}

#[test]
fn a_later_run_measures_only_what_is_not_there() {
    let Some(mut project) = Project::new(TESTS) else {
        return;
    };
    project.options.filter = Filter {
        only: vec!["test_price".to_owned()],
        exclude: Vec::new(),
    };
    let (collected, _) = project.collect();
    assert_eq!(collected.unwrap().tests, 2);
    project.options.filter = Filter::default();
    let (collected, notes) = project.collect();
    assert_eq!(collected.unwrap().tests, 3);
    assert_eq!(
        notes.tests(),
        ["test_shop.py::test_door", "test_shop.py::test_later"]
    );
    let (collected, notes) = project.collect();
    assert_eq!((collected.unwrap().tests, notes.tests().len()), (3, 0));
}

#[test]
fn side_by_side_or_in_workers_the_case_is_the_same() {
    let Some(mut project) = Project::new(TESTS) else {
        return;
    };
    for name in ["a", "b", "c", "d"] {
        project.write(&format!("test_{name}.py"), TESTS);
    }
    project.collect().0.unwrap();
    let expected = project.rows();
    assert_eq!(expected.len(), 15);
    for (jobs, arguments) in [(Some(3), &[][..]), (None, &["-n", "2"][..])] {
        std::fs::remove_file(&project.options.case).unwrap();
        project.options.jobs = jobs;
        project.options.arguments = arguments.iter().map(Into::into).collect();
        project.collect().0.unwrap();
        assert_eq!(project.rows(), expected, "{jobs:?} {arguments:?}");
    }
}

#[test]
fn a_shard_that_starts_again_does_not_disturb_the_others() {
    let waiting = "import os, time, shop
def test_a(): shop.price(1)
def test_b():
    until = time.time() + 60
    while not os.path.exists('again') and time.time() < until: time.sleep(0.05)
def test_c(): shop.price(1)
";
    let dying = "import os, shop
def test_a(): shop.price(1)
def test_b(): os._exit(1)
def test_c(): open('again', 'w').close()
";
    let Some(mut project) = Project::new(waiting) else {
        return;
    };
    // In another shard of two than test_shop.py.
    project.write("test_dies.py", dying);
    project.options.jobs = Some(2);
    let (collected, _) = project.collect();
    assert_eq!(collected.unwrap().tests, 6);
    let covered = row(Outcome::Pass, &["shop.py::price:5", "shop.py::price:7"]);
    let rows = project.rows();
    assert_eq!(rows["test_shop.py::test_c"], covered);
    assert_eq!(rows["test_dies.py::test_a"], covered);
    assert_eq!(rows["test_dies.py::test_b"], row(Outcome::Fail, &[]));
}

#[test]
fn tests_that_change_their_outcome_are_flaky() {
    let tests = "import os, shop
def test_flaky():
    seen = os.path.exists('seen')
    open('seen', 'w').close()
    assert seen

def test_steady():
    shop.price(1)
";
    let Some(mut project) = Project::new(tests) else {
        return;
    };
    project.options.runs = 3;
    let (collected, _) = project.collect();
    let progress = collected.unwrap();
    assert_eq!((progress.tests, progress.flaky), (2, 1));
}

#[test]
fn a_broken_module_is_noted_and_a_broken_conftest_is_an_error() {
    let Some(project) = Project::new(TESTS) else {
        return;
    };
    project.write("test_broken.py", "import nowhere\n");
    let (collected, notes) = project.collect();
    assert_eq!(collected.unwrap().tests, 3);
    let told =
        "test_broken.py could not be collected: ModuleNotFoundError: No module named 'nowhere'";
    assert_eq!(notes.notes(), [told]);
    project.write("conftest.py", "import nowhere\n");
    let error = project.collect().0.unwrap_err();
    assert_eq!(error.to_string(), "pytest cannot run the tests");
    assert!(
        error.advice().unwrap().contains("nowhere"),
        "{:?}",
        error.advice()
    );
}

#[test]
fn a_project_without_tests_leaves_no_case() {
    let Some(project) = Project::new("") else {
        return;
    };
    let (collected, notes) = project.collect();
    let error = collected.unwrap_err();
    assert!(matches!(error.cause(), Some(Cause::NoTests)), "{error}");
    assert!(
        notes.notes()[0].starts_with("pytest found no tests in "),
        "{:?}",
        notes.notes()
    );
    assert!(!project.options.case.exists());
}

#[test]
fn what_python_lacks_is_said_before_anything_is_written() {
    for (told, message) in [
        (
            "Python 3.11\npytest - No module named pytest\ncoverage 7.0.1\n",
            "has no pytest (No module named pytest)",
        ),
        (
            "Python 3.11\npytest 9.0.1\ncoverage - broken\n",
            "has no coverage (broken)",
        ),
        ("Python 3.7\npytest 7.4.4\ncoverage 7.0\n", "is too old"),
        (
            "Python 3.8\npytest 6.1.2\ncoverage 7.0\n",
            "pytest 6.1.2 of ",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let python = folder.path().join("python");
        std::fs::write(&python, format!("#!/bin/sh\nprintf '{told}'\n")).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&python, mode).unwrap();
        let project = Project::with(python);
        let error = project.collect().0.unwrap_err();
        assert!(matches!(error.cause(), Some(Cause::Tool)));
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.advice().is_some());
        assert!(!project.options.case.exists());
    }
}

fn git(root: &Path, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.current_dir(root).args(arguments);
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ann");
        command.env(format!("GIT_{who}_EMAIL"), "ann@example.com");
    }
    assert!(command.status().unwrap().success(), "{arguments:?}");
}

/// `fdc affected` and `--changed-since` answer one question; and what is kept is what a fresh collection
/// measures.
#[test]
fn what_is_affected_is_measured_again_and_the_rest_is_as_if_it_were() {
    let Some(mut project) = Project::new(TESTS) else {
        return;
    };
    let root = project.options.root.clone();
    project.write(".gitignore", "__pycache__\n.pytest_cache\n");
    git(&root, &["init", "--quiet"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "--quiet", "--message", "first"]);
    project.collect().0.unwrap();
    for (old, new, expected) in [
        ("return name.upper()", "return name.upper() + ''", 1),
        ("RATE = 3", "# Three.\n\nRATE = 3", 0),
        (
            "    return count * RATE",
            "    count += 0\n    return count * RATE",
            2,
        ),
        ("RATE = 3", "RATE = 3\n\n\ndef rate():\n    return RATE", 0),
        ("RATE = 3", "RATE = 1 + 2", 3),
        (
            "def opened(name):",
            "def other():\n    pass\n\n\ndef opened(name):",
            0,
        ),
    ] {
        let text = std::fs::read_to_string(root.join("shop.py")).unwrap();
        assert!(text.contains(old));
        project.write("shop.py", &text.replacen(old, new, 1));
        let case = fdc_case::Case::open(&project.options.case).unwrap();
        let ecosystem = ecosystem_named("pytest").unwrap();
        let found = affected_since(ecosystem, &case, &root, None, "--since").unwrap();
        drop(case);
        assert_eq!(found.affected.tests.len(), expected, "{new}");
        project.options.changed_since = Some("HEAD".to_owned());
        let (collected, notes) = project.collect();
        collected.unwrap();
        let said = format!("{expected} tests to measure again");
        assert!(
            notes.notes().join("\n").contains(&said),
            "{new}: {:?}",
            notes.notes()
        );
        let kept = project.rows();
        let case = std::mem::replace(&mut project.options.case, root.with_file_name("fresh.fdc"));
        project.options.changed_since = None;
        project.collect().0.unwrap();
        assert_eq!(kept, project.rows(), "{new}");
        std::fs::remove_file(&project.options.case).unwrap();
        project.options.case = case;
        git(&root, &["commit", "--quiet", "--all", "--message", "next"]);
    }
}
