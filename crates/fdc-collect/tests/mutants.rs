//! `fdc mutate` on small Python projects, with a real pytest. It runs in the virtual environment that
//! python/environment makes under target/; without that the tests say so and are skipped.

mod notes;

use std::path::{Path, PathBuf};
use std::time::Duration;

use fdc_case::Case;
use fdc_case::mutants::{Fate, Mutant};
use fdc_collect::settings::Settings;
use fdc_collect::{CollectOptions, MutateOptions, RunError, collect, ecosystem_named, mutate};

use notes::Notes;

const SHOP: &str = "import os


def price(count, pieces=1):
    if count > 10:
        return count * 2
    return count * 3


def remembered(function):
    def inside(count):
        return function(count) + 1
    return inside


@remembered
def tax(count):
    return count + 5


def drain(count):
    while count > 0:
        count -= 1
    return count


def late():
    import later
    return later.now()


def tidy(folder):
    if folder is None:
        os.remove('shop.py')
    return 1
";

const LATER: &str = "def now():
    return 7
";

const TESTS: &str = "import shop


def test_price():
    assert shop.price(20) == 40
    assert shop.price(1) == 3


def test_tax():
    assert shop.tax(1) == 7


def test_drain():
    assert shop.drain(3) == 0


def test_late():
    assert shop.late() == 7


def test_tidy():
    assert shop.tidy('x') == 1
";

struct Project {
    folder: tempfile::TempDir,
    options: MutateOptions,
}

impl Project {
    /// Collected; none, loudly, where there is no pytest.
    fn collected() -> Option<Project> {
        Project::collected_from(&[
            ("shop.py", SHOP),
            ("later.py", LATER),
            ("test_shop.py", TESTS),
        ])
    }

    fn collected_from(files: &[(&str, &str)]) -> Option<Project> {
        let python = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../venv-python/bin/python");
        if !python.exists() {
            eprintln!("SKIPPED: no {}; run python/environment", python.display());
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("project");
        std::fs::create_dir(&root).unwrap();
        for (name, text) in files {
            std::fs::write(root.join(name), text).unwrap();
        }
        let run = CollectOptions {
            case: root.join("case.fdc"),
            root,
            runs: 1,
            settings: Settings::default().with("python", python.to_str().unwrap()),
            ..CollectOptions::default()
        };
        let pytest = ecosystem_named("pytest").unwrap();
        collect(pytest, &run, &Notes::default()).unwrap();
        let options = MutateOptions {
            run,
            seed: 1,
            ..MutateOptions::default()
        };
        Some(Project { folder, options })
    }

    fn root(&self) -> &Path {
        &self.options.run.root
    }

    fn mutate(&self) -> Vec<Mutant> {
        let pytest = ecosystem_named("pytest").unwrap();
        mutate(pytest, &self.options, &Notes::default()).unwrap();
        self.mutants()
    }

    fn mutants(&self) -> Vec<Mutant> {
        Case::open(&self.options.run.case)
            .unwrap()
            .mutants()
            .unwrap()
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = Vec::new();
        for folder in [self.root(), self.folder.path()] {
            files.extend(
                std::fs::read_dir(folder)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        }
        files.retain(|path| !path.ends_with(".pytest_cache") && !path.ends_with("__pycache__"));
        files.sort();
        files
    }
}

/// What became of a change on a line, and the tests that failed.
fn fate<'m>(mutants: &'m [Mutant], line: &str, replacement: &str) -> (Fate, Vec<&'m str>) {
    let found = mutants.iter().find(|mutant| {
        let number = mutant.line as usize - 1;
        let text = if mutant.change.path == "later.py" {
            LATER
        } else {
            SHOP
        };
        text.lines().nth(number).unwrap().trim() == line && mutant.change.replacement == replacement
    });
    let found = found.unwrap_or_else(|| panic!("{replacement} on {line}: {mutants:#?}"));
    let tests = found.kills.iter().map(|kill| kill.test.as_str());
    (found.fate, tests.collect())
}

/// Without what a clock decides.
fn timeless(mut mutants: Vec<Mutant>) -> Vec<Mutant> {
    mutants.iter_mut().for_each(|mutant| mutant.seconds = 0.0);
    mutants
}

#[test]
fn every_mutant_has_its_fate_and_the_project_is_as_it_was() {
    let Some(mut project) = Project::collected() else {
        return;
    };
    project.options.run.timeout = Some(Duration::from_secs(2));
    let before = project.files();
    let notes = Notes::default();
    mutate(ecosystem_named("pytest").unwrap(), &project.options, &notes).unwrap();
    let mutants = project.mutants();
    assert_eq!(notes.tests().len(), mutants.len());
    let cost = format!("{0} of {0} mutants in 7 methods", mutants.len());
    assert!(notes.notes()[0].starts_with(&cost), "{:?}", notes.notes());
    let expected = |line, replacement, fated, tests: &[&str]| {
        assert_eq!(
            fate(&mutants, line, replacement),
            (fated, tests.to_vec()),
            "{line}"
        );
    };
    expected("if count > 10:", ">=", Fate::Survived, &[]);
    expected(
        "if count > 10:",
        "not (count > 10)",
        Fate::Killed,
        &["test_shop.py::test_price"],
    );
    expected(
        "return count * 3",
        "/",
        Fate::Killed,
        &["test_shop.py::test_price"],
    );
    // A function that was made while the module was imported.
    expected(
        "return function(count) + 1",
        "-",
        Fate::Killed,
        &["test_shop.py::test_tax"],
    );
    // The new code does without a variable of the function around it, so it needs a new process.
    expected(
        "return function(count) + 1",
        "None",
        Fate::Killed,
        &["test_shop.py::test_tax"],
    );
    expected(
        "return count + 5",
        "-",
        Fate::Killed,
        &["test_shop.py::test_tax"],
    );
    expected(
        "count -= 1",
        "+=",
        Fate::Hung,
        &["test_shop.py::test_drain"],
    );
    // A module that only a test imports.
    expected("return 7", "8", Fate::Killed, &["test_shop.py::test_late"]);
    // It removes the file that the others need; they find it again.
    expected("if folder is None:", "is not", Fate::Survived, &[]);
    expected("return 1", "0", Fate::Killed, &["test_shop.py::test_tidy"]);
    let killed = mutants
        .iter()
        .find(|mutant| mutant.fate == Fate::Killed)
        .unwrap();
    let failure = &killed.kills[0].failure;
    assert_eq!(failure.exception.as_deref(), Some("AssertionError"));
    assert!(
        failure.frames[0].place.ends_with("test_shop.py"),
        "{failure:?}"
    );
    assert_eq!(project.files(), before, "nothing is left, nothing is gone");
    assert_eq!(
        std::fs::read_to_string(project.root().join("shop.py")).unwrap(),
        SHOP
    );
}

#[test]
fn parts_and_jobs_do_not_matter() {
    let Some(mut project) = Project::collected() else {
        return;
    };
    project.options.run.timeout = Some(Duration::from_secs(2));
    project.options.run.jobs = Some(2);
    let whole = timeless(project.mutate());
    let mut other = Project::collected().unwrap();
    other.options.run.timeout = Some(Duration::from_secs(2));
    other.options.run.jobs = Some(1);
    let mut methods = Vec::new();
    for number in [2, 5, usize::MAX] {
        other.options.number = Some(number);
        let mutants = other.mutate();
        methods.push(
            mutants
                .iter()
                .map(|one| one.method.clone())
                .collect::<std::collections::BTreeSet<_>>(),
        );
    }
    assert_eq!(timeless(other.mutants()), whole);
    assert_eq!(
        (methods[0].len(), methods[1].len()),
        (2, 5),
        "one of each method first"
    );
}

#[test]
fn a_budget_that_is_over_leaves_the_rest_for_the_next_run() {
    let Some(mut project) = Project::collected() else {
        return;
    };
    project.options.run.timeout = Some(Duration::from_secs(2));
    project.options.budget = Some(Duration::from_nanos(1));
    let pytest = ecosystem_named("pytest").unwrap();
    let counts = mutate(pytest, &project.options, &Notes::default()).unwrap();
    assert!(counts.done < counts.planned, "{counts:?}");
    project.options.budget = None;
    let counts = mutate(pytest, &project.options, &Notes::default()).unwrap();
    assert_eq!(counts.done, counts.planned);
    assert_eq!(project.mutants().len(), counts.planned);
}

#[test]
fn a_case_of_another_collector_is_refused() {
    let Some(project) = Project::collected() else {
        return;
    };
    let error = mutate(
        ecosystem_named("go").unwrap(),
        &project.options,
        &Notes::default(),
    );
    let Err(RunError::Refused { message, .. }) = error else {
        panic!("{error:?}");
    };
    assert!(message.contains("is of pytest"), "{message}");
}

#[test]
fn tests_that_cannot_be_judged_let_no_mutant_survive_in_silence() {
    let Some(mut project) = Project::collected_from(&[
        (
            "shop.py",
            "def price(count):\n    return count + 1\n\n\ndef tax(count):\n    return count + 5\n",
        ),
        (
            "test_shop.py",
            "import time, pytest, shop\n\n\n@pytest.mark.parametrize('when', [time.time_ns()])\ndef test_price(when):\n    \
             assert shop.price(1) == 2\n\n\ndef test_tax():\n    assert shop.tax(1) == 6\n",
        ),
    ]) else {
        return;
    };
    for alone in [false, true] {
        project.options.alone = alone;
        let notes = Notes::default();
        let pytest = ecosystem_named("pytest").unwrap();
        let counts = mutate(pytest, &project.options, &notes).unwrap();
        assert_eq!(counts.done, counts.planned);
        let judged = project.mutants();
        assert!(
            judged.iter().all(|mutant| mutant.method == "shop.py::tax"),
            "{judged:#?}"
        );
        assert!(!judged.is_empty());
        let told = notes.notes();
        let says = |words: &str| told.iter().any(|note| note.contains(words));
        assert!(
            says("1 tests are not found in a copy of the project by their names"),
            "{told:?}"
        );
        assert!(says("are run by no test that can be judged"), "{told:?}");
    }
}

#[test]
fn failures_are_not_worded_for_a_terminal_that_nobody_sees() {
    let Some(mut project) = Project::collected_from(&[
        ("shop.py", "def price(count):\n    return count + 1\n"),
        (
            "test_shop.py",
            "import shop\n\n\nclass Slow:\n    def __repr__(self):\n        while True:\n            pass\n\n\n\
             def test_price():\n    slow = Slow()\n    assert shop.price(1) == 2, 'other'\n",
        ),
    ]) else {
        return;
    };
    project.options.run.arguments = vec!["--showlocals".into(), "--tb=long".into()];
    let mutants = project.mutate();
    let killed = mutants
        .iter()
        .find(|mutant| mutant.change.replacement == "-");
    let killed = killed.unwrap();
    assert_eq!(killed.fate, Fate::Killed, "{killed:?}");
    let failure = &killed.kills[0].failure;
    assert_eq!(failure.exception.as_deref(), Some("AssertionError"));
    assert!(
        failure.message.as_ref().unwrap().contains("other"),
        "{failure:?}"
    );
    assert_eq!(failure.frames[0].function, "test_price");
}

#[test]
fn failures_of_unittest_tell_exception_message_and_stack() {
    let Some(project) = Project::collected_from(&[
        ("shop.py", "def price(prices):\n    return prices[1]\n"),
        (
            "test_shop.py",
            "import unittest, shop\n\n\nclass Test(unittest.TestCase):\n    def test_price(self):\n        \
             self.assertEqual(shop.price([1, 3]), 3)\n",
        ),
    ]) else {
        return;
    };
    let mutants = project.mutate();
    let killed = mutants
        .iter()
        .find(|mutant| mutant.change.replacement == "0");
    let failure = &killed.unwrap().kills[0].failure;
    assert_eq!(failure.exception.as_deref(), Some("AssertionError"));
    assert!(
        failure.message.as_ref().unwrap().contains("1 != 3"),
        "{failure:?}"
    );
    assert_eq!(failure.frames[0].function, "test_price");
}
